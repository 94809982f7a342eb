// SPDX-License-Identifier: MIT
// A source text as bytes: UTF-8 sequences and lines. Pure functions.
#include <string.h>

#include "lang/lang.h"

static bool is_continuation(unsigned char byte) {
  return (byte & 0xc0) == 0x80;
}

// How long the sequence that begins with this byte must be; 0: none does.
static size_t sequence_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  if (first >= 0xf0 && first <= 0xf4) return 4;
  return 0;
}

// Overlong forms, surrogates and what lies above U+10FFFF show in the
// second byte.
static bool second_byte_fits(unsigned char first, unsigned char second) {
  switch (first) {
    case 0xe0:
      return second >= 0xa0;
    case 0xed:
      return second < 0xa0;
    case 0xf0:
      return second >= 0x90;
    case 0xf4:
      return second < 0x90;
    default:
      return true;
  }
}

size_t source_utf8(const char *text, size_t len) {
  const unsigned char *bytes = (const unsigned char *)text;
  if (len == 0) return 0;
  size_t need = sequence_length(bytes[0]);
  if (need == 0 || need > len) return 0;
  for (size_t i = 1; i < need; i++) {
    if (!is_continuation(bytes[i])) return 0;
  }
  if (need > 1 && !second_byte_fits(bytes[0], bytes[1])) return 0;
  return need;
}

AstStr source_line(const Source *source, Pos pos) {
  size_t offset = pos.offset < source->len ? pos.offset : source->len;
  size_t begin = offset - (pos.col ? pos.col - 1 : 0);
  if (begin > offset) begin = 0;
  const char *text = source->text + begin;
  const char *end = memchr(text, '\n', source->len - begin);
  size_t len = end ? (size_t)(end - text) : source->len - begin;
  if (len > 0 && text[len - 1] == '\r') len--;
  return (AstStr){text, len};
}
