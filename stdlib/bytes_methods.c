// SPDX-License-Identifier: MIT
// The module bytes and the methods of bytes: searching, appending, numbers in
// binary form. (Hexadecimal and base64: bytes_text.c.)
//
// Others may change the bytes meanwhile, also between two pieces
// (pieces_loop.h): each block that is copied out is as it was at some time.
// Bytes that are cut off read as zeros, and nothing is written outside the
// bytes.
#include "stdlib/bytes_methods.h"

#include <stdlib.h>
#include <string.h>

#include "stdlib/pieces_find.h"

enum {
  BYTES_PIECE = 1 << 16,  // bytes between two questions (csp_work)
  WINDOW = 1 << 16,       // most bytes a search copies out at a time, at least
};

static bool need_bytes(CspCall *call, int i, CspValue *out) {
  return csp_need_type(call, i, CSP_BYTES, out);
}

// Copies up to `count` bytes of a value, from its position `at` on. The result
// is false when the call has given up.
static bool long_read(CspCall *call, CspValue bytes, size_t at, uint8_t *to,
                      size_t count, size_t *done) {
  bool on = true;
  for (*done = 0; on && *done < count;) {
    size_t left = count - *done,
           piece = left < BYTES_PIECE ? left : BYTES_PIECE;
    size_t got = csp_bytes_read(bytes, at + *done, to + *done, piece);
    *done += got;
    if (got < piece) break;
    on = csp_work(call, 8 + piece / 8);
  }
  return on;
}

// A copy of the bytes, which the caller frees. NULL: the call has panicked.
static uint8_t *copied(CspCall *call, CspValue bytes, size_t *len) {
  *len = csp_bytes_len(bytes);
  uint8_t *data = room_alloc(call, *len + 1, 1);
  if (data != NULL && long_read(call, bytes, 0, data, *len, len)) return data;
  csp_alloc_free(data);
  csp_panic_memory(call);
  return NULL;
}

CspValue bytes_to_text(CspCall *call, CspValue bytes) {
  enum { PIECE = 1 << 16 };
  char *data;
  size_t len = csp_bytes_len(bytes);
  CspValue text = csp_string_room(call, len, &data);
  for (size_t at = 0; at < len && !csp_is_undef(text); at += PIECE) {
    size_t n = len - at < PIECE ? len - at : PIECE;
    size_t have = csp_bytes_read(bytes, at, data + at, n);
    memset(data + at + have, 0, n - have);  // somebody may have cut them
    if (!csp_work(call, n / 8)) text = csp_alloc_take(call, NULL, 0);
  }
  return text;
}

// A piece to look for or to append is an int (one byte), a string, or bytes.
// `data` is in `room`, in memory to be freed (`freed`), or the string's.
typedef struct Piece {
  const uint8_t *data;
  size_t len;
  uint8_t room;
  uint8_t *freed;
} Piece;

static bool need_piece(CspCall *call, int i, Piece *piece) {
  CspValue v = csp_arg(call, i);
  Str s;
  *piece = (Piece){0};
  if (csp_view(v, &s.data, &s.len)) {
    *piece = (Piece){.data = (const uint8_t *)s.data, .len = s.len};
    return true;
  }
  if (csp_type(v) == CSP_BYTES) {
    piece->data = piece->freed = copied(call, v, &piece->len);
    return piece->data != NULL;
  }
  if (csp_type(v) == CSP_INT && csp_to_int(v) >= 0 && csp_to_int(v) <= 255) {
    piece->room = (uint8_t)csp_to_int(v);
    piece->data = &piece->room;
    piece->len = 1;
    return true;
  }
  csp_bad_arg(call, i, "bytes, a string, or an int from 0 to 255");
  return false;
}

bool need_source(CspCall *call, int i, CspValue *value, size_t *len) {
  *value = csp_arg(call, i);
  const char *text;
  if (csp_view(*value, &text, len)) return true;
  *len = 1;
  if (csp_type(*value) == CSP_BYTES) *len = csp_bytes_len(*value);
  if (csp_type(*value) == CSP_BYTES) return true;
  Piece piece;
  return need_piece(call, i, &piece);
}

const uint8_t *source_at(CspValue v, size_t at, uint8_t *block, size_t count) {
  Str s;
  if (csp_view(v, &s.data, &s.len)) return (const uint8_t *)s.data + at;
  size_t have = 0;
  if (csp_type(v) == CSP_BYTES) have = csp_bytes_read(v, at, block, count);
  if (csp_type(v) == CSP_INT && at == 0 && count > 0)
    block[have++] = (uint8_t)csp_to_int(v);
  memset(block + have, 0, count - have);
  return block;
}

