// SPDX-License-Identifier: MIT
// What == and < mean, hashes of map keys, and deep equality.
#include "vm/object/compare.h"

#include <math.h>
#include <stdlib.h>

#include "vm/heap/local.h"
#include "vm/heap/span.h"
#include "vm/heap/work.h"
#include "vm/object/box.h"
#include "vm/object/bytes.h"
#include "vm/object/error.h"
#include "vm/object/host_type.h"
#include "vm/object/list.h"
#include "vm/object/map.h"
#include "vm/object/range.h"
#include "vm/object/string.h"
#include "vm/object/tuple.h"
#include "vm/value/number.h"

// --- == and < ---------------------------------------------------------------
static int memory_compare(Local *local, const void *a, const void *b,
                          size_t len) {
  return local == NULL ? memcmp(a, b, len) : work_compare(local, a, b, len);
}

static int bytes_compare(Local *local, const ObjBytes *a, const ObjBytes *b) {
  if (a == b) return 0;
  const ObjRaw *x = bytes_block(a), *y = bytes_block(b);
  size_t nx = raw_len(x), ny = raw_len(y), n = nx < ny ? nx : ny;
#ifdef CSP_TSAN
  enum { PIECE = 1 << 12 };
  for (size_t i = 0; i < n; i++) {
    // relaxed, both: each byte is whole, whichever of those that were stored
    // (copy_piece, access.c)
    uint8_t p = rt_load_relaxed(&x->data[i]), q = rt_load_relaxed(&y->data[i]);
    if (p != q) return p < q ? -1 : 1;
    bool goes_on = (i + 1) % PIECE != 0 || local == NULL ||
                   work_part(local, PIECE / 8, i + 1 < n);
    if (!goes_on) return 0;
  }
  if (local != NULL) charge_bytes(local, n % PIECE);
#else
  int order = memory_compare(local, x->data, y->data, n);
  if (order != 0) return order < 0 ? -1 : 1;
#endif
  return nx < ny ? -1 : nx > ny;
}

static bool strings_equal(Local *local, const ObjString *a,
                          const ObjString *b) {
  int known = string_equal_known(a, b);
  if (known >= 0) return known != 0;
  if (a->len <= STRING_WORD) return string_equal_short(a, b);
  return memory_compare(local, string_data(a), string_data(b), a->len) == 0;
}

static int compare_strings(Local *local, const ObjString *a,
                           const ObjString *b) {
  if (a == b) return 0;
  size_t len = a->len < b->len ? a->len : b->len;
  int order = memory_compare(local, string_data(a), string_data(b), len);
  if (order != 0) return order < 0 ? -1 : 1;
  return a->len < b->len ? -1 : a->len > b->len;
}

static int floats_compare(double a, double b) {
  return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2;
}

static int numbers_compare(Value a, Value b) {
  if (value_is_int(a)) {
    int64_t i = value_int(a);
    if (!value_is_int(b)) return number_compare(i, value_float(b));
    int64_t j = value_int(b);
    return i < j ? -1 : i > j;
  }
  double d = value_float(a);
  if (!value_is_int(b)) return floats_compare(d, value_float(b));
  int order = number_compare(value_int(b), d);
  return order == 2 ? 2 : -order;
}

static bool tuples_equal(Local *local, const ObjTuple *a, const ObjTuple *b);
static int compare_tuples(Local *local, const ObjTuple *a, const ObjTuple *b);
static int order_tuples(Local *local, const ObjTuple *a, const ObjTuple *b,
                        int nan);

// Two objects of one type, no strings. Not in line: strings need no frame.
__attribute__((noinline)) static bool objects_equal(Local *local, const Obj *x,
                                                    const Obj *y) {
  if (x->type == OBJ_BYTES)
    return bytes_compare(local, (const ObjBytes *)x, (const ObjBytes *)y) == 0;
  if (x->type == OBJ_TUPLE)
    return tuples_equal(local, (const ObjTuple *)x, (const ObjTuple *)y);
  if (x->type == OBJ_ERROR)
    return error_origin((const ObjError *)x) ==
           error_origin((const ObjError *)y);
  return x->type == OBJ_HOST &&
         host_equal((const ObjHost *)x, (const ObjHost *)y);
}

// The same value, which may hold NaN.
static bool equals_itself(Value v) {
  return !value_is_type(v, OBJ_TUPLE) || !(value_obj(v)->flags & TUPLE_NAN);
}

