// SPDX-License-Identifier: MIT
// The ring and runnext under interleaving: one owner puts and takes, thieves
// steal, half of a full ring overflows to the global queue. Afterwards every G
// is somewhere exactly once.
//
// Found when broken (tests/explore/mutants):
//   a thief or the owner that stores head instead of claiming it by CAS
//   runnext taken, stolen or displaced by a store
//   the tail published before its slot
//   a steal that publishes one too many
//   child first: the last element taken without a CAS, and a thief that takes
//     half
// (A torn read in grab that is not retried is harmless but for the time it
// takes: the CAS fails.)
#define RUNQ_SIZE 4  // four Gs fill it
#include "tests/explore/sched_explore.h"

enum { QUEUE_PS = 3, QUEUE_GS = 12 };

// Does `steps` operations on the P `at`.
typedef struct Actor {
  void (*act)(P *p, int step);
  int at, steps;
} Actor;

static Sched *sched;
static P *ps[QUEUE_PS];
static G gs[QUEUE_GS];
static int put_count;           // the owner's: gs[0..put_count) are out
static uint32_t got[QUEUE_GS];  // how often each was found

static void found(G *g) {
  EXPLORE_CHECK(g >= gs && g < gs + QUEUE_GS, "what was taken is no goroutine");
  int id = (int)(g - gs);
  EXPLORE_CHECK(id < put_count, "goroutine %d was found before it was put", id);
  EXPLORE_CHECK(++got[id] == 1, "goroutine %d was found twice", id);
}

static G *next_g(void) {
  EXPLORE_CHECK(put_count < QUEUE_GS, "too few goroutines in this scenario");
  return &gs[put_count++];
}

// --- What actors do ---------------------------------------------------------
static void put(P *p, int step) {
  (void)step;
  runq_put(p, next_g());
}

static void put_then_pop(P *p, int step) {
  if (step < 4) {
    runq_put(p, next_g());
  } else {
    G *g = runq_pop(p);
    if (g != NULL) found(g);
  }
}

static void put_and_pop(P *p, int step) {
  if (step % 3 != 2) {
    runq_put(p, next_g());
  } else {
    G *g = runq_pop(p);
    if (g != NULL) found(g);
  }
}

static void next_and_take(P *p, int step) {
  if (step % 3 != 2) {
    runq_put_next(p, next_g(), step % 2 == 0);
  } else {
    G *g = runq_take_next(p);
    if (g == NULL) g = runq_pop(p);
    if (g != NULL) found(g);
  }
}

static void put_list(P *p, int step) {
  if (step == 0) runq_put(p, next_g());
  GList list = {0};
  for (int i = 0; i < 3; i++) glist_push(&list, next_g());
  runq_put_list(p, &list);
}

static void pop_all(P *p) {
  for (G *g; (g = runq_pop(p)) != NULL;) found(g);
}

static void steal(P *p, int step) {
  (void)step;
  G *g = runq_steal(p, ps[0], true);
  if (g != NULL) found(g);
  pop_all(p);
}

// Leaves the rest of what it got in its own ring, for the other thief.
static void steal_and_keep(P *p, int step) {
  P *victim = ps[(p->id + 1 + step % 2) % QUEUE_PS];
  if (!runq_ring_empty(p)) {
    G *g = runq_pop(p);
    if (g != NULL) found(g);
    return;
  }
  G *g = runq_steal(p, victim, step % 2 == 1);
  if (g != NULL) found(g);
}

static void get_global(P *p, int step) {
  (void)step;
  G *g = global_get(p, 0);
  if (g != NULL) found(g);
  pop_all(p);
}

static void displace(P *p, int step) {
  runq_put_next(p, next_g(), false);
  if (step % 2 == 1) runq_displace_next(p);
}

// --- A scenario: up to three actors -----------------------------------------
typedef struct QueueTest {
  Actor actors[QUEUE_PS];
  uint32_t start;  // value of head and tail: they wrap around
  PStatus status;  // of P 0: whether a thief waits before it takes runnext
  bool child_first;
} QueueTest;

static void actor_main(void *arg) {
  const Actor *actor = arg;
  for (int i = 0; i < actor->steps; i++) actor->act(ps[actor->at], i);
}

