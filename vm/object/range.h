// SPDX-License-Identifier: MIT
// Ranges: making one, how many ints are in it, and which.
#ifndef CSP_VM_OBJECT_RANGE_H
#define CSP_VM_OBJECT_RANGE_H

#include "vm/heap/local.h"

// NULL: no memory.
ObjRange *range_new(Local *local, int64_t from, int64_t to, bool inclusive);
// The number of the last int, counted from 0. false: there is none.
bool range_last(const ObjRange *range, uint64_t *last);
// Whether a is one of the ints, or a float that equals one.
bool range_has(const ObjRange *range, Value a);

static inline bool range_is_inclusive(const ObjRange *range) {
  return range->obj.flags & RANGE_INCLUSIVE;
}

// An int by its number, which is at most the last one. Wraps around beyond it.
static inline int64_t range_at(const ObjRange *range, uint64_t number) {
  return (int64_t)((uint64_t)range->from + number * (uint64_t)range->step);
}

#endif
