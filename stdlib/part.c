// SPDX-License-Identifier: MIT
// The method `part` of strings, lists and bytes. It gives a slice, and its
// bounds may be beyond the ends. The arguments are checked here, so that a
// panic names the function. The copy is made by the VM's own slices.
#include "stdlib/stdlib.h"

static CspStatus part_of(CspCall *call, CspType type) {
  Str text;
  CspValue of = csp_arg(call, 0);
  int64_t from, to;
  bool fits = type == CSP_STRING ? need_view(call, 0, &text)
                                 : csp_need_type(call, 0, type, &of);
  if (!fits || !csp_need_int(call, 1, &from) || !opt_int(call, 2, 0, &to)) {
    return CSP_PANIC;
  }
  CspValue argv[3] = {of, csp_arg(call, 1), csp_arg(call, 2)};
  return csp_tail_named(call, "_part", 3, argv);
}

CspStatus part_of_string(CspCall *call) { return part_of(call, CSP_STRING); }

CspStatus part_of_list(CspCall *call) { return part_of(call, CSP_LIST); }

CspStatus part_of_tuple(CspCall *call) { return part_of(call, CSP_TUPLE); }

CspStatus part_of_bytes(CspCall *call) { return part_of(call, CSP_BYTES); }
