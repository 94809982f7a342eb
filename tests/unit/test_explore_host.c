// SPDX-License-Identifier: MIT
// A runtime that its host steps (host.c), under interleaving with other
// threads: no post is lost, whether the host waits inside or watches the
// descriptor; no stop is; the last unpin ends a wait for nothing; a wait within
// a callback ends, too.
//
// Found when broken (tests/explore/mutants): who posts sets no note, or breaks
// no wait in netpoll, or does not make the descriptor readable; a step that
// clears the break after it has looked; no alarm for a timer; an unpin, or a
// stop, that wakes nobody.
#include "tests/explore/sched_explore.h"

enum { HOST_TASKS = 4, POSTERS = 2, POSTS = 2, FD = 3, SLEEP_NS = 1000000000 };

typedef struct HostTest {
  void (*bodies[HOST_TASKS])(P *p, Task *t);
  bool watches;  // the descriptor; else it waits inside
  int posters;
  bool device, device_last, stopper, unpinner;
  bool posts_unpin;  // the poster, not the last post
  HostEnd end;
} HostTest;

static Shared world;
static const HostTest *host_test;
static SchedPost posts[POSTERS][POSTS];
static G *waiting_g;
static uint32_t all_done, is_waiting, is_open, posts_over;
static int ran;

// --- What Gs do -------------------------------------------------------------
static void part_done(Task *t) {
  if (rt_sub(&t->shared->running, 1u) == 1) rt_store_seq(&all_done, 1u);
}

static void begin(P *p, Task *t, void (*body)(P *p, Task *t)) {
  t->body = body;
  task_go(p, t);
}

static bool shows(G *g, void *arg) {
  (void)arg;
  waiting_g = g;
  rt_store_seq(&is_waiting, 1u);
  return true;
}

static void waits_for_posts(P *p, Task *t) {
  CO_BEGIN;
  CO_LEAVE(sched_park(p, &t->g, WAIT_OTHER, shows, NULL));
  EXPLORE_CHECK(ran == host_test->posters * POSTS, "woken after %d posts", ran);
  rt_store_seq(&posts_over, 1u);
  sched_end(p, &t->g);
  part_done(t);
}
}

static void sleeper(P *p, Task *t) {
  CO_BEGIN;
  CO_SLEEP(SLEEP_NS);
  sched_end(p, &t->g);
  part_done(t);
}
}

static void reader(P *p, Task *t) {
  CO_BEGIN;
  t->word = (uint64_t)(uintptr_t)poll_open(t->shared->s, FD);
  rt_store_seq(&is_open, 1u);
  CO_POLL((PollDesc *)(uintptr_t)t->word, POLL_READ);
  sched_end(p, &t->g);
  part_done(t);
}
}

static void loops(P *p, Task *t) {
  CO_BEGIN;
  for (;;) CO_LOOK;
}
}

static void waits_for_ever(P *p, Task *t) {
  CO_BEGIN;
  CO_LEAVE(sched_park(p, &t->g, WAIT_OTHER, shows, NULL));
}
}

// Waits for the posts within a callback, whose G does its part.
static void calls_back(P *p, Task *t) {
  Task *inner = &t->shared->tasks[HOST_TASKS - 1];
  inner->body = waits_for_posts;
  HostRun run = {&all_done, RT_FOREVER, true};
  HostEnd end = host_run(t->shared->s, &inner->g, &run);
  EXPLORE_CHECK(end == HOST_DONE, "a callback ended with %d", (int)end);
  EXPLORE_CHECK(p->current == &t->g, "the caller does not run");
  sched_end(p, &t->g);
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
    sched_post(world.s, &mine[i]);
  }
  if (host_test->posts_unpin) sched_unpin(world.s);
}

static void device(void *arg) {
  (void)arg;
  explore_until_set(&is_open);
  if (host_test->device_last) explore_until_set(&posts_over);
  rt_explore_event(FD, true, false);
}

static void stopper(void *arg) {
  (void)arg;
  host_stop(world.s);
}

static void unpinner(void *arg) {
  (void)arg;
  sched_unpin(world.s);
}

// --- The host ---------------------------------------------------------------
static HostEnd wait_inside(Sched *s) {
  HostRun run = {&all_done, RT_FOREVER, true};
  return host_run(s, NULL, &run);
}

static HostEnd wait_outside(Sched *s) {
  HostRun run = {&all_done, RT_FOREVER, false};
  HostEnd end;
  while ((end = host_run(s, NULL, &run)) == HOST_IDLE) rt_explore_watch();
  return end;
}

static void host_body(void *arg) {
  host_test = arg;
  ran = 0;
  all_done = is_waiting = is_open = posts_over = 0;
  world_init_as(&world, (SchedConfig){.stepped = true}, HOST_TASKS);
  Sched *s = world.s;
  for (int i = 0; i < HOST_TASKS; i++)
    world.tasks[i].g.resume = task_resume_once;
  EXPLORE_CHECK(host_begin(s), "out of memory");
  bool pinned = host_test->posters > 0 || host_test->end != HOST_DONE;
  if (pinned) sched_pin(s);
  for (int i = 0; i < host_test->posters; i++) explore_go(poster, posts[i]);
  if (host_test->device) explore_go(device, NULL);
  if (host_test->stopper) explore_go(stopper, NULL);
  if (host_test->unpinner) explore_go(unpinner, NULL);
  if (host_test->watches) host_fd(s);
  for (int i = 0; i < HOST_TASKS && host_test->bodies[i] != NULL; i++)
    begin(host_p(s), &world.tasks[i], host_test->bodies[i]);
  HostEnd end = host_test->watches ? wait_outside(s) : wait_inside(s);
  EXPLORE_CHECK(end == host_test->end, "it ended with %d", (int)end);
  explore_join_all();
  if (end == HOST_DONE) {
    EXPLORE_CHECK(s->poll_waiters == 0 && s->pins == 0, "a wait is left over");
    EXPLORE_CHECK(!inbox_pending(s), "the inbox is not empty");
    world_check_empty(&world);
  }
  EXPLORE_CHECK(host_clear_stop(s) == host_test->stopper, "a stop is lost");
  host_end(s);
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
      (HostTest){.bodies = {loops}, .stopper = true, .end = HOST_OVER});
  run("stop_wait",
      (HostTest){
          .bodies = {waits_for_ever}, .stopper = true, .end = HOST_OVER});
  run("unpin",
      (HostTest){
          .bodies = {waits_for_ever}, .unpinner = true, .end = HOST_STUCK});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(waits_inside),
      cmocka_unit_test(watches),
      cmocka_unit_test(ends),
  };
  explore_program(11);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
