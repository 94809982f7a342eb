// SPDX-License-Identifier: MIT
// The order by which sort, min, max and binary_search go: that of <, with a
// place for NaN. And what unique asks. For natives of the runtime and of the
// library. The call's thread.
#ifndef CSP_VM_NATIVE_ORDER_H
#define CSP_VM_NATIVE_ORDER_H

#include "vm/csp.h"

// Of two values that are unordered.
int order_place_nan(CspCall *call, CspValue a, CspValue b, int nan);

// As csp_compare_on, but NaN comes before all other numbers (nan -1) or after
// them (1), also inside tuples. Two NaN are equal. 2 only if a host's values
// have no order, or without memory.
static inline int order_of(CspCall *call, CspValue a, CspValue b, int nan) {
  int order = csp_compare_on(call, a, b);
  return order == 2 ? order_place_nan(call, a, b, nan) : order;
}

// Panics about two values that have no order. Tuples are told by what they
// first differ in. A hidden native has the name of the method that it serves,
// after a
// `_`.
CspStatus order_refuse(CspCall *call, CspValue a, CspValue b);
// Whether it can be a key of a map.
bool order_is_key(CspValue v);

#endif
