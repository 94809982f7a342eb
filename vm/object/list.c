// SPDX-License-Identifier: MIT
// Lists: a pointer to a block of values that carries its own length.
//
// Any goroutine may call any of these at once on one list: updates can be
// lost, but every slot always holds some value, and index and bound come from
// the same block. So: slots are nil before a length covers them, moves go
// word by word (heap_store, heap_load), growing publishes a new block.
//
// What adds to a list looks, before it is done, whether block and length are
// still those that it began with. If not, others have changed the list at once.
// Then it fails, and Local.raced tells why. That is no lock: a race between
// this look and the store of the length is not seen, nor are races of what
// removes, or in a ring.
//
// The block of a large list has fresh memory of its own. `cap` covers only the
// beginning of what is not used yet, and moves on as the list grows: the
// collector looks at all words up to cap, and need not touch those after it. A
// cap never becomes smaller.
//
// The block of a list that has grown large grows in place from then on, by a
// little at a time (heap_grow). So no old blocks wait for a collection, and
// about as much memory is taken as there are elements.
#include "vm/object/list.h"
#include "vm/heap/local.h"
#include "vm/heap/span.h"
#include "vm/heap/work.h"

#define CAP_MAX ((size_t)1 << 40)
enum {
  COVERED = 8192,           // values
  GROWING_MIN = 2 << 20,    // bytes, from which on a block grows in place
  GROWING_ABOUT = 1 << 20,  // the same where it is made for that. No copies are
                            // made before, so it does sooner
};

// --- Blocks -----------------------------------------------------------------
static size_t block_size(size_t cap) {
  return sizeof(ObjValues) + cap * sizeof(Value);
}

static bool before_block(Local *local, size_t cap) {
  return cap < WORK_BIG / sizeof(Value) ||
         (cap <= CAP_MAX && work_before_big(local));
}

// A block without its slots set; cap rounded up to what the memory holds.
static ObjValues *values_alloc(Local *local, size_t cap) {
  if (!before_block(local, cap)) return NULL;
  cap |= 1;  // header and slots together fill 16-byte units
  ObjValues *block =
      (ObjValues *)heap_alloc(&local->heap, block_size(cap), OBJ_VALUES);
  if (block == NULL) return NULL;
  block->cap = cap;
  block->len = 0;
  RT_ASSERT(values_is_valid(block));
  return block;
}

// A block that may grow in place. NULL, too, if there is no room for that.
static ObjValues *values_alloc_growing(Local *local, size_t cap) {
  if (!before_block(local, cap)) return NULL;
  cap |= 1;
  ObjValues *block = (ObjValues *)heap_alloc_growing(
      &local->heap, block_size(cap), OBJ_VALUES);
  if (block == NULL) return NULL;
  block->cap = cap;
  block->len = 0;
  RT_ASSERT(values_is_valid(block));
  return block;
}

// Work to write a slot; the memory is new to the system, as a rule.
enum { SLOT_UNITS = 2 };

// Before the block is published.
static bool set_nil(Local *local, Value *slots, size_t count) {
  for (size_t i = 0; i < count;) {
    size_t turns = work_turns(count - i);
    for (size_t end = i + turns; i < end; i++) slots[i] = VALUE_NIL;
    if (!work_part(local, turns * SLOT_UNITS, i < count)) return false;
  }
  return true;
}

ObjValues *values_new(Local *local, size_t cap) {
  ObjValues *block = values_alloc(local, cap);
  return block != NULL && set_nil(local, block->slots, block->cap) ? block
                                                                   : NULL;
}

// Before `to` is in the length of a list that others see.
static bool move_values(Local *local, Value *to, const Value *from,
                        size_t count) {
  for (size_t i = 0; i < count;) {
    size_t turns = work_turns(count - i);
    for (size_t end = i + turns; i < end; i++)
      heap_store(&local->heap, &to[i], heap_load(&from[i]));
    if (!work_part(local, turns * SLOT_UNITS, i < count)) return false;
  }
  return true;
}

bool values_copy(Local *local, Value *to, const ObjValues *from, size_t at,
                 size_t count) {
  while (count > 0) {
    ValueRun run = values_run(from, at, count);
    if (!move_values(local, to, run.from, run.count)) return false;
    to += run.count;
    at += run.count;
    count -= run.count;
  }
  return true;
}

// Nobody reads these slots before they are set, and the collector takes nil and
// zeros for nothing. So fresh memory is not touched here: that is some
// milliseconds for a million words.
bool values_set_nothing(Local *local, const Obj *obj, Value *slots,
                        size_t count) {
  return heap_zeroed_size(obj) > 0 || set_nil(local, slots, count);
}

