// SPDX-License-Identifier: MIT
// What an M runs next (row 11), as a sequence of named passes that run on the M
// that owns m->p. First comes attention (stop of the world, handshake, end).
// Then come the timers of this P, the inbox, and netpoll where Ps poll. Next
// are the P's urgent Gs, the global queue if it has a turn (at the end of a
// slice, on every 61st tick), and the P's own queue. When these have nothing,
// the M tries the global queue, netpoll without blocking, and stealing. At last
// it gives up the P, looks everywhere once more, and sleeps.
#include "sched/find_work.h"
#include "sched/alone.h"
#include "sched/crowd.h"
#include "sched/global.h"
#include "sched/idle.h"
#include "sched/inbox.h"
#include "sched/mask.h"
#include "sched/poll.h"
#include "sched/runq.h"
#include "sched/steal_order.h"
#include "sched/stop_world.h"
#include "sched/timer.h"
#include "sched/trace.h"
#include "sched/urgent.h"

// --- Passes before the own queue --------------------------------------------
static void run_own_timers(P *p) {
  int64_t first = timers_first(p);
  if (first == 0) return;
  p->clock = rt_now();
  if (first <= p->clock) timers_run(p, p, p->clock);
}

// Row 24: Gs whose turns are short never come to a look.
static void poll_between_turns(P *p) {
  Sched *sched = p->sched;
  // relaxed: a hint of show_g (poll.c). It is read again after the next turn
  if (rt_load_relaxed(&sched->netpoll.waiters) == 0) return;
  p->clock = rt_now();
  if (poll_is_due(sched, p->clock)) poll_now(p);
}

