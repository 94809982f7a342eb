// SPDX-License-Identifier: MIT
// Gates under interleaving: never more Gs are in one than it has places, no
// wake-up is lost, a cancelled G holds no place and keeps none from others, and
// a G that waits long gets the place.
//
// The whole runtime runs. A G that is never woken is reported as a deadlock.
// What must hold of the queue and the flags at each step is gate.c's own
// (chan_is_valid), which asserts.
#include "tests/explore/sched_explore.h"

enum { GATE_TASKS = 6 };

typedef void Body(P *p, Task *task);
typedef struct GateTest {
  int procs;
  uint32_t places;
  Body *bodies[GATE_TASKS];  // up to a NULL
} GateTest;

static const GateTest *test;
static Shared world;
static Group group;
static uint32_t inside, entered, expected;
static bool waits_too_long;  // one has looked in vain, late
static bool quick;           // first as the handlers of the layer above do
static bool counts;          // a gate's one place has no owner

// --- What a G does ----------------------------------------------------------
static void came_in(void) {
  uint32_t now = rt_add(&inside, 1u);
  EXPLORE_CHECK(now < test->places, "%u are in a gate of %u places", now + 1,
                test->places);
  entered++;
}

static bool is_owned_one(void) { return test->places == 1 && !counts; }

static bool enters(P *p, Chan *gate, const Task *task) {
  return quick && is_owned_one() && gate_enter_quick(p, gate, &task->g);
}

static bool leaves(P *p, Chan *gate, const Task *task) {
  return (quick && is_owned_one() && gate_leave_quick(p, gate, &task->g)) ||
         gate_leave(p, gate, &task->g) == GATE_LEFT;
}

// If it parks, another thread may run it before this returns.
static bool enters_again(P *p, Chan *gate, Task *task) {
  bool late = rt_now() - task->a >= STARVES_NS;
  if (gate_enter(p, &task->g, (gate), task->a, true)) return true;
  if (late) waits_too_long = true;
  return false;
}

// task->ok: it has a place. Otherwise it was cancelled.
#define CO_ENTER(gate)                                          \
  do {                                                          \
    task->ok = true;                                            \
    if (enters(p, (gate), task)) break;                         \
    if (gate_try_enter((gate), &task->g)) break;                \
    task->a = rt_now();                                         \
    task->line = __LINE__;                                      \
    if (gate_enter(p, &task->g, (gate), task->a, false)) break; \
    return;                                                     \
    case __LINE__:                                              \
      task->ok = task->g.wait.success;                          \
      if (task->ok || task->g.cancelled) break;                 \
      if (!enters_again(p, (gate), task)) return;               \
      task->ok = true;                                          \
  } while (0);                                                  \
  if (task->ok) came_in()

static void leave(P *p, Task *task) {
  rt_add(&inside, -1u);
  EXPLORE_CHECK(leaves(p, task->shared->chans[0], task),
                "%d was in it and could not leave", task->id);
}

static void passes_twice(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 2; task->i++) {
    CO_ENTER(task->shared->chans[0]);
    EXPLORE_CHECK(task->ok, "%d is not in, and nobody cancels it", task->id);
    if (task->i == 0) CO_YIELD;
    leave(p, task);
  }
  CO_END;
}

static void passes(P *p, Task *task) {
  CO_BEGIN;
  CO_ENTER(task->shared->chans[0]);
  EXPLORE_CHECK(task->ok, "%d is not in, and nobody cancels it", task->id);
  leave(p, task);
  CO_END;
}

static void sleeps_inside(P *p, Task *task) {
  CO_BEGIN;
  CO_ENTER(task->shared->chans[0]);
  EXPLORE_CHECK(task->ok, "%d is not in, and nobody cancels it", task->id);
  CO_SLEEP(2000);
  leave(p, task);
  CO_END;
}

// Another one gives its place back.
static void stays_inside(P *p, Task *task) {
  CO_BEGIN;
  CO_ENTER(task->shared->chans[0]);
  EXPLORE_CHECK(task->ok, "%d is not in, and nobody cancels it", task->id);
  CO_SEND(task->shared->chans[1], 1);
  CO_END;
}

