// SPDX-License-Identifier: MIT
// Indexing, slicing, fields, methods, `in` and `is` on any value.
//
// Errors name the value's type and what was asked. Inline cache words are
// hints that their reader checks: struct id << 8 | slot.
#include "vm/interp/access.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vm/heap/local.h"
#include "vm/heap/work.h"
#include "vm/interp/explain.h"
#include "vm/interp/host_call.h"
#include "vm/interp/method_tables.h"
#include "vm/interp/panic.h"
#include "vm/interp/places.h"
#include "vm/object/box.h"
#include "vm/object/bytes.h"
#include "vm/object/compare.h"
#include "vm/object/error.h"
#include "vm/object/habit.h"
#include "vm/object/host_type.h"
#include "vm/object/list.h"
#include "vm/object/map.h"
#include "vm/object/range.h"
#include "vm/object/search.h"
#include "vm/object/string.h"
#include "vm/object/tuple.h"
#include "vm/object/value_text.h"
#include "vm/value/number.h"

// Ids in caches have 24 bits; the last ones stand for built-in types.
#define CACHE_ID_MAX BUILTIN_ID(OBJ_TYPE_COUNT)

// Whether a place may have been counted from the end.
static bool is_from_end(int64_t at, size_t len) {
  return at < 0 && at >= -(int64_t)len;
}

static __attribute__((noinline)) bool bad_index(Local *local, Goroutine *g,
                                                int64_t at, size_t len) {
  if (is_from_end(at, len))
    return vm_panic(local, g,
                    "index %lld out of range (length %zu): from the end it is "
                    "`x[len(x) - %lld]`",
                    (long long)at, len, -(long long)at);
  return vm_panic(local, g, "index %lld out of range (length %zu)",
                  (long long)at, len);
}

static __attribute__((noinline)) bool bad_slice(Local *local, Goroutine *g,
                                                int64_t from, int64_t to,
                                                size_t len) {
  int64_t at = from < 0 ? from : to;
  if (is_from_end(at, len))
    return vm_panic(local, g,
                    "slice [%lld:%lld] out of range (length %zu): from the end "
                    "a bound is `len(x) - %lld`",
                    (long long)from, (long long)to, len, -(long long)at);
  return vm_panic(local, g, "slice [%lld:%lld] out of range (length %zu)",
                  (long long)from, (long long)to, len);
}

static bool need_int_index(Local *local, Goroutine *g, Value x, Value index,
                           int64_t *at) {
  if (!value_is_int(index))
    return vm_panic(local, g, "a %s is indexed by an int, not %s",
                    value_type_name(x), value_type_name(index));
  *at = value_int(index);
  return true;
}

// --- Elements ---------------------------------------------------------------
// Where the element is. NULL: there is none.
static Value *list_place(Local *local, ObjList *list, int64_t at) {
  ObjValues *block = list_block(list);
  if (values_is_ring(block)) {
    list_settle(local, list);
    block = list_block(list);
  }
  return values_at(block, (size_t)at);
}

static bool get_sequence(Local *local, Goroutine *g, Value x, Value index,
                         Value *out) {
  int64_t at;
  size_t len;
  if (!need_int_index(local, g, x, index, &at)) return false;
  Obj *obj = value_obj(x);
  RT_ASSERT(obj->type != OBJ_LIST || list_is_valid((ObjList *)obj));
  if (obj->type == OBJ_LIST) {
    const Value *slot = list_place(local, (ObjList *)obj, at);
    if (slot == NULL)
      return bad_index(local, g, at, values_len(list_block((ObjList *)obj)));
    *out = heap_load(slot);
  } else if (obj->type == OBJ_TUPLE) {
    const ObjValues *values = &((ObjTuple *)obj)->values;
    if ((uint64_t)at >= values->len)
      return bad_index(local, g, at, values->len);
    *out = values->slots[at];
  } else if (obj->type == OBJ_STRING) {
    len = ((ObjString *)obj)->len;
    if (at < 0 || (uint64_t)at >= len) return bad_index(local, g, at, len);
    *out = value_from_small((uint8_t)string_data((ObjString *)obj)[at]);
  } else {
    RT_ASSERT(bytes_is_valid((ObjBytes *)obj));
    ObjRaw *block = bytes_block((ObjBytes *)obj);
    len = raw_len(block);
    if (at < 0 || (uint64_t)at >= len) return bad_index(local, g, at, len);
    // relaxed: a byte is whole, whichever of those that were stored
    // (copy_piece, access.c)
    *out = value_from_small(rt_load_relaxed(&block->data[at]));
  }
  return true;
}

