// SPDX-License-Identifier: MIT
// Stopping the world under load, work while it is stopped, the handshake with
// all Ps, and changing the number of Ps while running.
#include <sched.h>

#include "sched_fixture.h"
// the fixture first: cmocka wants its headers before
#include "sched/internal.h"
#include "short.h"

enum { LOAD = 12, STOPS = 40, SHAKES = 8 };

// Bumps the counter of its P between looks: it must stand still while the
// world is stopped.
static void load(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_relaxed(&task->shared->flag) == 0) {
    assert_int_equal(rt_load_seq(&task->shared->counts[1]), 0);
    rt_add(&task->shared->counts[0], (uint64_t)1);
    if (task->id % 3 == 0) CO_YIELD;
    if (task->id % 3 == 1) CO_SLEEP(50000);
    if (task->id % 3 == 2) {
      chan_try_send(p, task->shared->chans[0], 1);
      CO_RECV(task->shared->chans[0]);
    }
    CO_LOOK;
  }
  if (task->id % 3 == 2) chan_try_send(p, task->shared->chans[0], 1);
  CO_END;
}

static void start_load(P *p, Task *task) {
  for (int i = 1; i <= LOAD; i++) {
    task->shared->tasks[i].body = load;
    task_go(p, &task->shared->tasks[i]);
  }
}

static int cpus(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return CPU_COUNT(&set);
}

static void work_on(void *arg, int worker, int workers) {
  Shared *shared = arg;
  assert_in_range(worker, 0, workers - 1);
  rt_add(&shared->counts[2], (uint64_t)1);
  rt_add(&shared->counts[3], (uint64_t)1 << (4 * (worker % 16)));
  if (worker == 0) rt_store_seq(&shared->counts[4], (uint64_t)workers);
}

static void count_root(void *arg, G *g) {
  Shared *shared = arg;
  assert_int_not_equal(g->status, G_WAITING);
  assert_int_not_equal(g->status, G_DEAD);
  shared->counts[5]++;
}

static void stopped_checks(P *p, Task *task) {
  Shared *shared = task->shared;
  rt_store_seq(&shared->counts[1], (uint64_t)1);
  uint64_t before = count_of(shared, 0);
  spin_ns(20000);
  rt_store_seq(&shared->counts[2], (uint64_t)0);
  rt_store_seq(&shared->counts[3], (uint64_t)0);
  sched_run_stopped(p, work_on, shared);
  assert_int_equal(count_of(shared, 2), count_of(shared, 4));
  assert_true(count_of(shared, 4) <= (uint64_t)sched_procs(shared->sched));
  assert_true(count_of(shared, 4) <= (uint64_t)cpus());
  if (count_of(shared, 4) <= 16) {
    uint64_t all = count_of(shared, 4) == 16
                       ? UINT64_MAX
                       : ((uint64_t)1 << (4 * count_of(shared, 4))) - 1;
    assert_int_equal(count_of(shared, 3), all & 0x1111111111111111u);
  }
  shared->counts[5] = 0;
  sched_each_root(shared->sched, count_root, shared);
  assert_in_range(shared->counts[5], 1, LOAD + 2);
  assert_int_equal(before, count_of(shared, 0));
  rt_store_seq(&shared->counts[1], (uint64_t)0);
}

static void stop_main(P *p, Task *task) {
  CO_BEGIN;
  start_load(p, task);
  for (task->i = 0; task->i < rounds(10, STOPS); task->i++) {
    if (sched_stop_world(p, &task->g)) {
      stopped_checks(p, task);
      sched_start_world(p);
      task->n++;
    }
    CO_LOOK;
    if (task->i % 4 == 0) CO_SLEEP(100000);
    if (task->i % 4 == 2) CO_YIELD;
  }
  assert_int_equal(task->n, rounds(10, STOPS));
  rt_store_seq(&task->shared->flag, 1u);
  chan_close(p, task->shared->chans[0]);
  CO_END;
}

static void stops_under_load(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k], LOAD + 1);
    shared_chan(&shared, 0, 100);
    assert_int_equal(shared_run(&shared, stop_main), SCHED_EXITED);
    shared_free(&shared);
  }
}

// --- Two that want to stop --------------------------------------------------
static void rival(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < rounds(50, 200); task->i++) {
    if (sched_stop_world(p, &task->g)) {
      assert_int_equal(rt_add(&task->shared->counts[1], (uint64_t)1), 0);
      rt_sub(&task->shared->counts[1], (uint64_t)1);
      sched_start_world(p);
      task->n++;
    }
    CO_LOOK;
    CO_YIELD;
  }
  CO_END;
}

static void rivals_main(P *p, Task *task) {
  for (int i = 1; i <= 4; i++) {
    task->shared->tasks[i].body = rival;
    task_go(p, &task->shared->tasks[i]);
  }
  task_end(p, task);
}

static void one_stop_at_a_time(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k], 5);
    assert_int_equal(shared_run(&shared, rivals_main), SCHED_EXITED);
    int64_t stops = 0;
    for (int i = 1; i <= 4; i++) stops += shared.tasks[i].n;
    assert_true(stops > 0);
    shared_free(&shared);
  }
}

// --- Idle threads help ------------------------------------------------------
static void helped_main(P *p, Task *task) {
  CO_BEGIN;
  start_load(p, task);
  CO_SLEEP(3000000);
  rt_store_seq(&task->shared->flag, 1u);
  chan_close(p, task->shared->chans[0]);
  CO_SLEEP(3000000);  // the other threads sleep by now
  assert_true(sched_stop_world(p, &task->g));
  sched_run_stopped(p, work_on, task->shared);
  task->n = (int64_t)count_of(task->shared, 4);
  sched_start_world(p);
  assert_true(task->n >= (cpus() < 2 ? 1 : 2));
  CO_END;
}