// `texts` is charged for strings, and `others` for bytes and tuples.
static inline __attribute__((always_inline)) bool equal(Local *texts,
                                                        Local *others, Value a,
                                                        Value b) {
  if (value_both_small(a, b)) return a == b;
  if (value_is_number(a))
    return value_is_number(b) && numbers_compare(a, b) == 0;
  if (a == b) return equals_itself(a);
  if (!value_is_obj(a) || !value_is_obj(b)) return false;
  Obj *x = value_obj(a), *y = value_obj(b);
  if (x->type != y->type) return false;
  if (x->type == OBJ_STRING)
    return strings_equal(texts, (ObjString *)x, (ObjString *)y);
  return objects_equal(others, x, y);
}

bool value_equal(Value a, Value b) { return equal(NULL, NULL, a, b); }

bool value_equal_on(Local *local, Value a, Value b) {
  return equal(local, local, a, b);
}

bool value_equal_keys(Local *local, Value a, Value b) {
  return equal(NULL, local, a, b);
}

static inline __attribute__((always_inline)) int compare_values(Local *local,
                                                                Value a,
                                                                Value b) {
  if (value_is_number(a)) return value_is_number(b) ? numbers_compare(a, b) : 3;
  if (!value_is_obj(a) || !value_is_obj(b)) return 3;
  Obj *x = value_obj(a), *y = value_obj(b);
  if (x->type != y->type) return 3;
  if (x->type == OBJ_STRING)
    return compare_strings(local, (ObjString *)x, (ObjString *)y);
  if (x->type == OBJ_BYTES)
    return bytes_compare(local, (ObjBytes *)x, (ObjBytes *)y);
  if (x->type == OBJ_TUPLE)
    return compare_tuples(local, (ObjTuple *)x, (ObjTuple *)y);
  if (x->type == OBJ_HOST) return host_compare((ObjHost *)x, (ObjHost *)y);
  return 3;
}

int value_compare(Value a, Value b) { return compare_values(NULL, a, b); }

int value_compare_on(Local *local, Value a, Value b) {
  return compare_values(local, a, b);
}

// Two that are no tuples: one is NaN, or unordered with itself.
static int place_nan(Value a, Value b, int nan) {
  bool a_is_nan = value_compare(a, a) == 2, b_is_nan = value_compare(b, b) == 2;
  if (!a_is_nan && !b_is_nan) return 2;
  return a_is_nan == b_is_nan ? 0 : a_is_nan ? nan : -nan;
}

int value_place_nan(Local *local, Value a, Value b, int nan) {
  if (!value_is_type(a, OBJ_TUPLE)) return place_nan(a, b, nan);
  return order_tuples(local, (ObjTuple *)value_obj(a), (ObjTuple *)value_obj(b),
                      nan);
}

// --- Hashes -----------------------------------------------------------------
uint32_t value_mix_hash(const Vm *vm, uint64_t x) {
  __extension__ typedef unsigned __int128 Wide;
  Wide product =
      (Wide)(x ^ vm->hash_seed) * (0x9e3779b97f4a7c15u ^ vm->hash_seed << 1);
  uint64_t h = (uint64_t)product ^ (uint64_t)(product >> 64);
  return (uint32_t)(h ^ h >> 32);
}

// Equal ints and floats have equal hashes.
static uint32_t hash_float(const Vm *vm, double d) {
  if (d >= -0x1p63 && d < 0x1p63 && d == trunc(d))
    return value_mix_hash(vm, (uint64_t)(int64_t)d);
  uint64_t bits;
  memcpy(&bits, &d, sizeof bits);
  return value_mix_hash(vm, bits);
}

uint32_t value_hash(Vm *vm, Value key) {
  if (value_is_small(key))
    return value_mix_hash(vm, (uint64_t)value_small(key));
  if (value_is_small_float(key)) return hash_float(vm, value_small_float(key));
  if (!value_is_obj(key)) return value_mix_hash(vm, key);
  Obj *obj = value_obj(key);
  if (obj->type == OBJ_STRING) return string_hash(vm, (ObjString *)obj);
  if (obj->type == OBJ_INT)
    return value_mix_hash(vm, (uint64_t)((ObjInt *)obj)->value);
  if (obj->type == OBJ_FLOAT) return hash_float(vm, ((ObjFloat *)obj)->value);
  if (obj->type == OBJ_TUPLE) return tuple_hash(vm, (ObjTuple *)obj);
  uint64_t hash;
  if (obj->type == OBJ_HOST && host_hash((ObjHost *)obj, &hash))
    return value_mix_hash(vm, hash);
  if (obj->type == OBJ_ERROR)
    key = value_from_obj(error_origin((const ObjError *)obj));
  return value_mix_hash(vm, key);
}