// Of a host's type with such an operation.
static bool get_of_host(Local *local, Goroutine *g, Value x, Value index,
                        Value *out, bool *found) {
  HostDone done = host_get(local, g, x, index, out);
  if (done == HOST_PANICKED) return false;
  if (done == HOST_NO) *out = VALUE_NIL;
  if (found != NULL) *found = done == HOST_DID;
  if (done == HOST_DID || found != NULL) return true;
  if (value_is_int(index))
    return vm_panic(local, g, "%s has no element %lld", value_type_name(x),
                    (long long)value_int(index));
  if (value_is_type(index, OBJ_STRING)) {
    const ObjString *name = (ObjString *)value_obj(index);
    return vm_panic(local, g, "%s has no element or method `%.*s`",
                    value_type_name(x), name->len < 100 ? (int)name->len : 100,
                    string_data(name));
  }
  return vm_panic(local, g, "%s has no element for %s", value_type_name(x),
                  value_type_name(index));
}

static bool set_of_host(Local *local, Goroutine *g, Value x, Value index,
                        Value v) {
  HostDone done = host_set(local, g, x, index, v);
  if (done != HOST_NO) return done == HOST_DID;
  return vm_panic(local, g, "%s cannot take %s as that element",
                  value_type_name(x), value_type_name(v));
}

bool access_get(Local *local, Goroutine *g, Value x, Value index, Value *out,
                bool *found) {
  if (value_is_type(x, OBJ_MAP)) {
    if (!map_key_ready(local, index)) return false;
    const ObjMap *map = (ObjMap *)value_obj(x);
    bool there = map_get_on(local, map, index, out);
    if (!there) *out = map_missing(map);
    if (found != NULL) *found = there;
    return true;
  }
  if (found == NULL &&
      (value_is_type(x, OBJ_LIST) || value_is_type(x, OBJ_STRING) ||
       value_is_type(x, OBJ_TUPLE) || value_is_type(x, OBJ_BYTES)))
    return get_sequence(local, g, x, index, out);
  if (host_has_elements(x)) return get_of_host(local, g, x, index, out, found);
  if (found != NULL)
    return vm_panic(local, g, "`v, ok := x[k]` needs a map, not %s",
                    value_type_name(x));
  const char *type = value_type_name(x);
  const char *instead =
      strcmp(type, "func") == 0     ? ": call it first, as in `f()[i]`"
      : value_is_type(x, OBJ_RANGE) ? ": make a list of it, as in `list(r)[i]`"
                                    : "";
  return explain_panic(local, g, "cannot index %s%s", type, instead);
}

static bool set_byte(Local *local, Goroutine *g, Value x, int64_t at, Value v) {
  ObjRaw *block = bytes_block((ObjBytes *)value_obj(x));
  size_t len = raw_len(block);
  if (at < 0 || (uint64_t)at >= len) return bad_index(local, g, at, len);
  if (!value_is_int(v) || value_int(v) < 0 || value_int(v) > 255)
    return vm_panic(local, g, "a byte is an int from 0 to 255");
  // relaxed: as in the load above
  rt_store_relaxed(&block->data[at], (uint8_t)value_int(v));
  return true;
}

