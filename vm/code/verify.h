// SPDX-License-Identifier: MIT
// The verifier of compiled functions.
#ifndef CSP_VM_CODE_VERIFY_H
#define CSP_VM_CODE_VERIFY_H

#include "vm/heap/local.h"

// Checks every instruction: operands within nregs, nconstants and nupvalues,
// jumps on instruction starts. NULL, or what is wrong (static text); *at the
// instruction's index.
const char *proto_verify(const Memory *memory, const Proto *proto,
                         uint32_t *at);

#endif
