// SPDX-License-Identifier: MIT
// What cannot be is noticed (rows 1, 36, 37): a G in a wrong state, a lock out
// of order, a P that is idle or held twice, counts that do not fit. Each ends
// the program with a message that says what was wrong; here the explorer
// catches it (rt_throw). And the same steps in the right order do not.
#include "tests/explore/sched_explore.h"

// What a scenario had when it was ended is lost. (The sanitizer's library has
// to find it: all else is compiled with hidden names.)
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return 1; }

static Shared world;

static void begin(void) { world_init(&world, 2, 2); }

// --- Row 1: states ----------------------------------------------------------
static void ready_of_running(void *arg) {
  (void)arg;
  begin();
  P *p = world_hold_p(&world, 0);
  G *g = &world.tasks[0].g;
  g_change(g, G_IDLE, G_RUNNABLE);
  proc_set_running(p, g);
  sched_ready(p, g);
}

static void started_twice(void *arg) {
  (void)arg;
  begin();
  P *p = world_hold_p(&world, 0);
  sched_spawn(p, &world.tasks[0].g);
  sched_spawn(p, &world.tasks[0].g);
}

// --- Row 36: lock ranks -----------------------------------------------------
static void heap_under_sched_lock(void *arg) {
  (void)arg;
  begin();
  rt_lock(&world.sched->lock);
  Timer timer = {0};
  timer_start(world.sched->ps.all[0], &timer, 1, 0);
}

static void channels_by_falling_address(void *arg) {
  (void)arg;
  begin();
  Chan *low = world_chan(&world, 0, 1), *high = world_chan(&world, 1, 1);
  P *p = world_hold_p(&world, 0);
  chan_lock(p, high);
  chan_lock(p, low);
}

// --- Row 37: Ps, queues, counts ---------------------------------------------
static void idle_twice(void *arg) {
  (void)arg;
  begin();
  rt_lock(&world.sched->lock);
  idle_put_p(world.sched, world.sched->ps.all[0]);
}

static void idle_with_work(void *arg) {
  (void)arg;
  begin();
  P *p = world_hold_p(&world, 0);
  sched_spawn(p, &world.tasks[0].g);
  rt_lock(&world.sched->lock);
  idle_put_p(world.sched, p);
}

static void held_twice(void *arg) {
  (void)arg;
  begin();
  P *p = world_hold_p(&world, 0);
  M first = {.sched = world.sched}, second = {.sched = world.sched};
  idle_take_p(&first, p);
  idle_take_p(&second, p);
}

static void spinning_below_0(void *arg) {
  (void)arg;
  begin();
  M m = {.sched = world.sched};
  idle_stop_spinning(&m);
}

static void global_count_apart(void *arg) {
  (void)arg;
  begin();
  rt_lock(&world.sched->lock);
  world.tasks[0].g.status = G_RUNNABLE;
  global_put(world.sched, &world.tasks[0].g);
  world.sched->global.count = 2;
  global_pop(world.sched);
  global_pop(world.sched);
}

static void started_world(void *arg) {
  (void)arg;
  begin();
  stop_world_end(world.sched);
}

static void unpinned(void *arg) {
  (void)arg;
  begin();
  sched_unpin(world.sched);
}

// --- And none of it in order ------------------------------------------------
static void in_order(void *arg) {
  (void)arg;
  world_init(&world, 1, 2);
  Chan *low = world_chan(&world, 0, 1), *high = world_chan(&world, 1, 1);
  P *p = world_hold_p(&world, 0);
  G *g = &world.tasks[0].g;
  chan_lock(p, low);
  chan_lock(p, high);
  chan_unlock(p, high);
  chan_unlock(p, low);
  sched_spawn(p, g);
  proc_set_running(p, runq_take_next(p));
  g_leave(p, g, G_WAITING, WAIT_OTHER);
  sched_ready(p, g);
  proc_set_running(p, runq_take_next(p));
  sched_end(p, g);
  Timer timer = {0};
  timer_start(p, &timer, 1, 0);
  EXPLORE_CHECK(timer_stop(p, &timer), "the timer was not pending");
  sched_pin(world.sched);
  sched_unpin(world.sched);
  rt_lock(&world.sched->lock);
  g->status = G_RUNNABLE;
  global_put(world.sched, g);
  EXPLORE_CHECK(global_pop(world.sched) == g, "the global queue lost one");
  idle_put_p(world.sched, p);
  rt_unlock(&world.sched->lock);
  world_free(&world);
}

typedef struct Wrong {
  const char *name;
  void (*body)(void *arg);
  const char *text;
} Wrong;

static const Wrong wrongs[] = {
    {"ready_of_running", ready_of_running, "it must be \"waiting\""},
    {"started_twice", started_twice, "state is \"runnable\""},
    {"heap_under_sched_lock", heap_under_sched_lock, "lock order"},
    {"falling_address", channels_by_falling_address, "lock order"},
    {"idle_twice", idle_twice, "P 0 is idle twice"},
    {"idle_with_work", idle_with_work, "goes idle with goroutines"},
    {"held_twice", held_twice, "P 0 is held twice"},
    {"spinning_below_0", spinning_below_0, "fell below 0"},
    {"global_count_apart", global_count_apart, "global_is_valid"},
    {"started_world", started_world, "it was not stopped"},
    {"unpinned", unpinned, "without sched_pin"},
};
enum { WRONGS = sizeof wrongs / sizeof wrongs[0] };

static void what_cannot_be_is_noticed(void **state) {
  (void)state;
  for (int i = 0; i < WRONGS; i++) {
    const char *text = "";
    Scenario scenario = {.name = wrongs[i].name, .body = wrongs[i].body};
    assert_true(explore_finds(&scenario, &text));
    if (strstr(text, wrongs[i].text) == NULL)
      fail_msg("%s: \"%s\" is not in \"%s\"", wrongs[i].name, wrongs[i].text,
               text);
  }
}

static void what_can_be_is_not(void **state) {
  (void)state;
  Scenario scenario = {.name = "in_order", .body = in_order};
  assert_true(explore(&scenario));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_cannot_be_is_noticed),
      cmocka_unit_test(what_can_be_is_not),
  };
  explore_program(WRONGS + 1);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
