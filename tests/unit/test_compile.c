// SPDX-License-Identifier: MIT
// The compiler's code, as the disassembler shows it; the verifier accepts all
// of it, and finds what is wrong with other code.
#include "compile_fixture.h"
#include "vm/code/proto.h"
#include "vm/code/verify.h"
#include "vm/interp/native_call.h"
#include "vm/object/value_text.h"

// --- Code -------------------------------------------------------------------
static void test_fib(void **state) {
  expect_code(
      "func fib(n) { if n < 2 { return n }; return fib(n-1) + fib(n-2) }",
      "LTI r0 2 false -> 3\n"
      "RET1 r0\n"
      "SUBI r4 r0 1\n"
      "CALLK r1 1 want 1 func fib\n"
      "SUBI r5 r0 2\n"
      "CALLK r2 1 want 1 func fib\n"
      "ADD r1 r1 r2\n"
      "RET1 r1\n");
}

static void test_registers_in_place(void **state) {
  expect_code("func f(a, b) { x := a + b; x = x * b; return x }",
              "ADD r2 r0 r1\nMUL r2 r2 r1\nRET1 r2\n");
  expect_code("func f(a, b) { a, b = b, a; return a }",
              "MOVE r2 r1\nMOVE r1 r0\nMOVE r0 r2\n");
  expect_code("func f(a, b) { a, b = b, a + b; return a }",
              "MOVE r2 r1\nADD r1 r0 r1\nMOVE r0 r2\n");
  expect_code("func f(a, i) { a[i], i = i, 3; return a }",
              "MOVE r2 r1\nMOVE r3 r1\nLOADI r1 3\nSETIDX r0 r2 r3\n");
  expect_code("func f(a) { a = a && !a; return a }",
              "MOVE r1 r0\nTEST r1 false");
}

static void test_constants(void **state) {
  expect_code("func f(a) { return a + 1, a - 2, a * 3, a / 4, a % 5 }",
              "ADDI r1 r0 1\nSUBI r2 r0 2\nMULI r3 r0 3\nDIVI r4 r0 4\n"
              "MODI r5 r0 5\nRET r1 5\n");
  expect_code("func f(a) { return a + 1000, a * 0.5, 2 * a }",
              "ADDK r1 r0 1000\nMULK r2 r0 0.5\nMULI r3 r0 2\n");
  expect_code("func f(a) => a / -1", "DIVK r1 r0 -1\n");
  expect_code("func f(a) { return 1 - a, 2.5 / a, 1 - a * a }",
              "KSUB r1 1 r0\nKDIV r2 2.5 r0\n");
  expect_code("func f() => 2 * 3 + 4", "LOADI r0 10\n");
  expect_code("func f() => \"a\" + \"b\"", "LOADK r0 \"ab\"\n");
  expect_code("func f() => 1 / 0", "LOADI r0 1\nDIVK r0 r0 0\n");
}

static void test_folding_keeps_panics(void **state) {
  expect_code("func f() => 9223372036854775807 + 1",
              "LOADK r0 9223372036854775807\nADDI r0 r0 1\n");
  expect_code("func f() => 1 % 0", "MOD ");
  expect_code("func f() { const n = 4; return n * n }", "LOADI r0 16\n");
}

static void test_known_constants(void **state) {
  expect_code("const n = 5\nconst m = n * 2\nfunc f() { return n + m }",
              "LOADI r0 15\n");
  expect_code("func f() { return n }\nf()\nconst n = 5\n", "GETG r0 n\n");
  expect_code("x := len([])\nconst n = 5\nfunc f() { return n }",
              "GETG r0 n\n");
  expect_code("import \"tools/kit\"\nx := kit.limit\n", "LOADI r0 3\n");
}

static void test_conditions(void **state) {
  expect_code("func f(a, b) { if a == nil || b != 3 { return 1 } }",
              "NILJ r0 true -> 4\nEQI r1 3 true -> 6\nLOADI r2 1\n");
  expect_code("func f(a) { if a > 1.5 && a <= 300 { return 1 } }",
              "GTK r0 1.5 false -> 6\nLEK r0 300 false -> 6\n");
  expect_code("func f(a, b) { return a >= b }",
              "LOADTRUE r2\nLE r1 r0 true -> 4\nLOADFALSE r2\nRET1 r2\n");
  expect_code("func f(a) { if 3 < a { return 1 } }", "GTI r0 3 false");
  expect_code("func f(a) => a ?? 1", "MOVE r1 r0\nNILJ r1 false -> 4\n");
  expect_code("func f(a) { if a == \"x\" { return 1 } }", "EQK r0 \"x\" false");
}

