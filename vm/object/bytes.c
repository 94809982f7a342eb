// SPDX-License-Identifier: MIT
// Bytes: like lists (list.c), of single bytes.
#include "vm/object/bytes.h"
#include "vm/heap/local.h"
#include "vm/heap/span.h"
#include "vm/heap/work.h"

#define CAP_MAX ((size_t)1 << 40)

static bool raw_is_valid(const ObjRaw *block) {
  // relaxed: cap never changes, and each length that is stored is within it.
  // Pairs with the store in bytes_append
  return block != NULL && block->obj.type == OBJ_RAW &&
         rt_load_relaxed(&block->len) <= block->cap &&
         block->cap <= heap_size_of(block) - sizeof *block;
}

bool bytes_is_valid(const ObjBytes *bytes) {
  return bytes != NULL && bytes->obj.type == OBJ_BYTES &&
         raw_is_valid(bytes_block(bytes));
}

static ObjRaw *raw_alloc(Local *local, size_t cap) {
  if (cap >= WORK_BIG && (cap > CAP_MAX || !work_before_big(local)))
    return NULL;
  cap = ((sizeof(ObjRaw) + cap + 15) & ~(size_t)15) - sizeof(ObjRaw);
  ObjRaw *block =
      (ObjRaw *)heap_alloc(&local->heap, sizeof(ObjRaw) + cap, OBJ_RAW);
  if (block == NULL) return NULL;
  block->cap = cap;
  block->len = 0;
  RT_ASSERT(raw_is_valid(block));
  return block;
}

enum { RAW_PIECE = 1 << 16 };

static void copy_piece(uint8_t *to, const uint8_t *from, size_t count) {
#ifdef CSP_TSAN
  for (size_t i = 0; i < count; i++)
    // relaxed, both: each byte is whole, whichever of those that other
    // goroutines store in here or in access.c
    rt_store_relaxed(&to[i], rt_load_relaxed(&from[i]));
#else
  memcpy(to, from, count);
#endif
}

// Copies bytes that others may write at the same time. false: given up.
static bool copy(Local *local, uint8_t *to, const uint8_t *from, size_t count) {
  for (size_t at = 0; at < count; at += RAW_PIECE) {
    size_t n = count - at < RAW_PIECE ? count - at : RAW_PIECE;
    copy_piece(to + at, from + at, n);
    if (!work_part(local, n / WORK_NEW_BYTES, at + RAW_PIECE < count))
      return false;
  }
  return true;
}

// Memory that is fresh need not be touched.
static bool zero(Local *local, ObjRaw *block, size_t from) {
  uint8_t *to = block->data + from;
  size_t count = heap_zeroed_size(&block->obj) > 0 ? 0 : block->cap - from;
  for (size_t at = 0; at < count; at += RAW_PIECE) {
    size_t n = count - at < RAW_PIECE ? count - at : RAW_PIECE;
    memset(to + at, 0, n);
    if (!work_part(local, n / WORK_NEW_BYTES, at + RAW_PIECE < count))
      return false;
  }
  return true;
}

ObjBytes *bytes_new(Local *local, size_t len) {
  ObjRaw *block = raw_alloc(local, len);
  if (block == NULL) return NULL;
  if (!zero(local, block, 0)) return NULL;
  block->len = len;
  ObjBytes *bytes =
      (ObjBytes *)heap_alloc(&local->heap, sizeof(ObjBytes), OBJ_BYTES);
  if (bytes != NULL) bytes->block = block;
  RT_ASSERT(bytes == NULL || bytes_is_valid(bytes));
  return bytes;
}

// A copy with room for `need` bytes, not published yet.
static ObjRaw *raw_grown(Local *local, ObjRaw *old, size_t len, size_t need) {
  RT_ASSERT(len <= need);
  size_t cap = len < 4096 ? len * 2 : len + len / 2;
  ObjRaw *block = raw_alloc(local, cap > need ? cap : need);
  if (block == NULL) return NULL;
  if (!copy(local, block->data, old->data, len) || !zero(local, block, len))
    return NULL;
  block->len = len;
  RT_ASSERT(raw_is_valid(block) && need <= block->cap);
  return block;
}

bool bytes_append(Local *local, ObjBytes *bytes, const void *from,
                  size_t count) {
  RT_ASSERT(bytes_is_valid(bytes));
  ObjRaw *block = bytes_block(bytes);
  size_t len = raw_len(block);
  if (count > block->cap - len) {
    if (count > CAP_MAX) return false;
    block = raw_grown(local, block, len, len + count);
    if (block == NULL) return false;
    heap_store_ptr(&local->heap, &bytes->block, block);
  }
  if (!copy(local, block->data + len, from, count)) return false;
  // relaxed: bytes need no publishing. raw_len reads it, and a reader that is
  // early finds zeros
  rt_store_relaxed(&block->len, len + count);
  RT_ASSERT(raw_is_valid(block));
  return true;
}

void bytes_cut(ObjBytes *bytes, size_t len) {
  RT_ASSERT(bytes_is_valid(bytes));
  ObjRaw *block = bytes_block(bytes);
  RT_ASSERT(len <= raw_len(block));
  // relaxed: nobody else reads it yet
  rt_store_relaxed(&block->len, len);
}

#undef CAP_MAX
