// SPDX-License-Identifier: MIT
// Timers under interleaving (row 25). Started, stopped and fired by several Ps,
// each fires once or was stopped. Timers of idle Ps, for which one sleeping M
// watches (idle.c), are never forgotten.
//
// Found when broken (tests/explore/mutants):
//   a stop that does not look at the owner again under the lock
//   a thief that does not take the lock
//   a sleeper that is WAITING only when its timer has started
//   nobody, or sysmon not, looking after timers
//   a call that leaves them to nobody
//   a bit of the mask that stays
#include "tests/explore/sched_explore.h"

enum { TIMER_PS = 3, TIMERS = 4, TIMER_TASKS = 5 };

static Shared world;
static P *ps[TIMER_PS];
static Timer timers[TIMERS];
static uint32_t fire_count[TIMERS], fires_begun[TIMERS];
static uint32_t stopped;

// --- Ps without Ms ----------------------------------------------------------
static void count_fire(P *p, Timer *timer, int64_t now) {
  (void)p, (void)now;
  rt_add(&fires_begun[timer - timers], 1u);
  rt_add(&fire_count[timer - timers], 1u);
}

static void timer_world(void) {
  world_init(&world, TIMER_PS, 1);
  for (int i = 0; i < TIMER_PS; i++) ps[i] = world_hold_p(&world, i);
  memset(timers, 0, sizeof timers);
  memset(fire_count, 0, sizeof fire_count);
  memset(fires_begun, 0, sizeof fires_begun);
  stopped = 0;
  for (int i = 0; i < TIMERS; i++) timers[i].fire = count_fire;
}

// Runs what is left, alone.
static void timer_world_end(void) {
  for (int i = 0; i < TIMER_PS; i++) timers_run(ps[i], ps[i], INT64_MAX);
  for (int i = 0; i < TIMER_PS; i++) {
    const P *p = ps[i];
    EXPLORE_CHECK(p->timers.count == 0 && p->timers.first == 0,
                  "P %d still has timers", i);
    EXPLORE_CHECK(!mask_read(&world.sched->timer_mask, i),
                  "P %d has no timers, but its bit is set", i);
  }
  world_free(&world);
}

static void start_one(void *arg) {
  (void)arg;
  timer_start(ps[0], &timers[0], 100, 0);
}

static void start_three(void *arg) {
  (void)arg;
  for (int i = 0; i < 3; i++) timer_start(ps[0], &timers[i], 100 - 10 * i, 0);
}

static void run_as_thief(void *arg) {
  (void)arg;
  timers_run(ps[1], ps[0], 200);
}

static void run_own(void *arg) {
  (void)arg;
  timers_run(ps[0], ps[0], 200);
}

static void stop_one(void *arg) {
  (void)arg;
  if (timer_stop(ps[2], &timers[0])) stopped++;
}

static void restart_elsewhere(void *arg) {
  (void)arg;
  timer_start(ps[2], &timers[0], 150, 0);
}

static void check_fires(int timer, uint32_t least, uint32_t most) {
  EXPLORE_CHECK(fire_count[timer] >= least && fire_count[timer] <= most,
                "timer %d fired %u times, which is not %u to %u", timer,
                fire_count[timer], least, most);
}

static void stop_body(void *arg) {
  (void)arg;
  timer_world();
  start_one(NULL);
  explore_go(run_as_thief, NULL);
  explore_go(stop_one, NULL);
  explore_go(run_own, NULL);
  explore_join_all();
  check_fires(0, 1 - stopped, 1 - stopped);
  timer_world_end();
  check_fires(0, 1 - stopped, 1 - stopped);
}

static void start_stop_body(void *arg) {
  (void)arg;
  timer_world();
  explore_go(start_one, NULL);
  explore_go(stop_one, NULL);
  explore_go(run_as_thief, NULL);
  explore_join_all();
  timer_world_end();
  check_fires(0, 1 - stopped, 1 - stopped);
}

static void three_body(void *arg) {
  (void)arg;
  timer_world();
  explore_go(start_three, NULL);
  explore_go(run_as_thief, NULL);
  explore_go(stop_one, NULL);
  explore_join_all();
  timer_world_end();
  check_fires(0, 1 - stopped, 1 - stopped);
  check_fires(1, 1, 1);
  check_fires(2, 1, 1);
}

static void restart_body(void *arg) {
  (void)arg;
  timer_world();
  start_one(NULL);
  explore_go(restart_elsewhere, NULL);
  explore_go(run_as_thief, NULL);
  explore_go(run_own, NULL);
  explore_join_all();
  check_fires(0, 0, 1);
  timer_world_end();
  check_fires(0, 1, 2);
}

// A period: one firing may be under way when the stop comes.
static void stop_period(void *arg) {
  (void)arg;
  bool was = timer_stop(ps[2], &timers[0]);
  EXPLORE_CHECK(was, "a timer with a period was not pending");
  stopped = rt_load_seq(&fires_begun[0]);
}

static void period_body(void *arg) {
  (void)arg;
  timer_world();
  timer_start(ps[0], &timers[0], 100, 100);
  explore_go(run_as_thief, NULL);
  explore_go(run_own, NULL);
  explore_go(stop_period, NULL);
  explore_join_all();
  EXPLORE_CHECK(fire_count[0] <= 1, "one period, %u firings", fire_count[0]);
  timer_world_end();
  check_fires(0, stopped, stopped + 1);
}

