// SPDX-License-Identifier: MIT
// Maps: hash tables that keep the order of insertion.
//
// The entries lie in order of insertion; an index of words beside them, with
// linear probing, finds a key. A word of the index holds the entry's number
// plus one in its low index_bits bits, and the key's hash above them, so that
// other keys are mostly told apart without being looked at.
//
// Any goroutine may call any of these at once (see list.c). Readers take no
// notice of writers: an entry is whole before `used` and the index show it,
// numbers from the index are checked against `used`, and probing ends after
// one round. A writer marks the map; another that sees the mark gives up
// (MAP_CONCURRENT). The mark is no lock: two writers can miss each other, and
// then an update is lost, no more.
//
// A large table becomes a larger one in parts (map_set_part). The new one is
// `growing`, which only writers see, until it has all entries. Then it is the
// map's table. Until then its `first` tells how many entries of the map's table
// it has got. Nothing else is changed meanwhile: a writer that finds a growth
// that another has begun ends it first. A growth that nobody goes on with costs
// memory until the next writer.
//
// Of writers that race one alone makes a part (`grower`, a lock that is tried),
// and the others give up. So no entry is moved twice or left out. A growth
// whose map has got another table meanwhile is thrown away.
//
// Walks begin at the table's `first`, so that the first key of a map can be
// taken again and again in O(1). It only moves on, over entries that are
// deleted, which stay so. One exception: of two writers that race to append,
// one may show the other's entry as deleted for a moment. A walk does not find
// that entry then, as if the update were lost.
#include "vm/object/map.h"

#include <math.h>

#include "vm/heap/local.h"
#include "vm/heap/span.h"
#include "vm/heap/work.h"
#include "vm/object/compare.h"
#include "vm/object/host_type.h"
#include "vm/object/string.h"
#include "vm/object/tuple.h"

enum { LINEAR_MAX = 8, CAP_FIRST = 4, INDEX_BITS_MAX = 31 };
enum { ZEROED = 1 << 14 };    // bytes
enum { MAP_PART = 1 << 10 };  // entries that a growth moves in a part

// --- Tables -----------------------------------------------------------------
static uint32_t *table_index(const ObjTable *table) {
  return (uint32_t *)(uintptr_t)&table->entries[table->cap];
}

static uint32_t index_cap(uint32_t bits) {  // 5/8 of the words
  return (uint32_t)(((uint64_t)5 << bits) / 8);
}

static ObjTable *table_new(Local *local, size_t want) {
  uint32_t bits = 0;
  size_t cap = want <= CAP_FIRST ? CAP_FIRST : LINEAR_MAX;
  if (want > LINEAR_MAX) {
    for (bits = 4; bits < INDEX_BITS_MAX && index_cap(bits) < want;) bits++;
    cap = index_cap(bits);
    if (cap < want) return NULL;
  }
  size_t index_size = bits ? sizeof(uint32_t) << bits : 0;
  if (cap >= WORK_BIG / sizeof(MapEntry) && !work_before_big(local))
    return NULL;
  ObjTable *table = (ObjTable *)heap_alloc(
      &local->heap, sizeof(ObjTable) + cap * sizeof(MapEntry) + index_size,
      OBJ_TABLE);
  if (table == NULL) return NULL;
  table->cap = (uint32_t)cap;
  table->used = table->live = table->first = 0;
  table->index_bits = bits;
  for (size_t at = 0; at < index_size; at += ZEROED) {
    size_t count = index_size - at < ZEROED ? index_size - at : ZEROED;
    memset((char *)table_index(table) + at, 0, count);
    if (!work_part(local, count / 8, at + ZEROED < index_size)) return NULL;
  }
  RT_ASSERT(table_is_valid(table) && want <= table->cap);
  return table;
}

static uint32_t table_used(const ObjTable *table) {
  // acquire: the entries are whole. Pairs with the release in append
  uint32_t used = rt_load_acquire(&table->used);
  return used <= table->cap ? used : table->cap;
}

// Without a local nothing is charged.
static bool keys_equal(Local *local, Value a, Value b) {
  return a == b || (!value_both_small(a, b) && value_equal_keys(local, a, b));
}

