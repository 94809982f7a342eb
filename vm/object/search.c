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
typedef struct Meter {
  SearchWork work;
  size_t left;  // until the next question
  bool over;    // the answer was no
} Meter;

static bool spend(Meter *meter, size_t bytes) {
  if (bytes < meter->left) {
    meter->left -= bytes;
    return true;
  }
  if (meter->work.fn != NULL && !meter->over)
    meter->over = !meter->work.fn(meter->work.arg, SEARCH_PIECE);
  meter->left = meter->over ? 0 : SEARCH_PIECE;
  return !meter->over;
}

// --- Needles ----------------------------------------------------------------
// A text in its direction.
typedef struct Line {
  const uint8_t *data;
  size_t len;
  bool back;
} Line;

typedef struct Needle {
  Line line;
  size_t split;      // where the second half begins
  size_t shift;      // after a difference in the first half
  size_t keeps;      // bytes known to fit after such a shift
  size_t skip[256];  // by the window's last byte
} Needle;

static inline const uint8_t *line_at(const Line *line, size_t i) {
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
  const Line *line;
  size_t at;
} LinePlace;

// How far two lines are equal, from these places on in the direction (or
// against it), at most n; less when the work is given up.
static size_t common(LinePlace a, LinePlace b, size_t n, bool against,
                     Meter *meter) {
  size_t done = 0;
  bool down = a.line->back != against;
  while (done < n) {
    size_t piece = n - done < SEARCH_PIECE ? n - done : SEARCH_PIECE;
    size_t at = against ? a.at - done : a.at + done,
           bt = against ? b.at - done : b.at + done;
    size_t run =
        equal_run(line_at(a.line, at), line_at(b.line, bt), piece, down);
    done += run;
    if (run < piece || !spend(meter, piece)) break;
  }
  return done;
}

// The greatest suffix by one order of bytes (or by the other): where it begins,
// and its period.
static size_t greatest_suffix(const Line *line, bool other, size_t *period,
                              Meter *meter) {
  size_t best = 0, with = 1, at = 0, p = 1;  // suffixes at best and with
  while (with + at < line->len && spend(meter, 1)) {
    uint8_t a = *line_at(line, with + at), b = *line_at(line, best + at);
    if (a == b) {
      if (++at == p) {
        with += p;
        at = 0;
      }
    } else if ((a < b) != other) {  // best stays the greatest, and longer
      with += at + 1;
      at = 0;
      p = with - best;
    } else {
      best = with++;
      at = 0;
      p = 1;
    }
  }
  *period = p;
  return best;
}

static void set_skips(Needle *needle, Meter *meter) {
  size_t len = needle->line.len;
  for (int c = 0; c < 256; c++) needle->skip[c] = len;
  for (size_t i = 0; i < len && spend(meter, 1); i++)
    needle->skip[*line_at(&needle->line, i)] = len - 1 - i;
}

static void prepare_needle(Needle *needle, Meter *meter) {
  const Line *line = &needle->line;
  size_t p, q;
  size_t split = greatest_suffix(line, false, &p, meter);
  size_t second = greatest_suffix(line, true, &q, meter);
  if (second > split) {
    split = second;
    p = q;
  }
  LinePlace begin = {line, 0}, later = {line, p};
  bool periodic = split + p <= line->len &&
                  common(begin, later, split, false, meter) == split;
  size_t longer = split > line->len - split ? split : line->len - split;
  RT_ASSERT(meter->over || (p > 0 && split < line->len));
  needle->split = split;
  needle->shift = periodic ? p : longer + 1;
  needle->keeps = periodic ? line->len - p : 0;
  RT_ASSERT(needle->shift > 0 && needle->keeps < line->len);
  set_skips(needle, meter);
}

// --- The search -------------------------------------------------------------
// What fits of the needle at `at`, from its second half on, of which the bytes
// up to `from` are known to fit.
static inline size_t second_half(const Needle *needle, const Line *text,
                                 size_t at, size_t from, Meter *meter) {
  if (*line_at(&needle->line, from) != *line_at(text, at + from)) return from;
  RT_ASSERT(from < needle->line.len);
  size_t left = needle->line.len - from;
  LinePlace a = {&needle->line, from}, b = {text, at + from};
  return from + common(a, b, left, false, meter);
}

static inline bool first_half(const Needle *needle, const Line *text, size_t at,
                              size_t known, Meter *meter) {
  if (needle->split <= known) return true;
  size_t last = needle->split - 1, left = needle->split - known;
  LinePlace a = {&needle->line, last}, b = {text, at + last};
  return common(a, b, left, true, meter) == left;
}

static int64_t two_way(const Needle *needle, const Line *text, Meter *meter) {
  RT_ASSERT(needle->line.len > 0 && needle->line.len <= text->len);
  size_t len = needle->line.len, known = 0, end = text->len - len;
  for (size_t at = 0; at <= end && spend(meter, 1);) {
    size_t from = known > needle->split ? known : needle->split;
    size_t skip = needle->skip[*line_at(text, at + len - 1)];
    if (skip > 0) {  // a difference at `from` or after it
      size_t least = from - needle->split + 1;
      at += skip > least ? skip : least;
      known = 0;
      continue;
    }
    size_t fits = second_half(needle, text, at, from, meter);
    if (fits < len) {
      at += fits - needle->split + 1;
      known = 0;
      continue;
    }
    if (first_half(needle, text, at, known, meter)) {
      return meter->over ? SEARCH_GIVEN_UP : (int64_t)at;
    }
    at += needle->shift;
    known = needle->keeps;
  }
  return meter->over ? SEARCH_GIVEN_UP : SEARCH_NONE;
}

static int64_t long_search(Line text, const char *needle, size_t needle_len,
                           SearchWork work) {
  Needle x;
  Meter meter = {.work = work, .left = SEARCH_PIECE};
  x.line = (Line){(const uint8_t *)needle, needle_len, text.back};
  prepare_needle(&x, &meter);
  int64_t at = two_way(&x, &text, &meter);
  if (at < 0 || !text.back) return at;
  return (int64_t)(text.len - needle_len) - at;
}

int64_t search_first(const char *text, size_t len, const char *needle,
                     size_t needle_len, SearchWork work) {
  if (needle_len > len) return SEARCH_NONE;
  if (needle_len > SHORT_NEEDLE)
    return long_search((Line){(const uint8_t *)text, len, false}, needle,
                       needle_len, work);
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
  return long_search((Line){(const uint8_t *)text, len, true}, needle,
                     needle_len, work);
}
