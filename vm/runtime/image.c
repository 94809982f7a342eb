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
//              code (count, words), lines (count, at, line, col, turned),
//              upvalues (count, local * 256 + index),
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
#include "vm/runtime/image.h"

#include <stdlib.h>

#include "vm/heap/local.h"
#include "vm/native/module.h"
#include "vm/object/format.h"
#include "vm/object/map.h"
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

static void put_word(Writer *w, uint32_t word) {
  text_add(&w->words, (const char *)&word, sizeof word);
}

static void put_new_string(Writer *w, const ObjString *string) {
  static const char padding[sizeof(uint32_t)];
  size_t size = (w->string_count + 1) * sizeof *w->strings;
  const ObjString **strings = mem_resize(w->vm->memory, w->strings, size);
  if (strings == NULL) {
    w->failed = true;
    return;
  }
  w->strings = strings;
  strings[w->string_count++] = string;
  uint32_t len = (uint32_t)string->len;
  text_add(&w->bytes, (const char *)&len, sizeof len);
  text_add(&w->bytes, string->data, len);
  text_add(&w->bytes, padding,
           (sizeof padding - len % sizeof padding) % sizeof padding);
}

static void put_string(Writer *w, const ObjString *string) {
  uint32_t at = 0;
  while (at < w->string_count && w->strings[at] != string) at++;
  if (at == w->string_count) put_new_string(w, string);
  put_word(w, at);
}

// Which of the prelude's it is. w->count: none.
static uint32_t proto_index(const Writer *w, const Proto *proto) {
  uint32_t at = 0;
  while (at < w->count && w->protos[at] != proto) at++;
  return at;
}

// The index of a closure's proto. w->count: it is none of the prelude's.
static uint32_t closure_index(const Writer *w, Value v) {
  if (!value_is_type(v, OBJ_CLOSURE)) return w->count;
  return proto_index(w, ((ObjClosure *)value_obj(v))->proto);
}

// The name of the builtin with that value, or NULL.
static const ObjString *builtin_name(const Writer *w, Value v) {
  const ObjMap *builtins = w->vm->builtins;
  uint64_t at = 0;
  Value key, value;
  while (
      map_next(w->vm, builtins, heap_load(&builtins->table), &at, &key, &value))
    if (value == v) return (ObjString *)value_obj(key);
  return NULL;
}

