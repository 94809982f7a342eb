// SPDX-License-Identifier: MIT
// A runtime without threads, which its host steps (SchedConfig.stepped). It has
// one P and one M, and the M is the host's thread inside stepped_run. The M has
// the P from stepped_begin to stepped_end, and the P is RUNNING also while the
// host does something else. So nothing here is ever idle, no P changes hands,
// and no thread is woken.
//
// Blocking calls block the host (quick ones, whose P nobody takes). A G in
// stepped_run may call it again, by a native's callback. That G waits meanwhile
// (WAIT_CALLBACK), and all other Gs run above it on the same C stack.
//
// Other threads post (inbox.c), or call stepped_stop, which ends what the host
// works on (stepped_work) and nothing else. A thread that pushes also rings. It
// sets the M's note. If the M may be blocked in netpoll, or the host watches
// the descriptor, it breaks netpoll.
//   ring:  pushes, then sets the note or the break, seq_cst RMWs both
//   host:  clears the note or the break, then looks into the inbox
//
// So each push is seen, or rings again.
//
// The descriptor (stepped_fd) is netpoll's own, which tells of descriptors that
// Gs wait for, of breaks, and of the alarm that is set for the first timer when
// stepped_run returns.
#include "sched/stepped.h"
#include "sched/find_work.h"
#include "sched/g.h"
#include "sched/global.h"
#include "sched/idle.h"
#include "sched/inbox.h"
#include "sched/lifecycle.h"
#include "sched/poll.h"
#include "sched/proc.h"
#include "sched/runq.h"
#include "sched/timer.h"
#include "sched/workspan.h"

enum { SLICES_PER_RUN = 16 };

bool stepped_begin(Sched *sched) {
  rt_lock(&sched->lock);
  RT_CHECK(sched->config.stepped && !sched->running && sched->ms.made == 0,
           "stepped_begin after the runtime had begun");
  M *m = proc_m_new(sched);
  if (m != NULL) {
    idle_take_p(m, idle_get_p(sched, NULL));
    sched->host.m = m;
    sched->running = true;
  }
  rt_unlock(&sched->lock);
  rt_store_seq(&sched->begun, m != NULL);  // seq: see inbox.c
  return m != NULL;
}

void stepped_end(Sched *sched) {
  rt_lock(&sched->lock);
  lifecycle_begin_exit(sched, SCHED_EXITED);
  sched->running = false;
  rt_unlock(&sched->lock);
}

// --- From other threads -----------------------------------------------------
void stepped_ring(Sched *sched) {
  M *m = sched->host.m;
  rt_note_set(&m->note);
  // seq, both: see the head, and idle.c
  if (rt_load_seq(&m->polling) || rt_load_seq(&sched->host.watches_fd))
    poll_break(sched);
}

bool stepped_stop(Sched *sched) {
  uint32_t seen = HOST_WORKS;
  // RMW: decides whether it came before stepped_rest. A stop that finds the
  // host at rest leaves no trace, so it cannot end what begins later
  if (!rt_cas(&sched->host.way, &seen, (uint32_t)HOST_STOPPED))
    return seen == HOST_STOPPED;
  sched_interrupt(sched);  // looks are taken at once
  // seq: as in sched_unpin
  if (rt_load_seq(&sched->begun)) stepped_ring(sched);
  return true;
}

// The host's own stores need no order. Only its thread asks for the word's
// meaning, and a stop is in time when its CAS finds HOST_WORKS. A stop that
// comes as the work ends is overwritten, because what it was for has ended.
void stepped_work(Sched *sched) {
  // relaxed: see above
  rt_store_relaxed(&sched->host.way, (uint32_t)HOST_WORKS);
}

void stepped_rest(Sched *sched) {
  // relaxed: as in stepped_work
  rt_store_relaxed(&sched->host.way, (uint32_t)HOST_RESTS);
}

bool stepped_is_stopped(const Sched *sched) {
  // relaxed: from HOST_STOPPED only the host's thread goes on
  return rt_load_relaxed(&sched->host.way) == HOST_STOPPED;
}

bool stepped_clear_stop(Sched *sched) {
  if (!stepped_is_stopped(sched)) return false;
  stepped_work(sched);
  return true;
}

// --- The descriptor ---------------------------------------------------------
int stepped_fd(Sched *sched) {
  int fd = poll_host_fd(sched);
  if (fd < 0) return fd;
  // seq: the host looks for what is there after it. Pairs with stepped_ring
  rt_store_seq(&sched->host.watches_fd, 1u);
  poll_break(sched);  // whatever there is already
  return fd;
}

int64_t stepped_next(Sched *sched) {
  P *p = sched->host.m->p;
  if (runq_length(p) > 0 || global_count(sched) > 0 || inbox_pending(sched))
    return 0;
  int64_t first = timers_first(p);
  return first != 0 ? first : RT_FOREVER;
}

// Before the host does something else.
static void set_alarm(Sched *sched) {
  int64_t next = stepped_next(sched);
  if (next == 0) {
    poll_break(sched);
  } else if (next != sched->host.alarm) {
    poll_alarm(sched, next);
    sched->host.alarm = next;
  }
}

void stepped_touched(Sched *sched) {
  if (sched->host.watches_fd && sched->host.m->p->current == NULL)
    set_alarm(sched);
}

// --- Running ----------------------------------------------------------------
bool stepped_is_over(const Sched *sched, int64_t now) {
  // relaxed: it is seen soon. stepped_stop asks for a look after it
  return rt_load_relaxed(&sched->host.way) == HOST_STOPPED ||
         now >= sched->host.until;
}

