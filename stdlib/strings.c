// SPDX-License-Identifier: MIT
// The module strings and the methods of strings: searching, joining, trimming.
// One table serves both: a method's receiver is the first parameter. (Taking
// apart: strings_split.c; characters and case: strings_text.c; numbers:
// strings_number.c.)
//
// Positions and lengths are bytes, as len and s[i] count them, unless a
// comment says characters (code points).
#include <stdlib.h>
#include <string.h>

#include "stdlib/strings.h"

// --- Searching --------------------------------------------------------------
// Where needle stands in s, from `from` on; -1: nowhere.
static int64_t find(Str s, Str needle, size_t from) {
  if (from > s.len) return -1;
  const char *at = memmem(s.data + from, s.len - from, needle.data, needle.len);
  return at ? at - s.data : -1;
}

static int64_t find_last(Str s, Str needle) {
  if (needle.len > s.len) return -1;
  for (size_t at = s.len - needle.len + 1; at-- > 0;) {
    if (memcmp(s.data + at, needle.data, needle.len) == 0) return (int64_t)at;
  }
  return -1;
}

// The receiver and a second string.
static bool need_two(CspCall *call, Str *s, Str *other) {
  if (!need_str(call, 0, s) || !need_str(call, 1, other)) return false;
  csp_charge(call, s->len / 128);
  return true;
}

static bool has_prefix(Str s, Str prefix) {
  return s.len >= prefix.len && memcmp(s.data, prefix.data, prefix.len) == 0;
}

static bool has_suffix(Str s, Str suffix) {
  return s.len >= suffix.len &&
         memcmp(s.data + s.len - suffix.len, suffix.data, suffix.len) == 0;
}

static CspStatus strings_contains(CspCall *call) {
  Str s, sub;
  if (!need_two(call, &s, &sub)) return CSP_PANIC;
  return csp_ok_bool(call, find(s, sub, 0) >= 0);
}

static CspStatus strings_index(CspCall *call) {
  Str s, sub;
  int64_t from;
  if (!need_two(call, &s, &sub) || !opt_int(call, 2, 0, &from)) {
    return CSP_PANIC;
  }
  return csp_ok_int(call, find(s, sub, from > 0 ? (size_t)from : 0));
}

static CspStatus strings_last_index(CspCall *call) {
  Str s, sub;
  if (!need_two(call, &s, &sub)) return CSP_PANIC;
  return csp_ok_int(call, find_last(s, sub));
}

static CspStatus strings_count(CspCall *call) {
  Str s, sub;
  if (!need_two(call, &s, &sub)) return CSP_PANIC;
  if (sub.len == 0) {
    return csp_ok_int(call, (int64_t)utf8_count(s.data, s.len) + 1);
  }
  int64_t count = 0;
  for (int64_t at = find(s, sub, 0); at >= 0; count++) {
    at = find(s, sub, (size_t)at + sub.len);
  }
  return csp_ok_int(call, count);
}

static CspStatus strings_has_prefix(CspCall *call) {
  Str s, prefix;
  if (!need_two(call, &s, &prefix)) return CSP_PANIC;
  return csp_ok_bool(call, has_prefix(s, prefix));
}

static CspStatus strings_has_suffix(CspCall *call) {
  Str s, suffix;
  if (!need_two(call, &s, &suffix)) return CSP_PANIC;
  return csp_ok_bool(call, has_suffix(s, suffix));
}

static CspStatus strings_compare(CspCall *call) {
  Str a, b;
  if (!need_two(call, &a, &b)) return CSP_PANIC;
  return csp_ok_int(call, csp_compare(csp_arg(call, 0), csp_arg(call, 1)));
}

// (before, after, found); without sep in s: (s, "", false).
static CspStatus strings_cut(CspCall *call) {
  Str s, sep;
  if (!need_two(call, &s, &sep)) return CSP_PANIC;
  int64_t at = find(s, sep, 0);
  size_t before = at < 0 ? s.len : (size_t)at;
  size_t after = at < 0 ? s.len : (size_t)at + sep.len;
  csp_return(call, csp_string(call, s.data, before));
  csp_return(call, csp_string(call, s.data + after, s.len - after));
  return csp_ok_bool(call, at >= 0);
}

