// SPDX-License-Identifier: MIT
// Changes of a G's state, by the thread that holds the G.
#ifndef CSP_SCHED_G_H
#define CSP_SCHED_G_H

#include "sched/internal.h"
#include "sched/trace.h"

_Noreturn void g_bad_state(const G *g, GState from, GState to);

// Whoever holds the G right now (its M, the waker that dequeued it, the M
// that took it from a queue); so a checked plain store is enough. What others
// learn they learn through the queue or lock that hands the G over.
static inline void g_change(G *g, GState from, GState to) {
  // relaxed, both: the holder alone changes it
  if (rt_load_relaxed(&g->status) != from) g_bad_state(g, from, to);
  rt_store_relaxed(&g->status, (uint32_t)to);
}

// Owner P, when its G leaves it; sets the state last.
static inline void g_leave(P *p, G *g, GState to, WaitReason reason) {
  RT_ASSERT(p->current == g);
  p->current = NULL;
  g->p = NULL;
  g->reason = (uint8_t)reason;
  g->preempted = false;
  g->since = p->clock;
  // relaxed, both: as in g_change
  if (__builtin_expect(rt_load_relaxed(&g->status) == G_RUNNING, 1)) {
    rt_store_relaxed(&g->status, (uint32_t)to);
  } else {
    trace_left(p, g, to);
  }
}

// For asserts: a plain load, by the thread that holds g.
static inline bool g_is(const G *g, GState state) {
  return (g->status & ~(uint32_t)G_MARK) == (uint32_t)state;
}

#endif
