// SPDX-License-Identifier: MIT
// The monitor (row 20). It is a thread without a P, for what nobody on a P sees
// in time. That is a slice that is over, timers and queues of a P whose G does
// not come to a look, as in a host's native that lasts, and a blocking call
// that lasts while its P has work (row 22). It also asks for a collection that
// nobody asked for in two minutes, polls when nobody has for 10 ms, counts the
// CPUs each second, and writes lines of statistics. It reads atomics of Ps,
// sets flags, and takes Ps out of calls. It touches no timer and no heap. The
// only Gs that it touches are those that netpoll has readied, which it puts
// into an inbox.
//
// It sleeps until the earliest of these deadlines. An M that begins a call
// while there is work wakes it, and it looks every 20 us (sysmon.hurry) until
// no such call was seen for 50 rounds. After two rounds with all Ps idle it
// sleeps wholly, until a P is taken (idle_get_p):
//   sysmon: stores sysmon.asleep, seq_cst; loads idle_count, seq_cst
//   taker:  lowers idle_count, seq_cst RMW; loads sysmon.asleep, seq_cst
//
// So one of them sees the other.
#include "sched/sysmon.h"
#include "sched/crowd.h"
#include "sched/idle.h"
#include "sched/inbox.h"
#include "sched/lifecycle.h"
#include "sched/poll.h"
#include "sched/runq.h"
#include "sched/stats.h"
#include "sched/stop_world.h"
#include "sched/syscall.h"
#include "sched/timer.h"

static const int64_t ROUND_MIN = NS_PER_MS / 2, ROUND_MAX = 5 * NS_PER_MS;
static const int64_t COLLECT_NS = (int64_t)120 * 1000 * NS_PER_MS;
static const int64_t COUNT_NS = (int64_t)1000 * NS_PER_MS;
enum { QUIET_ROUNDS = 2, HURRY_ROUNDS = 50 };

void sysmon_wake(Sched *sched) {
  // seq: after idle_count was lowered (see the head)
  if (rt_exchange(&sched->sysmon.asleep, 0u)) rt_note_set(&sched->sysmon.note);
}

static bool all_idle(Sched *sched) {
  // seq: see the head
  return rt_load_seq(&sched->idle_count) == (uint32_t)procs_now(sched);
}

// Looks at one running P, and says when to look at it next.
static int64_t watch(Sched *sched, P *p, int64_t now) {
  // relaxed: any recent value of next_slice
  uint32_t tick = rt_load_relaxed(&p->schedtick);
  int64_t first = timers_first(p);
  if (first != 0 && now - first > URGENT_NS) idle_wakep(sched);  // steal it
  if (tick != p->sysmon_tick) {
    p->sysmon_tick = tick;
    p->sysmon_when = now;
    return now + SLICE_NS;
  }
  // The same G as in the round before. Perhaps nobody was woken for what waits.
  if (runq_length(p) > 0) idle_wakep(sched);
  if (now - p->sysmon_when >= SLICE_NS) {
    // RMW: see P.look
    rt_or(&p->look, LOOK_PREEMPT);
    p->sysmon_when = now;
  }
  return p->sysmon_when + SLICE_NS;
}

// Is there something that a P could do which nobody has time for?
static bool work_waits(Sched *sched, P *p, int64_t now) {
  int64_t first = timers_first(p);
  if (inbox_pending(sched) || runq_length(p) > 0 ||
      (first != 0 && first <= now))
    return true;
  // relaxed, all: hints. watch_all asks again in the next round
  if (rt_load_relaxed(&sched->idle_count) > 0) return false;
  if (rt_load_relaxed(&sched->spinning) > 0) return false;
  if (rt_load_relaxed(&sched->global.count) > 0) return true;
  for (int i = 0; i < procs_now(sched); i++) {
    if (!runq_is_empty(p_at(sched, i))) return true;
  }
  return false;
}

static void take_from_call(Sched *sched, P *p) {
  rt_lock(&sched->lock);
  bool taken = syscall_retake(sched, p);  // a place or not: see syscall.c
  bool give = taken && syscall_settle(sched, p);
  bool alone = taken && idle_timers_alone(sched);
  bool more = taken && sched->global.count > 0;
  rt_unlock(&sched->lock);
  if (give) stop_world_give_m(sched, p);
  // While the P is in a call that lasts, no M goes idle and sees to the output.
  // So one is woken for that.
  bool output = taken && !give && sched->hooks.idle != NULL;
  if (alone || more || output) idle_wakep(sched);
}

// The same for a P in a quick call. It is taken after 20 us if there is work,
// and after a slice in any case, so that all can be idle. true: it had work.
static bool watch_call(Sched *sched, P *p, int64_t now, int64_t *due) {
  // relaxed: any recent value of enter_quick
  uint64_t call = rt_load_relaxed(&p->calls);
  if (call != p->sysmon_call) {
    p->sysmon_call = call;
    p->sysmon_call_when = now;
  }
  int64_t begun = p->sysmon_call_when, first = timers_first(p);
  bool work = work_waits(sched, p, now);
  if (first != 0 && now - first > URGENT_NS) idle_wakep(sched);  // steal it
  *due = begun + (work ? CALL_NS : SLICE_NS);
  if (first != 0 && first < *due) *due = first > now ? first : now;
  if (now - begun >= (work ? CALL_NS : SLICE_NS)) take_from_call(sched, p);
  return work;
}

