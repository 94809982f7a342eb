// SPDX-License-Identifier: MIT
// Gs that a timer, the network or a returned call readied (row 19): each P has
// a FIFO of them, in front of runnext and the ring. Such a G has waited for
// something outside, mostly runs for a short time, and is late if it queues
// after Gs that compute.
//
// The owner puts them in; the owner and thieves take them out, under a spin
// lock that is held for a few stores, and not taken while no other P runs. The
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

static void urgent_lock(const P *p, UrgentQueue *queue) {
  rt_rank_push(&rank_urgent, &queue->lock);
  if (!p->alone) rt_spin_lock(&queue->lock);
}

static void urgent_unlock(const P *p, UrgentQueue *queue) {
  rt_rank_pop(&rank_urgent, &queue->lock);
  if (!p->alone) rt_spin_unlock(&queue->lock);
}

// --- The list: its lock held ------------------------------------------------
static void note_since(UrgentQueue *queue) {
  int64_t since = queue->list.first == NULL ? 0 : queue->list.first->since;
  rt_store_relaxed(&queue->since, since);  // relaxed: a hint for the owner
}

// All but the count, which others read without the lock.
static void set_ends(UrgentQueue *queue, const GList *list) {
  queue->list.first = list->first;
  queue->list.last = list->last;
  note_since(queue);
}

static void append_urgent(const P *p, UrgentQueue *queue, GList *more) {
  GList all = queue->list;
  glist_append(&all, more);
  set_ends(queue, &all);
  if (p->single)
    rt_store_relaxed(&queue->list.count, all.count);  // relaxed: nobody else
  else
    // seq: S1 of idle.c, before the load of `spinning` in idle_wakep
    rt_store_seq(&queue->list.count, all.count);
}

static void take_first(UrgentQueue *queue, uint32_t count, GList *out) {
  GList rest = queue->list;
  RT_ASSERT(count <= rest.count);
  for (; count > 0; count--) {
    G *g = glist_pop(&rest);
    RT_ASSERT(g != NULL && g_is(g, G_RUNNABLE));
    glist_push(out, g);
  }
  RT_CHECK((rest.count == 0) == (rest.first == NULL),
           "urgent goroutines: the count is %u, but the list is %s", rest.count,
           rest.first == NULL ? "empty" : "not empty");
  set_ends(queue, &rest);
  // relaxed: a searcher that reads it too high (has_urgent) looks in vain
  rt_store_relaxed(&queue->list.count, rest.count);
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
  // relaxed: a hint, as steal_next may have it
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
  UrgentQueue *queue = &p->urgent;
  bool some = urgent_waits(p), turn = some && has_turn(p);
  if (!some) end_turn(p);
  p->next_limit = turn ? 0 : NEXT_PICKS_MAX;
  // What has the turn here may take long.
  if (some && !turn && !p->single) idle_wakep(p->sched);
  if (!turn) return NULL;
  GList one = {0};
  urgent_lock(p, queue);
  // Thieves may have been faster.
  if (queue->list.count > 0) take_first(queue, 1, &one);
  urgent_unlock(p, queue);
  return one.first;
}

G *urgent_steal(P *p, P *victim, bool last_too) {
  UrgentQueue *queue = &victim->urgent;
  // relaxed: a hint. A single one its owner is about to run
  if (rt_load_relaxed(&queue->list.count) < (last_too ? 1u : 2u)) return NULL;
  GList taken = {0};
  urgent_lock(p, queue);
  uint32_t count = queue->list.count;
  take_first(queue, count - count / 2, &taken);
  urgent_unlock(p, queue);
  P_COUNT(p, stolen, taken.count);
  G *g = glist_pop(&taken);
  urgent_put(p, &taken);
  return g;
}

void urgent_flush(P *p, GList *list) {
  UrgentQueue *queue = &p->urgent;
  urgent_lock(p, queue);
  take_first(queue, queue->list.count, list);
  urgent_unlock(p, queue);
  p->next_limit = NEXT_PICKS_MAX;
  p->urgent_from = p->urgent_rest = 0;
}
