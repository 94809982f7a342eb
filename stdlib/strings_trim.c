// SPDX-License-Identifier: MIT
// Trimming strings: by a set of characters, or by a prefix or suffix.
//
// A set is a bit for each character it could have, so that asking costs the
// same for any set: those of ASCII always, the others up to the set's greatest
// in memory of their own (at most 140 KB). A byte that is no character is its
// own, above all code points.
#include <stdlib.h>
#include <string.h>

#include "stdlib/pieces_loop.h"
#include "stdlib/strings.h"

enum { BAD_BYTES = 0x110000 };

typedef struct TrimSet {
  uint64_t ascii[2];
  uint64_t *wide;  // bits of what is not ASCII, below `end`; or NULL
  uint32_t end;
  bool spaces;  // white space instead
} TrimSet;

static uint32_t character_at(Str s, size_t at, size_t *width) {
  uint32_t rune = utf8_at(s.data, s.len, at, width);
  bool bad = rune == RUNE_BAD && *width == 1;
  return bad ? (uint32_t)BAD_BYTES + (uint8_t)s.data[at] : rune;
}

static void add_to_set(TrimSet *set, Str s) {
  for (size_t at = 0, width; at < s.len; at += width) {
    uint32_t c = character_at(s, at, &width);
    if (c < 0x80) {
      set->ascii[c / 64] |= (uint64_t)1 << c % 64;
    } else if (set->wide != NULL && c < set->end) {
      set->wide[c / 64] |= (uint64_t)1 << c % 64;
    } else if (c >= set->end) {
      set->end = c + 1;
    }
  }
}

static bool in_wide_set(const TrimSet *set, uint32_t c) {
  if (set->spaces) return utf8_is_space(c);
  return c < set->end && (set->wide[c / 64] >> c % 64 & 1);
}

static inline bool in_set(const TrimSet *set, uint32_t c) {
  if (c < 0x80) return set->ascii[c / 64] >> c % 64 & 1;
  return in_wide_set(set, c);
}

// How many bytes at the beginning (the end) of a piece are of the set.
static size_t left_run(Str s, const TrimSet *set) {
  size_t at = 0;
  for (size_t width; at < s.len; at += width) {
    if (!in_set(set, character_at(s, at, &width))) break;
  }
  return at;
}

static size_t right_run(Str s, const TrimSet *set) {
  size_t at = s.len;
  while (at > 0) {
    size_t start = utf8_before(s.data, at), width;
    if (!in_set(set, character_at((Str){s.data, at}, start, &width))) break;
    at = start;
  }
  return s.len - at;
}

// --- Results ----------------------------------------------------------------
// Of the first argument, which is s, what is kept of it.
static CspStatus trim_result(CspCall *call, Str s, Str kept) {
  CspValue text = csp_arg(call, 0);
  if (kept.len == s.len) return csp_ok(call, text);
  if (kept.len <= LOOP_AT_ONCE) return csp_ok_string(call, kept.data, kept.len);
  return loop_copy(call, &(Loop){.list = text,
                                 .part = (size_t)(kept.data - s.data),
                                 .end = kept.len,
                                 .done = loop_out});
}

// --- By a set ---------------------------------------------------------------
typedef enum TrimPhase {
  TRIM_MEASURES,  // the set's greatest
  TRIM_FILLS,     // the set
  TRIM_LEFT,
  TRIM_RIGHT,
  TRIM_ENDS
} TrimPhase;

// What is kept between two pieces. The strings are arguments of the call.
typedef struct Trim {
  TrimSet set;
  TrimPhase phase, first, last;
  Str chars, left;   // the set's, and those that are not in it yet
  Str kept;          // of the text
  const char *base;  // where the text begins
} Trim;

// Each of these does a piece, and tells how long that was.
static size_t take_chars(Trim *trim) {
  Str piece = pieces_front(trim->left);
  add_to_set(&trim->set, piece);
  trim->left = (Str){trim->left.data + piece.len, trim->left.len - piece.len};
  if (trim->left.len > 0) return piece.len;
  bool again = trim->phase == TRIM_MEASURES && trim->set.end > 0;
  trim->phase = again ? TRIM_FILLS : trim->first;
  trim->left = trim->chars;
  return piece.len;
}

static size_t trim_left(Trim *trim) {
  Str *kept = &trim->kept, piece = pieces_front(*kept);
  size_t run = left_run(piece, &trim->set);
  *kept = (Str){kept->data + run, kept->len - run};
  if (run < piece.len || kept->len == 0) trim->phase = TRIM_RIGHT;
  return run;
}

static size_t trim_right(Trim *trim) {
  Str *kept = &trim->kept, piece = pieces_back(*kept);
  size_t run = right_run(piece, &trim->set);
  kept->len -= run;
  if (run < piece.len || kept->len == 0) trim->phase = TRIM_ENDS;
  return run;
}

static size_t trim_piece(Trim *trim) {
  if (trim->phase == TRIM_LEFT) return trim_left(trim);
  if (trim->phase == TRIM_RIGHT) return trim_right(trim);
  return take_chars(trim);
}

