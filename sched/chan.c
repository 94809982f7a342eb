// SPDX-License-Identifier: MIT
// A channel (row 26) is a ring of words and two FIFO queues of waiters.
//
// These invariants hold under the lock. At most one of the two queues is not
// empty, unless one select waits on both sides. Receivers wait only while the
// ring is empty, and senders only while it is full. Nobody waits while the
// channel is closed. In a channel that drops no sender waits. In one that grows
// (chan_grow.c) senders wait only while it holds as many as its limit.
//
// A slot of the ring is initialised by the first element it gets, and is not
// read before. So a ring of any size is made at once, and takes no memory
// before it is used.
//
// The lock is one word (chan_quick.h). It is taken by exchange and released by
// a store. A thread that waits for it looks at it after 4 pauses, then after 8,
// up to 128, as each look takes the cache line from the one that holds it. It
// makes no system call but to give up the CPU when that has not helped. A
// thread that holds it does not allocate, ready or sleep. With one P it is not
// taken at all, because Gs run on Ps only, and a P changes hands under
// sched.lock.
//
// The parker is WAITING before the unlock that makes its waiter visible and
// touches nothing of its G afterwards, because a peer on another M may have
// taken it. All functions: owner P.
#include "sched/chan.h"
#include "sched/cancel.h"
#include "sched/chan_grow.h"
#include "sched/g.h"
#include "sched/select.h"

void chan_init(Chan *c, uint32_t cap) { *c = (Chan){.cap = cap}; }

void chan_init_drops(Chan *c, uint32_t cap) {
  chan_init(c, cap);
  c->flags = CHAN_DROPS;
}

// --- The lock ---------------------------------------------------------------
// How often it paused counts as crowding (crowd.c).
void chan_lock_slow(P *p, Chan *c) {
  uint32_t waited = 0;
  do {
    waited = rt_spin_while(&c->lock, CHAN_HELD, waited);
    // acquire: pairs with chan_lock_free
  } while (rt_exchange(&c->lock, chan_lock_word(p) | CHAN_HELD) & CHAN_HELD);
  p->crowding += waited;
}

// --- What must hold: lock held, plain loads ---------------------------------
enum { WAITERS_SEEN = 8 };  // of a queue: it may be long

static bool waiters_are_linked(const Chan *c, const Waiter *first,
                               const Waiter *last) {
  if (first == NULL || last == NULL) return first == last;
  if (first->prev != NULL || last->next != NULL || last->chan != c)
    return false;
  const Waiter *w = first;
  for (int i = 0; i < WAITERS_SEEN && w != NULL; i++, w = w->next) {
    if (w->chan != c || w->g == NULL) return false;
    if (w->next != NULL ? w->next->prev != w : w != last) return false;
  }
  return true;
}

// Both queues have waiters: they are all of one select.
static bool is_one_select(const Chan *c) {
  const Waiter *r = c->recv_first, *s = c->send_first;
  return r->index >= 0 && s->index >= 0 && r->g == s->g &&
         c->recv_last->g == r->g && c->send_last->g == s->g;
}

static bool ring_is_valid(const Chan *c) {
  if (c->flags & CHAN_GROWS) return chan_grow_is_valid(c);
  if (c->count > c->cap) return false;
  if (c->cap == 0) return c->sendx == 0 && c->recvx == 0;
  if (c->sendx >= c->cap || c->recvx >= c->cap) return false;
  return (c->recvx + (uint64_t)c->count) % c->cap == c->sendx;
}

bool chan_is_valid(const Chan *c) {
  bool grows = c->flags & CHAN_GROWS;
  uint32_t count = grows ? chan_growth(c)->count : c->count;
  uint32_t full = grows ? chan_growth(c)->limit : c->cap;
  bool receivers = c->recv_first != NULL, senders = c->send_first != NULL;
  if (!ring_is_valid(c)) return false;
  if (!waiters_are_linked(c, c->recv_first, c->recv_last)) return false;
  if (!waiters_are_linked(c, c->send_first, c->send_last)) return false;
  if ((c->flags & CHAN_IS_CLOSED) && (receivers || senders)) return false;
  if ((c->flags & CHAN_DROPS) && senders) return false;
  if ((receivers && count > 0) || (senders && count < full)) return false;
  return !receivers || !senders || is_one_select(c);
}