// --- Changing ---------------------------------------------------------------
static CspStatus bytes_push(CspCall *call) {
  CspValue bytes;
  if (!need_bytes(call, 0, &bytes)) return CSP_PANIC;
  Buffer all = buffer_of(call);
  for (int i = 1; i < csp_argc(call) && !all.failed; i++) {
    Piece piece;
    if (!need_piece(call, i, &piece)) {
      buffer_free(&all);
      return CSP_PANIC;
    }
    buffer_add(&all, (const char *)piece.data, piece.len);
    all.failed |= !csp_work(call, 16);
    csp_alloc_free(piece.freed);
  }
  if (all.failed) csp_panic_memory(call);
  bool ok =
      !all.failed &&
      csp_bytes_append(call, bytes, all.data != NULL ? all.data : "", all.len);
  buffer_free(&all);
  return ok ? csp_ok(call, bytes) : CSP_PANIC;
}

// Arguments i and i + 1 are a range within `len` bytes. A `to` of nil means the
// end.
static bool need_bounds(CspCall *call, int i, size_t len, int64_t *from,
                        int64_t *to) {
  if (!opt_int(call, i, 0, from) || !opt_int(call, i + 1, (int64_t)len, to)) {
    return false;
  }
  if (*from >= 0 && *from <= *to && (uint64_t)*to <= len) return true;
  csp_panic(call, "%s: %lld:%lld out of range of bytes of length %zu",
            csp_name(call), (long long)*from, (long long)*to, len);
  return false;
}

static bool fill_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call;
  uint8_t block[BYTES_BLOCK];
  memset(block, (int)loop->n, sizeof block);
  while (loop->at < stop) {
    size_t left = stop - loop->at,
           count = left < BYTES_BLOCK ? left : BYTES_BLOCK;
    csp_bytes_write(loop->list, loop->at, block, count);
    loop->at += count;
  }
  return true;
}

static CspStatus bytes_fill(CspCall *call) {
  CspValue bytes;
  int64_t value, from, to;
  if (!need_bytes(call, 0, &bytes) || !need_int_in(call, 1, 0, 255, &value) ||
      !need_bounds(call, 2, csp_bytes_len(bytes), &from, &to)) {
    return CSP_PANIC;
  }
  return loop_bytes(call, &(Loop){.list = bytes,
                                  .at = (size_t)from,
                                  .end = (size_t)to,
                                  .n = value,
                                  .turns = fill_turns,
                                  .done = loop_list,
                                  .units = 1});
}

// The piece is `with`, `part` where it goes, n how much of it had room. Bytes
// that are moved within themselves to the right begin with their last.
static void set_block(Loop *loop, size_t at, size_t count) {
  uint8_t block[BYTES_BLOCK];
  const uint8_t *from = source_at(loop->with, at, block, count);
  loop->n += (int64_t)csp_bytes_write(loop->list, loop->part + at, from, count);
}

static bool set_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call;
  bool backward = loop->part > 0 && csp_same(loop->list, loop->with);
  while (loop->at < stop) {
    size_t left = stop - loop->at,
           count = left < BYTES_BLOCK ? left : BYTES_BLOCK;
    set_block(loop, backward ? loop->end - loop->at - count : loop->at, count);
    loop->at += count;
  }
  return true;
}

static CspStatus set_done(CspCall *call, Loop *loop) {
  return csp_ok_int(call, loop->n);
}

// Copies a piece to position `at`, and returns how many bytes had room.
static CspStatus bytes_set(CspCall *call) {
  CspValue bytes, piece;
  int64_t at;
  size_t count;
  if (!need_bytes(call, 0, &bytes) ||
      !need_int_in(call, 1, 0, (int64_t)csp_bytes_len(bytes), &at) ||
      !need_source(call, 2, &piece, &count)) {
    return CSP_PANIC;
  }
  size_t len = csp_bytes_len(bytes);
  size_t room = len > (size_t)at ? len - (size_t)at : 0;
  return loop_change(call, &(Loop){.list = bytes,
                                   .with = piece,
                                   .part = (size_t)at,
                                   .end = count < room ? count : room,
                                   .step = LOOP_BYTES,
                                   .turns = set_turns,
                                   .done = set_done,
                                   .units = 1});
}

static void reverse_bytes(uint8_t *data, size_t len) {
  for (size_t i = 0; i < len / 2; i++) {
    uint8_t swap = data[i];
    data[i] = data[len - 1 - i];
    data[len - 1 - i] = swap;
  }
}

