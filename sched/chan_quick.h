// SPDX-License-Identifier: MIT
// Channels: the commonest operations without a call. Nobody waits, there is
// room or an element, and the lock, with several Ps, is free. Included by
// sched.h. All: owner P.
#ifndef CSP_SCHED_CHAN_QUICK_H
#define CSP_SCHED_CHAN_QUICK_H

#define CHAN_QUICK static inline __attribute__((always_inline))

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
  if (!rt_spin_try(&c->lock)) return false;
  bool fits = chan_has_room(c);
  if (fits) chan_put_element(c, word);
  rt_spin_unlock(&c->lock);
  return fits;
}
CHAN_QUICK bool chan_take_quick(P *p, Chan *c, uint64_t *word, uint64_t empty) {
  if (!chan_has_element(c)) return false;
  if (p->single) {
    chan_take_element(c, word, empty);
    return true;
  }
  if (!rt_spin_try(&c->lock)) return false;
  bool fits = chan_has_element(c);
  if (fits) chan_take_element(c, word, empty);
  rt_spin_unlock(&c->lock);
  return fits;
}
#undef CHAN_QUICK

#endif
