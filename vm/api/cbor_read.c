// SPDX-License-Identifier: MIT
// csp.h: the value that CBOR bytes hold (RFC 8949). Writing is in api_cbor.c.
//
// The bytes are anybody's: nothing of them is believed. What is not well-formed
// is an error with its offset. A length makes room for no more than what was
// really there: lists and maps grow with their elements. Lists and maps on the
// way down lie on an explicit stack; a collection does not happen meanwhile.
#include <math.h>
#include <stdlib.h>

#include "vm/api/api_cbor.h"
#include "vm/heap/local.h"
#include "vm/interp/native_call.h"
#include "vm/object/list.h"
#include "vm/object/map.h"
#include "vm/object/value_text.h"

// A list or map that is being read.
typedef struct CborIn {
  CspValue made;
  CspValue key;  // maps: whose value comes next,
  bool has_key;  // if there is one
  bool is_map;
  bool indefinite;
  uint64_t left;  // items to come, keys included; unless indefinite
  size_t at;      // its offset
  size_t key_at;  // the key's
} CborIn;

typedef struct CborReader {
  CspCall *call;
  const uint8_t *data;
  size_t len;
  size_t at;     // the next byte
  size_t start;  // the item's first one
  CborIn *levels;
  size_t depth, cap;
  bool tagged;  // the next item has a tag
  char *error;
  const Memory *memory;  // of the error, or NULL for libc's
} CborReader;

// One item's first bytes.
typedef struct ItemHead {
  int major, info;
  uint64_t argument;
} ItemHead;

enum { BIGNUM = 2, NEGATIVE_BIGNUM, DECIMAL, BIGFLOAT };  // tags
enum { READ_NS = 40, READ_BYTES_IN_NS = 2 };              // what an item costs
enum { ROOM_MAX = 16 };  // elements that a header is believed to have

// --- Errors -----------------------------------------------------------------
__attribute__((format(printf, 3, 4))) static bool refuse_item(
    CborReader *reader, size_t at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  Text text = {.memory = reader->memory};
  char *why = mem_format_args(reader->call->vm->memory, NULL, format, args);
  if (why != NULL) {
    text_addf(&text, "at byte %zu: %s", at, why);
    mem_free(why);
  }
  va_end(args);
  reader->error = text.failed ? NULL : text.data;
  return false;
}

static bool item_no_memory(CborReader *reader) {
  reader->error = NULL;
  return false;
}

static bool give_made(CborReader *reader, CspValue made, CspValue *v) {
  *v = made;
  return csp_is_undef(made) ? item_no_memory(reader) : true;
}

static size_t bytes_left(const CborReader *reader) {
  RT_ASSERT(reader->at <= reader->len);
  return reader->len - reader->at;
}

// --- Heads ------------------------------------------------------------------
static bool read_head(CborReader *reader, ItemHead *head) {
  reader->start = reader->at;
  if (bytes_left(reader) == 0)
    return refuse_item(reader, reader->at,
                       "the data ends where a value should begin");
  uint8_t first = reader->data[reader->at++];
  head->major = first >> 5;
  head->info = first & 31;
  head->argument = (uint64_t)head->info;
  if (head->info < CBOR_IN_1 || head->info == CBOR_INDEFINITE) return true;
  if (head->info > CBOR_IN_8)
    return refuse_item(reader, reader->start,
                       "no item begins with the byte 0x%02x", first);
  size_t bytes = (size_t)1 << (head->info - CBOR_IN_1);
  if (bytes_left(reader) < bytes)
    return refuse_item(reader, reader->start,
                       "the data ends inside of a value");
  head->argument = 0;
  for (size_t n = 0; n < bytes; n++)
    head->argument = head->argument << 8 | reader->data[reader->at++];
  return true;
}

