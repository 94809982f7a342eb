// SPDX-License-Identifier: MIT
// Built-in modules, and the method tables of built-in types.
//
// All of it happens before the main goroutine runs: registering at boot,
// modules while the script that imports them is compiled.
#include "vm/native/builtin_modules.h"

#include <stdlib.h>

#include "vm/heap/lasting.h"
#include "vm/interp/method_tables.h"
#include "vm/interp/native_call.h"
#include "vm/native/native.h"
#include "vm/object/map.h"
#include "vm/object/string.h"

ObjModule *module_new(Vm *vm, const char *name) {
  ObjModule *module =
      (ObjModule *)heap_alloc(&vm->boot->heap, sizeof *module, OBJ_MODULE);
  if (module == NULL) return NULL;
  module->name = vm_intern(vm, name, strlen(name));
  module->members = map_new(vm->boot, 8);
  module->main = NULL;
  module->started = 0;
  return module->name != NULL && module->members != NULL ? module : NULL;
}

ObjCell *module_cell(Vm *vm, ObjModule *module, ObjString *name) {
  Value v;
  if (map_get(vm, module->members, value_from_obj(name), &v)) {
    RT_ASSERT(value_is_type(v, OBJ_CELL));
    return (ObjCell *)value_obj(v);
  }
  ObjCell *cell =
      (ObjCell *)heap_alloc(&vm->boot->heap, sizeof *cell, OBJ_CELL);
  if (cell == NULL) return NULL;
  cell->value = VALUE_UNDEF;
  MapResult r = map_set(vm->boot, module->members, value_from_obj(name),
                        value_from_obj(cell));
  return r == MAP_OK ? cell : NULL;
}

// --- Modules made of natives ------------------------------------------------
// false: out of memory, as an undef value says, too.
static bool set_member(Vm *vm, ObjModule *module, const char *name, Value v) {
  ObjString *key = vm_intern(vm, name, strlen(name));
  ObjCell *cell = key != NULL ? module_cell(vm, module, key) : NULL;
  if (cell == NULL || v == VALUE_UNDEF) return false;
  heap_store(&vm->boot->heap, &cell->value, v);
  return true;
}

void csp_module_set(CspCall *call, CspValue module, const char *name,
                    CspValue value) {
  if (!set_member(call->vm, (ObjModule *)value_obj(module.word), name,
                  value.word))
    csp_panic_memory(call);
}

// The classes that it registers are as the module: the library's or a host's.
static bool run_init(Vm *vm, const NativeModule *registered,
                     ObjModule *module) {
  if (registered->def->init == NULL) return true;
  bool hosts = vm->natives_are_hosts;
  vm->natives_are_hosts = registered->host;
  CspCall call = {.local = vm->boot, .vm = vm};
  registered->def->init(&call, csp_wrap(value_from_obj(module)));
  vm->natives_are_hosts = hosts;
  return !call.panicked;
}

static ObjModule *make_module(Vm *vm, const NativeModule *registered) {
  const CspModule *def = registered->def;
  ObjModule *module = module_new(vm, def->path);
  if (module == NULL) return NULL;
  NativeRules rules = {.host = registered->host};
  const CspFunction *function = def->functions;
  for (; (function = native_row(function, &rules)) != NULL; function++) {
    if (!set_member(vm, module, function->name,
                    native_new(vm, def->path, function, &rules)))
      return NULL;
  }
  if (!run_init(vm, registered, module)) return NULL;
  MapResult r = map_set(vm->boot, vm->modules, value_from_obj(module->name),
                        value_from_obj(module));
  return r == MAP_OK ? module : NULL;
}

ObjModule *vm_builtin_module(Vm *vm, const char *path, const char **source,
                             size_t *source_len, bool *no_memory) {
  for (NativeModule *module = vm->native_modules; module != NULL;
       module = module->next) {
    if (strcmp(module->def->path, path) != 0) continue;
    *source = module->def->source;
    *source_len = module->def->source_len;
    if (module->made == NULL) {
      CodeUnit *unit = vm->unit;
      vm->unit = NULL;  // its natives' names stay
      module->made = make_module(vm, module);
      vm->unit = unit;
    }
    if (module->made == NULL) *no_memory = true;
    return module->made;
  }
  return NULL;
}

void vm_each_builtin_module(Vm *vm, void (*fn)(void *arg, const char *path),
                            void *arg) {
  for (NativeModule *module = vm->native_modules; module != NULL;
       module = module->next)
    fn(arg, module->def->path);
}

