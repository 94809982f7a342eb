// SPDX-License-Identifier: MIT
// Waits of natives for descriptors (csp_block_fd). Each wait has a copy of its
// descriptor, so the original may be closed at any time.
#ifndef CSP_VM_INTERP_BLOCK_FD_H
#define CSP_VM_INTERP_BLOCK_FD_H

#include "vm/interp/native_call.h"

// true: g has parked until the descriptor may be ready. fd_wait_over follows.
bool fd_wait_begin(P *p, Goroutine *g, FdWait *wait);
void fd_wait_over(P *p, FdWait *wait);
// In a blocking call. false: it was given up, and the work is not to be done.
bool fd_wait_block(Vm *vm, const Goroutine *g, const FdWait *wait);
void fd_wait_drop(FdWait *wait);  // of a goroutine that never runs again

#endif