// Row 5: at the end of a slice, or after 61 picks in a row while others wait,
// the G in runnext goes to the ring's tail. true: the global queue has a turn.
static bool end_of_turn(P *p) {
  bool over = false;
  // relaxed: see P.look
  if (rt_load_relaxed(&p->look) & LOOK_PREEMPT) {
    // RMW: see P.look
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
  Sched *sched = m->sched;
  if (m->spinning) return true;
  // relaxed, both: hints. What counts is that somebody spins (row 15). An M
  // that does not looks once more, too (give_up)
  uint32_t spinning = rt_load_relaxed(&sched->spinning);
  uint32_t busy =
      (uint32_t)procs_now(sched) - rt_load_relaxed(&sched->idle_count);
  if (2 * spinning >= busy) return false;
  m->spinning = true;
  // seq: the M is counted before it looks. Pairs with S2 (idle.c)
  rt_add(&sched->spinning, 1u);
  return true;
}

// The last round also runs the victim's timers, which ready Gs on p.
static G *steal_from(P *p, P *victim, bool last, bool *inherit) {
  Sched *sched = p->sched;
  if (last && mask_read(&sched->timer_mask, victim->id)) {
    p->clock = rt_now();
    int64_t first = timers_first(victim);
    if (first != 0 && first <= p->clock && timers_run(p, victim, p->clock)) {
      G *g = urgent_take(p);
      if (g == NULL) g = take_local(p, inherit);
      if (g != NULL) return g;
    }
  }
  if (mask_read(&sched->idle_mask, victim->id)) return NULL;
  uint64_t before = p->stats.stolen;
  G *g = runq_steal(p, victim, last);
  if (g == NULL) return NULL;
  P_COUNT(p, steals, 1);
  crowd_stole(p->m);
  TRACE(p, STEAL, victim->id, p->stats.stolen - before);
  return g;
}

static G *steal_walk(P *p, OrderWalk walk, bool last, bool *inherit) {
  for (uint32_t at; steal_order_next(&walk, &at);) {
    // relaxed: see P.look
    if (rt_load_relaxed(&p->look) & ~LOOK_HOST) return NULL;
    P *victim = p_at(p->sched, (int)at);
    if (victim == p) continue;
    G *g = steal_from(p, victim, last, inherit);
    if (g != NULL) return g;
  }
  return NULL;
}

// Row 17: the near ones first.
static G *steal_rings(P *p, const Rings *rings, bool last, bool *inherit) {
  for (int ring = 0; ring < RINGS; ring++) {
    OrderWalk walk = steal_order_start_ring(rings, ring, sched_random(p));
    G *g = steal_walk(p, walk, last, inherit);
    if (g != NULL) return g;
  }
  return NULL;
}

// While half of the Ps or more are idle a walk over all would mostly skip, and
// its length, not the stealing, would be the price of little work on many Ps
// (golang/go#28808). So the others are found by the masks, 64 at a time, from
// a random one on.
static bool most_idle(Sched *sched) {
  // relaxed: a hint, whether steal_few takes less time
  return 2 * rt_load_relaxed(&sched->idle_count) >= (uint32_t)procs_now(sched);
}

// Ps of one word of the masks that a thief may find something on.
// relaxed, both: hints. idle_look_again comes after.
static uint64_t worth_a_visit(Sched *sched, uint32_t word, bool last) {
  uint64_t bits = ~rt_load_relaxed(&sched->idle_mask.words[word]);
  if (last) bits |= rt_load_relaxed(&sched->timer_mask.words[word]);
  int32_t left = procs_now(sched) - (int32_t)word * 64;
  return left >= 64 ? bits : bits & (((uint64_t)1 << left) - 1);
}

// From all rings where ring < 0, else from that ring (row 17).
static G *steal_each(P *p, uint32_t word, uint64_t bits, int ring, bool last,
                     bool *inherit) {
  for (; bits != 0; bits &= bits - 1) {
    // relaxed: see P.look
    if (rt_load_relaxed(&p->look) & ~LOOK_HOST) return NULL;
    int at = (int)word * 64 + __builtin_ctzll(bits);
    if (at == p->id || (ring >= 0 && steal_order_ring_of(p, at) != ring))
      continue;
    G *g = steal_from(p, p_at(p->sched, at), last, inherit);
    if (g != NULL) return g;
  }
  return NULL;
}

// Goes over the words of the masks from a random one on, and in a word from a
// random one of its Ps on, so that gaps between Ps make no difference.
static G *steal_ring_few(P *p, int ring, bool last, bool *inherit) {
  Sched *sched = p->sched;
  uint64_t random = sched_random(p);
  uint32_t words = ((uint32_t)procs_now(sched) + 63) / 64;
  uint32_t word = (uint32_t)(random >> 32) % words;
  for (uint32_t left = words; left > 0; left--) {
    uint64_t all = worth_a_visit(sched, word, last), end = all;
    if (all != 0) {
      uint32_t skip = (uint32_t)random % (uint32_t)__builtin_popcountll(all);
      for (; skip > 0; skip--) end &= end - 1;
      G *g = steal_each(p, word, end, ring, last, inherit);
      if (g == NULL) g = steal_each(p, word, all ^ end, ring, last, inherit);
      if (g != NULL) return g;
    }
    if (++word == words) word = 0;
  }
  return NULL;
}

static G *steal_round_few(P *p, bool last, bool *inherit) {
  if (steal_order_locality(p->sched) == NULL) {
    return steal_ring_few(p, -1, last, inherit);
  }
  for (int ring = 0; ring < RINGS; ring++) {
    G *g = steal_ring_few(p, ring, last, inherit);
    if (g != NULL) return g;
  }
  return NULL;
}

static G *steal_few(P *p, bool *inherit) {
  for (int round = 0; round < STEAL_ROUNDS; round++) {
    G *g = steal_round_few(p, round == STEAL_ROUNDS - 1, inherit);
    if (g != NULL) return g;
  }
  return NULL;
}

static G *steal_work(M *m, bool *inherit) {
  Sched *sched = m->sched;
  P *p = m->p;
  if (p->single) return NULL;
  crowd_ran_dry(m);
  if (crowd_wants_rest(m) || !may_spin(m)) return NULL;
  P_COUNT(p, steal_tries, 1);
  if (most_idle(sched)) return steal_few(p, inherit);
  const Rings *rings =
      steal_order_locality(sched) == NULL ? NULL : steal_order_rings(p);
  for (int round = 0; round < STEAL_ROUNDS; round++) {
    bool last = round == STEAL_ROUNDS - 1;
    G *g;
    if (rings == NULL) {
      OrderWalk walk = steal_order_start(&sched->steal.order, sched_random(p));
      g = steal_walk(p, walk, last, inherit);
    } else {
      g = steal_rings(p, rings, last, inherit);
    }
    // relaxed: see P.look
    if (g != NULL || rt_load_relaxed(&p->look) & ~LOOK_HOST) return g;
  }
  return NULL;
}

// --- Netpoll ----------------------------------------------------------------
static G *poll_ready_one(P *p, bool *inherit) {
  Sched *sched = p->sched;
  // relaxed: a hint. The M in idle_sleep_in_netpoll gives what comes
  if (!poll_wanted(sched) || rt_load_relaxed(&sched->netpoll.blocked) != 0)
    return NULL;
  poll_now(p);
  G *g = urgent_take(p);
  return g != NULL ? g : take_local(p, inherit);
}

// --- Giving up --------------------------------------------------------------
// sched.lock held. Row 16b: an M that rests leaves the global queue to a P that
// is not idle. The last one that works does not rest.
static bool global_is_ours(M *m) {
  Sched *sched = m->sched;
  // relaxed: written with the lock held
  uint32_t idle = rt_load_relaxed(&sched->idle_count);
  if (idle + 1 >= (uint32_t)procs_now(sched)) m->rests = false;
  return sched->global.count != 0 && !m->rests;
}

// Gives the P back, unless something came up meanwhile. false: m still has it.
static bool release_p(M *m) {
  Sched *sched = m->sched;
  P *p = m->p;
  rt_lock(&sched->lock);
  // acquire: pairs with the rt_or in ask_all, sched_interrupt and their like
  if (global_is_ours(m) || inbox_pending(sched) ||
      (rt_load_acquire(&p->look) & ~LOOK_HOST) != 0) {
    m->rests = false;
    rt_unlock(&sched->lock);
    return false;
  }
  RT_ASSERT(p->m == m && p->current == NULL && runq_length(p) == 0);
  m->p = NULL;
  m->old_p = p;
  stop_world_p_left(sched, p);
  idle_check_deadlock(sched);
  rt_unlock(&sched->lock);
  return true;
}

static void give_up(M *m) {
  Sched *sched = m->sched;
  bool wanted_rest = m->rests, released = release_p(m);
  if (wanted_rest && !m->rests) crowd_no_rest(sched);
  if (!released) return;
  if (m->spinning) {
    m->spinning = false;
    // relaxed, both: a hint for sched_spawn
    uint32_t futile = rt_load_relaxed(&sched->futile);
    if (futile < sched->config.futile_max)
      rt_store_relaxed(&sched->futile, futile + 1);
    // seq: T2 (idle.c)
    uint32_t before = rt_sub(&sched->spinning, 1u);
    RT_CHECK(before > 0, "the number of spinning threads fell below 0");
  }
  idle_look_again(m);
}

// Row 16b: m leaves what it has to others, and rests.
static void retreat(M *m) {
  Sched *sched = m->sched;
  GList list = {0};
  runq_flush(m->p, &list);
  RT_ASSERT(runq_length(m->p) == 0);
  rt_lock(&sched->lock);
  if (list.count > 0) global_put_list(sched, &list);
  rt_unlock(&sched->lock);
  give_up(m);
}

// Of the global queue. An M that looked for work meanwhile has seen what now
// lies in the ring in neither place.
static G *take_share(P *p) {
  G *g = global_get(p, 0);
  if (g != NULL && !p->single && runq_length(p) > 0)
    idle_wake_for_queue(p->sched);
  return g;
}

static void leave_at_exit(M *m) {
  Sched *sched = m->sched;
  if (m->spinning) {
    m->spinning = false;
    // RMW: a count, as in give_up. Nobody looks for work any more
    rt_sub(&sched->spinning, 1u);
  }
  rt_lock(&sched->lock);
  P *p = m->p;
  m->p = NULL;
  stop_world_p_left(sched, p);
  rt_unlock(&sched->lock);
}

// Sysmon asks for it: see help_stuck there. What is here makes room, and is not
// forgotten by Ms that look for work meanwhile.
static G *help(P *p, bool *inherit) {
  Sched *sched = p->sched;
  // acquire: p->helps. Pairs with the rt_or in help_stuck (sysmon.c). RMW: the
  // bits that others set stay
  rt_and(&p->look, ~(uint32_t)LOOK_HELP);
  // relaxed: stored before the rt_or in help_stuck, which the rt_and has seen
  uint32_t at = rt_load_relaxed(&p->helps);
  if (at >= (uint32_t)procs_now(sched) || (int)at == p->id) return NULL;
  GList list = {0};
  for (G *g; (g = runq_pop(p)) != NULL;) glist_push(&list, g);
  if (list.count > 0) {
    rt_lock(&sched->lock);
    global_put_list(sched, &list);
    rt_unlock(&sched->lock);
    idle_wakep(sched);
  }
  return steal_from(p, p_at(sched, (int)at), true, inherit);
}

// --- The whole --------------------------------------------------------------
// A P that may touch what Ps share. false: the runtime ends.
static bool have_p(M *m) {
  bool waits = m->p == NULL;
  if (waits && !idle_wait(m)) return false;
  alone_await(m);
  if (!waits) return true;
  m->p->clock = rt_now();  // the P may have slept long
  return true;
}

// For dumps, which tell since when a G waits, and for the lateness of wake-ups.
static void take_sample(P *p) {
  p->clock = rt_now();
  if (!p->single) crowd_look(p, p->clock);
  p->marks |= MARK_SAMPLE;
}

static void now_and_then(P *p) {
  if (++p->searches % CLOCK_SEARCHES == 0) take_sample(p);
  if (!p->alone && p->searches % ALONE_SEARCHES == 0) alone_try(p);
}

G *find_work_next(M *m, bool *inherit) {
  for (G *g;;) {
    if (!have_p(m)) return NULL;
    P *p = m->p;
    now_and_then(p);
    if (crowd_wants_rest(m)) {
      retreat(m);
      continue;
    }
    if (steal_order_locality(m->sched) != NULL) steal_order_note_place(p);
    // acquire: pairs with the rt_or in ask_all, sched_interrupt and their like
    uint32_t look = rt_load_acquire(&p->look);
    if (look & (LOOK_WORLD | LOOK_HANDSHAKE)) {
      stop_world_attend(m);
      continue;
    }
    if (look & LOOK_ALONE) alone_end(p);
    if (look & LOOK_EXIT) {
      if (!m->sched->config.stepped) leave_at_exit(m);
      return NULL;
    }
    *inherit = false;
    if (look & LOOK_HELP && (g = help(p, inherit)) != NULL) return g;
    run_own_timers(p);
    inbox_drain(p);
    poll_between_turns(p);
    bool global = end_of_turn(p);
    g = urgent_take(p);
    if (g == NULL && global) g = global_get(p, 1);
    if (g == NULL) g = take_local(p, inherit);
    if (g != NULL) return g;
    if ((g = take_share(p)) != NULL) return g;
    if ((g = poll_ready_one(p, inherit)) != NULL) return g;
    if ((g = steal_work(m, inherit)) != NULL) return g;
    // readied on the way; or others took what was to run before them
    if (urgent_waits(p)) continue;
    if (m->sched->config.stepped) return NULL;  // the host keeps its P
    give_up(m);
  }
}
