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
  bool (*step)(P *p, Task *t);  // false: it left (parked, ended, ...)
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
  Chan *c = malloc(chan_size(cap));
  chan_init(c, cap);
  return c;
}

static Task *new_task(bool (*step)(P *p, Task *t)) {
  Task *t = calloc(1, sizeof *t);
  t->step = step;
  return t;
}

static void resume(P *p, G *g) {
  for (; g != NULL; g = sched_switch(p)) {
    Task *t = (Task *)g;
    while (t->step(p, t)) {
    }
  }
}

// --- Ping-pong --------------------------------------------------------------
static bool pong_step(P *p, Task *t) {
  uint64_t word;
  if (t->state == 0) {
    t->state = 1;
    if (chan_recv(p, &t->g, t->in, &word, WAIT_CHAN_RECV) == CHAN_PARKED) {
      return false;
    }
  }
  t->state = 0;
  return chan_send(p, &t->g, t->out, 1) != CHAN_PARKED;
}

static bool ping_step(P *p, Task *t) {
  uint64_t word;
  if (t->state == 0) {
    if (t->rounds-- == 0) {
      sched_exit(p->sched);
      sched_end(p, &t->g);
      return false;
    }
    t->state = 1;
    if (chan_send(p, &t->g, t->out, 1) == CHAN_PARKED) return false;
  }
  t->state = 0;
  return chan_recv(p, &t->g, t->in, &word, WAIT_CHAN_RECV) != CHAN_PARKED;
}

static bool ping_main(P *p, Task *t) {
  Task *pong = t->child;
  pong->g.resume = resume;
  sched_spawn(p, &pong->g);
  t->step = ping_step;
  return true;
}

// --- Spawn, yield, buffer ---------------------------------------------------
static bool end_step(P *p, Task *t) {
  t->value = 0;
  sched_end(p, &t->g);
  return false;
}

static bool spawn_step(P *p, Task *t) {
  for (int i = 0; i < 32; i++) {
    if (t->child[i].value == 0) continue;  // has ended
    sched_yield_g(p, &t->g);
    return false;
  }
  if (t->rounds-- == 0) {
    sched_exit(p->sched);
    sched_end(p, &t->g);
    return false;
  }
  Task *batch = t->child;
  for (int i = 0; i < 32; i++) {
    batch[i].value = 1;
    sched_spawn(p, &batch[i].g);
  }
  sched_yield_g(p, &t->g);
  return false;
}

static bool yield_step(P *p, Task *t) {
  if (t->rounds-- == 0) {
    sched_exit(p->sched);
    sched_end(p, &t->g);
    return false;
  }
  sched_yield_g(p, &t->g);
  return false;
}

static bool buffer_step(P *p, Task *t) {
  uint64_t word;
  for (; t->rounds > 0; t->rounds--) {
    chan_send(p, &t->g, t->out, 1);
    chan_recv(p, &t->g, t->out, &word, WAIT_CHAN_RECV);
  }
  sched_exit(p->sched);
  sched_end(p, &t->g);
  return false;
}

static void set_cases(Task *t) {
  for (int i = 0; i < 4; i++) {
    t->cases[i] = (SelCase){.chan = t->child[i].out};
  }
}

