// SPDX-License-Identifier: MIT
// The explorer runs logical threads as fibers on one system thread. A thread
// runs from one step to the next. At a step, and when it sleeps, the strategy
// picks the thread that goes on. Virtual time moves with the steps. In some
// runs a thread's stores reach the others late, one by one, when the strategy
// picks that.
//
// There is one explorer per program: the code under test calls it from every
// atomic, without a context. Only the system thread that called explore()
// touches it.
#include "explore.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "delay.h"
#include "fiber.h"
#include "sched/rt_explore.h"
#include "strategy.h"

enum {
  EXPLORE_QUIET = 64,
  EXPLORE_LOCAL = 512,
  EXPLORE_ALONE = 400,  // steps until a thread gives way to those that wait
  EXPLORE_ALONE_MORE = 17,  // the next one so many steps later
  EXPLORE_SHOWN = 60,   // steps shown of a failed run
  EXPLORE_STEP_NS = 10,
  EXPLORE_DELAY_NS = 2000,  // a store is visible to all after so long
  EXPLORE_RUNS_OF_CLOCK = 16,
  EXPLORE_FINDS_TRIES = 100,
};

typedef enum ThreadState {
  THREAD_READY,
  THREAD_FUTEX,        // until woken, or the deadline
  THREAD_UNTIL_SET,    // until *word != 0
  THREAD_UNTIL_CLEAR,  // until (*word & bits) == 0
  THREAD_JOIN,         // until thread `joined` has ended
  THREAD_JOIN_ALL,     // until all others have
  THREAD_DONE,
} ThreadState;

static const char *const thread_state_names[] = {
    "can run",
    "sleeps on a futex",
    "waits for a word to be set",
    "waits for a word to be cleared",
    "joins a thread",
    "joins all threads",
    "has ended"};

typedef struct Thread {
  ThreadState state;
  const uint32_t *word;
  uint32_t bits;
  int64_t deadline;
  int joined;
  bool woken;
  const char *place, *name;  // of its last step
  uint32_t ran_at;           // fair runs: its last step, or when it slept last
  void (*run)(void *arg);
  void *arg;
  Fiber *fiber;  // stays from run to run
  _Alignas(16) unsigned char local[EXPLORE_LOCAL];
} Thread;

typedef struct Step {
  const char *place, *name;
  int thread;
  bool late;  // a store that was delayed becomes visible
} Step;

typedef struct QuietRange {
  const volatile char *from, *to;
} QuietRange;

typedef struct Explorer {
  // --- this run ---
  const Scenario *scenario;
  Strategy strategy;
  bool running, failed;
  bool delays;  // stores may be delayed, but not longer than
  int64_t delay_ns;
  int thread_count, current;
  uint32_t alone;       // steps since another thread ran that could have
  uint32_t alone_most;  // EXPLORE_ALONE to twice that
  int64_t now;
  uint32_t step_count, step_limit;
  void (*watch)(void);  // at each step, or NULL
  uint32_t quiet_count;
  QuietRange quiet[EXPLORE_QUIET];
  DelayQueue delayed[STRATEGY_THREADS];
  char message[1024];
  // --- the program ---
  Thread threads[STRATEGY_THREADS];
  Fiber own;
  Step *steps;
  uint32_t step_room;
  int scenarios;
  bool only_found;  // EXPLORE_ONLY names one of them
} Explorer;

static Explorer ex = {.scenarios = 1};

// --- Failure ----------------------------------------------------------------
_Noreturn void explore_fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(ex.message, sizeof ex.message, format, args);
  va_end(args);
  if (!ex.running) {
    fprintf(stderr, "fatal error: %s\n", ex.message);
    abort();
  }
  ex.failed = true;
  fiber_switch(ex.threads[ex.current].fiber, &ex.own);
  abort();  // not reached: nobody switches back
}

// --- Steps and stores that become visible ------------------------------------
static void note_step(const char *place, const char *name) {
  if (ex.step_count >= ex.step_limit) {
    explore_fail("livelock: not over after %u steps", ex.step_limit);
  }
  Thread *thread = &ex.threads[ex.current];
  thread->place = place;
  thread->name = name;
  ex.steps[ex.step_count++] = (Step){place, name, ex.current, false};
  ex.now += EXPLORE_STEP_NS;
  if (ex.watch != NULL) ex.watch();
}

