// SPDX-License-Identifier: MIT
// What others may call of task.c.
#ifndef CSP_VM_INTERP_TASK_H
#define CSP_VM_INTERP_TASK_H

#include "vm/code/code.h"
#include "vm/heap/local.h"
#include "vm/interp/interp.h"
#include "vm/interp/native_call.h"

Goroutine *goroutine_new(Local *local, Value function, const Value *args,
                         int argc);
// An object of so many bytes that begins with a task. NULL: out of memory
ObjTask *conc_task_of(Local *local, size_t size);
static inline ObjTask *conc_task(Local *local) {
  return conc_task_of(local, sizeof(ObjTask));
}
// A goroutine with a task, for sched_spawn. NULL: out of memory.
Goroutine *conc_prepare(Local *local, Value function);
Next conc_go(Local *local, Goroutine *g, int a, int argc, bool task);
Next conc_send(Local *local, Goroutine *g, Value to, Value v);
Next conc_recv(Local *local, Goroutine *g, Instr i);
Next conc_recv_resume(Local *local, Goroutine *g, Instr i);
Next conc_select(Local *local, Goroutine *g, Instr i);
Next conc_select_resume(Local *local, Goroutine *g, Instr i);
// _sched_select(cases): the list in call->later_value.
Next conc_select_native(CspCall *call, Value *window, int want);
Next conc_select_native_resume(Local *local, Goroutine *g);  // RESUME_NATIVE
bool conc_outcome(Local *local, Goroutine *g, Value *to, const Value *outcome,
                  int want);
// The first function returned `multi` values at R[0] (GOEXIT).
Next conc_goexit(Local *local, Goroutine *g);
bool task_deliver(Local *local, Goroutine *g, ObjTask *task, Value *to,
                  int want);

// No deferred call or try stopped the panic: the task's or program's end.
Next conc_panicked(Local *local, Goroutine *g);

#endif