static void leaves_for_other(P *p, Task *task) {
  CO_BEGIN;
  CO_RECV(task->shared->chans[1]);
  leave(p, task);
  CO_END;
}

// Until a member has gone, which waits for this one unless it is cancelled.
static void holds_for_member(P *p, Task *task) {
  CO_BEGIN;
  CO_ENTER(task->shared->chans[0]);
  EXPLORE_CHECK(task->ok, "%d is not in, and nobody cancels it", task->id);
  CO_RECV(task->shared->chans[1]);
  leave(p, task);
  CO_END;
}

// A member of the group.
static void may_pass(P *p, Task *task) {
  CO_BEGIN;
  if (!g_cancelled(&task->g)) {
    CO_ENTER(task->shared->chans[0]);
    if (task->ok) {
      leave(p, task);
    } else {
      EXPLORE_CHECK(g_cancelled(&task->g), "%d is not in, nor cancelled",
                    task->id);
      task->g.cancelled = false;
    }
  }
  chan_try_send(p, task->shared->chans[1], 1);
  group_leave(p, &task->g);
  CO_END;
}

static void canceller(P *p, Task *task) {
  CO_BEGIN;
  group_cancel(p, &group, CANCELLED);
  CO_END;
}

// --- Waiting long -----------------------------------------------------------
enum { HOLDS = 20, HOLD_NS = 300000 };
static int holds_after;  // that have ended since one waits too long

// Comes again before the one that it wakes can look.
static void comes_again(P *p, Task *task) {
  CO_BEGIN;
  CO_ENTER(task->shared->chans[0]);
  for (task->i = 0; task->i < HOLDS; task->i++) {
    CO_SLEEP(HOLD_NS);
    holds_after += waits_too_long;
    leave(p, task);
    CO_ENTER(task->shared->chans[0]);
  }
  leave(p, task);
  CO_END;
}

static void waits_long(P *p, Task *task) {
  CO_BEGIN;
  CO_SLEEP(1000);
  waits_too_long = false;
  holds_after = 0;
  CO_ENTER(task->shared->chans[0]);
  EXPLORE_CHECK(holds_after <= 1, "it has looked in vain, late, %d holds ago",
                holds_after);
  leave(p, task);
  waits_too_long = false;
  CO_END;
}

// --- Wrong leaves -----------------------------------------------------------
static void leaves_wrongly(P *p, Task *task) {
  Chan *gate = task->shared->chans[0];
  CO_BEGIN;
  EXPLORE_CHECK(gate_leave(p, gate, &task->g) == GATE_EMPTY, "it was empty");
  CO_ENTER(gate);
  const G *other = &task->shared->tasks[0].g;
  EXPLORE_CHECK(gate_leave(p, gate, other) == GATE_NOT_YOURS,
                "it is another's");
  EXPLORE_CHECK(!gate_try_enter(gate, other), "there was no place");
  leave(p, task);
  EXPLORE_CHECK(gate_leave(p, gate, &task->g) == GATE_EMPTY, "it was left");
  CO_END;
}

// --- Runs -------------------------------------------------------------------
static void owner(P *p, Task *task) {
  CO_BEGIN;
  group_begin(p, &task->g, &group);
  for (int i = 0; test->bodies[i] != NULL; i++) {
    Task *one = &task->shared->tasks[i + 1];
    bool member = test->bodies[i] == may_pass;
    group_join(p, member ? &group : NULL, &one->g);
    world_go(p, one, test->bodies[i]);
  }
  task->line = __LINE__;
  if (0) {
    case __LINE__:;
  }
  if (!group_end(p, &task->g)) return;
  CO_END;
}

