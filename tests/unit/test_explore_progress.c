// SPDX-License-Identifier: MIT
// Nobody waits for long, in the configuration that is shipped: with sysmon, the
// large ring, and the numbers of sched/internal.h. Runs are fair: each thread
// that can run makes a step in so many.
//
// A G that is runnable runs before so many turns of all Ps have begun. Where
// turns say nothing, because one P has a long one or what comes next is not yet
// readied, the bound is in looks, in time, or in turns since an event. Time
// goes on only when all threads sleep, or by what steps take, and makes no
// leaps.
//
// Found when broken (tests/explore/planted, planted_edits.py):
//   the cap of blocking calls stops all
//   what waits behind a native wakes nobody
//   Gs that switch often keep the network waiting
//   what is urgent comes last, or leaves the others no turn
//   a line from the network wakes a second thread
//   all timers that are due fire at once
//   threads from outside always flag the same P
//   hogs stand still before urgent Gs
#include "tests/explore/sched_explore.h"

enum {
  PROGRESS_TASKS = 8,
  PROGRESS_LIMIT = 200000,
  FAIR_WITHIN = 64,
  TICKS = 4,
  LINES = 4,
  FD = 3,
};

// Bounds. Each has some room over the longest wait that was seen.
enum {
  NATIVE_LOOKS = 4,                     // of NATIVE_NS each: 200 us
  NATIVE_NS = 50 * NS_PER_US,           // between two looks of a native
  HOG_NS = 100 * NS_PER_US,             // between two of a hog
  HOST_NS = 16 * NS_PER_MS,             // two rounds of sysmon, and a search
  BUSY_HOST_NS = 40 * NS_PER_MS,        // ... beside one that computes
  TURN_OF_PAIR_NS = 2 * NS_PER_US,      // a ping-pong pair's
  SLEEPER_LATE_NS = 2 * NS_PER_MS,      // beside hogs
  TICK_LATE_NS = 6 * NS_PER_MS,         // beside calls: a round of sysmon
  TIMER_LATE_NS = NS_PER_MS,            // ... that it has seen
  LINE_LATE_TURNS = 240,                // beside pairs
  WAKES_OF_LINES = LINES + LINES / 10,  // 1.1 a line
};

static Shared world;
static uint32_t never, over;  // atomic. over: it has shown what it is to
static PollDesc *desc;
static int64_t latest;  // of what is checked for time, in all runs

static void compute_for(int64_t ns) {
  explore_futex_wait(&never, 0, explore_now() + ns);
}

// The last of the Gs that the run is about has done its part.
static void part_is_done(const Task *task) {
  if (rt_add(&task->shared->flag, 1u) + 1 == (uint32_t)task->n)
    rt_store_seq(&over, 1u);
}

static void check_late(int64_t due, int64_t most, const char *what) {
  int64_t late = explore_now() - due;
  if (late > latest) latest = late;
  EXPLORE_CHECK(late <= most, "%s is late by %lld us", what,
                (long long)(late / NS_PER_US));
}

// --- Calls that never end ---------------------------------------------------
static void call_for_ever(P *p, Task *task) {
  CO_BEGIN;
  CO_CALL(explore_until_set(&over));
  CO_END;
}

static void quick_call_for_ever(P *p, Task *task) {
  CO_BEGIN;
  CO_QUICK_CALL(explore_until_set(&over));
  CO_END;
}

static void ticker(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < TICKS; task->i++) {
    task->a = rt_now() + NS_PER_MS;
    CO_SLEEP(NS_PER_MS);
    check_late(task->a, TICK_LATE_NS, "a ticker beside calls");
  }
  part_is_done(task);
  CO_END;
}

// Sysmon has looked since the call began, and knows of the timer.
static void late_ticker(P *p, Task *task) {
  CO_BEGIN;
  task->a = rt_now() + 8 * NS_PER_MS;
  CO_SLEEP(8 * NS_PER_MS);
  check_late(task->a, TIMER_LATE_NS, "a timer beside a call that lasts");
  part_is_done(task);
  CO_END;
}

// --- Hogs and sleepers ------------------------------------------------------
static void hog(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_seq(&over) == 0) {
    compute_for(HOG_NS);
    CO_LOOK;
  }
  CO_END;
}

static void sleeper(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < TICKS; task->i++) {
    task->a = rt_now() + NS_PER_MS;
    CO_SLEEP(NS_PER_MS);
    check_late(task->a, SLEEPER_LATE_NS, "a sleeper beside hogs");
  }
  part_is_done(task);
  CO_END;
}

