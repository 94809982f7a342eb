// SPDX-License-Identifier: MIT
// Ints and floats as values. Those that do not fit into a value's word are
// boxed in the heap, so making a value may fail for want of memory.
#ifndef CSP_VM_OBJECT_BOX_H
#define CSP_VM_OBJECT_BOX_H

#include "vm/heap/local.h"

// VALUE_UNDEF: out of memory.
Value value_box_int(Local *local, int64_t i);
Value value_box_float(Local *local, double d);
static inline Value value_from_int(Local *local, int64_t i) {
  return __builtin_expect(int_fits_small(i), 1) ? value_from_small(i)
                                                : value_box_int(local, i);
}
static inline Value value_from_float(Local *local, double d) {
  Value v;
  return __builtin_expect(value_try_from_small_float(d, &v), 1)
             ? v
             : value_box_float(local, d);
}
static inline bool value_is_int(Value v) {
  return value_is_small(v) || value_is_type(v, OBJ_INT);
}
static inline int64_t value_int(Value v) {
  return value_is_small(v) ? value_small(v) : ((ObjInt *)value_obj(v))->value;
}
static inline bool value_to_int(Value v, int64_t *out) {
  if (__builtin_expect(value_is_small(v), 1)) {
    *out = value_small(v);
    return true;
  }
  if (!value_is_type(v, OBJ_INT)) return false;
  *out = ((ObjInt *)value_obj(v))->value;
  return true;
}
static inline __attribute__((always_inline)) bool value_try_from_int(
    Local *local, int64_t i, Value *out) {
  *out = value_from_small(i);
  if (__builtin_expect(value_small(*out) == i, 1)) return true;
  ObjInt *box = (ObjInt *)heap_try_alloc(&local->heap, sizeof *box, OBJ_INT);
  if (box == NULL) return false;
  box->value = i;
  *out = value_from_obj(box);
  return true;
}
static inline bool value_is_float(Value v) {
  return value_is_small_float(v) || value_is_type(v, OBJ_FLOAT);
}
static inline double value_float(Value v) {
  return value_is_small_float(v) ? value_small_float(v)
                                 : ((ObjFloat *)value_obj(v))->value;
}
// A float, or a small int: the slow path does the other ints.
static inline bool value_try_number(Value v, double *out) {
  if (value_is_float(v)) {
    *out = value_float(v);
  } else {
    *out = (double)value_small(v);
    return value_is_small(v);
  }
  return true;
}
// The word of d, which may be zero: all share its box, which is made before any
// code runs. false: d must be boxed.
static inline bool value_try_from_float(const Vm *vm, double d, Value *out) {
  if (__builtin_expect(value_try_from_small_float(d, out), 1)) return true;
  if (*out != 0) return false;  // 0.0's bits, but not -0.0's
  *out = value_from_obj(vm->float_zero);
  return true;
}
static inline bool value_is_number(Value v) {
  return value_is_int(v) || value_is_float(v);
}

#endif