static void test_counted_loops(void **state) {
  expect_code("func f(n) { s := 0; for i := 0; i < n; i++ { s += i } }",
              "LOADI r2 0\nLT r2 r0 false -> 7\nADD r1 r1 r2\n"
              "INCLT r2 r0 -> 4\n");
  expect_code("func f() { s := 0; for i := 0; i < 10; i++ { s += i } }",
              "LOADI r1 0\nLOADI r2 10\nADD r0 r0 r1\nINCLT r1 r2 -> 3\n");
  expect_code("func f(g) { for i := 0; i < 10; i++ { g(func() => i) } }",
              "NEWCELL r1 r1\n");
}

static void test_pairs(void **state) {
  expect_code("func f(a, b, c) => a * b + c", "MULADD r3 r0 r1 r2\n");
  expect_code("func f(a, b, c) => a * b - c", "MULSUB r3 r0 r1 r2\n");
  expect_code("func f(a, b, c) => c - a * b", "SUBMUL r3 r0 r1 r2\n");
  expect_code("func f(a, b, c) => a + b + c", "ADDADD r3 r0 r1 r2\n");
  expect_code("func f(a, b, c) => a + b - c", "ADDSUB r3 r0 r1 r2\n");
  expect_code("func f(a, b, c) => a - b + c", "SUBADD r3 r0 r1 r2\n");
  expect_code("func f(a, b, c) => a - b - c", "SUBSUB r3 r0 r1 r2\n");
  expect_code("func f(a, b, c) => a - (b + c)", "ADD r3 r1 r2\nSUB r3 r0 r3\n");
  expect_code("func f(a, b) => a * b + 1", "MULADDK r2 r0 r1 1\n");
  expect_code("func f(a, b) => a * b - 1.5", "MULSUBK r2 r0 r1 1.5\n");
  expect_code("func f(a, b) => a + b + 1", "ADDADDK r2 r0 r1 1\n");
  expect_code("func f(a, b) => a + b - 1", "ADDSUBK r2 r0 r1 1\n");
  expect_code("func f(a, b) => a - b + 1", "SUBADDK r2 r0 r1 1\n");
  expect_code("func f(a, b) => a - b - 1", "SUBSUBK r2 r0 r1 1\n");
  expect_code("func f(a) => a * 2 + 1", "MULI r1 r0 2\nADDI r1 r1 1\n");
  expect_code("func f(a) => a + 2 + a", "ADDI r1 r0 2\nADD r1 r1 r0\n");
  expect_code("func f(a, b) => a ^ b << 63", "XORSHL r2 r0 r1 63\n");
  expect_code("func f(a, b) => a ^ b >> 7", "XORSHR r2 r0 r1 7\n");
  expect_code("func f(a) { a ^= a >> 7 & 0x1ffffffffffffff }",
              "XORSHRL r0 r0 r0 7\n");
  expect_code("func f(a, b) => a ^ b >> 7 & 0xffffff",
              "SHRI r2 r1 7\nBANDK r2 r2 16777215\nBXOR r2 r0 r2\n");
  expect_code("func f(a, b) => a ^ b << 7 & 0x1ffffffffffffff",
              "SHLI r2 r1 7\n");
  expect_code("func f(a, b, n) => a ^ b << n", "SHL r3 r1 r2\nBXOR r3 r0 r3\n");
  expect_code("func f(a, b) => a ^ b << 64", "SHL r2 r1 r2\nBXOR r2 r0 r2\n");
  expect_code("func f(a, b, c) => a +% b *% c", "MULADDW r3 r1 r2 r0\n");
  expect_code("func f(a, b) => a *% 31 +% b", "MULKADDW r2 r0 31 r1\n");
}

static void test_loops(void **state) {
  expect_code("func f(a) { for a < 10 { a += 2 } }",
              "LTI r0 10 false -> 5\nADDI r0 r0 2\nLTIL r0 10 true -> 2\n");
  expect_code("func f(a, b) { for a > b { a-- } }",
              "LT r1 r0 false -> 5\nSUBI r0 r0 1\nLTL r1 r0 true -> 2\n");
  expect_code("func f(a) { for { a++ } }", "ADDI r0 r0 1\nLOOP -> 0\n");
  expect_code("func f(a, g) { for g(a) { a++ } }", "JMP -> 2\nADDI r0 r0 1\n");
  expect_code("func f(x) { for k, v in x { return v } }",
              "ITER r1 r0 0\nJMP -> 3\nRET1 r8\nNEXT2 r1 r7 -> 2\n");
  expect_code("func f(x) { a: for { for { continue a } } }", "JMP -> 2\n");
}

