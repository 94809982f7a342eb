// SPDX-License-Identifier: MIT
// Watching under interleaving. A thread without a P stops the world (row 35b,
// dumps) against all that runs, against other stops, and against the end.
// Events are kept meanwhile, in rings that go over at once.
//
// Found when broken:
//   a restart that does not look for the deadlock which came while the world
//     was stopped, or for what was posted then
//   an outsider that does not wait for its turn
#include "tests/explore/sched_explore.h"

enum { WATCH_TASKS = 5, WATCH_PS = 3, WATCH_STOPS = 2, WATCH_TRIES = 20 };
#define PATIENCE_NS ((int64_t)300)

typedef struct WatchTest {
  int procs;
  SchedEnd end;
  uint32_t events;          // kept for each P, 0: none
  void (*host)(void *arg);  // what another host's thread does, with a pin
  void (*bodies[WATCH_TASKS])(P *p, Task *task);
  int64_t patience;  // of the outside thread with a stop, 0: it waits
} WatchTest;

static const WatchTest *watch_test;
static Shared world;
static uint32_t inside;  // Gs between two looks: plain, changed by steps
static bool is_stopped;
static uint32_t stops;     // by outsiders, in all runs
static uint32_t given_up;  // by them, in all runs
// Set in the first stop of a run, or when it is clear that none comes.
static uint32_t stop_seen;

// --- What Gs do -------------------------------------------------------------
static void work(void) {
  EXPLORE_CHECK(!is_stopped, "a goroutine runs while the world is stopped");
  inside++;
  RT_STEP(&inside);
  EXPLORE_CHECK(!is_stopped, "the world was stopped around a goroutine");
  inside--;
}

static void check_inside(void *arg) {
  const Sched *sched = ((Shared *)arg)->sched;
  EXPLORE_CHECK(!is_stopped, "two have stopped the world");
  is_stopped = true;
  stop_seen = 1;
  for (int i = 0; i < 3; i++) RT_STEP(&is_stopped);
  EXPLORE_CHECK(inside == 0, "%u goroutines run in a stopped world", inside);
  for (int i = 0; i < sched->ps.count; i++) {
    EXPLORE_CHECK(p_status(sched->ps.all[i]) == P_STOPPED,
                  "P %d is not stopped", i);
  }
  is_stopped = false;
  stops++;
}

static void worker(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 2; task->i++) {
    work();
    CO_LOOK;
  }
  CO_YIELD;
  work();
  CO_END;
}

static void caller(P *p, Task *task) {
  CO_BEGIN;
  work();
  CO_QUICK_CALL(RT_STEP(&task->i));
  work();
  CO_CALL(RT_STEP(&task->i));
  work();
  CO_END;
}

// An M in a blocking call has no P, either.
static void calling_stopper(P *p, Task *task) {
  CO_BEGIN;
  work();
  CO_CALL(sched_while_stopped(task->shared->sched, RT_FOREVER, check_inside,
                              task->shared));
  work();
  CO_END;
}

static void stopper(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 2; task->i++) {
    work();
    if (sched_stop_world(p, &task->g)) {
      check_inside(task->shared);
      sched_start_world(p);
    }
    CO_LOOK;
  }
  CO_END;
}

// Only another wakes it; nobody does.
static void sleeper(P *p, Task *task) {
  CO_BEGIN;
  CO_RECV(NULL);
  CO_END;
}

static void sender(P *p, Task *task) {
  CO_BEGIN;
  CO_SEND(task->shared->chans[0], 1);
  work();
  CO_END;
}

static void receiver(P *p, Task *task) {
  CO_BEGIN;
  CO_RECV(task->shared->chans[0]);
  work();
  CO_END;
}

// --- Runs -------------------------------------------------------------------
static void start_all(P *p, Task *task) {
  for (int i = 1; i < WATCH_TASKS && watch_test->bodies[i] != NULL; i++) {
    world_go(p, &task->shared->tasks[i], watch_test->bodies[i]);
  }
  task->body = watch_test->bodies[0];
  task->body(p, task);
}

static bool runs(Sched *sched) {
  rt_lock(&sched->lock);
  bool running = sched->running;
  rt_unlock(&sched->lock);
  return running;
}

