// SPDX-License-Identifier: MIT
// A G that stays on one M (row 23), as the callback of a native runs it. The
// native's C frames are on the M's stack, so the callback's G must run there.
// While it waits, the M waits with it, and the P goes on elsewhere.
//
//   m->locked_g    that G, the innermost; guarded by sched.lock for others
//   its resume     locked_resume, so that neither queues nor switches know of
//                  it. Another M that picks it hands its P to m, and looks for
//                  something else
//   LOOK_LOCKED    set on the P that m holds meanwhile. sched_switch gives
//                  nothing then, so m comes back here when the G leaves
//
// The outer G waits (WAIT_CALLBACK) and is in no queue. Callbacks nest. Only
// the innermost G of an M can be ready.
//
// An M in a callback runs nothing else, however long it waits. So one M must
// always be left that may. sched->ms.callbacks counts the Ms that have a
// locked_g and are in no call, and ms.live - ms.starting - calls.count -
// ms.callbacks >= 1 after each callback's begin. A thread is made for that, if
// need be. Where no thread is to be had (max_threads, the system) the callback
// is refused before anything is done. Blocking calls may take the last one:
// they end by themselves. A G that must run to say so (`waits` is false) is not
// counted on: it ends in one piece, and gives its P to nobody.
#include "sched/callback.h"
#include "sched/g.h"
#include "sched/idle.h"
#include "sched/inbox.h"
#include "sched/proc.h"
#include "sched/stop_world.h"
#include "sched/syscall.h"
#include "sched/trace.h"
#include "sched/workspan.h"

// sched.lock held. One that is being made may still be refused, so it counts
// for nothing until it is there.
static bool is_one_left(const Sched *sched) {
  return sched->ms.live >=
         sched->ms.starting + sched->calls.count + sched->ms.callbacks + 2;
}

// sched.lock held; released meanwhile where a thread is made.
static bool reserve(Sched *sched) {
  bool made = true;
  while (!is_one_left(sched)) {
    // relaxed: the lock is held. At the end nobody waits for others.
    if (rt_load_relaxed(&sched->exiting)) return true;
    // Another callback's M may be there in a moment. (This one does not try
    // again, because two that do would wait for each other.)
    if (!made && sched->ms.starting == 0) return false;
    rt_unlock(&sched->lock);
    if (made) {
      made = idle_add_m(sched);
    } else {
      rt_yield_cpu();
    }
    rt_lock(&sched->lock);
  }
  return true;
}

// Owner P of another M; g runs on p.
static void locked_resume(P *p, G *g) {
  Sched *sched = p->sched;
  rt_lock(&sched->lock);
  M *to = sched->ms.all;
  while (to != NULL && to->locked_g != g) to = to->all_next;
  RT_CHECK(to != NULL, "goroutine %llu is locked to no thread",
           (unsigned long long)g->id);
  p->m->p = NULL;
  p->m = to;
  to->next_p = p;
  rt_unlock(&sched->lock);
  idle_wake_m(to);
}

// m's G has left its P, which goes to others.
static void hand_over(M *m) {
  Sched *sched = m->sched;
  P *p = m->p;
  callback_p_lost(m, p);
  rt_lock(&sched->lock);
  m->p = NULL;
  p->m = NULL;
  bool give = syscall_settle(sched, p);
  bool more = !give && (sched->global.count > 0 || idle_timers_alone(sched));
  idle_check_deadlock(sched);
  rt_unlock(&sched->lock);
  if (give) stop_world_give_m(sched, p);
  if (more || inbox_pending(sched)) idle_wakep(sched);
}

// false: the runtime ends.
static bool await_p(M *m) {
  Sched *sched = m->sched;
  rt_lock(&sched->lock);
  // relaxed: written with the lock held
  while (m->next_p == NULL && !rt_load_relaxed(&sched->exiting)) {
    rt_unlock(&sched->lock);
    rt_note_wait(&m->note, RT_FOREVER);
    rt_lock(&sched->lock);
  }
  P *p = m->next_p;
  m->next_p = NULL;
  if (p != NULL) m->p = p;
  rt_unlock(&sched->lock);
  return p != NULL;
}

// Runs it until it leaves. Then m->p is as it left it.
static void run_on(M *m, G *g, void (*resume)(P *p, G *g)) {
  P *p = m->p;
  callback_p_got(m, p);
  resume(p, g);
}

static void outer_goes_on(P *p, G *outer, const G *inner) {
  g_change(outer, G_WAITING, G_RUNNING);
  outer->reason = WAIT_NONE;
  outer->p = p;
  p->current = outer;
  if (p->marks & MARKS_EACH) trace_run(p, outer);
  if (p->marks & MARK_SPAN) workspan_follows(p, inner);
}

bool sched_run_locked(P **at, G *outer, G *inner, bool waits) {
  P *p = *at;
  Sched *sched = p->sched;
  M *m = p->m;
  void (*resume)(P * p, G * g) = inner->resume;
  rt_lock(&sched->lock);
  G *before = m->locked_g;
  if (before == NULL && waits && !reserve(sched)) {
    rt_unlock(&sched->lock);
    return false;
  }
  sched->ms.callbacks += before == NULL;
  m->locked_g = inner;
  rt_unlock(&sched->lock);
  g_leave(p, outer, G_WAITING, WAIT_CALLBACK);
  inner->resume = locked_resume;
  proc_make_runnable(p, inner);
  proc_set_running(p, inner);
  for (;;) {
    run_on(m, inner, resume);
    RT_ASSERT(waits || g_state(inner) == G_DEAD);
    if (g_state(inner) == G_DEAD && m->p != NULL) break;
    if (m->p != NULL) hand_over(m);
    if (!await_p(m)) {
      *at = NULL;
      return true;
    }
  }
  *at = p = m->p;
  inner->resume = resume;
  rt_lock(&sched->lock);
  m->locked_g = before;
  sched->ms.callbacks -= before == NULL;
  rt_unlock(&sched->lock);
  // RMW: see P.look
  if (before == NULL) rt_and(&p->look, ~(uint32_t)LOOK_LOCKED);
  outer_goes_on(p, outer, inner);
  return true;
}
