// SPDX-License-Identifier: MIT
// The book's fib(n) in lockstep, over the real queues: each thread is a P held
// without an M, and makes one action per round, thread 0 first. So a run is
// determined by n, the number of threads and the policy (rows 31-33).
//
//   fib(n): n <= 2: returns 1; else starts fib(n-1) and fib(n-2), then waits
//   for the one and the other, and returns the sum. main starts fib(n), waits.
//
// Spawn, park, wake-up and end are sched/'s own; so is what a thread takes
// next: runnext, ring, global queue, then the rings of the others, and their
// runnext if it is there for the second time (row 12: a thief waits for 3 us,
// which is longer than an action). Results go through channels of capacity 1.
//
// An action is one of the book's: all forks of a goroutine (child first: one,
// as the child runs on) - a join: if its goroutine must wait, the thread takes
// another - a return - an idle thread takes a goroutine; if that comes from its
// own queue and had run before, it also goes on. The beginning and each action
// are a row of the book's table.
//
// One system thread only; owner of everything is the walk.
#ifndef CSP_TESTS_FIB_WALK_H
#define CSP_TESTS_FIB_WALK_H

#include <stdlib.h>

#include "sched/global.h"
#include "sched/idle.h"
#include "sched/internal.h"
#include "sched/proc.h"
#include "sched/runq.h"

enum { FIB_THREADS = 4 };

typedef struct Fib Fib;
struct Fib {
  G g;       // first
  int n;     // 0: main
  int kids;  // that it starts
  Fib *kid[2];
  int started, joined;  // how many of them
  bool ran;             // in a queue it is a continuation
  bool parked;          // the result it waits for comes with g.wait
  uint64_t sum;
  int thread;  // parked: with which it waits
  Fib *below;  // parked there before
  _Alignas(Chan) char chan[sizeof(Chan) + sizeof(uint64_t)];
};

typedef struct FibThread {
  P *p;
  Fib *now;       // runs
  Fib *returned;  // in its last action
  Fib *stalled;   // the goroutines that wait here, linked by below
  int stalled_count;
  G *seen[FIB_THREADS];  // the others' runnext, at the last look
} FibThread;

typedef struct FibStats {
  int rows;         // of the book's table
  int rounds;       // lockstep
  int longest;      // of one thread's queue: ring and runnext
  int global;       // of the global queue
  int stalls;       // joins that had to wait
  int idle_stalls;  // ... of a thread whose queue was empty
  int stack;        // goroutines that wait with one thread, and the running one
  int alive;        // goroutines started and not yet ended, at once
  int steals;
  uint64_t result;
} FibStats;

typedef struct FibWalk FibWalk;
struct FibWalk {
  Sched *s;
  int n, threads;
  bool child_first, over;
  Fib *fibs;  // [0] is main
  int made, alive;
  FibThread thread[FIB_THREADS];
  FibStats stats;
  void (*row)(FibWalk *w, int thread);  // after each action; may be NULL
  void *row_arg;
};

static inline Chan *fib_chan(Fib *f) { return (Chan *)(void *)f->chan; }

static inline Fib *fib_new(FibWalk *w, int n, int kids) {
  Fib *f = &w->fibs[w->made++];
  *f = (Fib){.n = n, .kids = kids, .thread = -1};
  chan_init(fib_chan(f), 1);
  return f;
}

static inline uint64_t fib_of(int n) {
  return n <= 2 ? 1 : fib_of(n - 1) + fib_of(n - 2);
}

// --- What a thread takes next -----------------------------------------------
// As find_work_next does where the switch in place gives up.
static inline G *fib_take_slowly(P *p, bool *inherit) {
  bool global = global_count(p->sched) != 0;
  bool over = p->next_picks >= NEXT_PICKS_MAX;
  if (over) {
    p->next_picks = 0;
    if (global || !runq_ring_empty(p)) runq_displace_next(p);
  }
  G *g = NULL;
  if (global && (over || p->schedtick % TICK_GLOBAL == 0)) {
    g = global_get(p, 1);
  }
  if (g != NULL) return g;
  g = runq_take_next(p);
  *inherit = g != NULL;
  if (g != NULL) {
    p->next_picks++;
    return g;
  }
  g = runq_pop(p);
  return g != NULL ? g : global_get(p, 0);
}

static inline G *fib_steal(FibWalk *w, FibThread *t) {
  for (int k = 1; k < w->threads; k++) {
    P *victim = w->thread[(t->p->id + k) % w->threads].p;
    G *g = runq_steal(t->p, victim, false);
    if (g != NULL) return g;
  }
  for (int k = 1; k < w->threads; k++) {
    int at = (t->p->id + k) % w->threads;
    P *victim = w->thread[at].p;
    G *next = victim->runnext;
    if (next != NULL && next == t->seen[at]) {
      return runq_steal(t->p, victim, true);
    }
    t->seen[at] = next;
  }
  return NULL;
}

static inline void fib_unstall(FibWalk *w, Fib *f) {
  if (f->thread < 0) return;
  FibThread *t = &w->thread[f->thread];
  Fib **link = &t->stalled;
  while (*link != f) link = &(*link)->below;
  *link = f->below;
  t->stalled_count--;
  f->thread = -1;
}

// false: there is nothing. *own: from the thread's own queue.
static inline bool fib_take(FibWalk *w, FibThread *t, bool *own) {
  P *p = t->p;
  G *g = sched_switch(p);
  *own = true;
  if (g == NULL) {
    bool inherit = false;
    g = fib_take_slowly(p, &inherit);
    if (g == NULL) {
      *own = false;
      g = fib_steal(w, t);
    }
    if (g == NULL) return false;
    if (!inherit) {
      p->next_picks = 0;
      p->schedtick++;
    }
    proc_set_running(p, g);
  }
  w->stats.steals += !*own;
  t->now = (Fib *)(void *)g;
  fib_unstall(w, t->now);
  return true;
}

