// SPDX-License-Identifier: MIT
// The scheduler at work without an interpreter: goroutines as C state machines
// over sched.h, on threads that are not pinned, but in the case of latencies.
//   runtime PROCS [ROUNDS] [SLEEPS]
// Cases: ping-pong over two unbuffered channels, spawn + end, yield, a buffered
// channel used by one goroutine, a select of 4. With more than one P it also
// measures from `go` until the goroutine runs on another one, and, if SLEEPS is
// not 0, how late a 1 ms sleeper is beside a CPU hog on every P.
#include "bench.h"

typedef struct Task Task;
struct Task {
  G g;
  bool (*step)(P *p, Task *task);  // false: it left (parked, ended, ...)
  Chan *in, *out;
  int64_t rounds, value;
  int state;
  int64_t ran;    // atomic: when it ran
  uint32_t held;  // atomic: it does not end yet
  Task *child, *last;
  SelCase cases[4];
  uint16_t order[8];
  Timer timer;
};

static Chan *new_chan(uint32_t cap) {
  Chan *chan = malloc(chan_size(cap));
  chan_init(chan, cap);
  return chan;
}

static Task *new_task(bool (*step)(P *p, Task *task)) {
  Task *task = calloc(1, sizeof *task);
  task->step = step;
  return task;
}

static void resume(P *p, G *g) {
  for (; g != NULL; g = sched_switch(p)) {
    Task *task = (Task *)g;
    while (task->step(p, task)) {
    }
  }
}

// --- Ping-pong --------------------------------------------------------------
static bool pong_step(P *p, Task *task) {
  uint64_t word;
  if (task->state == 0) {
    task->state = 1;
    if (chan_recv(p, &task->g, task->in, &word, WAIT_CHAN_RECV) ==
        CHAN_PARKED) {
      return false;
    }
  }
  task->state = 0;
  return chan_send(p, &task->g, task->out, 1) != CHAN_PARKED;
}

static bool ping_step(P *p, Task *task) {
  uint64_t word;
  if (task->state == 0) {
    if (task->rounds-- == 0) {
      sched_exit(p->sched);
      sched_end(p, &task->g);
      return false;
    }
    task->state = 1;
    if (chan_send(p, &task->g, task->out, 1) == CHAN_PARKED) return false;
  }
  task->state = 0;
  return chan_recv(p, &task->g, task->in, &word, WAIT_CHAN_RECV) != CHAN_PARKED;
}

static bool ping_main(P *p, Task *task) {
  Task *pong = task->child;
  pong->g.resume = resume;
  sched_spawn(p, &pong->g);
  task->step = ping_step;
  return true;
}

// --- Spawn, yield, buffer ---------------------------------------------------
static bool end_step(P *p, Task *task) {
  task->value = 0;
  sched_end(p, &task->g);
  return false;
}

static bool spawn_step(P *p, Task *task) {
  for (int i = 0; i < 32; i++) {
    if (task->child[i].value == 0) continue;  // has ended
    sched_yield_g(p, &task->g);
    return false;
  }
  if (task->rounds-- == 0) {
    sched_exit(p->sched);
    sched_end(p, &task->g);
    return false;
  }
  Task *batch = task->child;
  for (int i = 0; i < 32; i++) {
    batch[i].value = 1;
    sched_spawn(p, &batch[i].g);
  }
  sched_yield_g(p, &task->g);
  return false;
}

static bool yield_step(P *p, Task *task) {
  if (task->rounds-- == 0) {
    sched_exit(p->sched);
    sched_end(p, &task->g);
    return false;
  }
  sched_yield_g(p, &task->g);
  return false;
}

static bool buffer_step(P *p, Task *task) {
  uint64_t word;
  for (; task->rounds > 0; task->rounds--) {
    chan_send(p, &task->g, task->out, 1);
    chan_recv(p, &task->g, task->out, &word, WAIT_CHAN_RECV);
  }
  sched_exit(p->sched);
  sched_end(p, &task->g);
  return false;
}

static void set_cases(Task *task) {
  for (int i = 0; i < 4; i++) {
    task->cases[i] = (SelCase){.chan = task->child[i].out};
  }
}

// A value goes into each of four channels in turn, and select finds it.
static bool select_step(P *p, Task *task) {
  for (; task->rounds > 0; task->rounds--) {
    set_cases(task);
    chan_send(p, &task->g, task->child[task->rounds % 4].out, 1);
    select_go(p, &task->g, task->cases, task->order, 4, SELECT_BLOCK);
  }
  sched_exit(p->sched);
  sched_end(p, &task->g);
  return false;
}

