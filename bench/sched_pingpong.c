// SPDX-License-Identifier: MIT
// The scheduler's basic costs without an interpreter: goroutines as C state
// machines over sched.h. Prints ns per operation.
//   sched_pingpong [PROCS] [ROUNDS]
// Cases: ping-pong over two unbuffered channels, spawn + end, yield, a buffered
// channel used by one goroutine, and how late a 1 ms sleeper is beside a CPU
// hog on every P.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/sched.h"

typedef struct Task Task;
struct Task {
  G g;
  bool (*step)(P *p, Task *t);  // false: it left (parked, ended, ...)
  Chan *in, *out;
  int64_t rounds, value;
  int state;
  Task *child;
  Timer timer;
};

static Chan *new_chan(Sched *s, uint32_t cap) {
  Chan *c = malloc(chan_size(cap));
  chan_init(s, c, cap);
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

// --- A sleeper beside hogs --------------------------------------------------
enum { SLEEPS = 400 };
static int64_t late[SLEEPS];

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
  if (t->state++ == SLEEPS) {
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

static int by_size(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

// --- Main -------------------------------------------------------------------
static double run(int procs, Task *main_task, Sched *s) {
  main_task->g.resume = resume;
  int64_t begin = rt_now();
  sched_run(s, &main_task->g, 0, NULL);
  int64_t took = rt_now() - begin;
  (void)procs;
  return (double)took;
}

static Sched *new_sched(int procs) {
  SchedConfig config = {.procs = procs};
  Sched *s = sched_new(&config);
  if (s == NULL) abort();
  return s;
}

static void bench_pingpong(int procs, int64_t rounds) {
  Sched *s = new_sched(procs);
  Task *ping = new_task(ping_main), *pong = new_task(pong_step);
  ping->child = pong;
  ping->out = pong->in = new_chan(s, 0);
  ping->in = pong->out = new_chan(s, 0);
  ping->rounds = rounds;
  printf("procs %d: ping-pong round trip %.1f ns\n", procs,
         run(procs, ping, s) / (double)rounds);
  sched_free(s);
  free(ping->in), free(ping->out), free(ping), free(pong);
}

static void bench_plain(const char *name, int procs, int64_t rounds, int per,
                        bool (*step)(P *p, Task *t)) {
  Sched *s = new_sched(procs);
  Task *t = new_task(step);
  t->child = calloc(32, sizeof(Task));
  for (int i = 0; i < 32; i++) {
    t->child[i].g.resume = resume;
    t->child[i].step = end_step;
  }
  t->out = new_chan(s, 4);
  t->rounds = rounds;
  printf("procs %d: %s %.1f ns\n", procs, name,
         run(procs, t, s) / (double)rounds / per);
  sched_free(s);
  free(t->child), free(t->out), free(t);
}

static void bench_sleeper(int procs) {
  Sched *s = new_sched(procs);
  Task *t = new_task(hogs_main);
  t->child = calloc((size_t)procs, sizeof(Task));
  run(procs, t, s);
  qsort(late, SLEEPS, sizeof late[0], by_size);
  printf(
      "procs %d: 1 ms sleeper beside hogs late by p50 %.3f p99 %.3f max %.3f"
      " ms\n",
      procs, (double)late[SLEEPS / 2] / 1e6,
      (double)late[SLEEPS * 99 / 100] / 1e6, (double)late[SLEEPS - 1] / 1e6);
  sched_free(s);
  free(t->child), free(t);
}

int main(int argc, char **argv) {
  int procs = argc > 1 ? atoi(argv[1]) : 1;
  int64_t rounds = argc > 2 ? atoll(argv[2]) : 3000000;
  bench_pingpong(procs, rounds);
  if (procs == 1) {  // with several the children run elsewhere, meanwhile
    bench_plain("spawn + end", procs, rounds / 32, 32, spawn_step);
  }
  bench_plain("yield alone", procs, rounds, 1, yield_step);
  bench_plain("buffered send + receive", procs, rounds, 1, buffer_step);
  bench_sleeper(procs);
  return 0;
}
