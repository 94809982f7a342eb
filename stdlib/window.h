// SPDX-License-Identifier: MIT
// A window onto a text of any length that comes in pieces: what was fed and not
// passed, and a NUL after it.
//
// The owner passes over what it has read by moving `from`. Where something is,
// it counts from there, as the text moves when more is fed. It belongs to a
// class's data (csp_register_class), whose finalizer frees it. One native call
// at a time uses it.
#ifndef CSP_STDLIB_WINDOW_H
#define CSP_STDLIB_WINDOW_H

#include "stdlib/stdlib.h"

typedef struct TextWindow {
  char *data;             // NULL until first fed
  size_t cap, from, len;  // the window is [from, len)
  bool ended;             // its end is the text's
} TextWindow;

// Zeroed, but for `ended`.
void window_free(TextWindow *window);
// The native _feed(reader, piece, at) adds some KB of the piece, from `at` on,
// and gives where the rest of it begins. With nil the text ends. The owner asks
// for no more when more than `most` bytes are there.
CspStatus window_feed(CspCall *call, TextWindow *window, size_t most);

static inline const char *window_begin(const TextWindow *window) {
  return window->data != NULL ? window->data + window->from : "";
}
static inline size_t window_left(const TextWindow *window) {
  return window->len - window->from;
}

#endif