// So many of them that one is always due.
static void busy_sleeper(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_seq(&over) == 0) {
    CO_SLEEP(5 * NS_PER_US);
    compute_for(4 * HOG_NS);
  }
  CO_END;
}

// Ends it all after some looks, which others must leave it the time for.
static void short_hog(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < TICKS; task->i++) {
    compute_for(HOG_NS);
    CO_YIELD;
  }
  part_is_done(task);
  CO_END;
}

// --- What hogs keep ---------------------------------------------------------
// Beside Gs that wait for something outside, and run for a short time each
// time, hogs have four of five parts of the time that they have without them.
enum {
  SHARE_PERCENT = 80,
  SHARE_WAKES = 10,
  SHARE_HOG_NS = 20 * NS_PER_US,
  SHARE_SLEEP_NS = 200 * NS_PER_US,
  SHARE_TURN_NS = 10 * NS_PER_US,  // one that was woken runs so long
};
static int64_t begun_at, hogs_ran, hogs_end;
static int least_share;  // of all runs, in percent

static void compute_as_hog(void) {
  int64_t from = explore_now();
  compute_for(SHARE_HOG_NS);
  hogs_end = explore_now();
  hogs_ran += hogs_end - from;
}

static void counted_hog(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_seq(&over) == 0) {
    compute_as_hog();
    CO_LOOK;
  }
  CO_END;
}

static void short_sleeper(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < SHARE_WAKES; task->i++) {
    CO_SLEEP(SHARE_SLEEP_NS);
    compute_for(SHARE_TURN_NS);
  }
  part_is_done(task);
  CO_END;
}

static void check_share(void) {
  int64_t all = hogs_end - begun_at;
  int share = (int)(hogs_ran * 100 / all);
  if (share < least_share) least_share = share;
  EXPLORE_CHECK(hogs_ran * 100 >= all * SHARE_PERCENT,
                "hogs have %d %% of the time", share);
}

// --- A pair of Gs with short turns ------------------------------------------
static void ask(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_seq(&over) == 0) {
    compute_for(TURN_OF_PAIR_NS);
    CO_SEND(task->shared->chans[0], 1);
    CO_RECV(task->shared->chans[1]);
  }
  chan_close(p, task->shared->chans[0]);
  CO_END;
}

static void answer(P *p, Task *task) {
  CO_BEGIN;
  for (;;) {
    CO_RECV(task->shared->chans[0]);
    if (!task->ok) break;
    CO_SEND(task->shared->chans[1], task->word);
  }
  CO_END;
}

// --- Lines from the network -------------------------------------------------
static uint32_t reads;       // atomic: the reader waits for a line, or is about
static uint64_t line_turns;  // of all Ps, when the line came

// Each line comes when the one before it was read.
static void device(void *arg) {
  (void)arg;
  for (int i = 0; i < LINES; i++) {
    explore_until_set(&reads);
    rt_store_seq(&reads, 0u);
    compute_for(20 * NS_PER_US);
    line_turns = world_turns(world.sched);
    rt_explore_event(FD, true, false);
  }
}

static void reader(P *p, Task *task) {
  CO_BEGIN;
  desc = poll_open(task->shared->sched, FD);
  EXPLORE_CHECK(desc != NULL, "the descriptor cannot be opened");
  explore_go(device, NULL);
  for (task->i = 0; task->i < LINES; task->i++) {
    rt_store_seq(&reads, 1u);
    CO_POLL(desc, POLL_READ);
    EXPLORE_CHECK(task->chosen == POLL_READY, "no line came");
    uint64_t turns = world_turns(task->shared->sched) - line_turns;
    EXPLORE_CHECK(turns <= LINE_LATE_TURNS,
                  "a line waits for more than %d turns", LINE_LATE_TURNS);
  }
  part_is_done(task);
  CO_END;
}

static void check_wakes(void) {
  uint64_t wakes = world.sched->stats.wakes;
  EXPLORE_CHECK(wakes <= WAKES_OF_LINES, "%d lines woke %d threads", LINES,
                (int)wakes);
}

// Lines without end, until the hogs have had time enough.
static void feed(void *arg) {
  (void)arg;
  while (rt_load_seq(&over) == 0) {
    compute_for(50 * NS_PER_US);
    rt_explore_event(FD, true, false);
  }
}

