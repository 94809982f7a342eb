// SPDX-License-Identifier: MIT
// A runtime with the compiler and one module of its own, for the tests of
// lang/: what does a source compile to, what is said about it?
#ifndef CSP_TESTS_UNIT_COMPILE_FIXTURE_H
#define CSP_TESTS_UNIT_COMPILE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h wants those before it
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_fixture.h"
#include "lang/compile/compile.h"
#include "vm/code/dis.h"
#include "vm/code/verify.h"
#include "vm/csp.h"
#include "vm/heap/local.h"
#include "vm/interp/native_call.h"
#include "vm/object/value_text.h"

// --- A runtime with one module of its own -----------------------------------
static inline CspStatus do_nothing(CspCall *call) {
  (void)call;
  return CSP_OK;
}

static const CspFunction kit_functions[] = {{"make", "a, b", do_nothing},
                                            {"_secret", "", do_nothing},
                                            {NULL, NULL, NULL}};
static const char kit_source[] =
    "struct Box { content }\n"
    "func (l list) second() => l[1]\n"
    "const limit = 3\n"
    "counter := 0\n"
    "func twice(x) { counter++; return make(x, x) }\n";
static const CspModule kit = {.path = "tools/kit",
                              .functions = kit_functions,
                              .source = kit_source,
                              .source_len = sizeof kit_source - 1};

// path: CspConfig's
static inline Csp *new_runtime_along(const char *path) {
  CspConfig config;
  test_config(&config);
  config.procs = 1;
  config.allowed = CSP_ALL;
  config.path = path;
  Csp *csp = csp_new(&config);
  assert_non_null(csp);
  lang_install(csp_vm(csp));
  assert_true(csp_register(csp, &kit));
  return csp;
}

static inline Csp *new_runtime(void) { return new_runtime_along(NULL); }

static inline int make_runtime(void **state) {
  *state = new_runtime();
  return 0;
}

static inline int end_runtime(void **state) {
  csp_free(*state);
  return 0;
}

// --- Asking -----------------------------------------------------------------
static inline ObjClosure *compile(Csp *csp, const CompileInput *input,
                                  char **errors) {
  *errors = NULL;
  return lang_compile(csp_vm(csp), input, errors);
}

static inline CompileInput input_of(const char *path, const char *source) {
  return (CompileInput){.path = path, .text = source, .len = strlen(source)};
}

static inline void verify_file(Csp *csp, const Proto *top) {
  for (const Proto *proto = csp_vm(csp)->protos; proto != NULL;
       proto = proto->next) {
    uint32_t at;
    if (proto->path != top->path) continue;
    const char *wrong = proto_verify(&mem_libc, proto, &at);
    if (wrong != NULL)
      fail_msg("%s, instruction %u: %s", proto->name->own, at, wrong);
  }
}

// The disassembly, runs of spaces as one, without index and place. malloced.
static inline char *code_of(Csp *csp, const char *source) {
  char *errors;
  CompileInput input = input_of("test.csp", source);
  ObjClosure *main = compile(csp, &input, &errors);
  if (main == NULL) fail_msg("%s\ndoes not compile:\n%s", source, errors);
  assert_null(errors);
  verify_file(csp, main->proto);
  Text text = {0}, plain = {0};
  dis_proto(&text, csp_vm(csp), main->proto);
  text_add(&text, "", 1);
  for (char *line = strtok(text.data, "\n"); line != NULL;
       line = strtok(NULL, "\n")) {
    int skip = 0;
    unsigned at, row, col;
    if (sscanf(line, "%u %u:%u %n", &at, &row, &col, &skip) < 3) skip = 0;
    for (const char *c = line + skip; *c != '\0'; c++) {
      if (*c != ' ' || c[1] != ' ') text_add(&plain, c, 1);
    }
    text_add(&plain, "\n", 1);
  }
  text_add(&plain, "", 1);
  text_free(&text);
  return plain.data;
}

// `lines` are consecutive lines of the code of source.
static inline void expect_code_in(Csp *csp, const char *source,
                                  const char *lines) {
  char *code = code_of(csp, source);
  if (strstr(code, lines) == NULL)
    fail_msg("%s\ngives\n%swithout\n%s", source, code, lines);
  free(code);
}
#define expect_code(source, lines) expect_code_in(*state, source, lines)

static inline void expect_messages(Csp *csp, const CompileInput *input,
                                   bool compiles, const char *fragment) {
  char *errors;
  ObjClosure *main = compile(csp, input, &errors);
  if ((main != NULL) != compiles)
    fail_msg("%s\n%s: %s", input->text,
             compiles ? "does not compile" : "compiles",
             errors != NULL ? errors : "");
  if (fragment == NULL) {
    if (errors != NULL) fail_msg("%s\ngives %s", input->text, errors);
  } else if (errors == NULL || strstr(errors, fragment) == NULL) {
    fail_msg("%s\nsays\n%sand not\n%s", input->text,
             errors != NULL ? errors : "", fragment);
  }
  mem_free(errors);
}

static inline void expect_error_in(Csp *csp, const char *source,
                                   const char *text) {
  CompileInput input = input_of("test.csp", source);
  expect_messages(csp, &input, false, text);
}
#define expect_error(source, text) expect_error_in(*state, source, text)

static inline void expect_warning_in(Csp *csp, const char *source,
                                     const char *text) {
  CompileInput input = input_of("test.csp", source);
  input.warnings = true;
  expect_messages(csp, &input, true, text);
}
#define expect_warning(source, text) expect_warning_in(*state, source, text)

#define TEST(name) \
  cmocka_unit_test_setup_teardown(name, make_runtime, end_runtime)

#endif
