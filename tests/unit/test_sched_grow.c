// SPDX-License-Identifier: MIT
// Channels that drop the oldest word, and channels that grow up to a limit.
#include "sched_fixture.h"

#include "sched/internal.h"

// --- Rings: none that was taken is freed before the next channel -----------
// Each is twice the one before, so these are more than a channel takes.
enum { RINGS = 32 };
static uint64_t *taken[RINGS];
static uint32_t taken_count;

static uint64_t *new_ring(uint32_t room) { return calloc(room, 8); }

// True if it was taken. One that was not is freed: how often that happens has
// no bound.
static bool give(P *p, Chan *c, uint64_t *ring, uint32_t room) {
  if (!chan_grow(p, c, ring, room)) {
    free(ring);
    return false;
  }
  uint32_t at = rt_add(&taken_count, 1u);
  assert_true(at < RINGS);
  taken[at] = ring;
  return true;
}

static bool grow(P *p, Chan *c) {
  uint32_t room = chan_next_room(c);
  return room > 0 && give(p, c, new_ring(room), room);
}

static void free_rings(void) {
  while (taken_count > 0) free(taken[--taken_count]);
}

static Chan *chan_that_grows(Shared *shared, int at, uint32_t limit) {
  Chan *c = malloc(chan_size_grows());
  chan_init_grows(c, limit);
  free_rings();
  return shared->chans[at] = c;
}

static Chan *chan_that_drops(Shared *shared, int at, uint32_t cap) {
  Chan *c = malloc(chan_size(cap));
  chan_init_drops(c, cap);
  return shared->chans[at] = c;
}

// The words first, first + 1, ... count of them.
static void take(P *p, Chan *c, uint64_t first, int count) {
  for (int i = 0; i < count; i++) {
    uint64_t word;
    assert_int_equal(chan_try_recv(p, c, &word), CHAN_DONE);
    assert_int_equal(word, first + (uint64_t)i);
  }
}

static void run_at(int procs, void (*body)(P *p, Task *t), uint32_t limit,
                   Chan *(*make)(Shared *shared, int at, uint32_t limit)) {
  Shared shared;
  shared_init(&shared, procs, 1);
  make(&shared, 0, limit);
  assert_int_equal(shared_run(&shared, body), SCHED_EXITED);
  shared_free(&shared);
}

// --- One that drops ---------------------------------------------------------
static void drops_body(P *p, Task *t) {
  Chan *c = t->shared->chans[0];
  uint64_t word;
  assert_int_equal(chan_try_recv(p, c, &word), CHAN_BLOCKED);
  for (uint64_t i = 0; i < 5; i++) {
    assert_false(chan_is_closed(c));
    assert_int_equal(chan_try_send(p, c, i), CHAN_DONE);
    assert_int_equal(chan_count(c), i < 3 ? i + 1 : 3);
  }
  take(p, c, 2, 2);
  for (uint64_t i = 5; i < 9; i++) {
    assert_int_equal(chan_send(p, &t->g, c, i), CHAN_DONE);
  }
  take(p, c, 6, 1);
  if (p->single) {
    assert_true(chan_put_quick(p, c, 9));
    assert_false(chan_put_quick(p, c, 10));
    assert_true(chan_take_quick(p, c, &word, 0xE));
    assert_int_equal(word, 7);
  } else {
    assert_int_equal(chan_try_send(p, c, 9), CHAN_DONE);
    take(p, c, 7, 1);
  }
  assert_int_equal(chan_cap(c), 3);
  assert_true(chan_close(p, c));
  assert_int_equal(chan_send(p, &t->g, c, 10), CHAN_CLOSED);
  assert_int_equal(chan_try_send(p, c, 10), CHAN_CLOSED);
  take(p, c, 8, 2);
  assert_int_equal(chan_try_recv(p, c, &word), CHAN_CLOSED);
  task_end(p, t);
}

static void drops_the_oldest(void **state) {
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    run_at(procs, drops_body, 3, chan_that_drops);
  }
}

