// SPDX-License-Identifier: MIT
// What the files of the module time show each other.
#ifndef CSP_STDLIB_MOMENT_H
#define CSP_STDLIB_MOMENT_H

#include <time.h>

#include "stdlib/stdlib.h"

#define SECOND ((int64_t)1000000000)

// Bytes of a layout, and of a text that is read: longer ones mean no time.
// Their work is not left in between.
enum { TIME_TEXT_MAX = 1 << 14 };

// A point in time taken apart: tm and the nanoseconds of its second.
typedef struct Moment {
  struct tm tm;
  int64_t ns;
  int64_t seconds;  // since 1970
} Moment;

// How much of a text a message shows.
static inline int moment_shown(Str text) {
  enum { SHOWN = 60 };
  return text.len < SHOWN ? (int)text.len : SHOWN;
}

// --- time.c -----------------------------------------------------------------
Moment moment_of(int64_t t, bool utc);
// The reverse. false: outside what an int of nanoseconds holds (1677 to 2262).
bool moment_time(struct tm tm, int64_t ns, bool utc, int64_t *out);
// n with at least `width` digits.
void moment_add_digits(Buffer *out, int64_t n, int width, char fill);

// (nil, error): `what` has more than that.
CspStatus moment_too_long(CspCall *call, const char *what);

// --- time_text.c ------------------------------------------------------------
CspStatus time_format(CspCall *call);
CspStatus time_parse(CspCall *call);

#endif
