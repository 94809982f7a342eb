// SPDX-License-Identifier: MIT
// libFuzzer target: any words are a prelude's image, or refused with a message.
// What was registered passes the verifier and lives through a collection. It
// runs, too, as far as the verifier promises something (proto.h), which is
// where no instruction takes a register at its word, and no native is called
// that does. Inputs are edits (image_edits.h) of an image that is compiled from
// one of `sources`, or of the library's prelude. `tests/fuzz/run SECONDS`
// builds and runs it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/stdlib.h"
#include "tests/fuzz/gate.h"
#include "tests/fuzz/image_edits.h"
#include "vm/code/opcodes.h"
#include "vm/code/verify.h"
#include "vm/interp/native_call.h"

enum {
  LIMIT_NS = 3000000,
  CALLS = 40,
  SOURCES = 4,
  IMAGES = SOURCES + 1,
};

// Those of the first two have instructions that trust no register, so that they
// run. The others have some that do, which only the reader and the verifier
// see.
static const char *const sources[SOURCES] = {
    "func add(a, b = 2) => a + b * 3 - 1\n"
    "func sum(n) {\n  s := 0\n  i := 0\n  for i < n {\n    s += i * 2.5\n"
    "    i += 1\n  }\n  return s\n}\n"
    "func rest(a, xs...) => [a, xs, len(xs)]\n"
    "func fib(n) {\n  if n < 2 { return n }\n"
    "  return fib(n - 1) + fib(n - 2)\n}\n"
    "func at(x, i = 0) {\n  if x is list { return x[i] }\n  return x\n}\n"
    "func text(x) => \"${x} and ${[x, 1]}\"\n"
    "func two() { return 1, nil }\nfunc both() {\n  a, b := two()\n"
    "  return b, a\n}\n"
    "func maker(x) => func(y) => x + y\nfunc (xs list) pair() => [xs, xs]\n"
    "func bits(a, b) => (a ^ b << 3) & 255 | a >> 1\n"
    "func calls(f) => f(1) ?? add(1)\n",

    "func pair(a, b) => (a, b, (a,))\n"
    "func swap(t) {\n"
    "  [a, b] := t\n"
    "  return b, a\n"
    "}\n"
    "func count(k) {\n"
    "  m := map({}, 0)\n"
    "  m[k] += 1\n"
    "  m.k ?\?= 7\n"
    "  return m.k, m[k], k in m\n"
    "}\n"
    "func fails(e) => error(e, error(\"cause\"))\n"
    "func passes(f) {\n"
    "  x := try(f)?\n"
    "  return x, nil\n"
    "}\n"
    "func words(s) => s.split(\",\").map(func(x) => x.trim())\n"
    "func part(s) => [s[1:], s[:-1], s.first(), s.replace(\"t\", \"T\")]\n"
    "func kind(x) {\n"
    "  switch x {\n"
    "  case is int, is float: return 1\n"
    "  case nil: return 2\n"
    "  default: return \"${x:8v}\"\n"
    "  }\n"
    "}\n"
    "func within(x) => 1 <= x && x < 9\n"
    "func (s string) twice() => s + s\n",

    "func f(xs) {\n  n := 0\n  for i, x in xs {\n    n += x\n"
    "    go func() { n += i }()\n  }\n  defer f(n)\n"
    "  select {\n  case v := <-after(1): n = v\n  }\n"
    "  group g { n += 1 }\n  return f(xs...), n\n}\n",

    "func long(x) => (x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, "
    "x, x, x, x, x)\n"
    "func join(xs) => max(1, xs...)\n"
    "func each(m) {\n"
    "  for k, v in m { println(k, v) }\n"
    "  for (a, b) in m { println(a, b) }\n"
    "  return {a: 1, \"b\": [m]}\n"
    "}\n"
    "func all(fs) {\n"
    "  group g {\n"
    "    g.limit(2)\n"
    "    for f in fs { go f() }\n"
    "  }\n"
    "}\n"
    "func saved(f) {\n"
    "  defer func() { _ = recover() }()\n"
    "  return f()\n"
    "}\n",
};

static void discard(void *arg, const char *data, size_t len) {
  (void)arg;
  (void)data;
  (void)len;
}