bool access_set(Local *local, Goroutine *g, Value x, Value index, Value v) {
  int64_t at;
  if (value_is_type(x, OBJ_MAP)) {
    if (!map_key_ready(local, index)) return false;
    MapResult r = map_set_part(local, (ObjMap *)value_obj(x), index, v);
    if (r == MAP_OK) return true;
    if (r == MAP_GROWS) {
      local->part_done = true;
      return false;
    }
    if (r == MAP_NO_MEMORY) return vm_panic_memory(local, g);
    return vm_panic(local, g, "%s", map_result_text(r));
  }
  if (value_is_type(x, OBJ_LIST)) {
    if (!need_int_index(local, g, x, index, &at)) return false;
    ObjList *list = (ObjList *)value_obj(x);
    Value *slot = list_place(local, list, at);
    if (slot == NULL)
      return bad_index(local, g, at, values_len(list_block(list)));
    heap_store(&local->heap, slot, v);
    return true;
  }
  if (value_is_type(x, OBJ_BYTES))
    return need_int_index(local, g, x, index, &at) &&
           set_byte(local, g, x, at, v);
  if (host_takes_elements(x)) return set_of_host(local, g, x, index, v);
  if (value_is_type(x, OBJ_TUPLE))
    return vm_panic(local, g,
                    "a tuple cannot be changed (make a new one, or use a "
                    "list: `list(t)`)");
  return explain_panic(local, g, "cannot assign to an element of %s",
                       value_type_name(x));
}

// --- Slices -----------------------------------------------------------------
typedef struct Slice {
  size_t from, to;
} Slice;

static bool slice_bounds(Local *local, Goroutine *g, Value from, Value to,
                         size_t len, Slice *out) {
  if ((from != VALUE_UNDEF && !value_is_int(from)) ||
      (to != VALUE_UNDEF && !value_is_int(to)))
    return vm_panic(
        local, g, "the bounds of a slice are ints, not %s",
        value_type_name(from != VALUE_UNDEF && !value_is_int(from) ? from
                                                                   : to));
  int64_t x = from == VALUE_UNDEF ? 0 : value_int(from);
  int64_t y = to == VALUE_UNDEF ? (int64_t)len : value_int(to);
  if (x < 0 || y < x || (uint64_t)y > len)
    return bad_slice(local, g, x, y, len);
  *out = (Slice){(size_t)x, (size_t)y};
  return true;
}

static ObjString *slice_string(Local *local, const char *data, size_t len) {
  if (len <= RECENT_LEN_MAX) return string_new(local, data, len);
  ObjString *string = string_alloc(local, len);
  return string != NULL && work_copy(local, string->own, data, len) ? string
                                                                    : NULL;
}

// A string, list, tuple or bytes as it was at one time.
typedef struct Sliced {
  Value x;
  const ObjValues *values;  // of a list or tuple
  ObjRaw *raw;              // of bytes
  size_t len;
} Sliced;

static bool slice_source(Value x, Sliced *out) {
  *out = (Sliced){.x = x};
  if (value_is_type(x, OBJ_STRING)) {
    out->len = ((ObjString *)value_obj(x))->len;
  } else if (sequence_block(x) != NULL) {
    out->values = sequence_block(x);
    out->len = values_len(out->values);
  } else if (value_is_type(x, OBJ_BYTES)) {
    out->raw = bytes_block((ObjBytes *)value_obj(x));
    out->len = raw_len(out->raw);
  } else {
    return false;
  }
  return true;
}

// NULL: no memory.
static void *slice_make(Local *local, const Sliced *of, Slice part) {
  size_t count = part.to - part.from;
  const char *failed;  // (no part is deeper than the whole)
  if (value_is_type(of->x, OBJ_TUPLE))
    return tuple_part(local, of->values, part.from, count, &failed);
  if (of->values != NULL) {
    ObjList *list = list_new(local, count);
    bool made = list != NULL &&
                list_append_part(local, list, of->values, part.from, count);
    return made ? list : NULL;
  }
  if (of->raw != NULL) {
    ObjBytes *bytes = bytes_new(local, 0);
    bool made = bytes != NULL &&
                bytes_append(local, bytes, of->raw->data + part.from, count);
    return made ? bytes : NULL;
  }
  const char *data = string_data((ObjString *)value_obj(of->x));
  return slice_string(local, data + part.from, count);
}

