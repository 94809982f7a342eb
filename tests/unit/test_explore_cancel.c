// SPDX-License-Identifier: MIT
// Groups and cancellation under interleaving (row 28): a member is taken away
// from whatever it waits for, or is woken as usual, once; no cancellation is
// lost; none ends a later wait that it is not for, of a shielded member, or of
// the owner after the group; the owner goes on when all have left, not before.
//
// The whole runtime runs: an owner with its members, and outsiders that cancel,
// send, close. Each member waits once, as it likes; then once more, shielded,
// for what an outsider surely brings. A cancellation that is lost leaves it
// waiting for ever, which the runtime reports as a deadlock.
#include "tests/explore/sched_explore.h"

enum { CANCEL_TASKS = 6, FD = 3 };
enum { QUEUED = -2, CALLED = -3 };  // lines
enum { PATIENCE = 20000 };          // ns

typedef void Body(P *p, Task *t);
typedef struct CancelTest {
  int procs;
  Body *members[4];
  Body *outsiders[4];
  int64_t deadline, grace;  // ns from the beginning; 0: none
} CancelTest;
#define NO_TIMES 0, 0

static const CancelTest *test;
static Shared world;
static Group group, inner;
static PollDesc *desc;
static int members, left_group, sent, received, cancelled;
static int64_t begun;
static uint32_t is_open;

// --- Members ----------------------------------------------------------------
// Was its wait cancelled? Only what is cancelled may be.
static bool take_cancelled(Task *t) {
  if (!t->g.cancelled) return false;
  EXPLORE_CHECK(g_cancelled(&t->g) != NOT_CANCELLED,
                "goroutine %d was woken as cancelled, and is not", t->id);
  t->g.cancelled = false;
  cancelled++;
  return true;
}

static void shield(Task *t) { rt_store_relaxed(&t->g.shielded, (uint8_t)1); }

static void check_not_cancelled(const Task *t) {
  EXPLORE_CHECK(!t->g.cancelled, "a wait of %d was cancelled that is shielded",
                t->id);
}

#define CO_MEMBER_END                           \
  rt_store_relaxed(&t->g.shielded, (uint8_t)0); \
  left_group++;                                 \
  group_leave(p, &t->g);                        \
  CO_END

static void m_recv(P *p, Task *t) {
  CO_BEGIN;
  if (!g_cancelled(&t->g)) {
    CO_RECV(t->shared->chans[0]);
    if (!take_cancelled(t) && t->ok) received++;
  }
  shield(t);
  CO_RECV(t->shared->chans[1]);
  check_not_cancelled(t);
  EXPLORE_CHECK(t->ok, "the second wait got nothing");
  CO_MEMBER_END;
}

// The second time on the same channel.
static void m_recv_again(P *p, Task *t) {
  CO_BEGIN;
  if (!g_cancelled(&t->g)) {
    CO_RECV(t->shared->chans[1]);
    if (take_cancelled(t)) {
      shield(t);
      CO_RECV(t->shared->chans[1]);
      check_not_cancelled(t);
    }
  } else {
    shield(t);
    CO_RECV(t->shared->chans[1]);
    check_not_cancelled(t);
  }
  EXPLORE_CHECK(t->ok, "it got nothing");
  CO_MEMBER_END;
}

static void m_send(P *p, Task *t) {
  CO_BEGIN;
  if (!g_cancelled(&t->g)) {
    CO_SEND(t->shared->chans[0], (uint64_t)t->id);
    if (!take_cancelled(t) && t->ok) sent++;
  }
  shield(t);
  CO_RECV(t->shared->chans[1]);
  check_not_cancelled(t);
  CO_MEMBER_END;
}

static void set_recv(Task *t, int at, int chan) {
  t->cases[at] = (SelCase){.chan = t->shared->chans[chan]};
  t->cases[at].waiter.elem = 0xE;
}

static void scribble(Task *t) {
  memset(t->cases, 0xA5, sizeof t->cases);
  memset(t->order, 0xA5, sizeof t->order);
}

