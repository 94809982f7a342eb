// SPDX-License-Identifier: MIT
// The functions of api_call.c that other files call.
#ifndef CSP_VM_RUNTIME_API_CALL_H
#define CSP_VM_RUNTIME_API_CALL_H

#include "vm/interp/native_call.h"

// Whether csp_call can be called with it; clears *result. false: *result tells.
bool host_may_call(CspCall *call, CspResult *result);
// Fills in the result of what failed without a panic of its own, or could not
// begin.
CspEnd host_failed(CspCall *call, CspResult *result, CspEnd end,
                   const char *what);

#endif