// --- The ring ---------------------------------------------------------------
static void chan_set_count(Chan *c, uint32_t count) {
  // release: pairs with acquire in chan_recv_hopeless, which looks at flags
  // next
  rt_store_release(&c->count, count);
}

static void buf_put(P *p, Chan *c, uint64_t word) {
  RT_ASSERT(c->count < c->cap);
  chan_fill(p, &c->buf[c->sendx], word);
  if (++c->sendx == c->cap) c->sendx = 0;
  chan_set_count(c, c->count + 1);
}

static uint64_t buf_take(P *p, Chan *c) {
  RT_ASSERT(c->count > 0);
  uint64_t word = c->buf[c->recvx];
  chan_store(p, &c->buf[c->recvx], p->sched->empty_word);
  if (++c->recvx == c->cap) c->recvx = 0;
  chan_set_count(c, c->count - 1);
  return word;
}

// Puts a word into a full ring, in the place of the oldest. The count stays,
// because a thread that looks without the lock must not find the ring empty.
static void buf_replace(P *p, Chan *c, uint64_t word) {
  RT_ASSERT(c->count == c->cap && c->sendx == c->recvx);
  chan_store(p, &c->buf[c->sendx], word);
  if (++c->sendx == c->cap) c->sendx = 0;
  c->recvx = c->sendx;
}

// --- Waiters ----------------------------------------------------------------
void chan_enqueue(Chan *c, Waiter *w, bool send) {
  Waiter **first = send ? &c->send_first : &c->recv_first;
  Waiter **last = send ? &c->send_last : &c->recv_last;
  rt_store_relaxed(&w->chan, c);  // relaxed: see chan_cancel
  w->next = NULL;
  w->prev = *last;
  if (*last != NULL) {
    (*last)->next = w;
  } else {
    rt_store_relaxed(first, w);  // relaxed: a hint for the try paths
  }
  *last = w;
}

void chan_unlink(Chan *c, Waiter *w, bool send) {
  Waiter **first = send ? &c->send_first : &c->recv_first;
  Waiter **last = send ? &c->send_last : &c->recv_last;
  if (w->prev != NULL) {
    w->prev->next = w->next;
  } else {
    rt_store_relaxed(first, w->next);  // relaxed: as in chan_enqueue
  }
  if (w->next != NULL) {
    w->next->prev = w->prev;
  } else {
    *last = w->prev;
  }
  w->next = w->prev = NULL;
  rt_store_relaxed(&w->chan, (Chan *)NULL);  // relaxed: see chan_cancel
}

// A select waits on several channels. Only the thread that makes its
// select_state even may wake it. Other threads drop the waiters that they find
// of it.
static inline bool claim(P *p, Waiter *w) {
  if (w->index < 0) return true;
  G *g = w->g;
  // relaxed: while a waiter of it is queued here the select is not over
  uint32_t open = rt_load_relaxed(&g->select_state);
  if ((open & 1) == 0) return false;
  if (p->single) {
    rt_store_relaxed(&g->select_state, open + 1);  // relaxed: nobody else
    return true;
  }
  // RMW: of the threads that would fire it only one does. sched_ready hands
  // over the other fields
  return rt_cas(&g->select_state, &open, open + 1);
}

// The first waiter that is still to be had.
static inline Waiter *dequeue(P *p, Waiter **first, Waiter **last) {
  for (;;) {
    Waiter *w = *first;
    if (w == NULL) return NULL;
    rt_store_relaxed(first, w->next);  // relaxed: as in chan_enqueue
    if (w->next != NULL) {
      w->next->prev = NULL;
      w->next = NULL;
    } else {
      *last = NULL;
    }
    rt_store_relaxed(&w->chan, (Chan *)NULL);  // relaxed: see chan_cancel
    if (claim(p, w)) return w;
  }
}

