// SPDX-License-Identifier: MIT
// Urgent Gs (row 19): the queue by itself, whose turn it is, and which G runs
// first on the real system after a timer, the network or a call.
#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "sched_fixture.h"
// the fixture first: cmocka wants its headers before
#include "sched/internal.h"
#include "sched/runq.h"
#include "sched/urgent.h"

static const int64_t MS = 1000000;

// --- The queue --------------------------------------------------------------
enum { GS = 9 };

typedef struct Bare {
  Sched *sched;
  P *p, *thief;
  G gs[GS];
} Bare;

static void bare_init(Bare *bare, int procs) {
  SchedConfig config = {.procs = procs, .seed = 7};
  memset(bare, 0, sizeof *bare);
  bare->sched = sched_new(&config);
  bare->p = sched_p(bare->sched, 0);
  bare->thief = sched_p(bare->sched, procs - 1);
  for (int i = 0; i < GS; i++) {
    bare->gs[i].status = G_RUNNABLE;
    bare->gs[i].since = 100 + i;
  }
}

static void put(P *p, G *gs, int count) {
  GList list = {0};
  for (int i = 0; i < count; i++) glist_push(&list, &gs[i]);
  urgent_put(p, &list);
  assert_int_equal(list.count, 0);
}

// A P goes idle only when it is empty.
static void bare_free(Bare *bare) {
  GList list = {0};
  for (int i = 0; i < sched_procs(bare->sched); i++)
    runq_flush(sched_p(bare->sched, i), &list);
  sched_free(bare->sched);
}

static void first_come_first_served(void **state) {
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    Bare b;
    bare_init(&b, procs);
    assert_null(urgent_take(b.p));
    assert_int_equal(b.p->next_limit, NEXT_PICKS_MAX);
    put(b.p, b.gs, 3);
    put(b.p, b.gs + 3, 2);
    assert_int_equal(runq_length(b.p), 5);
    assert_false(runq_is_empty(b.p));
    assert_true(runq_ring_empty(b.p));
    for (int i = 0; i < 5; i++) {
      assert_int_equal(b.p->urgent.since, 100 + i);
      assert_int_equal(b.p->next_limit, 0);
      assert_ptr_equal(urgent_take(b.p), &b.gs[i]);
    }
    assert_int_equal(b.p->urgent.since, 0);
    assert_null(urgent_take(b.p));
    assert_int_equal(b.p->next_limit, NEXT_PICKS_MAX);
    assert_true(runq_is_empty(b.p));
    bare_free(&b);
  }
}

static void thieves_take_half(void **state) {
  (void)state;
  Bare b;
  bare_init(&b, 2);
  put(b.p, b.gs, 1);
  assert_null(urgent_steal(b.thief, b.p, false));  // its owner is about to
  assert_ptr_equal(urgent_steal(b.thief, b.p, true), &b.gs[0]);
  put(b.p, b.gs, 7);
  assert_ptr_equal(runq_steal(b.thief, b.p, false), &b.gs[0]);
  assert_int_equal(b.p->urgent.list.count, 3);
  assert_int_equal(b.thief->urgent.list.count, 3);  // they are urgent there
  for (int i = 1; i < 4; i++) assert_ptr_equal(urgent_take(b.thief), &b.gs[i]);
  for (int i = 4; i < 7; i++) assert_ptr_equal(urgent_take(b.p), &b.gs[i]);
  bare_free(&b);
}

static void a_flush_takes_all(void **state) {
  (void)state;
  Bare b;
  bare_init(&b, 2);
  put(b.p, b.gs, 2);
  runq_put(b.p, &b.gs[2]);
  GList list = {0};
  runq_flush(b.p, &list);
  assert_int_equal(list.count, 3);
  assert_ptr_equal(list.first, &b.gs[0]);
  assert_true(runq_is_empty(b.p));
  bare_free(&b);
}

// Those that are urgent ran for d: as long others have a turn, at most 1 ms.
static void rests_after(int64_t ran, bool others, bool takes, int64_t rest) {
  Bare b;
  bare_init(&b, 1);
  put(b.p, b.gs, 2);
  if (others) runq_put(b.p, &b.gs[2]);
  int64_t now = rt_now();
  b.p->urgent_from = now - ran;
  assert_int_equal(urgent_take(b.p) != NULL, takes);
  assert_int_equal(b.p->next_limit, takes ? 0 : NEXT_PICKS_MAX);
  if (!takes) {
    assert_int_equal(b.p->urgent_from, 0);
    assert_true(b.p->urgent_rest >= now + rest);
    b.p->urgent_rest = rt_now();  // it is over
    assert_ptr_equal(urgent_take(b.p), &b.gs[0]);
  }
  bare_free(&b);
}