static void m_select(P *p, Task *t) {
  CO_BEGIN;
  if (!g_cancelled(&t->g)) {
    set_recv(t, 0, 0);
    set_recv(t, 1, 2);
    CO_SELECT(2, SELECT_BLOCK);
    if (t->chosen == SELECT_CANCELLED) {
      EXPLORE_CHECK(take_cancelled(t), "nobody cancelled that");
    } else if (t->cases[t->chosen].waiter.success) {
      received++;
    }
    scribble(t);
  }
  shield(t);
  set_recv(t, 0, 1);
  set_recv(t, 1, 2);
  CO_SELECT(2, SELECT_BLOCK);
  EXPLORE_CHECK(t->chosen == 0, "the second select gave %d", t->chosen);
  scribble(t);
  CO_MEMBER_END;
}

static void m_sleep(P *p, Task *t) {
  CO_BEGIN;
  if (!g_cancelled(&t->g)) {
    CO_SLEEP(4000);
    take_cancelled(t);
  }
  shield(t);
  t->a = rt_now();
  CO_SLEEP(3000);
  check_not_cancelled(t);
  EXPLORE_CHECK(rt_now() - t->a >= 3000, "it slept %lld ns, not 3000",
                (long long)(rt_now() - t->a));
  CO_MEMBER_END;
}

static void m_poll(P *p, Task *t) {
  CO_BEGIN;
  desc = poll_open(t->shared->s, FD);
  EXPLORE_CHECK(desc != NULL, "the descriptor cannot be opened");
  rt_store_seq(&is_open, 1u);
  if (!g_cancelled(&t->g)) {
    CO_POLL(desc, POLL_READ);
    take_cancelled(t);
  }
  shield(t);
  poll_deadline(p, desc, POLL_READ, rt_now() + 4000);
  CO_POLL(desc, POLL_READ);
  check_not_cancelled(t);
  CO_MEMBER_END;
}

// Waits for nobody.
static void m_for_ever(P *p, Task *t) {
  CO_BEGIN;
  if (!g_cancelled(&t->g)) {
    CO_RECV(NULL);
    EXPLORE_CHECK(take_cancelled(t), "a nil channel gave something");
  }
  CO_MEMBER_END;
}

// Deferred functions that do not end: until the time of grace is over.
static void m_shielded_for_ever(P *p, Task *t) {
  CO_BEGIN;
  shield(t);
  if (!g_cancelled(&t->g)) {
    CO_RECV(t->shared->chans[3]);
    EXPLORE_CHECK(take_cancelled(t), "nobody sends there");
  }
  EXPLORE_CHECK(rt_now() - begun >= test->grace,
                "the time of grace was over after %lld ns",
                (long long)(rt_now() - begun));
  CO_MEMBER_END;
}

// Only computes, in a deferred function if there is a time of grace, until
// patience is over.
static void m_computes(P *p, Task *t) {
  CO_BEGIN;
  if (test->grace != 0) shield(t);
  while (!group_is_late(&t->g, 0)) CO_LOOK;
  EXPLORE_CHECK(g_cancelled(&t->g), "it is late, and not cancelled");
  EXPLORE_CHECK(rt_now() - begun >= test->deadline + test->grace + PATIENCE,
                "patience was over after %lld ns",
                (long long)(rt_now() - begun));
  CO_MEMBER_END;
}

// A blocking call, for which there is one place.
static void m_call(P *p, Task *t) {
  M *m;
  CO_BEGIN;
  if (!g_cancelled(&t->g)) {
    t->line = QUEUED;
    if (0) {
      case QUEUED:;
    }
    t->ok = !take_cancelled(t);
    if (t->ok) {
      switch (sched_syscall_enter(p, &t->g, false, &m)) {
        case CALL_QUEUED:
          return;
        case CALL_ENTERED:
          t->line = CALLED;
          p = sched_syscall_exit(m, &t->g);
          if (p == NULL) return;
          break;
        default:
          break;
      }
    }
  }
  // fall through
  case CALLED:;
    CO_MEMBER_END;
}

// Its end wakes what waits for its task, in or out of the group.
static void m_task(P *p, Task *t) {
  CO_BEGIN;
  chan_close(p, t->shared->chans[0]);
  CO_MEMBER_END;
}

static void m_waits_for_task(P *p, Task *t) {
  CO_BEGIN;
  if (!g_cancelled(&t->g)) {
    CO_RECV(t->shared->chans[0]);
    take_cancelled(t);
  }
  CO_MEMBER_END;
}

// --- Groups in groups -------------------------------------------------------
#define CO_GROUP_END                  \
  do {                                \
    t->line = __LINE__;               \
    if (0) {                          \
      case __LINE__:;                 \
    }                                 \
    if (!group_end(p, &t->g)) return; \
  } while (0)

