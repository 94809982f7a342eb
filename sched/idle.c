// SPDX-License-Identifier: MIT
// Idle Ps and Ms. This file decides which Ms sleep and which are woken, and
// sees to it that no G is forgotten.
//
// Submitting work against ceasing to look for it (row 15). `spinning` counts
// the Ms that look for work.
//   submitter (owner P)                 searcher
//   S1 puts a G into a queue: the       T1 gives its P back, under sched.lock
//      tail, runnext or global count       (idle_count rises)
//   S2 loads spinning, seq_cst          T2 subtracts itself from spinning,
//      not 0: done, T sees it              seq_cst RMW
//      0: loads idle_count; not 0:      T3 loads all tails, runnexts and the
//      wakes an M that spins               global count, seq_cst; work:
//                                          takes a P again and looks
//
// A searcher that was not allowed to spin does T1 and T3. If S2 saw neither a
// spinner nor an idle P, S2 comes before T1, which is an RMW too, and T3 sees
// S1. A submitter that has counted itself as a spinner and then finds no idle P
// ends like a searcher, because others have relied on it meanwhile.
//
// If S2 sees T's count, S2 comes before T2 in the single total order. S1 is
// before S2, and T3 is after T2, so T3 sees S1. Acquire and release would let
// S2 pass S1 (a store and a later load). S1 is a seq_cst store where nothing
// else on the way is a read-modify-write. Spawn writes runnext so. Where it
// displaces a G, it writes the tail once more, after the exchange on runnext,
// because a thief may have taken, or given up, what was there.
//
// A G that is readied into an empty runnext wakes no M (row 5). The owner's
// look wakes one when that G still waits 50 us later. The same holds for a G
// that is spawned into an empty runnext while searches find nothing. Otherwise
// a program that starts a goroutine and waits for it at once would wake a
// thread each time, for nothing.
//
// An M that was spinning and found work wakes another, if none spins any more.
//
// One sleeping M, sched->idle.poller, watches the timers of idle Ps. It sleeps
// only until the earliest of them, sched->idle.poll_until. A thread that takes
// the poller away for other work, or leaves an idle P with an earlier timer (a
// P out of a call), wakes an M that will come to sleep in its place
// (idle_timers_alone). Running Ps see to their own timers.
//
// While Gs wait for descriptors the poller blocks in netpoll instead (poll.c),
// as sched->idle.poll_owner. There are never two, because a break must not go
// to the wrong one. The thread that wakes the poller sets its note, then loads
// m->polling, and breaks netpoll if that is set. The poller stores m->polling,
// then looks at its note. All are seq_cst, so one sees the other.
//
// The M that blocks in netpoll runs what comes itself, on an idle P, and does
// not wake another to block there in its place, because it is mostly back in
// some us. If it is not, its P wakes one in a look (idle_share), and polls in
// its looks while no P is idle. Where no look comes sysmon polls after 10 ms.
// An M that is woken out of netpoll with a P for other work wakes one that
// takes its place.
#include "sched/idle.h"
#include "sched/alone.h"
#include "sched/callback.h"
#include "sched/crowd.h"
#include "sched/global.h"
#include "sched/inbox.h"
#include "sched/lifecycle.h"
#include "sched/mask.h"
#include "sched/poll.h"
#include "sched/proc.h"
#include "sched/runq.h"
#include "sched/stop_world.h"
#include "sched/sysmon.h"
#include "sched/timer.h"
#include "sched/urgent.h"

// --- Idle Ps: sched.lock held -----------------------------------------------
void idle_put_p(Sched *sched, P *p) {
  // relaxed: written with the lock held
  RT_CHECK(rt_load_relaxed(&p->status) != P_IDLE, "P %d is idle twice", p->id);
  RT_CHECK(runq_length(p) == 0, "P %d goes idle with goroutines", p->id);
  rt_store_relaxed(&p->status, P_IDLE);  // relaxed: under sched.lock
  p->m = NULL;
  p->idle_link = sched->idle.ps;
  sched->idle.ps = p;
  mask_set(&sched->idle_mask, p->id);
  // seq: T1, before T2 and T3
  rt_add(&sched->idle_count, 1u);
  RT_ASSERT(idle_is_valid(sched));
}