static void outside(void *arg) {
  Shared *shared = arg;
  int stopped = 0;
  for (int i = 0; i < WATCH_TRIES && stopped < WATCH_STOPS; i++) {
    int64_t patience = watch_test->patience;
    int64_t until = patience != 0 ? rt_now() + patience : RT_FOREVER;
    if (sched_while_stopped(shared->sched, until, check_inside, shared)) {
      stopped++;
    } else {
      given_up += patience != 0 && runs(shared->sched);
      rt_yield_cpu();
    }
  }
  stop_seen = 1;
}

// A host's thread that posts: the main G waits for it.
static void post_fn(P *p, SchedPost *post) {
  (void)post;
  chan_close(p, world.chans[0]);
  sched_unpin(world.sched);
}

static void post_one(Sched *sched) {
  static SchedPost post;
  post = (SchedPost){.fn = post_fn};
  sched_post(sched, &post);
}

static void poster(void *arg) {
  while (!runs(((Shared *)arg)->sched)) rt_yield_cpu();
  post_one(((Shared *)arg)->sched);
}

static void poster_in_stop(void *arg) {
  explore_until_set(&stop_seen);
  post_one(((Shared *)arg)->sched);
}

static void leaver(void *arg) { sched_exit_soon(((Shared *)arg)->sched); }
static void unpinner(void *arg) { sched_unpin(((Shared *)arg)->sched); }

// RUN and LEAVE take turns on a P.
static void check_ring(const Sched *sched, const P *p) {
  uint64_t size = sched->watch.events, count = p->trace.count;
  int last = -1;
  for (uint64_t i = count > size ? count - size : 0; i < count; i++) {
    int kind = p->trace.events[i % size].kind;
    if (kind == TRACE_PREEMPT) kind = TRACE_LEAVE;
    if (kind != TRACE_RUN && kind != TRACE_LEAVE) continue;
    EXPLORE_CHECK(kind != last, "two events of one kind on P %d", p->id);
    last = kind;
  }
}

static void check_events(Sched *sched) {
  if (watch_test->events == 0) return;
  for (int i = 0; i < sched->ps.count; i++) check_ring(sched, sched->ps.all[i]);
  char *text = NULL;
  size_t len = 0;
  FILE *out = open_memstream(&text, &len);
  sched_trace_write(sched, out);
  fclose(out);
  EXPLORE_CHECK(len > 2 && strcmp(text + len - 3, "}}\n") == 0,
                "the trace is not whole");
  free(text);
}

static void watch_body(void *arg) {
  watch_test = arg;
  is_stopped = false;
  inside = stop_seen = 0;
  world_init(&world, watch_test->procs, WATCH_TASKS);
  world_chan(&world, 0, 0);
  SchedConfig config = {.trace_events = watch_test->events};
  EXPLORE_CHECK(trace_init(world.sched, &config), "out of memory");
  for (int i = 0; i < watch_test->procs; i++) {
    EXPLORE_CHECK(trace_init_p(world.sched->ps.all[i]), "out of memory");
  }
  for (int i = 0; i < WATCH_TASKS; i++) {
    world.tasks[i].g.resume = task_resume_once;  // the P may change
  }
  int thread = explore_go(outside, &world), other = 0;
  if (watch_test->host != NULL) {
    sched_pin(world.sched);
    other = explore_go(watch_test->host, &world);
  }
  SchedEnd end = world_run(&world, start_all);
  explore_join(thread);
  if (other != 0) explore_join(other);
  EXPLORE_CHECK(end == watch_test->end, "the runtime ended as %d", (int)end);
  EXPLORE_CHECK(!world.sched->stop.busy, "a stop never ended");
  if (watch_test->host != leaver) world_check_empty(&world);
  check_events(world.sched);
  world_free(&world);
}

static void run(const char *name, WatchTest test) {
  Scenario scenario = {
      .name = name, .body = watch_body, .arg = &test, .preemptions = 0};
  assert_true(explore(&scenario));
}

static void stopped_from_outside(void **state) {
  (void)state;
  stops = 0;
  run("outside_1", (WatchTest){1, SCHED_EXITED, 0, NULL, {worker, worker}, 0});
  run("outside_2",
      (WatchTest){2, SCHED_EXITED, 0, NULL, {worker, caller, worker}, 0});
  run("outside_3", (WatchTest){WATCH_PS,
                               SCHED_EXITED,
                               0,
                               NULL,
                               {sender, receiver, caller, worker},
                               0});
  if (explore_is_whole()) assert_true(stops > 0);
}

