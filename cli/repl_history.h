// SPDX-License-Identifier: MIT
// The history of inputs, for repl_edit.c.
#ifndef CSP_CLI_REPL_HISTORY_H
#define CSP_CLI_REPL_HISTORY_H

#include <histedit.h>
#include <stdbool.h>

History *history_open(void);  // with what the file holds; NULL means no memory
void history_close(History *all);
// Adds an input, to the file, too; not an empty one, or the last one again.
void history_keep(History *all, const char *input);

#endif
