// SPDX-License-Identifier: MIT
// Compiled functions as a whole: making and freeing them, and where an
// instruction comes from. (Their layout: vm/value/proto_layout.h.)
#ifndef CSP_VM_CODE_PROTO_H
#define CSP_VM_CODE_PROTO_H

#include "vm/heap/local.h"

// An empty proto, linked into vm->protos. NULL: out of memory.
Proto *proto_new(Vm *vm);
// One that stays as long as vm, as what is in it must: PROTO_LASTING.
Proto *proto_new_lasting(Vm *vm);
// The upvalue-free closure of a PROTO_TOP proto (made once, kept in self).
ObjClosure *proto_self(Vm *vm, Proto *proto);
void proto_free_all(Vm *vm);
// The place of the instruction at `pc` (a pointer to it). Any thread.
LineInfo proto_line(const Proto *proto, const Instr *pc);

#endif
