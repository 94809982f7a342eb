// SPDX-License-Identifier: MIT
// Preludes: library functions in the language that every script sees, compiled
// when the library is built.
//
// Compiling some hundred lines takes half of the time that a runtime needs to
// begin, so a prelude is compiled once, into an image, and each runtime makes
// its functions from that. An image is an array of words:
//
//   stamp, words in all
//   strings    count; each: bytes, then those bytes, padded to words
//   protos     count; each: name, flags, nparams, nrequired, nresults, nregs,
//              code (count, words), lines (count, at, line, col, turned),
//              upvalues (count, local * 256 + index),
//              parameters' names (nparams strings),
//              constants (count, kind, and what the kind needs)
//   functions  count; each: name, proto
//   methods    each: object type, name, proto; then OBJ_TYPE_COUNT
//
// A string is its index, a proto is its index, oldest first. A constant is a
// word's two halves, a string, a proto, a proto's closure, or what another
// builtin has for a value, by its name. Functions and methods are all that a
// prelude may declare: for anything else there is no image.
//
// The stamp tells whether another version made the image. Beyond that it is
// taken at its word, as the program's own code is.
#include <stdlib.h>

#include "vm/runtime.h"

#define PRELUDE_PATH "prelude.csp"

typedef enum ConstantKind {
  CONSTANT_WORD,
  CONSTANT_STRING,
  CONSTANT_PROTO,
  CONSTANT_CLOSURE,
  CONSTANT_BUILTIN,
} ConstantKind;

// Of all that an image depends on: the version, and the instructions.
static uint32_t image_stamp(void) {
  static const char text[] = CSP_VERSION
#define OP(name, words, format, meaning) " " #name " " format
#include "vm/opcodes.def"
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

static void put(Writer *w, uint32_t word) {
  text_add(&w->words, (const char *)&word, sizeof word);
}

static void put_new_string(Writer *w, const ObjString *string) {
  static const char padding[sizeof(uint32_t)];
  size_t size = (w->string_count + 1) * sizeof *w->strings;
  const ObjString **strings = realloc(w->strings, size);
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
  put(w, at);
}

// Which of the prelude's it is; w->count: none.
static uint32_t proto_index(const Writer *w, const Proto *proto) {
  uint32_t at = 0;
  while (at < w->count && w->protos[at] != proto) at++;
  return at;
}

// The index of a closure's proto; w->count: it is none of the prelude's.
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
    put(w, CONSTANT_STRING);
    put_string(w, (ObjString *)value_obj(v));
  } else if (closure < w->count) {
    put(w, CONSTANT_CLOSURE);
    put(w, closure);
  } else if ((name = builtin_name(w, v)) != NULL) {
    put(w, CONSTANT_BUILTIN);
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
    put(w, CONSTANT_PROTO);
    put(w, proto_index(w, (const Proto *)(uintptr_t)v));
  } else {
    put(w, CONSTANT_WORD);
    put(w, (uint32_t)v);
    put(w, (uint32_t)(v >> 32));
  }
}

static void put_proto(Writer *w, const Proto *proto) {
  put_string(w, proto->name);
  put(w, proto->flags);
  put(w, proto->nparams);
  put(w, proto->nrequired);
  put(w, proto->nresults);
  put(w, proto->nregs);
  put(w, proto->ncode);
  for (uint32_t n = 0; n < proto->ncode; n++) put(w, proto->code[n]);
  put(w, proto->nlines);
  for (const LineInfo *l = proto->lines; l < proto->lines + proto->nlines;
       l++) {
    put(w, l->at);
    put(w, l->line);
    put(w, l->col);
    put(w, l->turned);
  }
  put(w, proto->nupvalues);
  for (uint32_t n = 0; n < proto->nupvalues; n++)
    put(w, proto->upvalues[n].local * 256u + proto->upvalues[n].index);
  for (uint32_t n = 0; n < proto->nparams; n++)
    put_string(w, proto->param_names[n]);
  put(w, proto->nconstants);
  for (uint32_t n = 0; n < proto->nconstants; n++) put_constant(w, proto, n);
}

static void put_functions(Writer *w, const ObjModule *module) {
  const ObjMap *members = module->members;
  const ObjTable *table = heap_load(&members->table);
  uint64_t at = 0;
  Value key, cell;
  put(w, (uint32_t)map_len(members));
  while (map_next(w->vm, members, table, &at, &key, &cell)) {
    const ObjString *name = (ObjString *)value_obj(key);
    uint32_t function = closure_index(w, ((ObjCell *)value_obj(cell))->value);
    if (function == w->count)
      text_addf(&w->problem, "prelude: `%s` is no function\n", name->data);
    put_string(w, name);
    put(w, function);
  }
}

