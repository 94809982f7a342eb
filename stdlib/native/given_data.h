// SPDX-License-Identifier: MIT
// What native modules share that go through a string or bytes piece by piece.
#ifndef CSP_STDLIB_NATIVE_GIVEN_DATA_H
#define CSP_STDLIB_NATIVE_GIVEN_DATA_H

#include "vm/csp.h"

// An argument. The native keeps `value`, which stands first for that.
typedef struct GivenData {
  CspValue value;
  const char *text;  // of a string; or NULL
  size_t at, len;    // how much was taken
} GivenData;

// Argument i, a string or bytes. false: the call has panicked.
bool data_need(CspCall *call, int i, GivenData *data);
// The next piece of at most `most` bytes, in place or in `copy`, which has room
// for so many. Others may cut bytes meanwhile, so that `len` shrinks. 0: that
// was all.
size_t data_next(GivenData *data, size_t most, unsigned char *copy,
                 const unsigned char **piece);

#endif
