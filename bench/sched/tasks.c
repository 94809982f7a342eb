// SPDX-License-Identifier: MIT
// Four programs over sched.h, with goroutines as C state machines, that the
// peers' schedulers run, too (peers/). `run peers` compares them.
//   tasks WORKLOAD PROCS SIZE [child]
//   fib       fib(SIZE): a call starts two goroutines and waits for both
//   skynet    SIZE leaves below nodes of ten; each leaf gives its number
//   ring      503 goroutines hand a token on over channels, SIZE times
//   pingpong  two goroutines, SIZE round trips over channels
// The workload runs twice, and the second time counts: nanoseconds for each
// goroutine, each hop, or each round trip. `child` runs children first.
//
// A node of a tree owns its children's memory. It parks when it has started all
// of them. `pending` counts the children that have not ended, and the node
// itself until it has parked. Whoever brings it to 0 lets the node go on.
#include <inttypes.h>
#include <string.h>

#include "bench.h"

enum { RING = 503, FIB_FAN = 2, SKYNET_FAN = 10 };

typedef struct Task Task;
struct Task {
  G g;                             // first
  bool (*step)(P *p, Task *task);  // false: it left (parked, ended, ...)
  Task *parent;                    // immutable
  Task *kids;                      // owned; NULL means not made yet
  int started;                     // how many of them
  bool parked;                     // for them, or on a channel
  uint32_t pending;                // atomic: see above
  int64_t size, number, sum;
  Chan *in, *out;
};

typedef struct Workload {
  const char *name;
  bool (*step)(P *p, Task *task);  // of the main goroutine, which begins it
  int fan;                         // of a tree; 0 means none
} Workload;

static const Workload *workload;
static bool child_first;
static int procs;
static int64_t size;
static int runs;       // done; the main goroutine's, as are the next two
static int64_t began;  // when this run did
static int failed;     // 1: a result was wrong

static void resume(P *p, G *g) {
  for (; g != NULL; g = sched_switch(p)) {
    Task *task = (Task *)g;
    while (task->step(p, task)) {
    }
  }
}

static void task_init(Task *task, bool (*step)(P *p, Task *task),
                      Task *parent) {
  *task = (Task){.step = step, .parent = parent};
  task->g.resume = resume;
}

static Task *new_task(bool (*step)(P *p, Task *task)) {
  Task *task = malloc(sizeof *task);
  if (task == NULL) abort();
  task_init(task, step, NULL);
  return task;
}

static Chan *new_chan(void) {
  Chan *chan = malloc(chan_size(0));
  if (chan == NULL) abort();
  chan_init(chan, 0);
  return chan;
}

// --- Runs -------------------------------------------------------------------
static void run_begin(void) { began = rt_now(); }

// true: there is another one.
static bool run_end(int64_t count, int64_t result, int64_t expected) {
  int64_t took = rt_now() - began;
  if (result != expected) {
    fprintf(stderr, "tasks: %s gave %" PRId64 ", not %" PRId64 "\n",
            workload->name, result, expected);
    failed = 1;
    return false;
  }
  if (++runs == 1) return true;
  char key[64];
  snprintf(key, sizeof key, "%s.%d", workload->name, procs);
  bench_value(key, (double)took / (double)count);
  return false;
}

static bool all_over(P *p, Task *task) {
  sched_exit(p->sched);
  sched_end(p, &task->g);
  return false;
}

// --- Trees ------------------------------------------------------------------
static bool is_leaf(const Task *task) {
  return task->size < (workload->fan == FIB_FAN ? 2 : SKYNET_FAN);
}

// The task's memory is its parent's from the subtraction on.
static bool task_finish(P *p, Task *task, int64_t sum) {
  Task *parent = task->parent;
  task->sum = sum;
  sched_end(p, &task->g);
  // release: shows the sum. Acquire: the last one sees the parent parked
  if (rt_sub(&parent->pending, 1u) == 1) sched_ready(p, &parent->g);
  return false;
}

// The node has parked. false: all its children have ended before.
static bool node_waits(G *g, void *arg) {
  (void)arg;
  Task *task = (Task *)g;
  // release: shows that it parked. Acquire: sees the children's sums
  return rt_sub(&task->pending, 1u) != 1;
}

// true: its children have ended. false: it parked.
static bool node_joined(P *p, Task *task) {
  if (task->parked) return true;
  task->parked = true;
  return !sched_park(p, &task->g, WAIT_TASK, node_waits, NULL);
}

static bool node_step(P *p, Task *task);

static void make_kids(Task *task, int fan) {
  task->kids = malloc((size_t)fan * sizeof *task->kids);
  if (task->kids == NULL) abort();
  task->pending = (uint32_t)fan + 1;  // the first spawn publishes it
  for (int i = 0; i < fan; i++) {
    Task *kid = &task->kids[i];
    task_init(kid, node_step, task);
    kid->size = fan == FIB_FAN ? task->size - 1 - i : task->size / fan;
    kid->number = task->number + i * kid->size;
  }
}

// true: all have started. false: one runs first.
static bool start_kids(P *p, Task *task, int fan) {
  while (task->started < fan) {
    Task *kid = &task->kids[task->started++];
    if (child_first) {
      sched_spawn_child(p, &task->g, &kid->g);
      return false;
    }
    sched_spawn(p, &kid->g);
  }
  return true;
}

