// SPDX-License-Identifier: MIT
// What other threads ask.
#ifndef CSP_VM_RUNTIME_API_THREADS_H
#define CSP_VM_RUNTIME_API_THREADS_H

#include "vm/csp.h"
#include "vm/interp/native_call.h"

// Nothing will run any more: each thread that waits is told.
void posts_end(Csp *csp);

extern const CspFunction post_functions[];

#endif
