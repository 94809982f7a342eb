// SPDX-License-Identifier: MIT
// White-box tests of the queues: a P's ring and runnext, overflow, stealing,
// the global queue, the order of thieves, the masks.
#include <pthread.h>

#include "sched_fixture.h"
// the fixture first: cmocka wants its headers before
#include "sched/global.h"
#include "sched/internal.h"
#include "sched/mask.h"
#include "sched/runq.h"
#include "sched/steal_order.h"

static Sched *new_sched(int procs) {
  SchedConfig config = {.procs = procs, .seed = 7};
  return sched_new(&config);
}

static G *new_gs(int count) {
  G *gs = calloc((size_t)count, sizeof *gs);
  for (int i = 0; i < count; i++) {
    gs[i].id = (uint64_t)i + 1;
    gs[i].status = G_RUNNABLE;
  }
  return gs;
}

// Empties what is left: a P goes idle only when it is empty.
static void drain(Sched *sched) {
  GList list = {0};
  for (int i = 0; i < sched_procs(sched); i++)
    runq_flush(sched_p(sched, i), &list);
  sched_free(sched);
}

static void ring_is_fifo(void **state) {
  (void)state;
  Sched *sched = new_sched(2);
  P *p = sched_p(sched, 0);
  G *gs = new_gs(RUNQ_SIZE);
  for (int round = 0; round < 10; round++) {
    assert_null(runq_pop(p));
    for (int i = 0; i < RUNQ_SIZE; i++) runq_put(p, &gs[i]);
    assert_int_equal(runq_length(p), RUNQ_SIZE);
    for (int i = 0; i < RUNQ_SIZE; i++) assert_ptr_equal(runq_pop(p), &gs[i]);
  }
  assert_int_equal(global_count(sched), 0);
  drain(sched);
  free(gs);
}

static void ring_wraps_around(void **state) {
  (void)state;
  Sched *sched = new_sched(2);
  P *p = sched_p(sched, 0), *thief = sched_p(sched, 1);
  G *gs = new_gs(2);
  p->head = p->tail = UINT32_MAX;  // the indices themselves wrap
  thief->head = thief->tail = UINT32_MAX - 1;
  runq_put(p, &gs[0]);
  runq_put(p, &gs[1]);
  assert_int_equal(runq_length(p), 2);
  assert_ptr_equal(runq_steal(thief, p, false), &gs[0]);
  assert_ptr_equal(runq_pop(p), &gs[1]);
  assert_null(runq_pop(p));
  drain(sched);
  free(gs);
}

static void full_ring_overflows_by_half(void **state) {
  (void)state;
  Sched *sched = new_sched(1);
  P *p = sched_p(sched, 0);
  G *gs = new_gs(RUNQ_SIZE + 1);
  for (int i = 0; i <= RUNQ_SIZE; i++) runq_put(p, &gs[i]);
  assert_int_equal(global_count(sched), RUNQ_SIZE / 2 + 1);
  assert_int_equal(runq_length(p), RUNQ_SIZE / 2);
  rt_lock(&sched->lock);
  for (int i = 0; i < RUNQ_SIZE / 2; i++) {
    assert_ptr_equal(global_pop(sched), &gs[i]);  // the oldest half
  }
  assert_ptr_equal(global_pop(sched), &gs[RUNQ_SIZE]);  // and the new one
  assert_null(global_pop(sched));
  rt_unlock(&sched->lock);
  drain(sched);
  free(gs);
}

static void runnext_displaces_to_the_tail(void **state) {
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    Sched *sched = new_sched(procs);
    P *p = sched_p(sched, 0);
    G *gs = new_gs(3);
    runq_put(p, &gs[0]);
    assert_false(runq_put_next(p, &gs[1], false));
    assert_true(runq_put_next(p, &gs[2], true));
    assert_ptr_equal(runq_take_next(p), &gs[2]);
    assert_null(runq_take_next(p));
    assert_ptr_equal(runq_pop(p), &gs[0]);
    assert_ptr_equal(runq_pop(p), &gs[1]);
    drain(sched);
    free(gs);
  }
}

