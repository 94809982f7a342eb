// SPDX-License-Identifier: MIT
// Stopping the world (row 29), work while it is stopped, and the handshake
// with all Ps without a stop (row 29b).
//
//   1. The stopper sets `stopping`, takes the idle Ps and those in calls, and
//      asks the running ones by LOOK_WORLD, all under sched.lock. stop.wait
//      counts the running ones.
//   2. Each running P comes by. In a look its G stays on it and its M sleeps
//      here (stop_world_attend). An M that gives its P back leaves it stopped
//      (stop_world_p_left). Both count stop.wait down, and the last wakes the
//      stopper.
//   3. stop_world_end undoes it. A G that came out of a system call meanwhile
//      has waited in the inbox.
//
// The stopper has a P, which counts as stopped, or is a thread without one that
// wants to look at all there is (sched_while_stopped). Ms without a P need not
// stop, because they touch no G. stop.busy allows one stop or handshake at a
// time. Statuses of Ps change under sched.lock, except those of quick calls
// (P_SYSCALL, syscall.c).
#include "sched/stop_world.h"
#include "sched/alone.h"
#include "sched/global.h"
#include "sched/idle.h"
#include "sched/inbox.h"
#include "sched/runq.h"
#include "sched/syscall.h"
#include "sched/trace.h"

bool stop_world_is_valid(const Sched *sched) {
  int32_t running = 0, asked = 0;
  for (int i = 0; i < procs_now(sched); i++) {
    const P *p = p_at(sched, i);
    running += p_status(p) != P_STOPPED;
    asked += rt_load_relaxed(&p->handshake) != 0;  // relaxed: sched.lock held
  }
  // relaxed, both: changed with the lock held
  int32_t wait = rt_load_relaxed(&sched->stop.wait);
  if (rt_load_relaxed(&sched->stopping))
    return sched->stop.busy && asked == 0 && wait == running;
  return asked <= (sched->stop.busy ? wait : 0);
}

// sched.lock held
static void one_is_through(Sched *sched) {
  // release: what the P has done. Pairs with all_through
  int32_t before = rt_sub(&sched->stop.wait, 1);
  RT_CHECK(before > 0, "more Ps stopped than were running");
  RT_ASSERT(stop_world_is_valid(sched));
  if (before == 1) idle_wake_m(sched->stop.stopper);
}

// By the M that waits for the others.
static bool all_through(Sched *sched) {
  // acquire: pairs with one_is_through. What they wrote before is seen
  return rt_load_acquire(&sched->stop.wait) == 0;
}

static void set_status(P *p, PStatus status) {
  rt_store_relaxed(&p->status, (uint32_t)status);  // relaxed: sched.lock held
}

static PStatus status_of(const P *p) {
  return p_status(p);  // relaxed: sched.lock held, but for P_SYSCALL
}

// --- The Ps' side -----------------------------------------------------------
static void clear_handshake(P *p) {
  rt_store_relaxed(&p->handshake, 0u);  // relaxed: sched.lock held
  // RMW: see P.look
  rt_and(&p->look, ~(uint32_t)LOOK_HANDSHAKE);
}

void stop_world_p_left(Sched *sched, P *p) {
  alone_left(sched, p);
  if (rt_load_relaxed(&p->handshake)) {  // relaxed: sched.lock held
    clear_handshake(p);
    sched->stop.handshake(sched->stop.handshake_arg, p);
    one_is_through(sched);
  }
  // relaxed, both: written with the lock held
  bool stopping = rt_load_relaxed(&sched->stopping) != 0;
  if (stopping || rt_load_relaxed(&sched->exiting)) {
    set_status(p, P_STOPPED);
    p->m = NULL;
    if (stopping) one_is_through(sched);
  } else {
    idle_put_p(sched, p);
  }
}

// sched.lock held, on return too. The M keeps its P, which is stopped.
static void wait_stopped(M *m) {
  Sched *sched = m->sched;
  set_status(m->p, P_STOPPED);
  m->stop_waiting = true;
  one_is_through(sched);
  while (m->stop_waiting) {
    bool job = m->job != NULL;  // whole: it was given under the lock
    rt_unlock(&sched->lock);
    if (job) {
      stop_world_run_job(m);
    } else {
      rt_note_wait(&m->note, RT_FOREVER);
    }
    rt_lock(&sched->lock);
  }
}

