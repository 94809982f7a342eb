// SPDX-License-Identifier: MIT
// Crowding under interleaving (row 16b). Gs whose turns crowd make Ms rest.
// What an M that rests has left runs on another P, and the last M that works
// does not rest. While the runtime is quiet, what waits in a queue is found in
// time, whatever the running G does. Timers and posts are not late.
//
// Time: a thread that computes sleeps in virtual time, which goes on when all
// threads sleep. So each thread that can go on has done so before time does,
// and a bound on waiting is a number of looks of one thread that watches.
//
// A window is judged after 2 events here, and nothing keeps rests apart, so
// that small programs are crowded.
//
// Found when broken (tests/explore/mutants):
//   the last one that works rests
//   a rest without an end
//   what was left is taken by nobody
//   a quiet time without an end, for a look, for a search and for sysmon
//   a turn that lasts wakes nobody
//   posts that a thread has left to one that looked for work
//   an urgent G that has no turn wakes nobody
// crowd_look needs up to a minute to find that a batch from the global queue
// wakes nobody, that an M rests though the quiet time is over, that two end it,
// and that an M rests that looks for work. crowd_timers needs as long for an M
// that rests beside urgent Gs.
#define CROWD_EVENTS 2
#define CROWD_APART_NS 0
#include "tests/explore/sched_explore.h"

enum {
  CROWD_TASKS = 8,
  CROWD_YIELDERS = 3,
  CROWD_TURNS = 6,
  MANY_TURNS = 120,
  SLOW_SENDS = 60,   // longer than BY_SYSMON
  WINDOW_LOOKS = 4,  // of a window that is not crowded
  CROWD_LIMIT = 60000,
  WATCH_NS = 20 * NS_PER_US,
  ONE_CALL_NS = 500 * NS_PER_US,
};

// How long the first rest is.
enum {
  LONG_REST = 2 * NS_PER_MS,
  MIDDLE_REST = 400 * NS_PER_US,
  SHORT_REST = 100 * NS_PER_US,
  TINY_REST = 50 * NS_PER_US,
};

// How often the watcher looks until a G that waits is found.
enum {
  AT_ONCE = 4,      // an M is on its way
  IN_A_TURN = 12,   // two looks that read the clock; each fourth does
  IN_TURNS = 10,    // the searches of some turns
  IN_CALLS = 60,    // twice ONE_CALL_NS
  BY_SYSMON = 520,  // which sleeps for 10 ms
  NOT_ASKED = 1 << 20,
};

// What the scenario is about, and how long it may take.
typedef struct CrowdTest {
  int procs;
  void (*body)(P *p, Task *task);
  int64_t rest;
  int rests;  // a G may wait for as long as so many, the last one's length,
  int looks;  // ... and while the watcher looks so often
  bool sysmon;
} CrowdTest;

static Shared world;
static uint32_t never, over;  // atomic
static int rests;             // runs in which an M began to rest

// Timers, and a post. When each is due (0: none is), which time the watcher has
// seen there last, and how often it has seen since that it had not come.
enum { TIMERS = 2, WAITS, LATE_LOOKS = 10, FIRST_SLEEPER = 5 };
static struct {
  int64_t due, seen;
  int looks;
} waits[WAITS];

// --- The watcher ------------------------------------------------------------
static bool is_queued(Sched *sched) {
  bool queued = sched->global.count > 0;
  for (int i = 0; i < sched->ps.count; i++) {
    const P *p = sched->ps.all[i];
    queued |= p->head != p->tail;
  }
  return queued;
}

// Changes when an M gets up or lies down, and when a P that is idle has run
// something. The first of these is apart, as another P may be idle after it.
static uint64_t moves(Sched *sched) {
  uint64_t sum = (sched->stats.parks + sched->stats.wakes) << 32;
  for (int i = 0; i < sched->ps.count; i++) {
    const P *p = sched->ps.all[i];
    if (p->status == P_IDLE) sum += p->stats.schedules;
  }
  return sum;
}

