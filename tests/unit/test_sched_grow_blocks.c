// SPDX-License-Identifier: MIT
// The blocks of channels that grow: each state of the chain against a model,
// what is given back, and a collector that marks while the channel changes.
//
// One P without a runtime: the order of operations is a random walk.
#include "grow_fixture.h"

#include "sched/chan.h"
#include "sched/chan_grow.h"

enum { EMPTY = 0xE, TURNS = 4000 };

static Sched sched;
static P p;

static uint64_t seed;
static uint32_t below(uint32_t n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33) % n;
}

static Chan *new_chan(uint32_t limit) {
  memset(&sched, 0, sizeof sched);
  memset(&p, 0, sizeof p);
  sched.memory = &mem_libc;
  sched.config.empty_word = EMPTY;
  p.sched = &sched;
  p.single = true;
  Chan *chan = malloc(chan_size_grows());
  chan_init_grows(chan, limit);
  return chan;
}

static void free_chan(Chan *chan) {
  free(chan);
  free_blocks();
}

// --- What is in the chain ---------------------------------------------------
static uint32_t blocks_in(const Chan *chan) {
  uint32_t count = 0;
  for (const ChanBlock *b = chan_growth(chan)->first; b != NULL; b = b->next)
    count++;
  return count;
}

// The words that collectors find are the count's, whatever was read.
static void check_words(const Chan *chan) {
  uint32_t words = 0, room = 0;
  for (const ChanBlock *b = chan_growth(chan)->first; b != NULL; b = b->next) {
    for (uint32_t i = 0; i < b->end; i++) words += b->words[i] != EMPTY;
    room += b->room;
  }
  assert_int_equal(words, chan_count(chan));
  assert_int_equal(room, chan_growth(chan)->room);
  assert_true(chan_is_valid(chan));
}

// --- A random walk ----------------------------------------------------------
// The words FIRST + taken, ..., FIRST + sent - 1 are in it.
enum { FIRST = 100 };
static uint64_t sent, taken;

static void no_word(void *arg, uint64_t *slot) {
  (void)arg, (void)slot;
  fail();
}
static void no_waiter(void *arg, Waiter *waiter) {
  (void)arg, (void)waiter;
  fail();
}
static void no_block(void *arg, ChanBlock *block) { (void)arg, (void)block; }
static const ChanScan forgets = {no_word, no_block, no_waiter};

static void walk_send(Chan *chan, uint32_t largest) {
  ChanGrowth *growth = chan_growth(chan);
  ChanResult result = chan_try_send(&p, chan, FIRST + sent);
  if (sent - taken == growth->limit) {
    assert_int_equal(result, CHAN_BLOCKED);
    return;
  }
  if (result == CHAN_WANTS_ROOM) {
    assert_true(growth->room < growth->limit && growth->spare == NULL);
    assert_true(chan_next_size(chan) > 0);
    assert_true(chan_grow(&p, chan, new_block(1 + below(largest))));
    assert_int_equal(chan_next_size(chan), 0);
    result = chan_try_send(&p, chan, FIRST + sent);
  }
  assert_int_equal(result, CHAN_DONE);
  sent++;
}

static void walk_take(Chan *chan) {
  uint64_t word;
  if (taken == sent) {
    assert_int_equal(chan_try_recv(&p, chan, &word), CHAN_BLOCKED);
    return;
  }
  assert_int_equal(chan_try_recv(&p, chan, &word), CHAN_DONE);
  assert_int_equal(word, FIRST + taken);
  taken++;
}

// A block that nobody asked for is refused, or is room.
static void walk_give(Chan *chan, uint32_t largest) {
  uint32_t before = chan_growth(chan)->room;
  ChanBlock *block = new_block(1 + below(largest));
  bool wanted = chan_grow(&p, chan, block);
  assert_int_equal(chan_growth(chan)->room,
                   before + (wanted ? block->room : 0));
}

static void walk(uint32_t limit, uint32_t largest) {
  Chan *chan = new_chan(limit);
  uint32_t sends = 50;  // of 100
  sent = taken = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    if (turn % 64 == 0) sends = 20 + below(60);
    uint32_t what = below(200);
    if (what == 0)
      chan_scan(chan, &forgets, NULL);
    else if (what == 1)
      walk_give(chan, largest);
    else if (what % 100 < sends)
      walk_send(chan, largest);
    else
      walk_take(chan);
    check_words(chan);
    assert_true(chan_growth(chan)->room < limit + 2 * largest);
  }
  free_chan(chan);
}

static void every_walk_keeps_the_words(void **state) {
  (void)state;
  seed = 1;
  for (uint32_t limit = 1; limit <= 30; limit++) {
    for (uint32_t largest = 1; largest <= 9; largest += 2) walk(limit, largest);
  }
}

// --- At the limit -----------------------------------------------------------
// Each receive is followed by a send, as with senders that wait: no block comes
// or goes, whichever blocks the channel has got on the way.
static void at_its_limit_it_is_a_ring(void **state) {
  (void)state;
  for (uint32_t limit = 1; limit <= 30; limit++) {
    Chan *chan = new_chan(limit);
    seed = limit;
    sent = taken = 0;
    while (sent < limit) walk_send(chan, 1 + limit / 3);
    for (int turn = 0; turn < 200; turn++) {
      walk_take(chan);
      assert_int_equal(chan_try_send(&p, chan, FIRST + sent), CHAN_DONE);
      sent++;
      check_words(chan);
    }
    free_chan(chan);
  }
}

// --- What is given back -----------------------------------------------------
static uint32_t blocks_made(void) {
  uint32_t count = 0;
  for (const MadeBlock *b = made_blocks; b != NULL; b = b->before) count++;
  return count;
}

