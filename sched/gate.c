// SPDX-License-Identifier: MIT
// A gate is what locks of programs are made of. One word has its state. That is
// three flags and the G that holds its owned place, or how many of its places
// are held (gate.h). The Gs that wait to enter are the senders of
// a channel (chan.c) that nobody receives from. So parking, cancelling, the
// collector and reports treat them as senders. The channel's lock guards its
// queue alone. The state is changed by CAS, with or without the lock.
//
// A channel hands its free place to the first sender. A lock that did so would
// make each G that wants it again wait for a switch to the next one. So a G
// that leaves frees the place, and only wakes the first that waits. Whoever
// comes first takes the place. The woken G that finds none waits again, as the
// first. When it has waited for STARVES_NS it sets GATE_HANDS, and the next G
// that leaves hands its place over. (So do Go's sync.Mutex and WebKit's
// ParkingLot.)
//
// These invariants hold whenever the lock is free:
//   - While Gs are in the queue GATE_WAITS is set. A G sets it by the same CAS
//     by which it sees that no place is free. So the G that frees a place after
//     that sees it.
//   - While a place is free and a G is in the queue, GATE_WOKEN is set. A G was
//     woken then, and has not yet looked. It does look (gate_enter again), and
//     is not cancelled before, as it is in no queue. It clears the flag by the
//     CAS by which it enters, or sees that no place is free. If another place
//     is free when it has entered, it wakes the next.
//   - At most one G is woken at a time, so that a place that is freed and taken
//     a thousand times wakes one G.
// GATE_WAITS may stay when the last G in the queue was cancelled. The next G
// that leaves clears it, and GATE_HANDS.
//
// A G that finds no place looks a few times before it parks, if its P has
// nothing else to do: the place is often free in less time than a park takes.
#include "sched/gate.h"

#include "sched/cancel.h"
#include "sched/chan.h"
#include "sched/g.h"
#include "sched/runq.h"
#include "sched/workspan.h"

enum { GATE_LOOKS = 4, GATE_LOOK_PAUSES = 30 };
#define STARVES_NS ((int64_t)1000000)

void gate_init(Chan *gate, uint32_t places, bool owned) {
  RT_ASSERT(places > 0 && (places == 1 || !owned));
  chan_init(gate, places);
  gate->flags = CHAN_GATE | (owned ? CHAN_OWNED : 0);
  gate->buf[0] = 0;
}

// --- The state --------------------------------------------------------------
static uint64_t gate_state(const Chan *gate) {
  // relaxed: the CAS in gate_try decides, or it is a hint. A G that leaves has
  // seen that it, or another one, entered
  return rt_load_relaxed(&gate->buf[0]);
}

// release: what was done inside before a G left. acquire: the next G that
// enters sees it. Pairs with itself, and the CAS in gate_change
static bool gate_try(Chan *gate, uint64_t *state, uint64_t to) {
  return rt_cas(&gate->buf[0], state, to);
}

static bool is_owned(const Chan *gate) {
  return (gate->flags & CHAN_OWNED) != 0;
}

static bool state_has_room(const Chan *gate, uint64_t state) {
  uint64_t inside = state >> GATE_BITS;
  return is_owned(gate) ? inside == 0 : inside < gate->cap;
}

// What g adds to the state by entering.
static uint64_t gate_place(const Chan *gate, const G *g) {
  return (is_owned(gate) ? g->id : 1) << GATE_BITS;
}

bool gate_is_valid(const Chan *gate) {
  uint64_t state = gate_state(gate);
  if (gate->recv_first != NULL || gate->count != 0) return false;
  if (!is_owned(gate) && state >> GATE_BITS > gate->cap) return false;
  if (gate->send_first == NULL) return true;
  bool woken = (state & GATE_WOKEN) != 0;
  return (state & GATE_WAITS) != 0 && (woken || !state_has_room(gate, state));
}

bool gate_try_enter(Chan *gate, const G *g) {
  uint64_t state = gate_state(gate);
  while (state_has_room(gate, state))
    if (gate_try(gate, &state, state + gate_place(gate, g))) return true;
  return false;
}

// --- The queue: lock held ---------------------------------------------------
static G *take_first_waiter(Chan *gate, bool success) {
  Waiter *waiter = gate->send_first;
  RT_ASSERT(waiter != NULL);
  chan_unlink(gate, waiter, true);
  waiter->success = success;
  waiter->g->woken_by = waiter;
  return waiter->g;
}