static void test_calls(void **state) {
  expect_code("func g(a) {}\nfunc f(x) { g(x) }", "CALLK r1 1 want 0 func g\n");
  expect_code("func g(a) {}\nfunc f(x) { g(x, 2) }",
              "LOADK r3 func g\nMOVE r4 r0\nLOADI r5 2\nCALL r1 2 want 0\n");
  expect_code("func f(g, x) { return g(x) }",
              "MOVE r4 r0\nMOVE r5 r1\nCALL r2 1 want all\nRETV r2\n");
  expect_code("func f(g, x) { a, b := g(x); return b }",
              "CALL r2 1 want 2\nRET1 r3\n");
  expect_code("func f(g) { g(g()) }", "CALL r4 0 want all\nCALLV r1 want 0\n");
  expect_code("func f(x) { x.m(1, 2) }",
              "MOVE r4 r0\nLOADI r5 1\nLOADI r6 2\nINVOKE r1 2 want 0 \"m\"\n");
  expect_code("func f(x, l) { x.m(1, l...) }",
              "SPREAD r2 2 0\nINVOKEV r2 want 0 \"m\"\n");
  expect_code("func f(x) { x.m(1, b: 2) }",
              "GETF r3 r0 \"m\"\nLOADI r4 1\nLOADI r5 2\nNAMED r1 1 [\"b\"]\n"
              "CALLV r1 want 0\n");
  expect_code("func f(g, l) { g(1, l..., k: 2) }",
              "SPREAD r2 1 1\nNAMED r2 255 [\"k\"]\nCALLV r2 want 0\n");
  expect_code("func f(g) { go g(1); t := go g.m(2) }", "GO r1 1 0\n");
}

static void test_try_mark(void **state) {
  expect_code("func f(g) { x := g()?; return x, nil }",
              "CALL r1 0 want 2\nNILJ r2 true -> 7\nNEEDERR r2 0\n"
              "LOADNIL r1 0\nRET r1 2\n");
  expect_code("func f(g) { g()? }",
              "CALL r1 0 want all\nPICK r1\nNILJ r1 true -> 7\n"
              "NEEDERR r1 0\nRET1 r1\nLOADNIL r1 0\nRET1 r1\n");
  expect_code(
      "func f(g) { return g()?, 1, nil }",
      "NILJ r2 true -> 8\nNEEDERR r2 0\nMOVE r3 r2\nLOADNIL r1 1\nRET r1 3\n");
  expect_code("func f(e) { return e.message }",
              "MOVE r1 r0\nGETM r1 \"message\"\nRET1 r1\n");
  expect_code("func f(t) => (<-t)?",
              "RECV r1 r0 want 2\nNILJ r2 true -> 6\nNEEDERR r2 0\n"
              "LOADNIL r1 0\nRET r1 2\nLOADNIL r2 0\nRET r1 2\n");
  expect_code("f := 1\nx := f()?",
              "NILJ r2 true -> 7\nNEEDERR r2 0\nFAIL r2\n");
}

static void test_returns_beside_try(void **state) {
  expect_code("func f(g, e) { g()?; return e }",
              "NILJ r1 true -> 10\nNEEDERR r1 1\nRET1 r1\n");
  expect_code("func f(g, e) { g()?; if e { return e }; return 1, nil }",
              "NEEDERR r1 1\nMOVE r3 r1\nLOADNIL r2 0\nRET r2 2\n");
  expect_code("func f(g) { g()?; if g { return g() }; return 1, nil }",
              "CALL r1 0 want all\nFIT r1 2 0\nRETV r1\n");
  expect_code("func f(g) { g()?; return g() }",
              "NEEDERR r1 0\nFILL r1\nRETV r1\nMOVE r3 r0\nCALL r1 0 want all\n"
              "FIT r1 0 0\nRETV r1\n");
  expect_code("func f(g) => g(g()?)",
              "CALL r1 1 want all\nFIT r1 2 1\nRETV r1\n");
  expect_code("func f(g) { g()?; if g { return }; return 1, 2, nil }",
              "LOADNIL r1 2\nRET r1 3\n");
}

