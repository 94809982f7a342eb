// SPDX-License-Identifier: MIT
// Locks of programs: a gate has a number of places, which Gs hold. Included by
// sched.h. See gate.c. All: owner P.
#ifndef CSP_SCHED_GATE_H
#define CSP_SCHED_GATE_H

#include "sched/sched.h"

// With SchedConfig.span_at: a gate has as many words more (workspan.c), one for
// each place.
enum { GATE_SPANS_MOST = 1024 };

enum {  // Chan.flags, beside those of sched.h; immutable
  CHAN_GATE = 8,
  CHAN_OWNED = 16,  // a gate with one place, which only the G in it gives back
};

// The state is one word, buf[0]. Above these bits it has the id of the G that
// holds an owned place, of other places how many are held.
enum {
  GATE_WAITS = 1,  // Gs are in the queue, or were
  GATE_WOKEN = 2,  // a G was woken to enter, and has not yet looked
  GATE_HANDS = 4,  // a G has waited long: the next place is handed over
  GATE_BITS = 3,
};

// `places` Gs may be in it at once, from 1 on, or 1 if it is owned. Any G gives
// a place back, or if it is owned the G that holds it. In chan_size(1) bytes.
void gate_init(Chan *gate, uint32_t places, bool owned);

// The invariants at the head of gate.c. Lock held.
bool gate_is_valid(const Chan *gate);

// g takes a place. false: none is free.
bool gate_try_enter(Chan *gate, const G *g);
// The same, and waits for a place. true: g has one. false: g parks, its state
// saved as for chan_send. After resume g has a place if wait.success is true,
// and has none if it was cancelled. Otherwise it calls this again. since:
// rt_now() of the first call of this wait. again: it was woken in this wait.
bool gate_enter(P *p, G *g, Chan *gate, int64_t since, bool again);

typedef enum GateLeft {
  GATE_LEFT,
  GATE_EMPTY,     // nobody is in it: nothing was done
  GATE_NOT_YOURS  // its owned place is another G's: nothing was done
} GateLeft;
// g gives a place back. Readies a G that waits.
GateLeft gate_leave(P *p, Chan *gate, const G *g);

// Of an owned gate: the id of the G that holds it, or 0. Any M; for others than
// the G's own a guess.
static inline uint64_t gate_holder(const Chan *gate) {
  // relaxed: a guess of what gate_try and gate_change store
  return rt_load_relaxed(&gate->buf[0]) >> GATE_BITS;
}

// --- Without a call, for owned gates ----------------------------------------
// false: nothing was done, and the other form is to be tried.
#define GATE_QUICK static inline __attribute__((always_inline))

GATE_QUICK bool gate_change(P *p, Chan *gate, uint64_t from, uint64_t to) {
  if (p->alone) {
    rt_store_relaxed(&gate->buf[0], to);  // relaxed: no other P runs
    return true;
  }
  // RMW: pairs with itself. A G that enters sees what the last one did inside
  return rt_cas(&gate->buf[0], &from, to);
}

GATE_QUICK bool gate_enter_quick(P *p, Chan *gate, const G *g) {
  // relaxed: the CAS in gate_change decides
  uint64_t state = rt_load_relaxed(&gate->buf[0]);
  return state >> GATE_BITS == 0 &&
         gate_change(p, gate, state, state | g->id << GATE_BITS);
}

// A G that waits need not be woken if one is on its way. (GATE_HANDS is not set
// then: the G that sets it clears GATE_WOKEN, and a place handed over wakes
// nobody.)
GATE_QUICK bool gate_leave_quick(P *p, Chan *gate, const G *g) {
  // relaxed: the CAS in gate_change decides
  uint64_t state = rt_load_relaxed(&gate->buf[0]);
  uint64_t flags = state & ((1 << GATE_BITS) - 1);
  if (state >> GATE_BITS != g->id) return false;
  if ((flags & GATE_WAITS) && !(flags & GATE_WOKEN)) return false;
  RT_ASSERT(!(flags & GATE_HANDS));
  return gate_change(p, gate, state, flags);
}
#undef GATE_QUICK

#endif
