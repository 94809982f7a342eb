// SPDX-License-Identifier: MIT
// Channels under weak memory: words and what they stand for are handed over,
// the paths without the lock see what they must, and a G that parks is whole
// for the thread that readies it, steals it or runs it. Thread i holds P i, and
// G i is the one that runs there first. A channel's fields are plain memory or
// are read with the lock, so a lock that orders too little shows as a data
// race.
#include "sched/proc.h"
#include "sched/runq.h"
#include "sched/select.c"
#include "world.h"

enum { ELEMS = 3, ROOM = 2, CHANS = 2 };

static union {
  Chan c;
  char room[sizeof(Chan) + ROOM * sizeof(uint64_t)];
} chans[CHANS];
static uint64_t contents[ELEMS + 1];  // plain: what the word i stands for
static uint32_t flag;                 // atomic: another way to know

static void setup_chans(uint32_t cap) {
  world_setup();
  memset(contents, 0, sizeof contents);
  flag = 0;
  for (int i = 0; i < CHANS; i++) chan_init(&chans[i].c, cap);
  for (int i = 0; i < WORLD_PS; i++) {
    G *g = work_new(i);
    g->status = G_RUNNING;
    g->p = &ps[i];
    ps[i].current = g;
  }
}

static void unbuffered(void) { setup_chans(0); }
static void buffered(void) { setup_chans(ROOM); }
static void check_nothing(void) {}

static void check_word(uint64_t word) {
  RELACY_CHECK(word >= 1 && word <= ELEMS, "word %d was never sent", (int)word);
  RELACY_CHECK(contents[word] == word * 10, "word %d came without contents",
               (int)word);
}

// --- Words through a buffer -------------------------------------------------
static void send_all(void) {
  for (uint64_t i = 1; i <= ELEMS; i++) {
    contents[i] = i * 10;
    while (chan_try_send(my_p(), &chans[0].c, i) == CHAN_BLOCKED) {
      rt_yield_cpu();
    }
  }
}

static void receive_all(void) {
  for (uint64_t i = 1; i <= ELEMS; i++) {
    uint64_t word;
    while (chan_try_recv(my_p(), &chans[0].c, &word) == CHAN_BLOCKED) {
      rt_yield_cpu();
    }
    RELACY_CHECK(word == i, "word %d came as number %d", (int)word, (int)i);
    check_word(word);
    contents[word] = 0;  // it is ours alone
  }
}

// Two receive; each word comes to one of them.
static void receive_some(void) {
  for (int i = 0; i < 2; i++) {
    uint64_t word;
    if (chan_try_recv(my_p(), &chans[0].c, &word) != CHAN_DONE) continue;
    check_word(word);
    contents[word] = 0;
  }
}

static void send_two(void) {
  for (uint64_t i = 1; i <= 2; i++) {
    contents[i] = i * 10;
    RELACY_CHECK(chan_try_send(my_p(), &chans[0].c, i) == CHAN_DONE,
                 "a send into a buffer with room did not succeed");
  }
}

// --- Close ------------------------------------------------------------------
static void send_and_close(void) {
  contents[1] = 10;
  chan_try_send(my_p(), &chans[0].c, 1);
  contents[2] = 20;  // not sent: for a thread that sees it closed
  RELACY_CHECK(chan_close(my_p(), &chans[0].c), "it was closed already");
}

static void receive_until_closed(void) {
  uint64_t words = 0, word;
  ChanResult result;
  while ((result = chan_try_recv(my_p(), &chans[0].c, &word)) != CHAN_CLOSED) {
    if (result == CHAN_BLOCKED) {
      rt_yield_cpu();
      continue;
    }
    check_word(word);
    words++;
  }
  RELACY_CHECK(words == 1, "closed and empty came before the word");
  RELACY_CHECK(word == sched.config.empty_word, "closed, but not empty");
  check_word(2);
}

// chan_recv's look without the lock.
static void receive_closed(void) {
  uint64_t word;
  if (chan_recv(my_p(), &gs[1], &chans[0].c, &word, WAIT_CHAN_RECV) ==
      CHAN_CLOSED) {
    check_word(2);
  }
}

static void close_empty(void) {
  contents[2] = 20;
  chan_close(my_p(), &chans[0].c);
}

// --- The try paths: a thread that knows of success is not told otherwise ----
static void send_then_tell(void) {
  contents[1] = 10;
  chan_try_send(my_p(), &chans[0].c, 1);
  rt_store_release(&flag, 1u);
}