bool access_slice(Local *local, Goroutine *g, Value x, Value from, Value to,
                  Value *out) {
  Sliced of;
  Slice part;
  if (!slice_source(x, &of))
    return explain_panic(local, g, "cannot slice %s", value_type_name(x));
  if (!slice_bounds(local, g, from, to, of.len, &part)) return false;
  void *made = slice_make(local, &of, part);
  if (made == NULL) return vm_panic_memory(local, g);
  *out = value_from_obj(made);
  return true;
}

static size_t clamped(int64_t n, size_t least, size_t most) {
  size_t at = n < 0 ? 0 : (uint64_t)n < most ? (size_t)n : most;
  return at < least ? least : at;
}

Obj *access_part(Local *local, Value x, int64_t from, int64_t to) {
  Sliced of;
  RT_CHECK(slice_source(x, &of), "a part of %s", value_type_name(x));
  Slice part = {.from = clamped(from, 0, of.len)};
  part.to = clamped(to, part.from, of.len);
  return slice_make(local, &of, part);
}

// --- in, is -----------------------------------------------------------------
static bool search_goes_on(void *local, size_t units) {
  return work_on(local, units);
}

static bool in_string(Local *local, const ObjString *string,
                      const ObjString *piece, bool *out) {
  int64_t at =
      search_first(string_data(string), string->len, string_data(piece),
                   piece->len, (SearchWork){search_goes_on, local});
  *out = at >= 0;
  charge_bytes(local, (at < 0 ? string->len : (size_t)at) % SEARCH_PIECE);
  return at != SEARCH_GIVEN_UP;
}

// A byte: an int, or a float that equals one.
static bool in_bytes(Local *local, const ObjBytes *bytes, Value a, bool *out) {
  ObjRaw *block = bytes_block(bytes);
  *out = false;
  for (size_t n = 0, len = raw_len(block); n < len && !*out; n++) {
    // relaxed: as in the load above
    *out = value_equal(value_from_small(rt_load_relaxed(&block->data[n])), a);
    if (n % 4096 == 4095 && !work_on(local, 4096 * 2)) return false;
  }
  return true;
}

bool access_in(Local *local, Goroutine *g, Value a, Value x, bool *out) {
  const ObjValues *block = sequence_block(x);
  if (block != NULL) {
    *out = false;
    for (size_t n = 0, len = values_len(block); n < len && !*out; n++) {
      const Value *slot = values_at(block, n);
      *out = slot != NULL && value_equal_on(local, heap_load(slot), a);
      if (!work_part(local, 2, n % 1024 == 1023)) return false;
    }
    return !g->gave_up;
  }
  if (value_is_type(x, OBJ_MAP)) {
    Value ignored;
    if (!map_key_ready(local, a)) return false;
    *out = map_get_on(local, (ObjMap *)value_obj(x), a, &ignored);
    return true;
  }
  if (value_is_type(x, OBJ_RANGE)) {
    *out = range_has((ObjRange *)value_obj(x), a);
    return true;
  }
  if (value_is_type(x, OBJ_STRING)) {
    if (!value_is_type(a, OBJ_STRING))
      return vm_panic(local, g, "`in` a string needs a string, not %s",
                      value_type_name(a));
    return in_string(local, (ObjString *)value_obj(x),
                     (ObjString *)value_obj(a), out);
  }
  if (value_is_type(x, OBJ_BYTES))
    return in_bytes(local, (ObjBytes *)value_obj(x), a, out);
  return explain_panic(local, g,
                       "`in` needs a list, tuple, map, string, bytes or range, "
                       "not %s",
                       value_type_name(x));
}

bool access_is(Vm *vm, Value v, Value type) {
  (void)vm;
  if (value_is_type(type, OBJ_STRUCT))
    return value_is_type(v, OBJ_INSTANCE) &&
           ((ObjInstance *)value_obj(v))->type == (ObjStruct *)value_obj(type);
  // An instance's type name is its struct's: it must not pass for a built-in.
  RT_ASSERT(value_is_type(type, OBJ_STRING));
  const char *name = ((ObjString *)value_obj(type))->own;
  if (value_is_type(v, OBJ_INSTANCE))
    return value_is_struct_error(v) && strcmp(name, "error") == 0;
  return strcmp(value_type_name(v), name) == 0;
}

