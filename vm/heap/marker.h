// SPDX-License-Identifier: MIT
// The state of marking, which collect.c (a collection) and mark.c (the work)
// share.
//
// Everything here happens while the world is stopped. Each worker has a
// marker of its own; they share full segments of their mark stacks through
// the pool, and end when all of them are idle.
#ifndef CSP_VM_HEAP_MARKER_H
#define CSP_VM_HEAP_MARKER_H

#include "vm/heap/heap_internal.h"
#include "vm/heap/mark.h"

enum { AHEAD = 8 };  // objects whose memory is being fetched

struct GcMarker {
  Marking *marking;
  MarkSegment *top;    // this worker's stack: a chain of segments
  MarkSegment *spare;  // an empty one, or NULL
  Obj *ahead[AHEAD];   // a ring of what comes next
  uint32_t ahead_first, ahead_count;
  bool alone;         // no other worker: marks need no atomics
  bool draining;      // inside drain: marked objects lead to what is noted
  uint64_t bytes;     // marked
  uint64_t work;      // objects scanned since the last look at others
  MarkSegment first;  // so that marking works without any memory
};

struct Marking {
  Heap *heap;
  GcMarker *markers;   // one for each possible worker
  int workers;         // of the present run
  uint32_t idle;       // atomic
  uint32_t pooled;     // atomic: segments in the pool
  uint32_t pool_lock;  // spin lock
  MarkSegment *pool;   // guarded by pool_lock
  uint32_t overflow;   // atomic: something could not be noted
};

#endif