static void test_drop(void **state) {
  expect_code("func f(g) { _ = g() }", "CALL r1 0 drop\nRET0\n");
  expect_code("func f(g) { _ = <-g }", "RECV r1 r0 drop\nRET0\n");
  expect_code("func f(g) { _, _ = g() }", "CALL r1 0 want 2\n");
}

static void test_defer(void **state) {
  expect_code("func f(g) { defer g(1); return g() }",
              "DEFER r1 1\nMOVE r3 r0\nCALL r1 0 want all\nPACK r1\n"
              "RETDL r1\n");
  expect_code("func f(g) { defer g.m() }",
              "MOVE r4 r0\nMETHOD r1 0 \"m\"\nDEFERV r1\nRETD r0 0\n");
}

static void test_closures(void **state) {
  expect_code("func f() { x := 1; return func() { x++; return x } }",
              "LOADI r0 1\nNEWCELL r0 r0\nCLOSURE r1 func func@1\nRET1 r1\n");
  expect_code("func f() { x := 1; return func() { x++; return x } }",
              "GETUP r0 up0\nADDI r0 r0 1\nSETUP r0 up0\n");
  expect_code("func f() { g := func(x) => x; return g }",
              "LOADK r0 func g\nRET1 r0\n");
  expect_code("func f() { func g(n) { return g(n - 1) }; return g }",
              "LOADNIL r0 0\nNEWCELL r0 r0\nCLOSURE r1 func g\n"
              "SETCELL r0 r1\n");
  expect_code("func f(a, b = a, c = func() => b) { b = 1 }",
              "DEFJ r1 -> 3\nMOVE r1 r0\nNEWCELL r1 r1\nDEFJ r2 -> 7\n"
              "CLOSURE r2 func func@1\n");
  // what never changes is copied
  expect_code(
      "func f(a, b = a, c = func() => b) {}",
      "DEFJ r1 -> 3\nMOVE r1 r0\nDEFJ r2 -> 6\nCLOSURE r2 func func@1\n");
  expect_code("func f(a) => func() => func() => a", "GETUPV r0 up0\nRET1 r0\n");
}

static void test_globals(void **state) {
  expect_code("x := 1\nx += 2\nfunc f() { return x }",
              "SETG r0 x\nGETG r0 x\nADDI r0 r0 2\nSETG r0 x\n");
  // what no function uses is a local of the top level
  expect_code("x := 1\nx += 2", "LOADI r0 1\nADDI r0 r0 2\nRET0\n");
  expect_code("if y { println(1) }\ny := 1", "GETG r0 y\n");
  expect_code("func f() => f\nprintln(f)", "LOADK r3 func f\n");
  expect_code("func f() { return len }", "LOADK r0 native len\n");
}

static void test_structs(void **state) {
  static const char source[] =
      "struct P { x = 1, y }\n"
      "func (p P) sum(k) { return p.x + p.y + k }\n"
      "a := P(1, 2)\nb := P(y: 2)\nc := a is P\n";
  expect_code(source, "DEFJ r0 -> 3\nLOADI r0 1\nNEW r0 struct P\nRET1 r0\n");
  expect_code(source, "CALLK r0 2 want 1 func P\n");
  expect_code(source, "NAMED r1 0 [\"y\"]\n");
  expect_code(source, "IS r2 r0 struct P\n");
  expect_code(source, "func P.sum(p, k) ");
  expect_code("func f() { struct Q { v = 3 }; return Q(1) }",
              "CALLK r0 1 want all func Q\nRETV r0\n");
  expect_code("struct P { x, f = func() { x++; return x } }",
              "NEWCELL r0 r0\nDEFJ r1 -> 4\n");
  expect_code("struct P { x, f = func() { x++; return x } }",
              "GETCELL r0 r0\nNEW r0 struct P\n");
}

static void test_switch(void **state) {
  expect_code(
      "func f(x) { switch x { case 1, 2: return 1\ncase is int: "
      "return 2\ndefault: return 3 } }",
      "EQI r0 1 true -> 4\nEQI r0 2 false -> 6\nLOADI r1 1\nRET1 r1\n"
      "IS r1 r0 \"int\"\nTEST r1 false -> 12\nLOADI r1 2\nRET1 r1\n"
      "LOADI r1 3\nRET1 r1\n");
  expect_code("func f(x) { switch { case x > 1: break\ncase x: } }",
              "GTI r0 1 false -> 3\nJMP -> 5\nTEST r0 false -> 5\nRET0\n");
}

