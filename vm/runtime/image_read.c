// SPDX-License-Identifier: MIT
// Preludes: making the functions of an image (image.c describes it).
//
// An image is code, and is trusted as the host's own code is, because the
// library's is built into it. But one that was damaged on its way (a file cut
// short, a host that mixed up two) must not harm. So the reader checks every
// count, index and length, and that each constant is what one can be. Then the
// verifier checks the code (proto_verify tells what it promises). Only then are
// functions and methods registered. What is refused leaves nothing but unused
// code.
#include <stdlib.h>

#include "vm/code/proto.h"
#include "vm/heap/local.h"
#include "vm/interp/methods.h"
#include "vm/object/format.h"
#include "vm/object/map.h"
#include "vm/object/string.h"
#include "vm/runtime/image.h"
#include "vm/runtime/output.h"
#include "vm/runtime/runtime.h"
#include "vm/value/proto.h"

enum { HEADER_WORDS = 2, LINE_WORDS = 4, CONSTANT_WORDS = 2 };

typedef struct Reader {
  Vm *vm;
  const uint32_t *at, *end;
  ObjString **strings;
  Proto **protos;
  ObjString *path;
  uint32_t string_count, proto_count;
  bool damaged;  // something points out of the image, or cannot be
  Text problem;  // what else is wrong with it
} Reader;

// --- Words ------------------------------------------------------------------
// 0 past the end.
static uint32_t image_word(Reader *r) {
  RT_ASSERT(r->at <= r->end);
  if (r->at < r->end) return *r->at++;
  r->damaged = true;
  return 0;
}

// A number that is at most `most`, else 0.
static uint32_t take_most(Reader *r, size_t most) {
  uint32_t n = image_word(r);
  if (n <= most) return n;
  r->damaged = true;
  return 0;
}

// How many things follow that take `words` words at least.
static uint32_t take_count(Reader *r, uint32_t words) {
  RT_ASSERT(words > 0);
  uint32_t n = image_word(r);
  if (n <= (size_t)(r->end - r->at) / words) return n;
  r->damaged = true;
  return 0;
}

// The path where the image is damaged.
static ObjString *take_string(Reader *r) {
  uint32_t index = image_word(r);
  if (index < r->string_count) return r->strings[index];
  r->damaged = true;
  return r->path;
}

// NULL where the image is damaged.
static Proto *take_proto_index(Reader *r) {
  uint32_t index = image_word(r);
  if (index < r->proto_count) return r->protos[index];
  r->damaged = true;
  return NULL;
}

// --- Strings ----------------------------------------------------------------
static bool take_strings(Reader *r) {
  uint32_t count = take_count(r, 1);
  r->strings = mem_alloc(r->vm->memory, (count + 1) * sizeof *r->strings);
  if (r->strings == NULL) return false;
  while (r->string_count < count) {
    uint32_t len = image_word(r);
    size_t words = ((size_t)len + sizeof *r->at - 1) / sizeof *r->at;
    if (words > (size_t)(r->end - r->at)) r->damaged = true;
    if (r->damaged) return true;
    ObjString *string = vm_intern(r->vm, (const char *)r->at, len);
    if (string == NULL) return false;
    r->strings[r->string_count++] = string;
    r->at += words;
  }
  return true;
}

// --- Protos -----------------------------------------------------------------
// They refer to each other: all are made before any is filled.
static bool make_protos(Reader *r, uint32_t count) {
  r->protos = mem_alloc(r->vm->memory, (count + 1) * sizeof *r->protos);
  if (r->protos == NULL) return false;
  for (; r->proto_count < count; r->proto_count++) {
    r->protos[r->proto_count] = proto_new(r->vm);
    if (r->protos[r->proto_count] == NULL) return false;
  }
  return true;
}

static bool take_code(Reader *r, Proto *proto) {
  uint32_t count = take_count(r, 1);
  proto->code = mem_alloc(r->vm->memory, (count + 1) * sizeof *proto->code);
  if (proto->code == NULL) return false;
  RT_ASSERT(count <= (size_t)(r->end - r->at));
  memcpy(proto->code, r->at, count * sizeof *proto->code);
  proto->ncode = count;
  r->at += count;
  return true;
}

static bool take_lines(Reader *r, Proto *proto) {
  uint32_t count = take_count(r, LINE_WORDS);
  proto->lines = mem_alloc(r->vm->memory, (count + 1) * sizeof *proto->lines);
  if (proto->lines == NULL) return false;
  for (; proto->nlines < count; proto->nlines++) {
    LineInfo *line = &proto->lines[proto->nlines];
    line->at = image_word(r);
    line->line = image_word(r);
    line->col = image_word(r) & 0x7fffffff;
    line->turned = image_word(r) & 1;
  }
  return true;
}

