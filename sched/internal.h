// SPDX-License-Identifier: MIT
// What the files of sched/ share: Sched, M, and functions grouped by the file
// that defines them. Included by sched/*.c (and white-box tests) only.
//
// Who may call is said at each function: "owner P" (the M that holds it),
// "sched.lock held", "world stopped", "any thread".
#ifndef CSP_SCHED_INTERNAL_H
#define CSP_SCHED_INTERNAL_H

#include "sched/sched.h"

enum {
  TICK_GLOBAL = 61,        // row 8: every 61st tick looks at the global queue
  NEXT_PICKS_MAX = 61,     // row 5: from runnext in a row
  GLOBAL_BATCH_MAX = 128,  // row 7
  STEAL_ROUNDS = 4,        // row 12
  FUTILE_MAX = 2,          // default of futile_max
  LOOKS_PER_CLOCK = 4,     // a power of two
  SYSCALLS_MAX_DEFAULT = 512,
  NS_PER_US = 1000,
  NS_PER_MS = 1000000,
  SLICE_NS = 10 * NS_PER_MS,  // row 19
  URGENT_NS = NS_PER_MS,      // row 19: a G woken by a timer waits no longer
  NEXT_FILL_NS = 50 * NS_PER_US,  // row 5
  STEAL_NEXT_NS = 3 * NS_PER_US,  // row 12
  MASK_WORDS = PROCS_MAX / 64,
};

enum { NEXT_QUIET, NEXT_FILLED, NEXT_TIMED };  // p->next_fill

typedef struct GList {  // linked by G.link
  G *first, *last;
  uint32_t count;
} GList;

typedef struct PMask {
  uint64_t words[MASK_WORDS];  // atomic
} PMask;

typedef struct StealOrder {  // order.c; changed while the world is stopped
  uint32_t count, coprime_count;
  uint16_t coprimes[PROCS_MAX];
} StealOrder;

typedef struct OrderWalk {
  uint32_t left, count, at, stride;
} OrderWalk;

// Work for Ms while the world is stopped (sched_run_stopped).
typedef struct WorldJob {
  void (*fn)(void *arg, int worker, int workers);
  void *arg;
  int workers;
  uint32_t pending;  // atomic: helpers not yet through
  M *boss;
} WorldJob;

struct M {
  Sched *sched;  // immutable
  uint32_t id;   // immutable
  M *all_next;   // immutable once in s->all_ms
  RtThread thread;
  P *p;           // the M's own
  bool spinning;  // the M's own; set by whoever starts it, before
  RtNote note;    // wake up and look around, under sched.lock

  // --- guarded by sched.lock ---
  M *idle_next, *idle_prev;
  bool idle;           // in s->idle_ms
  bool started, done;  // the thread was created; has left
  bool stop_waiting;   // in world_wait, holding its P
  P *next_p;           // what it was woken with
  P *old_p;            // before the system call
  G *call_g;           // in a system call
  WorldJob *job;
  int job_worker;
};

struct Sched {
  // --- immutable, or changed while the world is stopped ---
  SchedHooks hooks;
  uint64_t seed, empty_word;
  uint32_t m_limit, syscalls_max;
  uint32_t futile_max;   // searches after which a spawn wakes nobody at once
  bool barrier;          // sched_set_barrier
  int32_t procs;         // atomic: Ms without a P read it too
  P *all_ps[PROCS_MAX];  // atomic: filled up to ps_made, never taken out
  int32_t ps_made;       // atomic
  StealOrder order;
  int64_t started_at;

  // --- read by all, changed on idle transitions only ---
  uint32_t spinning RT_ALIGNED;  // atomic: Ms looking for work (row 15)
  uint32_t idle_count;           // atomic; written under lock
  uint32_t futile;    // atomic, a hint: searches in a row that found nothing
  uint32_t stopping;  // atomic; written under lock (world.c)
  uint32_t exiting;   // atomic; written under lock
  PMask idle_mask, timer_mask;

  RtLock lock RT_ALIGNED;  // "sched.lock"; guards what follows
  GList global;            // count is atomic for readers without the lock
  P *idle_ps;
  M *idle_ms;
  M *all_ms;
  uint32_t ms_live, ms_idle, ms_made;
  uint32_t syscalls;    // Ms in blocking calls
  uint32_t slots_kept;  // for Gs that were in call_queue and are runnable
  GList call_queue;     // wait until fewer than syscalls_max are in calls
  M *poller;            // the idle M that sleeps until poll_until
  int64_t poll_until;   // earliest timer of the idle Ps
  uint64_t parks, wakes, calls;
  SchedEnd end;
  int64_t ended_at;  // 0: not yet
  bool running;      // between start and end of sched_run
  bool leaked;       // threads are stuck in the kernel and use this