// Reverses in place. Each turn exchanges a block of the beginning and one of
// the end. `n` is how many bytes there were when it began.
static bool bytes_reverse_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call;
  uint8_t low[BYTES_BLOCK], high[BYTES_BLOCK];
  while (loop->at < stop) {
    size_t left = stop - loop->at,
           count = left < BYTES_BLOCK ? left : BYTES_BLOCK;
    size_t to = (size_t)loop->n - loop->at - count;
    size_t lower = csp_bytes_read(loop->list, loop->at, low, count);
    size_t upper = csp_bytes_read(loop->list, to, high, count);
    if (lower < count || upper < count) break;  // somebody has cut them
    reverse_bytes(low, count);
    reverse_bytes(high, count);
    csp_bytes_write(loop->list, loop->at, high, count);
    csp_bytes_write(loop->list, to, low, count);
    loop->at += count;
  }
  if (loop->at < stop) loop->end = loop->at;
  return true;
}

static CspStatus bytes_reverse(CspCall *call) {
  CspValue bytes;
  if (!need_bytes(call, 0, &bytes)) return CSP_PANIC;
  size_t len = csp_bytes_len(bytes);
  return loop_change(call, &(Loop){.list = bytes,
                                   .end = len / 2,
                                   .n = (int64_t)len,
                                   .step = LOOP_BYTES,
                                   .turns = bytes_reverse_turns,
                                   .done = loop_list,
                                   .units = 4});
}

// --- Looking ----------------------------------------------------------------
// Looks for a piece that begins in the first `step` bytes from `at` on. Gives
// its position after `at`, CSP_NOWHERE or CSP_GIVEN_UP. The window has room for
// the step and the piece.
static int64_t find_in_window(CspCall *call, CspValue bytes, size_t at,
                              size_t step, const Piece *piece,
                              uint8_t *window) {
  size_t len;
  if (!long_read(call, bytes, at, window, step + piece->len - 1, &len)) {
    return CSP_GIVEN_UP;
  }
  return csp_find(call, (const char *)window, len, (const char *)piece->data,
                  piece->len);
}

// Windows begin small, because a piece may be found at once. Each is twice as
// large as the one before, until preparing the needle costs little beside it.
static int64_t find_from(CspCall *call, CspValue bytes, size_t at,
                         const Piece *piece) {
  size_t len = csp_bytes_len(bytes), cap = 0;
  int64_t found = CSP_NOWHERE;
  uint8_t *window = NULL;
  for (size_t step = 256 + piece->len; piece->len <= len - at;) {
    if (cap < step + piece->len) {
      cap = step + piece->len;
      csp_alloc_free(window);
      window = room_alloc(call, cap, 1);
    }
    if (window == NULL) {
      csp_panic_memory(call);
      return CSP_GIVEN_UP;
    }
    found = find_in_window(call, bytes, at, step, piece, window);
    if (found != CSP_NOWHERE || step > len - at) break;
    at += step;
    if (step < WINDOW) step *= 2;
  }
  csp_alloc_free(window);
  return found < 0 ? found : found + (int64_t)at;
}

static CspStatus index_done(CspCall *call, Loop *loop) {
  return csp_ok_int(call, loop->n);
}

static CspStatus bytes_contains_done(CspCall *call, Loop *loop) {
  return csp_ok_bool(call, loop->n >= 0);
}

static CspStatus look_far(CspCall *call, CspValue bytes, size_t from,
                          const Piece *piece, bool index) {
  CspValue with = csp_arg(call, 1);
  if (csp_type(with) != CSP_STRING)
    with = csp_string(call, (const char *)piece->data, piece->len);
  csp_alloc_free(piece->freed);
  if (csp_is_undef(with)) return csp_panic_memory(call);
  return find_in_bytes(call, bytes, with, from,
                       index ? index_done : bytes_contains_done);
}

// The methods index and contains.
static CspStatus look_for(CspCall *call, bool index) {
  CspValue bytes;
  Piece piece;
  int64_t from = 0;
  if (!need_bytes(call, 0, &bytes)) return CSP_PANIC;
  if (index && !opt_int(call, 2, 0, &from)) return CSP_PANIC;
  if (!need_piece(call, 1, &piece)) return CSP_PANIC;
  size_t len = csp_bytes_len(bytes);
  size_t start = from < 0 ? 0 : (uint64_t)from < len ? (size_t)from : len;
  if (piece.len > 0 && len - start > FIND_AT_ONCE)
    return look_far(call, bytes, start, &piece, index);
  int64_t at =
      piece.len == 0 ? (int64_t)start : find_from(call, bytes, start, &piece);
  csp_alloc_free(piece.freed);
  if (at == CSP_GIVEN_UP) return CSP_PANIC;
  return index ? csp_ok_int(call, at) : csp_ok_bool(call, at >= 0);
}

