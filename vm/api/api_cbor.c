// SPDX-License-Identifier: MIT
// csp.h: a value as CBOR bytes (RFC 8949). Reading is in cbor_read.c.
//
// Ints and lengths take the shortest form, floats the shortest that keeps the
// value. Lengths are definite, and maps keep their order. Lists and maps on the
// way down lie on an explicit stack, which also tells where a value is that
// cannot be written. Other goroutines may change lists and maps meanwhile, but
// what a header promised follows it.
//
// Hosts get the bytes in one go (csp_to_cbor). A native of the library writes
// in pieces (csp_ok_to_cbor). Between two of them a list of the job holds what
// the levels name, since others may take it out of where it was.
#include "vm/api/api_cbor.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "vm/interp/native_call.h"
#include "vm/object/box.h"
#include "vm/object/list.h"
#include "vm/object/map.h"
#include "vm/object/value_text.h"
#include "vm/value/utf8.h"

enum { WRITE_NS = 10, WRITE_BYTES_IN_NS = 4 };  // what an item costs

// A list or map that is being written.
typedef struct CborOut {
  const Obj *obj;
  const ObjTable *table;  // a map's, as it was at first
  size_t count;           // elements or entries that its header promised
  size_t done;            // of those begun
  uint64_t at;            // in the table
  Value key;              // maps: of the entry that was begun
  Value value;            // ... and its value,
  bool pending;           // which is written next
} CborOut;

typedef struct CborWriter {
  CspCall *call;
  Text out;
  CborOut *levels;
  size_t depth, cap;
  Value rest;  // a long string or bytes that is being written
  size_t rest_at, rest_len;
  char *error;    // where `out` is
  uint64_t owed;  // work that was not charged yet
  bool failed;
  bool leaves;  // it is written in pieces,
  bool spent;   // of which this one is to end
} CborWriter;

// --- Errors -----------------------------------------------------------------
enum { PATH_ENDS = 8, KEY_SHOWN = 40 };  // levels that are named at each end

static void path_key(Text *path, CborWriter *writer, const CborOut *level) {
  size_t len;
  bool cut;
  char *key = csp_format_most(writer->call, csp_wrap(level->key), true,
                              KEY_SHOWN, &len, &cut);
  text_addf(path, "[%s%s]", key != NULL ? key : "?", cut ? "..." : "");
  libc_free(key);
}

static void path_add(Text *path, CborWriter *writer) {
  text_addf(path, "value");
  for (size_t n = 0; n < writer->depth; n++) {
    const CborOut *level = &writer->levels[n];
    if (n == PATH_ENDS && writer->depth > 2 * PATH_ENDS) {
      n = writer->depth - PATH_ENDS - 1;
      text_addf(path, "...");
    } else if (level->obj->type != OBJ_MAP) {
      text_addf(path, "[%zu]", level->done - 1);
    } else {
      path_key(path, writer, level);
    }
  }
}

static bool refuse_value(CborWriter *writer, const char *why,
                         const char *more) {
  Text text = {.memory = writer->out.memory};
  path_add(&text, writer);
  const CborOut *top =
      writer->depth > 0 ? &writer->levels[writer->depth - 1] : NULL;
  bool key = top != NULL && top->obj->type == OBJ_MAP && top->pending;
  text_addf(&text, "%s: %s%s", key ? " (the key)" : "", why, more);
  text_add(&text, "", 1);
  writer->error = text.failed ? NULL : text.data;
  if (text.failed) text_free(&text);
  writer->failed = true;
  return false;
}

// --- Items ------------------------------------------------------------------
static void put_argument(CborWriter *writer, int major, int info, int bytes,
                         uint64_t argument) {
  char item[9];
  item[0] = (char)(major << 5 | info);
  for (int n = 1; n <= bytes; n++)
    item[n] = (char)(argument >> (8 * (bytes - n)));
  text_add(&writer->out, item, (size_t)bytes + 1);
}