static void test_select(void **state) {
  expect_code(
      "func f(c, d) { select { case v, ok := <-c: return v\n"
      "case d <- 1:\ndefault: return ok2() } }\nfunc ok2() {}",
      "MOVE r2 r0\nLOADUNDEF r3\nMOVE r4 r1\nLOADI r5 1\n"
      "SELECT r2 2 1\nEQI r2 0 false -> 9\nSELVAL r5 r2 want 2\n"
      "RET1 r5\n");
  expect_code("func f(c) { select prio { case <-c: } }",
              "SELECT r1 1 2\nSELVAL r1 r1 want 0\n");
  expect_code("func f() { select {} }", "SELECT r0 0 0\n");
}

static void test_containers(void **state) {
  expect_code("func f(a) => [a, 1]", "MOVE r1 r0\nLOADI r2 1\nLIST r1 r1 2\n");
  expect_code("func f(a) => (a, 1)", "MOVE r1 r0\nLOADI r2 1\nTUPLE r1 r1 2\n");
  expect_code("func f() => ()", "TUPLE r0 r0 0\n");
  expect_code("func f(x) { [a, b] := x\nreturn a, b }", "APART r1 r0 2\n");
  expect_code("func f(x) { [a, b...] := x\nreturn a, b }", "APARTR r1 r0 2\n");
  expect_code("func f(x) { for (a, b) in x { a += b } }",
              "APART r7 r7 2\nADD r7 r7 r8\n");
  expect_code("func f(a) => {x: a}",
              "MAP r1 1\nLOADK r2 \"x\"\nMAPADD r1 r2 r0\n");
  expect_code("func f(a, i) { return a[1:], a[i], a[0] }",
              "LOADI r2 1\nLOADUNDEF r3\nSLICE r2 r0 r2\n"
              "GETIDX r3 r0 r1\nGETIDXI r4 r0 0\n");
}

static void test_containers_long(void **state) {
  Text source = {0};
  text_addf(&source, "x := [0");
  for (int i = 1; i < 2000; i++) text_addf(&source, ", %d", i);
  text_add(&source, "]\n", 3);
  expect_code(source.data, "LISTADD r0 r1 50\n");
  source.data[5] = '(';
  source.data[source.len - 3] = ')';
  expect_code(source.data, "LISTADD r0 r1 50\nTUPLEL r0 r0\n");
  text_free(&source);
  expect_code("func f(a) => \"x ${a} y\"",
              "LOADK r1 \"x \"\nMOVE r2 r0\nLOADK r3 \" y\"\nCONCAT r1 3\n");
}

// --- Facts of a proto -------------------------------------------------------
static const Proto *find_proto(Csp *csp, const char *name) {
  for (const Proto *p = csp_vm(csp)->protos; p != NULL; p = p->next) {
    if (p->name != NULL && strcmp(p->name->own, name) == 0) return p;
  }
  fail_msg("no function %s", name);
  return NULL;
}

static void test_facts(void **state) {
  free(code_of(*state,
               "func none() {}\nfunc one() { return 1 }\n"
               "func call() { return one() }\n"
               "func mixed(a) { if a { return 1 }; return 1, 2 }\n"
               "func all(a, b = 1, c...) { defer one() }\n"
               "x := func() { x := 1; return func() => x }\n"));
  assert_int_equal(find_proto(*state, "none")->nresults, 0);
  assert_int_equal(find_proto(*state, "one")->nresults, 1);
  assert_int_equal(find_proto(*state, "call")->nresults, 2);
  assert_int_equal(find_proto(*state, "mixed")->nresults, 255);
  const Proto *all = find_proto(*state, "all");
  assert_int_equal(all->nparams, 3);
  assert_int_equal(all->nrequired, 1);
  assert_int_equal(all->flags,
                   PROTO_REST | PROTO_DEFAULTS | PROTO_DEFER | PROTO_TOP);
  assert_string_equal(all->param_names[2]->own, "c");
  assert_int_equal(find_proto(*state, "x")->flags, PROTO_TOP);
  const Proto *inner = find_proto(*state, "func@6");
  assert_int_equal(inner->nupvalues, 1);
  assert_int_equal(inner->flags, 0);
  assert_null(inner->self);
  assert_int_equal(find_proto(*state, "main")->flags, PROTO_MAIN | PROTO_TOP);
}

