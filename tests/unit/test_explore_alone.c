// SPDX-License-Identifier: MIT
// Running alone under interleaving (row 16c, alone.c). Gs talk over channels on
// a P that becomes alone, in short turns or with looks. Meanwhile another P is
// taken: for a post, a sleeper, a call that is over, a spawn. What runs there
// uses the same channels.
//
//   - While a G runs on a P, no other P is alone.
//   - A P that is asked ends being alone after some turns, or looks.
//   - What is sent arrives once (the channels' own checks are on, too).
//
// Found when broken (tests/explore/mutants):
//   a P that was taken does not wait, or nobody is asked
//   a call that is over does not wait for the P that is alone
//   a P becomes alone beside others
//   a P that is alone goes on in turns, in looks, in a call, idle, or while it
//     stops the world or makes a handshake
//   a P becomes alone in the middle of a native
//   those that wait are not woken
#define ALONE_OFTEN true
#include "tests/explore/sched_explore.h"

enum {
  TALKS = 6,         // turns of each of the two that talk
  LOOKS = 20,        // of each of the two that look
  GUESTS = 3,        // what comes to other Ps
  GUEST_VALUES = 2,  // that each sends
  FIRST_GUEST = 3,
  ALONE_TASKS = FIRST_GUEST + GUESTS,
  ASKED_MOST = 3,  // turns or looks, until it ends
};

typedef struct AloneTest {
  int procs;
  void (*talker)(P *p, Task *task);
  void (*guest)(P *p, Task *task);
  bool posted;   // the guests, by a thread; else spawned
  bool stopped;  // the world, by a thread without a P
} AloneTest;

static Shared world;
static const AloneTest *now_tested;
static SchedPost posts[GUESTS];
static uint32_t alone_turns;  // in all runs: the scenarios are about them
static uint64_t seen_times;   // of its turns and looks
static int asked;             // turns or looks in a row that saw it

// At the beginning of a turn, and after each look.
static void check_alone(P *p) {
  const Sched *sched = world.sched;
  for (int i = 0; i < sched->ps.count; i++) {
    const P *other = sched->ps.all[i];
    EXPLORE_CHECK(other == p || !other->alone || other->single,
                  "P %d is alone while P %d runs", other->id, p->id);
  }
  if (sched->alone.p != p) return;
  alone_turns++;
  uint64_t times = p->stats.schedules + p->looks;
  if (times == seen_times) return;
  seen_times = times;
  asked = (p->look & LOOK_ALONE) ? asked + 1 : 0;
  EXPLORE_CHECK(asked <= ASKED_MOST, "P %d stays alone although it is asked",
                p->id);
}

// --- Those that talk --------------------------------------------------------
static void asks(P *p, Task *task) {
  check_alone(p);
  CO_BEGIN;
  for (; task->i < TALKS; task->i++) {
    CO_SEND(world.chans[0], (uint64_t)task->i);
    CO_RECV(world.chans[1]);
    EXPLORE_CHECK(task->word == (uint64_t)task->i + 1, "a wrong answer");
  }
  CO_END;
}

static void answers(P *p, Task *task) {
  check_alone(p);
  CO_BEGIN;
  for (; task->i < TALKS; task->i++) {
    CO_RECV(world.chans[0]);
    CO_SEND(world.chans[1], task->word + 1);
  }
  CO_END;
}

// The channel has room: no turn ends here, but by a look.
static void fills_and_empties(P *p, Task *task) {
  CO_BEGIN;
  for (; task->i < TALKS; task->i++) {
    check_alone(p);
    CO_SEND(world.chans[task->id - 1], (uint64_t)task->i);
    CO_RECV(world.chans[task->id - 1]);
    CO_LOOK;
  }
  CO_END;
}

// Parks with its channels in an order that locks would not have.
static void chooses(P *p, Task *task) {
  check_alone(p);
  CO_BEGIN;
  for (; task->i < GUESTS; task->i++) {
    task->cases[0] = (SelCase){.chan = world.chans[4]};
    task->cases[1] = (SelCase){.chan = world.chans[3]};
    CO_SELECT(2, SELECT_BLOCK);
    EXPLORE_CHECK(task->chosen == 1, "case %d was chosen", task->chosen);
  }
  CO_END;
}

static void looks_often(P *p, Task *task) {
  CO_BEGIN;
  for (; task->i < LOOKS; task->i++) {
    check_alone(p);
    CO_LOOK;
  }
  CO_END;
}

