// SPDX-License-Identifier: MIT
// Goroutines that are interrupted or cancelled while they work (work.c): what
// they panic with, and how they leave first.
#include "vm/heap/local.h"
#include "vm/interp/give_up.h"
#include "vm/interp/group.h"
#include "vm/interp/interp.h"
#include "vm/interp/panic.h"

bool work_interrupted(Local *l, Goroutine *g) {
  uint64_t id = g->g.id;
  // relaxed: nothing but the id is handed over
  if (rt_load_relaxed(&l->vm->interrupt) != id) return false;
  if (!rt_cas(&l->vm->interrupt, &id, (uint64_t)0)) return false;
  vm_panic_value(l, g, vm_code(l->vm)->cancel_errors[CANCEL_INTERRUPT]);
  return true;
}

bool work_stopped(Local *l, Goroutine *g) {
  return group_cancels(l, g) || work_interrupted(l, g);
}

Next work_leave(Local *l, Goroutine *g) {
  RT_ASSERT(g->gave_up && l->p->current == &g->g);
  g->gave_up = false;
  g->multi = 0;
  g->on_resume = RESUME_GAVE_UP;
  sched_look_now(l->p, &g->g);  // where the runtime ends it does so here
  sched_preempt(l->p, &g->g);
  return LEFT;
}

void work_panic(Local *l, Goroutine *g) {
  if (!work_stopped(l, g))
    vm_panic_value(l, g, vm_code(l->vm)->cancel_errors[CANCEL_INTERRUPT]);
}
