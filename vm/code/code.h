// SPDX-License-Identifier: MIT
// Instruction words: the opcodes' enum and how operands are packed.
#ifndef CSP_VM_CODE_H
#define CSP_VM_CODE_H

#include "vm/vm.h"

typedef enum Op {
#define OP(name, words, format, meaning) OP_##name,
#include "vm/code/opcodes.def"
#undef OP
  OP_COUNT
} Op;

enum { WANT_ALL = 255, REGISTERS_MAX = 250, CONSTANTS_MAX = 65535 };

#define INSTR_OP(i) ((i)&0xff)
#define INSTR_A(i) (((i) >> 8) & 0xff)
#define INSTR_B(i) (((i) >> 16) & 0xff)
#define INSTR_C(i) ((i) >> 24)
#define INSTR_SB(i) ((int8_t)((i) >> 16))
#define INSTR_SC(i) ((int8_t)((i) >> 24))
#define INSTR_BX(i) ((i) >> 16)
#define INSTR_SBX(i) ((int16_t)((i) >> 16))
#define INSTR_SJ(i) ((int32_t)(i) >> 8)
#define INSTR_J(word) ((int32_t)(word))

static inline Instr instr_abc(Op op, int a, int b, int c) {
  return (Instr)op | (Instr)(a & 0xff) << 8 | (Instr)(b & 0xff) << 16 |
         (Instr)(c & 0xff) << 24;
}
static inline Instr instr_abx(Op op, int a, int bx) {
  return (Instr)op | (Instr)(a & 0xff) << 8 | (Instr)(bx & 0xffff) << 16;
}
static inline Instr instr_j(Op op, int32_t offset) {
  return (Instr)op | (Instr)offset << 8;
}

const char *op_name(Op op);
int op_words(Op op);
const char *op_format(Op op);

// --- proto.c ----------------------------------------------------------------
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

// --- unit.c: compiled code that is collected --------------------------------
void protos_free(Proto *first);  // a list
// What is compiled from now on is a unit's, which is freed when nothing holds
// its functions. Not nested. The thread that compiles. false: out of memory.
bool unit_open(Vm *vm);
// Ends that. false: the limit on memory is passed; the unit may still run.
bool unit_close(Vm *vm);
void units_free_all(Vm *vm);

// --- dis.c ------------------------------------------------------------------
// Readable bytecode of one proto / of it and all protos among its constants.
void dis_proto(Text *out, Vm *vm, const Proto *proto);

#endif
