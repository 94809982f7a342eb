// SPDX-License-Identifier: MIT
// Text that grows. Natives use it that do not know the length of their result
// beforehand. A buffer belongs to one native call.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "stdlib/stdlib.h"

enum {
  BUFFER_PIECE = 1 << 18
};  // bytes copied between two questions (csp_work)

void *alloc_zeroed(Csp *csp, size_t size) {
  void *block = csp_alloc(csp, NULL, size);
  return block != NULL ? memset(block, 0, size) : NULL;
}

char *alloc_str(Csp *csp, Str s) {
  char *copy = csp_alloc(csp, NULL, s.len + 1);
  if (copy == NULL) return NULL;
  if (s.len > 0) memcpy(copy, s.data, s.len);
  copy[s.len] = '\0';
  return copy;
}

char *alloc_text(Csp *csp, const char *text) {
  return alloc_str(csp, (Str){text, strlen(text)});
}

char *alloc_format(Csp *csp, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int len = vsnprintf(NULL, 0, format, args);
  char *text = len < 0 ? NULL : csp_alloc(csp, NULL, (size_t)len + 1);
  if (text != NULL) vsnprintf(text, (size_t)len + 1, format, again);
  va_end(again);
  va_end(args);
  return text;
}

void *room_alloc(CspCall *call, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > csp_room(call))
    return NULL;
  return csp_alloc(csp_of(call), NULL, bytes + 1);  // (not NULL for 0 bytes)
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
  char *data = fits ? csp_alloc(buffer->csp, buffer->data, cap) : NULL;
  if (data == NULL) {
    buffer->failed = true;
    return false;
  }
  buffer->data = data;
  buffer->cap = cap;
  return true;
}

bool long_copy(CspCall *call, char *to, const char *from, size_t len) {
  enum { PIECE = 1 << 16 };
  for (size_t at = 0; at < len; at += PIECE) {
    size_t count = len - at < PIECE ? len - at : PIECE;
    memcpy(to + at, from + at, count);
    if (!csp_work(call, count / 8)) return false;
  }
  return true;
}

// Pieces grow, so that what is left uncharged where they differ is less than
// four times what was charged.
bool long_same(CspCall *call, const char *a, const char *b, size_t len) {
  enum { MOST = 1 << 16 };
  if (a == b) return true;
  for (size_t at = 0, piece = SAME_SHORT; at < len; at += piece) {
    if (at > 0 && piece < MOST) piece *= 4;
    size_t count = len - at < piece ? len - at : piece;
    if (memcmp(a + at, b + at, count) != 0) return false;
    if (!csp_work(call, 4 + count / 8)) return false;
  }
  return true;
}

// For what was added in small parts.
static void buffer_ask(Buffer *buffer) {
  size_t len = buffer->len - buffer->asked;
  buffer->asked = buffer->len;
  if (buffer->call != NULL && !csp_work(buffer->call, len / 8))
    buffer->failed = true;
}

void buffer_add(Buffer *buffer, const char *data, size_t len) {
  if (!buffer_reserve(buffer, len)) return;
  char *to = buffer->data + buffer->len;
  if (len > BUFFER_PIECE && buffer->call != NULL) {
    buffer->failed = !long_copy(buffer->call, to, data, len);
    buffer->asked += len;
  } else if (len > 0) {
    memcpy(to, data, len);
  }
  buffer->len += len;
  buffer->data[buffer->len] = '\0';
  if (buffer->len > buffer->asked + BUFFER_PIECE) buffer_ask(buffer);
}

void buffer_add_char(Buffer *buffer, char c) { buffer_add(buffer, &c, 1); }

void buffer_add_rune(Buffer *buffer, uint32_t rune) {
  char bytes[4];
  buffer_add(buffer, bytes, (size_t)utf8_encode(rune, bytes));
}

void buffer_fill(Buffer *buffer, char c, size_t count) {
  if (!buffer_reserve(buffer, count)) return;
  while (count > 0 && !buffer->failed) {
    size_t piece = count < BUFFER_PIECE ? count : BUFFER_PIECE;
    memset(buffer->data + buffer->len, c, piece);
    buffer->len += piece;
    count -= piece;
    if (count > 0 && buffer->call != NULL) {
      buffer->failed = !csp_work(buffer->call, BUFFER_PIECE / 8);
    }
  }
  buffer->data[buffer->len] = '\0';
}

void buffer_free(Buffer *buffer) {
  csp_alloc_free(buffer->data);
  *buffer = (Buffer){.csp = buffer->csp};
}

// Undefined when memory ran out, which csp_return turns into a panic.
CspValue buffer_string(CspCall *call, Buffer *buffer) {
  if (buffer->failed) {
    buffer_free(buffer);
    return csp_alloc_take(call, NULL, 0);
  }
  CspValue v =
      csp_string(call, buffer->data != NULL ? buffer->data : "", buffer->len);
  buffer_free(buffer);
  return v;
}

CspStatus buffer_ok(CspCall *call, Buffer *buffer) {
  csp_charge(call, buffer->len / 64);
  return csp_ok(call, buffer_string(call, buffer));
}
