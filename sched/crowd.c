// SPDX-License-Identifier: MIT
// Crowding (row 16b). Goroutines whose turns take 100 ns and that all use one
// channel run fastest on one P. A second P that steals some of them brings the
// channel's cache line to and fro, and both wait for its lock. Nobody can say
// beforehand whether a second P helps: the same queue may hold pairs that never
// meet. So it is tried, and measured.
//
// A P counts events of crowding. A channel whose lock another P had last is
// one. Each pause in the wait for such a lock is one. A steal that keeps its
// thief busy for no more than 5 us is eight. After 64 of them the P looks at
// the window since it looked last. It is crowded where an event came with at
// least each 16th turn, and turns did less than an eighth of the work between
// two looks (about 1 us). The work counts, as waiting makes turns long.
//
// After two crowded windows in a row the M rests, unless it is the last one
// that works. (One alone is no sign: of the sieve's windows one in three is.)
// It hands the Gs of its P to the global queue, gives the P back, and sleeps
// for 50 us. While it sleeps the others tell whether that was right. All turns
// of all Ps are counted, and if the rate has fallen by a tenth, nobody rests
// for the next 1 ms (2, 4, ... 128 while that repeats). Otherwise the M tries
// again, and if its next window is crowded it rests twice as long, up to 2 ms.
// So a program that is better off with one P pays for a trial of some 20 us
// each 2 ms, and one that gains by the second P pays for a rest of 50 us now
// and then.
//
// While an M rests, or tries, the runtime is quiet: a G that is queued wakes no
// P, as that P would only come to steal it. What waits longer is found by
//   - the M that rests, at the end of its rest
//   - a look, or a search, of a running P, when the quiet time is over or its
//     turn has lasted for 50 us
//   - sysmon, when the quiet time is over
// So nothing waits in a queue for more than 4 ms and a round of sysmon while a
// P is idle. Urgent Gs, timers, netpoll, posts and Gs that are preempted wake
// Ps as ever.
//
// Whoever ends the quiet time wakes an M, or looks itself, after it. Against
// that stands a thread that queues a G, and an M that gives its P back to rest:
// both load quiet_until afterwards. All are seq_cst. If the load sees the quiet
// time, it comes before the end of it. Then the M that is woken sees the G, and
// whoever ends it sees the idle P. If it sees none, the thread wakes an M, and
// the M looks for work before it sleeps.
//
// All other shared fields are hints: relaxed loads and stores of times and
// lengths. A stale one makes a rest too short or too long. No G depends on
// them: an M that rests has an empty queue, and it has seen under sched.lock
// that another P is not idle, which will come to the global queue (release_p).
#include "sched/crowd.h"

#include "sched/global.h"
#include "sched/idle.h"
#include "sched/runq.h"
#include "sched/urgent.h"

enum {
  POOR_EVENTS = 8,          // of a steal that was not worth it
  POOR_NS = 5 * NS_PER_US,  // ... which kept its thief busy for so long
  TURNS_PER_EVENT = 16,     // at most, in a crowded window
  TURNS_PER_LOOK = 8,       // at least
  REST_MIN_NS = 50 * NS_PER_US,
  REST_MAX_NS = 2 * NS_PER_MS,
  REST_KNOWN_NS = 10 * NS_PER_MS,  // a rest is followed by a longer one
  VAIN_MIN_NS = NS_PER_MS,         // nobody rests after one that was wrong
  VAIN_MAX_NS = 128 * NS_PER_MS,
};

// --- Windows and rates ------------------------------------------------------
static uint64_t turns_of_all(Sched *sched) {
  uint64_t sum = 0;
  for (int i = 0; i < procs_now(sched); i++) {
    // relaxed: a counter of its owner's
    sum += rt_load_relaxed(&p_at(sched, i)->stats.schedules);
  }
  return sum;
}

static double turns_rate(uint64_t turns, int64_t ns) {
  return (double)turns / (double)(ns < 1 ? 1 : ns);
}

static bool was_crowded(const P *p, const CrowdWindow *window) {
  uint64_t turns = p->stats.schedules - window->turns;
  uint64_t events = p->crowding - window->events,
           looks = p->looks - window->looks;
  return events * TURNS_PER_EVENT >= turns && looks * TURNS_PER_LOOK < turns;
}

// --- What a steal was worth -------------------------------------------------
void crowd_stole(M *m) { m->stole_at = rt_now(); }

void crowd_ran_dry(M *m) {
  if (m->stole_at == 0) return;
  if (rt_now() - m->stole_at <= POOR_NS) m->p->crowding += POOR_EVENTS;
  m->stole_at = 0;
}

// --- Rests ------------------------------------------------------------------
static int64_t quiet_until(const Sched *sched) {
  // relaxed: a hint. The CAS in end_quiet decides
  return rt_load_relaxed(&sched->crowd.quiet_until);
}