static inline Waiter *next_sender(P *p, Chan *c) {
  return dequeue(p, &c->send_first, &c->send_last);
}

static inline Waiter *next_receiver(P *p, Chan *c) {
  return dequeue(p, &c->recv_first, &c->recv_last);
}

static inline G *fired(Waiter *w, bool success) {
  G *g = w->g;
  w->success = success;
  g->woken_by = w;
  return g;
}

// --- One operation, lock held -----------------------------------------------
// Gives the word to the first receiver. false: none waits.
static inline bool hand_to_receiver(P *p, Chan *c, uint64_t word, G **peer) {
  Waiter *w = next_receiver(p, c);
  if (w == NULL) return false;
  chan_store(p, &w->elem, word);
  *peer = fired(w, true);
  return true;
}

// A send to a channel that is closed, or drops, or grows.
static __attribute__((noinline)) ChanResult send_flagged(P *p, Chan *c,
                                                         uint64_t word,
                                                         G **peer) {
  uint32_t flags = rt_load_relaxed(&c->flags);  // relaxed: lock held
  if (flags & CHAN_IS_CLOSED) return CHAN_CLOSED;
  if (hand_to_receiver(p, c, word, peer)) return CHAN_DONE;
  if (flags & CHAN_GROWS) return chan_grow_put(p, c, word);
  if (c->count == c->cap)
    buf_replace(p, c, word);
  else
    buf_put(p, c, word);
  return CHAN_DONE;
}

static inline __attribute__((always_inline)) ChanResult send_locked(
    P *p, Chan *c, uint64_t word, G **peer) {
  *peer = NULL;
  // relaxed: lock held
  if (rt_load_relaxed(&c->flags)) return send_flagged(p, c, word, peer);
  if (hand_to_receiver(p, c, word, peer)) return CHAN_DONE;
  if (c->count == c->cap) return CHAN_BLOCKED;
  buf_put(p, c, word);
  return CHAN_DONE;
}

// A receive where c->buf has no word. The channel is empty, or it grows and its
// words are elsewhere. Senders wait only while such a channel holds its limit,
// so there is room for the word of one (chan_grow.c).
static __attribute__((noinline)) ChanResult recv_flagged(P *p, Chan *c,
                                                         uint64_t *word,
                                                         G **peer) {
  uint32_t flags = rt_load_relaxed(&c->flags);  // relaxed: lock held
  if ((flags & CHAN_GROWS) && chan_grow_take(p, c, word)) {
    Waiter *w = next_sender(p, c);
    if (w != NULL) {
      ChanResult put = chan_grow_put(p, c, w->elem);
      RT_CHECK(put == CHAN_DONE, "a channel at its limit has no room");
      *peer = fired(w, true);
    }
    return CHAN_DONE;
  }
  if (!(flags & CHAN_IS_CLOSED)) return CHAN_BLOCKED;
  *word = p->sched->empty_word;
  return CHAN_CLOSED;
}

static inline ChanResult recv_locked(P *p, Chan *c, uint64_t *word, G **peer) {
  *peer = NULL;
  if (c->count > 0) {
    *word = buf_take(p, c);
    Waiter *w = next_sender(p, c);
    if (w != NULL) {  // the ring was full: its element follows
      buf_put(p, c, w->elem);
      *peer = fired(w, true);
    }
    return CHAN_DONE;
  }
  // relaxed: lock held
  if (rt_load_relaxed(&c->flags)) return recv_flagged(p, c, word, peer);
  Waiter *w = next_sender(p, c);
  if (w == NULL) return CHAN_BLOCKED;
  *word = w->elem;
  *peer = fired(w, true);
  return CHAN_DONE;
}

