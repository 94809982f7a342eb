// SPDX-License-Identifier: MIT
// Taking strings apart: split, fields, lines, words.
//
// Each has a function that finds one piece, and the place to go on from: in a
// for loop no list is made (csp_ok_each). A piece that is long is looked for in
// spans, and copied in spans, between which others run.
#include <string.h>

#include "stdlib/pieces_find.h"
#include "stdlib/pieces_loop.h"
#include "stdlib/strings.h"

enum { COUNTED = 1 << 16 };  // bytes that tell how much room a list needs

static bool give_piece(CspCall *call, const char *data, size_t len,
                       CspValue *piece) {
  *piece = csp_string(call, data, len);
  return csp_work(call, 32 + len / 8);
}

// Where memory is out, *at stays as it is.
bool split_give(CspCall *call, Str s, size_t from, size_t len, int64_t *at,
                CspValue *piece) {
  char *to;
  if (len <= LOOP_AT_ONCE) return give_piece(call, s.data + from, len, piece);
  *piece = csp_string_room(call, len, &to);
  if (!csp_is_undef(*piece)) *at = split_later(from, 0);
  return true;
}

bool split_copy(CspCall *call, Str s, int64_t *at, CspValue piece,
                size_t *end) {
  size_t from = 0, copied = 0, len = view_of(piece).len;
  split_goes_on(*at, &from, &copied);
  char *to = (char *)view_of(piece).data;
  for (bool spent = false; !spent && copied * SPLIT_SPAN < len; copied++) {
    size_t begin = copied * SPLIT_SPAN, left = len - begin;
    size_t count = left < SPLIT_SPAN ? left : SPLIT_SPAN;
    memcpy(to + begin, s.data + from + begin, count);
    spent = csp_spent(call, count / 4);
  }
  *at = split_later(from, copied);
  *end = from + len;
  return copied * SPLIT_SPAN >= len;
}

static Str counted(CspValue of) {
  Str s = view_of(of);
  return (Str){s.data, s.len < COUNTED ? s.len : COUNTED};
}

static size_t count_byte(CspValue of, char byte) {
  Str s = counted(of);
  size_t count = 1;
  for (size_t i = 0; i < s.len; i++) count += s.data[i] == byte;
  return count;
}

// --- By a separator ---------------------------------------------------------
enum { NEAR = 16 };  // bytes
#define EACH_BYTE 0x0101010101010101u

// Where the byte is among the first 16. NEAR: not there, or there are fewer.
static size_t find_near(const char *data, size_t len, char byte) {
  if (len < NEAR) return NEAR;
  for (size_t at = 0; at < NEAR; at += 8) {
    uint64_t word;
    memcpy(&word, data + at, sizeof word);
    word ^= EACH_BYTE * (uint8_t)byte;
    // The lowest byte that is 0 has its top bit set, and none below it.
    word = (word - EACH_BYTE) & ~word & EACH_BYTE << 7;
    if (word != 0) return at + (size_t)__builtin_ctzll(word) / 8;
  }
  return NEAR;
}

// The place after the last piece is one more than the string's length. What
// follows is for a place that is far from the end of the text, after it, or
// negative. The separator is a string or a byte.
static __attribute__((noinline)) bool far_part(CspCall *call, CspValue of,
                                               CspValue with, int64_t *at,
                                               CspValue *piece) {
  char byte = csp_type(with) == CSP_INT ? (char)csp_to_int(with) : 0;
  Str s = view_of(of), sep = {&byte, 1};
  if (csp_type(with) == CSP_STRING) sep = view_of(with);
  size_t from = (size_t)*at, looked = 0, end;
  if (split_is_copying(*at, *piece)) {
    if (split_copy(call, s, at, *piece, &end))
      *at = (int64_t)(end < s.len ? end + sep.len : end + 1);
    return true;
  }
  if (from > s.len && !split_goes_on(*at, &from, &looked)) return false;
  const char *start = s.data + from;
  Str span = split_span(s, from, looked, sep.len - 1);
  int64_t found = csp_find(call, span.data, span.len, sep.data, sep.len);
  if (found == CSP_GIVEN_UP) return false;
  *at = split_later(from, looked + 1);
  if (found < 0 && span.data + span.len < s.data + s.len) return true;
  size_t len = found >= 0 ? (size_t)(span.data + found - start) : s.len - from;
  *at = found >= 0 ? (int64_t)(from + len + sep.len) : (int64_t)s.len + 1;
  return split_give(call, s, from, len, at, piece);
}

