// SPDX-License-Identifier: MIT
// What the programs of the simulation are made of (workload*.c).
//
// A Task is a G with a body that is entered again at the line where it left.
// Ps have a list of free Tasks each, as a VM would have, and count their work
// until the next look: looks come every LOOK_NS of work, whichever G does it.
#ifndef CSP_BENCH_SIM_TASK_H
#define CSP_BENCH_SIM_TASK_H

#include "bench/sim/sim.h"
#include "sched/descriptors.h"

enum {
  LOOK_NS = 10000,
  TASKS_MAX = 400000,
  SPIN_NS = 10000,
  APART_NS = 20000,
  SETTLE_NS = 1000000,
};

typedef struct Task Task;
struct Task {
  G g;
  void (*body)(P *p, Task *task);
  int line;
  int64_t i, n, left;
  uint64_t word;
  uint32_t pending;  // atomic: children, and itself until it waits
  Task *parent;      // the task that is told of its end
  Chan *in, *out;
  Timer timer;
  PollDesc *desc;
  int fd;
  bool called;         // its call is over
  unsigned char *set;  // its memory
  Task *next_free;
} RT_ALIGNED;

typedef struct Local {  // P.local
  int64_t since_look;
  Task *free;
} RT_ALIGNED Local;

// Outside the arena: no lines are fought for here.
typedef struct Run {
  int procs;
  double scale;   // how long the run is, 1: the whole
  bool rings;     // the scheduler is told where the CPUs lie
  int64_t param;  // of the workload
  Sched *sched;
  Task *tasks;
  uint32_t tasks_used;  // atomic
  uint32_t present;     // atomic, of the warm-up
} Run;

extern Run run;

// --- Tasks ------------------------------------------------------------------
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

#define CO_SLEEP(ns) CO_LEAVE(sched_sleep(p, &task->g, &task->timer, (ns)))

#define CO_CHAN(call)                  \
  do {                                 \
    task->line = __LINE__;             \
    if ((call) == CHAN_PARKED) return; \
    if (0) {                           \
      case __LINE__:;                  \
    }                                  \
  } while (0)

#define CO_SEND_WORD(chan, word) CO_CHAN(chan_send(p, &task->g, (chan), (word)))
#define CO_SEND(chan) CO_SEND_WORD(chan, 1)
#define CO_RECV(chan)                                                  \
  do {                                                                 \
    task->line = __LINE__;                                             \
    if (chan_recv(p, &task->g, (chan), &task->word, WAIT_CHAN_RECV) == \
        CHAN_PARKED)                                                   \
      return;                                                          \
    if (0) {                                                           \
      case __LINE__:                                                   \
        task->word = task->g.wait.elem;                                \
    }                                                                  \
  } while (0)

// Useful work, with looks.
#define CO_WORK(ns)               \
  do {                            \
    task->left = (ns);            \
    task->line = __LINE__;        \
    if (0) {                      \
      case __LINE__:;             \
    }                             \
    if (!work_on(p, task)) {      \
      sched_preempt(p, &task->g); \
      return;                     \
    }                             \
  } while (0)

// Waits for its children.
#define CO_JOIN                                                        \
  do {                                                                 \
    task->line = __LINE__;                                             \
    if (sched_park(p, &task->g, WAIT_TASK, join_commit, NULL)) return; \
    if (0) {                                                           \
      case __LINE__:;                                                  \
    }                                                                  \
  } while (0)

// false: the G must leave, and task->left tells what is left.
static inline bool work_on(P *p, Task *task) {
  Local *local = p->local;
  while (task->left > 0) {
    int64_t part = LOOK_NS - local->since_look;
    if (part > task->left) part = task->left;
    sim_work(part);
    task->left -= part;
    local->since_look += part;
    if (local->since_look < LOOK_NS) continue;
    local->since_look = 0;
    if (sched_look(p, &task->g)) return false;
  }
  return true;
}

static inline bool join_commit(G *g, void *arg) {
  (void)arg;
  Task *task = (Task *)(void *)g;
  return rt_sub(&task->pending, 1u) != 1;
}

static inline void task_resume(P *p, G *g) {
  for (; g != NULL; g = sched_switch(p)) {
    Task *task = (Task *)(void *)g;
    task->body(p, task);
  }
}

static inline Task *task_new(P *p, void (*body)(P *p, Task *task),
                             Task *parent) {
  Local *local = p->local;
  Task *task = local->free;
  if (task != NULL) {
    local->free = task->next_free;
  } else {
    uint32_t at = rt_add(&run.tasks_used, 1u);
    RT_CHECK(at < TASKS_MAX, "too many tasks");
    task = &run.tasks[at];
  }
  task->body = body;
  task->parent = parent;
  task->i = task->n = task->line = 0;
  task->g.resume = task_resume;
  rt_store_relaxed(&task->pending, 1u);  // relaxed: its own yet
  return task;
}

static inline void task_go(P *p, Task *task) {
  if (task->parent != NULL) rt_add(&task->parent->pending, 1u);
  sched_spawn(p, &task->g);
}

static inline void task_end(P *p, Task *task) {
  Local *local = p->local;
  Task *parent = task->parent;
  sched_end(p, &task->g);
  task->next_free = local->free;
  local->free = task;
  if (parent != NULL && rt_sub(&parent->pending, 1u) == 1) {
    sched_ready(p, &parent->g);
  }
}

static inline Chan *new_chan(uint32_t cap) {
  Chan *chan = sim_alloc(RT_LINE, chan_size(cap));
  chan_init(chan, cap);
  return chan;
}

static inline int64_t scaled(double count) {
  int64_t n = (int64_t)(count * run.scale);
  return n < 1 ? 1 : n;
}

// A program: its name, its first G, what that G's run.param is.
typedef struct Entry {
  const char *name;
  void (*body)(P *p, Task *task);
  int64_t param;
  bool measures;     // begins to measure itself
  bool child_first;  // of the scheduler
} Entry;

// workload_more.c: until a name is NULL.
extern const Entry entries_more[];

#endif
