// SPDX-License-Identifier: MIT
// Preludes: library functions in the language that every script sees, compiled
// when the library is built.
//
// Compiling some hundred lines takes half of the time that a runtime needs to
// begin, so a prelude is compiled once, into an image, and each runtime makes
// its functions from that. An image is an array of words:
//
//   stamp, words in all
//   strings    count; of each the bytes, then those bytes, padded to words
//   protos     count; of each name, flags, nparams, nrequired, nresults, nregs,
//              code (count, words), lines (count, each as a LineInfo lies in
//              memory), upvalues (count, local * 256 + index),
//              parameters' names (nparams strings),
//              constants (count, kind, and what the kind needs)
//   functions  count; of each name, proto
//   methods    of each object type, name, proto; then OBJ_TYPE_COUNT
//
// A string is its index, a proto is its index, oldest first. A constant is a
// word's two halves, a string, a proto, a proto's closure, or what another
// builtin has for a value, by its name. Functions and methods are all that a
// prelude may declare: for anything else there is no image.
//
// The stamp tells whether another version made the image. A proto among the
// constants is newer than the function that makes closures of it. image_read.c
// reads images.
#include "vm/runtime/image_write.h"

#include <stdlib.h>

#include "vm/heap/local.h"
#include "vm/native/builtin_modules.h"
#include "vm/object/map.h"
#include "vm/object/value_text.h"
#include "vm/runtime/output.h"
#include "vm/runtime/runtime.h"

// Of all that an image depends on: the version, and the instructions.
uint32_t image_stamp(void) {
  static const char text[] = CSP_VERSION
#define OP(name, words, kinds, ...) " " #name " " kinds
#include "vm/code/opcodes.def"
#undef OP
      ;
  uint32_t hash = 2166136261u;  // FNV-1a
  for (const char *s = text; *s != '\0'; s++)
    hash = (hash ^ (unsigned char)*s) * 16777619u;
  return hash;
}

// --- Making one -------------------------------------------------------------
typedef struct Writer {
  Vm *vm;
  Text words;  // what follows the strings
  Text bytes;  // of the strings
  uint32_t string_count;
  const ObjString **strings;  // string_count of them
  uint32_t count;
  const Proto **protos;  // count of them, oldest first
  Text problem;          // why there can be no image
  bool failed;           // out of memory
} Writer;

static void put_word(Writer *writer, uint32_t word) {
  text_add(&writer->words, (const char *)&word, sizeof word);
}

static void put_new_string(Writer *writer, const ObjString *string) {
  static const char padding[sizeof(uint32_t)];
  size_t size = (writer->string_count + 1) * sizeof *writer->strings;
  const ObjString **strings =
      mem_resize(writer->vm->memory, writer->strings, size);
  if (strings == NULL) {
    writer->failed = true;
    return;
  }
  writer->strings = strings;
  strings[writer->string_count++] = string;
  uint32_t len = (uint32_t)string->len;
  text_add(&writer->bytes, (const char *)&len, sizeof len);
  text_add(&writer->bytes, string_data(string), len);
  text_add(&writer->bytes, padding,
           (sizeof padding - len % sizeof padding) % sizeof padding);
  RT_ASSERT(writer->bytes.failed || writer->bytes.len % sizeof padding == 0);
}

static void put_string(Writer *writer, const ObjString *string) {
  uint32_t at = 0;
  while (at < writer->string_count && writer->strings[at] != string) at++;
  if (at == writer->string_count) put_new_string(writer, string);
  RT_ASSERT(writer->failed || writer->strings[at] == string);
  put_word(writer, at);
}

// Which of the prelude's it is. `writer->count` stands for none.
static uint32_t proto_index(const Writer *writer, const Proto *proto) {
  uint32_t at = 0;
  while (at < writer->count && writer->protos[at] != proto) at++;
  return at;
}

// The index of a closure's proto. It is `writer->count` when the proto is none
// of the prelude's.
static uint32_t closure_index(const Writer *writer, Value v) {
  if (!value_is_type(v, OBJ_CLOSURE)) return writer->count;
  return proto_index(writer, ((ObjClosure *)value_obj(v))->proto);
}

