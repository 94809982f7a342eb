// SPDX-License-Identifier: MIT
// What an error is, for the whole VM.
#ifndef CSP_VM_OBJECT_ERROR_H
#define CSP_VM_OBJECT_ERROR_H

#include "vm/object/value_text.h"
#include "vm/value/object.h"

// Whether v is an instance whose struct has a method `error` that needs no
// argument.
static inline bool value_is_struct_error(Value v) {
  return value_is_type(v, OBJ_INSTANCE) &&
         heap_load(&((ObjInstance *)value_obj(v))->type->error_method) !=
             VALUE_NIL;
}
// Whether v is an error: of the type `error`, or such an instance.
static inline bool value_is_error(Value v) {
  return value_is_type(v, OBJ_ERROR) || value_is_struct_error(v);
}
// The cause of an error. Of an instance it is its field `cause`. nil: none.
Value error_cause(Value error);
// The list of errors of deferred calls that it carries, or nil.
static inline Value error_also(Value v) {
  return value_is_type(v, OBJ_ERROR)
             ? heap_load(&((ObjError *)value_obj(v))->also)
             : VALUE_NIL;
}
// Whether others may have the same error, so that it cannot carry what belongs
// to one failure.
static inline bool error_is_shared(const ObjError *error) {
  return (error->obj.flags & (ERROR_PLAIN | ERROR_COPY)) == ERROR_PLAIN;
}
// The one of which it is a copy, or itself.
static inline const ObjError *error_origin(const ObjError *error) {
  return error->obj.flags & ERROR_COPY ? error->origin : error;
}
// NULL: none.
static inline ObjRaw *error_places(const ObjError *error) {
  return error->obj.flags & ERROR_COPY ? NULL : heap_load(&error->places);
}
// The code of an error that has one, as a line of a report that begins with a
// newline. (None of the runtime's own errors: their messages say it.)
void error_print_code(Text *out, Vm *vm, const ObjError *error,
                      const char *indent);

#endif
