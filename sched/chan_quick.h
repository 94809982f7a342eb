// SPDX-License-Identifier: MIT
// A channel's lock, and the commonest operations without a call: nobody waits,
// there is room or an element, and the lock is free, or not needed as no other
// P runs. Included by sched.h. All: owner P.
//
// The lock is one word. Bit 0 says that it is held. The other bits say which P
// had it last, as its id and 1. They are 0 if none had. So the exchange that
// takes it also tells, without a further access, whether the channel's cache
// line came from another P (crowd.c).
#ifndef CSP_SCHED_CHAN_QUICK_H
#define CSP_SCHED_CHAN_QUICK_H

#define CHAN_QUICK static inline __attribute__((always_inline))

enum { CHAN_HELD = 1 };
CHAN_QUICK uint32_t chan_lock_word(const P *p) {
  return (uint32_t)(p->id + 1) << 1;
}

// false: another P holds it. (Its name in the word is lost. It writes it again
// when it is done.)
CHAN_QUICK bool chan_lock_try(P *p, Chan *chan) {
  uint32_t mine = chan_lock_word(p);
  // acquire: pairs with chan_lock_free
  uint32_t before = rt_exchange(&chan->lock, mine | CHAN_HELD);
  if (__builtin_expect(before == mine, 1)) return true;
  p->crowding += before != 0;
  return (before & CHAN_HELD) == 0;
}
CHAN_QUICK void chan_lock_free(const P *p, Chan *chan) {
  // release: pairs with the exchange in chan_lock_try
  rt_store_release(&chan->lock, chan_lock_word(p));
}

// relaxed, all: exact with the lock, or if no other P runs. Else a hint.
CHAN_QUICK bool chan_has_room(const Chan *chan) {
  return rt_load_relaxed(&chan->recv_first) == NULL &&
         rt_load_relaxed(&chan->count) < chan->cap &&
         (rt_load_relaxed(&chan->flags) & CHAN_IS_CLOSED) == 0;
}
CHAN_QUICK bool chan_has_element(const Chan *chan) {
  return rt_load_relaxed(&chan->count) > 0 &&  // relaxed, both: as above
         rt_load_relaxed(&chan->send_first) == NULL;
}

CHAN_QUICK void chan_put_element(Chan *chan, uint64_t word) {
  chan->buf[chan->sendx] = word;
  if (++chan->sendx == chan->cap) chan->sendx = 0;
  rt_store_release(&chan->count, chan->count + 1);  // release: as below
}
CHAN_QUICK void chan_take_element(Chan *chan, uint64_t *word, uint64_t empty) {
  *word = chan->buf[chan->recvx];
  chan->buf[chan->recvx] = empty;
  if (++chan->recvx == chan->cap) chan->recvx = 0;
  // release: as in chan_set_count
  rt_store_release(&chan->count, chan->count - 1);
}

// Never a channel that grows (its count and cap are 0). Without the write
// barrier, so not while it is on. false: nothing was done.
CHAN_QUICK bool chan_put_quick(P *p, Chan *chan, uint64_t word) {
  if (!chan_has_room(chan)) return false;
  if (p->alone) {
    chan_put_element(chan, word);
    return true;
  }
  if (!chan_lock_try(p, chan)) return false;
  bool fits = chan_has_room(chan);
  if (fits) chan_put_element(chan, word);
  chan_lock_free(p, chan);
  return fits;
}
CHAN_QUICK bool chan_take_quick(P *p, Chan *chan, uint64_t *word,
                                uint64_t empty) {
  if (!chan_has_element(chan)) return false;
  if (p->alone) {
    chan_take_element(chan, word, empty);
    return true;
  }
  if (!chan_lock_try(p, chan)) return false;
  bool fits = chan_has_element(chan);
  if (fits) chan_take_element(chan, word, empty);
  chan_lock_free(p, chan);
  return fits;
}
#undef CHAN_QUICK

#endif