// The name of the builtin with that value, or NULL.
static const ObjString *builtin_name(const Writer *writer, Value v) {
  const ObjMap *builtins = writer->vm->builtins;
  uint64_t at = 0;
  Value key, value;
  while (map_next(writer->vm, builtins, heap_load(&builtins->table), &at, &key,
                  &value))
    if (value == v) return (ObjString *)value_obj(key);
  return NULL;
}

static void put_object(Writer *writer, const Proto *proto, Value v) {
  uint32_t closure = closure_index(writer, v);
  const ObjString *name;
  if (value_is_type(v, OBJ_STRING)) {
    put_word(writer, CONSTANT_STRING);
    put_string(writer, (ObjString *)value_obj(v));
  } else if (closure < writer->count) {
    put_word(writer, CONSTANT_CLOSURE);
    put_word(writer, closure);
  } else if ((name = builtin_name(writer, v)) != NULL) {
    put_word(writer, CONSTANT_BUILTIN);
    put_string(writer, name);
  } else {
    text_addf(&writer->problem, "prelude: `%s` holds a constant of type %s\n",
              proto->name->own,
              writer->vm->type_names[value_obj(v)->type]->own);
  }
}

// What CLOSURE takes is a pointer.
static bool is_proto(const Proto *proto, uint32_t constant) {
  const Instr *code = proto->code;
  for (uint32_t at = 0; at < proto->ncode; at += op_words(INSTR_OP(code[at])))
    if (INSTR_OP(code[at]) == OP_CLOSURE && INSTR_BX(code[at]) == constant)
      return true;
  return false;
}

static void put_constant(Writer *writer, const Proto *proto, uint32_t n) {
  Value v = proto->constants[n];
  if (value_is_obj(v)) {
    put_object(writer, proto, v);
  } else if (is_proto(proto, n)) {
    put_word(writer, CONSTANT_PROTO);
    put_word(writer, proto_index(writer, (const Proto *)(uintptr_t)v));
  } else {
    put_word(writer, CONSTANT_WORD);
    put_word(writer, (uint32_t)v);
    put_word(writer, (uint32_t)(v >> 32));
  }
}

static void put_proto(Writer *writer, const Proto *proto) {
  put_string(writer, proto->name);
  put_word(writer, proto->flags);
  put_word(writer, proto->nparams);
  put_word(writer, proto->nrequired);
  put_word(writer, proto->nresults);
  put_word(writer, proto->nregs);
  put_word(writer, proto->ncode);
  for (uint32_t n = 0; n < proto->ncode; n++) put_word(writer, proto->code[n]);
  put_word(writer, proto->nlines);
  for (const LineInfo *line = proto->lines; line < proto->lines + proto->nlines;
       line++)
    text_add(&writer->words, (const char *)line, sizeof *line);
  put_word(writer, proto->nupvalues);
  for (uint32_t n = 0; n < proto->nupvalues; n++)
    put_word(writer,
             proto->upvalues[n].local * 256u + proto->upvalues[n].index);
  for (uint32_t n = 0; n < proto->nparams; n++)
    put_string(writer, proto->param_names[n]);
  put_word(writer, proto->nconstants);
  for (uint32_t n = 0; n < proto->nconstants; n++)
    put_constant(writer, proto, n);
}

static void put_functions(Writer *writer, const ObjModule *module) {
  const ObjMap *members = module->members;
  const ObjTable *table = heap_load(&members->table);
  uint64_t at = 0;
  Value key, cell;
  uint32_t left = (uint32_t)map_len(members);
  put_word(writer, left);
  while (map_next(writer->vm, members, table, &at, &key, &cell)) {
    const ObjString *name = (ObjString *)value_obj(key);
    uint32_t function =
        closure_index(writer, ((ObjCell *)value_obj(cell))->value);
    if (function == writer->count)
      text_addf(&writer->problem, "prelude: `%s` is no function\n", name->own);
    put_string(writer, name);
    put_word(writer, function);
    left--;
  }
  RT_ASSERT(left == 0);
}

