// SPDX-License-Identifier: MIT
// Reading a script whole, from a file or from standard input.
#ifndef CSP_CLI_SOURCE_H
#define CSP_CLI_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

// path "-": standard input. false: a message was printed. *text is malloced,
// with a NUL after it.
bool source_read(const char *path, char **text, size_t *len);

#endif