// --- From `go` to running elsewhere -----------------------------------------
// The main goroutine never leaves its P, so what it starts runs elsewhere or
// not at all. Either it starts one while another M looks for work, just after
// that has run the one before, or when all others sleep for certain; what it
// was in truth tells the count of wake-ups. Through the ring: a second
// goroutine displaces the first at once. Both threads are pinned, to a CPU
// each.
enum { LATENCIES = 20000, LONELY_NS = 60000, CHILDREN = 8 };
static const int64_t LATENCY_NS_MAX = 1000000000;  // on a busy machine

typedef struct Latencies {
  int64_t times[LATENCIES];
  int count;
} Latencies;

static Latencies ring_spinner, ring_alone, next_spinner, next_alone;
static uint64_t wakes_seen;
static int cpus[2];
static _Thread_local bool pinned;

// Ends when the main goroutine says so: a wake-up returns later than the
// goroutine runs, and its M looks for work for a fraction of a microsecond.
static bool ran_step(P *p, Task *task) {
  if (!pinned) bench_pin(cpus[1]);
  pinned = true;
  rt_store_release(&task->ran, rt_now());
  while (rt_load_acquire(&task->held) != 0) rt_pause();
  sched_end(p, &task->g);
  return false;
}

// A thief that was about to take runnext may run `other` first.
static int64_t wait_ran(Task *task, Task *other) {
  int64_t ran;
  while ((ran = rt_load_acquire(&task->ran)) == 0) {
    if (rt_load_acquire(&other->ran) != 0) rt_store_release(&other->held, 0u);
    rt_pause();
  }
  return ran;
}

// Without sched.lock, which the other M is about to take: here only the caller
// wakes anybody.
static uint64_t wakes(Sched *sched) {
  return rt_load_relaxed(
      &sched->stats.wakes);  // relaxed: own writes, see above
}

// Ended: its M stores the state after `ran`.
static void wait_dead(Task *task) {
  uint32_t status;
  do {
    status = rt_load_acquire(&task->g.status);
  } while (status == G_RUNNING || status == G_RUNNABLE);
}

static void pause_ns(int64_t ns) {
  int64_t until = rt_now() + ns;
  while (rt_now() < until) rt_pause();
}

static void go_once(P *p, Task *task, int64_t round) {
  bool ring = round & 1, alone = round & 2;
  Task *first = &task->child[2 * round % CHILDREN], *second = first + 1;
  wait_dead(first);  // of some rounds ago
  wait_dead(second);
  first->ran = second->ran = 0;  // spawn publishes both
  first->held = !ring;           // one of them stays, until the next round
  second->held = 1;
  if (task->last != NULL) rt_store_release(&task->last->held, 0u);
  pause_ns(alone ? LONELY_NS : round / 4 % 16 * 20);
  int64_t begin = rt_now();
  sched_spawn(p, &first->g);
  if (ring) sched_spawn(p, &second->g);
  uint64_t count = wakes(p->sched);
  bool woke = count != wakes_seen;
  wakes_seen = count;
  int64_t took = wait_ran(first, second) - begin;
  if (ring) wait_ran(second, first);
  task->last = ring ? second : first;
  Latencies *latencies = ring ? (woke ? &ring_alone : &ring_spinner)
                              : (woke ? &next_alone : &next_spinner);
  if (woke == alone && latencies->count < LATENCIES)
    latencies->times[latencies->count++] = took;
}

static bool latency_step(P *p, Task *task) {
  bench_pin(cpus[0]);
  int64_t until = rt_now() + LATENCY_NS_MAX;
  for (int64_t i = 0; i < task->rounds && rt_now() < until; i++)
    go_once(p, task, i);
  rt_store_release(&task->last->held, 0u);
  sched_exit(p->sched);
  sched_end(p, &task->g);
  return false;
}

// --- A sleeper beside hogs --------------------------------------------------
enum { SLEEPS_MAX = 10000 };
static int64_t late[SLEEPS_MAX];
static int sleeps;

static bool hog_step(P *p, Task *task) {
  for (;;) {
    int64_t until = rt_now() + 5000;
    while (rt_now() < until) task->value++;
    if (!sched_look(p, &task->g)) continue;
    sched_preempt(p, &task->g);
    return false;
  }
}

static bool sleeper_step(P *p, Task *task) {
  int64_t now = rt_now();
  if (task->state > 0) late[task->state - 1] = now - task->value;
  if (task->state++ == sleeps) {
    sched_exit(p->sched);
    sched_end(p, &task->g);
    return false;
  }
  task->value = now + 1000000;
  sched_sleep(p, &task->g, &task->timer, 1000000);
  return false;
}

