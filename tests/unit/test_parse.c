// SPDX-License-Identifier: MIT
// The front end: source text to syntax tree, or to error messages.
//
// Trees are compared as ast_dump prints them, errors as diags_text prints
// them, without the path. The last tests feed broken texts, where only "no
// crash" is checked; they are worth most under the sanitizers.
#include "parse_fixture.h"

#include "lang/depth.h"

static void check(const char *text, const char *expected) {
  char *result = parse_bytes(text, strlen(text));
  assert_string_equal(result, expected);
  free(result);
}

// One statement: its dump without the newline.
static void tree(const char *text, const char *expected) {
  char *result = parse_bytes(text, strlen(text));
  size_t len = strlen(result);
  if (len > 0 && result[len - 1] == '\n') result[len - 1] = '\0';
  assert_string_equal(result, expected);
  free(result);
}

// `x := text`: only the dump of the value.
static void value(const char *text, const char *expected) {
  char source[2048], dump[2048];
  snprintf(source, sizeof source, "x := %s", text);
  snprintf(dump, sizeof dump, "(define [x] [%s])", expected);
  tree(source, dump);
}

// --- trees ------------------------------------------------------------------
static void test_empty(void **state) {
  (void)state;
  check("", "");
  check("\n\n;;\n// nothing\n/* at all */", "");
  check("#!/usr/bin/env cspvm\nx", "(expr x)\n");
  check("\xef\xbb\xbfx\r\ny\r\n", "(expr x)\n(expr y)\n");
}

static void test_numbers(void **state) {
  (void)state;
  value("42", "42");
  value("1_000", "1000");
  value("0xfF_0", "4080");
  value("0b1_01", "5");
  value("0o17", "15");
  value("0", "0");
  value("9223372036854775807", "9223372036854775807");
  value("-9223372036854775808", "-9223372036854775808");
  value("- -9223372036854775808", "(unary - -9223372036854775808)");
  value("1 - -9223372036854775808", "(binary - 1 -9223372036854775808)");
  value("-5", "(unary - 5)");
  value("1.5", "1.5");
  value("0.25e-3", "0.00025");
  value("1e9", "1e+09");
  value("2E+2", "2e+02");
  value("0e0", "0");
  value("1..3", "(range .. 1 3)");
  value("1..=x.y", "(range ..= 1 (field y x))");
}

static void test_durations(void **state) {
  (void)state;
  value("150ms", "150000000");
  value("1.5h", "5400000000000");
  value("20us", "20000");
  value("5ns", "5");
  value("1m", "60000000000");
  value("0.5s", "500000000");
  value("2_0s", "20000000000");
}

static void test_runes(void **state) {
  (void)state;
  value("'a'", "97");
  value("'\\n'", "10");
  value("'\\''", "39");
  value("'\"'", "34");
  value("'\\xff'", "255");
  value("'\\u{1F600}'", "128512");
  value("'\xc3\xa9'", "233");
  value("'\xe4\xb8\x96'", "19990");
  value("'\xf0\x9f\x98\x80'", "128512");
}

static void test_strings(void **state) {
  (void)state;
  value("\"\"", "\"\"");
  value("\"a\\tb\\n\\\\\\\"\\'\\$\\x41\\u{e9}\"",
        "\"a\\x09b\\n\\\\\\\"'$A\xc3\xa9\"");
  value("\"$ $x $5 $$\"", "\"$ $x $5 $$\"");
  value("`a\\n${x}\r\n\"b`", "\"a\\\\n${x}\\n\\\"b\"");
}

static void test_interpolation(void **state) {
  (void)state;
  value("\"${x}\"", "(interp [x])");
  value("\"a ${x} b\"", "(interp [\"a \" x \" b\"])");
  value("\"${a}${b}\"", "(interp [a b])");
  value("\"$${a}\"", "(interp [\"$\" a])");
  value("\"${a:5d}\"", "(interp [(format \"%5d\" a)])");
  value("\"${a[b:c]}${a[b:]:v}x\"",
        "(interp [(slice a b c) (format \"%v\" (slice a b)) \"x\"])");
  value("\"\\${a}\"", "\"${a}\"");
  value("\"${\"b${\"c${d}\"}\"}\"",
        "(interp [(interp [\"b\" (interp [\"c\" d])])])");
  value("\"${ {a: 1}.a }\"", "(interp [(field a (map [(pair \"a\" 1)]))])");
  value("\"${\n  x\n  + 1\n}\"", "(interp [(binary + x 1)])");
  value("\"${func() { return \"}\" }()}\"",
        "(interp [(call (func [] (block [(return [\"}\"])])) [])])");
}

