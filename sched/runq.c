// SPDX-License-Identifier: MIT
// A P's own queue (rows 4-6, 13). It is a ring of RUNQ_SIZE with one producer,
// its owner, and many consumers. In front of it is one slot, runnext.
//
//   tail     written by the owner only; a release store publishes the slots
//   head     advanced by CAS by the thread that takes. A thief copies slots
//            and then claims them. If the CAS fails, it forgets the copies
//   runnext  filled by the owner only; emptied by owner or thief by CAS
//
// With child first (rows 32, 33) the owner takes from the tail what it put
// there last, so that it goes on as a program of calls would. Thieves take one
// from the head, the continuation nearest the root. That is Chase and Lev's
// deque (SPAA 2005). The owner lowers tail before it reads head, seq_cst, and a
// thief reads head before tail. So they meet only at the last element, and
// there the CAS on head decides. A thief that took more could hold slots that
// the owner has taken meanwhile. After a slice of 10 ms comes the oldest, so
// that none waits for ever. (Not after so many picks: each continuation near
// the root opens a branch of its own, and the queue would no longer be bounded
// by the depth of the spawns.)
//
// While no other P runs (p->alone) there are no thieves, so the common paths
// have plain stores and no locked instruction. A slot is written again only
// after head has passed it, which the owner sees by its acquire load of head.
#include "sched/runq.h"
#include "sched/g.h"
#include "sched/global.h"
#include "sched/urgent.h"

static inline G *slot_read(P *p, uint32_t index) {
  // relaxed: the stores of tail in runq_put and others publish it. After a
  // stale read the CAS on head fails (head_claim, grab)
  return rt_load_relaxed(&p->ring[index % RUNQ_SIZE]);
}

static inline void slot_write(P *p, uint32_t index, G *g) {
  rt_store_relaxed(&p->ring[index % RUNQ_SIZE], g);  // relaxed: as in slot_read
}

// Owner. Claims count slots from head on.
static inline bool head_claim(P *p, uint32_t head, uint32_t count) {
  if (p->alone) {
    rt_store_relaxed(&p->head, head + count);  // relaxed: nobody else
    return true;
  }
  return rt_cas(&p->head, &head, head + count);  // RMW: this, or runq_steal
}

bool runq_is_empty(P *p) {
  // seq: as in runq_ring_empty
  return rt_load_seq(&p->urgent.list.count) == 0 && runq_ring_empty(p);
}

bool runq_ring_empty(P *p) {
  // seq, both: read by the idle protocol after `spinning` was dropped (idle.c)
  uint32_t head = rt_load_seq(&p->head);
  return rt_load_seq(&p->tail) == head;
}

uint32_t runq_length(P *p) {
  // acquire: before tail. Pairs with the CAS in head_claim
  uint32_t head = rt_load_acquire(&p->head);
  // relaxed, three: hints of runq_put, append_urgent and runq_put_next
  uint32_t length = rt_load_relaxed(&p->tail) - head;
  if (length > RUNQ_SIZE) length = 0;  // torn
  length += rt_load_relaxed(&p->urgent.list.count);
  return length + (rt_load_relaxed(&p->runnext) != NULL);
}

// --- Put --------------------------------------------------------------------
// The ring is full, so half of it and g go to the global queue (row 6). false:
// a thief was faster, and there is room now.
static bool overflow(P *p, G *g, uint32_t head, uint32_t tail) {
  uint32_t count = (tail - head) / 2;
  RT_CHECK(count == RUNQ_SIZE / 2,
           "runq: overflow of a queue that is not full");
  G *batch[RUNQ_SIZE / 2];
  for (uint32_t i = 0; i < count; i++) batch[i] = slot_read(p, head + i);
  if (!head_claim(p, head, count)) return false;
  GList list = {0};
  for (uint32_t i = 0; i < count; i++) glist_push(&list, batch[i]);
  glist_push(&list, g);
  Sched *sched = p->sched;
  rt_lock(&sched->lock);
  global_put_list(sched, &list);
  rt_unlock(&sched->lock);
  P_COUNT(p, overflows, 1);
  return true;
}