// --- Registering ------------------------------------------------------------
bool csp_register(Csp *csp, const CspModule *module) {
  Vm *vm = csp_vm(csp);
  RT_ASSERT(module->path != NULL);
  NativeModule *added = lasting_alloc(vm, sizeof *added);
  if (added == NULL) return false;
  added->def = module;
  added->host = vm->natives_are_hosts;
  added->next = vm->native_modules;
  vm->native_modules = added;
  return true;
}

static const ObjType type_objects[] = {
    [CSP_INT] = OBJ_INT,       [CSP_FLOAT] = OBJ_FLOAT,
    [CSP_STRING] = OBJ_STRING, [CSP_BYTES] = OBJ_BYTES,
    [CSP_LIST] = OBJ_LIST,     [CSP_MAP] = OBJ_MAP,
    [CSP_RANGE] = OBJ_RANGE,   [CSP_FUNC] = OBJ_CLOSURE,
    [CSP_CHAN] = OBJ_CHAN,     [CSP_TASK] = OBJ_TASK,
    [CSP_ERROR] = OBJ_ERROR,   [CSP_GROUP] = OBJ_GROUP,
    [CSP_TIMER] = OBJ_TIMER,   [CSP_TUPLE] = OBJ_TUPLE,
    [CSP_MUTEX] = OBJ_MUTEX,   [CSP_SEMAPHORE] = OBJ_SEMAPHORE};

bool csp_register_methods(Csp *csp, CspType type,
                          const CspFunction *functions) {
  Vm *vm = csp_vm(csp);
  NativeRules rules = {.host = vm->natives_are_hosts, .methods = true};
  const CspFunction *function = functions;
  for (; (function = native_row(function, &rules)) != NULL; function++) {
    RT_ASSERT((size_t)type < sizeof type_objects / sizeof *type_objects);
    ObjType object = type_objects[type];
    const char *of = vm->type_names[object]->own;
    Value v = native_new(vm, of, function, &rules);
    ObjString *name = vm_intern(vm, function->name, strlen(function->name));
    if (v == VALUE_UNDEF || name == NULL || !vm_add_method(vm, object, name, v))
      return false;
  }
  return true;
}

static uint32_t count_functions(const CspFunction *functions) {
  uint32_t count = 0;
  while (functions != NULL && functions[count].name != NULL) count++;
  return count;
}

static bool add_method(Vm *vm, HostMethods *entry, const CspFunction *function,
                       const NativeRules *rules) {
  RT_ASSERT(function->fn != NULL);
  Value native = native_new(vm, entry->klass->name, function, rules);
  ObjString *name = vm_intern(vm, function->name, strlen(function->name));
  if (native == VALUE_UNDEF || name == NULL) return false;
  if (heap_pin(vm->heap, native) == 0) return false;
  entry->methods[entry->count++] = (Method){name, native};
  return true;
}

bool csp_register_class(Csp *csp, const CspClass *klass,
                        const CspFunction *functions) {
  Vm *vm = csp_vm(csp);
  if (host_methods_of(vm, klass) != NULL) return true;
  uint32_t count = count_functions(functions);
  HostMethods *entry =
      lasting_alloc(vm, sizeof *entry + count * sizeof(Method));
  if (entry == NULL) return false;
  entry->klass = (const HostClass *)(const void *)klass;
  NativeRules rules = {.host = vm->natives_are_hosts, .methods = true};
  const CspFunction *function = functions;
  for (; (function = native_row(function, &rules)) != NULL; function++) {
    if (!add_method(vm, entry, function, &rules)) return false;
  }
  entry->next = vm->host_methods;  // this thread alone adds to the list
  // release: publishes the entry. Pairs with the acquire in host_methods_of
  rt_store_release(&vm->host_methods, entry);
  return true;
}

bool csp_register_builtins(Csp *csp, const CspFunction *functions) {
  Vm *vm = csp_vm(csp);
  NativeRules rules = {.host = vm->natives_are_hosts};
  const CspFunction *function = functions;
  for (; (function = native_row(function, &rules)) != NULL; function++) {
    Value v = native_new(vm, NULL, function, &rules);
    ObjString *name = vm_intern(vm, function->name, strlen(function->name));
    if (v == VALUE_UNDEF || name == NULL ||
        map_set(vm->boot, vm->builtins, value_from_obj(name), v) != MAP_OK)
      return false;
  }
  return true;
}
