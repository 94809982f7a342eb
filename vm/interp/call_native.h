// SPDX-License-Identifier: MIT
// Calls of native functions, and the end of those that blocked or slept. A
// native that waits leaves the record of its call with the goroutine, as
// another M may finish it.
#ifndef CSP_VM_INTERP_CALL_NATIVE_H
#define CSP_VM_INTERP_CALL_NATIVE_H

#include "vm/heap/local.h"
#include "vm/interp/interp.h"
#include "vm/interp/native_call.h"

// The native in window[2]; g->pc is where to go on.
Next call_native(Local *local, Goroutine *g, Value *window, int argc, int want);
Next call_native_done(Local *local, Goroutine *g);  // RESUME_CALL
// What follows a native's return.
Next native_finish(CspCall *call, CspStatus status, Value *window, int want);
// A native has panicked: when memory was out it is called once more, after a
// collection. What it says then, or CSP_PANIC.
CspStatus native_call_again(CspCall *call);
// The native whose blocking call g is in. NULL: none, or not to be named.
const char *native_blocked_in(const Goroutine *g);
void native_drop(Goroutine *g);  // RESUME_CALL, but it never runs again
// The same at the runtime's end, when natives may be called: the native frees
// what the call was for. local: any.
void native_close(Local *local, Goroutine *g);

// csp_panic_memory.
CspStatus call_out_of_memory(CspCall *call);

// Before the call's goroutine waits: the collector sees its arguments.
void native_cover_arguments(const CspCall *call);

#endif
