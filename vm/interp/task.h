// SPDX-License-Identifier: MIT
// What others may call of task.c.
#ifndef CSP_VM_INTERP_TASK_H
#define CSP_VM_INTERP_TASK_H

#include "vm/code/code.h"
#include "vm/heap/local.h"
#include "vm/interp/interp.h"
#include "vm/interp/native_call.h"

Goroutine *goroutine_new(Local *l, Value function, const Value *args, int argc);
// An object of so many bytes that begins with a task. NULL: out of memory
ObjTask *conc_task_of(Local *l, size_t size);
static inline ObjTask *conc_task(Local *l) {
  return conc_task_of(l, sizeof(ObjTask));
}
// A goroutine with a task, for sched_spawn. NULL: out of memory.
Goroutine *conc_prepare(Local *l, Value function);
Next conc_go(Local *l, Goroutine *g, int a, int argc, bool task);
Next conc_send(Local *l, Goroutine *g, Value to, Value v);
Next conc_recv(Local *l, Goroutine *g, Instr i);
Next conc_recv_resume(Local *l, Goroutine *g, Instr i);
Next conc_select(Local *l, Goroutine *g, Instr i);
Next conc_select_resume(Local *l, Goroutine *g, Instr i);
// _sched_select(cases): the list in call->later_value.
Next conc_select_native(CspCall *call, Value *window, int want);
Next conc_select_native_resume(Local *l, Goroutine *g);  // RESUME_NATIVE
bool conc_outcome(Local *l, Goroutine *g, Value *to, const Value *outcome,
                  int want);
// The first function returned `multi` values at R[0] (GOEXIT).
Next conc_goexit(Local *l, Goroutine *g);
bool task_deliver(Local *l, Goroutine *g, ObjTask *task, Value *to, int want);

// No deferred call or try stopped the panic: the task's or program's end.
Next conc_panicked(Local *l, Goroutine *g);

#endif
