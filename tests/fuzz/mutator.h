// SPDX-License-Identifier: MIT
// Mutations that keep a text close to a program: by lines and by words. The
// targets whose input is a script include it; every second mutation is still
// one of libFuzzer's own, by bytes and from its dictionary.
#ifndef CSP_FUZZ_MUTATOR_H
#define CSP_FUZZ_MUTATOR_H

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size,
                                 const uint8_t *b, size_t b_size, uint8_t *out,
                                 size_t most, unsigned seed);

// A piece of a text: from `at`, so many bytes.
typedef struct Piece {
  size_t at, len;
} Piece;

static unsigned mutator_state;

static size_t mutator_below(size_t n) {
  mutator_state = mutator_state * 1103515245u + 12345u;
  return n ? (mutator_state >> 8) % n : 0;
}

// A random line with its newline, or some lines.
static Piece piece_lines(const uint8_t *data, size_t size) {
  size_t at = mutator_below(size), end = at;
  while (at > 0 && data[at - 1] != '\n') at--;
  for (size_t lines = 1 + mutator_below(mutator_below(4)); lines > 0; lines--) {
    while (end < size && data[end] != '\n') end++;
    if (end < size) end++;
  }
  return (Piece){at, end - at};
}

static int is_word(uint8_t c) { return isalnum(c) || c == '_' || c >= 128; }

// A random word, number or row of signs.
static Piece piece_word(const uint8_t *data, size_t size) {
  size_t at = mutator_below(size), end = at + 1;
  if (size == 0) return (Piece){0, 0};
  int kind = is_word(data[at]);
  while (kind && at > 0 && is_word(data[at - 1])) at--;
  while (end < size && kind && is_word(data[end])) end++;
  return (Piece){at, end - at};
}

// What is inside a random pair of brackets, with them.
static Piece piece_brackets(const uint8_t *data, size_t size) {
  size_t at = mutator_below(size), end;
  while (at < size && strchr("([{", data[at] ? data[at] : 1) == NULL) at++;
  int depth = 0;
  for (end = at; end < size; end++) {
    if (data[end] && strchr("([{", data[end]) != NULL) depth++;
    if (data[end] && strchr(")]}", data[end]) != NULL && --depth == 0) break;
  }
  if (end >= size) return (Piece){size, 0};
  return (Piece){at, end + 1 - at};
}

typedef Piece (*PieceOf)(const uint8_t *data, size_t size);

// data with `from` (of a text, which may be data's copy) in place of `to`.
// Gives the new size, or 0: too long.
static size_t mutator_put(uint8_t *data, size_t size, Piece to,
                          const uint8_t *text, Piece from, size_t most) {
  if (size - to.len + from.len > most) return 0;
  memmove(data + to.at + from.len, data + to.at + to.len,
          size - to.at - to.len);
  memcpy(data + to.at, text + from.at, from.len);
  return size - to.len + from.len;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned seed) {
  static const PieceOf kinds[] = {piece_lines, piece_word, piece_brackets};
  mutator_state = seed;
  if (size == 0 || mutator_below(2)) return LLVMFuzzerMutate(data, size, most);
  uint8_t *copy = malloc(size);
  memcpy(copy, data, size);
  PieceOf kind = kinds[mutator_below(3)];
  Piece from = kind(copy, size), to = kind(data, size);
  switch (mutator_below(4)) {
    case 0:  // twice
      to.len = 0;
      break;
    case 1:  // gone
      from.len = 0;
      break;
    default:;  // in place of another one
  }
  size_t result = mutator_put(data, size, to, copy, from, most);
  free(copy);
  return result ? result : LLVMFuzzerMutate(data, size, most);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size,
                                 const uint8_t *b, size_t b_size, uint8_t *out,
                                 size_t most, unsigned seed) {
  mutator_state = seed;
  PieceOf kind = mutator_below(2) ? piece_lines : piece_brackets;
  if (a_size > most) a_size = most;
  memcpy(out, a, a_size);
  Piece to = kind(out, a_size);
  if (mutator_below(2)) to.len = 0;
  size_t result = mutator_put(out, a_size, to, b, kind(b, b_size), most);
  return result ? result : a_size;
}
#endif
