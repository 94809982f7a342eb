// SPDX-License-Identifier: MIT
// Stop-the-world under interleaving (rows 29, 29b, 3): against running Ps,
// idle ones, those whose G is in a blocking call, and against one another. No
// G runs while the world is stopped, everybody goes on afterwards, a handshake
// reaches each P once.
//
// Found when broken (tests/explore/mutants):
//   a P that goes idle without counting itself as stopped
//   idle Ps that can still be taken
//   looks that do not stop
//   an M that is not woken by the restart
//   a restart that wakes no thief
//   one P too few waited for
//   a handshake that forgets a P that goes idle
//   a resize that forgets timers
#define RUNQ_SIZE 4  // storms of spawns fill it
#include "tests/explore/sched_explore.h"

enum { WORLD_BODIES = 5, WORLD_TASKS = 10, WORLD_PS = 3 };

static Shared world;
static uint32_t inside;  // Gs between two looks: plain, changed by steps
static bool is_stopped;
static uint32_t shaken[WORLD_PS];
static int64_t stops;

// A bit of a G's work, with a place in the middle where others run.
static void work(void) {
  EXPLORE_CHECK(!is_stopped, "a goroutine runs while the world is stopped");
  inside++;
  RT_STEP(&inside);
  EXPLORE_CHECK(!is_stopped,
                "the world was stopped around a running goroutine");
  inside--;
}

static void check_stopped(const P *mine) {
  EXPLORE_CHECK(inside == 0, "%u goroutines run in a stopped world", inside);
  const Sched *sched = mine->sched;
  for (int i = 0; i < sched->ps.count; i++) {
    const P *p = sched->ps.all[i];
    EXPLORE_CHECK(p->status == P_STOPPED, "P %d is not stopped", i);
  }
  EXPLORE_CHECK(sched->idle.ps == NULL && sched->idle_count == 0,
                "there are idle Ps in a stopped world");
}

// --- What Gs do -------------------------------------------------------------
static void worker(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 3; task->i++) {
    work();
    CO_LOOK;
  }
  work();
  CO_END;
}

// Goes on until the stopper has ended: a look that was asked to stop does.
static void endless(P *p, Task *task) {
  CO_BEGIN;
  while (!rt_load_seq(&task->shared->flag)) {
    work();
    task->a = (rt_load_seq(&p->look) & LOOK_WORLD) != 0;
    task->b = stops;
    CO_LOOK;
    EXPLORE_CHECK(!task->a || stops > task->b, "a look did not stop");
  }
  CO_END;
}

static void yielder(P *p, Task *task) {
  CO_BEGIN;
  work();
  CO_YIELD;
  work();
  CO_LOOK;
  CO_END;
}

// Two blocking calls; the P may be another afterwards.
static void caller(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 2; task->i++) {
    work();
    CO_CALL(RT_STEP(&task->i));
  }
  work();
  CO_END;
}

static void brief(P *p, Task *task) {
  work();
  task_end(p, task);
}

// A G more between any two looks.
static void storm(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = WORLD_BODIES; task->i < WORLD_TASKS; task->i++) {
    work();
    world_go(p, &task->shared->tasks[task->i], brief);
    CO_LOOK;
  }
  CO_END;
}

// Its timer's P may go away meanwhile.
static void napper(P *p, Task *task) {
  CO_BEGIN;
  work();
  CO_SLEEP(2000 * task->id);
  work();
  CO_SLEEP(1000);
  work();
  CO_END;
}

static void stop_once(P *p, Task *task) {
  if (!sched_stop_world(p, &task->g)) return;
  check_stopped(p);
  is_stopped = true;
  for (int i = 0; i < 3; i++) RT_STEP(&is_stopped);
  check_stopped(p);
  is_stopped = false;
  stops++;
  sched_start_world(p);
}

static void stopper(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 2; task->i++) {
    work();
    stop_once(p, task);
    CO_LOOK;
  }
  rt_store_seq(&task->shared->flag, 1u);
  CO_END;
}

static void job(void *arg, int worker_id, int workers) {
  EXPLORE_CHECK(is_stopped, "a job outside of the stop");
  EXPLORE_CHECK(worker_id < workers && workers <= WORLD_PS, "bad worker");
  rt_add((uint32_t *)arg, 1u << (8 * worker_id));
}

static void stopper_with_job(P *p, Task *task) {
  CO_BEGIN;
  work();
  if (sched_stop_world(p, &task->g)) {
    uint32_t ran = 0;
    is_stopped = true;
    sched_run_stopped(p, job, &ran);
    EXPLORE_CHECK(ran == 0x1 || ran == 0x101 || ran == 0x10101,
                  "workers ran as %x", ran);
    check_stopped(p);
    is_stopped = false;
    sched_start_world(p);
  }
  CO_LOOK;
  CO_END;
}

static void shake(void *arg, P *p) {
  (void)arg;
  EXPLORE_CHECK(++shaken[p->id] == 1, "P %d was shaken twice", p->id);
}

static void shaker(P *p, Task *task) {
  CO_BEGIN;
  work();
  memset(shaken, 0, sizeof shaken);
  sched_for_each_p(p, &task->g, shake, NULL);
  for (int i = 0; i < sched_procs(p->sched); i++) {
    EXPLORE_CHECK(shaken[i] == 1, "P %d was shaken %u times", i, shaken[i]);
  }
  CO_LOOK;
  CO_END;
}

