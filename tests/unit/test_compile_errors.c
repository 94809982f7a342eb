// SPDX-License-Identifier: MIT
// What the compiler says: errors, what was probably meant, warnings, and how it
// finds modules.
#include <unistd.h>

#include "compile_fixture.h"
#include "vm/heap/local.h"
#include "vm/interp/method_tables.h"
#include "vm/interp/native_call.h"
#include "vm/native/builtin_modules.h"
#include "vm/object/map.h"
#include "vm/object/string.h"
#include "vm/object/value_text.h"

// --- Errors -----------------------------------------------------------------
static void test_unknown_names(void **state) {
  expect_error("printn(1)", "1:1: error: `printn` is not declared\n");
  expect_error("func f(count) { return coutn }", "did you mean `count`?");
  expect_error("func f() { y := 1 }\nprintln(y)", "`y` is not declared");
  expect_error("func f() { println(y); y := 1 }", "`y` is not declared");
  expect_error("x = 1", "declare it with `:=`");
  expect_error("y := kit.make", "write `import \"tools/kit\"` first");
  expect_error("import \"tools/kit\"\ny := twice(1)",
               "did you mean `kit.twice`?");
  expect_error("x := null", "write `nil`");
  expect_error("x := 1 is Foo", "`Foo` is not the name of a type");
  expect_error("x := 1 is strng", "did you mean `string`?");
  expect_error("println(_)", "`_` holds no value");
  expect_error("_native()", "`_native` is not declared");
  expect_error("a.b = 1\nx := )\ny := zzz", "`zzz` is not declared");
}

static void test_declarations(void **state) {
  expect_error("x := 1\nx := 2", "2:1: error: `:=` declares no new name");
  expect_error("func f(a) { a := 2 }", "declares no new name");
  expect_error("func f() { var a; var a }", "`a` is declared twice");
  expect_error("func f() {}\nvar f = 1", "it was declared in line 1");
  expect_error("_ := 1", "`:=` declares no new name here: `_` is never");
  expect_error("_, _ := 1, 2", "write `=`: `_ = f()`");
  expect_error("func f() { _ := 1 }", "write `=`: `_ = f()`");
  expect_error("[_, _] := [1, 2]", "name at least one of the elements");
  expect_error("x := 1; _, x := 1, 2",
               "1:12: error: `:=` declares no new name "
               "here: `x` is there already");
  expect_error("a, b := 1, 2, 3", "2 names, but 3 values");
  expect_error("func f() { var a, b = 1 }", "2 names, but 1 value");
  expect_error("func f(a, a) {}", "a");
}

static void test_constant_errors(void **state) {
  expect_error("const n = 1\nn = 2", "cannot assign to `n`: it is a constant");
  expect_error("func f() { const n = 1; n++ }", "cannot assign to `n`");
  expect_error("func f() {}\nf = 1", "it is a function");
  expect_error("struct S { }\nS += 1", "it is a struct");
  expect_error("len = 1", "it is predeclared");
  expect_error("import \"tools/kit\"\nkit = 1", "it is a module");
  expect_error("import \"tools/kit\"\nkit.limit = 1", "it is a constant");
  expect_error("import \"tools/kit\"\nkit.make = 1", "it is a constant");
}

static void test_jumps(void **state) {
  expect_error("break", "`break` stands outside a loop, switch or select");
  expect_error("for { func() { continue }() }",
               "`continue` stands outside a loop");
  expect_error("for { break a }", "there is no label `a` around it");
  expect_error("a: switch { case true: for { continue a } }",
               "`a` is not a loop");
  expect_error("a: for { a: for { } }", "inside another one of that name");
  expect_error("return 1", "the top level of a file returns no values");
  expect_error("switch { case is int: }", "needs a value after `switch`");
}

