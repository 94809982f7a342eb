// SPDX-License-Identifier: MIT
// Values as text, as println shows them, without recursion on the C stack.
//
// Containers on the way down lie on an explicit stack; one that is on it
// already prints as [...] or {...}, and so does one nested too deep.
#include "vm/object/value_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "vm/heap/local.h"
#include "vm/heap/work.h"
#include "vm/object/box.h"
#include "vm/object/bytes.h"
#include "vm/object/compare.h"
#include "vm/object/host_type.h"
#include "vm/object/list.h"
#include "vm/object/map.h"
#include "vm/object/range.h"
#include "vm/value/float_text.h"
#include "vm/value/utf8.h"

enum { NEST_MAX = 10000 };

// --- Text -------------------------------------------------------------------
static char *text_resize(Text *text, size_t cap) {
  if (text->memory == NULL) return libc_resize(text->data, cap);
  return mem_resize(text->memory, text->data, cap);
}

// Room for `more` bytes and a NUL.
static bool text_reserve(Text *text, size_t more) {
  if (text->failed) return false;
  RT_ASSERT(text->cap == 0 || text->len < text->cap);
  size_t need = text->len + more + 1;
  if (need <= text->cap) return true;
  size_t cap = text->cap * 2 > need ? text->cap * 2 : need + 32;
  bool fits = text->most == 0 || need <= text->most;
  if (fits && text->most != 0 && cap > text->most) cap = text->most;
  char *data = fits ? text_resize(text, cap) : NULL;
  if (data == NULL) {
    text->failed = true;
    text->full = !fits;
    return false;
  }
  text->data = data;
  text->cap = cap;
  return true;
}

// As text_reserve; where text is cut, *len is what still fits, and it has
// failed afterwards. (Of what is `most` one byte is for the NUL.)
static bool text_reserve_part(Text *text, size_t *len) {
  bool cut = text->cuts && !text->failed && *len >= text->most - text->len;
  if (cut) *len = text->most - text->len - 1;
  bool room = text_reserve(text, *len);
  if (cut) text->failed = true;
  if (cut && room) text->full = true;
  return room;
}

// Charges. Given up the text is not complete.
static void text_work(Text *text, uint64_t units) {
  if (text->local != NULL && !work_on(text->local, units)) text->failed = true;
}

void text_add(Text *text, const char *data, size_t len) {
  enum { LONG = 1 << 12 };
  // (cap is at most `most`: what has room is not cut.)
  bool room = !text->failed && len < text->cap - text->len;
  if (!room && !text_reserve_part(text, &len)) return;
  if (len > LONG && text->local != NULL) {
    if (!work_copy(text->local, text->data + text->len, data, len))
      text->failed = true;
  } else if (len) {
    memcpy(text->data + text->len, data, len);
  }
  text->len += len;
  text->data[text->len] = '\0';
}

void text_addf(Text *text, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int count = vsnprintf(NULL, 0, format, args);
  size_t len = count >= 0 ? (size_t)count : 0;
  va_end(args);
  if (count >= 0 && text_reserve_part(text, &len)) {
    vsnprintf(text->data + text->len, len + 1, format, again);
    text->len += len;
  }
  va_end(again);
}

void text_free(Text *text) {
  if (text->memory == NULL)
    libc_free(text->data);
  else
    mem_free(text->data);
  *text = (Text){.memory = text->memory};
}

static void add_text(Text *text, const char *s) {
  text_add(text, s, strlen(s));
}

static void add_string(Text *text, const ObjString *string) {
  text_add(text, string_data(string), string->len);
}

// --- Quoting ----------------------------------------------------------------
static const char *escape_of(char c) {
  switch (c) {
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    case '\\':
      return "\\\\";
    case '"':
      return "\\\"";
    default:
      return NULL;
  }
}

// One character of a string in source form; its length.
static size_t add_quoted_at(Text *text, const char *data, size_t len,
                            size_t at) {
  uint8_t c = (uint8_t)data[at];
  const char *escape = escape_of((char)c);
  if (escape != NULL) {
    add_text(text, escape);
    return 1;
  }
  if (c == '$' && at + 1 < len && data[at + 1] == '{') {
    add_text(text, "\\$");
    return 1;
  }
  uint32_t rune;
  int count = utf8_decode(data, len, at, &rune);
  if (utf8_is_control((char)c) || (c >= 0x80 && count == 1))
    text_addf(text, "\\x%02x", c);
  else
    text_add(text, data + at, (size_t)count);
  return (size_t)count;
}

