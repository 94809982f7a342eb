// SPDX-License-Identifier: MIT
// The formatter's entry, for others; format.h tells its parts.
#ifndef CSP_LANG_FORMAT_FORMATTER_H
#define CSP_LANG_FORMAT_FORMATTER_H

#include "lang/source.h"

// The text in the one style (docs/formatting.md), malloced, with a NUL after
// it. NULL: *message has the syntax errors, or says that the formatter failed.
// (It is malloced, or NULL if there is no memory for it.)
char *lang_format(const Source *source, size_t *len, char **message);

#endif
