// SPDX-License-Identifier: MIT
// Finding bytes in bytes.
//
// Short needles are the C library's memmem, which looks at each place at most
// some hundred bytes long. Longer ones, and those looked for from the end, are
// searched by Crochemore and Perrin's two-way algorithm: no text and no needle
// makes it look at a byte more than a few times, and it needs no memory but a
// table of 256 skips.
//
// The needle is cut where its two halves repeat each other as little as
// possible (the critical factorization). At each place the second half is
// compared upwards: a difference at its k-th byte rules out the next k places.
// Then the first half is compared downwards: a difference there rules out as
// many places as the needle's period. What is known to fit from the place
// before (`known`) is not compared again.
//
// A search from the end is the same with both read backwards: the i-th byte is
// the i-th from the end.
#include "vm/object/search.h"

#include <string.h>

#include "sched/rt.h"

enum {
  SHORT_NEEDLE = 256,  // needles for memmem
  FEW = 1 << 10,       // comparisons that are cheaper than a preparation
};

// --- Work -------------------------------------------------------------------
// A search whose work says no stops where it is, and search_on goes on there.
static bool spend(SearchRun *search, size_t bytes) {
  if (bytes < search->left) {
    search->left -= bytes;
    return true;
  }
  if (search->work.fn != NULL && !search->over)
    search->over = !search->work.fn(search->work.arg, SEARCH_PIECE);
  search->left = search->over ? 0 : SEARCH_PIECE;
  return !search->over;
}

// --- Needles ----------------------------------------------------------------
static inline const uint8_t *line_at(const SearchLine *line, size_t i) {
  return line->back ? line->data + (line->len - 1 - i) : line->data + i;
}

// How many bytes are equal from a[0] and b[0] on, at most n. down: a[-1] comes
// next.
static size_t equal_run(const uint8_t *a, const uint8_t *b, size_t n,
                        bool down) {
  size_t i = 0;
  for (uint64_t x, y; i + 8 <= n; i += 8) {
    ptrdiff_t at = down ? -(ptrdiff_t)(i + 7) : (ptrdiff_t)i;
    memcpy(&x, a + at, 8);
    memcpy(&y, b + at, 8);
    if (x != y) break;
  }
  if (down) {
    while (i < n && *(a - i) == *(b - i)) i++;
  } else {
    while (i < n && a[i] == b[i]) i++;
  }
  return i;
}

typedef struct LinePlace {
  const SearchLine *line;
  size_t at;
} LinePlace;

// How far two lines are equal, from these places on in the direction (or
// against it), at most n. `done` is how far that is known. It stays when the
// search stops, and is 0 afterwards otherwise.
static size_t common(SearchRun *search, LinePlace a, LinePlace b, size_t n,
                     bool against) {
  size_t done = search->done;
  bool down = a.line->back != against;
  while (done < n) {
    size_t piece = n - done < SEARCH_PIECE ? n - done : SEARCH_PIECE;
    size_t at = against ? a.at - done : a.at + done,
           bt = against ? b.at - done : b.at + done;
    size_t run =
        equal_run(line_at(a.line, at), line_at(b.line, bt), piece, down);
    done += run;
    if (run < piece || !spend(search, piece)) break;
  }
  search->done = search->over ? done : 0;
  return done;
}

// The greatest suffix by one order of bytes (or by the other): where it begins,
// and its period. false: stopped.
static bool greatest_suffix(SearchRun *search, bool other) {
  const SearchLine *line = &search->needle;
  Suffix s = search->suffix;  // suffixes at best and with
  while (s.with + s.at < line->len && spend(search, 1)) {
    uint8_t a = *line_at(line, s.with + s.at),
            b = *line_at(line, s.best + s.at);
    if (a == b) {
      if (++s.at == s.period) {
        s.with += s.period;
        s.at = 0;
      }
    } else if ((a < b) != other) {  // best stays the greatest, and longer
      s.with += s.at + 1;
      s.at = 0;
      s.period = s.with - s.best;
    } else {
      s.best = s.with++;
      s.at = 0;
      s.period = 1;
    }
  }
  search->suffix = s;
  return !search->over;
}

