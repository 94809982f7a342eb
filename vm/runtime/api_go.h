// SPDX-License-Identifier: MIT
// Goroutines that hosts and natives start.
#ifndef CSP_VM_RUNTIME_API_GO_H
#define CSP_VM_RUNTIME_API_GO_H

#include "vm/csp.h"
#include "vm/heap/local.h"

void goes_end(Csp *csp);                     // nothing will run any more
void go_ended(Local *local, ObjTask *task);  // VmHooks.task_ended

#endif
