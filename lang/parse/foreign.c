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
#define AS_MAP "write `json.parse(json.text(x)?)?`, after `import \"json\"`"
#define SETS "a set is a map, `{[x]: true}`, and `xs.unique()` a list"
#define TESTS "`cspvm test` runs functions `test_...`, with `assert(x)`"
#define DURATION "write `time.duration_string(d)`, after `import \"time\"`"
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
    {"range",
     "write `for v in x`, `for k, v in x`, `for i in n`, or `for i in "
     "(from..to).by(step)`"},
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
    {"all", "write `xs.all(f)`"},
    {"any", "write `xs.any(f)`"},
    {"append", "write `xs.push(v)`"},
    {"asdict", AS_MAP},
    {"bin", "write `\"${n:b}\"`"},
    {"bytearray", "write `bytes(x)`"},
    {"chr", "write `strings.from_runes(n)`, after `import \"strings\"`"},
    {"console", "write `println(x)`"},
    {"Counter", "write `maps.count(xs)`, after `import \"maps\"`"},
    {"defaultdict", "write `map(default: 0)`, or `m[k] ?\?= []`"},
    {"dict", "write `{}`, or `map(pairs)`"},
    {"dur", DURATION},
    {"duration", DURATION},
    {"enumerate", "write `for i, v in xs`, or `xs.enumerate()`"},
    {"Exception", ERRORS},
    {"exit", "write `os.exit(status)`, after `import \"os\"`"},
    {"filter", "write `xs.filter(f)`"},
    {"frozenset", SETS},
    {"help",
     "`cspvm doc NAME` tells of a name, and so does `:help NAME` in the REPL"},
    {"hex", "write `\"${n:x}\"`"},
    {"input", "write `os.read_line()`, after `import \"os\"`"},
    {"isinstance", "write `x is Type`"},
    {"KeyError", ERRORS},
    {"make", "write `[]`, `{}` or `chan(n)`"},
    {"open", "write `os.open(path, mode)`, after `import \"os\"`"},
    {"ord", "write `s.runes()[0]`, or `'a'`"},
    {"pow",
     "write `math.pow(x, y)` or `math.ipow(x, y)`, after "
     "`import \"math\"`"},
    {"printf", "write `fmt.printf(...)`, after `import \"fmt\"`"},
    {"quit", "write `os.exit(status)`, after `import \"os\"`"},
    {"repr", "write `\"${x:q}\"`"},
    {"reversed", "write `copy(xs).reverse()`"},
    {"round", "write `math.round(x, digits)`, after `import \"math\"`"},
    {"self", "a method names its receiver: `func (p Point) name()`"},
    {"set", SETS},
    {"sorted", "write `copy(xs).sort()`"},
    {"string", "write `str(x)`, or for the type `x is string`"},
    {"sum", "write `xs.sum()`"},
    {"this", "a method names its receiver: `func (p Point) name()`"},
    {"ValueError", ERRORS},
    {"vars", AS_MAP},
};

