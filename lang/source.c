// SPDX-License-Identifier: MIT
// A source text's lines. Pure functions.
#include "lang/source.h"

#include <string.h>

#define TEXT(n) #n
#define TEXT_OF(n) TEXT(n)
const char source_too_long[] = "it is longer than " TEXT_OF(
    SOURCE_MAX_MB) " MB; split it into modules, and import them";
#undef TEXT_OF
#undef TEXT

AstStr source_line(const Source *source, Pos pos) {
  size_t offset = pos.offset < source->len ? pos.offset : source->len;
  size_t begin = offset - (pos.col ? pos.col - 1 : 0);
  if (begin > offset) begin = 0;
  const char *text = source->text + begin;
  const char *end = memchr(text, '\n', source->len - begin);
  size_t len = end != NULL ? (size_t)(end - text) : source->len - begin;
  if (len > 0 && text[len - 1] == '\r') len--;
  return (AstStr){text, len};
}
