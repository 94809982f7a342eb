// SPDX-License-Identifier: MIT
// Rings: the blocks of lists that are used as queues.
//
// Element i is in slot (first + i) & mask, so either end is given and taken in
// O(1), and between them the shorter side moves. Where an ObjValues has its cap
// and its length a ring has 0, always. So the handlers of the interpreter, and
// whatever else looks there first, find no element and no room, as if the index
// were out of range. They go their slow ways then, and these look at the type
// (values_at in list.h). Lists that are no queues pay nothing.
//
// list.c makes a ring of a block whose front was used some times while it was
// long, and a block of a ring that is read much more often than its front is
// used, or that has become short. Each of these copies is paid for by elements
// that were moved, read or removed, so many that it is O(1) for each. Readers
// make such a block, too. A writer that races with them may lose an update by
// that, as with a writer.
//
// Any goroutine may call any of these at once on one ring, as in list.c. The
// slots are nil (in fresh memory 0) before the ring is published, and after
// that each holds some value. `mask` never changes, and each number is masked.
// So `first` and `count` may be of two different moments, or those of a writer
// that lost: what is read then is an element, or nil.
#include "vm/object/value_ring.h"

#include "vm/heap/span.h"
#include "vm/heap/work.h"
#include "vm/object/list.h"

enum { READS_SHARE = 8, READS_FREE = 16 };

static Value *ring_slot(ObjRing *ring, uint64_t number) {
  return &ring->slots[number & ring->mask];
}

// relaxed: any of the numbers that it had will do (see the head)
static uint64_t value_ring_first(const ObjRing *ring) {
  return rt_load_relaxed(&ring->first);
}

// Of the element that the next store of `first` or `count` shows.
// relaxed, both: the slot holds a value already, whichever is seen first by
// value_ring_first and value_ring_is_read
static void ring_set_first(ObjRing *ring, uint64_t first) {
  rt_store_relaxed(&ring->first, first);
  rt_store_relaxed(&ring->reads, (uint64_t)0);
}

static void ring_set_count(ObjRing *ring, uint64_t count) {
  // relaxed: as in ring_set_first
  rt_store_relaxed(&ring->count, count);
  RT_ASSERT(value_ring_is_valid(ring));
}

// --- Making one -------------------------------------------------------------
static ObjRing *value_ring_alloc(Local *local, size_t room) {
  size_t slots = VALUE_RING_LEAST;
  while (slots < room && slots <= SIZE_MAX / 4 / sizeof(Value)) slots *= 2;
  if (slots < room) return NULL;
  if (slots >= WORK_BIG / sizeof(Value) && !work_before_big(local)) return NULL;
  ObjRing *ring = (ObjRing *)heap_alloc(
      &local->heap, sizeof(ObjRing) + slots * sizeof(Value), OBJ_RING);
  if (ring == NULL) return NULL;
  ring->no_cap = ring->no_len = 0;
  ring->mask = slots - 1;
  ring->first = ring->count = ring->reads = 0;
  return ring;
}

ObjRing *value_ring_new(Local *local, const ObjValues *from, size_t len,
                        size_t room) {
  RT_ASSERT(len <= room);
  ObjRing *ring = value_ring_alloc(local, room);
  if (ring == NULL || !values_copy(local, ring->slots, from, 0, len) ||
      !values_set_nothing(local, &ring->obj, ring->slots + len,
                          ring->mask + 1 - len))
    return NULL;
  ring->count = len;
  RT_ASSERT(value_ring_is_valid(ring));
  return ring;
}

// --- Looking ----------------------------------------------------------------
bool value_ring_is_read(const ObjRing *ring) {
  // relaxed: a count. Reads that race in value_ring_at may be counted once
  return rt_load_relaxed(&ring->reads) >
         value_ring_len(ring) / READS_SHARE + READS_FREE;
}

Value *value_ring_at(ObjRing *ring, size_t at) {
  if (at >= value_ring_len(ring)) return NULL;
  // relaxed, both: as in value_ring_is_read. Stored no more when they are
  // enough, so that readers on several cores do not fight for the line
  uint64_t reads = rt_load_relaxed(&ring->reads);
  if (reads <= ring->mask) rt_store_relaxed(&ring->reads, reads + 1);
  return ring_slot(ring, value_ring_first(ring) + at);
}

ValueRun value_ring_run(const ObjRing *ring, size_t at, size_t most) {
  uint64_t number = (value_ring_first(ring) + at) & ring->mask;
  uint64_t left = ring->mask + 1 - number;
  return (ValueRun){&ring->slots[number], most < left ? most : left};
}

// --- Changing ---------------------------------------------------------------
static void ring_copy(Local *local, ObjRing *ring, uint64_t to, uint64_t from) {
  heap_store(&local->heap, ring_slot(ring, to),
             heap_load(ring_slot(ring, from)));
}

// So many elements, of which none is shown before all have moved. A call that
// is given up goes on with it, as in list.c, and others are served between
// parts.
static void ring_move(Local *local, ObjRing *ring, uint64_t to, uint64_t from,
                      uint64_t count) {
  bool last_first = to - from <= ring->mask;  // else it is below 0
  for (uint64_t done = 0; done < count;) {
    size_t turns = work_turns(count - done);
    for (uint64_t end = done + turns; done < end; done++) {
      uint64_t i = last_first ? count - 1 - done : done;
      ring_copy(local, ring, to + i, from + i);
    }
    work_part(local, turns, done < count);
  }
}

void value_ring_insert(Local *local, ObjRing *ring, size_t at, Value v) {
  uint64_t first = value_ring_first(ring), count = value_ring_len(ring);
  uint64_t end = first + count;
  RT_ASSERT(value_ring_is_valid(ring));
  if (count > ring->mask) return;  // a racing writer filled it: update lost
  if (at > count) at = count;
  if (at < count - at) {
    first--;
    ring_move(local, ring, first, first + 1, at);
  } else {
    ring_move(local, ring, first + at + 1, first + at, count - at);
  }
  heap_store(&local->heap, ring_slot(ring, first + at), v);
  if (first + count != end) ring_set_first(ring, first);
  ring_set_count(ring, count + 1);
}

void value_ring_remove(Local *local, ObjRing *ring, size_t at, size_t count) {
  uint64_t first = value_ring_first(ring), len = value_ring_len(ring);
  RT_ASSERT(value_ring_is_valid(ring));
  if (at >= len) return;
  if (count > len - at) count = len - at;
  uint64_t after = len - at - count, from = first;
  if (at < after) {
    ring_move(local, ring, first + count, first, at);
  } else {
    from = first + at + after;
    ring_move(local, ring, first + at, first + at + count, after);
  }
  work_charge(local, count);
  for (size_t i = 0; i < count; i++)
    heap_store(&local->heap, ring_slot(ring, from + i), VALUE_NIL);
  if (at < after) ring_set_first(ring, first + count);
  ring_set_count(ring, len - count);
}

// --- Validity ---------------------------------------------------------------
bool value_ring_is_valid(const ObjRing *ring) {
  if (ring == NULL || ring->obj.type != OBJ_RING) return false;
  size_t room = (heap_size_of(ring) - sizeof *ring) / sizeof(Value);
  // relaxed: ring_set_count stores no count that is above the slots
  return ring->no_cap == 0 && ring->no_len == 0 && ring->mask < room &&
         ring->mask + 1 >= VALUE_RING_LEAST &&
         (ring->mask & (ring->mask + 1)) == 0 &&
         rt_load_relaxed(&ring->count) <= ring->mask + 1;
}
