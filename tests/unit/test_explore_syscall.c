// SPDX-License-Identifier: MIT
// Blocking calls under interleaving (rows 2, 22). There are never more Ms in
// calls than places. A call that waits for a place gets one, in turn, also when
// the M that comes back goes on computing. None is lost when the world stops,
// the number of Ps changes, or no thread can be had. Quick calls against
// sysmon, stops of the world, handshakes and the end: one G at a time on each
// P, none lost, all counts back at 0.
//
// Found when broken (tests/explore/mutants):
//   a place that is given to nobody, or to two
//   a refused call that keeps its own
//   a quick call that looks at p->look before its store
//   an M that takes its P back without asking, or out of another M's call
//   a P that is taken and given to nobody
#include "tests/explore/sched_explore.h"

enum { CALL_TASKS = 5 };

static Shared world;
static int in_calls, places, made, refused;
static int runs_on[8];  // the G between two looks on that P, 0: none

static void call(void) {
  in_calls++;
  EXPLORE_CHECK(in_calls <= places, "%d calls, %d places", in_calls, places);
  RT_STEP(&in_calls);
  in_calls--;
}

static void count(const Task *task) {
  if (task->ok)
    made++;
  else
    refused++;
}

// --- What Gs do -------------------------------------------------------------
static void caller(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 2; task->i++) {
    CO_CALL(call());
    count(task);
    CO_LOOK;
  }
  CO_END;
}

// Goes on until another one's call is over; that one may wait for our place.
static void computing_caller(P *p, Task *task) {
  CO_BEGIN;
  CO_CALL(call());
  count(task);
  rt_add(&task->shared->flag, 1u);
  while (rt_load_seq(&task->shared->flag) < 2) CO_LOOK;
  CO_END;
}

// The only G on its P.
static void hold(const P *p, const Task *task) {
  EXPLORE_CHECK(runs_on[p->id] == 0, "two goroutines run on P %d", p->id);
  runs_on[p->id] = task->id + 1;
  RT_STEP(runs_on);
  EXPLORE_CHECK(runs_on[p->id] == task->id + 1 && p->current == &task->g,
                "two goroutines run on P %d", p->id);
  runs_on[p->id] = 0;
}

// Lasts, or not.
static void quick_call(void) {
  if (explore_choose(2) == 0) return;
  explore_pass_time(30000);
  explore_yield();
}

static void quick_caller(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 3; task->i++) {
    hold(p, task);
    CO_QUICK_CALL(quick_call());
    count(task);
    hold(p, task);
    CO_LOOK;
  }
  CO_END;
}

// A call that takes until another G has run: its P must be taken, whether there
// is a place or not.
static void long_call(Shared *shared) {
  explore_until_set(&shared->flag);
  int most = places + shared->sched->ps.count;
  EXPLORE_CHECK((int)shared->sched->calls.count < most, "%u calls, %d places",
                shared->sched->calls.count, places);
}

static void long_caller(P *p, Task *task) {
  CO_BEGIN;
  CO_QUICK_CALL(long_call(task->shared));
  count(task);
  hold(p, task);
  CO_END;
}

// A slow call that takes until another G has run: an M must come to run it.
static void waiting_slowly(P *p, Task *task) {
  CO_BEGIN;
  CO_CALL(explore_until_set(&task->shared->flag));
  count(task);
  CO_END;
}

static void setter(P *p, Task *task) {
  CO_BEGIN;
  CO_YIELD;
  rt_store_seq(&task->shared->flag, 1u);
  CO_END;
}

static void holder(P *p, Task *task) {
  CO_BEGIN;
  hold(p, task);
  CO_YIELD;
  hold(p, task);
  rt_store_seq(&task->shared->flag, 1u);
  CO_LOOK;
  hold(p, task);
  CO_END;
}

static void shake(void *arg, P *p) {
  (void)arg;
  EXPLORE_CHECK(runs_on[p->id] == 0 || p_status(p) == P_RUNNING,
                "a handshake for a P that somebody runs on");
}

