// SPDX-License-Identifier: MIT
// The life of an M, and the step by which a G that was taken from a queue
// begins to run. Each M is in proc_m_loop until the runtime ends.
#ifndef CSP_SCHED_PROC_H
#define CSP_SCHED_PROC_H

#include "sched/internal.h"
#include "sched/trace.h"

M *proc_m_new(Sched *sched);  // sched.lock held. NULL: limit or memory
// sched.lock held. ms.live and ms.starting are how many of all are so.
bool proc_ms_are_counted(const Sched *sched);
bool proc_m_start(M *m);
void proc_m_thread(void *arg);
void proc_m_take_stack(M *m);         // by the thread that is to run Gs
void proc_make_runnable(P *p, G *g);  // owner P: a new G, into no queue

// Owner P; g was taken from a queue. Returns g.
static inline G *proc_set_running(P *p, G *g) {
  // relaxed, both: as in g_change
  bool plain =
      rt_load_relaxed(&g->status) == G_RUNNABLE && (p->marks & MARKS_EACH) == 0;
  if (__builtin_expect(!plain, 0)) return trace_set_running(p, g);
  rt_store_relaxed(&g->status, (uint32_t)G_RUNNING);
  g->p = p;
  p->current = g;
  P_COUNT(p, schedules, 1);
  return g;
}

#endif
