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
// thread that holds it does not allocate, ready or sleep. While no other P runs
// it is not taken at all, because Gs run on Ps only, and a P changes hands
// under sched.lock.
//
// The parker is WAITING before the unlock that makes its waiter visible and
// touches nothing of its G afterwards, because a peer on another M may have
// taken it. All functions: owner P.
#include "sched/chan.h"
#include "sched/cancel.h"
#include "sched/chan_grow.h"
#include "sched/g.h"
#include "sched/select.h"
#include "sched/workspan.h"

void chan_init(Chan *chan, uint32_t cap) { *chan = (Chan){.cap = cap}; }

void chan_init_drops(Chan *chan, uint32_t cap) {
  chan_init(chan, cap);
  chan->flags = CHAN_DROPS;
}

// --- The lock ---------------------------------------------------------------
// How often it paused counts as crowding (crowd.c).
void chan_lock_slow(P *p, Chan *chan) {
  uint32_t waited = 0;
  do {
    waited = rt_spin_while(&chan->lock, CHAN_HELD, waited);
    // acquire: pairs with chan_lock_free
  } while (rt_exchange(&chan->lock, chan_lock_word(p) | CHAN_HELD) & CHAN_HELD);
  p->crowding += waited;
}

// --- What must hold: lock held, plain loads ---------------------------------
enum { WAITERS_SEEN = 8 };  // of a queue: it may be long

static bool waiters_are_linked(const Chan *chan, const Waiter *first,
                               const Waiter *last) {
  if (first == NULL || last == NULL) return first == last;
  if (first->prev != NULL || last->next != NULL || last->chan != chan)
    return false;
  const Waiter *waiter = first;
  for (int i = 0; i < WAITERS_SEEN && waiter != NULL;
       i++, waiter = waiter->next) {
    if (waiter->chan != chan || waiter->g == NULL) return false;
    if (waiter->next != NULL ? waiter->next->prev != waiter : waiter != last)
      return false;
  }
  return true;
}

// Both queues have waiters: they are all of one select.
static bool is_one_select(const Chan *chan) {
  const Waiter *receiver = chan->recv_first, *sender = chan->send_first;
  return receiver->index >= 0 && sender->index >= 0 &&
         receiver->g == sender->g && chan->recv_last->g == receiver->g &&
         chan->send_last->g == sender->g;
}

static bool ring_is_valid(const Chan *chan) {
  if (chan->flags & CHAN_GROWS) return chan_grow_is_valid(chan);
  if (chan->flags & CHAN_GATE) return true;  // see gate_ring
  if (chan->count > chan->cap) return false;
  if (chan->cap == 0) return chan->sendx == 0 && chan->recvx == 0;
  if (chan->sendx >= chan->cap || chan->recvx >= chan->cap) return false;
  return (chan->recvx + (uint64_t)chan->count) % chan->cap == chan->sendx;
}

bool chan_is_valid(const Chan *chan) {
  bool grows = chan->flags & CHAN_GROWS;
  uint32_t count = grows ? chan_growth(chan)->count : chan->count;
  uint32_t full = grows ? chan_growth(chan)->limit : chan->cap;
  bool receivers = chan->recv_first != NULL, senders = chan->send_first != NULL;
  if (!ring_is_valid(chan)) return false;
  bool closed = (chan->flags & CHAN_IS_CLOSED) != 0;  // then see closed_span
  if (!closed && !waiters_are_linked(chan, chan->recv_first, chan->recv_last))
    return false;
  if (!waiters_are_linked(chan, chan->send_first, chan->send_last))
    return false;
  if (closed && (receivers || senders)) return false;
  if ((chan->flags & CHAN_DROPS) && senders) return false;
  if (chan->flags & CHAN_GATE) return gate_is_valid(chan);
  if ((receivers && count > 0) || (senders && count < full)) return false;
  return !receivers || !senders || is_one_select(chan);
}

// --- The ring ---------------------------------------------------------------
static void chan_set_count(Chan *chan, uint32_t count) {
  // release: pairs with acquire in chan_recv_hopeless, which looks at flags
  // next
  rt_store_release(&chan->count, count);
}