static bool next_part(CspCall *call, CspValue of, CspValue with, int64_t *at,
                      CspValue *piece) {
  Str s = view_of(of), sep = view_of(with);
  size_t from = (size_t)*at;
  if (from > s.len) return *at < 0 && far_part(call, of, with, at, piece);
  if (s.len - from > SPLIT_SPAN) return far_part(call, of, with, at, piece);
  const char *start = s.data + from;
  int64_t found = csp_find(call, start, s.len - from, sep.data, sep.len);
  if (found == CSP_GIVEN_UP) return false;
  size_t len = found >= 0 ? (size_t)found : s.len - from;
  *at = found >= 0 ? (int64_t)(from + len + sep.len) : (int64_t)s.len + 1;
  return give_piece(call, start, len, piece);
}

// The same by a byte, which is near mostly.
static bool next_part_by_byte(CspCall *call, CspValue of, CspValue with,
                              int64_t *at, CspValue *piece) {
  Str s = view_of(of);
  size_t from = (size_t)*at;
  if (from > s.len) return *at < 0 && far_part(call, of, with, at, piece);
  const char *start = s.data + from;
  char byte = (char)csp_to_int(with);
  size_t len = find_near(start, s.len - from, byte);
  if (len == NEAR) {
    if (s.len - from > SPLIT_SPAN) return far_part(call, of, with, at, piece);
    int64_t found = csp_find(call, start, s.len - from, &byte, 1);
    if (found == CSP_GIVEN_UP) return false;
    len = found >= 0 ? (size_t)found : s.len - from;
  }
  *at += (int64_t)len + 1;
  return give_piece(call, start, len, piece);
}

static bool next_character(CspCall *call, CspValue of, CspValue with,
                           int64_t *at, CspValue *piece) {
  (void)with;
  Str s = view_of(of);
  size_t from = (size_t)*at, width;
  if (from >= s.len) return false;
  utf8_at(s.data, s.len, from, &width);
  *at += (int64_t)width;
  return give_piece(call, s.data + from, width, piece);
}

static size_t count_by_byte(CspValue of, CspValue with) {
  return count_byte(of, (char)csp_to_int(with));
}

// At most n pieces, the last with what is left.
typedef struct FirstParts {
  CspValue list, of, with, piece;  // kept
  CspEach next;
  int64_t at, n;
} FirstParts;

// `with` is the list.
static CspStatus push_last(CspCall *call, Loop *loop) {
  return csp_list_push(call, loop->with, loop->out) ? csp_ok(call, loop->with)
                                                    : CSP_PANIC;
}

static CspStatus last_part(CspCall *call, const FirstParts *parts) {
  Str s = view_of(parts->of);
  // after the last part `at` is after the end, after the last character at it
  size_t from = (size_t)parts->at, end = s.len + (view_of(parts->with).len > 0);
  if (parts->n != 1 || from >= end) return csp_ok(call, parts->list);
  if (from == 0)  // all of it: no copy
    return push_last(call, &(Loop){.with = parts->list, .out = parts->of});
  return loop_copy(call, &(Loop){.list = parts->of,
                                 .with = parts->list,
                                 .part = from,
                                 .end = s.len - from,
                                 .done = push_last});
}