// `n` is whether they are the same so far. `part` is where the piece should be.
static bool fits_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call;
  uint8_t block[BYTES_BLOCK], other[BYTES_BLOCK];
  while (loop->at < stop) {
    size_t left = stop - loop->at,
           count = left < BYTES_BLOCK ? left : BYTES_BLOCK;
    size_t at = loop->part + loop->at;
    const uint8_t *from = source_at(loop->with, loop->at, other, count);
    loop->n = csp_bytes_read(loop->list, at, block, count) == count &&
              memcmp(block, from, count) == 0;
    if (!loop->n) stop = loop->end = loop->at;
    if (loop->n) loop->at += count;
  }
  return true;
}

static CspStatus fits_done(CspCall *call, Loop *loop) {
  return csp_ok_bool(call, loop->n > 0);
}

// Whether the bytes begin or end with the piece.
static CspStatus piece_fits(CspCall *call, bool at_end) {
  CspValue bytes, piece;
  size_t count;
  if (!need_bytes(call, 0, &bytes)) return CSP_PANIC;
  if (!need_source(call, 1, &piece, &count)) return CSP_PANIC;
  size_t len = csp_bytes_len(bytes);
  if (count > len) return csp_ok_bool(call, false);
  return loop_bytes(call, &(Loop){.list = bytes,
                                  .with = piece,
                                  .end = count,
                                  .n = 1,
                                  .part = at_end ? len - count : 0,
                                  .turns = fits_turns,
                                  .done = fits_done,
                                  .units = 1});
}

static CspStatus bytes_index(CspCall *call) { return look_for(call, true); }

static CspStatus bytes_contains(CspCall *call) { return look_for(call, false); }

static CspStatus bytes_has_prefix(CspCall *call) {
  return piece_fits(call, false);
}

static CspStatus bytes_has_suffix(CspCall *call) {
  return piece_fits(call, true);
}

// --- Numbers in binary form -------------------------------------------------
typedef struct Field {
  size_t at, size;
  bool big;  // the highest byte first
} Field;

// The parameters are at, size (1 to 8), and order ("little" or "big").
static bool need_field(CspCall *call, int i, CspValue bytes, int order_at,
                       Field *out) {
  int64_t where, count;
  Str order;
  if (!csp_need_int(call, i, &where) ||
      !need_int_in(call, i + 1, 1, 8, &count) ||
      !opt_str(call, order_at, "little", &order)) {
    return false;
  }
  out->big = strcmp(order.data, "big") == 0;
  if (!out->big && strcmp(order.data, "little") != 0) {
    csp_bad_arg(call, order_at, "\"little\" or \"big\"");
    return false;
  }
  size_t len = csp_bytes_len(bytes);
  if (where < 0 || (uint64_t)where + (uint64_t)count > len) {
    csp_panic(call,
              "%s: %lld bytes at %lld are out of range of bytes of length "
              "%zu",
              csp_name(call), (long long)count, (long long)where, len);
    return false;
  }
  out->at = (size_t)where;
  out->size = (size_t)count;
  return true;
}

static CspStatus get_number(CspCall *call, bool is_signed) {
  CspValue bytes;
  Field x;
  uint8_t data[8] = {0};
  if (!need_bytes(call, 0, &bytes) || !need_field(call, 1, bytes, 3, &x)) {
    return CSP_PANIC;
  }
  csp_bytes_read(bytes, x.at, data, x.size);
  uint64_t n = 0;
  for (size_t i = 0; i < x.size; i++) {
    n = n << 8 | data[x.big ? i : x.size - 1 - i];
  }
  unsigned unused = 64 - 8 * (unsigned)x.size;
  if (is_signed) return csp_ok_int(call, (int64_t)(n << unused) >> unused);
  if (n > INT64_MAX) {
    return csp_panic(call,
                     "get_uint: the number is out of range of an int; "
                     "use get_int");
  }
  return csp_ok_int(call, (int64_t)n);
}

static CspStatus bytes_get_uint(CspCall *call) {
  return get_number(call, false);
}

static CspStatus bytes_get_int(CspCall *call) { return get_number(call, true); }