static void put_object(Writer *w, const Proto *proto, Value v) {
  uint32_t closure = closure_index(w, v);
  const ObjString *name;
  if (value_is_type(v, OBJ_STRING)) {
    put_word(w, CONSTANT_STRING);
    put_string(w, (ObjString *)value_obj(v));
  } else if (closure < w->count) {
    put_word(w, CONSTANT_CLOSURE);
    put_word(w, closure);
  } else if ((name = builtin_name(w, v)) != NULL) {
    put_word(w, CONSTANT_BUILTIN);
    put_string(w, name);
  } else {
    text_addf(&w->problem, "prelude: `%s` holds a constant of type %s\n",
              proto->name->data, w->vm->type_names[value_obj(v)->type]->data);
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

static void put_constant(Writer *w, const Proto *proto, uint32_t n) {
  Value v = proto->constants[n];
  if (value_is_obj(v)) {
    put_object(w, proto, v);
  } else if (is_proto(proto, n)) {
    put_word(w, CONSTANT_PROTO);
    put_word(w, proto_index(w, (const Proto *)(uintptr_t)v));
  } else {
    put_word(w, CONSTANT_WORD);
    put_word(w, (uint32_t)v);
    put_word(w, (uint32_t)(v >> 32));
  }
}

static void put_proto(Writer *w, const Proto *proto) {
  put_string(w, proto->name);
  put_word(w, proto->flags);
  put_word(w, proto->nparams);
  put_word(w, proto->nrequired);
  put_word(w, proto->nresults);
  put_word(w, proto->nregs);
  put_word(w, proto->ncode);
  for (uint32_t n = 0; n < proto->ncode; n++) put_word(w, proto->code[n]);
  put_word(w, proto->nlines);
  for (const LineInfo *l = proto->lines; l < proto->lines + proto->nlines;
       l++) {
    put_word(w, l->at);
    put_word(w, l->line);
    put_word(w, l->col);
    put_word(w, l->turned);
  }
  put_word(w, proto->nupvalues);
  for (uint32_t n = 0; n < proto->nupvalues; n++)
    put_word(w, proto->upvalues[n].local * 256u + proto->upvalues[n].index);
  for (uint32_t n = 0; n < proto->nparams; n++)
    put_string(w, proto->param_names[n]);
  put_word(w, proto->nconstants);
  for (uint32_t n = 0; n < proto->nconstants; n++) put_constant(w, proto, n);
}

static void put_functions(Writer *w, const ObjModule *module) {
  const ObjMap *members = module->members;
  const ObjTable *table = heap_load(&members->table);
  uint64_t at = 0;
  Value key, cell;
  put_word(w, (uint32_t)map_len(members));
  while (map_next(w->vm, members, table, &at, &key, &cell)) {
    const ObjString *name = (ObjString *)value_obj(key);
    uint32_t function = closure_index(w, ((ObjCell *)value_obj(cell))->value);
    if (function == w->count)
      text_addf(&w->problem, "prelude: `%s` is no function\n", name->data);
    put_string(w, name);
    put_word(w, function);
  }
}

static void put_methods(Writer *w) {
  for (uint32_t type = 0; type < OBJ_TYPE_COUNT; type++) {
    const MethodTable *table = w->vm->methods[type];
    for (uint32_t n = 0; table != NULL && n < table->count; n++) {
      uint32_t function = closure_index(w, table->methods[n].function);
      if (function == w->count) continue;
      put_word(w, type);
      put_string(w, table->methods[n].name);
      put_word(w, function);
    }
  }
  put_word(w, OBJ_TYPE_COUNT);
}

// The protos that are newer than `before`, but the file's top level.
static void find_protos(Writer *w, const Proto *before) {
  uint32_t count = 0;
  for (const Proto *proto = w->vm->protos; proto != before; proto = proto->next)
    count++;
  w->protos = mem_zeroed(w->vm->memory, (count + 1) * sizeof *w->protos);
  if (w->protos == NULL) {
    w->failed = true;
    return;
  }
  for (const Proto *proto = w->vm->protos; proto != before; proto = proto->next)
    if (!(proto->flags & PROTO_MAIN)) w->protos[w->count++] = proto;
  for (uint32_t low = 0, high = w->count; low + 1 < high; low++) {
    const Proto *newer = w->protos[low];
    w->protos[low] = w->protos[--high];
    w->protos[high] = newer;
  }
}

static void put_all(Writer *w, const ObjModule *module) {
  put_word(w, w->count);
  for (uint32_t n = 0; n < w->count; n++) put_proto(w, w->protos[n]);
  put_functions(w, module);
  put_methods(w);
}

// Puts the parts together; malloced, or NULL.
static uint32_t *join_parts(Writer *w, size_t *count) {
  w->failed |= w->words.failed || w->bytes.failed || w->problem.failed;
  if (w->failed || w->problem.len > 0) return NULL;
  size_t size = sizeof(uint32_t) * 3 + w->bytes.len + w->words.len;
  uint32_t *image = libc_resize(NULL, size);
  if (image == NULL) {
    w->failed = true;
    return NULL;
  }
  *count = size / sizeof *image;
  image[0] = image_stamp();
  image[1] = (uint32_t)*count;
  image[2] = w->string_count;
  if (w->string_count > 0) memcpy(image + 3, w->bytes.data, w->bytes.len);
  memcpy((char *)(image + 3) + w->bytes.len, w->words.data, w->words.len);
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
