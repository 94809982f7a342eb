// SPDX-License-Identifier: MIT
// What the files of the methods of lists show each other.
#ifndef CSP_STDLIB_LIST_METHODS_H
#define CSP_STDLIB_LIST_METHODS_H

#include "stdlib/pieces_loop.h"

static inline bool need_list(CspCall *call, int i, CspValue *out) {
  return csp_need_type(call, i, CSP_LIST, out);
}

// Of what only reads: a tuple will do.
static inline bool need_items(CspCall *call, int i, CspValue *out) {
  *out = csp_arg(call, i);
  if (csp_type(*out) == CSP_TUPLE) return true;
  return need_list(call, i, out);
}

// --- list_new.c: natives ----------------------------------------------------
CspStatus list_unique(CspCall *call);
CspStatus list_flatten(CspCall *call);
CspStatus list_zip(CspCall *call);
CspStatus list_enumerate(CspCall *call);
CspStatus list_chunk(CspCall *call);

#endif
