// SPDX-License-Identifier: MIT
// Everything at once for a while: channels, select, timers, spawns, calls,
// stops of the world; at the end all counters balance.
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

static void bump(Task *t, int counter, uint64_t by) {
  rt_add(&t->shared->counts[counter], by);
}

static void sender(P *p, Task *t) {
  Shared *shared = t->shared;
  CO_BEGIN;
  for (t->i = 0; t->i < MESSAGES; t->i++) {
    t->a = (int64_t)(sched_random(p) % 100);
    if (t->i % 3 == 0) {
      for (int c = 0; c < 3; c++) {
        t->cases[c] = (SelCase){.chan = shared->chans[c],
                                .send = true,
                                .waiter.elem = (uint64_t)t->a};
      }
      CO_SELECT(3, SELECT_BLOCK);
      assert_in_range(t->chosen, 0, 2);
    } else {
      CO_SEND(shared->chans[t->i % 3], (uint64_t)t->a);
      assert_true(t->ok);
    }
    bump(t, C_SENT, 1);
    bump(t, C_SUM, (uint64_t)t->a);
    CO_LOOK;
  }
  if (rt_add(&shared->counts[C_OVER], (uint64_t)1) == SENDERS - 1) {
    for (int c = 0; c < 3; c++) assert_true(chan_close(p, shared->chans[c]));
  }
  CO_END;
}

static void receiver(P *p, Task *t) {
  Shared *shared = t->shared;
  CO_BEGIN;
  t->n = 3;
  t->c = shared->chans[0];
  for (int c = 0; c < 3; c++) {
    t->cases[c] = (SelCase){.chan = shared->chans[c]};
  }
  while (t->n > 0) {
    CO_SELECT(3, SELECT_BLOCK);
    assert_in_range(t->chosen, 0, 2);
    SelCase *k = &t->cases[t->chosen];
    if (k->waiter.success) {
      bump(t, C_RECEIVED, 1);
      bump(t, C_SUM, -k->waiter.elem);
      if (t->i++ % 50 == 0) {
        CO_SLEEP(20000);
        bump(t, C_SLEPT, 1);
      }
    } else {
      k->chan = NULL;  // closed: never again
      t->n--;
    }
  }
  CO_END;
}

static void spawned(P *p, Task *t) {
  Task *mother = t - t->n;
  bump(t, C_RAN, 1);
  sched_end(p, &t->g);
  rt_add(&mother->word, (uint64_t)1);  // only now it may start it again
}

// Starts its four children again and again.
static void parent(P *p, Task *t) {
  CO_BEGIN;
  for (t->i = 0; t->i < 300; t->i++) {
    for (int k = 1; k <= 4; k++) {
      bump(t, C_SPAWNED, 1);
      sched_spawn(p, &t[k].g);
    }
    while (rt_load_acquire(&t->word) < 4) CO_YIELD;
    t->word = 0;
    CO_LOOK;
  }
  while (count_of(t->shared, C_RAN) < count_of(t->shared, C_SPAWNED)) CO_YIELD;
  CO_END;
}

static void nap_20us(void) {
  struct timespec nap = {.tv_nsec = 20000};
  nanosleep(&nap, NULL);
}

static void caller(P *p, Task *t) {
  CO_BEGIN;
  for (t->i = 0; t->i < 60; t->i++) {
    CO_CALL(nap_20us());
    if (t->i % 10 == 0 && sched_stop_world(p, &t->g)) sched_start_world(p);
    CO_LOOK;
  }
  CO_END;
}

static void soak_main(P *p, Task *t) {
  Task *next = t + 1;
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
  task_end(p, t);
}

static void balanced(Shared *shared) {
  assert_int_equal(count_of(shared, C_SENT), SENDERS * MESSAGES);
  assert_int_equal(count_of(shared, C_RECEIVED), SENDERS * MESSAGES);
  assert_int_equal(count_of(shared, C_SUM), 0);
  assert_int_equal(count_of(shared, C_SPAWNED), PARENTS * 300 * 4);
  assert_int_equal(count_of(shared, C_RAN), PARENTS * 300 * 4);
  Sched *s = shared->s;
  assert_int_equal(s->spinning, 0);
  assert_int_equal(s->calls.count, 0);
  assert_int_equal(s->ms.live, 0);
  assert_int_equal(s->ms.idle, 0);
  assert_int_equal(global_count(s), 0);
  for (int i = 0; i < sched_procs(s); i++) {
    P *p = sched_p(s, i);
    assert_int_equal(runq_length(p), 0);
    assert_int_equal(p->timers.count, 0);
    assert_null(p->current);
  }
  SchedStats stats;
  sched_stats(s, &stats);
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
    sched_trace_line(shared.s, null);
    fclose(null);
    shared_free(&shared);
  }
}

int main(int argc, char **argv) {
  if (argc > 1) rounds = atoi(argv[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(soak)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