static bool has_ended(const Sched *sched) {
  // relaxed: this thread alone stores it (lifecycle_begin_exit)
  return rt_load_relaxed(&sched->exiting) != 0;
}

bool stepped_gives_up(const Sched *sched) {
  // relaxed: as in stepped_is_over
  if (rt_load_relaxed(&sched->host.way) == HOST_STOPPED) return true;
  return sched->host.limit != RT_FOREVER && rt_now() >= sched->host.limit;
}

// Can nothing ever run again?
static bool is_stuck(Sched *sched, P *p) {
  // seq: pins first, as a thread that lowers them (sched_unpin) has pushed
  // before
  return rt_load_seq(&sched->pins) == 0 && timers_first(p) == 0 &&
         !poll_wanted(sched) && !inbox_pending(sched);
}

// Waits until a timer, a descriptor, a ring, or the end of the run.
static void wait_for_more(M *m, P *p) {
  Sched *sched = m->sched;
  int64_t until = timers_first(p) != 0 ? timers_first(p) : RT_FOREVER;
  if (sched->host.until < until) until = sched->host.until;
  if (sched->hooks.idle != NULL) sched->hooks.idle(sched->hooks.host, true);
  if (poll_wanted(sched)) {
    idle_sleep_in_netpoll(m, until);
  } else {
    rt_note_wait(&m->note, until);
  }
  p->clock = rt_now();
}

static void run_g(P *p, G *g, bool inherit) {
  if (!inherit) {
    p->next_picks = 0;
    // relaxed: the P's own
    rt_store_relaxed(&p->schedtick, p->schedtick + 1);
  }
  proc_set_running(p, g);
  g->resume(p, g);
  RT_ASSERT(p->m == p->sched->host.m);
  RT_ASSERT(p->current == NULL || has_ended(p->sched));
}

static bool out_of_time(Sched *sched, P *p) {
  if (sched->host.until != RT_FOREVER) p->clock = rt_now();
  return stepped_is_over(sched, p->clock);
}

static SteppedEnd run_all(M *m, const SteppedRun *run) {
  Sched *sched = m->sched;
  P *p = m->p;
  for (;;) {
    // acquire: what was done before. Pairs with finish_task (task.c)
    if (run->done != NULL && rt_load_acquire(run->done) != 0)
      return STEPPED_DONE;
    if (has_ended(sched)) return STEPPED_ENDED;
    if (out_of_time(sched, p)) return STEPPED_OVER;
    bool inherit;
    G *g = find_work_next(m, &inherit);
    if (g != NULL) {
      run_g(p, g, inherit);
    } else if (!has_ended(sched)) {
      if (!run->waits) return STEPPED_IDLE;
      if (is_stuck(sched, p)) return STEPPED_STUCK;
      wait_for_more(m, p);
    }
  }
}

// A slice is a small part of the run, so that a G that computes has several in
// each of a host's steps, and Gs that wait have their turns beside it. One in
// 61 Gs comes from the global queue, where those wait that were preempted.
static void set_slice(Sched *sched, int64_t now) {
  sched->host.slice_ns = SLICE_NS;
  if (sched->host.until == RT_FOREVER) return;
  if (now == 0) now = rt_now();
  int64_t slice = (sched->host.until - now) / SLICES_PER_RUN;
  if (slice < SLICE_NS) sched->host.slice_ns = slice > 0 ? slice : 0;
}

static void go_on_with(P *p, G *outer) {
  g_change(outer, G_WAITING, G_RUNNING);
  outer->reason = WAIT_NONE;
  outer->p = p;
  p->current = outer;
  if (p->marks & MARKS_EACH) trace_run(p, outer);
  if (p->marks & MARK_SPAN) workspan_join(p, p->work.inner_span);
}

SteppedEnd stepped_run(Sched *sched, G *first, const SteppedRun *run) {
  M *m = sched->host.m;
  P *p = m->p;
  RT_ASSERT(p != NULL && p->m == m);
  if (has_ended(sched)) return STEPPED_ENDED;
  G *outer = p->current;
  const G *before = p->work.inner;
  p->work.inner = first;
  int64_t until = sched->host.until, limit = sched->host.limit;
  if (outer != NULL) {
    g_leave(p, outer, G_WAITING, WAIT_CALLBACK);
  } else {
    proc_m_take_stack(m);
  }
  if (run->until < until || outer == NULL) sched->host.until = run->until;
  int64_t own = run->done != NULL ? run->until : RT_FOREVER;
  if (own < limit || outer == NULL) sched->host.limit = own;
  int64_t slice = sched->host.slice_ns;
  if (outer == NULL || sched->host.until != until) set_slice(sched, run->now);
  // (A call is not what was rung for: it leaves that to the next step.)
  if (first == NULL && outer == NULL && sched->host.watches_fd)
    poll_end_break(sched);
  if (first == NULL || ++p->searches % CLOCK_SEARCHES == 0) p->clock = rt_now();
  if (first != NULL) {
    proc_make_runnable(p, first);
    run_g(p, first, false);
  }
  SteppedEnd end = run_all(m, run);
  p->work.inner = before;
  sched->host.until = until;
  sched->host.limit = limit;
  sched->host.slice_ns = slice;
  if (outer != NULL) {
    go_on_with(p, outer);
  } else if (sched->host.watches_fd) {
    set_alarm(sched);
  }
  return end;
}
