// SPDX-License-Identifier: MIT
// Timers (row 25). Each P has a 4-ary heap of them. start works on the heap of
// the caller's P, and stop on the heap that holds the timer. A due timer is
// taken out (or rearmed) under the lock and fired without it, on the P that
// runs it: the owner in its looks and in find_work_next, or a thief on its last
// round.
//
// The heap's lock never sleeps, because one heap operation is short, and room
// is made before the lock is taken. It is not taken while no other P runs. The
// array grows by doubling. Only the owner makes it grow, or a thread that has
// stopped the world. Entries carry a copy of `when`, so that sifting stays in
// the array. Invariant: entries[i].timer->at == i, and its owner is this P.
//
// Without memory for a larger array a timer goes to the list `spilled`, which
// is searched. Those in it get into the array when there is room.
#include "sched/timer.h"

#include <string.h>

#include "sched/cancel.h"
#include "sched/g.h"
#include "sched/mask.h"
#include "sched/trace.h"
#include "sched/urgent.h"

enum { ARITY = 4, ROOM_MIN = 16, AT_SPILLED = -2 };

static void heap_lock(const P *p, TimerHeap *heap) {
  rt_rank_push(&rank_timers, &heap->lock);
  if (!p->alone) rt_spin_lock(&heap->lock);
}

static void heap_unlock(const P *p, TimerHeap *heap) {
  rt_rank_pop(&rank_timers, &heap->lock);
  if (!p->alone) rt_spin_unlock(&heap->lock);
}

// --- The heap: its lock held, or the world stopped --------------------------
static void place(TimerHeap *heap, int32_t at, TimerEntry entry) {
  heap->entries[at] = entry;
  entry.timer->at = at;
}

bool timer_is_placed(const TimerHeap *heap, int32_t at) {
  if (at < 0 || at >= heap->count || heap->count > heap->room) return false;
  const TimerEntry *entry = &heap->entries[at];
  const TimerEntry *parent = &heap->entries[at == 0 ? 0 : (at - 1) / ARITY];
  if (entry->timer->at != at || parent->when > entry->when) return false;
  int64_t child = (int64_t)at * ARITY + 1;
  for (int i = 0; i < ARITY && child + i < heap->count; i++) {
    if (heap->entries[child + i].when < entry->when) return false;
  }
  return true;
}

bool timers_are_valid(const P *p) {
  const TimerHeap *heap = &p->timers;
  for (int32_t i = 0; i < heap->count; i++) {
    const Timer *timer = heap->entries[i].timer;
    if (!timer_is_placed(heap, i) || timer->when != heap->entries[i].when)
      return false;
    if (timer->owner != p) return false;
  }
  for (const Timer *t = heap->spilled; t != NULL; t = t->next) {
    if (t->at != AT_SPILLED || t->owner != p) return false;
  }
  return true;
}

static int32_t sift_up(TimerHeap *heap, int32_t at) {
  TimerEntry entry = heap->entries[at];
  while (at > 0) {
    int32_t parent = (at - 1) / ARITY;
    if (heap->entries[parent].when <= entry.when) break;
    place(heap, at, heap->entries[parent]);
    at = parent;
  }
  place(heap, at, entry);
  return at;
}

static void sift_down(TimerHeap *heap, int32_t at) {
  TimerEntry entry = heap->entries[at];
  for (;;) {
    int64_t child = (int64_t)at * ARITY + 1, least = -1;
    int64_t end = child + ARITY < heap->count ? child + ARITY : heap->count;
    for (int64_t i = child; i < end; i++) {
      if (least < 0 || heap->entries[i].when < heap->entries[least].when) {
        least = i;
      }
    }
    if (least < 0 || heap->entries[least].when >= entry.when) break;
    place(heap, at, heap->entries[least]);
    at = (int32_t)least;
  }
  place(heap, at, entry);
}

// The timer to fire first, or NULL.
static Timer *earliest(const TimerHeap *heap) {
  Timer *first = heap->count == 0 ? NULL : heap->entries[0].timer;
  for (Timer *t = heap->spilled; t != NULL; t = t->next)
    if (first == NULL || t->when < first->when) first = t;
  return first;
}

static void first_changed(P *owner) {
  TimerHeap *heap = &owner->timers;
  int64_t first = heap->count == 0 ? 0 : heap->entries[0].when;
  if (heap->spilled != NULL) first = earliest(heap)->when;
  // relaxed, both: a hint without the lock
  bool had = rt_load_relaxed(&heap->first) != 0;
  rt_store_relaxed(&heap->first, first);
  if (had == (first != 0)) return;
  PMask *mask = &owner->sched->timer_mask;
  if (owner->single) {
    // relaxed: no other P has a bit
    rt_store_relaxed(&mask->words[0], (uint64_t)!had);
  } else if (had) {
    mask_clear(mask, owner->id);
  } else {
    mask_set(mask, owner->id);
  }
}