// --- Actions ----------------------------------------------------------------
static inline void fib_count_start(FibWalk *w) {
  if (++w->alive > w->stats.alive) w->stats.alive = w->alive;
}

// Child first the thread runs the child then.
static inline void fib_fork(FibWalk *w, FibThread *t) {
  Fib *f = t->now;
  do {
    int n = f->n == 0 ? w->n : f->n - 1 - f->started;
    Fib *kid = fib_new(w, n, n <= 2 ? 0 : 2);
    f->kid[f->started++] = kid;
    fib_count_start(w);
    if (w->child_first) {
      sched_spawn_child(t->p, &f->g, &kid->g);
      bool own;
      RT_CHECK(fib_take(w, t, &own) && t->now == kid, "the child did not run");
      return;
    }
    sched_spawn(t->p, &kid->g);
  } while (f->started < f->kids);
}

// true: the goroutine has all results. false: it waits.
static inline bool fib_join(FibWalk *w, FibThread *t) {
  Fib *f = t->now;
  if (f->parked) {
    RT_CHECK(f->g.wait.success, "woken without a result");
    f->sum += f->g.wait.elem;
    f->parked = false;
    f->joined++;
  }
  for (; f->joined < f->kids; f->joined++) {
    uint64_t word;
    bool idle = runq_length(t->p) == 0;
    ChanResult got = chan_recv(t->p, &f->g, fib_chan(f->kid[f->joined]), &word,
                               WAIT_CHAN_RECV);
    if (got == CHAN_PARKED) {
      f->parked = true;
      f->thread = t->p->id;
      f->below = t->stalled;
      t->stalled = f;
      t->stalled_count++;
      t->now = NULL;
      w->stats.stalls++;
      w->stats.idle_stalls += idle;
      return false;
    }
    f->sum += word;
  }
  return true;
}

static inline void fib_return(FibWalk *w, FibThread *t) {
  Fib *f = t->now;
  if (f->kids == 0) f->sum = 1;
  ChanResult sent = chan_send(t->p, &f->g, fib_chan(f), f->sum);
  RT_CHECK(sent == CHAN_DONE, "a channel with room made its sender wait");
  sched_end(t->p, &f->g);
  w->alive--;
  t->now = NULL;
  t->returned = f;
  if (f->n == 0) {
    w->over = true;
    w->stats.result = f->sum;
  }
}

static inline void fib_go_on(FibWalk *w, FibThread *t) {
  bool own;
  t->now->ran = true;
  if (t->now->started < t->now->kids) {
    fib_fork(w, t);
  } else if (fib_join(w, t)) {
    fib_return(w, t);
  } else {
    fib_take(w, t, &own);
  }
}

// false: the thread is idle, and finds nothing.
static inline bool fib_act(FibWalk *w, FibThread *t) {
  bool own = true, idle = t->now == NULL;
  t->returned = NULL;
  if (idle && !fib_take(w, t, &own)) return false;
  if (!idle || (own && t->now->ran)) fib_go_on(w, t);
  return true;
}

static inline void fib_most(int *most, int now) {
  if (now > *most) *most = now;
}

static inline void fib_note(FibWalk *w, int thread) {
  w->stats.rows++;
  for (int i = 0; i < w->threads; i++) {
    FibThread *t = &w->thread[i];
    bool runs = t->now != NULL || t->returned != NULL;
    fib_most(&w->stats.longest, (int)runq_length(t->p));
    fib_most(&w->stats.stack, t->stalled_count + runs);
  }
  fib_most(&w->stats.global, (int)global_count(w->s));
  if (w->row != NULL) w->row(w, thread);
}

// --- The whole --------------------------------------------------------------
// All Ps are held, so that nothing wakes a thread.
static inline void fib_hold_all(FibWalk *w) {
  rt_lock(&w->s->lock);
  for (int i = 0; i < w->threads; i++) {
    P *p = w->s->all_ps[i];
    RT_CHECK(idle_get_p(w->s, p) == p, "a P is not free");
    w->thread[i] = (FibThread){.p = p};
  }
  rt_unlock(&w->s->lock);
}

static inline void fib_begin(FibWalk *w) {
  bool own;
  fib_new(w, 0, 1);
  fib_count_start(w);
  sched_spawn(w->thread[0].p, &w->fibs[0].g);
  RT_CHECK(fib_take(w, &w->thread[0], &own), "main did not start");
  fib_note(w, 0);
}

// n > 0; threads up to FIB_THREADS.
static inline FibStats fib_walk(int n, int threads, bool child_first,
                                void (*row)(FibWalk *w, int thread),
                                void *row_arg) {
  SchedConfig config = {
      .procs = threads, .seed = 1, .child_first = child_first};
  FibWalk w = {.s = sched_new(&config),
               .n = n,
               .threads = threads,
               .child_first = child_first,
               .row = row,
               .row_arg = row_arg};
  w.fibs = malloc((2 * fib_of(n) + 1) * sizeof *w.fibs);
  RT_CHECK(w.s != NULL && w.fibs != NULL, "out of memory");
  fib_hold_all(&w);
  fib_begin(&w);
  while (!w.over) {
    w.stats.rounds++;
    for (int i = 0; i < threads && !w.over; i++) {
      if (fib_act(&w, &w.thread[i])) fib_note(&w, i);
    }
  }
  RT_CHECK(w.alive == 0, "goroutines are left");
  free(w.fibs);
  sched_free(w.s);
  return w.stats;
}

#endif