static void shaker(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 2; task->i++) {
    sched_for_each_p(p, &task->g, shake, NULL);
    CO_LOOK;
  }
  CO_END;
}

static void leaver(P *p, Task *task) {
  CO_BEGIN;
  hold(p, task);
  sched_exit(task->shared->sched);
  CO_END;
}

// A call that lasts until the world is stopped, and no thread takes its P
// before that. The call must not be waited for.
static void waiting_caller(P *p, Task *task) {
  CO_BEGIN;
  task->shared->sched->sysmon.started = 1;  // as enter_quick wants it
  CO_QUICK_CALL(explore_until_set(&task->shared->flag));
  task->shared->sched->sysmon.started = 0;
  count(task);
  CO_END;
}

static void freeing_stopper(P *p, Task *task) {
  CO_BEGIN;
  while (!sched_stop_world(p, &task->g)) CO_LOOK;
  rt_store_seq(&task->shared->flag, 1u);
  sched_start_world(p);
  CO_END;
}

static void free_caller(void *arg, P *p) {
  (void)p;
  Task *task = arg;
  task->n++;
}

static void freeing_shaker(P *p, Task *task) {
  CO_BEGIN;
  sched_for_each_p(p, &task->g, free_caller, task);
  EXPLORE_CHECK(task->n == task->shared->sched->ps.count,
                "a handshake forgot a P");
  rt_store_seq(&task->shared->flag, 1u);
  CO_END;
}

static void worker(P *p, Task *task) {
  CO_BEGIN;
  RT_STEP(&task->i);
  CO_YIELD;
  RT_STEP(&task->i);
  CO_LOOK;
  CO_END;
}

static void stopper(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 2; task->i++) {
    if (sched_stop_world(p, &task->g)) sched_start_world(p);
    CO_LOOK;
  }
  CO_END;
}

static void resizer(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 2; task->i++) {
    task->line = -3;
    p = sched_set_procs(p, &task->g, task->i == 0 ? 1 : 2);
    if (p == NULL) return;
    if (0) {
      case -3:;
    }
  }
  CO_END;
}

// --- Scenarios --------------------------------------------------------------
// The P of a call is left with a timer that is earlier than the one that an
// idle M sleeps for.
enum { EARLY_NS = 2000, LATE_NS = 1000000000 };
static uint32_t early_ran;
static int64_t early_begun;

static void late_sleeper(P *p, Task *task) {
  CO_BEGIN;
  CO_SLEEP(LATE_NS);
  CO_END;
}

static void early_sleeper(P *p, Task *task) {
  CO_BEGIN;
  early_begun = rt_now();
  CO_SLEEP(EARLY_NS);
  EXPLORE_CHECK(rt_now() - early_begun < LATE_NS / 2,
                "a sleep of %d ns took %lld", EARLY_NS,
                (long long)(rt_now() - early_begun));
  rt_store_seq(&early_ran, 1u);
  CO_END;
}

static void waits_in_call(P *p, Task *task) {
  CO_BEGIN;
  world_go(p, &task->shared->tasks[CALL_TASKS - 1], early_sleeper);
  CO_YIELD;
  CO_CALL(explore_until_set(&early_ran));
  made++;
  CO_END;
}

typedef struct CallTest {
  int procs, places, threads;  // no threads: as many as are wanted
  int calls;                   // that all together try
  void (*bodies[CALL_TASKS])(P *p, Task *task);
  bool sysmon, leaves;  // it runs; a G ends it all early
} CallTest;

static const CallTest *call_test;

static void start_all(P *p, Task *task) {
  for (int i = 1; i < CALL_TASKS && call_test->bodies[i] != NULL; i++) {
    world_go(p, &task->shared->tasks[i], call_test->bodies[i]);
  }
  task->body = call_test->bodies[0];
  task->body(p, task);
}

