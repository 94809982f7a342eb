// SPDX-License-Identifier: MIT
// The functions of paths.c that other files call.
#ifndef CSP_VM_RUNTIME_PATHS_H
#define CSP_VM_RUNTIME_PATHS_H

#include "vm/heap/local.h"

// csp_real_path and csp_open_path of this runtime.
char *vm_real_path(Vm *vm, const char *path);
int vm_open_path(Vm *vm, const char *path, int flags);

#endif
