// SPDX-License-Identifier: MIT
// Blocking calls: the P goes on with others meanwhile, the limit of threads in
// calls, no false deadlock, the end while calls are under way.
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "sched_fixture.h"

static const int64_t MS = 1000000;

static void nap(int64_t ns) {
  struct timespec t = {ns / 1000000000, ns % 1000000000};
  nanosleep(&t, NULL);
}

static void all_once(Shared *shared) {
  for (int i = 0; i < shared->task_count; i++) {
    shared->tasks[i].g.resume = task_resume_once;
  }
}

// --- The P is handed over ---------------------------------------------------
// The call ends when the counter, which needs the only P, has run.
static void caller(P *p, Task *task) {
  CO_BEGIN;
  CO_CALL(while (rt_load_seq(&task->shared->counts[0]) < 1000) nap(10000));
  assert_true(task->ok);
  rt_store_seq(&task->shared->flag, 1u);
  CO_END;
}

static void counter(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_seq(&task->shared->flag) == 0) {
    rt_add(&task->shared->counts[0], (uint64_t)1);
    CO_YIELD;
  }
  CO_END;
}

static void hand_over_main(P *p, Task *task) {
  task->shared->tasks[1].body = counter;
  task->shared->tasks[2].body = caller;
  task_go(p, &task->shared->tasks[1]);
  task_go(p, &task->shared->tasks[2]);
  task_end(p, task);
}

static void others_run_meanwhile(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 1, 3);
  all_once(&shared);
  assert_int_equal(shared_run(&shared, hand_over_main), SCHED_EXITED);
  assert_true(count_of(&shared, 0) >= 1000);
  shared_free(&shared);
}

// --- Many calls -------------------------------------------------------------
enum { CALLERS = 40 };

static void busy_caller(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 30; task->i++) {
    CO_CALL_AS(task->shared->data != NULL && (task->i + task->id) % 4 != 0,
               nap((int64_t)(task->id % 5) * 20000));
    if (task->ok) rt_add(&task->shared->counts[0], (uint64_t)1);
    rt_add(&task->shared->counts[1], (uint64_t)1);
    if (task->i % 7 == 0) CO_SLEEP(10000);
    if (task->i % 7 == 3) CO_YIELD;
  }
  CO_END;
}

static void many_main(P *p, Task *task) {
  for (int i = 1; i <= CALLERS; i++) {
    task->shared->tasks[i].body = busy_caller;
    task_go(p, &task->shared->tasks[i]);
  }
  task_end(p, task);
}

static void many_calls_of(void *quick) {
  for (int k = 0; k < SOME_PROCS; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k], CALLERS + 1);
    all_once(&shared);
    shared.data = quick;
    assert_int_equal(shared_run(&shared, many_main), SCHED_EXITED);
    assert_int_equal(count_of(&shared, 1), CALLERS * 30);
    SchedStats stats;
    sched_stats(shared.sched, &stats);
    assert_int_equal(stats.syscalls, count_of(&shared, 0));
    shared_free(&shared);
  }
}

static void many_calls(void **state) {
  (void)state;
  many_calls_of(NULL);
}

static void many_quick_calls(void **state) { many_calls_of(&state); }

// --- A quick call that lasts ------------------------------------------------
static void quick_caller(P *p, Task *task) {
  CO_BEGIN;
  CO_QUICK_CALL(while (rt_load_seq(&task->shared->counts[0]) < 1000)
                    nap(10000));
  rt_store_seq(&task->shared->flag, 1u);
  CO_END;
}

static void quick_main(P *p, Task *task) {
  task->shared->tasks[1].body = counter;
  task->shared->tasks[2].body = quick_caller;
  task_go(p, &task->shared->tasks[1]);
  task_go(p, &task->shared->tasks[2]);
  task_end(p, task);
}

// The counter needs the only P while the call waits for it.
static void its_p_is_taken(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 1, 3);
  all_once(&shared);
  assert_int_equal(shared_run(&shared, quick_main), SCHED_EXITED);
  SchedStats stats;
  sched_stats(shared.sched, &stats);
  assert_true(stats.retakes >= 1);
  assert_int_equal(stats.syscalls, 1);
  shared_free(&shared);
}

