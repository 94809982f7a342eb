// SPDX-License-Identifier: MIT
// The book's fib(n) in lockstep, over the real queues: each thread is a P held
// without an M, and makes one action per round, thread 0 first. So a run is
// determined by n, the number of threads and the policy (rows 31-33).
//
//   fib(n): n <= 2: returns 1; else starts fib(n-1) and fib(n-2), then waits
//   for the one and the other, and returns the sum. main starts fib(n), waits.
//
// Spawn, park, wake-up and end are sched/'s own. So is what a thread takes
// next: runnext, ring, global queue, then the rings of the others, and their
// runnext if it is there for the second time (row 12, a thief waits for 3 us,
// which is longer than an action). Results go through channels of capacity 1.
//
// An action is one of the book's:
//   all forks of a goroutine (child first: one, as the child runs on)
//   a join: if its goroutine must wait, the thread takes another
//   a return
//   an idle thread takes a goroutine, and goes on if that comes from its own
//     queue and had run before
// The beginning and each action are a row of the book's table.
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
  Sched *sched;
  int n, threads;
  bool child_first, over;
  Fib *fibs;  // [0] is main
  int made, alive;
  FibThread thread[FIB_THREADS];
  FibStats stats;
  void (*row)(FibWalk *walk, int thread);  // after each action; may be NULL
  void *row_arg;
};

static inline Chan *fib_chan(Fib *fib) { return (Chan *)(void *)fib->chan; }