bool idle_is_valid(const Sched *sched) {
  uint32_t count = 0;
  for (const P *p = sched->idle.ps; p != NULL; p = p->idle_link, count++) {
    uint64_t word = sched->idle_mask.words[p->id >> 6];
    if ((word >> (p->id & 63) & 1) == 0) return false;
    // relaxed: under sched.lock
    if (rt_load_relaxed(&p->status) != P_IDLE) return false;
    if (p->m != NULL || count > PROCS_MAX) return false;
  }
  return count == sched->idle_count;
}

static void unlink_p(Sched *sched, P *p) {
  RT_ASSERT(idle_is_valid(sched));
  P **link = &sched->idle.ps;
  while (*link != p) link = &(*link)->idle_link;
  *link = p->idle_link;
  p->idle_link = NULL;
  mask_clear(&sched->idle_mask, p->id);
  // seq: as in idle_put_p. S2 reads it
  rt_sub(&sched->idle_count, 1u);
}

P *idle_get_p(Sched *sched, P *wish) {
  // relaxed: written with the lock held
  if (sched->idle.ps == NULL || rt_load_relaxed(&sched->exiting)) return NULL;
  P *p = sched->idle.ps;
  // relaxed: status is written under sched.lock
  if (wish != NULL && rt_load_relaxed(&wish->status) == P_IDLE) p = wish;
  unlink_p(sched, p);
  rt_store_relaxed(&p->status, P_RUNNING);  // relaxed: under sched.lock
  // relaxed: nobody owns p, and watch (sysmon.c) takes any value. A new slice
  // begins, even for what runnext will hold
  rt_store_relaxed(&p->schedtick, p->schedtick + 1);
  // seq: pairs with the store in sleep_wholly, which looks once more after it
  if (rt_load_seq(&sched->sysmon.asleep)) sysmon_wake(sched);
  alone_ask(sched, p);
  return p;
}

void idle_stop_all(Sched *sched) {
  while (sched->idle.ps != NULL) {
    P *p = sched->idle.ps;
    unlink_p(sched, p);
    rt_store_relaxed(&p->status, P_STOPPED);  // relaxed: under sched.lock
  }
}

void idle_take_p(M *m, P *p) {
  RT_CHECK(p->m == NULL && m->p == NULL, "P %d is held twice", p->id);
  p->m = m;
  m->p = p;
  callback_p_got(m, p);
}

// --- Timers of idle Ps: sched.lock held -------------------------------------
// The earliest timer of an idle P, or 0.
static int64_t first_idle_timer(Sched *sched, P **which) {
  int64_t first = 0;
  for (int w = 0; w < MASK_WORDS; w++) {
    // relaxed: the idle mask is written with the lock held. A P's timers change
    // (first_changed) only while a thread holds a P, which will come by here
    // before it sleeps
    uint64_t bits = rt_load_relaxed(&sched->idle_mask.words[w]) &
                    rt_load_relaxed(&sched->timer_mask.words[w]);
    for (; bits != 0; bits &= bits - 1) {
      P *p = p_at(sched, w * 64 + __builtin_ctzll(bits));
      int64_t when = timers_first(p);
      if (when == 0 || (first != 0 && when >= first)) continue;
      first = when;
      *which = p;
    }
  }
  return first;
}

// Is there one that nobody watches?
static bool timer_is_alone(Sched *sched) {
  P *p;
  int64_t first = first_idle_timer(sched, &p);
  return first != 0 &&
         (sched->idle.poller == NULL || first < sched->idle.poll_until);
}

bool idle_timers_alone(Sched *sched) {
  return timer_is_alone(sched) ||
         (sched->idle.poll_owner == NULL && poll_wanted(sched));
}

