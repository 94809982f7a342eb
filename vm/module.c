// SPDX-License-Identifier: MIT
// Built-in modules, and the method tables of built-in types.
//
// All of it happens before the main goroutine runs: registering at boot,
// modules while the script that imports them is compiled.
#include <stdlib.h>

#include "vm/runtime.h"

ObjModule *module_new(Vm *vm, const char *name) {
  ObjModule *module =
      (ObjModule *)heap_alloc(&vm->boot->heap, sizeof *module, OBJ_MODULE);
  if (module == NULL) return NULL;
  module->name = vm_intern(vm, name, strlen(name));
  module->members = map_new(vm->boot, 8);
  module->main = NULL;
  module->started = 0;
  return module->name && module->members ? module : NULL;
}

ObjCell *module_cell(Vm *vm, ObjModule *module, ObjString *name) {
  Value v;
  if (map_get(vm, module->members, value_from_obj(name), &v))
    return (ObjCell *)value_obj(v);
  ObjCell *cell =
      (ObjCell *)heap_alloc(&vm->boot->heap, sizeof *cell, OBJ_CELL);
  if (cell == NULL) return NULL;
  cell->value = VALUE_UNDEF;
  MapResult r = map_set(vm->boot, module->members, value_from_obj(name),
                        value_from_obj(cell));
  return r == MAP_OK ? cell : NULL;
}

// --- Modules made of natives ------------------------------------------------
static void set_member(Vm *vm, ObjModule *module, const char *name, Value v) {
  ObjString *key = vm_intern(vm, name, strlen(name));
  ObjCell *cell = key ? module_cell(vm, module, key) : NULL;
  if (cell != NULL) heap_store(&vm->boot->heap, &cell->value, v);
}

void csp_module_set(CspCall *call, CspValue module, const char *name,
                    CspValue value) {
  set_member(call->vm, (ObjModule *)value_obj(module.word), name, value.word);
}

static ObjModule *make_module(Vm *vm, const CspModule *def) {
  ObjModule *module = module_new(vm, def->path);
  if (module == NULL) return NULL;
  for (const CspFunction *f = def->functions; f && f->name; f++)
    set_member(vm, module, f->name, native_new(vm, def->path, f, NULL));
  if (def->init != NULL) {
    CspCall call = {.local = vm->boot, .vm = vm};
    def->init(&call, csp_wrap(value_from_obj(module)));
  }
  map_set(vm->boot, vm->modules, value_from_obj(module->name),
          value_from_obj(module));
  return module;
}

ObjModule *vm_builtin_module(Vm *vm, const char *path, const char **source,
                             size_t *source_len) {
  for (NativeModule *m = vm->native_modules; m != NULL; m = m->next) {
    if (strcmp(m->def->path, path) != 0) continue;
    *source = m->def->source;
    *source_len = m->def->source_len;
    if (m->made == NULL) m->made = make_module(vm, m->def);
    return m->made;
  }
  return NULL;
}

void vm_each_builtin_module(Vm *vm, void (*fn)(void *arg, const char *path),
                            void *arg) {
  for (NativeModule *m = vm->native_modules; m != NULL; m = m->next)
    fn(arg, m->def->path);
}

// --- Methods of built-in types ----------------------------------------------
void vm_add_method(Vm *vm, ObjType type, ObjString *name, Value function) {
  MethodTable *old = vm->methods[type];
  uint32_t count = old ? old->count : 0;
  for (uint32_t n = 0; n < count; n++) {
    if (old->methods[n].name != name) continue;
    old->methods[n].function = function;
    return;
  }
  MethodTable *table =
      realloc(old, sizeof *table + (count + 1) * sizeof(Method));
  if (table == NULL) return;
  table->methods[count] = (Method){name, function};
  table->count = count + 1;
  vm->methods[type] = table;
}

Value vm_method(Vm *vm, ObjType type, const ObjString *name) {
  const MethodTable *table = vm->methods[type];
  for (uint32_t n = 0; table != NULL && n < table->count; n++)
    if (table->methods[n].name == name) return table->methods[n].function;
  return VALUE_UNDEF;
}

// --- Registering ------------------------------------------------------------
bool csp_register(Csp *csp, const CspModule *module) {
  NativeModule *m = calloc(1, sizeof *m);
  if (m == NULL) return false;
  m->def = module;
  m->next = csp->vm.native_modules;
  csp->vm.native_modules = m;
  return true;
}

static const ObjType type_objects[] = {
    [CSP_INT] = OBJ_INT,       [CSP_FLOAT] = OBJ_FLOAT,
    [CSP_STRING] = OBJ_STRING, [CSP_BYTES] = OBJ_BYTES,
    [CSP_LIST] = OBJ_LIST,     [CSP_MAP] = OBJ_MAP,
    [CSP_RANGE] = OBJ_RANGE,   [CSP_FUNC] = OBJ_CLOSURE,
    [CSP_CHAN] = OBJ_CHAN,     [CSP_TASK] = OBJ_TASK,
    [CSP_ERROR] = OBJ_ERROR};

bool csp_register_methods(Csp *csp, CspType type,
                          const CspFunction *functions) {
  Vm *vm = &csp->vm;
  for (const CspFunction *f = functions; f->name; f++) {
    ObjType object = type_objects[type];
    const char *of = vm->type_names[object]->data;
    Value v = native_new(vm, of, f, NULL);
    ObjString *name = vm_intern(vm, f->name, strlen(f->name));
    if (v == VALUE_UNDEF || name == NULL) return false;
    vm_add_method(vm, object, name, v);
  }
  return true;
}

bool csp_register_builtins(Csp *csp, const CspFunction *functions) {
  Vm *vm = &csp->vm;
  for (const CspFunction *f = functions; f->name; f++) {
    Value v = native_new(vm, NULL, f, NULL);
    ObjString *name = vm_intern(vm, f->name, strlen(f->name));
    if (v == VALUE_UNDEF || name == NULL ||
        map_set(vm->boot, vm->builtins, value_from_obj(name), v) != MAP_OK)
      return false;
  }
  return true;
}

Value vm_builtin(Local *local, const char *name) {
  Value v;
  ObjString *key = string_new(local, name, strlen(name));
  if (key == NULL ||
      !map_get(local->vm, local->vm->builtins, value_from_obj(key), &v))
    return VALUE_UNDEF;
  return v;
}

// The functions it declares become builtins.
static void publish(Vm *vm, const ObjModule *module) {
  uint64_t at = 0;
  Value key, cell;
  while (map_next(vm, module->members, heap_load(&module->members->table), &at,
                  &key, &cell))
    map_set(vm->boot, vm->builtins, key, ((ObjCell *)value_obj(cell))->value);
}

bool csp_register_prelude(Csp *csp, const char *source, size_t len) {
  Vm *vm = &csp->vm;
  ObjModule *module = module_new(vm, "prelude");
  if (module == NULL || vm->compile == NULL) return false;
  CompileInput input = {.path = "prelude.csp",
                        .text = source,
                        .len = len,
                        .privileged = true,
                        .module = module};
  char *errors = NULL;
  if (vm->compile(vm, &input, &errors) == NULL) {
    if (errors != NULL) output_error(csp, errors, strlen(errors));
    free(errors);
    return false;
  }
  publish(vm, module);
  Value concat = vm_builtin(vm->boot, "_concat");
  if (concat != VALUE_UNDEF) csp->code.concat = concat;
  return true;
}