static void test_try_errors(void **state) {
  expect_error("func f(g) { g()?; if g { return 1, 2 }; return 1, 2, nil }",
               "cannot tell how many values to return");
  expect_error("func f(g) { g()?; if g { return g() }; return 1 }",
               "returns nil or an error last, and this is neither");
  expect_error("func f(g) { if g { return g, nil }; return -(g()?) }",
               "write `return x, nil`");
  expect_error("func f(g) { g()?; return 1, \"text\" }",
               "1:29: error: a function with `?` returns nil or an error last");
  expect_error("func f(g) { g()?; n := 2; return g, n }",
               "nil stands after the values: `return x, y, nil`");
  expect_error("struct S { x = len(1)? }", "there is no function to return");
}

static void test_struct_errors(void **state) {
  expect_error("func f(v) { struct S { x = v }; return S }",
               "cannot use the variable `v`");
  expect_error("struct S { x }\nfunc (s S) x() {}", "has a field `x`");
  expect_error("struct S { x }\nfunc (s S) m() {}\nfunc (s S) m() {}",
               "is declared twice");
  expect_error("x := 1\nfunc (s x) m() {}", "methods belong to structs");
  expect_error("func (s list) m() {}", "methods belong to structs");
  expect_error("1 + 2", "the value is not used");
}

static void test_all_errors(void **state) {
  static const char source[] =
      "a()\nfunc f() {\n  b()\n  break\n}\nconst n = 1\nn = c\n";
  expect_error(source, "1:1: error: `a`");
  expect_error(source, "3:3: error: `b`");
  expect_error(source, "4:3: error: `break`");
  expect_error(source, "7:1: error: cannot assign to `n`");
  expect_error(source, "7:5: error: `c`");
}

static void test_limits(void **state) {
  Text source = {0};
  text_addf(&source, "func f() {\n");
  for (int i = 0; i < 260; i++) text_addf(&source, "  x%d := %d\n", i, i);
  text_addf(&source, "  return [x0");
  for (int i = 1; i < 260; i++) text_addf(&source, ", x%d", i);
  text_add(&source, "]\n}\n", 5);
  expect_error(source.data, "needs more than 250 variables and temporaries");
  source.len = 0;
  text_addf(&source, "x := [0");
  for (int i = 1; i < 70000; i++) text_addf(&source, ", %d", i + 40000);
  text_add(&source, "]\n", 3);
  expect_error(source.data, "more than 65535 constants");
  source.len = 0;
  text_addf(&source, "println(0");
  for (int i = 1; i < 300; i++) text_addf(&source, ", %d", i);
  text_add(&source, ")\n", 3);
  expect_error(source.data, "a call has at most 240 arguments");
  text_free(&source);
}

// --- Warnings ---------------------------------------------------------------
static void test_warnings(void **state) {
  expect_warning("func f() { abc := 1 }", "warning: `abc` is never used");
  expect_warning("func f() { return; f() }", "this is never reached");
  expect_warning("func f() { for { }; f() }", "this is never reached");
  expect_warning("import \"tools/kit\"", "imported, but never used");
  expect_warning("func f(a) { _b := 1; for x in a { }; return }", NULL);
  expect_warning("func f() { for { break }; f() }", NULL);
  expect_warning("func f(a) { if a { return }; f(1) }", NULL);
  CompileInput input = input_of("test.csp", "func f() { abc := 1 }");
  expect_messages(*state, &input, true, NULL);
}

// --- Modules ----------------------------------------------------------------
static void test_builtin_module(void **state) {
  expect_code("import \"tools/kit\"\nkit.twice(2)\n",
              "RUNMOD r0 module tools/kit\nLOADI r3 2\n"
              "CALLK r0 1 want 0 func twice\n");
  expect_code("import k \"tools/kit\"\nk.make(2, 3)\nx := k\n",
              "LOADK r2 native tools/kit.make\n");
  expect_code("import \"tools/kit\"\nkit.counter += 1\n",
              "GETG r0 counter\nADDI r0 r0 1\nSETG r0 counter\n");
  expect_code("import \"tools/kit\"\nx := kit.Box(1) is kit.Box\n",
              "IS r0 r0 struct Box\n");
  expect_error("import \"tools/kit\"\nkit.twise(2)\n",
               "did you mean `kit.twice`?");
  expect_error("import \"tools/kit\"\nkit._secret()\n", "is private");
  expect_error("import \"tools/kti\"", "did you mean \"tools/kit\"?");
  expect_error("func f() { import \"tools/kit\" }", "top level");
  Vm *vm = csp_vm(*state);
  ObjString *second = vm_intern(vm, "second", 6);
  assert_true(vm_method(vm, OBJ_LIST, second) != VALUE_UNDEF);
}

