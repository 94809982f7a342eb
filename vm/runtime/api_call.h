// SPDX-License-Identifier: MIT
// What all calls from C into the language share (csp_call, csp_go, csp_step):
// whether one may begin, and the result of one that has ended.
#ifndef CSP_VM_RUNTIME_API_CALL_H
#define CSP_VM_RUNTIME_API_CALL_H

#include "vm/interp/native_call.h"

// Whether csp_call can be called with it; clears *result. false: *result tells.
bool host_may_call(CspCall *call, CspResult *result);
// Fills in the result of what failed without a panic of its own, or could not
// begin.
CspEnd host_failed(CspCall *call, CspResult *result, CspEnd end,
                   const char *what);

// After everything else is made. false: out of memory.
bool host_open(Csp *csp);
// No values, and no message.
void host_no_result(CspResult *result, CspEnd end);
// The outcome of a task that has ended.
CspEnd host_give_outcome(Vm *vm, CspResult *result, const ObjTask *task);

#endif
