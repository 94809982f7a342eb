// SPDX-License-Identifier: MIT
// Blocking calls (row 22). Between enter and exit an M touches neither Gs nor
// heap.
//
// A slow call hands its P over at once. The M leaves it before it enters the
// kernel, and looks for one when it is back.
//
// A quick call keeps it, in the status SYSCALL with the M's id, until another
// thread takes it. Sysmon takes it when the call lasts and there is work. A
// thread that stops the world, makes a handshake, or ends the runtime takes it,
// too. All do so with sched.lock. From then on the call is like a slow one. To
// take the P and to return are CASes from the same word, so one of the two
// wins. The id is in the word so that an M which comes back late does not take
// the P out of a later call of another M.
//   enter: stores SYSCALL, seq_cst, then loads p->look, and goes back if not 0
//   taker: sets p->look, seq_cst RMW, then loads the status
//
// So one of them sees the other, and nobody waits for a P whose M is in the
// kernel.
//
// sched->calls.count counts the Ms in calls that have lost their P, from before
// the P is another's until the G has one again or is queued. The deadlock check
// relies on it. With syscalls_max of them all places are taken, and further Gs
// wait in a queue, first come, first served. An M that comes back readies the
// first of them and keeps its place free for it (G.has_slot, counted in
// sched->calls.kept). The queue is empty, or calls.count + calls.kept >=
// syscalls_max.
//
// A P is taken out of a quick call whether there is a place or not. Otherwise,
// with all Ps in calls that last, nobody would run. Instead the quick way asks
// before it begins (sched->calls.full, which changes with the counts, under the
// lock). Where all places are taken the G takes the slow way, and queues. The
// question is a relaxed load. A P that another M gets after a call was handed
// over with the lock, so that M sees what was stored when it was taken. Only
// calls that were quick already come on top, at most one for each P, so
// calls.count < syscalls_max + procs. They may have the thread that a slow call
// with a place counts on. That call gives its place up, and queues.
#include "sched/syscall.h"
#include "sched/alone.h"
#include "sched/callback.h"
#include "sched/cancel.h"
#include "sched/g.h"
#include "sched/global.h"
#include "sched/idle.h"
#include "sched/inbox.h"
#include "sched/lifecycle.h"
#include "sched/runq.h"
#include "sched/stop_world.h"
#include "sched/trace.h"

// sched.lock held, after each change of the counts.
static void places_changed(Sched *sched) {
  bool full =
      sched->calls.count + sched->calls.kept >= sched->config.syscalls_max;
  RT_ASSERT(full || sched->calls.first == NULL);
  // relaxed: see the head
  rt_store_relaxed(&sched->calls.full, (uint32_t)full);
}

// sched.lock held. Is there anything that p, kept running, could do?
static bool others_have_work(Sched *sched, P *p) {
  // relaxed, both: hints. Such Ps and Ms would do it. If they just ceased to,
  // what waits is run by its own P, or watch (sysmon.c) sees it
  if (rt_load_relaxed(&sched->idle_count) > 0) return false;
  if (rt_load_relaxed(&sched->spinning) > 0) return false;
  for (int i = 0; i < procs_now(sched); i++) {
    P *other = p_at(sched, i);
    if (other != p && !runq_is_empty(other)) return true;
  }
  return false;
}

// sched.lock held. m's call has no P: see the head.
static void count_in(Sched *sched, const M *m) {
  sched->calls.count++;
  sched->ms.callbacks -= m->locked_g != NULL;
}

// sched.lock held.
static void leave_p(M *m, P *p, G *g) {
  Sched *sched = m->sched;
  count_in(sched, m);
  sched->stats.calls++;
  places_changed(sched);
  m->call_g = g;
  m->old_p = p;
  m->p = NULL;
  p->m = NULL;
  callback_p_lost(m, p);
  g_leave(p, g, G_SYSCALL, WAIT_NONE);
}

// --- The queue: sched.lock held ---------------------------------------------
bool syscall_queue_is_valid(const Sched *sched) {
  const Waiter *first = sched->calls.first, *last = sched->calls.last;
  if (first == NULL || last == NULL) return first == last;
  bool ends = first->prev == NULL && last->next == NULL;
  bool linked =
      first == last || (first->next->prev == first && last->prev->next == last);
  return ends && linked && first->g->in_call_queue && last->g->in_call_queue;
}

