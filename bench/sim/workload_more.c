// SPDX-License-Identifier: MIT
// More programs of the simulation: child first, blocking calls, goroutines that
// touch memory, and netpoll.
#include "bench/sim/task.h"

// --- Child first ------------------------------------------------------------
// The tree of forkjoin, with the parent to be continued.
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

// --- Netpoll ----------------------------------------------------------------
// Each of many Gs has a descriptor. A thread that is no M makes one after the
// other readable, param of them each ms for each P. A line is 5 us of work, and
// nothing else runs.
enum { NET_LINES = 100, NET_FDS = 4, NET_WORK_NS = 5000, NET_MS = 1000000 };

#define CO_POLL(desc)                                                     \
  do {                                                                    \
    task->line = __LINE__;                                                \
    if (poll_wait(p, &task->g, (desc), POLL_READ) == POLL_PARKED) return; \
    if (0) {                                                              \
      case __LINE__:                                                      \
        poll_result((desc), POLL_READ);                                   \
    }                                                                     \
  } while (0)

static int net_first, net_fds;

static void *net_card(void *arg) {
  int64_t lines = *(int64_t *)arg;
  for (int64_t i = 0; i < lines; i++) {
    sim_in_kernel(NET_MS / (run.param * run.procs));
    sim_fd_signal(net_first + (int)(i % net_fds));
  }
  return NULL;
}

static void net_reader(P *p, Task *task) {
  CO_BEGIN;
  while (task->n > 0) {
    CO_POLL(task->desc);
    for (task->i = sim_fd_take(task->fd); task->i > 0; task->i--, task->n--)
      CO_WORK(NET_WORK_NS);
  }
  poll_close(p, task->desc);
  CO_END;
}

static void net(P *p, Task *task) {
  static int64_t lines;
  CO_BEGIN;
  net_fds = NET_FDS * run.procs;
  lines = net_fds * scaled(NET_LINES);
  net_first = sim_fd_new();
  for (int i = 1; i < net_fds; i++) sim_fd_new();
  for (int i = 0; i < net_fds; i++) {
    Task *reader = task_new(p, net_reader, task);
    reader->fd = net_first + i;
    reader->n = lines / net_fds;
    reader->desc = poll_open(p->sched, reader->fd);
    RT_CHECK(reader->desc != NULL, "no descriptor");
    task_go(p, reader);
  }
  sim_thread_start(net_card, &lines);
  CO_JOIN;
  CO_END;
}

const Entry entries_more[] = {
    {"net-light", net, 10, false, false},
    {"net-busy", net, 100, false, false},
    {"childfirst-1us", child_first, 1000, false, true},
    {"childfirst-10us", child_first, 10000, false, true},
    {"calls-quick", quick_calls, 2000, false, false},
    {"calls-slow", slow_calls, 50000, false, false},
    {"memory-half", sets, 1, false, false},
    {"memory-full", sets, 2, false, false},
    {NULL, NULL, 0, false, false},
};
