// SPDX-License-Identifier: MIT
// The compiler is inside the limits of its runtime: memory, time, interrupts.
#include <stdatomic.h>

#include "embed_fixture.h"
#include "lang/source.h"
#include "vm/heap/work.h"

enum { MEMORY = 8 << 20, LINES = 20000 };

static char *text_of(size_t count, const char *piece, const char *end) {
  size_t len = strlen(piece), room = count * len + strlen(end) + 1;
  char *text = malloc(room);
  assert_non_null(text);
  for (size_t n = 0; n < count; n++) memcpy(text + n * len, piece, len);
  memcpy(text + count * len, end, strlen(end) + 1);
  return text;
}

// What has statements, functions, expressions of many kinds. Little of it runs:
// the tests are about compiling.
static char *long_script(void) {
  return text_of(LINES,
                 "if len(\"\") > 0 { x := [1, {a: 2}, \"${3}\"]\n"
                 "  func f(a, b = 2) { return a + b * len(x) }\n"
                 "  for i in 3 { if f(i) > 2 { print() } } }\n",
                 "done := 1\n");
}

static CspEnd load_text(Host *host, const char *text, char **message) {
  CspResult result;
  csp_load(csp_host(host->csp), "host.csp", text, strlen(text), &result);
  *message = result.message;
  return result.end;
}

static void expect_end(Host *host, const char *text, CspEnd end,
                       const char *part) {
  char *message;
  CspEnd got = load_text(host, text, &message);
  if (got != end) print_error("%s\n", message != NULL ? message : "no message");
  assert_int_equal(got, end);
  if (part != NULL) {
    assert_non_null(message);
    if (strstr(message, part) == NULL) print_error("%s\n", message);
    assert_non_null(strstr(message, part));
  }
  free(message);
}

// --- Memory -----------------------------------------------------------------
static const char too_large[] =
    "out of memory: the script is too large for the limit of memory";

static const struct {
  size_t count;
  const char *piece, *end, *part;
} scripts[] = {
    {10 << 20, "!", "\n", too_large},
    {3 << 20, "!", "\n", "nested too deeply"},
    {400 << 10, "[1],", "\n", too_large},
    {400 << 10, "f(1)\n", "\n", too_large},
    {100 << 10, "func f() {}\n", "\n", too_large},
    {7 << 20, "x", " := 1\n", too_large},
};
enum { SCRIPTS = sizeof scripts / sizeof *scripts };

static void memory_is_limited(void **state) {
  (void)state;
  Host host;
  open_limited(&host, STEPPED, MEMORY, 0);
  for (size_t n = 0; n < SCRIPTS; n++) {
    char *text = text_of(scripts[n].count, scripts[n].piece, scripts[n].end);
    expect_end(&host, text, CSP_BAD_SCRIPT, scripts[n].part);
    free(text);
  }
  expect_end(&host, "fine := 1\n", CSP_DONE, NULL);
  close_host(&host);
}

// What the host's allocator holds.
typedef struct Held {
  _Atomic int64_t held, most;
} Held;

static void *count_held(void *arg, void *block, size_t old_size,
                        size_t new_size) {
  Held *held = arg;
  void *got = NULL;
  if (new_size == 0) {
    free(block);
  } else {
    got = realloc(block, new_size);
    if (got == NULL) return NULL;
  }
  int64_t more = (int64_t)new_size - (int64_t)old_size;
  int64_t now = atomic_fetch_add(&held->held, more) + more;
  if (now > held->most) held->most = now;
  return got;
}

// The most that was held while it was compiled.
static int64_t peak_of(uint64_t max_memory, size_t n) {
  Held held = {0};
  Host host;
  CspConfig config;
  test_config(&config);
  config.debug = NULL;
  config.stepped = true;
  config.max_memory = max_memory;
  config.alloc = count_held;
  config.alloc_arg = &held;
  open_configured(&host, &config);
  char *text = text_of(scripts[n].count, scripts[n].piece, scripts[n].end);
  int64_t before = held.most = held.held;
  expect_end(&host, text, CSP_BAD_SCRIPT, NULL);
  free(text);
  close_host(&host);
  return held.most - before;
}

