// SPDX-License-Identifier: MIT
// csp.h: the value that CBOR bytes hold (RFC 8949). Writing is in api_cbor.c.
//
// The bytes are anybody's: nothing of them is believed. What is not well-formed
// is an error with its offset. A length makes room for no more than what was
// really there: lists and maps grow with their elements. Lists and maps on the
// way down lie on an explicit stack.
//
// Hosts get the value in one go (csp_from_cbor). A native of the library reads
// in pieces (csp_ok_from_cbor). Between two of them a list of the job holds
// what is being made, and no item is complete that nothing has taken yet.
#include <math.h>
#include <stdlib.h>

#include "vm/api/api_cbor.h"
#include "vm/heap/local.h"
#include "vm/interp/native_call.h"
#include "vm/object/list.h"
#include "vm/object/map.h"
#include "vm/object/value_text.h"
#include "vm/value/utf8.h"

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

// A long string or bytes, which is copied in parts, or one of several chunks
// (of indefinite length), which are put together first.
typedef struct CborLong {
  CspValue made;
  const char *from;  // what is left to copy
  char *to;
  size_t left;
  bool checks;   // whether it is UTF-8
  bool chunked;  // more chunks come
  int major;
  size_t begin;  // the item's offset
  Text chunks;
} CborLong;