static void queue_call(Sched *sched, G *g) {
  RT_ASSERT(!g->in_call_queue && !g->has_slot);
  Waiter *waiter = &g->wait;
  g->in_call_queue = true;
  waiter->g = g;
  waiter->next = NULL;
  waiter->prev = sched->calls.last;
  *(sched->calls.last != NULL ? &sched->calls.last->next
                              : &sched->calls.first) = waiter;
  sched->calls.last = waiter;
  RT_ASSERT(syscall_queue_is_valid(sched));
}

static void unqueue_call(Sched *sched, G *g) {
  RT_ASSERT(g->in_call_queue && syscall_queue_is_valid(sched));
  Waiter *waiter = &g->wait;
  g->in_call_queue = false;
  *(waiter->prev != NULL ? &waiter->prev->next : &sched->calls.first) =
      waiter->next;
  *(waiter->next != NULL ? &waiter->next->prev : &sched->calls.last) =
      waiter->prev;
  waiter->next = waiter->prev = NULL;
  RT_ASSERT(syscall_queue_is_valid(sched));
}

bool syscall_cancel(P *p, G *g) {
  Sched *sched = p->sched;
  rt_lock(&sched->lock);
  bool ours = g->in_call_queue && g_cancelled(g);
  if (ours) unqueue_call(sched, g);
  rt_unlock(&sched->lock);
  return ours;
}

// For the G that waits longest.
static void keep_place(Sched *sched) {
  G *g = sched->calls.first->g;
  unqueue_call(sched, g);
  sched->calls.kept++;
  g->has_slot = true;
  g_change(g, G_WAITING, G_RUNNABLE);
  global_put(sched, g);
}

// A place among the Ms in calls may be free.
static void leave_call(Sched *sched, M *m) {
  RT_ASSERT(sched->calls.count > 0 && m->call_g != NULL);
  sched->calls.count--;
  sched->ms.callbacks += m->locked_g != NULL;
  m->call_g = NULL;
  bool room =
      sched->calls.count + sched->calls.kept < sched->config.syscalls_max;
  if (room && sched->calls.first != NULL) keep_place(sched);
  places_changed(sched);
}

void syscall_set_places(Sched *sched, int procs) {
  if (sched->config.syscalls_given) return;
  sched->config.syscalls_max = lifecycle_calls_allowed(sched, procs);
  while (sched->calls.first != NULL &&
         sched->calls.count + sched->calls.kept < sched->config.syscalls_max)
    keep_place(sched);
  places_changed(sched);
}

// sched.lock held. p is RUNNING and nobody else's.
static void take_back(M *m, P *p, G *g) {
  leave_call(m->sched, m);
  idle_take_p(m, p);
  g_change(g, G_SYSCALL, G_RUNNING);
  g->p = p;
  p->current = g;
  p->clock = rt_now();  // the P may have slept long
  if (p->marks & MARKS_EACH) trace_call_ended(m, p, g);
}

// sched.lock held. g is another M's as soon as the lock is free. true: it is
// cancelled already.
static bool wait_for_slot(Sched *sched, P *p, G *g) {
  g_leave(p, g, G_WAITING, WAIT_SYSCALL_SLOT);
  queue_call(sched, g);
  return cancel_show(p, g, ON_CALLS);
}

// sched.lock held. false: all places are taken. g waits for one, and is another
// M's as soon as the lock is free.
static bool take_slot(Sched *sched, P *p, G *g, bool *cancelled) {
  if (g->has_slot) {
    g->has_slot = false;
    sched->calls.kept--;
    return true;
  }
  if (sched->calls.count + sched->calls.kept < sched->config.syscalls_max)
    return true;
  *cancelled = wait_for_slot(sched, p, g);
  return false;
}

// sched.lock held. Whether others need p while its G is in a call.
static bool is_needed(Sched *sched, P *p) {
  // relaxed, both: written under sched.lock
  if (rt_load_relaxed(&sched->stopping) || rt_load_relaxed(&sched->exiting))
    return false;
  return runq_length(p) > 0 || sched->global.count > 0 ||
         inbox_pending(sched) || others_have_work(sched, p);
}

