// SPDX-License-Identifier: MIT
// The programs of the simulation, as goroutines in C over sched.h, compiled
// like sched/ with a call at each access. In each run the main G lets all Ps
// run at once, so that all threads exist (warm-up). It begins to measure, runs
// the workload, ends the measurement, and ends the runtime.
// task.h has what they are made of, and workload_more.c more of them.
#include <string.h>

#include "bench/sim/task.h"

Run run;

// --- Alone: k goroutines of w ns, for the self-check -------------------------
static void alone_child(P *p, Task *task) {
  CO_BEGIN;
  CO_WORK(run.param);
  CO_END;
}

static void alone(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = scaled(1000); task->i > 0; task->i--) {
    task_go(p, task_new(p, alone_child, task));
  }
  CO_JOIN;
  CO_END;
}

// --- Fork-join: a binary tree; the leaves work -------------------------------
static void fork_node(P *p, Task *task) {
  CO_BEGIN;
  if (task->n > 1) {
    Task *left = task_new(p, fork_node, task);
    left->n = task->n / 2;
    task_go(p, left);
    Task *right = task_new(p, fork_node, task);
    right->n = task->n - task->n / 2;
    task_go(p, right);
    CO_JOIN;
  } else {
    CO_WORK(run.param);
  }
  CO_END;
}

static void fork_join(P *p, Task *task) {
  CO_BEGIN;
  Task *root = task_new(p, fork_node, task);
  root->n = run.procs * scaled(run.param < 5000 ? 256 : 64);
  task_go(p, root);
  CO_JOIN;
  CO_END;
}

// --- Ping-pong ---------------------------------------------------------------
enum { PING_ROUNDS = 1000, PING_WORK_NS = 250 };
static int64_t ping_work_ns;

static void pong(P *p, Task *task) {
  CO_BEGIN;
  for (; task->n > 0; task->n--) {
    CO_RECV(task->in);
    CO_WORK(ping_work_ns);
    CO_SEND(task->out);
  }
  CO_END;
}

static void ping(P *p, Task *task) {
  CO_BEGIN;
  for (; task->n > 0; task->n--) {
    CO_WORK(ping_work_ns);
    CO_SEND(task->out);
    CO_RECV(task->in);
  }
  CO_END;
}

// param: pairs for each two Ps, or (0) one, without work, as
// bench/sched_pingpong
static void ping_pong(P *p, Task *task) {
  CO_BEGIN;
  ping_work_ns = run.param == 0 ? 0 : PING_WORK_NS;
  task->n = run.procs * run.param / 2;
  for (task->n = task->n < 1 ? 1 : task->n; task->n > 0; task->n--) {
    Task *a = task_new(p, ping, task), *b = task_new(p, pong, task);
    a->in = b->out = new_chan(0);
    a->out = b->in = new_chan(0);
    a->n = b->n = scaled(PING_ROUNDS);
    task_go(p, a);
    task_go(p, b);
  }
  CO_JOIN;
  CO_END;
}

// --- Fan-in: many producers, one channel, one consumer -----------------------
enum { FAN_ITEMS = 16, FAN_WORK_NS = 5000, FAN_TAKE_NS = 100, FAN_CAP = 128 };

// Both: n items, each of i ns of work.
static void sender(P *p, Task *task) {
  CO_BEGIN;
  for (; task->n > 0; task->n--) {
    CO_WORK(task->i);
    CO_SEND(task->out);
  }
  CO_END;
}

static void receiver(P *p, Task *task) {
  CO_BEGIN;
  for (; task->n > 0; task->n--) {
    CO_RECV(task->in);
    CO_WORK(task->i);
  }
  CO_END;
}

static void fan_in(P *p, Task *task) {
  CO_BEGIN;
  task->in = new_chan(FAN_CAP);
  Task *taker = task_new(p, receiver, task);
  taker->in = task->in;
  taker->i = FAN_TAKE_NS;
  taker->n = 2 * run.procs * scaled(FAN_ITEMS);
  task_go(p, taker);
  for (task->n = 2 * run.procs; task->n > 0; task->n--) {
    Task *maker = task_new(p, sender, task);
    maker->out = task->in;
    maker->i = FAN_WORK_NS;
    maker->n = scaled(FAN_ITEMS);
    task_go(p, maker);
  }
  CO_JOIN;
  CO_END;
}

