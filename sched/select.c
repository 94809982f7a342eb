// SPDX-License-Identifier: MIT
// Select (row 27). One pass goes over the cases in random order under all the
// channels' locks. If none is ready, the G waits on all of them at once, and
// the first peer to make its select_state even wakes it.
//
// order[0..count) is the order of polling. order[count..2*count) is the order
// of locking, by the channel's address, so that selects cannot deadlock. Locks
// are given back in the reverse order. That matters for the G that parks: a
// peer may wake it as soon as one lock is free, but select_finish begins with
// the lowest channel, which is given back last, by a store that is the very
// last access. So the cases and `order` stay untouched until then. The same
// holds for a canceller (cancel.c), which needs no lock, because it finds the
// select open when the G is WAITING. All functions: owner P.
#include "sched/select.h"
#include "sched/cancel.h"
#include "sched/chan.h"
#include "sched/g.h"

enum { INSERTION_MAX = 12 };

// --- Orders -----------------------------------------------------------------
// Fisher and Yates' shuffle, with 16 random bits a step while those do: of up
// to 64 cases none comes first more than 0.1 % too often.
static void poll_order(P *p, uint16_t *order, int count, bool prio) {
  int bits = count <= 64 ? 16 : 32;
  uint64_t mask = ((uint64_t)1 << bits) - 1, random = 0;
  for (int i = 0; i < count; i++) {
    order[i] = (uint16_t)i;
    if (prio) continue;
    random = i % (64 / bits) == 0 ? sched_random(p) : random >> bits;
    int j = (int)((random & mask) * (uint64_t)(i + 1) >> bits);
    order[i] = order[j];
    order[j] = (uint16_t)i;
  }
}

static bool above(const SelCase *cases, uint16_t a, uint16_t b) {
  return (uintptr_t)cases[a].chan > (uintptr_t)cases[b].chan;
}

static void sink(const SelCase *cases, uint16_t *order, int at, int count) {
  uint16_t moved = order[at];
  for (int child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && above(cases, order[child + 1], order[child])) {
      child++;
    }
    if (!above(cases, order[child], moved)) break;
    order[at] = order[child];
  }
  order[at] = moved;
}

static void insertion_sort(const SelCase *cases, uint16_t *order, int count) {
  for (int i = 1; i < count; i++) {
    uint16_t moved = order[i];
    int at = i;
    for (; at > 0 && above(cases, order[at - 1], moved); at--)
      order[at] = order[at - 1];
    order[at] = moved;
  }
}

// Heap sort for many: no recursion, n log n for any number of cases. A P that
// is alone takes no locks, and any order is right.
static void lock_order(const P *p, const SelCase *cases, uint16_t *order,
                       int count) {
  for (int i = 0; i < count; i++) order[i] = (uint16_t)i;
  if (p->alone) return;
  if (count <= INSERTION_MAX) {
    insertion_sort(cases, order, count);
    return;
  }
  for (int i = count / 2 - 1; i >= 0; i--) sink(cases, order, i, count);
  for (int end = count - 1; end > 0; end--) {
    uint16_t largest = order[0];
    order[0] = order[end];
    order[end] = largest;
    sink(cases, order, 0, end);
  }
}

bool select_locks_are_sorted(const P *p, const SelCase *cases,
                             const uint16_t *locks, int count) {
  for (int i = 1; i < count && !p->alone; i++) {
    if (above(cases, locks[i - 1], locks[i])) return false;
  }
  return true;
}

// --- Locking all ------------------------------------------------------------
// The channel at place i of the lock order. NULL: none, or locked already.
static Chan *chan_at(const SelCase *cases, const uint16_t *locks, int i) {
  Chan *chan = cases[locks[i]].chan;
  if (i > 0 && cases[locks[i - 1]].chan == chan) return NULL;
  return chan;
}

static void lock_all(P *p, const SelCase *cases, const uint16_t *locks,
                     int count) {
  if (p->alone) return;
  for (int i = 0; i < count; i++) {
    Chan *chan = chan_at(cases, locks, i);
    if (chan != NULL) chan_lock(p, chan);
  }
}

static void unlock_all(P *p, const SelCase *cases, const uint16_t *locks,
                       int count) {
  // Places below `lowest` hold no channel: they are not even read after the
  // last unlock.
  int lowest = 0;
  if (p->alone) return;
  while (lowest < count && cases[locks[lowest]].chan == NULL) lowest++;
  for (int i = count - 1; i >= lowest; i--) {
    Chan *chan = chan_at(cases, locks, i);
    if (chan != NULL) chan_unlock(p, chan);
  }
}

// --- Passes -----------------------------------------------------------------
static bool all_hopeless(const SelCase *cases, int count) {
  for (int i = 0; i < count; i++) {
    const Chan *chan = cases[i].chan;
    if (chan == NULL) continue;
    if (!(cases[i].send ? chan_send_hopeless(chan)
                        : chan_recv_hopeless(chan))) {
      return false;
    }
  }
  return true;
}

static int outcome(const SelCase *cases, int index) {
  bool send_closed = cases[index].send && !cases[index].waiter.success;
  return send_closed ? SELECT_SEND_CLOSED : index;
}

