// SPDX-License-Identifier: MIT
// A P's own queue of Gs that are ready. It is a ring, and in front of it the
// slot runnext. Only the owner of the P puts Gs in, and thieves may take them
// out. The owner calls these, unless said otherwise.
#ifndef CSP_SCHED_RUNQ_H
#define CSP_SCHED_RUNQ_H

#include "sched/internal.h"

enum { NEXT_QUIET, NEXT_FILLED, NEXT_TIMED };  // p->next_fill

void runq_put(P *p, G *g);  // to the ring's tail; may overflow (sched.lock)
void runq_put_list(P *p, GList *list);
G *runq_pop(P *p);  // the oldest, with child first the newest; or NULL
// Puts g into runnext. True if another G was displaced to the ring's tail.
// publish: idle_wakep is called next.
bool runq_put_next(P *p, G *g, bool publish);
// The same where runnext is seen empty: thieves only ever empty it.
static inline bool runq_fill_next(P *p, G *g) {
  // relaxed: as in runq_put_next
  if (rt_load_relaxed(&p->runnext) != NULL) return false;
  p->next_fill = NEXT_FILLED;
  rt_store_release(&p->runnext, g);  // release: pairs with steal_next (runq.c)
  return true;
}
// NULL: empty, or just stolen.
static inline G *runq_take_next(P *p) {
  G *g = rt_load_relaxed(&p->runnext);  // relaxed: own store, or CAS decides
  if (g == NULL) return NULL;
  if (p->alone) {
    rt_store_relaxed(&p->runnext, (G *)NULL);        // relaxed: no other P runs
  } else if (!rt_cas(&p->runnext, &g, (G *)NULL)) {  // RMW: this, or steal_next
    return NULL;  // stolen; only the owner fills it, so it is empty now
  }
  p->next_fill = NEXT_QUIET;
  return g;
}
void runq_displace_next(P *p);  // runnext to the ring's tail
G *runq_steal(P *p, P *victim, bool next_too);
void runq_flush(P *p, GList *list);  // all of it; also with the world stopped
bool runq_ring_empty(P *p);          // any thread; a hint except for the owner
bool runq_is_empty(P *p);            // any thread: the ring, and what is urgent
// Any thread: worth waking up for. *seen: the caller's, or NULL.
bool runq_has_work(P *p, StuckNext *seen);
uint32_t runq_length(P *p);  // any thread; a hint

#endif
