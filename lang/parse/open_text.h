// SPDX-License-Identifier: MIT
// Whether a text that grows by lines is surely not whole yet.
#ifndef CSP_LANG_PARSE_OPEN_TEXT_H
#define CSP_LANG_PARSE_OPEN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "lang/depth.h"

// What the last token says, outside of brackets.
typedef enum OpenLast {
  LAST_ENDS,       // perhaps a newline after it ends a statement
  LAST_GOES_ON,    // it does not
  LAST_NAMES_NEXT  // neither, and a word after it is a name
} OpenLast;

typedef struct OpenText {
  size_t at;                        // up to here it was looked at
  bool unsure;                      // for good
  OpenLast last;                    // while nothing is open
  int depth;                        // of what is open
  char open[LANG_MAX_NESTING + 1];  // a bracket, or one of open_text.c's marks
} OpenText;

// Looks at what has come since the last call (*open is zeroed before the first
// one). Whole lines have come. true: a bracket, comment or raw string is open
// at the end, or the last token is an operator or word that needs more. So the
// text is incomplete, if it has no error. false: perhaps it is not.
bool open_text_is(OpenText *open, const char *text, size_t len);
// Nothing is open inside of a comment or a raw string.
bool open_text_is_valid(const OpenText *open);

#endif
