// SPDX-License-Identifier: MIT
// Strings as characters: case, classes, padding, and going to and from code
// points.
//
// ASCII is done here; other code points ask the C library with a C.UTF-8
// locale object of the runtime's own, made when first needed (never the
// process's locale, which is global).
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <string.h>
#include <wctype.h>

#include "stdlib/strings.h"

// --- Case -------------------------------------------------------------------
typedef struct CaseState {
  pthread_mutex_t lock;  // zeroed: ready for use
  locale_t locale;       // guarded by lock until made; 0: not yet
  bool tried;            // guarded by lock
} CaseState;

static void case_finalize(void *data) {
  CaseState *state = data;
  if (state->locale) freelocale(state->locale);
}

const CspClass strings_case_class = {"strings.case", case_finalize,
                                     sizeof(CaseState)};

// The locale, or 0 if the system has none (then only ASCII has case), or after
// a panic: out of memory.
static locale_t case_locale(CspCall *call) {
  CaseState *state = csp_state(csp_of(call), &strings_case_class);
  if (!state) {
    csp_panic_memory(call);
    return (locale_t)0;
  }
  pthread_mutex_lock(&state->lock);
  if (!state->tried) {
    state->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    state->tried = state->locale || errno != ENOMEM;
  }
  locale_t locale = state->locale;
  bool tried = state->tried;
  pthread_mutex_unlock(&state->lock);
  if (!tried) csp_panic_memory(call);
  return locale;
}

// A pass over a string: asks for the locale at the first letter that needs it.
typedef struct Folder {
  CspCall *call;
  locale_t locale;
  bool asked;
} Folder;

static locale_t folder_locale(Folder *folder) {
  if (!folder->asked) folder->locale = case_locale(folder->call);
  folder->asked = true;
  return folder->locale;
}

static uint32_t rune_upper(Folder *folder, uint32_t rune) {
  if (rune < 0x80) return rune >= 'a' && rune <= 'z' ? rune - 32 : rune;
  locale_t locale = folder_locale(folder);
  return locale ? (uint32_t)towupper_l((wint_t)rune, locale) : rune;
}

static uint32_t rune_lower(Folder *folder, uint32_t rune) {
  if (rune < 0x80) return rune >= 'A' && rune <= 'Z' ? rune + 32 : rune;
  locale_t locale = folder_locale(folder);
  return locale ? (uint32_t)towlower_l((wint_t)rune, locale) : rune;
}

static bool rune_alpha(Folder *folder, uint32_t rune) {
  if (rune < 0x80) return (rune | 32) >= 'a' && (rune | 32) <= 'z';
  locale_t locale = folder_locale(folder);
  return locale && iswalpha_l((wint_t)rune, locale);
}

// Adds ASCII with the case of the 26 letters from `first` on changed.
static void map_ascii(char *to, const char *data, size_t len, char first) {
  for (size_t i = 0; i < len; i++) {
    bool letter = (uint8_t)(data[i] - first) < 26;
    to[i] = (char)(data[i] ^ letter << 5);
  }
}

static void add_ascii(Buffer *out, const char *data, size_t len, char first) {
  if (!buffer_reserve(out, len)) return;
  map_ascii(out->data + out->len, data, len, first);
  out->len += len;
  out->data[out->len] = '\0';
}

// Adds s with each code point mapped; invalid bytes stay.
static void add_mapped(Buffer *out, Str s, Folder *folder,
                       uint32_t (*map)(Folder *, uint32_t)) {
  for (size_t at = 0, width; at < s.len; at += width) {
    width = utf8_ascii(s.data, s.len, at);
    if (width > 0) {
      add_ascii(out, s.data + at, width, map == rune_upper ? 'a' : 'A');
      continue;
    }
    uint32_t rune = utf8_at(s.data, s.len, at, &width);
    uint32_t mapped = rune == RUNE_BAD ? rune : map(folder, rune);
    if (mapped == rune) {
      buffer_add(out, s.data + at, width);
    } else {
      buffer_add_rune(out, mapped);
    }
  }
}

static CspStatus map_case(CspCall *call, uint32_t (*map)(Folder *, uint32_t)) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  csp_charge(call, s.len / 64);
  if (utf8_ascii(s.data, s.len, 0) == s.len) {
    char *to;
    CspValue v = csp_string_room(call, s.len, &to);
    if (csp_is_undef(v)) return csp_panic_memory(call);
    map_ascii(to, s.data, s.len, map == rune_upper ? 'a' : 'A');
    return csp_ok(call, v);
  }
  Buffer out = {.most = csp_room(call)};
  Folder folder = {.call = call};
  buffer_reserve(&out, s.len);
  add_mapped(&out, s, &folder, map);
  csp_charge(call, s.len / 4);
  return buffer_ok(call, &out);
}

