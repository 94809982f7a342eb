// SPDX-License-Identifier: MIT
// The heap of timers that each P has. Its owner or a thief runs those that are
// due. The heap's lock guards it, but any thread may read when the first is
// due, as a hint.
#ifndef CSP_SCHED_TIMER_H
#define CSP_SCHED_TIMER_H

#include "sched/internal.h"

void timers_init(P *p);
void timers_free(P *p);
static inline int64_t timers_first(P *p) {
  return rt_load_relaxed(&p->timers.first);  // relaxed: a hint, lock decides
}
// Runs due timers of `victim`, TIMERS_BATCH at most, on the M of p. true: some
// ran.
bool timers_run(P *p, P *victim, int64_t now);
void timers_move(P *to, P *from);  // world stopped
// The rest of cancel_take. false: g is not there, or not cancelled.
bool timer_cancel(P *p, G *g, Timer *timer);
// Lock held. The entry there comes after its parent and before its children,
// and its timer knows its place. The second looks at all entries.
bool timer_is_placed(const TimerHeap *heap, int32_t at);
bool timers_are_valid(const P *p);

#endif
