// SPDX-License-Identifier: MIT
// The operands of an instruction that runs, by the kinds that opcodes.def gives
// them. B is a register for one opcode and a constant's index for the next, so
// whatever reads an operand says which kind it expects.
//
// In debug builds each access is checked: the opcode has such an operand, and
// the frame at `base` has that register or constant.
#ifndef CSP_VM_OPERANDS_H
#define CSP_VM_OPERANDS_H

#include "vm/code/opcodes.h"

// A kind of operands, by its letter in opcodes.def, in a set of them.
#define KIND(letter) (UINT64_C(1) << ((letter) - 'B'))
#define KINDS_REGISTER \
  (KIND('a') | KIND('b') | KIND('v') | KIND('c') | KIND('R'))
#define KINDS_BX (KIND('K') | KIND('g') | KIND('p') | KIND('d') | KIND('m'))
#define KINDS_WORD \
  (KIND('N') | KIND('n') | KIND('h') | KIND('y') | KIND('L') | KIND('l'))

#ifdef CSP_DEBUG
// Throws unless i's opcode has an operand of one of the kinds, and the frame
// has register, or constant, n.
void operand_check(const Value *base, Instr i, uint64_t kinds, uint32_t n);
// The same for a register beside the operands: those of windows and ranges.
void operand_check_range(const Value *base, Instr i, uint32_t n);
#else
static inline void operand_check(const Value *base, Instr i, uint64_t kinds,
                                 uint32_t n) {
  (void)base, (void)i, (void)kinds, (void)n;
}
static inline void operand_check_range(const Value *base, Instr i, uint32_t n) {
  (void)base, (void)i, (void)n;
}
#endif

static inline Value *operand_register(const Value *base, Instr i,
                                      uint64_t kinds, uint32_t n) {
  operand_check(base, i, kinds, n);
  return (Value *)(uintptr_t)&base[n];
}

static inline Value operand_constant(const Value *base, const Value *constants,
                                     Instr i, uint64_t kinds, uint32_t n) {
  operand_check(base, i, kinds, n);
  return constants[n];
}

// Register n, one of those that i uses beside its operands.
static inline Value *operand_range(const Value *base, Instr i, uint32_t n) {
  operand_check_range(base, i, n);
  return (Value *)(uintptr_t)&base[n];
}

static inline Value *operand_a(const Value *base, Instr i) {
  return operand_register(base, i, KIND('a'), INSTR_A(i));
}
static inline Value *operand_b(const Value *base, Instr i) {
  return operand_register(base, i, KIND('b') | KIND('v'), INSTR_B(i));
}
// How many results are wanted.
static inline int operand_want(const Value *base, Instr i) {
  operand_check(base, i, KIND('w'), 0);
  return (int)INSTR_C(i);
}

// For functions and handlers that have base, constants and i.
#define REG_A (*operand_a(base, i))
#define REG_B (*operand_b(base, i))
#define REG_C (*operand_register(base, i, KIND('c'), INSTR_C(i)))
#define REG_WORD(word) (*operand_register(base, i, KIND('R'), (word)))
#define REG_RANGE(n) (*operand_range(base, i, (n)))
#define CONST_B operand_constant(base, constants, i, KIND('x'), INSTR_B(i))
#define CONST_C operand_constant(base, constants, i, KIND('k'), INSTR_C(i))
#define CONST_BX operand_constant(base, constants, i, KINDS_BX, INSTR_BX(i))
#define CONST_WORD(word) \
  operand_constant(base, constants, i, KINDS_WORD, (word))
#define REG_WINDOW operand_a(base, i)
#define WANT operand_want(base, i)

#endif