// --- Building ---------------------------------------------------------------
static size_t joined_len(CspValue list, Str sep) {
  size_t count = csp_list_len(list), len = count ? (count - 1) * sep.len : 0;
  for (size_t i = 0; i < count; i++) {
    CspValue v = csp_list_get(list, i);
    if (csp_type(v) != CSP_STRING) return SIZE_MAX;
    len += str_of(v).len;
  }
  return len;
}

// Strings alone, straight into the result. undef: there are others, or the
// list changed meanwhile, or there is no memory.
static CspValue join_strings(CspCall *call, CspValue list, Str sep) {
  CspValue undef = csp_string_take(call, NULL, 0);
  size_t len = joined_len(list, sep), at = 0;
  char *to;
  if (len == SIZE_MAX) return undef;
  CspValue joined = csp_string_room(call, len, &to);
  if (csp_is_undef(joined)) return undef;
  size_t count = csp_list_len(list);
  for (size_t i = 0; i < count; i++) {
    CspValue v = csp_list_get(list, i);
    Str piece = csp_type(v) == CSP_STRING ? str_of(v) : (Str){0};
    size_t gap = i > 0 ? sep.len : 0;
    if (csp_type(v) != CSP_STRING || gap + piece.len > len - at) return undef;
    memcpy(to + at, sep.data, gap);
    memcpy(to + at + gap, piece.data, piece.len);
    at += gap + piece.len;
  }
  return at == len ? joined : undef;
}

// Strings join as they are, anything else as str() would give it.
CspStatus strings_join(CspCall *call) {
  CspValue list;
  Str sep;
  if (!csp_need_type(call, 0, CSP_LIST, &list) || !opt_str(call, 1, "", &sep)) {
    return CSP_PANIC;
  }
  if (csp_needs_call(list)) {
    CspValue argv[2] = {list, csp_string(call, sep.data, sep.len)};
    return csp_tail_named(call, "_join", 2, argv);
  }
  CspValue joined = join_strings(call, list, sep);
  if (!csp_is_undef(joined)) {
    csp_charge(call, csp_list_len(list) + str_of(joined).len / 64);
    return csp_ok(call, joined);
  }
  Buffer out = {.most = csp_room(call)};
  size_t count = csp_list_len(list);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) buffer_add(&out, sep.data, sep.len);
    CspValue v = csp_list_get(list, i);
    if (csp_type(v) == CSP_STRING) {
      buffer_add(&out, str_of(v).data, str_of(v).len);
    } else {
      Str text;
      char *malloced = csp_format(call, v, false, &text.len);
      if (!malloced) out.failed = true;
      if (malloced) buffer_add(&out, malloced, text.len);
      free(malloced);
    }
  }
  csp_charge(call, count);
  return buffer_ok(call, &out);
}

// With an empty old, before each character and at the end.
static void replace_between(Buffer *out, Str s, Str new, int64_t n) {
  size_t at = 0, width;
  for (; n != 0; n--) {
    buffer_add(out, new.data, new.len);
    if (at == s.len) return;
    utf8_at(s.data, s.len, at, &width);
    buffer_add(out, s.data + at, width);
    at += width;
  }
  buffer_add(out, s.data + at, s.len - at);
}

// The first n (nil or negative: all).
static CspStatus strings_replace(CspCall *call) {
  Str s, old, new;
  int64_t n;
  if (!need_two(call, &s, &old) || !need_str(call, 2, &new) ||
      !opt_int(call, 3, -1, &n)) {
    return CSP_PANIC;
  }
  Buffer out = {.most = csp_room(call)};
  if (old.len == 0) {
    replace_between(&out, s, new, n);
    return buffer_ok(call, &out);
  }
  size_t at = 0;
  for (; n != 0; n--) {
    int64_t next = find(s, old, at);
    if (next < 0) break;
    buffer_add(&out, s.data + at, (size_t)next - at);
    buffer_add(&out, new.data, new.len);
    at = (size_t)next + old.len;
  }
  if (at == 0) return csp_ok(call, csp_arg(call, 0));
  buffer_add(&out, s.data + at, s.len - at);
  return buffer_ok(call, &out);
}