// --- Pairs of containers ----------------------------------------------------
enum { DEEP_MAX = 10000, SEEN_AFTER = 256 };

// A pair that was met once need not be compared again: had it been unequal, all
// would be over. So cycles end. Pairs are noted only after some work is done.
static void deep_init(Deep *deep, const Memory *memory, Local *local) {
  deep->memory = memory;
  deep->local = local;
  deep->more = NULL;
  deep->cap = DEEP_FEW;
  deep->seen = NULL;
  deep->failed = NULL;
  deep->count = deep->depth = deep->seen_count = deep->seen_cap = 0;
  deep->low = 0;
}

static DeepPair *deep_stack(Deep *deep) {
  return deep->more != NULL ? deep->more : deep->few;
}

static size_t seen_place(const Deep *deep, Obj *a, Obj *b) {
  uint64_t h = ((uint64_t)(uintptr_t)a * 31 + (uint64_t)(uintptr_t)b) *
               0x9e3779b97f4a7c15u;
  RT_ASSERT((deep->seen_cap & (deep->seen_cap - 1)) == 0);
  RT_ASSERT(deep->seen_count < deep->seen_cap);
  size_t at = (size_t)(h >> 32) & (deep->seen_cap - 1);
  while (deep->seen[at][0] != NULL &&
         (deep->seen[at][0] != a || deep->seen[at][1] != b))
    at = (at + 1) & (deep->seen_cap - 1);
  return at;
}

static bool seen_grow(Deep *deep) {
  Deep bigger = *deep;
  bigger.seen_cap = deep->seen_cap ? deep->seen_cap * 2 : 256;
  bigger.seen = mem_zeroed(deep->memory, bigger.seen_cap * sizeof *bigger.seen);
  if (bigger.seen == NULL) return false;
  for (size_t i = 0; i < deep->seen_cap; i++) {
    if (deep->seen[i][0] == NULL) continue;
    size_t at = seen_place(&bigger, deep->seen[i][0], deep->seen[i][1]);
    memcpy(bigger.seen[at], deep->seen[i], sizeof deep->seen[i]);
  }
  if (deep->local != NULL) work_charge(deep->local, deep->seen_cap * 8);
  mem_free(deep->seen);
  *deep = bigger;
  return true;
}

// Whether the pair was met before; notes it.
static bool seen_before(Deep *deep, Obj *a, Obj *b) {
  if (deep->seen_count >= deep->seen_cap / 2 && !seen_grow(deep)) {
    deep->failed = "out of memory";
    return false;
  }
  size_t at = seen_place(deep, a, b);
  if (deep->seen[at][0] != NULL) return true;
  deep->seen[at][0] = a;
  deep->seen[at][1] = b;
  deep->seen_count++;
  return false;
}

// false: no memory.
static bool deep_grow(Deep *deep) {
  bool first = deep->more == NULL;
  DeepPair *stack =
      mem_resize(deep->memory, deep->more, deep->cap * 2 * sizeof *stack);
  if (stack == NULL) return false;
  if (first) memcpy(stack, deep->few, deep->depth * sizeof *stack);
  deep->more = stack;
  deep->cap *= 2;
  return true;
}

static bool deep_push(Deep *deep, DeepPair pair) {
  if (deep->depth == DEEP_MAX)
    deep->failed = "nested more than 10,000 values deep";
  else if (deep->depth == deep->cap && !deep_grow(deep))
    deep->failed = "out of memory";
  if (deep->failed != NULL) return false;
  RT_ASSERT(deep->depth < deep->cap);
  deep_stack(deep)[deep->depth++] = pair;
  return true;
}

void deep_free(Deep *deep) {
  mem_free(deep->more);
  mem_free(deep->seen);
}

static void deep_work(Deep *deep, uint64_t units) {
  deep->count++;
  if (deep->local != NULL && !work_on(deep->local, units))
    deep->failed = "given up";
}

