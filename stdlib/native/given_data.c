// SPDX-License-Identifier: MIT
// What native modules share that go through a string or bytes piece by piece.
// The native that was given the string or bytes calls these functions.
#include "stdlib/native/given_data.h"

bool data_need(CspCall *call, int i, GivenData *data) {
  CspValue v = csp_arg(call, i);
  CspType type = csp_type(v);
  *data = (GivenData){.value = v};
  if (type == CSP_BYTES) {
    data->len = csp_bytes_len(v);
    return true;
  }
  if (type == CSP_STRING) data->text = csp_to_string(v, &data->len);
  if (data->text != NULL) return true;
  if (type == CSP_NO_MEMORY || type == CSP_STRING)
    csp_panic_memory(call);
  else
    csp_bad_arg(call, i, "a string or bytes");
  return false;
}

size_t data_next(GivenData *data, size_t most, unsigned char *copy,
                 const unsigned char **piece) {
  size_t count = data->len - data->at;
  if (count > most) count = most;
  if (data->text != NULL) {
    *piece = (const unsigned char *)data->text + data->at;
  } else {
    size_t there = csp_bytes_read(data->value, data->at, copy, count);
    if (there < count) data->len = data->at + there;
    count = there;
    *piece = copy;
  }
  data->at += count;
  return count;
}
