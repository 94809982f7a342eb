// SPDX-License-Identifier: MIT
// What an M runs next (row 11), as a sequence of named passes: attention
// (stop of the world, handshake, end) - timers of this P - turns and the
// global queue every 61st tick - own queue - global queue - [netpoll would be
// polled here] - stealing - giving up the P, looking everywhere once more,
// and sleep. The passes run on the M that owns m->p.
#include "internal.h"

// --- Passes before the own queue --------------------------------------------
static void run_own_timers(P *p) {
  int64_t first = timers_first(p);
  if (first == 0) return;
  p->clock = rt_now();
  if (first <= p->clock) timers_run(p, p, p->clock);
}

// Row 5: at the end of a slice, or after 61 picks in a row while others wait,
// the G in runnext goes to the ring's tail. true: the global queue has a turn.
static bool end_of_turn(P *p) {
  bool over = false;
  // relaxed: set by sysmon, some time
  if (rt_load_relaxed(&p->look) & LOOK_PREEMPT) {
    rt_and(&p->look, ~(uint32_t)LOOK_PREEMPT);
    over = true;
  }
  bool global = global_count(p->sched) != 0;
  if (p->next_picks >= NEXT_PICKS_MAX) {
    p->next_picks = 0;
    over |= global || !runq_ring_empty(p);
  }
  if (over) runq_displace_next(p);
  return global && (over || p->schedtick % TICK_GLOBAL == 0);
}

static G *take_local(P *p, bool *inherit) {
  G *g = runq_take_next(p);
  if (g != NULL) {
    p->next_picks++;
    P_COUNT(p, runnext_hits, 1);
    *inherit = true;
    return g;
  }
  return runq_pop(p);
}

// --- Stealing ---------------------------------------------------------------
static bool may_spin(M *m) {
  Sched *s = m->sched;
  if (m->spinning) return true;
  // relaxed: both are hints; that somebody spins is what counts (row 15)
  uint32_t spinning = rt_load_relaxed(&s->spinning);
  uint32_t busy = (uint32_t)procs_now(s) - rt_load_relaxed(&s->idle_count);
  if (2 * spinning >= busy) return false;
  m->spinning = true;
  rt_add(&s->spinning, 1u);
  return true;
}

// The last round also runs the victim's timers, which ready Gs on p.
static G *steal_from(P *p, P *victim, bool last, bool *inherit) {
  Sched *s = p->sched;
  if (last && mask_read(&s->timer_mask, victim->id)) {
    p->clock = rt_now();
    int64_t first = timers_first(victim);
    if (first != 0 && first <= p->clock && timers_run(p, victim, p->clock)) {
      G *g = take_local(p, inherit);
      if (g != NULL) return g;
    }
  }
  if (mask_read(&s->idle_mask, victim->id)) return NULL;
  G *g = runq_steal(p, victim, last);
  if (g != NULL) P_COUNT(p, steals, 1);
  return g;
}

static G *steal_work(M *m, bool *inherit) {
  Sched *s = m->sched;
  P *p = m->p;
  if (p->single || !may_spin(m)) return NULL;
  P_COUNT(p, steal_tries, 1);
  for (int round = 0; round < STEAL_ROUNDS; round++) {
    OrderWalk walk = order_start(&s->order, sched_random(p));
    for (uint32_t at; order_next(&walk, &at);) {
      if (rt_load_relaxed(&p->look) & ~LOOK_HOST) return NULL;  // a hint
      P *victim = p_at(s, (int)at);
      if (victim == p) continue;
      bool last = round == STEAL_ROUNDS - 1;
      G *g = steal_from(p, victim, last, inherit);
      if (g != NULL) return g;
    }
  }
  return NULL;
}

// --- Giving up --------------------------------------------------------------
// The P goes back, unless something came up meanwhile. false: m still has it.
static bool release_p(M *m) {
  Sched *s = m->sched;
  P *p = m->p;
  rt_lock(&s->lock);
  // acquire: pairs with the rt_or of who wants attention
  if (s->global.count != 0 || (rt_load_acquire(&p->look) & ~LOOK_HOST) != 0) {
    rt_unlock(&s->lock);
    return false;
  }
  m->p = NULL;
  m->old_p = p;
  world_p_left(s, p);
  idle_check_deadlock(s);
  rt_unlock(&s->lock);
  return true;
}

static void give_up(M *m) {
  Sched *s = m->sched;
  if (!release_p(m)) return;
  if (m->spinning) {
    m->spinning = false;
    // relaxed: a hint for sched_spawn
    uint32_t futile = rt_load_relaxed(&s->futile);
    if (futile < s->futile_max) rt_store_relaxed(&s->futile, futile + 1);
    uint32_t before = rt_sub(&s->spinning, 1u);
    RT_CHECK(before > 0, "the number of spinning threads fell below 0");
  }
  idle_look_again(m);
}

static void leave_at_exit(M *m) {
  Sched *s = m->sched;
  if (m->spinning) {
    m->spinning = false;
    rt_sub(&s->spinning, 1u);
  }
  rt_lock(&s->lock);
  P *p = m->p;
  m->p = NULL;
  world_p_left(s, p);
  rt_unlock(&s->lock);
}

// --- The whole --------------------------------------------------------------
G *find_runnable(M *m, bool *inherit) {
  for (;;) {
    if (m->p == NULL && !idle_wait(m)) return NULL;
    P *p = m->p;
    // acquire: pairs with the rt_or of who wants attention
    uint32_t look = rt_load_acquire(&p->look);
    if (look & (LOOK_WORLD | LOOK_HANDSHAKE)) {
      world_attend(m);
      continue;
    }
    if (look & LOOK_EXIT) {
      leave_at_exit(m);
      return NULL;
    }
    *inherit = false;
    run_own_timers(p);
    G *g = end_of_turn(p) ? global_get(p, 1) : NULL;
    if (g == NULL) g = take_local(p, inherit);
    if (g != NULL) return g;
    urgent_clear(p);
    if ((g = global_get(p, 0)) != NULL) return g;
    if ((g = steal_work(m, inherit)) != NULL) return g;
    give_up(m);
  }
}
