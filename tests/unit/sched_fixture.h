// SPDX-License-Identifier: MIT
// Goroutines in C for the tests of sched/: a Task is a G with a body that is
// entered again at the place where it left (a switch over the line). What a
// body keeps across a park lives in the Task.
#ifndef CSP_TESTS_SCHED_FIXTURE_H
#define CSP_TESTS_SCHED_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs those before it
#include <cmocka.h>

#include "sched/sched.h"

enum { TASK_CASES = 16 };

typedef struct Task Task;
typedef struct Shared Shared;

struct Task {
  G g;
  void (*body)(P *p, Task *task);
  Shared *shared;
  int line;
  bool ok;  // of the last channel operation
  bool done;
  uint64_t word;
  int64_t i, n, a, b;
  int id, chosen;
  Timer timer;
  SelCase cases[TASK_CASES];
  uint16_t order[2 * TASK_CASES];
  Chan *chan, *other;
};

// What the tasks of one test have in common.
struct Shared {
  Sched *sched;
  Task *tasks;
  int task_count;
  Chan *chans[8];
  uint64_t counts[8];  // atomic
  int64_t times[8];
  uint32_t flag;     // atomic
  uint32_t running;  // atomic: tasks not yet ended
  void *data;
};

// --- Bodies -----------------------------------------------------------------
#define CO_BEGIN        \
  switch (task->line) { \
    case 0:
#define CO_END \
  }            \
  task_end(p, task)

// The last statement of a leave; the body goes on here when it runs again.
#define CO_LEAVE(call)     \
  do {                     \
    task->line = __LINE__; \
    call;                  \
    return;                \
    case __LINE__:;        \
  } while (0)

#define CO_YIELD CO_LEAVE(sched_yield_g(p, &task->g))
#define CO_SLEEP(ns) CO_LEAVE(sched_sleep(p, &task->g, &task->timer, (ns)))

#define CO_LOOK                    \
  do {                             \
    task->line = __LINE__;         \
    if (sched_look(p, &task->g)) { \
      sched_preempt(p, &task->g);  \
      return;                      \
    }                              \
    if (0) {                       \
      case __LINE__:;              \
    }                              \
  } while (0)

#define CO_SEND(chan, value)                                        \
  do {                                                              \
    task->line = __LINE__;                                          \
    ChanResult co_result = chan_send(p, &task->g, (chan), (value)); \
    if (co_result == CHAN_PARKED) return;                           \
    task->ok = co_result == CHAN_DONE;                              \
    if (0) {                                                        \
      case __LINE__:                                                \
        task->ok = task->g.wait.success;                            \
    }                                                               \
  } while (0)

// task->word and task->ok
#define CO_RECV(chan)                                             \
  do {                                                            \
    task->line = __LINE__;                                        \
    uint64_t co_word;                                             \
    ChanResult co_result =                                        \
        chan_recv(p, &task->g, (chan), &co_word, WAIT_CHAN_RECV); \
    if (co_result == CHAN_PARKED) return;                         \
    task->ok = co_result == CHAN_DONE;                            \
    task->word = co_word;                                         \
    if (0) {                                                      \
      case __LINE__:                                              \
        task->ok = task->g.wait.success;                          \
        task->word = task->g.wait.elem;                           \
    }                                                             \
  } while (0)

// task->chosen; task->n cases in task->cases
#define CO_SELECT(count, how)                                              \
  do {                                                                     \
    task->line = __LINE__;                                                 \
    int co_chosen =                                                        \
        select_go(p, &task->g, task->cases, task->order, (count), (how));  \
    if (co_chosen == SELECT_PARKED) return;                                \
    task->chosen = co_chosen;                                              \
    if (0) {                                                               \
      case __LINE__:                                                       \
        task->chosen =                                                     \
            select_finish(p, &task->g, task->cases, task->order, (count)); \
    }                                                                      \
  } while (0)

// task->chosen: a PollResult
#define CO_POLL(desc, mode)                                      \
  do {                                                           \
    task->line = __LINE__;                                       \
    PollResult co_poll = poll_wait(p, &task->g, (desc), (mode)); \
    if (co_poll == POLL_PARKED) return;                          \
    task->chosen = (int)co_poll;                                 \
    if (0) {                                                     \
      case __LINE__:                                             \
        task->chosen = (int)poll_result((desc), (mode));         \
    }                                                            \
  } while (0)

