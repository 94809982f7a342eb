// SPDX-License-Identifier: MIT
// A runtime without threads, which its host steps. A thread that leaves
// something in the inbox rings for the host, and a look asks here whether the
// host's thread is to leave the G that it runs.
#ifndef CSP_SCHED_STEPPED_H
#define CSP_SCHED_STEPPED_H

#include "sched/internal.h"

void stepped_ring(Sched *sched);  // any thread
// In a look: g is to leave.
bool stepped_is_over(const Sched *sched, int64_t now);
// Nobody waits for what is under way.
bool stepped_gives_up(const Sched *sched);

#endif