static void call_body(void *arg) {
  call_test = arg;
  in_calls = made = refused = 0;
  early_ran = 0;
  memset(runs_on, 0, sizeof runs_on);
  places = call_test->places;
  world_init(&world, call_test->procs, CALL_TASKS);
  world.sched->config.syscalls_max = (uint32_t)places;
  world.sched->config.syscalls_given = true;
  if (call_test->threads > 0)
    world.sched->config.m_limit = (uint32_t)call_test->threads;
  for (int i = 0; i < CALL_TASKS; i++) {
    world.tasks[i].g.resume = task_resume_once;  // the P may change
  }
  if (call_test->sysmon) rt_explore_may_start(NULL);
  SchedEnd end = world_run(&world, start_all);
  EXPLORE_CHECK(end == SCHED_EXITED, "goroutines were forgotten");
  EXPLORE_CHECK(world.sched->calls.count == 0, "%u calls are left",
                world.sched->calls.count);
  if (call_test->leaves) {
    world_free(&world);
    return;
  }
  EXPLORE_CHECK(made + refused == call_test->calls, "%d of %d calls",
                made + refused, call_test->calls);
  bool enough = call_test->threads >= places + call_test->procs;
  EXPLORE_CHECK(refused == 0 || (call_test->threads > 0 && !enough),
                "a call was refused");
  EXPLORE_CHECK(
      world.sched->calls.first == NULL && world.sched->calls.kept == 0,
      "places are still waited for, or kept");
  world_check_empty(&world);
  world_free(&world);
}

static void run(const char *name, CallTest test) {
  Scenario scenario = {
      .name = name, .body = call_body, .arg = &test, .preemptions = 0};
  assert_true(explore(&scenario));
}

static void places_are_handed_on(void **state) {
  (void)state;
  run("one_place", (CallTest){2, 1, 0, 4, {caller, caller}, false, false});
  run("one_place_one_p",
      (CallTest){1, 1, 0, 4, {caller, caller, worker}, false, false});
  run("one_place_4",
      (CallTest){
          2, 1, 0, 8, {caller, caller, caller, caller, worker}, false, false});
  run("two_places",
      (CallTest){3, 2, 0, 8, {caller, caller, caller, caller}, false, false});
  run("computing",
      (CallTest){
          2, 1, 0, 2, {computing_caller, computing_caller}, false, false});
}

static void timers_are_watched(void **state) {
  (void)state;
  run("early_timer",
      (CallTest){2, 2, 0, 1, {late_sleeper, waits_in_call}, false, false});
  run("early_timer_3",
      (CallTest){
          3, 2, 0, 1, {late_sleeper, waits_in_call, worker}, false, false});
}

static void places_and_stops(void **state) {
  (void)state;
  run("stop_queue",
      (CallTest){2, 1, 0, 6, {stopper, caller, caller, caller}, false, false});
  run("resize_queue",
      (CallTest){2, 1, 0, 4, {resizer, caller, caller}, false, false});
}

static void few_threads(void **state) {
  (void)state;
  run("one_thread",
      (CallTest){1, 2, 1, 4, {caller, caller, worker}, false, false});
  run("two_threads",
      (CallTest){
          2, 2, 2, 8, {caller, caller, caller, caller, worker}, false, false});
  run("two_threads_one_place",
      (CallTest){2, 1, 2, 6, {caller, caller, caller, worker}, false, false});
}

// One for each P and each place, and no more: one that is needed may have just
// come back from a call, or left its P. Nothing is refused for that.
static void just_enough_threads(void **state) {
  (void)state;
  run("enough_1",
      (CallTest){1, 1, 2, 6, {caller, caller, caller, worker}, false, false});
  run("enough_until_others_ran",
      (CallTest){1, 1, 2, 3, {caller, waiting_slowly, setter}, false, false});
  run("enough_until_others_ran_2",
      (CallTest){2, 1, 3, 3, {caller, waiting_slowly, setter}, false, false});
  run("enough_2",
      (CallTest){
          2, 1, 3, 8, {caller, caller, caller, caller, worker}, false, false});
  run("enough_2_places",
      (CallTest){
          2, 2, 4, 8, {caller, caller, caller, caller, worker}, false, false});
  run("enough_and_stops",
      (CallTest){
          2, 1, 3, 6, {stopper, caller, caller, caller, worker}, false, false});
}