static bool hogs_main(P *p, Task *task) {
  for (int i = 0; i < sched_procs(p->sched); i++) {
    Task *hog = &task->child[i];
    hog->g.resume = resume;
    hog->step = hog_step;
    sched_spawn(p, &hog->g);
  }
  task->step = sleeper_step;
  return true;
}

// --- Main -------------------------------------------------------------------
static double run(Task *main_task, Sched *sched) {
  main_task->g.resume = resume;
  int64_t begin = rt_now();
  sched_run(sched, &main_task->g, 0, NULL);
  int64_t took = rt_now() - begin;
  return (double)took;
}

static void report(const char *name, int procs, double ns) {
  char key[64];
  snprintf(key, sizeof key, "%s.%d", name, procs);
  bench_value(key, ns);
}

static void bench_pingpong(int procs, int64_t rounds) {
  Sched *sched = bench_sched(procs);
  Task *ping = new_task(ping_main), *pong = new_task(pong_step);
  ping->child = pong;
  ping->out = pong->in = new_chan(0);
  ping->in = pong->out = new_chan(0);
  ping->rounds = rounds;
  report("pingpong", procs, run(ping, sched) / (double)rounds);
  sched_free(sched);
  free(ping->in), free(ping->out), free(ping), free(pong);
}

static void bench_plain(const char *name, int procs, int64_t rounds, int per,
                        bool (*step)(P *p, Task *task)) {
  Sched *sched = bench_sched(procs);
  Task *task = new_task(step);
  task->child = calloc(32, sizeof(Task));
  for (int i = 0; i < 32; i++) {
    task->child[i].g.resume = resume;
    task->child[i].step = end_step;
    task->child[i].out = new_chan(1);
  }
  task->out = new_chan(4);
  task->rounds = rounds;
  report(name, procs, run(task, sched) / (double)rounds / per);
  sched_free(sched);
  for (int i = 0; i < 32; i++) free(task->child[i].out);
  free(task->child), free(task->out), free(task);
}

static void bench_latency(int procs, int64_t rounds) {
  if (!bench_two_cpus(cpus)) return;
  Sched *sched = bench_sched(procs);
  sched->config.futile_max = UINT32_MAX;  // the waking is what is measured
  Task *task = new_task(latency_step);
  task->child = calloc(CHILDREN, sizeof(Task));
  for (int i = 0; i < CHILDREN; i++) {
    task->child[i].g.resume = resume;
    task->child[i].step = ran_step;
  }
  task->rounds = rounds;
  run(task, sched);
  int64_t clock = bench_clock();
  bench_spread("go_ring_spinner", ring_spinner.times, ring_spinner.count,
               clock);
  bench_spread("go_next_spinner", next_spinner.times, next_spinner.count,
               clock);
  bench_spread("go_ring_alone", ring_alone.times, ring_alone.count, clock);
  bench_spread("go_next_alone", next_alone.times, next_alone.count, clock);
  sched_free(sched);
  free(task->child), free(task);
}

static void bench_sleeper(int procs) {
  Sched *sched = bench_sched(procs);
  Task *task = new_task(hogs_main);
  task->child = calloc((size_t)procs, sizeof(Task));
  run(task, sched);
  char key[64];
  snprintf(key, sizeof key, "sleeper_late.%d", procs);
  bench_spread(key, late, sleeps, 0);
  sched_free(sched);
  free(task->child), free(task);
}

int main(int argc, char **argv) {
  int procs = argc > 1 ? atoi(argv[1]) : 1;
  int64_t rounds = argc > 2 ? atoll(argv[2]) : 1000000;
  sleeps = argc > 3 ? atoi(argv[3]) : 0;
  if (procs < 1 || rounds < 1 || sleeps < 0 || sleeps > SLEEPS_MAX) return 2;
  bench_pingpong(procs, rounds);
  if (procs == 1) {  // with several the children run elsewhere, meanwhile
    bench_plain("spawn_end", procs, rounds / 32 + 1, 32, spawn_step);
  }
  bench_plain("yield", procs, rounds, 1, yield_step);
  bench_plain("buffered", procs, rounds, 1, buffer_step);
  bench_plain("select4", procs, rounds, 1, select_step);
  if (procs > 1) bench_latency(procs, rounds / 100 + 100);
  if (sleeps > 0) bench_sleeper(procs);
  return 0;
}
