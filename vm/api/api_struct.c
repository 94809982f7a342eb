// SPDX-License-Identifier: MIT
// csp.h for instances of structs, methods as values, and ranges.
//
// Called by natives and by the host, as csp_call is. Names come as C strings,
// which are compared with the interned ones of the type.
#include "vm/interp/access.h"
#include "vm/interp/method_tables.h"
#include "vm/interp/native_call.h"
#include "vm/object/range.h"
#include "vm/object/string.h"

#define AS(Type, v) ((Type *)value_obj((v).word))

// --- Fields -----------------------------------------------------------------
bool csp_field(CspValue instance, const char *name, CspValue *value) {
  *value = csp_nil();
  if (!value_is_type(instance.word, OBJ_INSTANCE)) return false;
  ObjInstance *of = AS(ObjInstance, instance);
  int at = struct_field(of->type, name);
  if (at < 0) return false;
  *value = csp_wrap(heap_load(&of->fields[at]));
  return true;
}

const char *csp_field_at(CspValue v, int at, CspValue *value) {
  *value = csp_nil();
  bool instance = value_is_type(v.word, OBJ_INSTANCE);
  if (!instance && !value_is_type(v.word, OBJ_STRUCT)) return NULL;
  const ObjStruct *type =
      instance ? AS(ObjInstance, v)->type : AS(ObjStruct, v);
  if (at < 0 || at >= type->obj.aux) return NULL;
  if (instance) *value = csp_wrap(heap_load(&AS(ObjInstance, v)->fields[at]));
  return string_data(type->fields[at]);
}

bool csp_set_field(CspCall *call, CspValue instance, const char *name,
                   CspValue value) {
  if (csp_is_undef(value) || csp_is_undef(instance))
    return csp_panic_memory(call) == CSP_OK;
  const char *type = csp_type_name(instance);
  if (!value_is_type(instance.word, OBJ_INSTANCE)) {
    csp_panic(call, "cannot set field `%s` of %s", name, type);
    return false;
  }
  ObjInstance *of = AS(ObjInstance, instance);
  int at = struct_field(of->type, name);
  if (at < 0) {
    csp_panic(call, "%s has no field `%s`", type, name);
    return false;
  }
  heap_store(&call->local->heap, &of->fields[at], value.word);
  return true;
}

// --- Methods, ranges --------------------------------------------------------
bool csp_method(CspCall *call, CspValue v, const char *name, CspValue *method) {
  *method = csp_nil();
  ObjString *key = string_new(call->local, name, strlen(name));
  if (key == NULL) *method = csp_wrap(VALUE_UNDEF);
  Value function =
      key != NULL ? access_find_method(call->vm, v.word, key) : VALUE_UNDEF;
  if (function == VALUE_UNDEF) return false;
  if (value_is_type(v.word, OBJ_STRUCT)) {
    *method = csp_wrap(function);
    return true;
  }
  ObjBound *bound =
      (ObjBound *)heap_alloc(&call->local->heap, sizeof *bound, OBJ_BOUND);
  *method = csp_wrap(bound != NULL ? value_from_obj(bound) : VALUE_UNDEF);
  if (bound == NULL) return false;
  bound->receiver = v.word;
  bound->function = function;
  return true;
}

bool csp_range_get(CspValue range, int64_t *from, int64_t *to, bool *inclusive,
                   int64_t *step) {
  if (!value_is_type(range.word, OBJ_RANGE)) return false;
  const ObjRange *of = AS(ObjRange, range);
  *from = of->from;
  *to = of->to;
  *inclusive = range_is_inclusive(of);
  *step = of->step;
  return true;
}

#undef AS