static void buf_put(P *p, Chan *chan, uint64_t word) {
  RT_ASSERT(chan->count < chan->cap);
  chan_fill(p, &chan->buf[chan->sendx], word);
  if (++chan->sendx == chan->cap) chan->sendx = 0;
  chan_set_count(chan, chan->count + 1);
}

static uint64_t buf_take(P *p, Chan *chan) {
  RT_ASSERT(chan->count > 0);
  uint64_t word = chan->buf[chan->recvx];
  chan_store(p, &chan->buf[chan->recvx], p->sched->config.empty_word);
  if (++chan->recvx == chan->cap) chan->recvx = 0;
  chan_set_count(chan, chan->count - 1);
  return word;
}

// Puts a word into a full ring, in the place of the oldest. The count stays,
// because a thread that looks without the lock must not find the ring empty.
static void buf_replace(P *p, Chan *chan, uint64_t word) {
  RT_ASSERT(chan->count == chan->cap && chan->sendx == chan->recvx);
  chan_store(p, &chan->buf[chan->sendx], word);
  if (++chan->sendx == chan->cap) chan->sendx = 0;
  chan->recvx = chan->sendx;
}

// --- Waiters ----------------------------------------------------------------
void chan_enqueue(Chan *chan, Waiter *waiter, bool send) {
  Waiter **first = send ? &chan->send_first : &chan->recv_first;
  Waiter **last = send ? &chan->send_last : &chan->recv_last;
  rt_store_relaxed(&waiter->chan, chan);  // relaxed: see chan_cancel
  waiter->next = NULL;
  waiter->prev = *last;
  if (*last != NULL) {
    (*last)->next = waiter;
  } else {
    // relaxed: a hint for chan_send_hopeless and chan_recv_hopeless
    rt_store_relaxed(first, waiter);
  }
  *last = waiter;
}

void chan_enqueue_first(Chan *chan, Waiter *waiter) {
  rt_store_relaxed(&waiter->chan, chan);  // relaxed: see chan_cancel
  waiter->prev = NULL;
  waiter->next = chan->send_first;
  if (waiter->next != NULL) {
    waiter->next->prev = waiter;
  } else {
    chan->send_last = waiter;
  }
  rt_store_relaxed(&chan->send_first, waiter);  // relaxed: as above
}

void chan_unlink(Chan *chan, Waiter *waiter, bool send) {
  Waiter **first = send ? &chan->send_first : &chan->recv_first;
  Waiter **last = send ? &chan->send_last : &chan->recv_last;
  if (waiter->prev != NULL) {
    waiter->prev->next = waiter->next;
  } else {
    rt_store_relaxed(first, waiter->next);  // relaxed: as in chan_enqueue
  }
  if (waiter->next != NULL) {
    waiter->next->prev = waiter->prev;
  } else {
    *last = waiter->prev;
  }
  waiter->next = waiter->prev = NULL;
  rt_store_relaxed(&waiter->chan, (Chan *)NULL);  // relaxed: see chan_cancel
}

// A select waits on several channels. Only the thread that makes its
// select_state even may wake it. Other threads drop the waiters that they find
// of it.
static inline bool claim(P *p, Waiter *waiter) {
  if (waiter->index < 0) return true;
  G *g = waiter->g;
  // relaxed: no other wait of g has begun while a waiter of this one is queued
  // here. The CAS below decides
  uint32_t open = rt_load_relaxed(&g->select_state);
  if ((open & 1) == 0) return false;
  if (p->alone) {
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
    Waiter *waiter = *first;
    if (waiter == NULL) return NULL;
    // release: in chan_close, shows the flag with the last one's end. Pairs
    // with chan_send_hopeless and chan_recv_hopeless
    rt_store_release(first, waiter->next);
    if (waiter->next != NULL) {
      waiter->next->prev = NULL;
      waiter->next = NULL;
    } else {
      *last = NULL;
    }
    rt_store_relaxed(&waiter->chan, (Chan *)NULL);  // relaxed: see chan_cancel
    if (claim(p, waiter)) return waiter;
  }
}

static inline Waiter *next_sender(P *p, Chan *chan) {
  return dequeue(p, &chan->send_first, &chan->send_last);
}

static inline Waiter *next_receiver(P *p, Chan *chan) {
  return dequeue(p, &chan->recv_first, &chan->recv_last);
}