// Writes the low bytes of n.
static CspStatus bytes_set_int(CspCall *call) {
  CspValue bytes;
  int64_t n;
  Field x;
  if (!need_bytes(call, 0, &bytes) || !need_field(call, 1, bytes, 4, &x) ||
      !csp_need_int(call, 3, &n)) {
    return CSP_PANIC;
  }
  uint8_t data[8];
  for (size_t i = 0; i < x.size; i++) {
    data[x.big ? x.size - 1 - i : i] = (uint8_t)((uint64_t)n >> 8 * i);
  }
  csp_bytes_write(bytes, x.at, data, x.size);
  return csp_ok(call, bytes);
}

static CspStatus bytes_get_float(CspCall *call) {
  CspValue bytes;
  Field x;
  uint8_t data[8] = {0};
  if (!need_bytes(call, 0, &bytes) || !need_field(call, 1, bytes, 3, &x)) {
    return CSP_PANIC;
  }
  if (x.size != 4 && x.size != 8) return csp_bad_arg(call, 2, "4 or 8");
  csp_bytes_read(bytes, x.at, data, x.size);
  uint64_t bits = 0;
  for (size_t i = 0; i < x.size; i++) {
    bits = bits << 8 | data[x.big ? i : x.size - 1 - i];
  }
  uint32_t bits32 = (uint32_t)bits;
  double d;
  float f;
  memcpy(&d, &bits, 8);
  memcpy(&f, &bits32, 4);
  return csp_ok_float(call, x.size == 8 ? d : (double)f);
}

static CspStatus bytes_set_float(CspCall *call) {
  CspValue bytes;
  double d;
  Field x;
  if (!need_bytes(call, 0, &bytes) || !need_field(call, 1, bytes, 4, &x) ||
      !csp_need_number(call, 3, &d)) {
    return CSP_PANIC;
  }
  if (x.size != 4 && x.size != 8) return csp_bad_arg(call, 2, "4 or 8");
  uint64_t bits = 0;
  uint32_t bits32 = 0;
  float f = (float)d;
  memcpy(&bits, &d, 8);
  memcpy(&bits32, &f, 4);
  if (x.size == 4) bits = bits32;
  uint8_t data[8];
  for (size_t i = 0; i < x.size; i++) {
    data[x.big ? x.size - 1 - i : i] = (uint8_t)(bits >> 8 * i);
  }
  csp_bytes_write(bytes, x.at, data, x.size);
  return csp_ok(call, bytes);
}

// --- Tables -----------------------------------------------------------------
#define BYTES_METHODS                                                         \
  {"push", "bytes, pieces...", bytes_push},                                   \
      {"fill", "bytes, value, from = 0, to = nil", bytes_fill},               \
      {"set", "bytes, at, piece", bytes_set},                                 \
      {"reverse", "bytes", bytes_reverse},                                    \
      {"index", "bytes, piece, from = 0", bytes_index},                       \
      {"contains", "bytes, piece", bytes_contains},                           \
      {"has_prefix", "bytes, piece", bytes_has_prefix},                       \
      {"has_suffix", "bytes, piece", bytes_has_suffix},                       \
      {"part", "bytes, from, to = nil", part_of_bytes},                       \
      {"get_uint", "bytes, at, size, order = \"little\"", bytes_get_uint},    \
      {"get_int", "bytes, at, size, order = \"little\"", bytes_get_int},      \
      {"set_int", "bytes, at, size, n, order = \"little\"", bytes_set_int},   \
      {"get_float", "bytes, at, size, order = \"little\"", bytes_get_float},  \
      {"set_float", "bytes, at, size, x, order = \"little\"",                 \
       bytes_set_float},                                                      \
      {"to_string", "bytes", bytes_to_string}, {"hex", "bytes", bytes_hex}, { \
    "base64", "bytes, url = false", bytes_base64                              \
  }

static const CspFunction bytes_methods[] = {
    CSP_REPEATABLE, BYTES_METHODS, {NULL, NULL, NULL}};
static const CspFunction bytes_functions[] = {
    CSP_REPEATABLE,
    BYTES_METHODS,
    {"from_hex", "text", bytes_from_hex},
    {"from_base64", "text, url = nil", bytes_from_base64},
    {NULL, NULL, NULL},
};

const CspModule bytes_module = {"bytes", bytes_functions, NULL, NULL, 0};

bool bytes_install(Csp *csp) {
  return csp_register_methods(csp, CSP_BYTES, bytes_methods);
}
