// SPDX-License-Identifier: MIT
// Groups and cancellation under interleaving (row 28): a member is taken away
// from whatever it waits for, or is woken as usual, once. No cancellation is
// lost. None ends a later wait that it is not for, of a shielded member, or of
// the owner after the group. The owner goes on when all have left, not before.
//
// The whole runtime runs: an owner with its members, and outsiders that cancel,
// send, close. Each member waits once, as it likes; then once more, shielded,
// for what an outsider surely brings. A cancellation that is lost leaves it
// waiting for ever, which the runtime reports as a deadlock.
#include <limits.h>

#include "tests/explore/sched_explore.h"

enum { CANCEL_TASKS = 6, FD = 3 };
enum { QUEUED = -2, CALLED = -3 };  // lines
enum { PATIENCE = 20000 };          // ns

typedef void Body(P *p, Task *task);
typedef struct CancelTest {
  int procs;
  Body *members[4];
  Body *outsiders[4];
  int64_t deadline, grace;  // ns from the beginning, 0: none
} CancelTest;
#define NO_TIMES 0, 0

static const CancelTest *test;
static Shared world;
static Group group, inner;
static PollDesc *desc;
static int members, left_group, sent, received, cancelled;
static int64_t begun;
static uint32_t is_open;
static int awaited_members = INT_MAX;  // so many members; all others are aides

// --- Members ----------------------------------------------------------------
// Was its wait cancelled? Only what is cancelled may be.
static bool take_cancelled(Task *task) {
  if (!task->g.cancelled) return false;
  EXPLORE_CHECK(g_cancelled(&task->g) != NOT_CANCELLED,
                "goroutine %d was woken as cancelled, and is not", task->id);
  task->g.cancelled = false;
  cancelled++;
  return true;
}

static void shield(Task *task) {
  rt_store_relaxed(&task->g.shielded, (uint8_t)1);
}

static void check_not_cancelled(const Task *task) {
  EXPLORE_CHECK(!task->g.cancelled,
                "a wait of %d was cancelled that is shielded", task->id);
}

#define CO_MEMBER_END                              \
  rt_store_relaxed(&task->g.shielded, (uint8_t)0); \
  left_group++;                                    \
  group_leave(p, &task->g);                        \
  CO_END

static void m_recv(P *p, Task *task) {
  CO_BEGIN;
  if (!g_cancelled(&task->g)) {
    CO_RECV(task->shared->chans[0]);
    if (!take_cancelled(task) && task->ok) received++;
  }
  shield(task);
  CO_RECV(task->shared->chans[1]);
  check_not_cancelled(task);
  EXPLORE_CHECK(task->ok, "the second wait got nothing");
  CO_MEMBER_END;
}

// The second time on the same channel.
static void m_recv_again(P *p, Task *task) {
  CO_BEGIN;
  if (!g_cancelled(&task->g)) {
    CO_RECV(task->shared->chans[1]);
    if (take_cancelled(task)) {
      shield(task);
      CO_RECV(task->shared->chans[1]);
      check_not_cancelled(task);
    }
  } else {
    shield(task);
    CO_RECV(task->shared->chans[1]);
    check_not_cancelled(task);
  }
  EXPLORE_CHECK(task->ok, "it got nothing");
  CO_MEMBER_END;
}

static void m_send(P *p, Task *task) {
  CO_BEGIN;
  if (!g_cancelled(&task->g)) {
    CO_SEND(task->shared->chans[0], (uint64_t)task->id);
    if (!take_cancelled(task) && task->ok) sent++;
  }
  shield(task);
  CO_RECV(task->shared->chans[1]);
  check_not_cancelled(task);
  CO_MEMBER_END;
}

static void set_recv(Task *task, int at, int chan) {
  task->cases[at] = (SelCase){.chan = task->shared->chans[chan]};
  task->cases[at].waiter.elem = 0xE;
}

static void scribble(Task *task) {
  memset(task->cases, 0xA5, sizeof task->cases);
  memset(task->order, 0xA5, sizeof task->order);
}

