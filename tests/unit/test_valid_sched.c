// SPDX-License-Identifier: MIT
// What must hold of the scheduler's structures: the functions that check it
// find what is broken on purpose, and are asked where the structure changes.
#include "breach_fixture.h"
#include "sched/alone.h"
#include "sched/chan.h"
#include "sched/chan_grow.h"
#include "sched/gate.h"
#include "sched/global.h"
#include "sched/group.h"
#include "sched/idle.h"
#include "sched/mask.h"
#include "sched/proc.h"
#include "sched/select.h"
#include "sched/stop_world.h"
#include "sched/syscall.h"
#include "sched/timer.h"

enum { ROOM = 4 };

static Sched sched;
static P p;
static G g1, g2;

static void begin(void) {
  memset(&sched, 0, sizeof sched);
  memset(&p, 0, sizeof p);
  memset(&g1, 0, sizeof g1);
  memset(&g2, 0, sizeof g2);
  sched.memory = &mem_libc;
  sched.lock.rank = &rank_sched;
  p.sched = &sched;
  p.single = true;
}

// --- Channels ---------------------------------------------------------------
static Chan *new_chan(uint32_t cap) {
  Chan *chan = malloc(chan_size(cap));
  begin();
  chan_init(chan, cap);
  assert_true(chan_is_valid(chan));
  return chan;
}

static void wait_for(Chan *chan, G *g, bool send) {
  g->wait.g = g;
  g->wait.index = -1;
  chan_enqueue(chan, &g->wait, send);
}

static void a_ring_has_its_count(void **state) {
  (void)state;
  Chan *chan = new_chan(ROOM);
  assert_int_equal(chan_try_send(&p, chan, 1), CHAN_DONE);
  assert_true(chan_is_valid(chan));
  chan->sendx = 3;
  assert_false(chan_is_valid(chan));
  chan->sendx = ROOM;
  assert_false(chan_is_valid(chan));
  chan->sendx = 1, chan->count = ROOM + 1;
  assert_false(chan_is_valid(chan));
  free(chan);
}

static void waiters_are_where_they_may_be(void **state) {
  (void)state;
  Chan *chan = new_chan(ROOM);
  wait_for(chan, &g1, true);
  assert_false(chan_is_valid(chan));  // a sender, and there is room
  chan_unlink(chan, &g1.wait, true);
  wait_for(chan, &g1, false);
  wait_for(chan, &g2, false);
  assert_true(chan_is_valid(chan));
  g2.wait.prev = NULL;
  assert_false(chan_is_valid(chan));
  g2.wait.prev = &g1.wait;
  chan->recv_last = &g1.wait;
  assert_false(chan_is_valid(chan));
  chan->recv_last = &g2.wait;
  chan->flags = CHAN_IS_CLOSED;
  assert_false(chan_is_valid(chan));
  free(chan);
}

static void both_sides_wait_for_one_select(void **state) {
  (void)state;
  Chan *chan = new_chan(0);
  wait_for(chan, &g1, false);
  wait_for(chan, &g2, true);
  assert_false(chan_is_valid(chan));
  g1.wait.index = 0;
  g2.wait.index = 1;
  g2.wait.g = &g1;
  assert_true(chan_is_valid(chan));
  free(chan);
}

#define BREACH_OF(is_valid, c, what, word) \
  do {                                     \
    __typeof__(what) breach_kept = (what); \
    (what) = (word);                       \
    assert_false(is_valid((c)));           \
    (what) = breach_kept;                  \
    assert_true(is_valid((c)));            \
  } while (0)
#define BREACH(c, what, word) BREACH_OF(chan_is_valid, c, what, word)

// ROOM words in a block of so many and one of two, of which one was read.
static void blocks_hold_what_the_counts_say(void **state) {
  (void)state;
  Chan *chan = malloc(chan_size_grows());
  ChanBlock *first = malloc(sizeof *first + ROOM * sizeof(uint64_t));
  ChanBlock *second = malloc(sizeof *second + 2 * sizeof(uint64_t));
  begin();
  chan_init_grows(chan, ROOM + 1);
  assert_true(chan_is_valid(chan));
  chan_block_init(first, ROOM, 0);
  chan_block_init(second, 2, 0);
  ChanGrowth *growth = chan_growth(chan);
  BREACH(chan, growth->room, 1);
  assert_true(chan_grow(&p, chan, first));
  uint64_t word;
  for (uint64_t i = 0; i < ROOM; i++) chan_try_send(&p, chan, i);
  assert_true(chan_grow(&p, chan, second));
  chan_try_send(&p, chan, ROOM);
  assert_int_equal(chan_try_recv(&p, chan, &word), CHAN_DONE);
  BREACH(chan, growth->limit, ROOM - 1);
  BREACH(chan, growth->count, ROOM - 1);
  BREACH(chan, growth->room, ROOM + 1);
  BREACH(chan, chan->recvx, ROOM);
  BREACH(chan, chan->sendx, 1);  // the last block has room
  BREACH(chan, chan->cap, 1);
  BREACH(chan, second->end, 2);
  BREACH(chan, second->end, 3);
  BREACH_OF(chan_grow_is_valid, chan, growth->count, ROOM - 1);
  BREACH_OF(chan_grow_is_valid, chan, second->end, 3);
  assert_int_equal(chan_try_send(&p, chan, 7), CHAN_DONE);
  chan_try_recv(&p, chan, &word);
  assert_int_equal(chan_try_send(&p, chan, 8), CHAN_DONE);
  assert_int_equal(chan->sendx, 1);
  BREACH(chan, chan->sendx, 3);
  growth->spare = first;
  assert_false(chan_is_valid(chan));
  free(first), free(second), free(chan);
}

