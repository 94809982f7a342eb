// SPDX-License-Identifier: MIT
// Compile errors and warnings: collected, then printed in order of place.
//
// At most MAX_ERRORS errors are kept, the rest is counted. Two errors at one
// place are one: the first says more than what followed from it. Memory that
// runs out loses messages, never the count. Single-threaded.
#include "lang/diag.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lang/source.h"
#include "sched/rt.h"
#include "vm/object/value_text.h"
#include "vm/value/utf8.h"

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
  const Memory *memory;
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

static char *format_message(const Diags *diags, const char *format,
                            va_list args) {
  return mem_format_args(diags->memory, NULL, format, args);
}

bool diags_are_valid(const Diags *diags) {
  int kept_errors = 0;
  if (diags->count < 0 || diags->count > MAX_ERRORS + MAX_WARNINGS)
    return false;
  for (int i = 0; i < diags->count; i++) {
    if (diags->list[i].order != i) return false;
    kept_errors += !diags->list[i].warning;
  }
  return kept_errors <= MAX_ERRORS && kept_errors <= diags->errors &&
         diags->count - kept_errors <= diags->warnings;
}

static void diag_add(Diags *diags, Diag diag) {
  RT_ASSERT(diags->count < MAX_ERRORS + MAX_WARNINGS);
  diag.order = diags->count;
  diags->last = &diags->list[diags->count++];
  *diags->last = diag;
  RT_ASSERT(diags_are_valid(diags));
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
static AstStr shown_part(AstStr line, size_t *column) {
  if (line.len <= MAX_SHOWN) return line;
  size_t begin = *column > MAX_SHOWN / 2 ? *column - MAX_SHOWN / 2 : 0;
  while (begin > 0 && utf8_continues(line.text[begin])) {
    begin--;
  }
  size_t len = line.len - begin;
  *column -= begin;
  return (AstStr){line.text + begin, len < MAX_SHOWN ? len : MAX_SHOWN};
}

// Bytes that would upset a terminal are shown as `?`.
static void print_source(Text *out, AstStr line) {
  for (size_t i = 0; i < line.len;) {
    size_t len = utf8_sequence(line.text + i, line.len - i);
    unsigned char byte = (unsigned char)line.text[i];
    bool plain = len > 1 || byte == '\t' || (byte >= ' ' && byte < 0x7f);
    if (len > 0 && plain) {
      text_add(out, line.text + i, len);
    } else {
      text_add(out, "?", 1);
    }
    i += len ? len : 1;
  }
}

// Under each character one of `mark`; tabs stay tabs before the caret.
static void print_marks(Text *out, AstStr text, const char *mark, bool tabs) {
  for (size_t i = 0; i < text.len;) {
    size_t len = utf8_sequence(text.text + i, text.len - i);
    text_add(out, tabs && text.text[i] == '\t' ? "\t" : mark, 1);
    i += len ? len : 1;
  }
}

static void print_diag_place(const Diags *diags, const Diag *diag, Text *out) {
  size_t column = diag->pos.col ? diag->pos.col - 1 : 0;
  AstStr line = source_line(diags->source, diag->pos);
  if (column > line.len) column = line.len;
  line = shown_part(line, &column);
  RT_ASSERT(column <= line.len);
  text_addf(out, "    ");
  print_source(out, line);
  text_addf(out, "\n    ");
  print_marks(out, (AstStr){line.text, column}, " ", true);
  text_add(out, "^", 1);
  size_t first = utf8_sequence(line.text + column, line.len - column);
  size_t from = column + (first ? first : 1);
  size_t end = column + diag->len;
  if (end > line.len) end = line.len;
  if (from < end) {
    print_marks(out, (AstStr){line.text + from, end - from}, "~", false);
  }
  text_add(out, "\n", 1);
}

static void print_diag(const Diags *diags, const Diag *diag, Text *out) {
  text_addf(out, "%s:%u:%u: %s: %s\n", diags->source->path, diag->pos.line,
            diag->pos.col, diag->warning ? "warning" : "error",
            diag->message != NULL ? diag->message : "out of memory");
  print_diag_place(diags, diag, out);
  if (diag->hint != NULL) text_addf(out, "    %s\n", diag->hint);
}

static void print_all(const Diags *diags, Text *out) {
  const Diag *sorted[MAX_ERRORS + MAX_WARNINGS];
  int kept = 0;
  for (int i = 0; i < diags->count; i++) {
    sorted[i] = &diags->list[i];
    if (!sorted[i]->warning) kept++;
  }
  qsort(sorted, (size_t)diags->count, sizeof *sorted, by_place);
  for (int i = 0; i < diags->count; i++) print_diag(diags, sorted[i], out);
  int more = diags->errors - kept;
  if (more > 0) text_addf(out, "%d more error%s\n", more, more > 1 ? "s" : "");
}

// --- entry points -----------------------------------------------------------
Diags *diags_new(const Memory *memory, const Source *source) {
  Diags *diags = mem_zeroed(memory, sizeof *diags);
  if (diags == NULL) return NULL;
  diags->memory = memory;
  diags->source = source;
  return diags;
}

void diags_free(Diags *diags) {
  if (diags == NULL) return;
  for (int i = 0; i < diags->count; i++) {
    mem_free(diags->list[i].message);
    mem_free(diags->list[i].hint);
  }
  mem_free(diags);
}

bool diag_error(Diags *diags, Pos pos, uint32_t len, const char *format, ...) {
  diags->last = NULL;
  if (same_place_known(diags, pos)) return false;
  if (diags->errors++ >= MAX_ERRORS) return false;
  va_list args;
  va_start(args, format);
  diag_add(diags, (Diag){.pos = pos,
                         .len = len,
                         .message = format_message(diags, format, args)});
  va_end(args);
  return true;
}

void diag_hint(Diags *diags, const char *format, ...) {
  if (diags->last == NULL) return;
  va_list args;
  va_start(args, format);
  mem_free(diags->last->hint);
  diags->last->hint = format_message(diags, format, args);
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
                         .message = format_message(diags, format, args)});
  va_end(args);
}

uint32_t diags_first_error(const Diags *diags) {
  uint32_t first = UINT32_MAX;
  for (int i = 0; i < diags->count; i++) {
    const Diag *diag = &diags->list[i];
    if (!diag->warning && diag->pos.offset < first) first = diag->pos.offset;
  }
  return diags->errors > 0 && first == UINT32_MAX ? 0 : first;
}

int diags_errors(const Diags *diags) { return diags->errors; }

int diags_warnings(const Diags *diags) { return diags->warnings; }

char *diags_text(const Diags *diags) {
  Text out = {.memory = diags->memory};
  text_add(&out, "", 0);
  print_all(diags, &out);
  if (!out.failed) return out.data;
  text_free(&out);
  return NULL;
}
