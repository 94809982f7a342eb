// SPDX-License-Identifier: MIT
// Taking a parked G away from what it waits for (row 28). The canceller pays
// for that. To ready a G in the usual ways costs no more than without
// cancellation.
//
// A G that parks stores in parked_on where it is, with the lock held that
// readying it needs, when it is WAITING and can be found there. Then it reads
// its flag (g_cancelled). The canceller sets the flag, then reads parked_on.
// All four are seq_cst, so at least one of the two sees the other. A G without
// a group needs no such order. It may get a group while it is parked, but only
// while the world is stopped (group_begin_outer), and its canceller comes after
// that.
//
// parked_on stays when the G runs on, so what it says may be old. The thread
// that acts on it takes the G as any thread does that readies it. It takes the
// G out of the channel's queue or the queue for calls, with the lock, or wins
// the select's word, the timer, or the descriptor's word. Only one thread can.
// The G is then parked and belongs to that thread alone, and its group and its
// shield stay as they are. Now the thread asks whether the G is cancelled in
// this wait. If that wait was over and this is a later one, it is not. Then the
// G was not touched yet (a lock is held, or the word names the wait by its
// number), or is put back (a timer, a descriptor). The thread that puts it back
// reads the flag after that, as one that parks does, because a canceller of
// this wait may have found nobody meanwhile.
//
// The objects are there all the time. Channels are freed only while no P is
// between two safepoints, and then no parked_on may name them any more
// (group_forget_chan). The others are never freed, or together with g.
#include "sched/cancel.h"
#include "sched/chan.h"
#include "sched/poll.h"
#include "sched/syscall.h"
#include "sched/timer.h"

bool cancel_show(P *p, G *g, uintptr_t on) {
  // Cancellers have a P, or come after a stop of the world.
  if (p->alone || g->group == NULL) {
    rt_store_relaxed(&g->parked_on, on);  // relaxed: see above
  } else {
    rt_store_seq(&g->parked_on, on);  // seq: see the head
  }
  return g_cancelled(g) != NOT_CANCELLED;
}

void group_forget_chan(G *g) {
  // relaxed, both: the world is stopped
  uintptr_t on = rt_load_relaxed(&g->parked_on), kind = on & ON_MASK;
  if (kind != ON_SEND && kind != ON_RECV) return;
  if ((uintptr_t)g->wait.chan != (on & ~(uintptr_t)ON_MASK))
    rt_store_relaxed(&g->parked_on, (uintptr_t)0);
}

static bool take_word(G *g) {
  // acquire: g is WAITING, and its group as it is, when the word is odd. While
  // it is this very number both stay so. Pairs with select_open
  uint32_t word = rt_load_acquire(&g->select_state);
  if ((word & 1) == 0 || !g_cancelled(g)) return false;
  // RMW: of cancellers and those in claim (chan.c) one takes the word
  return rt_cas(&g->select_state, &word, word + 1);
}

static bool take_from(P *p, G *g, uintptr_t on) {
  void *object = (void *)(on & ~(uintptr_t)ON_MASK);
  switch (on & ON_MASK) {
    case ON_TIMER:
      return timer_cancel(p, g, object);
    case ON_READ:
      return poll_cancel(p, g, object, POLL_READ);
    case ON_WRITE:
      return poll_cancel(p, g, object, POLL_WRITE);
    case ON_SEND:
    case ON_RECV:
      return chan_cancel(p, g, object, on);
    case ON_TURN:
      return poll_turn_cancel(g, object);
    case ON_PLACE:
      return on == ON_CALLS ? syscall_cancel(p, g) : take_word(g);
    case 0:
      return false;  // it has not parked yet
    default:
      rt_throw("take_from: a goroutine is parked on %d", (int)(on & ON_MASK));
  }
}

bool cancel_take(P *p, G *g) {
  uintptr_t on = rt_load_seq(&g->parked_on);  // seq: see the head
  if (!g_cancelled(g) || !take_from(p, g, on)) return false;
  g->cancelled = true;
  return true;
}

void cancel_self(P *p, G *g) {
  if (cancel_take(p, g)) sched_ready(p, g);
}
