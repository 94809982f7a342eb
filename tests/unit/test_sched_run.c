// SPDX-License-Identifier: MIT
// Running: spawn, ids, park, yield, fairness (rows 5, 8, 10), preemption,
// latency of a sleeper beside hogs, deadlock, exit with everything in flight.
#include <pthread.h>
#include <sched.h>

#include "sched_fixture.h"
// the fixture first: cmocka wants its headers before
#include "sched/internal.h"

static const int64_t MS = 1000000;

// --- Spawn ------------------------------------------------------------------
enum { CHILDREN = 2000 };

static void child(P *p, Task *task) {
  rt_add(&task->shared->counts[0], (uint64_t)1);
  assert_true(task->g.id > 1);
  task_end(p, task);
}

static void spawn_main(P *p, Task *task) {
  assert_int_equal(task->g.id, 1);
  for (int i = 1; i <= CHILDREN; i++) {
    task->shared->tasks[i].body = child;
    task_go(p, &task->shared->tasks[i]);
  }
  task_end(p, task);
}

static int by_id(const void *a, const void *b) {
  uint64_t x = ((const Task *)a)->g.id, y = ((const Task *)b)->g.id;
  return (x > y) - (x < y);
}

static void spawned_run_once(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k], CHILDREN + 1);
    assert_int_equal(shared_run(&shared, spawn_main), SCHED_EXITED);
    assert_int_equal(count_of(&shared, 0), CHILDREN);
    qsort(shared.tasks, CHILDREN + 1, sizeof(Task), by_id);
    for (int i = 0; i <= CHILDREN; i++) {
      assert_int_equal(shared.tasks[i].g.status, G_DEAD);
      if (i > 0) assert_true(shared.tasks[i].g.id > shared.tasks[i - 1].g.id);
    }
    SchedStats stats;
    sched_stats(shared.sched, &stats);
    assert_int_equal(stats.spawns, CHILDREN + 1);
    assert_int_equal(stats.schedules, CHILDREN + 1);
    shared_free(&shared);
  }
}

// --- Park and ready ---------------------------------------------------------
static bool commit_flag(G *g, void *arg) {
  (void)g;
  Task *task = arg;
  // release: from here on the other side readies it
  rt_store_release(&task->shared->flag, 1u);
  return true;
}

static bool decline(G *g, void *arg) {
  (void)g, (void)arg;
  return false;
}

static void readier(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 300; task->i++) {
    while (rt_load_acquire(&task->shared->flag) == 0) CO_YIELD;
    rt_store_release(&task->shared->flag, 0u);
    sched_ready(p, &task->shared->tasks[0].g);
    CO_YIELD;
  }
  CO_END;
}

static void park_main(P *p, Task *task) {
  CO_BEGIN;
  task->shared->tasks[1].body = readier;
  task_go(p, &task->shared->tasks[1]);
  for (task->i = 0; task->i < 300; task->i++) {
    assert_false(sched_park(p, &task->g, WAIT_OTHER, decline, NULL));
    assert_int_equal(task->g.status, G_RUNNING);
    CO_LEAVE(sched_park(p, &task->g, WAIT_OTHER, commit_flag, task));
  }
  CO_END;
}

static void park_and_ready(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k], 2);
    assert_int_equal(shared_run(&shared, park_main), SCHED_EXITED);
    shared_free(&shared);
  }
}

// --- Fairness on one P ------------------------------------------------------
// Two Gs that keep readying each other (row 5) beside one in the ring, and
// one in the global queue (row 8).
static void pair(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_relaxed(&task->shared->flag) == 0) {
    if (task->id == 1) {
      if (task->i++ == 10) {  // runnext, until the other one displaces it
        task->shared->times[0] = (int64_t)task->shared->counts[0];
        task_go(p, &task->shared->tasks[3]);
      }
      CO_SEND(task->shared->chans[0], 1);
      CO_RECV(task->shared->chans[1]);
    } else {
      CO_RECV(task->shared->chans[0]);
      CO_SEND(task->shared->chans[1], 1);
    }
    if (!task->ok) break;
    task->shared->counts[0]++;
  }
  if (!chan_is_closed(task->shared->chans[0])) {
    chan_close(p, task->shared->chans[0]);
    chan_close(p, task->shared->chans[1]);
  }
  CO_END;
}

