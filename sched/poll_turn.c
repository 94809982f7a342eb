// SPDX-License-Identifier: MIT
// Whose turn it is to use a side of a descriptor (row 24). The G that has the
// turn keeps it while it waits in the side's word (poll.c), until it has all
// that it wants. So what it reads is not torn, at most one G waits in the word,
// and the others have their turns in the order in which they came.
//
// One word has the state of both sides. For each side:
//   TURN_TAKEN   a G has the turn
//   TURN_QUEUED  Gs are in the queue, or were
// and for both:
//   TURNS_END    the descriptor has ended: no G takes a turn any more
//
//   enter:   sets TAKEN by a CAS that sees neither TAKEN nor END. Else, with
//            the lock held, it sets QUEUED by a CAS that sees TAKEN, and the G
//            joins the queue
//   leave:   clears TAKEN by a CAS that sees no QUEUED. Else, with the lock
//            held, the first of the queue has the turn from now on; or it
//            clears TAKEN and QUEUED, as the queue is empty
//   end:     ends the waits (poll_close). Then, with the lock held, sets END
//            and clears QUEUED by one CAS, and wakes all in the queues, without
//            a turn
//   cancel:  with the lock held, takes the G out of the queue
//
// These invariants hold whenever the lock is free:
//   - While Gs are in a queue, TAKEN and QUEUED are set. The G that has the
//     turn sees QUEUED when it leaves, as it leaves by a CAS.
//   - parked_on of a G names the turn while it is in its queue, and only then:
//     the thread that takes it out clears parked_on, with the lock held.
//
// When END is set and TAKEN is not, nobody uses the descriptor any more. One
// change of the word makes it so (a leave, or the end), and the thread that
// makes it is told.
#include "sched/cancel.h"
#include "sched/g.h"
#include "sched/poll.h"

// Bits of desc->turns. The first two are shifted by the mode.
enum { TURN_TAKEN = 1, TURN_QUEUED = 4, TURNS_END = 16 };

// What was done in the last turn is seen in this one.
static bool change_turns(PollDesc *desc, uint32_t *seen, uint32_t to) {
  return rt_cas(&desc->turns, seen, to);  // RMW: as the head says
}

static uint32_t turns_of(const PollDesc *desc) {
  // relaxed: the CAS in change_turns decides
  return rt_load_relaxed(&desc->turns);
}

bool poll_turn_try(PollDesc *desc, PollMode mode) {
  uint32_t taken = TURN_TAKEN << mode, seen = turns_of(desc);
  while ((seen & (taken | TURNS_END)) == 0)
    if (change_turns(desc, &seen, seen | taken)) return true;
  return false;
}

// --- The queue: lock held ---------------------------------------------------
static void turn_join(PollTurn *turn, Waiter *waiter) {
  waiter->next = NULL;
  waiter->prev = turn->last;
  *(turn->last != NULL ? &turn->last->next : &turn->first) = waiter;
  turn->last = waiter;
}

static void turn_unlink(PollTurn *turn, Waiter *waiter) {
  *(waiter->prev != NULL ? &waiter->prev->next : &turn->first) = waiter->next;
  *(waiter->next != NULL ? &waiter->next->prev : &turn->last) = waiter->prev;
  waiter->next = waiter->prev = NULL;
  // relaxed: read with the lock, or as a hint (cancel_take)
  rt_store_relaxed(&waiter->g->parked_on, (uintptr_t)0);
}

// NULL: the queue is empty. has_turn: why it is woken.
static G *turn_pop(PollTurn *turn, bool has_turn) {
  Waiter *waiter = turn->first;
  if (waiter == NULL) return NULL;
  RT_ASSERT(g_is(waiter->g, G_WAITING));
  turn_unlink(turn, waiter);
  waiter->success = has_turn;
  return waiter->g;
}