static void thieves_take_half_rounded_up(void **state) {
  (void)state;
  for (int n = 1; n <= RUNQ_SIZE; n++) {
    Sched *sched = new_sched(2);
    P *p = sched_p(sched, 0), *thief = sched_p(sched, 1);
    G *gs = new_gs(n);
    for (int i = 0; i < n; i++) runq_put(p, &gs[i]);
    uint32_t half = (uint32_t)(n - n / 2);
    assert_ptr_equal(runq_steal(thief, p, false), &gs[half - 1]);
    assert_int_equal(runq_length(thief), half - 1);
    assert_int_equal(runq_length(p), (uint32_t)n - half);
    drain(sched);
    free(gs);
  }
}

static void runnext_is_stolen_on_the_last_round(void **state) {
  (void)state;
  Sched *sched = new_sched(2);
  P *p = sched_p(sched, 0), *thief = sched_p(sched, 1);
  G *gs = new_gs(1);
  p->status = P_RUNNING;
  runq_put_next(p, gs, false);
  assert_null(runq_steal(thief, p, false));
  int64_t begin = rt_now();
  assert_ptr_equal(runq_steal(thief, p, true), gs);
  assert_true(rt_now() - begin >= 3000);  // row 12: it waited and looked again
  assert_null(p->runnext);
  drain(sched);
  free(gs);
}

// --- Stress: every G exactly once -------------------------------------------
enum { THIEVES = 3, STRESS_GS = 60000 };

typedef struct Stress {
  Sched *sched;
  uint32_t *seen;  // atomic, per G
  uint32_t stop;   // atomic
} Stress;

typedef struct Thief {
  Stress *stress;
  P *p;
} Thief;

static void count(Stress *stress, G *g) {
  if (g != NULL) rt_add(&stress->seen[g->id - 1], 1u);
}

static void *steal_all(void *arg) {
  Thief *thief = arg;
  Stress *stress = thief->stress;
  P *victim = sched_p(stress->sched, 0);
  while (!rt_load_acquire(&stress->stop)) {
    count(stress, runq_steal(thief->p, victim, true));
    for (G *g; (g = runq_pop(thief->p)) != NULL;) count(stress, g);
  }
  return NULL;
}

static void produce(Stress *stress, G *gs) {
  P *p = sched_p(stress->sched, 0);
  for (int i = 0; i < STRESS_GS; i++) {
    runq_put_next(p, &gs[i], i % 3 == 0);
    if (i % 5 == 0) count(stress, runq_take_next(p));
    if (i % 3 == 0) count(stress, runq_pop(p));
    if (i % 64 == 0) count(stress, global_get(p, 1));
    if (i % 1024 == 0) rt_yield_cpu();
  }
}

static void consume_rest(Stress *stress) {
  P *p = sched_p(stress->sched, 0);
  GList list = {0};
  runq_flush(p, &list);
  for (G *g = list.first; g != NULL; g = g->link) count(stress, g);
  rt_lock(&stress->sched->lock);
  for (G *g; (g = global_pop(stress->sched)) != NULL;) count(stress, g);
  rt_unlock(&stress->sched->lock);
}

static void stealing_counts_each_once(void **state) {
  (void)state;
  Stress stress = {.sched = new_sched(THIEVES + 1)};
  stress.seen = calloc(STRESS_GS, sizeof *stress.seen);
  G *gs = new_gs(STRESS_GS);
  sched_p(stress.sched, 0)->status = P_RUNNING;
  pthread_t threads[THIEVES];
  Thief thieves[THIEVES];
  for (int i = 0; i < THIEVES; i++) {
    thieves[i] = (Thief){&stress, sched_p(stress.sched, i + 1)};
    pthread_create(&threads[i], NULL, steal_all, &thieves[i]);
  }
  produce(&stress, gs);
  rt_store_release(&stress.stop, 1u);
  for (int i = 0; i < THIEVES; i++) pthread_join(threads[i], NULL);
  consume_rest(&stress);
  for (int i = 0; i < STRESS_GS; i++) assert_int_equal(stress.seen[i], 1);
  drain(stress.sched);
  free(stress.seen);
  free(gs);
}

