// SPDX-License-Identifier: MIT
// Channels and select under interleaving: no value is lost or doubled, each
// producer's values arrive in order, nobody is woken twice or never.
//
// First each G has a thread and a P of its own: short runs, searched
// exhaustively. Then the same on the whole runtime, where a G that parks may
// run on another M before the M that parked it has given back its last lock;
// woken selects scribble over their cases at once, so that a late look at them
// is seen.
//
// Two kinds of channels are not plain: what one that drops has lost is counted,
// and whoever looks never finds it empty. One that grows, up to three words,
// gets blocks from all its senders.
//
// Found when broken (tests/explore/mutants):
//   a select claimed by a store
//   a parker or a select that is WAITING only after the unlock
//   a select that gives its locks back from the lowest, or stays in other
//     queues when it is woken
//   a receiver that takes from a full ring and forgets the waiting sender's
//     value, or a select that waits to send
#include "tests/explore/sched_explore.h"

enum { CHAN_GS = 3, CHAN_VALUES = 16 };

static Shared world;
static uint32_t woken[CHAN_GS];  // atomic: its G was readied
static uint32_t sent[CHAN_VALUES], received[CHAN_VALUES];
static uint64_t last_of[CHAN_GS][CHAN_GS];  // by receiver and producer

// --- Values: producer * 4 + number, number from 1 ---------------------------
static uint64_t value_of(int producer, int number) {
  return (uint64_t)(producer * 4 + number);
}

static void note_sent(uint64_t value) { sent[value]++; }

static void note_received(int receiver, uint64_t value) {
  EXPLORE_CHECK(value < CHAN_VALUES, "received %llu, which nobody sends",
                (unsigned long long)value);
  EXPLORE_CHECK(++received[value] == 1, "%llu was received twice",
                (unsigned long long)value);
  uint64_t *last = &last_of[receiver][value / 4];
  EXPLORE_CHECK(*last < value, "%llu was received after %llu",
                (unsigned long long)value, (unsigned long long)*last);
  *last = value;
}

static void check_values(void) {
  for (int i = 0; i < CHAN_VALUES; i++) {
    EXPLORE_CHECK(sent[i] == received[i],
                  "value %d: sent %u times, received "
                  "%u times",
                  i, sent[i], received[i]);
  }
}

static void reset_values(void) {
  memset(woken, 0, sizeof woken);
  memset(sent, 0, sizeof sent);
  memset(received, 0, sizeof received);
  memset(last_of, 0, sizeof last_of);
}

// --- A G with a thread and a P of its own -----------------------------------
typedef void GBody(P *p, Task *task);
static GBody *const *bodies;

// What this P made ready goes to the threads that wait for it.
static void deliver(P *p) {
  for (G *g; (g = runq_take_next(p)) != NULL || (g = runq_pop(p)) != NULL;) {
    Task *task = (Task *)(void *)g;
    EXPLORE_CHECK(g->status == G_RUNNABLE,
                  "a goroutine was readied that is "
                  "%s",
                  g_state_name(g->status));
    EXPLORE_CHECK(rt_add(&woken[task->id], 1u) == 0,
                  "goroutine %d was woken "
                  "twice",
                  task->id);
  }
}

static void wait_woken(P *p, Task *task) {
  explore_until_set(&woken[task->id]);
  rt_store_seq(&woken[task->id], 0u);
  g_change(&task->g, G_RUNNABLE, G_RUNNING);
  task->g.p = p;
  p->current = &task->g;
}

// The channel that grows has a block of grows_from words (0: none), and gets
// blocks of grows_by words.
enum { GROWS_TO = 3, BLOCK_WORDS = 2, BLOCKS = 4 };
typedef struct BlockMemory {
  uint64_t words[CHAN_BLOCK_HEAD / sizeof(uint64_t) + BLOCK_WORDS];
} BlockMemory;
static uint32_t grows_from, grows_by;
static BlockMemory first_block, blocks[CHAN_GS][BLOCKS];  // by sender
static int blocks_taken[CHAN_GS];

