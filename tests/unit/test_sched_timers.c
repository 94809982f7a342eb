// SPDX-License-Identifier: MIT
// Timers: the heap, order, stop, restart, periods, sleep. Late, or never early.
#include "sched_fixture.h"

#include "sched/internal.h"
#include "sched/mask.h"
#include "sched/timer.h"

enum { MANY = 500 };

static void heap_is_valid(P *p) {
  TimerHeap *heap = &p->timers;
  for (int32_t i = 0; i < heap->count; i++) {
    assert_int_equal(heap->entries[i].timer->at, i);
    assert_int_equal(heap->entries[i].when, heap->entries[i].timer->when);
    assert_ptr_equal(heap->entries[i].timer->owner, p);
    if (i > 0) {
      assert_true(heap->entries[(i - 1) / 4].when <= heap->entries[i].when);
    }
  }
  assert_int_equal(heap->first, heap->count == 0 ? 0 : heap->entries[0].when);
}

static void note_fire(P *p, Timer *timer, int64_t now) {
  Shared *shared = timer->arg;
  (void)p;
  assert_true(now >= timer->when || timer->period > 0);
  assert_true(timer->when >= shared->times[0]);  // in order
  shared->times[0] = timer->when;
  shared->counts[0]++;
}

static void heap_body(P *p, Task *task) {
  Timer *timers = calloc(MANY, sizeof *timers);
  int64_t base = rt_now() + 3600 * (int64_t)1000000000;
  for (int i = 0; i < MANY; i++) {
    timers[i].fire = note_fire;
    timers[i].arg = task->shared;
    timer_start(p, &timers[i], base + (int64_t)(sched_random(p) % 1000), 0);
    if (i % 50 == 0) heap_is_valid(p);
  }
  assert_true(mask_read(&task->shared->sched->timer_mask, p->id));
  for (int i = 0; i < MANY; i += 3) {
    assert_true(timer_stop(p, &timers[i]));
    assert_false(timer_stop(p, &timers[i]));
    heap_is_valid(p);
  }
  for (int i = 1; i < MANY; i += 3) {  // again, at another time
    timer_start(p, &timers[i], base + (int64_t)(sched_random(p) % 1000), 0);
  }
  heap_is_valid(p);
  assert_false(timers_run(p, p, base - 1));
  assert_true(timers_run(p, p, base + 1000));
  assert_int_equal(task->shared->counts[0], TIMERS_BATCH);  // not all at a time
  while (timers_run(p, p, base + 1000)) continue;
  assert_int_equal(task->shared->counts[0], MANY - (MANY + 2) / 3);
  assert_int_equal(p->timers.count, 0);
  assert_int_equal(p->timers.first, 0);
  assert_false(mask_read(&task->shared->sched->timer_mask, p->id));
  free(timers);
  task_end(p, task);
}

static void heap_property_and_order(void **state) {
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    Shared shared;
    shared_init(&shared, procs, 1);
    assert_int_equal(shared_run(&shared, heap_body), SCHED_EXITED);
    shared_free(&shared);
  }
}

// --- Filter -----------------------------------------------------------------
static bool keep_odd(void *arg, Timer *timer) {
  (void)arg;
  return timer->when % 2 == 1;
}

static void filter_body(P *p, Task *task) {
  Timer *timers = calloc(MANY, sizeof *timers);
  int64_t base = (rt_now() | 1) + 3600 * (int64_t)1000000000;
  for (int i = 0; i < MANY; i++) {
    timers[i].fire = note_fire;
    timers[i].arg = task->shared;
    timer_start(p, &timers[i], base + (i * 37) % MANY, 0);
  }
  assert_true(sched_stop_world(p, &task->g));
  timers_filter(task->shared->sched, keep_odd, NULL);
  sched_start_world(p);
  heap_is_valid(p);
  assert_int_equal(p->timers.count, MANY / 2);
  while (timers_run(p, p, base + MANY)) continue;
  assert_int_equal(task->shared->counts[0], MANY / 2);
  free(timers);
  task_end(p, task);
}

static void filter_removes(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 1, 1);
  assert_int_equal(shared_run(&shared, filter_body), SCHED_EXITED);
  shared_free(&shared);
}

// --- Periods ----------------------------------------------------------------
static void tick_fire(P *p, Timer *timer, int64_t now) {
  (void)now;
  Shared *shared = timer->arg;
  if (rt_add(&shared->counts[0], (uint64_t)1) < 9) return;
  assert_true(timer_stop(p, timer));
  chan_try_send(p, shared->chans[0], 1);
}