// A P that runs sees to its own timers, in its looks.
static bool is_late(int wait) {
  if (waits[wait].due == 0 || waits[wait].due >= explore_now()) return false;
  const P *owner =
      wait < TIMERS ? world.tasks[FIRST_SLEEPER + wait].timer.owner : NULL;
  return owner == NULL || owner->status == P_IDLE;
}

static void watch_waits(void) {
  for (int i = 0; i < WAITS; i++) {
    bool again = waits[i].due == waits[i].seen;
    waits[i].seen = waits[i].due;
    waits[i].looks = is_late(i) && again ? waits[i].looks + 1 : 0;
    EXPLORE_CHECK(waits[i].looks <= LATE_LOOKS, "%s is late",
                  i < TIMERS ? "a timer" : "a post");
  }
}

// A G waits in a queue, a P is idle, and nothing has moved since.
static void watch_queues(void *arg) {
  const CrowdTest *test = arg;
  Sched *sched = world.sched;
  uint64_t seen = 0;
  int in_a_row = 0;
  while (!rt_load_seq(&over)) {
    explore_futex_wait(&over, 0, explore_now() + WATCH_NS);
    bool wait =
        sched->idle_count > 0 && is_queued(sched) && moves(sched) == seen;
    in_a_row = wait ? in_a_row + 1 : 0;
    seen = moves(sched);
    watch_waits();
    int64_t rest = test->rests * sched->crowd.rest_ns;
    EXPLORE_CHECK(in_a_row <= test->looks + rest / WATCH_NS,
                  "a goroutine waits in a queue while a P is idle");
  }
}

// So that its window is judged while others wait in its ring.
static void no_quick_switch(P *p) {
  rt_or(&p->look, (uint32_t)LOOK_INBOX);  // RMW: as others set it
}

// --- Gs ---------------------------------------------------------------------
static void compute_for(int64_t ns) {
  explore_futex_wait(&never, 0, explore_now() + ns);
}

static bool others_are_done(const Task *task) {
  return rt_load_seq(&task->shared->flag) >= (uint32_t)task->n;
}

static void crowd_go(P *p, int at, void (*body)(P *p, Task *task), int64_t n) {
  world.tasks[at].n = n;
  world_go(p, &world.tasks[at], body);
}

// Turns that crowd.
static void yield_crowded(P *p, Task *task) {
  CO_BEGIN;
  for (; task->n > 0; task->n--) {
    p->crowding++;
    CO_YIELD;
  }
  rt_add(&task->shared->flag, 1u);
  CO_END;
}

static void begin_yielders(P *p) {
  for (int i = 1; i <= CROWD_YIELDERS; i++)
    crowd_go(p, i, yield_crowded, CROWD_TURNS);
}

static void yielders_alone(P *p, Task *task) {
  begin_yielders(p);
  task_end(p, task);
}

// --- Through a channel: what is readied lies in a ring ---------------------
static void send_crowded(P *p, Task *task) {
  CO_BEGIN;
  for (; task->n > 0; task->n--) {
    p->crowding++;
    compute_for(task->a);
    no_quick_switch(p);
    CO_SEND(task->shared->chans[0], 1);
  }
  CO_END;
}

static void receive(P *p, Task *task) {
  CO_BEGIN;
  for (; task->n > 0; task->n--) CO_RECV(task->shared->chans[task->b]);
  CO_END;
}

// Turns of a host's natives: no looks, and few searches.
static void send_slowly(P *p, Task *task) {
  CO_BEGIN;
  for (; task->n > 0; task->n--) {
    compute_for(task->a);
    CO_SEND(task->shared->chans[0], 1);
  }
  CO_END;
}

// 3 send, each turn so long, and 1 receives.
static void begin_senders(P *p, void (*body)(P *p, Task *task), int64_t sends,
                          int64_t ns) {
  for (int i = 4; i <= 6; i++) {
    world.tasks[i].a = ns;
    crowd_go(p, i, body, sends);
  }
  crowd_go(p, 7, receive, 3 * sends);
}

