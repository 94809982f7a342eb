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
                                     sizeof(CaseState), NULL};

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

// The same piece by piece. Out of memory, or given up: out->failed.
static void add_all_mapped(CspCall *call, Buffer *out, Str s,
                           uint32_t (*map)(Folder *, uint32_t)) {
  Folder folder = {.call = call};
  Pieces p = pieces_of(call, s, 2);
  while (pieces_next(&p)) add_mapped(out, p.piece, &folder, map);
  out->failed |= p.over;
}

static bool is_ascii(Str s) { return utf8_ascii(s.data, s.len, 0) == s.len; }

static CspStatus map_ascii_case(CspCall *call, Str s, char first) {
  char *to;
  CspValue v = csp_string_room(call, s.len, &to);
  if (csp_is_undef(v)) return csp_panic_memory(call);
  Pieces p = pieces_of(call, s, 1);
  for (; pieces_next(&p); to += p.piece.len) {
    map_ascii(to, p.piece.data, p.piece.len, first);
  }
  return p.over ? CSP_PANIC : csp_ok(call, v);
}

static CspStatus map_case(CspCall *call, uint32_t (*map)(Folder *, uint32_t)) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  Pieces p = pieces_of(call, s, 1);
  bool ascii = true;
  while (ascii && pieces_next(&p)) ascii = is_ascii(p.piece);
  if (p.over) return CSP_PANIC;
  if (ascii) return map_ascii_case(call, s, map == rune_upper ? 'a' : 'A');
  Buffer out = buffer_of(call);
  buffer_reserve(&out, s.len);
  add_all_mapped(call, &out, s, map);
  return buffer_ok(call, &out);
}

CspStatus strings_to_upper(CspCall *call) { return map_case(call, rune_upper); }

CspStatus strings_to_lower(CspCall *call) { return map_case(call, rune_lower); }

static bool add_title(Buffer *out, Str s, Folder *folder, bool first) {
  for (size_t at = 0, width; at < s.len; at += width) {
    uint32_t rune = utf8_at(s.data, s.len, at, &width);
    Str one = {s.data + at, width};
    if (first) {
      add_mapped(out, one, folder, rune_upper);
    } else {
      buffer_add(out, one.data, width);
    }
    first = utf8_is_space(rune);
  }
  return first;
}

// The first letter of each word in upper case, the rest as it is.
CspStatus strings_title(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  Buffer out = buffer_of(call);
  Folder folder = {.call = call};
  Pieces p = pieces_of(call, s, 6);
  for (bool first = true; pieces_next(&p);) {
    first = add_title(&out, p.piece, &folder, first);
  }
  out.failed |= p.over;
  return buffer_ok(call, &out);
}

// Whether both are the same but for case.
CspStatus strings_equal_fold(CspCall *call) {
  Str a, b;
  if (!need_str(call, 0, &a) || !need_str(call, 1, &b)) return CSP_PANIC;
  Buffer x = buffer_of(call), y = buffer_of(call);
  add_all_mapped(call, &x, a, rune_lower);
  add_all_mapped(call, &y, b, rune_lower);
  bool failed = x.failed || y.failed;
  bool same =
      x.len == y.len && (x.len == 0 || same_bytes(call, x.data, y.data, x.len));
  buffer_free(&x);
  buffer_free(&y);
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
  Pieces p = pieces_of(call, s, 4);
  bool all = s.len > 0;
  while (all && pieces_next(&p)) {
    for (size_t at = 0, width; all && at < p.piece.len; at += width) {
      all = is(&folder, utf8_at(p.piece.data, p.piece.len, at, &width));
    }
  }
  return p.over ? CSP_PANIC : csp_ok_bool(call, all);
}

CspStatus strings_is_digit(CspCall *call) { return all_are(call, is_digit); }

CspStatus strings_is_alpha(CspCall *call) { return all_are(call, rune_alpha); }

CspStatus strings_is_alnum(CspCall *call) { return all_are(call, is_alnum); }

CspStatus strings_is_space(CspCall *call) { return all_are(call, is_space); }