static ChanBlock *fresh_block(BlockMemory *memory, uint32_t words) {
  // What no word was put into must not be looked at.
  memset(memory, 0xAB, sizeof *memory);
  ChanBlock *block = (ChanBlock *)(void *)memory;
  chan_block_init(block, words, 0);
  return block;
}

static void grow(P *p, Task *task, Chan *chan) {
  size_t size = chan_next_size(chan);
  if (size == 0) return;
  EXPLORE_CHECK(size == CHAN_BLOCK_LEAST, "a block of %zu bytes", size);
  int *taken = &blocks_taken[task->id];
  EXPLORE_CHECK(*taken < BLOCKS, "more blocks than words");
  ChanBlock *block = fresh_block(&blocks[task->id][*taken], grows_by);
  *taken += chan_grow(p, chan, block);
}

static bool quick;  // first as the handlers of the layer above do

static bool do_send(P *p, Task *task, int chan, uint64_t value) {
  Chan *to = task->shared->chans[chan];
  if (quick && chan_put_quick(p, to, value)) {
    note_sent(value);
    return true;
  }
  ChanResult result;
  while ((result = chan_send(p, &task->g, to, value)) == CHAN_WANTS_ROOM) {
    grow(p, task, to);
  }
  if (result == CHAN_PARKED) {
    wait_woken(p, task);
    result = task->g.wait.success ? CHAN_DONE : CHAN_CLOSED;
  }
  deliver(p);
  if (result == CHAN_DONE) note_sent(value);
  return result == CHAN_DONE;
}

static bool do_recv(P *p, Task *task, int chan) {
  uint64_t value;
  if (quick && chan_take_quick(p, task->shared->chans[chan], &value, 0xE)) {
    note_received(task->id, value);
    return true;
  }
  ChanResult result =
      chan_recv(p, &task->g, task->shared->chans[chan], &value, WAIT_CHAN_RECV);
  if (result == CHAN_PARKED) {
    wait_woken(p, task);
    result = task->g.wait.success ? CHAN_DONE : CHAN_CLOSED;
    value = task->g.wait.elem;
  }
  deliver(p);
  if (result == CHAN_DONE) note_received(task->id, value);
  EXPLORE_CHECK(result == CHAN_DONE || value == 0xE,
                "a closed channel gave something");
  return result == CHAN_DONE;
}

static void do_close(P *p, Task *task, int chan) {
  EXPLORE_CHECK(chan_close(p, task->shared->chans[chan]), "closed twice");
  deliver(p);
}

static void set_case(Task *task, int at, int chan, bool send, uint64_t value) {
  task->cases[at] = (SelCase){.chan = task->shared->chans[chan], .send = send};
  task->cases[at].waiter.elem = value;
}

// Books what a select did; the chosen case.
static int note_select(Task *task, int chosen) {
  if (chosen < 0) return chosen;
  const SelCase *choice = &task->cases[chosen];
  if (choice->send) {
    note_sent(choice->waiter.elem);
  } else if (choice->waiter.success) {
    note_received(task->id, choice->waiter.elem);
  }
  return chosen;
}

static int do_select(P *p, Task *task, int count, bool block) {
  int chosen;
  while ((chosen = select_go(p, &task->g, task->cases, task->order, count,
                             block ? SELECT_BLOCK : SELECT_TRY)) ==
         SELECT_WANTS_ROOM) {
    grow(p, task, task->shared->chans[3]);
  }
  if (chosen == SELECT_PARKED) {
    wait_woken(p, task);
    chosen = select_finish(p, &task->g, task->cases, task->order, count);
  }
  deliver(p);
  return note_select(task, chosen);
}

static void g_main(void *arg) {
  Task *task = arg;
  P *p = world_hold_p(&world, task->id);
  task->g.status = G_RUNNING;
  p->current = &task->g;
  bodies[task->id](p, task);
}

static void world_chan_grows(int at) {
  _Static_assert(sizeof(ChanGrowth) <= 6 * sizeof(uint64_t), "world_chan's");
  Chan *chan = world_chan(&world, at, 6);
  chan_init_grows(chan, GROWS_TO);
  memset(blocks_taken, 0, sizeof blocks_taken);
  if (grows_from == 0) return;
  ChanGrowth *growth = chan_growth(chan);
  growth->first = growth->last = fresh_block(&first_block, grows_from);
  growth->room = grows_from;
}