static void child(P *p, Task *t) {
  CO_BEGIN;
  if (!g_cancelled(&t->g)) {
    CO_RECV(t->shared->chans[3]);
    EXPLORE_CHECK(take_cancelled(t), "nobody sends there");
  }
  t->shared->counts[1]++;
  group_leave(p, &t->g);
  CO_END;
}

static void m_nests(P *p, Task *t) {
  CO_BEGIN;
  group_begin(p, &t->g, &inner);
  group_join(p, &inner, &t->shared->tasks[CANCEL_TASKS - 1].g);
  world_go(p, &t->shared->tasks[CANCEL_TASKS - 1], child);
  if (!g_cancelled(&t->g)) {
    CO_RECV(NULL);
    EXPLORE_CHECK(take_cancelled(t), "a nil channel gave something");
  }
  CO_GROUP_END;
  EXPLORE_CHECK(t->shared->counts[1] == 1, "the inner group ended too soon");
  CO_MEMBER_END;
}

// Starts another member of the group, whenever.
static void m_starts(P *p, Task *t) {
  CO_BEGIN;
  CO_YIELD;
  members++;
  group_join(p, &group, &t->shared->tasks[CANCEL_TASKS - 1].g);
  world_go(p, &t->shared->tasks[CANCEL_TASKS - 1], m_for_ever);
  CO_MEMBER_END;
}

// A solo group: what its G starts does not join it, and is not cancelled.
static void soloist_child(P *p, Task *t) {
  CO_BEGIN;
  EXPLORE_CHECK(t->g.group == NULL, "it joined a solo group");
  CO_SLEEP(500);
  check_not_cancelled(t);
  CO_END;
}

static void soloist(P *p, Task *t) {
  CO_BEGIN;
  group_join(p, t->g.group, &t->shared->tasks[CANCEL_TASKS - 2].g);
  world_go(p, &t->shared->tasks[CANCEL_TASKS - 2], soloist_child);
  if (!g_cancelled(&t->g)) {
    CO_RECV(NULL);
    EXPLORE_CHECK(take_cancelled(t), "a nil channel gave something");
  }
  group_leave(p, &t->g);
  EXPLORE_CHECK(t->g.group == NULL && inner.ended, "its group is still there");
  CO_END;
}

static void solo_canceller(P *p, Task *t) {
  CO_BEGIN;
  group_cancel(p, &inner, CANCEL_INTERRUPT);
  CO_END;
}

static void starts_soloist(P *p, Task *t) {
  CO_BEGIN;
  group_begin_solo(p, &t->shared->tasks[CANCEL_TASKS - 1].g, &inner);
  world_go(p, &t->shared->tasks[CANCEL_TASKS - 1], soloist);
  world_go(p, &t->shared->tasks[CANCEL_TASKS - 3], solo_canceller);
  CO_END;
}

// --- Outsiders --------------------------------------------------------------
static void canceller(P *p, Task *t) {
  CO_BEGIN;
  group_cancel(p, &group, CANCELLED);
  CO_END;
}

static void feeder(P *p, Task *t) {
  CO_BEGIN;
  for (t->i = 0; test->members[t->i] != NULL; t->i++)
    CO_SEND(t->shared->chans[1], 1);
  CO_END;
}

static void try_sender(P *p, Task *t) {
  CO_BEGIN;
  if (chan_try_send(p, t->shared->chans[0], 1) == CHAN_DONE) sent++;
  CO_END;
}

static void try_receiver(P *p, Task *t) {
  uint64_t word;
  CO_BEGIN;
  if (chan_try_recv(p, t->shared->chans[0], &word) == CHAN_DONE) received++;
  CO_END;
}

static void closer(P *p, Task *t) {
  CO_BEGIN;
  chan_close(p, t->shared->chans[0]);
  CO_END;
}

static void device(void *arg) {
  (void)arg;
  explore_until_set(&is_open);
  rt_explore_event(FD, true, true);
}

// --- A group that comes later -----------------------------------------------
// Gs without a group, one of which gets a solo group from a thread without a P,
// and is cancelled by that. Another one begins a group of its own before.
static SchedPost post;
static bool comes_later;  // for the first member; there is no other
static uint32_t has_started;

static void post_cancels(P *p, SchedPost *one) {
  (void)one;
  group_cancel(p, &inner, CANCELLED);
  sched_unpin(world.s);
}

