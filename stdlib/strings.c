// SPDX-License-Identifier: MIT
// The module strings and the methods of strings: searching, joining. One table
// serves both: a method's receiver is the first parameter. (Taking apart:
// strings_split.c; trimming: strings_trim.c; characters and case:
// strings_text.c; numbers: strings_number.c.)
//
// Positions and lengths are bytes, as len and s[i] count them, unless a
// comment says characters (code points).
#include <stdlib.h>
#include <string.h>

#include "stdlib/strings.h"

// --- Searching --------------------------------------------------------------
// Where needle stands in s, from `from` on; or CSP_NOWHERE or CSP_GIVEN_UP.
static int64_t search_from(CspCall *call, Str s, Str needle, size_t from) {
  if (from > s.len) return CSP_NOWHERE;
  int64_t at =
      csp_find(call, s.data + from, s.len - from, needle.data, needle.len);
  return at < 0 ? at : at + (int64_t)from;
}

// The receiver and a second string.
static bool need_two(CspCall *call, Str *s, Str *other) {
  return need_str(call, 0, s) && need_str(call, 1, other);
}

static CspStatus strings_contains(CspCall *call) {
  Str s, sub;
  if (!need_two(call, &s, &sub)) return CSP_PANIC;
  int64_t at = search_from(call, s, sub, 0);
  return at == CSP_GIVEN_UP ? CSP_PANIC : csp_ok_bool(call, at >= 0);
}

static CspStatus strings_index(CspCall *call) {
  Str s, sub;
  int64_t from;
  if (!need_two(call, &s, &sub) || !opt_int(call, 2, 0, &from)) {
    return CSP_PANIC;
  }
  int64_t at = search_from(call, s, sub, from > 0 ? (size_t)from : 0);
  return at == CSP_GIVEN_UP ? CSP_PANIC : csp_ok_int(call, at);
}

static CspStatus strings_last_index(CspCall *call) {
  Str s, sub;
  if (!need_two(call, &s, &sub)) return CSP_PANIC;
  int64_t at = csp_find_last(call, s.data, s.len, sub.data, sub.len);
  return at == CSP_GIVEN_UP ? CSP_PANIC : csp_ok_int(call, at);
}

static CspStatus strings_count(CspCall *call) {
  Str s, sub;
  if (!need_two(call, &s, &sub)) return CSP_PANIC;
  int64_t count, at;
  if (sub.len == 0) {
    if (!strings_count_characters(call, s, &count)) return CSP_PANIC;
    return csp_ok_int(call, count + 1);
  }
  count = 0;
  at = search_from(call, s, sub, 0);
  for (; at >= 0; count++) at = search_from(call, s, sub, (size_t)at + sub.len);
  return at == CSP_GIVEN_UP ? CSP_PANIC : csp_ok_int(call, count);
}

static CspStatus strings_has_prefix(CspCall *call) {
  Str s, prefix;
  if (!need_two(call, &s, &prefix)) return CSP_PANIC;
  return csp_ok_bool(call, has_prefix(call, s, prefix));
}

static CspStatus strings_has_suffix(CspCall *call) {
  Str s, suffix;
  if (!need_two(call, &s, &suffix)) return CSP_PANIC;
  return csp_ok_bool(call, has_suffix(call, s, suffix));
}

static CspStatus strings_compare(CspCall *call) {
  Str a, b;
  if (!need_two(call, &a, &b)) return CSP_PANIC;
  return csp_ok_int(call,
                    csp_compare_on(call, csp_arg(call, 0), csp_arg(call, 1)));
}

// (before, after, found); without sep in s: (s, "", false).
static CspStatus strings_cut(CspCall *call) {
  Str s, sep;
  if (!need_two(call, &s, &sep)) return CSP_PANIC;
  int64_t at = search_from(call, s, sep, 0);
  if (at == CSP_GIVEN_UP) return CSP_PANIC;
  size_t before = at < 0 ? s.len : (size_t)at;
  size_t after = at < 0 ? s.len : (size_t)at + sep.len;
  csp_return(call, csp_string(call, s.data, before));
  csp_return(call, csp_string(call, s.data + after, s.len - after));
  return csp_ok_bool(call, at >= 0);
}

