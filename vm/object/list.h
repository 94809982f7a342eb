// SPDX-License-Identifier: MIT
// Lists. Each is a pointer to a block of values that carries its own length.
// Any goroutine may call these at once on one list. Updates may be lost then,
// but each slot always holds some value.
#ifndef CSP_VM_OBJECT_LIST_H
#define CSP_VM_OBJECT_LIST_H

#include "vm/heap/local.h"
#include "vm/object/value_ring.h"

// Whether len is within cap, and cap within the memory. Both at any time, by
// any thread: others may change the list meanwhile.
bool values_is_valid(const ObjValues *block);
bool list_is_valid(const ObjList *list);
ObjList *list_new(Local *local, size_t cap);  // NULL: out of memory
// The same for a list that is to become about so long. That is a guess: its
// memory is taken as it grows, in place where that can be.
ObjList *list_new_growing(Local *local, size_t cap, size_t about);
ObjValues *values_new(Local *local, size_t cap);  // all nil, len 0
// Its words are nil, or, in fresh memory, zeros: that of large ones is not
// touched before it is used. len 0.
ObjValues *values_new_room(Local *local, size_t cap);
bool list_push(Local *local, ObjList *list, Value v);  // false: out of memory
bool list_append(Local *local, ObjList *list, const Value *from, size_t count);
// Of a block that list_block has given, plain or a ring.
bool list_append_part(Local *local, ObjList *list, const ObjValues *block,
                      size_t at, size_t count);
bool list_insert(Local *local, ObjList *list, size_t at, Value v);
// A ring that does no better than a plain block becomes one, if the memory is
// there. Call it before a write, or before a loop over many elements.
void list_settle(Local *local, ObjList *list);
void list_remove(Local *local, ObjList *list, size_t at, size_t count);

// --- What is in a list ------------------------------------------------------
// A consistent view: block, and length clamped to its capacity.
static inline ObjValues *list_block(const ObjList *list) {
  return heap_load(&list->block);
}
// The elements of a list or tuple. NULL: it is neither.
static inline const ObjValues *sequence_block(Value v) {
  if (!value_is_obj(v)) return NULL;
  const Obj *obj = value_obj(v);
  if (obj->type == OBJ_LIST) return list_block((const ObjList *)obj);
  return obj->type == OBJ_TUPLE ? &((const ObjTuple *)obj)->values : NULL;
}
static inline bool values_is_ring(const ObjValues *block) {
  return block->obj.type == OBJ_RING;
}
// How many there are in slots[0] and on: 0 of a ring.
static inline size_t values_plain_len(const ObjValues *block) {
  // Never above cap, as each store has compared with the same block's.
  // relaxed: see list.c. Clamped where slots are read
  return (size_t)rt_load_relaxed(&block->len);
}
static inline size_t values_len(const ObjValues *block) {
  size_t len = values_plain_len(block);
  if (len > 0 || !values_is_ring(block)) return len;
  return value_ring_len((const ObjRing *)(const void *)block);
}
// Where element `at` is. NULL: there is none.
static inline Value *values_at(const ObjValues *block, size_t at) {
  ObjValues *changed = (ObjValues *)(uintptr_t)block;
  if (__builtin_expect(at < values_plain_len(block), 1))
    return &changed->slots[at];
  return values_is_ring(block) ? value_ring_at((ObjRing *)(void *)changed, at)
                               : NULL;
}
// The elements from `at` on that lie side by side, `most` at most; `at + most`
// is within the length.
static inline ValueRun values_run(const ObjValues *block, size_t at,
                                  size_t most) {
  if (values_is_ring(block))
    return value_ring_run((const ObjRing *)(const void *)block, at, most);
  return (ValueRun){&block->slots[at], most};
}

// --- Blocks that nobody sees yet ------------------------------------------
// Elements [at, at + count) of `from` to slots that nobody sees yet. false:
// given up.
bool values_copy(Local *local, Value *to, const ObjValues *from, size_t at,
                 size_t count);
// Slots of a new object that hold nothing: nil, or untouched zeros.
bool values_set_nothing(Local *local, const Obj *obj, Value *slots,
                        size_t count);

#endif