// --- Bursts: a server's batches ----------------------------------------------
enum { BURSTS = 10, BURST_NS = 2000000, BURST_WORK_NS = 5000 };

typedef struct Burst {
  uint32_t working;  // atomic: of the last batch
  int64_t count, left;
  Task **workers;
  Task *main;
} Burst;

static Burst burst;

// It waits by now, and is told so.
static bool burst_commit(G *g, void *arg) {
  (void)g, (void)arg;
  rt_sub(&burst.working, 1u);
  return true;
}

static void burst_worker(P *p, Task *task) {
  CO_BEGIN;
  while (burst.left > 0) {
    CO_LEAVE(sched_park(p, &task->g, WAIT_OTHER, burst_commit, NULL));
    CO_WORK(BURST_WORK_NS);
  }
  rt_sub(&burst.working, 1u);
  CO_END;
}

// All are parked: they become ready at once, as from netpoll.
static void burst_fire(P *p, Timer *timer, int64_t now) {
  (void)now;
  if (rt_load_acquire(&burst.working) != 0) return;  // still at the last one
  if (--burst.left == 0) timer_stop(p, timer);
  rt_store_relaxed(&burst.working, (uint32_t)burst.count);  // none runs
  for (int64_t i = 0; i < burst.count; i++) {
    burst.workers[i]->g.link =
        i + 1 < burst.count ? &burst.workers[i + 1]->g : NULL;
  }
  sched_ready_list(p, &burst.workers[0]->g, (int)burst.count);
}

// param: workers for each two Ps
static void bursts(P *p, Task *task) {
  CO_BEGIN;
  burst.count = run.procs * run.param / 2;
  if (burst.count < 1) burst.count = 1;
  burst.left = scaled(BURSTS) + 1;
  burst.workers = sim_alloc(RT_LINE, (size_t)burst.count * sizeof(Task *));
  rt_store_relaxed(&burst.working, (uint32_t)burst.count);  // none runs
  for (task->i = 0; task->i < burst.count; task->i++) {
    burst.workers[task->i] = task_new(p, burst_worker, task);
    task_go(p, burst.workers[task->i]);
  }
  while (rt_load_acquire(&burst.working) != 0) CO_SLEEP(100000);
  CO_SLEEP(1000000);
  sim_measure(p->sched, true);  // from here on
  task->timer.fire = burst_fire;
  timer_start(p, &task->timer, rt_now() + BURST_NS, BURST_NS);
  CO_JOIN;
  CO_END;
}

// --- Thin: little work, many idle Ps (golang/go#28808) -----------------------
enum { THIN_ROUNDS = 1000 };

// One makes the other ready every 30 us, and goes on.
static void thin_taker(P *p, Task *task) {
  CO_BEGIN;
  for (; task->n > 0; task->n--) {
    CO_RECV(task->in);
    CO_WORK(10000);
  }
  CO_END;
}

static void thin_maker(P *p, Task *task) {
  CO_BEGIN;
  for (; task->n > 0; task->n--) {
    CO_SEND(task->out);
    CO_WORK(30000);
  }
  CO_END;
}

static void thin_chan(P *p, Task *task) {
  CO_BEGIN;
  Task *maker = task_new(p, thin_maker, task),
       *taker = task_new(p, thin_taker, task);
  maker->out = taker->in = new_chan(4);
  maker->n = taker->n = scaled(THIN_ROUNDS);
  task_go(p, taker);
  task_go(p, maker);
  CO_JOIN;
  CO_END;
}

// One starts another every 30 us, and goes on.
static void thin_child(P *p, Task *task) {
  CO_BEGIN;
  CO_WORK(5000);
  CO_END;
}

static void thin_spawn(P *p, Task *task) {
  CO_BEGIN;
  for (task->n = scaled(THIN_ROUNDS); task->n > 0; task->n--) {
    task_go(p, task_new(p, thin_child, task));
    CO_WORK(30000);
  }
  CO_JOIN;
  CO_END;
}

// One sleeps 30 us, works 5 us; nobody else does anything.
static void thin_sleep(P *p, Task *task) {
  CO_BEGIN;
  for (task->n = scaled(THIN_ROUNDS); task->n > 0; task->n--) {
    CO_SLEEP(30000);
    CO_WORK(5000);
  }
  CO_END;
}

