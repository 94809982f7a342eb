// SPDX-License-Identifier: MIT
// How a runtime begins to end, how many Ps and blocking calls it may have, and
// how a P is made or dropped.
#ifndef CSP_SCHED_LIFECYCLE_H
#define CSP_SCHED_LIFECYCLE_H

#include "sched/internal.h"

void lifecycle_begin_exit(Sched *sched, SchedEnd end);  // sched.lock held
// The thread in sched_run counts the Ms.
void lifecycle_count_again(Sched *sched);
// As many Ps as there may be: one thread at least is left for calls that block.
int lifecycle_clamp_procs(const Sched *sched, int procs);
// How many may block: a thread for a P is left however many do, else one more
// that is quick at first would stop all others until one of them ends.
uint32_t lifecycle_calls_allowed(const Sched *sched, int procs);
// STOPPED. Before start, or world stopped.
P *lifecycle_make_p(Sched *sched, int id);
void lifecycle_drop_p(P *p);  // world stopped, empty, without M: DEAD

#endif
