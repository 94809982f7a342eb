// SPDX-License-Identifier: MIT
// Inputs of a session: what is incomplete, which names they see and declare,
// what their values are compiled to.
#include "compile_fixture.h"
#include "lang/compile/session.h"
#include "lang/parse/open_text.h"
#include "lang/parse/parse.h"
#include "vm/code/dis.h"
#include "vm/interp/native_call.h"
#include "vm/object/value_text.h"

static void expect_incomplete(const char *text, bool incomplete) {
  if (lang_is_incomplete(text, strlen(text)) != incomplete)
    fail_msg("%s\nis %sincomplete", text, incomplete ? "not " : "");
}

static void test_incomplete(void **state) {
  (void)state;
  static const char *const yes[] = {"func f() {", "f(1,\n",
                                    "[1, 2",      "{a: 1",
                                    "x :=",       "1 +\n",
                                    "a, b = 1,",  "if x {\n} else",
                                    "`raw",       "/* comment",
                                    "x := 1 /*",  "\"a ${",
                                    "\"a ${b",    "switch x {\ncase 1:",
                                    "struct P {", "for",
                                    "p.",         "func (p P)",
                                    "go",         "return f(",
                                    "label:"};
  static const char *const no[] = {"",
                                   "\n",
                                   "// comment",
                                   "1",
                                   "f()",
                                   "x := 1",
                                   "func f() { }",
                                   "1 2",
                                   "f(]",
                                   ")",
                                   "\"open",
                                   "if x",
                                   "func f()",
                                   "x := 1\ny := (1 2",
                                   "}",
                                   "{}",
                                   "'ab",
                                   "1 +* 2",
                                   "var = 1\nf("};
  for (size_t n = 0; n < sizeof yes / sizeof *yes; n++)
    expect_incomplete(yes[n], strcmp(yes[n], "func (p P)") != 0);
  for (size_t n = 0; n < sizeof no / sizeof *no; n++)
    expect_incomplete(no[n], false);
}

// --- What is open -----------------------------------------------------------
// Of each line: 1 where something is open after it.
static void expect_open(const char *text, const char *lines, bool newlines) {
  OpenText open = {0};
  for (const char *at = text; *at != '\0'; lines++) {
    at = strchr(at, '\n') + 1;
    size_t len = (size_t)(at - text) - !newlines;
    bool is = open_text_is(&open, text, len);
    if (is != (*lines == '1'))
      fail_msg("%.*s\nis %sopen", (int)len, text, is ? "" : "not ");
    // the text has no error: the parser must say so, too
    char *part = strndup(text, len);
    if (is && !lang_is_incomplete(part, len)) fail_msg("%s\nis complete", part);
    free(part);
  }
  assert_int_equal(*lines, '\0');
}

static void test_open(void **state) {
  (void)state;
  static const char *const texts[][2] = {
      {"x := [1, {a: (2)},\n'[', '\\'', \"[\\\"(\", // (\n3]\n", "110"},
      {"f(\"a${[\n\"b${\n1}\"][0]}c)\" +\n1)\n", "1110"},
      {"x := `\n]\"\n\n` + f(`(`\n, `a\n`) + /* (\n * ) `\n\n*/ [\n1]\n",
       "1111111110"},
      {"x := ```\n  ` ``` (\n\n\n  ``` + f(```\n```\n, ```\n) ```\n \t```)\n",
       "111111110"},
      {"if a / b > 1 {\n} else {\n/**/ c(/* } */) //\n}\n", "1110"},
      // with nothing open, by the last token
      {"x := 1 +\n2 *\n\n// c\n/* d */\n/* e\n*/\n3\n", "11111110"},
      {"if a { b() } else\nif c { d() } else {\n}\n", "110"},
      {"x := y ??\n1 -\n-\n!\n^z\n", "11110"},
      {"a,\nb =\n1.5,\nx.y\n", "1110"},
      {"x := 1 in\n0..\n5 &&\nx.\nin\n", "11110"},
      {"x := y is\nint ==\ntrue\n", "110"},
      {"c <-\n1 /\n2 %\n3 |\n'+' <\n\"+\"\n", "111110"},
      {"f := func() =>\ngo\nf()\n", "110"},
      {"x++\n", "0"},
      {"x--\n", "0"},
      {"f()?\n", "0"},
      {"x := a.else\n", "0"},
      {"x := y_in\n", "0"}};
  for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
    expect_open(texts[n][0], texts[n][1], true);
    expect_open(texts[n][0], texts[n][1], false);
  }
}

// Where there is an error the parser is asked.
static void test_open_wrong(void **state) {
  (void)state;
  static const char *const texts[] = {"[)", "(\"a\n", "[ }", "f(#",
                                      "{\"${1)}\""};
  for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
    OpenText open = {0};
    assert_false(open_text_is(&open, texts[n], strlen(texts[n])));
  }
  char deep[LANG_MAX_NESTING + 1];
  memset(deep, '(', sizeof deep);
  OpenText open = {0};
  assert_true(open_text_is(&open, deep, LANG_MAX_NESTING));
  assert_false(open_text_is(&open, deep, LANG_MAX_NESTING + 1));
}