static void put_methods(Writer *w) {
  for (uint32_t type = 0; type < OBJ_TYPE_COUNT; type++) {
    const MethodTable *table = w->vm->methods[type];
    for (uint32_t n = 0; table != NULL && n < table->count; n++) {
      uint32_t function = closure_index(w, table->methods[n].function);
      if (function == w->count) continue;
      put(w, type);
      put_string(w, table->methods[n].name);
      put(w, function);
    }
  }
  put(w, OBJ_TYPE_COUNT);
}

// The protos that are newer than `before`, but the file's top level.
static void find_protos(Writer *w, const Proto *before) {
  uint32_t count = 0;
  for (const Proto *p = w->vm->protos; p != before; p = p->next) count++;
  w->protos = calloc(count + 1, sizeof *w->protos);
  if (w->protos == NULL) {
    w->failed = true;
    return;
  }
  for (const Proto *p = w->vm->protos; p != before; p = p->next)
    if (!(p->flags & PROTO_MAIN)) w->protos[w->count++] = p;
  for (uint32_t low = 0, high = w->count; low + 1 < high; low++) {
    const Proto *newer = w->protos[low];
    w->protos[low] = w->protos[--high];
    w->protos[high] = newer;
  }
}

static void put_all(Writer *w, const ObjModule *module) {
  put(w, w->count);
  for (uint32_t n = 0; n < w->count; n++) put_proto(w, w->protos[n]);
  put_functions(w, module);
  put_methods(w);
}

// Puts the parts together; malloced, or NULL.
static uint32_t *join(Writer *w, size_t *count) {
  w->failed |= w->words.failed || w->bytes.failed || w->problem.failed;
  if (w->failed || w->problem.len > 0) return NULL;
  size_t size = sizeof(uint32_t) * 3 + w->bytes.len + w->words.len;
  uint32_t *image = malloc(size);
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
  Writer w = {.vm = &csp->vm};
  uint32_t *image = NULL;
  find_protos(&w, before);
  if (!w.failed) {
    put_all(&w, module);
    image = join(&w, count);
  }
  if (w.failed) {
    output_no_memory(csp);
  } else if (w.problem.len > 0) {
    output_error(csp, w.problem.data, w.problem.len);
  }
  text_free(&w.words);
  text_free(&w.bytes);
  text_free(&w.problem);
  free(w.strings);
  free(w.protos);
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
  CompileInput input = {.path = PRELUDE_PATH,
                        .text = source,
                        .len = len,
                        .privileged = true,
                        .module = module};
  char *errors = NULL;
  if (vm->compile(vm, &input, &errors) == NULL) {
    if (errors != NULL) output_error(csp, errors, strlen(errors));
    free(errors);
    return NULL;
  }
  return image_of(csp, before, module, count);
}

// --- Using one --------------------------------------------------------------
// false: out of memory, or a builtin is not there.
typedef struct Reader {
  Vm *vm;
  const uint32_t *at;
  ObjString **strings;
  Proto **protos;
  ObjString *path;
} Reader;

static uint32_t take(Reader *r) { return *r->at++; }
static ObjString *take_string(Reader *r) { return r->strings[take(r)]; }

static bool take_strings(Reader *r) {
  uint32_t count = take(r);
  r->strings = calloc(count + 1, sizeof *r->strings);
  if (r->strings == NULL) return false;
  for (uint32_t n = 0; n < count; n++) {
    uint32_t len = take(r);
    r->strings[n] = vm_intern(r->vm, (const char *)r->at, len);
    if (r->strings[n] == NULL) return false;
    r->at += (len + sizeof *r->at - 1) / sizeof *r->at;
  }
  return true;
}

// They refer to each other: all are made before any is filled.
static bool make_protos(Reader *r, uint32_t count) {
  r->protos = calloc(count + 1, sizeof *r->protos);
  if (r->protos == NULL) return false;
  for (uint32_t n = 0; n < count; n++) {
    r->protos[n] = proto_new(r->vm);
    if (r->protos[n] == NULL) return false;
  }
  return true;
}

static bool take_code(Reader *r, Proto *proto) {
  proto->ncode = take(r);
  proto->code = malloc(proto->ncode * sizeof *proto->code);
  if (proto->code == NULL) return false;
  memcpy(proto->code, r->at, proto->ncode * sizeof *proto->code);
  r->at += proto->ncode;
  return true;
}

static bool take_lines(Reader *r, Proto *proto) {
  uint32_t count = take(r);
  proto->lines = calloc(count + 1, sizeof *proto->lines);
  if (proto->lines == NULL) return false;
  for (; proto->nlines < count; proto->nlines++) {
    LineInfo *line = &proto->lines[proto->nlines];
    line->at = take(r);
    line->line = take(r);
    line->col = take(r) & 0x7fffffff;
    line->turned = take(r) & 1;
  }
  return true;
}

