// SPDX-License-Identifier: MIT
// The functions of chan_grow.c that other files call.
#ifndef CSP_SCHED_CHAN_GROW_H
#define CSP_SCHED_CHAN_GROW_H

#include "sched/internal.h"

// The words of a channel that grows, lock held: CHAN_DONE, CHAN_WANTS_ROOM, or
// CHAN_BLOCKED (it holds its limit). false: it is empty.
ChanResult chan_grow_put(P *p, Chan *chan, uint64_t word);
bool chan_grow_take(P *p, Chan *chan, uint64_t *word);
// The invariants at the head of chan_grow.c. Lock held.
bool chan_grow_is_valid(const Chan *chan);

#endif
