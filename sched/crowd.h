// SPDX-License-Identifier: MIT
// Crowding (row 16b): Ps that slow each other are fewer for a while. crowd.c
// has the whole story.
#ifndef CSP_SCHED_CROWD_H
#define CSP_SCHED_CROWD_H

#include "sched/internal.h"

#ifndef CROWD_EVENTS
#define CROWD_EVENTS 64  // then a window is judged; tests make it smaller
#endif
#ifndef CROWD_APART_NS
// Between the beginnings of two rests; likewise.
#define CROWD_APART_NS (20 * (int64_t)NS_PER_US)
#endif

void crowd_stole(M *m);              // owner P: a steal has succeeded
void crowd_ran_dry(M *m);            // owner P: nothing is left to run
bool crowd_is_thick(M *m);           // owner P: see crowd_wants_rest
void crowd_no_rest(Sched *sched);    // any M: its rest was refused
void crowd_rest_is_over(M *m);       // m, without a P and out of the pool
void crowd_look(P *p, int64_t now);  // owner P: in a look, between turns
void crowd_watch(Sched *sched, int64_t now);  // sysmon

// Owner P. true: m->rests is set. m gives what it has to others and sleeps.
static inline bool crowd_wants_rest(M *m) {
  const P *p = m->p;
  return p->crowding - p->window.events >= CROWD_EVENTS && crowd_is_thick(m);
}

// Whether what is queued wakes no P. Any thread.
static inline bool crowd_is_quiet(const Sched *sched) {
  // seq: after what the caller has queued, or the P that it gave back. See the
  // head of crowd.c.
  return rt_load_seq(&sched->crowd.quiet_until) != 0;
}

#endif
