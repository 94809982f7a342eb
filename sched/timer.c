// SPDX-License-Identifier: MIT
// Timers (row 25): a 4-ary heap per P. start works on the heap of the caller's
// P; stop on whichever holds the timer. A due timer is taken out (or rearmed)
// under the lock and fired without it, on the P that runs it: the owner in its
// looks and in find_runnable, or a thief on its last round.
//
// The heap's lock is not taken while there is one P. The array grows by
// doubling; entries carry a copy of `when`, so that sifting stays in it.
// Invariant: entries[i].timer->at == i, and its owner is this P.
#include <stdlib.h>

#include "internal.h"

enum { ARITY = 4, ROOM_MIN = 16 };

static void heap_lock(const P *p, TimerHeap *heap) {
  if (!p->single) rt_lock(&heap->lock);
}

static void heap_unlock(const P *p, TimerHeap *heap) {
  if (!p->single) rt_unlock(&heap->lock);
}

// --- The heap: its lock held, or the world stopped --------------------------
static void place(TimerHeap *heap, int32_t at, TimerEntry entry) {
  heap->entries[at] = entry;
  entry.timer->at = at;
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

static void first_changed(P *owner) {
  TimerHeap *heap = &owner->timers;
  int64_t first = heap->count == 0 ? 0 : heap->entries[0].when;
  // relaxed: a hint for who has not the lock
  bool had = rt_load_relaxed(&heap->first) != 0;
  rt_store_relaxed(&heap->first, first);
  if (had && first == 0) mask_clear(&owner->sched->timer_mask, owner->id);
  if (!had && first != 0) mask_set(&owner->sched->timer_mask, owner->id);
}

static void heap_reserve(TimerHeap *heap, int32_t room) {
  if (room <= heap->room) return;
  RT_CHECK(heap->room <= INT32_MAX / 2, "too many timers on one P");
  int32_t wanted = heap->room < ROOM_MIN ? ROOM_MIN : heap->room;
  while (wanted < room) wanted *= 2;
  TimerEntry *more =
      realloc(heap->entries, (size_t)wanted * sizeof *heap->entries);
  RT_CHECK(more != NULL, "out of memory: no room for %d timers", wanted);
  heap->entries = more;
  heap->room = wanted;
}

static void heap_add(P *owner, Timer *timer) {
  TimerHeap *heap = &owner->timers;
  heap_reserve(heap, heap->count + 1);
  heap->entries[heap->count++] = (TimerEntry){timer->when, timer};
  sift_up(heap, heap->count - 1);
  // release: at and when come before; pairs with acquire in timer_stop
  rt_store_release(&timer->owner, owner);
}

static void heap_remove(P *owner, int32_t at) {
  TimerHeap *heap = &owner->timers;
  Timer *timer = heap->entries[at].timer;
  RT_CHECK(timer->at == at && at < heap->count, "a timer is not in its place");
  TimerEntry last = heap->entries[--heap->count];
  if (at < heap->count) {
    place(heap, at, last);
    if (sift_up(heap, at) == at) sift_down(heap, at);
  }
  timer->at = -1;
  // release: the timer is its user's again; pairs with acquire in timer_stop
  rt_store_release(&timer->owner, (P *)NULL);
}

// --- Start, stop, sleep -----------------------------------------------------
bool timer_stop(P *p, Timer *timer) {
  for (;;) {
    P *owner = rt_load_acquire(&timer->owner);  // pairs with heap_add
    if (owner == NULL) return false;
    heap_lock(p, &owner->timers);
    bool same = rt_load_relaxed(&timer->owner) == owner;  // lock is held
    if (same) {
      heap_remove(owner, timer->at);
      first_changed(owner);
    }
    heap_unlock(p, &owner->timers);
    if (same) return true;
  }
}

void timer_start(P *p, Timer *timer, int64_t when, int64_t period) {
  timer_stop(p, timer);
  timer->when = when < 1 ? 1 : when;
  timer->period = period;
  heap_lock(p, &p->timers);
  heap_add(p, timer);
  first_changed(p);
  heap_unlock(p, &p->timers);
}

static void sleep_fire(P *p, Timer *timer, int64_t now) {
  (void)now;
  sched_ready(p, timer->arg);
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
  // from here on a thief may fire it, and g run elsewhere
  timer_start(p, timer, ns > INT64_MAX - now ? INT64_MAX : now + ns, 0);
}

// --- Run --------------------------------------------------------------------
// Takes the first timer out, or rearms it for the next multiple of its period.
static Timer *take_due(P *victim, int64_t now) {
  TimerHeap *heap = &victim->timers;
  if (heap->count == 0 || heap->entries[0].when > now) return NULL;
  Timer *timer = heap->entries[0].timer;
  if (timer->period > 0) {
    int64_t missed = (now - timer->when) / timer->period;
    timer->when += timer->period * (missed + 1);
    heap->entries[0].when = timer->when;
    sift_down(heap, 0);
  } else {
    heap_remove(victim, 0);
  }
  first_changed(victim);
  return timer;
}

bool timers_run(P *p, P *victim, int64_t now) {
  uint64_t count = 0;
  RT_ASSERT(p->firing == 0);
  p->firing = now;
  for (;;) {
    heap_lock(p, &victim->timers);
    Timer *timer = take_due(victim, now);
    heap_unlock(p, &victim->timers);
    if (timer == NULL) break;
    timer->fire(p, timer, now);
    count++;
  }
  p->firing = 0;
  P_COUNT(p, timers_run, count);
  return count > 0;
}

// --- Whole heaps: world stopped, or before the start ------------------------
void timers_init(P *p) { p->timers = (TimerHeap){.lock.rank = RANK_TIMERS}; }

void timers_free(P *p) {
  free(p->timers.entries);
  p->timers.entries = NULL;
  p->timers.count = p->timers.room = 0;
}

void timers_move(P *to, P *from) {
  TimerHeap *heap = &from->timers;
  for (int32_t i = 0; i < heap->count; i++)
    heap_add(to, heap->entries[i].timer);
  heap->count = 0;
  first_changed(from);
  first_changed(to);
}

static void filter_heap(P *p, bool (*keep)(void *arg, Timer *timer),
                        void *arg) {
  TimerHeap *heap = &p->timers;
  int32_t kept = 0;
  for (int32_t i = 0; i < heap->count; i++) {
    TimerEntry entry = heap->entries[i];
    if (keep(arg, entry.timer)) {
      place(heap, kept++, entry);
    } else {
      entry.timer->at = -1;
      rt_store_release(&entry.timer->owner, (P *)NULL);  // as in heap_remove
    }
  }
  heap->count = kept;
  for (int32_t i = kept / ARITY; i >= 0 && kept > 0; i--) sift_down(heap, i);
  first_changed(p);
}

void timers_filter(Sched *s, bool (*keep)(void *arg, Timer *timer), void *arg) {
  for (int i = 0; i < procs_now(s); i++) filter_heap(p_at(s, i), keep, arg);
}
