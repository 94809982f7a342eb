// SPDX-License-Identifier: MIT
// What chan.c, chan_grow.c and select.c share: the lock, one operation under
// it, and the queues of waiters. Owner P throughout.
#ifndef CSP_SCHED_CHAN_H
#define CSP_SCHED_CHAN_H

#include "internal.h"

// The invariants at the head of chan.c, of the ring and of the first and last
// few waiters. Lock held.
bool chan_is_valid(const Chan *c);

static inline void chan_lock(P *p, Chan *c) {
  rt_rank_push(&rank_chan, c);
  if (!p->single) rt_spin_lock(&c->lock);
}

static inline void chan_unlock(P *p, Chan *c) {
  RT_ASSERT(chan_is_valid(c));
  rt_rank_pop(&rank_chan, c);
  if (!p->single) rt_spin_unlock(&c->lock);
}

// Every store of an element, for the collector's write barrier.
static inline void chan_store(P *p, uint64_t *slot, uint64_t word) {
  Sched *s = p->sched;
  if (s->barrier && s->hooks.barrier != NULL) {
    s->hooks.barrier(s->hooks.host, p, *slot, word);
  }
  *slot = word;
}

// The same into a slot of a ring that holds no element.
static inline void chan_fill(P *p, uint64_t *slot, uint64_t word) {
  Sched *s = p->sched;
  if (s->barrier && s->hooks.barrier != NULL) {
    s->hooks.barrier(s->hooks.host, p, s->empty_word, word);
  }
  *slot = word;
}

// Lock held. CHAN_BLOCKED, CHAN_WANTS_ROOM: nothing was done. *peer: to be
// readied after the unlock, or NULL.
ChanResult chan_send_locked(P *p, Chan *c, uint64_t word, G **peer);
ChanResult chan_recv_locked(P *p, Chan *c, uint64_t *word, G **peer);
// The ring of a channel that grows, lock held: CHAN_DONE, CHAN_WANTS_ROOM, or
// CHAN_BLOCKED: it holds its limit. false: it is empty.
ChanResult growth_put(P *p, Chan *c, uint64_t word);
bool growth_take(P *p, Chan *c, uint64_t *word);

ChanResult chan_park_for_ever(P *p, G *g, WaitReason reason);
void chan_enqueue(Chan *c, Waiter *w, bool send);
void chan_unlink(Chan *c, Waiter *w, bool send);

// g, WAITING, may be woken by the thread that makes its select_state even. With
// the locks, if there are any, so that no thread that needs them looks before.
static inline void select_open(G *g) {
  // release: pairs with the acquire in take_word of a canceller that has read
  // parked_on in a wait before; others see it by way of the locks
  rt_store_release(&g->select_state, g->select_state + 1);
}

// Without the lock: the operation could not go on at some moment during this
// call.
bool chan_send_hopeless(const Chan *c);
bool chan_recv_hopeless(const Chan *c);

#endif
