// SPDX-License-Identifier: MIT
// The safepoint look (rows 5, 18, 19): what a running G does for the others.
// Owner P, the G's state saved. The clock is read on every 4th look, and on
// each while a G waits in runnext for the 50 us of row 5 to pass.
#include "sched/alone.h"
#include "sched/crowd.h"
#include "sched/idle.h"
#include "sched/inbox.h"
#include "sched/internal.h"
#include "sched/poll.h"
#include "sched/runq.h"
#include "sched/stepped.h"
#include "sched/stop_world.h"
#include "sched/timer.h"
#include "sched/urgent.h"

// true: the G leaves.
static bool attend(P *p, uint32_t look, bool *slice_over) {
  if (look & LOOK_INBOX) inbox_drain(p);
  if (look & LOOK_ALONE) alone_end(p);
  if (look & LOOK_HOST) {
    // seq, both: the bit goes, then the wish is read. Pairs with
    // sched_exit_soon
    rt_and(&p->look, ~(uint32_t)LOOK_HOST);
    if (rt_load_seq(&p->sched->exit_wanted)) sched_exit(p->sched);
  }
  if (look & LOOK_PREEMPT) {
    // RMW: see P.look
    rt_and(&p->look, ~(uint32_t)LOOK_PREEMPT);
    *slice_over = true;
  }
  if (look & LOOK_HELP) *slice_over = true;  // find_work_next clears it
  if ((look & (LOOK_WORLD | LOOK_HANDSHAKE)) && !stop_world_attend(p->m)) {
    return true;
  }
  return (look & LOOK_EXIT) != 0;
}

static void run_due_timers(P *p, int64_t now) {
  int64_t first = timers_first(p);
  if (first != 0 && first <= now) timers_run(p, p, now);
}

// Row 5: a G in runnext that waits 50 us is worth waking an idle P for, and at
// once where the running G does what takes long.
static void wake_for_next(P *p, int64_t now, bool at_once) {
  if (p->next_fill == NEXT_FILLED && !at_once) {
    p->next_fill = NEXT_TIMED;
    p->fill_seen = now;
  } else if (at_once || now - p->fill_seen >= NEXT_FILL_NS) {
    p->next_fill = NEXT_QUIET;
    // relaxed: a hint, as steal_next may have it
    if (rt_load_relaxed(&p->runnext) != NULL) idle_wakep(p->sched);
  }
}

// Row 19. A slice is 10 ms, and less in a short step of a host; 1 ms while a G
// that a timer or netpoll has woken is queued here.
static bool slice_is_over(P *p, int64_t now) {
  if (p->slice_tick != p->schedtick) {
    p->slice_tick = p->schedtick;
    p->slice_start = now;
  }
  if (now - p->slice_start >= p->sched->host.slice_ns) return true;
  if (!urgent_waits(p)) return false;
  // relaxed: a hint of note_since
  int64_t since = rt_load_relaxed(&p->urgent.since);
  // one of them runs: it has its time
  if (p->urgent_from != 0 && since < p->slice_start) since = p->slice_start;
  return now - since >= URGENT_NS && now >= p->urgent_rest;
}

// What is due is readied, and idle Ps are woken for what waits. aside: for
// sched_look_aside. The next look may be far away then, so p does not become
// alone.
static int64_t serve_others(P *p, bool aside) {
  int64_t now = p->clock = rt_now();
  run_due_timers(p, now);
  if (poll_is_due(p->sched, now)) poll_now(p);
  if (!p->single && p->next_fill != NEXT_QUIET) wake_for_next(p, now, aside);
  if (!p->single) {
    idle_share(p);
    crowd_look(p, now);
    if (!p->alone && !aside) alone_try(p);
  }
  return now;
}

static bool look_fully(P *p, uint32_t look) {
  bool slice_over = false;
  if (look != 0 && attend(p, look, &slice_over)) return true;
  int64_t now = serve_others(p, false);
  slice_over |= slice_is_over(p, now);
  if (p->sched->config.stepped && stepped_is_over(p->sched, now)) {
    slice_over = true;
    // RMW: see P.look. With this bit sched_switch gives no G
    rt_or(&p->look, (uint32_t)LOOK_HOST);
  }
  if (slice_over) p->oldest_due = true;
  // Row 5: with the slice ends the turn of what is in runnext, unless that is
  // what the running G makes way for.
  if (slice_over && !urgent_waits(p)) runq_displace_next(p);
  return slice_over;
}

// Every look of a stepped runtime reads the clock: nobody else ends its slices.
bool sched_look(P *p, G *g) {
  RT_ASSERT(p->current == g);
  (void)g;
  // acquire: pairs with the rt_or in ask_all, sched_interrupt and their like
  uint32_t look = rt_load_acquire(&p->look);
  bool clock_too = ++p->looks % LOOKS_PER_CLOCK == 0 ||
                   p->sched->config.stepped ||
                   (p->next_fill != NEXT_QUIET && !p->single);
  if (look == 0 && !clock_too) return false;
  return look_fully(p, look);
}

bool sched_look_now(P *p, G *g) {
  RT_ASSERT(p->current == g);
  (void)g;
  // acquire: pairs with the rt_or in ask_all, sched_interrupt and their like
  return look_fully(p, rt_load_acquire(&p->look));
}

void sched_look_aside(P *p) {
  // relaxed: see P.look
  if (rt_load_relaxed(&p->look) & LOOK_ALONE) alone_end(p);
  serve_others(p, true);
}

bool sched_work_is_vain(P *p) {
  const Sched *sched = p->sched;
  // relaxed: see P.look
  uint32_t look = rt_load_relaxed(&p->look);
  if (look & LOOK_EXIT) return true;
  // seq: set before LOOK_HOST
  if ((look & LOOK_HOST) && rt_load_seq(&sched->exit_wanted)) return true;
  return sched->config.stepped && stepped_gives_up(sched);
}

bool sched_call_is_vain(const Sched *sched) {
  // seq: as above
  return rt_load_seq(&sched->exit_wanted) || sched_is_over(sched) ||
         (sched->config.stepped && stepped_gives_up(sched));
}

void sched_clock_soon(P *p) { p->looks |= LOOKS_PER_CLOCK - 1; }

void sched_interrupt(Sched *sched) {
  // acquire: pairs with the releases in lifecycle_make_p, so those Ps are in
  // ps.all. They are never freed while the runtime runs.
  int made = rt_load_acquire(&sched->ps.made);
  // seq: after what the caller has set for them. Pairs with attend
  for (int i = 0; i < made; i++) rt_or(&p_at(sched, i)->look, LOOK_HOST);
}