static void add_quoted(Text *text, const char *data, size_t len) {
  add_text(text, "\"");
  for (size_t at = 0; at < len && !text->failed;) {
    at += add_quoted_at(text, data, len, at);
    text_work(text, 8);
  }
  add_text(text, "\"");
}

static void add_byte(Text *text, char c) {
  const char *escape = escape_of(c);
  if (escape != NULL)
    add_text(text, escape);
  else if ((uint8_t)c < 0x20 || (uint8_t)c >= 0x7f)
    text_addf(text, "\\x%02x", (uint8_t)c);
  else if (c == '$')
    add_text(text, "\\$");
  else
    text_add(text, &c, 1);
}

// The bytes of a block from `at` on, at most so many. Where it ends.
static size_t add_some_bytes(Text *text, const ObjRaw *block, size_t at,
                             size_t most) {
  size_t len = raw_len(block);
  for (; at < len && most-- > 0 && !text->failed; at++) {
    text_work(text, 8);
    // relaxed: a byte is whole, whichever of those that were stored
    // (copy_piece, access.c)
    add_byte(text, (char)rt_load_relaxed(&block->data[at]));
  }
  return at;
}

static const char bytes_opening[] = "bytes(\"", bytes_closing[] = "\")";

static void add_bytes(Text *text, const ObjBytes *bytes) {
  add_text(text, bytes_opening);
  add_some_bytes(text, bytes_block(bytes), 0, SIZE_MAX);
  add_text(text, bytes_closing);
}

// --- Names ------------------------------------------------------------------
const char *value_type_name(Value v) {
  static const char *const names[] = {
#define X(name, text) text,
      OBJ_TYPES(X)
#undef X
  };
  if (value_is_small(v)) return "int";
  if (value_is_small_float(v)) return "float";
  if (!value_is_obj(v))
    return v == VALUE_TRUE || v == VALUE_FALSE ? "bool" : "nil";
  const Obj *obj = value_obj(v);
  if (obj->type == OBJ_INSTANCE)
    return ((const ObjInstance *)obj)->type->name->own;
  if (obj->type == OBJ_HOST) return ((const ObjHost *)obj)->klass->name;
  RT_ASSERT(obj->type < OBJ_TYPE_COUNT);
  return names[obj->type];
}

void value_say_difference(Value b, Value c, char text[DIFFERENCE_SIZE]) {
  *text = '\0';
  if (!value_is_type(b, OBJ_TUPLE) || !value_is_type(c, OBJ_TUPLE)) return;
  const ObjValues *x = &((ObjTuple *)value_obj(b))->values;
  const ObjValues *y = &((ObjTuple *)value_obj(c))->values;
  size_t at = 0, len = x->len < y->len ? x->len : y->len;
  while (at < len && value_equal(x->slots[at], y->slots[at])) at++;
  if (at < len)
    snprintf(text, DIFFERENCE_SIZE, ": at index %zu stand %s and %s", at,
             value_type_name(x->slots[at]), value_type_name(y->slots[at]));
}

static const char *closure_name(const Obj *obj) {
  const ObjString *name = ((const ObjClosure *)obj)->proto->name;
  return name != NULL ? name->own : "?";
}

static void add_function(Text *text, Value function) {
  const Obj *obj = value_is_obj(function) ? value_obj(function) : NULL;
  if (obj != NULL && obj->type == OBJ_BOUND) {
    Value f = ((const ObjBound *)obj)->function;
    obj = value_is_obj(f) ? value_obj(f) : NULL;
  }
  if (obj != NULL && obj->type == OBJ_CLOSURE && *closure_name(obj))
    text_addf(text, "<func %s>", closure_name(obj));
  else
    add_text(text, "<func>");
}

// --- Values without parts ---------------------------------------------------
static void add_float(Text *text, double d) {
  char buffer[32];
  text_add(text, buffer, (size_t)format_float(d, buffer));
}

static void add_range(Text *text, const ObjRange *range) {
  if (range->step != 1) text_add(text, "(", 1);
  text_addf(text, "%lld..%s%lld", (long long)range->from,
            range_is_inclusive(range) ? "=" : "", (long long)range->to);
  if (range->step != 1) text_addf(text, ").by(%lld)", (long long)range->step);
}