// --- Limits -----------------------------------------------------------------
// Gives the number of calls that were refused.
static uint64_t limited(SchedConfig config) {
  Shared shared;
  shared_init(&shared, 1, CALLERS + 1);
  sched_free(shared.sched);
  shared.sched = sched_new(&config);
  all_once(&shared);
  assert_int_equal(shared_run(&shared, many_main), SCHED_EXITED);
  assert_int_equal(count_of(&shared, 1), CALLERS * 30);
  assert_true(count_of(&shared, 0) > 0);
  SchedStats stats;
  sched_stats(shared.sched, &stats);
  assert_int_equal(stats.syscalls, count_of(&shared, 0));
  uint64_t refused = CALLERS * 30 - count_of(&shared, 0);
  shared_free(&shared);
  return refused;
}

// Past the limit goroutines wait; all calls are made.
static void threads_in_calls_are_limited(void **state) {
  (void)state;
  for (int max = 1; max <= 4; max++) {
    for (int k = 0; k < SOME_PROCS; k++) {
      assert_int_equal(
          limited((SchedConfig){.procs = some_procs[k], .max_syscalls = max}),
          0);
    }
  }
}

// How many Ms are in calls at once, as the calls themselves see it. The first
// ones wait for each other: both places are used.
static void counted_call(Shared *shared) {
  uint64_t now = rt_add(&shared->counts[2], (uint64_t)1) + 1;
  assert_true(now <= 2);
  if (now == 2) rt_store_seq(&shared->flag, 1u);
  while (rt_load_seq(&shared->flag) == 0) nap(10000);
  nap(50000);
  rt_sub(&shared->counts[2], (uint64_t)1);
}

static void counted_caller(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 5; task->i++) {
    CO_CALL(counted_call(task->shared));
    assert_true(task->ok);
    rt_add(&task->shared->counts[1], (uint64_t)1);
  }
  CO_END;
}

static void counted_main(P *p, Task *task) {
  for (int i = 1; i <= CALLERS; i++) {
    task->shared->tasks[i].body = counted_caller;
    task_go(p, &task->shared->tasks[i]);
  }
  task_end(p, task);
}

static void all_places_in_calls_are_used(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 2, CALLERS + 1);
  sched_free(shared.sched);
  shared.sched = sched_new(&(SchedConfig){.procs = 2, .max_syscalls = 2});
  all_once(&shared);
  assert_int_equal(shared_run(&shared, counted_main), SCHED_EXITED);
  assert_int_equal(count_of(&shared, 1), CALLERS * 5);
  shared_free(&shared);
}

// The only thread is never away while others need it: they are told so. With
// more, one is left for a P, and one for calls that block: they wait for it.
static void threads_are_limited(void **state) {
  (void)state;
  for (int procs = 1; procs <= 4; procs++) {
    assert_true(limited((SchedConfig){.procs = procs, .max_threads = 1}) > 0);
    for (int n = 2; n <= procs + 1; n++)
      assert_int_equal(limited((SchedConfig){.procs = procs, .max_threads = n}),
                       0);
  }
}

static void there_are_fewer_ps_than_threads(void **state) {
  (void)state;
  for (int n = 1; n <= 5; n++) {
    Sched *sched = sched_new(&(SchedConfig){.procs = 4, .max_threads = n});
    assert_non_null(sched);
    assert_int_equal(sched_procs(sched), n == 1 ? 1 : n - 1);
    sched_free(sched);
  }
}

static void alone_main(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 10; task->i++) {
    CO_CALL(nap(10000));  // nobody else needs the P: no second thread
    assert_true(task->ok);
    CO_SLEEP(20000);
  }
  CO_END;
}

static void one_thread_is_enough_for_one(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 1, 1);
  sched_free(shared.sched);
  shared.sched = sched_new(&(SchedConfig){.procs = 1, .max_threads = 1});
  all_once(&shared);
  assert_int_equal(shared_run(&shared, alone_main), SCHED_EXITED);
  shared_free(&shared);
}

// --- Deadlock ---------------------------------------------------------------
static void call_then_send(P *p, Task *task) {
  CO_BEGIN;
  CO_CALL(nap(10 * MS));
  CO_SEND(task->shared->chans[0], 1);
  CO_END;
}

static void wait_for_call(P *p, Task *task) {
  CO_BEGIN;
  task->shared->tasks[1].body = call_then_send;
  task_go(p, &task->shared->tasks[1]);
  CO_RECV(task->shared->chans[0]);
  assert_true(task->ok);
  rt_store_seq(&task->shared->flag, 1u);
  CO_RECV(task->shared->chans[0]);  // now it is one
  CO_END;
}

static void a_call_is_no_deadlock(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k], 2);
    all_once(&shared);
    shared_chan(&shared, 0, 0);
    assert_int_equal(shared_run(&shared, wait_for_call), SCHED_DEADLOCK);
    assert_int_equal(shared.flag, 1);
    shared_free(&shared);
  }
}