ObjValues *values_new_room(Local *local, size_t cap) {
  ObjValues *block = values_alloc(local, cap);
  return block != NULL && values_set_nothing(local, &block->obj, block->slots,
                                             block->cap)
             ? block
             : NULL;
}

// Before the block is published: `from` on are free.
static void cover_part(ObjValues *block, size_t from) {
  RT_ASSERT(from <= block->cap);
  if (heap_zeroed_size(&block->obj) > 0 && block->cap - from > COVERED)
    block->cap = from + COVERED;
}

// How many values the block has memory for that was zeros.
static size_t fresh_cap(const ObjValues *block) {
  size_t bytes = heap_zeroed_size(&block->obj);
  return bytes > 0 ? (bytes - sizeof *block) / sizeof(Value) : 0;
}

// Covers `need` values if the memory is there, or can be had in place. Others
// may do it at once.
static bool cover(Local *local, ObjValues *block, size_t need) {
  size_t all = fresh_cap(block);
  if (need > all) {
    if (all == 0 || !heap_grow(&local->heap, &block->obj, block_size(need)))
      return false;
    all = fresh_cap(block);
  }
  uint64_t cap = all - need > COVERED ? need + COVERED : all;
  // relaxed: what it covers is zeros, or was stored by the push that moved it
  // further in cover
  uint64_t old = rt_load_relaxed(&block->cap);
  // RMW: of two threads in cover the greater cap stays
  while (old < cap && !rt_cas(&block->cap, &old, cap)) {
  }
  RT_ASSERT(values_is_valid(block) && need <= cap);
  return true;
}

// --- Lists ------------------------------------------------------------------
static ObjList *list_of(Local *local, ObjValues *block) {
  if (block == NULL) return NULL;
  cover_part(block, 0);
  ObjList *list =
      (ObjList *)heap_alloc(&local->heap, sizeof(ObjList), OBJ_LIST);
  if (list != NULL) list->block = block;
  RT_ASSERT(list == NULL || list_is_valid(list));
  return list;
}

ObjList *list_new(Local *local, size_t cap) {
  return list_of(local, values_new_room(local, cap));
}

ObjList *list_new_growing(Local *local, size_t cap, size_t about) {
  if (about > CAP_MAX || block_size(about) < GROWING_ABOUT)
    return list_new(local, cap);
  ObjValues *block = values_alloc_growing(local, cap);
  return block != NULL ? list_of(local, block) : list_new(local, cap);
}

// A plain copy of the block with room for `need` values, not published yet.
static ObjValues *values_grown(Local *local, const ObjValues *old, size_t len,
                               size_t need) {
  RT_ASSERT(len <= need);
  size_t cap = len < 4096 ? len * 2 + 1 : len + len / 2;
  if (cap < need) cap = need;
  ObjValues *block = NULL;
  if (block_size(need) >= GROWING_MIN && need <= CAP_MAX)
    block = values_alloc_growing(local, need);
  if (block == NULL) block = values_alloc(local, cap);
  if (block == NULL) return NULL;
  if (!values_copy(local, block->slots, old, 0, len) ||
      !values_set_nothing(local, &block->obj, block->slots + len,
                          block->cap - len))
    return NULL;
  cover_part(block, need);
  block->len = len;
  RT_ASSERT(values_is_valid(block) && need <= block->cap);
  return block;
}

// Publishes a block, or a ring. false: there is none.
static bool list_show(Local *local, ObjList *list, void *block) {
  if (block == NULL) return false;
  heap_store_ptr(&local->heap, &list->block, (ObjValues *)block);
  RT_ASSERT(list_is_valid(list));
  return true;
}

// false: others have changed the list since it was read.
static inline bool is_unraced(Local *local, const ObjList *list,
                              const ObjValues *block, size_t len) {
  // relaxed: a hint. list_push and its neighbours store it
  if (__builtin_expect(
          list_block(list) == block && rt_load_relaxed(&block->len) == len, 1))
    return true;
  local->raced = true;
  return false;
}

// The list's block, which is plain, with room for `more` values after `len`.
// NULL: no memory, or others change the list.
static ObjValues *list_reserve(Local *local, ObjList *list, size_t more,
                               size_t *len) {
  RT_ASSERT(list_is_valid(list));
  ObjValues *block = list_block(list);
  *len = values_plain_len(block);
  if (more > CAP_MAX) return NULL;
  // relaxed: any cap that cover has stored. It may be below a newer length
  if (*len + more <= rt_load_relaxed(&block->cap)) return block;
  if (cover(local, block, *len + more)) return block;
  ObjValues *grown = values_grown(local, block, *len, *len + more);
  if (grown == NULL || !is_unraced(local, list, block, *len)) return NULL;
  return list_show(local, list, grown) ? grown : NULL;
}

