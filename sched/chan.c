// SPDX-License-Identifier: MIT
// Channels (row 26): a ring of words, and two FIFO queues of waiters.
//
// Invariants, under the lock: at most one of the two queues is not empty,
// but for a select that waits on both sides; receivers wait only while the
// ring is empty, senders only while it is full; none while it is closed.
//
// The lock is one word: taken by exchange, released by a store, no system
// call but giving up the CPU after a short spin; nobody allocates, readies or
// sleeps with it. With one P it is not taken at all: Gs run on Ps only, and a
// P changes hands under sched.lock.
//
// The parker is WAITING before the unlock that makes its waiter visible and
// touches nothing of its G afterwards: a peer on another M may have taken it.
// All functions: owner P.
#include "chan.h"

void chan_init(Sched *s, Chan *c, uint32_t cap) {
  *c = (Chan){.cap = cap};
  for (uint32_t i = 0; i < cap; i++) c->buf[i] = s->empty_word;
}

// --- The ring ---------------------------------------------------------------
static void set_count(Chan *c, uint32_t count) {
  // release: the try paths read it without the lock
  rt_store_release(&c->count, count);
}

static void buf_put(P *p, Chan *c, uint64_t word) {
  chan_store(p, &c->buf[c->sendx], word);
  if (++c->sendx == c->cap) c->sendx = 0;
  set_count(c, c->count + 1);
}

static uint64_t buf_take(P *p, Chan *c) {
  uint64_t word = c->buf[c->recvx];
  chan_store(p, &c->buf[c->recvx], p->sched->empty_word);
  if (++c->recvx == c->cap) c->recvx = 0;
  set_count(c, c->count - 1);
  return word;
}

// --- Waiters ----------------------------------------------------------------
void chan_enqueue(Chan *c, Waiter *w, bool send) {
  Waiter **first = send ? &c->send_first : &c->recv_first;
  Waiter **last = send ? &c->send_last : &c->recv_last;
  w->chan = c;
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
  w->chan = NULL;
}

// A select waits on several channels: whoever sets its select_state first may
// wake it; what others find of it is dropped.
static inline bool claim(P *p, Waiter *w) {
  if (w->index < 0) return true;
  G *g = w->g;
  if (p->single) {
    if (g->select_state != 0) return false;
    rt_store_relaxed(&g->select_state, 1u);  // relaxed: nobody else
    return true;
  }
  uint32_t open = 0;
  return rt_cas(&g->select_state, &open, 1u);  // races with other channels
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
    w->chan = NULL;
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
static inline ChanResult send_locked(P *p, Chan *c, uint64_t word, G **peer) {
  *peer = NULL;
  if (rt_load_relaxed(&c->closed)) return CHAN_CLOSED;  // lock held
  Waiter *w = next_receiver(p, c);
  if (w != NULL) {
    chan_store(p, &w->elem, word);
    *peer = fired(w, true);
    return CHAN_DONE;
  }
  if (c->count == c->cap) return CHAN_BLOCKED;
  buf_put(p, c, word);
  return CHAN_DONE;
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
  if (rt_load_relaxed(&c->closed)) {  // lock held
    *word = p->sched->empty_word;
    return CHAN_CLOSED;
  }
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
static ChanResult park_for_ever(P *p, G *g, WaitReason reason) {
  g_leave(p, g, G_WAITING, reason);
  return CHAN_PARKED;
}

// The lock is held, g waits on c from here on.
static ChanResult park_on(P *p, G *g, Chan *c, bool send, WaitReason reason) {
  g->wait.g = g;
  g->wait.index = -1;
  g->wait.success = false;
  g->woken_by = NULL;
  chan_enqueue(c, &g->wait, send);
  g_leave(p, g, G_WAITING, reason);
  chan_unlock(p, c);
  return CHAN_PARKED;
}

ChanResult chan_send(P *p, G *g, Chan *c, uint64_t word) {
  if (c == NULL) return park_for_ever(p, g, WAIT_CHAN_SEND_NIL);
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
  if (c == NULL) return park_for_ever(p, g, WAIT_CHAN_RECV_NIL);
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
  // relaxed: a full channel without receivers was full at some moment during
  // the call; closed is read last, so that a close before the call is seen
  if (rt_load_relaxed(&c->recv_first) != NULL) return false;
  return chan_count(c) >= c->cap && !chan_is_closed(c);
}

bool chan_recv_hopeless(const Chan *c) {
  // relaxed: as above
  if (rt_load_relaxed(&c->send_first) != NULL) return false;
  return chan_count(c) == 0 && !chan_is_closed(c);
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
  if (rt_load_relaxed(&c->closed)) {  // lock held
    chan_unlock(p, c);
    return false;
  }
  // release: what the closer did before is seen by who sees it closed
  rt_store_release(&c->closed, 1u);
  for (Waiter *w; (w = next_receiver(p, c)) != NULL;) {
    chan_store(p, &w->elem, p->sched->empty_word);
    glist_push(&woken, fired(w, false));
  }
  for (Waiter *w; (w = next_sender(p, c)) != NULL;) {
    glist_push(&woken, fired(w, false));
  }
  chan_unlock(p, c);
  if (woken.count == 1) {
    sched_ready(p, woken.first);
  } else if (woken.count > 1) {
    sched_ready_list(p, woken.first, (int)woken.count);
  }
  return true;
}

void chan_scan(Chan *c, void (*word)(void *arg, uint64_t *slot),
               void (*waiter)(void *arg, Waiter *w), void *arg) {
  uint32_t at = c->recvx;
  for (uint32_t i = 0; i < c->count; i++) {
    word(arg, &c->buf[at]);
    if (++at == c->cap) at = 0;
  }
  for (Waiter *w = c->recv_first; w != NULL; w = w->next) waiter(arg, w);
  for (Waiter *w = c->send_first; w != NULL; w = w->next) waiter(arg, w);
}
