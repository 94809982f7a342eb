// SPDX-License-Identifier: MIT
// Nothing that a script writes is out of reach: each operator and statement of
// docs/language.md is the body of a function, whose parameters a, b and c are
// every value (reach_fixture.h). A body runs until it is interrupted; those of
// `whole` run to their end, as only that shows how much unwinding, leaving and
// collecting do at once. Programs whose text is large are compiled. What
// depends on how many goroutines there are when the limit comes is not here.
#include "reach_fixture.h"

// What the bodies use.
static const char common[] =
    "struct P { x = nil, y = [] }\n"
    "func (p P) get() => p.x\n"
    "func (p P) put(x, rest...) { p.x = x; return rest }\n"
    "struct Shown { x }\n"
    "func (s Shown) string() => \"<${s.x}>\"\n"
    "struct Wide { a, b = a, c = [a, b], d = {a: a}, e = nil, f = nil, g = "
    "nil, "
    "h = nil }\n"
    "func rest(all...) => all\n"
    "func first(x, all...) => x\n"
    "func named(x = nil, y = [x]) => y\n"
    "func two(x) { return x, x }\n"
    "func fails(x) { return x, x }\n"
    "func deep(n) => deep(n + 1) + 1\n"
    "func deferring(n) { defer rest(n); return deferring(n + 1) + 1 }\n"
    "func deferring_panics(n) { defer panic(n); return deferring_panics(n + 1) "
    "}\n"
    "func grouping(n) { group { return grouping(n + 1) + 1 } }\n"
    "func trying(n) { _, err := try(trying, n + 1); return err }\n"
    "func caused(n) { e := error(\"e\"); for i in n { e = error(\"e\", cause: "
    "e) "
    "}; return e }\n"
    "func filled(x, n) {\n"
    "  c := chan(n)\n"
    "  for i in n { c <- x }\n"
    "  close(c)\n"
    "  return c\n"
    "}\n"
    "const LONG = \"ab\".repeat(200000)\n"
    "const NEAR = \"ab\".repeat(199999) + \"ac\"\n"
    "const LARGE = func() {\n"
    "  m := {}\n"
    "  for i in 100000 { m[i] = i; m[\"key ${i}\"] = i }\n"
    "  return m\n"
    "}()\n";

// --- Operators --------------------------------------------------------------
// Between a and b, and before `=`.
static const char *const binary[] = {"+",  "-",   "*",  "/",  "%",  "&",  "|",
                                     "^",  "<<",  ">>", "+%", "-%", "*%", "??",
                                     "==", "!=",  "<",  "<=", ">",  ">=", "in",
                                     "..", "..=", "&&", "||", NULL};
enum { ASSIGNED = 14 };  // the first so many have an `=`

