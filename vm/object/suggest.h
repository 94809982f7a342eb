// SPDX-License-Identifier: MIT
// "Did you mean ...": the nearest of some names.
#ifndef CSP_VM_SUGGEST_H
#define CSP_VM_SUGGEST_H

#include <stddef.h>

typedef struct Suggest {
  const char *wanted;
  const char *best;  // NULL while none is near enough
  size_t distance;
} Suggest;
// Feeds one candidate. Its distance (Damerau-Levenshtein) may be a third of the
// length, and always 1. Differences in case count little.
void suggest_try(Suggest *suggest, const char *candidate);
// The same, for what calls a function with each name.
void suggest_name(void *suggest, const char *name);

#endif
