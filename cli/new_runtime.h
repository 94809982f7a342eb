// SPDX-License-Identifier: MIT
// A runtime with the language and its whole library, and the end of a program.
#ifndef CSP_CLI_NEW_RUNTIME_H
#define CSP_CLI_NEW_RUNTIME_H

#include "vm/csp.h"

enum { PROCS_MOST = 1024 };

// The number that an option or a variable of the environment, called so, gives
// as text (or NULL). Ends the program with a message if it is none of these.
long config_number(const char *name, const char *text, long least, long most);
// The defaults, and what the environment says: CSPPROCS, CSPPATH, CSPDEBUG. The
// library itself reads no environment. Where native modules are, the program's
// file tells: in modules/ beside it, or else, where it is installed, in
// ../lib/cspvm/API/.
void runtime_config(CspConfig *config);
// Its scripts may use everything. NULL: a message was printed.
Csp *runtime_new(const CspConfig *config);

// Writes what is left in stdout. The status to end with: this one, but 1 with a
// message where it is 0, and something could not be written.
int output_end(int status);

#endif