static void short_reader(P *p, Task *task) {
  CO_BEGIN;
  desc = poll_open(task->shared->sched, FD);
  EXPLORE_CHECK(desc != NULL, "the descriptor cannot be opened");
  explore_go(feed, NULL);
  for (task->i = 0; task->i < SHARE_WAKES; task->i++) {
    CO_POLL(desc, POLL_READ);
    EXPLORE_CHECK(task->chosen == POLL_READY, "no line came");
    compute_for(SHARE_TURN_NS);
  }
  part_is_done(task);
  CO_END;
}

// --- What waits behind a native ---------------------------------------------
static void receive_once(P *p, Task *task) {
  CO_BEGIN;
  CO_RECV(task->shared->chans[0]);
  part_is_done(task);
  CO_END;
}

static void just_run(P *p, Task *task) {
  part_is_done(task);
  task_end(p, task);
}

// It looks, as natives do.
static void run_native(P *p) {
  int64_t looks = 0;
  while (rt_load_seq(&over) == 0) {
    compute_for(NATIVE_NS);
    sched_look_aside(p);
    EXPLORE_CHECK(++looks <= NATIVE_LOOKS,
                  "a goroutine waits behind a native for %d looks", (int)looks);
  }
}

static void send_then_native(P *p, Task *task) {
  CO_BEGIN;
  while (task->shared->chans[0]->recv_first == NULL) CO_YIELD;
  CO_SEND(task->shared->chans[0], 7);
  run_native(p);
  CO_END;
}

static void spawn_then_native(P *p, Task *task) {
  // as two searches have left it
  rt_store_relaxed(&task->shared->sched->futile, (uint32_t)FUTILE_MAX);
  world_go(p, &task->shared->tasks[PROGRESS_TASKS - 1], just_run);
  run_native(p);
  task_end(p, task);
}

// A host's does not look. It computes until the other has run.
static void run_host_native(P *p, int64_t limit) {
  int64_t begun = explore_now();
  sched_enter_host(p);
  while (!rt_load_seq(&over)) {
    compute_for(NATIVE_NS);
    EXPLORE_CHECK(explore_now() - begun <= limit,
                  "a goroutine waits behind a host's native for %lld us",
                  (long long)((explore_now() - begun) / NS_PER_US));
  }
}

static void send_then_host_native(P *p, Task *task) {
  CO_BEGIN;
  while (task->shared->chans[0]->recv_first == NULL) CO_YIELD;
  CO_SEND(task->shared->chans[0], 7);
  run_host_native(p, HOST_NS);
  CO_END;
}

// No P is idle, as the other has a hog.
static void spawn_then_host_native_beside_hog(P *p, Task *task) {
  CO_BEGIN;
  world_go(p, &task->shared->tasks[PROGRESS_TASKS - 1], just_run);
  run_host_native(p, BUSY_HOST_NS);
  CO_END;
}

static void spawn_then_host_native(P *p, Task *task) {
  // as two searches have left it
  rt_store_relaxed(&task->shared->sched->futile, (uint32_t)FUTILE_MAX);
  world_go(p, &task->shared->tasks[PROGRESS_TASKS - 1], just_run);
  run_host_native(p, HOST_NS);
  task_end(p, task);
}

// --- Timers that are due at once --------------------------------------------
enum { MANY_TIMERS = TIMERS_BATCH + 8 };
static Timer timers[MANY_TIMERS];
static int fired_now;  // since the last look

static void count_fired(P *p, Timer *timer, int64_t now) {
  (void)p, (void)timer, (void)now;
  EXPLORE_CHECK(++fired_now <= TIMERS_BATCH, "%d timers are fired in one look",
                fired_now);
}

static void fire_many(P *p, Task *task) {
  CO_BEGIN;
  int64_t when = rt_now() + NS_PER_US;
  for (int i = 0; i < MANY_TIMERS; i++) {
    timers[i] = (Timer){.fire = count_fired};
    timer_start(p, &timers[i], when, 0);
  }
  for (task->i = 0; task->i < 2; task->i++) {
    compute_for(2 * NS_PER_US);
    fired_now = 0;
    sched_clock_soon(p);
    CO_LOOK;
  }
  EXPLORE_CHECK(timers_first(p) == 0, "timers are left");
  part_is_done(task);
  CO_END;
}

// --- Posts beside Gs that compute -------------------------------------------
enum { POSTS = 6 };
static SchedPost posts[POSTS];
static int drained_by[4];      // posts, by P
static uint32_t post_has_run;  // atomic

