// SPDX-License-Identifier: MIT
// Marking: what collect.c (a collection) and mark.c (the work) share.
//
// Everything here happens while the world is stopped. Each worker has a
// marker of its own; they share full segments of their mark stacks through
// the pool, and end when all of them are idle.
#ifndef CSP_VM_GC_INTERNAL_H
#define CSP_VM_GC_INTERNAL_H

#include "vm/heap/heap_internal.h"
#include "vm/heap/local.h"

typedef struct Marking Marking;

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

// --- mark.c -----------------------------------------------------------------
bool marking_init(Marking *marking, Heap *heap, int workers);
void marking_free(Marking *marking);
// Marks all that is reachable from what the markers hold; for
// sched_run_stopped.
void marking_run(void *marking, int worker, int workers);
// Scans an object that is marked already.
void gc_scan(GcMarker *m, Obj *obj);
bool gc_is_marked(const void *obj);
// The object around an address inside of it.
Obj *gc_object_around(const void *address);
// After an overflow: scans all marked objects again. Alone.
void marking_rescan(GcMarker *m);

// --- unit.c -----------------------------------------------------------------
// Compiled code that is collected.
void proto_mark(GcMarker *m, const Proto *proto);
void unit_mark(GcMarker *m, CodeUnit *unit);
// Something refers to that proto (or NULL). Any worker.
static inline void unit_touch(GcMarker *m, const Proto *proto) {
  CodeUnit *unit = proto != NULL ? proto->unit : NULL;
  // relaxed: unit_mark decides
  if (unit != NULL && !rt_load_relaxed(&unit->marked)) unit_mark(m, unit);
}
void unit_touch_trace(GcMarker *m, const struct Trace *trace);  // or NULL
void units_mark_roots(GcMarker *m, Vm *vm);
void units_rescan(GcMarker *m, const Vm *vm);  // after an overflow
// Frees units that were not found, and their names; after all marking.
void units_sweep(Vm *vm);

#endif
