// SPDX-License-Identifier: MIT
// A text and its lines.
#ifndef CSP_LANG_SOURCE_H
#define CSP_LANG_SOURCE_H

#include "lang/ast.h"

typedef struct Source {
  const char *path;  // as messages show it
  const char *text;  // NUL-terminated, owned by the caller
  size_t len;
} Source;

// The line of that place, without its end.
AstStr source_line(const Source *source, Pos pos);

#endif
