// SPDX-License-Identifier: MIT
// Netpoll and the inbox under interleaving (rows 23b, 24). A G that waits for a
// descriptor is woken once by an event, the deadline or close, whichever comes
// when, and by a cancellation. No post is lost. Nobody sleeps while something
// is there. No deadlock is reported while somebody waits for a descriptor.
//
// Found when broken (tests/explore/mutants):
//   a wait that does not look again at closed
//   a G that is shown by a store
//   an M that blocks in netpoll and is not broken out of it
//   two that block
//   a cancelled wait that is taken by a store
//   a deadline that passes, and wakes nobody
//   a push that rings nobody
//   a second look that forgets the inbox
#include "tests/explore/sched_explore.h"

enum { POLL_TASKS = 5, FD = 3, EVENTS = 2 };

static Shared world;
static PollDesc *desc;
static int events_seen, results[8];
static uint32_t posted, is_open;

// --- What Gs do -------------------------------------------------------------
static void opener(Task *task) {
  desc = poll_open(task->shared->sched, FD);
  EXPLORE_CHECK(desc != NULL, "the descriptor cannot be opened");
  rt_store_seq(&is_open, 1u);
}

// Until as many events have come as were sent, or it ends otherwise.
static void reader(P *p, Task *task) {
  CO_BEGIN;
  opener(task);
  while (events_seen < EVENTS) {
    CO_POLL(desc, POLL_READ);
    results[task->chosen]++;
    if (task->chosen != POLL_READY) break;
    events_seen = (int)rt_load_seq(&posted);
  }
  CO_END;
}

// Both sides of one descriptor.
static void writer(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_seq(&is_open) == 0) CO_YIELD;
  CO_POLL(desc, POLL_WRITE);
  results[task->chosen]++;
  CO_END;
}

static void closer(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_seq(&is_open) == 0) CO_YIELD;
  poll_close(p, desc);
  CO_END;
}

static void deadliner(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_seq(&is_open) == 0) CO_YIELD;
  poll_deadline(p, desc, POLL_READ, rt_now() + 5000);
  CO_END;
}

// Moves it away again: the wait must not end by it.
static void undecided(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_seq(&is_open) == 0) CO_YIELD;
  poll_deadline(p, desc, POLL_READ, rt_now() + 3000);
  poll_deadline(p, desc, POLL_READ, 0);
  rt_store_seq(&task->shared->flag, 1u);
  CO_END;
}

static void worker(P *p, Task *task) {
  CO_BEGIN;
  RT_STEP(&task->i);
  CO_YIELD;
  RT_STEP(&task->i);
  CO_END;
}

// Holds its M, looking, until the reader has had its events.
static void hog(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_seq(&task->shared->counts[0]) == 0) CO_LOOK;
  CO_END;
}

static void reader_beside_hog(P *p, Task *task) {
  CO_BEGIN;
  opener(task);
  CO_POLL(desc, POLL_READ);
  results[task->chosen]++;
  rt_store_seq(&task->shared->counts[0], (uint64_t)1);
  CO_END;
}

// --- All at once ------------------------------------------------------------
// One G arms a wait, and a device, a deadline, a cancellation and a close end
// it, in any order. It is woken by one of them, and knows by which. What comes
// later ends no other wait: the last one, of the other side, by close alone.
enum { BY_CANCEL = POLL_BUSY + 1, ENDINGS };

static Group group;
static bool has_own_deadline;  // else another G sets it, perhaps too late
static bool are_late;          // some that end it sleep first: see is_late
static int endings[ENDINGS];   // of all runs

// Those that would come first leave it to the deadline in half of the runs.
enum { LATE_NS = 9000 };
static bool is_late(void) { return are_late && explore_choose(2) == 1; }

static void takes_the_end(P *p, Task *task) {
  CO_BEGIN;
  opener(task);
  if (has_own_deadline) poll_deadline(p, desc, POLL_READ, rt_now() + 3000);
  if (g_cancelled(&task->g)) {
    results[BY_CANCEL]++;
  } else {
    CO_POLL(desc, POLL_READ);
    if (task->g.cancelled) {
      EXPLORE_CHECK(g_cancelled(&task->g) == CANCELLED, "nobody cancelled it");
      task->g.cancelled = false;
      task->chosen = BY_CANCEL;
    }
    results[task->chosen]++;
  }
  // Shielded, as deferred functions are: nothing but close ends this.
  rt_store_relaxed(&task->g.shielded, (uint8_t)1);
  CO_POLL(desc, POLL_WRITE);
  EXPLORE_CHECK(!task->g.cancelled, "a shielded wait was cancelled");
  while (task->chosen == POLL_READY) CO_POLL(desc, POLL_WRITE);
  EXPLORE_CHECK(task->chosen == POLL_CLOSED, "the other side ended by %d",
                task->chosen);
  rt_store_relaxed(&task->g.shielded, (uint8_t)0);
  group_leave(p, &task->g);
  CO_END;
}