static void add_object(Text *text, Value v, bool quoted) {
  const Obj *obj = value_obj(v);
  switch (obj->type) {
    case OBJ_STRING: {
      const ObjString *string = (const ObjString *)obj;
      if (quoted)
        add_quoted(text, string_data(string), string->len);
      else
        add_string(text, string);
      return;
    }
    case OBJ_BYTES:
      add_bytes(text, (const ObjBytes *)obj);
      return;
    case OBJ_RANGE:
      add_range(text, (const ObjRange *)obj);
      return;
    case OBJ_CLOSURE:
    case OBJ_NATIVE:
    case OBJ_BOUND:
      add_function(text, v);
      return;
    case OBJ_STRUCT:
      add_string(text, ((const ObjStruct *)obj)->name);
      return;
    case OBJ_MODULE:
      text_addf(text, "<module %s>", ((const ObjModule *)obj)->name->own);
      return;
    case OBJ_HOST:
      if (host_text(text, (const ObjHost *)obj)) return;
      break;
    default:
      break;
  }
  text_addf(text, "<%s>", value_type_name(v));
}

size_t format_int(int64_t i, char *end) {
  uint64_t left = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
  char *at = end;
  do {
    *--at = (char)('0' + left % 10);
    left /= 10;
  } while (left != 0);
  if (i < 0) *--at = '-';
  return (size_t)(end - at);
}

static void add_int(Text *text, int64_t i) {
  char digits[INT_DIGITS];
  size_t len = format_int(i, digits + INT_DIGITS);
  text_add(text, digits + INT_DIGITS - len, len);
}

static void add_plain(Text *text, Value v, bool quoted) {
  if (value_is_int(v))
    add_int(text, value_int(v));
  else if (value_is_float(v))
    add_float(text, value_float(v));
  else if (value_is_obj(v))
    add_object(text, v, quoted);
  else
    add_text(text, v == VALUE_TRUE    ? "true"
                   : v == VALUE_FALSE ? "false"
                                      : "nil");
}

// --- Containers -------------------------------------------------------------
// A container that is being walked, and where.
typedef struct WalkLevel {
  Obj *obj;
  const void *block;  // of a list or tuple its block, of a map its table
  uint64_t at;
} WalkLevel;

typedef struct ValueWalk {
  Vm *vm;  // NULL: entries of maps need not be current
  const Memory *memory;
  WalkLevel *levels;
  size_t depth, cap;
  size_t nest;     // levels at most
  int keys;        // of maps, in each other, inside of which it is
  size_t quoting;  // levels that are no errors
  bool failed;
} ValueWalk;

static bool is_container(Value v) {
  if (!value_is_obj(v)) return false;
  uint8_t type = value_obj(v)->type;
  return type == OBJ_LIST || type == OBJ_MAP || type == OBJ_INSTANCE ||
         type == OBJ_ERROR || type == OBJ_TUPLE;
}

static WalkLevel level_of(Obj *obj) {
  const void *block = sequence_block(value_from_obj(obj));
  if (obj->type == OBJ_MAP) block = heap_load(&((ObjMap *)obj)->table);
  return (WalkLevel){.obj = obj, .block = block};
}

// false: too deep, or there is no memory.
static bool walk_push(ValueWalk *walk, Obj *obj) {
  if (walk->depth == walk->nest) return false;
  if (walk->depth == walk->cap) {
    size_t cap = walk->cap ? walk->cap * 2 : 8;
    WalkLevel *levels =
        mem_resize(walk->memory, walk->levels, cap * sizeof *levels);
    if (levels == NULL) {
      walk->failed = true;
      return false;
    }
    walk->levels = levels;
    walk->cap = cap;
  }
  RT_ASSERT(walk->depth < walk->cap);
  walk->levels[walk->depth++] = level_of(obj);
  walk->quoting += obj->type != OBJ_ERROR;
  return true;
}

static void walk_leave(ValueWalk *walk) {
  RT_ASSERT(walk->depth > 0);
  walk->depth--;
  walk->quoting -= walk->levels[walk->depth].obj->type != OBJ_ERROR;
}

// Goes into the container. false: it is being walked already, too deep, or
// there is no memory.
static bool walk_enter(ValueWalk *walk, Obj *obj) {
  for (size_t i = walk->depth; i-- > 0;)
    if (walk->levels[i].obj == obj) return false;
  return walk_push(walk, obj);
}

// The next entry of the table as it was, without looking at the map.
static bool entry_next(WalkLevel *level, Value *key, Value *v) {
  const ObjTable *table = level->block;
  // acquire: the entries are whole. Pairs with the release in append (map.c)
  uint32_t used = rt_load_acquire(&table->used);
  while (level->at < used && level->at < table->cap) {
    const MapEntry *entry = &table->entries[level->at++];
    *key = heap_load(&entry->key);
    *v = heap_load(&entry->value);
    if (*key != VALUE_TOMB) return true;
  }
  return false;
}

