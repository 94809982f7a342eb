// SPDX-License-Identifier: MIT
// What the files of sched/ share: M, Sched, and short ways to their parts. What
// a file has for others stands in the header beside it. These headers are
// included by sched/*.c (and white-box tests) only.
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
  CLOCK_SEARCHES = 16,     // find_work_next: searches for each clock and sample
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

typedef struct PMask {
  uint64_t words[MASK_WORDS];  // atomic
} PMask;

typedef struct StealOrder {  // steal_order.c; changed while the world is
                             // stopped
  uint32_t count, coprime_count;
  uint16_t coprimes[PROCS_MAX];
} StealOrder;

typedef struct Locality Locality;  // steal_order.h
typedef struct WorldJob WorldJob;  // stop_world.h

// See inbox.c. The stacks are atomic, pushed to by CAS and emptied by exchange.
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

// Rests of Ms; see crowd.c. Atomic hints, all of them.
typedef struct Crowd {
  int64_t quiet_until;   // not 0: what is queued wakes no P
  int64_t rest_ns;       // how long the last rest was to be
  int64_t rested_until;  // ... and until when
  int64_t rest_begun;    // when an M began to rest last
  int64_t vain_ns;       // how long nobody rests after one that was wrong
  int64_t vain_until;    // ... until then
} Crowd;

// What was so when an M began to rest; see crowd.c.
typedef struct CrowdRest {
  double rate;   // turns of all Ps a ns, in the window before
  uint64_t all;  // turns of all Ps
  int64_t begun;
} CrowdRest;

struct M {
  Sched *sched;  // immutable
  uint32_t id;   // immutable
  M *all_next;   // immutable once in sched->ms.all
  RtThread thread;
  P *p;                 // the M's own
  bool spinning;        // the M's own; set by whoever starts it, before
  StuckNext stuck;      // the M's own
  int64_t stole_at;     // the M's own: its last steal, until it runs dry, or 0
  CrowdRest rest_from;  // the M's own; see crowd.c
  RtNote note;          // wake up and look around, under sched.lock
  uint32_t polling;     // atomic: it may block in netpoll, not on the note
  uint64_t call_ticks;  // the M's own, when tracing: its call began
  int64_t call_cpu;     // likewise, with spans: its CPU time then
  const char *stack_end;  // as deep as calls may nest; its own (proc.c)

  // --- guarded by sched.lock ---
  M *idle_next, *idle_prev;
  bool idle;              // in sched->idle.ms
  bool rests;             // until then (crowd.c); the M's own while not idle
  int64_t rest_until;     // likewise
  bool started, done;     // the thread was created; has left
  bool starting;          // it is being created; counted in ms.starting
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
  // What SchedConfig and the machine say.
  struct {
    uint64_t seed, empty_word;
    uint32_t m_limit, syscalls_max;
    bool syscalls_given;  // by SchedConfig: does not depend on the Ps
    int32_t cpus;         // of this process: no more Ms work in a stopped world
    uint32_t futile_max;  // searches after which a spawn wakes nobody at once
    bool barrier;         // sched_set_barrier
    bool child_first;     // owners take the newest of their ring (runq.c)
    bool stepped;         // stepped.c
  } config;
  struct {
    int32_t count;      // atomic: Ms without a P read it too
    P *all[PROCS_MAX];  // atomic: filled up to made, never taken out
    int32_t made;       // atomic
  } ps;
  // Whom thieves look at first; see steal_order.c.
  struct {
    Locality *locality;  // atomic, set late; NULL with one domain
    StealOrder order;
    const SchedTopology *topology;  // NULL: not asked for yet
    SchedTopology *own_topology;    // the same, if it was read by us
  } steal;
  const Memory *memory;  // immutable
  int64_t started_at;

  // --- read by all, changed on idle transitions only ---
  uint32_t spinning RT_ALIGNED;  // atomic: Ms looking for work (row 15)
  uint32_t idle_count;           // atomic; written under lock
  uint32_t futile;    // atomic, a hint: searches in a row that found nothing
  uint32_t stopping;  // atomic; written under lock (stop_world.c)
  uint32_t exiting;   // atomic; written under lock
  Crowd crowd;
  PMask idle_mask, timer_mask;
  Inbox inbox RT_ALIGNED;
  // Waiting for descriptors; see poll.c.
  struct {
    Poller *poller;     // atomic; made by the first poll_open
    uint32_t waiters;   // atomic: Gs parked on descriptors
    uint32_t blocked;   // atomic, a hint: Ms that block in netpoll
    int64_t polled_at;  // atomic: when somebody polled last
  } netpoll;
  uint32_t begun;  // atomic: sched_run has its first M