// A native of the library, which does not leave its P.
static void looks_aside(P *p, Task *task) {
  CO_BEGIN;
  for (; task->i < LOOKS; task->i++) {
    check_alone(p);
    p->looks++;  // so that check_alone counts it
    bool was = p->alone;
    sched_look_aside(p);
    EXPLORE_CHECK(was || !p->alone,
                  "a P becomes alone in the middle of a call");
  }
  CO_END;
}

// The thread has the P in its call.
static void is_in_call(const P *p) {
  EXPLORE_CHECK(!p->alone, "a P is alone while it is in a call");
}

static void quick_calls(P *p, Task *task) {
  check_alone(p);
  CO_BEGIN;
  for (; task->i < 2; task->i++) {
    CO_YIELD;
    CO_QUICK_CALL(is_in_call(p));
    check_alone(p);
  }
  CO_END;
}

static void stop_done(void *arg, int worker, int workers) {
  (void)arg, (void)worker, (void)workers;
}

static void stops_the_world(P *p, Task *task) {
  check_alone(p);
  CO_BEGIN;
  for (; task->i < 3; task->i++) {
    CO_YIELD;
    if (sched_stop_world(p, &task->g)) {
      sched_run_stopped(p, stop_done, NULL);
      sched_start_world(p);
    }
    CO_LOOK;
  }
  CO_END;
}

static void each_p(void *arg, P *each) { (void)arg, (void)each; }

static void shakes_hands(P *p, Task *task) {
  check_alone(p);
  CO_BEGIN;
  for (; task->i < 3; task->i++) {
    CO_YIELD;
    sched_for_each_p(p, &task->g, each_p, NULL);
    CO_LOOK;
  }
  CO_END;
}

// --- Guests -----------------------------------------------------------------
static void guest_ran(Task *task) {
  (void)task;
  rt_add(&world.counts[0], (uint64_t)1);
}

static void sends(P *p, Task *task) {
  check_alone(p);
  CO_BEGIN;
  for (; task->i < GUEST_VALUES; task->i++) CO_SEND(world.chans[2], 1);
  guest_ran(task);
  CO_END;
}

static void sends_to_choosers(P *p, Task *task) {
  check_alone(p);
  CO_BEGIN;
  for (; task->i < GUEST_VALUES; task->i++) {
    CO_SEND(world.chans[3], 1);
    CO_SEND(world.chans[2], 1);
  }
  guest_ran(task);
  CO_END;
}

static void sleeps_and_sends(P *p, Task *task) {
  check_alone(p);
  CO_BEGIN;
  CO_SLEEP(500 * task->id);
  for (; task->i < GUEST_VALUES; task->i++) CO_SEND(world.chans[2], 1);
  guest_ran(task);
  CO_END;
}

static void calls_and_sends(P *p, Task *task) {
  check_alone(p);
  CO_BEGIN;
  CO_CALL(explore_futex_wait(&world.flag, 0, explore_now() + 300 * task->id));
  check_alone(p);
  for (; task->i < GUEST_VALUES; task->i++) CO_SEND(world.chans[2], 1);
  guest_ran(task);
  CO_END;
}

static void post_guest(P *p, SchedPost *post) {
  world_go(p, &world.tasks[FIRST_GUEST + (post - posts)], now_tested->guest);
  sched_unpin(p->sched);
}

static void guest_poster(void *arg) {
  (void)arg;
  explore_until_set(&world.sched->begun);
  for (int i = 0; i < GUESTS; i++) {
    posts[i].fn = post_guest;
    sched_post(world.sched, &posts[i]);
  }
}

// --- A thread without a P that stops the world ------------------------------
static void nothing(void *arg) { (void)arg; }

static void stopper(void *arg) {
  (void)arg;
  explore_until_set(&world.sched->begun);
  for (int i = 0; i < 2; i++)
    sched_while_stopped(world.sched, RT_FOREVER, nothing, NULL);
}

// --- Scenarios --------------------------------------------------------------
static void alone_main(P *p, Task *task) {
  CO_BEGIN;
  world_go(p, &world.tasks[1], now_tested->talker);
  world_go(p, &world.tasks[2],
           now_tested->talker == asks ? answers : now_tested->talker);
  CO_YIELD;
  for (task->n = 0; !now_tested->posted && task->n < GUESTS; task->n++) {
    world_go(p, &world.tasks[FIRST_GUEST + task->n], now_tested->guest);
    CO_YIELD;
  }
  for (task->n = 0; task->n < GUESTS * GUEST_VALUES; task->n++) {
    check_alone(p);
    CO_RECV(world.chans[2]);
    EXPLORE_CHECK(task->word == 1, "a wrong value");
  }
  CO_END;
}