static inline G *fired(Waiter *waiter, bool success) {
  G *g = waiter->g;
  waiter->success = success;
  g->woken_by = waiter;
  return g;
}

// --- One operation, lock held -----------------------------------------------
// Gives the word to the first receiver. false: none waits.
static inline bool hand_to_receiver(P *p, Chan *chan, uint64_t word, G **peer) {
  Waiter *waiter = next_receiver(p, chan);
  if (waiter == NULL) return false;
  chan_store(p, &waiter->elem, word);
  *peer = fired(waiter, true);
  return true;
}

// A send to a channel that is closed, or drops, or grows.
static __attribute__((noinline)) ChanResult send_flagged(P *p, Chan *chan,
                                                         uint64_t word,
                                                         G **peer) {
  uint32_t flags = rt_load_relaxed(&chan->flags);  // relaxed: lock held
  if (flags & CHAN_IS_CLOSED) return CHAN_CLOSED;
  if (hand_to_receiver(p, chan, word, peer)) return CHAN_DONE;
  if (flags & CHAN_GROWS) return chan_grow_put(p, chan, word);
  if (chan->count == chan->cap)
    buf_replace(p, chan, word);
  else
    buf_put(p, chan, word);
  return CHAN_DONE;
}

static inline __attribute__((always_inline)) ChanResult send_locked(
    P *p, Chan *chan, uint64_t word, G **peer) {
  *peer = NULL;
  // relaxed: lock held
  if (rt_load_relaxed(&chan->flags)) return send_flagged(p, chan, word, peer);
  if (hand_to_receiver(p, chan, word, peer)) return CHAN_DONE;
  if (chan->count == chan->cap) return CHAN_BLOCKED;
  buf_put(p, chan, word);
  return CHAN_DONE;
}

// A receive where chan->buf has no word. The channel is empty, or it grows and
// its words are elsewhere. Senders wait only while such a channel holds its
// limit, so there is room for the word of one (chan_grow.c).
static __attribute__((noinline)) ChanResult recv_flagged(P *p, Chan *chan,
                                                         uint64_t *word,
                                                         G **peer) {
  uint32_t flags = rt_load_relaxed(&chan->flags);  // relaxed: lock held
  if ((flags & CHAN_GROWS) && chan_grow_take(p, chan, word)) {
    Waiter *waiter = next_sender(p, chan);
    if (waiter != NULL) {
      p->work.sender = waiter->g;
      ChanResult put = chan_grow_put(p, chan, waiter->elem);
      p->work.sender = NULL;
      RT_CHECK(put == CHAN_DONE, "a channel at its limit has no room");
      *peer = fired(waiter, true);
    }
    return CHAN_DONE;
  }
  if (!(flags & CHAN_IS_CLOSED)) return CHAN_BLOCKED;
  if (p->marks & MARK_SPAN) workspan_join(p, chan->closed_span);
  *word = p->sched->config.empty_word;
  return CHAN_CLOSED;
}

static inline ChanResult recv_locked(P *p, Chan *chan, uint64_t *word,
                                     G **peer) {
  *peer = NULL;
  if (chan->count > 0) {
    *word = buf_take(p, chan);
    Waiter *waiter = next_sender(p, chan);
    if (waiter != NULL) {  // the ring was full: its element follows
      buf_put(p, chan, waiter->elem);
      *peer = fired(waiter, true);
    }
    return CHAN_DONE;
  }
  // relaxed: lock held
  if (rt_load_relaxed(&chan->flags)) return recv_flagged(p, chan, word, peer);
  Waiter *waiter = next_sender(p, chan);
  if (waiter == NULL) return CHAN_BLOCKED;
  *word = waiter->elem;
  *peer = fired(waiter, true);
  return CHAN_DONE;
}

ChanResult chan_send_locked(P *p, Chan *chan, uint64_t word, G **peer) {
  return send_locked(p, chan, word, peer);
}

ChanResult chan_recv_locked(P *p, Chan *chan, uint64_t *word, G **peer) {
  return recv_locked(p, chan, word, peer);
}