static void put_head(CborWriter *writer, int major, uint64_t argument) {
  if (argument < CBOR_IN_1) {
    put_argument(writer, major, (int)argument, 0, 0);
  } else if (argument <= UINT8_MAX) {
    put_argument(writer, major, CBOR_IN_1, 1, argument);
  } else if (argument <= UINT16_MAX) {
    put_argument(writer, major, CBOR_IN_2, 2, argument);
  } else if (argument <= UINT32_MAX) {
    put_argument(writer, major, CBOR_IN_4, 4, argument);
  } else {
    put_argument(writer, major, CBOR_IN_8, 8, argument);
  }
}

static void put_int(CborWriter *writer, int64_t i) {
  if (i >= 0) {
    put_head(writer, CBOR_UINT, (uint64_t)i);
  } else {
    put_head(writer, CBOR_NEGATIVE, ~(uint64_t)i);
  }
}

// The float as one of 16 bits. false: it is none. (11 bits of mantissa; from
// 2^-14 up to 2^16, or multiples of 2^-24 below.)
static bool to_half(float f, uint16_t *half) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  uint32_t mantissa = bits & 0x7fffff;
  int exponent = (int)(bits >> 23 & 0xff) - 127;
  *half = (uint16_t)(bits >> 16 & 0x8000);
  if (f == 0) return true;
  if (isinf(f)) {
    *half |= 0x7c00;
    return true;
  }
  if (exponent >= -14 && exponent <= 15) {
    *half |= (uint16_t)((exponent + 15) << 10 | (int)(mantissa >> 13));
    return (mantissa & 0x1fff) == 0;
  }
  if (exponent < -24 || exponent > 15) return false;
  int shift = -exponent - 1;  // 14 to 23
  mantissa |= 0x800000;
  *half |= (uint16_t)(mantissa >> shift);
  return (mantissa & ((1u << shift) - 1)) == 0;
}

static void put_float(CborWriter *writer, double d) {
  uint16_t half = 0x7e00;  // NaN
  float f = isfinite(d) && fabs(d) > (double)FLT_MAX ? 0 : (float)d;
  if (isnan(d) || (f == d && to_half(f, &half))) {
    put_argument(writer, CBOR_SIMPLE, CBOR_IN_2, 2, half);
  } else if (f == d) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    put_argument(writer, CBOR_SIMPLE, CBOR_IN_4, 4, bits);
  } else {
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    put_argument(writer, CBOR_SIMPLE, CBOR_IN_8, 8, bits);
  }
}

// (In 4 bytes there is such a place, or they are not UTF-8.)
size_t cbor_part(const char *data, size_t len) {
  if (len <= CBOR_PIECE) return len;
  size_t count = CBOR_PIECE;
  while (count > CBOR_PIECE - 3 && utf8_continues(data[count])) count--;
  return count;
}

static bool refuse_cbor_text(CborWriter *writer) {
  return refuse_value(writer, "a string that is not UTF-8 cannot be written",
                      "");
}

// What is long follows its head in parts (put_part).
static bool put_text(CborWriter *writer, const ObjString *string) {
  const char *data = string_data(string);
  put_head(writer, CBOR_TEXT, string->len);
  if (string->len > CBOR_PIECE) {
    writer->rest = value_from_obj((const Obj *)string);
    writer->rest_len = string->len;
    return true;
  }
  if (!utf8_is_valid(data, string->len)) return refuse_cbor_text(writer);
  text_add(&writer->out, data, string->len);
  return true;
}

// Bytes may be cut by another goroutine. Zeros follow then.
static void add_cbor_bytes(CborWriter *writer, CspValue bytes, size_t at,
                           size_t count) {
  char piece[1024];
  for (size_t done = 0; done < count; done += sizeof piece) {
    size_t want = count - done < sizeof piece ? count - done : sizeof piece;
    memset(piece, 0, want);
    csp_bytes_read(bytes, at + done, piece, want);
    text_add(&writer->out, piece, want);
  }
}