// --- Global queue, order, masks ---------------------------------------------
static void global_gives_a_fair_share(void **state) {
  (void)state;
  Sched *sched = new_sched(4);
  P *p = sched_p(sched, 0);
  G *gs = new_gs(10);
  rt_lock(&sched->lock);
  for (int i = 0; i < 10; i++) global_put(sched, &gs[i]);
  rt_unlock(&sched->lock);
  uint32_t share = 10 / 4 + 1;
  if (share > RUNQ_SIZE / 2) share = RUNQ_SIZE / 2;
  assert_ptr_equal(global_get(p, 0), &gs[0]);
  assert_int_equal(global_count(sched), 10 - share);
  assert_int_equal(runq_length(p), share - 1);
  assert_ptr_equal(global_get(p, 1), &gs[share]);
  assert_int_equal(runq_length(p), share - 1);
  drain(sched);
  free(gs);
}

static void global_gives_no_more_than_128(void **state) {
  (void)state;
  Sched *sched = new_sched(1);
  P *p = sched_p(sched, 0);
  G *gs = new_gs(1000);
  GList list = {0};
  for (int i = 0; i < 1000; i++) glist_push(&list, &gs[i]);
  rt_lock(&sched->lock);
  global_put_list(sched, &list);
  rt_unlock(&sched->lock);
  assert_non_null(global_get(p, 0));
  uint32_t most = RUNQ_SIZE / 2 < 128 ? RUNQ_SIZE / 2 : 128;
  assert_int_equal(global_count(sched), 1000 - most);
  assert_int_equal(runq_length(p), most - 1);
  drain(sched);
  free(gs);
}

static void order_visits_each_once(void **state) {
  (void)state;
  StealOrder *order = malloc(sizeof *order);
  bool *seen = malloc(PROCS_MAX);
  static const uint32_t counts[] = {1, 2, 3, 4, 7, 8, 12, 61, 64, 1000, 1024};
  for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
    steal_order_reset(order, counts[k]);
    for (uint64_t random = 1; random < 50; random++) {
      memset(seen, 0, PROCS_MAX);
      OrderWalk walk = steal_order_start(order, random * 0x9E3779B97F4A7C15u);
      uint32_t at, visited = 0;
      for (; steal_order_next(&walk, &at); visited++) {
        assert_true(at < counts[k]);
        assert_false(seen[at]);
        seen[at] = true;
      }
      assert_int_equal(visited, counts[k]);
    }
  }
  free(seen);
  free(order);
}

static void mask_is_a_set(void **state) {
  (void)state;
  PMask mask = {0};
  static const int32_t ids[] = {0, 1, 63, 64, 127, 500, 1023};
  assert_true(mask_empty(&mask));
  for (int i = 0; i < 7; i++) mask_set(&mask, ids[i]);
  for (int i = 0; i < 7; i++) {
    assert_true(mask_read(&mask, ids[i]));
    assert_false(mask_read(&mask, ids[i] ^ 2));
    mask_clear(&mask, ids[i]);
    assert_false(mask_read(&mask, ids[i]));
  }
  assert_true(mask_empty(&mask));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ring_is_fifo),
      cmocka_unit_test(ring_wraps_around),
      cmocka_unit_test(full_ring_overflows_by_half),
      cmocka_unit_test(runnext_displaces_to_the_tail),
      cmocka_unit_test(thieves_take_half_rounded_up),
      cmocka_unit_test(runnext_is_stolen_on_the_last_round),
      cmocka_unit_test(stealing_counts_each_once),
      cmocka_unit_test(global_gives_a_fair_share),
      cmocka_unit_test(global_gives_no_more_than_128),
      cmocka_unit_test(order_visits_each_once),
      cmocka_unit_test(mask_is_a_set),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
