// SPDX-License-Identifier: MIT
// Compiled functions: making and freeing them, and the places of their code.
//
// Only the compiler makes protos, one thread at a time; they live as long as
// their Vm, or their unit (unit.c).
#include "vm/code/proto.h"

#include "vm/heap/lasting.h"
#include "vm/heap/unit.h"

// --- Making and freeing -----------------------------------------------------
Proto *proto_new(Vm *vm) {
  Proto *proto = mem_zeroed(vm->memory, sizeof *proto);
  if (proto == NULL) return NULL;
  proto->nresults = NRESULTS_VARY;
  proto->unit = vm->unit;
  Proto **list = vm->unit != NULL ? &vm->unit->protos : &vm->protos;
  proto->next = *list;
  *list = proto;
  return proto;
}

Proto *proto_new_lasting(Vm *vm) {
  Proto *proto = lasting_alloc(vm, sizeof *proto);
  if (proto == NULL) return NULL;
  proto->flags = PROTO_LASTING;
  proto->nresults = NRESULTS_VARY;
  proto->next = vm->protos;
  vm->protos = proto;
  return proto;
}

ObjClosure *proto_self(Vm *vm, Proto *proto) {
  if (proto->self != NULL) return proto->self;
  ObjClosure *closure = (ObjClosure *)heap_alloc(
      &vm->boot->heap, sizeof(ObjClosure), OBJ_CLOSURE);
  if (closure == NULL) return NULL;
  closure->proto = proto;
  proto->self = closure;
  return closure;
}

void proto_free_all(Vm *vm) {
  units_free_all(vm);
  protos_free(vm->protos);
  vm->protos = NULL;
}

// --- Places -----------------------------------------------------------------
LineInfo proto_line(const Proto *proto, const Instr *pc) {
  uint32_t at = (uint32_t)(pc - proto->code);
  if (at >= proto->ncode) at = 0;  // the interpreter's own return places
  uint32_t low = 0, high = proto->nlines;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (proto->lines[middle].at <= at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return (LineInfo){.at = at};
  RT_ASSERT(proto->lines[low - 1].at <= at);
  return proto->lines[low - 1];
}