bool stop_world_attend(M *m) {
  Sched *sched = m->sched;
  P *p = m->p;
  rt_lock(&sched->lock);
  alone_left(sched, p);
  if (rt_load_relaxed(&p->handshake)) {  // relaxed: sched.lock held
    clear_handshake(p);
    rt_unlock(&sched->lock);
    sched->stop.handshake(sched->stop.handshake_arg, p);
    rt_lock(&sched->lock);
    one_is_through(sched);
  }
  bool stays = true;
  // relaxed: written with the lock held
  while (stays && m->p != NULL && rt_load_relaxed(&sched->stopping)) {
    stays = !(sched->stop.resizing && m->p->current != NULL);
    if (!stays) break;
    m->stopped_spinning = m->spinning;
    if (m->spinning) {
      m->spinning = false;
      // RMW: a count, as in may_spin. The M looks for work again afterwards
      rt_sub(&sched->spinning, 1u);
    }
    wait_stopped(m);
  }
  rt_unlock(&sched->lock);
  return stays;
}

// --- The stopper's side -----------------------------------------------------
// sched.lock held; it is the stopper's turn. Its own P, if it has one, counts
// as stopped already.
static void ask_all(Sched *sched, M *stopper, P *own) {
  sched->stop.busy = 1;
  sched->stop.stopper = stopper;
  // seq: before the looks are asked for, by the rt_or below
  rt_store_seq(&sched->stopping, 1u);
  TRACE_SHARED(sched, STOP, 0, 0, 0);
  for (int i = 0; i < procs_now(sched); i++) {
    P *each = p_at(sched, i);
    each->stopped_from = status_of(each);
  }
  if (own != NULL) {
    alone_left(sched, own);
    set_status(own, P_STOPPED);
  }
  idle_stop_all(sched);
  int32_t running = 0;
  for (int i = 0; i < procs_now(sched); i++) {
    P *each = p_at(sched, i);
    if (status_of(each) == P_STOPPED) continue;
    // seq: first the flag, then the status. In sched_syscall_enter it is the
    // other way round, so one of the two sees the other
    rt_or(&each->look, LOOK_WORLD);
    if (syscall_retake(sched, each)) {
      each->stopped_from = P_SYSCALL;
      set_status(each, P_STOPPED);
    } else {
      running++;
    }
  }
  rt_store_relaxed(&sched->stop.wait, running);  // relaxed: sched.lock held
  RT_ASSERT(stop_world_is_valid(sched));
}

static void trace_stopped(Sched *sched) {
  if (sched->trace.events == NULL) return;
  rt_lock(&sched->lock);
  TRACE_SHARED(sched, STOPPED, 0, 0, 0);
  rt_unlock(&sched->lock);
}

bool stop_world_begin(P *p, bool resizing) {
  Sched *sched = p->sched;
  rt_lock(&sched->lock);
  // relaxed, both: exiting is written with the lock held. The count is read
  // again below
  bool refuse = sched->stop.busy || rt_load_relaxed(&sched->exiting) ||
                (resizing && rt_load_relaxed(&sched->stop.turn_waiters) > 0);
  if (refuse) {
    rt_unlock(&sched->lock);
    return false;
  }
  sched->stop.resizing = resizing;
  ask_all(sched, p->m, p);
  rt_unlock(&sched->lock);
  while (!all_through(sched)) {
    rt_note_wait(&p->m->note, RT_FOREVER);
    // seq: pairs with the RMW in wait_turn. A handshake cannot let its P go: it
    // comes first, see sched_for_each_p
    if (resizing && !all_through(sched) &&
        rt_load_seq(&sched->stop.turn_waiters) > 0) {
      stop_world_end(sched);
      return false;
    }
  }
  trace_stopped(sched);
  return true;
}

// sched.lock held. Brings p back to where it was. true: it has Gs, but no M.
static bool restart_p(Sched *sched, P *p) {
  // RMW: see P.look
  rt_and(&p->look, ~(uint32_t)LOOK_WORLD);
  if (status_of(p) != P_STOPPED) return false;
  M *m = p->m;
  if (m != NULL) {
    set_status(p, P_RUNNING);
    if (!m->stop_waiting) return false;
    m->stop_waiting = false;
    idle_wake_m(m);
    return false;
  }
  // relaxed: sched.lock held
  if (rt_load_relaxed(&sched->exiting)) return false;
  set_status(p, P_RUNNING);
  if (runq_length(p) > 0) return true;
  idle_put_p(sched, p);
  return false;
}

void stop_world_leave_work(Sched *sched, P *p) {
  GList list = {0};
  runq_flush(p, &list);
  RT_ASSERT(runq_length(p) == 0);
  rt_lock(&sched->lock);
  global_put_list(sched, &list);
  rt_unlock(&sched->lock);
  idle_give_back(sched, p);
}

