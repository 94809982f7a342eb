// SPDX-License-Identifier: MIT
// The protocol of idle.c in small: a thread that submits work against one that
// ceases to look for it, as bare functions on bare Ps, searched exhaustively.
// At the end, if there is work in a queue and an idle P, then somebody must be
// on the way: a spinning M, an M that was woken, or a searcher that took its P
// back.
//
// An M that is woken is a dummy from the pool: it keeps what it was given.
//
// Found when broken (tests/explore/mutants):
//   no second look after `spinning` was dropped, or one that forgets runnext
//   a yield that wakes nobody
//   a monitor that sleeps without a look at the Ps
// And found in earlier versions:
//   an M that did not spin and gave its P back without a second look
//     ("not_spinning")
//   a list put into the ring without a wake-up ("ready_list")
//   a waker that found no P and dropped its count late ("taken")
#include "tests/explore/sched_explore.h"

enum { IDLE_PS = 3, IDLE_GS = 4, IDLE_DUMMIES = 3 };

static Sched *sched;
static P *ps[IDLE_PS];
static M ms[IDLE_PS];
static M dummies[IDLE_DUMMIES];
static G gs[IDLE_GS];

// --- The parts --------------------------------------------------------------
// The G that runs on P 0 spawns another and goes on.
static void spawn_on_0(void *arg) {
  (void)arg;
  sched_spawn(ps[0], &gs[0]);
}

static void spawn_two_on_0(void *arg) {
  (void)arg;
  sched_spawn(ps[0], &gs[0]);
  sched_spawn(ps[0], &gs[1]);
}

// A G yields on P 0, whose M goes on with one that never leaves.
static void yield_on_0(void *arg) {
  (void)arg;
  G *g = &gs[0];
  g->status = G_RUNNING;
  g->p = ps[0];
  ps[0]->current = g;
  sched_yield_g(ps[0], g);
}

static void make_waiting(int count) {
  for (int i = 0; i < count; i++) {
    gs[i].status = G_WAITING;
    gs[i].link = i + 1 < count ? &gs[i + 1] : NULL;
  }
}

static void ready_list_on_0(void *arg) {
  (void)arg;
  make_waiting(3);
  sched_ready_list(ps[0], &gs[0], 3);
}

static void ready_two_on_0(void *arg) {
  (void)arg;
  make_waiting(2);
  sched_ready(ps[0], &gs[0]);
  sched_ready(ps[0], &gs[1]);
}

// Timers are fired.
static void ready_urgent_on_0(void *arg) {
  (void)arg;
  make_waiting(2);
  urgent_begin(ps[0], 1);
  sched_ready(ps[0], &gs[0]);
  sched_ready(ps[0], &gs[1]);
  urgent_end(ps[0]);
}

// The same for one, while a G runs there.
static void ready_urgent_beside_0(void *arg) {
  (void)arg;
  make_waiting(1);
  gs[1].status = G_RUNNING;
  ps[0]->current = &gs[1];
  urgent_begin(ps[0], 1);
  sched_ready(ps[0], &gs[0]);
  urgent_end(ps[0]);
}

// The M of a P finds nothing more.
static void give_up_1(void *arg) {
  (void)arg;
  give_up(&ms[1]);
}

static void give_up_2(void *arg) {
  (void)arg;
  give_up(&ms[2]);
}

// The M of P 1 was spinning and found a G, which makes no work.
static void stop_spinning_1(void *arg) {
  (void)arg;
  idle_stop_spinning(&ms[1]);
}

// A call comes back: takes P 0, idle until then, and its G spawns.
static void take_0_and_spawn(void *arg) {
  (void)arg;
  rt_lock(&sched->lock);
  P *p = idle_get_p(sched, ps[0]);
  rt_unlock(&sched->lock);
  if (p == NULL) return;  // somebody was woken with it
  sched_spawn(p, &gs[0]);
}

// The monitor goes to sleep, as all Ps were idle; one of them is taken. It must
// not sleep then: sysmon.c.
static void sleep_as_sysmon(void *arg) {
  (void)arg;
  sleep_wholly(sched);
}

static void take_1(void *arg) {
  (void)arg;
  rt_lock(&sched->lock);
  P *p = idle_get_p(sched, ps[1]);
  rt_unlock(&sched->lock);
  EXPLORE_CHECK(p == ps[1], "P 1 was not idle");
}

// --- A run ------------------------------------------------------------------
typedef enum PartState { PART_IDLE, PART_BUSY, PART_SPINNING } PartState;

typedef struct IdleTest {
  PartState states[IDLE_PS];
  void (*parts[IDLE_PS])(void *arg);
} IdleTest;

static void hold(int at, bool spinning) {
  rt_lock(&sched->lock);
  P *p = idle_get_p(sched, ps[at]);
  idle_take_p(&ms[at], p);
  rt_unlock(&sched->lock);
  if (!spinning) return;
  ms[at].spinning = true;
  rt_add(&sched->spinning, 1u);
}

