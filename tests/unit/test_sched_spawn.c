// SPDX-License-Identifier: MIT
// The two spawn policies (rows 31-33) on running runtimes. Both run fib by
// goroutines. Child first on one P runs as a program of calls would, with a
// queue that is no longer than the forks are deep. Last come the numbers of the
// book's fib(4) (fib_walk.h), which bench/sched/fib_table prints.
#include "sched_fixture.h"
// the fixture first: cmocka wants its headers before
#include "sched/internal.h"
#include "tests/unit/fib_walk.h"

enum { C_MADE, C_STARTED, C_ENDED };

typedef struct Trace {  // of runs with one P
  Chan **chans;         // a task's result: a channel of capacity 1
  int64_t *starts, *ends;
  int64_t started, ended;  // how many of each
  uint32_t longest;        // of all that is queued
  uint32_t alive, alive_most;
  bool child_first;
} Trace;

// --- Tasks that spawn by the runtime's policy -------------------------------
static Trace *trace_of(const Task *task) { return task->shared->data; }

static uint64_t made_next(Shared *shared) {
  return rt_add(&shared->counts[C_MADE], (uint64_t)1) + 1;
}

static Task *child_new(Task *task, int64_t n) {
  Task *child = &task->shared->tasks[made_next(task->shared)];
  assert_true(child->id < task->shared->task_count);
  child->body = task->body;
  child->n = n;
  child->chan = trace_of(task)->chans[child->id];
  rt_add(&task->shared->running, 1u);
  return child;
}

static void note_queue(P *p, Task *task) {
  Trace *trace = trace_of(task);
  if (!p->single) return;
  uint32_t length = runq_length(p) + global_count(p->sched);
  if (length > trace->longest) trace->longest = length;
}

static void note_start(P *p, Task *task) {
  Trace *trace = trace_of(task);
  rt_add(&task->shared->counts[C_STARTED], (uint64_t)1);
  note_queue(p, task);
  if (!p->single) return;
  trace->starts[trace->started++] = task->n;
  if (++trace->alive > trace->alive_most) trace->alive_most = trace->alive;
}

static void note_end(P *p, Task *task) {
  Trace *trace = trace_of(task);
  rt_add(&task->shared->counts[C_ENDED], (uint64_t)1);
  if (!p->single) return;
  trace->ends[trace->ended++] = task->n;
  trace->alive--;
}

// Parent first the task goes on at once.
#define CO_SPAWN(child)                                      \
  do {                                                       \
    if (trace_of(task)->child_first) {                       \
      CO_LEAVE(sched_spawn_child(p, &task->g, &(child)->g)); \
    } else {                                                 \
      sched_spawn(p, &(child)->g);                           \
    }                                                        \
    note_queue(p, task);                                     \
  } while (0)

static void fib_task(P *p, Task *task) {
  CO_BEGIN;
  note_start(p, task);
  task->b = 1;
  if (task->n > 2) {
    task->b = 0;
    // the children's ids: where their results come
    task->i = child_new(task, task->n - 1)->id;
    CO_SPAWN(&task->shared->tasks[task->i]);
    task->a = child_new(task, task->n - 2)->id;
    CO_SPAWN(&task->shared->tasks[task->a]);
    CO_RECV(trace_of(task)->chans[task->i]);
    assert_true(task->ok);
    task->b += (int64_t)task->word;
    CO_RECV(trace_of(task)->chans[task->a]);
    assert_true(task->ok);
    task->b += (int64_t)task->word;
  }
  CO_SEND(task->chan, (uint64_t)task->b);
  assert_true(task->ok);
  note_end(p, task);
  CO_END;
}

// The first task starts all the others, which end at once.
static void loop_task(P *p, Task *task) {
  CO_BEGIN;
  note_start(p, task);
  if (task->id == 0) {
    for (task->i = 1; task->i < task->shared->task_count; task->i++) {
      task->a = child_new(task, task->i)->id;
      CO_SPAWN(&task->shared->tasks[task->a]);
    }
  }
  note_end(p, task);
  CO_END;
}