// Eight that block and are made ready often: a channel's two sides each on a
// clock of its own, so that work comes every few us, never much.
static void few_maker(P *p, Task *task) {
  CO_BEGIN;
  for (; task->n > 0; task->n--) {
    CO_SLEEP(50000 + task->i * 3000);
    CO_WORK(2000);
    CO_SEND(task->out);
    CO_WORK(5000);
  }
  CO_END;
}

static void thin_few(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < 8; task->i++) {
    Task *maker = task_new(p, few_maker, task);
    Task *taker = task_new(p, thin_taker, task);
    maker->out = taker->in = new_chan(0);
    maker->n = taker->n = scaled(THIN_ROUNDS / 4);
    maker->i = task->i;
    task_go(p, taker);
    task_go(p, maker);
  }
  CO_JOIN;
  CO_END;
}

// --- Short turns: some ns between two channel operations ---------------------
// All of it could run on one P; more of them must not make it slower.
enum { SHORT_NS = 30, SHORT_TASKS = 8, SHORT_OPS = 2000, SHORT_RING = 64 };

static void start_short(P *p, Task *task, void (*body)(P *p, Task *task),
                        Chan *chan, int64_t n) {
  Task *one = task_new(p, body, task);
  one->in = one->out = chan;
  one->i = SHORT_NS;
  one->n = n;
  task_go(p, one);
}

// param: receivers of what 8 send, unbuffered
static void short_fan(P *p, Task *task) {
  CO_BEGIN;
  task->in = new_chan(0);
  for (task->i = 0; task->i < SHORT_TASKS; task->i++) {
    start_short(p, task, sender, task->in, scaled(SHORT_OPS));
  }
  for (task->i = 0; task->i < run.param; task->i++) {
    start_short(p, task, receiver, task->in,
                SHORT_TASKS * scaled(SHORT_OPS) / run.param);
  }
  CO_JOIN;
  CO_END;
}

// One sender, one receiver, a buffer of param.
static void short_pair(P *p, Task *task) {
  CO_BEGIN;
  task->in = new_chan((uint32_t)run.param);
  start_short(p, task, sender, task->in, SHORT_TASKS * scaled(SHORT_OPS));
  start_short(p, task, receiver, task->in, SHORT_TASKS * scaled(SHORT_OPS));
  CO_JOIN;
  CO_END;
}

// A lock made of a channel with one place.
static void short_locker(P *p, Task *task) {
  CO_BEGIN;
  for (; task->n > 0; task->n--) {
    CO_SEND(task->out);
    CO_WORK(SHORT_NS);
    CO_RECV(task->in);
    CO_WORK(SHORT_NS);
  }
  CO_END;
}

static void short_lock(P *p, Task *task) {
  CO_BEGIN;
  task->in = new_chan(1);
  for (task->i = 0; task->i < SHORT_TASKS; task->i++) {
    start_short(p, task, short_locker, task->in, scaled(SHORT_OPS));
  }
  CO_JOIN;
  CO_END;
}

// A token goes around.
static void short_link(P *p, Task *task) {
  CO_BEGIN;
  for (; task->n > 0; task->n--) {
    CO_RECV(task->in);
    CO_WORK(SHORT_NS);
    if (task->n > 1 || task->i != 0) CO_SEND(task->out);
  }
  CO_END;
}

static void short_ring(P *p, Task *task) {
  CO_BEGIN;
  Chan *first = new_chan(0), *in = first;
  task->out = first;
  for (int64_t i = SHORT_RING - 1; i >= 0; i--) {
    Task *link = task_new(p, short_link, task);
    link->out = in;
    in = link->in = i == 0 ? first : new_chan(0);
    link->i = i == SHORT_RING - 1 ? 0 : 1;
    link->n = scaled(SHORT_OPS / 8);
    task_go(p, link);
  }
  CO_SEND(task->out);
  CO_JOIN;
  CO_END;
}

// One starts many, in turn.
static void short_child(P *p, Task *task) {
  CO_BEGIN;
  CO_WORK(SHORT_NS);
  CO_END;
}

static void short_spawn(P *p, Task *task) {
  CO_BEGIN;
  for (task->n = SHORT_TASKS * scaled(SHORT_OPS); task->n > 0; task->n--) {
    task_go(p, task_new(p, short_child, task));
    CO_WORK(SHORT_NS);
  }
  CO_JOIN;
  CO_END;
}

