// SPDX-License-Identifier: MIT
// Numbers that do not fit a value's word, and ints against floats.
#include <math.h>

#include "vm/vm.h"

Value value_box_int(Local *local, int64_t i) {
  if (int_fits_small(i)) return value_from_small(i);
  ObjInt *box = (ObjInt *)heap_alloc(&local->heap, sizeof *box, OBJ_INT);
  if (!box) return VALUE_UNDEF;
  box->value = i;
  return value_from_obj(box);
}

// The box that all share, or NULL (also while booting).
static ObjFloat *shared_float(const Vm *vm, double d) {
  if (d == 0) return signbit(d) ? vm->float_neg_zero : vm->float_zero;
  if (isnan(d)) return vm->float_nan;
  if (isinf(d)) return d > 0 ? vm->float_inf : vm->float_neg_inf;
  return NULL;
}

Value value_box_float(Local *local, double d) {
  Value v;
  if (value_try_flo(d, &v)) return v;
  if (d == 0 && local->vm->float_zero != NULL)
    return value_from_obj(signbit(d) ? local->vm->float_neg_zero
                                     : local->vm->float_zero);
  ObjFloat *box = shared_float(local->vm, d);
  if (!box) {
    box = (ObjFloat *)heap_alloc(&local->heap, sizeof *box, OBJ_FLOAT);
    if (!box) return VALUE_UNDEF;
    box->value = d;
  }
  return value_from_obj(box);
}

int number_compare(int64_t i, double d) {
  if (isnan(d)) return 2;
  if (d >= 0x1p63) return -1;
  if (d < -0x1p63) return 1;
  int64_t whole = (int64_t)d;  // towards zero
  if (i != whole) return i < whole ? -1 : 1;
  double rest = d - (double)whole;  // exact
  return rest > 0 ? -1 : rest < 0 ? 1 : 0;
}