static void senders_alone(P *p, Task *task) {
  begin_senders(p, send_crowded, CROWD_TURNS, 0);
  task_end(p, task);
}

// --- Beside one that computes ----------------------------------------------
static void compute_with_looks(P *p, Task *task) {
  CO_BEGIN;
  while (!others_are_done(task)) {
    compute_for(WATCH_NS);
    CO_LOOK;
  }
  CO_END;
}

static void beside_looks(P *p, Task *task) {
  begin_yielders(p);
  task->n = CROWD_YIELDERS;
  task->body = compute_with_looks;
  compute_with_looks(p, task);
}

// Without a look, until they have ended, or longer than they may wait: one that
// is in runnext has no claim to another P here.
static void wait_in_native(const Task *task) {
  for (int i = 0; i < 2 * BY_SYSMON && !others_are_done(task); i++)
    compute_for(WATCH_NS);
}

static void compute_in_native(P *p, Task *task) {
  wait_in_native(task);
  task_end(p, task);
}

static void beside_native(P *p, Task *task) {
  begin_yielders(p);
  task->n = CROWD_YIELDERS;
  compute_in_native(p, task);
}

// --- What is queued late: while an M rests, or after that ------------------
static void end_at_once(P *p, Task *task) {
  rt_add(&task->shared->flag, 1u);
  task_end(p, task);
}

// One M rests once, has done all it had soon after that, and sleeps.
static void begin_one_rest(P *p) {
  crowd_go(p, 1, yield_crowded, 3);
  compute_for((1 + explore_choose(16)) * WATCH_NS);
}

static void queue_three(P *p, Task *task) {
  for (int i = 4; i <= 6; i++) crowd_go(p, i, end_at_once, 0);
  task->n = 4;
}

// An M rests now. With two Ps no other begins to, as one goes on.
static bool one_rests(void) {
  const Sched *sched = world.sched;
  return sched->idle_count > 0 && sched->crowd.rested_until > explore_now();
}

static void queue_in_rest(P *p, Task *task) {
  begin_one_rest(p);
  if (one_rests()) queue_three(p, task);
  compute_in_native(p, task);
}

// An M has rested. What is queued now wakes nobody yet.
static bool quiet_after_rest(void) {
  const Sched *sched = world.sched;
  int64_t now = explore_now();
  return sched->idle_count > 0 && sched->crowd.rested_until <= now &&
         sched->crowd.quiet_until > now;
}

static void yield_slowly(P *p, Task *task) {
  CO_BEGIN;
  for (; task->n > 0; task->n--) {
    p->crowding++;
    compute_for(WATCH_NS);
    CO_YIELD;
  }
  CO_END;
}

// What is queued when it is so: senders, or three beside a native.
static void queue_in_quiet(P *p, Task *task) {
  if (task->a == 0) {
    begin_senders(p, send_crowded, 2 * CLOCK_SEARCHES, 5 * NS_PER_US);
  } else if (task->a == 2) {
    begin_senders(p, send_slowly, SLOW_SENDS, 5 * WATCH_NS);
  } else {
    for (int i = 4; i <= 6; i++) crowd_go(p, i, end_at_once, 0);
    task->n = 3;
    wait_in_native(task);
  }
  task->a = -1;
}

// Turns by runnext alone, so that an M that has rested finds nothing, and more
// turns than before, so that its rest was not in vain.
static void turns_until_quiet(P *p, Task *task) {
  CO_BEGIN;
  crowd_go(p, 1, yield_slowly, 3);
  world.tasks[2].b = 1;
  crowd_go(p, 2, receive, MANY_TURNS);
  for (task->i = 0; task->i < MANY_TURNS; task->i++) {
    compute_for(NS_PER_US);
    if (task->a >= 0 && quiet_after_rest()) queue_in_quiet(p, task);
    CO_SEND(task->shared->chans[1], 1);
  }
  CO_END;
}

static void queue_before_turns(P *p, Task *task) {
  task->body = turns_until_quiet;
  turns_until_quiet(p, task);
}