static const char *const of_one[] = {
    "return !a", "return -a", "return ^a", "return <-a",
    "v, ok := <-a; return v, ok", "return a.x", "return a.message",
    "return a.cause",
    "return a is string, a is list, a is P, a is error, a is bytes, a is func",
    "return \"${a}\"", "return \"${a:20v} ${a:q}\"",
    "return \"${a}, ${a} and ${a}\"", "return \"${[a, a]}\"",
    "return \"${{k: a}}\"", "return \"${P(a)} ${Shown(a)} ${[Shown([a])]}\"",
    "return \"${error(\"e\", cause: a)}\"", "return [a, a, a]",
    "return (a, a, a)", "return {[(a, (a, 1))]: 1}", "return (a,) == (a,)",
    "return (a,) < (a,)", "[x, y...] := a; return x, y",
    "for (x, y) in a { return x, y }",
    "x := tuple(a); return x == tuple(a), x[0]", "return {k: a, l: a}",
    "return {[a]: 1}", "return {\"${a}\": a}", "return a[0]", "return a[1:]",
    "return a[:1]", "return a[:]", "return 1..a",
    // calls
    "return a()", "return a(a)", "return a(a...)", "return rest(a...)",
    "return rest(a, a...)", "return first(a...)", "return named(a...)",
    "return named(y: a)", "return P(a...)", "return P(y: a)", "return Wide(a)",
    "return Wide(a...)", "return P().put(a...)", "return [].push(a...)",
    "return bytes(0).push(a...)", "return func(x, y) => x(a...)",
    "return try(rest, a...)", "return rest(two(a))", "return two(a)",
    "x, y := two(a); return x, y", "x := fails(a)?; return x, nil",
    "fails(a)?; return 1, nil", "x := a()?; return x, nil",
    "for { x := try(func() { return fails(a) })}", "<-(go rest(a...))",
    "t := go rest(a...); return <-t", "t := go two(a); x, y := <-t; return x",
    "t := go func() { panic(a) }(); return <-t",
    "group g { go rest(a...); go { g.cancel() } }",
    "group { go func() { panic(a) }() }", "defer rest(a...)",
    "defer { recover() }; panic(a)",
    "defer func() { panic(recover()) }(); panic(a)",
    "return try(func() { panic(a) })",
    "return try(func() { panic(error(\"e\", cause: a)) })", "assert(a)",
    "assert(!a, a)", "assert(a == nil)",
    // methods' values, of structs and of types
    "p := P(a); f := p.get; return f()",
    "p := P(a); f := p.put; return f(a...)",
    "p := P(a); q := copy(p); return p == q, equal(p, q)",
    "p := P(); p.x = a; p.x += a; return p", "f := a.push; return f(a)",
    "f := a.push; return f(a...)", "f := a.map; return f(func(x) => x)",
    "f := a.sort; return f()", "f := a.split; return f(\"a\")",
    "f := a.repeat; return f(1000)", "f := a.get; return f(a)",
    // statements
    "if a { return 1 } else { return 2 }",
    "if x := a; x { return x } else if !x { return nil }", "for a { }",
    "for x in a { }", "for k, x in a { }", "for x in a { for y in a { } }",
    "again: for x in a { for y in a { continue again } }",
    "for x in a { break }", "for i := 0; i < a; i++ { }",
    "for i := 0; i < 1000000; i++ { x := a == a }",
    "s := \"\"; for x in a { s += \"${x}\" }; return s",
    "s := \"\"; for x in a { s += a }; return s",
    "l := []; for x in a { l += [x] }; return l",
    "l := []; for x in a { l += a }; return l",
    "l := []; for x in a { l.push(x) }; return l",
    "m := {}; for x in a { m[x] = x }; return m",
    "m := {}; for x in a { m[x] ?\?= []; m[x].push(x) }; return m",
    "m := {}; for k, x in a { m[\"${k} ${x}\"] = x }; return m",
    "n := 0; for x in a { if x in a { n++ } }; return n",
    "n := 0; for x in a { n += LARGE[x] ?? 0 }; return n",
    "fs := []; for x in a { fs.push(func() => x) }; for f in fs { f() }",
    "fs := []; for k, x in a { fs.push(func() { x = k; k++; return x }) }\n"
    "for f in fs { f() }",
    "f := func() => nil; for x in a { g := f; f = func() => g() }; return f()",
    "for x in a { defer rest(x) }", "for x in a { defer rest(a...) }",
    "for x in a { defer { recover() } }; panic(a)",
    "for x in a { defer panic(x) }",
    "ps := []; for x in a { ps.push(P(x)) }; return ps",
    "ps := []; for x in a { ps.push(Wide(x)) }; return copy(ps)",
    "for x in a { _, err := try(func() { panic(a) }) }",
    "for x in a { x, err := try(rest, a...) }",
    "for x in a { group { go rest(x) } }", "c := chan(1); c <- a; return <-c",
    "c := chan(); go { for x in a { c <- x }; close(c) }; for x in c { }",
    "c := chan(10, drop: \"oldest\"); for x in a { c <- x }; return <-c",
    "c := chan(grow: 1000000); for x in a { c <- x }; close(c); return list(c)",
    "switch a { case LONG: return 1; case NEAR: return 2; default: return 3 }",
    "switch a { case is string, is P: return 1; case is list: return 2 }",
    "switch { case a == LONG: return 1; case a in LONG: return 2 }",
    "for x in a { switch x { case a: return 1; case LONG, NEAR: return 2 } }",
    "a++", "a--", "x, y := a, a; x, y = y, x; return x",
    "x, y := a[0], a[1]; a[0], a[1] = y, x", "v, ok := LARGE[a]; return v, ok",
    "return a in LARGE, LARGE[a]", "a.x = a; a.x ?\?= a; return a.x", NULL};