// Modules of other languages, by the last part of their paths.
static const ForeignWord FOREIGN_MODULES[] = {
    {"argparse", "a program's arguments are `os.args`"},
    {"asyncio", TASKS},
    {"asyncpg", "write `import \"postgres\"`"},
    {"base64", "bytes have `b.base64()`, and `bytes.from_base64(s)` reads it"},
    {"bisect", "`xs.binary_search(v)` needs no import"},
    {"bufio", "open files are buffered, and have `lines()`: `import \"os\"`"},
    {"cbor2", "write `import \"cbor\"`"},
    {"collections", "lists are deques, and `map(default: 0)` counts"},
    {"concurrent", TASKS},
    {"configparser", "settings are in `import \"toml\"`"},
    {"context", "a `group` has a deadline, and `g.cancel()`"},
    {"contextlib", "write `defer f()` after what made it"},
    {"copy", "`copy(x)` needs no import"},
    {"dataclasses", STRUCTS},
    {"datetime", "dates are in `import \"time\"`"},
    {"errors", "`error(\"message\", cause: err)` needs no import"},
    {"filepath", "paths are in `import \"os\"`"},
    {"flask", "servers are in `import \"http\"`"},
    {"functools", "lists have `reduce` and more as methods"},
    {"glob", "`os.glob(pattern)`: write `import \"os\"`"},
    {"hashlib", "write `import \"hash\"`"},
    {"hmac", "`hash.hmac(name, key, data)`: write `import \"hash\"`"},
    {"io", "files are in `import \"os\"`, and readers in `import \"streams\"`"},
    {"itertools", "lists have `chunk`, `flatten`, `zip` and more as methods"},
    {"jinja2", "templates are in `import \"text\"`"},
    {"logging", "`fmt.eprintln(...)` writes to standard error"},
    {"multiprocessing", TASKS},
    {"path", "paths are in `import \"os\"`"},
    {"pathlib", "paths are in `import \"os\"`"},
    {"pickle", "values are written by `import \"cbor\"` or `import \"json\"`"},
    {"psycopg", "write `import \"postgres\"`"},
    {"psycopg2", "write `import \"postgres\"`"},
    {"pytest", TESTS},
    {"queue", "a channel is a queue: `chan(n)`"},
    {"random", "write `import \"rand\"`"},
    {"re", "write `import \"regexp\"`"},
    {"requests", "write `import \"http\"`"},
    {"secrets", "`os.random(n)`: write `import \"os\"`"},
    {"shutil", "files are copied and removed by `import \"os\"`"},
    {"signal", "`os.signals(names...)`: write `import \"os\"`"},
    {"socket", "write `import \"net\"`"},
    {"sqlite3", "write `import \"sqlite\"`"},
    {"ssl", "write `import \"tls\"`"},
    {"statistics", "lists have `sum`, `min`, `max` and `sort` as methods"},
    {"strconv", "strings have `s.parse_int()`, and `str(x)` makes them"},
    {"struct", "bytes have `b.get_int(at, size)` and more as methods"},
    {"subprocess", "`os.run(program, args)`: write `import \"os\"`"},
    {"sys", "`os.args`, `os.exit`, `os.stdin`: write `import \"os\"`"},
    {"tarfile", "write `import \"tar\"`"},
    {"tempfile", "`os.temp_file()`, `os.temp_dir()`: write `import \"os\"`"},
    {"textwrap", "write `import \"text\"`"},
    {"threading", TASKS},
    {"tomllib", "write `import \"toml\"`"},
    {"traceback", "`err.trace` needs no import"},
    {"typing", "parameters and variables have no types"},
    {"unittest", TESTS},
    {"urllib", "write `import \"http\"`, or `import \"url\"`"},
    {"websockets", "write `import \"websocket\"`"},
    {"yaml", "settings are in `import \"toml\"`"},
    {"zipfile", "write `import \"zip\"`"},
};

typedef struct ForeignMember {
  const char *module, *word, *here;
} ForeignMember;