// --- Lists that are queues --------------------------------------------------
static ObjRing *list_ring(const ObjList *list) {
  ObjValues *block = list_block(list);
  return values_is_ring(block) ? (ObjRing *)(void *)block : NULL;
}

// The list's ring with room for `more` values. NULL: no memory, or it is none
// any more.
static ObjRing *list_ring_with_room(Local *local, ObjList *list, size_t more) {
  ObjRing *ring = list_ring(list);
  if (ring == NULL || more > CAP_MAX) return NULL;
  size_t len = value_ring_len(ring);
  if (len + more <= ring->mask + 1) return ring;
  ring = value_ring_new(local, (ObjValues *)(void *)ring, len, len + more);
  return list_show(local, list, ring) ? ring : NULL;
}

static bool list_ring_append(Local *local, ObjList *list, const Value *from,
                             size_t count) {
  ObjRing *ring = list_ring_with_room(local, list, count);
  if (ring == NULL) return false;
  for (size_t i = 0; i < count;) {
    size_t turns = work_turns(count - i);
    for (size_t end = i + turns; i < end; i++)
      value_ring_insert(local, ring, SIZE_MAX, heap_load(&from[i]));
    if (!work_part(local, turns, i < count)) return false;
  }
  return true;
}

void list_settle(Local *local, ObjList *list) {
  const ObjRing *ring = list_ring(list);
  if (ring == NULL) return;
  size_t len = value_ring_len(ring);
  if (len >= VALUE_RING_LEAST / 4 && !value_ring_is_read(ring)) return;
  const ObjValues *block = (const ObjValues *)(const void *)ring;
  list_show(local, list, values_grown(local, block, len, len));
}

// Before a value is put in at `at`, or `count` are taken out. A plain block
// whose front was used before while it was long becomes a ring.
static void list_use(Local *local, ObjList *list, size_t at, size_t count) {
  enum { NEAR_FRONT = 8, USES = 4 };
  list_settle(local, list);
  ObjValues *block = list_block(list);
  size_t len = values_plain_len(block);
  if (at >= NEAR_FRONT || len < VALUE_RING_LEAST || count >= len - at) return;
  // relaxed, both: a count of this function's alone, of which writers that race
  // may lose some
  uint16_t uses = rt_load_relaxed(&block->obj.aux);
  if (uses >= USES)
    list_show(local, list, value_ring_new(local, block, len, len + 1));
  else
    rt_store_relaxed(&block->obj.aux, (uint16_t)(uses + 1));
}

// A ring of which little is used becomes a smaller one, if the memory is there.
static void list_ring_shrink(Local *local, ObjList *list) {
  enum { SHARE = 8, ROOM = 2 };
  const ObjRing *ring = list_ring(list);
  if (ring == NULL) return;
  size_t len = value_ring_len(ring);
  if (ring->mask < VALUE_RING_LEAST || len > ring->mask / SHARE) return;
  const ObjValues *block = (const ObjValues *)(const void *)ring;
  list_show(local, list, value_ring_new(local, block, len, len * ROOM));
}

// --- Changing lists ---------------------------------------------------------
bool list_append(Local *local, ObjList *list, const Value *from, size_t count) {
  if (values_is_ring(list_block(list))) list_settle(local, list);
  if (values_is_ring(list_block(list)))
    return list_ring_append(local, list, from, count);
  size_t len;
  ObjValues *block = list_reserve(local, list, count, &len);
  if (block == NULL) return false;
  if (!move_values(local, &block->slots[len], from, count) ||
      !is_unraced(local, list, block, len))
    return false;
  // release: as in list_push
  rt_store_release(&block->len, len + count);
  RT_ASSERT(values_is_valid(block));
  return true;
}

bool list_append_part(Local *local, ObjList *list, const ObjValues *block,
                      size_t at, size_t count) {
  while (count > 0) {
    ValueRun run = values_run(block, at, count);
    if (!list_append(local, list, run.from, run.count)) return false;
    at += run.count;
    count -= run.count;
  }
  return true;
}

