// SPDX-License-Identifier: MIT
// What the programs of this folder share: a clock, medians, and the lines that
// `run` reads.
//   value KEY NS               one figure
//   spread KEY P50 P95 P99 MAX COUNT BIN...   many; BIN i: below bench_bins[i]
//   steps KEY ALL LOCKED       instructions executed by one call, stepped
#ifndef CSP_BENCH_SCHED_H
#define CSP_BENCH_SCHED_H

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
// libc's sched_yield and ours: the header above comes first

#include "sched/idle.h"
#include "sched/internal.h"
#include "sched/runq.h"

static const int64_t bench_bins[] = {25,   50,   100,  200,   400,   800,
                                     1600, 3200, 6400, 12800, 25600, INT64_MAX};
enum { BENCH_BINS = sizeof bench_bins / sizeof bench_bins[0] };

static inline int bench_by_size(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static inline int64_t bench_median(int64_t *times, int count) {
  qsort(times, (size_t)count, sizeof times[0], bench_by_size);
  return times[count / 2];
}

// What two readings of the clock take, with nothing between them. On some
// processors the counter after it moves in steps of 10 ns.
static inline int64_t bench_clock(void) {
  int64_t times[1001];
  for (int i = 0; i < 1001; i++) {
    int64_t begin = rt_now();
    times[i] = rt_now() - begin;
  }
  return bench_median(times, 1001);
}

static inline void bench_value(const char *key, double ns) {
  printf("value %s %.2f\n", key, ns);
}

// Sorts the times, which have the clock's cost in them.
static inline void bench_spread(const char *key, int64_t *times, int count,
                                int64_t clock) {
  int bins[BENCH_BINS] = {0};
  if (count == 0) return;
  for (int i = 0; i < count; i++) {
    times[i] = times[i] > clock ? times[i] - clock : 0;
    int bin = 0;
    while (times[i] >= bench_bins[bin]) bin++;
    bins[bin]++;
  }
  qsort(times, (size_t)count, sizeof times[0], bench_by_size);
  printf("spread %s %lld %lld %lld %lld %d", key, (long long)times[count / 2],
         (long long)times[count * 95L / 100],
         (long long)times[count * 99L / 100], (long long)times[count - 1],
         count);
  for (int i = 0; i < BENCH_BINS; i++) printf(" %d", bins[i]);
  printf("\n");
}

// A runtime that does not run: the caller holds its Ps, all of them, so that
// nothing wakes a thread.
static inline Sched *bench_sched(int procs) {
  SchedConfig config = {.procs = procs, .seed = 1};
  Sched *sched = sched_new(&config);
  if (sched == NULL) abort();
  return sched;
}

static inline P *bench_take_p(Sched *sched, int at) {
  rt_lock(&sched->lock);
  P *p = idle_get_p(sched, sched->ps.all[at]);
  rt_unlock(&sched->lock);
  if (p != sched->ps.all[at]) abort();
  return p;
}

static inline void bench_take_all(Sched *sched) {
  for (int i = 0; i < sched->ps.count; i++) bench_take_p(sched, i);
}

// The Gs go nowhere: queues are emptied before the runtime is freed.
static inline void bench_drain(P *p) {
  while (runq_pop(p) != NULL) {
  }
}

// The first two CPUs that this process may use. false: there is only one.
static inline bool bench_two_cpus(int cpus[2]) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return false;
  int found = 0;
  for (int i = 0; i < CPU_SETSIZE && found < 2; i++) {
    if (CPU_ISSET((size_t)i, &set)) cpus[found++] = i;
  }
  return found == 2;
}

// The calling thread, to one CPU.
static inline void bench_pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) perror("sched_setaffinity");
}

#endif