static void third(P *p, Task *task) {
  CO_BEGIN;
  // rounds before its first turn, in the ring
  task->shared->counts[1] =
      task->shared->counts[0] - (uint64_t)task->shared->times[0];
  for (task->i = 0; task->i < 5; task->i++) CO_YIELD;  // by the global queue
  task->shared->counts[2] = task->shared->counts[0];
  rt_store_relaxed(&task->shared->flag, 1u);
  CO_END;
}

static void pair_main(P *p, Task *task) {
  task->shared->tasks[3].body = third;
  for (int i = 1; i <= 2; i++) {
    task->shared->tasks[i].body = pair;
    task_go(p, &task->shared->tasks[i]);
  }
  task_end(p, task);
}

static void a_pair_starves_nobody(void **state) {
  (void)state;
  for (int once = 0; once < 2; once++) {  // switching in place, and not
    Shared shared;
    shared_init(&shared, 1, 4);
    shared_chan(&shared, 0, 0);
    shared_chan(&shared, 1, 0);
    for (int i = 0; i < 4; i++) {
      if (once) shared.tasks[i].g.resume = task_resume_once;
    }
    assert_int_equal(shared_run(&shared, pair_main), SCHED_EXITED);
    assert_true(shared.counts[1] <= 70);
    assert_true(shared.counts[2] <= 5 * 200);
    shared_free(&shared);
  }
}

// Gs in the ring that spawn more of themselves, beside one that yielded to the
// global queue: it has a turn at least every 61 ticks.
static void busy(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_relaxed(&task->shared->flag) == 0) {
    task->shared->counts[0]++;
    CO_RECV(task->shared->chans[task->id]);
    if (!task->ok) break;
  }
  CO_END;
}

static void feeder(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_relaxed(&task->shared->flag) == 0) {
    for (task->i = 1; task->i <= 3; task->i++) {
      chan_try_send(p, task->shared->chans[task->i], 1);
    }
    task->shared->counts[0]++;
    CO_SEND(task->shared->chans[4], 1);
    CO_RECV(task->shared->chans[5]);
  }
  for (task->i = 1; task->i <= 3; task->i++)
    chan_close(p, task->shared->chans[task->i]);
  chan_close(p, task->shared->chans[4]);
  CO_END;
}

static void echo(P *p, Task *task) {
  CO_BEGIN;
  for (;;) {
    CO_RECV(task->shared->chans[4]);
    if (!task->ok) break;
    CO_SEND(task->shared->chans[5], 1);
  }
  CO_END;
}

static void yielder(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 50; task->i++) {
    task->a = (int64_t)task->shared->counts[0];
    CO_YIELD;
    task->b = (int64_t)task->shared->counts[0] - task->a;
    if (task->b > task->n) task->n = task->b;
  }
  rt_store_relaxed(&task->shared->flag, 1u);
  task->shared->counts[7] = (uint64_t)task->n;
  CO_END;
}

static void global_main(P *p, Task *task) {
  void (*bodies[])(P *, Task *) = {busy, busy, busy, feeder, echo, yielder};
  for (int i = 1; i <= 6; i++) {
    task->shared->tasks[i].body = bodies[i - 1];
    task_go(p, &task->shared->tasks[i]);
  }
  task_end(p, task);
}

static void the_global_queue_has_turns(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 1, 7);
  for (int i = 1; i <= 5; i++) shared_chan(&shared, i, 0);
  assert_int_equal(shared_run(&shared, global_main), SCHED_EXITED);
  assert_in_range(shared.counts[7], 1, 61 * 4);
  shared_free(&shared);
}

// --- Preemption -------------------------------------------------------------
static void hog(P *p, Task *task) {
  CO_BEGIN;
  rt_store_relaxed(&task->shared->counts[0], 1u);  // a hog has begun
  while (rt_load_relaxed(&task->shared->flag) == 0) {
    spin_ns(3000);
    task->n++;
    CO_LOOK;
  }
  CO_END;
}

