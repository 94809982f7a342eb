// SPDX-License-Identifier: MIT
// Methods by name, of built-in types and of hosts' classes, and predeclared
// functions.
//
// All of them are registered at boot or while compiling; after that the tables
// are read by all threads. Classes are also registered while others read, when
// a session imports their module.
#include "vm/interp/method_tables.h"
#include "vm/heap/local.h"
#include "vm/object/map.h"
#include "vm/object/string.h"

enum { BUILTIN_NAME_MAX = 64 };
enum { TABLE_STEP = 16 };  // methods for which a table gets room at a time

// --- Methods of built-in types ----------------------------------------------
bool vm_add_method(Vm *vm, ObjType type, ObjString *name, Value function) {
  RT_ASSERT(type < OBJ_TYPE_COUNT && name->obj.type == OBJ_STRING);
  MethodTable *old = vm->methods[type];
  uint32_t count = old != NULL ? old->count : 0;
  for (uint32_t n = 0; n < count; n++) {
    if (old->methods[n].name != name) continue;
    old->methods[n].function = function;
    return true;
  }
  MethodTable *table = old;
  if (count % TABLE_STEP == 0)
    table = mem_resize(vm->memory, old,
                       sizeof *table + (count + TABLE_STEP) * sizeof(Method));
  if (table == NULL) return false;
  table->methods[count] = (Method){name, function};
  table->count = count + 1;
  vm->methods[type] = table;
  return true;
}

Value vm_method(Vm *vm, ObjType type, const ObjString *name) {
  RT_ASSERT(type < OBJ_TYPE_COUNT);
  const MethodTable *table = vm->methods[type];
  for (uint32_t n = 0; table != NULL && n < table->count; n++)
    if (table->methods[n].name == name) return table->methods[n].function;
  return VALUE_UNDEF;
}

// --- Methods of hosts' classes -----------------------------------------------
HostMethods *host_methods_of(const Vm *vm, const void *klass) {
  // acquire: pairs with the release in csp_register_class, as a session may
  // import a module while goroutines run
  HostMethods *entry = rt_load_acquire(&vm->host_methods);
  while (entry != NULL && (const void *)entry->klass != klass)
    entry = entry->next;
  return entry;
}

Value host_method(Vm *vm, const HostClass *klass, const ObjString *name) {
  HostMethods *entry = host_methods_of(vm, klass);
  if (entry == NULL) return VALUE_UNDEF;
  for (uint32_t i = 0; i < entry->count; i++) {
    const ObjString *own = entry->methods[i].name;
    if (own == name || string_equal(own, name)) {
      return entry->methods[i].function;
    }
  }
  return VALUE_UNDEF;
}

void host_each_method(Vm *vm, const HostClass *klass,
                      void (*fn)(void *arg, const char *name), void *arg) {
  HostMethods *entry = host_methods_of(vm, klass);
  for (uint32_t i = 0; entry != NULL && i < entry->count; i++) {
    fn(arg, entry->methods[i].name->own);
  }
}

// --- Predeclared functions --------------------------------------------------
Value vm_builtin(Local *local, const char *name) {
  // A key without memory of the heap: for the call only.
  union {
    _Alignas(16) ObjString string;  // as all objects
    char room[sizeof(ObjString) + BUILTIN_NAME_MAX];
  } key;
  size_t len = strlen(name);
  if (len >= BUILTIN_NAME_MAX) return VALUE_UNDEF;
  key.string.obj = (Obj){.type = OBJ_STRING};
  key.string.len = (uint32_t)len;
  key.string.at = STRING_OWN;
  memcpy(key.room + offsetof(ObjString, own), name, len + 1);
  Value v;
  if (!map_get(local->vm, local->vm->builtins, value_from_obj(&key), &v))
    return VALUE_UNDEF;
  return v;
}

// --- Fields of structs ------------------------------------------------------
int struct_field(const ObjStruct *type, const char *name) {
  for (int n = 0; n < type->obj.aux; n++)
    if (strcmp(type->fields[n]->own, name) == 0) return n;
  return -1;
}
