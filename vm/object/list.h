// SPDX-License-Identifier: MIT
// The functions of list.c that other files call.
#ifndef CSP_VM_OBJECT_LIST_H
#define CSP_VM_OBJECT_LIST_H

#include "vm/heap/local.h"

// Whether len is within cap, and cap within the memory. Both at any time, by
// any thread: others may change the list meanwhile.
bool values_is_valid(const ObjValues *block);
bool list_is_valid(const ObjList *list);
ObjList *list_new(Local *local, size_t cap);      // NULL: out of memory
ObjValues *values_new(Local *local, size_t cap);  // all nil, len 0
// Its words are nil, or, in fresh memory, zeros: that of large ones is not
// touched before it is used. len 0.
ObjValues *values_new_room(Local *local, size_t cap);
bool list_push(Local *local, ObjList *list, Value v);  // false: out of memory
bool list_append(Local *local, ObjList *list, const Value *from, size_t count);
bool list_insert(Local *local, ObjList *list, size_t at, Value v);
void list_remove(Local *local, ObjList *list, size_t at, size_t count);
// A consistent view: block, and length clamped to its capacity.
static inline ObjValues *list_block(const ObjList *list) {
  return heap_load(&list->block);
}
static inline size_t values_len(const ObjValues *block) {
  // Never above cap, as each store has compared with the same block's.
  // relaxed: see list.c; clamped where slots are read
  return (size_t)rt_load_relaxed(&block->len);
}

#endif
