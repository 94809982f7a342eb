// SPDX-License-Identifier: MIT
// Going through strings by code points. Every byte that belongs to no code
// point counts as one (vm/value/utf8.c decodes).
#include "stdlib/stdlib.h"

uint32_t utf8_wide(const char *data, size_t len, size_t at, size_t *width) {
  uint32_t rune;
  *width = (size_t)utf8_decode(data, len, at, &rune);
  return rune;
}

size_t utf8_wide_before(const char *data, size_t at) {
  for (size_t back = 2; back <= 4 && back <= at; back++) {
    size_t width;
    utf8_at(data, at, at - back, &width);
    if (width == back) return at - back;
  }
  return at - 1;
}

size_t utf8_count(const char *data, size_t len) {
  size_t at = utf8_ascii(data, len, 0), count = at;
  while (at < len) {
    size_t width;
    utf8_at(data, len, at, &width);
    at += width;
    size_t ascii = utf8_ascii(data, len, at);
    at += ascii;
    count += 1 + ascii;
  }
  return count;
}

size_t utf8_prefix(const char *data, size_t len, size_t n) {
  size_t at = 0, width;
  for (; at < len && n > 0; at += width, n--) utf8_at(data, len, at, &width);
  return at;
}

bool utf8_wide_space(uint32_t rune) {
  return rune == 0x85 || rune == 0xa0 || rune == 0x1680 ||
         (rune >= 0x2000 && rune <= 0x200a) || rune == 0x2028 ||
         rune == 0x2029 || rune == 0x202f || rune == 0x205f || rune == 0x3000;
}

void move_place(const char *from, size_t len, size_t *line, size_t *column) {
  size_t lines = 0, characters = 0, at = 0;
  for (size_t n = 0; n < len; n++) lines += from[n] == '\n';
  if (lines > 0) {
    for (at = len; from[at - 1] != '\n';) at--;
    *line += lines;
    *column = 1;
  }
  for (; at < len; at++) characters += !utf8_continues(from[at]);
  *column += characters;
}