static bool node_step(P *p, Task *task) {
  int fan = workload->fan;
  if (is_leaf(task)) {
    return task_finish(p, task, fan == FIB_FAN ? task->size : task->number);
  }
  if (task->kids == NULL) make_kids(task, fan);
  if (!start_kids(p, task, fan) || !node_joined(p, task)) return false;
  int64_t sum = 0;
  for (int i = 0; i < fan; i++) sum += task->kids[i].sum;
  free(task->kids);
  return task_finish(p, task, sum);
}

static int64_t fib_of(int64_t n) {
  int64_t a = 0, b = 1;
  for (; n > 0; n--) {
    int64_t next = a + b;
    a = b, b = next;
  }
  return a;
}

static bool tree_end(int64_t sum) {
  if (workload->fan == FIB_FAN) {
    return run_end(2 * fib_of(size + 1) - 1, sum, fib_of(size));
  }
  // nodes of ten: one for each nine leaves but the first
  return run_end(size + (size - 1) / 9, sum, size * (size - 1) / 2);
}

// The main goroutine: its only child is the root.
static bool tree_step(P *p, Task *task) {
  if (task->kids == NULL) {
    task->kids = new_task(node_step);
    task->kids->parent = task;
    task->kids->size = size;
    task->pending = 2;
    run_begin();
  }
  if (!start_kids(p, task, 1) || !node_joined(p, task)) return false;
  int64_t sum = task->kids->sum;
  free(task->kids);
  task->kids = NULL;
  task->started = 0;
  task->parked = false;
  return tree_end(sum) || all_over(p, task);
}

// --- Channels ---------------------------------------------------------------
// true: task->sum is what was received. false: it parked, and asks again.
static bool received(P *p, Task *task) {
  if (task->parked) {
    task->parked = false;
    task->sum = (int64_t)task->g.wait.elem;
    return true;
  }
  uint64_t word;
  task->parked = true;  // before: once it has parked it is another's
  if (chan_recv(p, &task->g, task->in, &word, WAIT_CHAN_RECV) == CHAN_PARKED)
    return false;
  task->parked = false;
  task->sum = (int64_t)word;
  return true;
}

// Receives, and sends one more or less; `started` tells which comes next.
static bool hand_on(P *p, Task *task, int64_t change) {
  if (task->started == 0 && !received(p, task)) return false;
  task->started = 0;
  uint64_t word = (uint64_t)(task->sum + change);
  return chan_send(p, &task->g, task->out, word) != CHAN_PARKED;
}

static bool pong_step(P *p, Task *task) { return hand_on(p, task, 1); }

// A token of 0 ends here: its owner tells the main goroutine its number.
static bool ring_node_step(P *p, Task *task) {
  if (!received(p, task)) return false;
  task->started = 1;  // it has received
  if (task->sum > 0) return hand_on(p, task, -1);
  task->started = 0;
  return chan_send(p, &task->g, task->parent->in, (uint64_t)task->number) !=
         CHAN_PARKED;
}

// The main goroutine is not in the ring: it sends the token into it.
static void ring_make(P *p, Task *task) {
  task->in = new_chan();
  task->out = new_chan();
  Chan *in = task->out;
  for (int i = 1; i <= RING; i++) {
    Task *node = new_task(ring_node_step);
    node->parent = task;
    node->number = i;
    node->in = in;
    node->out = in = i == RING ? task->out : new_chan();
    sched_spawn(p, &node->g);
  }
}

static bool ring_step(P *p, Task *task) {
  if (task->out == NULL) ring_make(p, task);
  if (task->started == 0) {
    task->started = 1;
    run_begin();
    if (chan_send(p, &task->g, task->out, (uint64_t)size) == CHAN_PARKED)
      return false;
  }
  if (!received(p, task)) return false;
  task->started = 0;
  return run_end(size, task->sum, size % RING + 1) || all_over(p, task);
}

// `number` counts the trips, `started` says that this one's ball is sent.
static bool ping_step(P *p, Task *task) {
  for (;;) {
    if (task->number == 0 && task->started == 0) run_begin();
    if (task->started == 0) {
      task->started = 1;
      if (chan_send(p, &task->g, task->out, (uint64_t)task->sum) == CHAN_PARKED)
        return false;
    }
    if (!received(p, task)) return false;
    task->started = 0;
    if (++task->number == size) break;
  }
  int64_t result = task->sum;
  task->number = task->sum = 0;
  return run_end(size, result, size) || all_over(p, task);
}

static bool pingpong_step(P *p, Task *task) {
  Task *pong = new_task(pong_step);
  task->out = pong->in = new_chan();
  task->in = pong->out = new_chan();
  task->step = ping_step;
  sched_spawn(p, &pong->g);
  return true;
}

// --- Main -------------------------------------------------------------------
static const Workload workloads[] = {
    {"fib", tree_step, FIB_FAN},
    {"skynet", tree_step, SKYNET_FAN},
    {"ring", ring_step, 0},
    {"pingpong", pingpong_step, 0},
};

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  for (int i = 0; i < 4; i++) {
    if (strcmp(argv[1], workloads[i].name) == 0) workload = &workloads[i];
  }
  procs = atoi(argv[2]);
  size = atoll(argv[3]);
  child_first = argc > 4;
  if (workload == NULL || procs < 1 || size < 1) return 2;
  SchedConfig config = {.procs = procs, .seed = 1, .child_first = child_first};
  Sched *sched = sched_new(&config);
  if (sched == NULL) abort();
  Task *task = new_task(workload->step);
  sched_run(sched, &task->g, 0, NULL);
  sched_free(sched);
  return failed;
}