// What it may take, and what is not counted, as it does not grow with the text:
// the reserve for what is to be said then (lang/arena.c), the parser's stack.
static void memory_has_a_peak(void **state) {
  (void)state;
  enum { SMALL = 1 << 20, ALWAYS = 4 << 20, BESIDES = 1 << 20 };
  for (size_t n = 0; n < SCRIPTS; n++) {
    assert_in_range(peak_of(MEMORY, n), 0, MEMORY + BESIDES);
    assert_in_range(peak_of(SMALL, n), 0, ALWAYS + BESIDES);
  }
}

// --- Imports ----------------------------------------------------------------
typedef struct Given {
  uint64_t memory;  // that there may be, if it is not MEMORY
  Csp *csp;
  const char *text;
  bool interrupts;
  int asked;
} Given;

static bool give(void *arg, CspLoad *wanted) {
  Given *given = arg;
  given->asked++;
  if (given->interrupts) assert_true(csp_interrupt(given->csp));
  wanted->text = strdup(given->text);
  wanted->len = strlen(given->text);
  return true;
}

static Csp *open_asking(Given *given, Host *host, bool stepped,
                        bool (*loads)(void *arg, CspLoad *wanted)) {
  memset(host, 0, sizeof *host);
  pthread_mutex_init(&host->lock, NULL);
  CspConfig config;
  csp_config_init(&config);
  config.stepped = stepped;
  config.max_memory = given->memory > 0 ? given->memory : MEMORY;
  config.load = loads;
  config.load_arg = given;
  config.write_out = take_out;
  config.write_err = take_err;
  config.write_arg = host;
  host->csp = given->csp = csp_new(&config);
  assert_non_null(host->csp);
  csp_install_language(host->csp);
  assert_true(csp_install_library(host->csp));
  return host->csp;
}

static Csp *open_giving(Given *given, Host *host, bool stepped) {
  return open_asking(given, host, stepped, give);
}

// All files of a script share what there is.
static void imports_are_counted(void **state) {
  (void)state;
  Host host;
  char *text = text_of(2 << 10, "f(1, 2, 3)\n", "\n");
  Given given = {.text = text};
  open_giving(&given, &host, true);
  expect_end(&host, "import \"a\"\n", CSP_BAD_SCRIPT, "`f` is not declared");
  free(text);
  text = text_of(200 << 10, "f(1, 2, 3)\n", "\n");
  given.text = text;
  expect_end(&host, "import \"b\"\n", CSP_BAD_SCRIPT, too_large);
  free(text);
  given.text = "fine := 1";
  expect_end(&host, "import \"c\"\nprintln(c.fine)\n", CSP_DONE, NULL);
  assert_string_equal(host.out, "1\n");
  close_host(&host);
}

// --- Interrupts -------------------------------------------------------------
static void interrupts_end_it(void **state) {
  (void)state;
  Host host;
  char *text = long_script(), *message;
  Given given = {.text = text, .interrupts = true};
  open_giving(&given, &host, true);
  expect_end(&host, "import \"a\"\n", CSP_INTERRUPTED,
             "interrupted: the script was being compiled");
  static const char importing[] = "import \"b\"\n";
  assert_false(
      csp_check(host.csp, "c", importing, strlen(importing), &message));
  assert_string_equal(message, "interrupted: the script was being compiled\n");
  free(message);
  given.interrupts = false;
  assert_int_equal(given.asked, 2);
  given.text = "fine := 1";
  expect_end(&host, "import \"a\"\nprintln(a.fine)\n", CSP_DONE, NULL);
  close_host(&host);
  free(text);
}

static void a_run_is_interrupted(void **state) {
  (void)state;
  for (int stepped = 0; stepped < 2; stepped++) {
    Host host;
    char *text = long_script();
    Given given = {.text = text, .interrupts = true};
    open_giving(&given, &host, stepped != 0);
    static const char importing[] = "import \"a\"\nprintln(1)\n";
    int status = 0;
    CspOutcome outcome =
        csp_run(host.csp, "r.csp", importing, strlen(importing), &status);
    assert_int_equal(outcome, CSP_FAILED);
    assert_int_equal(status, 130);
    assert_string_equal(host.out, "");
    assert_string_equal(host.err, "");
    close_host(&host);
    free(text);
  }
}

