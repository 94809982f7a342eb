// SPDX-License-Identifier: MIT
// The head of a function or struct in a text, which `:help` shows.
#ifndef CSP_LANG_COMPILE_HEAD_H
#define CSP_LANG_COMPILE_HEAD_H

#include "lang/source.h"

// Offsets in the text.
typedef struct LangHead {
  uint32_t comment;     // of the comments right above, or `begin`
  uint32_t begin, end;  // `func (p Point) move(dx)`, `struct P { x }`,
                        // `f := func(a)`
} LangHead;

// What the text declares last under that name at its top level: a function, a
// struct, a method (`Point.move`), a variable that gets a function. false: no
// such thing, or syntax errors, or no memory.
bool lang_head(const Source *source, const char *name, LangHead *head);

#endif