ChanResult chan_send_locked(P *p, Chan *c, uint64_t word, G **peer) {
  return send_locked(p, c, word, peer);
}

ChanResult chan_recv_locked(P *p, Chan *c, uint64_t *word, G **peer) {
  return recv_locked(p, c, word, peer);
}

// --- Entry points -----------------------------------------------------------
ChanResult chan_park_for_ever(P *p, G *g, WaitReason reason) {
  g->wait.success = false;
  g_leave(p, g, G_WAITING, reason);
  select_open(g);
  if (g->group != NULL && cancel_show(p, g, ON_WORD)) cancel_self(p, g);
  return CHAN_PARKED;
}

// Lock held, and it stays held. g waits on c from here on.
static inline __attribute__((always_inline)) void wait_on(P *p, G *g, Chan *c,
                                                          bool send,
                                                          WaitReason reason) {
  g->wait.g = g;
  g->wait.index = -1;
  g->wait.success = false;
  g->woken_by = NULL;
  chan_enqueue(c, &g->wait, send);
  g_leave(p, g, G_WAITING, reason);
}

// Parks g, a member of a group, on c. Lock held; gives it back.
static __attribute__((noinline)) ChanResult park_member(P *p, G *g, Chan *c,
                                                        bool send,
                                                        WaitReason reason) {
  wait_on(p, g, c, send, reason);
  bool cancelled = cancel_show(p, g, (uintptr_t)c | (send ? ON_SEND : ON_RECV));
  chan_unlock(p, c);
  if (cancelled) cancel_self(p, g);
  return CHAN_PARKED;
}

static inline __attribute__((always_inline)) ChanResult park_on(
    P *p, G *g, Chan *c, bool send, WaitReason reason) {
  if (__builtin_expect(g->group != NULL, 0))
    return park_member(p, g, c, send, reason);
  wait_on(p, g, c, send, reason);
  chan_unlock(p, c);
  return CHAN_PARKED;
}

bool chan_cancel(P *p, G *g, Chan *c, uintptr_t on) {
  chan_lock(p, c);
  // relaxed, both: if g waits here, it stays as it is while the lock is held.
  // If not, it may begin or end a wait for another channel at this moment
  bool here = rt_load_relaxed(&g->wait.chan) == c &&
              rt_load_relaxed(&g->parked_on) == on;
  bool ours = here && g_cancelled(g);
  if (ours) chan_unlink(c, &g->wait, (on & ON_MASK) == ON_SEND);
  chan_unlock(p, c);
  return ours;
}

ChanResult chan_send(P *p, G *g, Chan *c, uint64_t word) {
  if (c == NULL) return chan_park_for_ever(p, g, WAIT_CHAN_SEND_NIL);
  G *peer;
  chan_lock(p, c);
  ChanResult result = send_locked(p, c, word, &peer);
  if (result == CHAN_BLOCKED) {
    chan_store(p, &g->wait.elem, word);
    return park_on(p, g, c, true, WAIT_CHAN_SEND);
  }
  chan_unlock(p, c);
  if (peer != NULL) sched_ready(p, peer);
  return result;
}

ChanResult chan_recv(P *p, G *g, Chan *c, uint64_t *word, WaitReason reason) {
  if (c == NULL) return chan_park_for_ever(p, g, WAIT_CHAN_RECV_NIL);
  if (chan_is_closed(c) && chan_count(c) == 0) {  // then it stays so
    *word = p->sched->empty_word;
    return CHAN_CLOSED;
  }
  G *peer;
  chan_lock(p, c);
  ChanResult result = recv_locked(p, c, word, &peer);
  if (result == CHAN_BLOCKED) {
    chan_store(p, &g->wait.elem, p->sched->empty_word);
    return park_on(p, g, c, false, reason);
  }
  chan_unlock(p, c);
  if (peer != NULL) sched_ready(p, peer);
  return result;
}