// --- Tuples -----------------------------------------------------------------
// Whether a look at the tuples themselves tells that they differ. A tuple in
// another one has its hash, and so do keys.
static bool tuples_differ(const ObjTuple *a, const ObjTuple *b) {
  const Obj *x = &a->values.obj, *y = &b->values.obj;
  if (a->values.len != b->values.len) return true;
  if (x->flags != y->flags || x->flags & TUPLE_NAN) return true;
  if (x->flags != 0) return false;  // bytes have no hash that tells them apart
  // relaxed, both: as in known_hash (tuple.c)
  uint32_t p = rt_load_relaxed(&x->hash), q = rt_load_relaxed(&y->hash);
  return p != 0 && q != 0 && p != q;
}

// What a walk through two tuples asks for.
typedef enum Asked {
  ASKED_NAN_FIRST = -1,
  ASKED_ORDER,
  ASKED_NAN_LAST,
  ASKED_EQUAL
} Asked;

// As value_compare and value_place_nan. Where order is not asked for, 1: they
// differ.
static int enter_tuples(Deep *deep, const ObjTuple *a, const ObjTuple *b,
                        Asked asked) {
  if (asked == ASKED_EQUAL && tuples_differ(a, b)) return 1;
  bool places_nan = asked == ASKED_NAN_FIRST || asked == ASKED_NAN_LAST;
  if (a == b && (places_nan || !(a->values.obj.flags & TUPLE_NAN))) return 0;
  Obj *x = (Obj *)(uintptr_t)a, *y = (Obj *)(uintptr_t)b;
  if (deep->count > SEEN_AFTER && seen_before(deep, x, y)) return 0;
  deep_push(deep, (DeepPair){.a = x, .b = y});
  return 0;
}

static inline __attribute__((always_inline)) int compare_elements(Deep *deep,
                                                                  Value a,
                                                                  Value b,
                                                                  Asked asked) {
  deep_work(deep, 4);
  if (value_is_type(a, OBJ_TUPLE) && value_is_type(b, OBJ_TUPLE))
    return enter_tuples(deep, (ObjTuple *)value_obj(a),
                        (ObjTuple *)value_obj(b), asked);
  int outcome = asked == ASKED_EQUAL ? 3 : value_compare_on(deep->local, a, b);
  if (outcome == 2 && asked != ASKED_ORDER) return place_nan(a, b, (int)asked);
  if (outcome != 3) return outcome;
  if (value_equal_on(deep->local, a, b)) return 0;
  return asked == ASKED_EQUAL ? 1 : 3;
}

// Given up they are equal. Without memory to tell they are unordered.
static inline __attribute__((always_inline)) int walk_tuples(Local *local,
                                                             const ObjTuple *a,
                                                             const ObjTuple *b,
                                                             Asked asked) {
  Deep deep;
  deep_init(&deep, heap_vm_of(a)->memory, local);
  int outcome = enter_tuples(&deep, a, b, asked);
  while (outcome == 0 && deep.depth > 0 && deep.failed == NULL) {
    DeepPair *top = &deep_stack(&deep)[deep.depth - 1];
    const ObjValues *x = &((ObjTuple *)top->a)->values;
    const ObjValues *y = &((ObjTuple *)top->b)->values;
    uint64_t at = top->at++;
    if (at < x->len && at < y->len) {
      outcome = compare_elements(&deep, x->slots[at], y->slots[at], asked);
    } else {
      outcome = x->len < y->len ? -1 : x->len > y->len;
      deep.depth--;
    }
  }
  deep_free(&deep);
  if (deep.failed == NULL) return outcome;
  return strcmp(deep.failed, "given up") == 0 ? 0 : 2;
}

static bool tuples_equal(Local *local, const ObjTuple *a, const ObjTuple *b) {
  return walk_tuples(local, a, b, ASKED_EQUAL) == 0;
}

static int compare_tuples(Local *local, const ObjTuple *a, const ObjTuple *b) {
  return walk_tuples(local, a, b, ASKED_ORDER);
}

static int order_tuples(Local *local, const ObjTuple *a, const ObjTuple *b,
                        int nan) {
  return walk_tuples(local, a, b, nan < 0 ? ASKED_NAN_FIRST : ASKED_NAN_LAST);
}

// --- Deep equality ----------------------------------------------------------
static bool ranges_equal(const ObjRange *a, const ObjRange *b) {
  return a->from == b->from && a->to == b->to && a->step == b->step &&
         range_is_inclusive(a) == range_is_inclusive(b);
}

