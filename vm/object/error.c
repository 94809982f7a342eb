// SPDX-License-Identifier: MIT
// Errors: those of the type `error`, and instances of structs with a method
// `error`. Any thread that holds the value.
#include "vm/object/error.h"

#include <string.h>

Value error_cause(Value error) {
  if (value_is_type(error, OBJ_ERROR))
    return heap_load(&((ObjError *)value_obj(error))->cause);
  if (!value_is_struct_error(error)) return VALUE_NIL;
  const ObjInstance *instance = (const ObjInstance *)value_obj(error);
  for (int n = 0; n < instance->obj.aux; n++) {
    if (strcmp(instance->type->fields[n]->own, "cause") == 0)
      return heap_load(&instance->fields[n]);
  }
  return VALUE_NIL;
}

void error_print_code(Text *out, Vm *vm, const ObjError *error,
                      const char *indent) {
  enum { SHOWN = 60 };
  Value code = heap_load(&error->code);
  if (code == VALUE_NIL || (error->obj.flags & ERROR_SHARED)) return;
  Text part = {.memory = vm->memory, .most = SHOWN, .cuts = true};
  format_value(&part, vm, code, true);
  text_addf(out, "\n%scode: ", indent);
  if (part.data != NULL) text_add(out, part.data, part.len);
  if (part.full) text_addf(out, "...");
  if (part.failed && !part.full) out->failed = true;
  text_free(&part);
}
