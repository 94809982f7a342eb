// SPDX-License-Identifier: MIT
// What the files of the module strings show each other.
#ifndef CSP_STDLIB_STRINGS_H
#define CSP_STDLIB_STRINGS_H

#include <string.h>

#include "stdlib/stdlib.h"

#define STRING_MAX ((size_t)1 << 31)  // bytes of a string

static inline bool has_prefix(CspCall *call, Str s, Str prefix) {
  return s.len >= prefix.len &&
         same_bytes(call, s.data, prefix.data, prefix.len);
}
static inline bool has_suffix(CspCall *call, Str s, Str suffix) {
  return s.len >= suffix.len &&
         same_bytes(call, s.data + s.len - suffix.len, suffix.data, suffix.len);
}

// --- strings.c --------------------------------------------------------------
// Also list.join.
CspStatus strings_join(CspCall *call);

// --- strings_split.c --------------------------------------------------------
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
