// SPDX-License-Identifier: MIT
// What the files of sched/ share: Sched, M, and functions grouped by the file
// that defines them. Included by sched/*.c (and white-box tests) only.
//
// Each function says which threads may call it: "owner P" (the M that holds
// it), "sched.lock held", "world stopped", "any thread".
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
  CLOCK_SEARCHES = 16,     // find_runnable: searches for each clock and sample
  SYSCALLS_MAX_DEFAULT = 512,
  NS_PER_US = 1000,
  NS_PER_MS = 1000000,
  SLICE_NS = 10 * NS_PER_MS,      // row 19
  URGENT_NS = NS_PER_MS,          // row 19: a woken G waits no longer
  NEXT_FILL_NS = 50 * NS_PER_US,  // row 5
  POLL_NS = NS_PER_MS / 5,        // row 24: Ps that run poll that often
  STEAL_NEXT_NS = 3 * NS_PER_US,  // row 12
  CALL_NS = 20 * NS_PER_US,       // row 22: a quick call may take that long
  TIMERS_BATCH = 128,             // as many are fired at a time: about 20 us
  TURN_NS = 50 * NS_PER_US,  // until it is asked again which M stops the world
  MASK_WORDS = PROCS_MAX / 64,
};

enum { NEXT_QUIET, NEXT_FILLED, NEXT_TIMED };  // p->next_fill

typedef struct PMask {
  uint64_t words[MASK_WORDS];  // atomic
} PMask;

typedef struct StealOrder {  // steal_order.c; changed while the world is
                             // stopped
  uint32_t count, coprime_count;
  uint16_t coprimes[PROCS_MAX];
} StealOrder;

typedef struct OrderWalk {
  uint32_t left, count, at, stride;
  const uint16_t *ids;  // of a ring; NULL: all Ps
} OrderWalk;

// Row 17, where there are several domains of CPUs; see steal_order.c.
enum { RING_DOMAIN, RING_NODE, RING_REST, RINGS };

typedef struct Rings {  // the other Ps as one P sees them; its owner's
  uint32_t version;     // of the places they were made from
  uint16_t end[RINGS];  // in ids
  uint16_t ids[PROCS_MAX];
} Rings;

typedef struct Locality {
  const SchedTopology *topology;  // immutable
  uint32_t version;               // atomic: counts changes of what follows
  uint32_t places[PROCS_MAX];     // atomic: where a P was last; its owner's
  Rings *rings[PROCS_MAX];        // made and used by the owner of that P
} Locality;

// Work for Ms while the world is stopped (sched_run_stopped).
typedef struct WorldJob {
  void (*fn)(void *arg, int worker, int workers);
  void *arg;
  int workers;
  uint32_t pending;  // atomic: helpers not yet through
  M *boss;
} WorldJob;

// inbox.c; atomic: pushed to by CAS, emptied by exchange.
typedef struct Inbox {
  SchedPost *posts;
  G *woken;       // linked by G.link; still waiting
  G *returned;    // likewise, from calls; runnable
  uint32_t turn;  // atomic: which P is flagged first
} Inbox;

typedef struct Poller Poller;  // poll.c

// A G in a running P's runnext that was waited for, for nothing (runq.c): while
// that P has begun nothing else it need not be waited for again.
typedef struct StuckNext {
  const G *g;
  const P *p;
  uint64_t begun;
} StuckNext;

struct M {
  Sched *sched;  // immutable
  uint32_t id;   // immutable
  M *all_next;   // immutable once in s->all_ms
  RtThread thread;
  P *p;                   // the M's own
  bool spinning;          // the M's own; set by whoever starts it, before
  StuckNext stuck;        // the M's own
  RtNote note;            // wake up and look around, under sched.lock
  uint32_t polling;       // atomic: it may block in netpoll, not on the note
  uint64_t call_ticks;    // the M's own, when tracing: its call began
  const char *stack_end;  // as deep as calls may nest (m_take_stack); its own

