// SPDX-License-Identifier: MIT
// What a runtime tells its compiler: vm.c.
#ifndef CSP_VM_RUNTIME_VM_H
#define CSP_VM_RUNTIME_VM_H

#include "vm/heap/local.h"

// Asks CspConfig.load. false: there is none, or it has no such module.
bool vm_load(Vm *vm, struct CspLoad *load);
// Where files that are imported are looked for (CspConfig.path), or NULL.
const char *vm_search_path(Vm *vm);

// Bytes that compiling a script and its imports may take now; SIZE_MAX: any
// number.
size_t vm_compile_room(Vm *vm);
// Is it to be given up, as the host's call is interrupted or its time is over?
// By the thread that compiles.
bool vm_compile_is_over(Vm *vm);

#endif
