// SPDX-License-Identifier: MIT
// What the host wants.
#ifndef CSP_VM_RUNTIME_CONFIG_H
#define CSP_VM_RUNTIME_CONFIG_H

#include <stdbool.h>

#include "vm/csp.h"

// What the host wants (NULL: the defaults) as this library knows it. false:
// errno tells.
bool config_take(CspConfig *own, const CspConfig *wanted);
// Copies what csp->config refers to. false: out of memory.
bool config_own(Csp *csp);

#endif