// Does the first ready case in poll order. SELECT_DEFAULT: none is ready. *peer
// as chan_*_locked. One that wants room is ready, but cannot be done: the
// select begins again, with another order.
static int try_cases(P *p, SelCase *cases, const uint16_t *order, int count,
                     G **peer) {
  for (int i = 0; i < count; i++) {
    SelCase *choice = &cases[order[i]];
    if (choice->chan == NULL) continue;
    uint64_t word = choice->waiter.elem;
    ChanResult result = choice->send
                            ? chan_send_locked(p, choice->chan, word, peer)
                            : chan_recv_locked(p, choice->chan, &word, peer);
    if (result == CHAN_BLOCKED) continue;
    if (result == CHAN_WANTS_ROOM) return SELECT_WANTS_ROOM;
    choice->waiter.success = result == CHAN_DONE;
    if (!choice->send) chan_store(p, &choice->waiter.elem, word);
    return order[i];
  }
  return SELECT_DEFAULT;
}

static void wait_on_all(P *p, G *g, SelCase *cases, int count) {
  g->woken_by = NULL;
  for (int i = 0; i < count; i++) {
    SelCase *choice = &cases[i];
    choice->waiter.g = g;
    choice->waiter.index = i;
    choice->waiter.success = false;
    choice->waiter.chan = NULL;
    if (choice->chan == NULL) continue;
    if (!choice->send)
      chan_store(p, &choice->waiter.elem, p->sched->config.empty_word);
    chan_enqueue(choice->chan, &choice->waiter, choice->send);
  }
}

// --- Special forms ----------------------------------------------------------
// A case and a default.
static int try_single(P *p, SelCase *choice) {
  uint64_t word = choice->waiter.elem;
  ChanResult result = choice->send ? chan_try_send(p, choice->chan, word)
                                   : chan_try_recv(p, choice->chan, &word);
  if (result == CHAN_BLOCKED) return SELECT_DEFAULT;
  if (result == CHAN_WANTS_ROOM) return SELECT_WANTS_ROOM;
  choice->waiter.success = result == CHAN_DONE;
  if (!choice->send) chan_store(p, &choice->waiter.elem, word);
  return outcome(choice, 0);
}

// A case alone: an operation on the channel, with the G's own waiter.
static int go_single(P *p, G *g, SelCase *choice) {
  uint64_t word = choice->waiter.elem;
  ChanResult result = choice->send
                          ? chan_send(p, g, choice->chan, word)
                          : chan_recv(p, g, choice->chan, &word, WAIT_SELECT);
  if (result == CHAN_PARKED) return SELECT_PARKED;
  if (result == CHAN_WANTS_ROOM) return SELECT_WANTS_ROOM;
  choice->waiter.success = result == CHAN_DONE;
  if (!choice->send) chan_store(p, &choice->waiter.elem, word);
  return outcome(choice, 0);
}

static int finish_single(P *p, G *g, SelCase *choice) {
  choice->waiter.success = g->wait.success;
  if (!choice->send) chan_store(p, &choice->waiter.elem, g->wait.elem);
  return outcome(choice, 0);
}

// --- Entry points -----------------------------------------------------------
int select_go(P *p, G *g, SelCase *cases, uint16_t *order, int count, int how) {
  bool block = how & SELECT_BLOCK;
  RT_CHECK(count <= UINT16_MAX, "a select of %d cases", count);
  if (!block && (count == 0 || all_hopeless(cases, count))) {
    return SELECT_DEFAULT;
  }
  if (count == 0) {
    chan_park_for_ever(p, g, WAIT_SELECT_NONE);
    return SELECT_PARKED;
  }
  if (count == 1) {
    return block ? go_single(p, g, cases) : try_single(p, cases);
  }
  uint16_t *locks = order + count;
  poll_order(p, order, count, how & SELECT_PRIO);
  lock_order(p, cases, locks, count);
  RT_ASSERT(select_locks_are_sorted(p, cases, locks, count));
  lock_all(p, cases, locks, count);
  G *peer = NULL;
  int index = try_cases(p, cases, order, count, &peer);
  if (index == SELECT_DEFAULT && block) {
    wait_on_all(p, g, cases, count);
    g_leave(p, g, G_WAITING, WAIT_SELECT);
    select_open(g);
    bool cancelled = cancel_show(p, g, ON_WORD);
    unlock_all(p, cases, locks, count);
    if (cancelled) cancel_self(p, g);
    return SELECT_PARKED;
  }
  unlock_all(p, cases, locks, count);
  if (peer != NULL) sched_ready(p, peer);
  return index < 0 ? index : outcome(cases, index);
}

int select_finish(P *p, G *g, SelCase *cases, uint16_t *order, int count) {
  if (count <= 1 && g->cancelled) return SELECT_CANCELLED;
  if (count == 1) return finish_single(p, g, cases);
  // Not sorted if the G parked on a P that was alone, or the only one. Nobody
  // could be in the way then, and here one lock is held at a time.
  uint16_t *locks = order + count;
  for (int i = 0; i < count; i++) {
    SelCase *choice = &cases[locks[i]];
    if (choice->chan == NULL) continue;
    chan_lock(p, choice->chan);
    if (choice->waiter.chan != NULL)
      chan_unlink(choice->chan, &choice->waiter, choice->send);
    chan_unlock(p, choice->chan);
  }
  if (g->cancelled) return SELECT_CANCELLED;
  RT_CHECK(g->woken_by != NULL, "a select was woken by nobody");
  int index = g->woken_by->index;
  RT_CHECK(index >= 0 && index < count && g->woken_by == &cases[index].waiter,
           "a select was woken by a waiter that is not its own");
  return outcome(cases, index);
}
