// SPDX-License-Identifier: MIT
// Goroutines that are interrupted or cancelled while they work (work.c): what
// they panic with, and how they leave first.
#include "vm/interp/give_up.h"
#include "vm/heap/local.h"
#include "vm/interp/group_block.h"
#include "vm/interp/interp.h"
#include "vm/interp/panic.h"

bool work_interrupted(Local *local, Goroutine *g) {
  uint64_t id = g->g.id;
  // relaxed: nothing but the id is handed over. vm_interrupt stores it
  if (rt_load_relaxed(&local->vm->interrupt) != id) return false;
  // RMW: an interrupt for another goroutine stays (vm_interrupt)
  if (!rt_cas(&local->vm->interrupt, &id, (uint64_t)0)) return false;
  vm_panic_value(local, g, vm_code(local->vm)->cancel_errors[CANCEL_INTERRUPT]);
  return true;
}

bool work_stopped(Local *local, Goroutine *g) {
  return group_cancels(local, g) || work_interrupted(local, g);
}

Next work_leave(Local *local, Goroutine *g) {
  RT_ASSERT(g->gave_up && local->p->current == &g->g);
  g->gave_up = false;
  g->multi = 0;
  g->on_resume = RESUME_GAVE_UP;
  sched_look_now(local->p, &g->g);  // where the runtime ends it does so here
  sched_preempt(local->p, &g->g);
  return LEFT;
}

static void work_panic(Local *local, Goroutine *g) {
  if (!work_stopped(local, g))
    vm_panic_value(local, g,
                   vm_code(local->vm)->cancel_errors[CANCEL_INTERRUPT]);
}

// Main has left, so that the world can stop and its group begin. Its
// cancellation comes by a post after that.
static bool awaits_cancel(const Local *local, const Goroutine *g) {
  const Vm *vm = local->vm;
  // acquire: pairs with the release in cancel_group. The group is cancelled
  return g == vm->main && rt_load_acquire(&vm->main_leaves) &&
         // relaxed: as in is_vain
         rt_load_relaxed(&vm->interrupt) != g->g.id &&
         g_cancelled(&g->g) == NOT_CANCELLED;
}

Next work_resume(Local *local, Goroutine *g) {
  if (awaits_cancel(local, g)) {
    g->gave_up = true;
    return work_leave(local, g);
  }
  work_panic(local, g);
  return THROW;
}
