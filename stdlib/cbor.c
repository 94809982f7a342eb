// SPDX-License-Identifier: MIT
// The module cbor: values as bytes (RFC 8949). The reader and the writer are in
// vm/api/cbor_read.c and vm/api/api_cbor.c, because hosts use them, too.
#include "stdlib/stdlib.h"

// encode(value): (bytes, nil), or (nil, error).
static CspStatus cbor_encode(CspCall *call) {
  return csp_ok_to_cbor(call, csp_arg(call, 0));
}

// decode(data): (value, nil), or (nil, error) with the byte where it is wrong.
static CspStatus cbor_decode(CspCall *call) {
  CspValue data = csp_arg(call, 0);
  CspType type = csp_type(data);
  if (type == CSP_NO_MEMORY) return csp_panic_memory(call);
  if (type != CSP_STRING && type != CSP_BYTES)
    return csp_bad_arg(call, 0, "a string or bytes");
  return csp_ok_from_cbor(call, data);
}

static const CspFunction cbor_functions[] = {
    CSP_REPEATABLE,
    {"encode", "value", cbor_encode},
    {"decode", "data", cbor_decode},
    {NULL, NULL, NULL},
};

const CspModule cbor_module = {"cbor", cbor_functions, NULL, NULL, 0};