// --- Entering and leaving ---------------------------------------------------
// POLL_PARKED: others know that g waits.
static PollResult enter_or_queue(PollDesc *desc, PollMode mode) {
  uint32_t taken = TURN_TAKEN << mode, seen = turns_of(desc);
  while ((seen & TURNS_END) == 0) {
    bool is_free = (seen & taken) == 0;
    uint32_t to = seen | (is_free ? taken : (uint32_t)TURN_QUEUED << mode);
    if (change_turns(desc, &seen, to))
      return is_free ? POLL_READY : POLL_PARKED;
  }
  return POLL_CLOSED;
}

PollResult poll_turn(P *p, G *g, PollDesc *desc, PollMode mode) {
  PollTurn *turn = &desc->turn[mode];
  bool cancelled = false;
  rt_lock(&desc->lock);
  PollResult result = enter_or_queue(desc, mode);
  if (result == POLL_PARKED) {
    g->wait.g = g;
    g_leave(p, g, G_WAITING, WAIT_IO);
    turn_join(turn, &g->wait);
    cancelled = cancel_show(p, g, (uintptr_t)turn | ON_TURN);
  }
  rt_unlock(&desc->lock);
  if (cancelled) cancel_self(p, g);
  return result;
}

PollResult poll_turn_result(const G *g) {
  return g->wait.success ? POLL_READY : POLL_CLOSED;
}

// Lock held. As poll_turn_leave.
static bool leave_free(PollDesc *desc, PollMode mode) {
  uint32_t off = (uint32_t)(TURN_TAKEN | TURN_QUEUED) << mode,
           seen = turns_of(desc);
  while (!change_turns(desc, &seen, seen & ~off)) continue;
  return (seen & ~off) == TURNS_END;
}

bool poll_turn_leave(P *p, PollDesc *desc, PollMode mode) {
  uint32_t taken = TURN_TAKEN << mode, seen = turns_of(desc);
  while ((seen & (uint32_t)TURN_QUEUED << mode) == 0) {
    RT_ASSERT(seen & taken);
    if (change_turns(desc, &seen, seen & ~taken))
      return (seen & ~taken) == TURNS_END;
  }
  rt_lock(&desc->lock);
  G *next = p == NULL ? NULL : turn_pop(&desc->turn[mode], true);
  bool last = next == NULL && leave_free(desc, mode);
  rt_unlock(&desc->lock);
  if (next != NULL) sched_ready(p, next);
  return last;
}

// --- The end ----------------------------------------------------------------
// Lock held. Whether somebody has a turn.
static bool end_turns(PollDesc *desc) {
  uint32_t queued = TURN_QUEUED | TURN_QUEUED << 1, seen = turns_of(desc);
  do {
    RT_CHECK((seen & TURNS_END) == 0, "a descriptor is ended twice");
  } while (!change_turns(desc, &seen, (seen & ~queued) | TURNS_END));
  return (seen & (TURN_TAKEN | TURN_TAKEN << 1)) != 0;
}

bool poll_turn_end(P *p, PollDesc *desc) {
  GList woken = {0};
  G *g;
  // First, because once the turns have ended the G that leaves last closes the
  // descriptor. Its number is another file's then, and must not be removed.
  poll_close(p, desc);
  rt_lock(&desc->lock);
  bool used = end_turns(desc);
  for (int mode = 0; mode < 2 && p != NULL; mode++)
    while ((g = turn_pop(&desc->turn[mode], false)) != NULL)
      glist_push(&woken, g);
  rt_unlock(&desc->lock);
  while ((g = glist_pop(&woken)) != NULL) sched_ready(p, g);
  return !used;
}

bool poll_turn_cancel(G *g, PollTurn *turn) {
  PollDesc *desc = turn->desc;
  rt_lock(&desc->lock);
  // relaxed: the lock is held. seq is g_cancelled's
  bool ours = rt_load_relaxed(&g->parked_on) == ((uintptr_t)turn | ON_TURN) &&
              g_cancelled(g) != NOT_CANCELLED;
  if (ours) turn_unlink(turn, &g->wait);
  rt_unlock(&desc->lock);
  return ours;
}
