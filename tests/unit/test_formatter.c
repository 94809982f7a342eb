// SPDX-License-Identifier: MIT
// The formatter over all scripts of the repository: what it makes of them has
// the same bytecode and the same comments, and formatting it again changes
// nothing. What does not parse is refused. (tests/fmt/ has the style itself.)
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h wants those before it
#include <cmocka.h>
#include <ctype.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_fixture.h"
#include "lang/arena.h"
#include "lang/depth.h"
#include "lang/diag.h"
#include "lang/format/formatter.h"
#include "lang/format/same_program.h"
#include "lang/format/words.h"
#include "lang/parse/parse.h"
#include "vm/csp.h"

static char *format(const char *path, const char *text, size_t size,
                    size_t *len, char **message) {
  // A block of its own size: reading past the end shows.
  char *copy = malloc(size + 1);
  memcpy(copy, text, size);
  copy[size] = '\0';
  Source source = {.path = path, .text = copy, .len = size};
  char *result = lang_format(&source, len, message);
  free(copy);
  return result;
}

static char *read_file(const char *path, size_t *len) {
  FILE *in = fopen(path, "rb");
  assert_non_null(in);
  fseek(in, 0, SEEK_END);
  *len = (size_t)ftell(in);
  rewind(in);
  char *text = malloc(*len + 1);
  assert_int_equal(fread(text, 1, *len, in), *len);
  text[*len] = '\0';
  fclose(in);
  return text;
}

// --- bytecode ---------------------------------------------------------------
// `line:column`, or `file.csp:line`.
static bool is_place(const char *word, size_t len) {
  size_t digits = 0;
  while (digits < len && isdigit((unsigned char)word[len - 1 - digits])) {
    digits++;
  }
  if (digits == 0 || digits == len || word[len - 1 - digits] != ':') {
    return false;
  }
  size_t rest = len - digits - 1;
  return isdigit((unsigned char)word[0]) ||
         (rest > 4 && memcmp(word + rest - 4, ".csp", 4) == 0);
}

// The listing without places, and without the lines in functions' names.
static void strip_places(char *listing) {
  char *to = listing;
  for (char *word = listing; *word;) {
    size_t len = strcspn(word, " \n");
    char end = word[len];
    char *at = memchr(word, '@', len);
    size_t keep = at != NULL ? (size_t)(at - word) : len;
    if (is_place(word, len)) keep = 0;
    memmove(to, word, keep);
    to += keep;
    if (keep > 0 || end == '\n') *to++ = end == '\n' ? '\n' : ' ';
    word += len + (end != '\0');
  }
  *to = '\0';
}

// NULL: it does not compile.
static char *listing(const char *path, const char *text, size_t len) {
  CspConfig config;
  test_config(&config);
  config.procs = 1;
  Csp *csp = csp_new(&config);
  assert_non_null(csp);
  csp_install_language(csp);
  assert_true(csp_install_library(csp));
  char *messages = NULL;
  char *result = csp_disassemble(csp, path, text, len, &messages);
  free(messages);
  csp_free(csp);
  if (result != NULL) strip_places(result);
  return result;
}

static void check_bytecode(const char *path, const char *text, size_t len,
                           const char *formatted, size_t formatted_len) {
  char *before = listing(path, text, len);
  char *after = listing(path, formatted, formatted_len);
  if (before != NULL) {
    assert_non_null(after);
    assert_string_equal(before, after);
  } else {
    assert_null(after);
  }
  free(before);
  free(after);
}

// --- one script -------------------------------------------------------------
static size_t count_of(const char *text, const char *what) {
  size_t count = 0;
  while ((text = strstr(text, what)) != NULL) {
    count++;
    text += strlen(what);
  }
  return count;
}

static bool parses(const char *path, const char *text, size_t len) {
  Source source = {.path = path, .text = text, .len = len};
  Arena *arena = arena_new(&mem_libc, 1);
  Diags *diags = diags_new(&mem_libc, &source);
  lang_parse(&source, arena, diags);
  bool fine = diags_errors(diags) == 0;
  diags_free(diags);
  arena_free(arena);
  return fine;
}

static void check_formatted(const char *path, const char *text, size_t len,
                            const char *formatted, size_t formatted_len) {
  char *message = NULL;
  size_t again_len = 0;
  char *again = format(path, formatted, formatted_len, &again_len, &message);
  assert_null(message);
  assert_string_equal(again, formatted);
  free(again);
  static const char *const KEPT[] = {"//", "/*", "*/", "expect", "(", "`"};
  for (size_t i = 0; i < sizeof KEPT / sizeof *KEPT; i++) {
    assert_int_equal(count_of(text, KEPT[i]), count_of(formatted, KEPT[i]));
  }
  if (len == formatted_len && memcmp(text, formatted, len) == 0) return;
  check_bytecode(path, text, len, formatted, formatted_len);
}

// true: it was formatted.
static bool check_script(const char *path) {
  size_t len = 0, formatted_len = 0;
  char *text = read_file(path, &len);
  char *message = NULL;
  char *formatted = format(path, text, len, &formatted_len, &message);
  if (formatted == NULL) {
    assert_non_null(message);
    if (parses(path, text, len)) fail_msg("%s", message);
    assert_non_null(strstr(message, ": error: "));
  } else {
    assert_null(message);
    check_formatted(path, text, len, formatted, formatted_len);
  }
  bool done = formatted != NULL;
  free(message);
  free(formatted);
  free(text);
  return done;
}