static bool put_bytes(CborWriter *writer, CspValue bytes) {
  size_t len = csp_bytes_len(bytes);
  put_head(writer, CBOR_BYTES, len);
  if (len <= CBOR_PIECE) {
    add_cbor_bytes(writer, bytes, 0, len);
  } else {
    writer->rest = bytes.word;
    writer->rest_len = len;
  }
  return true;
}

// The next part of what is long.
static bool put_part(CborWriter *writer) {
  const Obj *obj = value_obj(writer->rest);
  size_t at = writer->rest_at, count = writer->rest_len - at;
  if (obj->type == OBJ_BYTES) {
    if (count > CBOR_PIECE) count = CBOR_PIECE;
    add_cbor_bytes(writer, csp_wrap(writer->rest), at, count);
  } else {
    const char *data = string_data((const ObjString *)obj) + at;
    count = cbor_part(data, count);
    if (!utf8_is_valid(data, count)) return refuse_cbor_text(writer);
    text_add(&writer->out, data, count);
  }
  writer->rest_at += count;
  if (writer->rest_at < writer->rest_len) return true;
  writer->rest_at = writer->rest_len = 0;
  writer->rest = VALUE_NIL;
  return true;
}

// --- Lists and maps ---------------------------------------------------------
static bool put_container(CborWriter *writer, const Obj *obj) {
  for (size_t n = 0; n < writer->depth; n++) {
    if (writer->levels[n].obj == obj)
      return refuse_value(writer, "it contains itself, and cannot be written",
                          "");
  }
  if (writer->depth == CBOR_DEPTH)
    return refuse_value(writer, "it is nested more than 1000 deep", "");
  if (writer->depth == writer->cap) {
    size_t cap = writer->cap > 0 ? writer->cap * 2 : 8;
    CborOut *levels = mem_resize(writer->call->vm->memory, writer->levels,
                                 cap * sizeof *levels);
    if (levels == NULL) {
      writer->failed = true;
      return false;
    }
    writer->levels = levels;
    writer->cap = cap;
  }
  CborOut *level = &writer->levels[writer->depth++];
  *level = (CborOut){.obj = obj, .key = VALUE_NIL, .value = VALUE_NIL};
  if (obj->type != OBJ_MAP) {
    level->count = values_len(sequence_block(value_from_obj(obj)));
    put_head(writer, CBOR_LIST, level->count);
  } else {
    level->table = heap_load(&((const ObjMap *)obj)->table);
    level->count = map_len((const ObjMap *)obj);
    put_head(writer, CBOR_MAP, level->count);
  }
  return true;
}

static bool put_boxed(CborWriter *writer, Value v) {
  const Obj *obj = value_obj(v);
  switch (obj->type) {
    case OBJ_STRING:
      return put_text(writer, (const ObjString *)obj);
    case OBJ_BYTES:
      return put_bytes(writer, csp_wrap(v));
    case OBJ_LIST:
    case OBJ_TUPLE:
    case OBJ_MAP:
      return put_container(writer, obj);
    default:
      return refuse_value(writer, "there is no CBOR for values of type ",
                          value_type_name(v));
  }
}

static bool put_value(CborWriter *writer, Value v) {
  if (value_is_int(v)) {
    put_int(writer, value_int(v));
  } else if (value_is_float(v)) {
    put_float(writer, value_float(v));
  } else if (value_is_obj(v)) {
    return put_boxed(writer, v);
  } else {
    int simple = v == VALUE_TRUE    ? CBOR_TRUE
                 : v == VALUE_FALSE ? CBOR_FALSE
                                    : CBOR_NIL;
    put_head(writer, CBOR_SIMPLE, (uint64_t)simple);
  }
  return true;
}

