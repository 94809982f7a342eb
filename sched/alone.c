// SPDX-License-Identifier: MIT
// Running alone (row 16c). A locked instruction takes 4 to 8 ns, and an
// operation of a channel has one or two of them. They are for the other Ps.
// Most of the time, in most programs, there is one P with work, and all others
// are idle. Then none of them is needed, as with one P.
//
//   sched->alone.p   the P that runs alone, or NULL. Written with sched.lock
//   p->alone         its owner's copy. While it is set the owner takes no lock
//                    of a channel, of timers or of urgent Gs, and takes from
//                    its own queue without a CAS. Also set where there is one P
//
// Beginning. Between two turns, or in a look, a P that sees all others idle
// becomes alone, with sched.lock. All that they did came before, because they
// went idle with the lock. Ms without a P touch nothing of this, except for
// what a searcher reads before it sleeps (T3 in idle.c). So a P that is alone
// puts into its queues as ever, and wakes Ms as ever. (S1 stays seq_cst.)
//
// End. A thread that takes an idle P (idle_get_p) sees sched->alone.p, with the
// lock. It sets p->awaits of the P that it takes, and LOOK_ALONE of the other.
// The M that is to run the taken P waits while p->awaits is set, before it
// touches what Ps share (alone_await). The P that is alone ends that in its
// next look, or before its next turn, where it is inside none of the locks that
// it left out. With sched.lock it clears awaits of all Ps (release; alone_await
// acquires), and wakes their Ms.
//
// Nobody waits for long:
//   - A P that is alone ends that before it does what has no looks: a function
//     of a host (sched_not_alone), a call that keeps the P (enter_quick). A
//     host's function may also have looks inside, in csp_work and csp_call. In
//     the one no P becomes alone (sched_look_aside). After the other, and
//     before each further piece of a native, it is ended again (native_enter).
//     So it is before the library calls a layer of a connection's. Finalizers
//     run after a stop of the world, which has ended it, and no look is
//     between.
//   - Operations of a host's types that get no call (== < and so on) do not
//     know their P. So no P becomes alone any more once there is a value of
//     such a type (sched_never_alone).
//   - It ends it before it waits for other Ps, which may be waiting for it. So
//     it does when it stops the world, stops for others, or makes a handshake.
//   - When it goes idle, or is stopped at the end, it ends, too (alone_left).
//
// While an M waits its P is not idle, so no P becomes alone meanwhile.
#include "sched/alone.h"

#include "sched/idle.h"

enum { AWAIT_PAUSES = 100 };  // until an M that waits sleeps: 1 to 4 us

bool alone_is_valid(const Sched *sched) {
  const P *alone = sched->alone.p;
  for (int i = 0; i < procs_now(sched); i++) {
    const P *p = p_at(sched, i);
    // relaxed: sched.lock is held
    if (rt_load_relaxed(&p->awaits) && alone == NULL) return false;
    if (p == alone && p_status(p) == P_IDLE) return false;
  }
  return true;
}

// --- The P that is alone ----------------------------------------------------
void alone_try(P *p) {
  Sched *sched = p->sched;
  uint32_t others = (uint32_t)procs_now(sched) - 1;
  // relaxed: a hint. It is read again below, with the lock held
  if (rt_load_relaxed(&sched->idle_count) != others) return;
  rt_lock(&sched->lock);
  // relaxed, all: written with the lock held
  if (rt_load_relaxed(&sched->idle_count) == others &&
      !rt_load_relaxed(&sched->stopping) && !rt_load_relaxed(&sched->exiting) &&
      !rt_load_relaxed(&sched->alone.never)) {
    RT_ASSERT(sched->alone.p == NULL);
    sched->alone.p = p;
    p->alone = true;
    P_COUNT(p, alone, 1);
  }
  rt_unlock(&sched->lock);
}

static void wake_those_that_wait(Sched *sched) {
  sched->alone.awaited = 0;
  for (int i = 0; i < procs_now(sched); i++) {
    P *p = p_at(sched, i);
    if (!rt_load_relaxed(&p->awaits)) continue;  // relaxed: sched.lock held
    // release: what the P did alone. Pairs with alone_await
    rt_store_release(&p->awaits, 0u);
    // NULL: its M is on the way, and looks when it comes
    if (p->m != NULL) idle_wake_m(p->m);
  }
}

void alone_left(Sched *sched, P *p) {
  if (sched->alone.p != p) return;
  p->alone = p->single;
  sched->alone.p = NULL;
  // RMW: see P.look
  rt_and(&p->look, ~(uint32_t)LOOK_ALONE);
  if (sched->alone.awaited > 0) wake_those_that_wait(sched);
  RT_ASSERT(alone_is_valid(sched));
}

void alone_end(P *p) {
  Sched *sched = p->sched;
  rt_lock(&sched->lock);
  alone_left(sched, p);
  rt_unlock(&sched->lock);
}

void sched_not_alone(P *p) {
  if (p->alone && !p->single) alone_end(p);
}

// This P is not idle, so no other one is alone, or becomes alone before it has
// gone idle, which takes sched.lock.
void sched_never_alone(P *p) {
  // relaxed: alone_try reads it with the lock held
  rt_store_relaxed(&p->sched->alone.never, 1u);
  sched_not_alone(p);
}

void sched_enter_host(P *p) {
  P_COUNT(p, host_calls, 1);
  sched_not_alone(p);
}

// --- A P that was idle ------------------------------------------------------
void alone_ask(Sched *sched, P *p) {
  P *alone = sched->alone.p;
  if (alone == NULL) return;
  rt_store_relaxed(&p->awaits, 1u);  // relaxed: p's M comes by the lock
  sched->alone.awaited++;
  // RMW: see P.look
  rt_or(&alone->look, (uint32_t)LOOK_ALONE);
}

static bool is_awaiting(const M *m) {
  // acquire: pairs with wake_those_that_wait
  return rt_load_acquire(&m->p->awaits) != 0;
}

// The note is set after awaits is cleared, or before for another reason, which
// the M sees to afterwards.
void alone_wait(M *m) {
  for (int i = 0; i < AWAIT_PAUSES && is_awaiting(m); i++) rt_pause();
  while (is_awaiting(m)) rt_note_wait(&m->note, RT_FOREVER);
}