// --- Compiling --------------------------------------------------------------
static Session *begin(Csp *csp) {
  static Session session;
  assert_true(session_begin(&session, csp_vm(csp)));
  return &session;
}

static ObjClosure *compile_input(Session *session, SessionInput *input,
                                 const char *text) {
  *input = (SessionInput){.path = "in", .text = text, .len = strlen(text)};
  return session_compile(session, session->vm->boot, input);
}

// Compiles; the names that are declared.
static void expect_fine(Session *session, const char *text, const char *names) {
  SessionInput input;
  ObjClosure *main = compile_input(session, &input, text);
  if (main == NULL) fail_msg("%s\nsays %s", text, input.messages);
  verify_file(vm_csp(session->vm), main->proto);
  assert_string_equal(input.names, names);
  session_input_free(&input);
}

static void expect_wrong(Session *session, const char *text,
                         const char *message) {
  SessionInput input;
  assert_null(compile_input(session, &input, text));
  if (strstr(input.messages, message) == NULL)
    fail_msg("%s\nsays %s", text, input.messages);
  session_input_free(&input);
}

static void test_names(void **state) {
  Session *session = begin(*state);
  expect_fine(session, "x := 1", "x ");
  expect_fine(session, "func f() => x", "f ");
  expect_fine(session, "x, y := f(), 2", "y x ");
  expect_fine(session, "struct P { a }", "P ");
  expect_fine(session, "func (p P) m() => p.a + y", "P.m ");
  expect_fine(session, "x = 5; const k = 2", "k ");
  expect_fine(session, "k := 3", "k ");
  expect_fine(session, "k = 4", "");
  expect_fine(session, "func f() => 2; func g() => f() + k", "g f ");
  expect_fine(session, "import kit \"tools/kit\"", "kit ");
  expect_fine(session, "kit.limit + _", "");
  expect_wrong(session, "z", "`z` is not declared");
  expect_wrong(session, "f = 1", "cannot assign to `f`: it is a function");
  expect_wrong(session, "x := 1; x := 2", "`:=` declares no new name");
  expect_wrong(session, "1; 2", "the value is not used");
  expect_wrong(session, "return 1", "returns no values");
  expect_wrong(session, "_ = _ + 1 +", "unexpected end");
}

// What was not compiled, or only to look at it, has declared nothing.
static void test_forgotten(void **state) {
  Session *session = begin(*state);
  expect_wrong(session, "a := 1; nope", "`nope`");
  expect_wrong(session, "a", "`a` is not declared");
  const char *text = "b := 1; func c() => b";
  SessionInput input = {
      .path = "in", .text = text, .len = strlen(text), .dry = true};
  assert_non_null(session_compile(session, session->vm->boot, &input));
  session_input_free(&input);
  expect_wrong(session, "b", "`b` is not declared");
  expect_wrong(session, "c()", "`c` is not declared");
}

static void expect_input(Session *session, const char *text, bool bare,
                         bool checked, const char *code) {
  SessionInput input;
  ObjClosure *main = compile_input(session, &input, text);
  if (main == NULL) fail_msg("%s\nsays %s", text, input.messages);
  Text out = {0};
  dis_proto(&out, session->vm, main->proto);
  text_add(&out, "", 1);
  if (strstr(out.data, code) == NULL)
    fail_msg("%s\ngives\n%swithout %s", text, out.data, code);
  assert_int_equal(input.bare, bare);
  assert_int_equal(input.checked, checked);
  text_free(&out);
  session_input_free(&input);
}

static void test_values(void **state) {
  Session *session = begin(*state);
  expect_fine(session, "func f(c) { return c, nil }; c := 1", "c f ");
  expect_input(session, "c + 1", true, false, "RET1");
  expect_input(session, "f(c)", false, false, "RETV");
  expect_input(session, "f(c)?", false, true, "RETV");
  expect_input(session, "<-c", false, false, "RETV");
  expect_input(session, "x := f(c)?", false, false, "FAIL");
  expect_input(session, "go f(c)", false, false, "RET0");
  expect_input(session, "c = 2", false, false, "RET0");
  expect_input(session, "y := _", true, false, "RET0");
  // functions are read late, but by themselves
  expect_input(session, "func g(n) => g(n - 1)", false, false, "CALLK");
  expect_input(session, "g(1)", false, false, "GETG");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_incomplete),
                                     cmocka_unit_test(test_open),
                                     cmocka_unit_test(test_open_wrong),
                                     TEST(test_names),
                                     TEST(test_forgotten),
                                     TEST(test_values)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
