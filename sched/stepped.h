// SPDX-License-Identifier: MIT
// The functions of stepped.c that other files call.
#ifndef CSP_SCHED_STEPPED_H
#define CSP_SCHED_STEPPED_H

#include "sched/internal.h"

void stepped_ring(Sched *sched);  // any thread
// In a look: g is to leave.
bool stepped_is_over(const Sched *sched, int64_t now);
// Nobody waits for what is under way.
bool stepped_gives_up(const Sched *sched);

#endif
