// SPDX-License-Identifier: MIT
// csp.h's section "Values": constructors and accessors.
//
// Most functions are one call into a file of vm/object/. They are called where
// those of api.c are. Values are not rooted here: collections happen only at
// safepoints, never inside a native.
#include <stdlib.h>

#include "vm/heap/local.h"
#include "vm/heap/work.h"
#include "vm/interp/native_call.h"
#include "vm/interp/panic.h"
#include "vm/interp/places.h"
#include "vm/object/box.h"
#include "vm/object/bytes.h"
#include "vm/object/compare.h"
#include "vm/object/error.h"
#include "vm/object/list.h"
#include "vm/object/map.h"
#include "vm/object/range.h"
#include "vm/object/string.h"
#include "vm/object/string_tail.h"
#include "vm/object/tuple.h"
#include "vm/object/value_text.h"
#include "vm/value/utf8.h"

static CspValue wrap_obj(const void *obj) {
  RT_ASSERT(obj == NULL || ((const Obj *)obj)->type < OBJ_TYPE_COUNT);
  return csp_wrap(obj != NULL ? value_from_obj(obj) : VALUE_UNDEF);
}
#define AS(Type, v) ((Type *)value_obj((v).word))

// --- Any value --------------------------------------------------------------
CspType csp_type(CspValue value) {
  static const uint8_t types[OBJ_TYPE_COUNT] = {
      [OBJ_INT] = CSP_INT,       [OBJ_FLOAT] = CSP_FLOAT,
      [OBJ_STRING] = CSP_STRING, [OBJ_BYTES] = CSP_BYTES,
      [OBJ_LIST] = CSP_LIST,     [OBJ_MAP] = CSP_MAP,
      [OBJ_RANGE] = CSP_RANGE,   [OBJ_CLOSURE] = CSP_FUNC,
      [OBJ_NATIVE] = CSP_FUNC,   [OBJ_BOUND] = CSP_FUNC,
      [OBJ_CHAN] = CSP_CHAN,     [OBJ_TASK] = CSP_TASK,
      [OBJ_STRUCT] = CSP_STRUCT, [OBJ_INSTANCE] = CSP_INSTANCE,
      [OBJ_ERROR] = CSP_ERROR,   [OBJ_MODULE] = CSP_MODULE,
      [OBJ_HOST] = CSP_HOST,     [OBJ_GROUP] = CSP_GROUP,
      [OBJ_TIMER] = CSP_TIMER,   [OBJ_TUPLE] = CSP_TUPLE,
      [OBJ_MUTEX] = CSP_MUTEX,   [OBJ_SEMAPHORE] = CSP_SEMAPHORE,
  };
  Value v = value.word;
  if (value_is_small(v)) return CSP_INT;
  if (value_is_small_float(v)) return CSP_FLOAT;
  if (v == VALUE_TRUE || v == VALUE_FALSE) return CSP_BOOL;
  if (!value_is_obj(v)) return CSP_NIL;
  const Obj *obj = value_obj(v);
  if (__builtin_expect(obj->flags & STRING_TAIL, 0) &&
      obj->type == OBJ_STRING && !string_tail_settle(AS(ObjString, value)))
    return CSP_NO_MEMORY;
  RT_ASSERT(types[obj->type] != CSP_NIL);  // no script and no host has others
  return (CspType)types[obj->type];
}

const char *csp_type_name(CspValue v) { return value_type_name(v.word); }

bool csp_truthy(CspValue v) { return value_truthy(v.word); }

bool csp_same(CspValue a, CspValue b) { return a.word == b.word; }

bool csp_equal(CspValue a, CspValue b) { return value_equal(a.word, b.word); }

bool csp_equal_on(CspCall *call, CspValue a, CspValue b) {
  if (call->local == NULL) return false;
  return value_equal_on(call->local, a.word, b.word);
}

int csp_compare_on(CspCall *call, CspValue a, CspValue b) {
  if (call->local == NULL) return 0;
  return value_compare_on(call->local, a.word, b.word);
}