static void m_select(P *p, Task *task) {
  CO_BEGIN;
  if (!g_cancelled(&task->g)) {
    set_recv(task, 0, 0);
    set_recv(task, 1, 2);
    CO_SELECT(2, SELECT_BLOCK);
    if (task->chosen == SELECT_CANCELLED) {
      EXPLORE_CHECK(take_cancelled(task), "nobody cancelled that");
    } else if (task->cases[task->chosen].waiter.success) {
      received++;
    }
    scribble(task);
  }
  shield(task);
  set_recv(task, 0, 1);
  set_recv(task, 1, 2);
  CO_SELECT(2, SELECT_BLOCK);
  EXPLORE_CHECK(task->chosen == 0, "the second select gave %d", task->chosen);
  scribble(task);
  CO_MEMBER_END;
}

static void m_sleep(P *p, Task *task) {
  CO_BEGIN;
  if (!g_cancelled(&task->g)) {
    CO_SLEEP(4000);
    take_cancelled(task);
  }
  shield(task);
  task->a = rt_now();
  CO_SLEEP(3000);
  check_not_cancelled(task);
  EXPLORE_CHECK(rt_now() - task->a >= 3000, "it slept %lld ns, not 3000",
                (long long)(rt_now() - task->a));
  CO_MEMBER_END;
}

static void m_poll(P *p, Task *task) {
  CO_BEGIN;
  desc = poll_open(task->shared->sched, FD);
  EXPLORE_CHECK(desc != NULL, "the descriptor cannot be opened");
  rt_store_seq(&is_open, 1u);
  if (!g_cancelled(&task->g)) {
    CO_POLL(desc, POLL_READ);
    take_cancelled(task);
  }
  shield(task);
  poll_deadline(p, desc, POLL_READ, rt_now() + 4000);
  CO_POLL(desc, POLL_READ);
  check_not_cancelled(task);
  CO_MEMBER_END;
}

// Waits for nobody.
static void m_for_ever(P *p, Task *task) {
  CO_BEGIN;
  if (!g_cancelled(&task->g)) {
    CO_RECV(NULL);
    EXPLORE_CHECK(take_cancelled(task), "a nil channel gave something");
  }
  CO_MEMBER_END;
}

// Deferred functions that do not end: until the time of grace is over.
static void m_shielded_for_ever(P *p, Task *task) {
  CO_BEGIN;
  shield(task);
  if (!g_cancelled(&task->g)) {
    CO_RECV(task->shared->chans[3]);
    EXPLORE_CHECK(take_cancelled(task), "nobody sends there");
  }
  EXPLORE_CHECK(rt_now() - begun >= test->grace,
                "the time of grace was over after %lld ns",
                (long long)(rt_now() - begun));
  CO_MEMBER_END;
}

// Only computes, in a deferred function if there is a time of grace, until
// patience is over.
static void m_computes(P *p, Task *task) {
  CO_BEGIN;
  if (test->grace != 0) shield(task);
  while (!group_is_late(&task->g, 0)) CO_LOOK;
  EXPLORE_CHECK(g_cancelled(&task->g), "it is late, and not cancelled");
  EXPLORE_CHECK(rt_now() - begun >= test->deadline + test->grace + PATIENCE,
                "patience was over after %lld ns",
                (long long)(rt_now() - begun));
  CO_MEMBER_END;
}