// Nobody's delayed stores are in memory.
static void pass_store(int thread) {
  DelayedStore store = delay_pass(&ex.delayed[thread]);
  if (ex.step_count >= ex.step_limit) return;  // the next step says so
  ex.steps[ex.step_count++] = (Step){store.place, store.name, thread, true};
}

// --- Which can go on --------------------------------------------------------
static bool thread_all_others_done(const Thread *thread) {
  for (int i = 0; i < ex.thread_count; i++) {
    if (&ex.threads[i] != thread && ex.threads[i].state != THREAD_DONE)
      return false;
  }
  return true;
}

static bool sleeper_can_run(const Thread *thread) {
  switch (thread->state) {
    case THREAD_FUTEX:
      return thread->woken || thread->deadline <= ex.now;
    case THREAD_UNTIL_SET:
      return __atomic_load_n(thread->word, __ATOMIC_RELAXED) != 0;
    case THREAD_UNTIL_CLEAR:
      return (__atomic_load_n(thread->word, __ATOMIC_RELAXED) & thread->bits) ==
             0;
    case THREAD_JOIN:
      return ex.threads[thread->joined].state == THREAD_DONE;
    case THREAD_JOIN_ALL:
      return thread_all_others_done(thread);
    case THREAD_READY:
    case THREAD_DONE:
      break;
  }
  return false;
}

static bool can_run(const Thread *thread) {
  return thread->state == THREAD_READY || sleeper_can_run(thread);
}

// Those that can run, beginning with the current one, or ending with it if it
// gives way.
static int list_ready(int *list, bool gives_way) {
  int count = 0, thread = ex.current;
  for (int left = ex.thread_count; left > 0; left--) {
    if (gives_way && ++thread == ex.thread_count) thread = 0;
    if (can_run(&ex.threads[thread])) list[count++] = thread;
    if (!gives_way && ++thread == ex.thread_count) thread = 0;
  }
  return count;
}

static int list_delayed(int *list, int count) {
  for (int i = 0; i < ex.thread_count; i++) {
    if (ex.delayed[i].count > 0) list[count++] = STRATEGY_THREADS + i;
  }
  return count;
}

// Fair runs: the thread that has waited too long for a step, or -1.
static int overdue(void) {
  uint32_t now = ex.step_count, longest = 0;
  int thread = -1;
  ex.threads[ex.current].ran_at = now;
  for (int i = 0; i < ex.thread_count; i++) {
    Thread *next = &ex.threads[i];
    if (!can_run(next)) next->ran_at = now;
    uint32_t waited = now - next->ran_at;
    if (waited < ex.scenario->fair || waited <= longest) continue;
    longest = waited;
    thread = i;
  }
  return thread;
}

static int64_t earliest_deadline(void) {
  int64_t earliest = INT64_MAX;
  for (int i = 0; i < ex.thread_count; i++) {
    const Thread *thread = &ex.threads[i];
    if (thread->state != THREAD_FUTEX || thread->woken) continue;
    if (thread->deadline < earliest) earliest = thread->deadline;
  }
  return earliest;
}

// The current thread stopped at a step, sleeps, or gives way: a thread, or
// STRATEGY_THREADS + the thread of which a store becomes visible.
static int pick(bool free) {
  int list[STRATEGY_PICKS], count;
  while ((count = list_ready(list, free)) == 0) {
    int64_t deadline = earliest_deadline();
    if (deadline == INT64_MAX) explore_fail("deadlock: all threads sleep");
    ex.now = deadline;
  }
  int late = ex.scenario->fair > 0 ? overdue() : -1;
  if (late >= 0) return late;
  if (ex.delays) count = list_delayed(list, count);
  Turn turn = free ? TURN_IS_OVER : TURN_GOES_ON;
  if (count > 1 && !free && ++ex.alone > ex.alone_most) {
    strategy_demote(&ex.strategy, ex.current);
    turn = TURN_TOO_LONG;
    count = list_ready(list, true);
  }
  return count > 1 ? strategy_pick(&ex.strategy, list, count, turn) : list[0];
}

// A store buffer empties by itself, soon: a thief that waits 3 us relies on it.
static void pass_old_stores(void) {
  for (int i = 0; i < ex.thread_count; i++) {
    const DelayQueue *queue = &ex.delayed[i];
    while (queue->count > 0 && ex.now - queue->stores[0].since > ex.delay_ns) {
      pass_store(i);
    }
  }
}