// --- Words ------------------------------------------------------------------
// From `at` up to `end`: where the first letter or digit is, or what is
// neither; else `end` or some bytes after it.
static size_t find_alnum(Folder *folder, Str s, size_t at, size_t end,
                         bool wanted) {
  for (size_t width; at < end; at += width) {
    width = 1;
    uint8_t c = (uint8_t)s.data[at];
    bool is = (uint8_t)((c | 32) - 'a') < 26 || (uint8_t)(c - '0') < 10;
    if (c >= 0x80) is = is_alnum(folder, utf8_at(s.data, s.len, at, &width));
    if (is == wanted) break;
  }
  return at;
}

// From *at on to there, or to the end of s. false: given up.
static bool skip_alnum(CspCall *call, Str s, size_t *at, bool wanted) {
  enum { LOOK = 1 << 13 };
  Folder folder = {.call = call};
  for (;;) {
    bool last = s.len - *at <= LOOK;
    size_t end = last ? s.len : *at + LOOK;
    *at = find_alnum(&folder, s, *at, end, wanted);
    if (last || *at < end) return true;
    if (!csp_work(call, LOOK * 4)) return false;
  }
}

static bool next_word(CspCall *call, CspValue of, CspValue with, int64_t *at,
                      CspValue *word) {
  (void)with;
  Str s = str_of(of);
  size_t from = (size_t)*at;
  if (!skip_alnum(call, s, &from, true) || from == s.len) return false;
  size_t to = from;
  if (!skip_alnum(call, s, &to, false)) return false;
  size_t skipped = to - (size_t)*at;
  *at = (int64_t)to;
  *word = csp_string(call, s.data + from, to - from);
  return csp_work(call, 32 + skipped * 2);
}

CspStatus strings_words(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  return csp_ok_each(call, next_word, csp_arg(call, 0), csp_nil(), NULL);
}

// --- Case of a whole string -------------------------------------------------
typedef struct Cases {
  Folder folder;
  uint32_t (*own)(Folder *, uint32_t), (*other)(Folder *, uint32_t);
  bool cased, wrong;
} Cases;

static void look_at_case(Cases *c, Str s) {
  for (size_t at = 0, width; !c->wrong && at < s.len; at += width) {
    uint32_t rune = utf8_at(s.data, s.len, at, &width);
    c->cased = c->cased || c->other(&c->folder, rune) != rune;
    c->wrong = c->own(&c->folder, rune) != rune;
  }
}

// Some letter has a case, and none has the other.
static CspStatus has_case(CspCall *call, uint32_t (*own)(Folder *, uint32_t),
                          uint32_t (*other)(Folder *, uint32_t)) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  Cases c = {.folder = {.call = call}, .own = own, .other = other};
  Pieces p = pieces_of(call, s, 8);
  while (!c.wrong && pieces_next(&p)) look_at_case(&c, p.piece);
  return p.over ? CSP_PANIC : csp_ok_bool(call, c.cased && !c.wrong);
}

CspStatus strings_is_upper(CspCall *call) {
  return has_case(call, rune_upper, rune_lower);
}

CspStatus strings_is_lower(CspCall *call) {
  return has_case(call, rune_lower, rune_upper);
}

// --- Padding ----------------------------------------------------------------
// Adds `fill` over and over until `count` characters are there.
static void add_fill(CspCall *call, Buffer *out, Str fill, size_t count) {
  size_t at = 0, width;
  if (fill.len == 1) {
    buffer_fill(out, *fill.data, count);
    return;
  }
  for (; count > 0 && !out->failed; count--) {
    utf8_at(fill.data, fill.len, at, &width);
    buffer_add(out, fill.data + at, width);
    at = at + width == fill.len ? 0 : at + width;
    if (count % 4096 == 0) out->failed |= !csp_work(call, 4096 * 4);
  }
}

bool strings_count_characters(CspCall *call, Str s, int64_t *count) {
  Pieces p = pieces_of(call, s, 1);
  *count = 0;
  while (pieces_next(&p)) {
    *count += (int64_t)utf8_count(p.piece.data, p.piece.len);
  }
  return !p.over;
}