static CspStatus first_parts_on(CspCall *call, void *data, bool on) {
  enum { KEPT = 4, PIECE = 256, PIECE_BYTES = 1 << 16 };
  FirstParts *parts = data;
  if (!on) return CSP_PANIC;
  int64_t begun = parts->at, last = parts->n - PIECE;
  while (parts->n > 1 &&
         parts->next(call, parts->of, parts->with, &parts->at, &parts->piece)) {
    bool later = parts->at < 0;
    if (!later && !csp_list_push(call, parts->list, parts->piece))
      return CSP_PANIC;
    if (!later) parts->piece = csp_nil();
    if (!later) parts->n--;
    if (later || parts->n <= last || parts->at - begun > PIECE_BYTES)
      return csp_again(call, first_parts_on, parts, sizeof *parts, KEPT);
  }
  return last_part(call, parts);
}

static CspStatus first_parts(CspCall *call, CspEach next, CspValue sep,
                             int64_t n) {
  FirstParts parts = {
      csp_list(call, 4), csp_arg(call, 0), sep, csp_nil(), next, 0, n};
  if (csp_is_undef(parts.list)) return csp_panic_memory(call);
  return first_parts_on(call, &parts, true);
}

// --- By white space ---------------------------------------------------------
// From `at` up to `end`: where the first character is that is white space, or
// is not. If there is none, `end` or some bytes after it.
static size_t find_space(Str s, size_t at, size_t end, bool space) {
  for (size_t width; at < end; at += width) {
    width = 1;
    if ((signed char)s.data[at] > ' ') {  // most, and all ASCII
      if (!space) break;
    } else if (utf8_is_space(utf8_at(s.data, s.len, at, &width)) == space) {
      break;
    }
  }
  return at;
}

// As far_part.
static __attribute__((noinline)) bool far_field(CspCall *call, CspValue of,
                                                CspValue with, int64_t *at,
                                                CspValue *piece) {
  (void)with;
  Str s = view_of(of);
  size_t from = (size_t)*at, looked = 0, end;
  if (split_is_copying(*at, *piece)) {
    if (split_copy(call, s, at, *piece, &end)) *at = (int64_t)end;
    return true;
  }
  if (from > s.len && !split_goes_on(*at, &from, &looked)) return false;
  if (looked == 0) {
    end = from + split_span(s, from, 0, 0).len;
    from = find_space(s, from, end, false);
    *at = split_later(from, 0);
    if (from >= end && end < s.len) return csp_work(call, SPLIT_SPAN * 2);
    if (from == s.len) return false;
  }
  Str span = split_span(s, from, looked, 0);
  size_t begin = (size_t)(span.data - s.data);
  end = begin + span.len;
  size_t to = find_space(s, begin, end, true);
  *at = split_later(from, looked + 1);
  if (to >= end && end < s.len) return csp_work(call, SPLIT_SPAN * 2);
  *at = (int64_t)to;
  return split_give(call, s, from, to - from, at, piece);
}

static bool next_field(CspCall *call, CspValue of, CspValue with, int64_t *at,
                       CspValue *piece) {
  (void)with;
  Str s = view_of(of);
  size_t from = (size_t)*at;
  if (s.len - from > SPLIT_SPAN) return far_field(call, of, with, at, piece);
  from = find_space(s, from, s.len, false);
  if (from == s.len) return false;
  size_t to = find_space(s, from, s.len, true);
  *at = (int64_t)to;
  return give_piece(call, s.data + from, to - from, piece);
}

// Only ASCII white space counts.
static size_t count_fields(CspValue of, CspValue with) {
  (void)with;
  Str s = counted(of);
  const uint8_t *data = (const uint8_t *)s.data;
  size_t count = s.len > 0 && !utf8_is_space(data[0]);
  for (size_t i = 1; i < s.len; i++) {
    bool before = data[i - 1] == ' ' || (uint8_t)(data[i - 1] - '\t') < 5;
    bool space = data[i] == ' ' || (uint8_t)(data[i] - '\t') < 5;
    count += before & !space;
  }
  return count;
}

// --- By lines ---------------------------------------------------------------
// Without the "\r" of its end.
static size_t split_line_len(const char *start, size_t len, bool ended) {
  return ended && len > 0 && start[len - 1] == '\r' ? len - 1 : len;
}

