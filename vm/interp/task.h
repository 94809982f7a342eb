// SPDX-License-Identifier: MIT
// How goroutines and tasks begin and end. A task is a result, and a channel
// that is closed when the result is there.
#ifndef CSP_VM_INTERP_TASK_H
#define CSP_VM_INTERP_TASK_H

#include "vm/code/opcodes.h"
#include "vm/heap/local.h"
#include "vm/interp/interp.h"

Goroutine *goroutine_new(Local *local, Value function, const Value *args,
                         int argc);
// An object of so many bytes that begins with a task. NULL: out of memory
ObjTask *task_of(Local *local, size_t size);
static inline ObjTask *task_new(Local *local) {
  return task_of(local, sizeof(ObjTask));
}
// A goroutine with a task, for sched_spawn. NULL: out of memory.
Goroutine *task_prepare(Local *local, Value function);
Next task_go(Local *local, Goroutine *g, int a, int argc, bool task);
// The first function returned `multi` values at R[0] (GOEXIT).
Next task_goexit(Local *local, Goroutine *g);
// What an ended task gave, where it is wanted. false: panicked.
bool task_deliver(Local *local, Goroutine *g, ObjTask *task, Value *to,
                  int want);
// No deferred call or try stopped the panic: the task's or program's end.
Next task_panicked(Local *local, Goroutine *g);

#endif
