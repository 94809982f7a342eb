// SPDX-License-Identifier: MIT
// Natives that go through the elements of a list, or the bytes of a text, in
// pieces.
//
// A Loop is the state between two pieces: what it keeps, how far it is, and a
// number of the native's own. `turns` does some elements, `done` gives the
// result. Others may change the list meanwhile: an element that has gone reads
// as nil.
//
// Texts whose length is known are made by loops, too: their elements are bytes,
// and `to` is where those of `out` go (csp_string_room). Nobody else sees `out`
// before it is done. (Of unknown length: text_job.h.)
#ifndef CSP_STDLIB_PIECES_LOOP_H
#define CSP_STDLIB_PIECES_LOOP_H

#include "stdlib/stdlib.h"

typedef struct Loop Loop;
struct Loop {
  CspValue list, with, out, more;  // kept
  size_t at, end;
  int64_t n;
  double x;
  char *to;     // out's text
  size_t step;  // bytes between two questions; 0 means it is not a text
  size_t part;  // how much is done of the element at `at`, of long ones
  // The elements from `at` on that are before `stop`, which is at most `end`.
  // false: panicked. It moves `at` on, to `stop` as a rule.
  bool (*turns)(CspCall *call, Loop *loop, size_t stop);
  CspStatus (*done)(CspCall *call, Loop *loop);
  // That one element takes, or 4 bytes, less what turns charges itself.
  uint64_t units;
};

enum {
  LOOP_BYTES = 1 << 14,    // `step` of a text, as a rule
  LOOP_AT_ONCE = 1 << 16,  // bytes of a text that are copied in one piece
  LOOP_KEPT = 4            // values that a Loop begins with
};

CspStatus loop_run(CspCall *call, Loop *loop);
// The same for a loop that changes what others see. The memory for its pieces
// is made before the first change: without it nothing has changed, so that the
// native can be called again.
CspStatus loop_change(CspCall *call, Loop *loop);
// The same for a loop whose `out` was made here. undef: there is no memory.
CspStatus loop_make(CspCall *call, Loop *loop);
// The same over the bytes of a text.
CspStatus loop_bytes(CspCall *call, Loop *loop);
// The same, with `out` made here: a string of that many bytes, to be written
// from `to` on.
CspStatus loop_text(CspCall *call, Loop *loop, size_t len);
// Makes `out`: the `end` bytes of list's text that begin at `part`.
CspStatus loop_copy(CspCall *call, Loop *loop);
// Whether with's text stands in list's at `part`: n is 1 or 0. list is as long.
CspStatus loop_same(CspCall *call, Loop *loop);
// The next piece of list's text, whose end is the loop's: `at` moves on, and
// stands between two code points.
Str loop_piece(Loop *loop);
// Results: `out`, and `list`.
CspStatus loop_out(CspCall *call, Loop *loop);
CspStatus loop_list(CspCall *call, Loop *loop);

#endif