static void test_names(void **state) {
  (void)state;
  value(
      "gr\xc3\xb6\xc3\x9f"
      "e_1",
      "gr\xc3\xb6\xc3\x9f"
      "e_1");
  value("m.if.for.group", "(field group (field for (field if m)))");
  value("{if: 1, nil: 2, for: 3}",
        "(map [(pair \"if\" 1) (pair \"nil\" 2) (pair \"for\" 3)])");
  tree("func (p P) select() { }",
       "(funcdecl select (func select [] (block []) (param p P)))");
  tree("func select() { }", "(funcdecl select (func select [] (block [])))");
  value("a is func", "(is a func)");
  value("a is net.func", "(is a (field func net))");
}

static void test_newlines(void **state) {
  (void)state;
  check(
      "f\n(g)\nh[1]\n[2]",
      "(expr f)\n(expr (name g ()))\n(expr (index h 1))\n(expr (list [2]))\n");
}

static void test_newlines_in_brackets(void **state) {
  (void)state;
  value("f(\n1\n,\n2,\n)", "(call f [1 2])");
  value("[\n1\n, 2,\n]", "(list [1 2])");
  value("{\na: 1\n,\nb: 2,\n}", "(map [(pair \"a\" 1) (pair \"b\" 2)])");
  value("f(func() {\na\nb\n}, 1)",
        "(call f [(func [] (block [(expr a) (expr b)])) 1])");
  check("x := 1 /*\n*/ y", "(define [x] [1])\n(expr y)\n");
  check("x := 1 /* */ + y", "(define [x] [(binary + 1 y)])\n");
  check("return\n1", "(return [])\n(expr 1)\n");
  check("if a { b; c; }", "(if _ a (block [(expr b) (expr c)]))\n");
}

static void test_blocks_and_maps(void **state) {
  (void)state;
  tree("{ a }", "(block [(expr a)])");
  tree("return {a: 1}", "(return [(map [(pair \"a\" 1)])])");
  value("func() => {a: 1}", "(func => [] (map [(pair \"a\" 1)]))");
  value("[{}, {a: {}}]", "(list [(map []) (map [(pair \"a\" (map []))])])");
  tree("f({a: 1}, b: {})",
       "(expr (call f [(map [(pair \"a\" 1)]) (named b (map []))]))");
  tree("if a == {} { }", "(if _ (binary == a (map [])) (block []))");
  tree("for k in {a: 1} { }",
       "(forin [k] (map [(pair \"a\" 1)]) _ (block []))");
  tree("switch x { case 1: { a } }",
       "(switch _ x [(case [1] (block [(block [(expr a)])]))])");
  value("{\"a b\": 1, [k + 1]: 2, 3: 4, -5: 6, \"${x}\": 7}",
        "(map [(pair \"a b\" 1) (pair (binary + k 1) 2) (pair 3 4) "
        "(pair (unary - 5) 6) (pair (interp [x]) 7)])");
}

static void test_precedence(void **state) {
  (void)state;
  value("a ?? b || c && d == e .. f + g * -h",
        "(binary ?? a (binary || b (binary && c (binary == d "
        "(range .. e (binary + f (binary * g (unary - h))))))))");
  value("a * b + c", "(binary + (binary * a b) c)");
  value("a - b - c", "(binary - (binary - a b) c)");
  value("a | b & c", "(binary | a (binary & b c))");
  value("a +% b *% c -% d", "(binary -% (binary +% a (binary *% b c)) d)");
  value("a << b >> c", "(binary >> (binary << a b) c)");
  value("a < b <= c", "(binary <= (binary < a b) c)");
  value("a in b && c is d", "(binary && (binary in a b) (is c d))");
  value("!a == ^b", "(binary == (unary ! a) (unary ^ b))");
  value("<-f(1) + <-g", "(binary + (recv (call f [1])) (recv g))");
  value("(a + b) * c", "(binary * (binary + () a b) c)");
  value("func(a) => a ?? 1 + 2",
        "(func => [(param a)] (binary ?? a (binary + 1 2)))");
  value("1 + func() => 2 + 3", "(binary + 1 (func => [] (binary + 2 3)))");
  value("a % b / c ^ d", "(binary ^ (binary / (binary % a b) c) d)");
  value("a != b > c >= d", "(binary >= (binary > (binary != a b) c) d)");
}