static void receive_if_told(void) {
  if (!rt_load_acquire(&flag)) return;
  uint64_t word;
  RELACY_CHECK(chan_try_recv(my_p(), &chans[0].c, &word) == CHAN_DONE,
               "a word that is known to be there was not received");
  check_word(word);
}

static void close_then_tell(void) {
  chan_close(my_p(), &chans[0].c);
  rt_store_release(&flag, 1u);
}

static void try_if_told(void) {
  if (!rt_load_acquire(&flag)) return;
  uint64_t word;
  RELACY_CHECK(chan_try_recv(my_p(), &chans[0].c, &word) == CHAN_CLOSED,
               "a receive does not see the channel closed");
  RELACY_CHECK(chan_try_send(my_p(), &chans[1].c, 1) == CHAN_CLOSED,
               "a send does not see the channel closed");
}

static void close_both_then_tell(void) {
  chan_close(my_p(), &chans[1].c);
  close_then_tell();
}

// A channel that has a word until it is closed is never open and empty.
static void close_then_take(void) {
  uint64_t word;
  send_then_tell();
  chan_close(my_p(), &chans[0].c);
  if (chan_try_recv(my_p(), &chans[0].c, &word) == CHAN_DONE) check_word(word);
}

static void try_while_drained(void) {
  uint64_t word;
  if (!rt_load_acquire(&flag)) return;
  RELACY_CHECK(
      chan_try_recv(my_p(), &chans[0].c, &word) != CHAN_BLOCKED,
      "a receive is told to wait for a channel that was never open and empty");
}

// The same with a channel that grows.
static union {
  ChanBlock block;
  char room[CHAN_BLOCK_HEAD + ROOM * sizeof(uint64_t)];
} first_block;

static void growing(void) {
  setup_chans(ROOM);
  chan_init_grows(&chans[0].c, ROOM);
  chan_block_init(&first_block.block, ROOM, 0);
}

static void grow_then_close_then_take(void) {
  RELACY_CHECK(chan_grow(my_p(), &chans[0].c, &first_block.block),
               "a channel without blocks did not want one");
  close_then_take();
}

// A channel without a buffer that somebody waits at until it is closed never
// has nobody there while it is open.
static void wait_then_close(void) {
  rt_store_release(&flag, 1u);
  chan_close(my_p(), &chans[0].c);
}

static void receive_until_close(void) {
  uint64_t word;
  chan_recv(my_p(), &gs[0], &chans[0].c, &word, WAIT_CHAN_RECV);
  wait_then_close();
}

static void try_send_while_closed(void) {
  if (!rt_load_acquire(&flag)) return;
  contents[1] = 10;
  RELACY_CHECK(
      chan_try_send(my_p(), &chans[0].c, 1) != CHAN_BLOCKED,
      "a send is told to wait for a channel that always had a receiver");
}

static void send_until_close(void) {
  contents[1] = 10;
  chan_send(my_p(), &gs[0], &chans[0].c, 1);
  wait_then_close();
}

static void try_receive_while_closed(void) {
  uint64_t word;
  if (!rt_load_acquire(&flag)) return;
  RELACY_CHECK(
      chan_try_recv(my_p(), &chans[0].c, &word) != CHAN_BLOCKED,
      "a receive is told to wait for a channel that always had a sender");
}

// --- Parking ----------------------------------------------------------------
// Runs a G that had parked: everything it left is there. It received, or it
// had sent.
static void resume(G *g) {
  if (g == NULL) return;
  P *p = my_p();
  p->current = NULL;
  proc_set_running(p, g);
  work_found(g);
  if (g != &gs[0]) return;
  if (g->wait.success) check_word(g->wait.elem);
  if (!g->wait.success) check_word(2);  // the channel was closed
}

static void park_in_recv(void) {
  uint64_t word;
  ChanResult result =
      chan_recv(my_p(), &gs[0], &chans[0].c, &word, WAIT_CHAN_RECV);
  if (result == CHAN_PARKED) return;
  if (result == CHAN_DONE) check_word(word);
  if (result == CHAN_CLOSED) check_word(2);
  work_found(&gs[0]);
  resume(runq_take_next(my_p()));  // the sender, if it had parked
}

static void send_1(void) {
  contents[1] = 10;
  if (chan_send(my_p(), &gs[1], &chans[0].c, 1) == CHAN_PARKED) return;
  work_found(&gs[1]);
  resume(runq_take_next(my_p()));
}

static void close_1(void) {
  close_empty();
  resume(runq_take_next(my_p()));
}

static void steal_from_both(void) {
  resume(runq_steal(my_p(), &ps[1], true));
  resume(runq_steal(my_p(), &ps[0], true));
}