static void test_all_scripts(void **state) {
  (void)state;
  char tests[] = "tests", examples[] = "examples", library[] = "stdlib",
       bench[] = "bench";
  char *folders[] = {tests, examples, library, bench, NULL};
  FTS *walk = fts_open(folders, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
  assert_non_null(walk);
  int formatted = 0, refused = 0;
  for (FTSENT *entry; (entry = fts_read(walk)) != NULL;) {
    size_t len = entry->fts_namelen;
    bool script = len > 4 && strcmp(entry->fts_name + len - 4, ".csp") == 0;
    if (entry->fts_info != FTS_F || !script) continue;
    if (check_script(entry->fts_path)) {
      formatted++;
    } else {
      refused++;
    }
  }
  fts_close(walk);
  assert_true(formatted > 600);
  assert_true(refused > 20);
}

// --- the proof --------------------------------------------------------------
typedef struct Reading {
  Source source;
  Arena *arena;
  Diags *diags;
  Trail trail;
  Node *tree;
  Words words;
} Reading;

static void read_text(Reading *reading, const char *text) {
  *reading =
      (Reading){.source = {.path = "t", .text = text, .len = strlen(text)}};
  reading->arena = arena_new(&mem_libc, 1);
  reading->diags = diags_new(&mem_libc, &reading->source);
  reading->tree = parse_with_trail(&reading->source, reading->arena,
                                   reading->diags, &reading->trail);
  assert_int_equal(diags_errors(reading->diags), 0);
  assert_true(words_make(&reading->words, &reading->source, &reading->trail,
                         reading->tree));
}

static void drop_reading(Reading *reading) {
  words_free(&reading->words);
  trail_free(&reading->trail);
  diags_free(reading->diags);
  arena_free(reading->arena);
}

// What format_check finds different; "nothing" if it finds nothing.
static void differs(const char *before, const char *after, const char *what) {
  Reading a, b;
  read_text(&a, before);
  read_text(&b, after);
  const char *found = format_check(&a.words, a.tree, &b.words, b.tree);
  assert_string_equal(found != NULL ? found : "nothing", what);
  drop_reading(&a);
  drop_reading(&b);
}

static void test_proof(void **state) {
  (void)state;
  differs("f(a,b); g() // c", "f(\n  a, b,\n)\ng()  //  c\n", "nothing");
  differs("/* a\r\n b */ x", "/* a\nb */ x", "nothing");
  differs("x := 0x10", "x := 16", "words");
  differs("x := a", "x := a.b", "words");
  differs("f()\n// a\n// b", "f()\n// a", "comments");
  differs("f() // a\n// b", "f() // b\n// a", "comments");
  differs("x := a; -b", "x := a - b", "syntax tree");
  differs("f(); (g())", "f()(g())", "syntax tree");
}

// --- size and depth ---------------------------------------------------------
// A megabyte of one text again and again; the result is that of the text.
static void test_large(void **state) {
  (void)state;
  static const char UNIT[] = "func f(a,b){ if a>b{return [1,2]} } // c\n";
  static const char WANTED[] =
      "func f(a, b) { if a > b { return [1, 2] } }  // c\n";
  enum { COUNT = 25000 };
  size_t unit = sizeof UNIT - 1, wanted = sizeof WANTED - 1, len = 0;
  char *text = malloc(COUNT * unit + 1);
  for (size_t i = 0; i < COUNT; i++) memcpy(text + i * unit, UNIT, unit);
  char *message = NULL;
  char *result = format("large", text, COUNT * unit, &len, &message);
  assert_non_null(result);
  assert_int_equal(len, COUNT * wanted);
  for (size_t i = 0; i < COUNT; i++) {
    assert_memory_equal(result + i * wanted, WANTED, wanted);
  }
  free(result);
  free(text);
}

// `open` so many times, then `close` as often.
static char *nest(const char *open, const char *middle, const char *close,
                  int depth) {
  char *text = NULL;
  size_t len;
  FILE *out = open_memstream(&text, &len);
  for (int i = 0; i < depth; i++) fputs(open, out);
  fputs(middle, out);
  for (int i = 0; i < depth; i++) fputs(close, out);
  fclose(out);
  return text;
}

static void check_nested(const char *open, const char *middle,
                         const char *close, bool fine) {
  int depth = fine ? LANG_MAX_NESTING : LANG_MAX_NESTING + 1;
  char *text = nest(open, middle, close, depth);
  size_t len = 0, again_len = 0;
  char *message = NULL;
  char *once = format("deep", text, strlen(text), &len, &message);
  if (fine) {
    assert_null(message);
    char *twice = format("deep", once, len, &again_len, &message);
    assert_string_equal(once, twice);
    free(twice);
  } else {
    assert_null(once);
    assert_non_null(strstr(message, "nested too deeply"));
  }
  free(message);
  free(once);
  free(text);
}

static void test_deep(void **state) {
  (void)state;
  check_nested("{ ", "x", " }", true);
  check_nested("{ ", "x", " }", false);
  check_nested("{\n", "x // y\n", "}\n", true);
  check_nested("if a{b}else{ ", "x", " }", true);
  check_nested("for{ switch{ case 1: ", "x", "}}", false);
  check_nested("(\n", "x\n", ")", true);
  check_nested("f([{k: func(){\n", "x", "}}])", false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_scripts),
      cmocka_unit_test(test_proof),
      cmocka_unit_test(test_large),
      cmocka_unit_test(test_deep),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
