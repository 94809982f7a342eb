// SPDX-License-Identifier: MIT
// Values of the session by name, for completion and help.
//
// By a thread with a P, between two goroutines or in a native. Nothing is
// allocated, and no method is called.
#include <string.h>

#include "cli/repl_internal.h"
#include "vm/object/map.h"

// The value of a map's string key, or a module's member.
static bool find_key(Vm *vm, const ObjMap *map, const char *name, size_t len,
                     Value *out) {
  uint64_t at = 0;
  Value key;
  const ObjTable *table = heap_load(&map->table);
  while (map_next(vm, map, table, &at, &key, out)) {
    if (!value_is_type(key, OBJ_STRING)) continue;
    const ObjString *string = (ObjString *)value_obj(key);
    if (string->len == len && memcmp(string_data(string), name, len) == 0)
      return true;
  }
  return false;
}

static bool find_member(Vm *vm, const ObjModule *module, const char *name,
                        size_t len, Value *out) {
  Value cell;
  if (!find_key(vm, module->members, name, len, &cell)) return false;
  *out = heap_load(&((ObjCell *)value_obj(cell))->value);
  return *out != VALUE_UNDEF;
}

static bool find_field(Vm *vm, Value x, const char *name, size_t len,
                       Value *out) {
  if (value_is_type(x, OBJ_MODULE))
    return find_member(vm, (ObjModule *)value_obj(x), name, len, out);
  if (value_is_type(x, OBJ_MAP))
    return find_key(vm, (ObjMap *)value_obj(x), name, len, out);
  if (!value_is_type(x, OBJ_INSTANCE)) return false;
  const ObjInstance *instance = (ObjInstance *)value_obj(x);
  for (int n = 0; n < instance->type->obj.aux; n++) {
    const ObjString *field = instance->type->fields[n];
    if (field->len != len || memcmp(field->own, name, len) != 0) continue;
    *out = heap_load(&instance->fields[n]);
    return true;
  }
  return false;
}

static size_t part_length(const char *path, const char *end) {
  const char *point = memchr(path, '.', (size_t)(end - path));
  return (size_t)((point != NULL ? point : end) - path);
}

bool lookup_builtin(const Repl *repl, const char *name, size_t len,
                    Value *out) {
  return find_key(repl->vm, repl->vm->builtins, name, len, out);
}

bool lookup_path(const Repl *repl, const char *path, size_t len, Value *out) {
  const char *at = path, *end = path + len;
  size_t part = part_length(at, end);
  Vm *vm = repl->vm;
  if (!find_member(vm, repl->session.module, at, part, out) &&
      !lookup_builtin(repl, at, part, out))
    return false;
  for (at += part; at < end; at += part) {
    at++;
    part = part_length(at, end);
    if (!find_field(vm, *out, at, part, out)) return false;
  }
  return true;
}

bool lookup_is_own(const Repl *repl, const char *path, size_t len) {
  Value v;
  return find_member(repl->vm, repl->session.module, path,
                     part_length(path, path + len), &v);
}