static const char *const of_two[] = {
    "return a[b]",
    "v, ok := a[b]; return v, ok",
    "return a[b:]",
    "return a[:b]",
    "a[b] = a",
    "a[b] += a[b]",
    "a[b] ?\?= b",
    "a[b]++",
    "a.x = b",
    "a.x += b",
    "return {[a]: 1, [b]: 2}",
    "m := {}; m[a] = 1; return m[b]",
    "m := {[a]: b}; return b in m, delete(m, b)",
    "return [a, b] + [b]",
    "return \"${a}${b}\"",
    "return \"${a} ${[b]}\" == \"${a} ${[a]}\"",
    "return a(b)",
    "return a(b...)",
    "return a(b)?, nil",
    "return rest(a, b...)",
    "return first(a, b...)",
    "return try(a, b)",
    "return try(a, b...)",
    "defer a(b)",
    "defer a(b...)",
    "return <-(go a(b))",
    "return <-(go a(b...))",
    "go rest(a, b...)",
    "select { case a <- b: return 1; default: return 2 }",
    "select { case x := <-a: return x; case b <- a: return 2; default: return "
    "3 "
    "}",
    "assert(a == b)",
    "assert(a != b)",
    "assert(a < b)",
    "assert(a in b)",
    "assert(equal(a, b))",
    "switch a { case b: return 1; case \"x\", b: return 2 }",
    "for x in a { if x == b { return x } }",
    "for x in a { if x in b { return x } }",
    "for x in a { if x < b { return x } }",
    "for x in a { y := x + b }",
    "for x in a { b[x] = x }",
    "for x in a { y := b[x:] }",
    "for i in a..b { }",
    "for k, i in a..=b { }",
    "for i in 1000000 { x := a == b }",
    "for i in 1000000 { x := a < b }",
    "for i in 1000000 { x := a in b }",
    "for i in 1000000 { x := a[b:] }",
    "for i in 1000000 { x := a[i:] }",
    "for i in 1000000 { x := \"${a}${b}\" }",
    "for i in 1000000 { x := {[a]: 1, [b]: 2} }",
    "for i in 1000000 { x := rest(a, b...) }",
    "for i in 1000000 { x, err := try(a, b...) }",
    "for i in 1000000 { a[i] = b }",
    "a, b = b, a; return a",
    "return P(a) == P(b), equal(P(a), P(b)), equal([a], [b]), equal({k: a}, "
    "{k: "
    "b})",
    NULL};

static const char *const of_three[] = {
    "return a[b:c]",
    "a[b] = c",
    "a[b] += c",
    "return a(b, c...)",
    "return a(b, c)",
    "return a + b + c",
    "return a == b || b == c && c == a",
    "return a < b, b < c",
    "return a ?? b ?? c",
    "return a in (b..c)",
    "for i := a; i < b; i += c { }",
    "return \"${a}${b}${c}\"",
    "switch a { case b: return 1; case c: return 2 }",
    NULL};

// --- To their end -----------------------------------------------------------
static const char *const whole[] = {
    "deep(0)",
    "deferring(0)",
    "return try(deep, 0)",
    "return try(deferring, 0)",
    "_ = try(func() { for i in 1000 { defer panic(i) } })",
    "for i in 50000 { defer rest(i) }",
    "for i in 50000 { defer { recover() } }; panic(1)",
    "f := func() => 1; for i in 50000 { g := f; f = func() => g() }; return "
    "f()",
    "group { for i in 2000 { go { sleep(1ms) } } }",
    "group g { for i in 2000 { go { sleep(1h) } }; go { g.cancel() } }",
    "ts := []; for i in 5000 { ts.push(go rest(i)) }; for t in ts { <-t }",
    "c := chan(); group { for i in 2000 { go { <-c } }; sleep(1ms); close(c) }",
    "c := filled(1, 100000); n := 0; for x in c { n += x }; return n",
    "c := chan(grow: 4000000); for i in 2100000 { c <- i }\n"
    "close(c); n := 0; for x in c { n += x }; return n",
    "e := caused(50000); return \"${e}\"",
    "e := caused(50000); return try(func() { panic(e) })",
    "x := []; for i in 100000 { x = [x] }; return \"${len(x)}\"",
    "x := nil; for i in 100000 { x = P(x) }; return x.x.x == nil",
    "m := {}; for i in 50000 { m[i] = i }; for k in m { delete(m, k) }",
    "m := {}; for i in 50000 { m[\"${i}\"] = i }; for k, v in m { m[k] = nil }",
    "x := list(0..4000000); x.insert(100, 1); return x.remove(100)",
    "x := list(0..4000000); for i in 9 { x.remove(0) }\n"
    "x.insert(2000000, 1); x.insert(1000000, 1); x.remove(2500000)\n"
    "x.extend(list(0..1000000)); return x.remove(1000000)",
    "cs := []; for i in 60 { cs.push(chan()) }\n"
    "for i in 5000 { select { case <-cs[0]: case <-cs[1]: case cs[2] <- 1:\n"
    "case <-cs[3]: case <-cs[4]: case cs[5] <- 1: default: } }",
    NULL};

