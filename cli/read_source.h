// SPDX-License-Identifier: MIT
// Reading a script whole, from a file or from standard input.
#ifndef CSP_CLI_READ_SOURCE_H
#define CSP_CLI_READ_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

// Ends a reading that waits, as that of a FIFO may do for ever. Asked now and
// then, by the thread that reads.
typedef struct SourceStop {
  bool (*is_wanted)(void *arg);
  void *arg;
} SourceStop;

// path "-": standard input. stop: or NULL. 0, or an errno, which is EFBIG for
// what has no end, or is longer than a script may be, and ECANCELED where stop
// wanted it. *text is malloced, with a NUL after it.
int source_load(const char *path, const SourceStop *stop, char **text,
                size_t *len);
// What messages say of that errno.
const char *source_error(int error);
// The same. false: a message was printed.
bool source_read(const char *path, char **text, size_t *len);

#endif