// A larger array, or NULL. Owner p, lock not held. Only the owner makes room.
static TimerEntry *larger(const P *p, const TimerHeap *heap, int32_t *room) {
  RT_CHECK(heap->room <= INT32_MAX / 2, "too many timers on one P");
  *room = heap->room == 0 ? ROOM_MIN : 2 * heap->room;
  return mem_alloc(p->sched->memory, (size_t)*room * sizeof(TimerEntry));
}

// Returns the old array, which is the caller's.
static TimerEntry *heap_replace(TimerHeap *heap, TimerEntry *more,
                                int32_t room) {
  RT_ASSERT(room > heap->count);
  TimerEntry *old = heap->entries;
  if (old != NULL) memcpy(more, old, (size_t)heap->count * sizeof *more);
  heap->entries = more;
  heap->room = room;
  return old;
}

// Owner p. Takes the lock, and makes room for one more, if there is memory.
static void heap_lock_to_add(P *p) {
  TimerHeap *heap = &p->timers;
  heap_lock(p, heap);
  while (heap->count == heap->room) {
    heap_unlock(p, heap);
    int32_t room;
    TimerEntry *more = larger(p, heap, &room);
    heap_lock(p, heap);
    if (more == NULL) return;
    TimerEntry *old = heap_replace(heap, more, room);
    heap_unlock(p, heap);
    mem_free(old);
    heap_lock(p, heap);
  }
}

static void entry_add(TimerHeap *heap, Timer *timer) {
  RT_ASSERT(heap->count < heap->room);
  heap->entries[heap->count++] = (TimerEntry){timer->when, timer};
  sift_up(heap, heap->count - 1);
  RT_ASSERT(timer_is_placed(heap, timer->at));
}

static void heap_add(P *owner, Timer *timer) {
  TimerHeap *heap = &owner->timers;
  while (heap->spilled != NULL && heap->count < heap->room) {
    Timer *waits = heap->spilled;
    heap->spilled = waits->next;
    entry_add(heap, waits);
  }
  if (heap->count < heap->room) {
    entry_add(heap, timer);
  } else {
    timer->at = AT_SPILLED;
    timer->next = heap->spilled;
    heap->spilled = timer;
  }
  // release: at and when come before. Pairs with acquire in timer_stop
  rt_store_release(&timer->owner, owner);
}

static void entry_remove(TimerHeap *heap, const Timer *timer) {
  int32_t at = timer->at;
  RT_CHECK(at >= 0 && at < heap->count && heap->entries[at].timer == timer,
           "a timer is not in its place");
  TimerEntry last = heap->entries[--heap->count];
  if (at < heap->count) {
    place(heap, at, last);
    if (sift_up(heap, at) == at) sift_down(heap, at);
    RT_ASSERT(timer_is_placed(heap, last.timer->at));
    RT_ASSERT(timer_is_placed(heap, at));
  }
}

static void heap_remove(P *owner, Timer *timer) {
  TimerHeap *heap = &owner->timers;
  if (timer->at == AT_SPILLED) {
    Timer **link = &heap->spilled;
    while (*link != timer) link = &(*link)->next;
    *link = timer->next;
  } else {
    entry_remove(heap, timer);
  }
  timer->at = -1;
  // release: the timer is its user's again. Pairs with acquire in timer_stop
  rt_store_release(&timer->owner, (P *)NULL);
}

// --- Start, stop, sleep -----------------------------------------------------
bool timer_stop(P *p, Timer *timer) {
  for (;;) {
    P *owner = rt_load_acquire(&timer->owner);  // acquire: pairs with heap_add
    if (owner == NULL) return false;
    heap_lock(p, &owner->timers);
    bool same = rt_load_relaxed(&timer->owner) == owner;  // relaxed: lock held
    if (same) {
      heap_remove(owner, timer);
      first_changed(owner);
    }
    heap_unlock(p, &owner->timers);
    if (same) return true;
  }
}

// Puts it into p's heap. The thread that fires it must wait for the lock, which
// is held on return.
static void start_locked(P *p, Timer *timer, int64_t when, int64_t period) {
  timer_stop(p, timer);
  timer->when = when < 1 ? 1 : when;
  timer->period = period;
  heap_lock_to_add(p);
  heap_add(p, timer);
  first_changed(p);
}

void timer_start(P *p, Timer *timer, int64_t when, int64_t period) {
  start_locked(p, timer, when, period);
  heap_unlock(p, &p->timers);
}

static void sleep_fire(P *p, Timer *timer, int64_t now) {
  (void)now;
  sched_ready(p, timer->arg);
}

// g, WAITING, sleeps until then. true: as cancel_show. Owner P.
static bool show_sleep(P *p, G *g, Timer *timer, int64_t when) {
  start_locked(p, timer, when, 0);
  bool cancelled = cancel_show(p, g, (uintptr_t)timer | ON_TIMER);
  // from the unlock on a thief may fire it, and g run elsewhere
  heap_unlock(p, &p->timers);
  return cancelled;
}