// false: out of memory.
static bool make_wide_set(CspCall *call, TrimSet *set) {
  size_t words = set->end / 64 + 1;
  set->wide = room_alloc(call, words, sizeof *set->wide);
  if (set->wide != NULL) memset(set->wide, 0, words * sizeof *set->wide);
  return set->wide != NULL;
}

// The bytes may have moved since the last piece.
static void find_again(CspCall *call, Trim *trim) {
  Str s = view_of(csp_arg(call, 0));
  trim->kept.data = s.data + (trim->kept.data - trim->base);
  trim->base = s.data;
  if (trim->set.spaces) return;
  trim->chars = view_of(csp_arg(call, 1));
  trim->left.data = trim->chars.data + (trim->chars.len - trim->left.len);
}

static CspStatus trim_on(CspCall *call, void *data, bool on) {
  Trim *trim = data;
  if (on) find_again(call, trim);
  while (on && trim->phase <= trim->last) {
    bool fills = trim->phase == TRIM_FILLS && trim->set.wide == NULL;
    if (fills && !make_wide_set(call, &trim->set))
      return csp_panic_memory(call);
    if (csp_spent(call, trim_piece(trim) * 2))
      return csp_again(call, trim_on, trim, sizeof *trim, 0);
  }
  csp_alloc_free(trim->set.wide);
  if (!on) return CSP_PANIC;
  return trim_result(call, view_of(csp_arg(call, 0)), trim->kept);
}

static const uint64_t WHITE = (uint64_t)1 << ' ' | (uint64_t)0x1f << '\t';

// Of a short text, by a set that has no memory of its own.
static CspStatus trim_short(CspCall *call, Str s, const TrimSet *set,
                            TrimPhase first, TrimPhase last) {
  Str kept = s;
  if (first == TRIM_LEFT) {
    size_t run = left_run(kept, set);
    kept = (Str){kept.data + run, kept.len - run};
  }
  if (last == TRIM_RIGHT) kept.len -= right_run(kept, set);
  csp_spent(call, (s.len - kept.len) * 2);
  return trim_result(call, s, kept);
}

static CspStatus trim(CspCall *call, TrimPhase first, TrimPhase last) {
  enum { SHORT = 1 << 12 };
  Str s, chars = {0};
  if (!need_view(call, 0, &s)) return CSP_PANIC;
  TrimSet set = {.ascii = {WHITE, 0}, .spaces = is_nil(call, 1)};
  if (!set.spaces) {
    if (!need_view(call, 1, &chars)) return CSP_PANIC;
    set.ascii[0] = 0;
  }
  if (s.len <= SHORT && chars.len <= SHORT) {
    add_to_set(&set, chars);
    if (set.end == 0) return trim_short(call, s, &set, first, last);
  }
  return trim_on(call,
                 &(Trim){.phase = set.spaces ? first : TRIM_MEASURES,
                         .first = first,
                         .last = last,
                         .set = set,
                         .chars = chars,
                         .left = chars,
                         .kept = s,
                         .base = s.data},
                 true);
}

CspStatus strings_trim(CspCall *call) {
  return trim(call, TRIM_LEFT, TRIM_RIGHT);
}

CspStatus strings_trim_left(CspCall *call) {
  return trim(call, TRIM_LEFT, TRIM_LEFT);
}

CspStatus strings_trim_right(CspCall *call) {
  return trim(call, TRIM_RIGHT, TRIM_RIGHT);
}

// --- By a prefix or a suffix ------------------------------------------------
// What is kept where the text has the other one there.
static Str trim_rest(Str s, bool at_end, Str other) {
  return (Str){s.data + (at_end ? 0 : other.len), s.len - other.len};
}

// n: whether it has. `part` is 0, or where a suffix would begin.
static CspStatus affix_done(CspCall *call, Loop *loop) {
  Str s = view_of(loop->list), other = view_of(loop->with);
  if (!loop->n) return csp_ok(call, loop->list);
  return trim_result(call, s, trim_rest(s, loop->part > 0, other));
}

static __attribute__((noinline)) CspStatus trim_long_affix(CspCall *call,
                                                           size_t at) {
  return loop_same(call, &(Loop){.list = csp_arg(call, 0),
                                 .with = csp_arg(call, 1),
                                 .part = at,
                                 .done = affix_done});
}

static inline CspStatus trim_affix(CspCall *call, bool at_end) {
  Str s, other;
  if (!need_view(call, 0, &s) || !need_view(call, 1, &other)) return CSP_PANIC;
  if (other.len > s.len) return csp_ok(call, csp_arg(call, 0));
  size_t at = at_end ? s.len - other.len : 0;
  if (other.len > LOOP_AT_ONCE) return trim_long_affix(call, at);
  if (!has_at(call, s, at, other)) return csp_ok(call, csp_arg(call, 0));
  Str rest = trim_rest(s, at_end, other);
  if (rest.len > LOOP_AT_ONCE) return trim_result(call, s, rest);
  return csp_ok_string(call, rest.data, rest.len);
}

CspStatus strings_trim_prefix(CspCall *call) { return trim_affix(call, false); }

CspStatus strings_trim_suffix(CspCall *call) { return trim_affix(call, true); }