int csp_compare(CspValue a, CspValue b) {
  return value_compare(a.word, b.word);
}

bool csp_is_undef(CspValue v) { return v.word == VALUE_UNDEF; }

// --- Constructors -----------------------------------------------------------
// Of a call without a runtime (park.c) nothing can be made.
static bool call_is_over(const CspCall *call) {
  return __builtin_expect(call->local == NULL, 0);
}
#define UNDEF_IF_OVER(call) \
  if (call_is_over(call)) return csp_wrap(VALUE_UNDEF)

CspValue csp_nil(void) { return csp_wrap(VALUE_NIL); }

CspValue csp_bool(bool b) { return csp_wrap(value_from_bool(b)); }

CspValue csp_int(CspCall *call, int64_t i) {
  UNDEF_IF_OVER(call);
  return csp_wrap(value_from_int(call->local, i));
}

CspValue csp_float(CspCall *call, double d) {
  UNDEF_IF_OVER(call);
  return csp_wrap(value_from_float(call->local, d));
}

CspValue csp_string(CspCall *call, const char *data, size_t len) {
  UNDEF_IF_OVER(call);
  return wrap_obj(string_new(call->local, data, len));
}

CspValue csp_string_room(CspCall *call, size_t len, char **data) {
  UNDEF_IF_OVER(call);
  ObjString *string = string_alloc(call->local, len);
  if (string != NULL) *data = string->own;
  return wrap_obj(string);
}

CspValue csp_bytes_room(CspCall *call, size_t len, char **data) {
  UNDEF_IF_OVER(call);
  ObjBytes *bytes = bytes_new(call->local, len);
  if (bytes != NULL) *data = (char *)bytes_block(bytes)->data;
  return wrap_obj(bytes);
}

void csp_cut_room(CspValue room, size_t len) {
  if (value_is_type(room.word, OBJ_BYTES)) {
    bytes_cut(AS(ObjBytes, room), len);
  } else {
    RT_ASSERT(value_is_type(room.word, OBJ_STRING));
    string_cut(AS(ObjString, room), len);
  }
}

CspValue csp_string_take(CspCall *call, char *malloced, size_t len) {
  if (malloced == NULL) return csp_wrap(VALUE_UNDEF);
  CspValue v = csp_string(call, malloced, len);
  libc_free(malloced);
  return v;
}

CspValue csp_alloc_take(CspCall *call, char *block, size_t len) {
  if (block == NULL) return csp_wrap(VALUE_UNDEF);
  CspValue v = csp_string(call, block, len);
  mem_free(block);
  return v;
}

CspValue csp_error(CspCall *call, CspValue message, CspValue cause) {
  return csp_error_coded(call, message, cause, csp_nil());
}

CspValue csp_error_coded(CspCall *call, CspValue message, CspValue cause,
                         CspValue code) {
  UNDEF_IF_OVER(call);
  if (csp_is_undef(message) || csp_is_undef(cause) || csp_is_undef(code))
    return csp_wrap(VALUE_UNDEF);
  RT_ASSERT(code.word == VALUE_NIL || value_is_int(code.word) ||
            value_is_type(code.word, OBJ_STRING));
  ObjError *error = error_new(call->local, message.word, cause.word, code.word);
  if (error != NULL && call->g != NULL)
    places_begin(call->local, call->g, error);
  return wrap_obj(error);
}

CspValue csp_list(CspCall *call, size_t capacity) {
  UNDEF_IF_OVER(call);
  return wrap_obj(list_new(call->local, capacity));
}

CspValue csp_list_growing(CspCall *call, size_t capacity, size_t about) {
  UNDEF_IF_OVER(call);
  return wrap_obj(list_new_growing(call->local, capacity, about));
}

