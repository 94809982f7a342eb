// SPDX-License-Identifier: MIT
// The locks of vm/ in rt.h's order: where they stand between those of sched/.
//   VALUE TIMER -> CHAN, TIMERS, SCHED   a timer starts, stops or fires with
//                                        what is in its channel
//   WAITS -> TIMERS, SCHED   a wait is ended while its descriptor is there
//   WRITING -> OUTPUT   the buffer is taken while the writer keeps the order
#ifndef CSP_VM_RANKS_H
#define CSP_VM_RANKS_H

#include "sched/rt.h"

extern const RtRank rank_value_timer, rank_waits, rank_heap, rank_host,
    rank_tasks, rank_writing, rank_output;

#endif