// --- Numbers ----------------------------------------------------------------
static bool read_int(CborReader *reader, const ItemHead *head, CspValue *v) {
  if (head->argument > INT64_MAX)
    return refuse_item(reader, reader->start,
                       "the int %s%llu has more than 64 bits",
                       head->major == CBOR_UINT ? "" : "-1 - ",
                       (unsigned long long)head->argument);
  int64_t i = (int64_t)head->argument;
  return give_made(
      reader, csp_int(reader->call, head->major == CBOR_UINT ? i : -1 - i), v);
}

static double from_half(uint16_t half) {
  int exponent = half >> 10 & 31, mantissa = half & 0x3ff;
  double d = exponent == 0   ? ldexp(mantissa, -24)
             : exponent < 31 ? ldexp(mantissa + 0x400, exponent - 25)
             : mantissa == 0 ? INFINITY
                             : (double)NAN;
  return half & 0x8000 ? -d : d;
}

static bool read_float(CborReader *reader, const ItemHead *head, CspValue *v) {
  double d;
  if (head->info == CBOR_IN_2) {
    d = from_half((uint16_t)head->argument);
  } else if (head->info == CBOR_IN_4) {
    uint32_t bits = (uint32_t)head->argument;
    float f;
    memcpy(&f, &bits, sizeof f);
    d = (double)f;
  } else {
    memcpy(&d, &head->argument, sizeof d);
  }
  if (isnan(d)) d = (double)NAN;  // whatever bits it had
  return give_made(reader, csp_float(reader->call, d), v);
}

static bool read_simple(CborReader *reader, const ItemHead *head, CspValue *v) {
  switch (head->info) {
    case CBOR_FALSE:
    case CBOR_TRUE:
      *v = csp_bool(head->info == CBOR_TRUE);
      return true;
    case CBOR_NIL:
    case CBOR_UNDEFINED:
      *v = csp_nil();
      return true;
    case CBOR_IN_2:
    case CBOR_IN_4:
    case CBOR_IN_8:
      return read_float(reader, head, v);
    default:
      break;
  }
  if (head->info == CBOR_IN_1 && head->argument < 32)
    return refuse_item(reader, reader->start,
                       "simple value %d is not well-formed",
                       (int)head->argument);
  return refuse_item(reader, reader->start,
                     "there is no value for simple value %d",
                     (int)head->argument);
}

// --- Strings ----------------------------------------------------------------
// The bytes of one string, or of one piece.
static bool read_piece(CborReader *reader, const ItemHead *head,
                       const char **data) {
  if (head->argument > bytes_left(reader))
    return refuse_item(reader, reader->start,
                       "a string of %llu bytes, of which %zu are there",
                       (unsigned long long)head->argument, bytes_left(reader));
  *data = (const char *)reader->data + reader->at;
  if (head->major == CBOR_TEXT &&
      !cbor_is_utf8(reader->call, *data, (size_t)head->argument))
    return refuse_item(reader, reader->start, "a string that is not UTF-8");
  reader->at += (size_t)head->argument;
  return true;
}

static bool read_pieces(CborReader *reader, int major, Text *text) {
  ItemHead piece;
  size_t begin = reader->start;
  for (;;) {
    const char *data = NULL;
    if (!read_head(reader, &piece)) return false;
    if (piece.info == CBOR_INDEFINITE && piece.major == CBOR_SIMPLE) break;
    if (piece.major != major || piece.info == CBOR_INDEFINITE)
      return refuse_item(reader, reader->start,
                         "a piece of a string must be a string of that kind");
    if (!read_piece(reader, &piece, &data)) return false;
    text_add(text, data, (size_t)piece.argument);
    if (text->failed) return item_no_memory(reader);
  }
  reader->start = begin;
  return true;
}

static CspValue make_string(CborReader *reader, int major, const char *data,
                            size_t len) {
  return major == CBOR_TEXT ? csp_string(reader->call, data, len)
                            : csp_bytes(reader->call, data, len);
}

