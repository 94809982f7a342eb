// SPDX-License-Identifier: MIT
// csp.h for instances of structs, methods as values, and ranges.
//
// Called by natives and by the host, as csp_call is. Names come as C strings,
// which are compared with the interned ones of the type. Making an instance
// runs the type's constructor only where a field's default must be computed.
#include "vm/interp/interp.h"

#define AS(Type, v) ((Type *)value_obj((v).word))

// --- Fields -----------------------------------------------------------------
static int field_index(const ObjStruct *type, const char *name) {
  for (int n = 0; n < type->obj.aux; n++)
    if (strcmp(type->fields[n]->data, name) == 0) return n;
  return -1;
}

bool csp_field(CspValue instance, const char *name, CspValue *value) {
  *value = csp_nil();
  if (!value_is_type(instance.word, OBJ_INSTANCE)) return false;
  ObjInstance *of = AS(ObjInstance, instance);
  int at = field_index(of->type, name);
  if (at < 0) return false;
  *value = csp_wrap(heap_load(&of->fields[at]));
  return true;
}

bool csp_set_field(CspCall *call, CspValue instance, const char *name,
                   CspValue value) {
  if (csp_is_undef(value)) return csp_panic_memory(call) == CSP_OK;
  const char *type = csp_type_name(instance);
  if (!value_is_type(instance.word, OBJ_INSTANCE)) {
    csp_panic(call, "cannot set field `%s` of %s", name, type);
    return false;
  }
  ObjInstance *of = AS(ObjInstance, instance);
  int at = field_index(of->type, name);
  if (at < 0) {
    csp_panic(call, "%s has no field `%s`", type, name);
    return false;
  }
  heap_store(&call->local->heap, &of->fields[at], value.word);
  return true;
}

// --- Instances --------------------------------------------------------------
enum { FIELDS_MAX = 256 };  // of a struct, as the compiler allows

// The arguments of a constructor; undef where none is given.
typedef struct Fields {
  Value values[FIELDS_MAX];
  int given;
} Fields;

static CspEnd refuse(CspCall *call, CspResult *result, const char *format,
                     const ObjStruct *type, const char *name) {
  Text text = {.memory = call->vm->memory};
  text_addf(&text, format, type->name->data, name);
  text_add(&text, "", 1);
  CspEnd end = host_failed(call, result, CSP_THREW,
                           text.failed ? "out of memory" : text.data);
  text_free(&text);
  return end;
}

// Puts the values into the places of their fields.
static CspEnd place_fields(CspCall *call, const ObjStruct *type, int count,
                           const CspValue *values, const char *const *names,
                           Fields *fields, CspResult *result) {
  bool named = false;
  for (int n = 0; n < type->obj.aux; n++) fields->values[n] = VALUE_UNDEF;
  for (int n = 0; n < count; n++) {
    const char *name = names != NULL ? names[n] : NULL;
    if (csp_is_undef(values[n]))
      return host_failed(call, result, CSP_THREW, "out of memory");
    if (name == NULL && named)
      return refuse(call, result, "%s: a value without a name follows `%s`",
                    type, names[n - 1]);
    int at = name != NULL ? field_index(type, name) : n;
    named = name != NULL;
    if (at < 0) return refuse(call, result, "%s has no field `%s`", type, name);
    if (at >= type->obj.aux)
      return refuse(call, result, "%s: more values than fields%s", type, "");
    if (fields->values[at] != VALUE_UNDEF)
      return refuse(call, result, "%s: field `%s` is given twice", type, name);
    fields->values[at] = values[n].word;
  }
  fields->given = count;
  return CSP_DONE;
}

static CspEnd make_whole(CspCall *call, ObjStruct *type, const Fields *fields,
                         CspResult *result) {
  size_t count = type->obj.aux;
  ObjInstance *made = (ObjInstance *)heap_alloc(
      &call->local->heap, sizeof *made + count * sizeof(Value), OBJ_INSTANCE);
  if (made == NULL)
    return host_failed(call, result, CSP_THREW, "out of memory");
  made->obj.aux = type->obj.aux;
  made->type = type;
  memcpy(made->fields, fields->values, count * sizeof(Value));
  result->count = 1;
  result->values[0] = csp_wrap(value_from_obj(made));
  return result->end = CSP_DONE;
}

CspEnd csp_new_struct(CspCall *call, CspValue type, int count,
                      const CspValue *values, const char *const *names,
                      CspResult *result) {
  if (!host_may_call(call, result)) return result->end;
  if (!value_is_type(type.word, OBJ_STRUCT))
    return host_failed(call, result, CSP_THREW,
                       "csp_new_struct needs a struct type");
  ObjStruct *of = AS(ObjStruct, type);
  Fields fields;
  fields.given = 0;  // for gcc, which else warns where all sources are one file
  if (of->obj.aux > FIELDS_MAX)
    return refuse(call, result, "%s has too many fields%s", of, "");
  CspEnd end = place_fields(call, of, count, values, names, &fields, result);
  if (end != CSP_DONE) return end;
  if (fields.given == of->obj.aux) return make_whole(call, of, &fields, result);
  return csp_call(call, type, of->obj.aux,
                  (const CspValue *)(const void *)fields.values, result);
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

bool csp_range_get(CspValue range, int64_t *from, int64_t *to,
                   bool *inclusive) {
  if (!value_is_type(range.word, OBJ_RANGE)) return false;
  const ObjRange *of = AS(ObjRange, range);
  *from = of->from;
  *to = of->to;
  *inclusive = of->inclusive;
  return true;
}

#undef AS
