// SPDX-License-Identifier: MIT
// What both directions of CBOR (RFC 8949) share: api_cbor.c, cbor_read.c.
#ifndef CSP_VM_API_CBOR_H
#define CSP_VM_API_CBOR_H

#include "vm/csp.h"

// Lists and maps in one another, in either direction.
enum { CBOR_DEPTH = 1000 };

// The major types: the upper 3 bits of an item's first byte.
enum {
  CBOR_UINT,
  CBOR_NEGATIVE,
  CBOR_BYTES,
  CBOR_TEXT,
  CBOR_LIST,
  CBOR_MAP,
  CBOR_TAG,
  CBOR_SIMPLE,
};

// The lower 5 bits: up to 23 the argument itself, or what follows.
enum {
  CBOR_FALSE = 20,
  CBOR_TRUE = 21,
  CBOR_NIL = 22,
  CBOR_UNDEFINED = 23,
  CBOR_IN_1 = 24,
  CBOR_IN_2 = 25,  // of CBOR_SIMPLE: a float of 16 bits
  CBOR_IN_4 = 26,
  CBOR_IN_8 = 27,
  CBOR_INDEFINITE = 31,  // of CBOR_SIMPLE: the end of such a list, map, string
};

// Long strings are looked at and copied in pieces, which are charged.
enum { CBOR_PIECE = 1 << 14 };
// So much work (csp_work) is charged at once.
enum { CBOR_LOOK = 2000 };
// The length of the next part of a text, which ends where no sequence goes on.
size_t cbor_part(const char *data, size_t len);

#endif
