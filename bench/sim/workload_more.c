// SPDX-License-Identifier: MIT
// More programs of the simulation: child first, blocking calls, and goroutines
// that touch memory.
#include "bench/sim/task.h"

// --- Child first: the tree of forkjoin, with the parent to be continued
// -------
static void child_node(P *p, Task *task) {
  CO_BEGIN;
  if (task->n > 1) {
    for (task->i = 0; task->i < 2; task->i++) {
      Task *child = task_new(p, child_node, task);
      child->n = task->i == 0 ? task->n / 2 : task->n - task->n / 2;
      rt_add(&task->pending, 1u);
      CO_LEAVE(sched_spawn_child(p, &task->g, &child->g));
    }
    CO_JOIN;
  } else {
    CO_WORK(run.param);
  }
  CO_END;
}

static void child_first(P *p, Task *task) {
  CO_BEGIN;
  Task *root = task_new(p, child_node, task);
  root->n = run.procs * scaled(run.param < 5000 ? 256 : 64);
  task_go(p, root);
  CO_JOIN;
  CO_END;
}

// --- Blocking calls ----------------------------------------------------------
// Four Gs for each P: work, a call, work, and so on. A quick call keeps its P,
// until it lasts.
enum { CALL_ROUNDS = 50, CALL_TASKS = 4, CALL_WORK_NS = 10000 };

// The state is saved before the call: another M may go on from there.
#define CO_CALL(quick, ns)                                               \
  do {                                                                   \
    M *m;                                                                \
    task->line = __LINE__;                                               \
    if (0) {                                                             \
      case __LINE__:;                                                    \
    }                                                                    \
    if (!task->called) {                                                 \
      if (sched_syscall_enter(p, &task->g, (quick), &m) != CALL_ENTERED) \
        return;                                                          \
      task->called = true;                                               \
      sim_in_kernel(ns);                                                 \
      if ((p = sched_syscall_exit(m, &task->g)) == NULL) return;         \
    }                                                                    \
    task->called = false;                                                \
  } while (0)

// Its P may be another one afterwards: no switch in place.
static void resume_once(P *p, G *g) {
  Task *task = (Task *)(void *)g;
  task->body(p, task);
}

static void caller(P *p, Task *task) {
  CO_BEGIN;
  for (; task->n > 0; task->n--) {
    CO_WORK(CALL_WORK_NS);
    CO_CALL(task->i != 0, run.param);
  }
  CO_END;
}

static void start_callers(P *p, Task *task, bool quick) {
  for (int64_t n = CALL_TASKS * run.procs; n > 0; n--) {
    Task *one = task_new(p, caller, task);
    one->g.resume = resume_once;
    one->i = quick;
    one->n = scaled(CALL_ROUNDS);
    task_go(p, one);
  }
}

static void quick_calls(P *p, Task *task) {
  CO_BEGIN;
  start_callers(p, task, true);
  CO_JOIN;
  CO_END;
}

static void slow_calls(P *p, Task *task) {
  CO_BEGIN;
  start_callers(p, task, false);
  CO_JOIN;
  CO_END;
}

// --- Goroutines that touch memory --------------------------------------------
// Pairs, of which each G has a working set of its own. It reads and writes all
// of it in each turn. So a G that runs on another CPU than before brings its
// set there, line by line, as cache.c has it.
enum { SET_LINES = 64, SET_ROUNDS = 200, SET_WORK_NS = 1000 };

static void touch_set(Task *task) {
  for (int i = 0; i < SET_LINES; i++) task->set[i * RT_LINE]++;
}

static void set_pong(P *p, Task *task) {
  CO_BEGIN;
  for (; task->n > 0; task->n--) {
    CO_RECV(task->in);
    touch_set(task);
    CO_WORK(SET_WORK_NS);
    CO_SEND(task->out);
  }
  CO_END;
}

static void set_ping(P *p, Task *task) {
  CO_BEGIN;
  for (; task->n > 0; task->n--) {
    touch_set(task);
    CO_WORK(SET_WORK_NS);
    CO_SEND(task->out);
    CO_RECV(task->in);
  }
  CO_END;
}

static Task *set_task(P *p, Task *parent, void (*body)(P *p, Task *task)) {
  Task *task = task_new(p, body, parent);
  task->set = sim_alloc(RT_LINE, (size_t)SET_LINES * RT_LINE);
  task->n = scaled(SET_ROUNDS);
  return task;
}

// param: pairs for each two Ps
static void sets(P *p, Task *task) {
  CO_BEGIN;
  task->n = run.procs * run.param / 2;
  for (task->n = task->n < 1 ? 1 : task->n; task->n > 0; task->n--) {
    Task *a = set_task(p, task, set_ping), *b = set_task(p, task, set_pong);
    a->in = b->out = new_chan(0);
    a->out = b->in = new_chan(0);
    task_go(p, a);
    task_go(p, b);
  }
  CO_JOIN;
  CO_END;
}

const Entry entries_more[] = {
    {"childfirst-1us", child_first, 1000, false, true},
    {"childfirst-10us", child_first, 10000, false, true},
    {"calls-quick", quick_calls, 2000, false, false},
    {"calls-slow", slow_calls, 50000, false, false},
    {"memory-half", sets, 1, false, false},
    {"memory-full", sets, 2, false, false},
    {NULL, NULL, 0, false, false},
};