CspValue csp_tuple(CspCall *call, const CspValue *values, size_t count) {
  const char *failed;
  UNDEF_IF_OVER(call);
  const Value *from = (const Value *)(const void *)values;
  for (size_t i = 0; i < count; i++)
    if (from[i] == VALUE_UNDEF) return wrap_obj(NULL);
  ObjTuple *made = tuple_new(call->local, from, count, &failed);
  if (failed != NULL) csp_panic(call, "%s: %s", native_name(call), failed);
  return wrap_obj(made);
}

CspValue csp_map(CspCall *call, size_t capacity) {
  UNDEF_IF_OVER(call);
  return wrap_obj(map_new(call->local, capacity));
}

CspValue csp_bytes(CspCall *call, const void *data, size_t len) {
  UNDEF_IF_OVER(call);
  ObjBytes *bytes = bytes_new(call->local, len);
  if (bytes == NULL) return csp_wrap(VALUE_UNDEF);
  bool copied = len == 0 || data == NULL ||
                work_copy(call->local, bytes_block(bytes)->data, data, len);
  return wrap_obj(copied ? bytes : NULL);
}

CspValue csp_range(CspCall *call, int64_t from, int64_t to) {
  UNDEF_IF_OVER(call);
  return wrap_obj(range_new(call->local, from, to, false));
}

// --- Numbers, strings, errors -----------------------------------------------
bool csp_to_bool(CspValue v) { return v.word == VALUE_TRUE; }

int64_t csp_to_int(CspValue v) {
  RT_ASSERT(value_is_int(v.word));
  return value_int(v.word);
}

double csp_to_float(CspValue v) {
  RT_ASSERT(value_is_number(v.word));
  return value_is_int(v.word) ? (double)value_int(v.word) : value_float(v.word);
}

const char *csp_to_string(CspValue v, size_t *len) {
  RT_ASSERT(value_is_type(v.word, OBJ_STRING));
  RT_ASSERT(string_is_valid(AS(ObjString, v)));
  ObjString *string = AS(ObjString, v);
  if (!string_settle(string)) return NULL;
  if (len != NULL) *len = string->len;
  return string_data(string);
}

bool csp_view(CspValue v, const char **data, size_t *len) {
  if (!value_is_type(v.word, OBJ_STRING)) return false;
  const ObjString *string = AS(ObjString, v);
  *data = string_data(string);
  *len = string->len;
  return true;
}

bool csp_is_error(CspValue v) { return value_is_error(v.word); }

// Of a struct that is an error, as of any struct: nil if it declares no such
// field.
static CspValue field_of_error(CspValue error, const char *name) {
  CspValue value;
  RT_ASSERT(csp_is_error(error));
  csp_field(error, name, &value);
  return value;
}

CspValue csp_error_message(CspValue error) {
  if (csp_type(error) != CSP_ERROR) return field_of_error(error, "message");
  return csp_wrap(heap_load(&AS(ObjError, error)->message));
}

CspValue csp_error_cause(CspValue error) {
  if (csp_type(error) != CSP_ERROR) return field_of_error(error, "cause");
  return csp_wrap(heap_load(&AS(ObjError, error)->cause));
}

CspValue csp_error_code(CspValue error) {
  if (csp_type(error) != CSP_ERROR) return field_of_error(error, "code");
  return csp_wrap(heap_load(&AS(ObjError, error)->code));
}

CspValue csp_error_trace(CspCall *call, CspValue error) {
  UNDEF_IF_OVER(call);
  if (csp_type(error) != CSP_ERROR) return field_of_error(error, "trace");
  return csp_wrap(places_list(call->local, AS(ObjError, error)));
}

// --- Lists ------------------------------------------------------------------
size_t csp_list_len(CspValue list) {
  const ObjValues *block = sequence_block(list.word);
  RT_ASSERT(block != NULL);
  return values_len(block);
}

CspValue csp_list_get(CspValue list, size_t i) {
  const ObjValues *block = sequence_block(list.word);
  RT_ASSERT(block != NULL);
  const Value *slot = values_at(block, i);
  return csp_wrap(slot != NULL ? heap_load(slot) : VALUE_NIL);
}

