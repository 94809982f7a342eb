// SPDX-License-Identifier: MIT
// Checks formats of interpolations: [flags][width][.precision]verb, as in the
// module fmt. The limits and messages are those of stdlib/fmt.c, which this
// layer cannot see (tests/lexical/format_faults.sh compares them). Pure
// functions; any thread.
#include "lang/parse/verb.h"

#include <stdio.h>
#include <string.h>

#include "sched/rt.h"
#include "vm/value/utf8.h"

enum { WIDTH_MOST = 1000000, PRECISION_MOST = 1000, SHOWN_MOST = 20 };

typedef struct Rest {
  const char *at, *end;
} Rest;

static bool is_in(const char *set, char c) {
  return c != '\0' && strchr(set, c) != NULL;
}

// Digits that are a number up to `most`. false: it is larger.
static bool pass_number(Rest *rest, int most) {
  int n = 0;
  for (; rest->at < rest->end && is_in("0123456789", *rest->at); rest->at++) {
    n = n * 10 + (*rest->at - '0');
    if (n > most) return false;
  }
  RT_ASSERT(n >= 0 && n <= most);
  return true;
}

// Flags, width and precision.
static bool pass_numbers(Rest *rest) {
  while (rest->at < rest->end && is_in("-+#0 ", *rest->at)) rest->at++;
  if (!pass_number(rest, WIDTH_MOST)) return false;
  if (rest->at == rest->end || *rest->at != '.') return true;
  rest->at++;
  return pass_number(rest, PRECISION_MOST);
}

static size_t first_character(const Rest *rest) {
  size_t n = 1, len = (size_t)(rest->end - rest->at);
  RT_ASSERT(len > 0);
  while (n < len && utf8_continues(rest->at[n])) n++;
  return n;
}

bool verb_is_wrong(const char *text, size_t len, char *fault, size_t size) {
  Rest rest = {text, text + len};
  bool fits = pass_numbers(&rest);
  char seen[UTF8_SHOWN(SHOWN_MOST)];
  size_t left = (size_t)(rest.end - rest.at);
  if (!fits) {
    snprintf(fault, size, "a width or precision is too large");
  } else if (left == 0) {
    snprintf(fault, size, "the format ends inside a verb");
  } else if (*rest.at == '*') {
    snprintf(fault, size, "there is no argument for `*` here");
  } else if (!is_in("diobxXsvqctfFeEgG", *rest.at)) {
    utf8_show(rest.at, first_character(&rest), SHOWN_MOST, seen);
    snprintf(fault, size,
             "unknown verb %%%s; there are d i s v q x X o b c f F e E g G t",
             seen);
  } else if (left > 1) {
    utf8_show(rest.at + 1, left - 1, SHOWN_MOST, seen);
    snprintf(fault, size, "unexpected `%s` after the verb of a format", seen);
  } else {
    return false;
  }
  return true;
}