// The group that the task has begun is over.
#define CO_GROUP_END                     \
  do {                                   \
    task->line = __LINE__;               \
    if (0) {                             \
      case __LINE__:;                    \
    }                                    \
    if (!group_end(p, &task->g)) return; \
  } while (0)

// The turn of a side. task->chosen is POLL_READY or POLL_CLOSED, unless the G
// was cancelled.
#define CO_TURN(desc, mode)                                      \
  do {                                                           \
    task->line = __LINE__;                                       \
    PollResult co_turn = poll_turn(p, &task->g, (desc), (mode)); \
    if (co_turn == POLL_PARKED) return;                          \
    task->chosen = (int)co_turn;                                 \
    if (0) {                                                     \
      case __LINE__:                                             \
        task->chosen = (int)poll_turn_result(&task->g);          \
    }                                                            \
  } while (0)

// A blocking call that does `work`. task->ok: it was made. The P may be another
// afterwards: for tasks with task_resume_once.
#define CO_CALL(work) CO_CALL_AS(false, work)
#define CO_QUICK_CALL(work) CO_CALL_AS(true, work)
#define CO_CALL_AS(quick, work)                                           \
  do {                                                                    \
    M *co_m;                                                              \
    task->line = -__LINE__; /* queued: it enters again */                 \
    if (0) {                                                              \
      case -__LINE__:;                                                    \
    }                                                                     \
    SchedCall co_call = sched_syscall_enter(p, &task->g, (quick), &co_m); \
    if (co_call == CALL_QUEUED) return;                                   \
    task->ok = co_call == CALL_ENTERED;                                   \
    if (task->ok) {                                                       \
      task->line = __LINE__;                                              \
      work;                                                               \
      p = sched_syscall_exit(co_m, &task->g);                             \
      if (p == NULL) return;                                              \
    }                                                                     \
    if (0) {                                                              \
      case __LINE__:;                                                     \
    }                                                                     \
  } while (0)

static inline void task_end(P *p, Task *task) {
  Shared *shared = task->shared;
  task->done = true;
  task->line = -1;
  sched_end(p, &task->g);
  if (rt_sub(&shared->running, 1u) == 1) sched_exit(shared->sched);
}

static inline void task_resume(P *p, G *g) {
  for (; g != NULL; g = sched_switch(p)) {
    if (g->resume != task_resume) {  // of the other kind, below
      g->resume(p, g);
      return;
    }
    Task *task = (Task *)(void *)g;
    task->body(p, task);
  }
}

// Without switching in place: for bodies that may come back on another P.
static inline void task_resume_once(P *p, G *g) {
  Task *task = (Task *)(void *)g;
  task->body(p, task);
}

static inline void task_go(P *p, Task *task) {
  rt_add(&task->shared->running, 1u);
  sched_spawn(p, &task->g);
}

// --- Runtimes ---------------------------------------------------------------
static inline void shared_init(Shared *shared, int procs, int tasks) {
  memset(shared, 0, sizeof *shared);
  SchedConfig config = {.procs = procs, .seed = 42, .empty_word = 0xE};
  shared->sched = sched_new(&config);
  assert_non_null(shared->sched);
  shared->tasks = calloc((size_t)tasks, sizeof(Task));
  shared->task_count = tasks;
  for (int i = 0; i < tasks; i++) {
    Task *task = &shared->tasks[i];
    task->shared = shared;
    task->id = i;
    task->g.resume = task_resume;
  }
}

static inline Chan *shared_chan(Shared *shared, int at, uint32_t cap) {
  Chan *chan = malloc(chan_size(cap));
  chan_init(chan, cap);
  return shared->chans[at] = chan;
}

static inline SchedEnd shared_run(Shared *shared,
                                  void (*body)(P *p, Task *task)) {
  shared->tasks[0].body = body;
  shared->running = 1;
  return sched_run(shared->sched, &shared->tasks[0].g, 1000000000, NULL);
}

static inline void shared_free(Shared *shared) {
  for (int i = 0; i < 8; i++) free(shared->chans[i]);
  free(shared->tasks);
  sched_free(shared->sched);
}

static inline uint64_t count_of(Shared *shared, int at) {
  return rt_load_seq(&shared->counts[at]);
}

static inline void spin_ns(int64_t ns) {
  int64_t until = rt_now() + ns;
  while (rt_now() < until) rt_pause();
}

// Numbers of Ps that the scenarios run with, on two CPUs.
static const int some_procs[] = {1, 2, 8, 64};
enum { SOME_PROCS = 4 };

#endif