static void tick_main(P *p, Task *task) {
  CO_BEGIN;
  task->a = rt_now();
  task->timer = (Timer){.fire = tick_fire, .arg = task->shared};
  timer_start(p, &task->timer, task->a + 2000000, 2000000);
  CO_RECV(task->shared->chans[0]);
  task->b = rt_now();
  assert_true(task->b - task->a >= 20000000);
  CO_SLEEP(5000000);
  assert_int_equal(count_of(task->shared, 0),
                   10);  // and no more after the stop
  CO_END;
}

static void periods_repeat_until_stopped(void **state) {
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    Shared shared;
    shared_init(&shared, procs, 1);
    shared_chan(&shared, 0, 1);
    assert_int_equal(shared_run(&shared, tick_main), SCHED_EXITED);
    shared_free(&shared);
  }
}

static void missed_body(P *p, Task *task) {
  int64_t base = rt_now() - 1000000;
  task->timer = (Timer){.fire = note_fire, .arg = task->shared};
  timer_start(p, &task->timer, base, 1000);
  task->shared->times[0] = 0;
  assert_true(timers_run(p, p, base + 5500));  // five at once count as one
  assert_int_equal(task->shared->counts[0], 1);
  assert_int_equal(task->timer.when, base + 6000);
  assert_true(timer_stop(p, &task->timer));
  task_end(p, task);
}

static void missed_periods_count_once(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 1, 1);
  assert_int_equal(shared_run(&shared, missed_body), SCHED_EXITED);
  shared_free(&shared);
}

// --- Sleep ------------------------------------------------------------------
static void sleeper(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 10; task->i++) {
    task->n = (int64_t)(sched_random(p) % 3000000);
    task->a = rt_now();
    CO_SLEEP(task->n);
    task->b = rt_now() - task->a;
    assert_true(task->b >= task->n);  // never early
    rt_add(&task->shared->counts[0], (uint64_t)1);
  }
  CO_END;
}

static void sleep_main(P *p, Task *task) {
  for (int i = 1; i < task->shared->task_count; i++) {
    task->shared->tasks[i].body = sleeper;
    task_go(p, &task->shared->tasks[i]);
  }
  task_end(p, task);
}

static void many_sleep_never_early(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k], 101);
    int64_t begin = rt_now();
    assert_int_equal(shared_run(&shared, sleep_main), SCHED_EXITED);
    assert_int_equal(count_of(&shared, 0), 1000);
    assert_true(rt_now() - begin < 2000000000);
    shared_free(&shared);
  }
}

static void long_body(P *p, Task *task) {
  CO_BEGIN;
  task->shared->tasks[1].body = sleeper;
  task_go(p, &task->shared->tasks[1]);
  CO_SLEEP(0);  // yields
  CO_SLEEP(-5);
  CO_SLEEP(50000000);
  CO_END;
}

static void one_timer_after_another(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 2, 2);
  int64_t begin = rt_now();
  assert_int_equal(shared_run(&shared, long_body), SCHED_EXITED);
  assert_true(rt_now() - begin >= 50000000);
  shared_free(&shared);
}

// --- Stop from another P ----------------------------------------------------
static void owner_of_timer(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 200; task->i++) {
    task->timer.fire = note_fire;
    task->timer.arg = task->shared;
    timer_start(p, &task->timer, rt_now() + 3600 * (int64_t)1000000000, 0);
    rt_store_release(&task->shared->flag, 1u);
    while (rt_load_acquire(&task->shared->flag) == 1) CO_YIELD;
  }
  CO_END;
}

static void stopper(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 200; task->i++) {
    while (rt_load_acquire(&task->shared->flag) == 0) CO_YIELD;
    assert_true(timer_stop(p, &task->shared->tasks[1].timer));
    rt_store_release(&task->shared->flag, 0u);
  }
  CO_END;
}

static void stop_main(P *p, Task *task) {
  task->shared->tasks[1].body = owner_of_timer;
  task->shared->tasks[2].body = stopper;
  task_go(p, &task->shared->tasks[1]);
  task_go(p, &task->shared->tasks[2]);
  task_end(p, task);
}

static void stopped_from_another_p(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k], 3);
    assert_int_equal(shared_run(&shared, stop_main), SCHED_EXITED);
    assert_int_equal(shared.counts[0], 0);
    shared_free(&shared);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heap_property_and_order),
      cmocka_unit_test(filter_removes),
      cmocka_unit_test(periods_repeat_until_stopped),
      cmocka_unit_test(missed_periods_count_once),
      cmocka_unit_test(many_sleep_never_early),
      cmocka_unit_test(one_timer_after_another),
      cmocka_unit_test(stopped_from_another_p),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
