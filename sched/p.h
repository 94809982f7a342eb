// SPDX-License-Identifier: MIT
// P: what an M needs to run Gs. Included by sched.h; the layers above read
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
  LOOK_WORLD = 2,      // stop for somebody who stops the world
  LOOK_HANDSHAKE = 4,  // run s->handshake for this P
  LOOK_HOST = 8,       // sched_interrupt: the layer above looks for itself
  LOOK_EXIT = 16,      // the runtime ends; never cleared
};

typedef struct PStats {  // written by the owner, read by anybody: relaxed
  uint64_t schedules, runnext_hits, steal_tries, steals, stolen, overflows,
      global_gets, preemptions, timers_run;
} PStats;

typedef struct TimerEntry {
  int64_t when;  // copy of timer->when: comparisons stay in the array
  Timer *timer;
} TimerEntry;

// Row 25; see timer.c. Guarded by lock (not taken while there is one P).
typedef struct TimerHeap {
  RtLock lock;
  int32_t count, room;
  TimerEntry *entries;
  int64_t first;  // atomic: when of entries[0], 0: none; written under lock
} TimerHeap;

typedef enum PStatus {
  P_IDLE,     // in s->idle_ps
  P_RUNNING,  // held by an M (or on its way from one to another)
  P_STOPPED,  // the world is stopped; p->m may be waiting with it
  P_DEAD,     // id >= procs
} PStatus;

struct P {
  Sched *sched;     // immutable
  int32_t id;       // immutable
  uint32_t look;    // atomic; not 0: the next safepoint calls sched_look soon
                    // (set by sysmon, stop-the-world, sched_interrupt)
  void *local;      // the layer above's data of this P (hooks.p_init)
  uint64_t spawns;  // atomic; written by owner

  // --- owner's; hot ---
  G *runnext;  // atomic: filled by the owner alone, thieves take it by CAS
  G *current;  // written by owner; read while the world is stopped
  M *m;        // written under sched.lock
  uint32_t schedtick;   // atomic: slices begun; read by sysmon
  uint32_t next_picks;  // from runnext in a row (row 5)
  bool single;          // procs == 1; changed while the world is stopped
  uint8_t next_fill;    // NEXT_*: is the 50 us wake of row 5 due?
  uint32_t looks;       // calls of sched_look; every 4th reads the clock
  int64_t clock;        // as read last
  int64_t fill_seen;    // when a look saw next_fill first
  uint32_t slice_tick;  // schedtick that slice_start is of
  int64_t slice_start;  // when a look saw that slice first
  int64_t urgent;       // since when a G woken by a timer is queued here; 0
  uint32_t urgents;     // how many of them: at least those that are
  int64_t firing;       // not 0: running timers, at that time
  uint64_t random;      // state of sched_random
  uint64_t id_next, id_end;  // block of G ids

  // --- the ring (runq.c) ---
  uint32_t head RT_ALIGNED;  // atomic: taken from by CAS
  uint32_t tail RT_ALIGNED;  // atomic: written by owner, read by thieves
  G *ring[RUNQ_SIZE];        // atomic, relaxed: published by tail

  TimerHeap timers RT_ALIGNED;
  PStats stats RT_ALIGNED;

  // --- guarded by sched.lock ---
  uint32_t status RT_ALIGNED;  // atomic for readers without the lock; PStatus
  uint32_t handshake;          // atomic: s->handshake has to run for this P
  P *idle_link;
  uint32_t sysmon_tick;  // sysmon's: schedtick at sysmon_when
  int64_t sysmon_when;
};

#endif
