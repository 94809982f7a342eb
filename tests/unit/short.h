// SPDX-License-Identifier: MIT
// How often a test repeats what it does. `make test` sets TEST_SHORT, and then
// few rounds do. With --long, or by itself, a program does all of them.
#ifndef CSP_TESTS_SHORT_H
#define CSP_TESTS_SHORT_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool is_short(void) {
  const char *wanted = getenv("TEST_SHORT");
  return wanted != NULL && *wanted != '\0';
}

static inline int rounds(int few, int all) { return is_short() ? few : all; }

#endif