// false: it has been ended, or another one has begun meanwhile. Whoever ends it
// looks for work, or wakes an M that does, as nobody was woken before.
static bool end_quiet(Sched *sched, int64_t until) {
  // RMW: of several one does. seq: before what it loads to look or to wake
  return until != 0 && rt_cas(&sched->crowd.quiet_until, &until, (int64_t)0);
}

// One at a time, so that the next one sees what this one did. Not one that
// spins, as others may have left their work to it. Urgent Gs would lose their
// place in the global queue.
static bool may_begin(M *m, int64_t now) {
  Sched *sched = m->sched;
  if (m->spinning || urgent_waits(m->p)) return false;
  // relaxed, all: hints. An M that goes on to rest looks again (release_p)
  if (now < rt_load_relaxed(&sched->crowd.vain_until)) return false;
  uint32_t idle = rt_load_relaxed(&sched->idle_count);
  if (idle + 1 >= (uint32_t)procs_now(sched)) return false;
  int64_t last = rt_load_relaxed(&sched->crowd.rest_begun);
  // RMW: of two Ms in may_begin one does
  return now - last >= CROWD_APART_NS &&
         rt_cas(&sched->crowd.rest_begun, &last, now);
}

static void rest_from_now(M *m, int64_t now) {
  Sched *sched = m->sched;
  RT_ASSERT(!m->spinning && !m->rests);
  // relaxed, all: hints (see the head)
  int64_t rest = 2 * rt_load_relaxed(&sched->crowd.rest_ns);
  bool first =
      now - rt_load_relaxed(&sched->crowd.rested_until) > REST_KNOWN_NS;
  if (first || rest < REST_MIN_NS) rest = REST_MIN_NS;
  if (rest > REST_MAX_NS) rest = REST_MAX_NS;
  // relaxed, all: see above
  rt_store_relaxed(&sched->crowd.rest_ns, rest);
  rt_store_relaxed(&sched->crowd.rested_until, now + rest);
  rt_store_relaxed(&sched->crowd.quiet_until, now + 2 * rest);
  m->stole_at = 0;
  m->rests = true;
  m->rest_until = now + rest;
}

void crowd_no_rest(Sched *sched) {
  if (end_quiet(sched, quiet_until(sched))) idle_wakep(sched);
}

bool crowd_is_thick(M *m) {
  Sched *sched = m->sched;
  P *p = m->p;
  CrowdWindow window = p->window;
  uint64_t all = turns_of_all(sched);
  int64_t now = p->clock = rt_now();
  bool crowded = was_crowded(p, &window);
  p->window = (CrowdWindow){p->crowding, p->looks, p->stats.schedules,
                            all,         now,      crowded};
  if (!crowded) {
    crowd_no_rest(sched);
    return false;
  }
  if (!window.crowded || !may_begin(m, now)) return false;
  m->rest_from =
      (CrowdRest){turns_rate(all - window.all, now - window.begun), all, now};
  rest_from_now(m, now);
  return true;
}

void crowd_rest_is_over(M *m) {
  Sched *sched = m->sched;
  const CrowdRest *from = &m->rest_from;
  int64_t now = rt_now(), vain = 0;
  double meanwhile =
      turns_rate(turns_of_all(sched) - from->all, now - from->begun);
  if (meanwhile * 10 < from->rate * 9) {
    // relaxed: a hint (see the head)
    vain = 2 * rt_load_relaxed(&sched->crowd.vain_ns);
    if (vain < VAIN_MIN_NS) vain = VAIN_MIN_NS;
    if (vain > VAIN_MAX_NS) vain = VAIN_MAX_NS;
    // relaxed: a hint for may_begin
    rt_store_relaxed(&sched->crowd.vain_until, now + vain);
    end_quiet(sched, quiet_until(sched));
  }
  rt_store_relaxed(&sched->crowd.vain_ns, vain);  // relaxed: as above
}

// --- The quiet time ---------------------------------------------------------
void crowd_look(P *p, int64_t now) {
  Sched *sched = p->sched;
  int64_t until = quiet_until(sched);
  if (until == 0) return;
  if (p->turn_seen != p->stats.schedules) {
    p->turn_seen = p->stats.schedules;
    p->turn_seen_at = now;
  }
  bool lasts = now - p->turn_seen_at >= NEXT_FILL_NS &&
               (runq_length(p) > 0 || global_count(sched) > 0);
  if (lasts || (now > until && end_quiet(sched, until))) idle_wakep(sched);
}

// Where turns are long but without looks, as with natives of a host, nobody
// else ends the quiet time soon. The owner comes here only each CLOCK_SEARCHES
// searches, hundreds of turns later. And sysmon's watch sees turns that change.
// The scenario crowd_slow fails without this.
void crowd_watch(Sched *sched, int64_t now) {
  int64_t until = quiet_until(sched);
  if (now > until && end_quiet(sched, until)) idle_wakep(sched);
}