typedef struct CborReader {
  CspCall *call;
  const uint8_t *data;
  size_t len;
  size_t at;     // the next byte
  size_t start;  // the item's first one
  CborIn *levels;
  size_t depth, cap;
  bool tagged;    // the next item has a tag
  bool believed;  // the length of a long list
  CborLong run;
  char *error;
  bool wide;             // it is an int that no value can be
  const Memory *memory;  // of the error, or NULL for libc's
  uint64_t owed;         // work that was not charged yet
  bool leaves;           // it is read in pieces,
  bool spent;            // of which this one is to end
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
  reader->wide = head->argument > INT64_MAX;
  if (reader->wide)
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
// Whether the bytes of a string, or of one chunk, are there.
static bool find_bytes(CborReader *reader, const ItemHead *head) {
  if (head->argument <= bytes_left(reader)) return true;
  return refuse_item(reader, reader->start,
                     "a string of %llu bytes, of which %zu are there",
                     (unsigned long long)head->argument, bytes_left(reader));
}

static bool refuse_not_utf8(CborReader *reader) {
  return refuse_item(reader, reader->start, "a string that is not UTF-8");
}

// Makes the value, whose bytes copy_cbor_part puts in.
static bool begin_copy(CborReader *reader, int major, const char *data,
                       size_t len) {
  CborLong *run = &reader->run;
  run->made = major == CBOR_TEXT ? csp_string_room(reader->call, len, &run->to)
                                 : csp_bytes_room(reader->call, len, &run->to);
  run->from = data;
  run->left = csp_is_undef(run->made) ? 0 : len;
  return !csp_is_undef(run->made) || item_no_memory(reader);
}

static bool copy_cbor_part(CborReader *reader, CspValue *v, bool *complete) {
  CborLong *run = &reader->run;
  size_t count = cbor_part(run->from, run->left);
  if (run->checks && !utf8_is_valid(run->from, count))
    return refuse_not_utf8(reader);
  memcpy(run->to, run->from, count);
  run->from += count;
  run->to += count;
  run->left -= count;
  *complete = run->left == 0;
  if (!*complete) return true;
  *v = run->made;
  run->made = csp_nil();
  text_free(&run->chunks);
  return true;
}

static bool make_string(CborReader *reader, int major, const char *data,
                        size_t len, CspValue *v, bool *complete) {
  *complete = len <= CBOR_PIECE;
  if (!*complete) return begin_copy(reader, major, data, len);
  return give_made(reader,
                   major == CBOR_TEXT ? csp_string(reader->call, data, len)
                                      : csp_bytes(reader->call, data, len),
                   v);
}

// The next chunk, or the end.
static bool read_chunk(CborReader *reader, CspValue *v, bool *complete) {
  CborLong *run = &reader->run;
  Text *chunks = &run->chunks;
  ItemHead head;
  *complete = false;
  if (!read_head(reader, &head)) return false;
  if (head.info == CBOR_INDEFINITE && head.major == CBOR_SIMPLE) {
    run->chunked = run->checks = false;
    reader->start = run->begin;
    bool fine =
        make_string(reader, run->major, chunks->data, chunks->len, v, complete);
    if (*complete) text_free(&run->chunks);  // else copy_cbor_part does that
    return fine;
  }
  if (head.major != run->major || head.info == CBOR_INDEFINITE)
    return refuse_item(reader, reader->start,
                       "a piece of a string must be a string of that kind");
  if (!find_bytes(reader, &head)) return false;
  const char *data = (const char *)reader->data + reader->at;
  for (size_t left = (size_t)head.argument, count; left > 0; left -= count) {
    count = cbor_part(data, left);
    if (run->major == CBOR_TEXT && !utf8_is_valid(data, count))
      return refuse_not_utf8(reader);
    text_add(chunks, data, count);
    data += count;
    if (chunks->failed || (left > count && !csp_work(reader->call, count)))
      return item_no_memory(reader);
  }
  reader->at += (size_t)head.argument;
  return true;
}

static bool read_string(CborReader *reader, const ItemHead *head, CspValue *v,
                        bool *complete) {
  CborLong *run = &reader->run;
  if (head->info == CBOR_INDEFINITE) {
    run->chunked = true;
    run->major = head->major;
    run->begin = reader->start;
    run->chunks = (Text){.memory = reader->call->vm->memory,
                         .most = heap_room(reader->call->vm->heap)};
    *complete = false;
    return true;
  }
  if (!find_bytes(reader, head)) return false;
  const char *data = (const char *)reader->data + reader->at;
  size_t len = (size_t)head->argument;
  run->checks = head->major == CBOR_TEXT;
  if (run->checks && len <= CBOR_PIECE && !utf8_is_valid(data, len))
    return refuse_not_utf8(reader);
  reader->at += len;
  return make_string(reader, head->major, data, len, v, complete);
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

// A long list is made to grow in place. A length that is wrong costs memory for
// that, so one is believed.
static CspValue make_container(CborReader *reader, bool is_map,
                               uint64_t count) {
  enum { LONG = 1 << 17 };
  size_t room = count < ROOM_MAX ? (size_t)count : ROOM_MAX;
  if (is_map) return csp_map(reader->call, room);
  if (count < LONG || reader->believed) return csp_list(reader->call, room);
  reader->believed = true;
  return csp_list_growing(reader->call, room, (size_t)count);
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
  if (!give_made(reader, make_container(reader, is_map, count), v))
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
  reader->wide = head->argument == BIGNUM || head->argument == NEGATIVE_BIGNUM;
  if (reader->wide)
    return refuse_item(reader, reader->start,
                       "an int of more than 64 bits (tag %d)",
                       (int)head->argument);
  if (head->argument == DECIMAL || head->argument == BIGFLOAT)
    return refuse_item(reader, reader->start, "there is no value for tag %d",
                       (int)head->argument);
  return true;
}

// The next item. *complete is false if it was a tag, has opened a list or map,
// or is a long string, whose bytes follow.
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
      return read_string(reader, &head, v, complete);
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

// false: interrupted, which is what is told.
static bool charge_read(CborReader *reader, size_t bytes) {
  reader->owed += READ_NS + bytes / READ_BYTES_IN_NS;
  if (reader->owed < CBOR_LOOK) return true;
  uint64_t units = reader->owed;
  reader->owed = 0;
  if (!reader->leaves)
    return csp_work(reader->call, units) || item_no_memory(reader);
  reader->spent = csp_spent(reader->call, units);
  return true;
}

static bool read_part(CborReader *reader, CspValue *v, bool *complete) {
  size_t at = reader->at, left = reader->run.left;
  bool fine = left > 0              ? copy_cbor_part(reader, v, complete)
              : reader->run.chunked ? read_chunk(reader, v, complete)
                                    : read_item(reader, v, complete);
  // (The bytes of a long string count when they are copied.)
  size_t copied = left > 0 ? left - reader->run.left : reader->at - at;
  if (left == 0 && reader->run.left > 0) copied = 0;
  return fine && charge_read(reader, copied);
}

// Reads the next part. *ended: the value is complete.
static bool read_cbor_next(CborReader *reader, CspValue *v, bool *ended) {
  bool complete;
  *ended = false;
  if (!read_part(reader, v, &complete)) return false;
  while (complete && reader->depth > 0) {
    if (!put_item(reader, *v)) return false;
    const CborIn *top = &reader->levels[reader->depth - 1];
    complete = !top->indefinite && top->left == 0;
    if (!complete) break;
    *v = top->made;
    reader->start = top->at;
    reader->depth--;
  }
  *ended = complete;
  return true;
}

static bool refuse_more(CborReader *reader) {
  size_t left = bytes_left(reader);
  return refuse_item(reader, reader->at, "%zu byte%s the value", left,
                     left == 1 ? " follows" : "s follow");
}

static void reader_free(CborReader *reader) {
  mem_free(reader->levels);
  text_free(&reader->run.chunks);
}

static bool from_cbor_in(CborReader *reader, size_t *used, CspValue *value,
                         char **error) {
  bool ended = false, fine = true;
  while (fine && !ended) fine = read_cbor_next(reader, value, &ended);
  if (fine && used == NULL && bytes_left(reader) > 0)
    fine = refuse_more(reader);
  if (!fine) *value = csp_nil();
  if (used != NULL) *used = fine ? reader->at : 0;
  reader_free(reader);
  csp_spent(reader->call, reader->owed);
  *error = fine ? NULL : reader->error;
  return fine;
}

static CborReader cbor_reader_of(CspCall *call, const void *data, size_t len,
                                 const Memory *memory) {
  return (CborReader){.call = call,
                      .data = data,
                      .len = len,
                      .memory = memory,
                      .run = {.made = csp_nil()}};
}

bool csp_from_cbor(CspCall *call, const void *data, size_t len, size_t *used,
                   CspValue *value, char **error) {
  CborReader r = cbor_reader_of(call, data, len, NULL);
  return from_cbor_in(&r, used, value, error);
}

bool csp_alloc_from_cbor(CspCall *call, const void *data, size_t len,
                         size_t *used, CspValue *value, char **error) {
  CborReader r = cbor_reader_of(call, data, len, call->vm->memory);
  return from_cbor_in(&r, used, value, error);
}

// --- In pieces --------------------------------------------------------------
typedef struct CborReadJob {
  CspValue kept;  // a list of what the reader makes, or nil yet
  CspValue data;  // what it reads
  CborReader *reader;
  char *copy;  // of bytes, as others may change them; or NULL
  size_t copied;
} CborReadJob;

static CspStatus read_cbor_end(CborReadJob *job, CspStatus status) {
  csp_spent(job->reader->call, job->reader->owed);
  reader_free(job->reader);
  mem_free(job->reader->error);
  mem_free(job->reader);
  mem_free(job->copy);
  return status;
}

static CspStatus cbor_read_failed(CborReadJob *job) {
  CspCall *call = job->reader->call;
  const char *error = job->reader->error;
  const char *code = job->reader->wide ? "range" : "syntax";
  return read_cbor_end(job, error != NULL
                                ? csp_ok_coded(call, code, "cbor: %s", error)
                                : csp_panic_memory(call));
}

// Value number n of the list. false: no memory.
static bool keep_read(CborReadJob *job, size_t n, CspValue v) {
  CspCall *call = job->reader->call;
  if (csp_list_len(job->kept) <= n) return csp_list_push(call, job->kept, v);
  csp_list_set(call, job->kept, n, v);
  return true;
}

static bool keep_read_levels(CborReadJob *job) {
  const CborReader *reader = job->reader;
  if (csp_type(job->kept) == CSP_NIL) job->kept = csp_list(reader->call, 0);
  bool fine = !csp_is_undef(job->kept) && keep_read(job, 0, reader->run.made);
  for (size_t n = 0; fine && n < reader->depth; n++) {
    const CborIn *level = &reader->levels[n];
    fine = keep_read(job, 1 + 2 * n, level->made) &&
           keep_read(job, 2 + 2 * n, level->has_key ? level->key : csp_nil());
  }
  return fine;
}

static CspStatus read_on(CspCall *call, void *data, bool on);

static CspStatus read_again(CborReadJob *job) {
  return csp_again(job->reader->call, read_on, job, sizeof *job, 2);
}

// false: the piece is to end, before all is copied.
static bool copy_bytes(CborReadJob *job) {
  CborReader *reader = job->reader;
  while (job->copied < reader->len) {
    size_t left = reader->len - job->copied;
    size_t got = csp_bytes_read(job->data, job->copied, job->copy + job->copied,
                                left < CBOR_PIECE ? left : (size_t)CBOR_PIECE);
    job->copied += got;
    if (got == 0) reader->len = job->copied;  // others have cut them
    if (csp_spent(reader->call, 16 + got / 8)) return false;
  }
  return true;
}

static CspStatus read_on(CspCall *call, void *data, bool on) {
  CborReadJob *job = data;
  CborReader *reader = job->reader;
  CspValue v = csp_nil();
  bool ended = false;
  reader->call = call;
  if (!on) return read_cbor_end(job, CSP_PANIC);
  if (job->copy != NULL && !copy_bytes(job)) return read_again(job);
  for (reader->spent = false; !ended && !reader->spent;)
    if (!read_cbor_next(reader, &v, &ended)) return cbor_read_failed(job);
  if (!ended)
    return keep_read_levels(job) ? read_again(job) : cbor_read_failed(job);
  if (bytes_left(reader) > 0) {
    refuse_more(reader);
    return cbor_read_failed(job);
  }
  return read_cbor_end(job, csp_ok_value(call, v));
}

CspStatus csp_ok_from_cbor(CspCall *call, CspValue data) {
  const Memory *memory = call->vm->memory;
  CborReader *reader = mem_alloc(memory, sizeof *reader);
  CborReadJob job = {csp_nil(), data, reader, NULL, 0};
  bool fine = reader != NULL;
  size_t len = 0;
  const char *text = "";
  if (csp_type(data) == CSP_BYTES) {
    len = csp_bytes_len(data);
    if (fine && len < heap_room(call->vm->heap))
      text = job.copy = mem_alloc(memory, len + 1);
    fine = fine && job.copy != NULL;
  } else {
    text = csp_to_string(data, &len);
  }
  if (!fine) {
    mem_free(reader);
    return csp_panic_memory(call);
  }
  *reader = cbor_reader_of(call, text, len, memory);
  reader->leaves = true;
  return read_on(call, &job, true);
}
