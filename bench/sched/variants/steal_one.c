// SPDX-License-Identifier: MIT
// The same rings as steal_half.c, but a thief takes one, the oldest. Blumofe
// and Leiserson's proof (FOCS 1994) has thieves that take one: in a tree of
// forks the oldest task is the largest, and is worth a trip by itself. That
// holds for a deque whose owner takes the newest. Here the owner takes the
// oldest, too, so that all tasks of a queue are about as large, and one is
// little. ring.h has the invariants and the orders.
#define STEAL_MOST 1
#include "ring.h"
