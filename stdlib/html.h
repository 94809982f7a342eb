// SPDX-License-Identifier: MIT
// The named references of HTML 5: a table that a script writes.
#ifndef CSP_STDLIB_HTML_H
#define CSP_STDLIB_HTML_H

#include <stddef.h>
#include <stdint.h>

// --- html_names.c (html_names.py) -------------------------------------------
// Each name, in the order of their bytes: its letters and digits, HTML_NEEDS_
// END or _NONE, and what it stands for as UTF-8.
enum {
  HTML_NEEDS_END = 1,  // it is a name with a semicolon alone
  HTML_NEEDS_NONE = 2  // without one, too
};
extern const unsigned char html_names[];
// Where each begins, and the end of the last one.
extern const uint16_t html_name_places[];
extern const size_t html_name_places_count;

#endif
