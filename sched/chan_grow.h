// SPDX-License-Identifier: MIT
// The words of a channel that grows, which lie in a chain of blocks. chan.c
// calls these with the channel's lock held, so nothing here allocates. A sender
// that needs a block gets CHAN_WANTS_ROOM.
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