static void put_methods(Writer *writer) {
  for (uint32_t type = 0; type < OBJ_TYPE_COUNT; type++) {
    const MethodTable *table = writer->vm->methods[type];
    for (uint32_t n = 0; table != NULL && n < table->count; n++) {
      uint32_t function = closure_index(writer, table->methods[n].function);
      if (function == writer->count) continue;
      put_word(writer, type);
      put_string(writer, table->methods[n].name);
      put_word(writer, function);
    }
  }
  put_word(writer, OBJ_TYPE_COUNT);
}

// The protos that are newer than `before`, but the file's top level.
static void find_protos(Writer *writer, const Proto *before) {
  uint32_t count = 0;
  for (const Proto *proto = writer->vm->protos; proto != before;
       proto = proto->next)
    count++;
  writer->protos =
      mem_zeroed(writer->vm->memory, (count + 1) * sizeof *writer->protos);
  if (writer->protos == NULL) {
    writer->failed = true;
    return;
  }
  for (const Proto *proto = writer->vm->protos; proto != before;
       proto = proto->next)
    if (!(proto->flags & PROTO_MAIN)) writer->protos[writer->count++] = proto;
  for (uint32_t low = 0, high = writer->count; low + 1 < high; low++) {
    const Proto *newer = writer->protos[low];
    writer->protos[low] = writer->protos[--high];
    writer->protos[high] = newer;
  }
}

static void put_all(Writer *writer, const ObjModule *module) {
  put_word(writer, writer->count);
  for (uint32_t n = 0; n < writer->count; n++)
    put_proto(writer, writer->protos[n]);
  put_functions(writer, module);
  put_methods(writer);
}

// Puts the parts together; malloced, or NULL.
static uint32_t *join_parts(Writer *writer, size_t *count) {
  writer->failed |=
      writer->words.failed || writer->bytes.failed || writer->problem.failed;
  if (writer->failed || writer->problem.len > 0) return NULL;
  size_t size = sizeof(uint32_t) * 3 + writer->bytes.len + writer->words.len;
  uint32_t *image = libc_resize(NULL, size);
  if (image == NULL) {
    writer->failed = true;
    return NULL;
  }
  RT_ASSERT(size % sizeof *image == 0);
  *count = size / sizeof *image;
  image[0] = image_stamp();
  image[1] = (uint32_t)*count;
  image[2] = writer->string_count;
  if (writer->string_count > 0)
    memcpy(image + 3, writer->bytes.data, writer->bytes.len);
  memcpy((char *)(image + 3) + writer->bytes.len, writer->words.data,
         writer->words.len);
  return image;
}

static uint32_t *image_of(Csp *csp, const Proto *before,
                          const ObjModule *module, size_t *count) {
  const Memory *memory = csp->vm.memory;
  Writer w = {.vm = &csp->vm,
              .words = {.memory = memory},
              .bytes = {.memory = memory},
              .problem = {.memory = memory}};
  uint32_t *image = NULL;
  find_protos(&w, before);
  if (!w.failed) {
    put_all(&w, module);
    image = join_parts(&w, count);
  }
  if (w.failed) {
    output_no_memory(csp);
  } else if (w.problem.len > 0) {
    output_error(csp, w.problem.data, w.problem.len);
  }
  text_free(&w.words);
  text_free(&w.bytes);
  text_free(&w.problem);
  mem_free(w.strings);
  mem_free(w.protos);
  return image;
}

uint32_t *csp_compile_prelude(Csp *csp, const char *source, size_t len,
                              size_t *count) {
  Vm *vm = &csp->vm;
  RT_CHECK(vm->compile != NULL, "a prelude needs csp_install_language");
  const Proto *before = vm->protos;
  ObjModule *module = module_new(vm, "prelude");
  if (module == NULL) {
    output_no_memory(csp);
    return NULL;
  }
  CompileInput input = {.path = IMAGE_PATH,
                        .text = source,
                        .len = len,
                        .privileged = true,
                        .module = module};
  char *errors = NULL;
  if (vm->compile(vm, &input, &errors) == NULL) {
    if (errors != NULL) output_error(csp, errors, strlen(errors));
    mem_free(errors);
    return NULL;
  }
  return image_of(csp, before, module, count);
}
