// SPDX-License-Identifier: MIT
// Windows onto texts. See window.h.
#include "stdlib/window.h"

enum { WINDOW_FED = 1 << 16 };  // bytes of a piece that are added at once

void window_free(TextWindow *window) {
  csp_alloc_free(window->data);
  window->data = NULL;
  window->cap = window->from = window->len = 0;
}

// A larger window, of which `need` bytes are needed now.
static bool window_grow(CspCall *call, TextWindow *window, size_t need,
                        size_t most) {
  size_t largest = most + WINDOW_FED + 1, cap = need + window->len;
  if (cap > largest && largest >= need) cap = largest;
  char *data = NULL;
  if (cap - window->cap <= csp_room(call))
    data = csp_alloc(csp_of(call), window->data, cap);
  if (data == NULL) {
    csp_panic_memory(call);
    return false;
  }
  window->data = data;
  window->cap = cap;
  return true;
}

// Room for so many more bytes, and a NUL. false: it has panicked.
static bool window_reserve(CspCall *call, TextWindow *window, size_t more,
                           size_t most) {
  size_t left = window_left(window), need = left + more + 1;
  if (window->cap - window->len > more) return true;
  if (window->from > 0) {
    memmove(window->data, window->data + window->from, left);
    csp_charge(call, left / 8);
    window->len = left;
    window->from = 0;
  }
  return need <= window->cap || window_grow(call, window, need, most);
}

CspStatus window_feed(CspCall *call, TextWindow *window, size_t most) {
  CspValue piece = csp_arg(call, 1);
  int64_t at;
  if (!csp_need_int(call, 2, &at)) return CSP_PANIC;
  bool is_string = csp_type(piece) == CSP_STRING;
  if (csp_type(piece) == CSP_NIL) {
    if (!window_reserve(call, window, 0, most)) return CSP_PANIC;
    window->data[window->len] = '\0';
    window->ended = true;
    return csp_ok_int(call, 0);
  }
  size_t len = is_string ? str_of(piece).len : csp_bytes_len(piece);
  size_t from = (size_t)at < len ? (size_t)at : len;
  size_t count = len - from < WINDOW_FED ? len - from : WINDOW_FED;
  if (!window_reserve(call, window, count, most)) return CSP_PANIC;
  char *to = window->data + window->len;
  if (is_string)
    memcpy(to, str_of(piece).data + from, count);
  else
    count = csp_bytes_read(piece, from, to, count);
  to[count] = '\0';
  window->len += count;
  csp_charge(call, count / 8);
  return csp_ok_int(call, (int64_t)(from + count));
}