static CspStatus strings_repeat(CspCall *call) {
  Str s;
  int64_t n;
  size_t total;
  if (!need_str(call, 0, &s) || !csp_need_int(call, 1, &n)) return CSP_PANIC;
  if (n < 0) return csp_bad_arg(call, 1, "0 or more");
  if (__builtin_mul_overflow(s.len, (size_t)n, &total) || total > STRING_MAX) {
    return csp_panic(call, "repeat: the result would have more than 2 GiB");
  }
  if (total == 0) return csp_ok_string(call, "", 0);
  char *data;
  CspValue out = csp_string_room(call, total, &data);
  if (csp_is_undef(out)) return csp_panic_memory(call);
  memcpy(data, s.data, s.len);
  for (size_t done = s.len; done < total;) {
    size_t more = done < total - done ? done : total - done;
    memcpy(data + done, data, more);
    done += more;
  }
  csp_charge(call, total / 64);
  return csp_ok(call, out);
}

// --- Trimming ---------------------------------------------------------------
// What to trim: code points of a text. Those of ASCII are bits, too.
typedef struct TrimSet {
  Str text;
  uint64_t ascii[2];
  bool spaces;  // white space instead
} TrimSet;

static TrimSet trim_set(Str text) {
  TrimSet set = {.text = text};
  for (size_t i = 0; i < text.len; i++) {
    uint8_t c = (uint8_t)text.data[i];
    if (c < 0x80) set.ascii[c / 64] |= (uint64_t)1 << c % 64;
  }
  return set;
}

static bool in_wide_set(const TrimSet *set, uint32_t rune, Str piece) {
  if (set->spaces) return utf8_is_space(rune);
  for (size_t at = 0, width; at < set->text.len; at += width) {
    const char *one = set->text.data + at;
    utf8_at(set->text.data, set->text.len, at, &width);
    if (width == piece.len && memcmp(one, piece.data, width) == 0) return true;
  }
  return false;
}

static inline bool in_set(const TrimSet *set, uint32_t rune, Str piece) {
  if (rune < 0x80) return set->ascii[rune / 64] >> rune % 64 & 1;
  return in_wide_set(set, rune, piece);
}

static Str trim_left(Str s, const TrimSet *set) {
  while (s.len > 0) {
    size_t width;
    uint32_t rune = utf8_at(s.data, s.len, 0, &width);
    if (!in_set(set, rune, (Str){s.data, width})) break;
    s = (Str){s.data + width, s.len - width};
  }
  return s;
}

static Str trim_right(Str s, const TrimSet *set) {
  while (s.len > 0) {
    size_t start = utf8_before(s.data, s.len), width;
    uint32_t rune = utf8_at(s.data, s.len, start, &width);
    if (!in_set(set, rune, (Str){s.data + start, s.len - start})) break;
    s.len = start;
  }
  return s;
}

enum { TRIM_LEFT = 1, TRIM_RIGHT = 2 };

static CspStatus trim(CspCall *call, int sides) {
  Str s, chars = {" \t\n\v\f\r", 6};
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  bool spaces = is_nil(call, 1);
  if (!spaces && !need_str(call, 1, &chars)) return CSP_PANIC;
  TrimSet set = trim_set(chars);
  set.spaces = spaces;
  Str kept = s;
  if (sides & TRIM_LEFT) kept = trim_left(kept, &set);
  if (sides & TRIM_RIGHT) kept = trim_right(kept, &set);
  if (kept.len == s.len) return csp_ok(call, csp_arg(call, 0));
  return csp_ok_string(call, kept.data, kept.len);
}

static CspStatus strings_trim(CspCall *call) {
  return trim(call, TRIM_LEFT | TRIM_RIGHT);
}

static CspStatus strings_trim_left(CspCall *call) {
  return trim(call, TRIM_LEFT);
}

static CspStatus strings_trim_right(CspCall *call) {
  return trim(call, TRIM_RIGHT);
}

