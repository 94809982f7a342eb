// SPDX-License-Identifier: MIT
// The command: one run of one workload, its figures on standard output as one
// line of JSON. Or the self-checks.
//
//   sim WORKLOAD PROCS [seed=N] [scale=X] [param=N] [rings=1]
//      [slack=NS] [COST=NS]...
//   sim check
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Figures ----------------------------------------------------------------
typedef struct Figures {
  int64_t at;                 // ps
  int64_t times[TIME_COUNT];  // of the Ms
  int64_t sysmon;             // CPU time of other threads
  uint64_t futile_wakes;
  SchedStats stats;  // the counters that are used
} Figures;

static Figures begun, result;  // result: differences
static struct Watch {
  char *tasks;
  size_t size, all;
  int64_t *ready_at;  // ps, by task; 0 means not ready
} watch;
static uint32_t *delays;  // ns from ready to running, in the measured time
static size_t delay_count, delay_room;
static bool measuring;

static void add_thread(void *arg, const SimThread *thread) {
  Figures *figures = arg;
  for (int i = 0; i < TIME_COUNT; i++) {
    *(thread->m == NULL ? &figures->sysmon : &figures->times[i]) +=
        thread->times[i];
  }
}

static Figures figures_now(Sched *sched) {
  Figures f = {.at = sim.current->clock, .futile_wakes = sim.futile_wakes};
  sim_each_thread(add_thread, &f);
  for (int i = 0; i < sched->ps.count; i++) {
    const P *p = sched->ps.all[i];
    f.stats.spawns += p->spawns;
    f.stats.schedules += p->stats.schedules;
    f.stats.steal_tries += p->stats.steal_tries;
    f.stats.steals += p->stats.steals;
    f.stats.stolen += p->stats.stolen;
    f.stats.preemptions += p->stats.preemptions;
  }
  f.stats.parks = sched->stats.parks;
  f.stats.wakes = sched->stats.wakes;
  return f;
}

void sim_measure(Sched *sched, bool begin) {
  sim_catch_up();
  measuring = begin;
  Figures now = figures_now(sched);
  if (begin) {
    begun = now;
    delay_count = 0;
    return;
  }
  result = now;
  result.at -= begun.at;
  result.sysmon -= begun.sysmon;
  result.futile_wakes -= begun.futile_wakes;
  for (int i = 0; i < TIME_COUNT; i++) result.times[i] -= begun.times[i];
#define TAKE_OFF(name) result.stats.name -= begun.stats.name
  TAKE_OFF(spawns), TAKE_OFF(schedules), TAKE_OFF(steal_tries);
  TAKE_OFF(steals), TAKE_OFF(stolen), TAKE_OFF(preemptions);
  TAKE_OFF(parks), TAKE_OFF(wakes);
}

void sim_watch(void *tasks, size_t size, uint32_t count) {
  free(watch.ready_at);
  watch =
      (struct Watch){tasks, size, size * count, calloc(count, sizeof(int64_t))};
  if (watch.ready_at == NULL) sim_fail("no memory");
  delay_count = 0;
  measuring = false;
}

static void note_delay(int64_t ps) {
  if (!measuring) return;
  if (delay_count == delay_room) {
    delay_room = delay_room == 0 ? 4096 : 2 * delay_room;
    delays = realloc(delays, delay_room * sizeof *delays);
    if (delays == NULL) sim_fail("no memory");
  }
  int64_t ns = ps / 1000;
  delays[delay_count++] = ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns;
}

void sim_status_changed(const uint32_t *status, uint32_t value) {
  size_t offset = (size_t)((const char *)status - watch.tasks);
  if (offset >= watch.all) return;
  if (offset % watch.size != offsetof(G, status)) return;
  int64_t *ready_at = &watch.ready_at[offset / watch.size];
  if (value == G_RUNNABLE) *ready_at = sim.current->clock;
  if (value != G_RUNNING) return;
  sim.current->ran = true;
  if (*ready_at != 0) note_delay(sim.current->clock - *ready_at);
  *ready_at = 0;
}