static void idle_threads_help(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 2, LOAD + 1);
  shared_chan(&shared, 0, 100);
  assert_int_equal(shared_run(&shared, helped_main), SCHED_EXITED);
  shared_free(&shared);
}

// --- Handshake --------------------------------------------------------------
static void mark_p(void *arg, P *p) {
  (void)arg;
  // plain: fn runs where nobody else has this P
  p->local = (void *)((uintptr_t)p->local + 1);
}

static void shaker(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < rounds(4, SHAKES); task->i++) {
    sched_for_each_p(p, &task->g, mark_p, NULL);
    CO_LOOK;
    if (task->i % 4 == 0) CO_SLEEP(100000);
    if (task->i % 4 == 2 && sched_stop_world(p, &task->g)) sched_start_world(p);
    CO_YIELD;
  }
  rt_add(&task->shared->counts[6], (uint64_t)1);
  CO_END;
}

static void shake_main(P *p, Task *task) {
  CO_BEGIN;
  start_load(p, task);
  for (task->i = 1; task->i <= 3; task->i++) {
    task->shared->tasks[LOAD + task->i].body = shaker;
    task_go(p, &task->shared->tasks[LOAD + task->i]);
  }
  while (count_of(task->shared, 6) < 3) CO_SLEEP(200000);
  rt_store_seq(&task->shared->flag, 1u);
  chan_close(p, task->shared->chans[0]);
  CO_END;
}

static void handshakes_reach_each_p_once(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k], LOAD + 4);
    shared_chan(&shared, 0, 100);
    assert_int_equal(shared_run(&shared, shake_main), SCHED_EXITED);
    for (int i = 0; i < some_procs[k]; i++) {
      assert_int_equal((uintptr_t)sched_p(shared.sched, i)->local,
                       3 * rounds(4, SHAKES));
    }
    shared_free(&shared);
  }
}

// --- Number of Ps -----------------------------------------------------------
static bool init_local(void *host, P *p) {
  (void)p;
  rt_add(&((Shared *)host)->counts[6], (uint64_t)1);
  return true;
}

static void free_local(void *host, P *p) {
  (void)p;
  rt_add(&((Shared *)host)->counts[7], (uint64_t)1);
}

static void resize_main(P *p, Task *task) {
  static const int sizes[] = {2, 1, 8, 3, 1, 64, 2, 5, 1, 4};
  CO_BEGIN;
  start_load(p, task);
  for (task->i = 0; task->i < 30; task->i++) {
    p = sched_set_procs(p, &task->g, sizes[task->i % 10]);
    assert_non_null(p);
    assert_ptr_equal(p->current, &task->g);
    assert_int_equal(sched_procs(task->shared->sched), sizes[task->i % 10]);
    assert_true(p->id < sizes[task->i % 10]);
    if (task->i % 2 == 0) CO_SLEEP(300000);
    CO_YIELD;
  }
  rt_store_seq(&task->shared->flag, 1u);
  chan_close(p, task->shared->chans[0]);
  CO_END;
}

static void procs_change_while_running(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 2, LOAD + 1);
  shared.sched->hooks.host = &shared;
  shared.sched->hooks.p_init = init_local;
  shared.sched->hooks.p_free = free_local;
  for (int i = 0; i <= LOAD; i++) shared.tasks[i].g.resume = task_resume_once;
  shared_chan(&shared, 0, 100);
  assert_int_equal(shared_run(&shared, resize_main), SCHED_EXITED);
  // two were made before the hooks were there; procs is 4 at the end
  assert_int_equal(count_of(&shared, 6) + 2 - count_of(&shared, 7), 4);
  shared_free(&shared);
}

static void resizer(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < rounds(10, 40); task->i++) {
    task->line = -2;
    P *now = sched_set_procs(p, &task->g, 1 + (int)(sched_random(p) % 6));
    if (now == NULL) return;
    p = now;
    if (0) {
      case -2:;
    }
    if (task->id == LOAD + 1) sched_for_each_p(p, &task->g, mark_p, NULL);
    CO_YIELD;
  }
  rt_add(&task->shared->counts[6], (uint64_t)1);
  CO_END;
}

static void resizers_main(P *p, Task *task) {
  CO_BEGIN;
  start_load(p, task);
  for (task->i = 1; task->i <= 3; task->i++) {
    task->shared->tasks[LOAD + task->i].body = resizer;
    task_go(p, &task->shared->tasks[LOAD + task->i]);
  }
  task->shared->tasks[LOAD + 4].body = shaker;
  task_go(p, &task->shared->tasks[LOAD + 4]);
  while (count_of(task->shared, 6) < 4) CO_SLEEP(200000);
  rt_store_seq(&task->shared->flag, 1u);
  chan_close(p, task->shared->chans[0]);
  CO_END;
}

static void resizers_and_handshakes_at_once(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 4, LOAD + 5);
  for (int i = 0; i < LOAD + 5; i++) {
    shared.tasks[i].g.resume = task_resume_once;
  }
  shared_chan(&shared, 0, 100);
  assert_int_equal(shared_run(&shared, resizers_main), SCHED_EXITED);
  shared_free(&shared);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stops_under_load),
      cmocka_unit_test(one_stop_at_a_time),
      cmocka_unit_test(idle_threads_help),
      cmocka_unit_test(handshakes_reach_each_p_once),
      cmocka_unit_test(procs_change_while_running),
      cmocka_unit_test(resizers_and_handshakes_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