void stop_world_give_m(Sched *sched, P *p) {
  if (!idle_start_m(sched, p, false)) stop_world_leave_work(sched, p);
}

// Ps linked by idle_link.
static void give_ms(Sched *sched, P *need_m) {
  while (need_m != NULL) {
    P *p = need_m;
    need_m = p->idle_link;
    stop_world_give_m(sched, p);
  }
}

void stop_world_end(Sched *sched) {
  P *need_m = NULL;
  rt_lock(&sched->lock);
  // relaxed: written with the lock held
  RT_CHECK(sched->stop.busy && rt_load_relaxed(&sched->stopping),
           "the world is started, but it was not stopped");
  rt_store_seq(&sched->stopping, 0u);  // seq: as in stop_world_begin
  sched->stop.resizing = false;
  sched->stop.busy = 0;
  bool kick = sched->global.count > 0;
  for (int i = 0; i < procs_now(sched); i++) {
    P *p = p_at(sched, i);
    // its maker saw no idle P: they were stopped
    kick |= runq_length(p) > 0;
    if (!restart_p(sched, p)) continue;
    p->idle_link = need_m;
    need_m = p;
  }
  TRACE_SHARED(sched, START, 0, 0, 0);
  RT_ASSERT(stop_world_is_valid(sched));
  kick |= idle_timers_alone(sched);
  idle_check_deadlock(sched);  // a look meanwhile saw no idle Ps
  rt_unlock(&sched->lock);
  give_ms(sched, need_m);
  bool posted = inbox_pending(sched);  // a push meanwhile saw no P to tell
  if (kick || posted) idle_wakep(sched);
  if (posted) inbox_flag(sched);
}

// --- Stopped by a thread without a P ----------------------------------------
// It has an M of its own for the note alone, on its stack: the thread that sets
// the note (one_is_through) holds sched.lock, which stop_world_end takes
// afterwards.
static bool stop_outside(Sched *sched, M *stopper, int64_t until) {
  rt_lock(&sched->lock);
  for (;;) {
    // relaxed: written with the lock held
    if (!sched->running || rt_load_relaxed(&sched->exiting)) {
      rt_unlock(&sched->lock);
      return false;
    }
    if (!sched->stop.busy) break;
    rt_unlock(&sched->lock);
    rt_note_wait(&stopper->note, rt_now() + TURN_NS);  // others have it
    rt_lock(&sched->lock);
  }
  ask_all(sched, stopper, NULL);
  rt_unlock(&sched->lock);
  while (!all_through(sched)) {
    if (until != RT_FOREVER && rt_now() >= until) {
      stop_world_end(sched);
      return false;
    }
    rt_note_wait(&stopper->note, until);
  }
  trace_stopped(sched);
  return true;
}

bool sched_while_stopped(Sched *sched, int64_t until, void (*fn)(void *arg),
                         void *arg) {
  M stopper = {.sched = sched};
  if (sched->config
          .stepped) {  // by the host's thread, or a native: nothing else runs
    // relaxed: this thread alone runs
    if (!sched->running || rt_load_relaxed(&sched->exiting)) return false;
    fn(arg);
    return true;
  }
  if (!stop_outside(sched, &stopper, until)) return false;
  fn(arg);
  stop_world_end(sched);
  return true;
}

bool sched_stop_world(P *p, G *g) {
  (void)g;  // stays p->current
  return stop_world_begin(p, false);
}

bool sched_attend_stop(P *p) {
  // acquire: as in sched_look
  return (rt_load_acquire(&p->look) & LOOK_WORLD) != 0 &&
         stop_world_attend(p->m);
}

void sched_start_world(P *p) {
  Sched *sched = p->sched;
  // relaxed: a time for want_collection (sysmon.c)
  rt_store_relaxed(&sched->sysmon.collected_at, rt_now());
  stop_world_end(sched);
}

void sched_set_barrier(Sched *sched, bool on) { sched->config.barrier = on; }

// --- Work while it is stopped -----------------------------------------------
void stop_world_run_job(M *m) {
  WorldJob *job = m->job;
  job->fn(job->arg, m->job_worker, job->workers);
  m->job = NULL;
  M *boss = job->boss;  // the job is gone after the count
  // release: what the job has done. Pairs with sched_run_stopped
  if (rt_sub(&job->pending, 1u) == 1) idle_wake_m(boss);
}