// The next part: its value, and for maps its key. false: the end.
static bool walk_next(ValueWalk *walk, WalkLevel *level, Value *key, Value *v) {
  const Obj *obj = level->obj;
  if (obj->type == OBJ_MAP)
    return walk->vm != NULL ? map_next(walk->vm, (const ObjMap *)obj,
                                       level->block, &level->at, key, v)
                            : entry_next(level, key, v);
  uint64_t at = level->at++;
  RT_ASSERT(is_container(value_from_obj(obj)));
  if (obj->type == OBJ_LIST || obj->type == OBJ_TUPLE) {
    const Value *slot = values_at(level->block, at);
    if (slot == NULL) return false;
    *v = heap_load(slot);
  } else if (obj->type == OBJ_INSTANCE) {
    if (at >= obj->aux) return false;
    *v = heap_load(&((const ObjInstance *)obj)->fields[at]);
  } else {
    if (at > 0) return false;
    *v = heap_load(&((const ObjError *)obj)->message);
  }
  return true;
}

static void add_opening(Text *text, const Obj *obj, bool quoted) {
  if (obj->type == OBJ_INSTANCE) {
    add_string(text, ((const ObjInstance *)obj)->type->name);
    add_text(text, "(");
  } else if (obj->type == OBJ_ERROR) {
    if (quoted) add_text(text, "error(");
  } else if (obj->type == OBJ_TUPLE) {
    add_text(text, "(");
  } else {
    add_text(text, obj->type == OBJ_LIST ? "[" : "{");
  }
}

static void add_closing(Text *text, const Obj *obj, bool quoted) {
  if (obj->type == OBJ_LIST)
    add_text(text, "]");
  else if (obj->type == OBJ_MAP)
    add_text(text, "}");
  else if (obj->type == OBJ_TUPLE)
    add_text(text, ((const ObjTuple *)obj)->values.len == 1 ? ",)" : ")");
  else if (obj->type == OBJ_INSTANCE || quoted)
    add_text(text, ")");
}

static void add_again(Text *text, const Obj *obj) {
  if (obj->type == OBJ_LIST)
    add_text(text, "[...]");
  else if (obj->type == OBJ_TUPLE)
    add_text(text, "(...)");
  else if (obj->type == OBJ_INSTANCE)
    text_addf(text, "%s(...)", ((const ObjInstance *)obj)->type->name->own);
  else
    add_text(text, obj->type == OBJ_MAP ? "{...}" : "error(...)");
}

static void format_inside(Text *text, Vm *vm, Value v, bool quoted, int keys);

// A container among the keys is told by its type, but a tuple by its elements.
static void add_container_key(Text *text, const ValueWalk *walk, Value key) {
  enum { KEYS_MAX = 4 };
  if (value_is_type(key, OBJ_TUPLE) && walk->keys < KEYS_MAX)
    format_inside(text, walk->vm, key, true, walk->keys + 1);
  else
    text_addf(text, "<%s>", value_type_name(key));
}

// What stands before a part: comma, field's name or key. Strings below a
// container are quoted; an outermost error's message is not.
static void add_before(Text *text, const ValueWalk *walk,
                       const WalkLevel *level, bool first, Value key) {
  const Obj *obj = level->obj;
  if (!first) add_text(text, ", ");
  if (obj->type == OBJ_MAP) {
    if (is_container(key))
      add_container_key(text, walk, key);
    else
      add_plain(text, key, true);
    add_text(text, ": ");
  } else if (obj->type == OBJ_INSTANCE) {
    add_string(text, ((const ObjInstance *)obj)->type->fields[level->at - 1]);
    add_text(text, ": ");
  }
}

// One value: written whole, or entered.
static void add_value(Text *text, ValueWalk *walk, Value v, bool quoted) {
  if (!is_container(v)) {
    add_plain(text, v, quoted);
  } else if (walk_enter(walk, value_obj(v))) {
    add_opening(text, value_obj(v), quoted);
  } else {
    add_again(text, value_obj(v));
    if (walk->failed) text->failed = true;
  }
}

// Whether what stands at this depth is quoted: everything inside containers,
// but not the message of an error that is itself not quoted.
static bool inner_quoted(const ValueWalk *walk, bool quoted) {
  return quoted || walk->quoting > 0;
}

