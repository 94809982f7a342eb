// SPDX-License-Identifier: MIT
// The operands of an instruction that runs, by the kinds that opcodes.def gives
// them. B is a register for one opcode and a constant's index for the next, so
// whatever reads an operand says which kind it expects.
//
// In debug builds each access is checked: the opcode has such an operand, and
// the frame at `base` has that register or constant.
#ifndef CSP_VM_OPERANDS_H
#define CSP_VM_OPERANDS_H

#include "vm/code/code.h"

#ifdef CSP_DEBUG
// Throws unless the format of i's opcode has `kind`, a letter of opcodes.def,
// and the frame has n of that kind. (proto.c)
void operand_check(const Value *base, Instr i, char kind, uint32_t n);
#else
static inline void operand_check(const Value *base, Instr i, char kind,
                                 uint32_t n) {
  (void)base, (void)i, (void)kind, (void)n;
}
#endif

// The register at A, B or C of i: kind 'a', 'b', 'c'; or in an extra word: 'R'.
static inline Value *operand_register(const Value *base, Instr i, char kind,
                                      uint32_t n) {
  operand_check(base, i, kind, n);
  return (Value *)(uintptr_t)&base[n];
}

// The constant at C, B or Bx of i: kind 'k', 'x', 'K'; or in an extra word:
// 'N'.
static inline Value operand_constant(const Value *base, const Value *k, Instr i,
                                     char kind, uint32_t n) {
  operand_check(base, i, kind, n);
  return k[n];
}

static inline Value *operand_a(const Value *base, Instr i) {
  return operand_register(base, i, 'a', INSTR_A(i));
}
static inline Value *operand_b(const Value *base, Instr i) {
  return operand_register(base, i, 'b', INSTR_B(i));
}

// For functions and handlers that have base, k and i.
#define REG_A (*operand_a(base, i))
#define REG_B (*operand_b(base, i))
#define REG_C (*operand_register(base, i, 'c', INSTR_C(i)))
#define REG_WORD(word) (*operand_register(base, i, 'R', (word)))
#define CONST_B operand_constant(base, k, i, 'x', INSTR_B(i))
#define CONST_C operand_constant(base, k, i, 'k', INSTR_C(i))
#define CONST_BX operand_constant(base, k, i, 'K', INSTR_BX(i))
#define CONST_WORD(word) operand_constant(base, k, i, 'N', (word))

#endif
