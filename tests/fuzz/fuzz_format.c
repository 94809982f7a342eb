// SPDX-License-Identifier: MIT
// libFuzzer target: any text has syntax errors, or is formatted, and formatting
// that changes nothing. `tests/fuzz/run SECONDS` builds and runs it.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/format/formatter.h"
#include "lang/source.h"
#include "tests/fuzz/gate.h"
#include "tests/fuzz/mutator.h"

static char *format(const char *text, size_t size, size_t *len) {
  Source source = {.path = "fuzz.csp", .text = text, .len = size};
  char *message = NULL;
  char *result = lang_format(&source, len, &message);
  if (result == NULL && message == NULL) abort();
  // a syntax error has a line's number there
  if (message != NULL && strncmp(message, "fuzz.csp: ", 10) == 0) {
    fputs(message, stderr);
    abort();
  }
  free(message);
  return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  memcpy(text, data, size);
  text[size] = '\0';
  size_t len = 0, again = 0;
  char *once = format(text, size, &len);
  gate(size, once != NULL);
  char *twice = once != NULL ? format(once, len, &again) : NULL;
  if (once != NULL &&
      (twice == NULL || len != again || memcmp(once, twice, len) != 0)) {
    fprintf(stderr, "once:\n%s\ntwice:\n%s\n", once,
            twice != NULL ? twice : "refused");
    abort();
  }
  free(twice);
  free(once);
  free(text);
  return 0;
}