static bool take_upvalues(Reader *r, Proto *proto) {
  uint32_t count = take_most(r, UINT8_MAX);
  proto->upvalues =
      mem_alloc(r->vm->memory, (count + 1) * sizeof *proto->upvalues);
  if (proto->upvalues == NULL) return false;
  for (; proto->nupvalues < count; proto->nupvalues++) {
    uint32_t from = take_most(r, 2 * 256 - 1);
    proto->upvalues[proto->nupvalues] =
        (UpvalueFrom){from >= 256, (uint8_t)from};
  }
  return true;
}

static bool take_param_names(Reader *r, Proto *proto, uint32_t count) {
  proto->param_names =
      mem_alloc(r->vm->memory, (count + 1) * sizeof *proto->param_names);
  if (proto->param_names == NULL) return false;
  while (proto->nparams < count)
    proto->param_names[proto->nparams++] = take_string(r);
  return true;
}

// A closure without upvalues, nil where the image is damaged. false: out of
// memory.
static bool take_closure(Reader *r, Value *out) {
  Proto *proto = take_proto_index(r);
  *out = VALUE_NIL;
  if (proto == NULL) return true;
  ObjClosure *closure = proto_self(r->vm, proto);
  if (closure != NULL) *out = value_from_obj(closure);
  return closure != NULL;
}

static void take_builtin(Reader *r, Value *out) {
  const ObjString *name = take_string(r);
  *out = VALUE_NIL;
  if (!r->damaged &&
      !map_get(r->vm, r->vm->builtins, value_from_obj(name), out))
    text_addf(&r->problem, "the prelude needs `%s`, which is not registered\n",
              name->data);
}

// A word that is a value by itself: no pointer, and none of the two constants
// that scripts never see.
static Value take_value(Reader *r) {
  uint32_t low = image_word(r);
  Value v = (Value)image_word(r) << 32 | low;
  if (value_is_small(v) || value_is_small_float(v) || v == VALUE_NIL ||
      v == VALUE_TRUE || v == VALUE_FALSE)
    return v;
  r->damaged = true;
  return VALUE_NIL;
}

// false: out of memory. *out is a value whatever comes: a collection marks it.
static bool take_constant(Reader *r, Value *out) {
  *out = VALUE_NIL;
  switch ((ConstantKind)image_word(r)) {
    case CONSTANT_WORD:
      *out = take_value(r);
      return true;
    case CONSTANT_STRING:
      *out = value_from_obj(take_string(r));
      return true;
    case CONSTANT_PROTO:
      *out = (Value)(uintptr_t)take_proto_index(r);
      return true;
    case CONSTANT_CLOSURE:
      return take_closure(r, out);
    case CONSTANT_BUILTIN:
      take_builtin(r, out);
      return true;
    default:
      r->damaged = true;
      return true;
  }
}

static bool take_constants(Reader *r, Proto *proto) {
  uint32_t count = take_count(r, CONSTANT_WORDS);
  proto->constants =
      mem_alloc(r->vm->memory, (count + 1) * sizeof *proto->constants);
  if (proto->constants == NULL) return false;
  for (; proto->nconstants < count; proto->nconstants++)
    if (!take_constant(r, &proto->constants[proto->nconstants])) return false;
  return true;
}

// proto_verify compares these numbers.
static bool take_proto(Reader *r, Proto *proto) {
  proto->name = take_string(r);
  proto->path = r->path;
  uint32_t flags = image_word(r);
  if (flags & ~(uint32_t)PROTO_COMPILED) r->damaged = true;
  proto->flags = (uint8_t)(flags & PROTO_COMPILED);
  uint32_t nparams = take_most(r, UINT8_MAX);
  proto->nrequired = (uint8_t)take_most(r, UINT8_MAX);
  proto->nresults = (uint8_t)take_most(r, UINT8_MAX);
  proto->nregs = (uint16_t)take_most(r, UINT16_MAX);
  return take_code(r, proto) && take_lines(r, proto) &&
         take_upvalues(r, proto) && take_param_names(r, proto, nparams) &&
         take_constants(r, proto);
}

static bool take_protos(Reader *r) {
  uint32_t count = take_count(r, 1);
  if (!make_protos(r, count)) return false;
  for (uint32_t n = 0; n < count && !r->damaged; n++)
    if (!take_proto(r, r->protos[n])) return false;
  return true;
}

// --- Checking the code ------------------------------------------------------
// Whether what CLOSURE takes is a proto, a newer one than protos[n] is.
static bool has_newer(const Reader *r, uint32_t n, Value constant) {
  for (uint32_t at = n + 1; at < r->proto_count; at++)
    if (constant == (Value)(uintptr_t)r->protos[at]) return true;
  return false;
}

