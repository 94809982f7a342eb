// SPDX-License-Identifier: MIT
// Channels that drop the oldest word, and channels that grow up to a limit.
#include "grow_fixture.h"

static Chan *chan_that_grows(Shared *shared, int at, uint32_t limit) {
  Chan *chan = malloc(chan_size_grows());
  chan_init_grows(chan, limit);
  free_blocks();
  return shared->chans[at] = chan;
}

static Chan *chan_that_drops(Shared *shared, int at, uint32_t cap) {
  Chan *chan = malloc(chan_size(cap));
  chan_init_drops(chan, cap);
  return shared->chans[at] = chan;
}

// The words first, first + 1, ... count of them.
static void take(P *p, Chan *chan, uint64_t first, int count) {
  for (int i = 0; i < count; i++) {
    uint64_t word;
    assert_int_equal(chan_try_recv(p, chan, &word), CHAN_DONE);
    assert_int_equal(word, first + (uint64_t)i);
  }
}

static void run_at(int procs, void (*body)(P *p, Task *task), uint32_t limit,
                   Chan *(*make)(Shared *shared, int at, uint32_t limit)) {
  Shared shared;
  shared_init(&shared, procs, 1);
  make(&shared, 0, limit);
  assert_int_equal(shared_run(&shared, body), SCHED_EXITED);
  shared_free(&shared);
}

// --- One that drops ---------------------------------------------------------
static void drops_body(P *p, Task *task) {
  Chan *chan = task->shared->chans[0];
  uint64_t word;
  assert_int_equal(chan_try_recv(p, chan, &word), CHAN_BLOCKED);
  for (uint64_t i = 0; i < 5; i++) {
    assert_false(chan_is_closed(chan));
    assert_int_equal(chan_try_send(p, chan, i), CHAN_DONE);
    assert_int_equal(chan_count(chan), i < 3 ? i + 1 : 3);
  }
  take(p, chan, 2, 2);
  for (uint64_t i = 5; i < 9; i++) {
    assert_int_equal(chan_send(p, &task->g, chan, i), CHAN_DONE);
  }
  take(p, chan, 6, 1);
  if (p->single) {
    assert_true(chan_put_quick(p, chan, 9));
    assert_false(chan_put_quick(p, chan, 10));
    assert_true(chan_take_quick(p, chan, &word, 0xE));
    assert_int_equal(word, 7);
  } else {
    assert_int_equal(chan_try_send(p, chan, 9), CHAN_DONE);
    take(p, chan, 7, 1);
  }
  assert_int_equal(chan_cap(chan), 3);
  assert_true(chan_close(p, chan));
  assert_int_equal(chan_send(p, &task->g, chan, 10), CHAN_CLOSED);
  assert_int_equal(chan_try_send(p, chan, 10), CHAN_CLOSED);
  take(p, chan, 8, 2);
  assert_int_equal(chan_try_recv(p, chan, &word), CHAN_CLOSED);
  task_end(p, task);
}

static void drops_the_oldest(void **state) {
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    run_at(procs, drops_body, 3, chan_that_drops);
  }
}

// --- One that grows ---------------------------------------------------------
static void sizes_body(P *p, Task *task) {
  Chan *chan = task->shared->chans[0];
  static const size_t want[] = {64, 64, 128};
  static const uint32_t full[] = {4, 8, 20};
  uint64_t sent = 0, word;
  assert_int_equal(chan_cap(chan), 20);
  assert_int_equal(chan_try_recv(p, chan, &word), CHAN_BLOCKED);
  assert_false(chan_put_quick(p, chan, 1));
  for (int i = 0; i < 3; i++) {
    assert_int_equal(chan_next_size(chan), 0);
    assert_int_equal(chan_send(p, &task->g, chan, 99), CHAN_WANTS_ROOM);
    assert_int_equal(chan_try_send(p, chan, 99), CHAN_WANTS_ROOM);
    assert_int_equal(chan_count(chan), sent);
    assert_int_equal(chan_next_size(chan), want[i]);
    assert_true(grow(p, chan));
    assert_int_equal(chan_next_size(chan), 0);
    for (; sent < full[i]; sent++) {
      assert_int_equal(chan_try_send(p, chan, sent), CHAN_DONE);
    }
  }
  assert_false(chan_take_quick(p, chan, &word, 0xE));
  assert_int_equal(chan_try_send(p, chan, 99), CHAN_BLOCKED);
  assert_int_equal(chan_next_size(chan), 0);
  take(p, chan, 0, 20);
  assert_int_equal(chan_count(chan), 0);
  assert_int_equal(chan_try_recv(p, chan, &word), CHAN_BLOCKED);
  task_end(p, task);
}

static void blocks_come_up_to_the_limit(void **state) {
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    run_at(procs, sizes_body, 20, chan_that_grows);
  }
}

static void a_block_is_as_large_as_the_channel(void **state) {
  (void)state;
  static const struct {
    uint32_t count;
    size_t size;
  } sizes[] = {{0, 64},          {4, 64},
               {5, 128},         {12, 128},
               {13, 256},        {4092, 32 << 10},
               {4093, 32 << 10}, {UINT32_MAX, 32 << 10},
               {2044, 16 << 10}, {2045, 32 << 10}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    assert_int_equal(chan_block_size(sizes[i].count), sizes[i].size);
  }
}