// --- Large texts ------------------------------------------------------------
// before, `times` times unit, after. In unit and after, $ is the number of
// the turn.
typedef struct Long {
  const char *before, *unit, *after;
  int times;
} Long;

// Bodies with the parameter a.
static const Long long_bodies[] = {
    {"switch a {\n", "case \"ab$\", NEAR: return $\n", "}\n", 200},
    {"switch a {\n", "case is string, is list, is P: return $\n", "}\n", 200},
    {"for x in a { switch x {\n", "case \"ab$\", NEAR: return $\n", "} }\n",
     20},
    {"c := filled(a, 1)\nselect {\n", "case v := <-c: return v\n", "}\n", 40},
    {"c := chan(1)\nselect prio {\n", "case c <- a: return $\n", "}\n", 40},
    {"return \"", "${a}, ", "\"\n", 200},
    {"return [", "a, ", "]\n", 200},
    {"return {", "k$: a, ", "}\n", 100},
    {"return rest(", "a, ", "a...)\n", 200},
    {"return a", " + a", "\n", 200},
    {"return a", " == a", "\n", 200},
    {"return a", " ?? a", "\n", 200},
    {"return a", ".x", "\n", 200},
    {"return a", "[0]", "\n", 200},
    {"return a", "()", "\n", 100},
    {"f := func(", "p$ = a, ", ") => p199\nreturn f()\n", 200},
    {"return try(func() {\n", "x$ := a\n", "return func() => x99 })\n", 100},
    {"_ = try(func() {\n", "defer rest(a...)\n", "})\n", 200},
    {NULL, NULL, NULL, 0}};

// Programs.
static const Long programs[] = {
    {"x := \"", "abcdefgh", "\"\n", 200000},
    {"x := `", "abcdefg\n", "`\n", 200000},
    {"x := \"", "\\u{e9}\\n", "\"\n", 100000},
    {"x := [", "$, ", "]\n", 60000},
    {"x := [", "1, ", "]\n", 200000},
    {"x := {", "k$: 1, ", "}\n", 30000},
    {"x := \"", "${1}", "\"\n", 50000},
    {"/*", "abcdefgh", "*/\n", 200000},
    {"", "// a comment\n", "", 200000},
    {"", "\n", "", 500000},
    {"", "func f$(x) => x + $\n", "", 20000},
    {"", "struct S$ { x, y = 1 }\nfunc (s S$) get() => s.x\n", "", 10000},
    {"x := 1\n", "x = x + 1\n", "", 50000},
    {"x := 1\n", "if x == $ { x = 2 }\n", "", 20000},
    {"", "import m$ \"strings\"\n", "", 10000},
    {"x", "y", " := 1\n", 300000},
    {"x := 0", "0", "\n", 300000},
    {"x := ", "(", "\n", 300000},
    {"", "undeclared_$ = 1\n", "", 5000},
    {"", "}", "", 50000},
    {"x := \"", "\xff", "\"\n", 300000},
    {"switch 1 {\n", "case $: println($)\n", "}\n", 20000},
    {"x := func() {\n", "defer println($)\n", "}\n", 20000},
    {NULL, NULL, NULL, 0}};

static void put_unit(FILE *to, const char *unit, int turn) {
  for (const char *s = unit; *s != '\0'; s++) {
    if (s[0] == '$' && s[1] != '{') {
      fprintf(to, "%d", turn);
    } else {
      fputc(*s, to);
    }
  }
}

static void put_long(FILE *to, const Long *text) {
  fputs(text->before, to);
  for (int n = 0; n < text->times; n++) put_unit(to, text->unit, n);
  fputs(text->after, to);
}

// --- Functions --------------------------------------------------------------
// All are in one module: body0, body1, ...
typedef struct Bodies {
  FILE *to;
  char *text;
  size_t len;
  int count;
  int argc[400];
  char *names[400];
} Bodies;

static void bodies_begin(Bodies *bodies) {
  *bodies = (Bodies){0};
  bodies->to = open_memstream(&bodies->text, &bodies->len);
  fputs(common, bodies->to);
}