static Csp *open_runtime(void) {
  CspConfig config;
  csp_config_init(&config);
  config.stepped = true;
  config.seed = 1;
  config.max_frames = 200;
  config.max_stack = 1 << 20;
  config.max_memory = 8 << 20;
  config.max_goroutines = 20;
  config.debug = "gcstress=20,poison=1";
  config.write_out = config.write_err = discard;
  Csp *csp = csp_new(&config);
  if (csp == NULL) abort();
  csp_install_language(csp);
  if (!csp_install_library(csp)) abort();
  csp_limit_time(csp, LIMIT_NS);
  return csp;
}

// --- What may run -----------------------------------------------------------
static bool trusts_registers(Op op) {
  switch (op) {
    case OP_GETUP:
    case OP_SETUP:
    case OP_GETCELL:
    case OP_SETCELL:
    case OP_NEXT1:
    case OP_NEXT2:
    case OP_LISTADD:
    case OP_TUPLEL:
    case OP_MAPADD:
    case OP_SPREAD:
    case OP_SELVAL:
    case OP_RETDL:
    case OP_GROUP:
    case OP_GROUPEND:
    case OP_GROUPRET:
      return true;
    default:
      return false;
  }
}

// Natives of the library's own, which know what calls them.
static bool is_hidden(Value v) {
  return value_is_type(v, OBJ_NATIVE) &&
         ((ObjNative *)value_obj(v))->def->name[0] == '_';
}

static bool may_run(const Proto *proto) {
  for (uint32_t n = 0; n < proto->nconstants; n++)
    if (is_hidden(proto->constants[n])) return false;
  for (uint32_t at = 0; at < proto->ncode;) {
    Op op = (Op)INSTR_OP(proto->code[at]);
    if (trusts_registers(op)) return false;
    at += (uint32_t)op_words(op);
  }
  return true;
}

static void expect_verified(const Proto *proto) {
  uint32_t at = 0;
  const char *wrong = proto_verify(&mem_libc, proto, &at);
  if (wrong == NULL) return;
  fprintf(stderr, "%s: instruction %u: %s\n", proto->name->own, at, wrong);
  abort();
}

// --- Running it -------------------------------------------------------------
static CspValue argument(CspCall *call, int n) {
  switch (n % 5) {
    case 0:
      return csp_int(call, 7);
    case 1:
      return csp_float(call, n / 2.0);
    case 2:
      return csp_string(call, "text", 4);
    case 3:
      return csp_list(call, 2);
    default:
      return csp_map(call, 1);
  }
}

// ints: of ints alone.
static void call_one(Csp *csp, Value function, int n, bool ints) {
  CspCall *call = csp_host(csp);
  if (call == NULL) return;
  CspValue args[3];
  for (int i = 0; i < 3; i++) args[i] = argument(call, ints ? 0 : n + i);
  const Proto *proto = ((ObjClosure *)value_obj(function))->proto;
  int argc = proto->nparams < 3 ? proto->nparams : 3;
  CspResult result;
  csp_call(call, csp_wrap(function), argc, args, &result);
  csp_result_free(&result);
}

static void run_all(Csp *csp, const Proto *before) {
  const Proto *const first = csp_vm(csp)->protos;
  for (const Proto *p = first; p != before; p = p->next)
    if (!may_run(p)) return;
  int n = 0;
  for (const Proto *p = first; p != before && n < CALLS; p = p->next, n++) {
    if (p->self == NULL || p->nupvalues > 0) continue;
    call_one(csp, value_from_obj(p->self), n, true);
    call_one(csp, value_from_obj(p->self), n, false);
  }
}

// --- Images -----------------------------------------------------------------
static Image compile(const char *source) {
  Csp *csp = open_runtime();
  Image image;
  image.words = csp_compile_prelude(csp, source, strlen(source), &image.count);
  if (image.words == NULL) abort();
  csp_free(csp);
  return image;
}

static const Image *images(void) {
  static Image made[IMAGES];
  if (made[0].words != NULL) return made;
  for (int n = 0; n < SOURCES; n++) made[n] = compile(sources[n]);
  made[SOURCES] = (Image){csp_prelude, csp_prelude_words};
  return made;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  Words words = words_of(&images()[data[0] % IMAGES], data + 1, size - 1);
  Csp *csp = open_runtime();
  const Proto *before = csp_vm(csp)->protos;
  bool fine = csp_register_prelude(csp, words.at, words.count);
  free(words.at);
  gate(size, fine);
  csp_collect(csp_host(csp));
  if (fine) {
    for (const Proto *p = csp_vm(csp)->protos; p != before; p = p->next)
      expect_verified(p);
    run_all(csp, before);
  }
  csp_free(csp);
  return 0;
}