static const Suffix first_suffix = {.with = 1, .period = 1};

static bool cut_needle(SearchRun *search) {
  if (search->stage == SEARCH_BEGUN) {
    if (!greatest_suffix(search, false)) return false;
    search->split = search->suffix.best;
    search->shift = search->suffix.period;
    search->suffix = first_suffix;
    search->stage = SEARCH_SECOND_ORDER;
  }
  if (!greatest_suffix(search, true)) return false;
  if (search->suffix.best > search->split) {
    search->split = search->suffix.best;
    search->shift = search->suffix.period;
  }
  search->stage = SEARCH_CUT;
  return true;
}

static bool find_period(SearchRun *search) {
  size_t len = search->needle.len, split = search->split, p = search->shift;
  RT_ASSERT(p > 0 && split < len);
  LinePlace begin = {&search->needle, 0}, later = {&search->needle, p};
  bool fits = split + p <= len;
  bool periodic = fits && common(search, begin, later, split, false) == split;
  if (search->over) return false;
  size_t longer = split > len - split ? split : len - split;
  search->shift = periodic ? p : longer + 1;
  search->keeps = periodic ? len - p : 0;
  RT_ASSERT(search->shift > 0 && search->keeps < len);
  for (int c = 0; c < 256; c++) search->skip[c] = len;
  search->stage = SEARCH_PERIOD_KNOWN;
  return true;
}

static bool set_skips(SearchRun *search) {
  size_t len = search->needle.len, i = search->at;
  for (; i < len && spend(search, 1); i++)
    search->skip[*line_at(&search->needle, i)] = len - 1 - i;
  search->at = i;
  if (search->over) return false;
  search->at = 0;
  search->stage = SEARCH_PREPARED;
  return true;
}

// --- The search -------------------------------------------------------------
// What fits of the needle at `at`, from its second half on, of which the bytes
// up to `from` are known to fit.
static inline size_t second_half(SearchRun *search, size_t at, size_t from) {
  if (*line_at(&search->needle, from) != *line_at(&search->text, at + from))
    return from;
  RT_ASSERT(from < search->needle.len);
  size_t left = search->needle.len - from;
  LinePlace a = {&search->needle, from}, b = {&search->text, at + from};
  return from + common(search, a, b, left, false);
}

static inline bool first_half(SearchRun *search, size_t at, size_t known) {
  if (search->split <= known) return true;
  size_t last = search->split - 1, left = search->split - known;
  LinePlace a = {&search->needle, last}, b = {&search->text, at + last};
  return common(search, a, b, left, true) == left;
}

// Compares at `at`, and moves on from there. true: all fits. Where it stops it
// stays there, and `comparing` says in which half.
static bool compare_halves(SearchRun *search) {
  size_t split = search->split;
  size_t from = search->known > split ? search->known : split;
  if (search->comparing != SEARCH_FIRST_HALF) {
    search->comparing = SEARCH_SECOND_HALF;
    size_t fits = second_half(search, search->at, from);
    if (search->over) return false;
    if (fits < search->needle.len) {
      search->comparing = SEARCH_NO_HALF;
      search->at += fits - split + 1;
      search->known = 0;
      return false;
    }
    search->comparing = SEARCH_FIRST_HALF;
  }
  bool all = first_half(search, search->at, search->known);
  if (search->over) return false;
  search->comparing = SEARCH_NO_HALF;
  if (all) return true;
  search->at += search->shift;
  search->known = search->keeps;
  return false;
}