static void others_have_their_turn(void **state) {
  (void)state;
  rests_after(0, true, true, 0);
  rests_after(URGENT_NS, true, false, URGENT_NS);
  rests_after(100 * MS, true, false, URGENT_NS);  // it was in a call
  rests_after(100 * MS, false, true, 0);
}

static void a_turn_that_is_over_counts(void **state) {
  (void)state;
  Bare b;
  bare_init(&b, 1);
  runq_put(b.p, &b.gs[2]);
  b.p->urgent_from = rt_now() - 1000;
  assert_null(urgent_take(b.p));
  assert_int_equal(b.p->urgent_from, 0);
  int64_t rest = b.p->urgent_rest - rt_now();
  assert_true(b.p->urgent_rest != 0 && rest <= URGENT_NS);
  bare_free(&b);
}

// --- In front of Gs that compute --------------------------------------------
enum { HOGS = 20, TIMES = 20 };

static void hog(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_seq(&task->shared->flag) == 0) {
    spin_ns(5000);
    CO_LOOK;
  }
  CO_END;
}

static void start_hogs(P *p, Shared *shared) {
  for (int i = 1; i <= HOGS; i++) {
    shared->tasks[i].body = hog;
    task_go(p, &shared->tasks[i]);
  }
}

// Of the hogs, while the main G waited so often for something outside.
static uint64_t turns_of_hogs(void (*body)(P *p, Task *task)) {
  Shared shared;
  shared_init(&shared, 1, HOGS + 1);
  for (int i = 0; i <= HOGS; i++) shared.tasks[i].g.resume = task_resume_once;
  assert_int_equal(shared_run(&shared, body), SCHED_EXITED);
  SchedStats stats;
  sched_stats(shared.sched, &stats);
  shared_free(&shared);
  return stats.preemptions;
}

static void sleeper_main(P *p, Task *task) {
  CO_BEGIN;
  start_hogs(p, task->shared);
  for (task->i = 0; task->i < TIMES; task->i++) CO_SLEEP(MS);
  rt_store_seq(&task->shared->flag, 1u);
  CO_END;
}

static void nap(void) {
  struct timespec t = {0, 100000};
  nanosleep(&t, NULL);
}

static void caller_main(P *p, Task *task) {
  CO_BEGIN;
  start_hogs(p, task->shared);
  for (task->i = 0; task->i < TIMES; task->i++) CO_CALL(nap());
  rt_store_seq(&task->shared->flag, 1u);
  CO_END;
}

// One hog's turn each time, not those of all: 20 * 20 and more. (A slow machine
// ends some at the end of their slice.)
static void a_sleeper_is_in_front_of_hogs(void **state) {
  (void)state;
  assert_true(turns_of_hogs(sleeper_main) < TIMES * HOGS / 2);
}

static void a_returned_call_is_in_front_of_hogs(void **state) {
  (void)state;
  assert_true(turns_of_hogs(caller_main) < TIMES * HOGS / 2);
}

// --- While one computes -----------------------------------------------------
static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static uint64_t waits[TIMES];  // in looks of the hog

static void counting_hog(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_seq(&task->shared->flag) == 0) {
    spin_ns(5000);
    rt_add(&task->shared->counts[0], (uint64_t)1);
    CO_LOOK;
  }
  CO_END;
}

static void nap_and_note(Shared *shared) {
  nap();
  shared->times[0] = (int64_t)rt_load_seq(&shared->counts[0]);
}

static void noticed_main(P *p, Task *task) {
  CO_BEGIN;
  task->shared->tasks[1].body = counting_hog;
  task_go(p, &task->shared->tasks[1]);
  for (task->i = 0; task->i < TIMES; task->i++) {
    CO_CALL(nap_and_note(task->shared));
    waits[task->i] = rt_load_seq(&task->shared->counts[0]) -
                     (uint64_t)task->shared->times[0];
  }
  rt_store_seq(&task->shared->flag, 1u);
  CO_END;
}

