// SPDX-License-Identifier: MIT
// csp.h: making instances of structs. The type's constructor runs only where a
// field's default must be computed.
#include "vm/interp/method_tables.h"
#include "vm/interp/native_call.h"
#include "vm/object/value_text.h"
#include "vm/runtime/api_call.h"
#include "vm/runtime/runtime.h"

enum { FIELDS_MAX = 256 };  // of a struct, as the compiler allows

// The arguments of a constructor; undef where none is given.
typedef struct Fields {
  Value values[FIELDS_MAX];
  // What the host gave: `count` values, and their names, or NULL.
  int count;
  const CspValue *given;
  const char *const *names;
} Fields;

static CspEnd refuse(CspCall *call, CspResult *result, const char *format,
                     const ObjStruct *type, const char *name) {
  Text text = {.memory = call->vm->memory};
  text_addf(&text, format, type->name->own, name);
  text_add(&text, "", 1);
  CspEnd end = host_failed(call, result, CSP_THREW,
                           text.failed ? "out of memory" : text.data);
  text_free(&text);
  return end;
}

// Puts the values into the places of their fields.
static CspEnd place_fields(CspCall *call, const ObjStruct *type, Fields *fields,
                           CspResult *result) {
  const char *const *names = fields->names;
  bool named = false;
  for (int n = 0; n < type->obj.aux; n++) fields->values[n] = VALUE_UNDEF;
  for (int n = 0; n < fields->count; n++) {
    const char *name = names != NULL ? names[n] : NULL;
    if (csp_is_undef(fields->given[n]))
      return host_failed(call, result, CSP_THREW, "out of memory");
    if (name == NULL && named)
      return refuse(call, result, "%s: a value without a name follows `%s`",
                    type, names[n - 1]);
    int at = name != NULL ? struct_field(type, name) : n;
    named = name != NULL;
    if (at < 0) return refuse(call, result, "%s has no field `%s`", type, name);
    if (at >= type->obj.aux)
      return refuse(call, result, "%s: more values than fields%s", type, "");
    if (fields->values[at] != VALUE_UNDEF)
      return refuse(call, result, "%s: field `%s` is given twice", type, name);
    fields->values[at] = fields->given[n].word;
  }
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
  ObjStruct *of = (ObjStruct *)value_obj(type.word);
  Fields fields;
  fields.count = count;
  fields.given = values;
  fields.names = names;
  if (of->obj.aux > FIELDS_MAX)
    return refuse(call, result, "%s has too many fields%s", of, "");
  CspEnd end = place_fields(call, of, &fields, result);
  if (end != CSP_DONE) return end;
  if (count == of->obj.aux) return make_whole(call, of, &fields, result);
  return csp_call(call, type, of->obj.aux,
                  (const CspValue *)(const void *)fields.values, result);
}
