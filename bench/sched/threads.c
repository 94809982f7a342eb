// SPDX-License-Identifier: MIT
// What two threads on two CPUs do to each other, each pinned to one: the round
// trip of a cache line, a steal from a ring that the other one has filled, the
// wake-up of an M that sleeps in the pool (idle_start_m, idle_wait) in turn
// with that of a thread in a bare futex. The first thread measures, the second
// serves: `turn` says whose turn it is, odd is the second's.
//   threads [SAMPLES]
#include "bench.h"
#include "sched/idle.h"
#include "sched/lifecycle.h"
#include "sched/proc.h"
#include "sched/runq.h"
#include "sched/stop_world.h"

enum { SAMPLES_MAX = 100000, VICTIMS = 16, GS = 1024, ASLEEP_NS = 30000 };

static int samples = 2000;
static int cpus[2];
static int64_t clock_cost;
static uint32_t turn RT_ALIGNED;   // atomic
static uint32_t quit RT_ALIGNED;   // atomic
static uint32_t word RT_ALIGNED;   // atomic: what the bare futex waits on
static int64_t ran_at RT_ALIGNED;  // atomic: when the second one ran
static int64_t times[SAMPLES_MAX], more[SAMPLES_MAX], calls[SAMPLES_MAX],
    more_calls[SAMPLES_MAX];
static G gs[GS];

static void my_turn(uint32_t value) {
  while (rt_load_acquire(&turn) != value) rt_pause();
}

static void start(RtThread *thread, void (*run)(void *arg), void *arg) {
  rt_store_seq(&turn, 0u);
  rt_store_seq(&quit, 0u);
  if (rt_thread_start(thread, run, arg) != 0) abort();
}

// --- A line -----------------------------------------------------------------
static void echo(void *arg) {
  (void)arg;
  bench_pin(cpus[1]);
  for (uint32_t at = 1; rt_load_acquire(&quit) == 0; at += 2) {
    while (rt_load_acquire(&turn) != at) {
      if (rt_load_acquire(&quit) != 0) return;
    }
    rt_store_release(&turn, at + 1);
  }
}

static void line(void) {
  enum { TRIPS = 100 };
  RtThread thread;
  start(&thread, echo, NULL);
  uint32_t at = 0;
  for (int i = 0; i < samples; i++) {
    int64_t begin = rt_now();
    for (int k = 0; k < TRIPS; k++) {
      rt_store_release(&turn, ++at);
      at++;
      while (rt_load_acquire(&turn) != at) {
      }
    }
    times[i] = rt_now() - begin;
  }
  rt_store_release(&quit, 1u);
  rt_thread_join(&thread);
  bench_value("line.1", (double)bench_median(times, samples) / (double)TRIPS);
}

// --- Stealing across --------------------------------------------------------
typedef struct Filling {
  Sched *sched;
  int each;
} Filling;

// The second thread owns the victims: empties them, and fills them again.
static void fill(void *arg) {
  const Filling *filling = arg;
  bench_pin(cpus[1]);
  for (uint32_t at = 1;; at += 2) {
    my_turn(at);
    if (rt_load_acquire(&quit) != 0) return;
    int used = 0;
    for (int v = 1; v <= VICTIMS; v++) {
      P *p = filling->sched->ps.all[v];
      bench_drain(p);
      for (int k = 0; k < filling->each; k++) runq_put(p, &gs[used++ % GS]);
    }
    rt_store_release(&turn, at + 1);
  }
}

static void steal_across(Sched *sched, const char *key, int count) {
  Filling filling = {sched, 2 * count};
  RtThread thread;
  start(&thread, fill, &filling);
  P *thief = sched->ps.all[0];
  uint32_t at = 0;
  for (int i = 0; i < samples; at += 2) {
    rt_store_release(&turn, at + 1);
    my_turn(at + 2);
    for (int v = 1; v <= VICTIMS && i < samples; v++, i++) {
      int64_t begin = rt_now();
      runq_steal(thief, sched->ps.all[v], false);
      times[i] = rt_now() - begin;
    }
    bench_drain(thief);
  }
  rt_store_release(&quit, 1u);
  rt_store_release(&turn, at + 1);
  rt_thread_join(&thread);
  for (int v = 1; v <= VICTIMS; v++) bench_drain(sched->ps.all[v]);
  bench_spread(key, times, samples, clock_cost);
}

