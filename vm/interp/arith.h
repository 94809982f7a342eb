// SPDX-License-Identifier: MIT
// The functions of arith.c that other files call.
#ifndef CSP_VM_INTERP_ARITH_H
#define CSP_VM_INTERP_ARITH_H

#include "vm/code/code.h"
#include "vm/heap/local.h"

// b op c for any values and arithmetic opcode (immediate and constant forms
// are mapped to the plain ones). false: panicked.
bool arith_op(Local *local, Goroutine *g, Op op, Value b, Value c, Value *out);
bool arith_slow(Local *local, Goroutine *g, Value *base, const Value *k,
                Instr i);
// An instruction of two operations (MULADD, ADDADD, XORSHL, MULADDW and their
// like); word: its second one.
bool arith_pair(Local *local, Goroutine *g, Value *base, const Value *k,
                Instr i, Instr word);
// op EQ, LT or LE: 0, 1, or -1 (panicked).
int compare_slow(Local *local, Goroutine *g, const Value *base, const Value *k,
                 Instr i);  // of a comparison instruction, EQ forms included
int compare_op(Local *local, Goroutine *g, Op op, Value a, Value b);

#endif
