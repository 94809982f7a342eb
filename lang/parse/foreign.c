// SPDX-License-Identifier: MIT
// What the words of other languages are called here.
#include "lang/parse/foreign.h"

#include <string.h>

#define DECLARE "declare with `name := value` or `var name`"
#define FUNCS "functions are declared with `func name(parameters) { }`"
#define LOOPS "loops are `for { }`, `for cond { }` and `for v in x { }`"
#define CHAIN "write `else if cond {` on the line of the `}` before it"
#define STRUCTS \
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
    {"class", STRUCTS},
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
    {"type", STRUCTS},
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
