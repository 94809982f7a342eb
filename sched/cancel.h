// SPDX-License-Identifier: MIT
// Taking a parked G away from what it waits for. See cancel.c.
#ifndef CSP_SCHED_CANCEL_H
#define CSP_SCHED_CANCEL_H

#include "sched/internal.h"

// What G.parked_on tells: a pointer, or'ed with one of
enum {
  ON_TIMER = 1,  // sleeps
  ON_READ,       // waits for a descriptor
  ON_WRITE,
  ON_SEND,  // to a channel
  ON_RECV,
  ON_TURN,   // of a side of a descriptor (PollTurn)
  ON_PLACE,  // without a pointer: one of the next two
  ON_MASK = 7,
  ON_WORD = ON_PLACE,       // a select, or what nobody readies
  ON_CALLS = ON_PLACE | 8,  // sched->calls.first
};
// g is where `on` says, WAITING, with the lock held that readying it needs.
// true: it is cancelled, and the caller calls cancel_self when it has given the
// lock back. Owner P.
bool cancel_show(P *p, G *g, uintptr_t on);
// As the same M, after cancel_show: g may be anywhere by now.
void cancel_self(P *p, G *g);
// If g is parked and cancelled it is the caller's, to be readied. g must stay a
// G, whatever it does meanwhile. Owner P.
bool cancel_take(P *p, G *g);

#endif