// --- Fields and methods -----------------------------------------------------
static int find_field(const ObjStruct *type, const ObjString *name) {
  for (int n = 0; n < type->obj.aux; n++)
    if (type->fields[n] == name) return n;
  return -1;
}

// The type's methods. The caller has acquired method_count, or has a number of
// a method from a cache.
static const Method *methods_of(const ObjStruct *type) {
  // relaxed: the room comes before the count, and its methods hang on the
  // address
  return heap_load(&type->room)->methods;
}

static int find_method(const ObjStruct *type, const ObjString *name) {
  // acquire: the table has them. Pairs with the release in struct_add_method
  uint32_t count = rt_load_acquire(&type->method_count);
  for (uint32_t n = 0; n < count; n++)
    if (methods_of(type)[n].name == name) return (int)n;
  return -1;
}

static void cache_slot(uint32_t *word, const ObjStruct *type, int slot) {
  RT_ASSERT(type->obj.type == OBJ_STRUCT && slot >= 0);
  // release: a method's room is there when its number is. Pairs with INVOKE
  if (type->id <= CACHE_ID_MAX && slot <= 0xff)
    rt_store_release(word, type->id << 8 | (uint32_t)slot);
}

bool access_unknown(Local *local, Goroutine *g, const Suggest *suggest,
                    const char *format, ...) {
  Text text = {.memory = local->vm->memory};
  va_list args;
  va_start(args, format);
  char *message = mem_format_args(local->vm->memory, NULL, format, args);
  if (message == NULL) {
    text.failed = true;
  } else {
    text_addf(&text, "%s", message);
    mem_free(message);
  }
  va_end(args);
  if (suggest->best != NULL)
    text_addf(&text, " (did you mean `%s`?)", suggest->best);
  text_add(&text, "", 1);
  if (text.failed)
    vm_panic_memory(local, g);
  else
    vm_panic(local, g, "%s", text.data);
  text_free(&text);
  return false;
}

// The type whose method table serves values of x's type.
static ObjType method_type(Value x) {
  if (!value_is_obj(x)) return value_is_small(x) ? OBJ_INT : OBJ_FLOAT;
  ObjType type = (ObjType)value_obj(x)->type;
  return type == OBJ_NATIVE || type == OBJ_BOUND ? OBJ_CLOSURE : type;
}

void access_each_name(Vm *vm, Value x, void (*fn)(void *arg, const char *name),
                      void *arg) {
  if (value_is_type(x, OBJ_INSTANCE)) {
    const ObjStruct *type = ((ObjInstance *)value_obj(x))->type;
    for (int n = 0; n < type->obj.aux; n++) fn(arg, type->fields[n]->own);
    // acquire: as in find_method
    uint32_t count = rt_load_acquire(&type->method_count);
    for (uint32_t n = 0; n < count; n++) fn(arg, methods_of(type)[n].name->own);
  } else if (value_is_type(x, OBJ_ERROR)) {
    // as error_field has them
    static const char *const parts[] = {"message", "cause", "code", "trace"};
    for (int n = 0; n < 4; n++) fn(arg, parts[n]);
  } else if (value_is_type(x, OBJ_HOST)) {
    host_each_method(vm, ((ObjHost *)value_obj(x))->klass, fn, arg);
  } else if (value_is_obj(x) || value_is_small(x) || value_is_small_float(x)) {
    const MethodTable *table = vm->methods[method_type(x)];
    for (uint32_t n = 0; table != NULL && n < table->count; n++)
      fn(arg, table->methods[n].name->own);
  }
}

// What a method of another language is here, or NULL.
static const char *foreign_name(Value x, const ObjString *name) {
  bool own = value_is_type(x, OBJ_INSTANCE) || value_is_type(x, OBJ_HOST) ||
             value_is_type(x, OBJ_STRUCT);
  return own ? NULL : habit_find(method_type(x), name->own);
}