static inline Fib *fib_new(FibWalk *walk, int n, int kids) {
  Fib *fib = &walk->fibs[walk->made++];
  *fib = (Fib){.n = n, .kids = kids, .thread = -1};
  chan_init(fib_chan(fib), 1);
  return fib;
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

static inline G *fib_steal(FibWalk *walk, FibThread *thread) {
  for (int k = 1; k < walk->threads; k++) {
    P *victim = walk->thread[(thread->p->id + k) % walk->threads].p;
    G *g = runq_steal(thread->p, victim, false);
    if (g != NULL) return g;
  }
  for (int k = 1; k < walk->threads; k++) {
    int at = (thread->p->id + k) % walk->threads;
    P *victim = walk->thread[at].p;
    G *next = victim->runnext;
    if (next != NULL && next == thread->seen[at]) {
      return runq_steal(thread->p, victim, true);
    }
    thread->seen[at] = next;
  }
  return NULL;
}

static inline void fib_unstall(FibWalk *walk, Fib *fib) {
  if (fib->thread < 0) return;
  FibThread *thread = &walk->thread[fib->thread];
  Fib **link = &thread->stalled;
  while (*link != fib) link = &(*link)->below;
  *link = fib->below;
  thread->stalled_count--;
  fib->thread = -1;
}

// false: there is nothing. *own: from the thread's own queue.
static inline bool fib_take(FibWalk *walk, FibThread *thread, bool *own) {
  P *p = thread->p;
  G *g = sched_switch(p);
  *own = true;
  if (g == NULL) {
    bool inherit = false;
    g = fib_take_slowly(p, &inherit);
    if (g == NULL) {
      *own = false;
      g = fib_steal(walk, thread);
    }
    if (g == NULL) return false;
    if (!inherit) {
      p->next_picks = 0;
      p->schedtick++;
    }
    proc_set_running(p, g);
  }
  walk->stats.steals += !*own;
  thread->now = (Fib *)(void *)g;
  fib_unstall(walk, thread->now);
  return true;
}

// --- Actions ----------------------------------------------------------------
static inline void fib_count_start(FibWalk *walk) {
  if (++walk->alive > walk->stats.alive) walk->stats.alive = walk->alive;
}

// Child first the thread runs the child then.
static inline void fib_fork(FibWalk *walk, FibThread *thread) {
  Fib *fib = thread->now;
  do {
    int n = fib->n == 0 ? walk->n : fib->n - 1 - fib->started;
    Fib *kid = fib_new(walk, n, n <= 2 ? 0 : 2);
    fib->kid[fib->started++] = kid;
    fib_count_start(walk);
    if (walk->child_first) {
      sched_spawn_child(thread->p, &fib->g, &kid->g);
      bool own;
      RT_CHECK(fib_take(walk, thread, &own) && thread->now == kid,
               "the child did not run");
      return;
    }
    sched_spawn(thread->p, &kid->g);
  } while (fib->started < fib->kids);
}

// true: the goroutine has all results. false: it waits.
static inline bool fib_join(FibWalk *walk, FibThread *thread) {
  Fib *fib = thread->now;
  if (fib->parked) {
    RT_CHECK(fib->g.wait.success, "woken without a result");
    fib->sum += fib->g.wait.elem;
    fib->parked = false;
    fib->joined++;
  }
  for (; fib->joined < fib->kids; fib->joined++) {
    uint64_t word;
    bool idle = runq_length(thread->p) == 0;
    ChanResult got =
        chan_recv(thread->p, &fib->g, fib_chan(fib->kid[fib->joined]), &word,
                  WAIT_CHAN_RECV);
    if (got == CHAN_PARKED) {
      fib->parked = true;
      fib->thread = thread->p->id;
      fib->below = thread->stalled;
      thread->stalled = fib;
      thread->stalled_count++;
      thread->now = NULL;
      walk->stats.stalls++;
      walk->stats.idle_stalls += idle;
      return false;
    }
    fib->sum += word;
  }
  return true;
}

static inline void fib_return(FibWalk *walk, FibThread *thread) {
  Fib *fib = thread->now;
  if (fib->kids == 0) fib->sum = 1;
  ChanResult sent = chan_send(thread->p, &fib->g, fib_chan(fib), fib->sum);
  RT_CHECK(sent == CHAN_DONE, "a channel with room made its sender wait");
  sched_end(thread->p, &fib->g);
  walk->alive--;
  thread->now = NULL;
  thread->returned = fib;
  if (fib->n == 0) {
    walk->over = true;
    walk->stats.result = fib->sum;
  }
}

static inline void fib_go_on(FibWalk *walk, FibThread *thread) {
  bool own;
  thread->now->ran = true;
  if (thread->now->started < thread->now->kids) {
    fib_fork(walk, thread);
  } else if (fib_join(walk, thread)) {
    fib_return(walk, thread);
  } else {
    fib_take(walk, thread, &own);
  }
}

// false: the thread is idle, and finds nothing.
static inline bool fib_act(FibWalk *walk, FibThread *thread) {
  bool own = true, idle = thread->now == NULL;
  thread->returned = NULL;
  if (idle && !fib_take(walk, thread, &own)) return false;
  if (!idle || (own && thread->now->ran)) fib_go_on(walk, thread);
  return true;
}

static inline void fib_most(int *most, int now) {
  if (now > *most) *most = now;
}

static inline void fib_note(FibWalk *walk, int thread) {
  walk->stats.rows++;
  for (int i = 0; i < walk->threads; i++) {
    FibThread *each = &walk->thread[i];
    bool runs = each->now != NULL || each->returned != NULL;
    fib_most(&walk->stats.longest, (int)runq_length(each->p));
    fib_most(&walk->stats.stack, each->stalled_count + runs);
  }
  fib_most(&walk->stats.global, (int)global_count(walk->sched));
  if (walk->row != NULL) walk->row(walk, thread);
}

// --- The whole --------------------------------------------------------------
// All Ps are held, so that nothing wakes a thread.
static inline void fib_hold_all(FibWalk *walk) {
  rt_lock(&walk->sched->lock);
  for (int i = 0; i < walk->threads; i++) {
    P *p = walk->sched->ps.all[i];
    RT_CHECK(idle_get_p(walk->sched, p) == p, "a P is not free");
    walk->thread[i] = (FibThread){.p = p};
  }
  rt_unlock(&walk->sched->lock);
}

static inline void fib_begin(FibWalk *walk) {
  bool own;
  fib_new(walk, 0, 1);
  fib_count_start(walk);
  sched_spawn(walk->thread[0].p, &walk->fibs[0].g);
  RT_CHECK(fib_take(walk, &walk->thread[0], &own), "main did not start");
  fib_note(walk, 0);
}

// n > 0; threads up to FIB_THREADS.
static inline FibStats fib_walk(int n, int threads, bool child_first,
                                void (*row)(FibWalk *walk, int thread),
                                void *row_arg) {
  SchedConfig config = {
      .procs = threads, .seed = 1, .child_first = child_first};
  FibWalk w = {.sched = sched_new(&config),
               .n = n,
               .threads = threads,
               .child_first = child_first,
               .row = row,
               .row_arg = row_arg};
  w.fibs = malloc((2 * fib_of(n) + 1) * sizeof *w.fibs);
  RT_CHECK(w.sched != NULL && w.fibs != NULL, "out of memory");
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
  sched_free(w.sched);
  return w.stats;
}

#endif
