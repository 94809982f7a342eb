// SPDX-License-Identifier: MIT
// Natives that park until another thread wakes them.
#ifndef CSP_VM_RUNTIME_PARK_H
#define CSP_VM_RUNTIME_PARK_H

#include "vm/csp.h"

// Nothing will run any more: the host is told of each native that waits.
void wakers_end(Csp *csp);
// The same, when the door is closed; and calls what is left.
void wakers_free(Csp *csp);

extern const CspFunction waker_functions[];

#endif
