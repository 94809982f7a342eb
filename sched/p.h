// SPDX-License-Identifier: MIT
// A P is what an M needs to run Gs. Included by sched.h; the layers above read
// the head only, the rest is this folder's.
//
// "owner" is the M that holds the P. Its plain fields move from one M to the
// next with the P, which always changes hands under sched.lock (or, for a
// stop of the world, with it taken in between): that orders them.
#ifndef CSP_SCHED_P_H
#define CSP_SCHED_P_H

#ifndef RUNQ_SIZE
#define RUNQ_SIZE RUNQ_SIZE_DEFAULT  // a power of two; tests make it 4
#endif
_Static_assert((RUNQ_SIZE & (RUNQ_SIZE - 1)) == 0 && RUNQ_SIZE >= 2,
               "RUNQ_SIZE must be a power of two");

// What p->look may ask for; set by rt_or, cleared by rt_and.
enum {
  LOOK_PREEMPT = 1,    // sysmon: the slice is over
  LOOK_WORLD = 2,      // stop for an M that stops the world
  LOOK_HANDSHAKE = 4,  // run sched->stop.handshake for this P
  LOOK_HOST = 8,       // sched_interrupt: the layer above looks for itself
  LOOK_EXIT = 16,      // the runtime ends; never cleared
  LOOK_INBOX = 32,     // drain the inbox
  LOOK_LOCKED = 64,    // its M runs a callback: no switch in place (callback.c)
  LOOK_ALONE = 128,    // another P waits until it is no longer alone (alone.c)
  LOOK_HELP = 256,     // sysmon: take what waits at the P `helps`
};

// What p->marks says: this P's next G to be readied, run or made takes the long
// way round (trace.c). One byte, tested where something was tested anyway.
enum {
  MARK_FIRING = 1,  // p->firing != 0
  MARK_SAMPLE = 2,  // the next G readied is timed until it runs
  MARK_TRACE = 4,   // events are kept; never changes
  MARK_SPAN = 8,    // work and span are measured; never changes
  MARK_POSTS = 16,  // what threads of the host have posted is done
  MARKS_EACH = MARK_TRACE | MARK_SPAN,
  MARKS_READY = MARK_FIRING | MARK_SAMPLE | MARKS_EACH,
};

enum { LATE_BUCKETS = 40 };  // the last one: 9 minutes and more

typedef struct PStats {  // written by the owner, read by anybody: relaxed
  uint64_t schedules, runnext_hits, steal_tries, steals, stolen, overflows,
      global_gets, preemptions, timers_run, polls, host_calls, alone;
  // Sampled Gs by how long they were runnable, after somebody readied them,
  // until they ran. late[i] of them took from 2^i ns to twice that, late[0]
  // also less.
  uint64_t late[LATE_BUCKETS];
} PStats;

// The sums that sched_stats gives, and as what they are shown.
// X(field, text)
#define SCHED_STATS(X)              \
  X(schedules, "schedules")         \
  X(spawns, "spawns")               \
  X(steal_tries, "steals tried")    \
  X(steals, "steals won")           \
  X(stolen, "goroutines stolen")    \
  X(runnext_hits, "runnext hits")   \
  X(overflows, "queue overflows")   \
  X(global_gets, "global gets")     \
  X(parks, "thread parks")          \
  X(wakes, "thread wakes")          \
  X(preemptions, "preemptions")     \
  X(timers_run, "timers run")       \
  X(syscalls, "blocking calls")     \
  X(retakes, "retakes")             \
  X(polls, "polls that found some") \
  X(host_calls, "host calls")       \
  X(alone, "times alone")

typedef struct TraceEvent TraceEvent;

// Events of a P, or of the runtime; see trace.c. Written by the P's owner, or
// with sched.lock held; read when the runtime has ended.
typedef struct TraceRing {
  TraceEvent *events;  // NULL: events are not kept
  uint64_t count;      // all there were: the last ones are kept
} TraceRing;

// See workspan.c. The owner's; read when the runtime has ended.
typedef struct WorkClock {
  const G *g;          // it has run since `from`, or NULL
  const G *outer;      // it waits for the callback that is about to be made
  const G *inner;      // in a stepped runtime, what another one waits for
  int64_t inner_span;  // ... when that left last
  const G *sender;     // it waits, and its word is about to be put
  const M *m;          // whose CPU time was cpu_seen at `seen`
  int64_t from, seen, cpu_seen;
  int64_t time;     // all Gs have run for that long here
  int64_t longest;  // the longest span of them
} WorkClock;

typedef struct GList {  // linked by G.link
  G *first, *last;
  uint32_t count;
} GList;

// Row 19; see urgent.c. Guarded by lock (not taken by a P that is alone).
typedef struct UrgentQueue {
  uint32_t lock;  // a spin lock
  GList list;     // its count is atomic, for readers without the lock
  int64_t since;  // atomic: the first one's G.since, 0 for none
} UrgentQueue;