bool list_push(Local *local, ObjList *list, Value v) {
  RT_ASSERT(list_is_valid(list));
  ObjValues *block = list_block(list);
  size_t len = values_plain_len(block);
  // relaxed: as in list_reserve
  if (__builtin_expect(len >= rt_load_relaxed(&block->cap), 0))
    return list_append(local, list, &v, 1);
  heap_store(&local->heap, &block->slots[len], v);
  if (!is_unraced(local, list, block, len)) return false;
  // release: cap was seen, or moved, to cover it. Pairs with the acquire in
  // values_is_valid. Readers need no order: one that sees it early finds nil
  // (in fresh memory 0), or the value, whose object heap_store has published
  rt_store_release(&block->len, len + 1);
  RT_ASSERT(values_is_valid(block));
  return true;
}

// Elements [at, len) one up, or [at + count, len) down by count. A call that is
// given up goes on with it, because a list that is moved by half has lost an
// element, and moving back takes as long. Others are served between its parts.
static void move_up(Local *local, ObjValues *block, size_t at, size_t len) {
  Value *slots = block->slots;
  for (size_t i = len; i > at;) {
    size_t turns = work_turns(i - at);
    for (size_t end = i - turns; i > end; i--)
      heap_store(&local->heap, &slots[i], heap_load(&slots[i - 1]));
    work_part(local, turns, i > at);
  }
}

static void move_down(Local *local, ObjValues *block, size_t at, size_t count,
                      size_t len) {
  Value *slots = block->slots;
  for (size_t i = at; i + count < len;) {
    size_t turns = work_turns(len - count - i);
    for (size_t end = i + turns; i < end; i++)
      heap_store(&local->heap, &slots[i], heap_load(&slots[i + count]));
    work_part(local, turns, i + count < len);
  }
}

bool list_insert(Local *local, ObjList *list, size_t at, Value v) {
  RT_ASSERT(list_is_valid(list));
  list_use(local, list, at, 0);
  ObjRing *ring = list_ring(list);
  if (ring != NULL) {
    ring = list_ring_with_room(local, list, 1);
    if (ring != NULL) value_ring_insert(local, ring, at, v);
    return ring != NULL;
  }
  size_t len;
  ObjValues *block = list_reserve(local, list, 1, &len);
  if (block == NULL) return false;
  if (at > len) at = len;
  move_up(local, block, at, len);
  heap_store(&local->heap, &block->slots[at], v);
  if (!is_unraced(local, list, block, len)) return false;
  // release: as in list_push
  rt_store_release(&block->len, len + 1);
  RT_ASSERT(values_is_valid(block));
  return true;
}

static void remove_plain(Local *local, ObjValues *block, size_t at,
                         size_t count) {
  size_t len = values_plain_len(block);
  if (at >= len) return;
  if (count > len - at) count = len - at;
  move_down(local, block, at, count, len);
  for (size_t i = len - count; i < len; i++)
    heap_store(&local->heap, &block->slots[i], VALUE_NIL);
  // release: as in list_push. `len` was covered when it was stored, and this
  // one depends on it
  rt_store_release(&block->len, len - count);
  RT_ASSERT(values_is_valid(block));
  work_charge(local, count);
}

void list_remove(Local *local, ObjList *list, size_t at, size_t count) {
  RT_ASSERT(list_is_valid(list));
  list_use(local, list, at, count);
  ObjValues *block = list_block(list);
  size_t len = values_len(block);
  // What is taken off a long list is not made nil element by element.
  if (at == 0 && count >= len && len > COVERED &&
      list_show(local, list, values_new_room(local, 0)))
    return;
  if (!values_is_ring(block)) {
    remove_plain(local, block, at, count);
    return;
  }
  value_ring_remove(local, (ObjRing *)(void *)block, at, count);
  list_ring_shrink(local, list);
}

// --- Validity ---------------------------------------------------------------
bool values_is_valid(const ObjValues *block) {
  if (block == NULL || block->obj.type != OBJ_VALUES) return false;
  // acquire: cap was moved on before the length that needs it was stored. Pairs
  // with the release in list_push and its neighbours
  uint64_t len = rt_load_acquire(&block->len);
  // acquire: stays after the length. The memory was there before the cap was
  // moved. Pairs with the RMW in cover
  uint64_t cap = rt_load_acquire(&block->cap);
  uint64_t room = (heap_size_of(block) - sizeof *block) / sizeof(Value);
  return len <= cap && cap <= room;
}

bool list_is_valid(const ObjList *list) {
  if (list == NULL || list->obj.type != OBJ_LIST) return false;
  const ObjValues *block = list_block(list);  // once: others may change it
  return values_is_ring(block)
             ? value_ring_is_valid((const ObjRing *)(const void *)block)
             : values_is_valid(block);
}

#undef CAP_MAX