// With the write barrier on each store of a word, and of a pointer to a block,
// is a step: others may go on in the middle of an operation.
static bool stores_are_steps;
static uint32_t looked_at;  // atomic, never written

static void step_at_store(void *host, P *p, uint64_t old, uint64_t word) {
  (void)host, (void)p, (void)old, (void)word;
  rt_load_relaxed(&looked_at);
}

static void bare_body(void *arg) {
  bodies = arg;
  reset_values();
  world_init(&world, CHAN_GS, CHAN_GS);
  world.sched->hooks.barrier = step_at_store;
  world.sched->config.barrier = stores_are_steps;
  for (int i = 0; i < CHAN_GS; i++) world.tasks[i].g.id = (uint64_t)i + 1;
  world_chan(&world, 0, 0);
  world_chan(&world, 1, 0);
  world_chan(&world, 2, 1);
  world_chan_grows(3);
  for (int i = 0; i < CHAN_GS; i++) {
    if (bodies[i] != NULL) explore_go(g_main, &world.tasks[i]);
  }
  explore_join_all();
  check_values();
  EXPLORE_CHECK(chan_grow_is_valid(world.chans[3]),
                "the blocks are not what the counts say");
  for (int i = 0; i < 4; i++) {
    const Chan *chan = world.chans[i];
    EXPLORE_CHECK(chan->recv_first == NULL && chan->send_first == NULL,
                  "channel %d has waiters that are gone", i);
    EXPLORE_CHECK((chan->lock & CHAN_HELD) == 0, "channel %d is still locked",
                  i);
  }
  world_free(&world);
}

static void run_bare(const char *name, GBody *const *three, int preemptions) {
  Scenario scenario = {.name = name,
                       .body = bare_body,
                       .arg = (void *)(uintptr_t)three,
                       .preemptions = preemptions};
  assert_true(explore(&scenario));
}

// --- Bodies -----------------------------------------------------------------
// The channel's number is 0 (no room), 1 (no room), 2 (room for 1), 3 (grows).
static void send_three(P *p, Task *task) {
  for (int i = 1; i <= 3; i++) do_send(p, task, 0, value_of(task->id, i));
  do_close(p, task, 0);
}

static void send_two(P *p, Task *task) {
  for (int i = 1; i <= 2; i++) do_send(p, task, 0, value_of(task->id, i));
}

static void send_two_buffered(P *p, Task *task) {
  for (int i = 1; i <= 2; i++) do_send(p, task, 2, value_of(task->id, i));
}

static void send_buffered_close(P *p, Task *task) {
  for (int i = 1; i <= 3; i++) do_send(p, task, 2, value_of(task->id, i));
  do_close(p, task, 2);
}

static void recv_all(P *p, Task *task) {
  while (do_recv(p, task, 0)) continue;
}

static void recv_all_buffered(P *p, Task *task) {
  while (do_recv(p, task, 2)) continue;
}

static void recv_four(P *p, Task *task) {
  for (int i = 0; i < 4; i++) do_recv(p, task, 0);
}

static void recv_four_buffered(P *p, Task *task) {
  for (int i = 0; i < 4; i++) do_recv(p, task, 2);
}

static void recv_one_close(P *p, Task *task) {
  do_recv(p, task, 0);
  do_close(p, task, 0);
}

static void try_send_two(P *p, Task *task) {
  for (int i = 1; i <= 2; i++) {
    uint64_t value = value_of(task->id, i);
    ChanResult result;
    while ((result = chan_try_send(p, task->shared->chans[2], value)) ==
           CHAN_BLOCKED) {
      explore_yield();
    }
    deliver(p);
    EXPLORE_CHECK(result == CHAN_DONE, "an open channel was closed");
    note_sent(value);
  }
}

static void try_recv_two(P *p, Task *task) {
  for (int i = 0; i < 2; i++) {
    uint64_t value;
    ChanResult result;
    while ((result = chan_try_recv(p, task->shared->chans[2], &value)) ==
           CHAN_BLOCKED) {
      explore_yield();
    }
    deliver(p);
    EXPLORE_CHECK(result == CHAN_DONE, "an open channel was closed");
    note_received(task->id, value);
  }
}

