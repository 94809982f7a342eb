// SPDX-License-Identifier: MIT
// What single operations of the scheduler cost on one thread with warm lines:
// queues, channels, stealing, waking. A locked instruction, the clock and a
// system call stand beside them. A figure is the median of many chunks, less
// the clock. One call of each is also stepped through, which counts
// instructions.
//   costs [CHUNKS]
#include "bench.h"
#include "sched/global.h"
#include "sched/idle.h"
#include "sched/runq.h"
#include "tests/unit/locked_steps.h"

enum { BATCH = 128, MANY = 1000, VICTIMS = 16, GS = 1024, CHUNKS_MAX = 100000 };

static int chunks = 2001;
static int64_t clock_cost;
static G gs[GS];
static int64_t times[CHUNKS_MAX];
static bool steps;
static uint64_t steps_empty;

// Of times[0..chunks), each of `count` operations.
static void report(const char *name, int procs, int count) {
  char key[64];
  snprintf(key, sizeof key, "%s.%d", name, procs);
  double median = (double)(bench_median(times, chunks) - clock_cost);
  bench_value(key, median > 0 ? median / count : 0);
}

#define TIMED(i, work)                 \
  do {                                 \
    int64_t timed_begin = rt_now();    \
    work;                              \
    times[i] = rt_now() - timed_begin; \
  } while (0)

// Less the instructions of an empty window.
#define STEPPED(name, procs, work)                          \
  do {                                                      \
    if (!steps) break;                                      \
    steps_begin();                                          \
    work;                                                   \
    StepCount stepped = steps_end();                        \
    printf("steps %s.%d %llu %llu\n", name, procs,          \
           (unsigned long long)(stepped.all - steps_empty), \
           (unsigned long long)stepped.locked);             \
  } while (0)

// --- The machine ------------------------------------------------------------
static void machine(void) {
  static uint32_t word RT_ALIGNED;
  for (int i = 0; i < chunks; i++) {
    TIMED(i, for (int k = 0; k < MANY; k++) rt_add(&word, 1u));
  }
  report("locked", 1, MANY);
  for (int i = 0; i < chunks; i++) {
    TIMED(i, for (int k = 0; k < MANY; k++) rt_now());
  }
  report("clock", 1, MANY);
  for (int i = 0; i < chunks; i++) TIMED(i, rt_futex_wake(&word, 1));
  report("futex_call", 1, 1);
}

// --- Queues -----------------------------------------------------------------
static void ring(P *p, int procs) {
  for (int i = 0; i < chunks; i++) {
    TIMED(i, for (int k = 0; k < BATCH; k++) runq_put(p, &gs[k]));
    bench_drain(p);
  }
  report("put", procs, BATCH);
  for (int i = 0; i < chunks; i++) {
    for (int k = 0; k < BATCH; k++) runq_put(p, &gs[k]);
    TIMED(i, for (int k = 0; k < BATCH; k++) runq_pop(p));
  }
  report("get", procs, BATCH);
  STEPPED("put", procs, runq_put(p, &gs[0]));
  STEPPED("get", procs, runq_pop(p));
}

static void next_put(P *p) { runq_fill_next(p, &gs[0]); }
static void next_get(P *p) { runq_take_next(p); }

static void next(P *p, int procs) {
  for (int i = 0; i < chunks; i++) {
    TIMED(
        i, for (int k = 0; k < MANY; k++) {
          runq_fill_next(p, &gs[0]);
          runq_take_next(p);
        });
  }
  report("next_pair", procs, MANY);
  STEPPED("next_pair", procs, (next_put(p), next_get(p)));
}

static void drain_global(Sched *sched) {
  rt_lock(&sched->lock);
  while (global_pop(sched) != NULL) {
  }
  rt_unlock(&sched->lock);
}

static void overflow(P *p, int procs) {
  for (int i = 0; i <= chunks; i++) {
    for (int k = 0; k < RUNQ_SIZE; k++) runq_put(p, &gs[k]);
    if (i < chunks) {
      TIMED(i, runq_put(p, &gs[RUNQ_SIZE]));
    } else {
      STEPPED("overflow", procs, runq_put(p, &gs[RUNQ_SIZE]));
    }
    bench_drain(p);
    drain_global(p->sched);
  }
  report("overflow", procs, 1);
}

static void fill_global(Sched *sched, int count) {
  GList list = {0};
  for (int k = 0; k < count; k++) glist_push(&list, &gs[k]);
  rt_lock(&sched->lock);
  global_put_list(sched, &list);
  rt_unlock(&sched->lock);
}

static void global_one(P *p, int procs) {
  for (int i = 0; i < chunks; i++) {
    fill_global(p->sched, BATCH);
    TIMED(i, for (int k = 0; k < BATCH; k++) global_get(p, 1));
  }
  report("global_get", procs, BATCH);
  fill_global(p->sched, 1);
  STEPPED("global_get", procs, global_get(p, 1));
  drain_global(p->sched);
}