  // --- world.c ---
  uint32_t world_busy;    // a stop or a handshake is under way
  bool resizing;          // the stop changes the number of Ps
  uint32_t turn_waiters;  // handshakes that wait until world_busy is clear
  int32_t stop_wait;      // atomic for the stopper: Ps still to stop
  M *stopper;
  void (*handshake)(void *arg, P *p);
  void *handshake_arg;

  uint32_t end_seq RT_ALIGNED;  // atomic: an M ended or entered a call
  uint64_t next_id;             // atomic: G ids
  int64_t pins;                 // atomic

  // --- sysmon.c ---
  RtNote sysmon_note;
  int64_t collected_at;    // atomic: the last stop of the world, or warning
  uint32_t sysmon_asleep;  // atomic: sleeps until a P stops being idle
  bool sysmon_started;
  RtThread sysmon_thread;
};

#define P_COUNT(p, field, n) \
  rt_store_relaxed(&(p)->stats.field, (p)->stats.field + (n))

// --- g.c --------------------------------------------------------------------
_Noreturn void g_bad_state(const G *g, GState from, GState to);

static inline GState g_state(const G *g) {
  return (GState)rt_load_relaxed(&g->status);  // relaxed: see g_change
}

// Whoever holds the G right now (its M, the waker that dequeued it, the M
// that took it from a queue); so a checked plain store is enough. What others
// learn they learn through the queue or lock that hands the G over.
static inline void g_change(G *g, GState from, GState to) {
  if (rt_load_relaxed(&g->status) != from) g_bad_state(g, from, to);
  rt_store_relaxed(&g->status, (uint32_t)to);
}

// Owner P, when its G leaves it; sets the state last.
static inline void g_leave(P *p, G *g, GState to, WaitReason reason) {
  RT_ASSERT(p->current == g);
  p->current = NULL;
  g->p = NULL;
  g->reason = (uint8_t)reason;
  g->preempted = g->urgent = false;
  g->since = p->clock;
  g_change(g, G_RUNNING, to);
}

static inline void urgent_clear(P *p) {
  p->urgent = 0;
  p->urgents = 0;
}

// A thief may have taken others: until the queue is empty they count on.
static inline void urgent_taken(P *p, G *g) {
  if (g->urgent && --p->urgents == 0) p->urgent = 0;
  g->urgent = false;
}

// Owner P; g was taken from a queue.
static inline void proc_set_running(P *p, G *g) {
  g_change(g, G_RUNNABLE, G_RUNNING);
  g->p = p;
  p->current = g;
  if (p->urgent != 0) urgent_taken(p, g);
  P_COUNT(p, schedules, 1);
}

static inline void glist_push(GList *list, G *g) {
  g->link = NULL;
  if (list->last == NULL) {
    list->first = g;
  } else {
    list->last->link = g;
  }
  list->last = g;
  list->count++;
}

static inline G *glist_pop(GList *list) {
  G *g = list->first;
  if (g == NULL) return NULL;
  list->first = g->link;
  if (g->link == NULL) list->last = NULL;
  g->link = NULL;
  list->count--;
  return g;
}

// --- runq.c: owner P unless said otherwise ----------------------------------
void runq_put(P *p, G *g);  // to the ring's tail; may overflow (sched.lock)
void runq_put_list(P *p, GList *list);
G *runq_pop(P *p);  // from the ring's head; NULL: empty
// Puts g into runnext; true: another G was displaced to the ring's tail.
// publish: idle_wakep is called next.
bool runq_put_next(P *p, G *g, bool publish);
// The same where runnext is seen empty: thieves only ever empty it.
static inline bool runq_fill_next(P *p, G *g) {
  if (rt_load_relaxed(&p->runnext) != NULL) return false;  // relaxed: as said
  p->next_fill = NEXT_FILLED;
  rt_store_release(&p->runnext, g);  // release: pairs with the thief's CAS
  return true;
}
// NULL: empty, or just stolen.
static inline G *runq_take_next(P *p) {
  G *g = rt_load_relaxed(&p->runnext);  // relaxed: own store, or CAS decides
  if (g == NULL) return NULL;
  if (p->single) {
    rt_store_relaxed(&p->runnext, (G *)NULL);  // relaxed: no thieves
  } else if (!rt_cas(&p->runnext, &g, (G *)NULL)) {
    return NULL;  // stolen; only the owner fills it, so it is empty now
  }
  p->next_fill = NEXT_QUIET;
  return g;
}
void runq_displace_next(P *p);  // runnext to the ring's tail
G *runq_steal(P *p, P *victim, bool next_too);
void runq_flush(P *p, GList *list);  // all of it; also with the world stopped
bool runq_ring_empty(P *p);          // any thread; a hint except for the owner
bool runq_has_work(P *p);            // any thread: worth waking up for
uint32_t runq_length(P *p);          // any thread; a hint