// --- Runs -------------------------------------------------------------------
static void policy_init(Shared *shared, int procs, int tasks, bool child) {
  shared_init(shared, procs, tasks);
  sched_free(shared->sched);
  SchedConfig config = {
      .procs = procs, .seed = 42, .empty_word = 0xE, .child_first = child};
  shared->sched = sched_new(&config);
  assert_non_null(shared->sched);
  Trace *trace = calloc(1, sizeof *trace);
  size_t count = (size_t)tasks;
  trace->chans = calloc(count, sizeof *trace->chans);
  trace->starts = calloc(count, sizeof *trace->starts);
  trace->ends = calloc(count, sizeof *trace->ends);
  trace->child_first = child;
  for (size_t i = 0; i < count; i++) {
    trace->chans[i] = malloc(chan_size(1));
    chan_init(trace->chans[i], 1);
  }
  shared->data = trace;
}

static void policy_free(Shared *shared) {
  Trace *trace = shared->data;
  for (int i = 0; i < shared->task_count; i++) free(trace->chans[i]);
  free(trace->chans);
  free(trace->starts);
  free(trace->ends);
  free(trace);
  shared_free(shared);
}

// All tasks were started once, ran once, ended; nothing is left anywhere.
static void policy_run(Shared *shared, void (*body)(P *p, Task *task),
                       int64_t n) {
  Sched *sched = shared->sched;
  shared->tasks[0].n = n;
  shared->tasks[0].chan = ((Trace *)shared->data)->chans[0];
  assert_int_equal(shared_run(shared, body), SCHED_EXITED);
  uint64_t all = (uint64_t)shared->task_count;
  assert_int_equal(count_of(shared, C_MADE), all - 1);
  assert_int_equal(count_of(shared, C_STARTED), all);
  assert_int_equal(count_of(shared, C_ENDED), all);
  SchedStats stats;
  sched_stats(sched, &stats);
  assert_int_equal(stats.spawns, all);
  assert_int_equal(stats.spinning, 0);
  assert_int_equal(stats.runqueue, 0);
  for (int i = 0; i < sched_procs(sched); i++) {
    assert_int_equal(runq_length(sched_p(sched, i)), 0);
  }
}

static int fib_tasks(int n) { return 2 * (int)fib_of(n) - 1; }

static void both_give_the_right_result(void **state) {
  (void)state;
  for (int k = 0; k < 2 * SOME_PROCS; k++) {
    Shared shared;
    policy_init(&shared, some_procs[k / 2], fib_tasks(15), k % 2 == 1);
    policy_run(&shared, fib_task, 15);
    Chan *result = ((Trace *)shared.data)->chans[0];
    assert_int_equal(chan_count(result), 1);
    assert_int_equal(result->buf[0], 610);
    policy_free(&shared);
  }
}

// --- Child first on one P ---------------------------------------------------
static void calls(int64_t n, Trace *as) {
  as->starts[as->started++] = n;
  if (n > 2) {
    calls(n - 1, as);
    calls(n - 2, as);
  }
  as->ends[as->ended++] = n;
}

// Short enough that the turn of the oldest, once a slice, does not come.
static void child_first_is_serial(void **state) {
  (void)state;
  if (RUNQ_SIZE < 8) skip();  // it overflows into the global queue
  enum { N = 6 };
  Shared shared;
  int64_t starts[64], ends[64];
  Trace as = {.starts = starts, .ends = ends};
  calls(N, &as);
  policy_init(&shared, 1, fib_tasks(N), true);
  policy_run(&shared, fib_task, N);
  Trace *trace = shared.data;
  assert_int_equal(trace->started, as.started);
  assert_int_equal(trace->ended, as.ended);
  assert_memory_equal(trace->starts, starts, (size_t)as.started * 8);
  assert_memory_equal(trace->ends, ends, (size_t)as.ended * 8);
  assert_int_equal(trace->longest, N - 2);  // those that called fib(2)
  policy_free(&shared);
  policy_init(&shared, 1, fib_tasks(N), false);
  policy_run(&shared, fib_task, N);
  trace = shared.data;
  assert_memory_not_equal(trace->starts, starts, (size_t)as.started * 8);
  policy_free(&shared);
}