static void test_postfix(void **state) {
  (void)state;
  value("a.b[1](2)?.c",
        "(field c (propagate (call (index (field b a) 1) [2])))");
  value("a[1:2]", "(slice a 1 2)");
  value("a[:]", "(slice a)");
  value("a[1:]", "(slice a 1)");
  value("a[:2]", "(slice a _ 2)");
  value("-a.b", "(unary - (field b a))");
  value("(<-t)?", "(propagate (recv () t))");
  value("f(1, xs..., a: 2, b: 3,)",
        "(call f [1 (spread xs) (named a 2) (named b 3)])");
  value("func(x) { return x }(4)",
        "(call (func [(param x)] (block [(return [x])])) [4])");
}

static void test_functions(void **state) {
  (void)state;
  tree("func f(a, b = 10, rest...) { }",
       "(funcdecl f (func f [(param a) (param b 10) (param rest ...)] "
       "(block [])))");
  tree("func f(x,) => x * 2",
       "(funcdecl f (func f => [(param x)] (binary * x 2)))");
  tree("func (p Point) len() => 1",
       "(funcdecl len (func len => [] 1 (param p Point)))");
  tree("func(a) { }(1)", "(expr (call (func [(param a)] (block [])) [1]))");
  tree("func f(_, _) { }",
       "(funcdecl f (func f [(param _) (param _)] (block [])))");
}

static void test_simple_statements(void **state) {
  (void)state;
  tree("a, b := f()", "(define [a b] [(call f [])])");
  tree("a, b.c, d[0] = 1, 2, 3",
       "(assign = [a (field c b) (index d 0)] "
       "[1 2 3])");
  tree("var a, b", "(var [a b] [])");
  tree("var a = 1", "(var [a] [1])");
  tree("const a, b = 1, 2", "(const [a b] [1 2])");
  tree("a.b++", "(incdec + (field b a))");
  tree("a--", "(incdec - a)");
  tree("c <- <-d", "(send c (recv d))");
  tree("defer f(x)", "(defer (call f [x]))");
  tree("defer { f() }",
       "(defer (call (func [] (block [(expr (call f []))])) []))");
  tree("return a, f()", "(return [a (call f [])])");
  tree("go f(x)", "(expr (go (call f [x])))");
  tree("t := go { f() }",
       "(define [t] [(go (call (func [] (block [(expr (call f []))])) []))])");
}

static void test_assignment_operators(void **state) {
  (void)state;
  static const char *const OPS[] = {"+", "-",  "*",  "/",  "%",  "&",  "|",
                                    "^", "<<", ">>", "+%", "-%", "*%", "??"};
  for (size_t i = 0; i < sizeof OPS / sizeof *OPS; i++) {
    char text[32], dump[64];
    snprintf(text, sizeof text, "a %s= 1", OPS[i]);
    snprintf(dump, sizeof dump, "(assign %s [a] [1])", OPS[i]);
    tree(text, dump);
  }
}

static void test_if(void **state) {
  (void)state;
  tree("if a { b } else if c { d } else { e }",
       "(if _ a (block [(expr b)]) (if _ c (block [(expr d)]) "
       "(block [(expr e)])))");
  tree("if v, ok := m[k]; ok { }",
       "(if (define [v ok] [(index m k)]) ok (block []))");
}

static void test_for(void **state) {
  (void)state;
  tree("for { break }", "(for _ _ _ (block [(break)]))");
  tree("for a < b { }", "(for _ (binary < a b) _ (block []))");
  tree("for (a in b) { }", "(for _ (binary in () a b) _ (block []))");
  tree("for i := 0; i < n; i++ { }",
       "(for (define [i] [0]) (binary < i n) (incdec + i) (block []))");
  tree("for ;; { }", "(for _ _ _ (block []))");
  tree("for v in x { }", "(forin [v] x _ (block []))");
  tree("for k, _ in 0..n + 1 { }",
       "(forin [k _] (range .. 0 (binary + n 1)) _ (block []))");
  tree("for /* a */ k /* b */ , v in x { }", "(forin [k v] x _ (block []))");
  tree("a: for { continue a }",
       "(labeled a (for _ _ _ (block [(continue a)])))");
  tree("for inner { }", "(for _ inner _ (block []))");
}

