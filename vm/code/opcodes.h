// SPDX-License-Identifier: MIT
// Instruction words: the opcodes' enum, how operands are packed, and what
// opcodes.def and fused.def say of an opcode.
#ifndef CSP_VM_OPCODES_H
#define CSP_VM_OPCODES_H

#include "vm/value/proto_layout.h"

typedef enum Op {
#define OP(name, ...) OP_##name,
#include "vm/code/opcodes.def"
#undef OP
  OP_COUNT
} Op;

// What opcodes.def says of an opcode. In debug builds the interpreter checks
// MAY_PARK, MAY_REPEAT and MAY_COLLECT.
typedef enum OpTrait {
  JUMPS_BACK = 1,      // its jump goes backward, and counts a safepoint
  ENDS_FLOW = 2,       // the next instruction does not come after it
  GIVES_MULTI = 4,     // leaves values in `multi`: where it has a `want`, if
                       // that is WANT_ALL
  TAKES_MULTI = 8,     // of the instruction before
  MAY_PARK = 16,       // the goroutine may leave its P in it
  MAY_REPEAT = 32,     // without memory: begins again after a collection
  FRESH_RESULT = 64,   // ... before which what R[A] holds is forgotten
  OWN_CODE = 128,      // only the interpreter's own code has it
  NEEDS_DEFER = 256,   // only functions that defer calls have it
  SKIPS_DEFERS = 512,  // only others have it
  COLLECTS = 1024,     // see MAY_COLLECT
  // It panics where the register is nil, and the message names what is nil
  // there (vm/interp/explain.c): R[A], R[B], R[C], the callee R[A+2] of a call,
  // or R[A+3], a method's receiver.
  NO_NIL_A = 2048,
  NO_NIL_B = 4096,
  NO_NIL_C = 8192,
  NO_NIL_CALLEE = 16384,
  NO_NIL_RECEIVER = 32768,
} OpTrait;

// A collection may come in it: at its safepoint, while the goroutine waits or a
// function that it calls runs, before it begins again, or (COLLECTS) when it
// finds no memory for a part of what it does.
#define MAY_COLLECT (JUMPS_BACK | MAY_PARK | MAY_REPEAT | COLLECTS)

// Two operations in one (fused.def).
typedef struct FusedOps {
  uint8_t first, second;  // Op; both 0 means none
  bool turned;            // the second has the first's result on its right
  bool constant;          // its other operand is a constant
} FusedOps;

enum {
  WANT_DROP = 254,
  WANT_ALL = 255,
  REGISTERS_MAX = 250,
  CONSTANTS_MAX = 65535,
  ITER_STATE = 6,  // registers of a for loop's state
};

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

// Operands that do not fit are cut off: the compiler goes on after code that is
// too complex, and throws it away (emit.c asserts that others fit).
static inline Instr instr_abc(Op op, int a, int b, int c) {
  return (Instr)op | (Instr)(a & 0xff) << 8 | (Instr)(b & 0xff) << 16 |
         (Instr)(c & 0xff) << 24;
}
static inline Instr instr_abx(Op op, int a, int bx) {
  return (Instr)op | (Instr)(a & 0xff) << 8 | (Instr)(bx & 0xffff) << 16;
}
static inline Instr instr_j(Op op, int32_t offset) {
  Instr made = (Instr)op | (Instr)offset << 8;
  RT_ASSERT(INSTR_SJ(made) == offset);
  return made;
}

// --- What the tables say ----------------------------------------------------
const char *op_name(Op op);
int op_words(Op op);
const char *op_kinds(Op op);
uint32_t op_traits(Op op);  // of OpTrait
// Is what operands of the kind say in an extra word?
bool op_kind_is_extra(char kind);
// The registers that i uses beside its operands: how many, from *first on.
uint32_t op_range(Instr i, uint32_t *first);
// The form of a comparison that jumps backward, and counts a safepoint.
// OP_COUNT: there is none.
Op op_backward(Op op);
FusedOps op_fused(Op op);
// The opcode that does both. OP_COUNT: there is none.
Op op_fuse(Op first, Op second, bool turned, bool constant);

#endif
