// SPDX-License-Identifier: MIT
// Cancelling the main goroutine of a csp_run. The program cspvm does that on
// SIGINT, SIGTERM and SIGHUP.
//
// The main goroutine has a solo group then (sched/group.c), by which it is
// cancelled, and the groups that it waits in. What it has started by `go`
// outside of groups runs on until the run ends. Everything else is as for any
// cancelled goroutine: its deferred calls have the group's grace, and what only
// computes has the group's patience. A run that nobody may cancel has no such
// group, because waits cost a little more in one.
//
// The thread that asks stores the status, once, and then posts. A thread with a
// P takes the post and cancels the group. The post may be made before the run
// begins, and then the first M takes it. It may come when the run is over, and
// then it is not made (post_to_run). It lies in the Csp, so that asking takes
// no memory.
//
// `cancel_status` decides nothing on its own. Main's uncaught panic ends the
// run with it only if that panic is the cancellation. A main goroutine that
// returns, exits or panics otherwise ends the run as ever.
#include "vm/runtime/cancel_main.h"

#include "vm/interp/group.h"
#include "vm/runtime/api_threads.h"
#include "vm/runtime/runtime.h"

static Csp *csp_of_post(SchedPost *post) {
  return (Csp *)(void *)((char *)post - offsetof(Csp, cancel_post));
}

static void cancel_group(P *p, SchedPost *post) {
  Csp *csp = csp_of_post(post);
  RT_ASSERT(csp->main_group != NULL);
  group_cancel(p, &csp->main_group->group, CANCELLED);
}

void vm_may_cancel_main(Csp *csp) {
  RT_ASSERT(!csp->config.stepped && csp->vm.main == NULL);
  csp->cancel_post.fn = cancel_group;
}

void vm_cancel_main(Csp *csp, int status) {
  RT_ASSERT(status != 0 && csp->cancel_post.fn != NULL);
  uint32_t none = 0;
  // RMW: the first status stays, and its thread alone makes the post
  if (rt_cas(&csp->cancel_status, &none, (uint32_t)status))
    post_to_run(csp, &csp->cancel_post);
}

bool cancel_main_begin(Csp *csp) {
  Vm *vm = &csp->vm;
  if (csp->cancel_post.fn == NULL) return true;
  csp->main_group = group_solo(vm->boot, vm->main, NULL, NULL);
  return csp->main_group != NULL &&
         heap_pin(vm->heap, value_from_obj(csp->main_group)) != 0;
}

int cancel_main_status(const Csp *csp) {
  // relaxed: nothing but the number is handed over
  return (int)rt_load_relaxed(&csp->cancel_status);
}

bool cancel_main_ends(const Local *local, const Goroutine *g) {
  const Csp *csp = runtime_of(local->vm);
  // The cancellation came by the post, after the status: it is there.
  return g == local->vm->main && cancel_main_status(csp) != 0 &&
         group_only_cancelled(local, g);
}