// --- Entry points -----------------------------------------------------------
ChanResult chan_park_for_ever(P *p, G *g, WaitReason reason) {
  g->wait.success = false;
  g_leave(p, g, G_WAITING, reason);
  select_open(g);
  if (cancel_show(p, g, ON_WORD)) cancel_self(p, g);
  return CHAN_PARKED;
}

// Lock held, and it stays held. g waits on chan from here on.
static inline __attribute__((always_inline)) void wait_on(P *p, G *g,
                                                          Chan *chan, bool send,
                                                          WaitReason reason) {
  g->wait.g = g;
  g->wait.index = -1;
  g->wait.success = false;
  g->woken_by = NULL;
  chan_enqueue(chan, &g->wait, send);
  g_leave(p, g, G_WAITING, reason);
}

// Parks g, a member of a group, on chan. Lock held; gives it back.
static __attribute__((noinline)) ChanResult park_member(P *p, G *g, Chan *chan,
                                                        bool send,
                                                        WaitReason reason) {
  wait_on(p, g, chan, send, reason);
  bool cancelled =
      cancel_show(p, g, (uintptr_t)chan | (send ? ON_SEND : ON_RECV));
  chan_unlock(p, chan);
  if (cancelled) cancel_self(p, g);
  return CHAN_PARKED;
}

static inline __attribute__((always_inline)) ChanResult park_on(
    P *p, G *g, Chan *chan, bool send, WaitReason reason) {
  if (__builtin_expect(g->group != NULL, 0))
    return park_member(p, g, chan, send, reason);
  wait_on(p, g, chan, send, reason);
  // relaxed: as in cancel_show
  rt_store_relaxed(&g->parked_on, (uintptr_t)chan | (send ? ON_SEND : ON_RECV));
  chan_unlock(p, chan);
  return CHAN_PARKED;
}

bool chan_cancel(P *p, G *g, Chan *chan, uintptr_t on) {
  chan_lock(p, chan);
  // relaxed, both: if g waits here, it stays as it is while the lock is held.
  // If not, it may begin or end a wait for another channel at this moment
  bool here = rt_load_relaxed(&g->wait.chan) == chan &&
              rt_load_relaxed(&g->parked_on) == on;
  bool ours = here && g_cancelled(g);
  if (ours) chan_unlink(chan, &g->wait, (on & ON_MASK) == ON_SEND);
  chan_unlock(p, chan);
  return ours;
}

ChanResult chan_send(P *p, G *g, Chan *chan, uint64_t word) {
  if (chan == NULL) return chan_park_for_ever(p, g, WAIT_CHAN_SEND_NIL);
  G *peer;
  chan_lock(p, chan);
  ChanResult result = send_locked(p, chan, word, &peer);
  if (result == CHAN_BLOCKED) {
    chan_store(p, &g->wait.elem, word);
    return park_on(p, g, chan, true, WAIT_CHAN_SEND);
  }
  chan_unlock(p, chan);
  if (peer != NULL) sched_ready(p, peer);
  return result;
}

// It is closed and empty, and stays so. (closed_span is read with the lock.)
static inline bool chan_is_over(const P *p, const Chan *chan) {
  return chan_is_closed(chan) && chan_count(chan) == 0 &&
         !(p->marks & MARK_SPAN);
}

ChanResult chan_recv(P *p, G *g, Chan *chan, uint64_t *word,
                     WaitReason reason) {
  if (chan == NULL) return chan_park_for_ever(p, g, WAIT_CHAN_RECV_NIL);
  if (chan_is_over(p, chan)) {
    *word = p->sched->config.empty_word;
    return CHAN_CLOSED;
  }
  G *peer;
  chan_lock(p, chan);
  ChanResult result = recv_locked(p, chan, word, &peer);
  if (result == CHAN_BLOCKED) {
    chan_store(p, &g->wait.elem, p->sched->config.empty_word);
    return park_on(p, g, chan, false, reason);
  }
  chan_unlock(p, chan);
  if (peer != NULL) sched_ready(p, peer);
  return result;
}

