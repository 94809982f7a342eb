// SPDX-License-Identifier: MIT
// Cancelling the main goroutine of a csp_run. The program cspvm does that on
// SIGINT, SIGTERM and SIGHUP.
//
// It is cancelled by a solo group (sched/group.c), which also cancels the
// groups that it waits in. What it has started by `go` outside of groups runs
// on until the run ends. Everything else is as for any cancelled goroutine: its
// deferred calls have the group's grace, and what only computes has the group's
// patience.
//
// The group has its memory from the beginning, and begins when it is needed, as
// waits cost more in a group. The thread that asks
//   1. stores the status, and that main is to leave a native that it is in
//   2. stops the world, and lets the group begin around all that main does
//   3. posts: a thread with a P cancels the group.
// Before the run there is no world to stop. And a native that cannot be left in
// the middle, of another goroutine, may keep the world from stopping. Then the
// thread asks again later.
// The post lies in the Csp, so that asking takes no memory.
//
// `cancel_status` decides nothing on its own. Main's uncaught panic ends the
// run with it only if that panic is the cancellation. A main goroutine that
// returns, exits or panics otherwise ends the run as ever.
#include "vm/runtime/cancel_main.h"

#include "vm/interp/group_block.h"
#include "vm/runtime/api_threads.h"
#include "vm/runtime/runtime.h"

#define STOP_NS ((int64_t)50 * 1000000)

// Owner P.
static void cancel_group(P *p, SchedPost *post) {
  Csp *csp = (Csp *)(void *)((char *)post - offsetof(Csp, cancel_post));
  group_cancel(p, &csp->main_group->group, CANCELLED);
  // release: pairs with awaits_cancel, which then finds the cancellation
  rt_store_release(&csp->vm.main_leaves, 0u);
}

// The world is stopped.
static void begin_group(void *arg) {
  Csp *csp = arg;
  G *g = &csp->vm.main->g;
  // relaxed: the world is stopped
  if (rt_load_relaxed(&g->status) == G_DEAD) return;
  group_begin_outer(g, &csp->main_group->group);
  post_to_run(csp, &csp->cancel_post);
}

void vm_may_cancel_main(Csp *csp) {
  RT_ASSERT(!csp->config.stepped && csp->vm.main == NULL);
  csp->cancel_post.fn = cancel_group;
}

bool vm_cancel_main(Csp *csp, int status) {
  RT_ASSERT(status != 0 && csp->cancel_post.fn != NULL);
  // relaxed: nothing but the number is handed over, to cancel_main_status
  rt_store_relaxed(&csp->cancel_status, (uint32_t)status);
  // relaxed: a hint, for natives that main is in (is_to_leave, csp_in_vain)
  rt_store_relaxed(&csp->vm.main_leaves, 1u);
  return sched_while_stopped(csp->vm.sched, rt_now() + STOP_NS, begin_group,
                             csp);
}

bool cancel_main_begin(Csp *csp) {
  Vm *vm = &csp->vm;
  if (csp->cancel_post.fn == NULL) return true;
  csp->main_group = group_reserve(vm->boot);
  return csp->main_group != NULL &&
         heap_pin(vm->heap, value_from_obj(csp->main_group)) != 0;
}

int cancel_main_status(const Csp *csp) {
  // relaxed: nothing but the number is handed over, by vm_cancel_main
  return (int)rt_load_relaxed(&csp->cancel_status);
}

bool cancel_main_ends(const Local *local, const Goroutine *g) {
  const Csp *csp = runtime_of(local->vm);
  // The cancellation came by the post, after the status: it is there.
  return g == local->vm->main && cancel_main_status(csp) != 0 &&
         group_only_cancelled(local, g);
}
