// SPDX-License-Identifier: MIT
// Callbacks under interleaving (row 23). The G of a callback runs on its own
// thread only, whoever readies it and wherever it is queued. The P goes on
// meanwhile. Nothing is lost when the world stops, the callback blocks in a
// call, nests, or the runtime ends. One thread is left to run what callbacks
// wait for.
//
// Found when broken (tests/explore/mutants):
//   a thread that does not wait for its P
//   one that keeps its P while the callback waits
//   a switch in place under a callback
//   a P that is handed to nobody
//   callbacks that count on a thread which the system then refuses
#include "tests/explore/sched_explore.h"

enum { LOCKED_TASKS = 6 };

static Shared world;
static int callbacks_run, callbacks_refused;

static void check_thread(Task *task) {
  EXPLORE_CHECK(task->a == explore_thread(),
                "a callback runs on thread %d, not %d", explore_thread(),
                (int)task->a);
}

// --- What callbacks do: task->a is their thread -----------------------------
static void computes(P *p, Task *task) {
  CO_BEGIN;
  check_thread(task);
  CO_LOOK;
  CO_END;
}

static void receives(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 2; task->i++) {
    check_thread(task);
    CO_RECV(task->shared->chans[0]);
    check_thread(task);
    EXPLORE_CHECK(task->ok, "the channel is closed");
  }
  CO_END;
}

static void yields(P *p, Task *task) {
  CO_BEGIN;
  CO_YIELD;
  check_thread(task);
  CO_SLEEP(2000);
  check_thread(task);
  CO_END;
}

static void calls(P *p, Task *task) {
  CO_BEGIN;
  CO_CALL(explore_yield());
  check_thread(task);
  CO_QUICK_CALL(explore_yield());
  check_thread(task);
  CO_RECV(task->shared->chans[0]);
  check_thread(task);
  CO_END;
}

static void only_calls(P *p, Task *task) {
  CO_BEGIN;
  CO_CALL(explore_yield());
  check_thread(task);
  CO_QUICK_CALL(explore_yield());
  check_thread(task);
  CO_YIELD;
  check_thread(task);
  CO_END;
}

static P *call_back(P *p, Task *outer, Task *inner) {
  rt_add(&outer->shared->running, 1u);
  inner->a = explore_thread();
  P *after = p;
  if (!sched_run_locked(&after, &outer->g, &inner->g, true)) {
    EXPLORE_CHECK(after == p && p->current == &outer->g && !inner->done,
                  "a refused callback has changed something");
    rt_sub(&outer->shared->running, 1u);
    callbacks_refused++;
    return p;
  }
  if (after == NULL) return NULL;
  EXPLORE_CHECK(inner->done, "a callback is over, but has not ended");
  EXPLORE_CHECK(after->current == &outer->g && after->m->p == after,
                "the caller goes on without its P");
  callbacks_run++;
  return after;
}

static void nests(P *p, Task *task) {
  CO_BEGIN;
  check_thread(task);
  p = call_back(p, task, &task->shared->tasks[5]);
  if (p == NULL) return;
  CO_RECV(task->shared->chans[0]);
  check_thread(task);
  CO_END;
}

// --- The others -------------------------------------------------------------
static void caller(P *p, Task *task) {
  CO_BEGIN;
  p = call_back(p, task, &task->shared->tasks[4]);
  if (p == NULL) return;
  CO_LOOK;
  CO_END;
}

static void second_caller(P *p, Task *task) {
  CO_BEGIN;
  p = call_back(p, task, &task->shared->tasks[5]);
  if (p == NULL) return;
  CO_LOOK;
  CO_END;
}

static void sender(P *p, Task *task) {
  CO_BEGIN;
  CO_SEND(task->shared->chans[0], 1);
  CO_SEND(task->shared->chans[0], 2);
  CO_END;
}

static void one_sender(P *p, Task *task) {
  CO_BEGIN;
  CO_SEND(task->shared->chans[0], 1);
  CO_END;
}

static void worker(P *p, Task *task) {
  CO_BEGIN;
  RT_STEP(&task->i);
  CO_YIELD;
  CO_LOOK;
  CO_END;
}

static void stopper(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 2; task->i++) {
    if (sched_stop_world(p, &task->g)) sched_start_world(p);
    CO_LOOK;
  }
  CO_END;
}

static void resizer(P *p, Task *task) {
  CO_BEGIN;
  task->line = -3;
  p = sched_set_procs(p, &task->g, 1);
  if (p == NULL) return;
  if (0) {
    case -3:;
  }
  CO_END;
}

static void leaver(P *p, Task *task) {
  CO_BEGIN;
  CO_YIELD;
  sched_exit(task->shared->sched);
  CO_END;
}

// Goes on with the next G in place, as an interpreter does.
static void inner_resume(P *p, G *g) {
  Task *task = (Task *)(void *)g;
  M *m = p->m;
  task->body(p, task);
  G *next = m->p == p ? sched_switch(p) : NULL;
  if (next != NULL) next->resume(p, next);
}

