// SPDX-License-Identifier: MIT
// Cancelling the main goroutine of a csp_run. See cancel_main.c.
#ifndef CSP_VM_RUNTIME_CANCEL_MAIN_H
#define CSP_VM_RUNTIME_CANCEL_MAIN_H

#include "vm/csp.h"
#include "vm/heap/local.h"

// Before csp_run: its main goroutine can be cancelled. The runtime has threads.
void vm_may_cancel_main(Csp *csp);
// After that, until csp_free, by one thread that has no P, and may wait:
// cancels the main goroutine. The run ends with this status (not 0) if that is
// all that ends it. A run whose script is being compiled ends at once. true: it
// is cancelled, and nobody asks again. false: the run has not begun, or is
// over, or a goroutine does not come to a safepoint for 50 ms.
bool vm_cancel_main(Csp *csp, int status);

// For vm_run: the main goroutine is there, and has not started. false: no
// memory.
bool cancel_main_begin(Csp *csp);
// The status that was asked for, or 0 for none.
int cancel_main_status(const Csp *csp);
// Whether the panic that ends g, which is uncaught, is no more than that g is
// the main goroutine and was cancelled. Owner P.
bool cancel_main_ends(const Local *local, const Goroutine *g);

#endif