// Fibonacci of the book: a goroutine and a channel for each call.
static void short_fib(P *p, Task *task) {
  CO_BEGIN;
  CO_WORK(SHORT_NS);
  if (task->n > 2) {
    task->in = new_chan(0);
    for (task->i = 1; task->i <= 2; task->i++) {
      Task *child = task_new(p, short_fib, NULL);
      child->n = task->n - task->i;
      child->out = task->in;
      task_go(p, child);
    }
    CO_RECV(task->in);
    CO_RECV(task->in);
  }
  CO_SEND(task->out);
  CO_END;
}

static void short_book(P *p, Task *task) {
  CO_BEGIN;
  task->in = new_chan(0);
  Task *root = task_new(p, short_fib, NULL);
  root->n = run.param;
  root->out = task->in;
  task_go(p, root);
  CO_RECV(task->in);
  CO_END;
}

// The prime sieve: a chain of filters, one for each prime. The first hands on
// numbers, and each filter hands on what its prime does not divide.
static uint32_t sieve_found;  // atomic: primes

static void sieve_filter(P *p, Task *task) {
  CO_BEGIN;
  CO_RECV(task->in);
  task->i = (int64_t)task->word;  // its prime
  rt_add(&sieve_found, 1u);
  task->out = new_chan(0);
  Task *next = task_new(p, sieve_filter, NULL);
  next->in = task->out;
  task_go(p, next);
  for (;;) {
    CO_RECV(task->in);
    CO_WORK(SHORT_NS);
    if ((int64_t)task->word % task->i != 0) CO_SEND_WORD(task->out, task->word);
  }
  CO_END;
}

static void short_sieve(P *p, Task *task) {
  CO_BEGIN;
  task->out = new_chan(0);
  Task *first = task_new(p, sieve_filter, NULL);
  first->in = task->out;
  task_go(p, first);
  for (task->n = 2; rt_load_relaxed(&sieve_found) < run.param; task->n++) {
    CO_WORK(SHORT_NS);
    CO_SEND_WORD(task->out, (uint64_t)task->n);
  }
  CO_END;
}

// --- A pipeline of unbuffered stages, each of param ns -----------------------
enum { PIPE_STAGES = 4, PIPE_ITEMS = 500 };

static void pipe_stage(P *p, Task *task) {
  CO_BEGIN;
  for (; task->n > 0; task->n--) {
    if (task->in != NULL) CO_RECV(task->in);
    CO_WORK(run.param);
    if (task->out != NULL) CO_SEND(task->out);
  }
  CO_END;
}

static void pipeline(P *p, Task *task) {
  CO_BEGIN;
  Chan *in = NULL;
  for (int i = 0; i < PIPE_STAGES; i++) {
    Task *stage = task_new(p, pipe_stage, task);
    stage->in = in;
    stage->out = in = i + 1 < PIPE_STAGES ? new_chan(0) : NULL;
    stage->n = scaled(PIPE_ITEMS);
    task_go(p, stage);
  }
  CO_JOIN;
  CO_END;
}

// --- All --------------------------------------------------------------------
static const Entry entries[] = {
    {"alone", alone, 10000, false, false},
    {"forkjoin-1us", fork_join, 1000, false, false},
    {"forkjoin-10us", fork_join, 10000, false, false},
    {"pingpong-bare", ping_pong, 0, false, false},
    {"pingpong-half", ping_pong, 1, false, false},
    {"pingpong-full", ping_pong, 2, false, false},
    {"fanin", fan_in, 0, false, false},
    {"bursts", bursts, 2, true, false},
    {"bursts-half", bursts, 1, true, false},
    {"thin-chan", thin_chan, 0, false, false},
    {"thin-spawn", thin_spawn, 0, false, false},
    {"thin-sleep", thin_sleep, 0, false, false},
    {"thin-few", thin_few, 0, false, false},
    {"short-fanin", short_fan, 1, false, false},
    {"short-fan", short_fan, 4, false, false},
    {"short-pingpong", short_pair, 0, false, false},
    {"short-buffered", short_pair, 128, false, false},
    {"short-lock", short_lock, 0, false, false},
    {"short-ring", short_ring, 0, false, false},
    {"short-spawn", short_spawn, 0, false, false},
    {"short-book", short_book, 20, false, false},
    {"short-sieve", short_sieve, 700, false, false},
    {"pipeline-1us", pipeline, 1000, false, false},
    {"pipeline-3us", pipeline, 3000, false, false},
    {"pipeline-10us", pipeline, 10000, false, false},
    {"pipeline-36us", pipeline, 36000, false, false},
    {"pipeline-140us", pipeline, 140000, false, false},
};
static const Entry *entry;

