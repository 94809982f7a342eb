// SPDX-License-Identifier: MIT libFuzzer target: any words are a prelude's
// image, or refused with a message. What was registered passes the verifier and
// lives through a collection. It runs, too, as far as the verifier promises
// something (proto.h), which is where no instruction takes a register at its
// word, and no native is called that does. Inputs are images of `mini`, `other`
// or the library's prelude, with other words. `tests/fuzz/run SECONDS` builds
// and runs it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/stdlib.h"
#include "tests/fuzz/gate.h"
#include "vm/code/opcodes.h"
#include "vm/code/proto.h"
#include "vm/interp/native_call.h"

enum {
  LIMIT_NS = 3000000,
  CALLS = 40,
  WORDS_MAX = 1 << 16,
  HEADER_BYTES = 12,
  IMAGES = 3,
};

// What an input may become: of instructions that trust no register.
static const char mini[] =
    "func add(a, b = 2) => a + b * 3 - 1\n"
    "func sum(n) {\n  s := 0\n  i := 0\n  for i < n {\n    s += i * 2.5\n"
    "    i += 1\n  }\n  return s\n}\n"
    "func rest(a, xs...) => [a, xs, len(xs)]\n"
    "func fib(n) {\n  if n < 2 { return n }\n"
    "  return fib(n - 1) + fib(n - 2)\n}\n"
    "func at(x, i = 0) {\n  if x is list { return x[i] }\n  return x\n}\n"
    "func text(x) => \"${x} and ${[x, 1]}\"\n"
    "func two() { return 1, nil }\nfunc both() {\n  a, b := two()\n  return b, "
    "a\n}\n"
    "func maker(x) => func(y) => x + y\nfunc (xs list) pair() => [xs, xs]\n"
    "func bits(a, b) => (a ^ b << 3) & 255 | a >> 1\n"
    "func calls(f) => f(1) ?? add(1)\n";

// Of those that do trust one, which only the reader and the verifier see.
static const char other[] =
    "func f(xs) {\n  n := 0\n  for i, x in xs {\n    n += x\n"
    "    go func() { n += i }()\n  }\n  defer f(n)\n"
    "  select {\n  case v := <-after(1): n = v\n  }\n"
    "  group g { n += 1 }\n  return f(xs...), n\n}\n";

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
typedef struct Image {
  const uint32_t *words;
  size_t count;
} Image;

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
  made[0] = compile(mini);
  made[1] = compile(other);
  made[2] = (Image){csp_prelude, csp_prelude_words};
  return made;
}

// --- Mutations --------------------------------------------------------------
static unsigned state;

static uint32_t below(size_t n) {
  state = state * 1103515245u + 12345u;
  return n ? (uint32_t)((state >> 8) % n) : 0;
}

// A word that differs a little, or is one of the image's or of the edges.
static uint32_t other_word(const uint32_t *words, size_t count, uint32_t was) {
  static const uint32_t edges[] = {0, 1, 2, 255, 256, 0x7fffffff, 0xffffffff};
  switch (below(8)) {
    case 0:
      return was + 1;
    case 1:
      return was - 1;
    case 2:
      return words[below(count)];
    case 3:
      return edges[below(sizeof edges / sizeof *edges)];
    case 4:  // another opcode
      return (was & ~0xffu) | below(OP_COUNT + 1);
    case 5:
      return was ^ 1u << below(32);
    case 6:  // another operand
      return (was & ~(0xffu << 8 * (1 + was % 3))) | below(12)
                                                         << 8 * (1 + was % 3);
    default:
      return below(20);
  }
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned seed) {
  static uint32_t words[WORDS_MAX];
  state = seed;
  if (size < HEADER_BYTES || below(50) == 0) {
    uint32_t which = below(2 * IMAGES);  // mini, as a rule
    const Image *image = &images()[which < IMAGES ? which : 0];
    size = image->count * sizeof *words;
    if (size > most || size > sizeof words) return 1;
    memcpy(data, image->words, size);
  }
  if (below(20) == 0) return LLVMFuzzerMutate(data, size, most);
  size_t count = size / sizeof *words;
  if (count > WORDS_MAX) return size;
  memcpy(words, data, count * sizeof *words);
  for (uint32_t n = 1 + below(3); n > 0; n--) {
    uint32_t at = below(count);
    words[at] = other_word(words, count, words[at]);
  }
  memcpy(data, words, count * sizeof *words);
  return size;
}

// In memory of just that size, where the sanitizer sees the end. The stamp and
// the size are always right: whatever else these say has tests of its own.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  size_t count = size / sizeof(uint32_t);
  if (count * sizeof(uint32_t) < HEADER_BYTES) return 0;
  uint32_t *words = malloc(count * sizeof *words);
  memcpy(words, data, count * sizeof *words);
  words[0] = images()[0].words[0];
  words[1] = (uint32_t)count;
  Csp *csp = open_runtime();
  const Proto *before = csp_vm(csp)->protos;
  bool fine = csp_register_prelude(csp, words, count);
  free(words);
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
