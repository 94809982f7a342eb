// SPDX-License-Identifier: MIT
// What the files of the module strings show each other.
#ifndef CSP_STDLIB_STRINGS_H
#define CSP_STDLIB_STRINGS_H

#include <string.h>

#include "stdlib/stdlib.h"

#define STRING_MAX ((size_t)1 << 31)  // bytes of a string

// Whether the text has the other one at that place, where there is room for it.
static inline bool has_at(CspCall *call, Str s, size_t at, Str other) {
  return same_bytes(call, s.data + at, other.data, other.len);
}

// --- strings.c --------------------------------------------------------------
// Also list.join.
CspStatus strings_join(CspCall *call);

// --- strings_split.c --------------------------------------------------------
// Where the next piece is looked for (a CspEach's *at). After a span without
// its end the place is negative: it has where the piece begins, and how many
// spans were looked at. A place after the text's end is no place, or a negative
// one. While a long piece is copied, *piece has its room, and the place counts
// the spans that are copied.
enum { SPLIT_SPAN = 1 << 14, SPLIT_FROM_BITS = 40, SPLIT_SPANS = 1 << 20 };

static inline int64_t split_later(size_t from, size_t looked) {
  return -1 - (int64_t)(looked << SPLIT_FROM_BITS | from);
}
static inline bool split_goes_on(int64_t at, size_t *from, size_t *looked) {
  if (at >= 0) return false;
  *looked = (size_t)(-1 - at) >> SPLIT_FROM_BITS;
  *from = (size_t)(-1 - at) & (((size_t)1 << SPLIT_FROM_BITS) - 1);
  return true;
}
// The span after those that were looked at, and so many bytes of the next one.
// The last one that can be counted has all that is left.
static inline Str split_span(Str s, size_t from, size_t looked, size_t more) {
  size_t begin = from + looked * SPLIT_SPAN, left = s.len - begin;
  bool all = left <= SPLIT_SPAN + more || looked + 1 >= SPLIT_SPANS;
  return (Str){s.data + begin, all ? left : SPLIT_SPAN + more};
}
// A piece of that many bytes: the whole, or its room. false: it panicked.
bool split_give(CspCall *call, Str s, size_t from, size_t len, int64_t *at,
                CspValue *piece);
static inline bool split_is_copying(int64_t at, CspValue piece) {
  return at < 0 && !csp_is_undef(piece) && csp_type(piece) == CSP_STRING;
}
// Goes on with the room. true: it is whole, and *end is its end in the text.
bool split_copy(CspCall *call, Str s, int64_t *at, CspValue piece, size_t *end);
CspStatus strings_split(CspCall *call);
CspStatus strings_split_n(CspCall *call);
CspStatus strings_fields(CspCall *call);
CspStatus strings_lines(CspCall *call);

// --- strings_trim.c ---------------------------------------------------------
CspStatus strings_trim(CspCall *call);
CspStatus strings_trim_left(CspCall *call);
CspStatus strings_trim_right(CspCall *call);
CspStatus strings_trim_prefix(CspCall *call);
CspStatus strings_trim_suffix(CspCall *call);

// --- strings_text.c ---------------------------------------------------------
extern const CspClass strings_case_class;
CspStatus strings_to_upper(CspCall *call);
CspStatus strings_to_lower(CspCall *call);
CspStatus strings_title(CspCall *call);
CspStatus strings_pad_left(CspCall *call);
CspStatus strings_pad_right(CspCall *call);
CspStatus strings_reverse(CspCall *call);
CspStatus strings_words(CspCall *call);
CspStatus strings_chars(CspCall *call);
CspStatus strings_runes(CspCall *call);
CspStatus strings_rune_count(CspCall *call);
CspStatus strings_bytes(CspCall *call);
CspStatus strings_equal_fold(CspCall *call);
CspStatus strings_is_digit(CspCall *call);
CspStatus strings_is_alpha(CspCall *call);
CspStatus strings_is_alnum(CspCall *call);
CspStatus strings_is_space(CspCall *call);
CspStatus strings_is_upper(CspCall *call);
CspStatus strings_is_lower(CspCall *call);
CspStatus strings_is_valid(CspCall *call);
// Between and around the characters.
CspStatus strings_count_gaps(CspCall *call);
CspStatus strings_from_runes(CspCall *call);

// --- strings_number.c -------------------------------------------------------
CspStatus strings_parse_int(CspCall *call);
CspStatus strings_parse_float(CspCall *call);
CspStatus strings_parse_bool(CspCall *call);
CspStatus strings_format_int(CspCall *call);
CspStatus strings_quote(CspCall *call);
CspStatus strings_unquote(CspCall *call);

#endif