// Holds its P until all Ps run at once; they look, so that others are woken.
// Then they go one after the other: all at once is a storm of its own.
static void warm_child(P *p, Task *task) {
  CO_BEGIN;
  rt_add(&run.present, 1u);
  while (rt_load_relaxed(&run.present) < (uint32_t)run.procs) CO_WORK(SPIN_NS);
  CO_WORK(task->n * APART_NS);
  CO_END;
}

static void main_body(P *p, Task *task) {
  CO_BEGIN;
  for (task->i = 0; task->i < run.procs; task->i++) {
    Task *child = task_new(p, warm_child, task);
    child->n = task->i;
    task_go(p, child);
  }
  CO_JOIN;
  rt_store_relaxed(&task->pending, 1u);  // none is left
  do {
    CO_SLEEP(SETTLE_NS);
    // its own waking up may have woken others
  } while (rt_load_seq(&p->sched->idle_count) + 3 < (uint32_t)run.procs);
  if (!entry->measures) sim_measure(p->sched, true);
  task_go(p, task_new(p, entry->body, task));
  CO_JOIN;
  sim_measure(p->sched, false);
  sched_exit(p->sched);
  CO_END;
}

static bool p_init(void *host, P *p) {
  (void)host;
  if (p->local == NULL) p->local = sim_alloc(RT_LINE, sizeof(Local));
  return true;
}

// With rings: the CPUs lie as the costs of lines say (cache.c).
#ifdef SCHED_NO_PLACE
static const SchedTopology *topology(bool rings) {
  static uint32_t places[SIM_CPUS];
  static SchedTopology all;
  for (uint32_t i = 0; i < SIM_CPUS; i++) {
    places[i] = rings ? sched_place(i / SIM_LLC, i / SIM_SOCKET) : 0;
  }
  all = (SchedTopology){.cpus = SIM_CPUS,
                        .domains = rings ? SIM_CPUS / SIM_LLC + 1 : 1,
                        .nodes = rings ? SIM_CPUS / SIM_SOCKET + 1 : 1,
                        .places = places};
  return &all;
}
#endif

static void *run_main(void *arg) {
  SchedConfig config = {.procs = run.procs,
                        .seed = *(uint64_t *)arg,
                        .hooks.p_init = p_init,
                        .child_first = entry->child_first};
#ifdef SCHED_NO_PLACE
  config.topology = topology(run.rings);
#endif
  run.sched = sched_new(&config);
  run.tasks = sim_alloc(RT_LINE, TASKS_MAX * sizeof(Task));
  sim_watch(run.tasks, sizeof(Task), TASKS_MAX);
  G *main_g = &run.tasks[run.tasks_used++].g;
  main_g->resume = task_resume;
  Task *task = (Task *)(void *)main_g;
  task->body = main_body;
  task->pending = 1;
  SchedEnd end = sched_run(run.sched, main_g, RT_FOREVER, NULL);
  RT_CHECK(end == SCHED_EXITED, "the runtime thinks it is deadlocked");
  sched_free(run.sched);
  return NULL;
}

static const Entry *find_entry(const char *name) {
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    if (strcmp(entries[i].name, name) == 0) return &entries[i];
  }
  for (const Entry *e = entries_more; e->name != NULL; e++) {
    if (strcmp(e->name, name) == 0) return e;
  }
  return NULL;
}

bool workload_run(const char *name, int procs, uint64_t seed, double scale,
                  int64_t param, bool rings) {
#ifndef SCHED_NO_PLACE
  if (rings) return false;
#endif
  entry = find_entry(name);
  if (entry == NULL) return false;
  run = (Run){.procs = procs,
              .scale = scale,
              .rings = rings,
              .param = param != 0 ? param : entry->param};
  sim_run(run_main, &seed);
  return true;
}

void workload_each(void (*fn)(const char *name)) {
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    fn(entries[i].name);
  }
  for (const Entry *e = entries_more; e->name != NULL; e++) fn(e->name);
}
