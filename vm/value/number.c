// SPDX-License-Identifier: MIT
// Ints compared with floats.
#include "vm/value/number.h"

#include <math.h>

int number_compare(int64_t i, double d) {
  if (isnan(d)) return 2;
  if (d >= 0x1p63) return -1;
  if (d < -0x1p63) return 1;
  int64_t whole = (int64_t)d;  // towards zero
  if (i != whole) return i < whole ? -1 : 1;
  double rest = d - (double)whole;  // exact
  return rest > 0 ? -1 : rest < 0 ? 1 : 0;
}