// If a place is free and Gs wait for it, the first one is to be readied.
static G *wake_next(Chan *gate) {
  uint64_t state = gate_state(gate);
  while (gate->send_first != NULL && state_has_room(gate, state) &&
         !(state & GATE_WOKEN))
    if (gate_try(gate, &state, state | GATE_WOKEN))
      return take_first_waiter(gate, false);
  return NULL;
}

static void wait_for_place(P *p, G *g, Chan *gate, bool first) {
  g->wait.g = g;
  g->wait.index = -1;
  g->wait.success = false;
  g->wait.elem = p->sched->config.empty_word;
  g->woken_by = NULL;
  if (first) {
    chan_enqueue_first(gate, &g->wait);
  } else {
    chan_enqueue(gate, &g->wait, true);
  }
  g_leave(p, g, G_WAITING, WAIT_CHAN_SEND);
}

// --- Entering ---------------------------------------------------------------
static void look_out(P *p, const Chan *gate) {
  if (p->alone || runq_length(p) > 0) return;
  for (int n = 0; n < GATE_LOOKS && !state_has_room(gate, gate_state(gate));
       n++)
    for (int i = 0; i < GATE_LOOK_PAUSES; i++) rt_pause();
}

// true: g has a place. false: there is none, and others know that g waits.
static bool enter_or_ask(Chan *gate, const G *g, bool again, bool late) {
  uint64_t off = again ? GATE_WOKEN : 0;
  uint64_t on = GATE_WAITS | (late ? GATE_HANDS : 0);
  uint64_t state = gate_state(gate);
  for (;;) {
    bool room = state_has_room(gate, state);
    uint64_t rest = state & ~off;
    if (gate_try(gate, &state, room ? rest + gate_place(gate, g) : rest | on))
      return room;
  }
}

bool gate_enter(P *p, G *g, Chan *gate, int64_t since, bool again) {
  look_out(p, gate);
  bool late = again && rt_now() - since >= STARVES_NS;
  chan_lock(p, gate);
  if (enter_or_ask(gate, g, again, late)) {
    if (p->marks & MARK_SPAN) workspan_enters_gate(p, gate, g);
    G *next = wake_next(gate);
    chan_unlock(p, gate);
    if (next != NULL) sched_ready(p, next);
    return true;
  }
  wait_for_place(p, g, gate, again);
  bool cancelled = cancel_show(p, g, (uintptr_t)gate | ON_SEND);
  chan_unlock(p, gate);
  if (cancelled) cancel_self(p, g);
  return false;
}

// --- Leaving ----------------------------------------------------------------
// The place goes to the first that waits. Lock held; somebody waits.
static G *hand_place_over(Chan *gate, const G *g) {
  uint64_t state = gate_state(gate), to;
  do {
    to = state - gate_place(gate, g) + gate_place(gate, gate->send_first->g);
  } while (!gate_try(gate, &state, to & ~(uint64_t)GATE_HANDS));
  return take_first_waiter(gate, true);
}

// Lock held; nobody waits.
static void leave_alone(Chan *gate, const G *g) {
  uint64_t flags = GATE_WAITS | GATE_HANDS, state = gate_state(gate);
  while (!gate_try(gate, &state, (state - gate_place(gate, g)) & ~flags))
    continue;
}

GateLeft gate_leave(P *p, Chan *gate, const G *g) {
  chan_lock(p, gate);
  uint64_t state = gate_state(gate);
  if (state >> GATE_BITS == 0 ||
      (is_owned(gate) && state >> GATE_BITS != g->id)) {
    chan_unlock(p, gate);
    return state >> GATE_BITS == 0 ? GATE_EMPTY : GATE_NOT_YOURS;
  }
  G *next = NULL;
  if (p->marks & MARK_SPAN) workspan_leaves_gate(p, gate);
  if (gate->send_first == NULL) {
    leave_alone(gate, g);
  } else if (state & GATE_HANDS) {
    next = hand_place_over(gate, g);
    if (p->marks & MARK_SPAN) workspan_enters_gate(p, gate, next);
  } else {
    while (!gate_try(gate, &state, state - gate_place(gate, g))) continue;
    next = wake_next(gate);
  }
  chan_unlock(p, gate);
  if (next != NULL) sched_ready(p, next);
  return GATE_LEFT;
}