static bool read_string(CborReader *reader, const ItemHead *head, CspValue *v) {
  const char *data = NULL;
  if (head->info != CBOR_INDEFINITE) {
    if (!read_piece(reader, head, &data)) return false;
    size_t len = (size_t)head->argument;
    return give_made(reader, make_string(reader, head->major, data, len), v);
  }
  Text text = {.memory = reader->call->vm->memory,
               .most = heap_room(reader->call->vm->heap)};
  bool fine = read_pieces(reader, head->major, &text);
  if (fine)
    fine = give_made(reader,
                     make_string(reader, head->major, text.data, text.len), v);
  text_free(&text);
  return fine;
}

// --- Lists and maps ---------------------------------------------------------
static CborIn *push_container(CborReader *reader) {
  if (reader->depth == reader->cap) {
    size_t cap = reader->cap > 0 ? reader->cap * 2 : 8;
    CborIn *levels = mem_resize(reader->call->vm->memory, reader->levels,
                                cap * sizeof *levels);
    if (levels == NULL) return NULL;
    reader->levels = levels;
    reader->cap = cap;
  }
  RT_ASSERT(reader->depth < reader->cap && reader->depth < CBOR_DEPTH);
  return &reader->levels[reader->depth++];
}

// Opens it; *v is the list or map, complete if *open is false.
static bool open_container(CborReader *reader, const ItemHead *head,
                           CspValue *v, bool *open) {
  bool is_map = head->major == CBOR_MAP;
  bool indefinite = head->info == CBOR_INDEFINITE;
  uint64_t count = indefinite ? 0 : head->argument;
  if (count > bytes_left(reader) / (is_map ? 2 : 1))
    return refuse_item(reader, reader->start,
                       "%llu %s, for which %zu bytes are there",
                       (unsigned long long)count,
                       is_map ? "entries" : "elements", bytes_left(reader));
  if (reader->depth == CBOR_DEPTH)
    return refuse_item(reader, reader->start, "nested more than %d deep",
                       (int)CBOR_DEPTH);
  size_t room = count < ROOM_MAX ? (size_t)count : ROOM_MAX;
  if (!give_made(
          reader,
          is_map ? csp_map(reader->call, room) : csp_list(reader->call, room),
          v))
    return false;
  *open = indefinite || count > 0;
  if (!*open) return true;
  CborIn *level = push_container(reader);
  if (level == NULL) return item_no_memory(reader);
  *level = (CborIn){.made = *v,
                    .at = reader->start,
                    .is_map = is_map,
                    .indefinite = indefinite,
                    .left = is_map ? count * 2 : count};
  return true;
}

static bool take_map_key(CborReader *reader, CborIn *level, CspValue key) {
  CspValue other;
  CspType type = csp_type(key);
  level->key = key;
  level->has_key = true;
  level->key_at = reader->start;
  if (type == CSP_BYTES || (type == CSP_FLOAT && isnan(csp_to_float(key))))
    return refuse_item(reader, reader->start, "%s cannot be a key of a map",
                       type == CSP_BYTES ? "bytes" : "NaN");
  if (csp_map_get(reader->call, level->made, key, &other))
    return refuse_item(reader, reader->start,
                       "the map has an equal key before");
  return true;
}

// A value that is complete goes into the innermost list or map.
static bool put_item(CborReader *reader, CspValue v) {
  RT_ASSERT(reader->depth > 0);
  CborIn *level = &reader->levels[reader->depth - 1];
  RT_ASSERT(level->indefinite || level->left > 0);
  level->left--;
  if (level->is_map && !level->has_key) return take_map_key(reader, level, v);
  level->has_key = false;
  Local *local = reader->call->local;
  Obj *to = value_obj(level->made.word);
  bool fine = level->is_map ? map_set(local, (ObjMap *)to, level->key.word,
                                      v.word) == MAP_OK
                            : list_push(local, (ObjList *)to, v.word);
  return fine ? true : item_no_memory(reader);
}

static bool close_indefinite(CborReader *reader, bool tagged, CspValue *v) {
  const CborIn *top =
      reader->depth > 0 ? &reader->levels[reader->depth - 1] : NULL;
  if (tagged)
    return refuse_item(reader, reader->start, "a tag without a value");
  if (top == NULL || !top->indefinite)
    return refuse_item(reader, reader->start,
                       "an end without a beginning (0xff)");
  if (top->has_key)
    return refuse_item(reader, reader->start,
                       "the map ends after the key at byte %zu", top->key_at);
  RT_ASSERT(!top->has_key && top->at < reader->start);
  *v = top->made;
  reader->start = top->at;
  reader->depth--;
  return true;
}