// Among `count` elements from *at on, which lie side by side at `from`.
typedef bool (*FindIn)(Local *local, const Value *from, Value v, size_t *at,
                       size_t count);

// Of a small int: most elements are told apart by their words.
static bool find_small(Local *local, const Value *from, Value n, size_t *at,
                       size_t count) {
  RT_ASSERT(local->debt < WORK_PIECE);
  size_t i = 0, most = (size_t)(WORK_PIECE - local->debt);
  if (count > most) count = most;
  for (; i < count; i++) {
    Value v = heap_load(&from[i]);
    if (v == n || (!value_is_small(v) && value_equal(v, n))) break;
  }
  work_charge(local, i);
  *at += i;
  return i < count;
}

static bool find_any(Local *local, const Value *from, Value v, size_t *at,
                     size_t count) {
  for (size_t i = 0; i < count && local->debt < WORK_PIECE; i++, ++*at) {
    if (value_equal_on(local, heap_load(&from[i]), v)) return true;
    work_charge(local, 2);
  }
  return false;
}

bool csp_list_find(CspCall *call, CspValue list, CspValue v, size_t *at,
                   size_t end) {
  Local *local = call->local;
  if (local == NULL || call->panicked) return false;
  FindIn find = value_is_small(v.word) ? find_small : find_any;
  const ObjValues *block = sequence_block(list.word);
  size_t len = values_len(block);
  if (*at >= len) *at = end;  // it is shorter now
  size_t stop = end < len ? end : len;
  while (*at < stop && local->debt < WORK_PIECE) {
    ValueRun run = values_run(block, *at, stop - *at);
    if (find(local, run.from, v.word, at, run.count)) return true;
  }
  return false;
}

// There is no memory for it, or none was there for what it is put into. To say
// that this is rare saves more than the looks for undef cost.
static __attribute__((noinline, cold)) bool not_put(CspCall *call) {
  return csp_panic_memory(call) == CSP_OK;
}

bool csp_list_append(CspCall *call, CspValue list, const CspValue *values,
                     size_t count) {
  const Value *from = (const Value *)(const void *)values;
  if (list.word != VALUE_UNDEF &&
      list_append(call->local, AS(ObjList, list), from, count))
    return true;
  return not_put(call);
}

void csp_list_swap(CspCall *call, CspValue a, CspValue b) {
  ObjList *x = AS(ObjList, a), *y = AS(ObjList, b);
  RT_ASSERT(list_is_valid(x) && list_is_valid(y));
  ObjValues *block = list_block(x);
  heap_store_ptr(&call->local->heap, &x->block, list_block(y));
  heap_store_ptr(&call->local->heap, &y->block, block);
}

void csp_list_set(CspCall *call, CspValue list, size_t i, CspValue v) {
  RT_ASSERT(list_is_valid(AS(ObjList, list)) && v.word != VALUE_UNDEF);
  Value *slot = values_at(list_block(AS(ObjList, list)), i);
  if (slot != NULL) heap_store(&call->local->heap, slot, v.word);
}

bool csp_list_push(CspCall *call, CspValue list, CspValue v) {
  if (__builtin_expect(v.word == VALUE_UNDEF, 0)) return not_put(call);
  if (__builtin_expect(list.word == VALUE_UNDEF, 0)) return not_put(call);
  bool fine = list_push(call->local, AS(ObjList, list), v.word);
  return __builtin_expect(fine, 1) ? fine : not_put(call);
}

bool csp_list_insert(CspCall *call, CspValue list, size_t at, CspValue v) {
  if (v.word != VALUE_UNDEF && list.word != VALUE_UNDEF &&
      list_insert(call->local, AS(ObjList, list), at, v.word)) {
    return true;
  }
  return not_put(call);
}

void csp_list_remove(CspCall *call, CspValue list, size_t at, size_t count) {
  list_remove(call->local, AS(ObjList, list), at, count);
}

