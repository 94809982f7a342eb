// SPDX-License-Identifier: MIT
// The monitor (row 20): a thread without a P, for what nobody on a P sees in
// time: a slice that is over, timers of a P whose G does not come to a look,
// a collection that nobody asked for in two minutes. It reads atomics of Ps
// and sets flags; it touches no G, timer or heap.
//
// It sleeps until the earliest deadline it is there for. After two rounds with
// all Ps idle it sleeps wholly, until a P is taken (idle_get_p):
//   sysmon: stores sysmon_asleep, seq_cst; loads idle_count, seq_cst
//   taker:  lowers idle_count, seq_cst RMW; loads sysmon_asleep, seq_cst
// so one of them sees the other.
#include "internal.h"

static const int64_t ROUND_MIN = NS_PER_MS / 2, ROUND_MAX = 5 * NS_PER_MS;
static const int64_t COLLECT_NS = (int64_t)120 * 1000 * NS_PER_MS;
enum { QUIET_ROUNDS = 2 };

void sysmon_wake(Sched *s) {
  if (rt_exchange(&s->sysmon_asleep, 0u)) rt_note_set(&s->sysmon_note);
}

static bool all_idle(Sched *s) {
  // seq: see the head
  return rt_load_seq(&s->idle_count) == (uint32_t)procs_now(s);
}

// Looks at one running P; when it has to be looked at next.
static int64_t watch(Sched *s, P *p, int64_t now) {
  uint32_t tick = rt_load_relaxed(&p->schedtick);  // relaxed: any recent value
  int64_t first = timers_first(p);
  if (first != 0 && now - first > URGENT_NS) idle_wakep(s);  // steal it
  if (tick != p->sysmon_tick) {
    p->sysmon_tick = tick;
    p->sysmon_when = now;
  } else if (now - p->sysmon_when >= SLICE_NS) {
    rt_or(&p->look, LOOK_PREEMPT);
    p->sysmon_when = now;
  }
  return p->sysmon_when + SLICE_NS;
}

static int64_t watch_all(Sched *s, int64_t now) {
  int64_t next = now + ROUND_MAX;
  for (int i = 0; i < procs_now(s); i++) {
    P *p = p_at(s, i);
    if (rt_load_relaxed(&p->status) != P_RUNNING) continue;  // a hint
    int64_t due = watch(s, p, now);
    if (due < next) next = due;
  }
  return next < now + ROUND_MIN ? now + ROUND_MIN : next;
}

static void want_collection(Sched *s, int64_t now) {
  // relaxed: written by collectors, any recent value
  if (now - rt_load_relaxed(&s->collected_at) < COLLECT_NS) return;
  rt_store_relaxed(&s->collected_at, now);
  if (s->hooks.want_gc != NULL) s->hooks.want_gc(s->hooks.host);
}

static void sleep_wholly(Sched *s) {
  rt_store_seq(&s->sysmon_asleep, 1u);
  // acquire: pairs with exit_begin, which sets the note afterwards
  if (all_idle(s) && !rt_load_acquire(&s->exiting)) {
    rt_note_wait(&s->sysmon_note, RT_FOREVER);
  }
  rt_store_seq(&s->sysmon_asleep, 0u);
}

void sysmon_main(void *arg) {
  Sched *s = arg;
  int quiet = 0;
  while (!rt_load_acquire(&s->exiting)) {  // acquire: as in sleep_wholly
    quiet = all_idle(s) ? quiet + 1 : 0;
    if (quiet > QUIET_ROUNDS) {
      sleep_wholly(s);
      quiet = 0;
    }
    int64_t now = rt_now();
    want_collection(s, now);
    rt_note_wait(&s->sysmon_note, watch_all(s, now));
  }
}