  // --- guarded by sched.lock ---
  M *idle_next, *idle_prev;
  bool idle;              // in s->idle_ms
  bool started, done;     // the thread was created; has left
  bool starting;          // it is being created; counted in ms_starting
  bool stop_waiting;      // waits for the world, holding its P
  bool stopped_spinning;  // ... and was looking for work
  P *next_p;              // what it was woken with
  P *old_p;               // before the system call
  G *call_g;              // in a system call
  G *locked_g;            // callback.c; read by the M itself without the lock
  WorldJob *job;
  int job_worker;
};

struct Sched {
  // --- immutable, or changed while the world is stopped ---
  SchedHooks hooks;
  uint64_t seed, empty_word;
  uint32_t m_limit, syscalls_max;
  bool syscalls_given;   // by SchedConfig: does not depend on the Ps
  int32_t cpus;          // of this process: no more Ms work in a stopped world
  uint32_t futile_max;   // searches after which a spawn wakes nobody at once
  bool barrier;          // sched_set_barrier
  bool child_first;      // owners take the newest of their ring (runq.c)
  bool stepped;          // stepped.c
  Locality *locality;    // atomic: it comes late; NULL: one domain
  int32_t procs;         // atomic: Ms without a P read it too
  P *all_ps[PROCS_MAX];  // atomic: filled up to ps_made, never taken out
  int32_t ps_made;       // atomic
  StealOrder order;
  const Memory *memory;           // immutable
  const SchedTopology *topology;  // NULL: not asked for yet
  SchedTopology *own_topology;    // the same, if it was read by us
  int64_t started_at;

  // --- read by all, changed on idle transitions only ---
  uint32_t spinning RT_ALIGNED;  // atomic: Ms looking for work (row 15)
  uint32_t idle_count;           // atomic; written under lock
  uint32_t futile;    // atomic, a hint: searches in a row that found nothing
  uint32_t stopping;  // atomic; written under lock (stop_world.c)
  uint32_t exiting;   // atomic; written under lock
  PMask idle_mask, timer_mask;
  Inbox inbox RT_ALIGNED;
  Poller *poll;           // atomic; made by the first poll_open
  uint32_t poll_waiters;  // atomic: Gs parked on descriptors
  uint32_t poll_blocked;  // atomic, a hint: Ms that block in netpoll
  int64_t polled_at;      // atomic: when somebody polled last
  uint32_t begun;         // atomic: sched_run has its first M

  RtLock lock RT_ALIGNED;  // "sched.lock"; guards what follows
  GList global;            // count is atomic for readers without the lock
  P *idle_ps;
  M *idle_ms;
  M *all_ms;
  uint32_t ms_live, ms_idle, ms_made, ms_starting;
  uint32_t syscalls;    // Ms in blocking calls
  uint32_t callbacks;   // Ms with a locked_g, not in a call (callback.c)
  uint32_t slots_kept;  // for Gs that left call_first and are runnable
  uint32_t calls_full;  // atomic: syscalls + slots_kept >= syscalls_max
  Waiter *call_first, *call_last;  // Gs that wait until fewer than
                                   // syscalls_max are in calls
  M *poller;                       // the idle M that sleeps until poll_until
  M *poll_owner;                   // blocks in netpoll; one at most
  int64_t poll_until;              // earliest timer of the idle Ps
  uint64_t parks, wakes, calls, retakes;
  TraceRing trace;  // what is no P's
  SchedEnd end;
  int64_t ended_at;         // 0: not yet
  bool running;             // between start and end of sched_run
  bool leaked;              // threads are stuck in the kernel and use this
  void (*last)(void *arg);  // what the last of them calls, or NULL
  void *last_arg;

  // --- stop_world.c ---
  uint32_t world_busy;    // a stop or a handshake is under way
  bool resizing;          // the stop changes the number of Ps
  uint32_t turn_waiters;  // handshakes that wait until world_busy is clear
  int32_t stop_wait;      // atomic for the stopper: Ps still to stop
  M *stopper;
  void (*handshake)(void *arg, P *p);
  void *handshake_arg;