static void one_to_one(void **state) {
  (void)state;
  static GBody *const plain[CHAN_GS] = {send_three, recv_all};
  run_bare("one_to_one", plain, 3);
  static GBody *const buffered[CHAN_GS] = {send_buffered_close,
                                           recv_all_buffered};
  run_bare("one_to_one_buffered", buffered, 3);
  static GBody *const tries[CHAN_GS] = {try_send_two, try_recv_two};
  run_bare("tries", tries, -1);
}

static void many_to_one(void **state) {
  (void)state;
  static GBody *const producers[CHAN_GS] = {send_two, send_two, recv_four};
  run_bare("two_producers", producers, 2);
  static GBody *const consumers[CHAN_GS] = {send_three, recv_all, recv_all};
  run_bare("two_consumers", consumers, 2);
  static GBody *const buffered[CHAN_GS] = {send_two_buffered, send_two_buffered,
                                           recv_four_buffered};
  run_bare("two_producers_buffered", buffered, 2);
  static GBody *const closed[CHAN_GS] = {send_two, send_two, recv_one_close};
  run_bare("close_wakes_senders", closed, 2);
}

// Takes what it put, or else what came from the other: so nothing stays behind.
static void send_then_recv(P *p, Task *task) {
  for (int i = 1; i <= 3; i++) {
    do_send(p, task, 2, value_of(task->id, i));
    do_recv(p, task, 2);
  }
}

static void send_then_select(P *p, Task *task) {
  for (int i = 1; i <= 3; i++) {
    do_send(p, task, 2, value_of(task->id, i));
    set_case(task, 0, 2, false, 0);
    set_case(task, 1, 1, false, 0);
    do_select(p, task, 2, true);
  }
}

static void quick_paths(void **state) {
  (void)state;
  quick = true;
  static GBody *const one[CHAN_GS] = {send_buffered_close, recv_all_buffered};
  run_bare("quick_one_to_one", one, 3);
  static GBody *const two[CHAN_GS] = {send_two_buffered, send_two_buffered,
                                      recv_four_buffered};
  run_bare("quick_two_producers", two, 2);
  static GBody *const both[CHAN_GS] = {send_then_recv, send_then_recv};
  run_bare("quick_both_ways", both, 3);
  static GBody *const selects[CHAN_GS] = {send_then_recv, send_then_select};
  run_bare("quick_and_select", selects, 2);
  quick = false;
}

// --- Select -----------------------------------------------------------------
static void select_two_recv(P *p, Task *task) {
  for (int i = 0; i < 2; i++) {
    set_case(task, 0, 0, false, 0);
    set_case(task, 1, 1, false, 0);
    do_select(p, task, 2, true);
  }
}

static void send_on_0(P *p, Task *task) {
  do_send(p, task, 0, value_of(task->id, 1));
}

static void send_on_1(P *p, Task *task) {
  do_send(p, task, 1, value_of(task->id, 1));
}

static void close_0(P *p, Task *task) { do_close(p, task, 0); }

static void recv_on_1(P *p, Task *task) { do_recv(p, task, 1); }

// Receives from 0 until it is closed, or sends to 1; each once.
static void select_close_or_send(P *p, Task *task) {
  bool closed = false, was_sent = false;
  while (!closed || !was_sent) {
    int count = 0;
    if (!closed) set_case(task, count++, 0, false, 0);
    if (!was_sent) set_case(task, count++, 1, true, value_of(task->id, 1));
    int chosen = do_select(p, task, count, true);
    if (chosen == 0 && !closed) {
      EXPLORE_CHECK(!task->cases[0].waiter.success, "nobody sent that");
      closed = true;
    } else {
      was_sent = true;
    }
  }
}

static void select_send_recv(P *p, Task *task) {
  for (int i = 1; i <= 2; i++) {
    set_case(task, 0, 0, task->id == 0, value_of(task->id, i));
    set_case(task, 1, 1, task->id != 0, value_of(task->id, i));
    do_select(p, task, 2, true);
  }
}