static void send_grown(Chan *chan, uint64_t word) {
  if (chan_try_send(&p, chan, word) == CHAN_DONE) return;
  assert_true(grow(&p, chan));
  assert_int_equal(chan_try_send(&p, chan, word), CHAN_DONE);
}

static void a_drained_channel_has_one_block_and_a_spare(void **state) {
  (void)state;
  enum { WORDS = 300000, DOUBLINGS = 10 };
  Chan *chan = new_chan(1 << 20);
  const ChanGrowth *growth = chan_growth(chan);
  uint64_t word;
  for (uint64_t i = 0; i < WORDS; i++) send_grown(chan, i);
  assert_in_range(blocks_in(chan), WORDS / 4092, WORDS / 4092 + DOUBLINGS);
  for (uint64_t i = 0; i < WORDS; i++) {
    assert_int_equal(chan_try_recv(&p, chan, &word), CHAN_DONE);
    assert_int_equal(word, i);
  }
  assert_int_equal(blocks_in(chan), 1);
  assert_int_equal(growth->room, 4092);
  assert_int_equal(growth->spare->room, 4092);
  chan_scan(chan, &forgets, NULL);
  assert_null(growth->spare);
  free_chan(chan);
}

// Empty, full, empty: two blocks do for what fits into one, and a few for more.
static void a_channel_that_comes_and_goes_keeps_its_blocks(void **state) {
  (void)state;
  Chan *chan = new_chan(1 << 20);
  uint64_t word;
  for (uint64_t i = 0; i < 5000; i++) send_grown(chan, i);
  uint32_t made = blocks_made();
  for (uint64_t i = 5000; i < 100000; i++) {  // as many in as out
    assert_int_equal(chan_try_recv(&p, chan, &word), CHAN_DONE);
    assert_int_equal(word, i - 5000);
    send_grown(chan, i);
  }
  assert_in_range(blocks_made(), made, made + 8);
  while (chan_try_recv(&p, chan, &word) == CHAN_DONE) continue;
  made = blocks_made();
  for (int turn = 0; turn < 1000; turn++) {
    for (uint64_t i = 0; i < 3000; i++) send_grown(chan, i);
    while (chan_try_recv(&p, chan, &word) == CHAN_DONE) continue;
  }
  assert_int_equal(blocks_made(), made);
  free_chan(chan);
}

// --- A collector that marks meanwhile ---------------------------------------
// Words are marked by their number, blocks are on a stack until they are
// scanned. The barrier marks what is stored and what is overwritten.
enum { MARKS = 1 << 14, GREY = 512 };
static bool marked[MARKS];
static ChanBlock *grey[GREY], *seen[GREY];
static uint32_t grey_count, seen_count;

static bool was_seen(const ChanBlock *block) {
  for (uint32_t i = 0; i < seen_count; i++)
    if (seen[i] == block) return true;
  return false;
}

static void mark_block(void *arg, ChanBlock *block) {
  (void)arg;
  if (was_seen(block)) return;
  assert_true(seen_count < GREY && grey_count < GREY);
  seen[seen_count++] = grey[grey_count++] = block;
}

static void mark_word(uint64_t word) {
  if (word < MARKS)
    marked[word] = true;
  else
    mark_block(NULL, (ChanBlock *)(uintptr_t)word);
}

static void mark_stored(void *host, P *owner, uint64_t old, uint64_t word) {
  (void)host, (void)owner;
  mark_word(old);
  mark_word(word);
}

static bool scan_one(void) {
  if (grey_count == 0) return false;
  uint32_t at = below(grey_count);
  ChanBlock *block = grey[at];
  grey[at] = grey[--grey_count];
  for (uint32_t i = 0; i < block->end; i++) mark_word(block->words[i]);
  if (block->next != NULL) mark_block(NULL, block->next);
  return true;
}

static void mark_all_of(Chan *chan, uint32_t largest) {
  static const ChanScan marks = {no_word, mark_block, no_waiter};
  memset(marked, 0, sizeof marked);
  grey_count = seen_count = 0;
  sched.config.barrier = true;
  uint32_t turns = 10 + below(110);
  uint32_t scanned_at = below(turns), pace = 1 + below(40);
  for (uint32_t turn = 0; turn < turns; turn++) {
    if (turn == scanned_at) chan_scan(chan, &marks, NULL);
    if (below(pace) == 0) scan_one();
    if (below(2) == 0)
      walk_send(chan, largest);
    else
      walk_take(chan);
  }
  while (scan_one()) continue;
  sched.config.barrier = false;
  for (uint64_t word = taken; word < sent; word++)
    assert_true(marked[FIRST + word]);
  for (const ChanBlock *b = chan_growth(chan)->first; b != NULL; b = b->next)
    assert_true(was_seen(b));
}

static void no_block_is_hidden_from_a_collector(void **state) {
  (void)state;
  seed = 7;
  for (uint32_t limit = 1; limit <= 40; limit += 3) {
    for (uint32_t largest = 1; largest <= 5; largest++) {
      Chan *chan = new_chan(limit);
      sched.hooks.barrier = mark_stored;
      sent = taken = 0;
      for (int n = 0; n < 60; n++) {
        for (int turn = 0; turn < 60; turn++)
          below(2) == 0 ? walk_send(chan, largest) : walk_take(chan);
        mark_all_of(chan, largest);
      }
      assert_true(FIRST + sent < MARKS);
      free_chan(chan);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_walk_keeps_the_words),
      cmocka_unit_test(at_its_limit_it_is_a_ring),
      cmocka_unit_test(a_drained_channel_has_one_block_and_a_spare),
      cmocka_unit_test(a_channel_that_comes_and_goes_keeps_its_blocks),
      cmocka_unit_test(no_block_is_hidden_from_a_collector),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