static void break_chan(void) {
  Chan *chan = new_chan(ROOM);
  chan->recvx = 2;
  chan_try_send(&p, chan, 1);
}

// --- Gates ------------------------------------------------------------------
#define BREACH_GATE(gate, what, word) BREACH_OF(gate_is_valid, gate, what, word)

static Chan *new_gate(uint32_t places) {
  Chan *gate = malloc(chan_size(places));
  begin();
  gate_init(gate, places, false);
  assert_true(gate_is_valid(gate));
  return gate;
}

static void a_gate_knows_who_waits(void **state) {
  (void)state;
  Chan *gate = new_gate(2);
  uint64_t one = 1 << GATE_BITS;
  assert_true(gate_try_enter(gate, &g1) && gate_is_valid(gate));
  assert_true(gate_try_enter(gate, &g1) && gate_is_valid(gate));
  BREACH_GATE(gate, gate->buf[0], 3 * one);
  BREACH_GATE(gate, gate->count, 1);
  wait_for(gate, &g2, true);
  assert_false(gate_is_valid(gate));
  gate->buf[0] |= GATE_WAITS;
  assert_true(gate_is_valid(gate));
  BREACH_GATE(gate, gate->buf[0], one | GATE_WAITS);
  BREACH_GATE(gate, gate->buf[0], one | GATE_WOKEN);
  gate->buf[0] = one | GATE_WAITS | GATE_WOKEN;
  assert_true(gate_is_valid(gate));
  gate->recv_first = &g1.wait;
  assert_false(gate_is_valid(gate));
  free(gate);
}

static void an_owned_gate_has_an_id_as_its_state(void **state) {
  (void)state;
  Chan *gate = malloc(chan_size(1));
  begin();
  gate_init(gate, 1, true);
  g1.id = 77;
  assert_true(gate_try_enter(gate, &g1) && gate_is_valid(gate));
  wait_for(gate, &g2, true);
  gate->buf[0] |= GATE_WAITS;
  assert_true(gate_is_valid(gate));
  BREACH_GATE(gate, gate->buf[0], GATE_WAITS);
  free(gate);
}

static void break_gate(void) {
  Chan *gate = new_gate(2);
  gate->buf[0] = 4 << GATE_BITS;
  gate_leave(&p, gate, &g1);
}

// --- Select -----------------------------------------------------------------
static SelCase cases[2];
static uint16_t order[4] = {0, 1, 0, 1};

static void two_cases(void) {
  Chan *chan = malloc(2 * chan_size(0));
  begin();
  p.single = false;
  chan_init(&chan[0], 0);
  chan_init(&chan[1], 0);
  cases[0] = (SelCase){.chan = &chan[1]};
  cases[1] = (SelCase){.chan = &chan[0]};
}

static void select_locks_by_address(void **state) {
  (void)state;
  static const uint16_t sorted[] = {1, 0};
  two_cases();
  assert_false(select_locks_are_sorted(&p, cases, order + 2, 2));
  assert_true(select_locks_are_sorted(&p, cases, sorted, 2));
  free(cases[1].chan);
}

// --- Idle Ps and Ms ---------------------------------------------------------
static void idle_ps_are_counted(void **state) {
  (void)state;
  begin();
  assert_true(idle_is_valid(&sched));
  p.status = P_RUNNING;
  idle_put_p(&sched, &p);
  assert_true(idle_is_valid(&sched));
  mask_clear(&sched.idle_mask, 0);
  assert_false(idle_is_valid(&sched));
  mask_set(&sched.idle_mask, 0);
  sched.idle_count = 2;
  assert_false(idle_is_valid(&sched));
}

static void break_idle(void) {
  begin();
  p.status = P_RUNNING;
  idle_put_p(&sched, &p);
  p.status = P_STOPPED;
  idle_get_p(&sched, NULL);
}