// On a channel with room for one, and one without.
static void select_recv_buffered(P *p, Task *task) {
  for (int i = 0; i < 3; i++) {
    set_case(task, 0, 2, false, 0);
    set_case(task, 1, 0, false, 0);
    do_select(p, task, 2, true);
  }
}

// Two producers' values: one channel may be faster than the other.
static void select_send_buffered(P *p, Task *task) {
  for (int i = 1; i <= 3; i++) {
    set_case(task, 0, 2, true, value_of(task->id, i));
    set_case(task, 1, 0, true, value_of(2, i));
    do_select(p, task, 2, true);
  }
}

// Both sides of one channel: the other does the opposite.
static void select_same_chan(P *p, Task *task) {
  for (int i = 1; i <= 2; i++) {
    set_case(task, 0, 0, true, value_of(task->id, i));
    set_case(task, 1, 0, false, 0);
    do_select(p, task, 2, true);
  }
}

static void select_send_closed(P *p, Task *task) {
  set_case(task, 0, 0, true, value_of(task->id, 1));
  set_case(task, 1, 1, true, value_of(task->id, 2));
  int chosen = do_select(p, task, 2, true);
  EXPLORE_CHECK(chosen == SELECT_SEND_CLOSED || chosen == 1, "sent to nobody");
}

// With a default: until both values came.
static void poll_two(P *p, Task *task) {
  for (int got = 0; got < 2;) {
    set_case(task, 0, 0, false, 0);
    set_case(task, 1, 1, false, 0);
    if (do_select(p, task, 2, false) == SELECT_DEFAULT) {
      explore_yield();
    } else {
      got++;
    }
  }
}

static void selects(void **state) {
  (void)state;
  static GBody *const senders[CHAN_GS] = {send_on_0, send_on_1,
                                          select_two_recv};
  run_bare("select_and_senders", senders, 2);
  static GBody *const polls[CHAN_GS] = {send_on_0, send_on_1, poll_two};
  run_bare("select_default", polls, -1);
  static GBody *const closes[CHAN_GS] = {close_0, recv_on_1,
                                         select_close_or_send};
  run_bare("select_against_close", closes, 2);
  static GBody *const send_closed[CHAN_GS] = {close_0, select_send_closed};
  run_bare("select_send_closed", send_closed, 3);
  static GBody *const buffered[CHAN_GS] = {send_two_buffered, send_on_0,
                                           select_recv_buffered};
  run_bare("select_buffered", buffered, 2);
}

// More channels than an insertion sort puts in order: each of two Gs waits on
// all of them, one the other way round than the other.
enum { MANY_CHANS = 14, MANY_ROOM = 128 };
static _Alignas(RT_LINE) char many_arena[MANY_CHANS * MANY_ROOM];
static Chan *many_chans[MANY_CHANS];

static void select_of_many(P *p, Task *task) {
  bool sends = task->id == 0;
  for (int i = 1; i <= 2; i++) {
    for (int at = 0; at < MANY_CHANS; at++) {
      Chan *chan = many_chans[sends ? at : MANY_CHANS - 1 - at];
      task->cases[at] = (SelCase){.chan = chan, .send = sends};
      if (sends) task->cases[at].waiter.elem = value_of(task->id, i);
    }
    do_select(p, task, MANY_CHANS, true);
  }
}

static void many_body(void *arg) {
  EXPLORE_CHECK(chan_size(0) <= MANY_ROOM, "no room for a channel");
  for (int i = 0; i < MANY_CHANS; i++) {
    many_chans[i] = (Chan *)(void *)(many_arena + (size_t)i * MANY_ROOM);
    chan_init(many_chans[i], 0);
  }
  bare_body(arg);
  for (int i = 0; i < MANY_CHANS; i++) {
    const Chan *chan = many_chans[i];
    EXPLORE_CHECK(chan->recv_first == NULL && chan->send_first == NULL,
                  "a select stays in a queue of many");
  }
}

