// SPDX-License-Identifier: MIT
// runq.c under weak memory. The owner (thread 0, P 0) puts and takes, and
// thieves (threads 1 and 2, with Ps 1 and 2) steal. No G is lost or taken
// twice. The thread that takes one sees what was written before it was put. A
// slot is not reused before its last reader is through.
#include "sched/global.h"
#include "sched/runq.h"
#include "world.h"

enum { START = UINT32_MAX - 1 };  // head and tail wrap around

static int put_count;

static void setup(void) {
  world_setup();
  put_count = 0;
  for (int i = 0; i < WORLD_PS; i++) {
    ps[i].head = ps[i].tail = START;
    relacy_ring(&ps[i].head, ps[i].ring, RUNQ_SIZE);
  }
}

// P 1 has a queue of its own.
static void setup_two_queues(void) {
  setup();
  for (int i = 0; i < 3; i++) runq_put(&ps[1], work_new(put_count++));
}

// The owner takes from the tail.
static void setup_child_first(void) {
  setup();
  sched.config.child_first = true;
}

static void setup_idle_status(void) {
  setup();
  // a thief takes the runnext of a P in a call without waiting
  ps[0].status = P_SYSCALL;
}

static void check(void) { work_check(put_count); }

static G *next_g(void) { return work_new(put_count++); }

// --- The owner --------------------------------------------------------------
static void put_three(void) {
  for (int i = 0; i < 3; i++) runq_put(my_p(), next_g());
}

static void put_and_pop(void) {
  P *p = my_p();
  for (int i = 0; i < 6; i++) {
    runq_put(p, next_g());
    if (i % 3 != 0) work_found(runq_pop(p));
  }
}

static void put_and_pop_all(void) {
  P *p = my_p();
  for (int i = 0; i < 3; i++) runq_put(p, next_g());
  for (G *g; (g = runq_pop(p)) != NULL;) work_found(g);
  runq_put(p, next_g());
  work_found(runq_pop(p));
}

// The ring is full twice, if nobody steals.
static void put_eight(void) {
  for (int i = 0; i < 8; i++) runq_put(my_p(), next_g());
}

static void put_list(void) {
  P *p = my_p();
  runq_put(p, next_g());
  GList list = {0};
  for (int i = 0; i < 4; i++) glist_push(&list, next_g());
  runq_put_list(p, &list);
}

// Lists go into slots that thieves have emptied.
static void put_lists(void) {
  P *p = my_p();
  for (int k = 0; k < 3; k++) {
    GList list = {0};
    for (int i = 0; i < 3; i++) glist_push(&list, next_g());
    runq_put_list(p, &list);
  }
}

static void take_own(void) {
  P *p = my_p();
  G *g = runq_take_next(p);
  work_found(g != NULL ? g : runq_pop(p));
}

static void put_next(void) {
  P *p = my_p();
  for (int i = 0; i < 5; i++) {
    runq_put_next(p, next_g(), i % 2 == 0);
    if (i == 2 || i == 4) take_own();
  }
}

static void fill_next(void) {
  P *p = my_p();
  for (int i = 0; i < 3; i++) {
    G *g = next_g();
    if (!runq_fill_next(p, g)) runq_put(p, g);
    if (i == 1) runq_displace_next(p);
  }
  take_own();
}

// --- Thieves ----------------------------------------------------------------
static void steal(P *victim, bool next_too) {
  P *p = my_p();
  for (G *g; (g = runq_pop(p)) != NULL;) work_found(g);
  work_found(runq_steal(p, victim, next_too));
}

static void steal_twice(void) {
  steal(&ps[0], false);
  steal(&ps[0], false);
}

static void steal_next(void) {
  steal(&ps[0], true);
  steal(&ps[0], true);
}

// Others have emptied its own queue; it has not been looked at since.
static void steal_when_empty(void) {
  P *p = my_p();
  while (rt_load_relaxed(&p->head) != p->tail) rt_yield_cpu();
  steal(&ps[0], false);
}

// What P 1 has stolen, P 2 steals from it.
static void steal_onward(void) {
  steal(&ps[1], false);
  steal(&ps[1], true);
}

static void get_global(void) {
  P *p = my_p();
  for (int i = 0; i < 2; i++) {
    work_found(global_get(p, 0));
    for (G *g; (g = runq_pop(p)) != NULL;) work_found(g);
  }
}

static const RelacyScenario all[] = {
    {"put", setup, {put_three, steal_twice}, check, 10000, 25000, 2},
    {"two_thieves",
     setup,
     {put_three, steal_twice, steal_twice},
     check,
     15000,
     0,
     0},
    {"reuse",
     setup,
     {put_and_pop, steal_twice, steal_twice},
     check,
     15000,
     0,
     0},
    {"overflow",
     setup,
     {put_eight, steal_twice, steal_twice},
     check,
     15000,
     0,
     0},
    {"overflow_global",
     setup,
     {put_eight, steal_twice, get_global},
     check,
     15000,
     0,
     0},
    {"list", setup, {put_list, steal_twice, get_global}, check, 15000, 0, 0},
    {"list_reuse",
     setup,
     {put_lists, steal_twice, steal_twice},
     check,
     15000,
     0,
     0},
    {"onward",
     setup,
     {put_three, steal_twice, steal_onward},
     check,
     15000,
     0,
     0},
    {"refill",
     setup_two_queues,
     {put_three, steal_when_empty, steal_onward},
     check,
     15000,
     0,
     0},
    {"newest",
     setup_child_first,
     {put_and_pop_all, steal_twice},
     check,
     20000,
     25000,
     2},
    {"newest_two",
     setup_child_first,
     {put_and_pop_all, steal_twice, steal_twice},
     check,
     20000,
     30000,
     2},
    {"newest_onward",
     setup_child_first,
     {put_and_pop, steal_twice, steal_onward},
     check,
     15000,
     0,
     0},
    {"newest_overflow",
     setup_child_first,
     {put_eight, steal_twice, steal_twice},
     check,
     15000,
     0,
     0},
    {"next", setup, {put_next, steal_next}, check, 20000, 25000, 2},
    {"next_two", setup, {put_next, steal_next, steal_next}, check, 15000, 0, 0},
    {"next_call",
     setup_idle_status,
     {put_next, steal_next, steal_next},
     check,
     15000,
     0,
     0},
    {"fill", setup, {fill_next, steal_next, steal_next}, check, 15000, 0, 0},
};

int main(int argc, char **argv) {
  return relacy_main(argc, argv, all, sizeof all / sizeof *all);
}