static int64_t find_linear(Local *local, const ObjTable *table, Value key) {
  uint32_t used = table_used(table);
  for (uint32_t i = 0; i < used; i++)
    if (keys_equal(local, heap_load(&table->entries[i].key), key)) return i;
  return -1;
}

// The next entry with that hash (or nearly), or -1. *probe: how many words of
// the index have been looked at.
static inline int64_t next_candidate(const ObjTable *table, uint32_t hash,
                                     uint32_t *probe) {
  const uint32_t *index = table_index(table);
  uint32_t mask = ((uint32_t)1 << table->index_bits) - 1;
  uint32_t used = table_used(table);
  while (*probe <= mask) {
    // acquire: pairs with release in index_add
    uint32_t word = rt_load_acquire(&index[(hash + (*probe)++) & mask]);
    if (word == 0) return -1;
    uint32_t entry = (word & mask) - 1;
    if (!((word ^ hash) & ~mask) && entry < used) return entry;
  }
  return -1;
}

// From candidate number `at` on.
static int64_t find_among(Local *local, const ObjTable *table, Value key,
                          uint32_t hash, uint32_t probe, int64_t at) {
  while (at >= 0 && !keys_equal(local, heap_load(&table->entries[at].key), key))
    at = next_candidate(table, hash, &probe);
  return at;
}

// The entry with that key, or -1.
static inline int64_t find_entry(Local *local, const ObjTable *table, Value key,
                                 uint32_t hash) {
  if (!table->index_bits) return find_linear(local, table, key);
  uint32_t probe = 0;
  int64_t at = next_candidate(table, hash, &probe);
  // Mostly it is the very same object or int.
  if (at < 0 || heap_load(&table->entries[at].key) == key) return at;
  return find_among(local, table, key, hash, probe, at);
}

// 0 where the table needs none.
static inline uint32_t hash_for(Vm *vm, const ObjTable *table, Value key) {
  if (!table->index_bits) return 0;
  if (value_is_type(key, OBJ_STRING)) {
    // relaxed: string_hash stores it, on any thread, and always the same
    uint32_t hash = rt_load_relaxed(&value_obj(key)->hash);
    if (hash) return hash;
  }
  return value_hash(vm, key);
}

// Whether a word of the index is that of a deleted entry with that hash (or
// nearly).
static bool is_word_of_tomb(const ObjTable *table, uint32_t word, uint32_t hash,
                            uint32_t mask) {
  uint32_t entry = (word & mask) - 1;
  return !((word ^ hash) & ~mask) && entry < table->cap &&
         heap_load(&table->entries[entry].key) == VALUE_TOMB;
}

// Shows entry number `entry` in the index. false: no place is left (writers
// raced). It takes the word of a deleted entry with the same hash. So a key
// that is deleted and set again and again has one word.
static bool index_add(ObjTable *table, uint32_t hash, uint32_t entry) {
  RT_ASSERT(table->index_bits > 0 && entry < table->cap);
  uint32_t *index = table_index(table);
  uint32_t mask = ((uint32_t)1 << table->index_bits) - 1;
  for (uint32_t probe = 0; probe <= mask; probe++) {
    uint32_t *word = &index[(hash + probe) & mask];
    // relaxed: a hint. Two writers in index_add may take one place, and then an
    // update is lost
    uint32_t old = rt_load_relaxed(word);
    if (old != 0 && !is_word_of_tomb(table, old, hash, mask)) continue;
    // release: publishes the entry. Pairs with acquire in next_candidate
    rt_store_release(word, (hash & ~mask) | (entry + 1));
    return true;
  }
  return false;
}

// Adds an entry; used < cap.
static bool append(Local *local, ObjTable *table, uint32_t used, uint32_t hash,
                   Value key, Value v) {
  RT_ASSERT(used < table->cap && key != VALUE_TOMB);
  MapEntry *entry = &table->entries[used];
  // relaxed, both: not shown before `used` is, to table_used.
  // Uninitialised so far: nothing for the barrier to keep but the new ones.
  rt_store_relaxed(&entry->key, VALUE_TOMB);
  rt_store_relaxed(&entry->value, VALUE_NIL);
  heap_store(&local->heap, &entry->value, v);
  heap_store(&local->heap, &entry->key, key);
  // release: shows the entry. Pairs with the acquire in table_used
  rt_store_release(&table->used, used + 1);
  RT_ASSERT(table_is_valid(table));
  // relaxed, both: a count for map_len. Of writers that race, one may be left
  // out, as its entry is
  rt_store_relaxed(&table->live, rt_load_relaxed(&table->live) + 1);
  return table->index_bits == 0 || index_add(table, hash, used);
}