// --- The text ---------------------------------------------------------------
static char *spaces(size_t len) {
  char *text = malloc(len + 1);
  assert_non_null(text);
  memset(text, ' ', len);
  text[len] = '\0';
  return text;
}

static void texts_are_limited(void **state) {
  (void)state;
  static const char too_long[] = "longer than 64 MB; split it into modules";
  char *text = spaces(SOURCE_MAX + 1), *message;
  Host host;
  Given given = {.text = text, .memory = (uint64_t)16 * SOURCE_MAX};
  open_giving(&given, &host, true);
  expect_end(&host, text, CSP_BAD_SCRIPT, too_long);
  expect_end(&host, "import \"a\"\n", CSP_BAD_SCRIPT, too_long);
  assert_false(csp_check(host.csp, "c", text, SOURCE_MAX + 1, &message));
  assert_non_null(strstr(message, too_long));
  free(message);
  text[SOURCE_MAX] = '\0';
  expect_end(&host, text, CSP_DONE, NULL);
  expect_end(&host, "import \"a\"\nprintln(a)\n", CSP_DONE, NULL);
  close_host(&host);
  free(text);
}

// --- Time -------------------------------------------------------------------
// However far it has got: it is given up, or it is done.
static void time_is_limited(void **state) {
  (void)state;
  Host host;
  int given_up = 0;
  char *text = long_script(), *message;
  open_host(&host, STEPPED);
  int64_t enough = (int64_t)3600 * 1000000000;
  for (int64_t ns = 1; ns < enough; ns += ns / 2 + 1000000) {
    csp_limit_time(host.csp, ns);
    CspEnd end = load_text(&host, text, &message);
    free(message);
    if (end == CSP_DONE) break;
    assert_int_equal(end, CSP_INTERRUPTED);
    given_up++;
  }
  assert_true(given_up > 0);
  csp_limit_time(host.csp, 0);
  expect_end(&host, "fine := 1\n", CSP_DONE, NULL);
  csp_limit_time(host.csp, 1);
  assert_false(csp_check(host.csp, "c", text, strlen(text), &message));
  assert_string_equal(message, "interrupted: the script was being compiled\n");
  free(message);
  int status = 0;
  assert_int_equal(csp_run(host.csp, "r", text, strlen(text), &status),
                   CSP_FAILED);
  assert_int_equal(status, 130);
  free(text);
  close_host(&host);
}

// However the script is made, not much is done between two looks at the clock.
// (A debug build counts basic blocks, work.h: a million takes less than a
// millisecond in a plain one.) A token is passed in one go; so is a function
// when it is done, which debug builds verify once more.
static const struct {
  const char *name, *begin, *piece, *end;
  size_t bytes;
  unsigned most;  // millions of basic blocks
} shapes[] = {
    {"statements", "", "if true { x := len([1, {a: 2}])\nprint(x) }\n", "",
     1 << 20, 16},
    {"a comment", "/*", "a comment ", "*/\n", 4 << 20, 1},
    {"comments", "", "// a\n", "", 4 << 20, 1},
    {"blank lines", "", " \n", "", 4 << 20, 1},
    {"a string", "x := \"", "text \\n", "\"\n", 4 << 20, 12},
    {"a raw string", "x := `", "text\n", "`\n", 4 << 20, 15},
    {"a name", "", "name", " := 1\n", 4 << 20, 6},
    {"a number", "x := ", "7", "\n", 4 << 20, 1},
    {"a float", "x := 1.", "7", "\n", 4 << 20, 10},
    {"a list", "x := [", "1, ", "]\n", 1 << 20, 19},
    {"a list of strings", "x := [", "\"a\", ", "]\n", 1 << 20, 12},
    {"a map", "x := {", "1: 2, ", "}\n", 1 << 20, 30},
    {"a sum", "y := len([])\nx := y", " + y", "\n", 1 << 18, 1},
    {"constants", "x := 1", " + 1", "\n", 1 << 20, 1},
    {"a concatenation", "x := \"a\"", " + \"a\"", "\n", 1 << 18, 1},
    {"interpolation", "x := \"", "${1}", "\"\n", 1 << 18, 4},
    {"functions", "", "func() { }()\n", "", 1 << 18, 3},
    {"blocks", "", "if len([]) > 0 { y := 1\n print(y) }\n", "", 1 << 18, 4},
    {"cases", "switch len([]) {\n", "case 1, 2: print()\n", "}\n", 1 << 18, 5},
    {"unused names", "func f(", "a, ", "b) { }\n", 1 << 10, 1},
    {"errors", "", "x = \n", "", 1 << 18, 1},
    {"unknown names", "", "print(nme)\n", "", 1 << 18, 1},
    {"bad characters", "", "\x01", "\n", 1 << 20, 1},
    {"open brackets", "", "(", "\n", 1 << 20, 1},
};

