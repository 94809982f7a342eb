// SPDX-License-Identifier: MIT
// The ways of a G: started, readied, parked, yielded, preempted, ended, and
// the switch to the next one in place; and the loop that every M lives in.
//
// All but m_new and m_thread: owner P. After a G has left (g_leave and what
// follows) another M may run it at once: nobody here touches it again.
#include "internal.h"

#include <stdlib.h>

enum { ID_BLOCK = 16 };  // G ids that a P takes at a time

static uint64_t next_id(P *p) {
  if (p->id_next == p->id_end) {
    p->id_next = rt_add(&p->sched->next_id, ID_BLOCK) + 1;
    p->id_end = p->id_next + ID_BLOCK;
  }
  return p->id_next++;
}

static void next_slice(P *p) {
  // relaxed: sysmon compares it with what it saw before
  rt_store_relaxed(&p->schedtick, p->schedtick + 1);
}

// --- Start, ready, leave ----------------------------------------------------
void sched_spawn(P *p, G *g) {
  g_change(g, g_state(g) == G_DEAD ? G_DEAD : G_IDLE, G_RUNNABLE);
  g->id = next_id(p);
  g->p = NULL;
  g->reason = WAIT_NONE;
  g->preempted = g->urgent = false;
  rt_store_relaxed(&p->spawns, p->spawns + 1);  // relaxed: a counter
  // relaxed: a hint (idle.c)
  Sched *s = p->sched;
  bool quiet = !p->single && rt_load_relaxed(&s->futile) >= s->futile_max;
  if (quiet && runq_fill_next(p, g)) return;
  runq_put_next(p, g, true);
  if (!p->single) idle_wakep(s);
}

static void mark_ready(P *p, G *g) {
  g_change(g, G_WAITING, G_RUNNABLE);
  if (p->firing == 0) return;
  g->since = p->firing;
  g->urgent = true;
  p->urgents++;
  if (p->urgent == 0) p->urgent = p->firing;
}

void sched_ready(P *p, G *g) {
  mark_ready(p, g);
  if (runq_fill_next(p, g)) return;
  bool displaced = runq_put_next(p, g, false);
  if (displaced && !p->single) idle_wakep(p->sched);
}

// Idle Ps get the first of the list, through the global queue, with an M each.
static void share_list(P *p, GList *list) {
  Sched *s = p->sched;
  GList shared = {0};
  uint32_t idle = rt_load_seq(&s->idle_count);  // seq: as in idle_wakep
  while (idle > shared.count && list->count > 0) {
    G *g = list->first;
    list->first = g->link;
    list->count--;
    glist_push(&shared, g);
  }
  uint32_t starts = shared.count;
  if (starts == 0) return;
  rt_lock(&s->lock);
  global_put_list(s, &shared);
  rt_unlock(&s->lock);
  for (; starts > 0; starts--) {
    rt_lock(&s->lock);
    P *idle_p = idle_get_p(s, NULL);
    rt_unlock(&s->lock);
    if (idle_p == NULL) return;  // others were faster; they will see it
    if (!idle_start_m(s, idle_p, false)) {
      idle_give_back(s, idle_p);
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
  if (!p->single) share_list(p, &list);
  if (list.count == 0) return;
  runq_put_list(p, &list);
  if (!p->single) idle_wakep(p->sched);
}

bool sched_park(P *p, G *g, WaitReason reason, bool (*commit)(G *g, void *arg),
                void *arg) {
  g_leave(p, g, G_WAITING, reason);
  if (commit == NULL || commit(g, arg)) return true;
  g_change(g, G_WAITING, G_RUNNING);  // declined: nobody else knows of it
  g->p = p;
  g->reason = WAIT_NONE;
  p->current = g;
  return false;
}

static void to_global(P *p, G *g) {
  Sched *s = p->sched;
  next_slice(p);
  rt_lock(&s->lock);
  global_put(s, g);
  rt_unlock(&s->lock);
  if (!p->single) idle_wakep(s);
}

void sched_yield_g(P *p, G *g) {
  g_leave(p, g, G_RUNNABLE, WAIT_NONE);
  to_global(p, g);
}

void sched_preempt(P *p, G *g) {
  g_leave(p, g, G_RUNNABLE, WAIT_NONE);
  g->preempted = true;
  P_COUNT(p, preemptions, 1);
  to_global(p, g);
}

void sched_end(P *p, G *g) { g_leave(p, g, G_DEAD, WAIT_NONE); }

// --- Switch -----------------------------------------------------------------
G *sched_switch(P *p) {
  RT_ASSERT(p->current == NULL);
  // relaxed: who sets it wants attention soon, not at this very switch
  if (rt_load_relaxed(&p->look) != 0) return NULL;
  // relaxed: owner's own, or the CAS in runq_take_next decides
  if (rt_load_relaxed(&p->runnext) != NULL) {
    if (p->next_picks >= NEXT_PICKS_MAX) return NULL;
    G *g = runq_take_next(p);
    if (g == NULL) return NULL;
    p->next_picks++;  // it inherits the slice
    P_COUNT(p, runnext_hits, 1);
    proc_set_running(p, g);
    return g;
  }
  if (p->schedtick % TICK_GLOBAL == 0) return NULL;  // row 8, and timers
  G *g = runq_pop(p);
  if (g == NULL) return NULL;
  p->next_picks = 0;
  next_slice(p);
  proc_set_running(p, g);
  return g;
}

uint64_t sched_random(P *p) {
  // splitmix64
  uint64_t x = (p->random += 0x9E3779B97F4A7C15u);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// --- Ms ---------------------------------------------------------------------
void m_loop(M *m) {
  bool inherit;
  for (G *g; (g = find_runnable(m, &inherit)) != NULL;) {
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

M *m_new(Sched *s) {
  if (s->ms_live >= s->m_limit) return NULL;
  M *m = aligned_alloc(RT_LINE, (sizeof(M) + RT_LINE - 1) / RT_LINE * RT_LINE);
  if (m == NULL) return NULL;
  *m = (M){.sched = s, .id = s->ms_made++, .all_next = s->all_ms};
  s->all_ms = m;
  s->ms_live++;
  return m;
}

static void m_end(M *m) {
  Sched *s = m->sched;
  rt_lock(&s->lock);
  m->done = true;
  s->ms_live--;
  run_count_again(s);
  rt_unlock(&s->lock);
}

void m_thread(void *arg) {
  M *m = arg;
  rt_lock(&m->sched->lock);  // whoever made it has written its fields
  m->p = m->next_p;
  m->next_p = NULL;
  rt_unlock(&m->sched->lock);
  m_loop(m);
  m_end(m);
}

bool m_start_thread(M *m) {
  Sched *s = m->sched;
  int error = rt_thread_start(&m->thread, m_thread, m);
  rt_lock(&s->lock);
  if (error == 0) {
    m->started = true;
  } else {
    m->done = true;  // stays in all_ms; freed with the rest
    s->ms_live--;
  }
  rt_unlock(&s->lock);
  return error == 0;
}