static void test_switch(void **state) {
  (void)state;
  tree("switch x {\ncase 1, 2:\n a\n b\ncase is P, 3:\ndefault:\n}",
       "(switch _ x [(case [1 2] (block [(expr a) (expr b)])) "
       "(case [(is _ P) 3] (block [])) (case [] (block []))])");
  tree("switch a := f(); a { }", "(switch (define [a] [(call f [])]) a [])");
  tree("switch { case a: b }", "(switch _ _ [(case [a] (block [(expr b)]))])");
  tree("switch a := 1; { }", "(switch (define [a] [1]) _ [])");
}

static void test_select(void **state) {
  (void)state;
  tree("group { }\ngroup g { f() }",
       "(group _ (block []))\n(group g (block [(expr (call f []))]))");
  tree("select { }", "(select _ _ [])");
  tree(
      "select prio {\ncase v := <-c: a\ncase v, ok = <-d:\ncase e <- x:\n"
      "case <-t:\ndefault:\n}",
      "(select prio _ _ [(comm (define [v] [(recv c)]) (block [(expr a)])) "
      "(comm (assign = [v ok] [(recv d)]) (block [])) "
      "(comm (send e x) (block [])) (comm (expr (recv t)) (block [])) "
      "(comm _ (block []))])");
}

static void test_structs_and_imports(void **state) {
  (void)state;
  tree("struct P { x = 0, y }", "(struct P [(param x 0) (param y)])");
  tree("struct P {\n x\n y = f(),\n\n z,\n}",
       "(struct P [(param x) (param y (call f [])) (param z)])");
  tree("struct P { }", "(struct P [])");
  tree("import \"net/http\"", "(import http \"net/http\")");
  tree("import u `./lib/util`", "(import u \"./lib/util\" alias)");
}

// --- places -----------------------------------------------------------------
static void check_place(const Node *node, uint32_t line, uint32_t col) {
  assert_non_null(node);
  assert_int_equal(node->pos.line, line);
  assert_int_equal(node->pos.col, col);
}

static void test_places(void **state) {
  (void)state;
  const char *text = "\n  a.b(1)[2] = c + d\n  x <- f(y)?\n  { }";
  Source source = {.path = "t", .text = text, .len = strlen(text)};
  Arena *arena = arena_new(&mem_libc, 1);
  Diags *diags = diags_new(&mem_libc, &source);
  Node *assign = lang_parse(&source, arena, diags);
  check_place(assign, 2, 3);
  check_place(assign->a, 2, 9);        // [
  check_place(assign->a->a, 2, 6);     // (
  check_place(assign->a->a->a, 2, 5);  // b
  check_place(assign->b, 2, 17);       // +
  Node *send = assign->next;
  check_place(send, 3, 3);
  check_place(send->b, 3, 12);    // ?
  check_place(send->b->a, 3, 9);  // (
  Node *block = send->next;
  check_place(block, 4, 3);
  assert_int_equal(block->end.line, 4);
  assert_int_equal(block->end.col, 5);
  assert_int_equal(block->end.offset, strlen(text) - 1);
  diags_free(diags);
  arena_free(arena);
}

// --- errors -----------------------------------------------------------------
static void test_error_form(void **state) {
  (void)state;
  check("x := 1\n\tif\xc3\xa9 := foo bar {",
        "t:2:14: error: unexpected `bar`, expected a new line\n"
        "    \tif\xc3\xa9 := foo bar {\n"
        "    \t           ^~~\n");
}

