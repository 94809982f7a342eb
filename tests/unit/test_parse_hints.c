// SPDX-License-Identifier: MIT
// Hints of the front end: brackets that nothing closes, and what is written
// otherwise in other languages. Errors are compared as in test_parse.c.
#include "parse_fixture.h"

static void test_never_closed(void **state) {
  (void)state;
  errors("f([1, 2]\nprintln(1)",
         "1:2: this `(` is never closed\n"
         " > its `)` should stand before line 2\n");
  errors("x := [1, 2\nif x { }",
         "1:6: this `[` is never closed\n"
         " > its `]` should stand before line 2\n");
  errors("func f() {\n  x := {a: 1\n  return x\n}",
         "2:8: this `{` is never closed\n"
         " > its `}` should stand before line 3\n");
  errors("f({a: 1)",
         "1:8: unexpected `)`\n"
         " > the `{` of line 1, column 3 is still open\n");
  errors("f([{a: 1])",
         "1:9: unexpected `]`\n"
         " > the `{` of line 1, column 4 is still open\n");
  errors("f(1,\nx := 2 // )\ny := \")\"",
         "1:2: this `(` is never closed\n"
         " > its `)` should stand before line 2\n");
}

// A brace that ends another line's block: the one that it took the end of.
static void test_never_closed_by_indentation(void **state) {
  (void)state;
  errors("func f() {\n  if a {\n}\n",
         "2:8: this `{` is never closed\n"
         " > its `}` should stand before line 3\n");
  errors("func f() {\n  if a {\n  } else {\n    b()\n}\nfunc g() { }",
         "3:10: this `{` is never closed\n"
         " > its `}` should stand before line 5\n");
  errors("m := {\n\ta: {\n\t\tb: 1,\n\tc: {\n\t},\n}\nx := 1",
         "2:5: this `{` is never closed\n"
         " > its `}` should stand before line 6\n");
  errors("f(func() {\n  if a {\n    b()\n})",
         "2:8: this `{` is never closed\n"
         " > its `}` should stand before line 4\n");
  // What is closed oddly elsewhere is not to blame.
  errors("func f() {\n  if a {\n}\n}\nfunc g() {\n",
         "5:10: this `{` is never closed\n");
  errors("func f() {\n  if a {\n}\n}\n)",
         "5:1: unexpected `)`, no `(` is open\n");
}

// What is closed further down lacks a comma.
static void test_closed_later(void **state) {
  (void)state;
  errors("x := {\n  a: 1\n  b: 2\n}",
         "3:3: unexpected `b`, expected `,` or `}`\n"
         " > the `{` of line 1, column 6 is still open\n");
  errors("func f() {\n  x := {a: 1\n  b: 2\n}\n}",
         "3:3: unexpected `b`, expected `,` or `}`\n"
         " > the `{` of line 2, column 8 is still open\n"
         "5:1: unexpected `}`, no `{` is open\n");
  errors("f(\n  1\n  \")\", '(', /* ( */ `(`, g(2))",
         "3:3: unexpected string, expected `,` or `)`\n"
         " > the `(` of line 1, column 2 is still open\n");
}

// ... and one that lacks its end before a brace of another kind.
static void test_closed_by_another(void **state) {
  (void)state;
  errors("f([1,2}",
         "1:7: unexpected `}`, no `{` is open\n"
         " > the `[` of line 1, column 3 is still open\n");
  errors("x := [1, 2)",
         "1:11: unexpected `)`, no `(` is open\n"
         " > the `[` of line 1, column 6 is still open\n");
  errors("if (x == 1 {\n  f()\n}",
         "1:12: unexpected `{`, expected `,` or `)`\n"
         " > the `(` of line 1, column 4 is still open\n");
}

static void test_bodies(void **state) {
  (void)state;
  errors("if (c) println(2)",
         "1:8: unexpected `println`, expected `{`\n"
         " > the body stands in braces: `if condition { }`\n");
  errors("if c return",
         "1:6: unexpected keyword `return`, expected `{`\n"
         " > the body stands in braces: `if condition { }`\n");
  errors("for c f()",
         "1:7: unexpected `f`, expected `{`\n"
         " > the body stands in braces: `for condition { }`\n");
  errors("for x in y f()",
         "1:12: unexpected `f`, expected `{`\n"
         " > the body stands in braces: `for x in xs { }`\n");
  errors("if c { } else f()",
         "1:15: unexpected `f`, expected `{`\n"
         " > the body stands in braces: `{ }`\n");
}

static void test_maps_in_branches(void **state) {
  (void)state;
  static const char *const MAPS[] = {"\"a\": 1", "1: 2", "1.5: 2", "[k]: 2",
                                     "\"${k}\": 2"};
  for (size_t i = 0; i < sizeof MAPS / sizeof *MAPS; i++) {
    char text[80], message[200];
    snprintf(text, sizeof text, "x := if y { {%s} } else { z }", MAPS[i]);
    size_t colon = (size_t)(strrchr(text, ':') - text);
    snprintf(message, sizeof message,
             "1:%zu: unexpected `:`, expected a new line\n"
             " > a map stands in parentheses: `({a: 1})`\n",
             colon + 1);
    errors(text, message);
  }
}