CspStatus strings_to_upper(CspCall *call) { return map_case(call, rune_upper); }

CspStatus strings_to_lower(CspCall *call) { return map_case(call, rune_lower); }

// The first letter of each word in upper case, the rest as it is.
CspStatus strings_title(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  Buffer out = {.most = csp_room(call)};
  Folder folder = {.call = call};
  bool first = true;
  for (size_t at = 0, width; at < s.len; at += width) {
    uint32_t rune = utf8_at(s.data, s.len, at, &width);
    Str piece = {s.data + at, width};
    if (first) {
      add_mapped(&out, piece, &folder, rune_upper);
    } else {
      buffer_add(&out, piece.data, width);
    }
    first = utf8_is_space(rune);
  }
  csp_charge(call, s.len / 4);
  return buffer_ok(call, &out);
}

// Whether both are the same but for case.
CspStatus strings_equal_fold(CspCall *call) {
  Str a, b;
  if (!need_str(call, 0, &a) || !need_str(call, 1, &b)) return CSP_PANIC;
  Buffer x = {.most = csp_room(call)}, y = {.most = csp_room(call)};
  Folder folder = {.call = call};
  add_mapped(&x, a, &folder, rune_lower);
  add_mapped(&y, b, &folder, rune_lower);
  bool failed = x.failed || y.failed;
  bool same =
      x.len == y.len && (x.len == 0 || memcmp(x.data, y.data, x.len) == 0);
  buffer_free(&x);
  buffer_free(&y);
  csp_charge(call, (a.len + b.len) / 4);
  return failed ? csp_panic_memory(call) : csp_ok_bool(call, same);
}

// --- Classes: all characters are of the class, and there is one -------------
static bool is_digit(Folder *folder, uint32_t rune) {
  (void)folder;
  return rune >= '0' && rune <= '9';
}

static bool is_alnum(Folder *folder, uint32_t rune) {
  return is_digit(folder, rune) || rune_alpha(folder, rune);
}

static bool is_space(Folder *folder, uint32_t rune) {
  (void)folder;
  return utf8_is_space(rune);
}

static CspStatus all_are(CspCall *call, bool (*is)(Folder *, uint32_t)) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  Folder folder = {.call = call};
  bool all = s.len > 0;
  for (size_t at = 0, width; all && at < s.len; at += width) {
    all = is(&folder, utf8_at(s.data, s.len, at, &width));
  }
  csp_charge(call, s.len / 8);
  return csp_ok_bool(call, all);
}

CspStatus strings_is_digit(CspCall *call) { return all_are(call, is_digit); }

CspStatus strings_is_alpha(CspCall *call) { return all_are(call, rune_alpha); }

CspStatus strings_is_alnum(CspCall *call) { return all_are(call, is_alnum); }

CspStatus strings_is_space(CspCall *call) { return all_are(call, is_space); }

// --- Words ------------------------------------------------------------------
// From `at` on: where the first letter or digit is, or what is neither.
static size_t find_alnum(Folder *folder, Str s, size_t at, bool wanted) {
  for (size_t width; at < s.len; at += width) {
    width = 1;
    uint8_t c = (uint8_t)s.data[at];
    bool is = (uint8_t)((c | 32) - 'a') < 26 || (uint8_t)(c - '0') < 10;
    if (c >= 0x80) is = is_alnum(folder, utf8_at(s.data, s.len, at, &width));
    if (is == wanted) break;
  }
  return at;
}

static bool next_word(CspCall *call, CspValue of, CspValue with, int64_t *at,
                      CspValue *word) {
  (void)with;
  Str s = str_of(of);
  Folder folder = {.call = call};
  size_t from = find_alnum(&folder, s, (size_t)*at, true);
  size_t to = find_alnum(&folder, s, from, false);
  csp_charge(call, (to - (size_t)*at) / 16);
  if (from == s.len) return false;
  *at = (int64_t)to;
  *word = csp_string(call, s.data + from, to - from);
  return true;
}

CspStatus strings_words(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  return csp_ok_each(call, next_word, csp_arg(call, 0), csp_nil(), NULL);
}

// --- Case of a whole string -------------------------------------------------
// Some letter has a case, and none has the other.
static CspStatus has_case(CspCall *call, uint32_t (*own)(Folder *, uint32_t),
                          uint32_t (*other)(Folder *, uint32_t)) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  Folder folder = {.call = call};
  bool cased = false, wrong = false;
  for (size_t at = 0, width; !wrong && at < s.len; at += width) {
    uint32_t rune = utf8_at(s.data, s.len, at, &width);
    cased = cased || other(&folder, rune) != rune;
    wrong = own(&folder, rune) != rune;
  }
  csp_charge(call, s.len / 8);
  return csp_ok_bool(call, cased && !wrong);
}