static void begin_outer(void *arg) {
  G *g = arg;
  if (rt_load_relaxed(&g->status) == G_DEAD) {  // relaxed: the world is stopped
    sched_unpin(world.s);
    return;
  }
  group_begin_outer(g, &inner);
  post = (SchedPost){.fn = post_cancels};
  sched_post(world.s, &post);
}

static void stops_and_cancels(void *arg) {
  explore_until_set(&has_started);
  sched_while_stopped(world.s, RT_FOREVER, begin_outer,
                      arg);  // false: it is over
}

static void m_owns(P *p, Task *t) {
  CO_BEGIN;
  group_begin(p, &t->g, &group);
  group_join(p, &group, &t->shared->tasks[CANCEL_TASKS - 1].g);
  world_go(p, &t->shared->tasks[CANCEL_TASKS - 1], child);
  if (!g_cancelled(&t->g)) {
    CO_RECV(NULL);
    EXPLORE_CHECK(take_cancelled(t), "a nil channel gave something");
  }
  CO_GROUP_END;
  EXPLORE_CHECK(t->g.group == &inner && g_cancelled(&t->g),
                "the group around is not there");
  CO_MEMBER_END;
}

static void waits_for_plain(P *p, Task *t) {
  CO_BEGIN;
  sched_pin(world.s);
  group_join(p, NULL, &t->shared->tasks[1].g);
  world_go(p, &t->shared->tasks[1], test->members[0]);
  for (int i = 0; test->outsiders[i] != NULL; i++)
    world_go(p, &t->shared->tasks[2 + i], test->outsiders[i]);
  rt_store_seq(&has_started, 1u);
  while (left_group == 0) CO_SLEEP(1000);
  EXPLORE_CHECK(!t->g.cancelled, "the wrong one was cancelled");
  CO_END;
}

// --- The owner --------------------------------------------------------------
static void owner(P *p, Task *t) {
  CO_BEGIN;
  begun = rt_now();
  group_begin(p, &t->g, &group);
  group_set_patience(&group, PATIENCE);
  if (test->grace != 0) group_set_grace(p, &group, test->grace);
  if (test->deadline != 0) group_deadline(p, &group, begun + test->deadline);
  int at = 1;
  for (int i = 0; test->members[i] != NULL; i++, at++) {
    members++;
    group_join(p, &group, &t->shared->tasks[at].g);
    world_go(p, &t->shared->tasks[at], test->members[i]);
  }
  for (int i = 0; test->outsiders[i] != NULL; i++, at++)
    world_go(p, &t->shared->tasks[at], test->outsiders[i]);
  CO_GROUP_END;
  EXPLORE_CHECK(left_group == members && group.members == NULL,
                "the group ended with %d of %d members gone", left_group,
                members);
  EXPLORE_CHECK(t->g.group == NULL, "the group is still the innermost");
  CO_SLEEP(1000);
  EXPLORE_CHECK(!t->g.cancelled, "the owner was cancelled after the group");
  CO_END;
}

static void body(void *arg) {
  test = arg;
  members = left_group = sent = received = cancelled = 0;
  is_open = 0;
  desc = NULL;
  world_init(&world, test->procs, CANCEL_TASKS);
  for (int i = 0; i < 4; i++) world_chan(&world, i, 0);
  world.s->syscalls_max = 1;
  for (int i = 0; i < CANCEL_TASKS; i++)
    world.tasks[i].g.resume = task_resume_once;
  has_started = 0;
  bool polls = test->members[0] == m_poll;
  if (polls) explore_go(device, NULL);
  if (comes_later) explore_go(stops_and_cancels, &world.tasks[1].g);
  SchedEnd end = world_run(&world, comes_later ? waits_for_plain : owner);
  explore_join_all();
  EXPLORE_CHECK(end == SCHED_EXITED, "somebody waits for ever");
  EXPLORE_CHECK(sent == received, "%d sent, %d received", sent, received);
  EXPLORE_CHECK(world.s->netpoll.waiters == 0, "%u waits are left over",
                world.s->netpoll.waiters);
  EXPLORE_CHECK(world.s->calls.first == NULL && world.s->calls.kept == 0,
                "calls are left over");
  for (int i = 0; i < 4; i++)
    EXPLORE_CHECK(!world.chans[i]->recv_first && !world.chans[i]->send_first,
                  "channel %d has waiters that are gone", i);
  world_check_empty(&world);
  world_free(&world);
}