enum { LOOP = 3000 };

static void child_first_bounds_the_queue(void **state) {
  (void)state;
  Shared shared;
  policy_init(&shared, 1, LOOP + 1, true);
  policy_run(&shared, loop_task, 0);
  Trace *trace = shared.data;
  assert_int_equal(trace->longest, 1);  // the one that starts them
  assert_int_equal(trace->alive_most, 2);
  for (int i = 0; i <= LOOP; i++) assert_int_equal(trace->starts[i], i);
  for (int i = 0; i < LOOP; i++) assert_int_equal(trace->ends[i], i + 1);
  policy_free(&shared);
}

static void parent_first_does_not(void **state) {
  (void)state;
  Shared shared;
  policy_init(&shared, 1, LOOP + 1, false);
  policy_run(&shared, loop_task, 0);
  Trace *trace = shared.data;
  assert_int_equal(trace->longest, LOOP);
  assert_int_equal(trace->ends[0], 0);  // only then the others run
  policy_free(&shared);
}

// --- The book's table -------------------------------------------------------
static void check_walk(int n, int threads, bool child, FibStats want) {
  FibStats s = fib_walk(n, threads, child, NULL, NULL);
  assert_int_equal(s.result, fib_of(n));
  assert_int_equal(s.rows, want.rows);
  assert_int_equal(s.longest, want.longest);
  assert_int_equal(s.stalls, want.stalls);
  assert_int_equal(s.idle_stalls, want.idle_stalls);
  assert_int_equal(s.stack, want.stack);
}

static void book_table(void **state) {
  (void)state;
  // the book: 15, 2, 3 (all on busy threads), 3
  check_walk(4, 2, false,
             (FibStats){.rows = 15, .longest = 2, .stalls = 3, .stack = 3});
  // the book: 14, 2, 2 (all on idle threads), 2. fib_table.c says why not
  check_walk(
      4, 2, true,
      (FibStats){
          .rows = 15, .longest = 1, .stalls = 2, .idle_stalls = 2, .stack = 3});
  // the book's walk on one thread, row by row
  check_walk(4, 1, true, (FibStats){.rows = 12, .longest = 3, .stack = 1});
}

static void larger_trees(void **state) {
  (void)state;
  if (RUNQ_SIZE < RUNQ_SIZE_DEFAULT) skip();
  for (int n = 12; n <= 21; n += 3) {  // 20,000 picks: as calls would be made
    FibStats alone = fib_walk(n, 1, true, NULL, NULL);
    assert_int_equal(alone.longest, n - 1);
    assert_int_equal(alone.stalls, 0);
  }
  for (int threads = 1; threads <= FIB_THREADS; threads *= 2) {
    FibStats parent = fib_walk(15, threads, false, NULL, NULL);
    FibStats child = fib_walk(15, threads, true, NULL, NULL);
    assert_int_equal(parent.result, 610);
    assert_int_equal(child.result, 610);
    assert_true(10 * child.stalls < parent.stalls);
    assert_true(5 * child.alive < parent.alive);
    assert_true(2 * child.longest < parent.longest);
    assert_true(10 * child.stack < parent.stack);
    assert_true(child.rows < parent.rows);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_give_the_right_result),
      cmocka_unit_test(child_first_is_serial),
      cmocka_unit_test(child_first_bounds_the_queue),
      cmocka_unit_test(parent_first_does_not),
      cmocka_unit_test(book_table),
      cmocka_unit_test(larger_trees),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
