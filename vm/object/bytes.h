// SPDX-License-Identifier: MIT
// Bytes, which are as lists (list.h), but of single bytes. Any goroutine may
// call these at once. Updates may be lost then.
#ifndef CSP_VM_OBJECT_BYTES_H
#define CSP_VM_OBJECT_BYTES_H

#include "vm/heap/local.h"

// As list_is_valid.
bool bytes_is_valid(const ObjBytes *bytes);
ObjBytes *bytes_new(Local *local, size_t len);  // zeroed
void bytes_cut(ObjBytes *bytes, size_t len);    // nobody else has seen them
bool bytes_append(Local *local, ObjBytes *bytes, const void *from,
                  size_t count);
static inline ObjRaw *bytes_block(const ObjBytes *bytes) {
  return heap_load(&bytes->block);
}
static inline size_t raw_len(const ObjRaw *block) {
  // relaxed: bytes_append and bytes_cut store it. Read once, and clamped
  uint64_t len = rt_load_relaxed(&block->len);
  return (size_t)(len <= block->cap ? len : block->cap);
}

#endif
