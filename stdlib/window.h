// SPDX-License-Identifier: MIT
// A Window is the part of a long text that has come and was not read yet. A NUL
// follows it. The text may have any length, and comes in pieces.
//
// The owner passes over what it has read by moving `from`. It counts places
// from there, as the text moves when more is fed. A window belongs to the data
// of a class (csp_register_class), whose finalizer frees it. One native call at
// a time uses it.
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
