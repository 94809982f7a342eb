// SPDX-License-Identifier: MIT
// The functions of stepped.c that other files call.
#ifndef CSP_SCHED_STEPPED_H
#define CSP_SCHED_STEPPED_H

#include "sched/internal.h"

void stepped_ring(Sched *s);                        // any thread
bool stepped_is_over(const Sched *s, int64_t now);  // a look's: g is to leave
bool stepped_gives_up(const Sched *s);  // nobody waits for what is under way

#endif
