// SPDX-License-Identifier: MIT
// For loops over anything. The state of a loop is in six registers, which the
// head of iter.c explains.
#ifndef CSP_VM_INTERP_ITER_H
#define CSP_VM_INTERP_ITER_H

#include "vm/code/opcodes.h"
#include "vm/heap/local.h"
#include "vm/interp/interp.h"

bool iter_start(Local *local, Goroutine *g, Value *state, Value x);
// One step of the loop at g->pc - 1 (NEXT1, NEXT2) that is not over ints.
Next iter_next(Local *local, Goroutine *g, Instr i);
void iter_resume(Local *local, Goroutine *g);  // after a channel's receive
enum {
  ITER_INT = 1,
  ITER_LIST,
  ITER_TUPLE,
  ITER_MAP,
  ITER_STRING,
  ITER_CHAN,
  ITER_FUNC,
  ITER_FUNC_RESULT,
  ITER_BYTES,
  ITER_RANGE,
  ITER_STEP,
  ITER_EACH
};

#endif