// Of two senders that got blocks, the second's is not wanted: nor is one that
// came when there was room again. A channel that is closed may get one.
static void late_body(P *p, Task *task) {
  Chan *chan = task->shared->chans[0];
  uint64_t word;
  assert_int_equal(chan_try_send(p, chan, 0), CHAN_WANTS_ROOM);
  ChanBlock *first = new_block(4);
  assert_true(chan_grow(p, chan, first));
  assert_false(chan_grow(p, chan, new_block(4)));
  for (uint64_t i = 0; i < 3; i++) chan_try_send(p, chan, i);
  assert_false(chan_grow(p, chan, new_block(4)));
  assert_int_equal(chan_try_send(p, chan, 3), CHAN_DONE);
  assert_int_equal(chan_try_send(p, chan, 4), CHAN_WANTS_ROOM);
  take(p, chan, 0, 1);
  assert_true(grow(p, chan));
  take(p, chan, 1, 3);  // its first block is the spare now
  for (uint64_t i = 4; i < 8; i++) chan_try_send(p, chan, i);
  assert_false(chan_grow(p, chan, new_block(4)));
  assert_int_equal(chan_try_send(p, chan, 8), CHAN_DONE);
  assert_ptr_equal(chan_growth(chan)->last, first);
  for (uint64_t i = 9; i < 12; i++) chan_try_send(p, chan, i);
  assert_int_equal(chan_send(p, &task->g, chan, 12), CHAN_WANTS_ROOM);
  assert_true(chan_close(p, chan));
  assert_int_equal(chan_send(p, &task->g, chan, 12), CHAN_CLOSED);
  assert_true(grow(p, chan));
  assert_int_equal(chan_try_send(p, chan, 12), CHAN_CLOSED);
  take(p, chan, 4, 8);
  assert_int_equal(chan_recv(p, &task->g, chan, &word, WAIT_CHAN_RECV),
                   CHAN_CLOSED);
  assert_int_equal(word, 0xE);
  task_end(p, task);
}

static void a_block_too_late_is_not_taken(void **state) {
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    run_at(procs, late_body, 100, chan_that_grows);
  }
}

// --- Select -----------------------------------------------------------------
static void select_body(P *p, Task *task) {
  Chan *chan = task->shared->chans[0];
  for (int count = 1; count <= 3; count++) {
    for (int block = 0; block < 2; block++) {
      for (int i = 0; i < count; i++) {
        task->cases[i] =
            (SelCase){.chan = i == 0 ? chan : NULL, .send = i == 0};
      }
      task->cases[0].waiter.elem = 7;
      uint32_t held = chan_count(chan);
      for (int sends = 0; sends < 5; sends++) {
        int chosen =
            select_go(p, &task->g, task->cases, task->order, count, block);
        if (chosen == SELECT_WANTS_ROOM) {
          assert_true(grow(p, chan));
          chosen =
              select_go(p, &task->g, task->cases, task->order, count, block);
        }
        assert_int_equal(chosen, 0);
      }
      assert_int_equal(chan_count(chan), held + 5);
    }
  }
  assert_int_equal(chan_count(chan), chan_cap(chan));
  assert_int_equal(
      select_go(p, &task->g, task->cases, task->order, 3, SELECT_TRY),
      SELECT_DEFAULT);
  assert_int_equal(
      select_go(p, &task->g, task->cases, task->order, 1, SELECT_TRY),
      SELECT_DEFAULT);
  task_end(p, task);
}

static void select_asks_for_room(void **state) {
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    run_at(procs, select_body, 30, chan_that_grows);
  }
}

// --- Many -------------------------------------------------------------------
enum { PRODUCERS = 4, CONSUMERS = 3, EACH = 300 };

static uint64_t word_of(const Task *task) {
  return (uint64_t)task->id << 32 | (uint64_t)task->i;
}

static void producer(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 1; task->i <= EACH;) {
    CO_SEND(task->shared->chans[0], word_of(task));
    if (task->ok) {
      task->i++;
    } else {  // nobody has closed it: it wants room
      grow(p, task->shared->chans[0]);
    }
  }
  if (rt_add(&task->shared->counts[2], (uint64_t)1) == PRODUCERS - 1) {
    assert_true(chan_close(p, task->shared->chans[0]));
  }
  CO_END;
}

static uint64_t last[1 + PRODUCERS + CONSUMERS][1 + PRODUCERS];

