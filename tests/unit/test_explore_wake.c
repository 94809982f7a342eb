// SPDX-License-Identifier: MIT
// No wake-up is lost (row 15, idle.c): a G makes work and then holds its M
// until that work has run elsewhere, without ever looking. If the last spinner
// stops at the wrong moment, all threads sleep and the explorer says so.
// The whole runtime runs on explorer threads: sched_run, Ms, find_work_next.
//
// Found when broken (tests/explore/mutants):
//   no second look after `spinning` was dropped
//   the last spinner that finds work wakes nobody
//   spawn or a displaced G wakes nobody
//   a waker that counts itself without a CAS
//   thieves that leave out the Ps of other nodes
#define RUNQ_SIZE 4  // seven spawns fill it
#include "tests/explore/sched_explore.h"

enum { WAKE_TASKS = 10 };

static uint32_t ran[WAKE_TASKS];  // set by each child
static int procs, rounds;
static const SchedTopology *topology;  // NULL: the plain order

// Holds the M, with its P, as a native of a host does: only other Ms can make
// it go on.
static void hold_until_ran(P *p, int id) {
  sched_not_alone(p);
  explore_until_set(&ran[id]);
}

static void child(P *p, Task *task) {
  rt_store_seq(&ran[task->id], 1u);
  task_end(p, task);
}

static void wake_run(int tasks, void (*main_body)(P *p, Task *task)) {
  Shared world;
  memset(ran, 0, sizeof ran);
  world_init(&world, procs, tasks);
  world.sched->steal.topology = topology;
  if (topology != NULL) steal_order_open(world.sched);
  world_chan(&world, 0, 0);
  for (int i = 0; i < tasks; i++) {
    world.tasks[i].g.resume = task_resume_once;  // it may change its P
  }
  SchedEnd end = world_run(&world, main_body);
  EXPLORE_CHECK(end == SCHED_EXITED, "the runtime thinks it is deadlocked");
  for (int i = 0; i < tasks; i++) {
    EXPLORE_CHECK(world.tasks[i].done, "task %d is not done", i);
  }
  world_check_empty(&world);
  world_free(&world);
}

// --- Spawn ------------------------------------------------------------------
static void spawn_one_by_one(P *p, Task *task) {
  world_spawns_wake(task->shared);
  for (int i = 1; i <= rounds; i++) {
    world_go(p, &task->shared->tasks[i], child);
    hold_until_ran(p, i);
  }
  task_end(p, task);
}

static void spawn_many(P *p, Task *task) {
  world_spawns_wake(task->shared);
  for (int i = 1; i <= rounds; i++) {
    world_go(p, &task->shared->tasks[i], child);
  }
  for (int i = 1; i <= rounds; i++) hold_until_ran(p, i);
  task_end(p, task);
}

static void spawn_body(void *arg) {
  (void)arg;
  wake_run(rounds + 1, spawn_one_by_one);
}

static void many_body(void *arg) {
  (void)arg;
  wake_run(rounds + 1, spawn_many);
}

static void spawn_wakes(void **state) {
  (void)state;
  for (procs = 2; procs <= 3; procs++) {
    rounds = 3;
    Scenario one = {.name = procs == 2 ? "spawn_2" : "spawn_3",
                    .body = spawn_body,
                    .preemptions = 1};
    assert_true(explore(&one));
    rounds = 7;  // more than the ring holds
    Scenario many = {.name = procs == 2 ? "overflow_2" : "overflow_3",
                     .body = many_body,
                     .preemptions = 1};
    assert_true(explore(&many));
  }
}

// --- Several domains of CPUs (row 17) ---------------------------------------
// Threads 0 and 1 are in one domain, 2 and 3 in another, and now and then one
// is moved: no order of thieves may leave a P out.
static int moving_cpu(void) {
  return (explore_thread() + (int)explore_rarely(4, 4)) % 4;
}

static void near_run(int tasks, void (*main_body)(P *p, Task *task)) {
  static const uint32_t places[] = {0, 0, 1 << SCHED_DOMAIN_SHIFT | 1,
                                    1 << SCHED_DOMAIN_SHIFT | 1};
  static const SchedTopology two = {.cpus = 4,
                                    .domains = 2,
                                    .nodes = 2,
                                    .places = places,
                                    .here = moving_cpu};
  topology = &two;
  wake_run(tasks, main_body);
  topology = NULL;
}

static void near_body(void *arg) {
  (void)arg;
  near_run(rounds + 1, spawn_many);
}

