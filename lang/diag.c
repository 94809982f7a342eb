// SPDX-License-Identifier: MIT
// Compile errors and warnings: collected, then printed in order of place.
//
// At most MAX_ERRORS errors are kept, the rest is counted. Two errors at one
// place are one: the first says more than what followed from it. Memory that
// runs out loses messages, never the count. Single-threaded.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lang.h"

enum {
  MAX_ERRORS = 20,
  MAX_WARNINGS = 100,
  MAX_SHOWN = 160,  // bytes of a source line that are shown
};

typedef struct Diag {
  Pos pos;
  uint32_t len;
  bool warning;
  int order;  // as added: keeps the sort stable
  char *message;
  char *hint;  // or NULL
} Diag;

struct Diags {
  const Source *source;
  Diag list[MAX_ERRORS + MAX_WARNINGS];
  int count;
  int errors;
  int warnings;
  Diag *last;  // what diag_hint speaks of; NULL if it was not kept
};

static bool same_place_known(const Diags *diags, Pos pos) {
  for (int i = 0; i < diags->count; i++) {
    const Diag *diag = &diags->list[i];
    if (!diag->warning && diag->pos.offset == pos.offset) return true;
  }
  return false;
}

static char *format_message(const char *format, va_list args) {
  char *text = NULL;
  return vasprintf(&text, format, args) < 0 ? NULL : text;
}

static void diag_add(Diags *diags, Diag diag) {
  diag.order = diags->count;
  diags->last = &diags->list[diags->count++];
  *diags->last = diag;
}

static int by_place(const void *left, const void *right) {
  const Diag *a = *(Diag *const *)left, *b = *(Diag *const *)right;
  if (a->pos.offset != b->pos.offset) {
    return a->pos.offset < b->pos.offset ? -1 : 1;
  }
  return a->order - b->order;
}

// --- printing ---------------------------------------------------------------
// The part of the line to show, round the place, and what precedes it.
static Str shown_part(Str line, size_t *column) {
  if (line.len <= MAX_SHOWN) return line;
  size_t begin = *column > MAX_SHOWN / 2 ? *column - MAX_SHOWN / 2 : 0;
  while (begin > 0 && ((unsigned char)line.text[begin] & 0xc0) == 0x80) {
    begin--;
  }
  size_t len = line.len - begin;
  *column -= begin;
  return (Str){line.text + begin, len < MAX_SHOWN ? len : MAX_SHOWN};
}

// Bytes that would upset a terminal are shown as `?`.
static void print_source(FILE *out, Str line) {
  for (size_t i = 0; i < line.len;) {
    size_t len = source_utf8(line.text + i, line.len - i);
    unsigned char byte = (unsigned char)line.text[i];
    bool plain = len > 1 || byte == '\t' || (byte >= ' ' && byte < 0x7f);
    if (len > 0 && plain) {
      fwrite(line.text + i, 1, len, out);
    } else {
      fputc('?', out);
    }
    i += len ? len : 1;
  }
}

// Under each character one of `mark`; tabs stay tabs before the caret.
static void print_marks(FILE *out, Str text, const char *mark, bool tabs) {
  for (size_t i = 0; i < text.len;) {
    size_t len = source_utf8(text.text + i, text.len - i);
    fputc(tabs && text.text[i] == '\t' ? '\t' : *mark, out);
    i += len ? len : 1;
  }
}

static void print_place(const Diags *diags, const Diag *diag, FILE *out) {
  size_t column = diag->pos.col ? diag->pos.col - 1 : 0;
  Str line = source_line(diags->source, diag->pos);
  if (column > line.len) column = line.len;
  line = shown_part(line, &column);
  fputs("    ", out);
  print_source(out, line);
  fputs("\n    ", out);
  print_marks(out, (Str){line.text, column}, " ", true);
  fputc('^', out);
  size_t first = source_utf8(line.text + column, line.len - column);
  size_t from = column + (first ? first : 1);
  size_t end = column + diag->len;
  if (end > line.len) end = line.len;
  if (from < end) {
    print_marks(out, (Str){line.text + from, end - from}, "~", false);
  }
  fputc('\n', out);
}

static void print_diag(const Diags *diags, const Diag *diag, FILE *out) {
  fprintf(out, "%s:%u:%u: %s: %s\n", diags->source->path, diag->pos.line,
          diag->pos.col, diag->warning ? "warning" : "error",
          diag->message ? diag->message : "out of memory");
  print_place(diags, diag, out);
  if (diag->hint) fprintf(out, "    %s\n", diag->hint);
}

static void print_all(const Diags *diags, FILE *out) {
  const Diag *sorted[MAX_ERRORS + MAX_WARNINGS];
  int kept = 0;
  for (int i = 0; i < diags->count; i++) {
    sorted[i] = &diags->list[i];
    if (!sorted[i]->warning) kept++;
  }
  qsort(sorted, (size_t)diags->count, sizeof *sorted, by_place);
  for (int i = 0; i < diags->count; i++) print_diag(diags, sorted[i], out);
  int more = diags->errors - kept;
  if (more > 0) fprintf(out, "%d more error%s\n", more, more > 1 ? "s" : "");
}

// --- entry points -----------------------------------------------------------
Diags *diags_new(const Source *source) {
  Diags *diags = calloc(1, sizeof *diags);
  if (diags) diags->source = source;
  return diags;
}

void diags_free(Diags *diags) {
  if (diags == NULL) return;
  for (int i = 0; i < diags->count; i++) {
    free(diags->list[i].message);
    free(diags->list[i].hint);
  }
  free(diags);
}

void diag_error(Diags *diags, Pos pos, uint32_t len, const char *format, ...) {
  diags->last = NULL;
  if (same_place_known(diags, pos)) return;
  if (diags->errors++ >= MAX_ERRORS) return;
  va_list args;
  va_start(args, format);
  diag_add(
      diags,
      (Diag){.pos = pos, .len = len, .message = format_message(format, args)});
  va_end(args);
}

void diag_hint(Diags *diags, const char *format, ...) {
  if (diags->last == NULL) return;
  va_list args;
  va_start(args, format);
  free(diags->last->hint);
  diags->last->hint = format_message(format, args);
  va_end(args);
}

void diag_warn(Diags *diags, Pos pos, uint32_t len, const char *format, ...) {
  diags->last = NULL;
  if (diags->warnings++ >= MAX_WARNINGS) return;
  va_list args;
  va_start(args, format);
  diag_add(diags, (Diag){.pos = pos,
                         .len = len,
                         .warning = true,
                         .message = format_message(format, args)});
  va_end(args);
}

int diags_errors(const Diags *diags) { return diags->errors; }

int diags_warnings(const Diags *diags) { return diags->warnings; }

char *diags_text(const Diags *diags) {
  char *text = NULL;
  size_t len = 0;
  FILE *out = open_memstream(&text, &len);
  if (out == NULL) return NULL;
  print_all(diags, out);
  if (fclose(out) != 0) {
    free(text);
    return NULL;
  }
  return text;
}
