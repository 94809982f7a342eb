// SPDX-License-Identifier: MIT
// Everything at once for a while: channels, select, timers, spawns, calls,
// stops of the world. At the end all counters balance.
//   test_sched_soak [ROUNDS]    (each a runtime of its own)
#include <time.h>

#include "sched_fixture.h"
// the fixture first: cmocka wants its headers before
#include "sched/global.h"
#include "sched/internal.h"
#include "sched/runq.h"
#include "sched/timer.h"

enum { SENDERS = 16, RECEIVERS = 16, PARENTS = 4, CALLERS = 4, MESSAGES = 400 };
enum { C_SENT, C_RECEIVED, C_SUM, C_SPAWNED, C_RAN, C_OVER, C_SLEPT };

static int rounds = 2;

static void bump(Task *task, int counter, uint64_t by) {
  rt_add(&task->shared->counts[counter], by);
}

static void sender(P *p, Task *task) {
  Shared *shared = task->shared;
  CO_BEGIN;
  for (task->i = 0; task->i < MESSAGES; task->i++) {
    task->a = (int64_t)(sched_random(p) % 100);
    if (task->i % 3 == 0) {
      for (int c = 0; c < 3; c++) {
        task->cases[c] = (SelCase){.chan = shared->chans[c],
                                   .send = true,
                                   .waiter.elem = (uint64_t)task->a};
      }
      CO_SELECT(3, SELECT_BLOCK);
      assert_in_range(task->chosen, 0, 2);
    } else {
      CO_SEND(shared->chans[task->i % 3], (uint64_t)task->a);
      assert_true(task->ok);
    }
    bump(task, C_SENT, 1);
    bump(task, C_SUM, (uint64_t)task->a);
    CO_LOOK;
  }
  if (rt_add(&shared->counts[C_OVER], (uint64_t)1) == SENDERS - 1) {
    for (int c = 0; c < 3; c++) assert_true(chan_close(p, shared->chans[c]));
  }
  CO_END;
}

static void receiver(P *p, Task *task) {
  Shared *shared = task->shared;
  CO_BEGIN;
  task->n = 3;
  task->chan = shared->chans[0];
  for (int c = 0; c < 3; c++) {
    task->cases[c] = (SelCase){.chan = shared->chans[c]};
  }
  while (task->n > 0) {
    CO_SELECT(3, SELECT_BLOCK);
    assert_in_range(task->chosen, 0, 2);
    SelCase *choice = &task->cases[task->chosen];
    if (choice->waiter.success) {
      bump(task, C_RECEIVED, 1);
      bump(task, C_SUM, -choice->waiter.elem);
      if (task->i++ % 50 == 0) {
        CO_SLEEP(20000);
        bump(task, C_SLEPT, 1);
      }
    } else {
      choice->chan = NULL;  // closed: never again
      task->n--;
    }
  }
  CO_END;
}

static void spawned(P *p, Task *task) {
  Task *mother = task - task->n;
  bump(task, C_RAN, 1);
  sched_end(p, &task->g);
  rt_add(&mother->word, (uint64_t)1);  // only now it may start it again
}

// Starts its four children again and again.
static void parent(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 300; task->i++) {
    for (int k = 1; k <= 4; k++) {
      bump(task, C_SPAWNED, 1);
      sched_spawn(p, &task[k].g);
    }
    while (rt_load_acquire(&task->word) < 4) CO_YIELD;
    task->word = 0;
    CO_LOOK;
  }
  while (count_of(task->shared, C_RAN) < count_of(task->shared, C_SPAWNED))
    CO_YIELD;
  CO_END;
}

static void nap_20us(void) {
  struct timespec nap = {.tv_nsec = 20000};
  nanosleep(&nap, NULL);
}

static void caller(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 60; task->i++) {
    CO_CALL(nap_20us());
    if (task->i % 10 == 0 && sched_stop_world(p, &task->g))
      sched_start_world(p);
    CO_LOOK;
  }
  CO_END;
}

static void soak_main(P *p, Task *task) {
  Task *next = task + 1;
  for (int i = 0; i < SENDERS; i++, next++) {
    next->body = sender;
    task_go(p, next);
  }
  for (int i = 0; i < RECEIVERS; i++, next++) {
    next->body = receiver;
    task_go(p, next);
  }
  for (int i = 0; i < CALLERS; i++, next++) {
    next->body = caller;
    next->g.resume = task_resume_once;
    task_go(p, next);
  }
  for (int i = 0; i < PARENTS; i++, next += 5) {
    next->body = parent;
    for (int k = 1; k <= 4; k++) {
      next[k].body = spawned;
      next[k].n = k;
    }
    task_go(p, next);
  }
  task_end(p, task);
}

static void balanced(Shared *shared) {
  assert_int_equal(count_of(shared, C_SENT), SENDERS * MESSAGES);
  assert_int_equal(count_of(shared, C_RECEIVED), SENDERS * MESSAGES);
  assert_int_equal(count_of(shared, C_SUM), 0);
  assert_int_equal(count_of(shared, C_SPAWNED), PARENTS * 300 * 4);
  assert_int_equal(count_of(shared, C_RAN), PARENTS * 300 * 4);
  Sched *sched = shared->sched;
  assert_int_equal(sched->spinning, 0);
  assert_int_equal(sched->calls.count, 0);
  assert_int_equal(sched->ms.live, 0);
  assert_int_equal(sched->ms.idle, 0);
  assert_int_equal(global_count(sched), 0);
  for (int i = 0; i < sched_procs(sched); i++) {
    P *p = sched_p(sched, i);
    assert_int_equal(runq_length(p), 0);
    assert_int_equal(p->timers.count, 0);
    assert_null(p->current);
  }
  SchedStats stats;
  sched_stats(sched, &stats);
  assert_int_equal(stats.spawns, 1 + SENDERS + RECEIVERS + CALLERS + PARENTS +
                                     PARENTS * 300 * 4);
  assert_int_equal(stats.timers_run, count_of(shared, C_SLEPT));
}

static void soak(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS * rounds; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k % SOME_PROCS],
                1 + SENDERS + RECEIVERS + CALLERS + 5 * PARENTS);
    shared_chan(&shared, 0, 0);
    shared_chan(&shared, 1, 1);
    shared_chan(&shared, 2, 7);
    assert_int_equal(shared_run(&shared, soak_main), SCHED_EXITED);
    balanced(&shared);
    FILE *null = fopen("/dev/null", "w");
    sched_trace_line(shared.sched, null);
    fclose(null);
    shared_free(&shared);
  }
}

int main(int argc, char **argv) {
  if (argc > 1) rounds = atoi(argv[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(soak)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
