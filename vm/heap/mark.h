// SPDX-License-Identifier: MIT
// Marking: for what the rooms above keep alive, and for a collection.
#ifndef CSP_VM_HEAP_MARK_H
#define CSP_VM_HEAP_MARK_H

#include "vm/heap/heap.h"

typedef struct Marking Marking;  // marker.h

void gc_mark(GcMarker *marker, Value v);
void gc_mark_obj(GcMarker *marker, const void *obj);  // an object or NULL
bool marking_init(Marking *marking, Heap *heap, int workers);
void marking_free(Marking *marking);
// Marks all that is reachable from what the markers hold; for
// sched_run_stopped.
void marking_run(void *marking, int worker, int workers);
// Scans an object that is marked already.
void gc_scan(GcMarker *marker, Obj *obj);
bool gc_is_marked(const void *obj);
// After an overflow: scans all marked objects again. Alone.
void marking_rescan(GcMarker *marker);

#endif
