// SPDX-License-Identifier: MIT
// The module text: what its files share. text.csp has its functions,
// text.parse.csp reads templates, and text.html.csp finds out where in a page
// a value stands.
#ifndef CSP_STDLIB_TEXT_H
#define CSP_STDLIB_TEXT_H

#include "stdlib/stdlib.h"

// --- text_tables.c, which a script writes (text_tables.py) -------------------
typedef struct TextRange {
  uint32_t low, high;
} TextRange;

// The characters that take two columns of a terminal, and those that take none.
// They are above 0x7f, and in order.
extern const TextRange text_wide[], text_narrow[];
extern const size_t text_wide_count, text_narrow_count;

// Of ASCII.
static inline bool is_text_alnum(unsigned char c) {
  return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

// --- text_escape.c -----------------------------------------------------------
// _escape(s, kind)
CspStatus text_escape(CspCall *call);

#endif
