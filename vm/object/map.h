// SPDX-License-Identifier: MIT
// Maps, which are hash tables that keep the order of insertion. Any goroutine
// may call these at once. A writer that sees another gives up (MAP_CONCURRENT),
// and if two do not see each other an update may be lost.
#ifndef CSP_VM_OBJECT_MAP_H
#define CSP_VM_OBJECT_MAP_H

#include "vm/object/tuple.h"

typedef enum MapResult {
  MAP_OK,
  MAP_NO_MEMORY,
  MAP_BAD_KEY,     // NaN or bytes, or a tuple with one of them
  MAP_NO_HASH,     // of a host's type with == but no hash
  MAP_CONCURRENT,  // another writer is inside
  MAP_GROWS,       // nothing is set yet: map_set_part is to be called again
} MapResult;
const char *map_result_text(MapResult r);  // for panics
// Whether cap is one that table_new gives, all of it fits into the memory, and
// `used` into cap. (Not `live`: racing writers may leave it above.) Both at any
// time, by any thread.
bool table_is_valid(const ObjTable *table);
bool map_is_valid(const ObjMap *map);
ObjMap *map_new(Local *local, size_t cap);
// The same, with a value that reading a key that is not there gives.
ObjMap *map_new_default(Local *local, size_t cap, Value missing);
static inline Value map_missing(const ObjMap *map) {
  return map->obj.flags & MAP_DEFAULT ? ((const ObjDefaultMap *)map)->missing
                                      : VALUE_NIL;
}
// false: not there (or a key that can be in no map).
bool map_get(Vm *vm, const ObjMap *map, Value key, Value *out);
// The same. What it takes to compare keys is charged. Given up it may give any
// value, and the caller goes on until it fails.
bool map_get_on(Local *local, const ObjMap *map, Value key, Value *out);
MapResult map_set(Local *local, ObjMap *map, Value key, Value v);
// The same. A large map that has to grow does so in parts of some 50 us, a call
// each, so that its caller can let others run between them.
MapResult map_set_part(Local *local, ObjMap *map, Value key, Value v);
MapResult map_clear(Local *local, ObjMap *map);
MapResult map_delete(Local *local, ObjMap *map, Value key, bool *found);
size_t map_len(const ObjMap *map);
bool map_is_key(Value key);  // whether it can be one
// A long string or a tuple is going to be a key: what that takes is charged.
// false: given up.
enum { KEY_SHORT = 128 };  // bytes
__attribute__((noinline)) bool map_long_key_ready(Local *local, ObjString *key);
static inline bool map_key_ready(Local *local, Value key) {
  if (value_is_type(key, OBJ_TUPLE))
    return tuple_hash_ready(local, (ObjTuple *)value_obj(key));
  if (!value_is_type(key, OBJ_STRING)) return true;
  ObjString *string = (ObjString *)value_obj(key);
  return string->len <= KEY_SHORT || map_long_key_ready(local, string);
}
// Walks a snapshot: start with *at = 0 and table = the map's table at that
// time. Entries deleted since are skipped; values are current. false: end.
bool map_next(Vm *vm, const ObjMap *map, const ObjTable *table, uint64_t *at,
              Value *key, Value *value);

#endif