static bool is_method_of_lists(const Vm *vm, const ObjString *name) {
  const MethodTable *table = vm->methods[OBJ_LIST];
  for (uint32_t n = 0; n < table->count; n++)
    if (strcmp(table->methods[n].name->own, name->own) == 0) return true;
  return false;
}

static bool no_such(Local *local, Goroutine *g, Value x,
                    const ObjString *name) {
  Suggest suggest = {.wanted = name->own};
  if (x == VALUE_NIL)
    return explain_panic(local, g, "nil has no field or method `%s`",
                         name->own);
  if (value_is_type(x, OBJ_TUPLE) && is_method_of_lists(local->vm, name))
    return vm_panic(local, g,
                    "tuple has no method `%s`: write `list(t).%s(...)`, on a "
                    "new list of its elements",
                    name->own, name->own);
  const char *habit = foreign_name(x, name);
  if (habit != NULL)
    return vm_panic(local, g, "%s has no method `%s`: write `%s`",
                    value_type_name(x), name->own, habit);
  access_each_name(local->vm, x, suggest_name, &suggest);
  if (value_is_type(x, OBJ_TUPLE) && suggest.best == NULL)
    return vm_panic(local, g,
                    "tuple has no method `%s`: its elements are `t[0]` and so "
                    "on, and `for (a, b) in x` takes it apart",
                    name->own);
  if (value_is_type(x, OBJ_INSTANCE))
    return access_unknown(local, g, &suggest, "%s has no field or method `%s`",
                          value_type_name(x), name->own);
  return access_unknown(local, g, &suggest, "%s has no method `%s`",
                        value_type_name(x), name->own);
}

static bool bind_method(Local *local, Goroutine *g, Value x, Value function,
                        Value *out) {
  ObjBound *bound =
      (ObjBound *)heap_alloc(&local->heap, sizeof *bound, OBJ_BOUND);
  if (bound == NULL) return vm_panic_memory(local, g);
  bound->receiver = x;
  bound->function = function;
  *out = value_from_obj(bound);
  return true;
}

static bool no_member(Local *local, Goroutine *g, const ObjModule *module,
                      const ObjString *name) {
  Suggest suggest = {.wanted = name->own};
  uint64_t at = 0;
  Value key, cell;
  const ObjTable *table = heap_load(&module->members->table);
  while (map_next(local->vm, module->members, table, &at, &key, &cell)) {
    const char *member = ((ObjString *)value_obj(key))->own;
    if (member[0] != '_') suggest_try(&suggest, member);
  }
  return access_unknown(local, g, &suggest, "module %s has no member `%s`",
                        module->name->own, name->own);
}

// A member of a module as a value.
static bool module_member(Local *local, Goroutine *g, const ObjModule *module,
                          const ObjString *name, Value *out) {
  Value cell;
  if (name->own[0] == '_' ||
      !map_get(local->vm, module->members, value_from_obj(name), &cell))
    return no_member(local, g, module, name);
  RT_ASSERT(value_is_type(cell, OBJ_CELL));
  *out = heap_load(&((ObjCell *)value_obj(cell))->value);
  if (*out == VALUE_UNDEF)
    return vm_panic(local, g, "`%s.%s` is used before it is set",
                    module->name->own, name->own);
  return true;
}

// A method of a built-in type or host class, or VALUE_UNDEF.
static Value builtin_method(Vm *vm, Value x, const ObjString *name) {
  if (value_is_type(x, OBJ_HOST))
    return host_method(vm, ((ObjHost *)value_obj(x))->klass, name);
  bool constant =
      !value_is_obj(x) && !value_is_small(x) && !value_is_small_float(x);
  return constant ? VALUE_UNDEF : vm_method(vm, method_type(x), name);
}

static Value find_text(const Method *methods, uint32_t count,
                       const ObjString *name) {
  for (uint32_t n = 0; n < count; n++)
    if (string_equal(methods[n].name, name)) return methods[n].function;
  return VALUE_UNDEF;
}

