// SPDX-License-Identifier: MIT
// The named references of HTML 5: a table that a script writes.
#ifndef CSP_STDLIB_HTML_H
#define CSP_STDLIB_HTML_H

// --- html_names.c (html_names.py) -------------------------------------------
// The names that begin with each letter, from A to Z and from a to z, in the
// order of their bytes. Each is a blank, the name, HTML_NEEDS_END or _NONE, and
// what it stands for, which has no blank. A blank ends them. Both marks are
// before the digits and letters.
enum {
  HTML_NEEDS_END = '!',  // it is a name with a semicolon alone
  HTML_NEEDS_NONE = ','  // without one, too
};
extern const char *const html_names[];

#endif
