// SPDX-License-Identifier: MIT
// A text, how long it may be, and its lines.
#ifndef CSP_LANG_SOURCE_H
#define CSP_LANG_SOURCE_H

#include "lang/ast.h"

// Bytes that a script or a module may have. Positions, of 32 bits, count more.
#define SOURCE_MAX_MB 64
enum { SOURCE_MAX = SOURCE_MAX_MB << 20 };
// What messages say of one that is longer.
extern const char source_too_long[];

typedef struct Source {
  const char *path;  // as messages show it
  const char *text;  // NUL-terminated, owned by the caller
  size_t len;
  bool map_first;   // a brace at its beginning opens a map, no block
  bool value_last;  // its last statement may give the value of the whole
} Source;

// The line of that place, without its end.
AstStr source_line(const Source *source, Pos pos);

#endif