// Nobody's delayed stores are in memory while it is decided.
static int pick_delayed(bool free) {
  delay_hide(&ex.delayed[ex.current]);
  pass_old_stores();
  int next;
  while ((next = pick(free)) >= STRATEGY_THREADS) {
    pass_store(next - STRATEGY_THREADS);
  }
  delay_show(&ex.delayed[next]);
  return next;
}

// Each thread that gives way has run for another time. Otherwise one that goes
// round in as many steps, and holds a lock in most of them, would hold it each
// time, and the thread that waits for the lock would starve.
static void begin_alone(void) {
  ex.alone = 0;
  ex.alone_most += EXPLORE_ALONE_MORE;
  if (ex.alone_most >= 2 * EXPLORE_ALONE) ex.alone_most -= EXPLORE_ALONE;
}

static void go_on(bool free) {
  bool fair = ex.scenario->fair > 0;
  if (!free && !fair && ex.alone < ex.alone_most &&
      strategy_stays(&ex.strategy)) {
    ex.alone++;
    return;
  }
  int next = ex.delays ? pick_delayed(free) : pick(free);
  if (next == ex.current) return;
  Fiber *from = ex.threads[ex.current].fiber;
  ex.current = next;
  begin_alone();
  fiber_switch(from, ex.threads[next].fiber);
}

// All that the current thread has stored is visible; first others may run.
static void flush_with_step(void) {
  DelayQueue *delayed = &ex.delayed[ex.current];
  if (delayed->count == 0) return;
  note_step("explore", "the last before its stores are visible");
  go_on(false);
  delay_end(delayed);
}

static void sleep_in(ThreadState state) {
  Thread *thread = &ex.threads[ex.current];
  flush_with_step();
  thread->state = state;
  go_on(true);
  thread->state = THREAD_READY;
}

// --- Steps ------------------------------------------------------------------
static bool is_quiet(const volatile void *address) {
  const volatile char *at = address;
  for (uint32_t i = 0; i < ex.quiet_count; i++) {
    if (at >= ex.quiet[i].from && at < ex.quiet[i].to) return true;
  }
  return false;
}

void rt_explore_step(const volatile void *address, const char *place,
                     const char *name) {
  if (!ex.running) return;
  if (address != NULL && is_quiet(address)) return;
  note_step(place, name);
  go_on(false);
}

void rt_explore_step_full(const volatile void *address, const char *place,
                          const char *name) {
  rt_explore_step(address, place, name);
  explore_flush();
}

void rt_explore_step_store(volatile void *address, const void *value,
                           size_t size, const char *place, const char *name) {
  rt_explore_step(address, place, name);
  // at the start and the end nobody else is there
  if (!ex.delays || ex.thread_count == 1 || is_quiet(address)) return;
  DelayedStore store = {.at = address,
                        .size = size,
                        .since = ex.now,
                        .place = place,
                        .name = name};
  memcpy(store.value, value, size);
  delay_add(&ex.delayed[ex.current], store);
}

void explore_flush(void) {
  if (ex.running) delay_end(&ex.delayed[ex.current]);
}

void explore_watch(void (*look)(void)) { ex.watch = look; }

void explore_published(const char *place, const char *name) {
  if (!ex.running || !ex.strategy.after) return;
  note_step(place, name);
  go_on(false);
}

void explore_quiet(const volatile void *at, size_t size) {
  EXPLORE_CHECK(ex.quiet_count < EXPLORE_QUIET, "too many quiet ranges");
  const volatile char *from = at;
  ex.quiet[ex.quiet_count++] = (QuietRange){from, from + size};
}

uint32_t explore_choose(uint32_t count) {
  return count < 2 ? 0 : strategy_choose(&ex.strategy, count);
}

uint32_t explore_rarely(uint32_t one_in, uint32_t count) {
  return strategy_rarely(&ex.strategy, one_in, count);
}

// --- Threads ----------------------------------------------------------------
static void thread_main(void *arg) {
  Thread *thread = arg;
  thread->run(thread->arg);
  flush_with_step();
  if (thread == &ex.threads[0]) {
    EXPLORE_CHECK(thread_all_others_done(thread),
                  "threads outlive the scenario");
    thread->state = THREAD_DONE;
    fiber_switch(thread->fiber, &ex.own);
  } else {
    thread->state = THREAD_DONE;
    go_on(true);
  }
}

