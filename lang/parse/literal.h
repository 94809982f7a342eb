// SPDX-License-Identifier: MIT
// What literals mean (text: `len` bytes at `pos`).
#ifndef CSP_LANG_PARSE_LITERAL_H
#define CSP_LANG_PARSE_LITERAL_H

#include "lang/parse/parse_internal.h"

int64_t literal_int(Parse *parse, const char *text, size_t len, Pos pos);
double literal_float(Parse *parse, const char *text, size_t len, Pos pos);
int64_t literal_duration(Parse *parse, const char *text, size_t len, Pos pos);
int64_t literal_rune(Parse *parse, const char *text, size_t len, Pos pos);
// The text between the quotes, escapes decoded.
AstStr literal_string(Parse *parse, const char *text, size_t len, Pos pos);
// The text between the backquotes: without carriage returns.
AstStr literal_raw(Parse *parse, const char *text, size_t len);
// `len` bytes of whole lines from `first` on, without the indentation of the
// line after them, which is of so many bytes. A line that has less is reported.
AstStr literal_lines(Parse *parse, size_t len, Pos first, size_t indent);
// A `%` and the text.
AstStr literal_format(Parse *parse, const char *text, size_t len);

#endif
