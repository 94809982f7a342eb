// SPDX-License-Identifier: MIT
// What other parts of sched/ know of a G that waits on several channels: who
// may wake it, and in which order it takes the channels' locks.
#ifndef CSP_SCHED_SELECT_H
#define CSP_SCHED_SELECT_H

#include "sched/internal.h"

// g, WAITING, may be woken by the thread that makes its select_state even. With
// the locks, if there are any, so that no thread that needs them looks before.
static inline void select_open(G *g) {
  // release: pairs with the acquire in take_word of a canceller that has read
  // parked_on in a wait before. Others see it by way of the locks
  rt_store_release(&g->select_state, g->select_state + 1);
}

// The order of locking is by rising address.
bool select_locks_are_sorted(const P *p, const SelCase *cases,
                             const uint16_t *locks, int count);

#endif
