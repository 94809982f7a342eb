// SPDX-License-Identifier: MIT
// One input of a session (compile/session.c), and what comes out of it.
#ifndef CSP_LANG_SESSION_INPUT_H
#define CSP_LANG_SESSION_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SessionInput {
  const char *path;  // as messages show it; imports are relative to it
  const char *text;  // NUL-terminated
  size_t len;
  bool file;  // a file's text: has no value
  bool dry;   // nothing that it declares is kept
  // What comes out:
  bool bare;     // no script could hold it: a value alone, or it has `_`
  bool shows;    // a value that no script could hold follows other statements
  bool checked;  // the value's last one is an error to look at, from a `?`
  uint32_t line, col;  // ... that stands there
  size_t start;        // of the last statement, if it gives the input's value
  char *messages;      // errors; or NULL
  char *names;         // what it declares, a space after each
} SessionInput;

#endif
