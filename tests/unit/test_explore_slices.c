// SPDX-License-Identifier: MIT
// Turns under interleaving (rows 5, 8, 10, 19). A G that computes without end
// is preempted. Two Gs that keep readying one another hold neither the ring nor
// the global queue up. A G that a timer woke waits a millisecond and not a
// slice. What is preempted or displaced meanwhile is neither lost nor run
// twice, with thieves about.
//
// Gs that compute let virtual time pass themselves. Where a turn never comes
// the run is a livelock.
//
// Found when broken (tests/explore/mutants):
//   slices that do not end, or not for a G that a timer woke
//   a turn of runnext that never ends
//   a preempted G that goes to runnext
//   a displaced G that stays in runnext, too
#define RUNQ_SIZE 4  // six Gs fill it
#include "tests/explore/sched_explore.h"

enum {
  SLICE_TASKS = 6,
  SLICE_LIMIT = 30000,
  URGENT_LOOKS = 16,
  SLICE_LOOKS = 32,  // 25, and what time leaps
};

static const int64_t some_ns = 400 * NS_PER_US;  // computed between two looks

static Shared world;
static uint32_t runs[SLICE_TASKS];  // atomic: how often each began
static int64_t looks_since_due;

static void raise_flag(P *p, Task *task) {
  EXPLORE_CHECK(rt_add(&runs[task->id], 1u) == 0, "goroutine %d ran twice",
                task->id);
  rt_add(&task->shared->flag, 1u);
  task_end(p, task);
}

// --- Computing --------------------------------------------------------------
// Others have CPUs of their own.
static void compute_for(int64_t ns) {
  explore_pass_time(ns);
  explore_yield();
}

// Until all the others have run.
static void compute(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_seq(&task->shared->flag) < task->n) {
    compute_for(some_ns);
    task->b++;
    CO_LOOK;
  }
  EXPLORE_CHECK(task->a == 0 || task->b <= task->a,
                "the others waited for %d looks of one that computes",
                (int)task->b);
  CO_END;
}

// Its children wait in runnext and in the ring. With one P all run when its
// first slice is over.
static void spawn_and_compute(P *p, Task *task) {
  task->n = 3;
  task->a = p->single ? SLICE_LOOKS : 0;
  for (int i = 1; i <= task->n; i++) {
    world_go(p, &task->shared->tasks[i], raise_flag);
  }
  task->body = compute;
  compute(p, task);
}

// A child more after each look: the ring overflows, runnext is displaced.
static void compute_and_spawn(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 1; task->i < SLICE_TASKS; task->i++) {
    compute_for(some_ns * 10);
    world_go(p, &task->shared->tasks[task->i], raise_flag);
    CO_LOOK;
  }
  task->n = SLICE_TASKS - 1;
  task->line = 0;
  task->body = compute;
  compute(p, task);
  return;
  CO_END;
}

// --- Readying one another ---------------------------------------------------
static void answer(P *p, Task *task) {
  CO_BEGIN;
  for (;;) {
    CO_RECV(task->shared->chans[0]);
    if (!task->ok) break;
    CO_SEND(task->shared->chans[1], task->word);
  }
  CO_END;
}

// A question, and its answer: until the others have run.
static void ask(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_seq(&task->shared->flag) < task->n) {
    CO_SEND(task->shared->chans[0], 1);
    CO_RECV(task->shared->chans[1]);
  }
  chan_close(p, task->shared->chans[0]);
  CO_END;
}

static void yield_then_set(P *p, Task *task) {
  CO_BEGIN;
  CO_YIELD;
  raise_flag(p, task);
  return;
  CO_END;
}

static void ask_beside_others(P *p, Task *task) {
  task->n = 2;
  world_go(p, &task->shared->tasks[1], raise_flag);
  world_go(p, &task->shared->tasks[2], yield_then_set);
  world_go(p, &task->shared->tasks[3], answer);
  task->body = ask;
  ask(p, task);
}

// --- A timer beside one that computes ---------------------------------------
static void sleep_then_set(P *p, Task *task) {
  CO_BEGIN;
  CO_SLEEP(NS_PER_MS);
  raise_flag(p, task);
  return;
  CO_END;
}