static int thread_new(void (*run)(void *arg), void *arg) {
  EXPLORE_CHECK(ex.thread_count < STRATEGY_THREADS, "too many threads");
  int id = ex.thread_count++;
  Thread *thread = &ex.threads[id];
  *thread = (Thread){.fiber = thread->fiber, .run = run, .arg = arg};
  ex.delayed[id].count = 0;  // whatever a failed run has left
  if (thread->fiber == NULL) thread->fiber = fiber_new(thread_main, thread);
  if (thread->fiber == NULL) abort();
  strategy_new_thread(&ex.strategy, id);
  return id;
}

int explore_go(void (*run)(void *arg), void *arg) {
  int id = thread_new(run, arg);
  explore_flush();
  note_step("explore", "start of a thread");
  go_on(false);
  return id;
}

void explore_join(int thread) {
  ex.threads[ex.current].joined = thread;
  sleep_in(THREAD_JOIN);
}

void explore_join_all(void) { sleep_in(THREAD_JOIN_ALL); }

void explore_yield(void) {
  note_step("explore", "yield");
  explore_flush();
  strategy_demote(&ex.strategy, ex.current);
  go_on(true);
}

bool explore_running(void) { return ex.running; }

int explore_thread(void) { return ex.current; }

void *explore_local(size_t size) {
  EXPLORE_CHECK(size <= EXPLORE_LOCAL, "too much memory of a thread");
  return ex.threads[ex.current].local;
}

// --- Sleep and time ---------------------------------------------------------
void explore_until_set(const uint32_t *word) {
  ex.threads[ex.current].word = word;
  sleep_in(THREAD_UNTIL_SET);
}

void explore_until_clear(const uint32_t *word, uint32_t bits) {
  ex.threads[ex.current].word = word;
  ex.threads[ex.current].bits = bits;
  sleep_in(THREAD_UNTIL_CLEAR);
}

int64_t explore_now(void) { return ex.now; }

void explore_pass_time(int64_t ns) { ex.now += ns; }

bool explore_futex_wait(const uint32_t *word, uint32_t expected,
                        int64_t deadline) {
  if (__atomic_load_n(word, __ATOMIC_RELAXED) != expected) return true;
  if (explore_rarely(64, 2) != 0) return true;  // for no reason
  Thread *thread = &ex.threads[ex.current];
  thread->word = word;
  thread->deadline = deadline;
  thread->woken = false;
  sleep_in(THREAD_FUTEX);
  return thread->woken;
}

void explore_futex_wake(const uint32_t *word, int count) {
  int list[STRATEGY_THREADS], sleepers = 0;
  for (int i = 0; i < ex.thread_count; i++) {
    const Thread *thread = &ex.threads[i];
    bool sleeps =
        thread->state == THREAD_FUTEX && !thread->woken && thread->word == word;
    if (sleeps) list[sleepers++] = i;
  }
  for (; count > 0 && sleepers > 0; count--) {
    uint32_t at = explore_choose((uint32_t)sleepers);
    ex.threads[list[at]].woken = true;
    list[at] = list[--sleepers];
  }
}

// --- One run ----------------------------------------------------------------
static void free_trail(void) {
  free(ex.strategy.trail);
  ex.strategy.trail = NULL;
  ex.strategy.trail_room = 0;
}

// After a failure stacks are left in the middle of things.
static void drop_fibers(void) {
  for (int i = 0; i < STRATEGY_THREADS; i++) {
    if (ex.threads[i].fiber != NULL) fiber_free(ex.threads[i].fiber);
    ex.threads[i].fiber = NULL;
  }
}

// true: it went well.
static bool run_once(const Scenario *scenario) {
  ex.scenario = scenario;
  ex.step_limit = scenario->step_limit;
  if (ex.step_limit == 0) ex.step_limit = EXPLORE_STEPS;
  if (ex.step_limit > ex.step_room) {
    free(ex.steps);
    ex.steps = calloc(ex.step_limit, sizeof *ex.steps);
    if (ex.steps == NULL) abort();
    ex.step_room = ex.step_limit;
  }
  ex.thread_count = ex.current = 0;
  ex.alone = ex.step_count = ex.quiet_count = 0;
  ex.alone_most = EXPLORE_ALONE;
  ex.now = 1000000000;
  ex.watch = NULL;
  ex.failed = false;
  strategy_begin(&ex.strategy);
  ex.delays = ex.strategy.delays && !scenario->in_order;
  thread_new(scenario->body, scenario->arg);
  ex.running = true;
  fiber_init_own(&ex.own);
  fiber_switch(&ex.own, ex.threads[0].fiber);
  ex.running = false;
  return !ex.failed;
}

