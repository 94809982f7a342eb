// SPDX-License-Identifier: MIT
// The ways of a G. It is started, readied, parked, preempted or ended here, or
// yields, and the next G takes its place. The loop that every M lives in is
// here, too.
//
// All but proc_m_new and proc_m_thread: owner P. After a G has left (g_leave
// and what follows) another M may run it at once: nobody here touches it again.
#include "sched/proc.h"

#include <stdlib.h>

#include "sched/find_work.h"
#include "sched/g.h"
#include "sched/global.h"
#include "sched/idle.h"
#include "sched/lifecycle.h"
#include "sched/runq.h"
#include "sched/steal_order.h"
#include "sched/trace.h"
#include "sched/urgent.h"
#include "sched/workspan.h"

enum { ID_BLOCK = 16 };  // G ids that a P takes at a time

// Each start is watched: no blocks, so that each comes by here.
static uint64_t traced_id(P *p, G *g) {
  // RMW: no id is given twice, by this or next_id
  uint64_t id = rt_add(&p->sched->next_id, 1) + 1;
  TRACE(p, CREATE, id, 0);
  if (p->marks & MARK_SPAN) workspan_made(p, g);
  return id;
}

static uint64_t next_id(P *p, G *g) {
  if (p->id_next == p->id_end) {
    if (p->marks & MARKS_EACH) return traced_id(p, g);
    // relaxed: Ps only take ids. With several Ps the RMW below decides
    uint64_t *next = &p->sched->next_id, before = rt_load_relaxed(next);
    if (p->alone) {
      rt_store_relaxed(next, before + ID_BLOCK);  // relaxed: no other P runs
    } else {
      // RMW: no id is given twice, by this or traced_id
      before = rt_add(next, ID_BLOCK);
    }
    p->id_next = before + 1;
    p->id_end = p->id_next + ID_BLOCK;
  }
  return p->id_next++;
}

static void next_slice(P *p) {
  // relaxed: watch (sysmon.c) compares it with what it saw before
  rt_store_relaxed(&p->schedtick, p->schedtick + 1);
}

// --- Start, ready, leave ----------------------------------------------------
void proc_make_runnable(P *p, G *g) {
  g_change(g, g_state(g) == G_DEAD ? G_DEAD : G_IDLE, G_RUNNABLE);
  // release: g's last goroutine has ended. Pairs with acquire in vm_interrupt
  rt_store_release(&g->id, next_id(p, g));
  g->p = NULL;
  g->reason = WAIT_NONE;
  g->preempted = false;
  rt_store_relaxed(&p->spawns, p->spawns + 1);  // relaxed: add_p sums it up
}

void sched_spawn(P *p, G *g) {
  proc_make_runnable(p, g);
  Sched *sched = p->sched;
  // relaxed: a hint (idle.c)
  bool quiet =
      !p->single && rt_load_relaxed(&sched->futile) >= sched->config.futile_max;
  if (quiet && runq_fill_next(p, g)) return;
  runq_put_next(p, g, true);
  if (!p->single) idle_wake_for_queue(sched);
}

void sched_spawn_child(P *p, G *g, G *child) {
  proc_make_runnable(p, child);
  runq_displace_next(p);  // what was readied is older than g
  g_leave(p, g, G_RUNNABLE, WAIT_NONE);
  runq_put(p, g);  // from here on a thief may run it
  runq_put_next(p, child, true);
  if (!p->single) idle_wakep(p->sched);
}

static void marked_ready(P *p, G *g) {
  if (p->firing != 0) g->since = p->firing;
  TRACE(p, READY, g->id, 0);
  if (p->marks & MARK_SPAN) workspan_readied(p, g);
  if (!(p->marks & MARK_SAMPLE)) return;
  p->marks &= (uint8_t)~MARK_SAMPLE;
  g->since = rt_now();
  // relaxed: as in g_change
  rt_store_relaxed(&g->status, (uint32_t)(G_RUNNABLE | G_MARK));
}

static void mark_ready(P *p, G *g) {
  g_change(g, G_WAITING, G_RUNNABLE);
  if (p->marks & MARKS_READY) marked_ready(p, g);
}

static inline void put_ready(P *p, G *g) {
  if (runq_fill_next(p, g)) return;
  bool displaced = runq_put_next(p, g, false);
  if (displaced && !p->single) idle_wake_for_queue(p->sched);
}

// A P that looks for work takes the first one itself.
static void put_urgent(P *p, G *g) {
  GList one = {g, g, 1};
  bool wake = !p->single && (p->current != NULL || urgent_waits(p));
  urgent_put(p, &one);
  if (wake) idle_wakep(p->sched);
}