static void test_places(void **state) {
  free(code_of(*state,
               "func f(a) {\n  return a.b +\n    g(1)\n}\n"
               "func g(x) {}\n"));
  const Proto *proto = find_proto(*state, "f");
  LineInfo place = proto_line(proto, proto->code);
  assert_int_equal(place.line, 2);
  assert_int_equal(place.col, 12);
  place = proto_line(proto, proto->code + 4);
  assert_int_equal(place.line, 3);
  assert_int_equal(place.col, 6);
}

// --- The verifier -----------------------------------------------------------
static void expect_wrong(Csp *csp, const Instr *code, uint32_t count,
                         const char *text) {
  uint32_t at;
  Value constants[] = {value_from_small(1), VALUE_NIL};
  Proto proto = {.code = (Instr *)(uintptr_t)code,
                 .ncode = count,
                 .nregs = 4,
                 .constants = constants,
                 .nconstants = 2};
  (void)csp;
  const char *wrong = proto_verify(&mem_libc, &proto, &at);
  if (text == NULL) {
    assert_null(wrong);
  } else if (wrong == NULL || strcmp(wrong, text) != 0) {
    fail_msg("%s, and not: %s", wrong != NULL ? wrong : "verified", text);
  }
}
#define WRONG(text, ...)                             \
  expect_wrong(*state, (const Instr[]){__VA_ARGS__}, \
               sizeof((const Instr[]){__VA_ARGS__}) / sizeof(Instr), text)

static void test_verifier(void **state) {
  Instr end = instr_abc(OP_RET0, 0, 0, 0);
  WRONG(NULL, instr_abc(OP_MOVE, 3, 0, 0), end);
  WRONG("no such register", instr_abc(OP_MOVE, 4, 0, 0), end);
  WRONG("no such constant", instr_abx(OP_LOADK, 0, 2), end);
  WRONG("no such upvalue", instr_abc(OP_GETUP, 0, 0, 0), end);
  WRONG(NULL, instr_abc(OP_SHLI, 0, 0, 63), instr_abc(OP_MODI, 0, 0, 1), end);
  WRONG("a shift by more than 63", instr_abc(OP_SHLI, 0, 0, 64), end);
  WRONG("a shift by more than 63", instr_abc(OP_SHRI, 0, 0, 129), end);
  WRONG("a divisor that is not positive", instr_abc(OP_DIVI, 0, 0, 0), end);
  WRONG("a divisor that is not positive", instr_abc(OP_MODI, 0, 0, 255), end);
  WRONG("jump to nowhere", instr_j(OP_JMP, 2), end);
  WRONG("jump to nowhere", instr_abc(OP_TEST, 0, 0, 0), (Instr)(uint32_t)-1,
        end);
  WRONG("a jump backward counts no safepoint", end, instr_j(OP_JMP, -2), end);
  WRONG("a loop's jump goes forward", instr_j(OP_LOOP, 0), end);
  WRONG("the code has no end", instr_abc(OP_MOVE, 0, 0, 0));
  WRONG("the instruction is cut off", instr_abc(OP_TEST, 0, 0, 0));
  WRONG("no such opcode", 250);
  WRONG("not that many registers", instr_abc(OP_CALL, 0, 2, 1), end);
  // Its value would come to the register before the first one.
  WRONG("not that many registers", instr_abc(OP_GROUP, 0, 1, 0), 0, end);
  WRONG("there are no values to take", instr_abc(OP_RETV, 0, 0, 0));
  WRONG("nobody takes the values", instr_abc(OP_CALL, 0, 0, WANT_ALL), end);
  WRONG("CLOSURE needs a proto", instr_abx(OP_CLOSURE, 0, 1), end);
  // `want` stands in C of each instruction that has one.
  WRONG("nobody takes the values", instr_abc(OP_SPREAD, 0, 0, 0),
        instr_abc(OP_CALLV, 0, 0, WANT_ALL), end);
  WRONG("there are no values to take", instr_abc(OP_SPREAD, 0, 0, 0),
        instr_abc(OP_CALLV, 0, WANT_ALL, 0), instr_abc(OP_PACK, 0, 0, 0), end);
  WRONG("nobody takes the values", instr_abc(OP_SELVAL, 0, 0, WANT_ALL), end);
  WRONG("a loop's variable lies in its state", instr_abc(OP_NEXT1, 0, 3, 0),
        (Instr)(uint32_t)-2, end);
}