static void format_inside(Text *text, Vm *vm, Value v, bool quoted, int keys) {
  ValueWalk w = {.vm = vm,
                 .memory = vm->memory,
                 .keys = keys,
                 .nest = text->nest != 0 ? text->nest : NEST_MAX};
  add_value(text, &w, v, quoted);
  while (w.depth && !text->failed) {
    WalkLevel *top = &w.levels[w.depth - 1];
    bool first = top->at == 0;
    Value key = VALUE_NIL;
    text_work(text, 32 + w.depth / 2);
    if (walk_next(&w, top, &key, &v)) {
      add_before(text, &w, top, first, key);
      add_value(text, &w, v, inner_quoted(&w, quoted));
    } else {
      const Obj *obj = top->obj;
      walk_leave(&w);
      add_closing(text, obj, inner_quoted(&w, quoted));
    }
  }
  mem_free(w.levels);
}

void format_value(Text *text, Vm *vm, Value v, bool quoted) {
  format_inside(text, vm, v, quoted, 0);
}

// --- Whether the prelude has to make the text --------------------------------
static bool has_text_method(Value v) {
  if (!value_is_type(v, OBJ_INSTANCE)) return false;
  const ObjStruct *type = ((const ObjInstance *)value_obj(v))->type;
  return heap_load(&type->string_method) != VALUE_NIL ||
         heap_load(&type->error_method) != VALUE_NIL;
}

// Whether a map's key is more than a few bytes. Other containers are told by
// their type.
static bool is_shown_key(Value key) {
  return has_text_method(key) || value_is_type(key, OBJ_TUPLE) ||
         value_is_type(key, OBJ_STRING);
}

// Containers that were met, in an open-addressing table: one that stands in
// many places is walked once.
typedef struct Met {
  const Memory *memory;
  const Obj **slots;
  size_t count, cap;  // cap: 0, or a power of two
  bool failed;
} Met;

static const Obj **met_slot(const Met *met, const Obj *obj) {
  RT_ASSERT(met->count < met->cap && (met->cap & (met->cap - 1)) == 0);
  size_t at = (uintptr_t)obj / 16 * 0x9e3779b97f4a7c15u >> 20;
  while (met->slots[at & (met->cap - 1)] != NULL &&
         met->slots[at & (met->cap - 1)] != obj)
    at++;
  return &met->slots[at & (met->cap - 1)];
}

static bool met_grow(Met *met) {
  Met more = *met;
  more.cap = met->cap ? met->cap * 2 : 64;
  more.slots = mem_zeroed(met->memory, more.cap * sizeof *more.slots);
  if (more.slots == NULL) return false;
  for (size_t i = 0; i < met->cap; i++)
    if (met->slots[i] != NULL) *met_slot(&more, met->slots[i]) = met->slots[i];
  mem_free(met->slots);
  *met = more;
  return true;
}

// false: it was there, or there is no memory.
static bool met_add(Met *met, const Obj *obj) {
  if (met->count * 2 >= met->cap && !met_grow(met)) {
    met->failed = true;
    return false;
  }
  const Obj **slot = met_slot(met, obj);
  if (*slot != NULL) return false;
  *slot = obj;
  met->count++;
  return true;
}

// How a value is searched for text methods.
typedef struct Search {
  ValueWalk walk;
  Local *local;  // where it is charged, or NULL
  Met *met;      // NULL: a container is walked each time that it is met, also
                 // inside itself
  size_t left;   // parts that may still be looked at; a long string is many, as
                 // is what lies deep
  bool found;
} Search;

static void search_part(Search *search, Value v, bool quoted) {
  enum { BYTES_A_PART = 16, LEVELS_A_PART = 64 };
  size_t parts = 1 + search->walk.depth / LEVELS_A_PART;
  if (quoted && value_is_type(v, OBJ_STRING))
    parts += ((const ObjString *)value_obj(v))->len / BYTES_A_PART;
  else if (value_is_type(v, OBJ_BYTES))
    parts +=
        raw_len(bytes_block((const ObjBytes *)value_obj(v))) / BYTES_A_PART;
  search->left -= parts < search->left ? parts : search->left;
  search->found |= has_text_method(v);
  if (!is_container(v) || search->found) return;
  if (search->met == NULL || met_add(search->met, value_obj(v)))
    walk_push(&search->walk, value_obj(v));
}

