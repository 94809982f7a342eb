// SPDX-License-Identifier: MIT
// Compiled code that is collected: what one csp_load or csp_check compiles is a
// unit, its protos and the names that only it uses.
//
// Protos lie outside the heap. Those that are made while a unit is open
// (Vm.unit) are the unit's; all others stay as long as the runtime. A unit
// lives while anything refers to one of its protos: a closure (which every
// frame has on the stack), a struct's constructor, a trace, an error's place,
// where a goroutine or a group was begun. The collector finds these by
// unit_touch, which marks what the whole unit holds the first time
// (CodeUnit.marked). Units that it has not found are freed at its end. All of
// this while the world is stopped.
//
// A name that is interned first while a unit is open is weak (STRING_WEAK): the
// table forgets it when nothing else holds it. Interning it without a unit
// makes it permanent.
//
// What has traces of others without being found by the collector (a dump, while
// its text is made) keeps all units: Vm.code_kept.
#include "vm/heap/unit.h"

#include <stdlib.h>

#include "vm/heap/local.h"
#include "vm/heap/mark.h"

// --- Opening and closing ----------------------------------------------------
bool unit_open(Vm *vm) {
  RT_ASSERT(vm->unit == NULL);
  CodeUnit *unit = mem_zeroed(vm->memory, sizeof *unit);
  if (unit == NULL) return false;
  unit->next = vm->units;
  vm->units = vm->unit = unit;
  return true;
}

static size_t size_of(const Proto *proto) {
  return mem_held(proto) + mem_held(proto->code) + mem_held(proto->constants) +
         mem_held(proto->lines) + mem_held(proto->variables) +
         mem_held(proto->upvalues) + mem_held(proto->param_names);
}

bool unit_close(Vm *vm) {
  CodeUnit *unit = vm->unit;
  RT_ASSERT(unit != NULL && unit->bytes == 0);
  vm->unit = NULL;
  size_t bytes = mem_held(unit);
  for (const Proto *proto = unit->protos; proto != NULL; proto = proto->next)
    bytes += size_of(proto);
  if (!heap_take_other(vm->heap, bytes)) return false;
  unit->bytes = bytes;
  vm->boot->heap.allocated += (int64_t)bytes;  // a collection takes it
  return true;
}

// --- Marking: the world is stopped ------------------------------------------
void proto_mark(GcMarker *marker, const Proto *proto) {
  for (uint32_t i = 0; i < proto->nconstants; i++)
    gc_mark(marker, proto->constants[i]);
  gc_mark_obj(marker, proto->self);
  gc_mark_obj(marker, proto->name);
  gc_mark_obj(marker, proto->path);
  for (uint32_t i = 0; i < proto->nparams && proto->param_names != NULL; i++)
    gc_mark_obj(marker, proto->param_names[i]);
}

static void mark_protos(GcMarker *marker, const CodeUnit *unit) {
  for (const Proto *proto = unit->protos; proto != NULL; proto = proto->next)
    proto_mark(marker, proto);
}

void unit_mark(GcMarker *marker, CodeUnit *unit) {
  // RMW: one of several workers does it. They meet in find_work
  if (rt_exchange(&unit->marked, 1u) == 0) mark_protos(marker, unit);
}

void unit_touch_trace(GcMarker *marker, const Trace *trace) {
  if (trace == NULL) return;
  unit_touch(marker, trace->created_in);
  unit_touch_trace(marker, trace->raised);
  for (uint32_t n = 0; n < trace->count; n++)
    unit_touch(marker, trace->frames[n].proto);
}

void unit_touch_places(GcMarker *marker, const ObjRaw *places) {
  size_t size = places != NULL ? places->len : 0;
  for (size_t at = 0; at < size; at += sizeof(TraceFrame))
    unit_touch(marker,
               ((const TraceFrame *)(const void *)(places->data + at))->proto);
}

void units_mark_roots(GcMarker *marker, Vm *vm) {
  // relaxed: dump.c changes it, while the world is stopped or as its last user
  bool all = rt_load_relaxed(&vm->code_kept) != 0;
  for (CodeUnit *unit = vm->units; unit != NULL; unit = unit->next)
    if (all || unit == vm->unit) unit_mark(marker, unit);
}

void units_rescan(GcMarker *marker, const Vm *vm) {
  for (CodeUnit *unit = vm->units; unit != NULL; unit = unit->next)
    // relaxed: this marker is alone
    if (rt_load_relaxed(&unit->marked)) mark_protos(marker, unit);
}

// --- Names ------------------------------------------------------------------
// Takes the name at `hole` out: those after it move up, as far as they may.
static void forget_name(Vm *vm, uint32_t hole) {
  uint32_t mask = vm->names_cap - 1;
  RT_ASSERT((vm->names_cap & mask) == 0 && hole <= mask);
  RT_ASSERT(vm->names_count > 0 && vm->names[hole] != NULL);
  RT_ASSERT(vm->names[hole]->obj.flags & STRING_WEAK);
  for (uint32_t at = (hole + 1) & mask; vm->names[at] != NULL;
       at = (at + 1) & mask) {
    uint32_t home = vm->names[at]->obj.hash & mask;
    // its place must not lie between the hole and where it is
    if (((at - home) & mask) < ((at - hole) & mask)) continue;
    vm->names[hole] = vm->names[at];
    hole = at;
  }
  vm->names[hole] = NULL;
  vm->names_count--;
}

static void sweep_names(Vm *vm) {
  for (uint32_t at = 0; at < vm->names_cap; at++)
    while (vm->names[at] != NULL && !gc_is_marked(vm->names[at]))
      forget_name(vm, at);
}

// --- Freeing: the world is stopped ------------------------------------------
void protos_free(Proto *first) {
  Proto *next;
  for (Proto *proto = first; proto != NULL; proto = next) {
    next = proto->next;
    if (proto->flags & PROTO_LASTING) continue;
    mem_free(proto->code);
    mem_free(proto->constants);
    mem_free((void *)proto->lines);
    mem_free(proto->variables);
    mem_free(proto->upvalues);
    mem_free(proto->param_names);
    mem_free(proto);
  }
}

static void free_unit(Vm *vm, CodeUnit *unit) {
  RT_ASSERT(unit != vm->unit && unit->marked == 0);
  protos_free(unit->protos);
  heap_give_other(vm->heap, unit->bytes);
  mem_free(unit);
}

void units_sweep(Vm *vm) {
  for (CodeUnit **at = &vm->units; *at != NULL;) {
    CodeUnit *unit = *at;
    // RMW: for brevity. The world is stopped, the markers have met
    if (rt_exchange(&unit->marked, 0u)) {
      at = &unit->next;
    } else {
      *at = unit->next;
      free_unit(vm, unit);
    }
  }
  sweep_names(vm);
}

void units_free_all(Vm *vm) {
  while (vm->units != NULL) {
    CodeUnit *unit = vm->units;
    vm->units = unit->next;
    protos_free(unit->protos);
    mem_free(unit);
  }
  vm->unit = NULL;
}