static void test_bad_literals(void **state) {
  (void)state;
  errors("x := 017",
         "1:6: a number has no leading 0\n"
         " > octal numbers are written 0o17\n");
  errors("x := 0b12", "1:6: malformed number `0b12`\n");
  errors("x := 1_", "1:6: malformed number `1_`\n");
  errors("x := 12ab", "1:6: malformed number `12ab`\n");
  errors("x := .5", "1:6: malformed number `.5`\n");
  errors("x := 9223372036854775808",
         "1:6: this number is out of range\n"
         " > the largest int is 9223372036854775807\n");
  errors("x := 1 - 9223372036854775808",
         "1:10: this number is out of range\n"
         " > the largest int is 9223372036854775807\n");
  errors("x := -9223372036854775809",
         "1:7: this number is out of range\n"
         " > the largest int is 9223372036854775807\n");
  errors("x := 1e999",
         "1:6: this number is out of range\n"
         " > the largest float is about 1.8e308\n");
  errors("x := 1.5ns",
         "1:6: this duration is not a whole number of nanoseconds\n");
  errors("x := 'ab'",
         "1:6: `'` holds one character\n > strings stand between `\"`\n");
  errors("x := ''", "1:6: an empty character\n > strings stand between `\"`\n");
  errors("x := \"a\\q\"",
         "1:8: unknown escape\n"
         " > escapes are \\n \\t \\r \\\\ \\\" \\' \\$ \\x41 \\u{1F600}\n");
}

static void test_not_closed(void **state) {
  (void)state;
  errors("x := \"abc\ny := 1 2",
         "1:6: this string is not closed on its line\n"
         " > write `\\n` for a newline, or a `raw string`\n"
         "2:8: unexpected `2`, expected a new line\n");
  errors("println(\"${1 + \")\ny := 1 2",
         "1:16: this string is not closed on its line\n"
         " > the `${` of the string at column 9 is still open\n"
         "2:8: unexpected `2`, expected a new line\n");
  errors("\nx := `abc\n\n",
         "2:6: this raw string is never closed\n"
         " > it ends with a backquote\n");
  errors("x /* abc\n\n",
         "1:3: this comment is never closed\n"
         " > it ends with `*/`\n");
  errors("func f() {\nif a {\n}\n", "1:10: this `{` is never closed\n");
  errors("f(1,\n2\nx := 1 2",
         "1:2: this `(` is never closed\n"
         " > its `)` should stand before line 3\n"
         "3:8: unexpected `2`, expected a new line\n");
}

static void test_bad_bytes(void **state) {
  (void)state;
  errors("x := \"\xff\xfe\"\ny := \xc0",
         "1:7: invalid UTF-8: byte \\xff\n2:6: invalid UTF-8: byte \\xc0\n");
  errors("x := 1 @ 2\ny := # z\n",
         "1:8: unexpected character `@`\n"
         "1:10: unexpected `2`, expected a new line\n"
         "2:5: unexpected end of file, expected an expression\n"
         "2:6: unexpected character `#`\n"
         " > comments begin with `//`\n");
}

static void test_unexpected(void **state) {
  (void)state;
  errors("x := 1 2", "1:8: unexpected `2`, expected a new line\n");
  errors("x := ", "1:5: unexpected end of file, expected an expression\n");
  errors("f(a, b", "1:2: this `(` is never closed\n");
  errors("{ x := }", "1:8: unexpected `}`, expected an expression\n");
  errors("x := {1, 2}",
         "1:8: unexpected `,`, expected `:`\n"
         " > a pair is `key: value`; a set is a map: `{[x]: true}`\n");
  errors("var if = 1",
         "1:5: unexpected keyword `if`, expected a name\n"
         " > a keyword is no name: choose another\n");
  errors("a..b..c", "1:5: unexpected `..`, expected a new line\n");
  errors("}", "1:1: unexpected `}`, no `{` is open\n");
  errors("x := )\ny := ]",
         "1:6: unexpected `)`, no `(` is open\n"
         "2:6: unexpected `]`, no `[` is open\n");
}

