// SPDX-License-Identifier: MIT
// A small runtime for scenarios, of static storage and without threads: Ps
// that a scenario's threads hold, Gs, dummy Ms in the pool. A source of sched/
// whose static functions a scenario calls is included by it; all others are
// linked.
#ifndef CSP_TESTS_RELACY_WORLD_H
#define CSP_TESTS_RELACY_WORLD_H

#include <stddef.h>
#include <string.h>

#include "relacy.h"
#include "sched/internal.h"

enum { WORLD_PS = 3, WORLD_GS = 10, WORLD_DUMMIES = 3 };

static Sched sched;
static P ps[WORLD_PS];
static G gs[WORLD_GS];
static M ms[WORLD_PS];  // ms[i] holds ps[i]

// The thread that takes a G out of a queue may read and write it. The engine
// reports a race if the thread that put it there did not publish it, or if two
// take it.
typedef struct Work {
  uint64_t input;   // written by the thread that puts it
  uint64_t output;  // by the one that finds it
} Work;
static Work works[WORLD_GS];

static inline void world_setup(void) {
  memset(&sched, 0, offsetof(Sched, steal.order));
  memset(&sched.started_at, 0, sizeof sched - offsetof(Sched, started_at));
  memset(ps, 0, sizeof ps);
  memset(gs, 0, sizeof gs);
  memset(ms, 0, sizeof ms);
  memset(works, 0, sizeof works);
  sched.begun = 1;
  sched.lock.rank = &rank_sched;
  sched.ps.count = sched.ps.made = WORLD_PS;
  sched.config.futile_max = UINT32_MAX;
  sched.config.syscalls_max = SYSCALLS_MAX_DEFAULT;
  sched.config.m_limit = M_LIMIT_DEFAULT;
  sched.config.empty_word = 0xE;
  sched.running = true;
  relacy_constant(&sched.idle_mask.words[1], sizeof sched.idle_mask - 8);
  relacy_constant(&sched.timer_mask.words[1], sizeof sched.timer_mask - 8);
  relacy_constant(&sched.ps.count, sizeof sched.ps.count);
  relacy_constant(sched.ps.all, sizeof sched.ps.all);
  for (int i = 0; i < WORLD_PS; i++) {
    P *p = &ps[i];
    sched.ps.all[i] = p;
    p->sched = &sched;
    p->id = i;
    p->status = P_RUNNING;
    ms[i].sched = &sched;
    ms[i].id = (uint32_t)i + 1;
    ms[i].p = p;
    p->m = &ms[i];
  }
}

static inline P *my_p(void) { return &ps[relacy_thread()]; }

// A G about to be put into a queue.
static inline G *work_new(int at) {
  works[at].input = (uint64_t)at + 100;
  gs[at].id = (uint64_t)at + 1;
  return &gs[at];
}

static inline void work_found(G *g) {
  if (g == NULL) return;
  RELACY_CHECK(g >= gs && g < gs + WORLD_GS, "what was taken is no goroutine");
  Work *work = &works[g - gs];
  RELACY_CHECK(work->input == (uint64_t)(g - gs) + 100 &&
                   g->id == (uint64_t)(g - gs) + 1,
               "goroutine %d is taken without its contents", (int)(g - gs));
  RELACY_CHECK(work->output++ == 0, "goroutine %d is taken twice",
               (int)(g - gs));
}

// At the end: gs[0..count) were put. Each was taken or is queued once.
static inline void work_check(int count) {
  for (int i = 0; i < WORLD_PS; i++) {
    for (G *g = ps[i].urgent.list.first; g != NULL; g = g->link) work_found(g);
    work_found(ps[i].runnext);
    for (uint32_t at = ps[i].head; at != ps[i].tail; at++) {
      work_found(ps[i].ring[at % RUNQ_SIZE]);
    }
  }
  uint32_t global = 0;
  for (G *g = sched.global.first; g != NULL; g = g->link, global++) {
    work_found(g);
  }
  RELACY_CHECK(global == sched.global.count,
               "the global queue's count and list are apart");
  for (int i = 0; i < count; i++) {
    RELACY_CHECK(works[i].output == 1, "goroutine %d is lost", i);
  }
}

#endif