// sched.lock held. There are as many Ms as there may be. Is one of them neither
// in a call nor with a P? Then it has returned from a call, or has left its P,
// and is on its way to the pool (or there by now).
static bool is_one_coming(Sched *sched) {
  // the system has refused one
  if (sched->ms.live < sched->config.m_limit) return false;
  uint32_t busy = sched->calls.count + sched->ms.callbacks;  // those never come
  for (int i = 0; i < procs_now(sched); i++) {
    const M *m = p_at(sched, i)->m;
    busy += m != NULL && m->locked_g == NULL;
  }
  return sched->ms.live > busy;
}

// No thread was to be had for p, and p's M is about to be in a call.
static SchedCall leave_to_others(Sched *sched, P *p) {
  stop_world_leave_work(sched, p);
  rt_lock(&sched->lock);
  // relaxed: sched.lock is held
  if (rt_load_relaxed(&sched->exiting)) lifecycle_count_again(sched);
  rt_unlock(&sched->lock);
  return CALL_ENTERED;
}

// sched.lock held, and let go. No thread was to be had for p, and none is
// coming. The call waits while all places are taken, and is refused otherwise.
static SchedCall give_up_call(P *p, G *g, M *m) {
  Sched *sched = p->sched;
  sched->stats.calls--;
  take_back(m, p, g);
  bool waits =
      sched->calls.count + sched->calls.kept >= sched->config.syscalls_max;
  bool cancelled = waits && wait_for_slot(sched, p, g);
  rt_unlock(&sched->lock);
  idle_wakep(sched);  // for the one that waited for a place
  if (cancelled) cancel_self(p, g);
  return waits ? CALL_QUEUED : CALL_REFUSED;
}

static SchedCall enter_slow(P *p, G *g, M *m) {
  Sched *sched = p->sched;
  rt_lock(&sched->lock);
  bool cancelled = false;
  if (!take_slot(sched, p, g, &cancelled)) {
    rt_unlock(&sched->lock);
    if (cancelled) cancel_self(p, g);
    return CALL_QUEUED;
  }
  leave_p(m, p, g);
  if (!is_needed(sched, p)) {
    stop_world_p_left(sched, p);
    // relaxed: lock held
    if (rt_load_relaxed(&sched->exiting)) lifecycle_count_again(sched);
    bool alone = idle_timers_alone(sched);
    rt_unlock(&sched->lock);
    // Nobody goes idle meanwhile, and would see to the output.
    bool output = sched->hooks.idle != NULL &&
                  sched->hooks.idle(sched->hooks.host, false);
    if (alone || output) idle_wakep(sched);
    return CALL_ENTERED;
  }
  rt_unlock(&sched->lock);
  if (idle_start_m(sched, p, false)) return CALL_ENTERED;
  rt_lock(&sched->lock);
  if (is_one_coming(sched)) {
    rt_unlock(&sched->lock);
    return leave_to_others(sched, p);
  }
  return give_up_call(p, g, m);
}

// --- Quick calls ------------------------------------------------------------
static uint32_t call_word(const M *m) {
  return P_SYSCALL | m->id << P_STATUS_BITS;
}

// By the M in the call. false: the P was taken.
static bool come_back(M *m, P *p, G *g) {
  uint32_t word = call_word(m);
  // RMW: this wins the P, or syscall_retake
  if (!rt_cas(&p->status, &word, (uint32_t)P_RUNNING)) return false;
  m->p = p;
  m->call_g = NULL;
  g_change(g, G_SYSCALL, G_RUNNING);
  g->p = p;
  p->current = g;
  if (p->marks & MARKS_EACH) trace_call_ended(m, p, g);
  return true;
}

// sysmon has to be told of the call if it looks around too seldom to see it
// last, and there is work to hand over.
static void tell_sysmon(Sched *sched, P *p) {
  // relaxed, both: hints. sysmon_main comes by in some ms in any case
  if (rt_load_relaxed(&sched->sysmon.hurry)) return;
  if (runq_length(p) == 0 && rt_load_relaxed(&sched->global.count) == 0) return;
  // RMW: of the Ms in tell_sysmon one tells
  if (rt_exchange(&sched->sysmon.hurry, 1u) == 0)
    rt_note_set(&sched->sysmon.note);
}