static void write_file(const char *folder, const char *name, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void remove_file(const char *folder, const char *name) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  unlink(path);
}

static void expect_in_folder(Csp *csp, const char *folder, const char *source,
                             bool compiles, const char *fragment) {
  char path[256];
  snprintf(path, sizeof path, "%s/main.csp", folder);
  CompileInput input = input_of(path, source);
  expect_messages(csp, &input, compiles, fragment);
}

static void test_file_modules(void **state) {
  char folder[] = "/tmp/csp_compile_XXXXXX";
  assert_non_null(mkdtemp(folder));
  write_file(folder, "a.csp", "import \"./b\"\nfunc f() => b.g()\n");
  write_file(folder, "b.csp", "func g() => 1\n_p := 1\n");
  write_file(folder, "c.csp", "import \"./d\"\n");
  write_file(folder, "d.csp", "import \"./c\"\n");
  write_file(folder, "bad.csp", "x := nope\n");
  expect_in_folder(*state, folder, "import \"./a\"\nprintln(a.f())\n", true,
                   NULL);
  Vm *vm = csp_vm(*state);
  assert_int_equal(map_len(vm->modules), 2);
  expect_in_folder(*state, folder, "import \"./a\"\nimport \"./b\"\n", true,
                   NULL);
  assert_int_equal(map_len(vm->modules), 2);
  expect_in_folder(*state, folder, "import \"./c\"\n", false,
                   "error: import cycle: ");
  expect_in_folder(*state, folder, "import \"./bad\"\n", false,
                   "bad.csp:1:6: error: `nope` is not declared");
  expect_in_folder(*state, folder, "import \"./none\"\n", false,
                   "there is no file /tmp/csp_compile_");
  expect_error("import \"b\"\n", "there is no search path");
  Csp *along = new_runtime_along(folder);
  expect_error_in(along, "import \"b\"\nb.h()\n", "module `b` has no `h`");
  expect_error_in(along, "import \"bb\"\n",
                  "nor along the search path (/tmp/csp_compile_");
  csp_free(along);
  static const char *const names[] = {"a.csp", "b.csp", "c.csp", "d.csp",
                                      "bad.csp"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    remove_file(folder, names[i]);
  rmdir(folder);
}

// Input after input into one module, as an interactive program does.
static void test_interactive(void **state) {
  static const char *const inputs[] = {
      "import \"tools/kit\"",
      "x := kit.twice(1)",
      "func f() => x",
      "struct P { a }",
      "func (p P) m() => p.a",
      "func (p P) n() => p.m()",
      "y := P(f()).n()",
      "x := 3",
      "f := 4",
      "f = 5",
  };
  Vm *vm = csp_vm(*state);
  ObjModule *module = module_new(vm, "main");
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
    CompileInput input = input_of("input", inputs[i]);
    input.module = module;
    expect_messages(*state, &input, true, NULL);
  }
  CompileInput input = input_of("input", "P = 1");
  input.module = module;
  expect_messages(*state, &input, false, "cannot assign to `P`");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_unknown_names),   TEST(test_declarations),
      TEST(test_constant_errors), TEST(test_jumps),
      TEST(test_try_errors),      TEST(test_struct_errors),
      TEST(test_all_errors),      TEST(test_limits),
      TEST(test_warnings),        TEST(test_builtin_module),
      TEST(test_file_modules),    TEST(test_interactive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
