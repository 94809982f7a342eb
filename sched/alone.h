// SPDX-License-Identifier: MIT
// A P that runs alone: see alone.c.
#ifndef CSP_SCHED_ALONE_H
#define CSP_SCHED_ALONE_H

#include "sched/internal.h"

#ifndef ALONE_SEARCHES
#define ALONE_SEARCHES 16  // searches for each try; tests make it smaller
#endif

void alone_try(P *p);  // owner P, between two turns: alone from now on?
void alone_end(P *p);  // owner P, in a look or between two turns
// sched.lock held. p stops being run, or its owner is about to wait for others.
void alone_left(Sched *sched, P *p);
// sched.lock held. p was idle, and its M calls alone_await before it touches
// what Ps share.
void alone_ask(Sched *sched, P *p);
void alone_wait(M *m);
static inline void alone_await(M *m) {
  // acquire: pairs with wake_those_that_wait
  if (__builtin_expect(rt_load_acquire(&m->p->awaits) != 0, 0)) alone_wait(m);
}
// sched.lock held.
bool alone_is_valid(const Sched *sched);

#endif