static void test_recovery(void **state) {
  (void)state;
  errors("x := = 1\nfunc f(a int) {\n  y := = 2\n}\nz := = 3",
         "1:6: unexpected `=`, expected an expression\n"
         "2:10: unexpected `int`, expected `=`, `,` or `)`\n"
         " > variables, parameters and results have no types: leave it out\n"
         "3:8: unexpected `=`, expected an expression\n"
         "5:6: unexpected `=`, expected an expression\n");
  errors("switch x {\ncase 1 2: a b\ncase 3\n  c d\n}\ne f",
         "2:8: unexpected `2`, expected `:` or `,`\n"
         "2:13: unexpected `b`, expected a new line\n"
         "3:7: unexpected end of line, expected `:` or `,`\n"
         "4:5: unexpected `d`, expected a new line\n"
         "6:3: unexpected `f`, expected a new line\n");
  errors("f(a b\ng(c d)\nh := [1 2\n  3, 4\n]\ni j",
         "1:5: unexpected `b`, expected `:`, `,` or `)`\n"
         "2:5: unexpected `d`, expected `:`, `,` or `)`\n"
         "3:9: unexpected `2`, expected `,` or `]`\n"
         "6:3: unexpected `j`, expected a new line\n");
  errors("for i := 0 i < n; i++ {\n  a b\n}\nc d",
         "1:12: unexpected `i`, expected `{`\n"
         " > the body stands in braces: `for condition { }`\n"
         "2:5: unexpected `b`, expected a new line\n"
         "4:3: unexpected `d`, expected a new line\n");
}

static void test_many_errors(void **state) {
  (void)state;
  char text[1024] = "";
  for (int i = 0; i < 25; i++) strcat(text, "x := = 1\n");
  char *result = parse_bytes(text, strlen(text));
  const char *end = "^\n5 more errors\n";
  assert_string_equal(result + strlen(result) - strlen(end), end);
  free(result);
}

static void test_checks(void **state) {
  (void)state;
  errors("1 = 2",
         "1:1: a literal cannot be assigned to\n"
         " > names, `x.field` and `x[index]` can be assigned to\n");
  errors("f()++",
         "1:1: a call cannot be assigned to\n"
         " > names, `x.field` and `x[index]` can be assigned to\n");
  errors("m.a := 1",
         "1:1: `:=` declares names, and this is none\n > assign with `=`\n");
  errors("a, a := f()", "1:4: the name `a` stands here twice\n");
  errors("a, b += 1, 2",
         "1:4: only `=` takes several values\n"
         " > write one assignment for each\n");
  errors("if x = 1 { }",
         "1:4: an assignment is no condition\n"
         " > did you mean `==`?\n");
  errors("if x := 1 { }",
         "1:4: a declaration is no condition\n"
         " > after it must stand `;` and the condition\n");
  errors("x := y?",
         "1:7: `?` stands after a call\n"
         " > `f()?` and `(<-task)?` hand an error on\n");
  errors("f(a: 1, a: 2)", "1:9: the argument `a` is given twice\n");
  errors("f(a: 1, 2)",
         "1:9: an argument without a name after named ones\n"
         " > named arguments come last\n");
  errors("f(xs..., ys...)",
         "1:10: a second spread list\n > one spread list comes after the "
         "other arguments; lists are joined with `+`\n");
}

static void calls_to_start(void) {
  errors("go x",
         "1:4: a call must follow `go`\n > `go f(x)`, or `go { ... }`\n");
  errors("defer func() { }",
         "1:7: a call must follow `defer`\n"
         " > call the function: `defer func() { ... }()`\n");
  errors(
      "defer f()?",
      "1:7: a call must follow `defer`\n"
      " > `defer f()` reports an error of f, `defer { _ = f() }` drops it\n");
  errors("defer _ = f()",
         "1:7: a call must follow `defer`\n"
         " > write `defer { _ = f() }`\n"
         "1:9: unexpected `=`, expected a new line\n");
  errors("go f()?",
         "1:4: a call must follow `go`\n"
         " > errors of a task come with `(<-t)?`, and `go { _ = f() }` drops "
         "them\n");
  errors("go _ = f()",
         "1:4: a call must follow `go`\n > write `go { _ = f() }`\n");
}

static void test_checks_of_statements(void **state) {
  (void)state;
  calls_to_start();
  errors("func f(r..., a) { }", "1:8: `r...` must be the last parameter\n");
  errors("func f(a, a) { }", "1:11: the parameter `a` stands here twice\n");
  errors("func f(a = 1, b) { }",
         "1:15: `b` has no default, but the one before it has\n"
         " > parameters with defaults come last\n");
  errors("for a.b in c { }",
         "1:5: only names may stand between `for` and `in`\n"
         " > a condition stands in parentheses: `for (a in b) { }`\n");
  errors("for a, a in c { }", "1:8: the loop variable `a` stands here twice\n");
  errors("select { case x: }",
         "1:15: a case of `select` sends or receives\n > `case v := <-c:`, "
         "`case v, ok := <-c:`, `case <-c:`, `case c <- v:`\n");
  errors("switch x { default: a\ndefault: b }", "2:1: a second `default`\n");
  errors("a: b = 1",
         "1:1: only a loop, `switch` or `select` may have a label\n");
  errors("import \"a b\"",
         "1:8: this path does not end in a name\n"
         " > give the module one: `import name \"path\"`\n");
  errors("{ import \"a\" }",
         "1:3: `import` stands at the top level of a file\n");
}