// A blocking call, for which there is one place.
static void m_call(P *p, Task *task) {
  M *m;
  CO_BEGIN;
  if (!g_cancelled(&task->g)) {
    task->line = QUEUED;
    if (0) {
      case QUEUED:;
    }
    task->ok = !take_cancelled(task);
    if (task->ok) {
      switch (sched_syscall_enter(p, &task->g, false, &m)) {
        case CALL_QUEUED:
          return;
        case CALL_ENTERED:
          task->line = CALLED;
          p = sched_syscall_exit(m, &task->g);
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
static void m_task(P *p, Task *task) {
  CO_BEGIN;
  chan_close(p, task->shared->chans[0]);
  CO_MEMBER_END;
}

static void m_waits_for_task(P *p, Task *task) {
  CO_BEGIN;
  if (!g_cancelled(&task->g)) {
    CO_RECV(task->shared->chans[0]);
    take_cancelled(task);
  }
  CO_MEMBER_END;
}

// --- Groups in groups -------------------------------------------------------
static void child(P *p, Task *task) {
  CO_BEGIN;
  if (!g_cancelled(&task->g)) {
    CO_RECV(task->shared->chans[3]);
    EXPLORE_CHECK(take_cancelled(task), "nobody sends there");
  }
  task->shared->counts[1]++;
  group_leave(p, &task->g);
  CO_END;
}

static void m_nests(P *p, Task *task) {
  CO_BEGIN;
  group_begin(p, &task->g, &inner);
  group_join(p, &inner, &task->shared->tasks[CANCEL_TASKS - 1].g);
  world_go(p, &task->shared->tasks[CANCEL_TASKS - 1], child);
  if (!g_cancelled(&task->g)) {
    CO_RECV(NULL);
    EXPLORE_CHECK(take_cancelled(task), "a nil channel gave something");
  }
  CO_GROUP_END;
  EXPLORE_CHECK(task->shared->counts[1] == 1, "the inner group ended too soon");
  CO_MEMBER_END;
}

// Starts another member of the group, whenever.
static void m_starts(P *p, Task *task) {
  CO_BEGIN;
  CO_YIELD;
  members++;
  group_join(p, &group, &task->shared->tasks[CANCEL_TASKS - 1].g);
  world_go(p, &task->shared->tasks[CANCEL_TASKS - 1], m_for_ever);
  CO_MEMBER_END;
}

// A solo group: what its G starts does not join it, and is not cancelled.
static void soloist_child(P *p, Task *task) {
  CO_BEGIN;
  EXPLORE_CHECK(task->g.group == NULL, "it joined a solo group");
  CO_SLEEP(500);
  check_not_cancelled(task);
  CO_END;
}

static void soloist(P *p, Task *task) {
  CO_BEGIN;
  group_join(p, task->g.group, &task->shared->tasks[CANCEL_TASKS - 2].g);
  world_go(p, &task->shared->tasks[CANCEL_TASKS - 2], soloist_child);
  if (!g_cancelled(&task->g)) {
    CO_RECV(NULL);
    EXPLORE_CHECK(take_cancelled(task), "a nil channel gave something");
  }
  group_leave(p, &task->g);
  EXPLORE_CHECK(task->g.group == NULL && inner.ended,
                "its group is still there");
  CO_END;
}

static void solo_canceller(P *p, Task *task) {
  CO_BEGIN;
  group_cancel(p, &inner, CANCEL_INTERRUPT);
  CO_END;
}

static void starts_soloist(P *p, Task *task) {
  CO_BEGIN;
  group_begin_solo(p, &task->shared->tasks[CANCEL_TASKS - 1].g, &inner);
  world_go(p, &task->shared->tasks[CANCEL_TASKS - 1], soloist);
  world_go(p, &task->shared->tasks[CANCEL_TASKS - 3], solo_canceller);
  CO_END;
}

// --- Outsiders --------------------------------------------------------------
static void canceller(P *p, Task *task) {
  CO_BEGIN;
  group_cancel(p, &group, CANCELLED);
  CO_END;
}

static void feeder(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; test->members[task->i] != NULL; task->i++)
    CO_SEND(task->shared->chans[1], 1);
  CO_END;
}

static void try_sender(P *p, Task *task) {
  CO_BEGIN;
  if (chan_try_send(p, task->shared->chans[0], 1) == CHAN_DONE) sent++;
  CO_END;
}

static void try_receiver(P *p, Task *task) {
  uint64_t word;
  CO_BEGIN;
  if (chan_try_recv(p, task->shared->chans[0], &word) == CHAN_DONE) received++;
  CO_END;
}

static void closer(P *p, Task *task) {
  CO_BEGIN;
  chan_close(p, task->shared->chans[0]);
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
  sched_unpin(world.sched);
}

static void begin_outer(void *arg) {
  G *g = arg;
  if (rt_load_relaxed(&g->status) == G_DEAD) {  // relaxed: the world is stopped
    sched_unpin(world.sched);
    return;
  }
  group_begin_outer(g, &inner);
  post = (SchedPost){.fn = post_cancels};
  sched_post(world.sched, &post);
}

static void stops_and_cancels(void *arg) {
  explore_until_set(&has_started);
  sched_while_stopped(world.sched, RT_FOREVER, begin_outer,
                      arg);  // false: it is over
}

static void m_owns(P *p, Task *task) {
  CO_BEGIN;
  group_begin(p, &task->g, &group);
  group_join(p, &group, &task->shared->tasks[CANCEL_TASKS - 1].g);
  world_go(p, &task->shared->tasks[CANCEL_TASKS - 1], child);
  if (!g_cancelled(&task->g)) {
    CO_RECV(NULL);
    EXPLORE_CHECK(take_cancelled(task), "a nil channel gave something");
  }
  CO_GROUP_END;
  EXPLORE_CHECK(task->g.group == &inner && g_cancelled(&task->g),
                "the group around is not there");
  CO_MEMBER_END;
}

static void waits_for_plain(P *p, Task *task) {
  CO_BEGIN;
  sched_pin(world.sched);
  group_join(p, NULL, &task->shared->tasks[1].g);
  world_go(p, &task->shared->tasks[1], test->members[0]);
  for (int i = 0; test->outsiders[i] != NULL; i++)
    world_go(p, &task->shared->tasks[2 + i], test->outsiders[i]);
  rt_store_seq(&has_started, 1u);
  while (left_group == 0) CO_SLEEP(1000);
  EXPLORE_CHECK(!task->g.cancelled, "the wrong one was cancelled");
  CO_END;
}

// --- The owner --------------------------------------------------------------
static void owner(P *p, Task *task) {
  CO_BEGIN;
  begun = rt_now();
  group_begin(p, &task->g, &group);
  group_set_patience(&group, PATIENCE);
  if (test->grace != 0) group_set_grace(p, &group, test->grace);
  if (test->deadline != 0) group_deadline(p, &group, begun + test->deadline);
  int at = 1;
  for (int i = 0; test->members[i] != NULL; i++, at++) {
    members++;
    G *g = &task->shared->tasks[at].g;
    i < awaited_members ? group_join(p, &group, g)
                        : group_join_aide(p, &group, g);
    world_go(p, &task->shared->tasks[at], test->members[i]);
  }
  for (int i = 0; test->outsiders[i] != NULL; i++, at++)
    world_go(p, &task->shared->tasks[at], test->outsiders[i]);
  CO_GROUP_END;
  EXPLORE_CHECK(left_group == members && group.members == NULL,
                "the group ended with %d of %d members gone", left_group,
                members);
  EXPLORE_CHECK(task->g.group == NULL, "the group is still the innermost");
  CO_SLEEP(1000);
  EXPLORE_CHECK(!task->g.cancelled, "the owner was cancelled after the group");
  CO_END;
}

static void body(void *arg) {
  test = arg;
  members = left_group = sent = received = cancelled = 0;
  is_open = 0;
  desc = NULL;
  world_init(&world, test->procs, CANCEL_TASKS);
  for (int i = 0; i < 4; i++) world_chan(&world, i, 0);
  world.sched->config.syscalls_max = 1;
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
  EXPLORE_CHECK(world.sched->netpoll.waiters == 0, "%u waits are left over",
                world.sched->netpoll.waiters);
  EXPLORE_CHECK(
      world.sched->calls.first == NULL && world.sched->calls.kept == 0,
      "calls are left over");
  for (int i = 0; i < 4; i++)
    EXPLORE_CHECK(world.chans[i]->recv_first == NULL &&
                      world.chans[i]->send_first == NULL,
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

// The members that wait for ever are aides. They end when the others have.
static void aides(void **state) {
  (void)state;
  awaited_members = 0;
  run("aide", (CancelTest){2, {m_for_ever, m_for_ever}, {NULL}, NO_TIMES});
  run("aide_cancelled", (CancelTest){2, {m_for_ever}, {canceller}, NO_TIMES});
  run("aide_recv", (CancelTest){2, {m_recv}, {try_sender, feeder}, NO_TIMES});
  awaited_members = 1;
  run("aide_1", (CancelTest){1, {m_sleep, m_for_ever}, {NULL}, NO_TIMES});
  run("aide_and_member",
      (CancelTest){2, {m_sleep, m_for_ever}, {canceller}, NO_TIMES});
  run("aide_and_started",
      (CancelTest){2, {m_sleep, m_for_ever, m_starts}, {canceller}, NO_TIMES});
  run("aide_and_deadline",
      (CancelTest){2, {m_sleep, m_for_ever}, {NULL}, 1500, 0});
  awaited_members = INT_MAX;
}

// --- The end of a group, without Ms ------------------------------------------
// The owner waits for one member, and that leaves, while an aide stays until
// the owner cancels it. Each has a thread and a P of its own, so that all
// orders of so few steps are tried. An owner that parks after its last member
// has left is woken by nobody.
enum { OWNER, MEMBER, AIDE, END_GS };
static uint32_t owner_is_woken;  // atomic

static P *hold_p(Task *task) {
  P *p = world_hold_p(&world, task->id);
  task->g.status = G_RUNNING;
  task->g.p = p;
  p->current = &task->g;
  return p;
}

static void owner_ends(void *arg) {
  Task *task = arg;
  P *p = hold_p(task);
  while (!group_end(p, &task->g)) {
    explore_until_set(&owner_is_woken);
    rt_store_seq(&owner_is_woken, 0u);
    g_change(&task->g, G_RUNNABLE, G_RUNNING);
    task->g.p = p;
    p->current = &task->g;
  }
  EXPLORE_CHECK(left_group == 2, "the group ended with %d of 2 members gone",
                left_group);
}

static void leaves(Task *task, P *p) {
  left_group++;
  group_leave(p, &task->g);
  if (runq_take_next(p) != NULL) rt_store_seq(&owner_is_woken, 1u);
}

static void member_leaves(void *arg) { leaves(arg, hold_p(arg)); }

static void aide_leaves(void *arg) {
  P *p = hold_p(arg);
  explore_until_set(&group.cancelled);
  leaves(arg, p);
}

static void end_body(void *arg) {
  (void)arg;
  left_group = 0;
  owner_is_woken = 0;
  world_init(&world, END_GS, END_GS);
  Task *tasks = world.tasks;
  P *p = sched_p(world.sched, OWNER);
  group_begin(p, &tasks[OWNER].g, &group);
  group_join(p, &group, &tasks[MEMBER].g);
  group_join_aide(p, &group, &tasks[AIDE].g);
  explore_go(owner_ends, &tasks[OWNER]);
  explore_go(member_leaves, &tasks[MEMBER]);
  explore_go(aide_leaves, &tasks[AIDE]);
  explore_join_all();
  EXPLORE_CHECK(group.ended, "the group has not ended");
  world_free(&world);
}

static void ends_with_aides(void **state) {
  (void)state;
  Scenario scenario = {
      .name = "aide_at_end", .body = end_body, .preemptions = 2};
  assert_true(explore(&scenario));
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
      cmocka_unit_test(aides),
      cmocka_unit_test(ends_with_aides),
      cmocka_unit_test(other_waits),
      cmocka_unit_test(groups),
      cmocka_unit_test(later),
  };
  explore_program(32);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