static void test_heads_elsewhere(void **state) {
  (void)state;
  errors("for (i := 0; i < 3; i++) { }",
         "1:8: unexpected `:=`, expected `,` or `)`\n"
         " > leave out the parentheses: `for i := 0; i < n; i++ { }`\n");
  errors("for (i = 0; i < 3; i++) { }",
         "1:8: unexpected `=`, expected `,` or `)`\n"
         " > leave out the parentheses: `for i := 0; i < n; i++ { }`\n");
  errors("while (c) f()",
         "1:11: unexpected `f`, expected a new line\n"
         " > a loop with a condition is `for cond { }`\n");
  errors("f := function(x) {\n}",
         "1:18: unexpected `{`, expected a new line\n"
         " > a function is `func(x) { ... }`\n");
  errors("func f(c) { return if c { 1 } else { 3 }, nil }",
         "1:41: unexpected `,`, expected a new line\n"
         " > beside other values it stands in parentheses: "
         "`return (if a { b } else { c }), nil`\n");
}

static void test_expressions_elsewhere(void **state) {
  (void)state;
  errors("x := 2 ** 3",
         "1:9: unexpected `*`, expected an expression\n"
         " > a power is `math.ipow(a, b)`, or of floats `math.pow(a, b)`\n");
  errors("x **= 3",
         "1:4: unexpected `*=`, expected an expression\n"
         " > a power is `math.ipow(a, b)`, or of floats `math.pow(a, b)`\n");
  errors("x := {(1, 2): 3}",
         "1:7: unexpected `(`, expected a key or `}`\n"
         " > a key that is an expression stands in brackets: "
         "`{[(a, b)]: c}`\n");
  errors("x := if y { {a: 1} } else { z }",
         "1:14: only a loop, `switch` or `select` may have a label\n"
         " > a map stands in parentheses: `({a: 1})`\n");
}

static void test_loops_and_arrows_elsewhere(void **state) {
  (void)state;
  errors("f([x for x in y])",
         "1:6: unexpected keyword `for`, expected `,` or `]`\n"
         " > write `xs.map(func(x) => ...)` or `xs.filter(func(x) => ...)`, "
         "or a loop\n");
  errors("y := [for x in xs { }]",
         "1:7: unexpected keyword `for`, expected an expression or `]`\n"
         " > write `xs.map(func(x) => ...)` or `xs.filter(func(x) => ...)`, "
         "or a loop\n");
  errors("f := x => x",
         "1:8: unexpected `=>`, expected a new line\n"
         " > a short function is `func(x) => expression`\n");
  errors("t := go func(x) => x",
         "1:17: unexpected `=>`, expected `{`\n"
         " > `go` calls a function: `go f(x)`, or `go { ... }`\n");
  errors("f := () => x",
         "1:9: unexpected `=>`, expected a new line\n"
         " > a short function is `func(x) => expression`\n");
  errors("f := (x, y) => x",
         "1:13: unexpected `=>`, expected a new line\n"
         " > a short function is `func(x) => expression`\n");
}

static void test_choices_elsewhere(void **state) {
  (void)state;
  errors("x := a\n  ? 1 : 2",
         "2:3: there is no operator `a ? b : c`\n"
         " > write `if a { b } else { c }`, or `a ?? b` for b if a is nil\n");
  errors("x := f()\n  ?\n",
         "2:3: unexpected `?`, expected a statement\n"
         " > a statement goes on if the line before ends with the "
         "operator\n");
  errors("x := a ? 1 : 2",
         "1:8: there is no operator `a ? b : c`\n"
         " > write `if a { b } else { c }`, or `a ?? b` for b if a is nil\n");
  errors("x := f() ? \"y\" : n",
         "1:10: there is no operator `a ? b : c`\n"
         " > write `if a { b } else { c }`, or `a ?? b` for b if a is nil\n");
  errors("x := 2 if c else 3",
         "1:8: unexpected keyword `if`, expected a new line\n"
         " > a choice is `if a { b } else { c }`\n");
}

static void test_statements_elsewhere(void **state) {
  (void)state;
  errors("y := x++",
         "1:7: unexpected `++`, expected a new line\n"
         " > `x++` and `x--` are statements, and have no value\n");
  errors("--x",
         "1:1: unexpected `--`, expected a statement\n"
         " > write `x++` or `x--`, as a statement of its own\n");
  errors("f(x := 1)",
         "1:5: unexpected `:=`, expected `:`, `,` or `)`\n"
         " > an assignment is a statement, and has no value\n");
  errors("import os",
         "1:10: unexpected end of file, expected a string\n"
         " > a module's name is a string: `import \"os\"`\n");
  errors("print x",
         "1:1: unexpected `print`\n"
         " > `print` is a function: `print(x)`\n");
  errors("switch x { case 1 => 2 }",
         "1:19: unexpected `=>`, expected `:` or `,`\n");
  errors("func f() -> int { }",
         "1:10: there is no operator `->`\n > results have no types; a field "
         "is read as "
         "`x.name`, and a short function is `func(x) => x`\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_never_closed),
      cmocka_unit_test(test_never_closed_by_indentation),
      cmocka_unit_test(test_closed_later),
      cmocka_unit_test(test_closed_by_another),
      cmocka_unit_test(test_bodies),
      cmocka_unit_test(test_maps_in_branches),
      cmocka_unit_test(test_heads_elsewhere),
      cmocka_unit_test(test_expressions_elsewhere),
      cmocka_unit_test(test_loops_and_arrows_elsewhere),
      cmocka_unit_test(test_choices_elsewhere),
      cmocka_unit_test(test_statements_elsewhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