// A value goes into each of four channels in turn, and select finds it.
static bool select_step(P *p, Task *t) {
  for (; t->rounds > 0; t->rounds--) {
    set_cases(t);
    chan_send(p, &t->g, t->child[t->rounds % 4].out, 1);
    select_go(p, &t->g, t->cases, t->order, 4, SELECT_BLOCK);
  }
  sched_exit(p->sched);
  sched_end(p, &t->g);
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
static bool ran_step(P *p, Task *t) {
  if (!pinned) bench_pin(cpus[1]);
  pinned = true;
  rt_store_release(&t->ran, rt_now());
  while (rt_load_acquire(&t->held) != 0) rt_pause();
  sched_end(p, &t->g);
  return false;
}

// A thief that was about to take runnext may run `other` first.
static int64_t wait_ran(Task *t, Task *other) {
  int64_t ran;
  while ((ran = rt_load_acquire(&t->ran)) == 0) {
    if (rt_load_acquire(&other->ran) != 0) rt_store_release(&other->held, 0u);
    rt_pause();
  }
  return ran;
}

// Without sched.lock, which the other M is about to take: here only the caller
// wakes anybody.
static uint64_t wakes(Sched *s) {
  return rt_load_relaxed(&s->stats.wakes);  // relaxed: own writes, see above
}

// Ended: its M stores the state after `ran`.
static void wait_dead(Task *t) {
  uint32_t status;
  do {
    status = rt_load_acquire(&t->g.status);
  } while (status == G_RUNNING || status == G_RUNNABLE);
}

static void pause_ns(int64_t ns) {
  int64_t until = rt_now() + ns;
  while (rt_now() < until) rt_pause();
}

static void go_once(P *p, Task *t, int64_t round) {
  bool ring = round & 1, alone = round & 2;
  Task *first = &t->child[2 * round % CHILDREN], *second = first + 1;
  wait_dead(first);  // of some rounds ago
  wait_dead(second);
  first->ran = second->ran = 0;  // spawn publishes both
  first->held = !ring;           // one of them stays, until the next round
  second->held = 1;
  if (t->last != NULL) rt_store_release(&t->last->held, 0u);
  pause_ns(alone ? LONELY_NS : round / 4 % 16 * 20);
  int64_t begin = rt_now();
  sched_spawn(p, &first->g);
  if (ring) sched_spawn(p, &second->g);
  uint64_t count = wakes(p->sched);
  bool woke = count != wakes_seen;
  wakes_seen = count;
  int64_t took = wait_ran(first, second) - begin;
  if (ring) wait_ran(second, first);
  t->last = ring ? second : first;
  Latencies *l = ring ? (woke ? &ring_alone : &ring_spinner)
                      : (woke ? &next_alone : &next_spinner);
  if (woke == alone && l->count < LATENCIES) l->times[l->count++] = took;
}

static bool latency_step(P *p, Task *t) {
  bench_pin(cpus[0]);
  int64_t until = rt_now() + LATENCY_NS_MAX;
  for (int64_t i = 0; i < t->rounds && rt_now() < until; i++) go_once(p, t, i);
  rt_store_release(&t->last->held, 0u);
  sched_exit(p->sched);
  sched_end(p, &t->g);
  return false;
}

// --- A sleeper beside hogs --------------------------------------------------
enum { SLEEPS_MAX = 10000 };
static int64_t late[SLEEPS_MAX];
static int sleeps;

static bool hog_step(P *p, Task *t) {
  for (;;) {
    int64_t until = rt_now() + 5000;
    while (rt_now() < until) t->value++;
    if (!sched_look(p, &t->g)) continue;
    sched_preempt(p, &t->g);
    return false;
  }
}

static bool sleeper_step(P *p, Task *t) {
  int64_t now = rt_now();
  if (t->state > 0) late[t->state - 1] = now - t->value;
  if (t->state++ == sleeps) {
    sched_exit(p->sched);
    sched_end(p, &t->g);
    return false;
  }
  t->value = now + 1000000;
  sched_sleep(p, &t->g, &t->timer, 1000000);
  return false;
}

static bool hogs_main(P *p, Task *t) {
  for (int i = 0; i < sched_procs(p->sched); i++) {
    Task *hog = &t->child[i];
    hog->g.resume = resume;
    hog->step = hog_step;
    sched_spawn(p, &hog->g);
  }
  t->step = sleeper_step;
  return true;
}

// --- Main -------------------------------------------------------------------
static double run(Task *main_task, Sched *s) {
  main_task->g.resume = resume;
  int64_t begin = rt_now();
  sched_run(s, &main_task->g, 0, NULL);
  int64_t took = rt_now() - begin;
  return (double)took;
}

static void report(const char *name, int procs, double ns) {
  char key[64];
  snprintf(key, sizeof key, "%s.%d", name, procs);
  bench_value(key, ns);
}

static void bench_pingpong(int procs, int64_t rounds) {
  Sched *s = bench_sched(procs);
  Task *ping = new_task(ping_main), *pong = new_task(pong_step);
  ping->child = pong;
  ping->out = pong->in = new_chan(0);
  ping->in = pong->out = new_chan(0);
  ping->rounds = rounds;
  report("pingpong", procs, run(ping, s) / (double)rounds);
  sched_free(s);
  free(ping->in), free(ping->out), free(ping), free(pong);
}

static void bench_plain(const char *name, int procs, int64_t rounds, int per,
                        bool (*step)(P *p, Task *t)) {
  Sched *s = bench_sched(procs);
  Task *t = new_task(step);
  t->child = calloc(32, sizeof(Task));
  for (int i = 0; i < 32; i++) {
    t->child[i].g.resume = resume;
    t->child[i].step = end_step;
    t->child[i].out = new_chan(1);
  }
  t->out = new_chan(4);
  t->rounds = rounds;
  report(name, procs, run(t, s) / (double)rounds / per);
  sched_free(s);
  for (int i = 0; i < 32; i++) free(t->child[i].out);
  free(t->child), free(t->out), free(t);
}

static void bench_latency(int procs, int64_t rounds) {
  if (!bench_two_cpus(cpus)) return;
  Sched *s = bench_sched(procs);
  s->futile_max = UINT32_MAX;  // the waking is what is measured
  Task *t = new_task(latency_step);
  t->child = calloc(CHILDREN, sizeof(Task));
  for (int i = 0; i < CHILDREN; i++) {
    t->child[i].g.resume = resume;
    t->child[i].step = ran_step;
  }
  t->rounds = rounds;
  run(t, s);
  int64_t clock = bench_clock();
  bench_spread("go_ring_spinner", ring_spinner.times, ring_spinner.count,
               clock);
  bench_spread("go_next_spinner", next_spinner.times, next_spinner.count,
               clock);
  bench_spread("go_ring_alone", ring_alone.times, ring_alone.count, clock);
  bench_spread("go_next_alone", next_alone.times, next_alone.count, clock);
  sched_free(s);
  free(t->child), free(t);
}

static void bench_sleeper(int procs) {
  Sched *s = bench_sched(procs);
  Task *t = new_task(hogs_main);
  t->child = calloc((size_t)procs, sizeof(Task));
  run(t, s);
  char key[64];
  snprintf(key, sizeof key, "sleeper_late.%d", procs);
  bench_spread(key, late, sleeps, 0);
  sched_free(s);
  free(t->child), free(t);
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