// --- Stealing ---------------------------------------------------------------
static void fill_victims(Sched *sched, int each) {
  int used = 0;
  for (int v = 1; v <= VICTIMS; v++) {
    for (int k = 0; k < each; k++) runq_put(sched->ps.all[v], &gs[used++ % GS]);
  }
}

static void drain_all(Sched *sched) {
  for (int v = 0; v <= VICTIMS; v++) bench_drain(sched->ps.all[v]);
}

// Rings of 2 * count Gs: half of them are taken.
static void steal(Sched *sched, const char *name, int count) {
  P *thief = sched->ps.all[0];
  for (int i = 0; i < chunks; i++) {
    fill_victims(sched, 2 * count);
    TIMED(i, for (int v = 1; v <= VICTIMS; v++)
                 runq_steal(thief, sched->ps.all[v], false));
    drain_all(sched);
  }
  report(name, 1, VICTIMS);
  for (int i = 0; i < chunks; i++) {
    fill_victims(sched, 2 * count);
    TIMED(i, runq_steal(thief, sched->ps.all[1 + i % VICTIMS], false));
    drain_all(sched);
  }
  char key[64];
  snprintf(key, sizeof key, "%s_one", name);
  bench_spread(key, times, chunks, clock_cost);
  fill_victims(sched, 2 * count);
  STEPPED(name, 1, runq_steal(thief, sched->ps.all[1], false));
  drain_all(sched);
}

static void peek(Sched *sched) {
  P *thief = sched->ps.all[0];
  for (int i = 0; i < chunks; i++) {
    TIMED(i, for (int k = 0; k < MANY; k++)
                 runq_steal(thief, sched->ps.all[1 + k % VICTIMS], false));
  }
  report("peek", 1, MANY);
  STEPPED("peek", 1, runq_steal(thief, sched->ps.all[1], false));
}

// --- Waking, channels, spawning ---------------------------------------------
static void wake_with_spinner(Sched *sched) {
  rt_add(&sched->spinning, 1u);
  for (int i = 0; i < chunks; i++) {
    TIMED(i, for (int k = 0; k < MANY; k++) idle_wakep(sched));
  }
  report("wake_spinner", 1, MANY);
  STEPPED("wake_spinner", 1, idle_wakep(sched));
  rt_sub(&sched->spinning, 1u);
}

static void channel(P *p, int procs) {
  Chan *chan = malloc(chan_size(4));
  chan_init(chan, 4);
  uint64_t word;
  for (int i = 0; i < chunks; i++) {
    TIMED(
        i, for (int k = 0; k < MANY; k++) {
          chan_send(p, &gs[0], chan, 1);
          chan_recv(p, &gs[0], chan, &word, WAIT_CHAN_RECV);
        });
  }
  report("chan_pair", procs, MANY);
  STEPPED("chan_pair", procs,
          (chan_send(p, &gs[0], chan, 1),
           chan_recv(p, &gs[0], chan, &word, WAIT_CHAN_RECV)));
  free(chan);
}

// A goroutine is started, taken from runnext, and ends.
static void spawn_switch_end(P *p) {
  sched_spawn(p, &gs[0]);
  sched_end(p, sched_switch(p));
}

static void spawn(P *p, int procs) {
  for (int i = 0; i < chunks; i++) {
    TIMED(
        i, for (int k = 0; k < MANY; k++) {
          p->next_picks = 0;
          spawn_switch_end(p);
        });
  }
  report("spawn_switch_end", procs, MANY);
  p->next_picks = 0;
  STEPPED("spawn_switch_end", procs, spawn_switch_end(p));
}

int main(int argc, char **argv) {
  if (argc > 1) chunks = atoi(argv[1]);
  if (chunks < 1 || chunks > CHUNKS_MAX) return 2;
  clock_cost = bench_clock();
  steps = steps_work();
  if (steps) {
    steps_install();
    steps_begin();
    steps_empty = steps_end().all;
  }
  machine();
  for (int procs = 1; procs <= 2; procs++) {
    Sched *sched = bench_sched(procs);
    bench_take_all(sched);
    P *p = sched->ps.all[0];
    ring(p, procs);
    next(p, procs);
    overflow(p, procs);
    global_one(p, procs);
    channel(p, procs);
    spawn(p, procs);
    sched_free(sched);
  }
  Sched *sched = bench_sched(VICTIMS + 1);
  bench_take_all(sched);
  steal(sched, "steal4", 4);
  steal(sched, "steal16", 16);
  peek(sched);
  wake_with_spinner(sched);
  sched_free(sched);
  return 0;
}