// It runs before all hogs if the turn of the main G is over by then. So it
// waits for a hog that has begun, which leaves its P only when it is preempted.
static void stop_hogs(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_relaxed(&task->shared->counts[0]) == 0) CO_YIELD;
  task->shared->times[1] = rt_now();
  rt_store_relaxed(&task->shared->flag, 1u);
  CO_END;
}

static void preempt_main(P *p, Task *task) {
  task->shared->times[0] = rt_now();
  int procs = sched_procs(p->sched);
  task->shared->tasks[1].body = stop_hogs;
  task_go(p, &task->shared->tasks[1]);
  for (int i = 2; i < 2 + 2 * procs; i++) {
    task->shared->tasks[i].body = hog;
    task_go(p, &task->shared->tasks[i]);
  }
  task->body = task_end;
  sched_yield_g(p, &task->g);  // the last hog sits in runnext
}

static void hogs_are_preempted(void **state) {
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    Shared shared;
    shared_init(&shared, procs, 10);
    assert_int_equal(shared_run(&shared, preempt_main), SCHED_EXITED);
    assert_true(shared.times[1] - shared.times[0] < 2000 * MS);
    SchedStats stats;
    sched_stats(shared.sched, &stats);
    if (procs == 1) assert_true(stats.preemptions > 0);
    shared_free(&shared);
  }
}

// Sysmon asks by p->look alone: a G that never calls sched_look sees it.
static void flag_watcher(P *p, Task *task) {
  while (rt_load_acquire(&p->look) == 0) rt_pause();
  assert_true(rt_load_acquire(&p->look) & LOOK_PREEMPT);
  assert_true(rt_now() - task->shared->times[0] >= 10 * MS);
  assert_true(sched_look(p, &task->g));
  task->body = task_end;
  sched_preempt(p, &task->g);
}

static void sysmon_asks_after_10_ms(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 1, 1);
  shared.times[0] = rt_now();
  assert_int_equal(shared_run(&shared, flag_watcher), SCHED_EXITED);
  shared_free(&shared);
}

// --- A sleeper beside hogs (row 19) -----------------------------------------
enum { NAPS = 100 };

static int by_size(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void napper(P *p, Task *task) {
  int64_t *late = task->shared->data;
  CO_BEGIN;
  for (task->i = 0; task->i < NAPS; task->i++) {
    task->a = rt_now();
    CO_SLEEP(MS);
    late[task->i] = rt_now() - task->a - MS;
  }
  rt_store_relaxed(&task->shared->flag, 1u);
  CO_END;
}

static void nap_main(P *p, Task *task) {
  for (int i = 1; i <= sched_procs(p->sched); i++) {
    task->shared->tasks[i].body = hog;
    task_go(p, &task->shared->tasks[i]);
  }
  task->body = napper;
  sched_yield_g(p, &task->g);
}

static void a_sleeper_beside_hogs(void **state) {
  (void)state;
  int64_t late[NAPS];
  Shared shared;
  shared_init(&shared, 1, 3);
  shared.data = late;
  assert_int_equal(shared_run(&shared, nap_main), SCHED_EXITED);
  qsort(late, NAPS, sizeof late[0], by_size);
  assert_true(late[0] >= 0);
  assert_true(late[NAPS / 10] < 2 * MS);  // the machine may be busy
  shared_free(&shared);
}

// --- The 50 us of row 5 -----------------------------------------------------
static void stolen_child(P *p, Task *task) {
  CO_BEGIN;
  for (;;) {
    CO_RECV(task->shared->chans[0]);
    if (!task->ok) break;
    task->shared->data = p;
    rt_store_release(&task->shared->flag, 1u);
  }
  CO_END;
}

// Readies a G and goes on: another P takes it after a while. Where the machine
// is too busy for that, this one is preempted instead; so it tries again.
static void long_main(P *p, Task *task) {
  CO_BEGIN;
  task->shared->tasks[1].body = stolen_child;
  task_go(p, &task->shared->tasks[1]);
  for (task->i = 0; task->i < 50; task->i++) {
    CO_SLEEP(2 * MS);  // the child waits, the other P sleeps
    rt_store_relaxed(&task->shared->flag, 0u);
    assert_int_equal(chan_try_send(p, task->shared->chans[0], 1), CHAN_DONE);
    task->shared->times[1] = (int64_t)(uintptr_t)p;
    task->a = rt_now();
    while (rt_load_acquire(&task->shared->flag) == 0) {
      spin_ns(2000);
      CO_LOOK;
    }
    task->b = rt_now() - task->a;
    bool elsewhere =
        task->shared->data != (void *)(uintptr_t)task->shared->times[1];
    if (elsewhere && task->b < 8 * MS) break;  // well within the slice
  }
  assert_true(task->i < 50);
  assert_true(task->b >= 40000);
  chan_close(p, task->shared->chans[0]);
  CO_END;
}

static void runnext_wakes_an_idle_p_later(void **state) {
  (void)state;
  Shared shared;
  shared_init(&shared, 2, 2);
  shared_chan(&shared, 0, 0);
  assert_int_equal(shared_run(&shared, long_main), SCHED_EXITED);
  shared_free(&shared);
}

// --- Deadlock ---------------------------------------------------------------
static void waits_for_ever(P *p, Task *task) {
  CO_BEGIN;
  CO_RECV(task->shared->chans[0]);
  CO_END;
}

static void count_deadlock(void *host) { ((Shared *)host)->counts[0]++; }

static void deadlock_main(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 1; task->i <= 10; task->i++) {
    task->shared->tasks[task->i].body = waits_for_ever;
    task_go(p, &task->shared->tasks[task->i]);
  }
  CO_SLEEP(MS);
  CO_RECV(task->shared->chans[0]);
  CO_END;
}

