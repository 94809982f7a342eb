// SPDX-License-Identifier: MIT
// The global queue of Gs. sched.lock guards it, but any thread may read its
// count as a hint.
#ifndef CSP_SCHED_GLOBAL_H
#define CSP_SCHED_GLOBAL_H

#include "sched/internal.h"

static inline uint32_t global_count(Sched *sched) {
  // seq: the idle protocol (idle.c) reads it after dropping `spinning`
  return rt_load_seq(&sched->global.count);
}
void global_put(Sched *sched, G *g);              // sched.lock held
void global_put_list(Sched *sched, GList *list);  // sched.lock held
G *global_pop(Sched *sched);                      // sched.lock held
// Owner P. Takes sched.lock. Gets at most max Gs, or a fair share if max is 0.
G *global_get(P *p, uint32_t max);
// sched.lock held.
bool global_is_valid(const Sched *sched);

#endif