// --- Idle Ms ----------------------------------------------------------------
bool idle_ms_are_valid(const Sched *sched) {
  uint32_t count = 0;
  const M *prev = NULL;
  for (const M *m = sched->idle.ms; m != NULL; prev = m, m = m->idle_next) {
    if (!m->idle || m->idle_prev != prev || ++count > sched->ms.idle)
      return false;
  }
  return count == sched->ms.idle;
}

// sched.lock held
static void push_m(Sched *sched, M *m) {
  RT_ASSERT(!m->idle && m->p == NULL);
  m->idle = true;
  m->idle_prev = NULL;
  m->idle_next = sched->idle.ms;
  if (sched->idle.ms != NULL) sched->idle.ms->idle_prev = m;
  sched->idle.ms = m;
  sched->ms.idle++;
  sched->stats.parks++;
  RT_ASSERT(idle_ms_are_valid(sched));
}

// sched.lock held
static void unlink_m(Sched *sched, M *m) {
  RT_CHECK(m->idle, "thread %u is not in the pool", m->id);
  if (m->idle_prev != NULL) m->idle_prev->idle_next = m->idle_next;
  if (m->idle_next != NULL) m->idle_next->idle_prev = m->idle_prev;
  if (sched->idle.ms == m) sched->idle.ms = m->idle_next;
  m->idle_next = m->idle_prev = NULL;
  m->idle = m->rests = false;
  sched->ms.idle--;
  if (sched->idle.poller == m) sched->idle.poller = NULL;
  RT_ASSERT(idle_ms_are_valid(sched));
}

// sched.lock held. Rather not the one that waits for the timers.
static M *pop_m(Sched *sched) {
  M *m = sched->idle.ms;
  if (m != NULL && m == sched->idle.poller && m->idle_next != NULL)
    m = m->idle_next;
  if (m != NULL) unlink_m(sched, m);
  return m;
}

void idle_wake_m(M *m) {
  rt_note_set(&m->note);
  if (rt_load_seq(&m->polling)) poll_break(m->sched);  // seq: see the head
}

// sched.lock held. To be started by proc_m_start.
static M *make_m(Sched *sched) {
  // Not at the end: sysmon would make one that nobody waits for.
  if (rt_load_relaxed(&sched->exiting)) return NULL;  // relaxed: lock held
  M *m = proc_m_new(sched);
  if (m == NULL) return NULL;
  m->starting = true;
  sched->ms.starting++;
  return m;
}

bool idle_add_m(Sched *sched) {
  rt_lock(&sched->lock);
  M *m = make_m(sched);
  rt_unlock(&sched->lock);
  return m != NULL && proc_m_start(m);
}

bool idle_start_m(Sched *sched, P *p, bool spinning) {
  rt_lock(&sched->lock);
  M *m = pop_m(sched);
  bool made = m == NULL;
  if (made) m = make_m(sched);
  if (m != NULL) {
    m->next_p = p;
    m->spinning = spinning;
    p->m = m;
    sched->stats.wakes++;
  }
  // One that spins will be the poller, or wake another when it finds work.
  bool alone = !spinning && idle_timers_alone(sched);
  rt_unlock(&sched->lock);
  if (m == NULL) return false;
  if (made && !proc_m_start(m)) {
    rt_lock(&sched->lock);
    p->m = NULL;
    rt_unlock(&sched->lock);
    return false;
  }
  if (!made) idle_wake_m(m);
  if (alone) idle_wakep(sched);
  return true;
}

void idle_give_back(Sched *sched, P *p) {
  rt_lock(&sched->lock);
  stop_world_p_left(sched, p);
  // An M that came to the pool meanwhile saw no idle P, or no work, and sleeps.
  bool work = sched->global.count > 0 || inbox_pending(sched) ||
              idle_timers_alone(sched);
  if (work && sched->idle.ms != NULL) idle_wake_m(sched->idle.ms);
  idle_check_deadlock(sched);
  rt_unlock(&sched->lock);
}