// --- Scenarios --------------------------------------------------------------
typedef struct LockedTest {
  int procs, callbacks;
  SchedEnd end;
  void (*inner)(P *p, Task *task);
  void (*nested)(P *p, Task *task);
  void (*others[3])(P *p, Task *task);
  bool leaves;
  int threads;  // at most, 0: the default
  bool refuse;  // the system gives some of them only
  int refused;  // callbacks, at most
} LockedTest;

static const LockedTest *locked_test;

static void start_all(P *p, Task *task) {
  for (int i = 0; i < 3 && locked_test->others[i] != NULL; i++)
    world_go(p, &task->shared->tasks[i + 1], locked_test->others[i]);
  task->body = caller;
  task->body(p, task);
}

static bool refuse_some(void (*start)(void *arg)) {
  return start != sysmon_main && explore_choose(2) != 0;
}

static void locked_body(void *arg) {
  locked_test = arg;
  callbacks_run = callbacks_refused = 0;
  world_init(&world, locked_test->procs, LOCKED_TASKS);
  if (locked_test->threads > 0)
    world.sched->config.m_limit = (uint32_t)locked_test->threads;
  if (locked_test->refuse) rt_explore_may_start(refuse_some);
  for (int i = 0; i < LOCKED_TASKS; i++)
    world.tasks[i].g.resume = task_resume_once;
  world.tasks[1].g.resume = task_resume;  // switches in place: stays on its P
  world.tasks[4].g.resume = world.tasks[5].g.resume = inner_resume;
  world.tasks[4].body = locked_test->inner;
  world.tasks[5].body = locked_test->nested;
  world_chan(&world, 0, 0);
  SchedEnd end = world_run(&world, start_all);
  EXPLORE_CHECK(end == locked_test->end, "the run ended otherwise");
  if (locked_test->end == SCHED_EXITED && !locked_test->leaves) {
    EXPLORE_CHECK(callbacks_refused <= locked_test->refused,
                  "%d callbacks are refused", callbacks_refused);
    EXPLORE_CHECK(callbacks_run + callbacks_refused == locked_test->callbacks,
                  "%d of %d callbacks", callbacks_run, locked_test->callbacks);
    world_check_empty(&world);
  }
  world_free(&world);
}

static void run(const char *name, LockedTest test) {
  Scenario scenario = {
      .name = name, .body = locked_body, .arg = &test, .preemptions = 0};
  assert_true(explore(&scenario));
}

static void callbacks_stay(void **state) {
  (void)state;
  run("computes",
      (LockedTest){
          .procs = 1, .callbacks = 1, .inner = computes, .others = {worker}});
  run("receives",
      (LockedTest){
          .procs = 2, .callbacks = 1, .inner = receives, .others = {sender}});
  run("receives_1", (LockedTest){.procs = 1,
                                 .callbacks = 1,
                                 .inner = receives,
                                 .others = {sender, worker}});
  run("yields",
      (LockedTest){
          .procs = 2, .callbacks = 1, .inner = yields, .others = {worker}});
  run("calls", (LockedTest){.procs = 2,
                            .callbacks = 1,
                            .inner = calls,
                            .others = {one_sender, worker}});
}

static void callbacks_nest(void **state) {
  (void)state;
  run("nests", (LockedTest){.procs = 2,
                            .callbacks = 2,
                            .inner = nests,
                            .nested = receives,
                            .others = {sender, one_sender}});
}

// With all threads in callbacks that wait nobody would run what they wait for.
static void callbacks_leave_a_thread(void **state) {
  (void)state;
  run("one_thread", (LockedTest){.procs = 1,
                                 .callbacks = 1,
                                 .threads = 1,
                                 .refused = 1,
                                 .inner = yields,
                                 .others = {worker}});
  run("two_threads", (LockedTest){.procs = 1,
                                  .callbacks = 2,
                                  .threads = 2,
                                  .refused = 1,
                                  .inner = yields,
                                  .nested = yields,
                                  .others = {worker, second_caller}});
  run("two_threads_2", (LockedTest){.procs = 2,
                                    .callbacks = 2,
                                    .threads = 2,
                                    .refused = 1,
                                    .inner = only_calls,
                                    .nested = yields,
                                    .others = {worker, second_caller}});
  run("refused", (LockedTest){.procs = 3,
                              .callbacks = 2,
                              .refuse = true,
                              .refused = 2,
                              .inner = yields,
                              .nested = yields,
                              .others = {worker, second_caller, worker}});
}

static void callbacks_and_the_world(void **state) {
  (void)state;
  run("stop", (LockedTest){.procs = 2,
                           .callbacks = 1,
                           .inner = receives,
                           .others = {sender, stopper}});
  run("resize", (LockedTest){.procs = 2,
                             .callbacks = 1,
                             .inner = receives,
                             .others = {sender, resizer}});
  run("exit", (LockedTest){.procs = 2,
                           .inner = receives,
                           .leaves = true,
                           .others = {one_sender, leaver}});
  run("deadlock", (LockedTest){.procs = 2,
                               .inner = receives,
                               .end = SCHED_DEADLOCK,
                               .others = {one_sender}});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(callbacks_stay),
      cmocka_unit_test(callbacks_nest),
      cmocka_unit_test(callbacks_leave_a_thread),
      cmocka_unit_test(callbacks_and_the_world),
  };
  explore_program(10);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
