// SPDX-License-Identifier: MIT
// What the end of a runtime frees of a host's classes. vm/csp.h declares what
// hosts call.
#ifndef CSP_VM_API_API_HOST_H
#define CSP_VM_API_API_HOST_H

#include "vm/heap/local.h"

// Frees the tables, and the classes' state. After the heap.
void host_methods_free(Vm *vm);

#endif