static void on_post(P *p, SchedPost *post) {
  (void)post;
  drained_by[p->id]++;
  rt_store_seq(&post_has_run, 1u);
}

static bool all_run(void) {
  bool run = true;
  for (int i = 0; i < world.sched->ps.count; i++)
    run &= world.sched->ps.all[i]->current != NULL;
  return run;
}

static void poster(void *arg) {
  (void)arg;
  for (int i = 0; i < POSTS; i++) {
    while (!all_run()) compute_for(HOG_NS);
    posts[i] = (SchedPost){.fn = on_post};
    rt_store_seq(&post_has_run, 0u);
    sched_post(world.sched, &posts[i]);
    explore_until_set(&post_has_run);
  }
  rt_store_seq(&over, 1u);
}

static void start_poster(P *p, Task *task) {
  explore_go(poster, NULL);
  task->body = hog;
  hog(p, task);
}

static void check_posts(void) {
  for (int i = 0; i < world.sched->ps.count; i++)
    EXPLORE_CHECK(drained_by[i] > 0, "P %d is never asked to drain", i);
}

// --- Scenarios --------------------------------------------------------------
typedef void ProgressBody(P *p, Task *task);

typedef struct ProgressTest {
  const char *name;
  int procs;
  uint64_t turns;  // that a G waits at most
  ProgressBody *bodies[PROGRESS_TASKS];
  int places;           // of calls. 0: as many as are shipped
  int parts;            // which end the run when all are done; or one
  void (*check)(void);  // at the end, or NULL
} ProgressTest;

static const ProgressTest *progress_test;

static void start_all(P *p, Task *task) {
  Task *tasks = task->shared->tasks;
  for (int i = 0; i < PROGRESS_TASKS; i++)
    tasks[i].n = progress_test->parts > 0 ? progress_test->parts : 1;
  for (int i = 1; i < PROGRESS_TASKS && progress_test->bodies[i] != NULL; i++)
    world_go(p, &tasks[i], progress_test->bodies[i]);
  task->body = progress_test->bodies[0];
  task->body(p, task);
}

static void reset(void) {
  over = reads = 0;
  line_turns = 0;
  fired_now = 0;
  desc = NULL;
  memset(drained_by, 0, sizeof drained_by);
  hogs_ran = hogs_end = 0;
  begun_at = explore_now();
}

static void progress_body(void *arg) {
  progress_test = arg;
  reset();
  world_init(&world, progress_test->procs, PROGRESS_TASKS);
  rt_explore_may_start(NULL);
  rt_explore_leaps(false);
  world_chan(&world, 0, 0);
  world_chan(&world, 1, 0);
  if (progress_test->places > 0) {
    world.sched->config.syscalls_max = (uint32_t)progress_test->places;
    world.sched->config.syscalls_given = true;
  }
  for (int i = 0; i < PROGRESS_TASKS; i++)
    world.tasks[i].g.resume = task_resume_once;  // the P may change
  world_bound_waits(&world, progress_test->turns);
  SchedEnd end = world_run(&world, start_all);
  EXPLORE_CHECK(end == SCHED_EXITED, "goroutines were forgotten");
  if (progress_test->check != NULL) progress_test->check();
  explore_join_all();
  world_check_empty(&world);
  world_free(&world);
}

static void run(ProgressTest test) {
  waiting.longest = 0;
  latest = 0;
  Scenario scenario = {.name = test.name,
                       .body = progress_body,
                       .arg = &test,
                       .step_limit = PROGRESS_LIMIT,
                       .preemptions = 0,
                       .in_order = true,
                       .fair = FAIR_WITHIN};
  assert_true(explore(&scenario));
  printf("# %s: waits of %d turns at most, of %d; late by %lld us\n", test.name,
         (int)waiting.longest, (int)test.turns,
         (long long)(latest / NS_PER_US));
}

static void calls_never_end(void **state) {
  (void)state;
  ProgressBody *slow = call_for_ever, *quick = quick_call_for_ever;
  run((ProgressTest){.name = "calls_1",
                     .procs = 1,
                     .turns = 10,
                     .bodies = {ticker, slow, slow, slow},
                     .places = 2});
  run((ProgressTest){.name = "calls_2",
                     .procs = 2,
                     .turns = 10,
                     .bodies = {ticker, slow, slow, slow},
                     .places = 2});
  run((ProgressTest){.name = "quick_calls_1",
                     .procs = 1,
                     .turns = 10,
                     .bodies = {ticker, quick, quick, quick},
                     .places = 2});
  run((ProgressTest){.name = "quick_calls_2",
                     .procs = 2,
                     .turns = 10,
                     .bodies = {ticker, quick, quick, quick, ticker},
                     .places = 2,
                     .parts = 2});
  run((ProgressTest){.name = "quick_call_and_timer",
                     .procs = 1,
                     .turns = 10,
                     .bodies = {ticker, quick}});
  run((ProgressTest){.name = "quick_call_and_late_timer",
                     .procs = 1,
                     .turns = 10,
                     .bodies = {late_ticker, quick}});
}