static void alone_body(void *arg) {
  now_tested = arg;
  asked = 0;
  seen_times = 0;
  world_init(&world, now_tested->procs, ALONE_TASKS);
  world_chan(&world, 0, 0);
  world_chan(&world, 1, now_tested->talker == fills_and_empties);
  world.chans[0]->cap = world.chans[1]->cap;
  world_chan(&world, 2, 1);
  world_chan(&world, 3, 0);
  world_chan(&world, 4, 0);
  if (now_tested->talker == quick_calls) rt_explore_may_start(NULL);
  for (int i = 0; i < ALONE_TASKS; i++)
    world.tasks[i].g.resume = task_resume_once;
  for (int i = 1; i <= 2 && now_tested->talker == asks; i++)
    world.tasks[i].g.resume = task_resume;
  if (now_tested->posted) {
    for (int i = 0; i < GUESTS; i++) sched_pin(world.sched);
    explore_go(guest_poster, NULL);
  }
  if (now_tested->stopped) explore_go(stopper, NULL);
  SchedEnd end = world_run(&world, alone_main);
  explore_join_all();
  EXPLORE_CHECK(end == SCHED_EXITED, "goroutines were forgotten");
  EXPLORE_CHECK(world.sched->alone.p == NULL, "a P is alone at the end");
  world_check_empty(&world);
  world_free(&world);
}

static bool was_alone(void) { return alone_turns > 0; }

static void run_alone(const char *name, AloneTest test) {
  Scenario scenario = {.name = name,
                       .body = alone_body,
                       .arg = &test,
                       .preemptions = 0,
                       .enough = was_alone};
  alone_turns = 0;
  assert_true(explore(&scenario));
  if (explore_is_whole()) assert_true(was_alone());
}

static void turns_end_it(void **state) {
  (void)state;
  run_alone("talk_posts", (AloneTest){2, asks, sends, true, false});
  run_alone("talk_posts_3", (AloneTest){3, asks, sends, true, false});
  run_alone("talk_sleepers",
            (AloneTest){2, asks, sleeps_and_sends, false, false});
  run_alone("talk_sleepers_3",
            (AloneTest){3, asks, sleeps_and_sends, true, false});
  run_alone("choose_posts",
            (AloneTest){2, chooses, sends_to_choosers, true, false});
  run_alone("talk_calls", (AloneTest){2, asks, calls_and_sends, false, false});
  run_alone("talk_calls_3", (AloneTest){3, asks, calls_and_sends, true, false});
}

static void looks_end_it(void **state) {
  (void)state;
  run_alone("fill_posts",
            (AloneTest){2, fills_and_empties, sends, true, false});
  run_alone("fill_calls",
            (AloneTest){3, fills_and_empties, calls_and_sends, false, false});
  run_alone("look_posts", (AloneTest){2, looks_often, sends, true, false});
  run_alone("native_posts", (AloneTest){2, looks_aside, sends, true, false});
  run_alone("look_sleepers",
            (AloneTest){2, looks_often, sleeps_and_sends, false, false});
}

static void calls_end_it(void **state) {
  (void)state;
  run_alone("quick_posts", (AloneTest){2, quick_calls, sends, true, false});
  run_alone("quick_posts_3", (AloneTest){3, quick_calls, sends, true, false});
}

static void waits_for_others_end_it(void **state) {
  (void)state;
  run_alone("stop_posts", (AloneTest){2, stops_the_world, sends, true, false});
  run_alone("stop_calls_3",
            (AloneTest){3, stops_the_world, calls_and_sends, true, false});
  run_alone("stopped_posts", (AloneTest){2, asks, sends, true, true});
  run_alone("stopped_sleepers",
            (AloneTest){2, asks, sleeps_and_sends, true, true});
  run_alone("shake_posts", (AloneTest){2, shakes_hands, sends, true, false});
  run_alone("shake_calls_3",
            (AloneTest){3, shakes_hands, calls_and_sends, true, false});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(turns_end_it),
      cmocka_unit_test(looks_end_it),
      cmocka_unit_test(calls_end_it),
      cmocka_unit_test(waits_for_others_end_it),
  };
  explore_program(20);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