// Looks at two objects of one type. false: not equal. Containers that have
// to be looked into go onto the stack.
static bool deep_enter(Deep *deep, Obj *a, Obj *b) {
  RT_ASSERT(a->type == b->type);
  DeepPair pair = {.a = a, .b = b};
  if (a->type == OBJ_RANGE) return ranges_equal((ObjRange *)a, (ObjRange *)b);
  if (a->type == OBJ_LIST || a->type == OBJ_TUPLE) {
    const ObjValues *x = sequence_block(value_from_obj(a));
    const ObjValues *y = sequence_block(value_from_obj(b));
    if (values_len(x) != values_len(y)) return false;
    pair.x = x;
    pair.y = y;
  } else if (a->type == OBJ_MAP) {
    if (map_len((ObjMap *)a) != map_len((ObjMap *)b)) return false;
    pair.x = heap_load(&((ObjMap *)a)->table);
  } else if (a->type == OBJ_INSTANCE) {
    if (((ObjInstance *)a)->type != ((ObjInstance *)b)->type) return false;
  } else if (a->type != OBJ_ERROR) {
    return false;
  }
  return deep_push(deep, pair);
}

static Value error_part(const ObjError *error, uint64_t n) {
  return heap_load(n == 0   ? &error->message
                   : n == 1 ? &error->code
                            : &error->cause);
}

// The next two values of the pair on top. false: none left. *same: false if
// a key is missing.
static bool deep_next(Deep *deep, DeepPair *pair, Value *a, Value *b,
                      bool *same) {
  uint64_t at = pair->at++;
  if (pair->a->type == OBJ_LIST || pair->a->type == OBJ_TUPLE) {
    const Value *x = values_at(pair->x, at), *y = values_at(pair->y, at);
    if (x == NULL || y == NULL) return false;
    *a = heap_load(x);
    *b = heap_load(y);
  } else if (pair->a->type == OBJ_INSTANCE) {
    if (at >= pair->a->aux) return false;
    *a = heap_load(&((ObjInstance *)pair->a)->fields[at]);
    *b = heap_load(&((ObjInstance *)pair->b)->fields[at]);
  } else if (pair->a->type == OBJ_ERROR) {
    const ObjError *x = (ObjError *)pair->a, *y = (ObjError *)pair->b;
    if (at > 2) return false;
    *a = error_part(x, at);
    *b = error_part(y, at);
  } else {
    Value key;
    pair->at = at;
    if (!map_next(deep->local->vm, (ObjMap *)pair->a, pair->x, &pair->at, &key,
                  a))
      return false;
    if (!map_key_ready(deep->local, key)) return false;
    *same = map_get(deep->local->vm, (ObjMap *)pair->b, key, b);
  }
  return true;
}

// One pair of values. false: not equal.
static bool deep_values(Deep *deep, Value a, Value b) {
  deep->count++;
  work_charge(deep->local, 16);  // deep_some's caller looks
  bool tuples = value_is_type(a, OBJ_TUPLE) && a != b;
  if (!tuples && value_equal_on(deep->local, a, b)) return true;
  if (!value_is_obj(a) || !value_is_obj(b)) return false;
  Obj *x = value_obj(a), *y = value_obj(b);
  if (x->type != y->type) return false;
  if (deep->count > SEEN_AFTER && seen_before(deep, x, y)) return true;
  return deep_enter(deep, x, y);
}

void deep_begin(Deep *deep, Local *local, Value a, Value b) {
  deep_init(deep, local->vm->memory, local);
  deep->same = deep_values(deep, a, b) && deep->failed == NULL;
}

bool deep_some(Deep *deep, Local *local, size_t values) {
  deep->local = local;
  Value a, b;
  for (; deep->same && deep->depth > 0 && values > 0; values--) {
    DeepPair *top = &deep_stack(deep)[deep->depth - 1];
    if (!deep_next(deep, top, &a, &b, &deep->same)) {
      deep->depth--;
      if (deep->depth < deep->low) deep->low = deep->depth;
    } else if (deep->same) {
      deep->same = deep_values(deep, a, b) && deep->failed == NULL;
    }
  }
  return deep->same && deep->depth > 0;
}

DeepPair deep_pair(const Deep *deep, size_t at) {
  RT_ASSERT(at < deep->depth);
  return (deep->more != NULL ? deep->more : deep->few)[at];
}
