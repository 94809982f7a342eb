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
  G g;                          // first
  bool (*step)(P *p, Task *t);  // false: it left (parked, ended, ...)
  Task *parent;                 // immutable
  Task *kids;                   // owned; NULL means not made yet
  int started;                  // how many of them
  bool parked;                  // for them, or on a channel
  uint32_t pending;             // atomic: see above
  int64_t size, number, sum;
  Chan *in, *out;
};

typedef struct Workload {
  const char *name;
  bool (*step)(P *p, Task *t);  // of the main goroutine, which begins it
  int fan;                      // of a tree; 0 means none
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
    Task *t = (Task *)g;
    while (t->step(p, t)) {
    }
  }
}

static void task_init(Task *t, bool (*step)(P *p, Task *t), Task *parent) {
  *t = (Task){.step = step, .parent = parent};
  t->g.resume = resume;
}

static Task *new_task(bool (*step)(P *p, Task *t)) {
  Task *t = malloc(sizeof *t);
  if (t == NULL) abort();
  task_init(t, step, NULL);
  return t;
}

static Chan *new_chan(void) {
  Chan *c = malloc(chan_size(0));
  if (c == NULL) abort();
  chan_init(c, 0);
  return c;
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

static bool all_over(P *p, Task *t) {
  sched_exit(p->sched);
  sched_end(p, &t->g);
  return false;
}

// --- Trees ------------------------------------------------------------------
static bool is_leaf(const Task *t) {
  return t->size < (workload->fan == FIB_FAN ? 2 : SKYNET_FAN);
}

// The task's memory is its parent's from the subtraction on.
static bool task_finish(P *p, Task *t, int64_t sum) {
  Task *parent = t->parent;
  t->sum = sum;
  sched_end(p, &t->g);
  // release: shows the sum. Acquire: the last one sees the parent parked
  if (rt_sub(&parent->pending, 1u) == 1) sched_ready(p, &parent->g);
  return false;
}

// The node has parked. false: all its children have ended before.
static bool node_waits(G *g, void *arg) {
  (void)arg;
  Task *t = (Task *)g;
  // release: shows that it parked. Acquire: sees the children's sums
  return rt_sub(&t->pending, 1u) != 1;
}

// true: its children have ended. false: it parked.
static bool node_joined(P *p, Task *t) {
  if (t->parked) return true;
  t->parked = true;
  return !sched_park(p, &t->g, WAIT_TASK, node_waits, NULL);
}

static bool node_step(P *p, Task *t);

static void make_kids(Task *t, int fan) {
  t->kids = malloc((size_t)fan * sizeof *t->kids);
  if (t->kids == NULL) abort();
  t->pending = (uint32_t)fan + 1;  // the first spawn publishes it
  for (int i = 0; i < fan; i++) {
    Task *kid = &t->kids[i];
    task_init(kid, node_step, t);
    kid->size = fan == FIB_FAN ? t->size - 1 - i : t->size / fan;
    kid->number = t->number + i * kid->size;
  }
}

// true: all have started. false: one runs first.
static bool start_kids(P *p, Task *t, int fan) {
  while (t->started < fan) {
    Task *kid = &t->kids[t->started++];
    if (child_first) {
      sched_spawn_child(p, &t->g, &kid->g);
      return false;
    }
    sched_spawn(p, &kid->g);
  }
  return true;
}

static bool node_step(P *p, Task *t) {
  int fan = workload->fan;
  if (is_leaf(t)) {
    return task_finish(p, t, fan == FIB_FAN ? t->size : t->number);
  }
  if (t->kids == NULL) make_kids(t, fan);
  if (!start_kids(p, t, fan) || !node_joined(p, t)) return false;
  int64_t sum = 0;
  for (int i = 0; i < fan; i++) sum += t->kids[i].sum;
  free(t->kids);
  return task_finish(p, t, sum);
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
static bool tree_step(P *p, Task *t) {
  if (t->kids == NULL) {
    t->kids = new_task(node_step);
    t->kids->parent = t;
    t->kids->size = size;
    t->pending = 2;
    run_begin();
  }
  if (!start_kids(p, t, 1) || !node_joined(p, t)) return false;
  int64_t sum = t->kids->sum;
  free(t->kids);
  t->kids = NULL;
  t->started = 0;
  t->parked = false;
  return tree_end(sum) || all_over(p, t);
}

// --- Channels ---------------------------------------------------------------
// true: t->sum is what was received. false: it parked, and asks again.
static bool received(P *p, Task *t) {
  if (t->parked) {
    t->parked = false;
    t->sum = (int64_t)t->g.wait.elem;
    return true;
  }
  uint64_t word;
  t->parked = true;  // before: once it has parked it is another's
  if (chan_recv(p, &t->g, t->in, &word, WAIT_CHAN_RECV) == CHAN_PARKED)
    return false;
  t->parked = false;
  t->sum = (int64_t)word;
  return true;
}

// Receives, and sends one more or less; `started` tells which comes next.
static bool hand_on(P *p, Task *t, int64_t change) {
  if (t->started == 0 && !received(p, t)) return false;
  t->started = 0;
  uint64_t word = (uint64_t)(t->sum + change);
  return chan_send(p, &t->g, t->out, word) != CHAN_PARKED;
}

static bool pong_step(P *p, Task *t) { return hand_on(p, t, 1); }

// A token of 0 ends here: its owner tells the main goroutine its number.
static bool ring_node_step(P *p, Task *t) {
  if (!received(p, t)) return false;
  t->started = 1;  // it has received
  if (t->sum > 0) return hand_on(p, t, -1);
  t->started = 0;
  return chan_send(p, &t->g, t->parent->in, (uint64_t)t->number) != CHAN_PARKED;
}

// The main goroutine is not in the ring: it sends the token into it.
static void ring_make(P *p, Task *t) {
  t->in = new_chan();
  t->out = new_chan();
  Chan *in = t->out;
  for (int i = 1; i <= RING; i++) {
    Task *node = new_task(ring_node_step);
    node->parent = t;
    node->number = i;
    node->in = in;
    node->out = in = i == RING ? t->out : new_chan();
    sched_spawn(p, &node->g);
  }
}

static bool ring_step(P *p, Task *t) {
  if (t->out == NULL) ring_make(p, t);
  if (t->started == 0) {
    t->started = 1;
    run_begin();
    if (chan_send(p, &t->g, t->out, (uint64_t)size) == CHAN_PARKED)
      return false;
  }
  if (!received(p, t)) return false;
  t->started = 0;
  return run_end(size, t->sum, size % RING + 1) || all_over(p, t);
}

// `number` counts the trips, `started` says that this one's ball is sent.
static bool ping_step(P *p, Task *t) {
  for (;;) {
    if (t->number == 0 && t->started == 0) run_begin();
    if (t->started == 0) {
      t->started = 1;
      if (chan_send(p, &t->g, t->out, (uint64_t)t->sum) == CHAN_PARKED)
        return false;
    }
    if (!received(p, t)) return false;
    t->started = 0;
    if (++t->number == size) break;
  }
  int64_t result = t->sum;
  t->number = t->sum = 0;
  return run_end(size, result, size) || all_over(p, t);
}

static bool pingpong_step(P *p, Task *t) {
  Task *pong = new_task(pong_step);
  t->out = pong->in = new_chan();
  t->in = pong->out = new_chan();
  t->step = ping_step;
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
  Sched *s = sched_new(&config);
  if (s == NULL) abort();
  Task *t = new_task(workload->step);
  sched_run(s, &t->g, 0, NULL);
  sched_free(s);
  return failed;
}