static void check_lines_that_begin_with_an_operator(void) {
  static const char *const binary[] = {"*", "<<", ">>", "+%", "*%", "..="};
  for (size_t n = 0; n < sizeof binary / sizeof *binary; n++) {
    char text[32], message[160];
    snprintf(text, sizeof text, "x := a\n  %s b", binary[n]);
    snprintf(message, sizeof message,
             "2:3: unexpected `%s`, expected a statement\n > a statement goes "
             "on if the line before ends with the operator\n",
             binary[n]);
    errors(text, message);
  }
}

static void test_habits(void **state) {
  (void)state;
  errors("if a\n{\n}",
         "1:5: unexpected end of line, expected `{`\n"
         " > the `{` must stand on this line\n");
  errors("if a { }\nelse { }",
         "2:1: `else` must stand on the line of the `}` before it\n");
  errors("while a { b c }",
         "1:1: unexpected `while`\n"
         " > a loop with a condition is `for cond { }`\n"
         "1:13: unexpected `c`, expected a new line\n");
  errors("while (a) { b c }",
         "1:1: unexpected `while`\n"
         " > a loop with a condition is `for cond { }`\n"
         "1:15: unexpected `c`, expected a new line\n");
  errors("if a { } elif b { }",
         "1:10: unexpected `elif`\n"
         " > write `else if cond {` on the line of the `}` before it\n");
  errors("def f(x):\n  return x",
         "1:1: unexpected `def`\n"
         " > functions are declared with `func name(parameters) { }`\n");
  errors("x := a and b", "1:8: unexpected `and`\n > write `&&`\n");
  errors("x := not a",
         "1:6: unexpected `not`\n > write `!x`, and `!(a in b)`\n");
  errors("for i := range xs { }",
         "1:10: unexpected `range`\n"
         " > write `for v in x`, `for k, v in x`, `for i in n`, or "
         "`for i in (from..to).by(step)`\n");
  errors("x := a === b", "1:8: there is no operator `===`\n > write `==`\n");
  errors("x := a\n  .b",
         "2:3: unexpected `.`, expected a statement\n > a "
         "statement goes on if the line before ends with the "
         "operator\n");
  check_lines_that_begin_with_an_operator();
  errors("f(a = 1)",
         "1:5: unexpected `=`, expected `:`, `,` or `)`\n > named "
         "arguments are written `name: value`; `==` compares\n");
  // As names they are as good as any.
  tree("while = end + not", "(assign = [while] [(binary + end not)])");
}

// --- depth and broken texts -------------------------------------------------
static void check_too_deep(const char *head, const char *unit,
                           const char *tail) {
  enum { TIMES = 10000 };
  size_t unit_len = strlen(unit);
  char *text = malloc(strlen(head) + TIMES * unit_len + strlen(tail) + 1);
  char *end = stpcpy(text, head);
  for (int i = 0; i < TIMES; i++) end = stpcpy(end, unit);
  strcpy(end, tail);
  char *result = parse_bytes(text, strlen(text));
  assert_non_null(strstr(result, "error: nested too deeply\n"));
  free(result);
  free(text);
}

static void test_too_deep(void **state) {
  (void)state;
  check_too_deep("x := ", "(", "");
  check_too_deep("x := ", "[", "");
  check_too_deep("x := ", "{a: ", "");
  check_too_deep("x := ", "\"${", "");
  check_too_deep("", "{", "");
  check_too_deep("", "if a { ", "");
  check_too_deep("x := ", "- ", "1");
  check_too_deep("x := ", "!", "1");
  check_too_deep("x := ", "<-", "c");
  check_too_deep("x := 1", " + 1", "");
  check_too_deep("x := f", "()", "");
  check_too_deep("x := a", ".b", "");
  check_too_deep("x := ", "func(a) => ", "1");
  check_too_deep("if a { }", " else if b { }", "");
}

