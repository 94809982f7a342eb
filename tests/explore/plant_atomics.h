// SPDX-License-Identifier: MIT
// Planted bugs, first part: atomics that are weaker than they must be, each at
// one place of sched/, chosen by its function's name. -DPLANT_... selects one;
// tests/explore/planted lists them, and the program that finds each.
// After published.h, before sched/internal.h.
#ifndef CSP_TESTS_PLANT_ATOMICS_H
#define CSP_TESTS_PLANT_ATOMICS_H

#include <string.h>

#include "tests/explore/published.h"

#define PLANT_IN(function) (strcmp(__func__, function) == 0)

// --- A claim that is none ---------------------------------------------------
#if defined(PLANT_NEXT_STORE)
// runnext is taken by a store: a thief may have it too.
#undef rt_cas
#define rt_cas(p, expected, v)                                     \
  (PLANT_IN("runq_take_next") ? (rt_store_release((p), (v)), true) \
                              : published_cas((p), (expected), (v)))
#elif defined(PLANT_SELECT_STORE)
// A select is claimed by a look and a store: two peers may wake it.
#undef rt_cas
#define rt_cas(p, expected, v)                                           \
  (PLANT_IN("claim")                                                     \
       ? rt_load_seq(p) == *(expected) && (rt_store_seq((p), (v)), true) \
       : published_cas((p), (expected), (v)))
#elif defined(PLANT_DOOR_STORE)
// A thread that comes in counts itself by a store: another may have come, or
// the door be closed.
#undef rt_cas
#define rt_cas(p, expected, v)                                 \
  (PLANT_IN("door_enter") ? (rt_store_release((p), (v)), true) \
                          : published_cas((p), (expected), (v)))
#elif defined(PLANT_TORN_GRAB)
// A grab whose head has moved meanwhile is claimed all the same.
#undef rt_cas
#define rt_cas(p, expected, v)                              \
  (PLANT_IN("grab") ? (*(expected) = rt_load_relaxed(p),    \
                       published_cas((p), (expected), (v))) \
                    : published_cas((p), (expected), (v)))
#endif

// --- A store that a later load may pass -------------------------------------
#if defined(PLANT_SPAWN_RELEASE)
#define PLANT_WEAK "runq_put_next"  // spawn: runnext, then `spinning`
#elif defined(PLANT_LIST_RELEASE)
#define PLANT_WEAK "runq_put_list"  // the tail, then `spinning`
#elif defined(PLANT_SYSMON_RELEASE)
#define PLANT_WEAK "sleep_wholly"  // sysmon.asleep, then idle_count
#endif
#ifdef PLANT_WEAK
#undef rt_store_seq
#define rt_store_seq(p, v)                           \
  (PLANT_IN(PLANT_WEAK) ? rt_store_release((p), (v)) \
                        : published_store_seq((p), (v)))
#endif

// --- A lock that loses a sleeper ---------------------------------------------
#ifdef PLANT_UNLOCK_STORE
// The sleeping lock is given back by a look and a store.
static inline void plant_unlock(RtLock *lock) {
  rt_rank_pop(lock->rank, lock);
  bool sleepers = rt_load_relaxed(&lock->word) == 2;
  rt_store_release(&lock->word, 0u);
  if (sleepers) rt_futex_wake(&lock->word, 1);
}
#undef rt_unlock
#define rt_unlock(lock) (plant_unlock(lock), PUBLISHED())
#endif

// --- Functions that plant_functions.h has another version of ----------------
#ifdef PLANT_DOUBLE_PUT
#define runq_displace_next right_displace_next
#elif defined(PLANT_PARKER_WRITES)
#define chan_recv right_chan_recv
#elif defined(PLANT_STOP_NO_RECHECK)
#define timer_stop right_timer_stop
#elif defined(PLANT_EARLY_DEADLOCK)
#define idle_check_deadlock right_check_deadlock
#elif defined(PLANT_STARTED_TWICE)
#define sched_start_world right_start_world
#endif

#endif
