// SPDX-License-Identifier: MIT
// A runtime that its host steps (stepped.c), under interleaving with other
// threads. No post is lost, whether the host waits inside or watches the
// descriptor. No stop that is in time is lost, and one that is early stops
// nothing. The last unpin ends a wait for nothing. A wait within a callback
// ends, too.
//
// Found when broken (tests/explore/mutants): a post that sets no note, breaks
// no wait in netpoll, or does not make the descriptor readable, a step that
// clears the break after it has looked, no alarm for a timer, an unpin or a
// stop that wakes nobody.
#include "tests/explore/sched_explore.h"

enum { HOST_TASKS = 4, POSTERS = 2, POSTS = 2, FD = 3, SLEEP_NS = 1000000000 };

typedef struct HostTest {
  void (*bodies[HOST_TASKS])(P *p, Task *task);
  bool watches;  // the descriptor; else it waits inside
  int posters;
  bool device, device_last, stopper, unpinner;
  bool stop_early;   // perhaps before the host works on anything
  bool posts_unpin;  // the poster, not the last post
  SteppedEnd end;
} HostTest;

static Shared world;
static const HostTest *host_test;
static SchedPost posts[POSTERS][POSTS];
static G *waiting_g;
static uint32_t all_done, is_waiting, is_open, posts_over;
static int ran;
static bool in_time;

// --- What Gs do -------------------------------------------------------------
static void part_done(Task *task) {
  if (rt_sub(&task->shared->running, 1u) == 1) rt_store_seq(&all_done, 1u);
}

static void begin(P *p, Task *task, void (*body)(P *p, Task *task)) {
  task->body = body;
  task_go(p, task);
}

static bool shows(G *g, void *arg) {
  (void)arg;
  waiting_g = g;
  rt_store_seq(&is_waiting, 1u);
  return true;
}

static void waits_for_posts(P *p, Task *task) {
  CO_BEGIN;
  CO_LEAVE(sched_park(p, &task->g, WAIT_OTHER, shows, NULL));
  EXPLORE_CHECK(ran == host_test->posters * POSTS, "woken after %d posts", ran);
  rt_store_seq(&posts_over, 1u);
  sched_end(p, &task->g);
  part_done(task);
}
}

static void sleeper(P *p, Task *task) {
  CO_BEGIN;
  CO_SLEEP(SLEEP_NS);
  sched_end(p, &task->g);
  part_done(task);
}
}

static void reader(P *p, Task *task) {
  CO_BEGIN;
  task->word = (uint64_t)(uintptr_t)poll_open(task->shared->sched, FD);
  rt_store_seq(&is_open, 1u);
  CO_POLL((PollDesc *)(uintptr_t)task->word, POLL_READ);
  sched_end(p, &task->g);
  part_done(task);
}
}

static void loops(P *p, Task *task) {
  CO_BEGIN;
  for (;;) CO_LOOK;
}
}

static void waits_for_ever(P *p, Task *task) {
  CO_BEGIN;
  CO_LEAVE(sched_park(p, &task->g, WAIT_OTHER, shows, NULL));
}
}

// Waits for the posts within a callback, whose G does its part.
static void calls_back(P *p, Task *task) {
  Task *inner = &task->shared->tasks[HOST_TASKS - 1];
  inner->body = waits_for_posts;
  SteppedRun run = {&all_done, RT_FOREVER, true, 0};
  SteppedEnd end = stepped_run(task->shared->sched, &inner->g, &run);
  EXPLORE_CHECK(end == STEPPED_DONE, "a callback ended with %d", (int)end);
  EXPLORE_CHECK(p->current == &task->g, "the caller does not run");
  sched_end(p, &task->g);
}

// --- Other threads ----------------------------------------------------------
static void post_ran(P *p, SchedPost *post) {
  (void)post;
  if (++ran < host_test->posters * POSTS) return;
  sched_ready(p, waiting_g);
  if (!host_test->posts_unpin) sched_unpin(p->sched);
}