// Where the next line is after one that was copied up to `end`.
static int64_t after_line(Str s, size_t end) {
  if (end < s.len && s.data[end] == '\r') end++;
  return (int64_t)end + 1;
}

// As far_part.
static __attribute__((noinline)) bool far_line(CspCall *call, CspValue of,
                                               CspValue with, int64_t *at,
                                               CspValue *piece) {
  (void)with;
  Str s = view_of(of);
  size_t from = (size_t)*at, looked = 0, to;
  if (split_is_copying(*at, *piece)) {
    if (split_copy(call, s, at, *piece, &to)) *at = after_line(s, to);
    return true;
  }
  if (from >= s.len && !split_goes_on(*at, &from, &looked)) return false;
  const char *start = s.data + from;
  Str span = split_span(s, from, looked, 0);
  int64_t end = csp_find(call, span.data, span.len, "\n", 1);
  if (end == CSP_GIVEN_UP) return false;
  *at = split_later(from, looked + 1);
  if (end < 0 && span.data + span.len < s.data + s.len) return true;
  size_t len = end >= 0 ? (size_t)(span.data + end - start) : s.len - from;
  *at = (int64_t)(from + len) + 1;
  return split_give(call, s, from, split_line_len(start, len, end >= 0), at,
                    piece);
}

static bool next_line(CspCall *call, CspValue of, CspValue with, int64_t *at,
                      CspValue *piece) {
  (void)with;
  Str s = view_of(of);
  size_t from = (size_t)*at;
  if (from >= s.len) return *at < 0 && far_line(call, of, with, at, piece);
  if (s.len - from > SPLIT_SPAN) return far_line(call, of, with, at, piece);
  const char *start = s.data + from;
  int64_t end = csp_find(call, start, s.len - from, "\n", 1);
  if (end == CSP_GIVEN_UP) return false;
  size_t len = end >= 0 ? (size_t)end : s.len - from;
  *at += (int64_t)len + 1;
  return give_piece(call, start, split_line_len(start, len, end >= 0), piece);
}

static size_t count_lines(CspValue of, CspValue with) {
  (void)with;
  return count_byte(of, '\n');
}

// --- The functions ----------------------------------------------------------
CspStatus strings_fields(CspCall *call) {
  Str s;
  if (!need_view(call, 0, &s)) return CSP_PANIC;
  return csp_ok_each(call, next_field, csp_arg(call, 0), csp_nil(),
                     count_fields);
}

// Without their ends ("\n" or "\r\n"); a last empty one does not count.
CspStatus strings_lines(CspCall *call) {
  Str s;
  if (!need_view(call, 0, &s)) return CSP_PANIC;
  return csp_ok_each(call, next_line, csp_arg(call, 0), csp_nil(), count_lines);
}

// Without sep (or with nil): fields. With "": characters.
CspStatus strings_split(CspCall *call) {
  Str s, sep;
  if (is_nil(call, 1)) return strings_fields(call);
  if (!need_view(call, 0, &s) || !need_view(call, 1, &sep)) return CSP_PANIC;
  if (sep.len > LONG_NEEDLE) return find_parts(call, -1);
  if (sep.len == 1)
    return csp_ok_each(call, next_part_by_byte, csp_arg(call, 0),
                       csp_int(call, *sep.data), count_by_byte);
  CspEach next = sep.len == 0 ? next_character : next_part;
  return csp_ok_each(call, next, csp_arg(call, 0), csp_arg(call, 1), NULL);
}

// At most n parts, the last with what is left; a negative n means all.
CspStatus strings_split_n(CspCall *call) {
  Str s, sep;
  int64_t n;
  if (!need_view(call, 0, &s) || !need_view(call, 1, &sep) ||
      !csp_need_int(call, 2, &n)) {
    return CSP_PANIC;
  }
  if (n < 0) return strings_split(call);
  if (sep.len > LONG_NEEDLE) return find_parts(call, n);
  CspEach next = sep.len == 0 ? next_character : next_part;
  return first_parts(call, next, csp_arg(call, 1), n);
}