static __attribute__((noinline)) void ready_marked(P *p, G *g) {
  mark_ready(p, g);
  if (p->firing != 0)
    put_urgent(p, g);
  else
    put_ready(p, g);
}

void sched_ready(P *p, G *g) {
  if (p->marks & MARKS_READY) {
    ready_marked(p, g);
    return;
  }
  g_change(g, G_WAITING, G_RUNNABLE);
  put_ready(p, g);
}

// Puts the first of the list into the global queue, one for each idle P, and
// returns how many. A P that has nothing to run keeps one.
static uint32_t share_list(P *p, GList *list) {
  Sched *sched = p->sched;
  GList shared = {0};
  uint32_t kept = p->current == NULL && runq_length(p) == 0;
  uint32_t idle = rt_load_seq(&sched->idle_count);  // seq: as in idle_wakep
  while (idle > shared.count && list->count > kept) {
    glist_push(&shared, glist_pop(list));
  }
  uint32_t count = shared.count;
  if (count == 0) return 0;
  sched_not_alone(p);  // so many that are woken would wait for it
  rt_lock(&sched->lock);
  global_put_list(sched, &shared);
  rt_unlock(&sched->lock);
  return count;
}

// Starts an M with an idle P for each of them, until the Ms that came first
// have taken all. To wake an M takes longer than many a G.
static void start_ms(Sched *sched, uint32_t count) {
  for (; count > 0 && global_count(sched) != 0; count--) {
    rt_lock(&sched->lock);
    P *idle_p = idle_get_p(sched, NULL);
    rt_unlock(&sched->lock);
    if (idle_p == NULL) return;  // others were faster; they will see it
    if (!idle_start_m(sched, idle_p, false)) {
      idle_give_back(sched, idle_p);
      return;
    }
  }
}

void sched_ready_list(P *p, G *first, int count) {
  GList list = {first, first, (uint32_t)count};
  if (count <= 0) return;
  G *g = first;
  for (int i = 0; i < count; i++, g = g->link) {
    mark_ready(p, g);
    list.last = g;
  }
  uint32_t shared = p->single ? 0 : share_list(p, &list);
  bool more = list.count > 1 || (list.count > 0 && p->current != NULL);
  // before the Ms, which may steal them
  if (p->firing != 0)
    urgent_put(p, &list);
  else if (list.count > 0)
    runq_put_list(p, &list);
  start_ms(p->sched, shared);
  if (more && !p->single) idle_wakep(p->sched);
}

uint64_t sched_take_woken(P *p) {
  uint64_t woken = p->woken;
  p->woken = 0;
  return woken;
}

bool sched_park(P *p, G *g, WaitReason reason, bool (*commit)(G *g, void *arg),
                void *arg) {
  g_leave(p, g, G_WAITING, reason);
  if (commit == NULL || commit(g, arg)) return true;
  g_change(g, G_WAITING, G_RUNNING);  // declined: nobody else knows of it
  g->p = p;
  g->reason = WAIT_NONE;
  p->current = g;
  if (p->marks & MARKS_EACH) trace_run(p, g);
  return false;
}

static void to_global(P *p, G *g) {
  Sched *sched = p->sched;
  next_slice(p);
  rt_lock(&sched->lock);
  global_put(sched, g);
  rt_unlock(&sched->lock);
  if (!p->single) idle_wakep(sched);
}

void sched_yield_g(P *p, G *g) {
  g_leave(p, g, G_RUNNABLE, WAIT_NONE);
  to_global(p, g);
}

void sched_preempt(P *p, G *g) {
  g_leave(p, g, G_RUNNABLE, WAIT_NONE);
  g->preempted = true;
  if (p->marks & MARK_TRACE) trace_preempted(p);
  P_COUNT(p, preemptions, 1);
  to_global(p, g);
}

void sched_end(P *p, G *g) { g_leave(p, g, G_DEAD, WAIT_NONE); }

// --- Switch -----------------------------------------------------------------
static __attribute__((noinline)) G *switch_to_ring(P *p) {
  // row 8, and timers; what is urgent
  if (p->schedtick % TICK_GLOBAL == 0 || p->next_limit == 0) return NULL;
  G *g = runq_pop(p);
  if (g == NULL) return NULL;
  p->next_picks = 0;
  next_slice(p);
  return proc_set_running(p, g);
}