// --- The P that is alone ----------------------------------------------------
static P other_p;

static void one_is_alone(void) {
  begin();
  other_p = (P){.sched = &sched, .single = true, .status = P_RUNNING};
  p.status = P_RUNNING;
  sched.ps.all[0] = &p;
  sched.ps.all[1] = &other_p;
  sched.ps.count = 2;
  sched.alone.p = &p;
}

static void none_awaits_a_p_that_is_not_alone(void **state) {
  (void)state;
  one_is_alone();
  assert_true(alone_is_valid(&sched));
  other_p.awaits = 1;
  assert_true(alone_is_valid(&sched));
  sched.alone.p = NULL;
  assert_false(alone_is_valid(&sched));
  sched.alone.p = &p;
  p.status = P_IDLE;
  assert_false(alone_is_valid(&sched));
}

static void break_alone(void) {
  one_is_alone();
  other_p.awaits = 1;  // and nobody is counted
  alone_left(&sched, &p);
}

static M m1, m2;

static void two_idle_ms(void) {
  begin();
  m1 = (M){.sched = &sched, .idle = true, .idle_next = &m2};
  m2 = (M){.sched = &sched, .idle = true, .idle_prev = &m1};
  sched.idle.ms = &m1;
  sched.ms.idle = 2;
}

static void idle_ms_are_linked(void **state) {
  (void)state;
  two_idle_ms();
  assert_true(idle_ms_are_valid(&sched));
  m2.idle_prev = NULL;
  assert_false(idle_ms_are_valid(&sched));
  two_idle_ms();
  sched.ms.idle = 1;
  assert_false(idle_ms_are_valid(&sched));
}

static void break_idle_ms(void) {
  two_idle_ms();
  sched.ms.idle = 5;
  idle_start_m(&sched, &p, false);
}

// --- Stops of the world, all Ms ---------------------------------------------
static void a_stop_counts_those_that_run(void **state) {
  (void)state;
  one_is_alone();
  assert_true(stop_world_is_valid(&sched));
  sched.stopping = sched.stop.busy = 1;
  sched.stop.wait = 2;
  assert_true(stop_world_is_valid(&sched));
  p.status = P_STOPPED;
  assert_false(stop_world_is_valid(&sched));
  sched.stop.wait = 1;
  assert_true(stop_world_is_valid(&sched));
  other_p.handshake = 1;  // there is one or the other
  assert_false(stop_world_is_valid(&sched));
  sched.stopping = 0;
  assert_true(stop_world_is_valid(&sched));
  sched.stop.busy = 0;
  assert_false(stop_world_is_valid(&sched));
}

static void break_stop(void) {
  one_is_alone();
  sched.stopping = sched.stop.busy = 1;
  sched.stop.wait = 1;  // and two run
  sched.stop.stopper = &m1;
  stop_world_p_left(&sched, &p);
}

static void all_ms_are_counted(void **state) {
  (void)state;
  begin();
  sched.config.m_limit = 2;
  M *m = proc_m_new(&sched);
  assert_true(proc_ms_are_counted(&sched));
  m->starting = true;
  assert_false(proc_ms_are_counted(&sched));
  m->starting = false;
  m->done = true;
  assert_false(proc_ms_are_counted(&sched));
  sched.ms.live = 0;
  assert_true(proc_ms_are_counted(&sched));
  sched.ms.made = 2;
  assert_false(proc_ms_are_counted(&sched));
  mem_free_lines(m);
}

static void break_ms(void) {
  begin();
  sched.config.m_limit = 4;
  sched.ms.live = 2;  // and there is none
  proc_m_new(&sched);
}

// --- Timers -----------------------------------------------------------------
static Timer timers[8];

static void some_timers(void) {
  begin();
  memset(timers, 0, sizeof timers);
  for (int i = 0; i < 6; i++) timer_start(&p, &timers[i], 10 * (i + 1), 0);
}

static void a_heap_is_in_order(void **state) {
  (void)state;
  some_timers();
  TimerHeap *heap = &p.timers;
  assert_true(timers_are_valid(&p));
  assert_true(timer_is_placed(heap, 0) && timer_is_placed(heap, 5));
  assert_false(timer_is_placed(heap, 6));
  heap->entries[1].when = 70;  // later than its child
  assert_false(timer_is_placed(heap, 1));
  assert_false(timer_is_placed(heap, 5));
  assert_false(timers_are_valid(&p));
  heap->entries[1].when = 20;
  timers[3].at = 0;
  assert_false(timer_is_placed(heap, 3));
  timers[3].at = 3;
  timers[2].owner = NULL;
  assert_false(timers_are_valid(&p));
  timers_free(&p);
}

