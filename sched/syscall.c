// SPDX-License-Identifier: MIT
// Blocking calls (row 22), handed over at once: the M leaves its P before it
// enters the kernel, and looks for one when it is back. Between the two it
// touches neither Gs nor heap. s->syscalls counts the Ms in calls, from before
// the P is given away until the G has a P or is queued: the deadlock check
// relies on it.
//
// At most syscalls_max Ms are in calls; further Gs wait in s->call_queue,
// first come, first served: an M that comes back readies the first of them and
// keeps its place free for it (G.has_slot, counted in s->slots_kept). The
// queue is empty, or syscalls + slots_kept == syscalls_max.
#include "internal.h"

// sched.lock held. Is there anything that p, kept running, could do?
static bool others_have_work(Sched *s, P *p) {
  if (rt_load_relaxed(&s->idle_count) > 0) return false;  // they would
  if (rt_load_relaxed(&s->spinning) > 0) return false;
  for (int i = 0; i < procs_now(s); i++) {
    P *q = p_at(s, i);
    if (q != p && !runq_ring_empty(q)) return true;
  }
  return false;
}

// sched.lock held.
static void leave_p(M *m, P *p, G *g) {
  Sched *s = m->sched;
  s->syscalls++;
  s->calls++;
  m->call_g = g;
  m->old_p = p;
  m->p = NULL;
  p->m = NULL;
  g_leave(p, g, G_SYSCALL, WAIT_NONE);
}

// sched.lock held. A place among the Ms in calls is free: for who waits
// longest.
static void leave_call(Sched *s, M *m) {
  s->syscalls--;
  m->call_g = NULL;
  G *g = glist_pop(&s->call_queue);
  if (g == NULL) return;
  s->slots_kept++;
  g->has_slot = true;
  g_change(g, G_WAITING, G_RUNNABLE);
  global_put(s, g);
}

// sched.lock held. p is RUNNING and nobody else's.
static void take_back(M *m, P *p, G *g) {
  leave_call(m->sched, m);
  idle_take_p(m, p);
  g_change(g, G_SYSCALL, G_RUNNING);
  g->p = p;
  p->current = g;
}

// sched.lock held. false: all places are taken; g waits for one, and is
// another M's as soon as the lock is free.
static bool take_slot(Sched *s, P *p, G *g) {
  if (g->has_slot) {
    g->has_slot = false;
    s->slots_kept--;
    return true;
  }
  if (s->syscalls + s->slots_kept < s->syscalls_max) return true;
  g_leave(p, g, G_WAITING, WAIT_SYSCALL_SLOT);
  glist_push(&s->call_queue, g);
  return false;
}

// sched.lock held. Is p needed by others while g is away?
static bool is_needed(Sched *s, P *p) {
  // relaxed, both: written under sched.lock
  if (rt_load_relaxed(&s->stopping) || rt_load_relaxed(&s->exiting))
    return false;
  return runq_length(p) > 0 || s->global.count > 0 || others_have_work(s, p);
}

SchedCall sched_syscall_enter(P *p, G *g, M **m_out) {
  Sched *s = p->sched;
  M *m = p->m;
  *m_out = m;
  rt_lock(&s->lock);
  if (!take_slot(s, p, g)) {
    rt_unlock(&s->lock);
    return CALL_QUEUED;
  }
  leave_p(m, p, g);
  if (!is_needed(s, p)) {
    world_p_left(s, p);
    if (rt_load_relaxed(&s->exiting)) run_count_again(s);  // lock held
    bool alone = idle_timers_alone(s);
    rt_unlock(&s->lock);
    if (alone) idle_wakep(s);
    return CALL_ENTERED;
  }
  rt_unlock(&s->lock);
  if (idle_start_m(s, p, false)) return CALL_ENTERED;
  rt_lock(&s->lock);
  s->calls--;
  take_back(m, p, g);
  rt_unlock(&s->lock);
  idle_wakep(s);  // for the one that waited for a place
  return CALL_REFUSED;
}

P *sched_syscall_exit(M *m, G *g) {
  Sched *s = m->sched;
  rt_lock(&s->lock);
  P *p = idle_get_p(s, m->old_p);
  if (p != NULL) {
    take_back(m, p, g);
    rt_store_relaxed(&p->schedtick, p->schedtick + 1);  // relaxed: for sysmon
  } else {
    leave_call(s, m);
    g_change(g, G_SYSCALL, G_RUNNABLE);
    global_put(s, g);
  }
  bool more = s->global.count > 0;
  rt_unlock(&s->lock);
  if (p != NULL && more) idle_wakep(s);  // for the one that waited for a place
  return p;
}
