// SPDX-License-Identifier: MIT
// Turns of descriptors under interleaving (row 24). One G at a time is in a
// side. Each G that asks has a turn, is told that the descriptor has ended,
// or is cancelled, and none is forgotten. When it has ended one G, and only
// one, is told to close it, after the last turn.
//
// Found when broken (tests/explore/mutants):
//   a turn that is left by a store
//   a G that joins the queue without a flag
//   an end that leaves Gs in the queue
//   an end that does not look at the turns
//   a G that is cancelled, and stays in the queue
//   an end that closes the waits after the turns
#include "tests/explore/sched_explore.h"

enum { TURN_TASKS = 5, FD = 3 };

typedef struct TurnTest {
  int procs, events;
  bool ends;     // a G ends the descriptor: all that use it are told
  bool cancels;  // the users are members of a group, which is cancelled
  void (*bodies[TURN_TASKS])(P *p, Task *task);
} TurnTest;

static Shared world;
static const TurnTest *test;
static PollDesc *desc;
static Group group;
static int inside[2], turns, told, cancelled, closed;
static uint32_t is_open, ended;  // is_open: a futex

// --- What Gs do -------------------------------------------------------------
// What is told to close the descriptor may find its number taken at once.
static void close_it(void) {
  EXPLORE_CHECK(!rt_explore_watched(FD),
                "the descriptor is closed while it is watched");
  closed++;
}

static void leave(P *p, PollMode mode) {
  inside[mode]--;
  if (poll_turn_leave(p, desc, mode)) close_it();
}

static void go_in(PollMode mode) {
  EXPLORE_CHECK(inside[mode] == 0, "two have the turn of one side");
  EXPLORE_CHECK(closed == 0, "a turn after the descriptor was closed");
  inside[mode]++;
  turns++;
}

// The turn that task has asked for is its own.
static bool got_turn(Task *task) {
  if (task->g.cancelled) {
    EXPLORE_CHECK(g_cancelled(&task->g) != NOT_CANCELLED,
                  "goroutine %d was woken as cancelled, and is not", task->id);
    task->g.cancelled = false;
    cancelled++;
    return false;
  }
  if (task->chosen == POLL_READY) return true;
  EXPLORE_CHECK(rt_load_seq(&ended), "a turn is refused before the end");
  told++;
  return false;
}

static void leave_group(P *p, Task *task) {
  if (test->cancels) group_leave(p, &task->g);
}

// Uses a side, lets others run meanwhile, and leaves it.
static void user_of(P *p, Task *task, PollMode mode) {
  CO_BEGIN;
  CO_TURN(desc, mode);
  if (got_turn(task)) {
    go_in(mode);
    CO_YIELD;
    leave(p, mode);
  }
  leave_group(p, task);
  CO_END;
}
static void reads(P *p, Task *task) { user_of(p, task, POLL_READ); }
static void writes(P *p, Task *task) { user_of(p, task, POLL_WRITE); }

// Takes the turn only if it is free.
static void tries(P *p, Task *task) {
  CO_BEGIN;
  if (poll_turn_try(desc, POLL_READ)) {
    go_in(POLL_READ);
    leave(p, POLL_READ);
  }
  leave_group(p, task);
  CO_END;
}

// Waits in its turn, until a deadline that is its own.
static void waits(P *p, Task *task) {
  CO_BEGIN;
  CO_TURN(desc, POLL_READ);
  if (got_turn(task)) {
    go_in(POLL_READ);
    poll_deadline(p, desc, POLL_READ, rt_now() + 4000);
    CO_POLL(desc, POLL_READ);
    if (task->g.cancelled) cancelled++;
    task->g.cancelled = false;
    poll_deadline(p, desc, POLL_READ, 0);
    leave(p, POLL_READ);
  }
  leave_group(p, task);
  CO_END;
}

// Has the turn from the start on. It is no member, and goes on when the group
// is over: the members in the queue are cancelled there.
static void keeps(P *p, Task *task) {
  CO_BEGIN;
  go_in(POLL_READ);
  CO_POLL(desc, POLL_READ);
  leave(p, POLL_READ);
  CO_END;
}

static void ender(P *p, Task *task) {
  CO_BEGIN;
  rt_store_seq(&ended, 1u);
  if (poll_turn_end(p, desc)) close_it();
  CO_END;
}

