// SPDX-License-Identifier: MIT
// What the front end says about a text.
#ifndef CSP_TESTS_UNIT_PARSE_FIXTURE_H
#define CSP_TESTS_UNIT_PARSE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h wants those before it
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lang/arena.h"
#include "lang/ast_dump.h"
#include "lang/diag.h"
#include "lang/parse/parse.h"
#include "lang/source.h"

// What it says about a text of `len` bytes: the dump of its tree,
// or, if there are errors, their text. Malloced.
static char *parse_bytes(const char *text, size_t len) {
  // A block of its own size: reading past the end shows.
  char *copy = malloc(len + 1);
  memcpy(copy, text, len);
  copy[len] = '\0';
  Source source = {.path = "t", .text = copy, .len = len};
  Arena *arena = arena_new(&mem_libc, 1);
  Diags *diags = diags_new(&mem_libc, &source);
  Node *tree = lang_parse(&source, arena, diags);
  char *result = NULL;
  if (diags_errors(diags) > 0) {
    char *own = diags_text(diags);
    result = libc_hand_over(own, strlen(own));
  } else {
    size_t size;
    FILE *out = open_memstream(&result, &size);
    ast_dump(out, tree);
    fclose(out);
  }
  diags_free(diags);
  arena_free(arena);
  free(copy);
  return result;
}

// Every line of the form "t:line:col: error: message" or a hint, given as
// "line:col: message" and " > hint", one a line; sources and carets left out.
static void errors(const char *text, const char *expected) {
  char *result = parse_bytes(text, strlen(text));
  char *out = calloc(1, strlen(result) + 1);
  int in_error = 0;
  for (char *line = strtok(result, "\n"); line; line = strtok(NULL, "\n")) {
    char *error = strstr(line, ": error: ");
    if (strncmp(line, "t:", 2) == 0 && error != NULL) {
      strncat(out, line + 2, (size_t)(error - line - 2));
      strcat(out, error + strlen(": error"));
      strcat(out, "\n");
      in_error = 0;
    } else if (++in_error == 3 || strncmp(line, "    ", 4) != 0) {
      strcat(out, " > ");
      strcat(out, line + strspn(line, " "));
      strcat(out, "\n");
    }
  }
  assert_string_equal(out, expected);
  free(out);
  free(result);
}

#endif
