// SPDX-License-Identifier: MIT
// Handing on (hand.c). Receivers of one channel are made ready at once, and
// each of them needs an M of its own: it holds its M, and never looks, until
// all have run. So a part that is lost, or an M that sleeps on with it, makes
// all threads sleep, and the explorer says so.
//
// Found when broken (tests/explore/mutants):
//   an M is given its P before the Gs lie there
//   an M that others wake while it is claimed does not wait for its P
//   an M that is given a P is not woken
#define HAND_GROUP 1
#include "tests/explore/sched_explore.h"

enum { HAND_TASKS = 5 };

static uint32_t ran[HAND_TASKS];  // set by each receiver
static int receivers;
static bool ends;  // the main G does not wait for them

static void hold_until_all_ran(void) {
  for (int i = 1; i <= receivers; i++) explore_until_set(&ran[i]);
}

static void hand_receiver(P *p, Task *task) {
  CO_BEGIN;
  CO_RECV(task->shared->chans[0]);
  rt_store_seq(&ran[task->id], 1u);
  if (!ends) hold_until_all_ran();
  CO_END;
}

static int receivers_that_wait(const Chan *chan) {
  int count = 0;
  for (const Waiter *w = chan->recv_first; w != NULL; w = w->next) count++;
  return count;
}

// Wakes threads of the pool, as a post does: what they find is up to them.
static void wake_the_pool(Sched *sched) {
  rt_lock(&sched->lock);
  for (M *m = sched->ms.all; m != NULL; m = m->all_next) idle_wake_m(m);
  rt_unlock(&sched->lock);
}

static void disturb(void *sched) {
  for (int i = 0; i < 2; i++) wake_the_pool(sched);
}

static void hand_main(P *p, Task *task) {
  CO_BEGIN;
  for (int i = 1; i <= receivers; i++)
    world_go(p, &task->shared->tasks[i], hand_receiver);
  while (receivers_that_wait(task->shared->chans[0]) < receivers) CO_YIELD;
  chan_close(p, task->shared->chans[0]);
  if (ends)
    sched_exit(p->sched);
  else
    hold_until_all_ran();
  CO_END;
}

static void hand_run(int procs, bool disturbed) {
  Shared world;
  memset(ran, 0, sizeof ran);
  world_init(&world, procs, receivers + 1);
  world_chan(&world, 0, 0);
  for (int i = 0; i <= receivers; i++)
    world.tasks[i].g.resume = task_resume_once;  // it may change its P
  int other = disturbed ? explore_go(disturb, world.sched) : 0;
  SchedEnd end = world_run(&world, hand_main);
  if (disturbed) explore_join(other);
  EXPLORE_CHECK(end == SCHED_EXITED, "the runtime thinks it is deadlocked");
  for (int i = 0; !ends && i <= receivers; i++)
    EXPLORE_CHECK(world.tasks[i].done, "task %d is not done", i);
  if (!ends) world_check_empty(&world);
  world_free(&world);
}

static void each_runs(void *arg) {
  (void)arg;
  hand_run(4, false);
}

static void each_runs_disturbed(void *arg) {
  (void)arg;
  hand_run(4, true);
}

static void a_list_wakes_all(void **state) {
  (void)state;
  ends = false;
  receivers = 3;
  Scenario all = {.name = "hand_3", .body = each_runs, .preemptions = 0};
  assert_true(explore(&all));
  Scenario disturbed = {
      .name = "hand_woken", .body = each_runs_disturbed, .preemptions = 0};
  assert_true(explore(&disturbed));
}

// The runtime ends while parts are on their way.
static void the_end_comes_meanwhile(void **state) {
  (void)state;
  ends = true;
  receivers = 4;
  Scenario scenario = {
      .name = "hand_end", .body = each_runs_disturbed, .preemptions = 0};
  assert_true(explore(&scenario));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_list_wakes_all),
      cmocka_unit_test(the_end_comes_meanwhile),
  };
  explore_program(3);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