// --- Reports ----------------------------------------------------------------
static void report_steps(void) {
  bool all = getenv("EXPLORE_TRACE") != NULL;
  uint32_t first = 0;
  if (!all && ex.step_count > EXPLORE_SHOWN) {
    first = ex.step_count - EXPLORE_SHOWN;
  }
  fprintf(stderr, "  steps %u to %u (EXPLORE_TRACE=1 shows all):\n", first,
          ex.step_count);
  for (uint32_t i = first; i < ex.step_count; i++) {
    const Step *step = &ex.steps[i];
    bool same = i > first && step[-1].thread == step->thread;
    char thread[16] = "";
    if (!same) snprintf(thread, sizeof thread, "thread %d", step->thread);
    fprintf(stderr, "  %-10s %-22s %s%s\n", thread, step->place, step->name,
            step->late ? " (now visible to others)" : "");
  }
}

static void report(uint64_t runs) {
  size_t room = 65536;
  char *replay = calloc(1, room);
  if (replay == NULL) abort();
  strategy_print(&ex.strategy, replay, room);
  fprintf(stderr, "explore: \"%s\" failed: %s\n", ex.scenario->name,
          ex.message);
  fprintf(stderr, "  schedule %llu; to see it again: EXPLORE_REPLAY='%s/%s'\n",
          (unsigned long long)runs, ex.scenario->name, replay);
  free(replay);
  report_steps();
  for (int i = 0; i < ex.thread_count; i++) {
    const Thread *thread = &ex.threads[i];
    fprintf(stderr, "  thread %d %s%s; last step: %s %s\n", i,
            thread_state_names[thread->state],
            i == ex.current ? " (current)" : "",
            thread->place == NULL ? "none" : thread->place,
            thread->name == NULL ? "" : thread->name);
  }
}

bool explore_is_whole(void) {
  return getenv("EXPLORE_ONLY") == NULL && getenv("EXPLORE_REPLAY") == NULL;
}

// --- Many runs --------------------------------------------------------------
static const double enough_seconds = 60;

typedef struct Search {
  uint64_t runs, exhaustive;
  int complete, complete_delayed;  // to so many preemptions, -1: none
  uint64_t delayed;                // runs with delayed stores
  uint64_t seed;
  double begun, seconds;  // when, and how long at most
  uint64_t runs_wanted;   // not 0: so many runs, however long they take
} Search;

// Of CPU time, so that a search beside other programs sees as much.
static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Is this part (0 to 1) of what there is to do done? What must be seen may take
// longer while the machine is busy.
static bool is_done(const Search *search, double part) {
  bool (*enough)(void) = ex.scenario == NULL ? NULL : ex.scenario->enough;
  if (part == 1 && enough != NULL && explore_is_whole() && !enough())
    return cpu_seconds() - search->begun >= enough_seconds;
  if (search->runs_wanted > 0) {
    return (double)search->runs >= part * (double)search->runs_wanted;
  }
  return search->runs % EXPLORE_RUNS_OF_CLOCK == 0 &&
         cpu_seconds() - search->begun >= part * search->seconds;
}

// All schedules of 0, 1, 2, ... preemptions; with `delays` that a store becomes
// visible before its thread must make it so counts as one. false: one failed.
static bool search_exhaustively(const Scenario *scenario, Search *search,
                                bool delays, double part) {
  Strategy *strategy = &ex.strategy;
  int *complete = delays ? &search->complete_delayed : &search->complete;
  for (int bound = 0; bound <= scenario->preemptions; bound++) {
    *strategy = (Strategy){.kind = STRATEGY_EXHAUSTIVE,
                           .bound = (uint32_t)bound,
                           .delays = delays,
                           .trail = strategy->trail,
                           .trail_room = strategy->trail_room};
    do {
      search->runs++;
      search->exhaustive++;
      if (delays) search->delayed++;
      if (!run_once(scenario)) return false;
      if (is_done(search, part)) return true;
    } while (strategy_next(strategy));
    *complete = bound;
  }
  return true;
}

static bool search_at_random(const Scenario *scenario, Search *search) {
  Strategy *strategy = &ex.strategy;
  uint32_t length = strategy->decisions;
  for (uint64_t i = 0; !is_done(search, 1); i++) {
    strategy->kind = i % 2 == 0 ? STRATEGY_RANDOM : STRATEGY_PCT;
    strategy->seed = search->seed + i;
    strategy->length = length;
    search->runs++;
    if (!run_once(scenario)) return false;
    if (ex.delays) search->delayed++;
    // a random run does not count where it stays
    if (strategy->kind == STRATEGY_PCT) length = strategy->decisions;
  }
  return true;
}