static void run(const char *name, void (*body)(void *arg), int preemptions) {
  Scenario scenario = {.name = name, .body = body, .preemptions = preemptions};
  assert_true(explore(&scenario));
}

static void stop_against_run(void **state) {
  (void)state;
  run("stop", stop_body, 3);
  run("start_stop", start_stop_body, 3);
  run("three", three_body, 3);
}

static void restart_against_run(void **state) {
  (void)state;
  run("restart", restart_body, 3);
  run("period", period_body, 3);
}

// --- Sleep, on the whole runtime --------------------------------------------
static uint32_t woke[TIMER_TASKS];

static void sleeper(P *p, Task *task) {
  CO_BEGIN;
  CO_SLEEP(1000 * task->id);
  rt_store_seq(&woke[task->id], 1u);
  CO_END;
}

static void sleep_twice(P *p, Task *task) {
  CO_BEGIN;
  CO_SLEEP(2000);
  CO_SLEEP(1500 * task->id);
  rt_store_seq(&woke[task->id], 1u);
  CO_END;
}

static void start_and_end(P *p, Task *task) {
  world_go(p, &task->shared->tasks[1], sleep_twice);
  world_go(p, &task->shared->tasks[2], sleeper);
  world_go(p, &task->shared->tasks[3], sleeper);
  task_end(p, task);
}

// Holds its M: others watch the timers.
static void start_and_hold(P *p, Task *task) {
  CO_BEGIN;
  world_spawns_wake(task->shared);
  world_go(p, &task->shared->tasks[1], sleep_twice);
  world_go(p, &task->shared->tasks[2], sleeper);
  sched_not_alone(p);
  for (int i = 1; i <= 2; i++) explore_until_set(&woke[i]);
  CO_END;
}

// The M that watches the timers is taken for the spawned ones.
static void sleep_and_spawn(P *p, Task *task) {
  CO_BEGIN;
  world_go(p, &task->shared->tasks[1], sleeper);
  CO_SLEEP(500);
  world_go(p, &task->shared->tasks[2], sleep_twice);
  CO_YIELD;
  world_go(p, &task->shared->tasks[3], sleeper);
  CO_END;
}

// In a call until the other has woken: somebody else must watch the timers.
static void sleep_and_call(P *p, Task *task) {
  CO_BEGIN;
  world_go(p, &task->shared->tasks[1], sleeper);
  CO_YIELD;
  CO_CALL(explore_until_set(&woke[1]));
  CO_END;
}

static void hold_with_own_timer(P *p, Task *task) {
  timers[0] = (Timer){.fire = count_fire};
  fire_count[0] = 0;
  timer_start(p, &timers[0], rt_now() + 1000, 0);
  sched_not_alone(p);
  explore_until_set(&fire_count[0]);
  task_end(p, task);
}

typedef struct SleepTest {
  void (*main_body)(P *p, Task *task);
  int procs;
  bool sysmon;
} SleepTest;

static void sleep_body(void *arg) {
  const SleepTest *test = arg;
  memset(woke, 0, sizeof woke);
  world_init(&world, test->procs, TIMER_TASKS);
  if (test->sysmon) rt_explore_may_start(NULL);
  for (int i = 0; i < TIMER_TASKS && test->main_body == sleep_and_call; i++) {
    world.tasks[i].g.resume = task_resume_once;  // the P may change
  }
  SchedEnd end = world_run(&world, test->main_body);
  EXPLORE_CHECK(end == SCHED_EXITED, "a sleeping goroutine was forgotten");
  world_check_empty(&world);
  world_free(&world);
}

static void run_sleep(const char *name, SleepTest test) {
  Scenario scenario = {
      .name = name, .body = sleep_body, .arg = &test, .preemptions = 0};
  assert_true(explore(&scenario));
}

static void sleepers_wake(void **state) {
  (void)state;
  run_sleep("sleep_1", (SleepTest){start_and_end, 1, false});
  run_sleep("sleep_2", (SleepTest){start_and_end, 2, false});
  run_sleep("sleep_3", (SleepTest){start_and_end, 3, false});
  run_sleep("sleep_held", (SleepTest){start_and_hold, 2, false});
  run_sleep("sleep_held_3", (SleepTest){start_and_hold, 3, false});
  run_sleep("sleep_call_1", (SleepTest){sleep_and_call, 1, false});
  run_sleep("sleep_call_2", (SleepTest){sleep_and_call, 2, false});
  run_sleep("sleep_spawn", (SleepTest){sleep_and_spawn, 2, false});
  run_sleep("sleep_spawn_3", (SleepTest){sleep_and_spawn, 3, true});
}

static void sysmon_sees_timers_of_busy_ps(void **state) {
  (void)state;
  run_sleep("sysmon", (SleepTest){hold_with_own_timer, 2, true});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stop_against_run),
      cmocka_unit_test(restart_against_run),
      cmocka_unit_test(sleepers_wake),
      cmocka_unit_test(sysmon_sees_timers_of_busy_ps),
  };
  explore_program(15);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
