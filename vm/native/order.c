// SPDX-License-Identifier: MIT
// The order by which sort, min and max go.
#include "vm/native/order.h"

#include "vm/interp/native_call.h"
#include "vm/object/compare.h"

int order_place_nan(CspCall *call, CspValue a, CspValue b, int nan) {
  if (call->local == NULL) return 0;
  return value_place_nan(call->local, a.word, b.word, nan);
}
