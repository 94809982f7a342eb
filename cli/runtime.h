// SPDX-License-Identifier: MIT
// A runtime with the language and its whole library.
#ifndef CSP_CLI_RUNTIME_H
#define CSP_CLI_RUNTIME_H

#include "vm/csp.h"

// The defaults, and what the environment says: CSPPROCS, CSPPATH, CSPDEBUG. The
// library itself reads no environment.
void runtime_config(CspConfig *config);
// Its scripts may use everything. NULL: a message was printed.
Csp *runtime_new(const CspConfig *config);

#endif