// What proto_verify takes for granted; no code beyond an odd opcode.
static const char *check_closures(const Reader *r, uint32_t n, uint32_t *at) {
  const Proto *proto = r->protos[n];
  RT_ASSERT(n < r->proto_count);
  for (*at = 0; *at < proto->ncode;) {
    Instr i = proto->code[*at];
    if (INSTR_OP(i) >= OP_COUNT) return NULL;
    if (INSTR_OP(i) == OP_CLOSURE &&
        (INSTR_BX(i) >= proto->nconstants ||
         !has_newer(r, n, proto->constants[INSTR_BX(i)])))
      return "CLOSURE needs a proto";
    *at += (uint32_t)op_words((Op)INSTR_OP(i));
  }
  return NULL;
}

static void note_code(Reader *r, const Proto *proto, uint32_t at,
                      const char *wrong) {
  text_addf(&r->problem, "the prelude's image: `%s`, instruction %u: %s\n",
            proto->name->data, at, wrong);
}

static void check_code(Reader *r) {
  for (uint32_t n = 0; n < r->proto_count && r->problem.len == 0; n++) {
    uint32_t at;
    const char *wrong = check_closures(r, n, &at);
    if (wrong == NULL) wrong = proto_verify(r->vm->memory, r->protos[n], &at);
    if (wrong != NULL) note_code(r, r->protos[n], at, wrong);
  }
}

// --- What they are called by ------------------------------------------------
// A function that is no part of another one.
static bool take_function(Reader *r, Value *out) {
  if (!take_closure(r, out)) return false;
  if (*out == VALUE_NIL ||
      ((ObjClosure *)value_obj(*out))->proto->nupvalues > 0)
    r->damaged = true;
  return true;
}

// false: out of memory. add: else they are only read.
static bool take_functions(Reader *r, bool add) {
  for (uint32_t left = take_count(r, 2); left > 0; left--) {
    Value name = value_from_obj(take_string(r)), function;
    if (!take_function(r, &function) ||
        (add &&
         map_set(r->vm->boot, r->vm->builtins, name, function) != MAP_OK))
      return false;
  }
  return true;
}

static bool take_methods(Reader *r, bool add) {
  for (uint32_t type; (type = take_most(r, OBJ_TYPE_COUNT)) != OBJ_TYPE_COUNT &&
                      !r->damaged;) {
    ObjString *name = take_string(r);
    Value function;
    if (!take_function(r, &function) ||
        (add && !vm_add_method(r->vm, (ObjType)type, name, function)))
      return false;
  }
  return true;
}

// Nothing is registered before all is read.
static bool take_names(Reader *r) {
  const uint32_t *begin = r->at;
  if (!take_functions(r, false) || !take_methods(r, false)) return false;
  if (r->at != r->end) r->damaged = true;
  if (r->damaged || r->problem.len > 0) return true;
  RT_ASSERT(begin <= r->end);
  r->at = begin;
  return take_functions(r, true) && take_methods(r, true);
}

// --- Reading one ------------------------------------------------------------
// false: out of memory.
static bool take_image(Reader *r) {
  r->path = vm_intern(r->vm, IMAGE_PATH, strlen(IMAGE_PATH));
  if (r->path == NULL || !take_strings(r) || !take_protos(r)) return false;
  if (r->damaged || r->problem.len > 0) return true;
  check_code(r);
  return r->problem.len > 0 || take_names(r);
}

static const char *problem_of(const Reader *r, bool enough) {
  if (!enough || r->problem.failed) return "out of memory\n";
  if (r->damaged) return "the prelude's image is damaged: build it again\n";
  return r->problem.len > 0 ? r->problem.data : NULL;
}

// Whether all was registered. Else says why not.
static bool read_end(Reader *r, bool enough) {
  text_add(&r->problem, "", r->problem.len > 0);
  const char *problem = problem_of(r, enough);
  if (problem != NULL)
    output_error(runtime_of(r->vm), problem, strlen(problem));
  text_free(&r->problem);
  mem_free(r->strings);
  mem_free(r->protos);
  return problem == NULL;
}

bool csp_register_prelude(Csp *csp, const uint32_t *image, size_t count) {
  if (count <= HEADER_WORDS || image[0] != image_stamp() || image[1] != count) {
    static const char text[] =
        "the prelude's image is of another version: build it again\n";
    output_error(csp, text, sizeof text - 1);
    return false;
  }
  Reader r = {.vm = &csp->vm,
              .problem = {.memory = csp->vm.memory},
              .at = image + HEADER_WORDS,
              .end = image + count};
  bool done = read_end(&r, take_image(&r));
  Value concat = vm_builtin(csp->vm.boot, "_concat");
  if (concat != VALUE_UNDEF) csp->code.concat = concat;
  return done;
}