static void deadlock_is_found(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS * 5; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k % SOME_PROCS], 11);
    shared.sched->hooks.host = &shared;
    shared.sched->hooks.deadlock = count_deadlock;
    shared_chan(&shared, 0, 0);
    assert_int_equal(shared_run(&shared, deadlock_main), SCHED_DEADLOCK);
    assert_int_equal(shared.counts[0], 1);
    for (int i = 0; i <= 10; i++) {
      assert_int_equal(shared.tasks[i].g.status, G_WAITING);
      assert_string_equal(g_wait_name(shared.tasks[i].g.reason),
                          "chan receive");
    }
    shared_free(&shared);
  }
}

static void *unpin_later(void *arg) {
  Shared *shared = arg;
  while (g_state(&shared->tasks[0].g) != G_WAITING) sched_yield();
  struct timespec nap = {.tv_nsec = 20 * MS};  // it could be found meanwhile
  nanosleep(&nap, NULL);
  rt_store_release(&shared->flag, 1u);
  sched_unpin(shared->sched);
  return NULL;
}

static void a_pin_holds_it_back(void **state) {
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    Shared shared;
    shared_init(&shared, procs, 1);
    shared_chan(&shared, 0, 0);
    sched_pin(shared.sched);
    pthread_t thread;
    pthread_create(&thread, NULL, unpin_later, &shared);
    assert_int_equal(shared_run(&shared, waits_for_ever), SCHED_DEADLOCK);
    assert_int_equal(rt_load_acquire(&shared.flag), 1);
    pthread_join(thread, NULL);
    shared_free(&shared);
  }
}

// --- Exit with everything in flight -----------------------------------------
static void restless(P *p, Task *task) {
  CO_BEGIN;
  for (;;) {
    if (task->id % 4 == 0) CO_SLEEP(300000);
    if (task->id % 4 == 1) CO_SEND(task->shared->chans[0], 1);
    if (task->id % 4 == 2) CO_RECV(task->shared->chans[0]);
    if (task->id % 4 == 3) CO_YIELD;
    task->n++;
    CO_LOOK;
  }
  CO_END;
}

static void exit_main(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 1; task->i < task->shared->task_count; task->i++) {
    task->shared->tasks[task->i].body = restless;
    task_go(p, &task->shared->tasks[task->i]);
  }
  CO_SLEEP(3 * MS);
  task->shared->times[0] = rt_now();
  sched_exit(task->shared->sched);
  CO_END;
}