CspStatus strings_is_upper(CspCall *call) {
  return has_case(call, rune_upper, rune_lower);
}

CspStatus strings_is_lower(CspCall *call) {
  return has_case(call, rune_lower, rune_upper);
}

// --- Padding ----------------------------------------------------------------
// Adds `fill` over and over until `count` characters are there.
static void add_fill(Buffer *out, Str fill, size_t count) {
  size_t at = 0, width;
  for (; count > 0 && !out->failed; count--) {
    utf8_at(fill.data, fill.len, at, &width);
    buffer_add(out, fill.data + at, width);
    at = at + width == fill.len ? 0 : at + width;
  }
}

// Widths are characters.
static CspStatus pad(CspCall *call, bool left) {
  Str s, fill;
  int64_t width;
  if (!need_str(call, 0, &s) || !csp_need_int(call, 1, &width) ||
      !opt_str(call, 2, " ", &fill)) {
    return CSP_PANIC;
  }
  if (fill.len == 0) return csp_bad_arg(call, 2, "a string that is not empty");
  if (width > (int64_t)STRING_MAX) {
    return csp_bad_arg(call, 1, "at most 2 GiB");
  }
  int64_t missing = width - (int64_t)utf8_count(s.data, s.len);
  if (missing <= 0) return csp_ok(call, csp_arg(call, 0));
  Buffer out = {.most = csp_room(call)};
  if (left) add_fill(&out, fill, (size_t)missing);
  buffer_add(&out, s.data, s.len);
  if (!left) add_fill(&out, fill, (size_t)missing);
  return buffer_ok(call, &out);
}

CspStatus strings_pad_left(CspCall *call) { return pad(call, true); }

CspStatus strings_pad_right(CspCall *call) { return pad(call, false); }

// --- Characters -------------------------------------------------------------
CspStatus strings_reverse(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  Buffer out = {.most = csp_room(call)};
  buffer_reserve(&out, s.len);
  for (size_t at = s.len; at > 0;) {
    size_t start = utf8_before(s.data, at);
    buffer_add(&out, s.data + start, at - start);
    at = start;
  }
  csp_charge(call, s.len / 8);
  return buffer_ok(call, &out);
}

// As strings (chars) or as ints (runes).
static CspStatus characters(CspCall *call, bool as_ints) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  CspValue list = csp_list(call, s.len);
  if (csp_is_undef(list)) return csp_panic_memory(call);
  for (size_t at = 0, width; at < s.len; at += width) {
    uint32_t rune = utf8_at(s.data, s.len, at, &width);
    CspValue v =
        as_ints ? csp_int(call, rune) : csp_string(call, s.data + at, width);
    if (!csp_list_push(call, list, v)) return CSP_PANIC;
  }
  csp_charge(call, s.len);
  return csp_ok(call, list);
}

CspStatus strings_chars(CspCall *call) { return characters(call, false); }

CspStatus strings_runes(CspCall *call) { return characters(call, true); }

CspStatus strings_rune_count(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  csp_charge(call, s.len / 16);
  return csp_ok_int(call, (int64_t)utf8_count(s.data, s.len));
}

CspStatus strings_bytes(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  return csp_ok(call, csp_bytes(call, s.data, s.len));
}

// Whether all of it is UTF-8.
CspStatus strings_is_valid(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  bool valid = true;
  for (size_t at = 0, width; valid && at < s.len; at += width) {
    valid = utf8_at(s.data, s.len, at, &width) != RUNE_BAD || width == 3;
  }
  csp_charge(call, s.len / 16);
  return csp_ok_bool(call, valid);
}

// A code point, or a list of them, as a string.
CspStatus strings_from_runes(CspCall *call) {
  CspValue v = csp_arg(call, 0), list = v;
  size_t count = 1;
  if (csp_type(v) == CSP_LIST) {
    count = csp_list_len(list);
  } else if (csp_type(v) != CSP_INT) {
    return csp_bad_arg(call, 0, "a code point or a list of code points");
  }
  Buffer out = {.most = csp_room(call)};
  for (size_t i = 0; i < count; i++) {
    if (csp_type(list) == CSP_LIST) v = csp_list_get(list, i);
    int64_t rune = csp_type(v) == CSP_INT ? csp_to_int(v) : -1;
    char bytes[4];
    size_t width =
        rune < 0 || rune > 0x10ffff ? 0 : utf8_put((uint32_t)rune, bytes);
    if (width == 0) {
      buffer_free(&out);
      return csp_panic(call, "from_runes: element %zu is no code point", i);
    }
    buffer_add(&out, bytes, width);
  }
  return buffer_ok(call, &out);
}
