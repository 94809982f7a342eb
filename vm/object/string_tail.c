// SPDX-License-Identifier: MIT
// Strings that grow by appending: `s += piece` in a loop takes linear time.
//
// The bytes of such strings are in an ObjRaw, the block, that has room after
// them. Each string is a head: a length, and where the block's bytes are. The
// longest string of a block ends where its `len` does. An append to that string
// takes the room after it and makes a new head. An append to another one, or
// without room, copies into a new block, which has half as much more as is
// needed. The strings of a block are at least as long as the first one. So each
// keeps less than twice the memory alive that it would take alone.
//
// The first `+` makes an ordinary string (STRING_JOINED) and only the next one
// a block, as most strings are joined once. Short ones are copied, always.
//
// What always holds: a head's bytes are written before it is shown, and never
// again. `len` of a block grows by compare-and-swap from the end of the string
// that is appended to. So of two threads that append to one string one takes
// the room, and the other copies.
//
// A NUL follows the longest string of a block only, until that grows. The
// functions of csp.h promise one, and bytes that stay. So they settle a string
// first. The longest one closes its block, so that nothing is appended to it.
// Another gets a block of its own, a copy that is closed from the start.
#include "vm/object/string_tail.h"

#include "vm/heap/span.h"
#include "vm/heap/work.h"
#include "vm/object/string.h"

// ObjRaw.len of a block that is closed has this bit.
#define TAIL_CLOSED ((uint64_t)1 << 63)

// Sets where the bytes of `string` are. false: too far away, which needs a heap
// of 16 GB.
static bool place_bytes(const ObjString *string, const ObjRaw *block,
                        int32_t *at) {
  intptr_t away = ((intptr_t)block->data - (intptr_t)string) / 8;
  *at = (int32_t)away;
  return away == *at;
}

static ObjString *make_head(Local *local, const ObjRaw *block, size_t len) {
  ObjString *string =
      (ObjString *)heap_alloc(&local->heap, sizeof *string, OBJ_STRING);
  if (string == NULL || !place_bytes(string, block, &string->at)) return NULL;
  string->obj.flags = STRING_TAIL;
  string->len = (uint32_t)len;
  return string;
}

// --- Appending --------------------------------------------------------------
static bool tail_has_room(const ObjString *base, size_t len) {
  if (!(base->obj.flags & STRING_TAIL)) return false;
  const ObjRaw *block = string_block(base);
  // relaxed: a hint. The RMW in grow_tail decides
  return len < block->cap && rt_load_relaxed(&block->len) == base->len;
}

// In the block of base, which has room. NULL: no memory, or somebody was first.
static ObjString *grow_tail(Local *local, const ObjString *base, size_t len) {
  ObjRaw *block = string_block(base);
  ObjString *string = make_head(local, block, len);
  uint64_t end = base->len;
  // RMW: one of two threads takes the room. It orders nothing, as nobody else
  // looks at the bytes after the end
  if (string == NULL || !rt_cas(&block->len, &end, (uint64_t)len)) return NULL;
  return string;
}

// Half more, unless the heap gives twice the memory for that. (With an eighth,
// four times as many bytes are copied, to memory that is new to the system.)
static size_t size_with_room(size_t size) {
  size_t most = 2 * heap_size_for(size), more = size + size / 2;
  return heap_size_for(more) < most ? more : most / 2;
}

// In a new block with room for more. NULL: no memory, or given up.
static ObjString *begin_block(Local *local, size_t len) {
  size_t size = size_with_room(sizeof(ObjRaw) + len + 1);
  if (size >= WORK_BIG && !work_before_big(local)) return NULL;
  ObjRaw *block = (ObjRaw *)heap_alloc(&local->heap, size, OBJ_RAW);
  if (block == NULL) return NULL;
  block->cap = heap_size_of(block) - sizeof *block;
  block->len = len;
  return make_head(local, block, len);
}

// *have: whether the bytes of base are there.
static ObjString *tail_room(Local *local, const ObjString *base, size_t len,
                            bool *have) {
  ObjString *string = NULL;
  *have = false;
  if (len > STRING_LEN_MAX) return NULL;  // whatever room there is
  if (tail_has_room(base, len)) string = grow_tail(local, base, len);
  *have = string != NULL;
  if (string == NULL) string = begin_block(local, len);
  if (string == NULL) return string_alloc(local, len);
  string_data(string)[len] = '\0';
  return string;
}

ObjString *string_tail_join(Local *local, const ObjString *a,
                            const ObjString *b) {
  RT_ASSERT(string_is_valid(a) && string_is_valid(b) && b->len > 0);
  bool have;
  ObjString *string = tail_room(local, a, (size_t)a->len + b->len, &have);
  if (string == NULL) return NULL;
  char *data = string_data(string);
  bool copied = (have || work_copy(local, data, string_data(a), a->len)) &&
                work_copy(local, data + a->len, string_data(b), b->len);
  return copied ? string : NULL;
}

// --- The NUL ----------------------------------------------------------------
// The copy is nobody's until `at` says where it is. `before` is what `at` was
// when the caller looked at the block. If another thread has moved the string
// since then, its copy is as good, and stays: somebody may know where it is.
static bool move_away(ObjString *string, int32_t before) {
  ObjRaw *block = (ObjRaw *)heap_alloc_shared(
      heap_vm_of(string)->heap, sizeof(ObjRaw) + string->len + 1, OBJ_RAW);
  int32_t at;
  if (block == NULL || !place_bytes(string, block, &at)) return false;
  block->cap = string->len + 1;
  block->len = string->len | TAIL_CLOSED;
  memcpy(block->data, string_data(string), string->len);
  block->data[string->len] = '\0';
  // RMW, release: shows the copy. Pairs with heap_load in string_data
  rt_cas(&string->at, &before, at);
  return true;
}

bool string_tail_settle(ObjString *string) {
  RT_ASSERT(string_is_valid(string));
  int32_t at = heap_load(&string->at);  // first: the block may be newer
  ObjRaw *block = string_block(string);
  uint64_t len = string->len, end = len;
  // RMW: no append (grow_tail) takes what follows. It orders nothing, as the
  // string's bytes and the NUL were shown with it
  if (rt_cas(&block->len, &end, len | TAIL_CLOSED)) return true;
  return end == (len | TAIL_CLOSED) || move_away(string, at);
}

// --- Validity ---------------------------------------------------------------
bool string_tail_is_valid(const ObjString *string) {
  const ObjRaw *block = string_block(string);
  // relaxed: grow_tail stores it, and it only grows
  uint64_t end = rt_load_relaxed(&block->len) & ~TAIL_CLOSED;
  return block->obj.type == OBJ_RAW && string->len <= end && end < block->cap &&
         sizeof *block + block->cap <= heap_size_of(block);
}
