// SPDX-License-Identifier: MIT
// The formatter's entry: text to text in the one style of docs/formatting.md.
// format.h says how its parts work together.
#include "lang/format/formatter.h"

#include <stdlib.h>
#include <string.h>

#include "lang/arena.h"
#include "lang/diag.h"
#include "lang/format/print.h"
#include "lang/format/same_program.h"
#include "lang/format/sheet.h"
#include "lang/format/words.h"
#include "lang/parse/trail.h"
#include "lang/source.h"
#include "sched/rt.h"

// A text, and what was made of it.
typedef struct Reading {
  Source source;
  Arena *arena;
  Diags *diags;
  Trail trail;
  Node *tree;
  Words words;
} Reading;

static char *no_memory(const char *path) {
  return mem_format(&mem_libc, "%s: out of memory\n", path);
}

// false: *message says why.
static bool parse_whole(Reading *reading, const Source *source,
                        char **message) {
  *reading = (Reading){.source = *source};
  reading->arena = arena_new(&mem_libc, rt_entropy());
  reading->diags = diags_new(&mem_libc, &reading->source);
  bool whole = false;
  if (reading->arena != NULL && reading->diags != NULL) {
    reading->tree = parse_with_trail(&reading->source, reading->arena,
                                     reading->diags, &reading->trail);
    if (diags_errors(reading->diags) > 0) {
      *message = diags_text(reading->diags);
      return false;
    }
    whole = !arena_failed(reading->arena) &&
            words_make(&reading->words, &reading->source, &reading->trail,
                       reading->tree);
  }
  if (!whole) *message = no_memory(source->path);
  return whole;
}

static void drop_reading(Reading *reading) {
  words_free(&reading->words);
  trail_free(&reading->trail);
  diags_free(reading->diags);
  arena_free(reading->arena);
}

static char *our_fault(const char *path, const char *what) {
  return mem_format(&mem_libc,
                    "%s: cannot format this: the %s would not stay the same\n"
                    "    this is an error in cspvm; please report it, with the "
                    "file\n",
                    path, what);
}

// What is different in the text that was made, or NULL.
static char *prove(const Reading *before, const char *text, size_t len) {
  Source source = {.path = before->source.path, .text = text, .len = len};
  Reading after;
  char *message = NULL;
  const char *different = "syntax";
  if (parse_whole(&after, &source, &message)) {
    different =
        format_check(&before->words, before->tree, &after.words, after.tree);
  }
  mem_free(message);
  drop_reading(&after);
  return different != NULL ? our_fault(before->source.path, different) : NULL;
}

static char *format_reading(const Reading *reading, size_t *len,
                            char **message) {
  Sheet sheet = {0};
  format_print(&reading->words, &sheet);
  char *text = sheet_finish(&sheet, len);
  sheet_free(&sheet);
  if (text == NULL) {
    *message = no_memory(reading->source.path);
    return NULL;
  }
  *message = prove(reading, text, *len);
  if (*message == NULL) return text;
  libc_free(text);
  return NULL;
}

char *lang_format(const Source *source, size_t *len, char **message) {
  Reading reading;
  *message = NULL;
  char *text = NULL;
  if (parse_whole(&reading, source, message)) {
    text = format_reading(&reading, len, message);
  }
  drop_reading(&reading);
  if (*message != NULL) *message = libc_hand_over(*message, strlen(*message));
  return text;
}
