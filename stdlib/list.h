// SPDX-License-Identifier: MIT
// What the files of the methods of lists show each other.
#ifndef CSP_STDLIB_LIST_H
#define CSP_STDLIB_LIST_H

#include "stdlib/loop.h"

static inline bool need_list(CspCall *call, int i, CspValue *out) {
  return csp_need_type(call, i, CSP_LIST, out);
}

// --- list_new.c: natives ----------------------------------------------------
CspStatus list_unique(CspCall *call);
CspStatus list_flatten(CspCall *call);
CspStatus list_zip(CspCall *call);
CspStatus list_enumerate(CspCall *call);
CspStatus list_chunk(CspCall *call);

#endif