static void far_work_is_found(void **state) {
  (void)state;
  procs = 3;
  rounds = 4;
  Scenario scenario = {.name = "near", .body = near_body, .preemptions = 0};
  assert_true(explore(&scenario));
}

// Half of the Ps are idle when the thief looks: it goes by the masks.
static void thieves_find_few_busy_ps(void **state) {
  (void)state;
  procs = 4;
  rounds = 2;
  Scenario scenario = {.name = "spawn_4", .body = spawn_body, .preemptions = 0};
  assert_true(explore(&scenario));
  Scenario near = {.name = "near_4", .body = near_body, .preemptions = 0};
  assert_true(explore(&near));
}

// Searches were in vain, so spawn wakes nobody: the spawner's looks do.
static void spawn_and_look(P *p, Task *task) {
  CO_BEGIN;
  task->shared->sched->config.futile_max = 0;
  for (task->i = 1; task->i <= rounds; task->i++) {
    world_go(p, &task->shared->tasks[task->i], child);
    while (rt_load_seq(&ran[task->i]) == 0) CO_LOOK;
  }
  CO_END;
}

static void quiet_body(void *arg) {
  (void)arg;
  wake_run(rounds + 1, spawn_and_look);
}

static void looks_wake_for_quiet_spawns(void **state) {
  (void)state;
  for (procs = 2; procs <= 3; procs++) {
    rounds = 2;
    Scenario scenario = {.name = procs == 2 ? "quiet_2" : "quiet_3",
                         .body = quiet_body,
                         .preemptions = 0};
    assert_true(explore(&scenario));
  }
}

// --- Two children that need one another -------------------------------------
// Runs until the other one runs at the same time.
static void partner(P *p, Task *task) {
  rt_store_seq(&ran[task->id], 1u);
  hold_until_ran(p, task->id == 1 ? 2 : 1);
  task_end(p, task);
}

static void partners_body(P *p, Task *task) {
  world_spawns_wake(task->shared);
  world_go(p, &task->shared->tasks[1], partner);
  world_go(p, &task->shared->tasks[2], partner);
  hold_until_ran(p, 1);
  hold_until_ran(p, 2);
  task_end(p, task);
}

static void partners_run(void *arg) {
  (void)arg;
  wake_run(3, partners_body);
}

static void last_spinner_wakes_another(void **state) {
  (void)state;
  procs = 3;
  Scenario scenario = {
      .name = "partners", .body = partners_run, .preemptions = 1};
  assert_true(explore(&scenario));
}

// --- Yield ------------------------------------------------------------------
// Holds its M until the main G, which yielded, runs again.
static void holds_for_main(P *p, Task *task) {
  hold_until_ran(p, 0);
  rt_store_seq(&ran[task->id], 1u);
  task_end(p, task);
}

static void yield_main(P *p, Task *task) {
  CO_BEGIN;
  world_go(p, &task->shared->tasks[1], holds_for_main);
  CO_YIELD;
  rt_store_seq(&ran[0], 1u);
  hold_until_ran(p, 1);
  CO_END;
}

static void yield_body(void *arg) {
  (void)arg;
  wake_run(2, yield_main);
}

static void yield_wakes(void **state) {
  (void)state;
  procs = 2;
  Scenario scenario = {.name = "yield", .body = yield_body, .preemptions = 1};
  assert_true(explore(&scenario));
}

// --- Ready: one by one, and a list ------------------------------------------
static void receiver(P *p, Task *task) {
  CO_BEGIN;
  CO_RECV(task->shared->chans[0]);
  rt_store_seq(&ran[task->id], 1u);
  CO_END;
}

static void start_receivers(P *p, Task *task) {
  for (int i = 1; i <= rounds; i++) {
    world_go(p, &task->shared->tasks[i], receiver);
  }
}

static int receivers_waiting(const Chan *chan) {
  int count = 0;
  for (const Waiter *w = chan->recv_first; w != NULL; w = w->next) count++;
  return count;
}

static void close_main(P *p, Task *task) {
  CO_BEGIN;
  start_receivers(p, task);
  while (receivers_waiting(task->shared->chans[0]) < rounds) CO_YIELD;
  EXPLORE_CHECK(chan_close(p, task->shared->chans[0]), "it was closed already");
  for (int i = 1; i <= rounds; i++) hold_until_ran(p, i);
  CO_END;
}

static void close_body(void *arg) {
  (void)arg;
  wake_run(rounds + 1, close_main);
}

