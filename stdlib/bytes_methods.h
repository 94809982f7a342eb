// SPDX-License-Identifier: MIT
// What the files of the module bytes show each other.
#ifndef CSP_STDLIB_BYTES_METHODS_H
#define CSP_STDLIB_BYTES_METHODS_H

#include "stdlib/pieces_loop.h"

enum { BYTES_BLOCK = 1024 };  // bytes that are copied out at a time

// --- bytes_methods.c --------------------------------------------------------
// Argument i is a piece: bytes, a string, or an int of one byte. The value is
// not copied: source_at reads it block by block.
bool need_source(CspCall *call, int i, CspValue *value, size_t *len);
// The bytes from `at` on, where they are or in `block`. Those that somebody has
// cut off meanwhile are zeros.
const uint8_t *source_at(CspValue v, size_t at, uint8_t *block, size_t count);

// --- bytes_text.c -----------------------------------------------------------
CspStatus bytes_to_string(CspCall *call);
CspStatus bytes_hex(CspCall *call);
CspStatus bytes_from_hex(CspCall *call);
CspStatus bytes_base64(CspCall *call);
CspStatus bytes_from_base64(CspCall *call);

#endif