// --- All together -----------------------------------------------------------
static bool read_tag(CborReader *reader, const ItemHead *head) {
  if (head->info == CBOR_INDEFINITE)
    return refuse_item(reader, reader->start,
                       "no item begins with the byte 0xdf");
  if (head->argument == BIGNUM || head->argument == NEGATIVE_BIGNUM)
    return refuse_item(reader, reader->start,
                       "an int of more than 64 bits (tag %d)",
                       (int)head->argument);
  if (head->argument == DECIMAL || head->argument == BIGFLOAT)
    return refuse_item(reader, reader->start, "there is no value for tag %d",
                       (int)head->argument);
  return true;
}

// The next item. *complete is false if it was a tag, or has opened a list or
// map.
static bool read_item(CborReader *reader, CspValue *v, bool *complete) {
  ItemHead head;
  bool open = false;
  bool tagged = reader->tagged;
  *complete = true;
  reader->tagged = false;
  if (!read_head(reader, &head)) return false;
  bool indefinite = head.info == CBOR_INDEFINITE;
  switch (head.major) {
    case CBOR_UINT:
    case CBOR_NEGATIVE:
      if (!indefinite) return read_int(reader, &head, v);
      return refuse_item(reader, reader->start,
                         "no item begins with the byte 0x%02x",
                         (unsigned)head.major << 5 | CBOR_INDEFINITE);
    case CBOR_BYTES:
    case CBOR_TEXT:
      return read_string(reader, &head, v);
    case CBOR_TAG:
      *complete = false;
      reader->tagged = true;
      return read_tag(reader, &head);
    case CBOR_SIMPLE:
      return indefinite ? close_indefinite(reader, tagged, v)
                        : read_simple(reader, &head, v);
    default:
      RT_ASSERT(head.major == CBOR_LIST || head.major == CBOR_MAP);
      if (!open_container(reader, &head, v, &open)) return false;
      *complete = !open;
      return true;
  }
}

static bool read_items(CborReader *reader, CspValue *v) {
  bool complete;
  do {
    size_t before = reader->at;
    if (!read_item(reader, v, &complete)) return false;
    if (!csp_work(reader->call,
                  READ_NS + (reader->at - before) / READ_BYTES_IN_NS))
      return item_no_memory(reader);  // interrupted: that is what is told
    while (complete && reader->depth > 0) {
      if (!put_item(reader, *v)) return false;
      const CborIn *top = &reader->levels[reader->depth - 1];
      complete = !top->indefinite && top->left == 0;
      if (!complete) break;
      *v = top->made;
      reader->start = top->at;
      reader->depth--;
    }
  } while (!complete);
  return true;
}

static bool from_cbor_in(CborReader *reader, size_t *used, CspValue *value,
                         char **error) {
  bool fine = read_items(reader, value);
  size_t more = reader->len - reader->at;
  if (fine && used == NULL && more > 0)
    fine = refuse_item(reader, reader->at, "%zu bytes follow the value", more);
  if (!fine) *value = csp_nil();
  if (used != NULL) *used = fine ? reader->at : 0;
  mem_free(reader->levels);
  *error = fine ? NULL : reader->error;
  return fine;
}

bool csp_from_cbor(CspCall *call, const void *data, size_t len, size_t *used,
                   CspValue *value, char **error) {
  CborReader r = {.call = call, .data = data, .len = len};
  return from_cbor_in(&r, used, value, error);
}

bool csp_alloc_from_cbor(CspCall *call, const void *data, size_t len,
                         size_t *used, CspValue *value, char **error) {
  CborReader r = {
      .call = call, .data = data, .len = len, .memory = call->vm->memory};
  return from_cbor_in(&r, used, value, error);
}
