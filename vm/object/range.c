// SPDX-License-Identifier: MIT
// Ranges. All that is computed here is unsigned, as a range may go from the
// least int to the greatest. Any thread may call these functions.
#include "vm/object/range.h"

#include <math.h>

#include "vm/object/box.h"

ObjRange *range_new(Local *local, int64_t from, int64_t to, bool inclusive) {
  ObjRange *range =
      (ObjRange *)heap_alloc(&local->heap, sizeof *range, OBJ_RANGE);
  if (range == NULL) return NULL;
  range->from = from;
  range->to = to;
  range->step = 1;
  range->obj.flags = inclusive ? RANGE_INCLUSIVE : 0;
  return range;
}

// How far it is from a to b in the range's direction. false: it is the other
// way.
static bool distance(const ObjRange *range, int64_t a, int64_t b,
                     uint64_t *out) {
  bool up = range->step > 0;
  *out = up ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
  return up ? a <= b : a >= b;
}

static uint64_t step_size(const ObjRange *range) {
  uint64_t step = (uint64_t)range->step;
  return range->step > 0 ? step : -step;
}

bool range_last(const ObjRange *range, uint64_t *last) {
  uint64_t span;
  if (!distance(range, range->from, range->to, &span)) return false;
  bool inclusive = range_is_inclusive(range);
  if (!inclusive && span == 0) return false;
  *last = (span - !inclusive) / step_size(range);
  return true;
}

static bool exact_int(Value a, int64_t *out) {
  if (value_is_int(a)) {
    *out = value_int(a);
    return true;
  }
  if (!value_is_float(a)) return false;
  double d = value_float(a);
  if (d != trunc(d) || d < -0x1p63 || d >= 0x1p63) return false;
  *out = (int64_t)d;
  return true;
}

bool range_has(const ObjRange *range, Value a) {
  int64_t n;
  uint64_t last, offset;
  if (!exact_int(a, &n) || !range_last(range, &last)) return false;
  return distance(range, range->from, n, &offset) &&
         offset % step_size(range) == 0 && offset / step_size(range) <= last;
}