// --- Rebuilding -------------------------------------------------------------
// A new table with the live entries and room for `want`, not published.
static ObjTable *rebuilt(Local *local, const ObjTable *old, size_t want) {
  RT_ASSERT(table_is_valid(old));
  ObjTable *table = table_new(local, want);
  if (table == NULL) return NULL;
  uint32_t used = table_used(old), count = 0;
  for (uint32_t i = 0; i < used && count < table->cap; i++) {
    Value key = heap_load(&old->entries[i].key);
    if (i % 256 == 255 && !work_on(local, 256 * 16)) return NULL;
    if (key == VALUE_TOMB) continue;
    table->entries[count].key = key;
    table->entries[count].value = heap_load(&old->entries[i].value);
    if (table->index_bits) index_add(table, value_hash(local->vm, key), count);
    count++;
  }
  table->used = table->live = count;
  RT_ASSERT(table_is_valid(table));
  return table;
}

// How large the table after a full one is. Where half of it was deleted the
// same size does, else twice the size.
static size_t next_cap(const ObjTable *table) {
  // relaxed: how many, about, where writers race in append
  uint32_t live = rt_load_relaxed(&table->live);
  return live <= table->cap / 2 ? table->cap : (size_t)table->cap * 2;
}

// The map's table is that one now. A growth of the one before is of no use.
static void map_show(Local *local, ObjMap *map, ObjTable *table) {
  heap_store_ptr(&local->heap, &map->table, table);
  heap_store_ptr(&local->heap, &map->growing, (ObjTable *)NULL);
}

// The map's table with room for one more entry. NULL: out of memory.
static ObjTable *with_room(Local *local, ObjMap *map, ObjTable *table) {
  if (table_used(table) < table->cap) return table;
  table = rebuilt(local, table, next_cap(table));
  if (table != NULL) map_show(local, map, table);
  return table;
}

// After a delete: few live ones among many deleted ones make walks slow.
static void shrink(Local *local, ObjMap *map, ObjTable *table) {
  // relaxed: as in next_cap
  uint32_t live = rt_load_relaxed(&table->live);
  if (table_used(table) < 32 || live > table_used(table) / 8) return;
  table = rebuilt(local, table, (size_t)live * 2);
  if (table != NULL) map_show(local, map, table);
}

// --- Growing in parts -------------------------------------------------------
static ObjTable *growing_of(const ObjMap *map) {
  return heap_load(&map->growing);
}

static bool grow_enter(ObjMap *map) {
  uint32_t none = 0;
  // acquire: what the grower before has moved. Pairs with grow_leave
  return rt_cas(&map->grower, &none, 1u);
}

static void grow_leave(ObjMap *map) {
  // release: what was moved. Pairs with grow_enter
  rt_store_release(&map->grower, 0u);
}

static MapResult grow_begin(Local *local, ObjMap *map, const ObjTable *table) {
  if (!grow_enter(map)) return MAP_CONCURRENT;
  if (heap_load(&map->table) != table || growing_of(map) != NULL) {
    grow_leave(map);
    return MAP_GROWS;  // another writer was first
  }
  ObjTable *growing = table_new(local, next_cap(table));
  if (growing != NULL) heap_store_ptr(&local->heap, &map->growing, growing);
  grow_leave(map);
  return growing != NULL ? MAP_GROWS : MAP_NO_MEMORY;
}

