// SPDX-License-Identifier: MIT
// Memory that stays until the runtime ends: the records of native functions,
// and the compiled functions of preludes.
#ifndef CSP_VM_HEAP_LASTING_H
#define CSP_VM_HEAP_LASTING_H

#include "vm/heap/local.h"

// Zeroed, at a multiple of 8. NULL: out of memory. By the thread that boots,
// later by the one that compiles.
void *lasting_alloc(Vm *vm, size_t size);
void lasting_free_all(Vm *vm);

#endif
