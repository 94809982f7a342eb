// SPDX-License-Identifier: MIT
// The quick forms of small natives, which do without the record of a call. A
// native gets its quick form when it is registered, and keeps it.
#ifndef CSP_VM_NATIVE_NATIVE_QUICK_H
#define CSP_VM_NATIVE_NATIVE_QUICK_H

#include "vm/interp/native_call.h"

// Sets quick and quick_results. Boot time.
// spans: Vm.spans.
void quick_choose(NativeDef *def, bool spans);

#endif