static void canceller(P *p, Task *task) {
  CO_BEGIN;
  if (is_late()) CO_SLEEP(LATE_NS);
  group_cancel(p, &group, CANCELLED);
  CO_END;
}

static void late_closer(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_seq(&is_open) == 0) CO_YIELD;
  if (is_late()) CO_SLEEP(LATE_NS);
  poll_close(p, desc);
  CO_END;
}

static void arms(P *p, Task *task) {
  CO_BEGIN;
  group_begin(p, &task->g, &group);
  group_join(p, &group, &task->shared->tasks[1].g);
  world_go(p, &task->shared->tasks[1], takes_the_end);
  world_go(p, &task->shared->tasks[2], canceller);
  world_go(p, &task->shared->tasks[3], late_closer);
  if (!has_own_deadline) world_go(p, &task->shared->tasks[4], deadliner);
  CO_GROUP_END;
  int woken = 0;
  for (int i = 0; i < ENDINGS; i++) woken += results[i];
  EXPLORE_CHECK(woken == 1, "it was woken %d times", woken);
  for (int i = 0; i < ENDINGS; i++) endings[i] += results[i];
  CO_END;
}

// --- The world outside ------------------------------------------------------
static void device(void *arg) {
  int count = *(int *)arg;
  const uint32_t never = 0;
  explore_until_set(&is_open);
  if (is_late()) explore_futex_wait(&never, 0, rt_now() + LATE_NS);
  for (int i = 0; i < count; i++) {
    rt_add(&posted, 1u);
    rt_explore_event(FD, true, true);
  }
}

// --- Scenarios --------------------------------------------------------------
typedef struct PollTest {
  int procs, events;
  bool sysmon, deadlocks;
  void (*bodies[POLL_TASKS])(P *p, Task *task);
} PollTest;

static const PollTest *poll_test;

static void start_all(P *p, Task *task) {
  for (int i = 1; i < POLL_TASKS && poll_test->bodies[i] != NULL; i++) {
    world_go(p, &task->shared->tasks[i], poll_test->bodies[i]);
  }
  task->body = poll_test->bodies[0];
  task->body(p, task);
}

static void poll_body(void *arg) {
  poll_test = arg;
  events_seen = 0;
  posted = is_open = 0;
  desc = NULL;
  memset(results, 0, sizeof results);
  world_init(&world, poll_test->procs, POLL_TASKS);
  for (int i = 0; i < POLL_TASKS; i++)
    world.tasks[i].g.resume = task_resume_once;
  if (poll_test->sysmon) rt_explore_may_start(NULL);
  int events = poll_test->events;
  if (events > 0) explore_go(device, &events);
  SchedEnd end = world_run(&world, start_all);
  explore_join_all();
  EXPLORE_CHECK(end == SCHED_EXITED, "goroutines were forgotten");
  EXPLORE_CHECK(world.sched->netpoll.waiters == 0, "%u waits are left over",
                world.sched->netpoll.waiters);
  EXPLORE_CHECK(
      world.sched->inbox.woken == NULL && world.sched->inbox.posts == NULL,
      "the inbox is not empty");
  EXPLORE_CHECK(results[POLL_BUSY] == 0, "a wait met another one");
  world_check_empty(&world);
  world_free(&world);
}

static void run(const char *name, PollTest test) {
  Scenario scenario = {
      .name = name, .body = poll_body, .arg = &test, .preemptions = 0};
  assert_true(explore(&scenario));
}

static void events_come(void **state) {
  (void)state;
  run("event_1", (PollTest){1, EVENTS, false, false, {reader}});
  run("event_2", (PollTest){2, EVENTS, false, false, {reader, worker}});
  run("both_sides", (PollTest){2, EVENTS, false, false, {reader, writer}});
  run("sysmon", (PollTest){2, EVENTS, true, false, {reader, worker, worker}});
}

static void ends(void **state) {
  (void)state;
  run("close", (PollTest){2, 0, false, false, {reader, closer}});
  run("close_both", (PollTest){2, 0, false, false, {reader, writer, closer}});
  run("event_and_close", (PollTest){2, 1, false, false, {reader, closer}});
  run("deadline", (PollTest){2, 1, false, false, {reader, deadliner}});
  run("deadline_1", (PollTest){1, 0, false, false, {reader, deadliner}});
  run("deadline_moved",
      (PollTest){2, EVENTS, false, false, {reader, undecided}});
}

static bool saw_all_endings(void) {
  return endings[POLL_READY] > 0 && endings[POLL_DEADLINE] > 0 &&
         endings[POLL_CLOSED] > 0 && endings[BY_CANCEL] > 0;
}

static void run_endings(const char *name, PollTest test) {
  Scenario scenario = {.name = name,
                       .body = poll_body,
                       .arg = &test,
                       .preemptions = 0,
                       .enough = saw_all_endings};
  memset(endings, 0, sizeof endings);
  assert_true(explore(&scenario));
  if (explore_is_whole()) assert_true(saw_all_endings());
}

