// SPDX-License-Identifier: MIT
// What others may call of native_quick.c.
#ifndef CSP_VM_NATIVE_NATIVE_QUICK_H
#define CSP_VM_NATIVE_NATIVE_QUICK_H

#include "vm/interp/native_call.h"

// Sets quick and quick_results. Boot time.
void quick_choose(NativeDef *def);

#endif