static bool take_upvalues(Reader *r, Proto *proto) {
  uint32_t count = take(r);
  proto->upvalues = calloc(count + 1, sizeof *proto->upvalues);
  if (proto->upvalues == NULL) return false;
  for (; proto->nupvalues < count; proto->nupvalues++) {
    uint32_t from = take(r);
    proto->upvalues[proto->nupvalues] =
        (UpvalueFrom){from >= 256, (uint8_t)from};
  }
  return true;
}

static bool take_param_names(Reader *r, Proto *proto, uint32_t count) {
  proto->param_names = calloc(count + 1, sizeof *proto->param_names);
  if (proto->param_names == NULL) return false;
  while (proto->nparams < count)
    proto->param_names[proto->nparams++] = take_string(r);
  return true;
}

static bool take_closure(Reader *r, Value *out) {
  ObjClosure *closure = proto_self(r->vm, r->protos[take(r)]);
  *out = value_from_obj(closure);
  return closure != NULL;
}

static bool take_builtin(Reader *r, Value *out) {
  const ObjString *name = take_string(r);
  if (map_get(r->vm, r->vm->builtins, value_from_obj(name), out)) return true;
  Text text = {0};
  text_addf(&text, "the prelude needs `%s`, which is not registered\n",
            name->data);
  output_error(runtime_of(r->vm), text.data, text.len);
  text_free(&text);
  return false;
}

static bool take_constant(Reader *r, Value *out) {
  uint32_t low;
  switch ((ConstantKind)take(r)) {
    case CONSTANT_STRING:
      *out = value_from_obj(take_string(r));
      return true;
    case CONSTANT_PROTO:
      *out = (Value)(uintptr_t)r->protos[take(r)];
      return true;
    case CONSTANT_CLOSURE:
      return take_closure(r, out);
    case CONSTANT_BUILTIN:
      return take_builtin(r, out);
    case CONSTANT_WORD:
    default:
      low = take(r);
      *out = (Value)take(r) << 32 | low;
      return true;
  }
}

static bool take_constants(Reader *r, Proto *proto) {
  uint32_t count = take(r);
  proto->constants = calloc(count + 1, sizeof *proto->constants);
  if (proto->constants == NULL) return false;
  for (; proto->nconstants < count; proto->nconstants++)
    if (!take_constant(r, &proto->constants[proto->nconstants])) return false;
  return true;
}

static bool take_proto(Reader *r, Proto *proto) {
  proto->name = take_string(r);
  proto->path = r->path;
  proto->flags = (uint8_t)take(r);
  uint32_t nparams = take(r);
  proto->nrequired = (uint8_t)take(r);
  proto->nresults = (uint8_t)take(r);
  proto->nregs = (uint16_t)take(r);
  return take_code(r, proto) && take_lines(r, proto) &&
         take_upvalues(r, proto) && take_param_names(r, proto, nparams) &&
         take_constants(r, proto);
}

static bool take_functions(Reader *r) {
  for (uint32_t left = take(r); left > 0; left--) {
    Value name = value_from_obj(take_string(r)), function;
    if (!take_closure(r, &function) ||
        map_set(r->vm->boot, r->vm->builtins, name, function) != MAP_OK)
      return false;
  }
  return true;
}

static bool take_methods(Reader *r) {
  for (uint32_t type; (type = take(r)) != OBJ_TYPE_COUNT;) {
    ObjString *name = take_string(r);
    Value function;
    if (!take_closure(r, &function) ||
        !vm_add_method(r->vm, (ObjType)type, name, function))
      return false;
  }
  return true;
}

static bool take_all(Reader *r) {
  r->path = vm_intern(r->vm, PRELUDE_PATH, strlen(PRELUDE_PATH));
  if (r->path == NULL || !take_strings(r)) return false;
  uint32_t count = take(r);
  if (!make_protos(r, count)) return false;
  for (uint32_t n = 0; n < count; n++)
    if (!take_proto(r, r->protos[n])) return false;
  return take_functions(r) && take_methods(r);
}

bool csp_register_prelude(Csp *csp, const uint32_t *image, size_t count) {
  if (count < 3 || image[0] != image_stamp() || image[1] != count) {
    static const char text[] =
        "the prelude's image is of another version: build it again\n";
    output_error(csp, text, sizeof text - 1);
    return false;
  }
  Reader r = {.vm = &csp->vm, .at = image + 2};
  bool done = take_all(&r);
  free(r.strings);
  free(r.protos);
  Value concat = vm_builtin(csp->vm.boot, "_concat");
  if (concat != VALUE_UNDEF) csp->code.concat = concat;
  return done;
}