static void all_at_once(void **state) {
  (void)state;
  are_late = true;
  has_own_deadline = false;
  run_endings("all_1", (PollTest){1, 1, false, false, {arms}});
  run_endings("all_2", (PollTest){2, 1, false, false, {arms}});
  has_own_deadline = true;
  run_endings("all_own", (PollTest){2, 1, false, false, {arms}});
  run_endings("all_3", (PollTest){3, 1, false, false, {arms}});
  are_late = false;
}

static void hogs(void **state) {
  (void)state;
  run("hog_1", (PollTest){1, 1, true, false, {reader_beside_hog, hog}});
  run("hog_2", (PollTest){2, 1, true, false, {reader_beside_hog, hog, hog}});
}

// --- Posts ------------------------------------------------------------------
enum { POSTS = 3 };

static SchedPost posts[2][POSTS];
static G *waiting_g;
static int ran;

static void post_ran(P *p, SchedPost *post) {
  ran++;
  post->next = NULL;
  if (ran == 2 * POSTS) {
    sched_ready(p, waiting_g);
    sched_unpin(p->sched);
  }
}

static void poster(void *arg) {
  SchedPost *mine = arg;
  for (int i = 0; i < POSTS; i++) {
    mine[i].fn = post_ran;
    sched_post(world.sched, &mine[i]);
  }
}

static bool waits(G *g, void *arg) {
  waiting_g = g;
  rt_store_seq((uint32_t *)arg, 1u);
  return true;
}

static void post_waiter(P *p, Task *task) {
  CO_BEGIN;
  CO_LEAVE(sched_park(p, &task->g, WAIT_OTHER, waits, &is_open));
  EXPLORE_CHECK(ran == 2 * POSTS, "woken after %d posts", ran);
  CO_END;
}

static void post_thread(void *arg) {
  explore_until_set(&is_open);
  poster(arg);
}

// Also those that a poster has started: else nobody has joined them.
static void check_all_started(void) {
  for (M *m = world.sched->ms.all; m != NULL; m = m->all_next)
    EXPLORE_CHECK(m->started, "an M was started when the run had ended");
}

static void post_body(void *arg) {
  poll_test = arg;
  ran = 0;
  is_open = 0;
  world_init(&world, poll_test->procs, POLL_TASKS);
  sched_pin(world.sched);
  for (int i = 0; i < 2; i++) explore_go(post_thread, posts[i]);
  SchedEnd end = world_run(&world, start_all);
  check_all_started();
  explore_join_all();
  EXPLORE_CHECK(end == SCHED_EXITED, "goroutines were forgotten");
  EXPLORE_CHECK(ran == 2 * POSTS, "%d of %d posts", ran, 2 * POSTS);
  world_check_empty(&world);
  world_free(&world);
}

static void run_posts_of(const char *name, PollTest test) {
  Scenario scenario = {
      .name = name, .body = post_body, .arg = &test, .preemptions = 0};
  assert_true(explore(&scenario));
}

static void posts_arrive(void **state) {
  (void)state;
  run_posts_of("post_1", (PollTest){1, 0, false, false, {post_waiter}});
  run_posts_of("post_2",
               (PollTest){2, 0, false, false, {post_waiter, worker, worker}});
  run_posts_of("post_3", (PollTest){3, 0, false, false, {post_waiter, worker}});
}

// The main G holds its M, so the one post is run by an M that the poster
// starts; all may be over before the poster goes on.
static uint32_t post_has_run;

static void last_post_ran(P *p, SchedPost *post) {
  (void)post;
  rt_store_seq(&post_has_run, 1u);
  sched_unpin(p->sched);
}

static void last_poster(void *arg) {
  (void)arg;
  explore_until_set(&is_open);
  posts[0][0].fn = last_post_ran;
  sched_post(world.sched, &posts[0][0]);
}

static void post_holder(P *p, Task *task) {
  CO_BEGIN;
  sched_not_alone(p);
  rt_store_seq(&is_open, 1u);
  explore_until_set(&post_has_run);
  CO_END;
}

static void last_post_body(void *arg) {
  (void)arg;
  is_open = post_has_run = 0;
  world_init(&world, 2, POLL_TASKS);
  sched_pin(world.sched);
  explore_go(last_poster, NULL);
  SchedEnd end = world_run(&world, post_holder);
  check_all_started();
  explore_join_all();
  EXPLORE_CHECK(end == SCHED_EXITED, "goroutines were forgotten");
  world_check_empty(&world);
  world_free(&world);
}

static void last_post_is_left_at_once(void **state) {
  (void)state;
  Scenario scenario = {
      .name = "post_last", .body = last_post_body, .preemptions = 2};
  assert_true(explore(&scenario));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(events_come),
      cmocka_unit_test(ends),
      cmocka_unit_test(all_at_once),
      cmocka_unit_test(hogs),
      cmocka_unit_test(posts_arrive),
      cmocka_unit_test(last_post_is_left_at_once),
  };
  explore_program(20);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