// The next part of the innermost list or map. *more is false if it had all.
static bool next_of_container(CborWriter *writer, Value *v, bool *more) {
  CborOut *level = &writer->levels[writer->depth - 1];
  *more = true;
  if (level->pending) {
    *v = level->value;
    level->pending = false;
    return true;
  }
  *more = level->done < level->count;
  if (!*more) return true;
  if (level->obj->type != OBJ_MAP) {
    const Value *slot =
        values_at(sequence_block(value_from_obj(level->obj)), level->done);
    *v = slot != NULL ? heap_load(slot) : VALUE_NIL;
  } else if (map_next(writer->call->vm, (const ObjMap *)level->obj,
                      level->table, &level->at, &level->key, &level->value)) {
    *v = level->key;
    level->pending = true;
  } else {
    writer->depth--;
    return refuse_value(writer, "the map was changed meanwhile", "");
  }
  level->done++;
  return true;
}

// For what was written since there were `before` bytes. false: interrupted.
static bool charge_written(CborWriter *writer, size_t before) {
  writer->owed += WRITE_NS + (writer->out.len - before) / WRITE_BYTES_IN_NS;
  if (writer->owed < CBOR_LOOK) return true;
  uint64_t units = writer->owed;
  writer->owed = 0;
  if (writer->leaves)
    writer->spent = csp_spent(writer->call, units);
  else
    writer->failed |= !csp_work(writer->call, units);
  return !writer->failed;
}

static bool has_more(const CborWriter *writer) {
  return !writer->failed && !writer->out.failed &&
         (writer->depth > 0 || writer->rest_len > 0);
}

static void put_next(CborWriter *writer) {
  Value v = VALUE_NIL;
  bool more, fine;
  size_t before = writer->out.len;
  if (writer->rest_len > 0) {
    fine = put_part(writer);
  } else {
    fine = next_of_container(writer, &v, &more);
    if (fine && more) {
      fine = put_value(writer, v);
    } else if (fine) {
      writer->depth--;
    }
  }
  if (fine) charge_written(writer, before);
}

static void put_first(CborWriter *writer, Value v) {
  if (put_value(writer, v)) charge_written(writer, 0);
}

static char *cbor_too_long(const Memory *memory, size_t most) {
  Text text = {.memory = memory};
  text_addf(&text, "it takes more than %zu bytes", most);
  if (!text.failed) return text.data;
  text_free(&text);
  return NULL;
}

// memory: of the bytes and the error, or NULL for libc's.
static CborWriter writer_of(const Memory *memory, CspCall *call, size_t most) {
  return (CborWriter){
      .call = call,
      .rest = VALUE_NIL,
      .out = {.memory = memory, .most = most, .local = call->local}};
}

static char *to_cbor_in(const Memory *memory, CspCall *call, CspValue v,
                        size_t most, size_t *len, char **error) {
  size_t room = heap_room(call->vm->heap);
  CborWriter w = writer_of(memory, call, most < room ? most + 1 : room);
  *error = NULL;
  put_first(&w, v.word);
  while (has_more(&w)) put_next(&w);
  mem_free(w.levels);
  csp_spent(call, w.owed);
  if (w.out.full && most < room) *error = cbor_too_long(memory, w.out.most - 1);
  if (w.failed) *error = w.error;
  if (w.failed || w.out.failed) {
    text_free(&w.out);
    return NULL;
  }
  *len = w.out.len;
  return w.out.data;
}

char *csp_to_cbor(CspCall *call, CspValue v, size_t most, size_t *len,
                  char **error) {
  return to_cbor_in(NULL, call, v, most, len, error);
}

char *csp_alloc_to_cbor(CspCall *call, CspValue v, size_t most, size_t *len,
                        char **error) {
  return to_cbor_in(call->vm->memory, call, v, most, len, error);
}

// --- In pieces --------------------------------------------------------------
enum { CBOR_LEVEL_KEPT = 4 };  // values of a level that the list has

typedef struct CborWriteJob {
  CspValue kept;  // a list of what the writer names, or nil yet
  CspValue made;  // the bytes, once all is written, or nil
  CborWriter *writer;
  char *to;  // in them,
  size_t copied;
} CborWriteJob;

