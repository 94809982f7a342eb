// SPDX-License-Identifier: MIT
// Whose turn it is to read a file, and the readers that wait for theirs.
//
// One reader at a time has the turn, so that what it reads is not torn. It
// keeps the turn until it has all that it wants, also while it waits in netpoll
// for more. A reader that finds the turn taken holds nothing. Its native ends
// with the prelude's _read_in_turn, which waits (file._turn) and calls the
// native again.
//
// Waiting is a waker in the list `waiting`, guarded by the turn's lock as
// `holder` is. A reader that finds the turn taken joins the list in the same
// hold of the lock, so no wake-up is missed. When a turn ends, all that wait
// are woken, and the first of them takes the next. One alone could be cancelled
// on its way. A waiter leaves the list before its waker is woken, and only the
// thread that took it off wakes it. It is freed by its waker's `make`, after
// its notice (csp_wake). Its file outlives it, because the goroutine that waits
// has the file, and wakers end before the heap does.
#include <pthread.h>

#include "stdlib/os.h"

struct TurnWaiter {
  Turn *turn;
  CspWaker *waker;
  TurnWaiter *next,
      **link;  // `link` is what points here; NULL means off the list
};

bool os_turn_take(Turn *turn, const void *reader) {
  pthread_mutex_lock(&turn->lock);
  bool ours = turn->holder == NULL || turn->holder == reader;
  if (ours) turn->holder = reader;
  pthread_mutex_unlock(&turn->lock);
  return ours;
}

bool os_turn_is_taken(Turn *turn) {
  pthread_mutex_lock(&turn->lock);
  bool taken = turn->holder != NULL;
  pthread_mutex_unlock(&turn->lock);
  return taken;
}

static CspValue waiter_over(CspCall *call, void *waiter) {
  (void)call;
  csp_alloc_free(waiter);
  return csp_nil();
}

void os_turn_end(Turn *turn, const void *reader) {
  pthread_mutex_lock(&turn->lock);
  bool ends = reader == NULL || turn->holder == reader;
  TurnWaiter *waiter = ends ? turn->waiting : NULL;
  if (ends) {
    turn->holder = NULL;
    turn->waiting = NULL;
  }
  for (TurnWaiter *w = waiter; w != NULL; w = w->next) w->link = NULL;
  pthread_mutex_unlock(&turn->lock);
  while (waiter != NULL) {
    TurnWaiter *next = waiter->next;
    csp_wake(waiter->waker, waiter_over, waiter);
    waiter = next;
  }
}

// Lock held.
static void join(Turn *turn, TurnWaiter *waiter) {
  waiter->next = turn->waiting;
  waiter->link = &turn->waiting;
  if (waiter->next != NULL) waiter->next->link = &waiter->next;
  turn->waiting = waiter;
}

// The goroutine was cancelled, or the run has ended.
static void waiter_cancelled(void *data) {
  TurnWaiter *waiter = data;
  Turn *turn = waiter->turn;
  pthread_mutex_lock(&turn->lock);
  bool listed = waiter->link != NULL;
  if (listed) {
    *waiter->link = waiter->next;
    if (waiter->next != NULL) waiter->next->link = waiter->link;
  }
  pthread_mutex_unlock(&turn->lock);
  if (listed) csp_wake(waiter->waker, waiter_over, waiter);
}

CspStatus os_turn_wait(CspCall *call, Turn *turn) {
  TurnWaiter *waiter = alloc_zeroed(csp_of(call), sizeof *waiter);
  if (waiter == NULL) return csp_panic_memory(call);
  waiter->turn = turn;
  pthread_mutex_lock(&turn->lock);
  bool waits = turn->holder != NULL;
  if (waits) waiter->waker = csp_waker_told(call, waiter_cancelled, waiter);
  bool joins = waiter->waker != NULL;
  if (joins) join(turn, waiter);
  pthread_mutex_unlock(&turn->lock);
  if (joins) return csp_park(call);
  csp_alloc_free(waiter);
  return waits ? csp_panic_memory(call) : csp_ok(call, csp_nil());
}
