// SPDX-License-Identifier: MIT
// What the other sources of sched/ use of chan.c: the lock, one operation under
// it, and the queues of waiters. Owner P throughout.
#ifndef CSP_SCHED_CHAN_H
#define CSP_SCHED_CHAN_H

#include "sched/internal.h"

// The invariants at the head of chan.c, of the ring and of the first and last
// few waiters. Lock held.
bool chan_is_valid(const Chan *chan);

void chan_lock_slow(P *p, Chan *chan);

static inline void chan_lock(P *p, Chan *chan) {
  rt_rank_push(&rank_chan, chan);
  if (!p->alone && !chan_lock_try(p, chan)) chan_lock_slow(p, chan);
}

static inline void chan_unlock(P *p, Chan *chan) {
  RT_ASSERT(chan_is_valid(chan));
  rt_rank_pop(&rank_chan, chan);
  if (!p->alone) chan_lock_free(p, chan);
}

// Every store of an element, for the collector's write barrier.
static inline void chan_store(P *p, uint64_t *slot, uint64_t word) {
  Sched *sched = p->sched;
  if (sched->config.barrier && sched->hooks.barrier != NULL) {
    sched->hooks.barrier(sched->hooks.host, p, *slot, word);
  }
  *slot = word;
}

// The same into a slot of a ring that holds no element.
static inline void chan_fill(P *p, uint64_t *slot, uint64_t word) {
  Sched *sched = p->sched;
  if (sched->config.barrier && sched->hooks.barrier != NULL) {
    sched->hooks.barrier(sched->hooks.host, p, sched->config.empty_word, word);
  }
  *slot = word;
}

// Lock held. CHAN_BLOCKED, CHAN_WANTS_ROOM: nothing was done. *peer: to be
// readied after the unlock, or NULL.
ChanResult chan_send_locked(P *p, Chan *chan, uint64_t word, G **peer);
ChanResult chan_recv_locked(P *p, Chan *chan, uint64_t *word, G **peer);

ChanResult chan_park_for_ever(P *p, G *g, WaitReason reason);
void chan_enqueue(Chan *chan, Waiter *waiter, bool send);
void chan_enqueue_first(Chan *chan, Waiter *waiter);  // as a sender
void chan_unlink(Chan *chan, Waiter *waiter, bool send);

// Without the lock: the operation could not go on at some moment during this
// call.
bool chan_send_hopeless(const Chan *chan);
bool chan_recv_hopeless(const Chan *chan);

// The rest of cancel_take. false: g is not there, or not cancelled.
bool chan_cancel(P *p, G *g, Chan *chan, uintptr_t on);

#endif