// --- Waking -----------------------------------------------------------------
static void sleeper(void *arg) {
  (void)arg;
  bench_pin(cpus[1]);
  for (uint32_t at = 0; rt_load_acquire(&quit) == 0; at++) {
    while (rt_load_acquire(&word) == at) {
      rt_futex_wait(&word, at, RT_FOREVER);
    }
    rt_store_release(&ran_at, rt_now());
  }
}

// An M: sleeps in the pool, is given a P, and gives it back.
static void pool_m(void *arg) {
  M *m = arg;
  Sched *sched = m->sched;
  bench_pin(cpus[1]);
  while (idle_wait(m)) {
    P *p = m->p;
    int64_t now = rt_now();
    rt_lock(&sched->lock);
    m->p = NULL;
    stop_world_p_left(sched, p);
    rt_unlock(&sched->lock);
    rt_store_release(&ran_at, now);
  }
}

static int64_t wait_for_run(int64_t begin) {
  int64_t ran;
  while ((ran = rt_load_acquire(&ran_at)) == 0) rt_pause();
  int64_t asleep = rt_now() + ASLEEP_NS;
  while (rt_now() < asleep) rt_pause();
  rt_store_relaxed(&ran_at, (int64_t)0);
  return ran - begin;
}

static void wake_bare(int i) {
  int64_t begin = rt_now();
  rt_add(&word, 1u);
  rt_futex_wake(&word, 1);
  calls[i] = rt_now() - begin;
  times[i] = wait_for_run(begin);
}

static void wake_m(Sched *sched, int i) {
  int64_t begin = rt_now();
  rt_lock(&sched->lock);
  P *p = idle_get_p(sched, NULL);
  rt_unlock(&sched->lock);
  if (p == NULL || !idle_start_m(sched, p, false)) abort();
  more_calls[i] = rt_now() - begin;
  more[i] = wait_for_run(begin);
}

static bool in_pool(Sched *sched) {
  rt_lock(&sched->lock);
  bool in = sched->ms.idle == 1;
  rt_unlock(&sched->lock);
  return in;
}

// By turns: what else the machine does hits both.
static void wakes(void) {
  Sched *sched = bench_sched(2);
  bench_take_p(sched, 0);
  rt_lock(&sched->lock);
  M *m = proc_m_new(sched);
  rt_unlock(&sched->lock);
  if (m == NULL) abort();
  RtThread bare, pool;
  start(&bare, sleeper, NULL);
  start(&pool, pool_m, m);
  while (!in_pool(sched)) rt_yield_cpu();
  rt_store_seq(&ran_at, (int64_t)1);
  wait_for_run(0);
  for (int i = 0; i < samples; i++) {
    wake_bare(i);
    wake_m(sched, i);
  }
  rt_lock(&sched->lock);
  lifecycle_begin_exit(sched, SCHED_EXITED);
  rt_unlock(&sched->lock);
  rt_thread_join(&pool);
  rt_store_seq(&quit, 1u);
  rt_add(&word, 1u);
  rt_futex_wake(&word, 1);
  rt_thread_join(&bare);
  bench_spread("futex_wake", times, samples, clock_cost);
  bench_spread("futex_wake_call", calls, samples, clock_cost);
  bench_spread("m_wake", more, samples, clock_cost);
  bench_spread("m_wake_call", more_calls, samples, clock_cost);
  sched_free(sched);
}

int main(int argc, char **argv) {
  if (argc > 1) samples = atoi(argv[1]);
  if (samples < 1 || samples > SAMPLES_MAX) return 2;
  if (!bench_two_cpus(cpus)) return 0;  // nothing to measure
  rt_timer_slack(1);
  bench_pin(cpus[0]);
  clock_cost = bench_clock();
  line();
  Sched *sched = bench_sched(VICTIMS + 1);
  bench_take_all(sched);
  steal_across(sched, "steal4_across", 4);
  steal_across(sched, "steal16_across", 16);
  sched_free(sched);
  wakes();
  return 0;
}