static void poster(void *arg) {
  SchedPost *mine = arg;
  explore_until_set(&is_waiting);
  for (int i = 0; i < POSTS; i++) {
    mine[i].fn = post_ran;
    sched_post(world.sched, &mine[i]);
  }
  if (host_test->posts_unpin) sched_unpin(world.sched);
}

static void device(void *arg) {
  (void)arg;
  explore_until_set(&is_open);
  if (host_test->device_last) explore_until_set(&posts_over);
  rt_explore_event(FD, true, false);
}

static void stopper(void *arg) {
  (void)arg;
  in_time = stepped_stop(world.sched);
}

static void unpinner(void *arg) {
  (void)arg;
  sched_unpin(world.sched);
}

// --- The host ---------------------------------------------------------------
static SteppedEnd wait_inside(Sched *sched) {
  SteppedRun run = {&all_done, RT_FOREVER, true, 0};
  return stepped_run(sched, NULL, &run);
}

static SteppedEnd wait_outside(Sched *sched) {
  SteppedRun run = {&all_done, RT_FOREVER, false, 0};
  SteppedEnd end;
  while ((end = stepped_run(sched, NULL, &run)) == STEPPED_IDLE)
    rt_explore_watch();
  return end;
}

// --- The door ---------------------------------------------------------------
// Each thread's call may be what ends the run: the host frees the runtime then,
// and nobody is inside.
static Door *the_door;
static uint32_t host_is_free;
static SchedPost last_posts[POSTERS];

static void last_post_ran(P *p, SchedPost *post) {
  (void)post;
  sched_exit(p->sched);
}

static void visitor(void *arg) {
  SchedPost *mine = arg;
  for (int n = 0; n < 2; n++) {
    if (!door_enter(the_door)) continue;
    EXPLORE_CHECK(!rt_load_seq(&host_is_free), "inside, and it is free");
    if (n == 0) {
      mine->fn = last_post_ran;
      sched_post(world.sched, mine);
    } else {
      stepped_stop(world.sched);
    }
    EXPLORE_CHECK(!rt_load_seq(&host_is_free), "freed while one is inside");
    door_leave(the_door);
  }
  door_drop(the_door);
}

static void door_body(void *arg) {
  (void)arg;
  host_is_free = 0;
  world_init_as(&world, (SchedConfig){.stepped = true}, 0);
  the_door = door_new(&mem_libc, NULL);
  EXPLORE_CHECK(the_door != NULL && stepped_begin(world.sched),
                "out of memory");
  sched_pin(world.sched);
  for (int i = 0; i < POSTERS; i++) {
    door_keep(the_door);
    explore_go(visitor, &last_posts[i]);
  }
  SteppedRun run = {NULL, RT_FOREVER, true, 0};
  stepped_work(world.sched);
  stepped_run(world.sched, NULL, &run);
  stepped_rest(world.sched);
  door_close(the_door);
  stepped_end(world.sched);
  rt_store_seq(&host_is_free, 1u);
  EXPLORE_CHECK(!door_enter(the_door), "in by a closed door");
  explore_join_all();
  EXPLORE_CHECK(the_door->keepers == 1, "kept by %u", the_door->keepers);
  door_drop(the_door);
  world_free(&world);
}

static void check_nothing_left(Sched *sched) {
  EXPLORE_CHECK(sched->netpoll.waiters == 0 && sched->pins == 0,
                "a wait is left over");
  EXPLORE_CHECK(!inbox_pending(sched), "the inbox is not empty");
  world_check_empty(&world);
}