// v, and all that its text shows. It ends early where a method was found, or
// `left` is 0.
static void search_value(Search *search, Value v, bool quoted) {
  ValueWalk *walk = &search->walk;
  search_part(search, v, quoted);
  while (walk->depth && !search->found && search->left > 0) {
    Value key = VALUE_NIL;
    if (search->local != NULL && !work_on(search->local, 8)) break;
    if (!walk_next(walk, &walk->levels[walk->depth - 1], &key, &v)) {
      walk_leave(walk);
      continue;
    }
    if (is_shown_key(key)) search_part(search, key, true);
    search_part(search, v, true);
  }
  mem_free(walk->levels);
  // Without memory to know: the other way is right, too.
  search->found |= walk->failed;
  walk->levels = NULL;
  walk->depth = walk->cap = walk->quoting = 0;
}

static Search search_of(const Memory *memory, size_t nest, size_t left) {
  return (Search){.walk = {.memory = memory, .nest = nest}, .left = left};
}

bool value_needs_call(Local *local, Value v, bool quoted) {
  Search search = search_of(local->vm->memory, NEST_MAX, TEXT_PARTS);
  search.local = local;
  search_value(&search, v, quoted);
  return search.found || search.left == 0;
}

bool value_has_text_method(const Memory *memory, Value v) {
  Met met = {.memory = memory};
  Search search = search_of(memory, NEST_MAX, SIZE_MAX);
  search.met = &met;
  search_value(&search, v, false);
  mem_free(met.slots);
  return search.found || met.failed;
}

bool value_has_text_method_early(const Memory *memory, Value v, uint32_t nest,
                                 size_t *most) {
  Search search = search_of(memory, nest, *most);
  search_value(&search, v, false);
  *most = search.left;
  return search.found;
}

// --- Long texts, piece by piece ----------------------------------------------
static void run_string(Text *text, const ObjString *string, TextRun *run) {
  const char *data = string_data(string);
  if (run->at == 0) add_text(text, "\"");
  size_t most = run->at + TEXT_PARTS;
  size_t stop = most < string->len ? most : string->len;
  while (run->at < stop && !text->failed) {
    run->at += add_quoted_at(text, data, string->len, run->at);
    text_work(text, 8);
  }
  run->ended = run->at >= string->len;
  if (run->ended) add_text(text, "\"");
}

static void run_bytes(Text *text, const ObjBytes *bytes, TextRun *run) {
  const ObjRaw *block = bytes_block(bytes);
  if (run->at == 0) add_text(text, bytes_opening);
  run->at = add_some_bytes(text, block, run->at, TEXT_PARTS);
  run->ended = run->at >= raw_len(block);
  if (run->ended) add_text(text, bytes_closing);
}

static bool is_preludes(Search *search, Value v) {
  search_value(search, v, true);
  return search->found || search->left == 0;
}

// An element, or a map's entry. What is not written is run->part, and perhaps
// run->key.
static void run_entry(Text *text, Search *search, const WalkLevel *level,
                      TextRun *run, Value key, Value v) {
  ValueWalk none = {.vm = text->local->vm};
  if (is_shown_key(key) && is_preludes(search, key)) {
    if (run->at > 0) add_text(text, ", ");
    run->key = key;
    run->part = v;
    return;
  }
  add_before(text, &none, level, run->at == 0, key);
  if (is_preludes(search, v))
    run->part = v;
  else
    format_inside(text, none.vm, v, true, 0);
}

static void run_container(Text *text, Obj *obj, TextRun *run) {
  Vm *vm = text->local->vm;
  ValueWalk walk = {.vm = vm};
  WalkLevel level = level_of(obj);
  Search search = search_of(vm->memory, NEST_MAX, TEXT_PARTS);
  search.local = text->local;
  if (run->table != NULL) level.block = run->table;
  if (obj->type == OBJ_MAP) run->table = level.block;
  level.at = run->at;
  while (run->part == VALUE_UNDEF && search.left > 0 && !text->failed) {
    Value key = VALUE_NIL, v;
    run->ended = !walk_next(&walk, &level, &key, &v);
    if (run->ended) return;
    run_entry(text, &search, &level, run, key, v);
    run->at = level.at;
    text_work(text, 32);
  }
}

void format_run(Text *text, Value v, TextRun *run) {
  Obj *obj = value_obj(v);
  run->key = run->part = VALUE_UNDEF;
  if (obj->type == OBJ_STRING)
    run_string(text, (const ObjString *)obj, run);
  else if (obj->type == OBJ_BYTES)
    run_bytes(text, (const ObjBytes *)obj, run);
  else
    run_container(text, obj, run);
}