static void setup(const IdleTest *test) {
  SchedConfig config = {.procs = IDLE_PS, .seed = 1};
  sched = sched_new(&config);
  EXPLORE_CHECK(sched != NULL, "out of memory");
  sched->config.futile_max = UINT32_MAX;  // there are no looks here
  world_quiet(sched);
  memset(gs, 0, sizeof gs);
  for (int i = 0; i < IDLE_PS; i++) {
    ps[i] = sched->ps.all[i];
    ms[i] = (M){.sched = sched};
    if (test->states[i] != PART_IDLE) {
      hold(i, test->states[i] == PART_SPINNING);
    }
  }
  rt_lock(&sched->lock);
  for (int i = 0; i < IDLE_DUMMIES; i++) {
    dummies[i] = (M){.sched = sched};
    push_m(sched, &dummies[i]);
  }
  rt_unlock(&sched->lock);
}

static bool somebody_comes(void) {
  if (sched->spinning != 0) return true;
  for (int i = 0; i < IDLE_DUMMIES; i++) {
    if (dummies[i].next_p != NULL) return true;
  }
  return false;
}

static void check_not_lost(void) {
  bool work = sched->global.count != 0;
  for (int i = 0; i < IDLE_PS; i++) {
    bool queued = runq_length(ps[i]) > 0;
    EXPLORE_CHECK(!queued || ps[i]->status != P_IDLE,
                  "P %d is idle with goroutines", i);
    work |= queued;
  }
  EXPLORE_CHECK(!work || sched->idle_count == 0 || somebody_comes(),
                "a wake-up is lost: there is work and an idle P, but nobody "
                "is on the way");
}

static void idle_body(void *arg) {
  const IdleTest *test = arg;
  setup(test);
  for (int i = 0; i < IDLE_PS; i++) {
    if (test->parts[i] != NULL) explore_go(test->parts[i], NULL);
  }
  explore_join_all();
  check_not_lost();
  sched_free(sched);
}

static void run(const char *name, IdleTest test, int preemptions) {
  Scenario scenario = {.name = name,
                       .body = idle_body,
                       .arg = &test,
                       .preemptions = preemptions};
  assert_true(explore(&scenario));
}

// --- Submitter and searcher -------------------------------------------------
static void last_spinner_stops(void **state) {
  (void)state;
  PartState busy = PART_BUSY, spins = PART_SPINNING;
  run("spawn", (IdleTest){{busy, spins, busy}, {spawn_on_0, give_up_1}}, 3);
  run("spawn_two",
      (IdleTest){{busy, spins, PART_IDLE}, {spawn_two_on_0, give_up_1}}, 3);
  run("yield", (IdleTest){{busy, spins, busy}, {yield_on_0, give_up_1}}, 3);
  run("ready_two", (IdleTest){{busy, spins, busy}, {ready_two_on_0, give_up_1}},
      3);
  run("ready_urgent",
      (IdleTest){{busy, spins, busy}, {ready_urgent_on_0, give_up_1}}, 3);
  run("urgent_beside",
      (IdleTest){{busy, spins, busy}, {ready_urgent_beside_0, give_up_1}}, 3);
  run("ready_list",
      (IdleTest){{busy, spins, busy}, {ready_list_on_0, give_up_1}}, 3);
  run("ready_list_idle",
      (IdleTest){{busy, spins, PART_IDLE}, {ready_list_on_0, give_up_1}}, 3);
}

static void nobody_spins(void **state) {
  (void)state;
  PartState busy = PART_BUSY, idle = PART_IDLE;
  run("spawn_alone", (IdleTest){{busy, idle, idle}, {spawn_on_0}}, 0);
  run("yield_alone", (IdleTest){{busy, idle, idle}, {yield_on_0}}, 0);
  run("ready_two_alone", (IdleTest){{busy, idle, idle}, {ready_two_on_0}}, 0);
  run("urgent_alone", (IdleTest){{busy, idle, idle}, {ready_urgent_on_0}}, 0);
  run("list_alone", (IdleTest){{busy, idle, busy}, {ready_list_on_0}}, 0);
}

static void one_that_does_not_spin_stops(void **state) {
  (void)state;
  PartState busy = PART_BUSY, spins = PART_SPINNING;
  run("not_spinning", (IdleTest){{busy, busy, busy}, {spawn_on_0, give_up_1}},
      3);
  run("found_meanwhile",
      (IdleTest){{busy, spins, busy}, {spawn_on_0, stop_spinning_1, give_up_2}},
      2);
  run("two_stop",
      (IdleTest){{busy, spins, spins}, {spawn_on_0, give_up_1, give_up_2}}, 2);
}

static void the_idle_p_is_taken(void **state) {
  (void)state;
  PartState busy = PART_BUSY, spins = PART_SPINNING;
  run("taken",
      (IdleTest){{PART_IDLE, spins, busy},
                 {take_0_and_spawn, stop_spinning_1, give_up_2}},
      3);
}

static void sysmon_is_woken(void **state) {
  (void)state;
  run("sysmon_sleeps", (IdleTest){.parts = {sleep_as_sysmon, take_1}}, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(last_spinner_stops),
      cmocka_unit_test(nobody_spins),
      cmocka_unit_test(one_that_does_not_spin_stops),
      cmocka_unit_test(the_idle_p_is_taken),
      cmocka_unit_test(sysmon_is_woken),
  };
  explore_program(15);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