// By the grower. The collector knows `growing`, so each store has its barrier.
static void grow_some(Local *local, ObjMap *map, const ObjTable *table,
                      ObjTable *growing) {
  uint32_t used = table_used(table);
  // relaxed: the grower alone stores it, until the table is the map's
  uint32_t at = rt_load_relaxed(&growing->first);
  uint32_t end = used > at && used - at > MAP_PART ? at + MAP_PART : used;
  for (; at < end; at++) {
    Value key = heap_load(&table->entries[at].key);
    uint32_t count = table_used(growing);
    if (key == VALUE_TOMB) continue;
    if (count >= growing->cap) {  // it was made for a smaller table
      heap_store_ptr(&local->heap, &map->growing, (ObjTable *)NULL);
      return;
    }
    append(local, growing, count, value_hash(local->vm, key), key,
           heap_load(&table->entries[at].value));
  }
  work_charge(local, MAP_PART * 48);  // (most of it waits for memory)
  rt_store_relaxed(&growing->first, end < used ? end : 0);  // relaxed: as above
  bool is_left = heap_load(&map->table) != table || growing_of(map) != growing;
  if (end == used && !is_left) map_show(local, map, growing);
}

// One part of the growth that is under way.
static MapResult grow_part(Local *local, ObjMap *map) {
  if (!grow_enter(map)) return MAP_CONCURRENT;
  ObjTable *growing = growing_of(map);
  if (growing != NULL) grow_some(local, map, heap_load(&map->table), growing);
  grow_leave(map);
  return MAP_GROWS;
}

// Ends what another writer, or one that was given up, has left.
static MapResult grow_rest(Local *local, ObjMap *map) {
  while (growing_of(map) != NULL) {
    if (grow_part(local, map) == MAP_CONCURRENT) return MAP_CONCURRENT;
    work_on(local, 0);  // others are served, but it is not given up
  }
  return MAP_OK;
}

// --- Maps -------------------------------------------------------------------
const char *map_result_text(MapResult r) {
  switch (r) {
    case MAP_OK:
      return "no error";
    case MAP_NO_MEMORY:
      return "out of memory";
    case MAP_BAD_KEY:
      return "NaN and bytes cannot be keys of a map";
    case MAP_NO_HASH:
      return "a value with an == of its own but no hash cannot be a key of a "
             "map";
    case MAP_CONCURRENT:
      return "concurrent writes to one map";
    case MAP_GROWS:
      return "the map grows";
  }
  rt_throw("map_result_text: result %d", (int)r);
}

static ObjMap *map_alloc(Local *local, size_t cap, size_t size) {
  ObjTable *table = table_new(local, cap);
  if (table == NULL) return NULL;
  ObjMap *map = (ObjMap *)heap_alloc(&local->heap, size, OBJ_MAP);
  if (map == NULL) return NULL;
  map->table = table;
  map->growing = NULL;
  map->writer = map->grower = 0;
  RT_ASSERT(map_is_valid(map));
  return map;
}

ObjMap *map_new(Local *local, size_t cap) {
  return map_alloc(local, cap, sizeof(ObjMap));
}

ObjMap *map_new_default(Local *local, size_t cap, Value missing) {
  ObjMap *map = map_alloc(local, cap, sizeof(ObjDefaultMap));
  if (map == NULL) return NULL;
  map->obj.flags = MAP_DEFAULT;
  ((ObjDefaultMap *)map)->missing = missing;
  return map;
}

size_t map_len(const ObjMap *map) {
  // relaxed: a length that writers may be changing (append, map_delete)
  return rt_load_relaxed(&heap_load(&map->table)->live);
}

bool map_is_key(Value key) {
  if (!value_is_obj(key)) return true;
  const Obj *obj = value_obj(key);
  if (obj->type == OBJ_FLOAT) return !isnan(((const ObjFloat *)obj)->value);
  if (obj->type == OBJ_HOST) return host_is_key((const ObjHost *)obj);
  if (obj->type == OBJ_TUPLE) return obj->flags == 0;
  return obj->type != OBJ_BYTES;
}

static MapResult why_no_key(const Obj *key) {
  bool no_hash = key->type == OBJ_TUPLE ? key->flags == TUPLE_NO_HASH
                                        : key->type == OBJ_HOST;
  return no_hash ? MAP_NO_HASH : MAP_BAD_KEY;
}

bool map_long_key_ready(Local *local, ObjString *string) {
  work_charge(local, string->len / 8);
  return string_hash_on(local, string);
}