// --- Maps -------------------------------------------------------------------
static bool map_done(CspCall *call, MapResult result) {
  if (result == MAP_OK) return true;
  if (result == MAP_NO_MEMORY) {
    csp_panic_memory(call);
  } else {
    csp_panic(call, "%s: %s", native_name(call), map_result_text(result));
  }
  return false;
}

size_t csp_map_len(CspValue map) {
  RT_ASSERT(map_is_valid(AS(ObjMap, map)));
  return map_len(AS(ObjMap, map));
}

bool csp_map_get(CspCall *call, CspValue map, CspValue key, CspValue *out) {
  if (call->local != NULL && !map_key_ready(call->local, key.word))
    return false;
  if (call->local != NULL)
    return map_get_on(call->local, AS(ObjMap, map), key.word, &out->word);
  return map_get(call->vm, AS(ObjMap, map), key.word, &out->word);
}

bool csp_map_get_name(CspCall *call, CspValue map, const char *key,
                      CspValue *out) {
  CspValue name = csp_string(call, key, strlen(key));
  return !csp_is_undef(name) && csp_map_get(call, map, name, out);
}

bool csp_map_set(CspCall *call, CspValue map, CspValue key, CspValue v) {
  if (__builtin_expect(csp_is_undef(map), 0)) return not_put(call);
  if (__builtin_expect(csp_is_undef(key), 0)) return not_put(call);
  if (__builtin_expect(csp_is_undef(v), 0)) return not_put(call);
  if (call->local != NULL && !map_key_ready(call->local, key.word))
    return false;
  return map_done(call,
                  map_set(call->local, AS(ObjMap, map), key.word, v.word));
}

bool csp_map_set_name(CspCall *call, CspValue map, const char *key,
                      CspValue v) {
  return csp_map_set(call, map, csp_string(call, key, strlen(key)), v);
}

bool csp_map_delete(CspCall *call, CspValue map, CspValue key, bool *found) {
  bool was_there = false;
  if (call->local != NULL && !map_key_ready(call->local, key.word))
    return false;
  MapResult result =
      map_delete(call->local, AS(ObjMap, map), key.word, &was_there);
  if (found != NULL) *found = was_there;
  return map_done(call, result);
}

bool csp_map_clear(CspCall *call, CspValue map) {
  return map_done(call, map_clear(call->local, AS(ObjMap, map)));
}

// state[0] is the table that is walked (0 before the first step), and state[1]
// how far. The table stays: nothing is collected inside a native.
bool csp_map_next(CspCall *call, CspValue map, CspIter *iter, CspValue *key,
                  CspValue *value) {
  ObjMap *object = AS(ObjMap, map);
  RT_ASSERT(map_is_valid(object));
  if (!iter->state[0]) {
    iter->state[0] = value_from_obj(heap_load(&object->table));
  }
  const ObjTable *table = (const ObjTable *)value_obj(iter->state[0]);
  return map_next(call->vm, object, table, &iter->state[1], &key->word,
                  &value->word);
}

// --- Bytes ------------------------------------------------------------------
static size_t clamp_count(const ObjRaw *block, size_t at, size_t count) {
  size_t len = raw_len(block);
  if (at >= len) return 0;
  return count < len - at ? count : len - at;
}

size_t csp_bytes_len(CspValue bytes) {
  RT_ASSERT(bytes_is_valid(AS(ObjBytes, bytes)));
  return raw_len(bytes_block(AS(ObjBytes, bytes)));
}

// Scripts may race on bytes; under ThreadSanitizer each one is an access of
// its own.
size_t csp_bytes_read(CspValue bytes, size_t at, void *to, size_t count) {
  RT_ASSERT(bytes_is_valid(AS(ObjBytes, bytes)));
  ObjRaw *block = bytes_block(AS(ObjBytes, bytes));
  count = clamp_count(block, at, count);
#ifdef CSP_TSAN
  for (size_t i = 0; i < count; i++) {
    // relaxed: each byte is whole, whichever of those that other goroutines
    // store (copy_piece, access.c)
    ((uint8_t *)to)[i] = rt_load_relaxed(&block->data[at + i]);
  }
#else
  if (count > 0) memcpy(to, block->data + at, count);
#endif
  return count;
}