static void break_heap(void) {
  some_timers();
  timer_stop(&p, &timers[5]);
  timer_stop(&p, &timers[4]);
  p.timers.entries[0].when = 25;
  timer_start(&p, &timers[6], 22, 0);
}

static void break_moved_timers(void) {
  static P other;
  some_timers();
  other.sched = &sched;
  other.single = true;
  timers[2].when = 0;
  timers_move(&p, &other);
}

// --- Groups -----------------------------------------------------------------
static Group group;

static void two_members(void) {
  begin();
  group = (Group){.lock.rank = &rank_group, .owner = &g1};
  group_join(&p, &group, &g1);
  group_join(&p, &group, &g2);
}

static void members_are_linked(void **state) {
  (void)state;
  two_members();
  assert_true(group_is_valid(&group));
  group.ended = true;
  assert_false(group_is_valid(&group));
  group.ended = false;
  group.count = 3;
  assert_false(group_is_valid(&group));
  group.count = 2;
  g1.member_prev = NULL;
  assert_false(group_is_valid(&group));
}

static void break_group(void) {
  static G third;
  two_members();
  group.count = 1;
  group_join(&p, &group, &third);
}

// --- The global queue, the queue for calls ----------------------------------
static void the_global_queue_has_its_count(void **state) {
  (void)state;
  begin();
  g1.status = g2.status = G_RUNNABLE;
  global_put(&sched, &g1);
  global_put(&sched, &g2);
  assert_true(global_is_valid(&sched));
  sched.global.count = 1;
  assert_false(global_is_valid(&sched));
  sched.global.count = 2;
  g2.link = &g1;
  assert_false(global_is_valid(&sched));
  g2.link = NULL;
  g1.status = G_WAITING;
  assert_false(global_is_valid(&sched));
}

static void break_global(void) {
  begin();
  g1.status = G_RUNNABLE;
  global_put(&sched, &g1);
  g1.status = G_RUNNING;
  g2.status = G_RUNNABLE;
  global_put(&sched, &g2);
}

static void one_waits_for_a_place(void) {
  begin();
  g1.wait.g = &g1;
  g1.in_call_queue = true;
  sched.calls.first = sched.calls.last = &g1.wait;
}

static void the_call_queue_has_two_ends(void **state) {
  (void)state;
  begin();
  assert_true(syscall_queue_is_valid(&sched));
  one_waits_for_a_place();
  assert_true(syscall_queue_is_valid(&sched));
  g1.in_call_queue = false;
  assert_false(syscall_queue_is_valid(&sched));
  one_waits_for_a_place();
  sched.calls.last = NULL;
  assert_false(syscall_queue_is_valid(&sched));
}

static void break_call_queue(void) {
  one_waits_for_a_place();
  group = (Group){.cancelled = CANCEL_DEADLINE};
  g1.group = &group;
  sched.calls.last = NULL;
  syscall_cancel(&p, &g1);
}

// --- Assertions -------------------------------------------------------------
static void assertions_fire(void **state) {
  (void)state;
  expect_breach(break_chan, "chan_is_valid");
  expect_breach(break_gate, "chan_is_valid");
  expect_breach(break_alone, "alone_is_valid");
  expect_breach(break_idle, "idle_is_valid");
  expect_breach(break_idle_ms, "idle_ms_are_valid");
  expect_breach(break_stop, "stop_world_is_valid");
  expect_breach(break_ms, "proc_ms_are_counted");
  expect_breach(break_heap, "timer_is_placed");
  expect_breach(break_moved_timers, "timers_are_valid");
  expect_breach(break_group, "group_is_valid");
  expect_breach(break_global, "global_is_valid");
  expect_breach(break_call_queue, "syscall_queue_is_valid");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ring_has_its_count),
      cmocka_unit_test(waiters_are_where_they_may_be),
      cmocka_unit_test(both_sides_wait_for_one_select),
      cmocka_unit_test(blocks_hold_what_the_counts_say),
      cmocka_unit_test(a_gate_knows_who_waits),
      cmocka_unit_test(an_owned_gate_has_an_id_as_its_state),
      cmocka_unit_test(select_locks_by_address),
      cmocka_unit_test(idle_ps_are_counted),
      cmocka_unit_test(none_awaits_a_p_that_is_not_alone),
      cmocka_unit_test(idle_ms_are_linked),
      cmocka_unit_test(a_stop_counts_those_that_run),
      cmocka_unit_test(all_ms_are_counted),
      cmocka_unit_test(a_heap_is_in_order),
      cmocka_unit_test(members_are_linked),
      cmocka_unit_test(the_global_queue_has_its_count),
      cmocka_unit_test(the_call_queue_has_two_ends),
      cmocka_unit_test(assertions_fire),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
