// SPDX-License-Identifier: MIT
// Deadlock detection under interleaving (row 38). It fires whenever nothing can
// run any more, and never while something can: a G in a blocking call, a timer,
// a pin held by another thread, a G on its way from one queue to another. And
// the end by sched_exit, from wherever it comes.
//
// Found when broken (tests/explore/mutants):
//   calls, timers, pins or running Ps that are not counted
//   the last unpin that does not look
//   an M that gives its P back without a look
//   a call that begins after the end and is not counted
#include "tests/explore/sched_explore.h"

enum { DEAD_TASKS = 5 };

static Shared world;
static uint32_t hook_calls, pinned_over;

static void on_deadlock(void *host) {
  (void)host;
  hook_calls++;
}

// --- Bodies; the last to end does not end the runtime here ------------------
static void just_end(P *p, Task *task) {
  task->done = true;
  sched_end(p, &task->g);
}

static void block_for_ever(P *p, Task *task) {
  CO_BEGIN;
  CO_RECV(task->shared->chans[0]);  // nobody sends
  just_end(p, task);
  return;
  CO_END;
}

static void receive_two_and_exit(P *p, Task *task) {
  CO_BEGIN;
  CO_RECV(task->shared->chans[1]);
  CO_RECV(task->shared->chans[1]);
  task->done = true;
  sched_end(p, &task->g);
  sched_exit(task->shared->sched);
  return;
  CO_END;
}

static void send_one(P *p, Task *task) {
  CO_BEGIN;
  CO_SEND(task->shared->chans[1], 1);
  just_end(p, task);
  return;
  CO_END;
}

static void sleep_and_send(P *p, Task *task) {
  CO_BEGIN;
  CO_SLEEP(3000);
  CO_SEND(task->shared->chans[1], 1);
  just_end(p, task);
  return;
  CO_END;
}

static void call_and_send(P *p, Task *task) {
  CO_BEGIN;
  CO_CALL(RT_STEP(&task->i));
  CO_SEND(task->shared->chans[1], 1);
  just_end(p, task);
  return;
  CO_END;
}

static void call_and_end(P *p, Task *task) {
  CO_BEGIN;
  CO_CALL(RT_STEP(&task->i));
  just_end(p, task);
  return;
  CO_END;
}

static void yield_and_send(P *p, Task *task) {
  CO_BEGIN;
  CO_YIELD;
  CO_SEND(task->shared->chans[1], 1);
  just_end(p, task);
  return;
  CO_END;
}

static void exit_at_once(P *p, Task *task) {
  task->done = true;
  sched_end(p, &task->g);
  sched_exit(task->shared->sched);
}

// --- Scenarios --------------------------------------------------------------
typedef struct DeadTest {
  int procs;
  bool dead;  // how it ends
  bool sysmon;
  void (*bodies[DEAD_TASKS])(P *p, Task *task);
  void (*thread)(void *arg);  // a thread of the host, NULL: none
  bool refuse;                // some threads cannot be had
} DeadTest;

static const DeadTest *dead_test;

static void start_all(P *p, Task *task) {
  for (int i = 1; i < DEAD_TASKS && dead_test->bodies[i] != NULL; i++) {
    world_go(p, &task->shared->tasks[i], dead_test->bodies[i]);
  }
  task->body = dead_test->bodies[0];
  task->body(p, task);
}

static bool refuse_some(void (*start)(void *arg)) {
  return start != sysmon_main && explore_choose(2) != 0;
}

static Sched *dead_new(const DeadTest *test) {
  world_init(&world, test->procs, DEAD_TASKS);
  for (int i = 0; i < DEAD_TASKS; i++) {
    world.tasks[i].g.resume = task_resume_once;
  }
  world.sched->hooks.deadlock = on_deadlock;
  world_chan(&world, 0, 0);
  world_chan(&world, 1, 0);
  if (test->sysmon) rt_explore_may_start(NULL);
  if (test->refuse) rt_explore_may_start(refuse_some);
  return world.sched;
}

static void dead_body(void *arg) {
  const DeadTest *test = dead_test = arg;
  hook_calls = pinned_over = 0;
  Sched *sched = dead_new(test);
  int thread = 0;
  if (test->thread != NULL) {
    sched_pin(sched);
    thread = explore_go(test->thread, NULL);
  }
  SchedEnd end = world_run(&world, start_all);
  EXPLORE_CHECK(end == (test->dead ? SCHED_DEADLOCK : SCHED_EXITED),
                "it ended as %s",
                end == SCHED_DEADLOCK ? "a deadlock, but it "
                                        "is none"
                                      : "exited, but it is a deadlock");
  EXPLORE_CHECK(hook_calls == (test->dead ? 1u : 0u),
                "the hook was called %u times", hook_calls);
  if (thread != 0) {
    EXPLORE_CHECK(rt_load_seq(&pinned_over), "a deadlock in spite of a pin");
    explore_join(thread);
  }
  world_free(&world);
}

