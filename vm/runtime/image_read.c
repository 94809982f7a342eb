// SPDX-License-Identifier: MIT
// Preludes: making the functions of an image (image_write.c describes it).
//
// An image is code, and is trusted as the host's own code is, because the
// library's is built into it. But one that was damaged on its way (a file cut
// short, a host that mixed up two) must not harm. So the reader checks every
// count, index and length, and that each constant is what one can be. Then the
// verifier checks the code (proto_verify tells what it promises). Only then are
// functions and methods registered. What is refused leaves nothing but unused
// code. The code of the library's own image was verified when the library was
// built (stdlib/freeze.c), and is not at each start, as that took a sixth of a
// start's instructions. Debug builds verify it, too.
#include <stdlib.h>

#include "vm/code/proto.h"
#include "vm/code/verify.h"
#include "vm/heap/lasting.h"
#include "vm/interp/method_tables.h"
#include "vm/object/map.h"
#include "vm/object/string.h"
#include "vm/object/value_text.h"
#include "vm/runtime/image_write.h"
#include "vm/runtime/output.h"
#include "vm/runtime/runtime.h"
#include "vm/value/proto_layout.h"

enum { HEADER_WORDS = 2, LINE_WORDS = 3, CONSTANT_WORDS = 2 };
_Static_assert(sizeof(LineInfo) == LINE_WORDS * sizeof(uint32_t), "words");

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

static bool is_librarys(const Reader *reader) {
  return !reader->vm->natives_are_hosts;
}

// --- Words ------------------------------------------------------------------
// 0 past the end.
static uint32_t image_word(Reader *reader) {
  RT_ASSERT(reader->at <= reader->end);
  if (reader->at < reader->end) return *reader->at++;
  reader->damaged = true;
  return 0;
}

// A number that is at most `most`, else 0.
static uint32_t take_most(Reader *reader, size_t most) {
  uint32_t n = image_word(reader);
  if (n <= most) return n;
  reader->damaged = true;
  return 0;
}

// How many things follow that take `words` words at least.
static uint32_t take_count(Reader *reader, uint32_t words) {
  RT_ASSERT(words > 0);
  uint32_t n = image_word(reader);
  if (n <= (size_t)(reader->end - reader->at) / words) return n;
  reader->damaged = true;
  return 0;
}

// The path where the image is damaged.
static ObjString *take_string(Reader *reader) {
  uint32_t index = image_word(reader);
  if (index < reader->string_count) return reader->strings[index];
  reader->damaged = true;
  return reader->path;
}

// NULL where the image is damaged.
static Proto *take_proto_index(Reader *reader) {
  uint32_t index = image_word(reader);
  if (index < reader->proto_count) return reader->protos[index];
  reader->damaged = true;
  return NULL;
}

// --- Strings ----------------------------------------------------------------
static bool take_strings(Reader *reader) {
  uint32_t count = take_count(reader, 1);
  reader->strings =
      mem_alloc(reader->vm->memory, (count + 1) * sizeof *reader->strings);
  if (reader->strings == NULL) return false;
  while (reader->string_count < count) {
    uint32_t len = image_word(reader);
    size_t words = ((size_t)len + sizeof *reader->at - 1) / sizeof *reader->at;
    if (words > (size_t)(reader->end - reader->at)) reader->damaged = true;
    if (reader->damaged) return true;
    ObjString *string = vm_intern(reader->vm, (const char *)reader->at, len);
    if (string == NULL) return false;
    reader->strings[reader->string_count++] = string;
    reader->at += words;
  }
  return true;
}

// --- Protos -----------------------------------------------------------------
// They refer to each other: all are made before any is filled.
static bool make_protos(Reader *reader, uint32_t count) {
  reader->protos =
      mem_alloc(reader->vm->memory, (count + 1) * sizeof *reader->protos);
  if (reader->protos == NULL) return false;
  for (; reader->proto_count < count; reader->proto_count++) {
    reader->protos[reader->proto_count] = proto_new_lasting(reader->vm);
    if (reader->protos[reader->proto_count] == NULL) return false;
  }
  return true;
}

static bool take_code(Reader *reader, Proto *proto) {
  uint32_t count = take_count(reader, 1);
  proto->code = lasting_alloc(reader->vm, count * sizeof *proto->code);
  if (proto->code == NULL) return false;
  RT_ASSERT(count <= (size_t)(reader->end - reader->at));
  memcpy(proto->code, reader->at, count * sizeof *proto->code);
  proto->ncode = count;
  reader->at += count;
  return true;
}

