// SPDX-License-Identifier: MIT
// The order by which sort, min, max and binary_search go.
#include "vm/native/order.h"

#include "vm/interp/native_call.h"
#include "vm/object/compare.h"
#include "vm/object/map.h"
#include "vm/object/value_text.h"

int order_place_nan(CspCall *call, CspValue a, CspValue b, int nan) {
  if (call->local == NULL) return 0;
  return value_place_nan(call->local, a.word, b.word, nan);
}

CspStatus order_refuse(CspCall *call, CspValue a, CspValue b) {
  const char *name = csp_name(call);
  if (*name == '_') name++;
  char where[DIFFERENCE_SIZE];
  value_say_difference(a.word, b.word, where);
  return csp_panic(call, "%s: cannot order %s and %s%s", name, csp_type_name(a),
                   csp_type_name(b), where);
}

bool order_is_key(CspValue v) { return map_is_key(v.word); }
