// SPDX-License-Identifier: MIT
// Text in pieces: natives that go through a whole text do so piece by piece,
// and ask after each whether they are to go on (csp_work).
#include "stdlib/stdlib.h"

enum { PIECE_LEN = 1 << 14 };

// A piece ends where a code point does: no code point has more than three bytes
// after its first.
static size_t piece_len(Str left) {
  if (left.len <= PIECE_LEN + 3) return left.len;
  size_t len = PIECE_LEN;
  while (len < PIECE_LEN + 3 && ((uint8_t)left.data[len] & 0xc0) == 0x80) len++;
  return len;
}

bool pieces_next(Pieces *p) {
  if (p->piece.len > 0 && !csp_work(p->call, p->piece.len * p->cost)) {
    p->over = true;
    return false;
  }
  size_t len = piece_len(p->left);
  p->piece = (Str){p->left.data, len};
  p->left = (Str){p->left.data + len, p->left.len - len};
  return len > 0;
}

bool pieces_next_back(Pieces *p) {
  if (p->piece.len > 0 && !csp_work(p->call, p->piece.len * p->cost)) {
    p->over = true;
    return false;
  }
  size_t len = p->left.len;
  if (len > PIECE_LEN + 3) {
    size_t from = len - PIECE_LEN;
    while (from > len - PIECE_LEN - 3 &&
           ((uint8_t)p->left.data[from] & 0xc0) == 0x80) {
      from--;
    }
    len -= from;
  }
  p->left.len -= len;
  p->piece = (Str){p->left.data + p->left.len, len};
  return len > 0;
}
