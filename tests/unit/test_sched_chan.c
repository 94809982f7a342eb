// SPDX-License-Identifier: MIT
// Channels: every combination of operation and state, order, hand-over, and
// many producers and consumers on several Ps.
#include "sched_fixture.h"

#include "sched/internal.h"

// --- Try forms: nil, open, full, closed -------------------------------------
static void matrix_body(P *p, Task *task) {
  uint64_t word = 0;
  Chan *plain = task->shared->chans[0], *buffered = task->shared->chans[1];
  assert_int_equal(chan_try_send(p, NULL, 1), CHAN_BLOCKED);
  assert_int_equal(chan_try_recv(p, NULL, &word), CHAN_BLOCKED);
  assert_int_equal(chan_try_send(p, plain, 1), CHAN_BLOCKED);
  assert_int_equal(chan_try_recv(p, plain, &word), CHAN_BLOCKED);
  assert_int_equal(chan_try_send(p, buffered, 11), CHAN_DONE);
  assert_int_equal(chan_send(p, &task->g, buffered, 12), CHAN_DONE);
  assert_int_equal(chan_try_send(p, buffered, 13), CHAN_BLOCKED);
  assert_int_equal(chan_count(buffered), 2);
  assert_int_equal(chan_try_recv(p, buffered, &word), CHAN_DONE);
  assert_int_equal(word, 11);
  assert_false(chan_is_closed(buffered));
  assert_true(chan_close(p, buffered));
  assert_false(chan_close(p, buffered));
  assert_true(chan_is_closed(buffered));
  assert_int_equal(chan_try_send(p, buffered, 14), CHAN_CLOSED);
  assert_int_equal(chan_send(p, &task->g, buffered, 14), CHAN_CLOSED);
  assert_int_equal(chan_recv(p, &task->g, buffered, &word, WAIT_CHAN_RECV),
                   CHAN_DONE);
  assert_int_equal(word, 12);
  assert_int_equal(chan_recv(p, &task->g, buffered, &word, WAIT_CHAN_RECV),
                   CHAN_CLOSED);
  assert_int_equal(word, 0xE);
  assert_int_equal(chan_try_recv(p, buffered, &word), CHAN_CLOSED);
  task_end(p, task);
}

static void try_forms_and_closed(void **state) {
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    Shared shared;
    shared_init(&shared, procs, 1);
    shared_chan(&shared, 0, 0);
    shared_chan(&shared, 1, 2);
    assert_int_equal(shared_run(&shared, matrix_body), SCHED_EXITED);
    shared_free(&shared);
  }
}

static void nil_send_body(P *p, Task *task) {
  assert_int_equal(chan_send(p, &task->g, NULL, 1), CHAN_PARKED);
}

static void nil_recv_body(P *p, Task *task) {
  uint64_t word;
  assert_int_equal(chan_recv(p, &task->g, NULL, &word, WAIT_CHAN_RECV),
                   CHAN_PARKED);
}

static void nil_channels_block_for_ever(void **state) {
  (void)state;
  void (*bodies[2])(P *, Task *) = {nil_send_body, nil_recv_body};
  int reasons[2] = {WAIT_CHAN_SEND_NIL, WAIT_CHAN_RECV_NIL};
  for (int i = 0; i < 2; i++) {
    Shared shared;
    shared_init(&shared, 2, 1);
    assert_int_equal(shared_run(&shared, bodies[i]), SCHED_DEADLOCK);
    assert_int_equal(shared.tasks[0].g.status, G_WAITING);
    assert_int_equal(shared.tasks[0].g.reason, reasons[i]);
    shared_free(&shared);
  }
}

// --- Order ------------------------------------------------------------------
enum { WORDS = 2000 };

static void fifo_sender(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < WORDS; task->i++) {
    CO_SEND(task->shared->chans[0], (uint64_t)task->i);
    assert_true(task->ok);
  }
  chan_close(p, task->shared->chans[0]);
  CO_END;
}

static void fifo_main(P *p, Task *task) {
  Chan *chan = task->shared->chans[0];
  CO_BEGIN;
  task->shared->tasks[1].body = fifo_sender;
  task_go(p, &task->shared->tasks[1]);
  for (;;) {
    CO_RECV(chan);
    if (!task->ok) break;
    assert_int_equal(task->word, task->i);
    task->i++;
  }
  assert_int_equal(task->i, WORDS);
  CO_END;
}

static void words_come_in_order(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    for (uint32_t cap = 0; cap <= 5; cap += 5) {
      Shared shared;
      shared_init(&shared, some_procs[k], 2);
      shared_chan(&shared, 0, cap);
      assert_int_equal(shared_run(&shared, fifo_main), SCHED_EXITED);
      shared_free(&shared);
    }
  }
}

