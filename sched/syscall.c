// SPDX-License-Identifier: MIT
// Blocking calls (row 22), handed over at once: the M leaves its P before it
// enters the kernel, and looks for one when it is back. Between the two it
// touches neither Gs nor heap. s->syscalls counts the Ms in calls, from before
// the P is given away until the G has a P or is queued: the deadlock check
// relies on it.
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

// sched.lock held. p is RUNNING and nobody else's.
static void take_back(M *m, P *p, G *g) {
  m->sched->syscalls--;
  m->call_g = NULL;
  idle_take_p(m, p);
  g_change(g, G_SYSCALL, G_RUNNING);
  g->p = p;
  p->current = g;
}

bool sched_syscall_enter(P *p, G *g, M **m_out) {
  Sched *s = p->sched;
  M *m = p->m;
  *m_out = m;
  rt_lock(&s->lock);
  if (s->syscalls >= s->syscalls_max) {
    rt_unlock(&s->lock);
    return false;
  }
  leave_p(m, p, g);
  // relaxed, both: written under sched.lock
  bool ending = rt_load_relaxed(&s->stopping) || rt_load_relaxed(&s->exiting);
  bool work = runq_length(p) > 0 || s->global.count > 0;
  if (ending || !(work || others_have_work(s, p))) {
    world_p_left(s, p);
    if (rt_load_relaxed(&s->exiting)) run_count_again(s);  // lock held
    bool alone = idle_timers_alone(s);
    rt_unlock(&s->lock);
    if (alone) idle_wakep(s);
    return true;
  }
  rt_unlock(&s->lock);
  if (idle_start_m(s, p, false)) return true;
  rt_lock(&s->lock);
  s->calls--;
  take_back(m, p, g);
  rt_unlock(&s->lock);
  return false;
}

P *sched_syscall_exit(M *m, G *g) {
  Sched *s = m->sched;
  rt_lock(&s->lock);
  P *p = idle_get_p(s, m->old_p);
  if (p != NULL) {
    take_back(m, p, g);
    rt_store_relaxed(&p->schedtick, p->schedtick + 1);  // relaxed: for sysmon
  } else {
    s->syscalls--;
    m->call_g = NULL;
    g_change(g, G_SYSCALL, G_RUNNABLE);
    global_put(s, g);
  }
  rt_unlock(&s->lock);
  return p;
}