static CspStatus write_end(CborWriteJob *job, CspStatus status) {
  CborWriter *writer = job->writer;
  csp_spent(writer->call, writer->owed);
  if (writer->out.data != NULL) text_free(&writer->out);
  mem_free(writer->error);
  mem_free(writer->levels);
  mem_free(writer);
  return status;
}

// Value number n of the list. false: no memory.
static bool keep_cbor_written(CborWriteJob *job, size_t n, Value v) {
  CspCall *call = job->writer->call;
  if (csp_list_len(job->kept) <= n)
    return csp_list_push(call, job->kept, csp_wrap(v));
  csp_list_set(call, job->kept, n, csp_wrap(v));
  return true;
}

static bool keep_write_levels(CborWriteJob *job) {
  const CborWriter *writer = job->writer;
  if (csp_type(job->kept) == CSP_NIL) job->kept = csp_list(writer->call, 0);
  bool fine =
      !csp_is_undef(job->kept) && keep_cbor_written(job, 0, writer->rest);
  for (size_t n = 0; fine && n < writer->depth; n++) {
    const CborOut *level = &writer->levels[n];
    size_t at = 1 + n * CBOR_LEVEL_KEPT;
    fine = keep_cbor_written(job, at, value_from_obj(level->obj)) &&
           keep_cbor_written(job, at + 1,
                             level->table != NULL
                                 ? value_from_obj((const Obj *)level->table)
                                 : VALUE_NIL) &&
           keep_cbor_written(job, at + 2, level->key) &&
           keep_cbor_written(job, at + 3, level->value);
  }
  return fine;
}

static CspStatus write_on(CspCall *call, void *data, bool on);

static CspStatus copy_made(CborWriteJob *job) {
  CspCall *call = job->writer->call;
  const Text *out = &job->writer->out;
  while (job->copied < out->len) {
    size_t left = out->len - job->copied;
    size_t count = left < CBOR_PIECE ? left : (size_t)CBOR_PIECE;
    memcpy(job->to + job->copied, out->data + job->copied, count);
    job->copied += count;
    if (csp_spent(call, count / 8) && job->copied < out->len)
      return csp_again(call, write_on, job, sizeof *job, 2);
  }
  return write_end(job, csp_ok_value(call, job->made));
}

static CspStatus write_failed(CborWriteJob *job) {
  CspCall *call = job->writer->call;
  const char *error = job->writer->error;
  return write_end(job, error != NULL
                            ? csp_ok_coded(call, "invalid", "cbor: %s", error)
                            : csp_panic_memory(call));
}

static CspStatus write_on(CspCall *call, void *data, bool on) {
  CborWriteJob *job = data;
  CborWriter *writer = job->writer;
  writer->call = call;
  writer->out.local = call->local;
  if (!on) return write_end(job, CSP_PANIC);
  if (job->to != NULL) return copy_made(job);
  for (writer->spent = false; has_more(writer) && !writer->spent;)
    put_next(writer);
  if (writer->failed || writer->out.failed) return write_failed(job);
  if (has_more(writer))
    return keep_write_levels(job)
               ? csp_again(call, write_on, job, sizeof *job, 2)
               : write_failed(job);
  job->made = csp_bytes_room(call, writer->out.len, &job->to);
  return csp_is_undef(job->made) ? write_failed(job) : copy_made(job);
}

CspStatus csp_ok_to_cbor(CspCall *call, CspValue v) {
  const Memory *memory = call->vm->memory;
  CborWriter *writer = mem_alloc(memory, sizeof *writer);
  CborWriteJob job = {csp_nil(), csp_nil(), writer, NULL, 0};
  if (writer == NULL) return csp_panic_memory(call);
  *writer = writer_of(memory, call, heap_room(call->vm->heap));
  writer->leaves = true;
  put_first(writer, v.word);
  return write_on(call, &job, true);
}
