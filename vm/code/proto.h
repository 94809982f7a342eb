// SPDX-License-Identifier: MIT
// Compiled functions as a whole: making, checking and freeing them, and where
// an instruction comes from. (Their layout: vm/value/proto_layout.h.)
#ifndef CSP_VM_CODE_PROTO_H
#define CSP_VM_CODE_PROTO_H

#include "vm/heap/local.h"

// An empty proto, linked into vm->protos. NULL: out of memory.
Proto *proto_new(Vm *vm);
// The upvalue-free closure of a PROTO_TOP proto (made once, kept in self).
ObjClosure *proto_self(Vm *vm, Proto *proto);
// Checks every instruction: operands within nregs, nconstants and nupvalues,
// jumps on instruction starts. NULL, or what is wrong (static text); *at the
// instruction's index.
const char *proto_verify(const Memory *memory, const Proto *proto,
                         uint32_t *at);
void proto_free_all(Vm *vm);
// The place of the instruction at `pc` (a pointer to it). Any thread.
LineInfo proto_line(const Proto *proto, const Instr *pc);

#endif
