// SPDX-License-Identifier: MIT
// The usual cases of small natives, and of C functions of one number
// (CSP_REAL), without the record of the call (CspCall) that costs more than
// they do.
//
// A quick form gets the arguments and answers with the one result, or with
// false: then it has changed nothing, and the native itself is called, which
// does the same in all cases. It may allocate, and neither panics nor blocks.
#include "vm/builtins.h"

static bool quick_len(Local *l, const NativeDef *def, const Value *args,
                      int argc, Value *out) {
  (void)l, (void)def;
  if (argc != 1 || !value_is_obj(args[0])) return false;
  const Obj *obj = value_obj(args[0]);
  switch (obj->type) {
    case OBJ_LIST:
      *out = value_from_small(
          (int64_t)values_len(list_block((const ObjList *)obj)));
      return true;
    case OBJ_STRING:
      *out = value_from_small((int64_t)((const ObjString *)obj)->len);
      return true;
    case OBJ_MAP:
      *out = value_from_small((int64_t)map_len((const ObjMap *)obj));
      return true;
    case OBJ_BYTES:
      *out = value_from_small(
          (int64_t)raw_len(bytes_block((const ObjBytes *)obj)));
      return true;
    default:
      return false;
  }
}

static bool quick_push(Local *l, const NativeDef *def, const Value *args,
                       int argc, Value *out) {
  (void)def;
  if (argc != 2 || !value_is_type(args[0], OBJ_LIST)) return false;
  if (!list_push(l, (ObjList *)value_obj(args[0]), args[1])) return false;
  *out = args[0];
  return true;
}

static bool quick_min(Local *l, const NativeDef *def, const Value *args,
                      int argc, Value *out) {
  (void)l, (void)def;
  if (argc != 2 || !value_both_small(args[0], args[1])) return false;
  *out = (int64_t)args[1] < (int64_t)args[0] ? args[1] : args[0];
  return true;
}

static bool quick_max(Local *l, const NativeDef *def, const Value *args,
                      int argc, Value *out) {
  (void)l, (void)def;
  if (argc != 2 || !value_both_small(args[0], args[1])) return false;
  *out = (int64_t)args[1] > (int64_t)args[0] ? args[1] : args[0];
  return true;
}

static bool quick_float(Local *l, const NativeDef *def, const Value *args,
                        int argc, Value *out) {
  (void)l, (void)def;
  return argc == 1 && value_is_small(args[0]) &&
         value_try_flo((double)value_small(args[0]), out);
}

static bool quick_real(Local *l, const NativeDef *def, const Value *args,
                       int argc, Value *out) {
  (void)l;
  if (argc != 1) return false;
  if (value_is_flo(args[0]))
    return value_try_flo(def->real(value_flo(args[0])), out);
  return value_is_small(args[0]) &&
         value_try_flo(def->real((double)value_small(args[0])), out);
}

QuickFn quick_form(const NativeDef *def) {
  static const struct {
    CspFn fn;
    QuickFn quick;
  } forms[] = {{builtin_len, quick_len},
               {builtin_push, quick_push},
               {builtin_min, quick_min},
               {builtin_max, quick_max},
               {builtin_float, quick_float}};
  if (def->real != NULL) return quick_real;
  for (size_t n = 0; n < sizeof forms / sizeof *forms; n++)
    if (forms[n].fn == def->fn) return forms[n].quick;
  return NULL;
}