// --- One that grows ---------------------------------------------------------
static void rooms_body(P *p, Task *t) {
  Chan *c = t->shared->chans[0];
  uint32_t want[] = {4, 8, 16, 20};
  uint64_t sent = 0, word;
  assert_int_equal(chan_cap(c), 20);
  assert_int_equal(chan_try_recv(p, c, &word), CHAN_BLOCKED);
  assert_false(chan_put_quick(p, c, 1));
  for (int i = 0; i < 4; i++) {
    assert_int_equal(chan_send(p, &t->g, c, 99), CHAN_WANTS_ROOM);
    assert_int_equal(chan_try_send(p, c, 99), CHAN_WANTS_ROOM);
    assert_int_equal(chan_count(c), sent);
    assert_int_equal(chan_next_room(c), want[i]);
    assert_true(grow(p, c));
    assert_int_equal(chan_next_room(c), 0);
    for (; sent < want[i]; sent++) {
      assert_int_equal(chan_try_send(p, c, sent), CHAN_DONE);
    }
  }
  assert_false(chan_take_quick(p, c, &word, 0xE));
  assert_int_equal(chan_try_send(p, c, 99), CHAN_BLOCKED);
  assert_int_equal(chan_next_room(c), 0);
  take(p, c, 0, 20);
  assert_int_equal(chan_count(c), 0);
  assert_int_equal(chan_try_recv(p, c, &word), CHAN_BLOCKED);
  task_end(p, t);
}

static void room_doubles_up_to_the_limit(void **state) {
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    run_at(procs, rooms_body, 20, chan_that_grows);
  }
}

// Of two senders that got rings, the second's is not wanted: nor is one that
// came when there was room again, or after the close.
static void late_body(P *p, Task *t) {
  Chan *c = t->shared->chans[0];
  uint64_t word;
  uint32_t room = chan_next_room(c);
  uint64_t *first = new_ring(room);
  assert_true(give(p, c, first, room));
  assert_false(give(p, c, new_ring(room), room));
  for (uint64_t i = 0; i < 4; i++) chan_try_send(p, c, i);
  assert_false(give(p, c, new_ring(room), room));
  room = chan_next_room(c);
  take(p, c, 0, 1);
  assert_false(give(p, c, new_ring(room), room));
  assert_int_equal(chan_try_send(p, c, 4), CHAN_DONE);
  assert_ptr_equal(chan_growth(c)->ring, first);
  assert_true(chan_close(p, c));
  assert_int_equal(chan_send(p, &t->g, c, 5), CHAN_CLOSED);
  assert_true(grow(p, c));
  assert_int_equal(chan_try_send(p, c, 5), CHAN_CLOSED);
  take(p, c, 1, 4);
  assert_int_equal(chan_recv(p, &t->g, c, &word, WAIT_CHAN_RECV), CHAN_CLOSED);
  assert_int_equal(word, 0xE);
  task_end(p, t);
}

static void a_ring_too_late_is_not_taken(void **state) {
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    run_at(procs, late_body, 100, chan_that_grows);
  }
}

// --- Select -----------------------------------------------------------------
static void select_body(P *p, Task *t) {
  Chan *c = t->shared->chans[0];
  for (int count = 1; count <= 3; count++) {
    for (int block = 0; block < 2; block++) {
      for (int i = 0; i < count; i++) {
        t->cases[i] = (SelCase){.chan = i == 0 ? c : NULL, .send = i == 0};
      }
      t->cases[0].waiter.elem = 7;
      uint32_t held = chan_count(c);
      for (int sends = 0; sends < 5; sends++) {
        int chosen = select_go(p, &t->g, t->cases, t->order, count, block);
        if (chosen == SELECT_WANTS_ROOM) {
          assert_true(grow(p, c));
          chosen = select_go(p, &t->g, t->cases, t->order, count, block);
        }
        assert_int_equal(chosen, 0);
      }
      assert_int_equal(chan_count(c), held + 5);
    }
  }
  assert_int_equal(chan_count(c), chan_cap(c));
  assert_int_equal(select_go(p, &t->g, t->cases, t->order, 3, SELECT_TRY),
                   SELECT_DEFAULT);
  assert_int_equal(select_go(p, &t->g, t->cases, t->order, 1, SELECT_TRY),
                   SELECT_DEFAULT);
  task_end(p, t);
}