// Those of the library's image stay in it: they are constant, and most are
// never read.
static bool take_lines(Reader *reader, Proto *proto) {
  uint32_t count = take_count(reader, LINE_WORDS);
  const void *lines = reader->at;
  if (!is_librarys(reader)) {
    LineInfo *copy = lasting_alloc(reader->vm, count * sizeof *copy);
    if (copy == NULL) return false;
    lines = memcpy(copy, lines, count * sizeof *copy);
  }
  proto->lines = lines;
  proto->nlines = count;
  reader->at += count * (size_t)LINE_WORDS;
  return true;
}

static bool take_upvalues(Reader *reader, Proto *proto) {
  uint32_t count = take_most(reader, UINT8_MAX);
  proto->upvalues = lasting_alloc(reader->vm, count * sizeof *proto->upvalues);
  if (proto->upvalues == NULL) return false;
  for (; proto->nupvalues < count; proto->nupvalues++) {
    uint32_t from = take_most(reader, 2 * 256 - 1);
    proto->upvalues[proto->nupvalues] =
        (UpvalueFrom){from >= 256, (uint8_t)from};
  }
  return true;
}

static bool take_param_names(Reader *reader, Proto *proto, uint32_t count) {
  proto->param_names =
      lasting_alloc(reader->vm, count * sizeof *proto->param_names);
  if (proto->param_names == NULL) return false;
  while (proto->nparams < count)
    proto->param_names[proto->nparams++] = take_string(reader);
  return true;
}

// A closure without upvalues, nil where the image is damaged. false: out of
// memory.
static bool take_closure(Reader *reader, Value *out) {
  Proto *proto = take_proto_index(reader);
  *out = VALUE_NIL;
  if (proto == NULL) return true;
  ObjClosure *closure = proto_self(reader->vm, proto);
  if (closure != NULL) *out = value_from_obj(closure);
  return closure != NULL;
}

static void take_builtin(Reader *reader, Value *out) {
  const ObjString *name = take_string(reader);
  *out = VALUE_NIL;
  if (!reader->damaged &&
      !map_get(reader->vm, reader->vm->builtins, value_from_obj(name), out))
    text_addf(&reader->problem,
              "the prelude needs `%s`, which is not registered\n", name->own);
}

// A word that is a value by itself: no pointer, and none of the two constants
// that scripts never see.
static Value take_value(Reader *reader) {
  uint32_t low = image_word(reader);
  Value v = (Value)image_word(reader) << 32 | low;
  if (value_is_small(v) || value_is_small_float(v) || v == VALUE_NIL ||
      v == VALUE_TRUE || v == VALUE_FALSE)
    return v;
  reader->damaged = true;
  return VALUE_NIL;
}

// false: out of memory. *out is a value whatever comes: a collection marks it.
static bool take_constant(Reader *reader, Value *out) {
  *out = VALUE_NIL;
  switch ((ConstantKind)image_word(reader)) {
    case CONSTANT_WORD:
      *out = take_value(reader);
      return true;
    case CONSTANT_STRING:
      *out = value_from_obj(take_string(reader));
      return true;
    case CONSTANT_PROTO:
      *out = (Value)(uintptr_t)take_proto_index(reader);
      return true;
    case CONSTANT_CLOSURE:
      return take_closure(reader, out);
    case CONSTANT_BUILTIN:
      take_builtin(reader, out);
      return true;
    default:
      reader->damaged = true;
      return true;
  }
}

static bool take_constants(Reader *reader, Proto *proto) {
  uint32_t count = take_count(reader, CONSTANT_WORDS);
  proto->constants =
      lasting_alloc(reader->vm, count * sizeof *proto->constants);
  if (proto->constants == NULL) return false;
  for (; proto->nconstants < count; proto->nconstants++)
    if (!take_constant(reader, &proto->constants[proto->nconstants]))
      return false;
  return true;
}

// proto_verify compares these numbers.
static bool take_proto(Reader *reader, Proto *proto) {
  proto->name = take_string(reader);
  proto->path = reader->path;
  uint32_t flags = image_word(reader);
  if (flags & ~(uint32_t)PROTO_COMPILED) reader->damaged = true;
  proto->flags |= (uint16_t)(flags & PROTO_COMPILED);
  uint32_t nparams = take_most(reader, UINT8_MAX);
  proto->nrequired = (uint8_t)take_most(reader, UINT8_MAX);
  proto->nresults = (uint8_t)take_most(reader, UINT8_MAX);
  proto->nregs = (uint16_t)take_most(reader, UINT16_MAX);
  return take_code(reader, proto) && take_lines(reader, proto) &&
         take_upvalues(reader, proto) &&
         take_param_names(reader, proto, nparams) &&
         take_constants(reader, proto);
}

static bool take_protos(Reader *reader) {
  uint32_t count = take_count(reader, 1);
  if (!make_protos(reader, count)) return false;
  for (uint32_t n = 0; n < count && !reader->damaged; n++)
    if (!take_proto(reader, reader->protos[n])) return false;
  return true;
}