// Receivers that wait are served first come, first served.
static void waiting_receiver(P *p, Task *task) {
  CO_BEGIN;
  CO_RECV(task->shared->chans[0]);
  assert_true(task->ok);
  assert_int_equal(task->word, task->id);
  CO_END;
}

static void queue_main(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 1; task->i <= 5; task->i++) {
    task->shared->tasks[task->i].body = waiting_receiver;
    task_go(p, &task->shared->tasks[task->i]);
    CO_YIELD;  // one P: it waits when this comes back
  }
  for (task->i = 1; task->i <= 5; task->i++) {
    assert_int_equal(
        chan_try_send(p, task->shared->chans[0], (uint64_t)task->i), CHAN_DONE);
  }
  CO_END;
}

static void receivers_queue_up(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 1, 6);
  shared_chan(&shared, 0, 0);
  assert_int_equal(shared_run(&shared, queue_main), SCHED_EXITED);
  shared_free(&shared);
}

// --- Full ring with waiting senders: the order is kept ----------------------
static void waiting_sender(P *p, Task *task) {
  CO_BEGIN;
  CO_SEND(task->shared->chans[0], (uint64_t)task->id);
  assert_true(task->ok);
  CO_END;
}

static void full_main(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 1; task->i <= 5; task->i++) {
    task->shared->tasks[task->i].body = waiting_sender;
    task_go(p, &task->shared->tasks[task->i]);
    CO_YIELD;
  }
  assert_int_equal(chan_count(task->shared->chans[0]), 2);
  for (task->i = 1; task->i <= 5; task->i++) {
    CO_RECV(task->shared->chans[0]);
    assert_int_equal(task->word, task->i);
  }
  CO_END;
}

static void full_ring_keeps_order(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 1, 6);
  shared_chan(&shared, 0, 2);
  assert_int_equal(shared_run(&shared, full_main), SCHED_EXITED);
  shared_free(&shared);
}

// --- Close wakes all --------------------------------------------------------
static void closed_receiver(P *p, Task *task) {
  CO_BEGIN;
  rt_add(&task->shared->counts[0], 1u);
  CO_RECV(task->shared->chans[0]);
  assert_false(task->ok);
  assert_int_equal(task->word, 0xE);
  CO_END;
}

static void closed_sender(P *p, Task *task) {
  CO_BEGIN;
  rt_add(&task->shared->counts[0], 1u);
  CO_SEND(task->shared->chans[1], 5);
  assert_false(task->ok);
  CO_END;
}

static void close_main(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 1; task->i <= 40; task->i++) {
    Task *other = &task->shared->tasks[task->i];
    other->body = task->i % 2 == 0 ? closed_receiver : closed_sender;
    task_go(p, other);
  }
  while (count_of(task->shared, 0) < 40) CO_YIELD;
  CO_SLEEP(200000);
  assert_true(chan_close(p, task->shared->chans[0]));
  assert_true(chan_close(p, task->shared->chans[1]));
  CO_END;
}

static void close_wakes_all(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k], 41);
    shared_chan(&shared, 0, 0);
    shared_chan(&shared, 1, 0);
    assert_int_equal(shared_run(&shared, close_main), SCHED_EXITED);
    for (int i = 0; i <= 40; i++) assert_true(shared.tasks[i].done);
    shared_free(&shared);
  }
}

// --- Many on both sides -----------------------------------------------------
enum { PRODUCERS = 20, CONSUMERS = 20, EACH = 300 };

static void producer(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 1; task->i <= EACH; task->i++) {
    CO_SEND(task->shared->chans[0], (uint64_t)task->i);
    assert_true(task->ok);
  }
  if (rt_add(&task->shared->counts[2], (uint64_t)1) == PRODUCERS - 1) {
    assert_true(chan_close(p, task->shared->chans[0]));
  }
  CO_END;
}

static void consumer(P *p, Task *task) {
  CO_BEGIN;
  for (;;) {
    CO_RECV(task->shared->chans[0]);
    if (!task->ok) break;
    rt_add(&task->shared->counts[0], task->word);
    rt_add(&task->shared->counts[1], (uint64_t)1);
  }
  CO_END;
}

static void many_main(P *p, Task *task) {
  for (int i = 1; i <= PRODUCERS + CONSUMERS; i++) {
    Task *other = &task->shared->tasks[i];
    other->body = i <= PRODUCERS ? producer : consumer;
    task_go(p, other);
  }
  task_end(p, task);
}

static void many_producers_and_consumers(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    for (uint32_t cap = 0; cap <= 3; cap += 3) {
      Shared shared;
      shared_init(&shared, some_procs[k], 1 + PRODUCERS + CONSUMERS);
      shared_chan(&shared, 0, cap);
      assert_int_equal(shared_run(&shared, many_main), SCHED_EXITED);
      assert_int_equal(count_of(&shared, 1), PRODUCERS * EACH);
      assert_int_equal(count_of(&shared, 0),
                       PRODUCERS * (EACH * (EACH + 1) / 2));
      shared_free(&shared);
    }
  }
}