static void run(const char *name, CancelTest one) {
  Scenario scenario = {
      .name = name, .body = body, .arg = &one, .preemptions = 0};
  assert_true(explore(&scenario));
}

static void single_operations(void **state) {
  (void)state;
  run("recv",
      (CancelTest){2, {m_recv}, {canceller, try_sender, feeder}, NO_TIMES});
  run("recv_1",
      (CancelTest){1, {m_recv}, {canceller, try_sender, feeder}, NO_TIMES});
  run("recv_again",
      (CancelTest){2, {m_recv_again}, {canceller, feeder}, NO_TIMES});
  run("send",
      (CancelTest){2, {m_send}, {canceller, try_receiver, feeder}, NO_TIMES});
  run("close",
      (CancelTest){2, {m_recv}, {canceller, closer, feeder}, NO_TIMES});
  run("for_ever",
      (CancelTest){2, {m_for_ever, m_for_ever}, {canceller}, NO_TIMES});
}

static void selects(void **state) {
  (void)state;
  run("select",
      (CancelTest){2, {m_select}, {canceller, try_sender, feeder}, NO_TIMES});
  run("select_1",
      (CancelTest){1, {m_select}, {canceller, try_sender, feeder}, NO_TIMES});
  run("select_close",
      (CancelTest){2, {m_select}, {canceller, closer, feeder}, NO_TIMES});
  run("select_twice",
      (CancelTest){2, {m_select}, {canceller, canceller, feeder}, NO_TIMES});
}

static void other_waits(void **state) {
  (void)state;
  run("sleep", (CancelTest){2, {m_sleep}, {canceller}, NO_TIMES});
  run("sleep_3",
      (CancelTest){3, {m_sleep, m_sleep}, {canceller, canceller}, NO_TIMES});
  run("poll", (CancelTest){2, {m_poll}, {canceller}, NO_TIMES});
  run("calls",
      (CancelTest){2, {m_call, m_call, m_call}, {canceller}, NO_TIMES});
  run("task_end",
      (CancelTest){2, {m_waits_for_task, m_task}, {canceller}, NO_TIMES});
}

static void groups(void **state) {
  (void)state;
  run("nested", (CancelTest){2, {m_nests}, {canceller}, NO_TIMES});
  run("started", (CancelTest){2, {m_starts}, {canceller}, NO_TIMES});
  run("solo", (CancelTest){2, {NULL}, {starts_soloist}, NO_TIMES});
  run("deadline", (CancelTest){2, {m_for_ever}, {NULL}, 1500, 0});
  run("deadline_and_cancel",
      (CancelTest){2, {m_for_ever, m_sleep}, {canceller}, 1500, 0});
  run("deadline_and_end", (CancelTest){2, {m_sleep}, {NULL}, 6000, 0});
  run("grace",
      (CancelTest){2, {m_shielded_for_ever, m_for_ever}, {canceller}, 0, 3000});
  run("grace_and_deadline",
      (CancelTest){2, {m_shielded_for_ever}, {canceller}, 1500, 3000});
  run("patience", (CancelTest){2, {m_computes, m_computes}, {NULL}, 1500, 0});
  run("patience_1", (CancelTest){1, {m_computes}, {canceller}, 0, 0});
  run("patience_and_grace",
      (CancelTest){2, {m_computes, m_for_ever}, {NULL}, 1500, 15000});
}

static void later(void **state) {
  (void)state;
#define LATER(name, procs, member, ...) \
  run(name, (CancelTest){procs, {member}, {__VA_ARGS__}, NO_TIMES})
  comes_later = true;
  LATER("later_recv", 2, m_recv, try_sender, feeder);
  LATER("later_recv_1", 1, m_recv, try_sender, feeder);
  LATER("later_send", 2, m_send, try_receiver, feeder);
  LATER("later_select", 2, m_select, try_sender, feeder);
  LATER("later_for_ever", 2, m_for_ever, NULL);
  LATER("later_sleep", 2, m_sleep, NULL);
  LATER("later_poll", 2, m_poll, NULL);
  LATER("later_owner", 2, m_owns, NULL);
  comes_later = false;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(single_operations),
      cmocka_unit_test(selects),
      cmocka_unit_test(other_waits),
      cmocka_unit_test(groups),
      cmocka_unit_test(later),
  };
  explore_program(31);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