// Of those that met, each ran on once, or is in a runnext.
static void check_met(void) {
  for (int i = 0; i < WORLD_PS; i++) {
    if (ps[i].runnext != NULL) works[ps[i].runnext - gs].output++;
  }
  RELACY_CHECK(works[0].output == 1 && works[1].output == 1,
               "one of the two waits for ever");
}

static void check_closed(void) {
  works[1].output = 1;
  check_met();
}

// --- Select -----------------------------------------------------------------
static SelCase cases[CHANS];
static uint16_t order[2 * CHANS];
static bool chosen[CHANS];

static void setup_select(void) {
  unbuffered();
  memset(chosen, 0, sizeof chosen);
  for (int i = 0; i < CHANS; i++) cases[i] = (SelCase){.chan = &chans[i].c};
}

static void choose(int index) {
  RELACY_CHECK(index >= 0 && index < CHANS, "case %d was chosen", index);
  chosen[index] = true;
  RELACY_CHECK(cases[index].waiter.success, "chosen without success");
  check_word(cases[index].waiter.elem);
}

static void resume_select(G *g) {
  if (g == NULL) return;
  P *p = my_p();
  p->current = NULL;
  proc_set_running(p, g);
  work_found(g);
  if (g == &gs[0]) choose(select_finish(p, g, cases, order, CHANS));
}

static void select_both(void) {
  int index = select_go(my_p(), &gs[0], cases, order, CHANS, SELECT_BLOCK);
  if (index == SELECT_PARKED) return;
  choose(index);
  work_found(&gs[0]);
  resume_select(runq_take_next(my_p()));
}

static void send_to(int at) {
  int id = relacy_thread();
  contents[at + 1] = (uint64_t)(at + 1) * 10;
  uint64_t word = (uint64_t)at + 1;
  if (chan_send(my_p(), &gs[id], &chans[at].c, word) == CHAN_PARKED) return;
  work_found(&gs[id]);
  resume_select(runq_take_next(my_p()));
}

static void send_to_0(void) { send_to(0); }
static void send_to_1(void) { send_to(1); }

static void check_select(void) {
  RELACY_CHECK(chosen[0] != chosen[1], "not one case was chosen");
  RELACY_CHECK(works[0].output == 1, "the select waits for ever");
  for (int i = 0; i < CHANS; i++) {
    bool waits = chans[i].c.send_first != NULL;
    RELACY_CHECK(waits != chosen[i], "a sender is lost");
    RELACY_CHECK(chans[i].c.recv_first == NULL, "a case is left in a queue");
  }
}

static const RelacyScenario all[] = {
    {"words", buffered, {send_all, receive_all}, check_nothing, 10000, 0, 0},
    {"words_two",
     buffered,
     {send_two, receive_some, receive_some},
     check_nothing,
     15000,
     0,
     0},
    {"close",
     buffered,
     {send_and_close, receive_until_closed},
     check_nothing,
     15000,
     0,
     0},
    {"close_recv",
     buffered,
     {close_empty, receive_closed},
     check_nothing,
     10000,
     25000,
     2},
    {"told",
     buffered,
     {send_then_tell, receive_if_told},
     check_nothing,
     10000,
     25000,
     2},
    {"told_closed",
     buffered,
     {close_both_then_tell, try_if_told},
     check_nothing,
     10000,
     25000,
     2},
    {"drained",
     buffered,
     {close_then_take, try_while_drained},
     check_nothing,
     10000,
     25000,
     2},
    {"drained_grown",
     growing,
     {grow_then_close_then_take, try_while_drained},
     check_nothing,
     10000,
     25000,
     2},
    {"receiver_until_close",
     unbuffered,
     {receive_until_close, try_send_while_closed},
     check_nothing,
     10000,
     25000,
     2},
    {"sender_until_close",
     unbuffered,
     {send_until_close, try_receive_while_closed},
     check_nothing,
     10000,
     25000,
     2},
    {"park", unbuffered, {park_in_recv, send_1}, check_met, 10000, 25000, 2},
    {"park_stolen",
     unbuffered,
     {park_in_recv, send_1, steal_from_both},
     check_met,
     30000,
     0,
     0},
    {"park_closed",
     unbuffered,
     {park_in_recv, close_1, steal_from_both},
     check_closed,
     15000,
     0,
     0},
    {"select",
     setup_select,
     {select_both, send_to_0, send_to_1},
     check_select,
     15000,
     0,
     0},
};

int main(int argc, char **argv) {
  return relacy_main(argc, argv, all, sizeof all / sizeof *all);
}
