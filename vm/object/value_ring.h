// SPDX-License-Identifier: MIT
// Rings, which are the blocks of lists that are used as queues. Any goroutine
// may call these at once on one ring, as with lists (list.h).
#ifndef CSP_VM_OBJECT_VALUE_RING_H
#define CSP_VM_OBJECT_VALUE_RING_H

#include "vm/heap/local.h"

enum { VALUE_RING_LEAST = 64 };  // slots

// Elements that lie side by side.
typedef struct ValueRun {
  const Value *from;
  size_t count;
} ValueRun;

bool value_ring_is_valid(const ObjRing *ring);
// With the first `len` elements of `from`, and `room` slots at least. Not
// published. NULL: no memory, or given up.
ObjRing *value_ring_new(Local *local, const ObjValues *from, size_t len,
                        size_t room);
static inline size_t value_ring_len(const ObjRing *ring) {
  // relaxed: see value_ring.c
  uint64_t count = rt_load_relaxed(&ring->count);
  return count <= ring->mask ? count : ring->mask + 1;
}
// Where element `at` is; counted as a read. NULL: there is none.
Value *value_ring_at(ObjRing *ring, size_t at);
// The elements from `at` on that lie side by side, `most` at most.
ValueRun value_ring_run(const ObjRing *ring, size_t at, size_t most);
// At the end if at > len. Does nothing to a ring that is full.
void value_ring_insert(Local *local, ObjRing *ring, size_t at, Value v);
// As many as there are.
void value_ring_remove(Local *local, ObjRing *ring, size_t at, size_t count);
// Whether it was read so often, for one use of its front, that an ObjValues
// does better.
bool value_ring_is_read(const ObjRing *ring);

#endif
