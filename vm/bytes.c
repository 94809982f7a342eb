// SPDX-License-Identifier: MIT
// Bytes: like lists (list.c), of single bytes.
#include "vm/vm.h"

#define CAP_MAX ((size_t)1 << 40)

static ObjRaw *raw_alloc(Local *local, size_t cap) {
  if (cap > CAP_MAX) return NULL;
  cap = ((sizeof(ObjRaw) + cap + 15) & ~(size_t)15) - sizeof(ObjRaw);
  ObjRaw *block =
      (ObjRaw *)heap_alloc(&local->heap, sizeof(ObjRaw) + cap, OBJ_RAW);
  if (!block) return NULL;
  block->cap = cap;
  block->len = 0;
  return block;
}

// Copies bytes that others may write at the same time.
static void copy(uint8_t *to, const uint8_t *from, size_t count) {
#ifdef CSP_TSAN
  for (size_t i = 0; i < count; i++)
    rt_store_relaxed(&to[i], rt_load_relaxed(&from[i]));
#else
  if (count) memcpy(to, from, count);
#endif
}

ObjBytes *bytes_new(Local *local, size_t len) {
  ObjRaw *block = raw_alloc(local, len);
  if (!block) return NULL;
  memset(block->data, 0, block->cap);
  block->len = len;
  ObjBytes *b =
      (ObjBytes *)heap_alloc(&local->heap, sizeof(ObjBytes), OBJ_BYTES);
  if (b) b->block = block;
  return b;
}

// A copy with room for `need` bytes, not published yet.
static ObjRaw *grown(Local *local, ObjRaw *old, size_t len, size_t need) {
  size_t cap = len < 4096 ? len * 2 : len + len / 2;
  ObjRaw *block = raw_alloc(local, cap > need ? cap : need);
  if (!block) return NULL;
  copy(block->data, old->data, len);
  memset(block->data + len, 0, block->cap - len);
  block->len = len;
  return block;
}

bool bytes_append(Local *local, ObjBytes *b, const void *from, size_t count) {
  ObjRaw *block = bytes_block(b);
  size_t len = raw_len(block);
  if (count > block->cap - len) {
    if (count > CAP_MAX) return false;
    block = grown(local, block, len, len + count);
    if (!block) return false;
    heap_store_ptr(&local->heap, &b->block, block);
  }
  copy(block->data + len, from, count);
  rt_store_relaxed(&block->len, len + count);
  return true;
}