// The flags are read last. A channel that was open then, and had no receivers
// before, had none while it was open: those that chan_close sends away are not
// taken for it. That it was full needs no order, as it fills only while open.
bool chan_send_hopeless(const Chan *chan) {
  // acquire: so closed is read after it. Pairs with dequeue
  if (rt_load_acquire(&chan->recv_first) != NULL) return false;
  // relaxed: see above. chan_set_count stores it
  if (rt_load_relaxed(&chan->count) < chan->cap) return false;
  // acquire: as in chan_is_closed
  uint32_t flags = rt_load_acquire(&chan->flags);
  if (flags == 0) return true;
  return flags == CHAN_GROWS && chan_count(chan) == chan_cap(chan) &&
         !chan_is_closed(chan);
}

bool chan_recv_hopeless(const Chan *chan) {
  // acquire: so closed is read after it. A channel that was found open first,
  // and closed and emptied then, was never open and empty. Pairs with dequeue
  if (rt_load_acquire(&chan->send_first) != NULL) return false;
  // acquire: as above. Pairs with chan_set_count
  if (rt_load_acquire(&chan->count) > 0) return false;
  // acquire: as in chan_is_closed
  uint32_t flags = rt_load_acquire(&chan->flags);
  if (flags == 0 || flags == CHAN_DROPS) return true;
  if (flags != CHAN_GROWS) return false;
  // acquire: as above. Pairs with set_growth_count
  return rt_load_acquire(&chan_growth(chan)->count) == 0 &&
         !chan_is_closed(chan);
}

ChanResult chan_try_send(P *p, Chan *chan, uint64_t word) {
  if (chan == NULL || chan_send_hopeless(chan)) return CHAN_BLOCKED;
  G *peer;
  chan_lock(p, chan);
  ChanResult result = send_locked(p, chan, word, &peer);
  chan_unlock(p, chan);
  if (peer != NULL) sched_ready(p, peer);
  return result;
}

ChanResult chan_try_recv(P *p, Chan *chan, uint64_t *word) {
  if (chan == NULL || chan_recv_hopeless(chan)) return CHAN_BLOCKED;
  if (chan_is_over(p, chan)) {
    *word = p->sched->config.empty_word;
    return CHAN_CLOSED;
  }
  G *peer;
  chan_lock(p, chan);
  ChanResult result = recv_locked(p, chan, word, &peer);
  chan_unlock(p, chan);
  if (peer != NULL) sched_ready(p, peer);
  return result;
}

bool chan_close(P *p, Chan *chan) {
  GList woken = {0};
  chan_lock(p, chan);
  uint32_t flags = rt_load_relaxed(&chan->flags);  // relaxed: lock held
  if (flags & CHAN_IS_CLOSED) {
    chan_unlock(p, chan);
    return false;
  }
  // release: what the closer did before is seen by whatever sees it closed.
  // Pairs with chan_is_closed
  rt_store_release(&chan->flags, flags | CHAN_IS_CLOSED);
  for (Waiter *w; (w = next_receiver(p, chan)) != NULL;) {
    chan_store(p, &w->elem, p->sched->config.empty_word);
    glist_push(&woken, fired(w, false));
  }
  for (Waiter *w; (w = next_sender(p, chan)) != NULL;) {
    glist_push(&woken, fired(w, false));
  }
  if (p->marks & MARK_SPAN) chan->closed_span = workspan_now(p);
  chan_unlock(p, chan);
  p->woken += woken.count;
  if (woken.count == 1) {
    sched_ready(p, woken.first);
  } else if (woken.count > 1) {
    sched_ready_list(p, woken.first, (int)woken.count);
  }
  return true;
}

static void scan_ring(Chan *chan, const ChanScan *scan, void *arg) {
  uint32_t at = chan->recvx;
  for (uint32_t i = chan->count; i > 0; i--) {
    scan->word(arg, &chan->buf[at]);
    if (++at == chan->cap) at = 0;
  }
}

void chan_scan(Chan *chan, const ChanScan *scan, void *arg) {
  if (!chan_grows(chan)) {
    scan_ring(chan, scan, arg);
  } else {
    ChanGrowth *growth = chan_growth(chan);
    growth->spare = NULL;
    if (growth->first != NULL) scan->block(arg, growth->first);
  }
  for (Waiter *w = chan->recv_first; w != NULL; w = w->next)
    scan->waiter(arg, w);
  for (Waiter *w = chan->send_first; w != NULL; w = w->next)
    scan->waiter(arg, w);
}