  uint32_t end_seq RT_ALIGNED;  // atomic: an M ended or entered a call
  uint32_t exit_wanted;         // atomic: sched_exit_soon
  uint64_t next_id;             // atomic: G ids
  int64_t pins;                 // atomic
  SchedPost *when_stuck;        // guarded by lock: sched_when_stuck; or NULL

  // --- stepped.c: the host's thread's, but for what is atomic ---
  M *host;              // immutable
  int64_t host_until;   // of the run under way; RT_FOREVER
  int64_t host_limit;   // of the calls under way (SteppedRun.done), likewise
  int64_t slice_ns;     // SLICE_NS; stepped: a 16th of a run at most
  int64_t alarm;        // what poll_alarm was told last
  uint32_t host_way;    // atomic, HostWay
  uint32_t stepped_fd;  // atomic: the host watches the descriptor

  // --- sysmon.c ---
  RtNote sysmon_note;
  int64_t collected_at;     // atomic: the last stop of the world, or warning
  uint32_t sysmon_asleep;   // atomic: sleeps until a P stops being idle
  uint32_t sysmon_hurry;    // atomic, a hint: it looks every CALL_NS
  uint32_t sysmon_started;  // atomic
  RtThread sysmon_thread;
  int64_t line_at;  // when it prints the next trace line

  // --- watching (stats.c, trace.c): immutable ---
  int64_t line_ns;  // 0: no lines
  bool line_details;
  bool trace_ticks;       // moments of events are rt_ticks, not rt_now
  uint32_t trace_events;  // size of the rings, a power of two; 0: none
  uint64_t trace_begun;   // started_at in ticks
};

// relaxed: a counter that its owner alone raises
#define P_COUNT(p, field, n) \
  rt_store_relaxed(&(p)->stats.field, (p)->stats.field + (n))

// --- trace.c ----------------------------------------------------------------
// X(name): what an event tells of; `g` is a G's id, or 0
#define TRACE_EVENTS(X)                                                    \
  X(CREATE)  /* g was started */                                           \
  X(RUN)     /* g runs; arg: its label */                                  \
  X(LEAVE)   /* g left the P; state, and reason while waiting */           \
  X(PREEMPT) /* a LEAVE by preemption */                                   \
  X(READY)   /* g was readied */                                           \
  X(STEAL)   /* arg Gs were taken from the P with the number in g */       \
  X(TIMERS)  /* arg timers were run */                                     \
  X(POLL)    /* arg Gs came out of netpoll */                              \
  X(CALL)    /* g's blocking call is over; arg: its begin; on M `track` */ \
  X(RETAKE)  /* the P `track` was taken from a call */                     \
  X(STOP)    /* somebody wants to stop the world */                        \
  X(STOPPED) /* it is */                                                   \
  X(START)   /* it goes on */

typedef enum TraceKind {
#define X(name) TRACE_##name,
  TRACE_EVENTS(X)
#undef X
} TraceKind;