// T3 above. A P that is idle in the mask, read after T2, and has work by now
// got an owner since, whose S2 sees no spinner.
static bool any_busy(Sched *sched, bool (*has)(P *p, StuckNext *seen),
                     StuckNext *seen) {
  int procs = procs_now(sched);
  for (int first = 0; first < procs; first += 64) {
    // seq: as in mask_read
    uint64_t busy = ~rt_load_seq(&sched->idle_mask.words[first / 64]);
    for (; busy != 0; busy &= busy - 1) {
      int i = first + __builtin_ctzll(busy);
      if (i >= procs) break;
      if (has(p_at(sched, i), seen)) return true;
    }
  }
  return false;
}

static bool work_anywhere(Sched *sched, StuckNext *seen) {
  if (global_count(sched) != 0 || inbox_pending(sched)) return true;
  return any_busy(sched, runq_has_work, seen);
}

static bool has_urgent(P *p, StuckNext *seen) {
  (void)seen;
  return rt_load_seq(&p->urgent.list.count) != 0;  // seq: T3
}

static bool timers_alone(Sched *sched) {
  rt_lock(&sched->lock);
  bool alone = idle_timers_alone(sched);
  rt_unlock(&sched->lock);
  return alone;
}

// Of an M that has ceased to look: posts, timers, netpoll, urgent Gs.
static bool leaves_what_is_urgent(Sched *sched) {
  return inbox_pending(sched) || timers_alone(sched) ||
         any_busy(sched, has_urgent, NULL);
}

// The caller becomes the one that spins, and takes an idle P for m, or for an M
// that it starts. NULL: another M spins, or no P is idle. A thread that saw us
// spin meanwhile has left its work, or its idle P and that P's timers, to us.
// So a claim without a P is given up like any other spinning.
static P *claim_p(Sched *sched, M *m, P *wish) {
  for (;;) {
    uint32_t none = 0;
    if (!rt_cas(&sched->spinning, &none, 1u)) return NULL;  // seq: see above
    rt_lock(&sched->lock);
    P *p = idle_get_p(sched, wish);
    if (p != NULL && m != NULL) idle_take_p(m, p);
    bool ends = rt_load_relaxed(&sched->exiting);  // relaxed: sched.lock held
    rt_unlock(&sched->lock);
    if (p != NULL) return p;
    // seq: T2. T3 is the load below
    rt_sub(&sched->spinning, 1u);
    // seq: after the rt_sub, as T3 after T2
    bool none_idle = rt_load_seq(&sched->idle_count) == 0;
    if (none_idle && inbox_pending(sched)) inbox_flag(sched);
    if (ends || none_idle) return NULL;
    if (!work_anywhere(sched, m ? &m->stuck : NULL) && !timers_alone(sched))
      return NULL;
  }
}

bool idle_look_again(M *m) {
  Sched *sched = m->sched;
  // Row 16b. An M that rests leaves to others what is not urgent.
  if (m->rests && crowd_is_quiet(sched) && !any_busy(sched, has_urgent, NULL))
    return false;
  m->rests = false;
  if (!work_anywhere(sched, &m->stuck) || claim_p(sched, m, m->old_p) == NULL)
    return false;
  m->spinning = true;
  return true;
}

void idle_wakep(Sched *sched) {
  // seq: S2 above
  if (rt_load_seq(&sched->spinning) != 0 ||
      rt_load_seq(&sched->idle_count) == 0) {
    return;
  }
  P *p = claim_p(sched, NULL, NULL);
  if (p == NULL || idle_start_m(sched, p, true)) return;
  // seq: T2. idle_give_back looks for what relied on this spinner
  rt_sub(&sched->spinning, 1u);
  idle_give_back(sched, p);
}

void idle_wake_for_queue(Sched *sched) {
  if (!crowd_is_quiet(sched)) idle_wakep(sched);
}