// false: as if nothing had been done.
static bool enter_quick(P *p, G *g, M *m) {
  Sched *sched = p->sched;
  // without sysmon nobody takes the P of a call that lasts
  // relaxed: stored in start_sysmon (lifecycle.c), before the Gs that count on
  // it. A call that misses it is slow
  if (!sched->config.stepped &&
      (!rt_load_relaxed(&sched->sysmon.started) || g->has_slot))
    return false;
  // relaxed: see the head
  if (rt_load_relaxed(&sched->calls.full)) return false;
  sched_not_alone(p);
  m->call_g = g;
  m->old_p = p;
  m->p = NULL;
  // relaxed: watch_call (sysmon.c) compares it
  rt_store_relaxed(&p->calls, p->calls + 1);
  g_leave(p, g, G_SYSCALL, WAIT_NONE);
  // seq, both: the status, then the flags (see the head)
  rt_store_seq(&p->status, call_word(m));
  uint32_t look = rt_load_seq(&p->look);
  if ((look & ~(uint32_t)(LOOK_PREEMPT | LOOK_HOST | LOOK_LOCKED)) != 0 &&
      come_back(m, p, g)) {
    rt_store_relaxed(&p->calls, p->calls - 1);  // relaxed: as above
    return false;
  }
  tell_sysmon(sched, p);
  return true;
}

bool syscall_retake(Sched *sched, P *p) {
  // seq: see the head
  uint32_t word = rt_load_seq(&p->status);
  if ((word & P_STATUS_MASK) != P_SYSCALL) return false;
  // acquire: what the M has left in p. Pairs with the store in enter_quick
  if (!rt_cas(&p->status, &word, (uint32_t)P_RUNNING)) return false;
  count_in(sched, p->m);
  callback_p_lost(p->m, p);
  p->m = NULL;
  sched->stats.retakes++;
  places_changed(sched);
  TRACE_SHARED(sched, RETAKE, (uint32_t)p->id, 0, 0);
  return true;
}

bool syscall_settle(Sched *sched, P *p) {
  // relaxed, both: written under sched.lock
  bool ends =
      rt_load_relaxed(&sched->stopping) || rt_load_relaxed(&sched->exiting);
  if (!ends && (runq_length(p) > 0 || inbox_pending(sched))) return true;
  stop_world_p_left(sched, p);
  return false;
}

// --- Both -------------------------------------------------------------------
SchedCall sched_syscall_enter(P *p, G *g, bool quick, M **m) {
  *m = p->m;
  if (p->marks & MARKS_EACH) trace_call_begins(p->m);
  quick |= p->sched->config.stepped;  // there is nobody to hand it over to
  while (quick && !enter_quick(p, g, *m)) {
    // The inbox alone is no reason for a slow call, which may be refused.
    quick = (rt_load_relaxed(&p->look) & LOOK_INBOX) != 0;  // relaxed: own P
    inbox_drain(p);
  }
  if (quick) return CALL_ENTERED;
  return enter_slow(p, g, *m);
}

P *sched_syscall_exit(M *m, G *g) {
  Sched *sched = m->sched;
  if (come_back(m, m->old_p, g)) return m->old_p;
  rt_lock(&sched->lock);
  P *p = idle_get_p(sched, m->old_p);
  if (p != NULL) {
    take_back(m, p, g);
    // relaxed: watch (sysmon.c) compares it
    rt_store_relaxed(&p->schedtick, p->schedtick + 1);
  } else {
    leave_call(sched, m);
    trace_call_ended_alone(m, g);
    g_change(g, G_SYSCALL, G_RUNNABLE);
    inbox_put_returned(sched, g);  // no P goes idle before it has drained
  }
  bool more = sched->global.count > 0;
  rt_unlock(&sched->lock);
  if (p == NULL) inbox_flag(sched);
  if (p != NULL) alone_await(m);
  // for the one that waited for a place
  if (p != NULL && more) idle_wakep(sched);
  return p;
}
