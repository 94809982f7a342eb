// SPDX-License-Identifier: MIT
// The format after a colon in an interpolation, `${x:8.2f}`.
#ifndef CSP_LANG_PARSE_VERB_H
#define CSP_LANG_PARSE_VERB_H

#include <stdbool.h>
#include <stddef.h>

// What is wrong with the text that follows a `%`, in `fault`. false: nothing.
bool verb_is_wrong(const char *text, size_t len, char *fault, size_t size);

#endif