void idle_stop_spinning(M *m) {
  m->spinning = false;
  // relaxed: a hint for sched_spawn
  if (rt_load_relaxed(&m->sched->futile) != 0)
    rt_store_relaxed(&m->sched->futile, 0u);
  // seq: T2, before idle_wakep looks
  uint32_t before = rt_sub(&m->sched->spinning, 1u);
  RT_CHECK(before > 0, "the number of spinning threads fell below 0");
  Sched *sched = m->sched;
  // The last one that finds work wakes another. In quiet times what is queued
  // needs none, but what must not wait may have relied on this one.
  if (!crowd_is_quiet(sched) || leaves_what_is_urgent(sched)) idle_wakep(sched);
  // If no P is idle, one that runs drains what was posted.
  // seq: after the rt_sub, as in claim_p
  if (rt_load_seq(&sched->idle_count) == 0 && inbox_pending(sched))
    inbox_flag(sched);
}

// --- In a look --------------------------------------------------------------
void idle_share(P *p) {
  Sched *sched = p->sched;
  // relaxed, all: hints of idle_put_p, show_g and idle_sleep_in_netpoll. The
  // next look asks again
  if (rt_load_relaxed(&sched->idle_count) == 0) return;
  bool nobody_polls = rt_load_relaxed(&sched->netpoll.waiters) != 0 &&
                      rt_load_relaxed(&sched->netpoll.blocked) == 0;
  if (nobody_polls || urgent_waits(p)) idle_wakep(sched);
}

// --- Sleep ------------------------------------------------------------------
// sched.lock held, m idle. Until when m sleeps. *polls: in netpoll. *p: the
// idle P with the first timer, or NULL. *due: that timer is due already.
static int64_t sleep_until(Sched *sched, M *m, P **p, bool *due, bool *polls) {
  *p = NULL;
  int64_t first = first_idle_timer(sched, p);
  *polls = sched->idle.poll_owner == NULL && poll_wanted(sched);
  *due = false;
  if (first == 0 && !*polls) {
    if (sched->idle.poller == m) sched->idle.poller = NULL;
    return RT_FOREVER;
  }
  int64_t until = first == 0 ? RT_FOREVER : first;
  bool mine = sched->idle.poller == NULL || sched->idle.poller == m ||
              sched->idle.poll_until > until || *polls;
  if (!mine) return RT_FOREVER;
  sched->idle.poller = m;
  sched->idle.poll_until = until;
  *due = first != 0 && first <= rt_now();
  return until;
}

// sched.lock held, m idle. Takes a P, if there is something to do on it.
static bool find_p(Sched *sched, M *m, int64_t *until, bool *polls) {
  P *wish;  // others need not watch its timer then
  bool due;
  *until = sleep_until(sched, m, &wish, &due, polls);
  if (m->rests && *until > m->rest_until) *until = m->rest_until;
  bool work = sched->global.count != 0 && !m->rests;
  if (!due && !work && !inbox_pending(sched)) return false;
  P *p = idle_get_p(sched, wish);
  if (p == NULL) {
    // none idle: then none of them has timers that are ours to wait for
    *until = due ? RT_FOREVER : *until;
    if (inbox_pending(sched)) inbox_flag(sched);
    return false;
  }
  idle_take_p(m, p);
  return true;
}

// Until the note is set, a descriptor is ready, or the time has come.
void idle_sleep_in_netpoll(M *m, int64_t until) {
  Sched *sched = m->sched;
  // RMW: a count, for the hint in poll_ready_one
  rt_add(&sched->netpoll.blocked, 1u);
  rt_store_seq(&m->polling, 1u);  // seq: see the head
  if (!rt_note_try(&m->note)) poll_block(sched, until, false);
  // seq: see the head
  rt_store_seq(&m->polling, 0u);
  // RMW: as above
  rt_sub(&sched->netpoll.blocked, 1u);
}

// A slow reader of the output must not keep timers from being watched.
static void run_idle_hook(Sched *sched) {
  if (sched->hooks.idle == NULL || !sched->hooks.idle(sched->hooks.host, false))
    return;
  if (timers_alone(sched)) idle_wakep(sched);
  sched->hooks.idle(sched->hooks.host, true);
}

