// SPDX-License-Identifier: MIT
// Locks of programs: a gate is a channel whose places are what Gs hold.
// Included by sched.h. See gate.c. All: owner P.
#ifndef CSP_SCHED_GATE_H
#define CSP_SCHED_GATE_H

#include "sched/sched.h"

// Chan.flags, beside those of sched.h.
enum {
  CHAN_GATE = 8,    // immutable
  GATE_WOKEN = 16,  // a G was woken to enter, and has not yet looked
  GATE_HANDS = 32,  // a G has waited long: the next place is handed over
};

// `places` Gs may be in it at once (from 1 on). In chan_size(places) bytes.
void gate_init(Chan *gate, uint32_t places);

// Takes a place, and fills it with the word, which names no object (there is no
// write barrier). false: no place is free.
bool gate_try_enter(P *p, Chan *gate, uint64_t word);
// The same without a call. false: no place is free, or another P looks at it.
static inline __attribute__((always_inline)) bool gate_enter_quick(
    P *p, Chan *gate, uint64_t word) {
  return chan_put_quick(p, gate, word);
}
// Is the oldest word in it this one?
bool gate_holds(P *p, Chan *gate, uint64_t word);
// The same, and waits for a place. true: g has one. false: g parks, its state
// saved as for chan_send. After resume g has a place if wait.success is true,
// and has none if it was cancelled. Otherwise it calls this again. since:
// rt_now() of the first call of this wait. again: it was woken in this wait.
bool gate_enter(P *p, G *g, Chan *gate, uint64_t word, int64_t since,
                bool again);

typedef enum GateLeft {
  GATE_LEFT,
  GATE_EMPTY,     // nobody is in it: nothing was done
  GATE_NOT_YOURS  // the oldest word in it is another: nothing was done
} GateLeft;
// Gives back a place that is filled with the word. Readies a G that waits.
GateLeft gate_leave(P *p, Chan *gate, uint64_t word);
// The same without a call. false: nothing was done. A G is to be readied,
// another P looks at it, or it does not hold the word.
static inline __attribute__((always_inline)) bool gate_may_leave(
    const Chan *gate, uint64_t word) {
  if (gate->count == 0 || gate->buf[gate->recvx] != word) return false;
  // relaxed, both: exact with the lock, or with one P
  return rt_load_relaxed(&gate->send_first) == NULL ||
         (rt_load_relaxed(&gate->flags) & (GATE_WOKEN | GATE_HANDS)) ==
             GATE_WOKEN;
}
static inline __attribute__((always_inline)) bool gate_leave_quick(
    P *p, Chan *gate, uint64_t word) {
  if (p->single) {
    bool may = gate_may_leave(gate, word);
    if (may) chan_take_element(gate, &word, word);
    return may;
  }
  if (!chan_lock_try(p, gate)) return false;
  bool may = gate_may_leave(gate, word);
  if (may) chan_take_element(gate, &word, word);
  chan_lock_free(p, gate);
  return may;
}

#endif