// What waits at a P without looks waits as long as its native lasts. If no P is
// idle, one that has looks is asked to take some of it. Without looks is a P
// that has not minded the end of a slice which an earlier round has set.
static void help_stuck(Sched *sched, int64_t now) {
  P *stuck = NULL, *helper = NULL;
  // relaxed: a hint of idle_put_p
  if (rt_load_relaxed(&sched->idle_count) > 0) return;
  for (int i = 0; i < procs_now(sched); i++) {
    P *p = p_at(sched, i);
    if (p_status(p) != P_RUNNING) continue;  // a hint
    int64_t first = timers_first(p);
    bool waits = runq_length(p) > 0 || (first != 0 && now - first > URGENT_NS);
    // relaxed: see P.look
    if ((rt_load_relaxed(&p->look) & LOOK_PREEMPT) == 0) {
      if (p->id != (int)sched->sysmon.helped || helper == NULL) helper = p;
    } else if (waits) {
      stuck = p;
    }
  }
  if (stuck == NULL || helper == NULL) return;
  sched->sysmon.helped = (uint32_t)helper->id;  // another one next time
  // relaxed: the rt_or shows it, and help reads it after that
  rt_store_relaxed(&helper->helps, (uint32_t)stuck->id);
  // release: shows the id. Pairs with the rt_and in help (find_work.c)
  rt_or(&helper->look, LOOK_HELP);
}

// *work: a P in a call has work.
static int64_t watch_all(Sched *sched, int64_t now, bool *work) {
  int64_t next = now + ROUND_MAX;
  for (int i = 0; i < procs_now(sched); i++) {
    P *p = p_at(sched, i);
    int64_t due = next;
    if (p_status(p) == P_RUNNING) {  // a hint
      due = watch(sched, p, now);
    } else if (p_status(p) == P_SYSCALL) {
      *work |= watch_call(sched, p, now, &due);
    }
    if (due < next) next = due;
  }
  return next < now + ROUND_MIN ? now + ROUND_MIN : next;
}

static void want_collection(Sched *sched, int64_t now) {
  // relaxed, both: any recent value. sched_start_world writes it, too
  if (now - rt_load_relaxed(&sched->sysmon.collected_at) < COLLECT_NS) return;
  rt_store_relaxed(&sched->sysmon.collected_at, now);
  if (sched->hooks.want_gc != NULL) sched->hooks.want_gc(sched->hooks.host);
}

// A quota or the affinity mask may change while the program runs. A G at its
// safepoint changes the number of Ps (sched_follow_cpus).
static void count_cpus(Sched *sched, int64_t now) {
  // relaxed, both: sched_follow_cpus asks again
  if (!rt_load_relaxed(&sched->cpus.follows)) return;
  if (now - sched->sysmon.counted_at < COUNT_NS) return;
  sched->sysmon.counted_at = now;
  int procs = lifecycle_clamp_procs(sched, sched_default_procs());
  bool changed = procs != procs_now(sched);
  rt_store_relaxed(&sched->cpus.wanted, changed ? (uint32_t)procs : 0u);
}

static void sleep_wholly(Sched *sched) {
  // seq: before all_idle looks (see the head)
  rt_store_seq(&sched->sysmon.asleep, 1u);
  int64_t until =
      sched->watch.line_ns != 0 ? sched->sysmon.line_at : RT_FOREVER;
  // acquire: pairs with lifecycle_begin_exit, which sets the note afterwards
  if (all_idle(sched) && !rt_load_acquire(&sched->exiting)) {
    rt_note_wait(&sched->sysmon.note, until);
  }
  // seq: as above. A thread that finds it set sets the note
  rt_store_seq(&sched->sysmon.asleep, 0u);
}

void sysmon_main(void *arg) {
  Sched *sched = arg;
  int quiet = 0, hurry = 0;
  while (!rt_load_acquire(&sched->exiting)) {  // acquire: as in sleep_wholly
    quiet = all_idle(sched) ? quiet + 1 : 0;
    if (quiet > QUIET_ROUNDS) {
      sleep_wholly(sched);
      quiet = 0;
    }
    int64_t now = rt_now();
    want_collection(sched, now);
    count_cpus(sched, now);
    bool work = false;
    if (poll_is_due(sched, now - SLICE_NS)) poll_block(sched, 0, true);
    crowd_watch(sched, now);
    help_stuck(sched, now);  // before this round ends slices
    int64_t next = watch_all(sched, now, &work);
    // relaxed, both: a hint. tell_sysmon sets the note where it finds 0
    if (work || rt_load_relaxed(&sched->sysmon.hurry) != 0) {
      hurry = work ? HURRY_ROUNDS : hurry == 0 ? HURRY_ROUNDS : hurry - 1;
      rt_store_relaxed(&sched->sysmon.hurry, hurry > 0);
      if (hurry > 0) next = now + CALL_NS;
    }
    int64_t line = stats_lines(sched, now);
    if (line < next) next = line;
    rt_note_wait(&sched->sysmon.note, next);
  }
}
