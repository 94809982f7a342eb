// SPDX-License-Identifier: MIT
// Sets of characters for patterns: ranges that are joined, negated, folded, and
// those of Unicode's categories and scripts.
//
// They belong to one native call, which charges what is done (csp_work): what
// does not end well was out of memory or given up.
#include "stdlib/regexp.h"
#include "stdlib/regexp_tables.h"

void *regexp_grown(CspCall *call, void *block, size_t *cap, size_t count,
                   size_t size) {
  if (count <= *cap) return block;
  size_t want = count < 8 ? 8 : count + count / 2;
  if (want > csp_room(call) / size) return NULL;
  void *grown = csp_alloc(csp_of(call), block, want * size);
  if (grown != NULL) *cap = want;
  return grown;
}

bool ranges_add(CspCall *call, RegexpRanges *ranges, uint32_t low,
                uint32_t high) {
  RegexpRange *at = regexp_grown(call, ranges->at, &ranges->cap,
                                 ranges->count + 1, sizeof *ranges->at);
  if (at == NULL) return false;
  ranges->at = at;
  at[ranges->count++] = (RegexpRange){low, high};
  return true;
}

bool ranges_add_all(CspCall *call, RegexpRanges *to, const RegexpRanges *from) {
  for (size_t i = 0; i < from->count; i++)
    if (!ranges_add(call, to, from->at[i].low, from->at[i].high)) return false;
  return csp_work(call, from->count);
}

void ranges_free(RegexpRanges *ranges) {
  csp_alloc_free(ranges->at);
  *ranges = (RegexpRanges){0};
}

// --- In order ---------------------------------------------------------------
static void sift_range(RegexpRange *at, size_t from, size_t count) {
  RegexpRange range = at[from];
  for (size_t child; (child = from * 2 + 1) < count; from = child) {
    if (child + 1 < count && at[child + 1].low > at[child].low) child++;
    if (at[child].low <= range.low) break;
    at[from] = at[child];
  }
  at[from] = range;
}

// A heap sort, which takes the same for all orders.
static bool sort_ranges(CspCall *call, RegexpRange *at, size_t count) {
  enum { PIECE = 1 << 10 };
  for (size_t i = count / 2; i > 0; i--) {
    sift_range(at, i - 1, count);
    if (i % PIECE == 0 && !csp_work(call, PIECE * 8)) return false;
  }
  for (size_t i = count; i > 1; i--) {
    RegexpRange largest = at[0];
    at[0] = at[i - 1];
    at[i - 1] = largest;
    sift_range(at, 0, i - 1);
    if (i % PIECE == 0 && !csp_work(call, PIECE * 16)) return false;
  }
  return csp_work(call, count);
}

static bool in_order(const RegexpRanges *ranges) {
  for (size_t i = 1; i < ranges->count; i++)
    if (ranges->at[i].low < ranges->at[i - 1].low) return false;
  return true;
}

bool ranges_tidy(CspCall *call, RegexpRanges *ranges) {
  RegexpRange *at = ranges->at;
  if (!csp_work(call, ranges->count)) return false;
  if (!in_order(ranges) && !sort_ranges(call, at, ranges->count)) return false;
  size_t count = 0;
  for (size_t i = 0; i < ranges->count; i++) {
    if (count > 0 && at[i].low <= at[count - 1].high + 1) {
      if (at[i].high > at[count - 1].high) at[count - 1].high = at[i].high;
    } else {
      at[count++] = at[i];
    }
  }
  ranges->count = count;
  return true;
}

bool ranges_negate(CspCall *call, RegexpRanges *ranges) {
  uint32_t next = 0;
  size_t count = 0;
  // One is written where one was read, but for the last.
  for (size_t i = 0; i < ranges->count; i++) {
    RegexpRange range = ranges->at[i];
    if (range.low > next)
      ranges->at[count++] = (RegexpRange){next, range.low - 1};
    next = range.high + 1;
  }
  ranges->count = count;
  if (next == REGEXP_RUNE_END) return csp_work(call, count);
  return csp_work(call, count) &&
         ranges_add(call, ranges, next, REGEXP_RUNE_END - 1);
}

// --- Case -------------------------------------------------------------------
static bool has_rune(const RegexpRanges *ranges, size_t count, uint32_t rune) {
  size_t low = 0, end = count;
  while (count > low) {
    size_t middle = low + (count - low) / 2;
    if (ranges->at[middle].high < rune)
      low = middle + 1;
    else
      count = middle;
  }
  return low < end && ranges->at[low].low <= rune &&
         rune <= ranges->at[low].high;
}

static bool ascii_only(const RegexpRanges *ranges) {
  return ranges->count == 0 || ranges->at[ranges->count - 1].high < 0x80;
}

