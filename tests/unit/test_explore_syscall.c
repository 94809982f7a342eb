// SPDX-License-Identifier: MIT
// Blocking calls under interleaving (rows 2, 22): never more Ms in calls than
// there are places; who waits for a place gets one, in turn, also when the M
// that comes back goes on computing; none is lost when the world stops, the
// number of Ps changes, or no thread can be had.
//
// Found when broken (tests/explore/mutants): a place that is given to nobody,
// or to two; a refused call that keeps its own.
#include "tests/explore/sched_explore.h"

enum { CALL_TASKS = 5 };

static Shared world;
static int in_calls, places, made, refused;

static void call(void) {
  in_calls++;
  EXPLORE_CHECK(in_calls <= places, "%d calls, %d places", in_calls, places);
  RT_STEP(&in_calls);
  in_calls--;
}

static void count(const Task *t) {
  if (t->ok)
    made++;
  else
    refused++;
}

// --- What Gs do -------------------------------------------------------------
static void caller(P *p, Task *t) {
  CO_BEGIN;
  for (t->i = 0; t->i < 2; t->i++) {
    CO_CALL(call());
    count(t);
    CO_LOOK;
  }
  CO_END;
}

// Goes on until another one's call is over; that one may wait for our place.
static void computing_caller(P *p, Task *t) {
  CO_BEGIN;
  CO_CALL(call());
  count(t);
  rt_add(&t->shared->flag, 1u);
  while (rt_load_seq(&t->shared->flag) < 2) CO_LOOK;
  CO_END;
}

static void worker(P *p, Task *t) {
  CO_BEGIN;
  RT_STEP(&t->i);
  CO_YIELD;
  RT_STEP(&t->i);
  CO_LOOK;
  CO_END;
}

static void stopper(P *p, Task *t) {
  CO_BEGIN;
  for (t->i = 0; t->i < 2; t->i++) {
    if (sched_stop_world(p, &t->g)) sched_start_world(p);
    CO_LOOK;
  }
  CO_END;
}

static void resizer(P *p, Task *t) {
  CO_BEGIN;
  for (t->i = 0; t->i < 2; t->i++) {
    t->line = -3;
    p = sched_set_procs(p, &t->g, t->i == 0 ? 1 : 2);
    if (p == NULL) return;
    if (0) {
      case -3:;
    }
  }
  CO_END;
}

// --- Scenarios --------------------------------------------------------------
typedef struct CallTest {
  int procs, places, threads;  // threads: 0: as many as are wanted
  int calls;                   // that all together try
  void (*bodies[CALL_TASKS])(P *p, Task *t);
} CallTest;

static const CallTest *call_test;

static void start_all(P *p, Task *t) {
  for (int i = 1; i < CALL_TASKS && call_test->bodies[i] != NULL; i++) {
    world_go(p, &t->shared->tasks[i], call_test->bodies[i]);
  }
  t->body = call_test->bodies[0];
  t->body(p, t);
}

static void call_body(void *arg) {
  call_test = arg;
  in_calls = made = refused = 0;
  places = call_test->places;
  world_init(&world, call_test->procs, CALL_TASKS);
  world.s->syscalls_max = (uint32_t)places;
  if (call_test->threads > 0) world.s->m_limit = (uint32_t)call_test->threads;
  for (int i = 0; i < CALL_TASKS; i++) {
    world.tasks[i].g.resume = task_resume_once;  // the P may change
  }
  SchedEnd end = world_run(&world, start_all);
  EXPLORE_CHECK(end == SCHED_EXITED, "goroutines were forgotten");
  EXPLORE_CHECK(made + refused == call_test->calls, "%d of %d calls",
                made + refused, call_test->calls);
  EXPLORE_CHECK(refused == 0 || call_test->threads > 0, "a call was refused");
  EXPLORE_CHECK(world.s->call_queue.count == 0 && world.s->slots_kept == 0,
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
  run("one_place", (CallTest){2, 1, 0, 4, {caller, caller}});
  run("one_place_one_p", (CallTest){1, 1, 0, 4, {caller, caller, worker}});
  run("one_place_4",
      (CallTest){2, 1, 0, 8, {caller, caller, caller, caller, worker}});
  run("two_places", (CallTest){3, 2, 0, 8, {caller, caller, caller, caller}});
  run("computing",
      (CallTest){2, 1, 0, 2, {computing_caller, computing_caller}});
}

static void places_and_stops(void **state) {
  (void)state;
  run("stop_queue", (CallTest){2, 1, 0, 6, {stopper, caller, caller, caller}});
  run("resize_queue", (CallTest){2, 1, 0, 4, {resizer, caller, caller}});
}

static void few_threads(void **state) {
  (void)state;
  run("one_thread", (CallTest){1, 2, 1, 4, {caller, caller, worker}});
  run("two_threads",
      (CallTest){2, 2, 2, 8, {caller, caller, caller, caller, worker}});
  run("two_threads_one_place",
      (CallTest){2, 1, 2, 6, {caller, caller, caller, worker}});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places_are_handed_on),
      cmocka_unit_test(places_and_stops),
      cmocka_unit_test(few_threads),
  };
  explore_program(10);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
