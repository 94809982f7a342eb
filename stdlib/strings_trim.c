// SPDX-License-Identifier: MIT
// Trimming strings: by a set of characters, or by a prefix or suffix.
//
// A set is a bit for each character it could have, so that asking costs the
// same for any set: those of ASCII always, the others up to the set's greatest
// in memory of their own (at most 140 KB). A byte that is no character is its
// own, above all code points.
#include <stdlib.h>
#include <string.h>

#include "stdlib/strings.h"

enum { BAD_BYTES = 0x110000 };

typedef struct TrimSet {
  CspCall *call;
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

static bool add_all_to_set(TrimSet *set, Str s) {
  Pieces p = pieces_of(set->call, s, 2);
  while (pieces_next(&p)) add_to_set(set, p.piece);
  return !p.over;
}

// false: panicked. Free `wide`.
static bool make_set(TrimSet *set, Str s) {
  if (!add_all_to_set(set, s)) return false;
  if (set->end == 0) return true;
  size_t words = set->end / 64 + 1;
  set->wide = room_alloc(set->call, words, sizeof *set->wide);
  if (set->wide == NULL) {
    csp_panic_memory(set->call);
    return false;
  }
  memset(set->wide, 0, words * sizeof *set->wide);
  return add_all_to_set(set, s);
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

static bool trim_left(Str *text, const TrimSet *set) {
  Pieces p = pieces_of(set->call, *text, 2);
  size_t run = 0;
  while (run == p.piece.len && pieces_next(&p)) {
    run = left_run(p.piece, set);
    *text = (Str){text->data + run, text->len - run};
  }
  return !p.over;
}

static bool trim_right(Str *text, const TrimSet *set) {
  Pieces p = pieces_of(set->call, *text, 2);
  size_t run = 0;
  while (run == p.piece.len && pieces_next_back(&p)) {
    run = right_run(p.piece, set);
    text->len -= run;
  }
  return !p.over;
}

enum { TRIM_LEFT = 1, TRIM_RIGHT = 2 };

static CspStatus trim(CspCall *call, int sides) {
  static const uint64_t space = (uint64_t)1 << ' ' | (uint64_t)0x1f << '\t';
  Str s, chars;
  TrimSet set = {.call = call, .ascii = {space, 0}, .spaces = is_nil(call, 1)};
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  if (!set.spaces) {
    set.ascii[0] = 0;
    if (!need_str(call, 1, &chars)) return CSP_PANIC;
  }
  Str kept = s;
  bool ok = (set.spaces || make_set(&set, chars)) &&
            (!(sides & TRIM_LEFT) || trim_left(&kept, &set)) &&
            (!(sides & TRIM_RIGHT) || trim_right(&kept, &set));
  csp_alloc_free(set.wide);
  if (!ok) return CSP_PANIC;
  if (kept.len == s.len) return csp_ok(call, csp_arg(call, 0));
  return csp_ok_string(call, kept.data, kept.len);
}

CspStatus strings_trim(CspCall *call) {
  return trim(call, TRIM_LEFT | TRIM_RIGHT);
}

CspStatus strings_trim_left(CspCall *call) { return trim(call, TRIM_LEFT); }

CspStatus strings_trim_right(CspCall *call) { return trim(call, TRIM_RIGHT); }

CspStatus strings_trim_prefix(CspCall *call) {
  Str s, prefix;
  if (!need_str(call, 0, &s) || !need_str(call, 1, &prefix)) return CSP_PANIC;
  if (!has_prefix(call, s, prefix)) return csp_ok(call, csp_arg(call, 0));
  return csp_ok_string(call, s.data + prefix.len, s.len - prefix.len);
}

CspStatus strings_trim_suffix(CspCall *call) {
  Str s, suffix;
  if (!need_str(call, 0, &s) || !need_str(call, 1, &suffix)) return CSP_PANIC;
  if (!has_suffix(call, s, suffix)) return csp_ok(call, csp_arg(call, 0));
  return csp_ok_string(call, s.data, s.len - suffix.len);
}
