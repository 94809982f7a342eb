// SPDX-License-Identifier: MIT
// The functions of api_host.c that other files call.
#ifndef CSP_VM_API_API_HOST_H
#define CSP_VM_API_API_HOST_H

#include "vm/heap/local.h"

// Frees the tables, and the classes' state. After the heap.
void host_methods_free(Vm *vm);

#endif