// Of the first `count` ranges: what a step of the fold leads to.
static bool fold_ascii(CspCall *call, RegexpRanges *ranges, size_t count) {
  enum { LONG_S = 0x17f, KELVIN = 0x212a };
  for (uint32_t rune = 'a'; rune <= 'z'; rune++) {
    bool lower = has_rune(ranges, count, rune);
    bool upper = has_rune(ranges, count, rune - 32);
    uint32_t other = rune == 's' ? LONG_S : KELVIN;
    if (!lower && !upper) continue;
    if (!ranges_add(call, ranges, rune, rune) ||
        !ranges_add(call, ranges, rune - 32, rune - 32))
      return false;
    if ((rune == 's' || rune == 'k') && !ranges_add(call, ranges, other, other))
      return false;
  }
  return csp_work(call, 400);
}

static uint32_t fold_next(uint32_t rune) {
  for (size_t i = 0; i < regexp_folds_count; i++) {
    const RegexpFold *fold = &regexp_folds[i];
    if (rune < fold->low) break;
    if (rune <= fold->high && (rune - fold->low) % fold->step == 0)
      return (uint32_t)((int32_t)rune + fold->delta);
  }
  return rune;
}

static bool fold_run(CspCall *call, RegexpRanges *ranges, size_t count,
                     const RegexpFold *fold) {
  for (uint32_t rune = fold->low; rune <= fold->high; rune += fold->step) {
    uint32_t to = (uint32_t)((int32_t)rune + fold->delta);
    if (has_rune(ranges, count, rune) && !ranges_add(call, ranges, to, to))
      return false;
  }
  return csp_work(call, (fold->high - fold->low) / fold->step * 8 + 4);
}

// A fold is a ring of up to four characters.
bool ranges_fold(CspCall *call, RegexpRanges *ranges) {
  enum { RING = 4 };
  if (!ranges_tidy(call, ranges)) return false;
  if (ascii_only(ranges))
    return fold_ascii(call, ranges, ranges->count) && ranges_tidy(call, ranges);
  if (ranges->count == 1 && ranges->at[0].low == ranges->at[0].high) {
    uint32_t first = ranges->at[0].low, rune = fold_next(first);
    for (; rune != first; rune = fold_next(rune))
      if (!ranges_add(call, ranges, rune, rune)) return false;
    return csp_work(call, 1000) && ranges_tidy(call, ranges);
  }
  for (int turn = 1; turn < RING; turn++) {
    size_t count = ranges->count;
    for (size_t i = 0; i < regexp_folds_count; i++)
      if (!fold_run(call, ranges, count, &regexp_folds[i])) return false;
    if (!ranges_tidy(call, ranges)) return false;
  }
  return true;
}

// --- Unicode ----------------------------------------------------------------
static bool same_name(const char *name, Str text) {
  return strlen(name) == text.len && memcmp(name, text.data, text.len) == 0;
}

// The runs whose numbers are marked.
static bool add_runs(CspCall *call, RegexpRanges *ranges, const uint32_t *runs,
                     size_t count, const bool *marked) {
  uint32_t at = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t len = runs[i] >> 8;
    if (marked[runs[i] & 255] && !ranges_add(call, ranges, at, at + len - 1))
      return false;
    at += len;
  }
  return csp_work(call, count * 2);
}

// "L" is all that begins so, but for what is unassigned: that is Cn alone.
static bool marks_category(const char *category, Str name) {
  if (name.len == 1)
    return *category == *name.data && strcmp(category, "Cn") != 0;
  return same_name(category, name);
}

static bool add_categories(CspCall *call, RegexpRanges *ranges, Str name,
                           bool *known) {
  bool marked[256] = {false};
  for (size_t i = 0; regexp_category_names[i] != NULL; i++) {
    marked[i] = marks_category(regexp_category_names[i], name);
    *known |= marked[i];
  }
  return !*known || add_runs(call, ranges, regexp_categories,
                             regexp_categories_count, marked);
}

bool ranges_add_unicode(CspCall *call, RegexpRanges *ranges, Str name,
                        bool *known) {
  bool marked[256] = {false};
  *known = same_name("Any", name);
  if (*known) return ranges_add(call, ranges, 0, REGEXP_RUNE_END - 1);
  if (name.len <= 2) return add_categories(call, ranges, name, known);
  for (size_t i = 1; regexp_script_names[i] != NULL; i++) {
    marked[i] = same_name(regexp_script_names[i], name);
    *known |= marked[i];
  }
  return !*known ||
         add_runs(call, ranges, regexp_scripts, regexp_scripts_count, marked);
}
