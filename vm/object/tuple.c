// SPDX-License-Identifier: MIT
// Tuples: a number of values that never changes, compared by content.
//
// The maker writes the elements, and tuple_close looks at them once. It notes
// how deep tuples stand in each other, and what keeps the tuple from being a
// key. So later questions about these take no time. It also makes the hash of
// each tuple that is an element. So the hash of a tuple needs only what its own
// elements have cached. It takes no stack, and a tuple that stands in many
// places is walked once.
//
// Any thread may call these at once. A tuple is written before it is stored
// anywhere, and the store that publishes it (heap_store) publishes all of it.
// So its elements need no barrier and no order of their own. Elements that the
// collector is to keep are taken from objects and registers that it scans. Only
// the cached hash is stored later. It is one word, and the same whoever
// computes it.
#include "vm/object/tuple.h"

#include <math.h>

#include "vm/heap/span.h"
#include "vm/heap/work.h"
#include "vm/object/box.h"
#include "vm/object/compare.h"
#include "vm/object/host_type.h"
#include "vm/object/list.h"
#include "vm/object/map.h"

enum { ELEMENT_UNITS = 2 };

// --- Hashes -----------------------------------------------------------------
static uint32_t known_hash(const ObjTuple *tuple) {
  // relaxed: set_hash stores the same on all threads
  return rt_load_relaxed(&tuple->values.obj.hash);
}

static void set_hash(const ObjTuple *tuple, uint32_t hash) {
  uint32_t *cached = &((ObjTuple *)(uintptr_t)tuple)->values.obj.hash;
  rt_store_relaxed(cached, hash ? hash : 1);  // relaxed: as in known_hash
}

static uint32_t hash_next(Vm *vm, uint32_t hash, Value element) {
  return value_mix_hash(vm, (uint64_t)hash << 32 | value_hash(vm, element));
}

static uint32_t hash_first(Vm *vm, const ObjTuple *tuple) {
  return value_mix_hash(vm, tuple->values.len);
}

uint32_t tuple_hash(Vm *vm, const ObjTuple *tuple) {
  uint32_t hash = known_hash(tuple);
  if (hash != 0) return hash;
  hash = hash_first(vm, tuple);
  for (uint64_t i = 0; i < tuple->values.len; i++)
    hash = hash_next(vm, hash, tuple->values.slots[i]);
  set_hash(tuple, hash);
  return known_hash(tuple);
}

bool tuple_hash_ready(Local *local, const ObjTuple *tuple) {
  if (known_hash(tuple) != 0) return true;
  uint32_t hash = hash_first(local->vm, tuple);
  for (uint64_t i = 0; i < tuple->values.len; i++) {
    Value element = tuple->values.slots[i];
    // (A tuple among them has its hash.)
    if (!map_key_ready(local, element) || !work_on(local, ELEMENT_UNITS))
      return false;
    hash = hash_next(local->vm, hash, element);
  }
  set_hash(tuple, hash);
  return true;
}

// --- Making -----------------------------------------------------------------
// A tuple of `count` elements for its maker to write. Nobody else sees it
// before tuple_close. NULL: no memory.
static ObjTuple *tuple_alloc(Local *local, size_t count) {
  enum { COUNT_MAX_BITS = 40 };
  bool big = count >= WORK_BIG / sizeof(Value);
  if (big && (count >> COUNT_MAX_BITS || !work_before_big(local))) return NULL;
  ObjTuple *tuple = (ObjTuple *)heap_alloc(
      &local->heap, sizeof(ObjTuple) + count * sizeof(Value), OBJ_TUPLE);
  if (tuple == NULL) return NULL;
  tuple->values.cap = tuple->values.len = count;
  return tuple;
}

// Words side by side, as registers are. false: given up.
static bool put_words(Local *local, Value *to, const Value *from,
                      size_t count) {
  for (size_t i = 0; i < count;) {
    size_t turns = work_turns(count - i);
    for (size_t end = i + turns; i < end; i++) to[i] = heap_load(&from[i]);
    if (!work_part(local, turns * ELEMENT_UNITS, i < count)) return false;
  }
  return true;
}

