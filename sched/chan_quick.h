// SPDX-License-Identifier: MIT
// A channel's lock, and the commonest operations without a call: nobody waits,
// there is room or an element, and the lock, with several Ps, is free. Included
// by sched.h. All: owner P.
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
CHAN_QUICK bool chan_lock_try(P *p, Chan *c) {
  uint32_t mine = chan_lock_word(p);
  // acquire: pairs with chan_lock_free
  uint32_t before = rt_exchange(&c->lock, mine | CHAN_HELD);
  if (__builtin_expect(before == mine, 1)) return true;
  p->crowding += before != 0;
  return (before & CHAN_HELD) == 0;
}
CHAN_QUICK void chan_lock_free(const P *p, Chan *c) {
  // release: pairs with the exchange in chan_lock_try
  rt_store_release(&c->lock, chan_lock_word(p));
}

// relaxed, all: exact with the lock, or with one P. Else a hint.
CHAN_QUICK bool chan_has_room(const Chan *c) {
  return rt_load_relaxed(&c->recv_first) == NULL &&
         rt_load_relaxed(&c->count) < c->cap &&
         (rt_load_relaxed(&c->flags) & CHAN_IS_CLOSED) == 0;
}
CHAN_QUICK bool chan_has_element(const Chan *c) {
  return rt_load_relaxed(&c->count) > 0 &&  // relaxed, both: as above
         rt_load_relaxed(&c->send_first) == NULL;
}

CHAN_QUICK void chan_put_element(Chan *c, uint64_t word) {
  c->buf[c->sendx] = word;
  if (++c->sendx == c->cap) c->sendx = 0;
  rt_store_release(&c->count, c->count + 1);  // release: as in chan.c
}
CHAN_QUICK void chan_take_element(Chan *c, uint64_t *word, uint64_t empty) {
  *word = c->buf[c->recvx];
  c->buf[c->recvx] = empty;
  if (++c->recvx == c->cap) c->recvx = 0;
  rt_store_release(&c->count, c->count - 1);  // release: as in chan.c
}

// Never a channel that grows (its count and cap are 0). Without the write
// barrier, so not while it is on. false: nothing was done.
CHAN_QUICK bool chan_put_quick(P *p, Chan *c, uint64_t word) {
  if (!chan_has_room(c)) return false;
  if (p->single) {
    chan_put_element(c, word);
    return true;
  }
  if (!chan_lock_try(p, c)) return false;
  bool fits = chan_has_room(c);
  if (fits) chan_put_element(c, word);
  chan_lock_free(p, c);
  return fits;
}
CHAN_QUICK bool chan_take_quick(P *p, Chan *c, uint64_t *word, uint64_t empty) {
  if (!chan_has_element(c)) return false;
  if (p->single) {
    chan_take_element(c, word, empty);
    return true;
  }
  if (!chan_lock_try(p, c)) return false;
  bool fits = chan_has_element(c);
  if (fits) chan_take_element(c, word, empty);
  chan_lock_free(p, c);
  return fits;
}
#undef CHAN_QUICK

#endif