static CspStatus strings_trim_prefix(CspCall *call) {
  Str s, prefix;
  if (!need_two(call, &s, &prefix)) return CSP_PANIC;
  if (!has_prefix(s, prefix)) return csp_ok(call, csp_arg(call, 0));
  return csp_ok_string(call, s.data + prefix.len, s.len - prefix.len);
}

static CspStatus strings_trim_suffix(CspCall *call) {
  Str s, suffix;
  if (!need_two(call, &s, &suffix)) return CSP_PANIC;
  if (!has_suffix(s, suffix)) return csp_ok(call, csp_arg(call, 0));
  return csp_ok_string(call, s.data, s.len - suffix.len);
}

// --- Tables -----------------------------------------------------------------
#define STRING_METHODS                                                        \
  {"contains", "s, sub", strings_contains},                                   \
      {"index", "s, sub, from = 0", strings_index},                           \
      {"last_index", "s, sub", strings_last_index},                           \
      {"count", "s, sub", strings_count},                                     \
      {"has_prefix", "s, prefix", strings_has_prefix},                        \
      {"has_suffix", "s, suffix", strings_has_suffix},                        \
      {"compare", "s, other", strings_compare},                               \
      {"split", "s, sep = nil", strings_split},                               \
      {"split_n", "s, sep, n", strings_split_n},                              \
      {"fields", "s", strings_fields}, {"lines", "s", strings_lines},         \
      {"words", "s", strings_words}, {"cut", "s, sep", strings_cut},          \
      {"replace", "s, old, new, n = nil", strings_replace},                   \
      {"repeat", "s, n", strings_repeat},                                     \
      {"trim", "s, chars = nil", strings_trim},                               \
      {"trim_left", "s, chars = nil", strings_trim_left},                     \
      {"trim_right", "s, chars = nil", strings_trim_right},                   \
      {"trim_prefix", "s, prefix", strings_trim_prefix},                      \
      {"trim_suffix", "s, suffix", strings_trim_suffix},                      \
      {"to_upper", "s", strings_to_upper},                                    \
      {"to_lower", "s", strings_to_lower}, {"title", "s", strings_title},     \
      {"pad_left", "s, width, fill = \" \"", strings_pad_left},               \
      {"pad_right", "s, width, fill = \" \"", strings_pad_right},             \
      {"reverse", "s", strings_reverse}, {"chars", "s", strings_chars},       \
      {"runes", "s", strings_runes}, {"rune_count", "s", strings_rune_count}, \
      {"bytes", "s", strings_bytes},                                          \
      {"equal_fold", "s, other", strings_equal_fold},                         \
      {"is_digit", "s", strings_is_digit},                                    \
      {"is_alpha", "s", strings_is_alpha},                                    \
      {"is_alnum", "s", strings_is_alnum},                                    \
      {"is_space", "s", strings_is_space},                                    \
      {"is_upper", "s", strings_is_upper},                                    \
      {"is_lower", "s", strings_is_lower},                                    \
      {"is_valid", "s", strings_is_valid},                                    \
      {"parse_int", "s, base = 10", strings_parse_int},                       \
      {"parse_float", "s", strings_parse_float},                              \
      {"parse_bool", "s", strings_parse_bool}, {"quote", "s", strings_quote}, \
  {                                                                           \
    "unquote", "s", strings_unquote                                           \
  }

static const CspFunction string_methods[] = {
    CSP_REPEATABLE, STRING_METHODS, {NULL, NULL, NULL}};
static const CspFunction functions[] = {
    CSP_REPEATABLE,
    STRING_METHODS,
    {"join", "parts, sep = \"\"", strings_join},
    {"format_int", "n, base = 10", strings_format_int},
    {"from_runes", "runes", strings_from_runes},
    {NULL, NULL, NULL},
};

const CspModule strings_module = {"strings", functions, NULL, NULL, 0};

bool strings_install(Csp *csp) {
  return csp_register_methods(csp, CSP_STRING, string_methods) &&
         csp_register_class(csp, &strings_case_class, NULL);
}
