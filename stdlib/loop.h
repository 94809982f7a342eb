// SPDX-License-Identifier: MIT
// Natives that go through the elements of a list, in pieces.
//
// A Loop is the state between two pieces: what it keeps, how far it is, and a
// number of the native's own. `turns` does some elements, `done` gives the
// result. Others may change the list meanwhile: an element that has gone reads
// as nil.
#ifndef CSP_STDLIB_LOOP_H
#define CSP_STDLIB_LOOP_H

#include "stdlib/stdlib.h"

typedef struct Loop Loop;
struct Loop {
  CspValue list, with, out, more;  // kept
  size_t at, end;
  int64_t n;
  double x;
  // The elements from `at` on that are before `stop`, which is at most `end`.
  // false: panicked. It moves `at` on, to `stop` as a rule.
  bool (*turns)(CspCall *call, Loop *loop, size_t stop);
  CspStatus (*done)(CspCall *call, Loop *loop);
  uint64_t units;  // that one element takes, less what turns charges itself
};

CspStatus loop_run(CspCall *call, Loop *loop);
// The same for a loop whose `out` was made here: undef: there is no memory.
CspStatus loop_make(CspCall *call, Loop *loop);
// Results: `out`, and `list`.
CspStatus loop_out(CspCall *call, Loop *loop);
CspStatus loop_list(CspCall *call, Loop *loop);

#endif
