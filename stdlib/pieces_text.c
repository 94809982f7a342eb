// SPDX-License-Identifier: MIT
// Long texts in pieces. These functions say where one piece ends and the next
// begins. A native that goes through a whole text asks after each piece whether
// it is to go on (csp_work).
#include "stdlib/stdlib.h"

enum { PIECE_LEN = 1 << 14 };

// A piece ends where a code point does: no code point has more than three bytes
// after its first.
Str pieces_front(Str left) {
  if (left.len <= PIECE_LEN + 3) return left;
  size_t len = PIECE_LEN;
  while (len < PIECE_LEN + 3 && utf8_continues(left.data[len])) len++;
  return (Str){left.data, len};
}

Str pieces_back(Str left) {
  size_t len = left.len;
  if (len > PIECE_LEN + 3) {
    size_t from = len - PIECE_LEN;
    while (from > len - PIECE_LEN - 3 && utf8_continues(left.data[from])) {
      from--;
    }
    // none of the four begins a code point, so none goes across the first cut
    if (utf8_continues(left.data[from])) from = len - PIECE_LEN;
    len -= from;
  }
  return (Str){left.data + (left.len - len), len};
}

bool pieces_next(Pieces *pieces) {
  if (pieces->piece.len > 0 &&
      !csp_work(pieces->call, pieces->piece.len * pieces->cost)) {
    pieces->over = true;
    return false;
  }
  pieces->piece = pieces_front(pieces->left);
  size_t len = pieces->piece.len;
  pieces->left = (Str){pieces->left.data + len, pieces->left.len - len};
  return len > 0;
}