// What few instructions need.
static void test_verifier_rare(void **state) {
  Instr end = instr_abc(OP_RET0, 0, 0, 0);
  WRONG("a type is needed", instr_abc(OP_IS, 0, 0, 0), 1, end);
  WRONG("it defers calls, but does not say so", instr_abc(OP_DEFER, 0, 1, 0),
        end);
  WRONG("only the interpreter's own code has that",
        instr_abc(OP_PANICGO, 0, 0, 0), end);
  WRONG("only the interpreter's own code has that", end,
        instr_abc(OP_GOEXIT, 0, 0, 0));
}

// What a closure captures, and how many arguments it gets, is looked at.
static void expect_refused(const Proto *proto, const char *what) {
  uint32_t at;
  assert_string_equal(proto_verify(&mem_libc, proto, &at), what);
}

static void test_verifier_closures(void **state) {
  Instr made[] = {instr_abx(OP_CLOSURE, 0, 0), instr_abc(OP_RET0, 0, 0, 0)};
  Instr call[] = {instr_abc(OP_CALLK, 0, 1, 0), 1, made[1]};
  UpvalueFrom from = {.local = true, .index = 3};
  Proto inner = {.upvalues = &from, .nupvalues = 1, .nparams = 1};
  Value constants[] = {(Value)(uintptr_t)&inner, VALUE_NIL};
  Proto outer = {.code = made, .ncode = 2, .nregs = 4, .nupvalues = 3};
  outer.constants = constants;
  outer.nconstants = 2;
  uint32_t at;
  (void)state;
  assert_null(proto_verify(&mem_libc, &outer, &at));
  from.index = 4;
  expect_refused(&outer, "a closure captures what is not there");
  from = (UpvalueFrom){.local = false, .index = 3};
  expect_refused(&outer, "a closure captures what is not there");
  _Alignas(16) ObjClosure closure = {.obj.type = OBJ_CLOSURE, .proto = &inner};
  constants[1] = value_from_obj(&closure);
  expect_refused(&outer, "a constant captures what is not there");
  inner.nupvalues = 0;
  outer.code = call;
  outer.ncode = 3;
  assert_null(proto_verify(&mem_libc, &outer, &at));
  inner.flags = PROTO_REST;
  expect_refused(&outer, "CALLK's arguments do not fit");
  inner.flags = 0;
  inner.nparams = 2;
  expect_refused(&outer, "CALLK's arguments do not fit");
  outer.nrequired = 1;
  expect_refused(&outer, "more parameters are needed than there are");
  outer.nrequired = 0;
  outer.flags = PROTO_DEFER;
  inner.nparams = 1;
  expect_refused(&outer, "deferred calls are left behind");
}

// NEW takes the fields from the first registers.
static void a_structs_fields_are_registers(void **state) {
  (void)state;
  Instr code[] = {instr_abx(OP_NEW, 0, 0), instr_abc(OP_RET0, 0, 0, 0)};
  _Alignas(16) ObjStruct type = {.obj.type = OBJ_STRUCT, .obj.aux = 4};
  Value constants[] = {value_from_obj(&type)};
  Proto proto = {.code = code,
                 .ncode = 2,
                 .nregs = 4,
                 .constants = constants,
                 .nconstants = 1};
  uint32_t at;
  assert_null(proto_verify(&mem_libc, &proto, &at));
  type.obj.aux = 5;
  assert_string_equal(proto_verify(&mem_libc, &proto, &at),
                      "more fields than registers");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_fib),
      TEST(test_registers_in_place),
      TEST(test_constants),
      TEST(test_folding_keeps_panics),
      TEST(test_known_constants),
      TEST(test_conditions),
      TEST(test_counted_loops),
      TEST(test_pairs),
      TEST(test_loops),
      TEST(test_calls),
      TEST(test_try_mark),
      TEST(test_returns_beside_try),
      TEST(test_drop),
      TEST(test_defer),
      TEST(test_closures),
      TEST(test_globals),
      TEST(test_structs),
      TEST(test_switch),
      TEST(test_select),
      TEST(test_containers),
      TEST(test_containers_long),
      TEST(test_facts),
      TEST(test_places),
      TEST(test_verifier),
      TEST(test_verifier_rare),
      TEST(test_verifier_closures),
      TEST(a_structs_fields_are_registers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
