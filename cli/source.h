// SPDX-License-Identifier: MIT
// Reading a script whole, from a file or from standard input.
#ifndef CSP_CLI_SOURCE_H
#define CSP_CLI_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

// path "-": standard input. 0, or an errno, which is EFBIG for what has no end,
// or is longer than a script may be. *text is malloced, with a NUL after it.
int source_load(const char *path, char **text, size_t *len);
// What messages say of that errno.
const char *source_error(int error);
// The same. false: a message was printed.
bool source_read(const char *path, char **text, size_t *len);

#endif