// As values_copy, but nobody sees a tuple before it is complete, so its words
// need no heap_store.
static bool put_elements(Local *local, Value *to, const ObjValues *from,
                         size_t at, size_t count) {
  while (count > 0) {
    ValueRun run = values_run(from, at, count);
    if (!put_words(local, to, run.from, run.count)) return false;
    to += run.count;
    at += run.count;
    count -= run.count;
  }
  return true;
}

// What the element is to the tuple. false: given up.
static bool note_element(Local *local, Obj *tuple, Value element) {
  if (!value_is_obj(element)) return true;
  const Obj *obj = value_obj(element);
  if (obj->type == OBJ_FLOAT && isnan(value_float(element))) {
    tuple->flags |= TUPLE_NAN;
  } else if (obj->type == OBJ_BYTES) {
    tuple->flags |= TUPLE_BYTES;
  } else if (obj->type == OBJ_HOST && !host_is_key((const ObjHost *)obj)) {
    tuple->flags |= TUPLE_NO_HASH;
  } else if (obj->type == OBJ_TUPLE) {
    tuple->flags |= obj->flags;
    if (tuple->aux <= obj->aux) tuple->aux = (uint16_t)(obj->aux + 1);
    return tuple_hash_ready(local, (const ObjTuple *)obj);
  }
  return true;
}

bool tuple_close(Local *local, ObjTuple *tuple, const char **failed) {
  Obj *obj = &tuple->values.obj;
  obj->aux = 1;
  for (uint64_t i = 0; i < tuple->values.len; i++) {
    if (!note_element(local, obj, tuple->values.slots[i])) return false;
    bool more = i % WORK_TURNS == WORK_TURNS - 1;
    if (more && !work_on(local, WORK_TURNS)) return false;
  }
  if (obj->aux > TUPLE_DEPTH_MAX) {
    *failed = "tuples are nested more than 10,000 values deep";
    return false;
  }
  RT_ASSERT(tuple_is_valid(tuple));
  return true;
}

ObjTuple *tuple_new(Local *local, const Value *from, size_t count,
                    const char **failed) {
  *failed = NULL;
  ObjTuple *tuple = tuple_alloc(local, count);
  bool made = tuple != NULL &&
              put_words(local, tuple->values.slots, from, count) &&
              tuple_close(local, tuple, failed);
  return made ? tuple : NULL;
}

ObjTuple *tuple_part(Local *local, const ObjValues *block, size_t at,
                     size_t count, const char **failed) {
  *failed = NULL;
  ObjTuple *tuple = tuple_alloc(local, count);
  bool made = tuple != NULL &&
              put_elements(local, tuple->values.slots, block, at, count) &&
              tuple_close(local, tuple, failed);
  return made ? tuple : NULL;
}

ObjTuple *tuple_joined(Local *local, const ObjTuple *a, const ObjTuple *b,
                       const char **failed) {
  *failed = NULL;
  size_t first = a->values.len, second = b->values.len;
  ObjTuple *tuple = tuple_alloc(local, first + second);
  if (tuple == NULL) return NULL;
  Value *slots = tuple->values.slots;
  bool made = put_elements(local, slots, &a->values, 0, first) &&
              put_elements(local, slots + first, &b->values, 0, second) &&
              tuple_close(local, tuple, failed);
  return made ? tuple : NULL;
}

// --- Validity ---------------------------------------------------------------
bool tuple_is_valid(const ObjTuple *tuple) {
  if (tuple == NULL || tuple->values.obj.type != OBJ_TUPLE) return false;
  uint64_t room = (heap_size_of(tuple) - sizeof tuple->values) / sizeof(Value);
  return tuple->values.len == tuple->values.cap && tuple->values.cap <= room &&
         tuple->values.obj.aux > 0 && tuple->values.obj.aux <= TUPLE_DEPTH_MAX;
}