static void select_asks_for_room(void **state) {
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    run_at(procs, select_body, 30, chan_that_grows);
  }
}

// --- Many -------------------------------------------------------------------
enum { PRODUCERS = 4, CONSUMERS = 3, EACH = 300 };

static uint64_t word_of(const Task *t) {
  return (uint64_t)t->id << 32 | (uint64_t)t->i;
}

static void producer(P *p, Task *t) {
  CO_BEGIN;
  for (t->i = 1; t->i <= EACH;) {
    CO_SEND(t->shared->chans[0], word_of(t));
    if (t->ok) {
      t->i++;
    } else {  // nobody has closed it: it wants room
      grow(p, t->shared->chans[0]);
    }
  }
  if (rt_add(&t->shared->counts[2], (uint64_t)1) == PRODUCERS - 1) {
    assert_true(chan_close(p, t->shared->chans[0]));
  }
  CO_END;
}

static uint64_t last[1 + PRODUCERS + CONSUMERS][1 + PRODUCERS];

static void consumer(P *p, Task *t) {
  CO_BEGIN;
  for (;;) {
    CO_RECV(t->shared->chans[0]);
    if (!t->ok) break;
    uint64_t *before = &last[t->id][t->word >> 32];
    assert_true(*before < (uint32_t)t->word);
    *before = (uint32_t)t->word;
    rt_add(&t->shared->counts[0], (uint64_t)(uint32_t)t->word);
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
      const ChanGrowth *r = chan_growth(shared.chans[0]);
      assert_true(r->room <= r->limit && r->count == 0);
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

static void no_waiter(void *arg, Waiter *w) {
  (void)arg, (void)w;
  fail();
}

// chans[0] grows, with its words across the end of the ring; chans[1] drops.
static void collector_body(P *p, Task *t) {
  Chan *c = t->shared->chans[0], *d = t->shared->chans[1];
  uint64_t word;
  grow(p, c);
  for (int i = 0; i < 4; i++) chan_try_send(p, c, 77);
  chan_try_recv(p, c, &word);
  chan_try_send(p, c, 77);
  for (int i = 0; i < 2; i++) chan_try_send(p, d, 77);
  chan_scan(c, sum_word, no_waiter, t->shared);
  assert_int_equal(count_of(t->shared, 3), 4 * 77);
  chan_scan(d, sum_word, no_waiter, t->shared);
  assert_int_equal(count_of(t->shared, 3), 6 * 77);
  assert_true(sched_stop_world(p, &t->g));
  sched_set_barrier(t->shared->s, true);
  sched_start_world(p);
  grow(p, c);
  assert_int_equal(count_of(t->shared, 1), 4);  // moved
  chan_try_send(p, c, 78);
  assert_int_equal(count_of(t->shared, 0), 5);
  chan_try_recv(p, c, &word);
  assert_int_equal(count_of(t->shared, 2), 1);
  chan_try_send(p, d, 78);
  assert_int_equal(count_of(t->shared, 2), 2);  // dropped
  chan_scan(c, sum_word, no_waiter, t->shared);
  assert_int_equal(count_of(t->shared, 3), 9 * 77 + 78);
  task_end(p, t);
}

static void collectors_see_words_and_stores(void **state) {
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    Shared shared;
    shared_init(&shared, procs, 1);
    shared.s->hooks.host = &shared;
    shared.s->hooks.barrier = count_stores;
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
      cmocka_unit_test(room_doubles_up_to_the_limit),
      cmocka_unit_test(a_ring_too_late_is_not_taken),
      cmocka_unit_test(select_asks_for_room),
      cmocka_unit_test(many_that_grow_lose_nothing),
      cmocka_unit_test(many_that_drop_keep_order),
      cmocka_unit_test(collectors_see_words_and_stores),
      cmocka_unit_test(plain_channels_cost_no_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
