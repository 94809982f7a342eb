// SPDX-License-Identifier: MIT
// What a native module gives to a module of the library. tls and zlib give
// themselves to http, and dns gives lookups of names to net.
#ifndef CSP_STDLIB_GIVEN_H
#define CSP_STDLIB_GIVEN_H

#include "stdlib/stdlib.h"

// The state of a class that the module registers, for given_set and given_get.
typedef struct GivenValue {
  CspHandle handle;  // atomic: 0 for none. It does not change after that
} GivenValue;

// --- given.c ----------------------------------------------------------------
// The first value is kept. The native has no result.
CspStatus given_set(CspCall *call, const CspClass *klass, CspValue v);
// The native's result is that value, or nil.
CspStatus given_get(CspCall *call, const CspClass *klass);

#endif