// The hog makes way after 1 ms, which are 200 looks, and not at the end of its
// slice, which has about 2000.
static void a_returned_call_is_noticed_in_a_look(void **state) {
  (void)state;
  turns_of_hogs(noticed_main);
  qsort(waits, TIMES, sizeof *waits, by_value);
  assert_true(waits[TIMES / 2] < 1000);
}

// --- The network ------------------------------------------------------------
enum { LINES = 100 };

static int ends[2];
static PollDesc *desc;
static uint32_t lines_read;  // atomic
static pthread_t writer;

// Each line is written when the one before was read, and some time after that.
static void *write_lines(void *arg) {
  (void)arg;
  for (uint32_t n = 0; n < LINES; n++) {
    while (rt_load_acquire(&lines_read) < n) nap();
    nap();
    assert_int_equal(write(ends[1], "x", 1), 1);
  }
  return NULL;
}

static void open_pipe(Sched *sched) {
  assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
  desc = poll_open(sched, ends[0]);
  assert_non_null(desc);
  rt_store_release(&lines_read, 0u);
  pthread_create(&writer, NULL, write_lines, NULL);
}

static void close_pipe(P *p) {
  pthread_join(writer, NULL);
  poll_close(p, desc);
  poll_free(desc);
  close(ends[0]);
  close(ends[1]);
}

static void reader_main(P *p, Task *task) {
  CO_BEGIN;
  open_pipe(task->shared->sched);
  if (task->shared->data != NULL)
    ((void (*)(P *, Task *))task->shared->data)(p, task);
  for (task->i = 0; task->i < LINES; task->i++) {
    char byte;
    while (read(ends[0], &byte, 1) != 1) CO_POLL(desc, POLL_READ);
    rt_store_release(&lines_read, (uint32_t)task->i + 1);
  }
  rt_store_seq(&task->shared->flag, 1u);
  close_pipe(p);
  CO_END;
}

static void read_lines(int procs, void (*beside)(P *p, Task *task),
                       SchedStats *stats) {
  Shared shared;
  shared_init(&shared, procs, 3);
  for (int i = 0; i < 3; i++) shared.tasks[i].g.resume = task_resume_once;
  shared_chan(&shared, 0, 0);
  shared.data = (void *)beside;
  assert_int_equal(shared_run(&shared, reader_main), SCHED_EXITED);
  sched_stats(shared.sched, stats);
  shared_free(&shared);
}

// The M that blocks in netpoll runs what comes: one wake a line were others
// woken for it, another one for an M that takes its place.
static void a_line_wakes_no_other_thread(void **state) {
  (void)state;
  for (int k = 0; k < SOME_PROCS; k++) {
    SchedStats stats;
    read_lines(some_procs[k], NULL, &stats);
    assert_true(stats.wakes <= LINES / 2);
  }
}

static void sender(P *p, Task *task) {
  CO_BEGIN;
  while (rt_load_seq(&task->shared->flag) == 0)
    CO_SEND(task->shared->chans[0], 1);
  chan_close(p, task->shared->chans[0]);
  CO_END;
}

static void receiver(P *p, Task *task) {
  CO_BEGIN;
  do CO_RECV(task->shared->chans[0]);
  while (task->ok);
  CO_END;
}

static void start_pair(P *p, Task *task) {
  task->shared->tasks[1].body = sender;
  task->shared->tasks[2].body = receiver;
  task_go(p, &task->shared->tasks[1]);
  task_go(p, &task->shared->tasks[2]);
}

// Their turns are short and never come to a look: all lines were left to the
// monitor, which polls when nobody has for 10 ms.
static void a_pair_does_not_stop_the_network(void **state) {
  (void)state;
  SchedStats stats;
  read_lines(1, start_pair, &stats);
  assert_true(stats.polls > LINES / 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_come_first_served),
      cmocka_unit_test(thieves_take_half),
      cmocka_unit_test(a_flush_takes_all),
      cmocka_unit_test(others_have_their_turn),
      cmocka_unit_test(a_turn_that_is_over_counts),
      cmocka_unit_test(a_sleeper_is_in_front_of_hogs),
      cmocka_unit_test(a_returned_call_is_in_front_of_hogs),
      cmocka_unit_test(a_returned_call_is_noticed_in_a_look),
      cmocka_unit_test(a_line_wakes_no_other_thread),
      cmocka_unit_test(a_pair_does_not_stop_the_network),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