static void queue_before_slow_turns(P *p, Task *task) {
  task->a = 2;
  queue_before_turns(p, task);
}

static void queue_before_native(P *p, Task *task) {
  task->a = 1;
  queue_before_turns(p, task);
}

// A window that is not crowded, as it has looks. It is judged before the three
// run. A G that is preempted may go on on another P, whose window has none yet.
static void queue_after_looks(P *p, Task *task) {
  CO_BEGIN;
  begin_one_rest(p);
  while (p->looks - p->window.looks < WINDOW_LOOKS) {
    compute_for(WATCH_NS);
    CO_LOOK;
  }
  if (one_rests()) {
    p->crowding += CROWD_EVENTS;
    queue_three(p, task);
    no_quick_switch(p);
    world.tasks[4].body = compute_in_native;
    world.tasks[4].n = 3;
  }
  CO_END;
}

// --- Timers and posts -------------------------------------------------------
static void compute_once(P *p, Task *task) {
  compute_for(ONE_CALL_NS);
  rt_add(&task->shared->flag, 1u);
  task_end(p, task);
}

// With 3 Ps one is left for what is due.
static void begin_two_calls(P *p) {
  crowd_go(p, 4, compute_once, 0);
  crowd_go(p, 7, compute_once, 0);
}

// Begins on the P of the one that sends, and computes after each sleep.
static void sleep_between_turns(P *p, Task *task) {
  CO_BEGIN;
  CO_RECV(task->shared->chans[2]);
  for (; task->n > 0; task->n--) {
    waits[task->i].due = explore_now() + task->b;
    CO_SLEEP(task->b);
    waits[task->i].due = 0;
    compute_for(task->a);
  }
  CO_END;
}

static void sleep_on_time(P *p, Task *task) {
  CO_BEGIN;
  for (; task->n > 0; task->n--) {
    waits[task->i].due = explore_now() + task->b;
    CO_SLEEP(task->b);
    waits[task->i].due = 0;
  }
  CO_END;
}

// By runnext alone: what is queued there wakes nobody. Each fourth turn is
// long.
static void send_in_turn(P *p, Task *task) {
  CO_BEGIN;
  CO_SEND(task->shared->chans[2], 1);
  for (; task->n > 0; task->n--) {
    compute_for((task->n + task->b) % 4 == 0 ? ONE_CALL_NS : 5 * NS_PER_US);
    no_quick_switch(p);
    CO_SEND(task->shared->chans[1], 1);
  }
  CO_END;
}

// The sleeper has no turn for as long as it computed last.
static void beside_turns(P *p, Task *task) {
  Task *sleeper = &world.tasks[FIRST_SLEEPER];
  sleeper->a = 30 * NS_PER_US;
  sleeper->b = 25 * NS_PER_US;
  crowd_go(p, FIRST_SLEEPER, sleep_between_turns, 8);
  world.tasks[2].b = 1;
  crowd_go(p, 2, receive, 4 * CROWD_TURNS);
  task->n = 4 * CROWD_TURNS;
  task->b = explore_choose(4);
  task->body = send_in_turn;
  send_in_turn(p, task);
}

static void beside_sleepers(P *p, Task *task) {
  for (int i = 0; i < TIMERS; i++) {
    Task *sleeper = &world.tasks[FIRST_SLEEPER + i];
    sleeper->i = i;
    sleeper->b = (1 + explore_choose(3)) * 25 * NS_PER_US;
    crowd_go(p, FIRST_SLEEPER + i, sleep_on_time, 4);
  }
  begin_yielders(p);
  begin_two_calls(p);
  task_end(p, task);
}

static void on_post(P *p, SchedPost *post) {
  (void)p, (void)post;
  waits[TIMERS].due = 0;
}

static void post_soon(void *arg) {
  SchedPost *post = arg;
  compute_for((1 + explore_choose(6)) * 10 * NS_PER_US);
  waits[TIMERS].due = explore_now();
  sched_post(world.sched, post);
}