// --- Checking the code ------------------------------------------------------
// Whether what CLOSURE takes is a proto, a newer one than protos[n] is.
static bool has_newer(const Reader *reader, uint32_t n, Value constant) {
  for (uint32_t at = n + 1; at < reader->proto_count; at++)
    if (constant == (Value)(uintptr_t)reader->protos[at]) return true;
  return false;
}

// What proto_verify takes for granted; no code beyond an odd opcode.
static const char *check_closures(const Reader *reader, uint32_t n,
                                  uint32_t *at) {
  const Proto *proto = reader->protos[n];
  RT_ASSERT(n < reader->proto_count);
  for (*at = 0; *at < proto->ncode;) {
    Instr i = proto->code[*at];
    if (INSTR_OP(i) >= OP_COUNT) return NULL;
    if (INSTR_OP(i) == OP_CLOSURE &&
        (INSTR_BX(i) >= proto->nconstants ||
         !has_newer(reader, n, proto->constants[INSTR_BX(i)])))
      return "CLOSURE needs a proto";
    *at += (uint32_t)op_words((Op)INSTR_OP(i));
  }
  return NULL;
}

static void note_code(Reader *reader, const Proto *proto, uint32_t at,
                      const char *wrong) {
  text_addf(&reader->problem, "the prelude's image: `%s`, instruction %u: %s\n",
            proto->name->own, at, wrong);
}

static void check_code(Reader *reader) {
#ifndef CSP_DEBUG
  if (is_librarys(reader)) return;  // verified when it was built
#endif
  for (uint32_t n = 0; n < reader->proto_count && reader->problem.len == 0;
       n++) {
    uint32_t at;
    const char *wrong = check_closures(reader, n, &at);
    if (wrong == NULL)
      wrong = proto_verify(reader->vm->memory, reader->protos[n], &at);
    if (wrong != NULL) note_code(reader, reader->protos[n], at, wrong);
  }
}

// --- What they are called by ------------------------------------------------
// A function that is no part of another one.
static bool take_function(Reader *reader, Value *out) {
  if (!take_closure(reader, out)) return false;
  if (*out == VALUE_NIL ||
      ((ObjClosure *)value_obj(*out))->proto->nupvalues > 0)
    reader->damaged = true;
  return true;
}

// false: out of memory. add: else they are only read.
static bool take_functions(Reader *reader, bool add) {
  for (uint32_t left = take_count(reader, 2); left > 0; left--) {
    Value name = value_from_obj(take_string(reader)), function;
    if (!take_function(reader, &function) ||
        (add && map_set(reader->vm->boot, reader->vm->builtins, name,
                        function) != MAP_OK))
      return false;
  }
  return true;
}

static bool take_methods(Reader *reader, bool add) {
  for (uint32_t type;
       (type = take_most(reader, OBJ_TYPE_COUNT)) != OBJ_TYPE_COUNT &&
       !reader->damaged;) {
    ObjString *name = take_string(reader);
    Value function;
    if (!take_function(reader, &function) ||
        (add && !vm_add_method(reader->vm, (ObjType)type, name, function)))
      return false;
  }
  return true;
}

// Nothing is registered before all is read.
static bool take_names(Reader *reader) {
  const uint32_t *begin = reader->at;
  if (!take_functions(reader, false) || !take_methods(reader, false))
    return false;
  if (reader->at != reader->end) reader->damaged = true;
  if (reader->damaged || reader->problem.len > 0) return true;
  RT_ASSERT(begin <= reader->end);
  reader->at = begin;
  return take_functions(reader, true) && take_methods(reader, true);
}

// --- Reading one ------------------------------------------------------------
// false: out of memory.
static bool take_image(Reader *reader) {
  reader->path = vm_intern(reader->vm, IMAGE_PATH, strlen(IMAGE_PATH));
  if (reader->path == NULL || !take_strings(reader) || !take_protos(reader))
    return false;
  if (reader->damaged || reader->problem.len > 0) return true;
  check_code(reader);
  return reader->problem.len > 0 || take_names(reader);
}

static const char *problem_of(const Reader *reader, bool enough) {
  if (!enough || reader->problem.failed) return "out of memory\n";
  if (reader->damaged)
    return "the prelude's image is damaged: build it again\n";
  return reader->problem.len > 0 ? reader->problem.data : NULL;
}

// Whether all was registered. Else says why not.
static bool read_end(Reader *reader, bool enough) {
  text_add(&reader->problem, "", reader->problem.len > 0);
  const char *problem = problem_of(reader, enough);
  if (problem != NULL)
    output_error(runtime_of(reader->vm), problem, strlen(problem));
  text_free(&reader->problem);
  mem_free(reader->strings);
  mem_free(reader->protos);
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
