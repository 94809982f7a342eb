// SPDX-License-Identifier: MIT
// Numbers that do not fit into a value's word: they are boxed in the heap.
#include "vm/object/box.h"

#include <math.h>

#include "vm/heap/local.h"
#include "vm/heap/span.h"

// The box that all share, or NULL (also while booting).
static ObjFloat *shared_float(const Vm *vm, double d) {
  if (d == 0) return signbit(d) ? vm->float_neg_zero : vm->float_zero;
  if (isnan(d)) return vm->float_nan;
  if (isinf(d)) return d > 0 ? vm->float_inf : vm->float_neg_inf;
  return NULL;
}

Value value_box_int(Local *local, int64_t i) {
  if (int_fits_small(i)) return value_from_small(i);
  ObjInt *box = (ObjInt *)heap_alloc(&local->heap, sizeof *box, OBJ_INT);
  if (box == NULL) return VALUE_UNDEF;
  RT_ASSERT(heap_size_of(box) == sizeof *box);
  box->value = i;
  return value_from_obj(box);
}

Value value_box_float(Local *local, double d) {
  Value v;
  if (value_try_from_small_float(d, &v)) return v;
  if (d == 0 && local->vm->float_zero != NULL)
    return value_from_obj(signbit(d) ? local->vm->float_neg_zero
                                     : local->vm->float_zero);
  ObjFloat *box = shared_float(local->vm, d);
  if (box == NULL) {
    box = (ObjFloat *)heap_alloc(&local->heap, sizeof *box, OBJ_FLOAT);
    if (box == NULL) return VALUE_UNDEF;
    box->value = d;
  }
  return value_from_obj(box);
}
