// SPDX-License-Identifier: MIT
// "Did you mean ...": the nearest of some names. Pure functions; any thread.
#include "vm/object/suggest.h"

#include <stdbool.h>
#include <string.h>

#include "sched/rt.h"

// Distances are counted in quarters of an edit, so that a letter in the other
// case can cost less than any real edit.
enum { EDIT = 4, CASE_EDIT = 1, MAX_NAME = 64 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

// Whether they are the same letter of ASCII in two cases.
static bool same_but_for_case(char a, char b) {
  return (a ^ b) == 32 && (unsigned char)((a | 32) - 'a') < 26;
}

static size_t substitution(char a, char b) {
  if (a == b) return 0;
  bool same_letter = same_but_for_case(a, b);
  return same_letter ? CASE_EDIT : EDIT;
}

// Damerau-Levenshtein, where no place is edited twice. What is above `most` may
// come out as anything above it.
static size_t edit_distance(const char *a, size_t a_len, const char *b,
                            size_t b_len, size_t most) {
  RT_ASSERT(a_len <= MAX_NAME && b_len <= MAX_NAME);
  size_t rows[3][MAX_NAME + 1];
  size_t *older = rows[0], *old = rows[1], *row = rows[2];
  for (size_t j = 0; j <= b_len; j++) old[j] = j * EDIT;
  for (size_t i = 1; i <= a_len; i++) {
    row[0] = i * EDIT;
    size_t nearest = row[0];
    for (size_t j = 1; j <= b_len; j++) {
      size_t best = least(old[j], row[j - 1]) + EDIT;
      best = least(best, old[j - 1] + substitution(a[i - 1], b[j - 1]));
      bool swapped =
          i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) best = least(best, older[j - 2] + EDIT);
      row[j] = best;
      nearest = least(nearest, best);
    }
    // The next one is no nearer, with a swap of the row before neither: that
    // is at most one edit nearer than this.
    if (nearest > most) return nearest;
    size_t *free_row = older;
    older = old;
    old = row;
    row = free_row;
  }
  return old[b_len];
}

// A third of the length, at least one edit, but never the whole name.
static size_t allowed(size_t len) {
  if (len < 2) return CASE_EDIT;
  return (len < 6 ? 1 : len / 3) * EDIT;
}

void suggest_try(Suggest *suggest, const char *candidate) {
  size_t wanted_len = strlen(suggest->wanted);
  size_t len = strlen(candidate);
  if (wanted_len > MAX_NAME || len > MAX_NAME) return;
  size_t most = allowed(wanted_len);
  if (suggest->best != NULL && suggest->distance < most)
    most = suggest->distance;
  size_t longer = len > wanted_len ? len - wanted_len : wanted_len - len;
  if (longer * EDIT > most) return;
  size_t d = edit_distance(suggest->wanted, wanted_len, candidate, len, most);
  if (d == 0 || d > most) return;
  if (suggest->best != NULL && d >= suggest->distance) return;
  suggest->best = candidate;
  suggest->distance = d;
}

void suggest_name(void *suggest, const char *name) {
  suggest_try(suggest, name);
}