// --- In the pool ------------------------------------------------------------
// All: sched.lock is held.
// Takes the P that another M has given. Only at the end an M in a callback may
// come here while it is still given Ps (locked_resume).
static void accept_p(Sched *sched, M *m) {
  if (m->idle) unlink_m(sched, m);
  RT_ASSERT(m->next_p->m == m);
  m->p = m->next_p;
  m->next_p = NULL;
}

// true: m has rested (row 16b), found work, and has a P again.
static bool look_after_rest(Sched *sched, M *m) {
  unlink_m(sched, m);
  rt_unlock(&sched->lock);
  crowd_rest_is_over(m);
  if (idle_look_again(m)) return true;
  rt_lock(&sched->lock);
  push_m(sched, m);
  return false;
}

static void wait_in_pool(Sched *sched, M *m, bool polls, int64_t until) {
  if (polls) sched->idle.poll_owner = m;
  rt_unlock(&sched->lock);
  if (polls) {
    idle_sleep_in_netpoll(m, until);
  } else {
    rt_note_wait(&m->note, until);
  }
  rt_lock(&sched->lock);
  if (polls) sched->idle.poll_owner = NULL;
}

// The end of a wait. true.
static bool leave_pool(Sched *sched, bool alone) {
  rt_unlock(&sched->lock);
  if (alone) idle_wakep(sched);
  return true;
}

bool idle_wait(M *m) {
  Sched *sched = m->sched;
  RT_ASSERT(m->p == NULL && !m->spinning);
  run_idle_hook(sched);
  rt_lock(&sched->lock);
  push_m(sched, m);
  for (bool polled = false;;) {
    bool was_polling = polled;
    int64_t until;
    if (m->job != NULL) {
      rt_unlock(&sched->lock);
      stop_world_run_job(m);
      rt_lock(&sched->lock);
    } else if (m->next_p != NULL) {
      accept_p(sched, m);
      return leave_pool(sched, polled && idle_timers_alone(sched));
    } else if (rt_load_relaxed(&sched->exiting)) {  // relaxed: lock held
      unlink_m(sched, m);
      rt_unlock(&sched->lock);
      return false;
    } else if (find_p(sched, m, &until, &polled)) {
      unlink_m(sched, m);
      // An M that runs what came from netpoll is mostly back soon: see the head
      return leave_pool(sched, was_polling ? timer_is_alone(sched)
                                           : idle_timers_alone(sched));
    } else if (m->rests && m->rest_until <= rt_now()) {
      if (look_after_rest(sched, m)) return true;
    } else {
      wait_in_pool(sched, m, polled, until);
    }
  }
}

// Row 38. The check is exact: Gs are touched only by Ms that hold a P, a P goes
// idle only with empty queues, and an M in a system call is counted until its G
// has a P or is in the global queue.
void idle_check_deadlock(Sched *sched) {
  // relaxed: written with the lock held
  if (!sched->running || rt_load_relaxed(&sched->exiting)) return;
  // relaxed: sched.lock is held. The last sched_unpin comes here, too
  if (rt_load_relaxed(&sched->idle_count) != (uint32_t)procs_now(sched)) return;
  if (sched->calls.count != 0 || sched->global.count != 0) return;
  // seq: pairs with the RMW in sched_unpin, which looks here after it
  if (rt_load_seq(&sched->pins) != 0) return;
  if (!mask_empty(&sched->timer_mask) || poll_wanted(sched) ||
      inbox_pending(sched))
    return;
  if (sched->when_stuck == NULL) {
    lifecycle_begin_exit(sched, SCHED_DEADLOCK);
    return;
  }
  inbox_push(sched, sched->when_stuck);
  sched->when_stuck = NULL;
  // The caller, if it is an M, looks there before it sleeps; one that sleeps
  // takes a P for it.
  if (sched->idle.ms != NULL) idle_wake_m(sched->idle.ms);
}

void sched_when_stuck(Sched *sched, SchedPost *post) {
  rt_lock(&sched->lock);
  sched->when_stuck = post;
  rt_unlock(&sched->lock);
}