void runq_put(P *p, G *g) {
  RT_ASSERT(g_is(g, G_RUNNABLE));
  for (;;) {
    // acquire: the copies of thieves are done. Pairs with the CAS in grab
    uint32_t head = rt_load_acquire(&p->head);
    uint32_t tail = p->tail;
    if (tail - head < RUNQ_SIZE) {
      slot_write(p, tail, g);
      // release: publishes the slot and g. Pairs with the seq load in grab
      rt_store_release(&p->tail, tail + 1);
      return;
    }
    if (overflow(p, g, head, tail)) return;
  }
}

void runq_put_list(P *p, GList *list) {
  uint32_t head = rt_load_acquire(&p->head);  // acquire: as in runq_put
  uint32_t tail = p->tail;
  while (list->count > 0 && tail - head < RUNQ_SIZE) {
    G *g = glist_pop(list);
    RT_ASSERT(g_is(g, G_RUNNABLE));
    slot_write(p, tail++, g);
  }
  // seq: before the load of `spinning` in idle_wakep
  rt_store_seq(&p->tail, tail);
  if (list->count == 0) return;
  Sched *sched = p->sched;
  rt_lock(&sched->lock);
  global_put_list(sched, list);
  rt_unlock(&sched->lock);
}

bool runq_put_next(P *p, G *g, bool publish) {
  p->next_fill = NEXT_FILLED;
  // relaxed: thieves only ever empty it (steal_next), so "empty" stays true
  G *old = rt_load_relaxed(&p->runnext);
  if (old == NULL || p->alone) {
    if (publish && !p->single) {
      // seq: ordered before the load of `spinning` in idle_wakep
      rt_store_seq(&p->runnext, g);
    } else {
      rt_store_release(&p->runnext, g);  // release: pairs with steal_next
    }
  } else {
    // release: g is whole. A thief may take the old one. Pairs with the CAS in
    // steal_next
    old = rt_exchange(&p->runnext, g);
  }
  if (old == NULL) return false;
  runq_put(p, old);
  // seq: the tail, too, before the load of `spinning` in idle_wakep
  if (!p->single) rt_store_seq(&p->tail, p->tail);
  return true;
}

// --- Take -------------------------------------------------------------------
// true: *g is the newest, or NULL where the ring is empty. false: a thief may
// have taken the last one, and the caller tries again.
static bool pop_newest(P *p, G **g) {
  uint32_t tail = p->tail - 1;
  // seq, both: the tail is lowered before head is read. Pairs with grab
  rt_store_seq(&p->tail, tail);
  uint32_t head = rt_load_seq(&p->head);
  int32_t left = (int32_t)(tail - head);
  *g = left < 0 ? NULL : slot_read(p, tail);
  if (left > 0) return true;
  bool mine = left == 0 && head_claim(p, head, 1);
  if (!mine) *g = NULL;
  // release: the ring is empty in any case, as it was. Pairs with the seq load
  // in grab
  rt_store_release(&p->tail, tail + 1);
  return mine || left < 0;
}

G *runq_pop(P *p) {
  if (p->sched->config.child_first && !p->oldest_due) {
    G *newest = NULL;
    // acquire: thieves have read their slots. Pairs with the CAS in grab
    while (p->tail != rt_load_acquire(&p->head) && !pop_newest(p, &newest))
      continue;
    return newest;
  }
  p->oldest_due = false;
  for (;;) {
    // acquire: the slot is reused only after a claim that is seen here. Pairs
    // with the CAS in head_claim
    uint32_t head = rt_load_acquire(&p->head);
    if (p->tail == head) return NULL;
    G *g = slot_read(p, head);
    RT_ASSERT(p->tail - head <= RUNQ_SIZE);
    if (head_claim(p, head, 1)) return g;
  }
}

void runq_displace_next(P *p) {
  G *g = runq_take_next(p);
  if (g != NULL) runq_put(p, g);
}

void runq_flush(P *p, GList *list) {
  urgent_flush(p, list);
  G *g = runq_take_next(p);
  if (g != NULL) glist_push(list, g);
  while ((g = runq_pop(p)) != NULL) glist_push(list, g);
}