static void nobody_waits_behind_a_native(void **state) {
  (void)state;
  run((ProgressTest){.name = "native_send",
                     .procs = 2,
                     .turns = 100,
                     .bodies = {send_then_native, receive_once}});
  run((ProgressTest){.name = "native_spawn",
                     .procs = 2,
                     .turns = 10,
                     .bodies = {spawn_then_native}});
  run((ProgressTest){.name = "host_native_send",
                     .procs = 2,
                     .turns = 100,
                     .bodies = {send_then_host_native, receive_once}});
  run((ProgressTest){.name = "host_native_spawn",
                     .procs = 2,
                     .turns = 10,
                     .bodies = {spawn_then_host_native}});
  run((ProgressTest){.name = "host_native_hog",
                     .procs = 2,
                     .turns = 10,
                     .bodies = {spawn_then_host_native_beside_hog, hog, hog}});
}

static void lines_come_beside_pairs(void **state) {
  (void)state;
  run((ProgressTest){.name = "line_pair_1",
                     .procs = 1,
                     .turns = 20,
                     .bodies = {ask, answer, reader}});
  run((ProgressTest){.name = "line_pair_2",
                     .procs = 2,
                     .turns = 20,
                     .bodies = {ask, answer, reader}});
  run((ProgressTest){.name = "line_mix_1",
                     .procs = 1,
                     .turns = 130,
                     .bodies = {ask, answer, reader, hog, sleeper},
                     .parts = 2});
  run((ProgressTest){.name = "line_alone",
                     .procs = 2,
                     .turns = 10,
                     .bodies = {reader},
                     .check = check_wakes});
}

static void hogs_and_sleepers(void **state) {
  (void)state;
  ProgressBody *wakes = sleeper, *busy = busy_sleeper;
  run((ProgressTest){.name = "hogs_1",
                     .procs = 1,
                     .turns = 30,
                     .bodies = {hog, hog, hog, wakes, wakes, wakes},
                     .parts = 3});
  run((ProgressTest){.name = "hogs_2",
                     .procs = 2,
                     .turns = 50,
                     .bodies = {hog, hog, hog, hog, wakes, wakes, wakes},
                     .parts = 3});
  run((ProgressTest){.name = "busy_sleepers",
                     .procs = 1,
                     .turns = 20,
                     .bodies = {busy, busy, busy, short_hog, short_hog},
                     .parts = 2});
}

static void hogs_keep_their_share(void **state) {
  (void)state;
  ProgressBody *hogs = counted_hog, *wakes = short_sleeper;
  least_share = 100;
  run((ProgressTest){.name = "share_sleepers",
                     .procs = 1,
                     .turns = 24,
                     .bodies = {hogs, hogs, hogs, wakes, wakes, wakes},
                     .parts = 3,
                     .check = check_share});
  run((ProgressTest){.name = "share_lines",
                     .procs = 1,
                     .turns = 20,
                     .bodies = {hogs, hogs, hogs, short_reader},
                     .check = check_share});
  printf("# hogs have %d %% of the time at least\n", least_share);
}

static void bounded_batches(void **state) {
  (void)state;
  run((ProgressTest){
      .name = "many_timers", .procs = 1, .turns = 2, .bodies = {fire_many}});
}

static void each_p_drains(void **state) {
  (void)state;
  run((ProgressTest){.name = "posts_in_turn",
                     .procs = 2,
                     .turns = 10,
                     .bodies = {start_poster, hog, hog},
                     .check = check_posts});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calls_never_end),
      cmocka_unit_test(nobody_waits_behind_a_native),
      cmocka_unit_test(lines_come_beside_pairs),
      cmocka_unit_test(hogs_and_sleepers),
      cmocka_unit_test(hogs_keep_their_share),
      cmocka_unit_test(bounded_batches),
      cmocka_unit_test(each_p_drains),
  };
  explore_program(19);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
