// SPDX-License-Identifier: MIT
// Native functions as they are registered. Here the rows of a table become
// values that scripts can call.
#ifndef CSP_VM_NATIVE_NATIVE_H
#define CSP_VM_NATIVE_NATIVE_H

#include "vm/heap/local.h"
#include "vm/interp/native_call.h"

// An ObjNative for this function (module may be NULL). Boot time.
Value native_new(Vm *vm, const char *module, const CspFunction *row,
                 const NativeRules *rules);
// The first function of a table from `at` on, or NULL at its end; rules begin
// zeroed.
const CspFunction *native_row(const CspFunction *at, NativeRules *rules);

#endif
