// SPDX-License-Identifier: MIT
// Compiled code that is collected.
#ifndef CSP_VM_HEAP_UNIT_H
#define CSP_VM_HEAP_UNIT_H

#include "vm/heap/local.h"
#include "vm/heap/mark.h"

void protos_free(Proto *first);  // a list
// What is compiled from now on is a unit's, which is freed when nothing holds
// its functions. Not nested. The thread that compiles. false: out of memory.
bool unit_open(Vm *vm);
// Ends that. false: the limit on memory is passed, but the unit may run.
bool unit_close(Vm *vm);
void units_free_all(Vm *vm);

// --- For the collector -------------------------------------------------------
void proto_mark(GcMarker *marker, const Proto *proto);
void unit_mark(GcMarker *marker, CodeUnit *unit);
// Something refers to that proto (or NULL). Any worker.
static inline void unit_touch(GcMarker *marker, const Proto *proto) {
  CodeUnit *unit = proto != NULL ? proto->unit : NULL;
  // relaxed: a hint. The exchange in unit_mark decides
  if (unit != NULL && !rt_load_relaxed(&unit->marked)) unit_mark(marker, unit);
}
void unit_touch_trace(GcMarker *marker, const struct Trace *trace);  // or NULL
void unit_touch_places(GcMarker *marker, const ObjRaw *places);      // or NULL
void units_mark_roots(GcMarker *marker, Vm *vm);
void units_rescan(GcMarker *marker, const Vm *vm);  // after an overflow
// Frees units that were not found, and their names; after all marking.
void units_sweep(Vm *vm);

#endif