Value access_find_method(Vm *vm, Value x, const ObjString *name) {
  if (value_is_type(x, OBJ_STRUCT) || value_is_type(x, OBJ_INSTANCE)) {
    const ObjStruct *type = value_is_type(x, OBJ_STRUCT)
                                ? (ObjStruct *)value_obj(x)
                                : ((ObjInstance *)value_obj(x))->type;
    // acquire: as in find_method
    uint32_t count = rt_load_acquire(&type->method_count);
    return count > 0 ? find_text(methods_of(type), count, name) : VALUE_UNDEF;
  }
  if (value_is_type(x, OBJ_HOST))
    return host_method(vm, ((ObjHost *)value_obj(x))->klass, name);
  bool constant =
      !value_is_obj(x) && !value_is_small(x) && !value_is_small_float(x);
  const MethodTable *table = constant ? NULL : vm->methods[method_type(x)];
  return table != NULL ? find_text(table->methods, table->count, name)
                       : VALUE_UNDEF;
}

// The parts that every error has. (The message of a struct's is made by a
// call: see access_message.)
static bool error_field(Local *local, Value x, const ObjString *name,
                        Value *out) {
  bool message = strcmp(name->own, "message") == 0;
  bool cause = strcmp(name->own, "cause") == 0;
  bool trace = strcmp(name->own, "trace") == 0;
  bool code = strcmp(name->own, "code") == 0;
  *out = VALUE_NIL;
  if (value_is_type(x, OBJ_ERROR) && (message || cause || code)) {
    const ObjError *error = (ObjError *)value_obj(x);
    *out = message ? error->message : cause ? error->cause : error->code;
    return true;
  }
  if (value_is_type(x, OBJ_ERROR) && trace)
    *out = places_list(local, (ObjError *)value_obj(x));
  return cause || trace || code;
}

bool access_calls_error(Value x, const ObjString *name) {
  if (!value_is_struct_error(x)) return false;
  const ObjStruct *type = ((ObjInstance *)value_obj(x))->type;
  return find_field(type, name) < 0 && find_method(type, name) < 0;
}

bool access_field(Local *local, Goroutine *g, Value x, ObjString *name,
                  uint32_t *word, Value *out) {
  if (value_is_type(x, OBJ_INSTANCE)) {
    ObjInstance *instance = (ObjInstance *)value_obj(x);
    int slot = find_field(instance->type, name);
    RT_ASSERT(instance->obj.aux == instance->type->obj.aux);
    if (slot >= 0) {
      cache_slot(word, instance->type, slot);
      *out = heap_load(&instance->fields[slot]);
      return true;
    }
    int method = find_method(instance->type, name);
    if (method >= 0)
      return bind_method(
          local, g, x, heap_load(&methods_of(instance->type)[method].function),
          out);
    bool known = value_is_struct_error(x) && error_field(local, x, name, out);
    return known || no_such(local, g, x, name);
  }
  if (value_is_type(x, OBJ_MAP)) {
    const ObjMap *map = (ObjMap *)value_obj(x);
    if (!map_get(local->vm, map, value_from_obj(name), out))
      *out = map_missing(map);
    return true;
  }
  if (value_is_type(x, OBJ_MODULE))
    return module_member(local, g, (ObjModule *)value_obj(x), name, out);
  if (value_is_type(x, OBJ_ERROR) && error_field(local, x, name, out))
    return *out != VALUE_UNDEF || vm_panic_memory(local, g);
  Value method = builtin_method(local->vm, x, name);
  if (method == VALUE_UNDEF && host_has_elements(x))
    return get_of_host(local, g, x, value_from_obj(name), out, NULL);
  if (method == VALUE_UNDEF) return no_such(local, g, x, name);
  return bind_method(local, g, x, method, out);
}

bool access_set_field(Local *local, Goroutine *g, Value x, ObjString *name,
                      uint32_t *word, Value v) {
  if (value_is_type(x, OBJ_INSTANCE)) {
    ObjInstance *instance = (ObjInstance *)value_obj(x);
    int slot = find_field(instance->type, name);
    if (slot < 0) return no_such(local, g, x, name);
    RT_ASSERT(instance->obj.aux == instance->type->obj.aux);
    cache_slot(word, instance->type, slot);
    heap_store(&local->heap, &instance->fields[slot], v);
    return true;
  }
  if (value_is_type(x, OBJ_MAP))
    return access_set(local, g, x, value_from_obj(name), v);
  if (host_takes_elements(x))
    return set_of_host(local, g, x, value_from_obj(name), v);
  return explain_panic(local, g, "cannot set field `%s` of %s", name->own,
                       value_type_name(x));
}