static void exit_in_flight(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS * 3; k++) {
    Shared shared;
    shared_init(&shared, some_procs[k % SOME_PROCS], 200);
    shared_chan(&shared, 0, 1);
    assert_int_equal(shared_run(&shared, exit_main), SCHED_EXITED);
    assert_true(rt_now() - shared.times[0] < 1000 * MS);
    shared_free(&shared);
  }
}

static void *exit_later(void *arg) {
  Shared *shared = arg;
  struct timespec nap = {.tv_nsec = 5 * MS};
  nanosleep(&nap, NULL);
  sched_interrupt(shared->sched);
  sched_exit(shared->sched);
  return NULL;
}

static void exit_from_another_thread(void **state) {
  (void)state;
  for (int k = 0; k < 6; k++) {
    Shared shared;
    shared_init(&shared, 1 + k % 2, 2);
    shared_chan(&shared, 0, 0);
    sched_pin(shared.sched);
    pthread_t thread;
    pthread_create(&thread, NULL, exit_later, &shared);
    assert_int_equal(shared_run(&shared, k < 3 ? waits_for_ever : hog),
                     SCHED_EXITED);
    pthread_join(thread, NULL);
    shared_free(&shared);
  }
}

// --- Several runtimes at once -----------------------------------------------
static void *one_runtime(void *arg) {
  Shared shared;
  (void)arg;
  shared_init(&shared, 4, CHILDREN + 1);
  shared_run(&shared, spawn_main);
  uint64_t ran = count_of(&shared, 0);
  shared_free(&shared);
  return ran == CHILDREN ? NULL : arg;
}

static void runtimes_side_by_side(void **state) {
  (void)state;
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) {
    pthread_create(&threads[i], NULL, one_runtime, threads);
  }
  for (int i = 0; i < 4; i++) {
    void *failed;
    pthread_join(threads[i], &failed);
    assert_null(failed);
  }
}

static void never_run_is_freed(void **state) {
  (void)state;
  SchedConfig config = {.procs = 3};
  Sched *sched = sched_new(&config);
  assert_int_equal(sched_procs(sched), 3);
  assert_true(sched->config.seed != 0);
  sched_exit(sched);
  sched_free(sched);
}

// --- Idle costs nothing -----------------------------------------------------
static int64_t cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

static void idle_main(P *p, Task *task) {
  CO_BEGIN;
  CO_SLEEP(100 * MS);  // all settle
  task->a = cpu_ns();
  CO_SLEEP(300 * MS);
  task->shared->times[0] = cpu_ns() - task->a;
  CO_END;
}

static int64_t idle_cpu_ns(void) {
  Shared shared;
  shared_init(&shared, 8, 1);
  assert_int_equal(shared_run(&shared, idle_main), SCHED_EXITED);
  int64_t ns = shared.times[0];
  SchedStats stats;
  sched_stats(shared.sched, &stats);
  assert_true(stats.parks < 100);
  shared_free(&shared);
  return ns;
}

// A busy machine can only add to it: the least of some runs counts.
static void an_idle_process_uses_no_cpu(void **state) {
  (void)state;
  enum { RUNS = 5 };
  int64_t least = INT64_MAX;
  for (int run = 0; run < RUNS && least >= 3 * MS; run++) {
    int64_t ns = idle_cpu_ns();
    if (ns < least) least = ns;
  }
  assert_true(least < 3 * MS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spawned_run_once),
      cmocka_unit_test(park_and_ready),
      cmocka_unit_test(a_pair_starves_nobody),
      cmocka_unit_test(the_global_queue_has_turns),
      cmocka_unit_test(hogs_are_preempted),
      cmocka_unit_test(sysmon_asks_after_10_ms),
      cmocka_unit_test(a_sleeper_beside_hogs),
      cmocka_unit_test(runnext_wakes_an_idle_p_later),
      cmocka_unit_test(deadlock_is_found),
      cmocka_unit_test(a_pin_holds_it_back),
      cmocka_unit_test(exit_in_flight),
      cmocka_unit_test(exit_from_another_thread),
      cmocka_unit_test(runtimes_side_by_side),
      cmocka_unit_test(never_run_is_freed),
      cmocka_unit_test(an_idle_process_uses_no_cpu),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