// --- global.c ---------------------------------------------------------------
static inline uint32_t global_count(Sched *s) {
  // seq: the idle protocol (idle.c) reads it after dropping `spinning`
  return rt_load_seq(&s->global.count);
}
void global_put(Sched *s, G *g);              // sched.lock held
void global_put_list(Sched *s, GList *list);  // sched.lock held
G *global_pop(Sched *s);                      // sched.lock held
G *global_get(P *p, uint32_t max);  // owner P; takes sched.lock; 0: row 7

// --- order.c, mask.c --------------------------------------------------------
void order_reset(StealOrder *order, uint32_t count);
OrderWalk order_start(const StealOrder *order, uint64_t random);
static inline bool order_next(OrderWalk *walk, uint32_t *position) {
  if (walk->left == 0) return false;
  walk->left--;
  *position = walk->at;
  walk->at += walk->stride;
  if (walk->at >= walk->count) walk->at -= walk->count;
  return true;
}
void mask_set(PMask *mask, int32_t id);    // any thread
void mask_clear(PMask *mask, int32_t id);  // any thread
bool mask_read(const PMask *mask, int32_t id);
bool mask_empty(const PMask *mask);

// --- proc.c -----------------------------------------------------------------
void m_loop(M *m);   // the life of an M, until the end
M *m_new(Sched *s);  // sched.lock held; NULL: limit or memory
bool m_start_thread(M *m);
void m_thread(void *m);

// --- find.c -----------------------------------------------------------------
// The next G for m, which has a P on return; NULL: the runtime ends.
G *find_runnable(M *m, bool *inherit);

// --- idle.c -----------------------------------------------------------------
void idle_put_p(Sched *s, P *p);   // sched.lock held; p has no work
P *idle_get_p(Sched *s, P *wish);  // sched.lock held; NULL: none
void idle_take_p(M *m, P *p);      // sched.lock held; p from idle_get_p
bool idle_wait(M *m);              // m without P sleeps; true: it has one again
bool idle_start_m(Sched *s, P *p, bool spinning);  // p taken; no lock held
void idle_wakep(Sched *s);                         // any thread
// m has given its P back, and does not spin: T3 of the protocol. true: there
// is work, m has a P again and spins.
bool idle_look_again(M *m);
bool idle_timers_alone(Sched *s);  // sched.lock held
void idle_stop_spinning(M *m);
void idle_check_deadlock(Sched *s);   // sched.lock held
void idle_give_back(Sched *s, P *p);  // p taken, but no M to be had for it
void idle_stop_all(Sched *s);         // sched.lock held: idle Ps become STOPPED
void idle_wake_m(M *m);

// --- timer.c ----------------------------------------------------------------
void timers_init(P *p);
void timers_free(P *p);
static inline int64_t timers_first(P *p) {
  return rt_load_relaxed(&p->timers.first);  // relaxed: a hint, lock decides
}
// Runs the due timers of `victim` on the M of p. true: some ran.
bool timers_run(P *p, P *victim, int64_t now);
void timers_move(P *to, P *from);  // world stopped

// --- world.c, sysmon.c, run.c -----------------------------------------------
bool world_stop(P *p, bool resizing);  // owner P; false: not now
void world_start(Sched *s);            // by the M that stopped it

// m with its P stops for a stop of the world and runs a handshake. When procs
// is about to change a G that is still on the P must leave first: then nothing
// is done and false returned. Without a G m->p may be NULL afterwards.
bool world_attend(M *m);
void world_p_left(Sched *s, P *p);  // sched.lock held; p stops being run
void world_run_job(M *m);
void exit_begin(Sched *s, SchedEnd end);  // sched.lock held
void run_count_again(Sched *s);  // the thread in sched_run counts the Ms
void sysmon_main(void *sched);
void sysmon_wake(Sched *s);       // any thread
P *run_make_p(Sched *s, int id);  // before start, or world stopped; STOPPED
void run_drop_p(P *p);            // world stopped, empty, without M: DEAD

static inline int32_t procs_now(const Sched *s) {
  return rt_load_relaxed(&s->procs);  // relaxed: changes while stopped
}
static inline P *p_at(const Sched *s, int index) {
  // acquire: pairs with the release in run_make_p (Ms without a P read it)
  return rt_load_acquire(&s->all_ps[index]);
}

#endif