static void begin_body(Bodies *bodies, int argc, const char *name) {
  static const char *const params[] = {"", "a", "a, b", "a, b, c"};
  assert_in_range(bodies->count, 0, 399);
  fprintf(bodies->to, "func body%d(%s) {\n", bodies->count, params[argc]);
  bodies->argc[bodies->count] = argc;
  bodies->names[bodies->count] = strdup(name);
  bodies->count++;
}

static void put_body(Bodies *bodies, int argc, const char *body) {
  begin_body(bodies, argc, body);
  fprintf(bodies->to, "%s\n}\n", body);
}

static void put_bodies(Bodies *to, int argc, const char *const *bodies) {
  for (int n = 0; bodies[n] != NULL; n++) put_body(to, argc, bodies[n]);
}

static void put_binary(Bodies *bodies) {
  char body[100];
  for (int n = 0; binary[n] != NULL; n++) {
    snprintf(body, sizeof body, "return a %s b", binary[n]);
    put_body(bodies, 2, body);
    snprintf(body, sizeof body, "for i in 1000000 { x := a %s b }", binary[n]);
    put_body(bodies, 2, body);
    if (n >= ASSIGNED) continue;
    snprintf(body, sizeof body, "for i in 1000000 { a %s= b }", binary[n]);
    put_body(bodies, 2, body);
  }
}

static void put_long_bodies(Bodies *bodies) {
  for (const Long *text = long_bodies; text->before != NULL; text++) {
    char name[100];
    snprintf(name, sizeof name, "%s%s...", text->before, text->unit);
    begin_body(bodies, 1, name);
    put_long(bodies->to, text);
    fputs("}\n", bodies->to);
  }
}

static void try_bodies(Reach *reach, Bodies *bodies) {
  fclose(bodies->to);
  CspCall *call = csp_host(reach->host->csp);
  CspHandle module = loaded(reach->host, bodies->text, NULL);
  for (int n = 0; n < bodies->count; n++) {
    char name[20];
    snprintf(name, sizeof name, "body%d", n);
    CspValue f;
    assert_true(csp_member(call, csp_held(call, module), name, &f));
    CspHandle held = csp_hold(call, f);
    try_function(reach, bodies->names[n], csp_held(call, held), bodies->argc[n],
                 NULL);
    csp_release(reach->host->csp, held);
    free(bodies->names[n]);
  }
  free(bodies->text);
}

// --- Tests ------------------------------------------------------------------
// Other builds do not count: less time is enough to see that all comes back.
static void language_open(World *world) {
  world_open(world, true, CSP_ALL & ~CSP_PROCESSES);
#ifndef CSP_DEBUG
  world->reach.limit_ms = 1;
#endif
  // A turn of a loop counts as one, whatever its body does.
  world->reach.most_steps *= 2;
  world->reach.looks = 10;  // most bodies do the same again and again
}

static void every_operator_is_in_reach(void **state) {
  (void)state;
  World w;
  Bodies b;
  language_open(&w);
  bodies_begin(&b);
  put_binary(&b);
  put_bodies(&b, 1, of_one);
  put_bodies(&b, 2, of_two);
  put_bodies(&b, 3, of_three);
  put_long_bodies(&b);
  try_bodies(&w.reach, &b);
  assert_true(w.reach.calls > 10000);
  world_end(&w);
}

static void what_ends_is_in_reach(void **state) {
  (void)state;
  World w;
  Bodies b;
  language_open(&w);
  w.reach.whole = true;
#ifdef CSP_DEBUG
  w.reach.limit_ms = 0;
#endif
  bodies_begin(&b);
  put_bodies(&b, 0, whole);
  try_bodies(&w.reach, &b);
  world_end(&w);
}

static void large_programs_are_in_reach(void **state) {
  (void)state;
  World w;
  language_open(&w);
  for (const Long *text = programs; text->before != NULL; text++) {
    char *program, name[100];
    size_t len;
    FILE *to = open_memstream(&program, &len);
    put_long(to, text);
    fclose(to);
    snprintf(name, sizeof name, "%s%s...", text->before, text->unit);
    try_program(&w.reach, name, program, len);
    free(program);
  }
  world_end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_operator_is_in_reach),
      cmocka_unit_test(what_ends_is_in_reach),
      cmocka_unit_test(large_programs_are_in_reach),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
