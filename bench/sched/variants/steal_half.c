// SPDX-License-Identifier: MIT
// Rings from which a thief takes half, the oldest ones, as in sched/: one trip
// for the cache lines of the victim brings many tasks, and then two threads
// have work that can be stolen. Hendler and Shavit, Non-Blocking Steal-Half
// Work Queues, PODC 2002, is the idea; Go's ring is the form. ring.h has the
// invariants and the orders.
#define STEAL_MOST TAKE_MOST
#include "ring.h"
