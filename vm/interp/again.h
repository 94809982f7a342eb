// SPDX-License-Identifier: MIT
// Natives that are done in pieces (csp_again). Between two pieces other
// goroutines may run. The goroutine owns the record of the call until the last
// piece has ended.
#ifndef CSP_VM_INTERP_AGAIN_H
#define CSP_VM_INTERP_AGAIN_H

#include "vm/heap/local.h"
#include "vm/interp/interp.h"
#include "vm/interp/native_call.h"

// The first piece has returned csp_again. Runs the others. true: *status is
// what the native says in the end, and *call has the P that it is on. false:
// *how tells why there is no end yet, and *call's P is the last.
bool again_run(CspCall *call, Value *window, int want, CspStatus *status,
               Next *how);
// The same, and what follows.
Next again_begin(CspCall *call, Value *window, int want);
Next again_resume(Local *local, Goroutine *g);  // RESUME_AGAIN
// HeapHooks.mark_pending.
void again_mark(void *arg, const Goroutine *g, GcMarker *marker);
// The native whose next piece g waits for, or NULL.
const char *again_waits_in(const Goroutine *g);
// At the runtime's end, as native_close.
void again_close(Local *local, Goroutine *g);

#endif