static void select_over_many(void **state) {
  (void)state;
  static GBody *const two[CHAN_GS] = {select_of_many, select_of_many};
  Scenario scenario = {.name = "select_many",
                       .body = many_body,
                       .arg = (void *)(uintptr_t)two,
                       .preemptions = 1};
  assert_true(explore(&scenario));
}

static void select_against_select(void **state) {
  (void)state;
  static GBody *const crossed[CHAN_GS] = {select_send_recv, select_send_recv};
  run_bare("select_crossed", crossed, 3);
  static GBody *const same[CHAN_GS] = {select_same_chan, select_same_chan};
  run_bare("select_same_chan", same, 3);
  static GBody *const buffered[CHAN_GS] = {select_send_buffered,
                                           select_recv_buffered};
  run_bare("select_crossed_buffered", buffered, 3);
}

// --- One that grows ---------------------------------------------------------
static void send_two_growing(P *p, Task *task) {
  for (int i = 1; i <= 2; i++) do_send(p, task, 3, value_of(task->id, i));
}

static void send_growing_close(P *p, Task *task) {
  for (int i = 1; i <= 3; i++) do_send(p, task, 3, value_of(task->id, i));
  do_close(p, task, 3);
}

static void recv_four_growing(P *p, Task *task) {
  for (int i = 0; i < 4; i++) do_recv(p, task, 3);
}

static void recv_all_growing(P *p, Task *task) {
  while (do_recv(p, task, 3)) continue;
}

// Sends two and receives one, in any order.
static void select_send_growing(P *p, Task *task) {
  bool got = false;
  for (int i = 1; i <= 2 || !got;) {
    int count = 0;
    if (i <= 2) set_case(task, count++, 3, true, value_of(task->id, i));
    if (!got) set_case(task, count++, 0, false, 0);
    if (task->cases[do_select(p, task, count, true)].send) {
      i++;
    } else {
      got = true;
    }
  }
}

static void recv_two_growing_send(P *p, Task *task) {
  do_recv(p, task, 3);
  do_recv(p, task, 3);
  do_send(p, task, 0, value_of(task->id, 1));
}

static void run_growing(const char *name, GBody *const *three, int preemptions,
                        uint32_t from, uint32_t by) {
  grows_from = from;
  grows_by = by;
  run_bare(name, three, preemptions);
}

// Two senders that both bring a block. A receiver that empties the chain while
// they make one, so that the block it has read is the spare. Senders that wrap
// into the first block, which goes to the end then.
static void grows(void **state) {
  (void)state;
  static GBody *const one[CHAN_GS] = {send_growing_close, recv_all_growing};
  static GBody *const two[CHAN_GS] = {send_two_growing, send_two_growing,
                                      recv_four_growing};
  static GBody *const select[CHAN_GS] = {select_send_growing,
                                         recv_two_growing_send};
  run_growing("grows", one, 3, 1, 2);
  run_growing("grows_from_nothing", one, 3, 0, 1);
  run_growing("two_producers_grow", two, 2, 1, 1);
  run_growing("two_producers_wrap", two, 2, 2, 1);
  run_growing("select_grows", select, 3, 1, 2);
  stores_are_steps = true;
  run_growing("grows_by_steps", one, 3, 1, 1);
  run_growing("two_producers_grow_by_steps", two, 2, 1, 1);
  run_growing("two_producers_wrap_by_steps", two, 2, 2, 1);
  stores_are_steps = false;
}

// --- One that drops, with room for one, never empty until somebody takes ----
static void send_two_dropping(P *p, Task *task) {
  for (int i = 1; i <= 2; i++) {
    EXPLORE_CHECK(chan_send(p, &task->g, world.chans[0],
                            value_of(task->id, i)) == CHAN_DONE,
                  "a channel that drops let a sender wait");
    deliver(p);
  }
}

static void look_at_dropping(P *p, Task *task) {
  uint64_t value;
  EXPLORE_CHECK(chan_try_recv(p, world.chans[0], &value) == CHAN_DONE,
                "found empty what was full");
  note_received(task->id, value);
}

