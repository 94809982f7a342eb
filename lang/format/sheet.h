// SPDX-License-Identifier: MIT
// The lines that are printed.
#ifndef CSP_LANG_FORMAT_SHEET_H
#define CSP_LANG_FORMAT_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SheetLine {
  size_t code, code_len;  // in the text
  size_t note, note_len;  // the comment at its end, if any
  uint32_t indent;        // columns
  uint32_t width;         // columns, with the indentation
  bool plain;             // one line, not several in one token
} SheetLine;

typedef struct Sheet {
  char *text;  // code and comments of all lines, without indentation
  size_t len, cap;
  SheetLine *lines;
  size_t count, line_cap;
  bool failed;
} Sheet;

// Ends the current line, if there is one, and begins another.
void sheet_break(Sheet *sheet, bool blank_before, uint32_t indent);
void sheet_text(Sheet *sheet, const char *text, size_t len);
void sheet_space(Sheet *sheet);
// A comment without newlines, as the last thing of the line.
void sheet_note(Sheet *sheet, const char *text, size_t len);
uint32_t sheet_column(const Sheet *sheet);  // how wide the line is now
uint32_t sheet_indent(const Sheet *sheet);
// All lines, as malloced text with a NUL after it. NULL: out of memory.
char *sheet_finish(const Sheet *sheet, size_t *len);
void sheet_free(Sheet *sheet);
// The lines follow one another within the text, the last one up to its end.
bool sheet_is_valid(const Sheet *sheet);
// Columns of a text without newlines.
uint32_t sheet_width(const char *text, size_t len);

#endif