static void host_body(void *arg) {
  host_test = arg;
  ran = 0;
  all_done = is_waiting = is_open = posts_over = 0;
  world_init_as(&world, (SchedConfig){.stepped = true}, HOST_TASKS);
  Sched *sched = world.sched;
  for (int i = 0; i < HOST_TASKS; i++)
    world.tasks[i].g.resume = task_resume_once;
  EXPLORE_CHECK(stepped_begin(sched), "out of memory");
  bool pinned = host_test->posters > 0 || host_test->end != STEPPED_DONE;
  if (pinned) sched_pin(sched);
  for (int i = 0; i < host_test->posters; i++) explore_go(poster, posts[i]);
  if (host_test->device) explore_go(device, NULL);
  if (host_test->unpinner) explore_go(unpinner, NULL);
  if (host_test->stop_early) explore_go(stopper, NULL);
  stepped_work(sched);
  if (host_test->stopper) explore_go(stopper, NULL);
  if (host_test->watches) stepped_fd(sched);
  for (int i = 0; i < HOST_TASKS && host_test->bodies[i] != NULL; i++)
    begin(sched->host.m->p, &world.tasks[i], host_test->bodies[i]);
  SteppedEnd end =
      host_test->watches ? wait_outside(sched) : wait_inside(sched);
  explore_join_all();
  if (host_test->stop_early) {
    EXPLORE_CHECK(end == STEPPED_DONE || in_time,
                  "a stop was early, and stops");
    EXPLORE_CHECK(end == STEPPED_OVER || stepped_clear_stop(sched) == in_time,
                  "a stop is lost");
    stepped_rest(sched);
  } else {
    EXPLORE_CHECK(end == host_test->end, "it ended with %d", (int)end);
  }
  if (end == STEPPED_DONE) check_nothing_left(sched);
  EXPLORE_CHECK(stepped_clear_stop(sched) == host_test->stopper,
                "a stop is lost");
  stepped_end(sched);
  world_free(&world);
}

static void run(const char *name, HostTest test) {
  Scenario scenario = {
      .name = name, .body = host_body, .arg = &test, .preemptions = 0};
  assert_true(explore(&scenario));
}

static void waits_inside(void **state) {
  (void)state;
  run("posts", (HostTest){.bodies = {waits_for_posts}, .posters = 2});
  run("posts_poll",
      (HostTest){
          .bodies = {waits_for_posts, reader}, .posters = 1, .device = true});
  run("posts_in_poll", (HostTest){.bodies = {waits_for_posts, reader},
                                  .posters = 1,
                                  .device = true,
                                  .device_last = true});
  run("posts_unpin",
      (HostTest){
          .bodies = {waits_for_posts}, .posters = 1, .posts_unpin = true});
  run("posts_sleep",
      (HostTest){.bodies = {waits_for_posts, sleeper}, .posters = 2});
  run("callback", (HostTest){.bodies = {calls_back}, .posters = 2});
}

static void watches(void **state) {
  (void)state;
  run("watch_posts",
      (HostTest){.bodies = {waits_for_posts}, .posters = 2, .watches = true});
  run("watch_all", (HostTest){.bodies = {waits_for_posts, reader, sleeper},
                              .posters = 1,
                              .device = true,
                              .watches = true});
}

static void ends(void **state) {
  (void)state;
  run("stop_loop",
      (HostTest){.bodies = {loops}, .stopper = true, .end = STEPPED_OVER});
  run("stop_wait",
      (HostTest){
          .bodies = {waits_for_ever}, .stopper = true, .end = STEPPED_OVER});
  run("stop_early", (HostTest){.bodies = {sleeper}, .stop_early = true});
  run("unpin",
      (HostTest){
          .bodies = {waits_for_ever}, .unpinner = true, .end = STEPPED_STUCK});
}

static void leaves(void **state) {
  (void)state;
  Scenario scenario = {.name = "door", .body = door_body, .preemptions = 1};
  assert_true(explore(&scenario));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(waits_inside),
      cmocka_unit_test(watches),
      cmocka_unit_test(ends),
      cmocka_unit_test(leaves),
  };
  explore_program(13);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
