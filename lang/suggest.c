// SPDX-License-Identifier: MIT
// "Did you mean ...": the nearest of some names, and what the words of other
// languages are called here. Pure functions; any thread.
#include <ctype.h>
#include <string.h>

#include "lang.h"

// Distances are counted in quarters of an edit, so that a letter in the other
// case can cost less than any real edit.
enum { EDIT = 4, CASE_EDIT = 1, MAX_NAME = 64 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static size_t substitution(char a, char b) {
  if (a == b) return 0;
  bool same_letter = tolower((unsigned char)a) == tolower((unsigned char)b);
  return same_letter ? CASE_EDIT : EDIT;
}

// Damerau-Levenshtein, where no place is edited twice.
static size_t distance(const char *a, size_t a_len, const char *b,
                       size_t b_len) {
  size_t rows[3][MAX_NAME + 1];
  size_t *older = rows[0], *old = rows[1], *row = rows[2];
  for (size_t j = 0; j <= b_len; j++) old[j] = j * EDIT;
  for (size_t i = 1; i <= a_len; i++) {
    row[0] = i * EDIT;
    for (size_t j = 1; j <= b_len; j++) {
      size_t best = least(old[j], row[j - 1]) + EDIT;
      best = least(best, old[j - 1] + substitution(a[i - 1], b[j - 1]));
      bool swapped =
          i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) best = least(best, older[j - 2] + EDIT);
      row[j] = best;
    }
    size_t *free_row = older;
    older = old;
    old = row;
    row = free_row;
  }
  return old[b_len];
}

// A third of the length, at least one edit, but never the whole name.
static size_t allowed(size_t len) {
  if (len < 2) return CASE_EDIT;
  return (len < 6 ? 1 : len / 3) * EDIT;
}

void suggest_try(Suggest *suggest, const char *candidate) {
  size_t wanted_len = strlen(suggest->wanted);
  size_t len = strlen(candidate);
  if (wanted_len > MAX_NAME || len > MAX_NAME) return;
  size_t d = distance(suggest->wanted, wanted_len, candidate, len);
  if (d == 0 || d > allowed(wanted_len)) return;
  if (suggest->best && d >= suggest->distance) return;
  suggest->best = candidate;
  suggest->distance = d;
}

#define DECLARE "declare with `name := value` or `var name`"
#define FUNCS "functions are declared with `func name(parameters) { }`"
#define LOOPS "loops are `for { }`, `for cond { }` and `for v in x { }`"
#define CHAIN "write `else if cond {` on the line of the `}` before it"
#define TYPES \
  "write `struct Name { fields }`, and methods as functions beside it"
#define BRACES "blocks stand in braces: `{` at the end of the line, and `}`"
#define ERRORS                                                  \
  "errors are values: `v, err := f()`, `f()?`; `panic(v)` and " \
  "`try(f, args...)` are for mistakes"
#define TASKS "`go f(x)` starts a goroutine, and `<-t` waits for its task"
#define NIL_WORD "write `nil`"

// Sorted, for reading.
static const struct {
  const char *word;
  const char *hint;
} FOREIGN[] = {
    {"and", "write `&&`"},
    {"async", TASKS},
    {"await", TASKS},
    {"catch", ERRORS},
    {"class", TYPES},
    {"def", FUNCS},
    {"do", BRACES},
    {"elif", CHAIN},
    {"elseif", CHAIN},
    {"elsif", CHAIN},
    {"end", BRACES},
    {"enum", "there are no enums: write `const a = 0`, one line each"},
    {"except", ERRORS},
    {"fallthrough", "a case never falls through: write `case a, b:`"},
    {"finally", "write `defer f()` at the start of the function"},
    {"fn", FUNCS},
    {"foreach", LOOPS},
    {"from", "write `import \"module\"`"},
    {"fun", FUNCS},
    {"function", FUNCS},
    {"include", "write `import \"module\"`"},
    {"interface", "there are no interfaces: call the method"},
    {"lambda", "write `func(x) => x`"},
    {"let", DECLARE},
    {"local", DECLARE},
    {"loop", LOOPS},
    {"match", "write `switch x { case 1: ... }`"},
    {"new", "instances are made by a call: `Point(1, 2)`"},
    {"None", NIL_WORD},
    {"not", "write `!x`, and `!(a in b)`"},
    {"null", NIL_WORD},
    {"NULL", NIL_WORD},
    {"or", "write `||`"},
    {"package", "a file is a module by itself: leave it out"},
    {"pass", "an empty block is `{ }`"},
    {"print", "`print` is a function: `print(x)`"},
    {"println", "`println` is a function: `println(x)`"},
    {"raise", ERRORS},
    {"range", "write `for v in x` or `for k, v in x`"},
    {"repeat", LOOPS},
    {"require", "write `import \"module\"`"},
    {"then", BRACES},
    {"throw", ERRORS},
    {"True", "write `true`"},
    {"False", "write `false`"},
    {"try", ERRORS},
    {"type", TYPES},
    {"undefined", NIL_WORD},
    {"unless", "write `if !cond { }`"},
    {"until", LOOPS},
    {"using", "write `import \"module\"`"},
    {"val", DECLARE},
    {"while", "a loop with a condition is `for cond { }`"},
    {"yield", "write `sched.yield()`, or send on a channel"},
};

const char *suggest_foreign(const char *word) {
  for (size_t i = 0; i < sizeof FOREIGN / sizeof *FOREIGN; i++) {
    if (strcmp(FOREIGN[i].word, word) == 0) return FOREIGN[i].hint;
  }
  return NULL;
}