// Widths are characters.
static CspStatus pad(CspCall *call, bool left) {
  Str s, fill;
  int64_t width, count;
  if (!need_str(call, 0, &s) || !csp_need_int(call, 1, &width) ||
      !opt_str(call, 2, " ", &fill)) {
    return CSP_PANIC;
  }
  if (fill.len == 0) return csp_bad_arg(call, 2, "a string that is not empty");
  if (width > (int64_t)STRING_MAX) {
    return csp_bad_arg(call, 1, "at most 2 GiB");
  }
  if (!strings_count_characters(call, s, &count)) return CSP_PANIC;
  if (width <= count) return csp_ok(call, csp_arg(call, 0));
  Buffer out = buffer_of(call);
  if (left) add_fill(call, &out, fill, (size_t)(width - count));
  buffer_add(&out, s.data, s.len);
  if (!left) add_fill(call, &out, fill, (size_t)(width - count));
  return buffer_ok(call, &out);
}

CspStatus strings_pad_left(CspCall *call) { return pad(call, true); }

CspStatus strings_pad_right(CspCall *call) { return pad(call, false); }

// --- Characters -------------------------------------------------------------
static void reverse_chars(char *to, Str s) {
  for (size_t at = s.len; at > 0;) {
    size_t start = utf8_before(s.data, at);
    memcpy(to, s.data + start, at - start);
    to += at - start;
    at = start;
  }
}

CspStatus strings_reverse(CspCall *call) {
  Str s;
  char *to;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  CspValue v = csp_string_room(call, s.len, &to);
  if (csp_is_undef(v)) return csp_panic_memory(call);
  Pieces p = pieces_of(call, s, 4);
  for (; pieces_next_back(&p); to += p.piece.len) reverse_chars(to, p.piece);
  return p.over ? CSP_PANIC : csp_ok(call, v);
}

static bool push_characters(CspCall *call, CspValue list, Str s, bool as_ints) {
  for (size_t at = 0, width; at < s.len; at += width) {
    uint32_t rune = utf8_at(s.data, s.len, at, &width);
    CspValue v =
        as_ints ? csp_int(call, rune) : csp_string(call, s.data + at, width);
    if (!csp_list_push(call, list, v)) return false;
  }
  return true;
}

// As strings (chars) or as ints (runes).
static CspStatus characters(CspCall *call, bool as_ints) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  CspValue list = csp_list(call, s.len);
  if (csp_is_undef(list)) return csp_panic_memory(call);
  Pieces p = pieces_of(call, s, 16);
  while (pieces_next(&p)) {
    if (!push_characters(call, list, p.piece, as_ints)) return CSP_PANIC;
  }
  return p.over ? CSP_PANIC : csp_ok(call, list);
}

CspStatus strings_chars(CspCall *call) { return characters(call, false); }

CspStatus strings_runes(CspCall *call) { return characters(call, true); }

CspStatus strings_rune_count(CspCall *call) {
  Str s;
  int64_t count;
  if (!need_str(call, 0, &s) || !strings_count_characters(call, s, &count)) {
    return CSP_PANIC;
  }
  return csp_ok_int(call, count);
}

CspStatus strings_bytes(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  return csp_ok(call, csp_bytes(call, s.data, s.len));
}

static bool is_valid(Str s) {
  bool valid = true;
  for (size_t at = 0, width; valid && at < s.len; at += width) {
    valid = utf8_at(s.data, s.len, at, &width) != RUNE_BAD || width == 3;
  }
  return valid;
}

// Whether all of it is UTF-8.
CspStatus strings_is_valid(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  Pieces p = pieces_of(call, s, 2);
  bool valid = true;
  while (valid && pieces_next(&p)) valid = is_valid(p.piece);
  return p.over ? CSP_PANIC : csp_ok_bool(call, valid);
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
  Buffer out = buffer_of(call);
  for (size_t i = 0; i < count && !out.failed; i++) {
    if (i % 4096 == 4095) out.failed = !csp_work(call, 4096 * 8);
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