// --- Building ---------------------------------------------------------------
// SIZE_MAX: there is something else than strings, or the call is given up.
static size_t joined_len(CspCall *call, CspValue list, Str sep) {
  size_t count = csp_list_len(list), len = count ? (count - 1) * sep.len : 0;
  for (size_t i = 0; i < count; i++) {
    CspValue v = csp_list_get(list, i);
    if (csp_type(v) != CSP_STRING) return SIZE_MAX;
    len += str_of(v).len;
    if (i % 4096 == 4095 && !csp_work(call, 4096 * 4)) return SIZE_MAX;
  }
  return len;
}

// Strings alone, straight into the result. undef: there are others, or the
// list changed meanwhile, or there is no memory, or the call is given up.
static CspValue join_strings(CspCall *call, CspValue list, Str sep) {
  CspValue undef = csp_alloc_take(call, NULL, 0);
  size_t len = joined_len(call, list, sep), at = 0;
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
    if (!long_copy(call, to + at, sep.data, gap) ||
        !long_copy(call, to + at + gap, piece.data, piece.len) ||
        (i % 1024 == 1023 && !csp_work(call, 1024 * 16))) {
      return undef;
    }
    at += gap + piece.len;
  }
  return at == len ? joined : undef;
}

// Anything, as str() would give it.
static void add_shown(CspCall *call, Buffer *out, CspValue v) {
  if (csp_type(v) == CSP_STRING) {
    buffer_add(out, str_of(v).data, str_of(v).len);
    return;
  }
  size_t len;
  char *text = csp_alloc_format(call, v, false, &len);
  if (text) buffer_add(out, text, len);
  if (!text) out->failed = true;
  csp_alloc_free(text);
}

// Strings join as they are, anything else as str() would give it.
CspStatus strings_join(CspCall *call) {
  CspValue list;
  Str sep;
  if (!csp_need_type(call, 0, CSP_LIST, &list) || !opt_str(call, 1, "", &sep)) {
    return CSP_PANIC;
  }
  if (csp_needs_call_on(call, list)) {
    CspValue argv[2] = {list, csp_string(call, sep.data, sep.len)};
    return csp_tail_named(call, "_join", 2, argv);
  }
  CspValue joined = join_strings(call, list, sep);
  if (!csp_is_undef(joined)) {
    csp_charge(call, csp_list_len(list) % 1024 / 2);
    return csp_ok(call, joined);
  }
  Buffer out = buffer_of(call);
  size_t count = csp_list_len(list);
  for (size_t i = 0; i < count && !out.failed; i++) {
    if (i % 256 == 0) out.failed = !csp_work(call, 256 * 64);
    if (i > 0) buffer_add(&out, sep.data, sep.len);
    add_shown(call, &out, csp_list_get(list, i));
  }
  return buffer_ok(call, &out);
}

// With an empty old, before each character and at the end.
static void replace_between(Buffer *out, Str s, Str new, int64_t n) {
  size_t at = 0, width;
  for (uint64_t i = 0; n != 0 && !out->failed; n--, i++) {
    if (i % 4096 == 4095) out->failed = !csp_work(out->call, 4096 * 8);
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
  Buffer out = buffer_of(call);
  if (old.len == 0) {
    replace_between(&out, s, new, n);
    return buffer_ok(call, &out);
  }
  size_t at = 0;
  for (; n != 0 && !out.failed; n--) {
    int64_t next = search_from(call, s, old, at);
    out.failed |= next == CSP_GIVEN_UP;
    if (next < 0) break;
    buffer_add(&out, s.data + at, (size_t)next - at);
    buffer_add(&out, new.data, new.len);
    at = (size_t)next + old.len;
  }
  if (at == 0 && !out.failed) return csp_ok(call, csp_arg(call, 0));
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
  bool on = long_copy(call, data, s.data, s.len);
  for (size_t done = s.len; on && done < total;) {
    size_t more = done < total - done ? done : total - done;
    on = long_copy(call, data + done, data, more);
    done += more;
  }
  csp_charge(call, (total < 1 << 20 ? total : 1 << 20) / 256);
  return on ? csp_ok(call, out) : CSP_PANIC;
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
static const CspFunction strings_functions[] = {
    CSP_REPEATABLE,
    STRING_METHODS,
    {"join", "parts, sep = \"\"", strings_join},
    {"format_int", "n, base = 10", strings_format_int},
    {"from_runes", "runes", strings_from_runes},
    {NULL, NULL, NULL},
};

const CspModule strings_module = {"strings", strings_functions, NULL, NULL, 0};

bool strings_install(Csp *csp) {
  return csp_register_methods(csp, CSP_STRING, string_methods) &&
         csp_register_class(csp, &strings_case_class, NULL);
}
