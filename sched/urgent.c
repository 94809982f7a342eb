// SPDX-License-Identifier: MIT
// Gs that a timer, the network or a returned call readied (row 19): each P has
// a FIFO of them, in front of runnext and the ring. Such a G has waited for
// something outside, mostly runs for a short time, and is late if it queues
// after Gs that compute.
//
// The owner puts them in; the owner and thieves take them out, under a spin
// lock that is held for a few stores, and not taken while there is one P. The
// count is written under the lock. Others read it as a hint, or seq_cst in the
// idle protocol: the store in urgent_put is its S1, runq_is_empty its T3.
//
// Turns. The urgent ones run first, for 1 ms at most. Then the other Gs of the
// P, if it has any, run for as long as the urgent ones did.
//   urgent_from  since when urgent ones run; 0: they do not
//   urgent_rest  until then the others run
//
// While urgent Gs are to run next p->next_limit is 0. Then a switch in place
// takes neither runnext nor a G of the ring, and so comes to find_work_next.
#include "sched/urgent.h"
#include "sched/g.h"
#include "sched/global.h"
#include "sched/idle.h"
#include "sched/runq.h"

static void urgent_lock(const P *p, UrgentQueue *q) {
  rt_rank_push(&rank_urgent, &q->lock);
  if (!p->single) rt_spin_lock(&q->lock);
}

static void urgent_unlock(const P *p, UrgentQueue *q) {
  rt_rank_pop(&rank_urgent, &q->lock);
  if (!p->single) rt_spin_unlock(&q->lock);
}

// --- The list: its lock held ------------------------------------------------
static void note_since(UrgentQueue *q) {
  int64_t since = q->list.first == NULL ? 0 : q->list.first->since;
  rt_store_relaxed(&q->since, since);  // relaxed: a hint for the owner
}

// All but the count, which others read without the lock.
static void set_ends(UrgentQueue *q, const GList *list) {
  q->list.first = list->first;
  q->list.last = list->last;
  note_since(q);
}

static void append_urgent(const P *p, UrgentQueue *q, GList *more) {
  GList all = q->list;
  glist_append(&all, more);
  set_ends(q, &all);
  if (p->single)
    rt_store_relaxed(&q->list.count, all.count);  // relaxed: nobody else
  else
    // seq: S1 of idle.c, before the load of `spinning` in idle_wakep
    rt_store_seq(&q->list.count, all.count);
}

static void take_first(UrgentQueue *q, uint32_t count, GList *out) {
  GList rest = q->list;
  RT_ASSERT(count <= rest.count);
  for (; count > 0; count--) {
    G *g = glist_pop(&rest);
    RT_ASSERT(g != NULL && g_is(g, G_RUNNABLE));
    glist_push(out, g);
  }
  RT_CHECK((rest.count == 0) == (rest.first == NULL),
           "urgent goroutines: the count is %u, but the list is %s", rest.count,
           rest.first == NULL ? "empty" : "not empty");
  set_ends(q, &rest);
  // relaxed: a searcher that reads it too high looks in vain
  rt_store_relaxed(&q->list.count, rest.count);
}

// --- Owner P ----------------------------------------------------------------
void urgent_put(P *p, GList *list) {
  if (list->count == 0) return;
  urgent_lock(p, &p->urgent);
  append_urgent(p, &p->urgent, list);
  urgent_unlock(p, &p->urgent);
  p->next_limit = 0;
}

static bool others_wait(P *p) {
  // relaxed: a thief may have it
  return rt_load_relaxed(&p->runnext) != NULL || !runq_ring_empty(p) ||
         global_count(p->sched) != 0;
}

// What others have to do comes first for as long as the urgent ones ran.
static void begin_rest(P *p, int64_t now) {
  int64_t ran = now - p->urgent_from;  // more if one of them made a call
  p->urgent_rest = now + (ran < URGENT_NS ? ran : URGENT_NS);
  p->urgent_from = 0;
}

static bool has_turn(P *p) {
  if (!others_wait(p)) return true;
  int64_t now = p->clock = rt_now();
  if (p->urgent_from != 0) {
    if (now - p->urgent_from < URGENT_NS) return true;
    begin_rest(p, now);
  }
  if (now < p->urgent_rest) return false;
  p->urgent_from = now;
  return true;
}

// The turn is over: nothing is left.
static void end_turn(P *p) {
  if (p->urgent_from != 0 && others_wait(p)) begin_rest(p, rt_now());
  p->urgent_from = 0;
}

G *urgent_take(P *p) {
  UrgentQueue *q = &p->urgent;
  bool some = urgent_waits(p), turn = some && has_turn(p);
  if (!some) end_turn(p);
  p->next_limit = turn ? 0 : NEXT_PICKS_MAX;
  // What has the turn here may take long.
  if (some && !turn && !p->single) idle_wakep(p->sched);
  if (!turn) return NULL;
  GList one = {0};
  urgent_lock(p, q);
  if (q->list.count > 0) take_first(q, 1, &one);  // else thieves were faster
  urgent_unlock(p, q);
  return one.first;
}

G *urgent_steal(P *p, P *victim, bool last_too) {
  UrgentQueue *q = &victim->urgent;
  // relaxed: a hint. A single one its owner is about to run
  if (rt_load_relaxed(&q->list.count) < (last_too ? 1u : 2u)) return NULL;
  GList taken = {0};
  urgent_lock(p, q);
  uint32_t count = q->list.count;
  take_first(q, count - count / 2, &taken);
  urgent_unlock(p, q);
  P_COUNT(p, stolen, taken.count);
  G *g = glist_pop(&taken);
  urgent_put(p, &taken);
  return g;
}

void urgent_flush(P *p, GList *list) {
  UrgentQueue *q = &p->urgent;
  urgent_lock(p, q);
  take_first(q, q->list.count, list);
  urgent_unlock(p, q);
  p->next_limit = NEXT_PICKS_MAX;
  p->urgent_from = p->urgent_rest = 0;
}