bool trace_init(Sched *s, const SchedConfig *config);  // false: no memory
void trace_free(Sched *s);
bool trace_init_p(P *p);  // false: no memory
// Owner P.
void trace_event(P *p, TraceKind kind, uint64_t g, uint64_t arg);
#define TRACE(p, kind, g, arg)                                \
  (__builtin_expect((p)->marks & MARK_TRACE, 0)               \
       ? trace_event((p), TRACE_##kind, (g), (uint64_t)(arg)) \
       : (void)0)
// sched.lock held; by whom there is no P to write for.
void trace_shared(Sched *s, TraceKind kind, uint32_t track, uint64_t g,
                  uint64_t arg);
#define TRACE_SHARED(s, kind, track, g, arg)                            \
  ((s)->trace.events != NULL                                            \
       ? trace_shared((s), TRACE_##kind, (track), (g), (uint64_t)(arg)) \
       : (void)0)
// The long ways round of g_leave and proc_set_running: g or p is marked.
void trace_left(P *p, G *g, GState to);
G *trace_set_running(P *p, G *g);
void trace_run(P *p, G *g);    // MARK_TRACE is set: g runs on p
void trace_preempted(P *p);    // ... the LEAVE just now was a preemption
void trace_call_begins(M *m);  // ... m is about to make a call
void trace_call_ended(M *m, P *p, G *g);  // ... g runs on p again

// --- stats.c ----------------------------------------------------------------
// sysmon: prints a trace line when one is due. When the next one is;
// RT_FOREVER: never.
int64_t stats_lines(Sched *s, int64_t now);

// --- g.c --------------------------------------------------------------------
_Noreturn void g_bad_state(const G *g, GState from, GState to);

// Whoever holds the G right now (its M, the waker that dequeued it, the M
// that took it from a queue); so a checked plain store is enough. What others
// learn they learn through the queue or lock that hands the G over.
static inline void g_change(G *g, GState from, GState to) {
  // relaxed, both: the holder alone changes it
  if (rt_load_relaxed(&g->status) != from) g_bad_state(g, from, to);
  rt_store_relaxed(&g->status, (uint32_t)to);
}

// Owner P, when its G leaves it; sets the state last.
static inline void g_leave(P *p, G *g, GState to, WaitReason reason) {
  RT_ASSERT(p->current == g);
  p->current = NULL;
  g->p = NULL;
  g->reason = (uint8_t)reason;
  g->preempted = false;
  g->since = p->clock;
  // relaxed, both: as in g_change
  if (__builtin_expect(rt_load_relaxed(&g->status) == G_RUNNING, 1)) {
    rt_store_relaxed(&g->status, (uint32_t)to);
  } else {
    trace_left(p, g, to);
  }
}

// Gs readied in between are urgent (row 19): by timers, the network, or calls
// that returned.
static inline void firing_begin(P *p, int64_t now) {
  p->firing = now;
  p->marks |= MARK_FIRING;
}
static inline void firing_end(P *p) {
  p->firing = 0;
  p->marks &= (uint8_t)~MARK_FIRING;
}

// Owner P; g was taken from a queue. Returns g.
static inline G *proc_set_running(P *p, G *g) {
  // relaxed, both: as in g_change
  bool plain =
      rt_load_relaxed(&g->status) == G_RUNNABLE && (p->marks & MARK_TRACE) == 0;
  if (__builtin_expect(!plain, 0)) return trace_set_running(p, g);
  rt_store_relaxed(&g->status, (uint32_t)G_RUNNING);
  g->p = p;
  p->current = g;
  P_COUNT(p, schedules, 1);
  return g;
}

// For asserts: a plain load, by the thread that holds g.
static inline bool g_is(const G *g, GState state) {
  return (g->status & ~(uint32_t)G_MARK) == (uint32_t)state;
}

static inline void glist_push(GList *list, G *g) {
  RT_ASSERT((list->last == NULL) == (list->count == 0));
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
  RT_ASSERT(list->count > 0 && (g->link == NULL) == (g == list->last));
  list->first = g->link;
  if (g->link == NULL) list->last = NULL;
  g->link = NULL;
  list->count--;
  return g;
}

static inline PStatus p_status(const P *p) {
  // relaxed: whoever needs more holds sched.lock, or reads it again
  return (PStatus)(rt_load_relaxed(&p->status) & P_STATUS_MASK);
}

// --- runq.c: owner P unless said otherwise ----------------------------------
void runq_put(P *p, G *g);  // to the ring's tail; may overflow (sched.lock)
void runq_put_list(P *p, GList *list);
G *runq_pop(P *p);  // NULL: empty. The oldest; child first: the newest
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
    rt_store_relaxed(&p->runnext, (G *)NULL);        // relaxed: no thieves
  } else if (!rt_cas(&p->runnext, &g, (G *)NULL)) {  // RMW: this, or a thief
    return NULL;  // stolen; only the owner fills it, so it is empty now
  }
  p->next_fill = NEXT_QUIET;
  return g;
}
void runq_displace_next(P *p);  // runnext to the ring's tail
G *runq_steal(P *p, P *victim, bool next_too);
void runq_flush(P *p, GList *list);  // all of it; also with the world stopped
bool runq_ring_empty(P *p);          // any thread; a hint except for the owner
bool runq_is_empty(P *p);            // any thread: the ring, and what is urgent
// Any thread: worth waking up for. *seen: the caller's, or NULL.
bool runq_has_work(P *p, StuckNext *seen);
uint32_t runq_length(P *p);  // any thread; a hint

