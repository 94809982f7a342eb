// SPDX-License-Identifier: MIT
// All of sched/ under the explorer, as one translation unit with a test
// program, and what the scenarios have in common. rt.c is replaced by
// rt_explore.c. The assertions of debug builds and the lock ranks are on.
//
// The runtime is configured as it is shipped. README.md lists what a program or
// a scenario sets otherwise, and why.
//
// A new file of sched/ must be added below (lint compares): one that is not
// comes from the library, and the explorer sees none of its steps.
#ifndef CSP_TESTS_SCHED_EXPLORE_H
#define CSP_TESTS_SCHED_EXPLORE_H

#define RT_EXPLORE 1
#ifndef CSP_DEBUG
#define CSP_DEBUG 1
#endif
#ifndef ALONE_OFTEN
#define ALONE_OFTEN explore_choose(2) == 0  // in a run; or always
#endif
static int alone_searches = 1;
#define ALONE_SEARCHES alone_searches
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
// libc's sched_yield and ours: the headers above come first

#include "tests/explore/plant_atomics.h"
#include "tests/explore/published.h"

#include "sched/memory.c"
// Memory that sched/ gives back may be another thread's at once.
#define mem_free(block) (explore_flush(), mem_free(block))
#define mem_free_lines(block) (explore_flush(), mem_free_lines(block))

#include "sched/cancel.c"
#include "sched/chan.c"
#include "sched/chan_grow.c"
#include "sched/idle.c"
#include "sched/mask.c"
#include "sched/rank.c"
#include "sched/runq.c"
#include "sched/stop_world.c"
#include "sched/timer.c"
// what they define and the others call may be planted
#include "tests/explore/plant_functions.h"

#include "sched/alone.c"
#include "sched/callback.c"
#include "sched/cpu_count.c"
#include "sched/crowd.c"
#include "sched/door.c"
#include "sched/find_work.c"
#include "sched/g.c"
#include "sched/gate.c"
#include "sched/global.c"
#include "sched/group.c"
#include "sched/inbox.c"
#include "sched/lifecycle.c"
#include "sched/poll.c"
#include "sched/poll_turn.c"
#include "sched/proc.c"
#include "sched/resize.c"
#include "sched/safepoint.c"
#include "sched/select.c"
#include "sched/stats.c"
#include "sched/steal_order.c"
#include "sched/stepped.c"
#include "sched/syscall.c"
#include "sched/sysmon.c"
#include "sched/topology.c"
#include "sched/trace.c"
#include "sched/urgent.c"
#include "sched/workspan.c"
#undef mem_free
#undef mem_free_lines

#include "tests/explore/delay.c"
#include "tests/explore/explore.c"
#include "tests/explore/fiber.c"
#include "tests/explore/rt_explore.c"
#include "tests/explore/strategy.c"
#include "tests/unit/sched_fixture.h"

enum { WORLD_CHANS = 8, WORLD_ARENA = 2048 };

// Channels lie in one block, so that the order of their addresses, in which
// select locks, is the same in every run.
static _Alignas(RT_LINE) char world_arena[WORLD_ARENA];

static inline bool without_sysmon(void (*run)(void *arg)) {
  return run != sysmon_main;
}

// Words that never change, and counters that nobody decides by.
static inline void world_quiet(Sched *sched) {
  explore_quiet(&sched->idle_mask.words[1], sizeof sched->idle_mask - 8);
  explore_quiet(&sched->timer_mask.words[1], sizeof sched->timer_mask - 8);
  explore_quiet(sched->ps.all, sizeof sched->ps.all);
  explore_quiet(&sched->steal.locality, sizeof sched->steal.locality);
  for (int i = 0; i < sched->ps.count; i++) {
    P *p = sched->ps.all[i];
    explore_quiet(&p->stats.runnext_hits,
                  sizeof p->stats - offsetof(PStats, runnext_hits));
    explore_quiet(&p->spawns, sizeof p->spawns);
  }
}

// A runtime with Ps and tasks, at the beginning of a run.
static inline void world_init_as(Shared *world, SchedConfig config, int tasks) {
  memset(world, 0, sizeof *world);
  alone_searches = ALONE_OFTEN ? 1 : 16;
  config.seed = rt_entropy();
  config.empty_word = 0xE;
  world->sched = sched_new(&config);
  EXPLORE_CHECK(world->sched != NULL, "out of memory");
  world->tasks = calloc((size_t)tasks, sizeof(Task));
  EXPLORE_CHECK(world->tasks != NULL, "out of memory");
  world->task_count = tasks;
  for (int i = 0; i < tasks; i++) {
    Task *task = &world->tasks[i];
    task->shared = world;
    task->id = i;
    task->g.resume = task_resume;
  }
  world_quiet(world->sched);
  rt_explore_may_start(without_sysmon);
  rt_explore_leaps(true);
}

