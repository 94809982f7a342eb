// SPDX-License-Identifier: MIT
// What the module sched tells of the runtime.
#ifndef CSP_VM_RUNTIME_BUILTINS_RUNTIME_H
#define CSP_VM_RUNTIME_BUILTINS_RUNTIME_H

#include "vm/csp.h"

extern const CspFunction builtin_runtime_functions[];

#endif