static void looks_are_near(void **state) {
  (void)state;
  Host host;
  open_host(&host, STEPPED);
  csp_limit_time(host.csp, (int64_t)3600 * 1000000000);
  for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
    size_t count = shapes[n].bytes / strlen(shapes[n].piece);
    char *middle = text_of(count, shapes[n].piece, shapes[n].end), *text;
    assert_true(asprintf(&text, "%s%s", shapes[n].begin, middle) > 0);
    char *message;
#ifdef CSP_DEBUG
    work_steps = work_most = 0;
#endif
    csp_check(host.csp, "c", text, strlen(text), &message);
#ifdef CSP_DEBUG
    uint64_t most = work_steps > work_most ? work_steps : work_most;
    if (most > (uint64_t)shapes[n].most * 1000000)
      fail_msg("%s: %llu", shapes[n].name, (unsigned long long)most);
#endif
    free(message);
    free(text);
    free(middle);
  }
  close_host(&host);
}

// --- The host, when it is asked for a module --------------------------------
static const char while_compiling[] =
    ": by CspConfig.load, while a script is compiled";

static void expect_refused(char *message, const char *function) {
  assert_non_null(message);
  assert_memory_equal(message, function, strlen(function));
  assert_non_null(strstr(message, while_compiling));
  free(message);
}

// Everything that compiles or runs.
static bool give_nothing(void *arg, CspLoad *wanted) {
  Given *given = arg;
  Csp *csp = given->csp;
  char *message = NULL;
  int status = 0;
  (void)wanted;
  given->asked++;
  assert_false(csp_check(csp, "x", "x := 1\n", 7, &message));
  expect_refused(message, "csp_check");
  message = NULL;
  assert_null(csp_disassemble(csp, "x", "x := 1\n", 7, &message));
  expect_refused(message, "csp_disassemble");
  assert_int_equal(csp_run(csp, "x", "x := 1\n", 7, &status), CSP_NOT_COMPILED);
  CspCall *call = csp_host(csp);
  CspResult result;
  if (call == NULL) return false;
  assert_int_equal(csp_load(call, "x", "x := 1\n", 7, &result), CSP_THREW);
  expect_refused(result.message, "panic: csp_call");
  csp_collect(call);
  assert_int_equal(csp_step(csp, -1), CSP_IDLE);
  return false;
}

static void csp_check_in_load_is_refused(void **state) {
  (void)state;
  static const char text[] = "import \"a\"\n";
  static const char cannot_find[] = "cannot find the module \"a\"";
  for (int stepped = 0; stepped < 2; stepped++) {
    Host host;
    Given given = {0};
    char *message = NULL;
    open_asking(&given, &host, stepped, give_nothing);
    assert_false(csp_check(host.csp, "c", text, strlen(text), &message));
    if (strstr(message, cannot_find) == NULL) fail_msg("%s", message);
    free(message);
    if (stepped) expect_end(&host, text, CSP_BAD_SCRIPT, cannot_find);
    if (stepped) expect_end(&host, "fine := 1\n", CSP_DONE, NULL);
    assert_true(csp_check(host.csp, "c", "println(1)\n", 11, &message));
    assert_int_equal(given.asked, 1 + stepped);
    assert_non_null(strstr(host.err, "csp_run: by CspConfig.load"));
    close_host(&host);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_is_limited),
      cmocka_unit_test(memory_has_a_peak),
      cmocka_unit_test(imports_are_counted),
      cmocka_unit_test(interrupts_end_it),
      cmocka_unit_test(a_run_is_interrupted),
      cmocka_unit_test(texts_are_limited),
      cmocka_unit_test(time_is_limited),
      cmocka_unit_test(looks_are_near),
      cmocka_unit_test(csp_check_in_load_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