// --- Stop of the world and the end, with calls under way --------------------
static void stop_main(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 1; task->i <= CALLERS; task->i++) {
    task->shared->tasks[task->i].body = busy_caller;
    task_go(p, &task->shared->tasks[task->i]);
  }
  for (task->i = 0; task->i < 50; task->i++) {
    if (sched_stop_world(p, &task->g)) {
      task->a = (int64_t)count_of(task->shared, 1);
      spin_ns(100000);  // calls end, but nobody comes back
      assert_int_equal(task->a, count_of(task->shared, 1));
      sched_start_world(p);
    }
    CO_SLEEP(50000);
  }
  CO_END;
}

static void stopped_calls_do_not_come_back(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k], CALLERS + 1);
    all_once(&shared);
    assert_int_equal(shared_run(&shared, stop_main), SCHED_EXITED);
    assert_int_equal(count_of(&shared, 1), CALLERS * 30);
    shared_free(&shared);
  }
}

// A call that is under way when the run ends: it waits to be released.
// counts: 0 it began, 1 its goroutine ran on, 2 it ended.
static void held_call(Shared *shared) {
  rt_add(&shared->counts[0], (uint64_t)1);
  while (rt_load_seq(&shared->flag) == 0) nap(100000);
  nap(5 * MS);  // time for an end that does not wait to be seen
  rt_add(&shared->counts[2], (uint64_t)1);
}

static void long_call(P *p, Task *task) {
  CO_BEGIN;
  CO_CALL_AS(task->shared->data != NULL, held_call(task->shared));
  rt_add(&task->shared->counts[1], (uint64_t)1);
  CO_END;
}

// task->a: it releases the call once it has ended the run.
static void leave_main(P *p, Task *task) {
  CO_BEGIN;
  task->shared->tasks[1].body = long_call;
  task_go(p, &task->shared->tasks[1]);
  while (count_of(task->shared, 0) == 0) CO_SLEEP(100000);
  CO_SLEEP(3 * MS);
  sched_exit(task->shared->sched);
  if (task->a != 0) rt_store_seq(&task->shared->flag, 1u);
  CO_END;
}

static void the_end_waits_for_calls(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 2, 2);
  all_once(&shared);
  int stuck = -1;
  shared.tasks[0].body = leave_main;
  shared.tasks[0].a = 1;
  shared.running = 1;
  SchedEnd end =
      sched_run(shared.sched, &shared.tasks[0].g, 60000 * MS, &stuck);
  assert_int_equal(end, SCHED_EXITED);
  assert_int_equal(stuck, 0);
  assert_int_equal(count_of(&shared, 2), 1);  // nobody waited else
  assert_int_equal(count_of(&shared, 1), 0);  // it did not run on
  shared_free(&shared);
}

static Shared stuck_shared[2];  // outlive their tests: a thread still uses them

static void count_stuck(void *quick) {
  Shared *shared = &stuck_shared[quick != NULL];
  shared_init(shared, 2, 2);
  shared->data = quick;
  all_once(shared);
  int stuck = -1;
  shared->tasks[0].body = leave_main;
  shared->running = 1;
  SchedEnd end = sched_run(shared->sched, &shared->tasks[0].g, 5 * MS, &stuck);
  assert_int_equal(end, SCHED_EXITED);
  assert_int_equal(stuck, 1);
  sched_free(shared->sched);  // leaks on purpose
  rt_store_seq(&shared->flag, 1u);
  while (count_of(shared, 2) == 0) nap(MS);
  nap(20 * MS);  // its thread comes back from the call
  assert_int_equal(count_of(shared, 1), 0);
}

static void the_end_counts_stuck_threads(void **state) {
  (void)state;
  count_stuck(NULL);
}

static void the_end_counts_stuck_quick_calls(void **state) {
  count_stuck(&state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(others_run_meanwhile),
      cmocka_unit_test(many_calls),
      cmocka_unit_test(many_quick_calls),
      cmocka_unit_test(its_p_is_taken),
      cmocka_unit_test(threads_in_calls_are_limited),
      cmocka_unit_test(all_places_in_calls_are_used),
      cmocka_unit_test(threads_are_limited),
      cmocka_unit_test(there_are_fewer_ps_than_threads),
      cmocka_unit_test(one_thread_is_enough_for_one),
      cmocka_unit_test(a_call_is_no_deadlock),
      cmocka_unit_test(stopped_calls_do_not_come_back),
      cmocka_unit_test(the_end_waits_for_calls),
      cmocka_unit_test(the_end_counts_stuck_threads),
      cmocka_unit_test(the_end_counts_stuck_quick_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
