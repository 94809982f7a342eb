// SPDX-License-Identifier: MIT
// The functions of native_quick.c that other files call.
#ifndef CSP_VM_NATIVE_NATIVE_QUICK_H
#define CSP_VM_NATIVE_NATIVE_QUICK_H

#include "vm/interp/native_call.h"

// Sets quick and quick_results. Boot time.
// spans: Vm.spans.
void quick_choose(NativeDef *def, bool spans);

#endif