G *sched_switch(P *p) {
  RT_ASSERT(p->current == NULL);
  // relaxed: see P.look. Attention is wanted soon, not at this very switch
  if (rt_load_relaxed(&p->look) != 0) return NULL;
  // relaxed: owner's own, or the CAS in runq_take_next decides
  if (rt_load_relaxed(&p->runnext) == NULL) return switch_to_ring(p);
  if (p->next_picks >= p->next_limit) return NULL;
  G *g = runq_take_next(p);
  if (g == NULL) return NULL;
  p->next_picks++;  // it inherits the slice
  P_COUNT(p, runnext_hits, 1);
  return proc_set_running(p, g);
}

uint64_t sched_random(P *p) {
  // splitmix64
  uint64_t x = (p->random += 0x9E3779B97F4A7C15u);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// --- Ms ---------------------------------------------------------------------
// The life of an M, until the end.
static void proc_m_loop(M *m) {
  bool inherit;
  for (G *g; (g = find_work_next(m, &inherit)) != NULL;) {
    P *p = m->p;
    if (m->spinning) idle_stop_spinning(m);
    if (!inherit) {
      p->next_picks = 0;
      next_slice(p);
    }
    proc_set_running(p, g);
    g->resume(p, g);
    // The G may have gone through system calls: p may be another's by now.
    RT_CHECK(m->p == NULL || m->p->current == NULL,
             "a goroutine's resume returned while it was running");
  }
}

bool proc_ms_are_counted(const Sched *sched) {
  uint32_t live = 0, starting = 0, made = 0;
  for (const M *m = sched->ms.all; m != NULL; m = m->all_next, made++) {
    live += !m->done;
    starting += m->starting;
  }
  return live == sched->ms.live && starting == sched->ms.starting &&
         made == sched->ms.made;
}

M *proc_m_new(Sched *sched) {
  if (sched->ms.live >= sched->config.m_limit) return NULL;
  M *m = mem_lines(sched->memory, sizeof *m);
  if (m == NULL) return NULL;
  *m = (M){.sched = sched, .id = sched->ms.made++, .all_next = sched->ms.all};
  sched->ms.all = m;
  sched->ms.live++;
  RT_ASSERT(proc_ms_are_counted(sched));
  return m;
}

static void m_end(M *m) {
  Sched *sched = m->sched;
  rt_lock(&sched->lock);
  RT_ASSERT(m->p == NULL && !m->idle && !m->spinning);
  m->done = true;
  sched->ms.live--;
  RT_ASSERT(proc_ms_are_counted(sched));
  void (*last)(void *arg) = sched->ms.live == 0 ? sched->end.last : NULL;
  void *last_arg = sched->end.last_arg;
  if (last != NULL) sched->end.leaked = false;
  lifecycle_count_again(sched);
  rt_unlock(&sched->lock);
  if (last != NULL) last(last_arg);
}

// The thread begins to run Gs here. It may be a host's, whose stack is smaller
// than RT_THREAD_STACK.
void proc_m_take_stack(M *m) {
  enum { USED = RT_THREAD_STACK * 3 / 4, NEEDED = 32 * 1024 };
  const char *here = __builtin_frame_address(0);
  size_t left = rt_stack_left();
  size_t more = left > NEEDED ? left - NEEDED : 0;
  m->stack_end = here - (more < USED ? more : USED);
}

bool sched_stack_is_used(const P *p) {
  return (const char *)__builtin_frame_address(0) < p->m->stack_end;
}

void proc_m_thread(void *arg) {
  M *m = arg;
  proc_m_take_stack(m);
  rt_lock(&m->sched->lock);  // whoever made it has written its fields
  m->p = m->next_p;
  m->next_p = NULL;
  rt_unlock(&m->sched->lock);
  if (m->p != NULL) m->p->clock = rt_now();
  if (m->id == 1) steal_order_open(m->sched);  // the first that may steal
  proc_m_loop(m);
  m_end(m);
}

bool proc_m_start(M *m) {
  Sched *sched = m->sched;
  int error = rt_thread_start(&m->thread, proc_m_thread, m);
  rt_lock(&sched->lock);
  if (m->starting) {
    m->starting = false;
    sched->ms.starting--;
    // A thread without a P may have started m, which has ended already. Then
    // sched_run waits for us alone. relaxed: lock held
    if (rt_load_relaxed(&sched->exiting)) lifecycle_count_again(sched);
  }
  if (error == 0) {
    m->started = true;
  } else {
    m->done = true;  // stays in sched->ms.all; freed with the rest
    sched->ms.live--;
  }
  RT_ASSERT(proc_ms_are_counted(sched));
  rt_unlock(&sched->lock);
  return error == 0;
}
