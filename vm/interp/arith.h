// SPDX-License-Identifier: MIT
// Arithmetic and comparison of any two values, where the fast paths of the
// handlers do not fit. Wrong types and results that are out of range panic.
#ifndef CSP_VM_INTERP_ARITH_H
#define CSP_VM_INTERP_ARITH_H

#include "vm/code/opcodes.h"
#include "vm/heap/local.h"

// b op c for any values, op being a plain form (ADD, not ADDI or ADDK). false:
// panicked.
bool arith_op(Local *local, Goroutine *g, Op op, Value b, Value c, Value *out);
// The instruction i, in any form of an arithmetic opcode.
bool arith_slow(Local *local, Goroutine *g, Value *base, const Value *constants,
                Instr i);
// An instruction of two operations (MULADD, ADDADD, XORSHL, MULADDW and their
// like). word: its second one.
bool arith_pair(Local *local, Goroutine *g, Value *base, const Value *constants,
                Instr i, Instr word);
// A comparison, EQ forms included: 0, 1, or -1 (panicked).
int compare_slow(Local *local, Goroutine *g, const Value *base,
                 const Value *constants, Instr i);
// The same of two values, op being LT or LE.
int compare_op(Local *local, Goroutine *g, Op op, Value a, Value b);

#endif