static void resizer(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 2; task->i++) {
    work();
    task->line = -3;
    p = sched_set_procs(p, &task->g, task->i == 0 ? 1 : WORLD_PS);
    if (p == NULL) return;
    if (0) {
      case -3:;
    }
  }
  work();
  CO_END;
}

// For good: what is on the other Ps must go on with one.
static void shrinker(P *p, Task *task) {
  CO_BEGIN;
  work();
  task->line = -3;
  p = sched_set_procs(p, &task->g, 1);
  if (p == NULL) return;
  if (0) {
    case -3:;
  }
  work();
  CO_END;
}

// --- A G that is started while the world stops ------------------------------
static uint32_t child_ran;

static void child(P *p, Task *task) {
  rt_store_seq(&child_ran, 1u);
  task_end(p, task);
}

// Both hold their Ms: only a third one can run the child.
static void stop_and_hold(P *p, Task *task) {
  CO_BEGIN;
  while (stops == 0) {
    stop_once(p, task);
    CO_LOOK;
  }
  sched_not_alone(p);
  explore_until_set(&child_ran);
  CO_END;
}

static void start_and_hold(P *p, Task *task) {
  CO_BEGIN;
  world_spawns_wake(task->shared);
  world_go(p, &task->shared->tasks[WORLD_BODIES], child);
  while (stops == 0) CO_LOOK;
  sched_not_alone(p);
  explore_until_set(&child_ran);
  CO_END;
}

// --- Scenarios: which Gs there are ------------------------------------------
typedef struct WorldTest {
  int procs;
  void (*bodies[WORLD_BODIES])(P *p, Task *task);
} WorldTest;

static const WorldTest *world_test;

static void start_all(P *p, Task *task) {
  for (int i = 1; i < WORLD_BODIES && world_test->bodies[i] != NULL; i++) {
    world_go(p, &task->shared->tasks[i], world_test->bodies[i]);
  }
  task->body = world_test->bodies[0];
  task->body(p, task);
}

static void world_body(void *arg) {
  world_test = arg;
  is_stopped = false;
  inside = 0;
  child_ran = 0;
  if (world_test->bodies[1] == start_and_hold) stops = 0;
  world_init(&world, world_test->procs, WORLD_TASKS);
  for (int i = 0; i < WORLD_TASKS; i++) {
    world.tasks[i].g.resume = task_resume_once;  // the P may change
  }
  SchedEnd end = world_run(&world, start_all);
  EXPLORE_CHECK(end == SCHED_EXITED, "goroutines were forgotten");
  EXPLORE_CHECK(!world.sched->stop.busy, "a stop never ended");
  world_check_empty(&world);
  world_free(&world);
}

static void run(const char *name, WorldTest test) {
  Scenario scenario = {
      .name = name, .body = world_body, .arg = &test, .preemptions = 0};
  assert_true(explore(&scenario));
}

static void stops_running_and_idle(void **state) {
  (void)state;
  stops = 0;
  run("stop_running", (WorldTest){2, {stopper, worker}});
  run("stop_idle", (WorldTest){3, {stopper, yielder}});
  run("stop_endless", (WorldTest){2, {stopper, endless}});
  run("stop_storm", (WorldTest){2, {stopper, storm}});
  run("stop_two_storms", (WorldTest){3, {storm, stopper, worker, stopper}});
  run("stop_3", (WorldTest){3, {stopper, worker, yielder, worker}});
  if (explore_is_whole()) assert_true(stops > 0);
}

static void stops_calls(void **state) {
  (void)state;
  run("stop_call", (WorldTest){2, {stopper, caller}});
  run("stop_call_1", (WorldTest){1, {stopper, caller, worker}});
  run("stop_call_3", (WorldTest){3, {stopper, caller, caller, worker}});
}

static void starting_wakes(void **state) {
  (void)state;
  run("stop_and_hold", (WorldTest){3, {stop_and_hold, start_and_hold}});
}

static void stops_against_stops(void **state) {
  (void)state;
  run("two_stops", (WorldTest){2, {stopper, stopper}});
  run("three_stops", (WorldTest){3, {stopper, stopper, stopper, worker}});
  run("stop_with_job", (WorldTest){3, {stopper_with_job, worker, yielder}});
}

static void handshakes(void **state) {
  (void)state;
  run("handshake", (WorldTest){2, {shaker, worker}});
  run("handshake_3", (WorldTest){3, {shaker, caller, yielder, worker}});
  run("handshake_stop", (WorldTest){3, {shaker, stopper, worker}});
}

static void resizes(void **state) {
  (void)state;
  run("resize", (WorldTest){3, {resizer, worker, caller}});
  run("resize_twice", (WorldTest){3, {resizer, resizer, worker}});
  run("resize_timers", (WorldTest){3, {resizer, napper, napper}});
  run("shrink_timers", (WorldTest){3, {napper, napper, shrinker, storm}});
  run("resize_storm", (WorldTest){2, {storm, resizer, napper}});
  run("resize_stop", (WorldTest){3, {resizer, stopper, yielder}});
  run("resize_handshake", (WorldTest){2, {resizer, shaker}});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stops_running_and_idle),
      cmocka_unit_test(stops_calls),
      cmocka_unit_test(starting_wakes),
      cmocka_unit_test(stops_against_stops),
      cmocka_unit_test(handshakes),
      cmocka_unit_test(resizes),
  };
  explore_program(23);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