static void body(void *arg) {
  test = arg;
  inside = entered = 0;
  world_init(&world, test->procs, GATE_TASKS);
  gate_init(world_chan(&world, 0, test->places), test->places, is_owned_one());
  world_chan(&world, 1, GATE_TASKS);
  for (int i = 0; i < GATE_TASKS; i++)
    world.tasks[i].g.resume = task_resume_once;
  SchedEnd end = world_run(&world, owner);
  explore_join_all();
  EXPLORE_CHECK(end == SCHED_EXITED, "somebody waits for ever");
  const Chan *gate = world.chans[0];
  EXPLORE_CHECK(gate_holder(gate) == 0 && gate->send_first == NULL,
                "somebody is left in the gate");
  EXPLORE_CHECK((gate->buf[0] & GATE_WOKEN) == 0, "one was woken, and no more");
  EXPLORE_CHECK(entered >= expected, "%u came in, not %u", entered, expected);
  world_check_empty(&world);
  world_free(&world);
}

static void run(const char *name, uint32_t least, GateTest one) {
  expected = least;
  Scenario scenario = {
      .name = name, .body = body, .arg = &one, .preemptions = 0};
  assert_true(explore(&scenario));
}

static void locks(void **state) {
  (void)state;
  run("lock", 4, (GateTest){2, 1, {passes_twice, passes_twice}});
  run("lock_3", 4, (GateTest){3, 1, {passes_twice, passes, passes}});
  run("lock_1", 6,
      (GateTest){1, 1, {passes_twice, passes_twice, passes_twice}});
  run("sleeps", 3, (GateTest){2, 1, {sleeps_inside, passes, passes}});
  run("wrong", 1, (GateTest){1, 1, {leaves_wrongly}});
}

static void places(void **state) {
  (void)state;
  run("places", 4, (GateTest){2, 2, {passes_twice, passes, passes}});
  run("places_4", 4,
      (GateTest){2, 2, {sleeps_inside, sleeps_inside, passes, passes}});
}

static void places_that_others_give_back(void **state) {
  (void)state;
  counts = true;
  run("other", 2, (GateTest){2, 1, {stays_inside, leaves_for_other, passes}});
  run("other_twice", 3,
      (GateTest){2,
                 1,
                 {stays_inside, leaves_for_other, stays_inside,
                  leaves_for_other, passes}});
  counts = false;
}

static void cancelling(void **state) {
  (void)state;
  run("cancel", 1, (GateTest){2, 1, {sleeps_inside, may_pass, canceller}});
  run("cancel_other", 2,
      (GateTest){2, 1, {passes, may_pass, passes, canceller}});
  run("cancel_two", 2,
      (GateTest){2, 1, {sleeps_inside, may_pass, may_pass, canceller, passes}});
  run("cancel_places", 2,
      (GateTest){2, 2, {passes, passes, may_pass, may_pass, canceller}});
}

static void cancelled_alone(void **state) {
  (void)state;
  run("alone", 1, (GateTest){2, 1, {holds_for_member, may_pass, canceller}});
  run("alone_1", 1, (GateTest){1, 1, {holds_for_member, may_pass, canceller}});
  run("alone_and_others", 3,
      (GateTest){
          2, 1, {holds_for_member, passes, may_pass, passes, canceller}});
}

static void long_waits(void **state) {
  (void)state;
  run("long", HOLDS + 2, (GateTest){1, 1, {comes_again, waits_long}});
  run("long_2", HOLDS + 2, (GateTest){2, 1, {comes_again, waits_long}});
}

static void quick_paths(void **state) {
  (void)state;
  quick = true;
  run("quick_lock", 4, (GateTest){2, 1, {passes_twice, passes_twice}});
  run("quick_lock_3", 4, (GateTest){3, 1, {passes_twice, passes, passes}});
  run("quick_lock_1", 6,
      (GateTest){1, 1, {passes_twice, passes_twice, passes_twice}});
  run("quick_places_4", 4,
      (GateTest){2, 2, {sleeps_inside, sleeps_inside, passes, passes}});
  run("quick_cancel_two", 2,
      (GateTest){2, 1, {sleeps_inside, may_pass, may_pass, canceller, passes}});
  run("quick_long", HOLDS + 2, (GateTest){1, 1, {comes_again, waits_long}});
  quick = false;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(locks),
      cmocka_unit_test(places),
      cmocka_unit_test(cancelling),
      cmocka_unit_test(cancelled_alone),
      cmocka_unit_test(long_waits),
      cmocka_unit_test(quick_paths),
      cmocka_unit_test(places_that_others_give_back),
  };
  explore_program(16);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
