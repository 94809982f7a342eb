// SPDX-License-Identifier: MIT
// Select: readiness, default, priority, uniform choice, nil and closed
// channels, one channel in several cases, races with close and other selects.
#include "sched_fixture.h"

static void set_case(Task *task, int at, Chan *chan, bool send, uint64_t word) {
  task->cases[at] = (SelCase){.chan = chan, .send = send, .waiter.elem = word};
}

static void simple_body(P *p, Task *task) {
  Chan *a = task->shared->chans[0], *b = task->shared->chans[1];
  int64_t waits = 0;
  SelCase *choice = task->cases;
  assert_int_equal(select_go(p, &task->g, choice, task->order, 0, SELECT_TRY),
                   SELECT_DEFAULT);
  set_case(task, 0, a, false, 0);
  assert_int_equal(select_go(p, &task->g, choice, task->order, 1, SELECT_TRY),
                   SELECT_DEFAULT);
  set_case(task, 0, a, true, 5);
  assert_int_equal(select_go(p, &task->g, choice, task->order, 1, SELECT_TRY),
                   0);
  set_case(task, 0, a, false, 0);
  set_case(task, 1, b, false, 0);
  set_case(task, 2, NULL, false, 0);
  assert_int_equal(select_go(p, &task->g, choice, task->order, 3, SELECT_BLOCK),
                   0);
  assert_int_equal(choice[0].waiter.elem, 5);
  assert_true(choice[0].waiter.success);
  assert_int_equal(select_go(p, &task->g, choice, task->order, 3, SELECT_TRY),
                   SELECT_DEFAULT);
  chan_close(p, b);
  assert_int_equal(select_go(p, &task->g, choice, task->order, 3, SELECT_BLOCK),
                   1);
  assert_false(choice[1].waiter.success);
  assert_int_equal(choice[1].waiter.elem, 0xE);
  set_case(task, 1, b, true, 1);
  assert_int_equal(select_go(p, &task->g, choice, task->order, 2, SELECT_BLOCK),
                   SELECT_SEND_CLOSED);
  set_case(task, 0, b, true, 1);
  assert_int_equal(select_go(p, &task->g, choice, task->order, 1, SELECT_TRY),
                   SELECT_SEND_CLOSED);
  assert_int_equal(waits, 0);
  task_end(p, task);
}

static void simple_forms(void **state) {
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    Shared shared;
    shared_init(&shared, procs, 1);
    shared_chan(&shared, 0, 1);
    shared_chan(&shared, 1, 1);
    assert_int_equal(shared_run(&shared, simple_body), SCHED_EXITED);
    shared_free(&shared);
  }
}

// --- Choice -----------------------------------------------------------------
enum { TRIES = 4000 };

static void uniform_body(P *p, Task *task) {
  for (int i = 0; i < TRIES; i++) {
    for (int c = 0; c < 4; c++) {
      set_case(task, c, task->shared->chans[c], c % 2 == 0, 1);
      uint64_t word;
      if (c % 2 == 1) chan_try_send(p, task->shared->chans[c], 1);
      if (c % 2 == 0) chan_try_recv(p, task->shared->chans[c], &word);
    }
    bool prio = task->n != 0;
    int chosen = select_go(p, &task->g, task->cases, task->order, 4,
                           SELECT_BLOCK | (prio ? SELECT_PRIO : 0));
    assert_in_range(chosen, 0, 3);
    task->shared->counts[chosen]++;
  }
  task_end(p, task);
}

static void choice_is_uniform(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 1, 1);
  for (int i = 0; i < 4; i++) shared_chan(&shared, i, 1);
  shared_run(&shared, uniform_body);
  for (int i = 0; i < 4; i++) {
    assert_in_range(shared.counts[i], TRIES / 4 - 200, TRIES / 4 + 200);
  }
  shared_free(&shared);
}

static void prio_takes_the_first(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 1, 1);
  for (int i = 0; i < 4; i++) shared_chan(&shared, i, 1);
  shared.tasks[0].n = 1;
  shared_run(&shared, uniform_body);
  assert_int_equal(shared.counts[0], TRIES);
  shared_free(&shared);
}

// --- No cases ---------------------------------------------------------------
static void empty_body(P *p, Task *task) {
  assert_int_equal(
      select_go(p, &task->g, task->cases, task->order, 0, SELECT_BLOCK),
      SELECT_PARKED);
}

static void nil_body(P *p, Task *task) {
  set_case(task, 0, NULL, false, 0);
  set_case(task, 1, NULL, true, 0);
  assert_int_equal(
      select_go(p, &task->g, task->cases, task->order, 2, SELECT_BLOCK),
      SELECT_PARKED);
}

static void nothing_to_wait_for(void **state) {
  (void)state;
  void (*bodies[2])(P *, Task *) = {empty_body, nil_body};
  for (int i = 0; i < 2; i++) {
    Shared shared;
    shared_init(&shared, 2, 1);
    assert_int_equal(shared_run(&shared, bodies[i]), SCHED_DEADLOCK);
    shared_free(&shared);
  }
}

// --- Both sides of one channel: never itself --------------------------------
static void self_partner(P *p, Task *task) {
  CO_BEGIN;
  CO_RECV(task->shared->chans[0]);
  assert_int_equal(task->word, 9);
  CO_END;
}