  RtLock lock RT_ALIGNED;  // "sched.lock"; guards what follows
  GList global;            // count is atomic for readers without the lock
  // Idle Ps and Ms; see idle.c.
  struct {
    P *ps;
    M *ms;
    M *poller;           // the idle M that sleeps until poll_until
    M *poll_owner;       // blocks in netpoll; one at most
    int64_t poll_until;  // earliest timer of the idle Ps
  } idle;
  // See alone.c.
  struct {
    P *p;              // the P that runs alone, or NULL
    uint32_t awaited;  // Ps were taken since
    uint32_t never;    // atomic: no P becomes alone any more
  } alone;
  // All Ms, and how many they are.
  struct {
    M *all;
    uint32_t live, idle, made, starting;
    uint32_t callbacks;  // those with a locked_g, not in a call (callback.c)
  } ms;
  // Blocking calls; see syscall.c.
  struct {
    uint32_t count;        // Ms in blocking calls
    uint32_t kept;         // places for Gs that left the queue, runnable
    uint32_t full;         // atomic: count + kept >= syscalls_max
    Waiter *first, *last;  // Gs that wait until fewer than syscalls_max are
                           // in calls
    int64_t time;          // workspan.c: of those that lost their P
  } calls;
  // Sums of what no P counts; see stats.c.
  struct {
    uint64_t parks, wakes, calls, retakes;
  } stats;
  TraceRing trace;  // what is no P's
  bool running;     // between start and end of sched_run
  // The end; see lifecycle.c.
  struct {
    SchedEnd how;
    int64_t at;               // 0: not yet
    bool leaked;              // threads are stuck in the kernel and use this
    void (*last)(void *arg);  // what the last of them calls, or NULL
    void *last_arg;
  } end;
  // A stop of the world, or a handshake; see stop_world.c.
  struct {
    uint32_t busy;          // a stop or a handshake is under way
    bool resizing;          // the stop changes the number of Ps
    uint32_t turn_waiters;  // handshakes that wait until busy is clear
    int32_t wait;           // atomic for the stopper: Ps still to stop
    M *stopper;
    void (*handshake)(void *arg, P *p);
    void *handshake_arg;
  } stop;

  uint32_t end_seq RT_ALIGNED;  // atomic: an M ended or entered a call
  uint32_t exit_wanted;         // atomic: sched_exit_soon
  uint64_t next_id;             // atomic: G ids
  int64_t pins;                 // atomic
  SchedPost *when_stuck;        // of sched_when_stuck, or NULL; guarded by lock

  // Of the host's thread, unless atomic; see stepped.c.
  struct {
    M *m;                 // immutable
    int64_t until;        // of the run under way; RT_FOREVER
    int64_t limit;        // of the calls under way (SteppedRun.done), likewise
    int64_t slice_ns;     // SLICE_NS, and at most a 16th of a stepped run
    int64_t alarm;        // what poll_alarm was told last
    uint32_t way;         // atomic, HostWay
    uint32_t watches_fd;  // atomic: it watches the descriptor of stepped_fd
  } host;
  // Of sysmon.c, with what others tell it.
  struct {
    RtNote note;
    int64_t collected_at;  // atomic: the last stop of the world, or warning
    uint32_t asleep;       // atomic: sleeps until a P stops being idle
    uint32_t hurry;        // atomic, a hint: it looks every CALL_NS
    uint32_t started;      // atomic
    RtThread thread;
    int64_t line_at;     // when it prints the next trace line
    int64_t counted_at;  // when it counted the CPUs
    uint32_t helped;     // sysmon alone: the id of the P that it has asked last
  } sysmon;
  // How many Ps there are to be; see resize.c.
  struct {
    uint32_t follows;  // atomic: as many as CPUs
    uint32_t wanted;   // atomic, of sysmon: so many, or 0
  } cpus;
  // Immutable. What is watched; see stats.c and trace.c.
  struct {
    int64_t line_ns;   // 0: no lines
    bool details;      // lines have them
    bool ticks;        // moments of events are rt_ticks, not rt_now
    uint32_t events;   // size of the rings, a power of two, 0 for none
    uint64_t begun;    // started_at in ticks
    size_t span_at;    // SchedConfig.span_at; see workspan.c
    int64_t clock_ns;  // what rt_now takes
  } watch;
};

// relaxed: a counter that its owner alone raises
#define P_COUNT(p, field, n) \
  rt_store_relaxed(&(p)->stats.field, (p)->stats.field + (n))

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

// All of more, which is empty afterwards.
static inline void glist_append(GList *list, GList *more) {
  RT_ASSERT((list->last == NULL) == (list->count == 0));
  RT_ASSERT(more->count > 0);
  if (list->last == NULL) {
    list->first = more->first;
  } else {
    list->last->link = more->first;
  }
  more->last->link = NULL;
  list->last = more->last;
  list->count += more->count;
  *more = (GList){0};
}

static inline PStatus p_status(const P *p) {
  // relaxed: whoever needs more holds sched.lock, or reads it again
  return (PStatus)(rt_load_relaxed(&p->status) & P_STATUS_MASK);
}

static inline int32_t procs_now(const Sched *sched) {
  return rt_load_relaxed(&sched->ps.count);  // relaxed: changes while stopped
}
static inline P *p_at(const Sched *sched, int index) {
  // acquire: pairs with lifecycle_make_p (Ms without a P read it)
  return rt_load_acquire(&sched->ps.all[index]);
}

#endif