static void read_delay(void) {
  const char *delay = getenv("EXPLORE_DELAY_NS");
  ex.delay_ns = delay == NULL ? EXPLORE_DELAY_NS : strtoll(delay, NULL, 0);
}

static bool search_all(const Scenario *scenario, Search *search) {
  const char *seconds = getenv("EXPLORE_SECONDS");
  const char *schedules = getenv("EXPLORE_SCHEDULES");
  const char *seed = getenv("EXPLORE_SEED");
  read_delay();
  ex.scenario = scenario;
  search->begun = cpu_seconds();
  search->seconds = seconds == NULL ? 1.0 : strtod(seconds, NULL);
  search->seconds /= ex.scenarios;
  if (schedules != NULL) {
    uint64_t all = strtoull(schedules, NULL, 0), count = (uint64_t)ex.scenarios;
    search->runs_wanted = (all + count - 1) / count;
  }
  search->seed =
      seed == NULL ? (uint64_t)time(NULL) << 24 : strtoull(seed, NULL, 0);
  search->complete = search->complete_delayed = -1;
  return search_exhaustively(scenario, search, false, 0.3) &&
         (scenario->in_order ||
          search_exhaustively(scenario, search, true, 0.5)) &&
         search_at_random(scenario, search);
}

// EXPLORE_REPLAY=NAME/RUN. false: this scenario is not meant.
static bool replay(const Scenario *scenario, bool *good) {
  const char *wanted = getenv("EXPLORE_REPLAY");
  if (wanted == NULL) return false;
  *good = true;
  size_t length = strlen(scenario->name);
  bool mine =
      strncmp(wanted, scenario->name, length) == 0 && wanted[length] == '/';
  if (!mine) return true;
  ex.strategy = (Strategy){.bound = UINT32_MAX};
  read_delay();
  if (!strategy_parse(&ex.strategy, wanted + length + 1)) {
    fprintf(stderr,
            "explore: EXPLORE_REPLAY is NAME/r:SEED, p:SEED:LENGTH "
            "or d:DECISIONS, as a failure prints it\n");
    *good = false;
    free_trail();
    return true;
  }
  *good = run_once(scenario);
  if (*good) {
    printf("# %s: this schedule passes\n", scenario->name);
  } else {
    report(1);
    drop_fibers();
  }
  free_trail();
  return true;
}

// At the program's end: EXPLORE_ONLY must have named a scenario.
static void check_only(void) {
  if (ex.only_found) return;
  fflush(NULL);
  fprintf(stderr, "EXPLORE_ONLY: no scenario is called \"%s\"\n",
          getenv("EXPLORE_ONLY"));
  _exit(2);
}

void explore_program(int scenarios) {
  bool all = getenv("EXPLORE_ONLY") == NULL;
  ex.scenarios = all ? scenarios : 1;
  if (!all && atexit(check_only) != 0) abort();
}

static bool is_left_out(const Scenario *scenario) {
  const char *only = getenv("EXPLORE_ONLY");
  if (only == NULL) return false;
  bool mine = strcmp(only, scenario->name) == 0;
  if (mine) ex.only_found = true;
  return !mine;
}

bool explore(const Scenario *scenario) {
  bool good;
  if (is_left_out(scenario)) {
    printf("# %s: left out\n", scenario->name);
    return true;
  }
  if (replay(scenario, &good)) return good;
  Search search = {0};
  good = search_all(scenario, &search);
  if (!good) {
    report(search.runs);
    drop_fibers();
  }
  free_trail();
  printf(
      "# %s: %llu schedules (%llu exhaustive, complete to %d preemptions, %d "
      "with delays; %llu with delays in all), EXPLORE_SEED=%llu\n",
      scenario->name, (unsigned long long)search.runs,
      (unsigned long long)search.exhaustive, search.complete,
      search.complete_delayed, (unsigned long long)search.delayed,
      (unsigned long long)search.seed);
  return good;
}

bool explore_finds(const Scenario *scenario, const char **text) {
  bool found = false;
  is_left_out(scenario);  // it runs all the same
  // its share of the time may be too short while the machine is busy
  for (int i = 0; i < EXPLORE_FINDS_TRIES && !found; i++) {
    Search search = {0};
    found = !search_all(scenario, &search);
  }
  if (found) drop_fibers();
  free_trail();
  *text = found ? ex.message : "";
  return found;
}