static void test_deep_enough(void **state) {
  (void)state;
  char text[4096] = "x := ";
  for (int i = 0; i < LANG_MAX_NESTING; i++) strcat(text, "[");
  for (int i = 0; i < LANG_MAX_NESTING; i++) strcat(text, "]");
  char *result = parse_bytes(text, strlen(text));
  assert_null(strstr(result, "error"));
  free(result);
}

static const char *const PROGRAMS[] = {
    "import u \"./lib/util\"\nstruct P { x = 0, y\n z }\n"
    "func (p P) len(a, b = 1, c...) { return p.x ?? <-p.y, nil }\n",
    "a, b := f(1, xs..., t: 2s), func(x) => {k: [x, 1.5, 'c']}\n"
    "for k, v in m { if v is u.T { continue } else { go g(k) } }\n",
    "s := \"a ${b + \"c ${ {d: `e`}[\"d\"] } f\"} \\u{1F600} g\"\n"
    "l: for i := 0; i < 10; i += 2 { defer close(c); break l }\n",
    "select prio {\ncase v, ok := <-c: x ?\?= -9223372036854775808\n"
    "case d <- e?: { }\ndefault:\n}\n"
    "switch y := h()?; y { case 1, is int: z++\ndefault: /* w */ z-- }\n",
    "while (x) {\n  f(a b)\n}\nif x\n{\n}\ngroup g { }\ny := [1, 2\n"
    "z := \"abc ${x\nq := 5 5 // end\n",
};
enum { PROGRAM_COUNT = sizeof PROGRAMS / sizeof *PROGRAMS };

static void test_prefixes(void **state) {
  (void)state;
  for (int i = 0; i < PROGRAM_COUNT; i++) {
    size_t len = strlen(PROGRAMS[i]);
    for (size_t n = 0; n <= len; n++) free(parse_bytes(PROGRAMS[i], n));
    for (size_t n = 0; n <= len; n++) {
      free(parse_bytes(PROGRAMS[i] + n, len - n));
    }
  }
}

static void test_mutations(void **state) {
  (void)state;
  static const char BYTES[] = "(){}[]\"'`\\$\n;:,.=<-+?! a1\x80\xff/*";
  char text[1024];
  for (int i = 0; i < PROGRAM_COUNT; i++) {
    size_t len = strlen(PROGRAMS[i]);
    memcpy(text, PROGRAMS[i], len + 1);
    for (size_t at = 0; at < len; at++) {
      for (size_t b = 0; b < sizeof BYTES; b++) {  // the NUL, too
        text[at] = BYTES[b];
        free(parse_bytes(text, len));
      }
      text[at] = PROGRAMS[i][at];
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_empty),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_durations),
      cmocka_unit_test(test_runes),
      cmocka_unit_test(test_strings),
      cmocka_unit_test(test_interpolation),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_newlines),
      cmocka_unit_test(test_newlines_in_brackets),
      cmocka_unit_test(test_blocks_and_maps),
      cmocka_unit_test(test_precedence),
      cmocka_unit_test(test_postfix),
      cmocka_unit_test(test_functions),
      cmocka_unit_test(test_simple_statements),
      cmocka_unit_test(test_assignment_operators),
      cmocka_unit_test(test_if),
      cmocka_unit_test(test_for),
      cmocka_unit_test(test_switch),
      cmocka_unit_test(test_select),
      cmocka_unit_test(test_structs_and_imports),
      cmocka_unit_test(test_places),
      cmocka_unit_test(test_error_form),
      cmocka_unit_test(test_bad_literals),
      cmocka_unit_test(test_not_closed),
      cmocka_unit_test(test_bad_bytes),
      cmocka_unit_test(test_unexpected),
      cmocka_unit_test(test_recovery),
      cmocka_unit_test(test_many_errors),
      cmocka_unit_test(test_checks),
      cmocka_unit_test(test_checks_of_statements),
      cmocka_unit_test(test_habits),
      cmocka_unit_test(test_too_deep),
      cmocka_unit_test(test_deep_enough),
      cmocka_unit_test(test_prefixes),
      cmocka_unit_test(test_mutations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