static void self_main(P *p, Task *task) {
  CO_BEGIN;
  task->shared->tasks[1].body = self_partner;
  task_go(p, &task->shared->tasks[1]);
  set_case(task, 0, task->shared->chans[0], true, 9);
  set_case(task, 1, task->shared->chans[0], false, 0);
  CO_SELECT(2, SELECT_BLOCK);
  assert_int_equal(task->chosen, 0);
  CO_END;
}

static void never_meets_itself(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k], 2);
    shared_chan(&shared, 0, 0);
    assert_int_equal(shared_run(&shared, self_main), SCHED_EXITED);
    shared_free(&shared);
  }
}

// --- Select against select --------------------------------------------------
enum { TRADERS = 12, TRADES = 400 };

// Sends on one of four channels or receives from one of them; the sums of
// what was sent and received must agree.
static void trader(P *p, Task *task) {
  Shared *shared = task->shared;
  CO_BEGIN;
  for (task->i = 0; task->i < TRADES; task->i++) {
    task->a = (int64_t)(sched_random(p) % 1000 + 1);
    bool sends = task->id % 2 == 0;
    for (int c = 0; c < 4; c++) {
      set_case(task, c, shared->chans[(c + task->id) % 4], sends,
               (uint64_t)task->a);
    }
    CO_SELECT(4, SELECT_BLOCK);
    assert_in_range(task->chosen, 0, 3);
    assert_true(task->cases[task->chosen].waiter.success);
    if (task->id % 2 == 0) {
      rt_add(&shared->counts[0], (uint64_t)task->a);
    } else {
      rt_add(&shared->counts[1], task->cases[task->chosen].waiter.elem);
    }
  }
  CO_END;
}

static void trade_main(P *p, Task *task) {
  for (int i = 1; i <= TRADERS; i++) {
    task->shared->tasks[i].body = trader;
    task_go(p, &task->shared->tasks[i]);
  }
  task_end(p, task);
}

static void select_against_select(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k], TRADERS + 1);
    for (int i = 0; i < 4; i++) shared_chan(&shared, i, i == 3);
    assert_int_equal(shared_run(&shared, trade_main), SCHED_EXITED);
    uint64_t left = 0;
    for (uint32_t i = 0; i < shared.chans[3]->count; i++) {
      left += shared.chans[3]->buf[0];
    }
    assert_int_equal(count_of(&shared, 0), count_of(&shared, 1) + left);
    shared_free(&shared);
  }
}

// --- Select against close ---------------------------------------------------
static void close_waiter(P *p, Task *task) {
  CO_BEGIN;
  rt_add(&task->shared->counts[0], (uint64_t)1);
  for (int c = 0; c < 4; c++) {
    set_case(task, c, task->shared->chans[c], task->id % 2 == 0, 3);
  }
  CO_SELECT(4, SELECT_BLOCK);
  if (task->id % 2 == 0) {
    assert_int_equal(task->chosen, SELECT_SEND_CLOSED);
  } else {
    assert_in_range(task->chosen, 0, 3);
    assert_false(task->cases[task->chosen].waiter.success);
  }
  CO_END;
}

static void closer(P *p, Task *task) {
  CO_BEGIN;
  while (count_of(task->shared, 0) < 20) CO_YIELD;
  assert_true(chan_close(p, task->shared->chans[task->id % 4]));
  CO_END;
}

static void close_main(P *p, Task *task) {
  // receivers only, or senders only: else they meet
  int parity = (int)task->n;
  for (int i = 0; i < 20; i++) {
    Task *other = &task->shared->tasks[2 * i + 2 + parity];
    other->body = close_waiter;
    task_go(p, other);
  }
  for (int i = 0; i < 4; i++) {
    task->shared->tasks[60 + i].body = closer;
    task_go(p, &task->shared->tasks[60 + i]);
  }
  task_end(p, task);
}

static void select_against_close(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS * 10; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k % SOME_PROCS], 64);
    for (int i = 0; i < 4; i++) shared_chan(&shared, i, 0);
    shared.tasks[0].n = k % 2;
    assert_int_equal(shared_run(&shared, close_main), SCHED_EXITED);
    for (int i = 0; i < 4; i++) {
      assert_null(shared.chans[i]->recv_first);
      assert_null(shared.chans[i]->send_first);
    }
    shared_free(&shared);
  }
}

// --- A single case that waits -----------------------------------------------
static void single_partner(P *p, Task *task) {
  CO_BEGIN;
  set_case(task, 0, task->shared->chans[0], true, 21);
  CO_SELECT(1, SELECT_BLOCK);
  assert_int_equal(task->chosen, 0);
  CO_END;
}

static void single_main(P *p, Task *task) {
  CO_BEGIN;
  task->shared->tasks[1].body = single_partner;
  task_go(p, &task->shared->tasks[1]);
  set_case(task, 0, task->shared->chans[0], false, 0);
  CO_SELECT(1, SELECT_BLOCK);
  assert_int_equal(task->chosen, 0);
  assert_true(task->cases[0].waiter.success);
  assert_int_equal(task->cases[0].waiter.elem, 21);
  CO_END;
}

static void single_case_waits(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k], 2);
    shared_chan(&shared, 0, 0);
    assert_int_equal(shared_run(&shared, single_main), SCHED_EXITED);
    shared_free(&shared);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(simple_forms),
      cmocka_unit_test(choice_is_uniform),
      cmocka_unit_test(prio_takes_the_first),
      cmocka_unit_test(nothing_to_wait_for),
      cmocka_unit_test(never_meets_itself),
      cmocka_unit_test(select_against_select),
      cmocka_unit_test(select_against_close),
      cmocka_unit_test(single_case_waits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
