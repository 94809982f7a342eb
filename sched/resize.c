// SPDX-License-Identifier: MIT
// Changing the number of Ps (row 3), with the world stopped. A G may not sit
// on a P that goes away: while such a stop is under way looks tell their G to
// leave (stop_world_attend), so that all other Ps come without one.
//
// Where nobody has said how many there are to be, sysmon counts the CPUs each
// second, and writes down another number (cpus.wanted). It has no P, so a G
// changes it at its safepoint. A G that sets a number itself ends that.
#include "sched/callback.h"
#include "sched/g.h"
#include "sched/global.h"
#include "sched/idle.h"
#include "sched/internal.h"
#include "sched/lifecycle.h"
#include "sched/runq.h"
#include "sched/steal_order.h"
#include "sched/stop_world.h"
#include "sched/syscall.h"
#include "sched/timer.h"

// All Ps that will be needed, before anything is changed.
static bool make_ps(Sched *sched, int from, int to) {
  for (int i = from; i < to; i++) {
    if (lifecycle_make_p(sched, i) != NULL) continue;
    for (; i > from; i--) lifecycle_drop_p(p_at(sched, i - 1));
    return false;
  }
  return true;
}

// The P's M waits in stop_world_attend without a G: it goes to the pool.
static void take_m_away(P *p) {
  M *m = p->m;
  if (m == NULL) return;
  p->m = NULL;
  m->p = NULL;
  if (m->stop_waiting) {
    m->stop_waiting = false;
    idle_wake_m(m);
  }
}

// g and its M go on with `to`.
static void move_caller(P *to, P *from, G *g) {
  M *m = from->m;
  take_m_away(to);
  from->m = NULL;
  from->current = NULL;
  m->p = to;
  to->m = m;
  callback_p_lost(m, from);
  callback_p_got(m, to);
  to->current = g;
  to->clock = from->clock;
  g->p = to;
  RT_ASSERT(g_is(g, G_RUNNING) && from->m == NULL && to->m->p == to);
}

static void retire(Sched *sched, P *p, P *heir) {
  GList list = {0};
  runq_flush(p, &list);
  global_put_list(sched, &list);
  timers_move(heir, p);
  take_m_away(p);
  RT_ASSERT(runq_length(p) == 0 && p->timers.count == 0);
  lifecycle_drop_p(p);
}

static P *resize(P *p, G *g, int procs) {
  Sched *sched = p->sched;
  int before = procs_now(sched);
  if (procs > before && !make_ps(sched, before, procs)) return p;
  rt_lock(&sched->lock);
  P *heir = p;
  if (p->id >= procs) {
    heir = p_at(sched, 0);
    move_caller(heir, p, g);
  }
  for (int i = procs; i < before; i++) retire(sched, p_at(sched, i), heir);
  rt_store_seq(&sched->ps.count, procs);  // seq: as all that idle.c reads
  syscall_set_places(sched, procs);
  steal_order_of_procs(sched);
  for (int i = 0; i < procs; i++) {
    P *each = p_at(sched, i);
    each->single = each->alone = procs == 1;
  }
  rt_unlock(&sched->lock);
  return heir;
}

static P *change_procs(P *p, G *g, int procs) {
  Sched *sched = p->sched;
  procs = lifecycle_clamp_procs(sched, procs);
  if (sched->config.stepped) return p;
  while (!stop_world_begin(p, true)) {
    // acquire: see lifecycle_begin_exit
    if (rt_load_acquire(&sched->exiting)) return p;
    if (!stop_world_attend(p->m)) {
      // another change is under way: it comes after ours, and overrides it
      sched_preempt(p, g);
      return NULL;
    }
    rt_yield_cpu();
  }
  p = resize(p, g, procs);
  steal_order_open(sched);
  stop_world_end(sched);
  idle_wakep(sched);  // new Ps may steal
  return p;
}

// --- Entry points -----------------------------------------------------------
P *sched_set_procs(P *p, G *g, int procs) {
  // relaxed: whoever follows later sees it in sched_follow_cpus, or has stopped
  // the world before us
  rt_store_relaxed(&p->sched->cpus.follows, 0u);
  return change_procs(p, g, procs);
}

bool sched_cpus_changed(const Sched *sched) {
  // relaxed: a hint of count_cpus. The exchange in sched_follow_cpus decides
  return rt_load_relaxed(&sched->cpus.wanted) != 0;
}

P *sched_follow_cpus(P *p, G *g) {
  Sched *sched = p->sched;
  // RMW: one of those that see it changes the number. Without memory for that
  // count_cpus asks again
  uint32_t wanted = rt_exchange(&sched->cpus.wanted, 0u);
  // relaxed: see sched_set_procs
  if (wanted == 0 || !rt_load_relaxed(&sched->cpus.follows)) return p;
  return change_procs(p, g, (int)wanted);
}