// --- urgent.c ---------------------------------------------------------------
// Owner P. Gs that are RUNNABLE, with G.since; the list is empty after it.
void urgent_put(P *p, GList *list);
// Owner P. NULL: none, or the others of this P have a turn.
G *urgent_take(P *p);
// Owner p, of half of victim's, rounded up; the first, the rest are p's urgent
// ones. last_too: also if there is only one.
G *urgent_steal(P *p, P *victim, bool last_too);
void urgent_flush(P *p, GList *list);  // as runq_flush, which calls it
// Any thread; a hint.
static inline bool urgent_waits(P *p) {
  return rt_load_relaxed(&p->urgent.list.count) != 0;  // relaxed: a hint
}

// --- global.c ---------------------------------------------------------------
static inline uint32_t global_count(Sched *s) {
  // seq: the idle protocol (idle.c) reads it after dropping `spinning`
  return rt_load_seq(&s->global.count);
}
void global_put(Sched *s, G *g);              // sched.lock held
void global_put_list(Sched *s, GList *list);  // sched.lock held
G *global_pop(Sched *s);                      // sched.lock held
G *global_get(P *p, uint32_t max);  // owner P; takes sched.lock; 0: row 7

// --- steal_order.c, topology.c, cpu_count.c, mask.c -------------------------
void order_of_procs(Sched *s);  // procs changed: before start, world stopped
// Reads the topology, unless that was done or there is one P. By the M that
// was started second, with its P: nobody stops the world meanwhile; or by the M
// that has stopped it, or before start.
void order_open(Sched *s);
void order_free(Sched *s);
// Any thread. NULL: the plain order.
static inline Locality *order_locality(const Sched *s) {
  return rt_load_acquire(&s->locality);  // acquire: pairs with order_open
}
void order_reset(StealOrder *order, uint32_t count);
OrderWalk order_start(const StealOrder *order, uint64_t random);
static inline bool order_next(OrderWalk *walk, uint32_t *position) {
  if (walk->left == 0) return false;
  walk->left--;
  *position = walk->ids == NULL ? walk->at : walk->ids[walk->at];
  walk->at += walk->stride;
  if (walk->at >= walk->count) walk->at -= walk->count;
  return true;
}
// Only with a locality. Owner P.
void order_note_place(P *p);
int order_ring_of(P *p, int other);  // of another P, as p sees it: RING_*
const Rings *order_rings(P *p);      // NULL: no memory, then the plain order
OrderWalk order_start_ring(const Rings *rings, int ring, uint64_t random);
// NULL: no memory.
SchedTopology *topology_of_system(const Memory *memory);
// "0-3,8-11": those below `cpus`. false: garbage.
bool topology_parse_list(const char *text, uint64_t *set, uint32_t cpus);
// The affinity mask, of *cpus bits (mem_free it); NULL: it cannot be had.
uint64_t *procs_affinity(const Memory *memory, uint32_t *cpus);
int procs_affinity_count(const Memory *memory);  // CPUs in it, at least 1
void mask_set(PMask *mask, int32_t id);          // any thread
void mask_clear(PMask *mask, int32_t id);        // any thread
bool mask_read(const PMask *mask, int32_t id);
bool mask_empty(const PMask *mask);

// --- proc.c -----------------------------------------------------------------
void m_loop(M *m);   // the life of an M, until the end
M *m_new(Sched *s);  // sched.lock held; NULL: limit or memory
bool m_start_thread(M *m);
void m_thread(void *m);
void m_take_stack(M *m);              // by the thread that is to run Gs
void proc_make_runnable(P *p, G *g);  // owner P: a new G, into no queue

// --- What must hold: checked in debug builds --------------------------------
// select.c: the order of locking is by rising address.
bool locks_are_sorted(const P *p, const SelCase *cases, const uint16_t *locks,
                      int count);