static void setup(const QueueTest *test) {
  SchedConfig config = {.procs = QUEUE_PS, .seed = 1};
  sched = sched_new(&config);
  EXPLORE_CHECK(sched != NULL, "out of memory");
  sched->config.child_first = test->child_first;
  world_quiet(sched);
  for (int i = 0; i < QUEUE_PS; i++) {
    P *p = ps[i] = sched->ps.all[i];
    p->head = p->tail = test->start;
    p->status = test->status;
  }
  memset(gs, 0, sizeof gs);
  for (int i = 0; i < QUEUE_GS; i++) gs[i].status = G_RUNNABLE;
  memset(got, 0, sizeof got);
  put_count = 0;
}

// Afterwards, alone: takes out what is left.
static void check_all_found(void) {
  for (int i = 0; i < QUEUE_PS; i++) {
    G *g = runq_take_next(ps[i]);
    if (g != NULL) found(g);
    pop_all(ps[i]);
  }
  for (G *g; (g = global_pop(sched)) != NULL;) found(g);
  for (int i = 0; i < put_count; i++) {
    EXPLORE_CHECK(got[i] == 1, "goroutine %d was lost", i);
  }
}

static void queue_body(void *arg) {
  QueueTest *test = arg;
  setup(test);
  for (int i = 0; i < QUEUE_PS; i++) {
    if (test->actors[i].act != NULL) explore_go(actor_main, &test->actors[i]);
  }
  explore_join_all();
  check_all_found();
  sched_free(sched);
}

static void run(const char *name, QueueTest *test, int preemptions) {
  Scenario scenario = {.name = name,
                       .body = queue_body,
                       .arg = test,
                       .preemptions = preemptions};
  assert_true(explore(&scenario));
}

// --- Scenarios --------------------------------------------------------------
static void owner_and_thief(void **state) {
  (void)state;
  QueueTest test = {.actors = {{put_then_pop, 0, 7}, {steal, 1, 2}},
                    .start = UINT32_MAX - 1};
  run("owner_and_thief", &test, 3);
}

static void overflow_and_thief(void **state) {
  (void)state;
  QueueTest test = {.actors = {{put, 0, 7}, {steal, 1, 3}},
                    .start = UINT32_MAX - 2};
  run("overflow", &test, 3);
}

static void torn_reads(void **state) {
  (void)state;
  QueueTest test = {.actors = {{put_and_pop, 0, 12}, {steal, 1, 2}}};
  run("torn_reads", &test, 3);
}

static void runnext_is_taken(void **state) {
  (void)state;
  QueueTest idle = {.actors = {{next_and_take, 0, 6}, {steal, 1, 3}}};
  run("runnext", &idle, 3);
  QueueTest running = idle;
  running.status = P_RUNNING;
  run("runnext_of_running", &running, 2);
}

static void two_thieves(void **state) {
  (void)state;
  QueueTest test = {.actors = {{put_and_pop, 0, 8},
                               {steal_and_keep, 1, 4},
                               {steal_and_keep, 2, 4}},
                    .start = UINT32_MAX - 3};
  run("two_thieves", &test, 2);
}

static void lists_and_global(void **state) {
  (void)state;
  QueueTest test = {
      .actors = {{put_list, 0, 3}, {steal, 1, 3}, {get_global, 2, 3}}};
  run("lists", &test, 2);
}

static void displaced(void **state) {
  (void)state;
  QueueTest test = {.actors = {{displace, 0, 8}, {steal, 1, 3}}};
  run("displaced", &test, 2);
}

// Child first: the owner takes at the tail, where it meets the thieves at the
// last element.
static void newest_first(void **state) {
  (void)state;
  QueueTest last = {.actors = {{put_and_pop, 0, 6}, {steal, 1, 3}},
                    .start = UINT32_MAX - 1,
                    .child_first = true};
  run("newest_last", &last, 3);
  QueueTest one = {.actors = {{put_then_pop, 0, 9}, {steal, 1, 3}},
                   .child_first = true};
  run("newest_one_thief", &one, 3);
  QueueTest two = {.actors = {{put_then_pop, 0, 8},
                              {steal_and_keep, 1, 3},
                              {steal_and_keep, 2, 3}},
                   .child_first = true};
  run("newest_two_thieves", &two, 2);
  QueueTest full = {.actors = {{put_and_pop, 0, 12}, {steal, 1, 3}},
                    .child_first = true};
  run("newest_overflow", &full, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(owner_and_thief), cmocka_unit_test(overflow_and_thief),
      cmocka_unit_test(torn_reads),      cmocka_unit_test(runnext_is_taken),
      cmocka_unit_test(two_thieves),     cmocka_unit_test(lists_and_global),
      cmocka_unit_test(displaced),       cmocka_unit_test(newest_first),
  };
  explore_program(12);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
