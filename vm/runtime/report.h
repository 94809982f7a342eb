// SPDX-License-Identifier: MIT
// How programs end badly.
#ifndef CSP_VM_RUNTIME_REPORT_H
#define CSP_VM_RUNTIME_REPORT_H

#include "vm/csp.h"
#include "vm/heap/local.h"
#include "vm/interp/interp.h"
#include "vm/object/value_text.h"

// The ways to end of VmHooks (interp.h).
Next report_panic(Local *local, Goroutine *g, const Panic *panic);
Next report_panic_waiting(Local *local, Goroutine *g, const Panic *panic);
Next report_error(Local *local, Goroutine *g, Value error);
Next vm_exit(Local *local, Goroutine *g, int status);
bool vm_goes_on(const Vm *vm, const Goroutine *g);
void report_and_go_on(Local *local, const Panic *panic);
void join_panics(Local *local, Panic *newest);
void vm_task_failed(Vm *vm, ObjTask *task);

void report_deadlock(Vm *vm);
// How a task's panic ended it, as text in some lines.
void report_outcome(Text *text, Vm *vm, const ObjTask *task);
// ... and whether it says only that the task was cancelled.
bool report_is_cancelled(Vm *vm, const ObjTask *task);
// An error's or panic's value in one line, with its causes.
void report_message(Text *text, Vm *vm, Value v);
// HeapHooks.mark_lost: keeps the tasks whose panics are to be reported, as
// nobody can ask for them any more. HeapHooks.collected: reports them.
bool failed_tasks_lost(void *arg, GcMarker *marker);
void report_lost_tasks(void *arg);
// When all has ended: tasks that nobody awaited, and panics whose string()
// methods have not ended. true: there was one that ends a program.
bool report_left(Csp *csp);
bool report_claim(Csp *csp, int status);  // true: the first to end the run

#endif