static void consumer(P *p, Task *task) {
  CO_BEGIN;
  for (;;) {
    CO_RECV(task->shared->chans[0]);
    if (!task->ok) break;
    uint64_t *before = &last[task->id][task->word >> 32];
    assert_true(*before < (uint32_t)task->word);
    *before = (uint32_t)task->word;
    rt_add(&task->shared->counts[0], (uint64_t)(uint32_t)task->word);
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

static void run_many(Shared *shared, int procs, uint32_t limit,
                     Chan *(*make)(Shared *shared, int at, uint32_t limit)) {
  memset(last, 0, sizeof last);
  shared_init(shared, procs, 1 + PRODUCERS + CONSUMERS);
  make(shared, 0, limit);
  assert_int_equal(shared_run(shared, many_main), SCHED_EXITED);
}

static void many_that_grow_lose_nothing(void **state) {
  (void)state;
  static const uint32_t limits[] = {1, 6, 64, 5000};
  for (int k = 0; k < SOME_PROCS; k++) {
    for (int i = 0; i < 4; i++) {
      Shared shared;
      run_many(&shared, some_procs[k], limits[i], chan_that_grows);
      assert_int_equal(count_of(&shared, 1), PRODUCERS * EACH);
      assert_int_equal(count_of(&shared, 0),
                       PRODUCERS * (EACH * (EACH + 1) / 2));
      const ChanGrowth *growth = chan_growth(shared.chans[0]);
      assert_true(growth->count == 0 && growth->first == growth->last);
      shared_free(&shared);
    }
  }
}

static void many_that_drop_keep_order(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    for (uint32_t cap = 1; cap <= 5; cap += 4) {
      Shared shared;
      run_many(&shared, some_procs[k], cap, chan_that_drops);
      assert_in_range(count_of(&shared, 1), 1, PRODUCERS * EACH);
      for (int i = 1; i <= PRODUCERS + CONSUMERS; i++) {
        assert_true(shared.tasks[i].done);
      }
      shared_free(&shared);
    }
  }
}

// --- For collectors ---------------------------------------------------------
static void count_stores(void *host, P *p, uint64_t old, uint64_t word) {
  (void)p;
  Shared *shared = host;
  shared->counts[0]++;
  if (word == 77) shared->counts[1]++;
  if (old == 77) shared->counts[2]++;
}

static void sum_word(void *arg, uint64_t *slot) {
  ((Shared *)arg)->counts[3] += *slot;
}

// What was read is empty.
static void sum_blocks(void *arg, ChanBlock *block) {
  for (; block != NULL; block = block->next) {
    for (uint32_t i = 0; i < block->end; i++) {
      if (block->words[i] != 0xE) sum_word(arg, &block->words[i]);
    }
  }
}

static void no_waiter(void *arg, Waiter *waiter) {
  (void)arg, (void)waiter;
  fail();
}

static const ChanScan sums = {sum_word, sum_blocks, no_waiter};

static void fill(P *p, Chan *chan, int count) {
  for (int i = 0; i < count; i++) {
    if (chan_try_send(p, chan, 77) == CHAN_WANTS_ROOM) {
      assert_true(grow(p, chan));
      assert_int_equal(chan_try_send(p, chan, 77), CHAN_DONE);
    }
  }
}

// chans[0] grows, with its words in two blocks; chans[1] drops.
static void collector_body(P *p, Task *task) {
  Chan *growing = task->shared->chans[0], *dropping = task->shared->chans[1];
  uint64_t word;
  fill(p, growing, 4);
  chan_try_recv(p, growing, &word);
  fill(p, growing, 1);
  fill(p, dropping, 2);
  chan_scan(growing, &sums, task->shared);
  assert_int_equal(count_of(task->shared, 3), 4 * 77);
  chan_scan(dropping, &sums, task->shared);
  assert_int_equal(count_of(task->shared, 3), 6 * 77);
  assert_true(sched_stop_world(p, &task->g));
  sched_set_barrier(task->shared->sched, true);
  sched_start_world(p);
  chan_try_send(p, growing, 78);
  assert_int_equal(count_of(task->shared, 0), 1);
  chan_try_recv(p, growing, &word);
  assert_int_equal(count_of(task->shared, 2), 1);
  chan_try_send(p, dropping, 78);
  assert_int_equal(count_of(task->shared, 2), 2);  // dropped
  chan_scan(growing, &sums, task->shared);
  assert_int_equal(count_of(task->shared, 3), 9 * 77 + 78);
  task_end(p, task);
}

static void collectors_see_words_and_stores(void **state) {
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    Shared shared;
    shared_init(&shared, procs, 1);
    shared.sched->hooks.host = &shared;
    shared.sched->hooks.barrier = count_stores;
    chan_that_grows(&shared, 0, 100);
    chan_that_drops(&shared, 1, 2);
    assert_int_equal(shared_run(&shared, collector_body), SCHED_EXITED);
    shared_free(&shared);
  }
}

static void plain_channels_cost_no_more(void **state) {
  (void)state;
  assert_int_equal(chan_size(0), 56);
  assert_int_equal(chan_size(3), 80);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(drops_the_oldest),
      cmocka_unit_test(blocks_come_up_to_the_limit),
      cmocka_unit_test(a_block_is_as_large_as_the_channel),
      cmocka_unit_test(a_block_too_late_is_not_taken),
      cmocka_unit_test(select_asks_for_room),
      cmocka_unit_test(many_that_grow_lose_nothing),
      cmocka_unit_test(many_that_drop_keep_order),
      cmocka_unit_test(collectors_see_words_and_stores),
      cmocka_unit_test(plain_channels_cost_no_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
