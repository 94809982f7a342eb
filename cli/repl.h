// SPDX-License-Identifier: MIT
// The REPL: inputs are read, run, and their values shown, one by one.
#ifndef CSP_CLI_REPL_H
#define CSP_CLI_REPL_H

#include "vm/csp.h"

typedef struct Editor Editor;

// Before csp_new: on a terminal there is an editor, and output goes to it.
Editor *repl_prepare(CspConfig *config);
// Runs it to its end, and frees the editor; the exit status. file: a script to
// run first, or NULL. *signal: the one that has ended it, or unchanged.
int repl_run(Csp *csp, Editor *editor, const char *file, const char *text,
             size_t len, int *signal);

#endif
