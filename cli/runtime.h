// SPDX-License-Identifier: MIT
// A runtime with the language and its whole library.
#ifndef CSP_CLI_RUNTIME_H
#define CSP_CLI_RUNTIME_H

#include "vm/csp.h"

// Its scripts may use everything. NULL: a message was printed.
Csp *runtime_new(const CspConfig *config);

#endif
