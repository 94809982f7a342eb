// SPDX-License-Identifier: MIT
// The lines that the formatter prints, and the comments at their ends.
//
// Comments at the ends of lines that follow one another, at the same depth,
// begin in the same column, two spaces after the longest of the lines, unless
// that would make one of them wider than FORMAT_WIDTH: then each stands two
// spaces after its own line.
#include "lang/format/sheet.h"

#include <stdlib.h>
#include <string.h>

#include "lang/format/format.h"
#include "vm/value/utf8.h"

enum { NOTE_GAP = 2 };

uint32_t sheet_width(const char *text, size_t len) {
  uint32_t width = 0;
  for (size_t i = 0; i < len; i++) {
    width += !utf8_continues(text[i]);
  }
  return width;
}

// --- writing ----------------------------------------------------------------
// Makes room for `count` elements in the array. false: out of memory.
static bool sheet_reserve(Sheet *sheet, void **array, size_t *cap, size_t count,
                          size_t size) {
  if (count <= *cap) return true;
  size_t more = *cap ? *cap : 1024;
  while (more < count) more *= 2;
  void *grown =
      sheet->failed ? NULL : mem_resize(&mem_libc, *array, more * size);
  if (grown == NULL) {
    sheet->failed = true;
    return false;
  }
  *array = grown;
  *cap = more;
  return true;
}

static SheetLine *line_of(const Sheet *sheet) {
  return sheet->count ? &sheet->lines[sheet->count - 1] : NULL;
}

static void add_line(Sheet *sheet, uint32_t indent) {
  void *lines = sheet->lines;
  if (!sheet_reserve(sheet, &lines, &sheet->line_cap, sheet->count + 1,
                     sizeof *sheet->lines)) {
    return;
  }
  sheet->lines = lines;
  sheet->lines[sheet->count++] = (SheetLine){
      .code = sheet->len, .indent = indent, .width = indent, .plain = true};
}

static bool sheet_add_bytes(Sheet *sheet, const char *text, size_t len) {
  void *bytes = sheet->text;
  if (!sheet_reserve(sheet, &bytes, &sheet->cap, sheet->len + len, 1))
    return false;
  sheet->text = bytes;
  RT_ASSERT(sheet->len + len <= sheet->cap);
  memcpy(sheet->text + sheet->len, text, len);
  sheet->len += len;
  return true;
}

void sheet_break(Sheet *sheet, bool blank_before, uint32_t indent) {
  if (blank_before && sheet->count > 0) add_line(sheet, 0);
  add_line(sheet, indent);
}

void sheet_text(Sheet *sheet, const char *text, size_t len) {
  SheetLine *line = line_of(sheet);
  if (line == NULL || !sheet_add_bytes(sheet, text, len)) return;
  line->code_len += len;
  const char *newline = memrchr(text, '\n', len);
  if (newline != NULL) {
    line->plain = false;
    line->width = 0;
    len -= (size_t)(newline + 1 - text);
    text = newline + 1;
  }
  line->width += sheet_width(text, len);
}

void sheet_space(Sheet *sheet) { sheet_text(sheet, " ", 1); }

void sheet_note(Sheet *sheet, const char *text, size_t len) {
  SheetLine *line = line_of(sheet);
  if (line == NULL) return;
  size_t at = sheet->len;
  if (!sheet_add_bytes(sheet, text, len)) return;
  RT_ASSERT(line->note_len == 0 && line->code + line->code_len == at);
  line->note = at;
  line->note_len = len;
}

uint32_t sheet_column(const Sheet *sheet) {
  const SheetLine *line = line_of(sheet);
  return line != NULL ? line->width : 0;
}

uint32_t sheet_indent(const Sheet *sheet) {
  const SheetLine *line = line_of(sheet);
  return line != NULL ? line->indent : 0;
}

bool sheet_is_valid(const Sheet *sheet) {
  size_t end = 0;
  if (sheet->failed) return true;
  if (sheet->len > sheet->cap || sheet->count > sheet->line_cap) return false;
  for (size_t i = 0; i < sheet->count; i++) {
    const SheetLine *line = &sheet->lines[i];
    if (line->code != end) return false;
    end = line->code + line->code_len;
    if (line->note_len > 0 && line->note != end) return false;
    end += line->note_len;
  }
  return end == sheet->len;
}

// --- the whole text ---------------------------------------------------------
static bool aligns(const SheetLine *a, const SheetLine *b) {
  return a->note_len && b->note_len && a->plain && b->plain &&
         a->indent == b->indent;
}

// The lines from `from` on whose comments stand under each other. *width: of
// the longest. 0: each for itself.
static size_t run_of_notes(const Sheet *sheet, size_t from, uint32_t *width) {
  size_t end = from;
  uint32_t note = 0;
  *width = 0;
  do {
    const SheetLine *line = &sheet->lines[end++];
    uint32_t len = sheet_width(sheet->text + line->note, line->note_len);
    if (line->width > *width) *width = line->width;
    if (len > note) note = len;
  } while (end < sheet->count &&
           aligns(&sheet->lines[end - 1], &sheet->lines[end]));
  if (*width + NOTE_GAP + note > FORMAT_WIDTH) *width = 0;
  return end;
}

static char *put_spaces(char *to, size_t count) {
  memset(to, ' ', count);
  return to + count;
}

static char *put_line(char *to, const Sheet *sheet, const SheetLine *line,
                      uint32_t width) {
  if (line->code_len > 0) to = put_spaces(to, line->indent);
  memcpy(to, sheet->text + line->code, line->code_len);
  to += line->code_len;
  if (line->note_len) {
    uint32_t missing = width > line->width ? width - line->width : 0;
    to = put_spaces(to, missing + NOTE_GAP);
    memcpy(to, sheet->text + line->note, line->note_len);
    to += line->note_len;
  }
  *to++ = '\n';
  return to;
}

// Each line may be widened up to FORMAT_WIDTH.
static size_t size_at_most(const Sheet *sheet) {
  size_t size = sheet->len + 1;
  for (size_t i = 0; i < sheet->count; i++) {
    const SheetLine *line = &sheet->lines[i];
    size += line->indent + (line->note_len ? FORMAT_WIDTH : 0) + NOTE_GAP + 1;
  }
  return size;
}

char *sheet_finish(const Sheet *sheet, size_t *len) {
  RT_ASSERT(sheet_is_valid(sheet));
  char *text = sheet->failed ? NULL : libc_resize(NULL, size_at_most(sheet));
  if (text == NULL) return NULL;
  char *to = text;
  for (size_t i = 0; i < sheet->count;) {
    uint32_t width;
    size_t end = run_of_notes(sheet, i, &width);
    for (; i < end; i++) to = put_line(to, sheet, &sheet->lines[i], width);
  }
  *to = '\0';
  *len = (size_t)(to - text);
  RT_ASSERT(*len < size_at_most(sheet));
  return text;
}

void sheet_free(Sheet *sheet) {
  mem_free(sheet->text);
  mem_free(sheet->lines);
  *sheet = (Sheet){0};
}
