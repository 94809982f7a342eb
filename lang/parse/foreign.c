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

typedef struct ForeignWord {
  const char *word;
  const char *hint;
} ForeignWord;

// What other languages have in their grammars. Sorted, for reading.
static const ForeignWord FOREIGN[] = {
    {"and", "write `&&`"},
    {"assert", "`assert` is a function: `assert(x)`"},
    {"async", TASKS},
    {"await", TASKS},
    {"catch", ERRORS},
    {"class", STRUCTS},
    {"def", FUNCS},
    {"del", "write `delete(m, key)`"},
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
    {"instanceof", "write `x is Type`"},
    {"interface", "there are no interfaces: call the method"},
    {"lambda", "write `func(x) => x`"},
    {"let", DECLARE},
    {"local", DECLARE},
    {"loop", LOOPS},
    {"match", "write `switch x { case 1: ... }`"},
    {"new", "instances are made by a call: `Point(1, 2)`"},
    {"None", NIL_WORD},
    {"not", "write `!x`, and `!(a in b)`"},
    {"of", LOOPS},
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
    {"typeof", "write `type(x)`"},
    {"undefined", NIL_WORD},
    {"unless", "write `if !cond { }`"},
    {"until", LOOPS},
    {"using", "write `import \"module\"`"},
    {"val", DECLARE},
    {"while", "a loop with a condition is `for cond { }`"},
    {"yield", "write `sched.yield()`, or send on a channel"},
};

// What they predeclare, and what may as well be a name of the program.
static const ForeignWord FOREIGN_NAMES[] = {
    {"append", "write `xs.push(v)`"},
    {"console", "write `println(x)`"},
    {"dict", "write `{}`, or `map(pairs)`"},
    {"enumerate", "write `for i, v in xs`, or `xs.enumerate()`"},
    {"input", "write `os.read_line()`, after `import \"os\"`"},
    {"make", "write `[]`, `{}` or `chan(n)`"},
    {"open", "write `os.open(path, mode)`, after `import \"os\"`"},
    {"printf", "write `fmt.printf(...)`, after `import \"fmt\"`"},
    {"self", "a method names its receiver: `func (p Point) name()`"},
    {"sorted", "write `copy(xs).sort()`"},
    {"string", "write `str(x)`, or for the type `x is string`"},
    {"sum", "write `xs.sum()`"},
    {"this", "a method names its receiver: `func (p Point) name()`"},
};

static const char *find_word(const ForeignWord *words, size_t count,
                             const char *word) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(words[i].word, word) == 0) return words[i].hint;
  }
  return NULL;
}

const char *suggest_foreign(const char *word) {
  return find_word(FOREIGN, sizeof FOREIGN / sizeof *FOREIGN, word);
}

const char *suggest_foreign_name(const char *word) {
  const char *hint = suggest_foreign(word);
  return hint != NULL
             ? hint
             : find_word(FOREIGN_NAMES,
                         sizeof FOREIGN_NAMES / sizeof *FOREIGN_NAMES, word);
}

bool foreign_is_function(const char *word) {
  static const char *const FOREIGN_FUNCTIONS[] = {"assert", "print", "println"};
  for (size_t i = 0; i < sizeof FOREIGN_FUNCTIONS / sizeof *FOREIGN_FUNCTIONS;
       i++) {
    if (strcmp(FOREIGN_FUNCTIONS[i], word) == 0) return true;
  }
  return false;
}