size_t csp_bytes_write(CspValue bytes, size_t at, const void *from,
                       size_t count) {
  RT_ASSERT(bytes_is_valid(AS(ObjBytes, bytes)));
  ObjRaw *block = bytes_block(AS(ObjBytes, bytes));
  count = clamp_count(block, at, count);
#ifdef CSP_TSAN
  for (size_t i = 0; i < count; i++) {
    // relaxed: as in csp_bytes_read. A read meanwhile gets old or new bytes
    rt_store_relaxed(&block->data[at + i], ((const uint8_t *)from)[i]);
  }
#else
  if (count > 0) memcpy(block->data + at, from, count);
#endif
  return count;
}

bool csp_bytes_append(CspCall *call, CspValue bytes, const void *from,
                      size_t count) {
  if (bytes.word != VALUE_UNDEF &&
      bytes_append(call->local, AS(ObjBytes, bytes), from, count))
    return true;
  return not_put(call);
}

// --- As text ----------------------------------------------------------------
// memory: of the result. NULL: malloced.
static char *format_in(const Memory *memory, CspCall *call, CspValue v,
                       bool quoted, size_t *len) {
  Text text = {.memory = memory,
               .most = heap_room(call->vm->heap),
               .local = call->local};
  format_value(&text, call->vm, v.word, quoted);
  size_t count = text.len;
  text_add(&text, "", 1);
  if (text.failed) {
    text_free(&text);
    return NULL;
  }
  if (len != NULL) *len = count;
  return text.data;
}

char *csp_format(CspCall *call, CspValue v, bool quoted, size_t *len) {
  return format_in(NULL, call, v, quoted, len);
}

char *csp_alloc_format(CspCall *call, CspValue v, bool quoted, size_t *len) {
  return format_in(call->vm->memory, call, v, quoted, len);
}

// How many bytes of the text are left if a character that is not whole is taken
// off its end.
static size_t whole_characters(const char *data, size_t len) {
  size_t at = len;
  while (at > 0 && len - at < 3 && utf8_continues(data[at - 1])) at--;
  if (at == 0) return len;
  uint8_t first = (uint8_t)data[at - 1];
  size_t wants = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return len - at + 1 < wants ? at - 1 : len;
}

// `text` has its memory. As csp_format_most.
static char *format_most_in(Text text, CspCall *call, CspValue v, bool quoted,
                            size_t *len, bool *cut) {
  text_add(&text, "", 0);
  format_value(&text, call->vm, v.word, quoted);
  if (cut != NULL) *cut = text.full;
  if (text.data == NULL || (text.failed && !text.full)) {
    text_free(&text);
    return NULL;
  }
  if (text.full) text.len = whole_characters(text.data, text.len);
  text.data[text.len] = '\0';
  if (len != NULL) *len = text.len;
  return text.data;
}

static Text text_most(const Memory *memory, CspCall *call, size_t most) {
  size_t room = heap_room(call->vm->heap);
  return (Text){.memory = memory,
                .most = most < room ? most + 1 : room,
                .cuts = true,
                .local = call->local};
}

char *csp_format_most(CspCall *call, CspValue v, bool quoted, size_t most,
                      size_t *len, bool *cut) {
  return format_most_in(text_most(NULL, call, most), call, v, quoted, len, cut);
}

char *csp_alloc_format_most(CspCall *call, CspValue v, bool quoted, size_t most,
                            size_t *len, bool *cut) {
  Text text = text_most(call->vm->memory, call, most);
  return format_most_in(text, call, v, quoted, len, cut);
}

bool csp_needs_call_on(CspCall *call, CspValue v) {
  if (call->local == NULL) return csp_needs_call(v);
  return value_needs_call(call->local, v.word, false);
}

bool csp_needs_call(CspValue v) {
  return value_has_text_method(&mem_libc, v.word);
}

#undef AS