// A method of a built-in type; its place in the type's table, which only
// grows, goes into the cache.
static Value cached_method(Vm *vm, Value x, const ObjString *name,
                           uint32_t *word) {
  // a host's values have the methods of their class
  if (!value_is_obj(x) || value_is_type(x, OBJ_HOST))
    return builtin_method(vm, x, name);
  ObjType type = method_type(x);
  const MethodTable *table = vm->methods[type];
  // relaxed: one word, checked below. Pairs with the store in cached_method
  uint32_t cache = rt_load_relaxed(word), at = 0;
  RT_ASSERT(cache >> 8 != BUILTIN_ID(type) ||
            (table != NULL && (cache & 0xff) < table->count));
  if (cache >> 8 == BUILTIN_ID(type))
    return table->methods[cache & 0xff].function;
  while (table != NULL && at < table->count && table->methods[at].name != name)
    at++;
  if (table == NULL || at == table->count) return VALUE_UNDEF;
  // relaxed: one word. What the load above finds is checked
  if (at <= 0xff) rt_store_relaxed(word, BUILTIN_ID(type) << 8 | at);
  return table->methods[at].function;
}

static bool no_key_to_call(Local *local, Goroutine *g, Value x,
                           ObjString *name) {
  Value found;
  if (value_is_type(x, OBJ_MAP) &&
      map_get(local->vm, (ObjMap *)value_obj(x), value_from_obj(name), &found))
    return vm_panic(local, g, "cannot call nil, which the key \"%s\" holds",
                    name->own);
  const char *habit = habit_find(OBJ_MAP, name->own);
  return vm_panic(local, g, "the map has no key \"%s\" to call%s%s%s",
                  name->own, habit != NULL ? ": write `" : "",
                  habit != NULL ? habit : "", habit != NULL ? "`" : "");
}

// Whether it is the default of a map, instead of what methods of that name do
// elsewhere: `map(default: 0).keys()`.
static __attribute__((noinline)) bool is_default_called(Vm *vm, Value x,
                                                        ObjString *name) {
  Value found;
  return value_is_type(x, OBJ_MAP) && habit_find(OBJ_MAP, name->own) != NULL &&
         !map_get(vm, (ObjMap *)value_obj(x), value_from_obj(name), &found);
}

bool access_method(Local *local, Goroutine *g, Value x, ObjString *name,
                   uint32_t *word, Callee *out) {
  out->method = false;
  if (value_is_type(x, OBJ_INSTANCE)) {
    ObjInstance *instance = (ObjInstance *)value_obj(x);
    int at = find_method(instance->type, name);
    if (at >= 0) {
      cache_slot(word, instance->type, at);
      out->function = heap_load(&methods_of(instance->type)[at].function);
      out->method = true;
      return true;
    }
    uint32_t none = 0;  // the call's cache word holds methods, not fields
    return access_field(local, g, x, name, &none, &out->function);
  }
  if (value_is_type(x, OBJ_MAP) || value_is_type(x, OBJ_MODULE)) {
    if (!access_field(local, g, x, name, word, &out->function)) return false;
    if (value_is_obj(out->function)) return true;
    if (out->function != VALUE_NIL)  // which nothing can call
      return !is_default_called(local->vm, x, name) ||
             no_key_to_call(local, g, x, name);
    // A map without such a key: a method of maps, if there is one.
    out->function = builtin_method(local->vm, x, name);
    out->method = out->function != VALUE_UNDEF;
    return out->method || no_key_to_call(local, g, x, name);
  }
  out->method = true;
  out->function = cached_method(local->vm, x, name, word);
  return out->function != VALUE_UNDEF || no_such(local, g, x, name);
}