// idle.c, sched.lock held: idle_ps has idle_count Ps, which the mask has, too.
bool idle_is_valid(const Sched *s);
bool idle_ms_are_valid(const Sched *s);  // likewise: the pool of Ms
// timer.c, lock held: the entry there comes after its parent and before its
// children, and its timer knows its place; all entries.
bool timer_is_placed(const TimerHeap *heap, int32_t at);
bool timers_are_valid(const P *p);
// group.c, lock held: the first few members are linked both ways.
bool group_is_valid(const Group *group);
// global.c, sched.lock held.
bool global_is_valid(const Sched *s);
// syscall.c, sched.lock held: the queue of those that wait for a place.
bool calls_are_valid(const Sched *s);

// --- find_work.c ------------------------------------------------------------
// The next G for m, which has a P on return; NULL: the runtime ends; stepped:
// or there is none.
G *find_runnable(M *m, bool *inherit);

// --- idle.c -----------------------------------------------------------------
void idle_put_p(Sched *s, P *p);   // sched.lock held; p has no work
P *idle_get_p(Sched *s, P *wish);  // sched.lock held; NULL: none
void idle_take_p(M *m, P *p);      // sched.lock held; p from idle_get_p
bool idle_wait(M *m);              // m without P sleeps; true: it has one again
bool idle_add_m(
    Sched *s);  // to the pool. false: none is to be had; no lock held
bool idle_start_m(Sched *s, P *p, bool spinning);  // p taken; no lock held
void idle_wakep(Sched *s);                         // any thread
// m has given its P back, and does not spin: T3 of the protocol. true: there
// is work, m has a P again and spins.
bool idle_look_again(M *m);
bool idle_timers_alone(Sched *s);  // sched.lock held
void idle_sleep_in_netpoll(M *m, int64_t until);
// Owner P, in a look: gives what an idle P could do to one.
void idle_share(P *p);
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
// Runs due timers of `victim`, TIMERS_BATCH at most, on the M of p. true: some
// ran.
bool timers_run(P *p, P *victim, int64_t now);
void timers_move(P *to, P *from);  // world stopped

// --- callback.c -------------------------------------------------------------
// m loses or gets p: LOOK_LOCKED goes with an M that runs a callback.
static inline void locked_p_lost(const M *m, P *p) {
  // RMW: the bits that others set stay
  if (m->locked_g != NULL) rt_and(&p->look, ~(uint32_t)LOOK_LOCKED);
}
static inline void locked_p_got(const M *m, P *p) {
  // RMW: as in locked_p_lost
  if (m->locked_g != NULL) rt_or(&p->look, (uint32_t)LOOK_LOCKED);
}

// --- cancel.c ---------------------------------------------------------------
// What G.parked_on tells: a pointer, or'ed with one of
enum {
  ON_TIMER = 1,  // sleeps
  ON_READ,       // waits for a descriptor
  ON_WRITE,
  ON_SEND,  // to a channel
  ON_RECV,
  ON_WORD,   // a select, or what nobody readies; without a pointer
  ON_CALLS,  // s->call_first; without a pointer
  ON_MASK = 7,
};
// g, which has a group, is where `on` says, WAITING, with the lock held that
// readying it needs. true: it is cancelled: the caller calls cancel_self
// when it has given the lock back. Owner P.
bool cancel_show(P *p, G *g, uintptr_t on);
// As the same M, after cancel_show: g may be anywhere by now.
void cancel_self(P *p, G *g);
// If g is parked and cancelled it is the caller's, to be readied. g must stay a
// G, whatever it does meanwhile. Owner P.
bool cancel_take(P *p, G *g);

// --- chan.c, timer.c, poll.c, syscall.c: cancelling what waits there --------
// The rest of it, by the file that has the lock: false: g is not there, or not
// cancelled.
bool chan_cancel(P *p, G *g, Chan *c, uintptr_t on);
bool timer_cancel(P *p, G *g, Timer *timer);
bool poll_cancel(P *p, G *g, PollDesc *d, PollMode mode);
bool syscall_cancel(P *p, G *g);