static inline bool get(Vm *vm, Local *local, const ObjMap *map, Value key,
                       Value *out) {
  RT_ASSERT(map_is_valid(map));
  const ObjTable *table = heap_load(&map->table);
  uint32_t hash = hash_for(vm, table, key);
  int64_t at = find_entry(local, table, key, hash);
  if (at < 0) return false;
  *out = heap_load(&table->entries[at].value);
  return true;
}

bool map_get(Vm *vm, const ObjMap *map, Value key, Value *out) {
  return get(vm, NULL, map, key, out);
}

bool map_get_on(Local *local, const ObjMap *map, Value key, Value *out) {
  return get(local->vm, local, map, key, out);
}

// Marks the map as being written to. false: somebody else does.
static bool writer_enter(ObjMap *map) {
  RT_ASSERT(map_is_valid(map));
  // relaxed, both: a mark that other writers mostly see in here, no lock (see
  // the head)
  if (rt_load_relaxed(&map->writer)) return false;
  rt_store_relaxed(&map->writer, 1);
  return true;
}

// relaxed: as in writer_enter
static void writer_leave(ObjMap *map) {
  rt_store_relaxed(&map->writer, 0);
  RT_ASSERT(map_is_valid(map));
}

// Adds a key that is not there.
static bool add(Local *local, ObjMap *map, Value key, uint32_t hash, Value v) {
  ObjTable *table = with_room(local, map, heap_load(&map->table));
  if (table == NULL) return false;
  if (!hash && table->index_bits) hash = value_hash(local->vm, key);
  uint32_t used = table_used(table);
  if (used == table->cap)
    return true;  // a racing writer filled it: update lost
  if (append(local, table, used, hash, key, v)) return true;
  table = rebuilt(local, table, table->cap);
  if (table != NULL) map_show(local, map, table);
  return table != NULL;
}

// Adds a key to a table that may have to grow for it.
static MapResult add_in_parts(Local *local, ObjMap *map, const ObjTable *table,
                              Value key, uint32_t hash, Value v) {
  enum { LONG = 4 * MAP_PART };
  if (table_used(table) < table->cap || table->cap < LONG)
    return add(local, map, key, hash, v) ? MAP_OK : MAP_NO_MEMORY;
  return grow_begin(local, map, table);
}

// Whether the key was really found. A comparison of tuples that is given up
// says that they are equal.
static bool is_found(Local *local, Value key, int64_t at) {
  return at >= 0 && (!value_is_type(key, OBJ_TUPLE) || work_on(local, 0));
}

// Given up it stores nothing, and the caller goes on until it fails.
static inline __attribute__((always_inline)) MapResult map_put(
    Local *local, ObjMap *map, Value key, Value v, bool in_parts) {
  ObjTable *table = heap_load(&map->table);
  uint32_t hash = hash_for(local->vm, table, key);
  int64_t at = find_entry(local, table, key, hash);
  if (is_found(local, key, at))
    heap_store(&local->heap, &table->entries[at].value, v);
  else if (at < 0 && in_parts)
    return add_in_parts(local, map, table, key, hash, v);
  else if (at < 0 && !add(local, map, key, hash, v))
    return MAP_NO_MEMORY;
  return MAP_OK;
}

MapResult map_set(Local *local, ObjMap *map, Value key, Value v) {
  if (!map_is_key(key)) return why_no_key(value_obj(key));
  if (!writer_enter(map)) return MAP_CONCURRENT;
  MapResult result = MAP_OK;
  if (growing_of(map) != NULL) result = grow_rest(local, map);
  if (result == MAP_OK) result = map_put(local, map, key, v, false);
  writer_leave(map);
  return result;
}

MapResult map_set_part(Local *local, ObjMap *map, Value key, Value v) {
  if (!map_is_key(key)) return why_no_key(value_obj(key));
  if (!writer_enter(map)) return MAP_CONCURRENT;
  MapResult result = growing_of(map) != NULL
                         ? grow_part(local, map)
                         : map_put(local, map, key, v, true);
  writer_leave(map);
  return result;
}

// Entry number `at` was deleted. Each entry is passed once in all.
static void move_first(ObjTable *table, uint32_t at) {
  // relaxed, all: where walks begin, which look at the keys themselves. Any
  // number that was stored has deleted entries alone before it
  if (at != rt_load_relaxed(&table->first)) return;
  uint32_t used = table_used(table);
  while (at < used && rt_load_relaxed(&table->entries[at].key) == VALUE_TOMB)
    at++;
  rt_store_relaxed(&table->first, at);
}