bool chan_send_hopeless(const Chan *c) {
  // relaxed, both: a channel found full and without receivers was full at some
  // moment during the call. The flags are read last, so that a close before the
  // call is seen
  if (rt_load_relaxed(&c->recv_first) != NULL) return false;
  if (rt_load_relaxed(&c->count) < c->cap) return false;
  uint32_t flags = rt_load_acquire(&c->flags);  // acquire: as in chan_is_closed
  if (flags == 0) return true;
  return flags == CHAN_GROWS && chan_count(c) == chan_cap(c) &&
         !chan_is_closed(c);
}

bool chan_recv_hopeless(const Chan *c) {
  // acquire, both: so closed is read after them. A channel that was found open
  // first, and closed and emptied then, was never open and empty
  if (rt_load_acquire(&c->send_first) != NULL) return false;
  if (rt_load_acquire(&c->count) > 0) return false;
  uint32_t flags = rt_load_acquire(&c->flags);  // as in chan_is_closed
  if (flags == 0 || flags == CHAN_DROPS) return true;
  return flags == CHAN_GROWS && chan_count(c) == 0 && !chan_is_closed(c);
}

ChanResult chan_try_send(P *p, Chan *c, uint64_t word) {
  if (c == NULL || chan_send_hopeless(c)) return CHAN_BLOCKED;
  G *peer;
  chan_lock(p, c);
  ChanResult result = send_locked(p, c, word, &peer);
  chan_unlock(p, c);
  if (peer != NULL) sched_ready(p, peer);
  return result;
}

ChanResult chan_try_recv(P *p, Chan *c, uint64_t *word) {
  if (c == NULL || chan_recv_hopeless(c)) return CHAN_BLOCKED;
  if (chan_is_closed(c) && chan_count(c) == 0) {
    *word = p->sched->empty_word;
    return CHAN_CLOSED;
  }
  G *peer;
  chan_lock(p, c);
  ChanResult result = recv_locked(p, c, word, &peer);
  chan_unlock(p, c);
  if (peer != NULL) sched_ready(p, peer);
  return result;
}

bool chan_close(P *p, Chan *c) {
  GList woken = {0};
  chan_lock(p, c);
  uint32_t flags = rt_load_relaxed(&c->flags);  // relaxed: lock held
  if (flags & CHAN_IS_CLOSED) {
    chan_unlock(p, c);
    return false;
  }
  // release: what the closer did before is seen by whatever sees it closed
  rt_store_release(&c->flags, flags | CHAN_IS_CLOSED);
  for (Waiter *w; (w = next_receiver(p, c)) != NULL;) {
    chan_store(p, &w->elem, p->sched->empty_word);
    glist_push(&woken, fired(w, false));
  }
  for (Waiter *w; (w = next_sender(p, c)) != NULL;) {
    glist_push(&woken, fired(w, false));
  }
  chan_unlock(p, c);
  p->woken += woken.count;
  if (woken.count == 1) {
    sched_ready(p, woken.first);
  } else if (woken.count > 1) {
    sched_ready_list(p, woken.first, (int)woken.count);
  }
  return true;
}

static void scan_ring(Chan *c, const ChanScan *scan, void *arg) {
  uint32_t at = c->recvx;
  for (uint32_t i = c->count; i > 0; i--) {
    scan->word(arg, &c->buf[at]);
    if (++at == c->cap) at = 0;
  }
}

void chan_scan(Chan *c, const ChanScan *scan, void *arg) {
  if (!chan_grows(c)) {
    scan_ring(c, scan, arg);
  } else {
    ChanGrowth *r = chan_growth(c);
    r->spare = NULL;
    if (r->first != NULL) scan->block(arg, r->first);
  }
  for (Waiter *w = c->recv_first; w != NULL; w = w->next) scan->waiter(arg, w);
  for (Waiter *w = c->send_first; w != NULL; w = w->next) scan->waiter(arg, w);
}
