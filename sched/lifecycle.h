// SPDX-License-Identifier: MIT
// The functions of lifecycle.c that other files call.
#ifndef CSP_SCHED_LIFECYCLE_H
#define CSP_SCHED_LIFECYCLE_H

#include "sched/internal.h"

void lifecycle_begin_exit(Sched *s, SchedEnd end);  // sched.lock held
void lifecycle_count_again(Sched *s);  // the thread in sched_run counts the Ms
// As many Ps as there may be: one thread at least is left for calls that block.
int lifecycle_clamp_procs(const Sched *s, int procs);
// How many may block: a thread for a P is left however many do, else one more
// that is quick at first would stop all others until one of them ends.
uint32_t lifecycle_calls_allowed(const Sched *s, int procs);
P *lifecycle_make_p(Sched *s,
                    int id);  // before start, or world stopped; STOPPED
void lifecycle_drop_p(P *p);  // world stopped, empty, without M: DEAD

#endif
