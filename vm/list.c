// SPDX-License-Identifier: MIT
// Lists: a pointer to a block of values that carries its own length.
//
// Any goroutine may call any of these at once on one list: updates can be
// lost, but every slot always holds some value, and index and bound come from
// the same block. So: slots are nil before a length covers them, moves go
// word by word (heap_store, heap_load), growing publishes a new block.
#include "vm/vm.h"

#define CAP_MAX ((size_t)1 << 40)

// A block without its slots set; cap rounded up to what the memory holds.
static ObjValues *values_alloc(Local *local, size_t cap) {
  if (cap > CAP_MAX) return NULL;
  cap |= 1;  // header and slots together fill 16-byte units
  ObjValues *block = (ObjValues *)heap_alloc(
      &local->heap, sizeof(ObjValues) + cap * sizeof(Value), OBJ_VALUES);
  if (!block) return NULL;
  block->cap = cap;
  block->len = 0;
  return block;
}

// Before the block is published.
static void set_nil(ObjValues *block, size_t from) {
  for (size_t i = from; i < block->cap; i++) block->slots[i] = VALUE_NIL;
}

ObjValues *values_new(Local *local, size_t cap) {
  ObjValues *block = values_alloc(local, cap);
  if (block) set_nil(block, 0);
  return block;
}

ObjList *list_new(Local *local, size_t cap) {
  ObjValues *block = values_new(local, cap);
  if (!block) return NULL;
  ObjList *list =
      (ObjList *)heap_alloc(&local->heap, sizeof(ObjList), OBJ_LIST);
  if (list) list->block = block;
  return list;
}

// A copy of the block with room for `need` values, not published yet.
static ObjValues *grown(Local *local, ObjValues *old, size_t len, size_t need) {
  size_t cap = len < 4096 ? len * 2 + 1 : len + len / 2;
  ObjValues *block = values_alloc(local, cap > need ? cap : need);
  if (!block) return NULL;
  for (size_t i = 0; i < len; i++) block->slots[i] = heap_load(&old->slots[i]);
  set_nil(block, len);
  block->len = len;
  charge_bytes(local, block->cap * sizeof(Value));
  return block;
}

// The list's block with room for `more` values after `len`; NULL: no memory.
static ObjValues *reserve(Local *local, ObjList *list, size_t more,
                          size_t *len) {
  ObjValues *block = list_block(list);
  *len = values_len(block);
  if (more <= block->cap - *len) return block;
  if (more > CAP_MAX) return NULL;
  block = grown(local, block, *len, *len + more);
  if (block) heap_store_ptr(&local->heap, &list->block, block);
  return block;
}

bool list_push(Local *local, ObjList *list, Value v) {
  size_t len;
  ObjValues *block = reserve(local, list, 1, &len);
  if (!block) return false;
  heap_store(&local->heap, &block->slots[len], v);
  rt_store_relaxed(&block->len, len + 1);
  return true;
}

bool list_append(Local *local, ObjList *list, const Value *from, size_t count) {
  size_t len;
  ObjValues *block = reserve(local, list, count, &len);
  if (!block) return false;
  for (size_t i = 0; i < count; i++)
    heap_store(&local->heap, &block->slots[len + i], heap_load(&from[i]));
  rt_store_relaxed(&block->len, len + count);
  return true;
}

bool list_insert(Local *local, ObjList *list, size_t at, Value v) {
  size_t len;
  ObjValues *block = reserve(local, list, 1, &len);
  if (!block) return false;
  if (at > len) at = len;
  for (size_t i = len; i > at; i--)
    heap_store(&local->heap, &block->slots[i], heap_load(&block->slots[i - 1]));
  heap_store(&local->heap, &block->slots[at], v);
  rt_store_relaxed(&block->len, len + 1);
  return true;
}

void list_remove(Local *local, ObjList *list, size_t at, size_t count) {
  ObjValues *block = list_block(list);
  size_t len = values_len(block);
  if (at >= len) return;
  if (count > len - at) count = len - at;
  for (size_t i = at; i + count < len; i++)
    heap_store(&local->heap, &block->slots[i],
               heap_load(&block->slots[i + count]));
  for (size_t i = len - count; i < len; i++)
    heap_store(&local->heap, &block->slots[i], VALUE_NIL);
  rt_store_relaxed(&block->len, len - count);
}