// false: it is not there.
static bool map_take_out(Local *local, ObjMap *map, Value key) {
  ObjTable *table = heap_load(&map->table);
  uint32_t hash = hash_for(local->vm, table, key);
  int64_t at = find_entry(local, table, key, hash);
  if (!is_found(local, key, at)) return false;
  heap_store(&local->heap, &table->entries[at].key, VALUE_TOMB);
  heap_store(&local->heap, &table->entries[at].value, VALUE_NIL);
  // relaxed, both: as in append
  uint32_t live = rt_load_relaxed(&table->live);
  if (live) rt_store_relaxed(&table->live, live - 1);
  move_first(table, (uint32_t)at);
  shrink(local, map, table);
  return true;
}

MapResult map_delete(Local *local, ObjMap *map, Value key, bool *found) {
  *found = false;
  if (!map_is_key(key)) return MAP_OK;
  if (!writer_enter(map)) return MAP_CONCURRENT;
  MapResult result = MAP_OK;
  if (growing_of(map) != NULL) result = grow_rest(local, map);
  if (result == MAP_OK) *found = map_take_out(local, map, key);
  writer_leave(map);
  return result;
}

MapResult map_clear(Local *local, ObjMap *map) {
  if (!writer_enter(map)) return MAP_CONCURRENT;
  ObjTable *table = table_new(local, CAP_FIRST);
  if (table != NULL) map_show(local, map, table);
  writer_leave(map);
  return table != NULL ? MAP_OK : MAP_NO_MEMORY;
}

// *at: the next entry, and above bit 32 the number of entries at the start
// plus one.
bool map_next(Vm *vm, const ObjMap *map, const ObjTable *table, uint64_t *at,
              Value *key, Value *value) {
  uint64_t end = *at >> 32, i = *at & 0xffffffff;
  if (end == 0) {
    end = (uint64_t)table_used(table) + 1;
    i = rt_load_relaxed(&table->first);  // relaxed: as in move_first
  }
  RT_ASSERT(table_is_valid(table) && end - 1 <= table->cap);
  for (; i < end - 1; i++) {
    Value k = heap_load(&table->entries[i].key);
    if (k == VALUE_TOMB) continue;
    if (heap_load(&map->table) == table)
      *value = heap_load(&table->entries[i].value);
    else if (!map_get(vm, map, k, value))
      continue;
    *key = k;
    *at = end << 32 | (i + 1);
    return true;
  }
  *at = end << 32 | (end - 1);
  return false;
}

// --- Validity ---------------------------------------------------------------
// What table_new gives a table with that index.
static bool table_cap_fits(const ObjTable *table) {
  if (table->index_bits == 0)
    return table->cap == CAP_FIRST || table->cap == LINEAR_MAX;
  return table->index_bits >= 4 && table->index_bits <= INDEX_BITS_MAX &&
         table->cap == index_cap(table->index_bits);
}

bool table_is_valid(const ObjTable *table) {
  if (table == NULL || table->obj.type != OBJ_TABLE || !table_cap_fits(table))
    return false;
  size_t index_size =
      table->index_bits ? sizeof(uint32_t) << table->index_bits : 0;
  size_t size = sizeof *table + table->cap * sizeof(MapEntry) + index_size;
  // relaxed, both: cap never changes, and neither append nor move_first stores
  // anything above it
  return size <= heap_size_of(table) &&
         rt_load_relaxed(&table->first) <= table->cap &&
         rt_load_relaxed(&table->used) <= table->cap;
}

bool map_is_valid(const ObjMap *map) {
  if (map == NULL || map->obj.type != OBJ_MAP) return false;
  const ObjTable *growing = growing_of(map);  // once: others may change it
  // relaxed, both: any value that writer_enter and grow_enter store
  return rt_load_relaxed(&map->writer) <= 1 &&
         rt_load_relaxed(&map->grower) <= 1 &&
         table_is_valid(heap_load(&map->table)) &&
         (growing == NULL || table_is_valid(growing));
}
