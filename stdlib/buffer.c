// SPDX-License-Identifier: MIT
// Text that grows: for natives that do not know a result's length beforehand.
// Belongs to one native call.
#include <stdlib.h>
#include <string.h>

#include "stdlib/stdlib.h"

void *room_alloc(CspCall *call, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > csp_room(call))
    return NULL;
  return malloc(bytes + 1);  // (not NULL for 0 bytes)
}

bool buffer_reserve(Buffer *buffer, size_t more) {
  if (buffer->failed) return false;
  if (more > SIZE_MAX / 4 - buffer->len) {
    buffer->failed = true;
    return false;
  }
  size_t need = buffer->len + more + 1;
  if (need <= buffer->cap) return true;
  size_t cap = need < 32 ? 32 : need + need / 2;
  bool fits = buffer->most == 0 || need <= buffer->most;
  if (fits && buffer->most != 0 && cap > buffer->most) cap = buffer->most;
  char *data = fits ? realloc(buffer->data, cap) : NULL;
  if (!data) {
    buffer->failed = true;
    return false;
  }
  buffer->data = data;
  buffer->cap = cap;
  return true;
}

void buffer_add(Buffer *buffer, const char *data, size_t len) {
  if (!buffer_reserve(buffer, len)) return;
  if (len > 0) memcpy(buffer->data + buffer->len, data, len);
  buffer->len += len;
  buffer->data[buffer->len] = '\0';
}

void buffer_add_char(Buffer *buffer, char c) { buffer_add(buffer, &c, 1); }

void buffer_add_rune(Buffer *buffer, uint32_t rune) {
  char bytes[4];
  buffer_add(buffer, bytes, utf8_put(rune, bytes));
}

void buffer_fill(Buffer *buffer, char c, size_t count) {
  if (!buffer_reserve(buffer, count)) return;
  memset(buffer->data + buffer->len, c, count);
  buffer->len += count;
  buffer->data[buffer->len] = '\0';
}

void buffer_free(Buffer *buffer) {
  free(buffer->data);
  *buffer = (Buffer){0};
}

// Undefined when memory ran out, which csp_return turns into a panic.
CspValue buffer_string(CspCall *call, Buffer *buffer) {
  if (buffer->failed) {
    buffer_free(buffer);
    return csp_string_take(call, NULL, 0);
  }
  CspValue v = csp_string(call, buffer->data ? buffer->data : "", buffer->len);
  buffer_free(buffer);
  return v;
}

CspStatus buffer_ok(CspCall *call, Buffer *buffer) {
  csp_charge(call, buffer->len / 64);
  return csp_ok(call, buffer_string(call, buffer));
}