// A P that does not come to a look in that time goes on, and so do those that
// had stopped.
static void stops_are_given_up(void **state) {
  (void)state;
  stops = given_up = 0;
  run("given_up_1",
      (WatchTest){1, SCHED_EXITED, 0, NULL, {worker, worker}, PATIENCE_NS});
  run("given_up_3", (WatchTest){WATCH_PS,
                                SCHED_EXITED,
                                0,
                                NULL,
                                {sender, receiver, caller, worker},
                                PATIENCE_NS});
  run("given_up_stop", (WatchTest){2,
                                   SCHED_EXITED,
                                   0,
                                   NULL,
                                   {stopper, calling_stopper, worker},
                                   PATIENCE_NS});
  run("given_up_deadlock", (WatchTest){2,
                                       SCHED_DEADLOCK,
                                       0,
                                       NULL,
                                       {sleeper, receiver, worker},
                                       PATIENCE_NS});
  run("given_up_post", (WatchTest){.procs = 2,
                                   .end = SCHED_EXITED,
                                   .host = poster,
                                   .bodies = {receiver, worker},
                                   .patience = PATIENCE_NS});
  if (explore_is_whole()) assert_true(stops > 0 && given_up > 0);
}

static void against_other_stops(void **state) {
  (void)state;
  run("outside_stop",
      (WatchTest){2, SCHED_EXITED, 0, NULL, {stopper, worker}, 0});
  run("outside_call",
      (WatchTest){2, SCHED_EXITED, 0, NULL, {calling_stopper, worker}, 0});
  run("outside_both", (WatchTest){WATCH_PS,
                                  SCHED_EXITED,
                                  0,
                                  NULL,
                                  {stopper, calling_stopper, caller},
                                  0});
}

static void deadlocks_meanwhile_are_found(void **state) {
  (void)state;
  run("outside_deadlock",
      (WatchTest){1, SCHED_DEADLOCK, 0, NULL, {sleeper}, 0});
  run("outside_deadlock_2",
      (WatchTest){2, SCHED_DEADLOCK, 0, NULL, {sleeper, receiver, worker}, 0});
  run("outside_unpin", (WatchTest){.procs = 2,
                                   .end = SCHED_DEADLOCK,
                                   .host = unpinner,
                                   .bodies = {sleeper}});
  run("outside_exit", (WatchTest){.procs = 1,
                                  .end = SCHED_EXITED,
                                  .host = leaver,
                                  .bodies = {sleeper}});
  run("outside_exit_2", (WatchTest){.procs = 2,
                                    .end = SCHED_EXITED,
                                    .host = leaver,
                                    .bodies = {sleeper, sleeper}});
  run("outside_deadlock_call",
      (WatchTest){2, SCHED_DEADLOCK, 0, NULL, {sleeper, caller}, 0});
}

static void posts_meanwhile_arrive(void **state) {
  (void)state;
  run("outside_post", (WatchTest){.procs = 1,
                                  .end = SCHED_EXITED,
                                  .host = poster,
                                  .bodies = {receiver}});
  run("outside_post_2", (WatchTest){.procs = 2,
                                    .end = SCHED_EXITED,
                                    .host = poster,
                                    .bodies = {receiver, worker}});
  run("post_in_stop", (WatchTest){.procs = 1,
                                  .end = SCHED_EXITED,
                                  .host = poster_in_stop,
                                  .bodies = {receiver}});
}

static void events_are_kept(void **state) {
  (void)state;
  run("events",
      (WatchTest){2, SCHED_EXITED, 4, NULL, {sender, receiver, caller}, 0});
  run("events_stop", (WatchTest){WATCH_PS,
                                 SCHED_EXITED,
                                 64,
                                 NULL,
                                 {stopper, caller, worker, caller},
                                 0});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stopped_from_outside),
      cmocka_unit_test(stops_are_given_up),
      cmocka_unit_test(against_other_stops),
      cmocka_unit_test(deadlocks_meanwhile_are_found),
      cmocka_unit_test(posts_meanwhile_arrive),
      cmocka_unit_test(events_are_kept),
  };
  explore_program(22);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