// What modules that are here, too, have in other languages.
static const ForeignMember FOREIGN_MEMBERS[] = {
    {"cbor", "dumps", "cbor.encode(value)"},
    {"cbor", "loads", "cbor.decode(data)"},
    {"csv", "DictReader", "csv.rows(file, header: true)"},
    {"csv", "DictWriter", "csv.text(rows, columns)"},
    {"csv", "reader", "csv.rows(file)"},
    {"csv", "writer", "csv.text(rows)"},
    {"gzip", "compress", "gzip.writer(f)"},
    {"gzip", "decompress", "gzip.reader(f)"},
    {"http", "HandleFunc", "http.routes({\"GET /\": handler})"},
    {"http", "ListenAndServe", "http.serve(\":8080\", handler)"},
    {"json", "Marshal", "json.text(value)"},
    {"json", "Unmarshal", "json.parse(text)"},
    {"json", "decode", "json.parse(text)"},
    {"json", "dump", "json.text(value)"},
    {"json", "dumps", "json.text(value)"},
    {"json", "encode", "json.text(value)"},
    {"json", "load", "json.parse(text)"},
    {"json", "loads", "json.parse(text)"},
    {"json", "stringify", "json.text(value)"},
    {"maps", "entries", "maps.items(m)"},
    {"maps", "has_key", "key in m"},
    {"maps", "len", "len(m)"},
    {"maps", "sorted", "maps.sorted_keys(m)"},
    {"math", "fsum", "xs.sum()"},
    {"math", "isclose", "math.abs(a - b) < 1e-9"},
    {"math", "max", "max(a, b)"},
    {"math", "mean", "xs.sum() / float(len(xs))"},
    {"math", "min", "min(a, b)"},
    {"math", "prod", "xs.reduce(func(a, b) => a * b, 1)"},
    {"os", "Getenv", "os.env(name)"},
    {"os", "ReadFile", "os.read_file(path)"},
    {"os", "argv", "os.args"},
    {"os", "basename", "os.base(path)"},
    {"os", "copy", "os.copy_file(from, to)"},
    {"os", "cpu_count", "sched.procs()"},
    {"os", "cwd", "os.getwd()"},
    {"os", "dirname", "os.dir(path)"},
    {"os", "getcwd", "os.getwd()"},
    {"os", "getenv", "os.env(name)"},
    {"os", "getpid", "os.pid()"},
    {"os", "join", "os.join_path(parts...)"},
    {"os", "listdir", "os.list_dir(path)"},
    {"os", "makedirs", "os.mkdir_all(path)"},
    {"os", "move", "os.rename(from, to)"},
    {"os", "path", "os.join_path, os.base, os.dir, os.ext"},
    {"os", "random_bytes", "os.random(n)"},
    {"os", "rmdir", "os.remove(path)"},
    {"os", "rmtree", "os.remove_all(path)"},
    {"os", "splitext", "os.ext(path)"},
    {"os", "stderr", "fmt.eprintln(x)"},
    {"os", "stdout", "print(x)"},
    {"os", "system", "os.run(program, args)"},
    {"os", "unlink", "os.remove(path)"},
    {"os", "urandom", "os.random(n)"},
    {"postgres", "connect", "postgres.open(url)?"},
    {"rand", "choices", "rand.choice(xs)"},
    {"rand", "randint", "rand.int_range(from, to + 1)"},
    {"rand", "random", "rand.float()"},
    {"rand", "randrange", "rand.int_range(from, to)"},
    {"rand", "seed", "rand.new(seed)"},
    {"rand", "uniform", "rand.float()"},
    {"redis", "Redis", "redis.open(address)?"},
    {"regexp", "MustCompile", "regexp.compile(pattern)?"},
    {"regexp", "findall", "regexp.compile(pattern)?.find_all(text)"},
    {"regexp", "finditer", "regexp.compile(pattern)?.find_each(text)"},
    {"regexp", "match", "regexp.compile(pattern)?.match(text)"},
    {"regexp", "search", "regexp.compile(pattern)?.find(text)"},
    {"regexp", "split", "regexp.compile(pattern)?.split(text)"},
    {"regexp", "sub", "regexp.compile(pattern)?.replace(text, with)"},
    {"sqlite", "connect", "sqlite.open(path)?"},
    {"strings", "lower", "s.to_lower()"},
    {"strings", "strip", "s.trim()"},
    {"strings", "upper", "s.to_upper()"},
    {"sync", "Lock", "sync.mutex()"},
    {"sync", "lock", "sync.mutex()"},
    {"sync", "queue", "chan(n)"},
    {"sync", "wait_group", "group { }"},
    {"text", "fill", "text.wrap(s, width)"},
    {"text", "table", "text.columns(rows, header)"},
    {"time", "perf_counter", "time.monotonic()"},
    {"time", "strftime", "time.format(t, layout)"},
    {"time", "strptime", "time.parse(text, layout)"},
    {"time", "time", "time.now()"},
    {"toml", "load", "toml.parse(text)"},
    {"toml", "loads", "toml.parse(text)"},
    {"url", "parse_qs", "url.parse_query(text)"},
    {"url", "quote", "url.encode(text)"},
    {"url", "unquote", "url.decode(text)"},
    {"url", "urlencode", "url.build_query(m)"},
    {"url", "urljoin", "url.join(base, ref)"},
    {"url", "urlparse", "url.parse(text)"},
    {"uuid", "uuid4", "uuid.v4()"},
    {"zip", "ZipFile", "zip.open(path)?"},
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