// Gs of this scenario hold their M without a look, until what they have spawned
// has run. With the shipped number a look would wake an M for that (row 5).
static inline void world_spawns_wake(Shared *world) {
  world->sched->config.futile_max = UINT32_MAX;
}

static inline void world_init(Shared *world, int procs, int tasks) {
  world_init_as(world, (SchedConfig){.procs = procs}, tasks);
}

static inline Chan *world_chan(Shared *world, int at, uint32_t cap) {
  size_t room = WORLD_ARENA / WORLD_CHANS;
  EXPLORE_CHECK(chan_size(cap) <= room, "no room for such a channel");
  Chan *chan = (Chan *)(void *)(world_arena + (size_t)at * room);
  chan_init(chan, cap);
  return world->chans[at] = chan;
}

// What must hold when all is over: no G in a queue, nobody spins.
static inline void world_check_empty(const Shared *world) {
  const Sched *sched = world->sched;
  EXPLORE_CHECK(sched->spinning == 0, "%u threads spin at the end",
                sched->spinning);
  EXPLORE_CHECK(sched->calls.count == 0, "%u calls at the end",
                sched->calls.count);
  EXPLORE_CHECK(sched->ms.callbacks == 0, "%u callbacks at the end",
                sched->ms.callbacks);
  EXPLORE_CHECK(sched->global.count == 0,
                "%u goroutines are left in the global "
                "queue",
                sched->global.count);
  for (int i = 0; i < sched->ps.count; i++) {
    P *p = sched->ps.all[i];
    EXPLORE_CHECK(p->head == p->tail && p->runnext == NULL,
                  "goroutines are left on P %d", i);
  }
}

static inline void world_free(Shared *world) {
  explore_watch(NULL);
  free(world->tasks);
  sched_free(world->sched);
}

static inline void world_go(P *p, Task *task, void (*body)(P *p, Task *task)) {
  task->body = body;
  task_go(p, task);
}

// Until the runtime ends; waits for threads in calls.
static inline SchedEnd world_run(Shared *world,
                                 void (*body)(P *p, Task *task)) {
  world->tasks[0].body = body;
  world->running = 1;
  return sched_run(world->sched, &world->tasks[0].g, RT_FOREVER, NULL);
}

// --- A bound on waiting ------------------------------------------------------
// From when a G becomes runnable until it runs no more than so many turns begin
// on all Ps. It is looked at in each step, in fair runs, without delays.
enum { BOUND_TASKS = 16 };
static struct {
  const Shared *world;
  uint64_t most, longest;  // the longest of all runs
  bool waits[BOUND_TASKS];
  uint64_t since[BOUND_TASKS];  // turns when it became runnable
} waiting;

static inline uint64_t world_turns(const Sched *sched) {
  uint64_t turns = 0;
  for (int i = 0; i < sched->ps.count; i++)
    turns += sched->ps.all[i]->stats.schedules;
  return turns;
}

static inline void watch_waiting(void) {
  uint64_t turns = world_turns(waiting.world->sched);
  for (int i = 0; i < waiting.world->task_count; i++) {
    bool waits = g_is(&waiting.world->tasks[i].g, G_RUNNABLE);
    if (waits && !waiting.waits[i]) waiting.since[i] = turns;
    waiting.waits[i] = waits;
    if (!waits || turns - waiting.since[i] <= waiting.longest) continue;
    waiting.longest = turns - waiting.since[i];
    EXPLORE_CHECK(waiting.longest <= waiting.most,
                  "goroutine %d waits for more than %d turns", i,
                  (int)waiting.most);
  }
}

// From here to the end of the run.
static inline void world_bound_waits(const Shared *world, uint64_t most) {
  EXPLORE_CHECK(world->task_count <= BOUND_TASKS, "too many tasks");
  waiting.world = world;
  waiting.most = most;
  memset(waiting.waits, 0, sizeof waiting.waits);
  explore_watch(watch_waiting);
}

// --- Without Ms -------------------------------------------------------------
// A P that a thread of the scenario holds, without an M and its loop.
static inline P *world_hold_p(Shared *world, int at) {
  Sched *sched = world->sched;
  rt_lock(&sched->lock);
  P *p = idle_get_p(sched, sched->ps.all[at]);
  rt_unlock(&sched->lock);
  EXPLORE_CHECK(p == sched->ps.all[at], "P %d is not free", at);
  return p;
}

#endif