static void quick_calls(void **state) {
  (void)state;
  CallTest two = {2, 9, 0, 6, {quick_caller, quick_caller}, true, false};
  run("quick", two);
  CallTest one = {1,    9,    0, 6, {quick_caller, quick_caller, holder},
                  true, false};
  run("quick_one_p", one);
  CallTest lasts = {1, 9, 0, 1, {long_caller, holder}, true, false};
  run("quick_lasts", lasts);
  CallTest capped = {
      2,    1,    0, 9, {quick_caller, quick_caller, quick_caller, holder},
      true, false};
  run("quick_one_place", capped);
}

// All Ps are in calls that last, with all places taken: others run all the
// same, and those that find no place before they begin wait for one.
static void quick_calls_past_the_places(void **state) {
  (void)state;
  CallTest two = {1, 1, 0, 2, {long_caller, long_caller, holder}, true, false};
  run("quick_past_places", two);
  CallTest three = {
      1, 1, 0, 3, {long_caller, long_caller, long_caller, holder}, true, false};
  run("quick_past_places_3", three);
  CallTest two_ps = {
      2, 1, 0, 3, {long_caller, long_caller, long_caller, holder}, true, false};
  run("quick_past_places_2", two_ps);
}

// Quick calls that have lost their Ps leave no thread for a slow one, although
// it has a place. It waits, too.
static void quick_calls_take_the_threads(void **state) {
  (void)state;
  CallTest one = {
      1, 1, 2, 6, {quick_caller, quick_caller, caller, holder}, true, false};
  one.calls = 8;
  run("quick_take_threads_1", one);
  CallTest two = {
      2,    2,    4, 10, {quick_caller, quick_caller, caller, caller, holder},
      true, false};
  run("quick_take_threads_2", two);
  CallTest three = {
      2, 1, 3, 8, {quick_caller, quick_caller, caller, holder}, true, false};
  run("quick_take_threads_3", three);
}

static void quick_calls_and_stops(void **state) {
  (void)state;
  CallTest stop = {
      2, 9, 0, 6, {quick_caller, quick_caller, stopper, holder}, true, false};
  run("quick_stop", stop);
  CallTest resize = {2,    9,    0, 6, {quick_caller, quick_caller, resizer},
                     true, false};
  run("quick_resize", resize);
  CallTest handshake = {3,    9,    0, 6, {quick_caller, quick_caller, shaker},
                        true, false};
  run("quick_shake", handshake);
  run("wait_stop",
      (CallTest){2, 9, 0, 1, {freeing_stopper, waiting_caller}, false, false});
  run("wait_shake",
      (CallTest){2, 9, 0, 1, {freeing_shaker, waiting_caller}, false, false});
  CallTest leave_1 = {1, 9, 0, 2, {leaver, quick_caller, holder}, true, true};
  run("quick_exit_1", leave_1);
  CallTest leave = {
      2, 9, 0, 6, {quick_caller, quick_caller, leaver, holder}, true, true};
  run("quick_exit", leave);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places_are_handed_on),
      cmocka_unit_test(timers_are_watched),
      cmocka_unit_test(places_and_stops),
      cmocka_unit_test(few_threads),
      cmocka_unit_test(just_enough_threads),
      cmocka_unit_test(quick_calls),
      cmocka_unit_test(quick_calls_past_the_places),
      cmocka_unit_test(quick_calls_take_the_threads),
      cmocka_unit_test(quick_calls_and_stops),
  };
  explore_program(23);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
