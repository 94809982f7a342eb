// SPDX-License-Identifier: MIT
// A text's top-level functions, and running one of them as a test.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h wants those before it
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "config_fixture.h"
#include "lang/compile/outline.h"
#include "lang/source.h"
#include "vm/csp.h"

// --- lang_functions ---------------------------------------------------------
static void add_function(void *arg, const AstStr *name, Pos pos, bool takes) {
  char *out = arg;
  sprintf(out + strlen(out), "%s%s:%u:%u ", name->text, takes ? "(...)" : "",
          pos.line, pos.col);
}

static bool list(const char *text, char *out) {
  Source source = {.path = "t", .text = text, .len = strlen(text)};
  *out = '\0';
  return lang_functions(&source, add_function, out);
}

static void test_functions(void **state) {
  (void)state;
  char out[200];
  assert_true(list("", out));
  assert_string_equal(out, "");
  assert_true(
      list("x := 1\nfunc a() { func inner() {} }\n  func b(x = 1) => x\n"
           "struct S {}\nfunc (s S) method() {}\nfunc c(rest...) {}\n",
           out));
  assert_string_equal(out, "a:2:6 b(...):3:8 c(...):6:6 ");
  assert_false(list("func a() {}\nfunc b( {}\n", out));
  assert_string_equal(out, "");
}

// --- csp_run_test -----------------------------------------------------------
typedef struct Log {
  char text[400];
} Log;

static void log_out(void *arg, const char *data, size_t len) {
  Log *log = arg;
  strncat(log->text, data, len);
}

static CspStatus began(CspCall *call) {
  csp_write_out(call, "began ", 6);
  return csp_ok_nothing(call);
}

// Makes an error of 7.
static CspStatus ended(CspCall *call) {
  char text[40];
  int count = csp_argc(call);
  int len = snprintf(text, sizeof text, "ended(%d) ", count);
  csp_write_out(call, text, (size_t)len);
  CspValue last = count > 0 ? csp_arg(call, count - 1) : csp_nil();
  bool bad = csp_type(last) == CSP_INT && csp_to_int(last) == 7;
  return csp_ok(call, bad ? csp_error(call, last, csp_nil()) : csp_nil());
}

static const CspFunction functions[] = {{"_test_began", "", began},
                                        {"_test_ended", "results...", ended},
                                        {NULL, NULL, NULL}};

static CspOutcome run(const char *text, const char *function, int *status,
                      Log *log) {
  *log = (Log){""};
  CspConfig config;
  test_config(&config);
  config.write_out = log_out;
  config.write_err = log_out;
  config.write_arg = log;
  Csp *csp = csp_new(&config);
  csp_install_language(csp);
  assert_true(csp_register_builtins(csp, functions));
  CspOutcome outcome =
      csp_run_test(csp, "t", text, strlen(text), function, status);
  csp_free(csp);
  return outcome;
}

static void test_run(void **state) {
  (void)state;
  static const char script[] =
      "print(\"top \")\ndefer print(\"deferred \")\n"
      "func none() { print(\"none \") }\nfunc two() { return 1, 2 }\n"
      "func bad() => 7\n";
  Log log;
  int status;
  assert_int_equal(run(script, "none", &status, &log), CSP_RAN);
  assert_string_equal(log.text, "began top none ended(0) deferred ");
  assert_int_equal(run(script, "two", &status, &log), CSP_RAN);
  assert_string_equal(log.text, "began top ended(2) deferred ");
  assert_int_equal(run(script, "bad", &status, &log), CSP_FAILED);
  assert_int_equal(status, 1);
  assert_non_null(strstr(log.text, "error: 7\n  at t:5:6\n"));
  assert_int_equal(run(script, "missing", &status, &log), CSP_NOT_COMPILED);
  assert_non_null(strstr(log.text, "no function `missing`"));
  // The script itself may not use hidden names.
  assert_int_equal(
      run("func none() {}\n_test_ended()\n", "none", &status, &log),
      CSP_NOT_COMPILED);
  assert_non_null(strstr(log.text, "`_test_ended` is not declared"));
}

static void test_early_end(void **state) {
  (void)state;
  Log log;
  int status;
  assert_int_equal(
      run("func f() { return true }\nif f() { return }\nfunc t() {}\n", "t",
          &status, &log),
      CSP_RAN);
  assert_string_equal(log.text, "began ");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_functions),
                                     cmocka_unit_test(test_run),
                                     cmocka_unit_test(test_early_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