// --- Hand-over, barrier, scan -----------------------------------------------
static void count_stores(void *host, P *p, uint64_t old, uint64_t word) {
  (void)p, (void)old;
  Shared *shared = host;
  shared->counts[0]++;
  if (word == 77) shared->counts[1]++;
}

static void barrier_body(P *p, Task *task) {
  uint64_t word;
  Chan *chan = task->shared->chans[0];
  chan_try_send(p, chan, 77);
  assert_int_equal(count_of(task->shared, 0), 0);
  assert_true(sched_stop_world(p, &task->g));
  sched_set_barrier(task->shared->sched, true);
  sched_start_world(p);
  chan_try_send(p, chan, 77);
  assert_int_equal(count_of(task->shared, 1), 1);
  chan_try_recv(p, chan, &word);
  assert_int_equal(count_of(task->shared, 0), 2);
  task_end(p, task);
}

static void stores_go_through_the_barrier(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 1, 1);
  shared.sched->hooks.host = &shared;
  shared.sched->hooks.barrier = count_stores;
  shared_chan(&shared, 0, 4);
  assert_int_equal(shared_run(&shared, barrier_body), SCHED_EXITED);
  shared_free(&shared);
}

// --- Rings that are large ---------------------------------------------------
enum { LARGE = 1 << 16, UNTOUCHED = 0x55 };

static void no_old_word(void *host, P *p, uint64_t old, uint64_t word) {
  (void)p, (void)word;
  Shared *shared = host;
  shared->counts[0] += old != 0xE;
}

static void large_body(P *p, Task *task) {
  Chan *chan = task->shared->chans[0];
  assert_true(sched_stop_world(p, &task->g));
  sched_set_barrier(task->shared->sched, true);
  sched_start_world(p);
  assert_int_equal(chan_try_send(p, chan, 77), CHAN_DONE);
  assert_int_equal(count_of(task->shared, 0), 0);
  task_end(p, task);
}

static void an_empty_ring_is_not_touched(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 1, 1);
  shared.sched->hooks.host = &shared;
  shared.sched->hooks.barrier = no_old_word;
  Chan *chan = malloc(chan_size(LARGE));
  memset(chan, UNTOUCHED, chan_size(LARGE));
  chan_init(chan, LARGE);
  shared.chans[0] = chan;
  assert_int_equal(shared_run(&shared, large_body), SCHED_EXITED);
  const unsigned char *slots = (const unsigned char *)&chan->buf[1];
  for (size_t n = 0; n < (LARGE - 1) * sizeof(uint64_t); n++)
    assert_int_equal(slots[n], UNTOUCHED);
  shared_free(&shared);
}

static void sum_word(void *arg, uint64_t *slot) {
  ((Shared *)arg)->counts[3] += *slot;
}

static void count_waiter(void *arg, Waiter *waiter) {
  ((Shared *)arg)->counts[4] += waiter->elem;
}

static void no_block(void *arg, ChanBlock *block) {
  (void)arg, (void)block;
  fail();
}

static void scan_main(P *p, Task *task) {
  static const ChanScan sums = {sum_word, no_block, count_waiter};
  CO_BEGIN;
  for (task->i = 1; task->i <= 4; task->i++) {
    task->shared->tasks[task->i].body = waiting_sender;
    task_go(p, &task->shared->tasks[task->i]);
    CO_YIELD;
  }
  chan_scan(task->shared->chans[0], &sums, task->shared);
  assert_int_equal(count_of(task->shared, 3), 1 + 2);
  assert_int_equal(count_of(task->shared, 4), 3 + 4);
  for (task->i = 1; task->i <= 4; task->i++) CO_RECV(task->shared->chans[0]);
  CO_END;
}

static void scan_sees_words_and_waiters(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 1, 5);
  shared_chan(&shared, 0, 2);
  assert_int_equal(shared_run(&shared, scan_main), SCHED_EXITED);
  shared_free(&shared);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(try_forms_and_closed),
      cmocka_unit_test(nil_channels_block_for_ever),
      cmocka_unit_test(words_come_in_order),
      cmocka_unit_test(receivers_queue_up),
      cmocka_unit_test(full_ring_keeps_order),
      cmocka_unit_test(close_wakes_all),
      cmocka_unit_test(many_producers_and_consumers),
      cmocka_unit_test(stores_go_through_the_barrier),
      cmocka_unit_test(an_empty_ring_is_not_touched),
      cmocka_unit_test(scan_sees_words_and_waiters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