// --- inbox.c ----------------------------------------------------------------
bool inbox_pending(Sched *s);  // any thread
// From netpoll, still waiting. tell: some P, else the caller looks there.
void inbox_put_gs(Sched *s, GList *list, bool tell);
// From a call, RUNNABLE. By its M, with sched.lock held; inbox_flag follows.
void inbox_put_returned(Sched *s, G *g);
void inbox_flag(Sched *s);                   // a running P is to drain
void inbox_push(Sched *s, SchedPost *post);  // any thread; tells nobody
void inbox_drain(P *p);                      // owner P

// --- poll.c -----------------------------------------------------------------
bool poll_wanted(Sched *s);  // any thread: Gs wait for descriptors
void poll_now(P *p);         // owner P; does not block; poll_wanted
// Any M or sysmon; poll_wanted. tell: as inbox_put_gs.
void poll_block(Sched *s, int64_t deadline, bool tell);
void poll_break(Sched *s);  // some M is, or was, polling; any thread
void poll_ready(P *p, GList *list);
void poll_free_all(Sched *s);
// For stepped.c. The descriptor, made now if there is none; -1: errno tells.
// After that: readable at that time; RT_FOREVER: not so; no more breaks from
// before.
int poll_host_fd(Sched *s);
void poll_alarm(Sched *s, int64_t when);
void poll_end_break(Sched *s);
// Owner P in a look, or sysmon: is it time to poll, and nobody else does?
static inline bool poll_is_due(Sched *s, int64_t now) {
  // relaxed, all: hints
  return rt_load_relaxed(&s->poll_waiters) != 0 &&
         rt_load_relaxed(&s->poll_blocked) == 0 &&
         now - rt_load_relaxed(&s->polled_at) >= POLL_NS;
}

// --- stepped.c --------------------------------------------------------------
void stepped_ring(Sched *s);                        // any thread
bool stepped_is_over(const Sched *s, int64_t now);  // a look's: g is to leave
bool stepped_gives_up(const Sched *s);  // nobody waits for what is under way

// --- stop_world.c, sysmon.c, lifecycle.c ------------------------------------
bool world_stop(P *p, bool resizing);  // owner P; false: not now
void world_start(Sched *s);            // by the M that stopped it

// m with its P stops for a stop of the world and runs a handshake. When procs
// is about to change a G that is still on the P must leave first: then nothing
// is done and false returned. Without a G m->p may be NULL afterwards.
bool world_attend(M *m);
void world_p_left(Sched *s, P *p);  // sched.lock held; p stops being run
void world_give_m(Sched *s, P *p);  // p RUNNING without M, nobody else's
// The same where no thread is to be had: p goes idle, its Gs are for any M that
// has a P, or comes to the pool.
void world_leave_work(Sched *s, P *p);
// --- syscall.c: sched.lock held ---------------------------------------------
// p out of a quick call, if it is in one: then p is the caller's, RUNNING
// without M, and the M in the call comes back by the slow way. Any thread.
bool syscall_retake(Sched *s, P *p);
// The number of Ps has changed: so do the places. World stopped, sched.lock
// held.
void syscall_set_places(Sched *s, int procs);
// After that. true: p has work, the caller finds it an M (world_give_m, without
// the lock); false: p was left to others.
bool syscall_settle(Sched *s, P *p);

// --- stop_world.c -----------------------------------------------------------
void world_run_job(M *m);

// --- lifecycle.c ------------------------------------------------------------
void exit_begin(Sched *s, SchedEnd end);  // sched.lock held
void run_count_again(Sched *s);  // the thread in sched_run counts the Ms

// --- sysmon.c ---------------------------------------------------------------
void sysmon_main(void *sched);
void sysmon_wake(Sched *s);  // any thread

// --- lifecycle.c ------------------------------------------------------------
// As many Ps as there may be: one thread at least is left for calls that block.
int run_clamp_procs(const Sched *s, int procs);
// How many may block: a thread for a P is left however many do, else one more
// that is quick at first would stop all others until one of them ends.
uint32_t run_calls_allowed(const Sched *s, int procs);
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
