// SPDX-License-Identifier: MIT
// Channels: every combination of operation and state, order, hand-over, and
// many producers and consumers on several Ps.
#include "sched_fixture.h"

#include "sched/internal.h"

// --- Try forms: nil, open, full, closed -------------------------------------
static void matrix_body(P *p, Task *t) {
  uint64_t word = 0;
  Chan *c = t->shared->chans[0], *b = t->shared->chans[1];
  assert_int_equal(chan_try_send(p, NULL, 1), CHAN_BLOCKED);
  assert_int_equal(chan_try_recv(p, NULL, &word), CHAN_BLOCKED);
  assert_int_equal(chan_try_send(p, c, 1), CHAN_BLOCKED);
  assert_int_equal(chan_try_recv(p, c, &word), CHAN_BLOCKED);
  assert_int_equal(chan_try_send(p, b, 11), CHAN_DONE);
  assert_int_equal(chan_send(p, &t->g, b, 12), CHAN_DONE);
  assert_int_equal(chan_try_send(p, b, 13), CHAN_BLOCKED);
  assert_int_equal(chan_count(b), 2);
  assert_int_equal(chan_try_recv(p, b, &word), CHAN_DONE);
  assert_int_equal(word, 11);
  assert_false(chan_is_closed(b));
  assert_true(chan_close(p, b));
  assert_false(chan_close(p, b));
  assert_true(chan_is_closed(b));
  assert_int_equal(chan_try_send(p, b, 14), CHAN_CLOSED);
  assert_int_equal(chan_send(p, &t->g, b, 14), CHAN_CLOSED);
  assert_int_equal(chan_recv(p, &t->g, b, &word, WAIT_CHAN_RECV), CHAN_DONE);
  assert_int_equal(word, 12);
  assert_int_equal(chan_recv(p, &t->g, b, &word, WAIT_CHAN_RECV), CHAN_CLOSED);
  assert_int_equal(word, 0xE);
  assert_int_equal(chan_try_recv(p, b, &word), CHAN_CLOSED);
  task_end(p, t);
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

static void nil_send_body(P *p, Task *t) {
  assert_int_equal(chan_send(p, &t->g, NULL, 1), CHAN_PARKED);
}

static void nil_recv_body(P *p, Task *t) {
  uint64_t word;
  assert_int_equal(chan_recv(p, &t->g, NULL, &word, WAIT_CHAN_RECV),
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

static void fifo_sender(P *p, Task *t) {
  CO_BEGIN;
  for (t->i = 0; t->i < WORDS; t->i++) {
    CO_SEND(t->shared->chans[0], (uint64_t)t->i);
    assert_true(t->ok);
  }
  chan_close(p, t->shared->chans[0]);
  CO_END;
}

static void fifo_main(P *p, Task *t) {
  Chan *c = t->shared->chans[0];
  CO_BEGIN;
  t->shared->tasks[1].body = fifo_sender;
  task_go(p, &t->shared->tasks[1]);
  for (;;) {
    CO_RECV(c);
    if (!t->ok) break;
    assert_int_equal(t->word, t->i);
    t->i++;
  }
  assert_int_equal(t->i, WORDS);
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
static void waiting_receiver(P *p, Task *t) {
  CO_BEGIN;
  CO_RECV(t->shared->chans[0]);
  assert_true(t->ok);
  assert_int_equal(t->word, t->id);
  CO_END;
}

static void queue_main(P *p, Task *t) {
  CO_BEGIN;
  for (t->i = 1; t->i <= 5; t->i++) {
    t->shared->tasks[t->i].body = waiting_receiver;
    task_go(p, &t->shared->tasks[t->i]);
    CO_YIELD;  // one P: it waits when this comes back
  }
  for (t->i = 1; t->i <= 5; t->i++) {
    assert_int_equal(chan_try_send(p, t->shared->chans[0], (uint64_t)t->i),
                     CHAN_DONE);
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
static void waiting_sender(P *p, Task *t) {
  CO_BEGIN;
  CO_SEND(t->shared->chans[0], (uint64_t)t->id);
  assert_true(t->ok);
  CO_END;
}

static void full_main(P *p, Task *t) {
  CO_BEGIN;
  for (t->i = 1; t->i <= 5; t->i++) {
    t->shared->tasks[t->i].body = waiting_sender;
    task_go(p, &t->shared->tasks[t->i]);
    CO_YIELD;
  }
  assert_int_equal(chan_count(t->shared->chans[0]), 2);
  for (t->i = 1; t->i <= 5; t->i++) {
    CO_RECV(t->shared->chans[0]);
    assert_int_equal(t->word, t->i);
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
static void closed_receiver(P *p, Task *t) {
  CO_BEGIN;
  rt_add(&t->shared->counts[0], 1u);
  CO_RECV(t->shared->chans[0]);
  assert_false(t->ok);
  assert_int_equal(t->word, 0xE);
  CO_END;
}

static void closed_sender(P *p, Task *t) {
  CO_BEGIN;
  rt_add(&t->shared->counts[0], 1u);
  CO_SEND(t->shared->chans[1], 5);
  assert_false(t->ok);
  CO_END;
}

static void close_main(P *p, Task *t) {
  CO_BEGIN;
  for (t->i = 1; t->i <= 40; t->i++) {
    Task *other = &t->shared->tasks[t->i];
    other->body = t->i % 2 == 0 ? closed_receiver : closed_sender;
    task_go(p, other);
  }
  while (count_of(t->shared, 0) < 40) CO_YIELD;
  CO_SLEEP(200000);
  assert_true(chan_close(p, t->shared->chans[0]));
  assert_true(chan_close(p, t->shared->chans[1]));
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

static void producer(P *p, Task *t) {
  CO_BEGIN;
  for (t->i = 1; t->i <= EACH; t->i++) {
    CO_SEND(t->shared->chans[0], (uint64_t)t->i);
    assert_true(t->ok);
  }
  if (rt_add(&t->shared->counts[2], (uint64_t)1) == PRODUCERS - 1) {
    assert_true(chan_close(p, t->shared->chans[0]));
  }
  CO_END;
}

static void consumer(P *p, Task *t) {
  CO_BEGIN;
  for (;;) {
    CO_RECV(t->shared->chans[0]);
    if (!t->ok) break;
    rt_add(&t->shared->counts[0], t->word);
    rt_add(&t->shared->counts[1], (uint64_t)1);
  }
  CO_END;
}

static void many_main(P *p, Task *t) {
  for (int i = 1; i <= PRODUCERS + CONSUMERS; i++) {
    Task *other = &t->shared->tasks[i];
    other->body = i <= PRODUCERS ? producer : consumer;
    task_go(p, other);
  }
  task_end(p, t);
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

static void barrier_body(P *p, Task *t) {
  uint64_t word;
  Chan *c = t->shared->chans[0];
  chan_try_send(p, c, 77);
  assert_int_equal(count_of(t->shared, 0), 0);
  assert_true(sched_stop_world(p, &t->g));
  sched_set_barrier(t->shared->s, true);
  sched_start_world(p);
  chan_try_send(p, c, 77);
  assert_int_equal(count_of(t->shared, 1), 1);
  chan_try_recv(p, c, &word);
  assert_int_equal(count_of(t->shared, 0), 2);
  task_end(p, t);
}

static void stores_go_through_the_barrier(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 1, 1);
  shared.s->hooks.host = &shared;
  shared.s->hooks.barrier = count_stores;
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

static void large_body(P *p, Task *t) {
  Chan *c = t->shared->chans[0];
  assert_true(sched_stop_world(p, &t->g));
  sched_set_barrier(t->shared->s, true);
  sched_start_world(p);
  assert_int_equal(chan_try_send(p, c, 77), CHAN_DONE);
  assert_int_equal(count_of(t->shared, 0), 0);
  task_end(p, t);
}

static void an_empty_ring_is_not_touched(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 1, 1);
  shared.s->hooks.host = &shared;
  shared.s->hooks.barrier = no_old_word;
  Chan *c = malloc(chan_size(LARGE));
  memset(c, UNTOUCHED, chan_size(LARGE));
  chan_init(c, LARGE);
  shared.chans[0] = c;
  assert_int_equal(shared_run(&shared, large_body), SCHED_EXITED);
  const unsigned char *slots = (const unsigned char *)&c->buf[1];
  for (size_t n = 0; n < (LARGE - 1) * sizeof(uint64_t); n++)
    assert_int_equal(slots[n], UNTOUCHED);
  shared_free(&shared);
}

static void sum_word(void *arg, uint64_t *slot) {
  ((Shared *)arg)->counts[3] += *slot;
}

static void count_waiter(void *arg, Waiter *w) {
  ((Shared *)arg)->counts[4] += w->elem;
}

static void no_block(void *arg, ChanBlock *b) {
  (void)arg, (void)b;
  fail();
}

static void scan_main(P *p, Task *t) {
  static const ChanScan sums = {sum_word, no_block, count_waiter};
  CO_BEGIN;
  for (t->i = 1; t->i <= 4; t->i++) {
    t->shared->tasks[t->i].body = waiting_sender;
    task_go(p, &t->shared->tasks[t->i]);
    CO_YIELD;
  }
  chan_scan(t->shared->chans[0], &sums, t->shared);
  assert_int_equal(count_of(t->shared, 3), 1 + 2);
  assert_int_equal(count_of(t->shared, 4), 3 + 4);
  for (t->i = 1; t->i <= 4; t->i++) CO_RECV(t->shared->chans[0]);
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