static void drops_body(void *arg) {
  static GBody *const three[CHAN_GS] = {send_two_dropping, send_two_dropping,
                                        look_at_dropping};
  (void)arg;
  bodies = three;
  reset_values();
  world_init(&world, CHAN_GS, CHAN_GS);
  Chan *chan = world_chan(&world, 0, 1);
  chan_init_drops(chan, 1);
  chan->buf[0] = value_of(2, 1);
  chan->count = 1;
  for (int i = 0; i < CHAN_GS; i++) explore_go(g_main, &world.tasks[i]);
  explore_join_all();
  if (chan->count == 1) note_received(2, chan->buf[chan->recvx]);
  EXPLORE_CHECK(
      chan->count <= 1 && chan->recv_first == NULL && chan->send_first == NULL,
      "%u words, or waiters that are gone", chan->count);
  EXPLORE_CHECK(received[2] + received[6] > 0, "the last value was lost");
  world_free(&world);
}

static void drops(void **state) {
  (void)state;
  Scenario scenario = {.name = "drops", .body = drops_body, .preemptions = 2};
  assert_true(explore(&scenario));
}

// --- On the whole runtime ---------------------------------------------------
// Nobody but this G may look at these any more.
static void scribble(Task *task) {
  memset(task->cases, 0xA5, sizeof task->cases);
  memset(task->order, 0xA5, sizeof task->order);
}

static void runtime_sender(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 1; task->i <= 2; task->i++) {
    CO_SEND(task->shared->chans[task->id % 2],
            value_of(task->id, (int)task->i));
    if (task->ok) note_sent(value_of(task->id, (int)task->i));
  }
  CO_END;
}

static void runtime_selector(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 4; task->i++) {
    set_case(task, 0, 0, false, 0);
    set_case(task, 1, 1, false, 0);
    set_case(task, 2, 1, false, 0);  // the same once more
    CO_SELECT(3, SELECT_BLOCK);
    EXPLORE_CHECK(task->chosen >= 0, "nobody closed that");
    note_received(0, task->cases[task->chosen].waiter.elem);
    scribble(task);
  }
  CO_END;
}

static void runtime_crossed(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 1; task->i <= 3; task->i++) {
    set_case(task, 0, 0, task->id == 1, value_of(task->id, (int)task->i));
    set_case(task, 1, 1, task->id != 1, value_of(task->id, (int)task->i));
    CO_SELECT(2, SELECT_BLOCK);
    note_select(task, task->chosen);
    scribble(task);
  }
  CO_END;
}

static void senders_main(P *p, Task *task) {
  world_go(p, &task->shared->tasks[1], runtime_sender);
  world_go(p, &task->shared->tasks[2], runtime_sender);
  task->body = runtime_selector;
  task->body(p, task);
}

static void crossed_main(P *p, Task *task) {
  world_go(p, &task->shared->tasks[1], runtime_crossed);
  world_go(p, &task->shared->tasks[2], runtime_crossed);
  task_end(p, task);
}

static void runtime_body(void *arg) {
  GBody *const *main_body = arg;
  reset_values();
  world_init(&world, 2, CHAN_GS);
  world_chan(&world, 0, 0);
  world_chan(&world, 1, 0);
  SchedEnd end = world_run(&world, *main_body);
  EXPLORE_CHECK(end == SCHED_EXITED, "goroutines are blocked for ever");
  check_values();
  world_check_empty(&world);
  world_free(&world);
}

static void on_the_runtime(void **state) {
  (void)state;
  static GBody *const senders = senders_main, *const crossed = crossed_main;
  Scenario one = {.name = "runtime_senders",
                  .body = runtime_body,
                  .arg = (void *)(uintptr_t)&senders,
                  .preemptions = 0};
  assert_true(explore(&one));
  Scenario two = {.name = "runtime_crossed",
                  .body = runtime_body,
                  .arg = (void *)(uintptr_t)&crossed,
                  .preemptions = 0};
  assert_true(explore(&two));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_to_one),
      cmocka_unit_test(many_to_one),
      cmocka_unit_test(selects),
      cmocka_unit_test(select_against_select),
      cmocka_unit_test(grows),
      cmocka_unit_test(drops),
      cmocka_unit_test(on_the_runtime),
      cmocka_unit_test(quick_paths),
      cmocka_unit_test(select_over_many),
  };
  explore_program(31);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
