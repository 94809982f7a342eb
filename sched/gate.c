// SPDX-License-Identifier: MIT
// A gate is what locks of programs are made of. It is a channel (chan.c) that
// nobody receives from. Its ring holds one word for each G that is in it, and
// the Gs that wait to enter are its senders. So parking, cancelling, the
// collector and reports treat them as senders.
//
// A channel hands its free place to the first sender. A lock that did so would
// make each G that wants it again wait for a switch to the next one. So a G
// that leaves frees the place, and only wakes the first that waits. Whoever
// comes first takes the place. The woken G that finds none waits again, as the
// first. When it has waited for STARVES_NS it sets GATE_HANDS, and the next G
// that leaves hands its place over. (So do Go's sync.Mutex and WebKit's
// ParkingLot.)
//
// These invariants hold under the channel's lock:
//   - While a place is free and a G waits, GATE_WOKEN is set: a G was woken,
//     and has not yet looked. It does look (gate_enter again), and is not
//     cancelled before, as it is in no queue. It clears the flag. If a place is
//     free after that, and others wait, it wakes the next.
//   - At most one G is woken at a time, so that a place that is freed and taken
//     a thousand times wakes one G.
//   - GATE_HANDS says nothing about who waits. A G that leaves and finds nobody
//     clears it.
//
// A G that finds no place looks a few times before it parks, if its P has
// nothing else to do: the place is often free in less time than a park takes.
#include "sched/gate.h"

#include "sched/cancel.h"
#include "sched/chan.h"
#include "sched/g.h"
#include "sched/runq.h"

enum { GATE_LOOKS = 4, GATE_LOOK_PAUSES = 30 };
#define STARVES_NS ((int64_t)1000000)

void gate_init(Chan *gate, uint32_t places) {
  RT_ASSERT(places > 0);
  chan_init(gate, places);
  gate->flags = CHAN_GATE;
}

// --- Lock held --------------------------------------------------------------
static bool gate_has(const Chan *gate, uint32_t flag) {
  return (rt_load_relaxed(&gate->flags) & flag) != 0;  // relaxed: lock held
}

static void gate_set(Chan *gate, uint32_t off, uint32_t on) {
  // relaxed, both: lock held. Others read only whether it is closed
  uint32_t flags = rt_load_relaxed(&gate->flags);
  rt_store_relaxed(&gate->flags, (flags & ~off) | on);
}

// Takes the first that waits out of the queue. NULL: nobody waits.
static G *first_waiter_out(Chan *gate, bool success) {
  Waiter *waiter = gate->send_first;
  if (waiter == NULL) return NULL;
  chan_unlink(gate, waiter, true);
  waiter->success = success;
  waiter->g->woken_by = waiter;
  return waiter->g;
}

// A place is free. Who is to be readied?
static G *wake_first_waiter(Chan *gate) {
  if (gate_has(gate, GATE_WOKEN)) return NULL;
  G *g = first_waiter_out(gate, false);
  if (g != NULL) gate_set(gate, 0, GATE_WOKEN);
  return g;
}

static void wait_for_place(P *p, G *g, Chan *gate, uint64_t word, bool first) {
  g->wait.g = g;
  g->wait.index = -1;
  g->wait.success = false;
  g->wait.elem = word;
  g->woken_by = NULL;
  if (first) {
    chan_enqueue_first(gate, &g->wait);
  } else {
    chan_enqueue(gate, &g->wait, true);
  }
  g_leave(p, g, G_WAITING, WAIT_CHAN_SEND);
}

// --- Entry points -----------------------------------------------------------
static void look_out(P *p, const Chan *gate) {
  if (p->single || runq_length(p) > 0) return;
  for (int n = 0; n < GATE_LOOKS && !chan_has_room(gate); n++)
    for (int i = 0; i < GATE_LOOK_PAUSES; i++) rt_pause();
}

bool gate_try_enter(P *p, Chan *gate, uint64_t word) {
  chan_lock(p, gate);
  bool room = chan_has_room(gate);
  if (room) chan_put_element(gate, word);
  chan_unlock(p, gate);
  return room;
}

static bool has_oldest(const Chan *gate, uint64_t word) {
  return gate->count > 0 && gate->buf[gate->recvx] == word;
}

bool gate_holds(P *p, Chan *gate, uint64_t word) {
  chan_lock(p, gate);
  bool holds = has_oldest(gate, word);
  chan_unlock(p, gate);
  return holds;
}

bool gate_enter(P *p, G *g, Chan *gate, uint64_t word, int64_t since,
                bool again) {
  look_out(p, gate);
  chan_lock(p, gate);
  if (again) gate_set(gate, GATE_WOKEN, 0);
  if (chan_has_room(gate)) {
    chan_put_element(gate, word);
    G *next = chan_has_room(gate) ? wake_first_waiter(gate) : NULL;
    chan_unlock(p, gate);
    if (next != NULL) sched_ready(p, next);
    return true;
  }
  if (again && rt_now() - since >= STARVES_NS) gate_set(gate, 0, GATE_HANDS);
  wait_for_place(p, g, gate, word, again);
  bool cancelled = cancel_show(p, g, (uintptr_t)gate | ON_SEND);
  chan_unlock(p, gate);
  if (cancelled) cancel_self(p, g);
  return false;
}

GateLeft gate_leave(P *p, Chan *gate, uint64_t word) {
  chan_lock(p, gate);
  if (!has_oldest(gate, word)) {
    GateLeft how = gate->count == 0 ? GATE_EMPTY : GATE_NOT_YOURS;
    chan_unlock(p, gate);
    return how;
  }
  uint64_t own;
  chan_take_element(gate, &own, p->sched->empty_word);
  G *next;
  if (gate_has(gate, GATE_HANDS)) {
    gate_set(gate, GATE_HANDS, 0);
    next = first_waiter_out(gate, true);
    if (next != NULL) chan_put_element(gate, next->wait.elem);
  } else {
    next = wake_first_waiter(gate);
  }
  chan_unlock(p, gate);
  if (next != NULL) sched_ready(p, next);
  return GATE_LEFT;
}
