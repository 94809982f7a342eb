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
// The code of an error that has one, as a line of a report that begins with a
// newline. (None of the runtime's own errors: their messages say it.)
void error_print_code(Text *out, Vm *vm, const ObjError *error);

#endif
