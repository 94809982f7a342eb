// SPDX-License-Identifier: MIT
// Searches of long texts and bytes, in pieces.
//
// A short needle is looked for in windows of some KB, each by one call of
// csp_find. For a long needle a window would be as long as most texts. So the
// search for it stops where it is when the piece is spent, and goes on from
// there in the next piece (vm/object/search.h).
#ifndef CSP_STDLIB_PIECES_FIND_H
#define CSP_STDLIB_PIECES_FIND_H

#include "stdlib/pieces_loop.h"
#include "vm/object/search.h"

enum {
  FIND_AT_ONCE = 1 << 16,  // bytes of a text that csp_find does in one piece
  LONG_NEEDLE = 1 << 10    // bytes: longer ones are long
};

// Where the call's second argument is in the first, both strings, from `at` on,
// or how often. done gets that as n: CSP_NOWHERE for none, of ALL one less than
// the number. list and with are the two.
typedef enum FindKind {
  FIND_FIRST,
  FIND_LAST,
  FIND_ALL,
  FIND_PARTS  // find_parts
} FindKind;
CspStatus find_in_text_from(CspCall *call, FindKind kind, size_t at,
                            CspStatus (*done)(CspCall *, Loop *));
// The same for bytes, the first place. `with` is a string that is not empty.
CspStatus find_in_bytes(CspCall *call, CspValue bytes, CspValue with, size_t at,
                        CspStatus (*done)(CspCall *, Loop *));
// The first argument split by the second, a long needle: a list of at most so
// many parts, the last with what is left. A negative `most` means all.
CspStatus find_parts(CspCall *call, int64_t most);

#endif