typedef struct TimerEntry {
  int64_t when;  // copy of timer->when: comparisons stay in the array
  Timer *timer;
} TimerEntry;

// Row 25; see timer.c. Guarded by lock (not taken by a P that is alone).
typedef struct TimerHeap {
  uint32_t lock;  // a spin lock
  int32_t count, room;
  TimerEntry *entries;
  int64_t first;   // atomic, written under lock: the earliest's when, or 0
  Timer *spilled;  // those that there was no memory for, in no order
} TimerHeap;

// What was so when a P's window of crowding began; see crowd.c.
typedef struct CrowdWindow {
  uint32_t events, looks;  // its own
  uint64_t turns, all;     // its own, and of all Ps
  int64_t begun;
  bool crowded;  // the window before it
} CrowdWindow;

typedef enum PStatus {
  P_IDLE,     // in sched->idle.ps
  P_RUNNING,  // held by an M (or on its way from one to another)
  P_STOPPED,  // the world is stopped; p->m may be waiting with it
  P_DEAD,     // id >= procs
  P_SYSCALL,  // p->m is in a quick call; or'ed with its id << P_STATUS_BITS
} PStatus;
enum { P_STATUS_BITS = 3, P_STATUS_MASK = (1 << P_STATUS_BITS) - 1 };

struct P {
  Sched *sched;  // immutable
  int32_t id;    // immutable
  // If not 0, the next safepoint calls sched_look soon.
  // RMW: a bit is set by rt_or and cleared by rt_and, as in attend, so that
  // those that others change meanwhile stay. relaxed: a bit stays until it is
  // minded (attend, find_work_next). What misses it sees it the next time
  uint32_t look;
  void *local;      // the layer above's data of this P (hooks.p_init)
  uint64_t spawns;  // atomic; written by owner
  uint64_t calls;   // atomic; quick calls begun, written by owner

  // --- owner's; hot ---
  G *runnext;  // atomic: filled by the owner alone, thieves take it by CAS
  G *current;  // written by owner; read while the world is stopped
  M *m;        // written under sched.lock
  uint32_t schedtick;    // atomic: slices begun, which sysmon reads
  uint32_t next_picks;   // from runnext in a row (row 5)
  uint32_t next_limit;   // of next_picks: NEXT_PICKS_MAX, or 0 (see urgent.c)
  uint32_t crowding;     // events of crowding, all there were (crowd.c)
  bool single;           // procs == 1; changed while the world is stopped
  bool alone;            // no other P runs: what Ps share needs no locks, and
                         // there are no thieves (alone.c)
  uint8_t next_fill;     // NEXT_*: is the 50 us wake of row 5 due?
  uint8_t marks;         // MARK_*
  bool oldest_due;       // child first: a slice has ended (runq.c)
  uint32_t looks;        // calls of sched_look; every 4th reads the clock
  int64_t clock;         // as read last: CLOCK_SEARCHES searches old at most
  int64_t fill_seen;     // when a look saw next_fill first
  uint32_t slice_tick;   // schedtick that slice_start is of
  uint32_t searches;     // calls of find_work_next's loop
  int64_t slice_start;   // when a look saw that slice first
  int64_t urgent_from;   // see urgent.c
  int64_t urgent_rest;   // likewise
  int64_t firing;        // not 0: readies urgent Gs, at that time
  uint64_t woken;        // Gs that closes and cancellations went through
  CrowdWindow window;    // see crowd.c
  uint64_t turn_seen;    // stats.schedules of the turn that crowd_look saw
  int64_t turn_seen_at;  // ... first, at that time
  uint64_t random;       // state of sched_random
  uint64_t id_next, id_end;  // block of G ids

  // --- the ring (runq.c) ---
  uint32_t head RT_ALIGNED;  // atomic: taken from by CAS
  uint32_t tail RT_ALIGNED;  // atomic: written by owner, read by thieves
  G *ring[RUNQ_SIZE];        // atomic, relaxed: published by tail

  UrgentQueue urgent RT_ALIGNED;
  TimerHeap timers RT_ALIGNED;
  PStats stats RT_ALIGNED;
  TraceRing trace;
  WorkClock work;

  // --- guarded by sched.lock ---
  // PStatus: atomic, read without the lock, too. Only the changes between
  // RUNNING and SYSCALL are made without it (syscall.c).
  uint32_t status RT_ALIGNED;
  uint32_t handshake;     // atomic: sched->stop.handshake has to run for this P
  uint32_t awaits;        // atomic: another P is alone (alone.c)
  uint32_t stopped_from;  // its PStatus before the world was stopped last
  P *idle_link;
  // atomic: the id of a P without looks, for LOOK_HELP. Written by sysmon, read
  // by the owner
  uint32_t helps;
  uint32_t sysmon_tick;  // sysmon's: schedtick at sysmon_when
  int64_t sysmon_when;
  uint64_t sysmon_call;  // sysmon's: p->calls at sysmon_call_when
  int64_t sysmon_call_when;
};

#endif
