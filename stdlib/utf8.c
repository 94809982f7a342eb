// SPDX-License-Identifier: MIT
// UTF-8 without tables. Decoding refuses overlong forms, surrogates and what is
// above U+10FFFF. Every byte that belongs to no code point counts as one.
#include <string.h>

#include "stdlib/stdlib.h"

// Length of a sequence by its first byte, or 0.
static size_t sequence_len(uint8_t first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  if (first >= 0xf0 && first <= 0xf4) return 4;
  return 0;
}

uint32_t utf8_wide(const char *data, size_t len, size_t at, size_t *width) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const uint8_t *from = (const uint8_t *)data + at;
  size_t count = sequence_len(from[0]);
  *width = 1;
  if (count == 1) return from[0];
  if (count == 0 || count > len - at) return RUNE_BAD;
  uint32_t rune = from[0] & (0x7fu >> count);
  for (size_t i = 1; i < count; i++) {
    if ((from[i] & 0xc0) != 0x80) return RUNE_BAD;
    rune = rune << 6 | (from[i] & 0x3fu);
  }
  bool surrogate = rune >= 0xd800 && rune <= 0xdfff;
  if (rune < least[count] || rune > 0x10ffff || surrogate) return RUNE_BAD;
  *width = count;
  return rune;
}

size_t utf8_ascii(const char *data, size_t len, size_t at) {
  size_t start = at;
  for (uint64_t word; at + sizeof word <= len; at += sizeof word) {
    memcpy(&word, data + at, sizeof word);
    if (word & 0x8080808080808080) break;
  }
  while (at < len && (uint8_t)data[at] < 0x80) at++;
  return at - start;
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

size_t utf8_put(uint32_t rune, char out[4]) {
  static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
  if (rune < 0x80) {
    out[0] = (char)rune;
    return 1;
  }
  if (rune > 0x10ffff || (rune >= 0xd800 && rune <= 0xdfff)) return 0;
  size_t count = rune < 0x800 ? 2 : rune < 0x10000 ? 3 : 4;
  for (size_t i = count - 1; i > 0; i--) {
    out[i] = (char)(0x80 | (rune & 0x3f));
    rune >>= 6;
  }
  out[0] = (char)(first[count] | rune);
  return count;
}

bool utf8_wide_space(uint32_t rune) {
  return rune == 0x85 || rune == 0xa0 || rune == 0x1680 ||
         (rune >= 0x2000 && rune <= 0x200a) || rune == 0x2028 ||
         rune == 0x2029 || rune == 0x202f || rune == 0x205f || rune == 0x3000;
}