static void compute_until_woken(P *p, Task *task) {
  CO_BEGIN;
  task->a = rt_now();
  while (rt_load_seq(&task->shared->flag) == 0) {
    compute_for(some_ns);
    if (explore_now() >= task->a + NS_PER_MS) looks_since_due++;
    CO_LOOK;
  }
  EXPLORE_CHECK(looks_since_due <= URGENT_LOOKS,
                "a G that a timer woke waited for %d looks",
                (int)looks_since_due);
  CO_END;
}

static void sleep_beside_hog(P *p, Task *task) {
  CO_BEGIN;
  world_go(p, &task->shared->tasks[1], sleep_then_set);
  CO_YIELD;  // it sleeps now
  task->line = 0;
  task->body = compute_until_woken;
  compute_until_woken(p, task);
  return;
  CO_END;
}

// Urgent ones and others take turns, on Ps that steal timers of each other.
static void sleep_and_compute(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 3; task->i++) {
    CO_SLEEP(some_ns);
    compute_for(some_ns);
  }
  rt_add(&task->shared->flag, 1u);
  CO_END;
}

static void compute_and_yield(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_seq(&task->shared->flag) < task->n) {
    compute_for(some_ns);
    CO_YIELD;
  }
  CO_END;
}

static void compute_beside_sleepers(P *p, Task *task) {
  for (int i = 1; i <= 3; i++) {
    world_go(p, &task->shared->tasks[i], sleep_and_compute);
  }
  task->n = task->shared->tasks[4].n = 3;
  world_go(p, &task->shared->tasks[4], compute_and_yield);
  task->body = compute;
  compute(p, task);
}

// --- Scenarios --------------------------------------------------------------
typedef struct SliceTest {
  int procs;
  void (*body)(P *p, Task *task);
  bool sysmon;
} SliceTest;

static void slice_body(void *arg) {
  const SliceTest *test = arg;
  memset(runs, 0, sizeof runs);
  looks_since_due = 0;
  world_init(&world, test->procs, SLICE_TASKS);
  world_chan(&world, 0, 0);
  world_chan(&world, 1, 0);
  if (test->sysmon) rt_explore_may_start(NULL);
  SchedEnd end = world_run(&world, test->body);
  EXPLORE_CHECK(end == SCHED_EXITED, "goroutines were forgotten");
  world_check_empty(&world);
  world_free(&world);
}

static void run(const char *name, SliceTest test) {
  Scenario scenario = {.name = name,
                       .body = slice_body,
                       .arg = &test,
                       .step_limit = SLICE_LIMIT,
                       .preemptions = 0};
  assert_true(explore(&scenario));
}

static void computing_is_preempted(void **state) {
  (void)state;
  run("preempt_1", (SliceTest){1, spawn_and_compute, false});
  run("preempt_2", (SliceTest){2, spawn_and_compute, false});
  run("preempt_sysmon", (SliceTest){2, spawn_and_compute, true});
  run("displace_1", (SliceTest){1, compute_and_spawn, false});
  run("displace_2", (SliceTest){2, compute_and_spawn, false});
  run("displace_3", (SliceTest){3, compute_and_spawn, true});
}

static void runnext_has_no_more_than_its_turn(void **state) {
  (void)state;
  run("pair_1", (SliceTest){1, ask_beside_others, false});
  run("pair_2", (SliceTest){2, ask_beside_others, false});
}

static void woken_by_a_timer_is_urgent(void **state) {
  (void)state;
  run("urgent", (SliceTest){1, sleep_beside_hog, false});
  run("turns_1", (SliceTest){1, compute_beside_sleepers, false});
  run("turns_2", (SliceTest){2, compute_beside_sleepers, false});
  run("turns_3", (SliceTest){3, compute_beside_sleepers, true});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(computing_is_preempted),
      cmocka_unit_test(runnext_has_no_more_than_its_turn),
      cmocka_unit_test(woken_by_a_timer_is_urgent),
  };
  explore_program(12);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