static int by_value(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static uint32_t delay_at(double part) {
  if (delay_count == 0) return 0;
  return delays[(size_t)(part * (double)(delay_count - 1))];
}

static void print_result(const char *name, int procs) {
  if (delay_count > 0) qsort(delays, delay_count, sizeof *delays, by_value);
  printf("{\"workload\": \"%s\", \"procs\": %d, \"ns\": %.0f", name, procs,
         (double)result.at / 1000);
#define X(id, text) \
  printf(", \"" #text "\": %.0f", (double)result.times[TIME_##id] / 1000);
  SIM_TIMES(X)
#undef X
  printf(", \"sysmon\": %.0f", (double)result.sysmon / 1000);
#define COUNT(text, value) \
  printf(", \"" text "\": %llu", (unsigned long long)(value))
  COUNT("spawns", result.stats.spawns);
  COUNT("schedules", result.stats.schedules);
  COUNT("steal_tries", result.stats.steal_tries);
  COUNT("steals", result.stats.steals);
  COUNT("stolen", result.stats.stolen);
  COUNT("preemptions", result.stats.preemptions);
  COUNT("parks", result.stats.parks);
  COUNT("wakes", result.stats.wakes);
  COUNT("futile_wakes", result.futile_wakes);
  COUNT("ready_p50", delay_at(0.5));
  COUNT("ready_p99", delay_at(0.99));
  COUNT("ready_max", delay_at(1));
  COUNT("accesses", sim.accesses);
  COUNT("misses", sim.misses);
  COUNT("switches", sim.switches);
  printf("}\n");
}

// --- Self-checks ------------------------------------------------------------
static int bad;

static void expect(const char *what, double seen, double wanted,
                   double tolerance) {
  bool good =
      seen >= wanted * (1 - tolerance) && seen <= wanted * (1 + tolerance);
  printf("%-58s %12.1f, expected %12.1f +- %g %%: %s\n", what, seen, wanted,
         100 * tolerance, good ? "ok" : "WRONG");
  bad += !good;
}

// Threads that add to one word `rounds` times each, without the scheduler.
enum { ADD_ROUNDS = 10000 };
static uint32_t *add_word;
static int64_t add_ends;

uint32_t __tsan_atomic32_fetch_add(uint32_t *at, uint32_t v, int order);

static void *adder(void *arg) {
  (void)arg;
  for (int i = 0; i < ADD_ROUNDS; i++) {
    __tsan_atomic32_fetch_add(add_word, 1, 5);
  }
  if (sim.current->clock > add_ends) add_ends = sim.current->clock;
  return NULL;
}

static void *add_body(void *arg) {
  int count = *(int *)arg;
  SimThread *all[64];
  add_word = sim_alloc(RT_LINE, RT_LINE);
  add_ends = 0;
  for (int i = 0; i < count; i++) {
    all[i] = sim_thread_start(adder, NULL);
    all[i]->cpu = (uint32_t)i;
    all[i]->clock = INT64_C(5000000000);
  }
  sim_charge(INT64_C(6000000000) - sim.current->clock, TIME_OTHER);
  for (int i = 0; i < count; i++) sim_thread_join(all[i]);
  if (*add_word != (uint32_t)(count * ADD_ROUNDS)) sim_fail("lost an addition");
  return NULL;
}

// A contended line queues up: n additions take n transfers, however many CPUs.
static void check_lines(void) {
  int64_t add = sim.costs.locked + sim.costs.atomic;
  for (int count = 1; count <= 8; count *= 2) {
    sim_run(add_body, &count);
    double each = (double)(add + (count > 1 ? sim.costs.llc : 0)) / 1000;
    char what[80];
    snprintf(what, sizeof what, "additions to one word, %d CPUs: ns each",
             count);
    expect(
        what,
        (double)(add_ends - INT64_C(5000000000)) / 1000 / (count * ADD_ROUNDS),
        each, 0.01);
  }
}

static uint32_t *turn;
static int64_t turn_took;

static void take_turns(uint32_t mine) {
  bool timed_out;
  int64_t begin = sim.current->clock;
  for (int i = 0; i < ADD_ROUNDS; i++) {
    while (*turn != mine) sim_futex_wait(turn, 1 - mine, INT64_MAX, &timed_out);
    sim_charge(sim.costs.futex_wake, TIME_OTHER);
    sim_catch_up();  // the other one sleeps by now
    *turn = 1 - mine;
    sim_futex_wake(turn, 1);
  }
  turn_took = sim.current->clock - begin;
}

static void *second_turn(void *arg) {
  take_turns(1);
  return arg;
}

static void *turns_body(void *arg) {
  turn = sim_alloc(RT_LINE, RT_LINE);
  SimThread *thread = sim_thread_start(second_turn, NULL);
  take_turns(0);
  sim_thread_join(thread);
  return arg;
}

static void check_futexes(void) {
  sim_run(turns_body, NULL);
  expect("two threads that wake each other: ns a round",
         (double)(turn_took / ADD_ROUNDS) / 1000,
         2.0 * (double)(sim.costs.futex_run + sim.costs.futex_wake) / 1000,
         0.01);
}

// k goroutines of w ns on n Ps take k * w / n, and a little.
static void check_scheduler(void) {
  static const int procs[] = {1, 2, 8, 64};
  for (int i = 0; i < 4; i++) {
    char what[80];
    double scale = procs[i] == 1 ? 1 : procs[i];
    workload_run("alone", procs[i], 1, scale, 100000, false);
    snprintf(what, sizeof what, "1000 goroutines of 100 us a P, %d Ps: us",
             procs[i]);
    // besides the work: wake-ups, and the last ones are not shared evenly
    expect(what, (double)result.at / 1e6, 1e5, 0.03);
    expect("    work, us", (double)result.times[TIME_WORK] / 1e6,
           1e5 * procs[i], 0);
  }
}

static void check_determinism(void) {
  Figures first = {0};
  uint64_t accesses = 0, switches = 0;
  for (int i = 0; i < 3; i++) {
    workload_run("forkjoin-1us", 32, i < 2 ? 7 : 8, 1, 0, false);
    bool same = memcmp(&first, &result, sizeof first) == 0 &&
                accesses == sim.accesses && switches == sim.switches;
    first = result;
    accesses = sim.accesses;
    switches = sim.switches;
    if (i > 0) {
      expect(i == 1 ? "the same seed: the same run" : "another: another", same,
             i == 1, 0);
    }
  }
}

// --- The command ------------------------------------------------------------
static void set_costs(void) {
#define X(name, ns, text) sim.costs.name = (int64_t)((ns)*1000.0);
  SIM_COSTS(X)
#undef X
  sim.slack = 20000;
}

static bool set_cost(const char *name, double ns) {
#define X(id, ns_, text)                   \
  if (strcmp(name, #id) == 0) {            \
    sim.costs.id = (int64_t)(ns * 1000.0); \
    return true;                           \
  }
  SIM_COSTS(X)
#undef X
  return false;
}

static void print_name(const char *name) { fprintf(stderr, " %s", name); }

static int usage(void) {
  fputs(
      "usage: sim WORKLOAD PROCS [seed=N] [scale=X] [param=N] [rings=1] "
      "[slack=NS] [COST=NS]...\n       sim check | costs\nworkloads:",
      stderr);
  workload_each(print_name);
  fputs("\n", stderr);
  return 2;
}

static int print_costs(void) {
#define X(name, ns, text) printf("%s\t%g\t%s\n", #name, (double)(ns), text);
  SIM_COSTS(X)
#undef X
  return 0;
}

int main(int argc, char **argv) {
  set_costs();
  if (argc == 2 && strcmp(argv[1], "costs") == 0) return print_costs();
  if (argc == 2 && strcmp(argv[1], "check") == 0) {
    check_lines();
    check_futexes();
    check_scheduler();
    check_determinism();
    return bad > 0;
  }
  int procs = argc < 3 ? 0 : atoi(argv[2]);
  if (procs < 1 || procs > PROCS_MAX) return usage();
  double seed = 1, scale = 1, param = 0, rings = 0;
  for (int i = 3; i < argc; i++) {
    char *value = strchr(argv[i], '=');
    if (value == NULL) return usage();
    *value++ = '\0';
    double number = strtod(value, NULL);
    if (strcmp(argv[i], "seed") == 0) {
      seed = number;
    } else if (strcmp(argv[i], "scale") == 0) {
      scale = number;
    } else if (strcmp(argv[i], "param") == 0) {
      param = number;
    } else if (strcmp(argv[i], "rings") == 0) {
      rings = number;
    } else if (strcmp(argv[i], "slack") == 0) {
      sim.slack = (int64_t)(number * 1000);
    } else if (!set_cost(argv[i], number)) {
      return usage();
    }
  }
  if (!workload_run(argv[1], procs, (uint64_t)seed, scale, (int64_t)param,
                    rings > 0)) {
    return usage();
  }
  print_result(argv[1], procs);
  return 0;
}