// --- Steal ------------------------------------------------------------------
// A running P is mostly about to take its runnext itself. So a thief waits 3
// us, and is told whether that G still sits there and p has begun nothing else.
// It ends the wait as soon as there is something in the ring, which needs no
// waiting. A searcher that found it so before it took a P (runq_has_work) does
// not wait again.
static bool next_is_stuck(P *p, G *g, StuckNext *seen) {
  // relaxed: a hint of proc_set_running
  uint64_t begun = rt_load_relaxed(&p->stats.schedules);
  if (seen != NULL && seen->g == g && seen->p == p && seen->begun == begun)
    return true;
  int64_t until = rt_now() + STEAL_NEXT_NS;
  do {
    for (int i = 0; i < 8; i++) rt_pause();
    // relaxed: a hint. The CAS in steal_next decides
    if (rt_load_relaxed(&p->runnext) != g) return false;
    if (!runq_ring_empty(p)) return false;
  } while (rt_now() < until);
  // relaxed: as above
  bool stuck = rt_load_relaxed(&p->stats.schedules) == begun;
  if (stuck && seen != NULL) *seen = (StuckNext){g, p, begun};
  return stuck;
}

bool runq_has_work(P *p, StuckNext *seen) {
  if (!runq_is_empty(p)) return true;
  G *g = rt_load_seq(&p->runnext);          // seq: as in runq_ring_empty
  if (g == NULL) return !runq_is_empty(p);  // displaced meanwhile?
  return next_is_stuck(p, g, seen) || !runq_is_empty(p);
}

// Copies half of the victim's ring, rounded up, after p's tail and claims it.
static uint32_t grab(P *p, P *victim) {
  for (;;) {
    // seq, both: head before tail, see pop_newest. tail pairs with runq_put
    uint32_t head = rt_load_seq(&victim->head);
    uint32_t tail = rt_load_seq(&victim->tail);
    uint32_t count = tail - head;
    count -= count / 2;
    if (count == 0) return 0;
    if (p->sched->config.child_first) {
      if ((int32_t)(tail - head) <= 0) return 0;  // its owner takes the last
      count = 1;
    }
    if (count > RUNQ_SIZE / 2) continue;  // torn read: head moved between
    for (uint32_t i = 0; i < count; i++) {
      slot_write(p, p->tail + i, slot_read(victim, head + i));
    }
    // release: the slots were read, and may be written again. Pairs with the
    // load of head in runq_put. RMW: this, or head_claim
    if (rt_cas(&victim->head, &head, head + count)) return count;
  }
}

static G *steal_next(P *victim, StuckNext *seen) {
  // relaxed: the CAS below decides
  G *g = rt_load_relaxed(&victim->runnext);
  if (g == NULL) return NULL;
  // relaxed: a hint, whether the owner may be about to take it
  if (rt_load_relaxed(&victim->status) == P_RUNNING &&
      !next_is_stuck(victim, g, seen)) {
    return NULL;
  }
  // acquire: pairs with the release in runq_put_next
  return rt_cas(&victim->runnext, &g, (G *)NULL) ? g : NULL;
}

G *runq_steal(P *p, P *victim, bool next_too) {
  RT_ASSERT(runq_ring_empty(p));
  G *urgent = urgent_steal(p, victim, next_too);
  if (urgent != NULL) return urgent;
  uint32_t count = grab(p, victim);
  if (count == 0 && next_too) {
    G *g = steal_next(victim, p->m == NULL ? NULL : &p->m->stuck);
    if (g != NULL) {
      P_COUNT(p, stolen, 1);
      return g;
    }
    count = grab(p, victim);  // displaced into the ring meanwhile?
  }
  if (count == 0) return NULL;
  P_COUNT(p, stolen, count);
  G *g = slot_read(p, p->tail + --count);  // the newest runs, the rest queues
  if (count == 0) return g;
  uint32_t head = rt_load_acquire(&p->head);  // acquire: as in runq_put
  RT_CHECK(p->tail - head + count < RUNQ_SIZE, "runq: overflow by stealing");
  // release: publishes the copied slots to further thieves, as in runq_put
  rt_store_release(&p->tail, p->tail + count);
  return g;
}
