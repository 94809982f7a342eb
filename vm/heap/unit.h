// SPDX-License-Identifier: MIT
// Compiled code that is collected, as the rooms above see it.
#ifndef CSP_VM_HEAP_UNIT_H
#define CSP_VM_HEAP_UNIT_H

#include "vm/heap/local.h"

void protos_free(Proto *first);  // a list
// What is compiled from now on is a unit's, which is freed when nothing holds
// its functions. Not nested. The thread that compiles. false: out of memory.
bool unit_open(Vm *vm);
// Ends that. false: the limit on memory is passed; the unit may still run.
bool unit_close(Vm *vm);
void units_free_all(Vm *vm);

#endif
