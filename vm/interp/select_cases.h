// SPDX-License-Identifier: MIT
// The statement select, and sched.select, which has its cases in a list. Each
// goroutine has one block of cases (Goroutine.select).
#ifndef CSP_VM_INTERP_SELECT_CASES_H
#define CSP_VM_INTERP_SELECT_CASES_H

#include "vm/code/opcodes.h"
#include "vm/heap/local.h"
#include "vm/interp/interp.h"
#include "vm/interp/native_call.h"

// The goroutine's block, without cases so far, for `count`. NULL: no memory.
SelectBlock *select_block(Local *local, Goroutine *g, uint32_t count);
Next select_run(Local *local, Goroutine *g, Instr i);
Next select_resume(Local *local, Goroutine *g, Instr i);
// _sched_select(cases): the list in call->later.value.
Next select_native(CspCall *call, Value *window, int want);
Next select_native_resume(Local *local, Goroutine *g);  // RESUME_NATIVE
// SELVAL: what a case has received, where it is wanted. false: panicked.
bool select_outcome(Local *local, Goroutine *g, Value *to, const Value *outcome,
                    int want);

#endif