// The second send displaces the first receiver from runnext, and wakes for it.
// What stays in runnext waits for a look (row 5).
static void send_main(P *p, Task *task) {
  CO_BEGIN;
  start_receivers(p, task);
  while (receivers_waiting(task->shared->chans[0]) < rounds) CO_YIELD;
  for (task->i = 1; task->i <= rounds; task->i++)
    CO_SEND(task->shared->chans[0], 7);
  const G *next = rt_load_relaxed(&p->runnext);
  for (int i = 1; i <= rounds; i++) {
    if (next != &task->shared->tasks[i].g) hold_until_ran(p, i);
  }
  CO_END;
}

static void send_body(void *arg) {
  (void)arg;
  wake_run(rounds + 1, send_main);
}

static void ready_wakes(void **state) {
  (void)state;
  rounds = 2;
  for (procs = 2; procs <= 3; procs++) {
    Scenario closes = {.name = procs == 2 ? "close_2" : "close_3",
                       .body = close_body,
                       .preemptions = 1};
    assert_true(explore(&closes));
    Scenario sends = {.name = procs == 2 ? "displaced_2" : "displaced_3",
                      .body = send_body,
                      .preemptions = 1};
    assert_true(explore(&sends));
  }
}

// --- A G in runnext is seen by the looks of the one that runs ---------------
static void look_main(P *p, Task *task) {
  CO_BEGIN;
  start_receivers(p, task);
  while (receivers_waiting(task->shared->chans[0]) < 1) CO_YIELD;
  CO_SEND(task->shared->chans[0], 7);
  while (!rt_load_seq(&ran[1])) CO_LOOK;
  CO_END;
}

static void look_body(void *arg) {
  (void)arg;
  wake_run(2, look_main);
}

static void looks_wake(void **state) {
  (void)state;
  procs = 2;
  rounds = 1;
  Scenario scenario = {.name = "looks", .body = look_body, .preemptions = -1};
  assert_true(explore(&scenario));
}

// --- Blocking calls ---------------------------------------------------------
static void call_main(P *p, Task *task) {
  CO_BEGIN;
  world_go(p, &task->shared->tasks[1], child);
  world_go(p, &task->shared->tasks[2], child);
  CO_CALL({  // in the kernel: the P must be in other hands
    explore_until_set(&ran[1]);
    explore_until_set(&ran[2]);
  });
  CO_END;
}

static void call_body(void *arg) {
  (void)arg;
  wake_run(3, call_main);
}

// A call comes back, takes an idle P away from a thread that is about to wake
// an M for it, and makes work itself.
static void call_and_spawn(P *p, Task *task) {
  CO_BEGIN;
  CO_CALL(RT_STEP(&ran));
  world_go(p, &task->shared->tasks[task->id + 2], child);
  hold_until_ran(p, task->id + 2);
  rt_store_seq(&ran[task->id], 1u);
  CO_END;
}

static void calls_main(P *p, Task *task) {
  CO_BEGIN;
  world_spawns_wake(task->shared);
  world_go(p, &task->shared->tasks[1], call_and_spawn);
  CO_YIELD;
  world_go(p, &task->shared->tasks[2], child);
  CO_YIELD;
  world_go(p, &task->shared->tasks[4], child);
  CO_END;
}

static void calls_body(void *arg) {
  (void)arg;
  wake_run(5, calls_main);
}

static void call_hands_its_p_over(void **state) {
  (void)state;
  for (procs = 1; procs <= 3; procs++) {
    static const char *const names[] = {"", "call_1", "call_2", "call_3"};
    Scenario scenario = {
        .name = names[procs], .body = call_body, .preemptions = 1};
    assert_true(explore(&scenario));
  }
  for (procs = 2; procs <= 3; procs++) {
    Scenario back = {.name = procs == 2 ? "call_back_2" : "call_back_3",
                     .body = calls_body,
                     .preemptions = 0};
    assert_true(explore(&back));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spawn_wakes),
      cmocka_unit_test(far_work_is_found),
      cmocka_unit_test(thieves_find_few_busy_ps),
      cmocka_unit_test(looks_wake_for_quiet_spawns),
      cmocka_unit_test(last_spinner_wakes_another),
      cmocka_unit_test(yield_wakes),
      cmocka_unit_test(ready_wakes),
      cmocka_unit_test(looks_wake),
      cmocka_unit_test(call_hands_its_p_over),
  };
  explore_program(21);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