static int64_t two_way(SearchRun *search) {
  RT_ASSERT(search->needle.len > 0 && search->needle.len <= search->text.len);
  size_t len = search->needle.len, end = search->text.len - len;
  while (search->comparing != SEARCH_NO_HALF ||
         (search->at <= end && spend(search, 1))) {
    if (search->comparing == SEARCH_NO_HALF) {
      size_t skip = search->skip[*line_at(&search->text, search->at + len - 1)];
      if (skip > 0) {  // a difference at `from` or after it
        size_t least = search->known > search->split
                           ? search->known - search->split + 1
                           : 1;
        search->at += skip > least ? skip : least;
        search->known = 0;
        continue;
      }
    }
    if (compare_halves(search)) return (int64_t)search->at;
    if (search->over) break;
  }
  return search->over ? SEARCH_GIVEN_UP : SEARCH_NONE;
}

void search_begin(SearchRun *search, SearchText text, SearchText needle,
                  bool last) {
  *search = (SearchRun){.suffix = first_suffix, .left = SEARCH_PIECE};
  search->text = (SearchLine){(const uint8_t *)text.data, text.len, last};
  search->needle = (SearchLine){(const uint8_t *)needle.data, needle.len, last};
}

void search_move(SearchRun *search, const char *text, const char *needle) {
  search->text.data = (const uint8_t *)text;
  search->needle.data = (const uint8_t *)needle;
}

int64_t search_on(SearchRun *search, SearchWork work) {
  search->work = work;
  if (search->over) search->left = SEARCH_PIECE;
  search->over = false;
  if (search->stage < SEARCH_CUT && !cut_needle(search)) return SEARCH_GIVEN_UP;
  if (search->stage == SEARCH_CUT && !find_period(search))
    return SEARCH_GIVEN_UP;
  if (search->stage == SEARCH_PERIOD_KNOWN && !set_skips(search))
    return SEARCH_GIVEN_UP;
  int64_t at = two_way(search);
  if (at < 0 || !search->text.back) return at;
  return (int64_t)(search->text.len - search->needle.len) - at;
}

static int64_t long_search(SearchText text, SearchText needle, bool last,
                           SearchWork work) {
  SearchRun x;
  search_begin(&x, text, needle, last);
  return search_on(&x, work);
}

int64_t search_first(const char *text, size_t len, const char *needle,
                     size_t needle_len, SearchWork work) {
  if (needle_len > len) return SEARCH_NONE;
  if (needle_len > SHORT_NEEDLE)
    return long_search((SearchText){text, len},
                       (SearchText){needle, needle_len}, false, work);
  for (size_t at = 0;;) {
    size_t most = SEARCH_PIECE + needle_len, left = len - at;
    size_t piece = left < most ? left : most;
    const char *found = memmem(text + at, piece, needle, needle_len);
    if (found != NULL) return found - text;
    if (piece == left) return SEARCH_NONE;
    at += SEARCH_PIECE;
    if (work.fn != NULL && !work.fn(work.arg, SEARCH_PIECE / 2))
      return SEARCH_GIVEN_UP;
  }
}

static int64_t few_last(const char *text, size_t len, const char *needle,
                        size_t needle_len) {
  for (size_t at = len - needle_len + 1; at-- > 0;) {
    if (memcmp(text + at, needle, needle_len) == 0) return (int64_t)at;
  }
  return SEARCH_NONE;
}

static int64_t last_byte(const char *text, size_t len, char byte,
                         SearchWork work) {
  for (size_t left = len; left > 0;) {
    size_t piece = left < SEARCH_PIECE ? left : SEARCH_PIECE;
    left -= piece;
    const char *found = memrchr(text + left, byte, piece);
    if (found != NULL) return found - text;
    if (work.fn != NULL && !work.fn(work.arg, piece / 8))
      return SEARCH_GIVEN_UP;
  }
  return SEARCH_NONE;
}

int64_t search_last(const char *text, size_t len, const char *needle,
                    size_t needle_len, SearchWork work) {
  if (needle_len > len) return SEARCH_NONE;
  if (needle_len == 0) return (int64_t)len;
  if (needle_len == 1) return last_byte(text, len, *needle, work);
  if (needle_len <= FEW && len - needle_len <= FEW / needle_len)
    return few_last(text, len, needle, needle_len);
  return long_search((SearchText){text, len}, (SearchText){needle, needle_len},
                     true, work);
}