void sched_sleep(P *p, G *g, Timer *timer, int64_t ns) {
  if (ns <= 0) {
    sched_yield_g(p, g);
    return;
  }
  int64_t now = p->clock = rt_now();
  timer->fire = sleep_fire;
  timer->arg = g;
  g_leave(p, g, G_WAITING, WAIT_SLEEP);
  int64_t when = ns > INT64_MAX - now ? INT64_MAX : now + ns;
  if (show_sleep(p, g, timer, when)) cancel_self(p, g);
}

bool timer_cancel(P *p, G *g, Timer *timer) {
  while (timer_stop(p, timer)) {
    if (g_cancelled(g)) return true;
    // This is a later sleep, which is not to be cancelled. A thread that
    // cancels it, and looked for it at this moment, found no timer. So the
    // sleep begins like any other.
    if (!show_sleep(p, g, timer, timer->when)) break;
  }
  return false;
}

// --- Run --------------------------------------------------------------------
// Takes the first timer out, or rearms it for the next multiple of its period.
static Timer *take_due(P *victim, int64_t now) {
  TimerHeap *heap = &victim->timers;
  Timer *timer = earliest(heap);
  if (timer == NULL || timer->when > now) return NULL;
  if (timer->period > 0) {
    int64_t missed = (now - timer->when) / timer->period;
    timer->when += timer->period * (missed + 1);
    if (timer->at == 0) {
      heap->entries[0].when = timer->when;
      sift_down(heap, 0);
      RT_ASSERT(timer_is_placed(heap, timer->at) && timer_is_placed(heap, 0));
    }
  } else {
    heap_remove(victim, timer);
  }
  first_changed(victim);
  return timer;
}

// The next look, or the next search for work, fires those that are left.
bool timers_run(P *p, P *victim, int64_t now) {
  uint64_t count = 0;
  RT_ASSERT(p->firing == 0);
  urgent_begin(p, now);
  // The hint spares the lock that would find nothing due.
  for (int64_t due = timers_first(victim);
       due != 0 && due <= now && count < TIMERS_BATCH;
       due = timers_first(victim)) {
    heap_lock(p, &victim->timers);
    Timer *timer = take_due(victim, now);
    heap_unlock(p, &victim->timers);
    if (timer == NULL) break;
    timer->fire(p, timer, now);
    count++;
  }
  urgent_end(p);
  if (count > 0) TRACE(p, TIMERS, 0, count);
  P_COUNT(p, timers_run, count);
  return count > 0;
}

// --- Whole heaps: world stopped, or before the start ------------------------
void timers_init(P *p) { p->timers = (TimerHeap){0}; }

void timers_free(P *p) {
  mem_free(p->timers.entries);
  p->timers.entries = NULL;
  p->timers.count = p->timers.room = 0;
}

void timers_move(P *to, P *from) {
  TimerHeap *heap = &from->timers, *into = &to->timers;
  for (int32_t i = 0; i < heap->count; i++) {
    int32_t room;
    TimerEntry *more =
        into->count < into->room ? NULL : larger(to, into, &room);
    if (more != NULL) mem_free(heap_replace(into, more, room));
    heap_add(to, heap->entries[i].timer);
  }
  heap->count = 0;
  for (Timer *timer = heap->spilled, *next; timer != NULL; timer = next) {
    next = timer->next;
    heap_add(to, timer);
  }
  heap->spilled = NULL;
  first_changed(from);
  first_changed(to);
  RT_ASSERT(timers_are_valid(to));
}

static void filter_heap(P *p, bool (*keep)(void *arg, Timer *timer),
                        void *arg) {
  TimerHeap *heap = &p->timers;
  int32_t kept = 0;
  for (Timer *timer = heap->spilled, *next; timer != NULL; timer = next) {
    next = timer->next;
    if (!keep(arg, timer)) heap_remove(p, timer);
  }
  for (int32_t i = 0; i < heap->count; i++) {
    TimerEntry entry = heap->entries[i];
    if (keep(arg, entry.timer)) {
      place(heap, kept++, entry);
    } else {
      entry.timer->at = -1;
      // release: as in heap_remove
      rt_store_release(&entry.timer->owner, (P *)NULL);
    }
  }
  heap->count = kept;
  for (int32_t i = kept / ARITY; i >= 0 && kept > 0; i--) sift_down(heap, i);
  RT_ASSERT(timers_are_valid(p));
  first_changed(p);
}

void timers_filter(Sched *sched, bool (*keep)(void *arg, Timer *timer),
                   void *arg) {
  for (int i = 0; i < procs_now(sched); i++)
    filter_heap(p_at(sched, i), keep, arg);
}
