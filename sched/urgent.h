// SPDX-License-Identifier: MIT
// What a timer, the network or a returned call readied: see urgent.c.
#ifndef CSP_SCHED_URGENT_H
#define CSP_SCHED_URGENT_H

#include "sched/internal.h"

// Gs readied in between are urgent (row 19): by timers, the network, or calls
// that returned.
static inline void urgent_begin(P *p, int64_t now) {
  p->firing = now;
  p->marks |= MARK_FIRING;
}
static inline void urgent_end(P *p) {
  p->firing = 0;
  p->marks &= (uint8_t)~MARK_FIRING;
}

// Owner P. Gs that are RUNNABLE, with G.since; the list is empty after it.
void urgent_put(P *p, GList *list);
// Owner P. NULL: none, or the others of this P have a turn.
G *urgent_take(P *p);
// Owner p, of half of victim's, rounded up; the first, the rest are p's urgent
// ones. last_too: also if there is only one.
G *urgent_steal(P *p, P *victim, bool last_too);
void urgent_flush(P *p, GList *list);  // as runq_flush, which calls it
// Any thread; a hint.
static inline bool urgent_waits(P *p) {
  // relaxed: a hint of append_urgent
  return rt_load_relaxed(&p->urgent.list.count) != 0;
}

#endif
