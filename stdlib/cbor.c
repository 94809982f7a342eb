// SPDX-License-Identifier: MIT
// The module cbor: values as bytes (RFC 8949). The reader and the writer are in
// vm/api/cbor_read.c and vm/api/api_cbor.c, because hosts use them, too.
#include "stdlib/stdlib.h"

static CspStatus cbor_refused(CspCall *call, const char *code, char *why) {
  if (why == NULL) return csp_panic_memory(call);
  CspStatus status = csp_ok_coded(call, code, "cbor: %s", why);
  csp_alloc_free(why);
  return status;
}

// encode(value): (bytes, nil), or (nil, error).
static CspStatus cbor_encode(CspCall *call) {
  size_t len;
  char *error, *to;
  char *text =
      csp_alloc_to_cbor(call, csp_arg(call, 0), SIZE_MAX, &len, &error);
  if (text == NULL) return cbor_refused(call, "invalid", error);
  CspValue made = csp_bytes_room(call, len, &to);
  bool fine = !csp_is_undef(made) && long_copy(call, to, text, len);
  csp_alloc_free(text);
  return fine ? csp_ok_value(call, made) : csp_panic_memory(call);
}

static CspStatus decode_text(CspCall *call, Str data) {
  CspValue value;
  char *error;
  if (!csp_alloc_from_cbor(call, data.data, data.len, NULL, &value, &error))
    return cbor_refused(call, "syntax", error);
  return csp_ok_value(call, value);
}

// A copy, as other goroutines may change the bytes meanwhile.
static CspStatus decode_bytes(CspCall *call, CspValue bytes) {
  enum { PIECE = 1 << 16 };
  size_t len = csp_bytes_len(bytes), at = 0, got = 1;
  char *copy = room_alloc(call, len + 1, 1);
  if (copy == NULL) return csp_panic_memory(call);
  while (at < len && got > 0) {
    got = csp_bytes_read(bytes, at, copy + at,
                         len - at < PIECE ? len - at : (size_t)PIECE);
    at += got;
    if (!csp_work(call, 16 + got / 8)) got = 0;
  }
  // (A call that is to end has panicked, and csp_alloc_from_cbor gives up.)
  CspStatus status = decode_text(call, (Str){copy, at});
  csp_alloc_free(copy);
  return status;
}

// decode(data): (value, nil), or (nil, error) with the byte where it is wrong.
static CspStatus cbor_decode(CspCall *call) {
  CspValue data = csp_arg(call, 0);
  Str text;
  if (csp_type(data) == CSP_BYTES) return decode_bytes(call, data);
  if (csp_type(data) != CSP_STRING && csp_type(data) != CSP_NO_MEMORY)
    return csp_bad_arg(call, 0, "a string or bytes");
  return need_str(call, 0, &text) ? decode_text(call, text) : CSP_PANIC;
}

static const CspFunction cbor_functions[] = {
    CSP_REPEATABLE,
    {"encode", "value", cbor_encode},
    {"decode", "data", cbor_decode},
    {NULL, NULL, NULL},
};

const CspModule cbor_module = {"cbor", cbor_functions, NULL, NULL, 0};