static void run(const char *name, DeadTest test) {
  Scenario scenario = {
      .name = name, .body = dead_body, .arg = &test, .preemptions = 0};
  assert_true(explore(&scenario));
}

static void fires_when_nothing_can_run(void **state) {
  (void)state;
  run("dead_1",
      (DeadTest){1, true, false, {block_for_ever, just_end}, NULL, false});
  run("dead_2", (DeadTest){2,
                           true,
                           false,
                           {block_for_ever, just_end, block_for_ever},
                           NULL,
                           false});
  run("dead_3",
      (DeadTest){
          3, true, false, {just_end, block_for_ever, just_end}, NULL, false});
  run("dead_call",
      (DeadTest){2, true, false, {block_for_ever, call_and_end}, NULL, false});
  run("dead_sysmon",
      (DeadTest){2, true, true, {block_for_ever, just_end}, NULL, false});
  run("dead_rest",
      (DeadTest){
          2, true, false, {receive_two_and_exit, send_one}, NULL, false});
}

static void does_not_fire_before(void **state) {
  (void)state;
  run("alive_sends",
      (DeadTest){2,
                 false,
                 false,
                 {receive_two_and_exit, send_one, yield_and_send},
                 NULL,
                 false});
  run("alive_timer",
      (DeadTest){2,
                 false,
                 false,
                 {receive_two_and_exit, sleep_and_send, send_one},
                 NULL,
                 false});
}

static void does_not_fire_before_calls_end(void **state) {
  (void)state;
  run("alive_call", (DeadTest){2,
                               false,
                               false,
                               {receive_two_and_exit, call_and_send, send_one},
                               NULL,
                               false});
  run("alive_call_1",
      (DeadTest){1,
                 false,
                 false,
                 {receive_two_and_exit, call_and_send, call_and_send},
                 NULL,
                 false});
  run("alive_refused",
      (DeadTest){2,
                 false,
                 false,
                 {receive_two_and_exit, call_and_send, send_one},
                 NULL,
                 true});
  run("alive_refused_3", (DeadTest){3,
                                    false,
                                    false,
                                    {receive_two_and_exit, sleep_and_send,
                                     call_and_send, call_and_end},
                                    NULL,
                                    true});
  run("alive_3",
      (DeadTest){3,
                 false,
                 false,
                 {receive_two_and_exit, call_and_send, sleep_and_send},
                 NULL,
                 false});
}

// --- Threads of the host ----------------------------------------------------
static void unpin(void *arg) {
  (void)arg;
  rt_store_seq(&pinned_over, 1u);
  sched_unpin(world.sched);
}

static void exit_from_outside(void *arg) {
  (void)arg;
  rt_store_seq(&pinned_over, 1u);
  sched_exit(world.sched);
}

// A G in a call that does not end: sched_run waits a while, whether the call
// began before the end or after it. It ends at some time around sched_leave.
static uint32_t call_may_end;

static void call_for_ever(P *p, Task *task) {
  CO_BEGIN;
  CO_CALL(explore_until_set(&call_may_end));
  just_end(p, task);
  return;
  CO_END;
}

static void count_call(void *count) { ++*(uint32_t *)count; }

static void stuck_body(void *arg) {
  static const DeadTest test = {
      2, false, false, {exit_at_once, call_for_ever}, NULL, false};
  (void)arg;
  dead_test = &test;
  call_may_end = 0;
  Sched *sched = dead_new(&test);
  world.tasks[0].body = start_all;
  int stuck;
  SchedEnd end = sched_run(sched, &world.tasks[0].g, 100 * NS_PER_US, &stuck);
  EXPLORE_CHECK(end == SCHED_EXITED, "it did not end by an exit");
  EXPLORE_CHECK(stuck == 0 || stuck == 1, "%d calls did not end", stuck);
  uint32_t last_calls = 0;
  call_may_end = 1;
  int left = sched_leave(sched, count_call, &last_calls);
  explore_join_all();
  EXPLORE_CHECK(left <= stuck, "%d calls, but %d before", left, stuck);
  EXPLORE_CHECK(last_calls == (uint32_t)(left > 0),
                "%d calls, and the last one was told %u times", left,
                last_calls);
  world_free(&world);
}

static void pins_and_exits(void **state) {
  (void)state;
  run("pin",
      (DeadTest){2, true, false, {block_for_ever, just_end}, unpin, false});
  run("exit_outside", (DeadTest){2,
                                 false,
                                 false,
                                 {block_for_ever, yield_and_send, just_end},
                                 exit_from_outside,
                                 false});
  Scenario stuck = {.name = "exit_stuck", .body = stuck_body};
  assert_true(explore(&stuck));
  run("exit_inside",
      (DeadTest){3,
                 false,
                 false,
                 {block_for_ever, exit_at_once, call_and_end, yield_and_send},
                 NULL,
                 false});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fires_when_nothing_can_run),
      cmocka_unit_test(does_not_fire_before),
      cmocka_unit_test(does_not_fire_before_calls_end),
      cmocka_unit_test(pins_and_exits),
  };
  explore_program(17);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