void sched_run_stopped(P *p, void (*fn)(void *arg, int worker, int workers),
                       void *arg) {
  Sched *sched = p->sched;
  WorldJob job = {.fn = fn, .arg = arg, .workers = 1, .boss = p->m};
  M *helpers = NULL;
  rt_lock(&sched->lock);
  for (M *m = sched->ms.all; m != NULL; m = m->all_next) {
    if (!(m->stop_waiting || m->idle) || m->job != NULL) continue;
    if (job.workers == procs_now(sched) || job.workers >= sched->config.cpus)
      break;
    m->job = &job;
    m->job_worker = job.workers++;
    helpers = m;
  }
  job.pending = (uint32_t)job.workers - 1;
  for (M *m = helpers == NULL ? NULL : sched->ms.all; m != NULL;
       m = m->all_next) {
    if (m->job == &job) idle_wake_m(m);
  }
  rt_unlock(&sched->lock);
  fn(arg, 0, job.workers);
  // acquire: what all helpers have done. Pairs with the rt_sub in
  // stop_world_run_job
  while (rt_load_acquire(&job.pending) != 0) {
    rt_note_wait(&p->m->note, RT_FOREVER);
  }
}

// --- Handshake --------------------------------------------------------------
// Waits until no stop or handshake is under way. sched.lock is held on return.
static void wait_turn(P *p) {
  Sched *sched = p->sched;
  // seq: pairs with the loads in stop_world_begin
  rt_add(&sched->stop.turn_waiters, 1u);
  rt_lock(&sched->lock);
  while (sched->stop.busy) {
    if (sched->stop.resizing) idle_wake_m(sched->stop.stopper);  // it gives way
    rt_unlock(&sched->lock);
    stop_world_attend(p->m);
    rt_yield_cpu();
    rt_lock(&sched->lock);
  }
  // RMW: a count, which stop_world_begin reads
  rt_sub(&sched->stop.turn_waiters, 1u);
}

void sched_for_each_p(P *p, G *g, void (*fn)(void *arg, P *each), void *arg) {
  (void)g;  // stays p->current
  Sched *sched = p->sched;
  int32_t running = 0;
  P *need_m = NULL;
  wait_turn(p);
  alone_left(sched, p);
  sched->stop.busy = 1;
  sched->stop.stopper = p->m;
  sched->stop.handshake = fn;
  sched->stop.handshake_arg = arg;
  for (int i = 0; i < procs_now(sched); i++) {
    P *each = p_at(sched, i);
    if (each == p) continue;
    if (status_of(each) == P_IDLE || status_of(each) == P_STOPPED) {
      fn(arg, each);  // the lock keeps it as it is: fn is short, takes no lock
      continue;
    }
    rt_store_relaxed(&each->handshake, 1u);  // relaxed: sched.lock held
    // seq: before the status, as in ask_all
    rt_or(&each->look, LOOK_HANDSHAKE);
    if (!syscall_retake(sched, each)) {
      running++;
      continue;
    }
    clear_handshake(each);
    fn(arg, each);
    if (!syscall_settle(sched, each)) continue;
    each->idle_link = need_m;
    need_m = each;
  }
  rt_store_relaxed(&sched->stop.wait, running);  // relaxed: sched.lock held
  rt_unlock(&sched->lock);
  give_ms(sched, need_m);
  fn(arg, p);
  while (!all_through(sched)) rt_note_wait(&p->m->note, RT_FOREVER);
  rt_lock(&sched->lock);
  sched->stop.busy = 0;
  rt_unlock(&sched->lock);
}

// --- What the scheduler holds -----------------------------------------------
static void each_of_p(P *p, void (*fn)(void *arg, G *g), void *arg) {
  if (p->runnext != NULL) fn(arg, p->runnext);
  for (uint32_t i = p->head; i != p->tail; i++) {
    fn(arg, p->ring[i % RUNQ_SIZE]);
  }
  for (G *g = p->urgent.list.first; g != NULL; g = g->link) fn(arg, g);
  if (p->current != NULL) fn(arg, p->current);
}

void sched_each_root(Sched *sched, void (*fn)(void *arg, G *g), void *arg) {
  for (int i = 0; i < procs_now(sched); i++) each_of_p(p_at(sched, i), fn, arg);
  rt_lock(&sched->lock);  // Gs come out of system calls
  for (G *g = sched->global.first; g != NULL; g = g->link) fn(arg, g);
  for (Waiter *w = sched->calls.first; w != NULL; w = w->next) fn(arg, w->g);
  for (M *m = sched->ms.all; m != NULL; m = m->all_next) {
    if (m->call_g != NULL) fn(arg, m->call_g);
  }
  rt_unlock(&sched->lock);
}

P *sched_p(const Sched *sched, int index) { return p_at(sched, index); }