static void canceller(P *p, Task *task) {
  CO_BEGIN;
  group_cancel(p, &group, CANCELLED);
  CO_END;
}

static void device(void *arg) {
  (void)arg;
  explore_until_set(&is_open);
  rt_explore_event(FD, true, true);
}

// --- Scenarios --------------------------------------------------------------
static bool is_user(void (*body)(P *p, Task *task)) {
  return body != ender && body != canceller && body != keeps;
}

static void start_all(P *p, Task *task) {
  CO_BEGIN;
  desc = poll_open(world.sched, FD);
  EXPLORE_CHECK(desc != NULL, "the descriptor cannot be opened");
  rt_store_seq(&is_open, 1u);
  if (test->cancels) group_begin(p, &task->g, &group);
  if (test->bodies[0] == keeps) poll_turn_try(desc, POLL_READ);
  for (int i = 0; i < TURN_TASKS && test->bodies[i] != NULL; i++) {
    Task *one = &world.tasks[i + 1];
    if (test->cancels && is_user(test->bodies[i]))
      group_join(p, &group, &one->g);
    world_go(p, one, test->bodies[i]);
  }
  if (test->cancels) CO_GROUP_END;
  if (test->bodies[0] == keeps) rt_explore_event(FD, true, true);
  CO_END;
}

static void turn_body(void *arg) {
  test = arg;
  turns = told = cancelled = closed = 0;
  inside[0] = inside[1] = 0;
  is_open = ended = 0;
  desc = NULL;
  world_init(&world, test->procs, TURN_TASKS + 1);
  for (int i = 0; i <= TURN_TASKS; i++)
    world.tasks[i].g.resume = task_resume_once;
  if (test->events > 0) explore_go(device, NULL);
  SchedEnd end = world_run(&world, start_all);
  explore_join_all();
  EXPLORE_CHECK(end == SCHED_EXITED, "goroutines were forgotten");
  EXPLORE_CHECK(closed == test->ends, "closed %d times", closed);
  EXPLORE_CHECK(desc->turn[0].first == NULL && desc->turn[1].first == NULL,
                "goroutines are left in a queue");
  EXPLORE_CHECK(poll_turn_try(desc, POLL_READ) == !test->ends,
                "a turn was not given back");
  EXPLORE_CHECK(world.sched->netpoll.waiters == 0, "%u waits are left over",
                world.sched->netpoll.waiters);
  if (!test->cancels && !test->ends)
    EXPLORE_CHECK(told == 0 && cancelled == 0, "a turn was refused");
  world_check_empty(&world);
  world_free(&world);
}

static void run(const char *name, TurnTest one) {
  Scenario scenario = {
      .name = name, .body = turn_body, .arg = &one, .preemptions = 0};
  assert_true(explore(&scenario));
}

static void one_at_a_time(void **state) {
  (void)state;
  run("turns_1", (TurnTest){1, 0, false, false, {reads, reads, reads}});
  run("turns_2", (TurnTest){2, 0, false, false, {reads, reads, writes}});
  run("turns_3", (TurnTest){3, 0, false, false, {reads, reads, reads, tries}});
  run("turns_wait", (TurnTest){2, 1, false, false, {waits, waits, writes}});
}

static void ends(void **state) {
  (void)state;
  run("end_1", (TurnTest){1, 0, true, false, {reads, reads, ender}});
  run("end_2", (TurnTest){2, 0, true, false, {reads, reads, ender}});
  run("end_both", (TurnTest){2, 0, true, false, {reads, writes, ender}});
  run("end_3", (TurnTest){3, 0, true, false, {reads, writes, tries, ender}});
  run("end_wait", (TurnTest){2, 1, true, false, {waits, waits, ender}});
}

static void cancellations(void **state) {
  (void)state;
  run("cancel_1", (TurnTest){1, 0, false, true, {reads, reads, canceller}});
  run("cancel_2", (TurnTest){2, 0, false, true, {reads, reads, canceller}});
  run("cancel_queued",
      (TurnTest){2, 0, false, true, {keeps, reads, reads, canceller}});
  run("cancel_wait", (TurnTest){2, 1, false, true, {waits, waits, canceller}});
  run("cancel_and_end",
      (TurnTest){2, 0, true, true, {waits, reads, canceller, ender}});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_at_a_time),
      cmocka_unit_test(ends),
      cmocka_unit_test(cancellations),
  };
  explore_program(14);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