static void beside_posts(P *p, Task *task) {
  static SchedPost post;
  post = (SchedPost){.fn = on_post};
  explore_go(post_soon, &post);
  begin_yielders(p);
  begin_two_calls(p);
  task_end(p, task);
}

// --- Scenarios --------------------------------------------------------------
static void crowd_body(void *arg) {
  CrowdTest *test = arg;
  over = 0;
  memset(waits, 0, sizeof waits);
  world_init(&world, test->procs, CROWD_TASKS);
  world_chan(&world, 0, 0);
  world_chan(&world, 1, 0);
  world_chan(&world, 2, 0);
  world.sched->crowd.rest_ns = test->rest / 2;
  world.sched->crowd.rested_until = explore_now();
  if (test->sysmon) rt_explore_may_start(NULL);
  explore_go(watch_queues, test);
  SchedEnd end = world_run(&world, test->body);
  rt_store_seq(&over, 1u);
  explore_futex_wake(&over, 1);
  explore_join_all();
  EXPLORE_CHECK(end == SCHED_EXITED, "goroutines were forgotten");
  world_check_empty(&world);
  rests += world.sched->crowd.rest_begun != 0;
  world_free(&world);
}

static bool has_rested(void) { return rests > 0; }

// enough: NULL, or it is searched on until this is true.
static void run_until(const char *name, CrowdTest test, bool (*enough)(void)) {
  rests = 0;
  Scenario scenario = {.name = name,
                       .body = crowd_body,
                       .arg = &test,
                       .step_limit = CROWD_LIMIT,
                       .preemptions = 0,
                       .enough = enough};
  bool done = explore(&scenario);
  assert_true(done);
}

static void run_calm(const char *name, CrowdTest test) {
  run_until(name, test, NULL);
}

static void run(const char *name, CrowdTest test) {
  run_until(name, test, has_rested);
  if (explore_is_whole()) assert_true(has_rested());
}

static void the_last_one_does_not_rest(void **state) {
  (void)state;
  run("crowd_2", (CrowdTest){2, yielders_alone, LONG_REST, 0, AT_ONCE, false});
  run("crowd_3", (CrowdTest){3, yielders_alone, LONG_REST, 0, AT_ONCE, false});
  run("crowd_ring",
      (CrowdTest){2, senders_alone, LONG_REST, 0, AT_ONCE, false});
}

static void what_waits_behind_others_is_found(void **state) {
  (void)state;
  run("crowd_look",
      (CrowdTest){2, beside_looks, LONG_REST, 0, IN_A_TURN, false});
  run("crowd_native",
      (CrowdTest){2, beside_native, SHORT_REST, 1, AT_ONCE, false});
}

static void what_is_queued_late_is_found(void **state) {
  (void)state;
  run("crowd_late",
      (CrowdTest){2, queue_in_rest, MIDDLE_REST, 1, AT_ONCE, false});
  run("crowd_turns",
      (CrowdTest){2, queue_before_turns, TINY_REST, 2, IN_TURNS, false});
  run("crowd_window",
      (CrowdTest){2, queue_after_looks, LONG_REST, 0, IN_A_TURN, false});
  run("crowd_sysmon",
      (CrowdTest){2, queue_before_native, TINY_REST, 2, BY_SYSMON, true});
  run("crowd_slow",
      (CrowdTest){2, queue_before_slow_turns, TINY_REST, 2, BY_SYSMON, true});
}

static void timers_and_posts_are_not_late(void **state) {
  (void)state;
  run("crowd_timers",
      (CrowdTest){3, beside_sleepers, LONG_REST, 0, IN_CALLS, false});
  run_calm("urgent_turns",
           (CrowdTest){2, beside_turns, SHORT_REST, 0, NOT_ASKED, false});
  run("crowd_posts",
      (CrowdTest){3, beside_posts, LONG_REST, 0, IN_CALLS, false});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_one_does_not_rest),
      cmocka_unit_test(what_waits_behind_others_is_found),
      cmocka_unit_test(what_is_queued_late_is_found),
      cmocka_unit_test(timers_and_posts_are_not_late),
  };
  explore_program(12);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
