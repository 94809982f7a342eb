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

// Modules of other languages, by the last part of their paths.
static const ForeignWord FOREIGN_MODULES[] = {
    {"argparse", "a program's arguments are `os.args`"},
    {"asyncio", TASKS},
    {"bufio", "open files are buffered, and have `lines()`: `import \"os\"`"},
    {"collections", "lists are deques, and `map(default: 0)` counts"},
    {"context", "a `group` has a deadline, and `g.cancel()`"},
    {"copy", "`copy(x)` needs no import"},
    {"datetime", "dates are in `import \"time\"`"},
    {"errors", "`error(\"message\", cause: err)` needs no import"},
    {"filepath", "paths are in `import \"os\"`"},
    {"functools", "lists have `reduce` and more as methods"},
    {"glob", "`os.glob(pattern)`: write `import \"os\"`"},
    {"hashlib", "write `import \"hash\"`"},
    {"hmac", "`hash.hmac(name, key, data)`: write `import \"hash\"`"},
    {"io", "files are in `import \"os\"`, and readers in `import \"streams\"`"},
    {"itertools", "lists have `chunk`, `flatten`, `zip` and more as methods"},
    {"jinja2", "templates are in `import \"text\"`"},
    {"logging", "`fmt.eprintln(...)` writes to standard error"},
    {"path", "paths are in `import \"os\"`"},
    {"pathlib", "paths are in `import \"os\"`"},
    {"random", "write `import \"rand\"`"},
    {"re", "write `import \"regexp\"`"},
    {"requests", "write `import \"http\"`"},
    {"secrets", "`os.random(n)`: write `import \"os\"`"},
    {"shutil", "files are copied and removed by `import \"os\"`"},
    {"socket", "write `import \"net\"`"},
    {"sqlite3", "write `import \"sqlite\"`"},
    {"ssl", "write `import \"tls\"`"},
    {"strconv", "strings have `s.parse_int()`, and `str(x)` makes them"},
    {"struct", "bytes have `b.get_int(at, size)` and more as methods"},
    {"subprocess", "`os.run(program, args)`: write `import \"os\"`"},
    {"sys", "`os.args`, `os.exit`, `os.stdin`: write `import \"os\"`"},
    {"tarfile", "write `import \"tar\"`"},
    {"tempfile", "`os.temp_file()`, `os.temp_dir()`: write `import \"os\"`"},
    {"textwrap", "write `import \"text\"`"},
    {"threading", TASKS},
    {"tomllib", "write `import \"toml\"`"},
    {"urllib", "write `import \"http\"`, or `import \"url\"`"},
    {"websockets", "write `import \"websocket\"`"},
    {"zipfile", "write `import \"zip\"`"},
};

typedef struct ForeignMember {
  const char *module, *word, *here;
} ForeignMember;

// What modules that are here, too, have in other languages.
static const ForeignMember FOREIGN_MEMBERS[] = {
    {"csv", "DictReader", "csv.rows(file, header: true)"},
    {"csv", "DictWriter", "csv.text(rows, columns)"},
    {"csv", "reader", "csv.rows(file)"},
    {"csv", "writer", "csv.text(rows)"},
    {"json", "Marshal", "json.text(value)"},
    {"json", "Unmarshal", "json.parse(text)"},
    {"json", "decode", "json.parse(text)"},
    {"json", "dump", "json.text(value)"},
    {"json", "dumps", "json.text(value)"},
    {"json", "encode", "json.text(value)"},
    {"json", "load", "json.parse(text)"},
    {"json", "loads", "json.parse(text)"},
    {"json", "stringify", "json.text(value)"},
    {"math", "max", "max(a, b)"},
    {"math", "min", "min(a, b)"},
    {"math", "prod", "xs.reduce(func(a, b) => a * b, 1)"},
    {"os", "Getenv", "os.env(name)"},
    {"os", "ReadFile", "os.read_file(path)"},
    {"os", "argv", "os.args"},
    {"os", "cwd", "os.getwd()"},
    {"os", "getcwd", "os.getwd()"},
    {"os", "getenv", "os.env(name)"},
    {"os", "listdir", "os.list_dir(path)"},
    {"os", "makedirs", "os.mkdir_all(path)"},
    {"os", "rmdir", "os.remove(path)"},
    {"os", "rmtree", "os.remove_all(path)"},
    {"os", "system", "os.run(program, args)"},
    {"os", "unlink", "os.remove(path)"},
    {"regexp", "MustCompile", "regexp.compile(pattern)?"},
    {"regexp", "findall", "regexp.compile(pattern)?.find_all(text)"},
    {"regexp", "match", "regexp.compile(pattern)?.match(text)"},
    {"regexp", "search", "regexp.compile(pattern)?.find(text)"},
    {"regexp", "sub", "regexp.compile(pattern)?.replace(text, with)"},
    {"sqlite", "connect", "sqlite.open(path)?"},
    {"time", "strftime", "time.format(t, layout)"},
    {"time", "strptime", "time.parse(text, layout)"},
    {"time", "time", "time.now()"},
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

const char *suggest_foreign_module(const char *path) {
  const char *slash = strrchr(path, '/');
  return find_word(FOREIGN_MODULES,
                   sizeof FOREIGN_MODULES / sizeof *FOREIGN_MODULES,
                   slash != NULL ? slash + 1 : path);
}

const char *suggest_foreign_member(const char *module, const char *name) {
  for (size_t i = 0; i < sizeof FOREIGN_MEMBERS / sizeof *FOREIGN_MEMBERS;
       i++) {
    const ForeignMember *member = &FOREIGN_MEMBERS[i];
    bool fits = *module == '\0' || strcmp(member->module, module) == 0;
    if (fits && strcmp(member->word, name) == 0) return member->here;
  }
  return NULL;
}

bool foreign_is_function(const char *word) {
  static const char *const FOREIGN_FUNCTIONS[] = {"assert", "print", "println"};
  for (size_t i = 0; i < sizeof FOREIGN_FUNCTIONS / sizeof *FOREIGN_FUNCTIONS;
       i++) {
    if (strcmp(FOREIGN_FUNCTIONS[i], word) == 0) return true;
  }
  return false;
}
