// SPDX-License-Identifier: MIT
// Panics that name the expression which is nil.
#ifndef CSP_VM_INTERP_EXPLAIN_H
#define CSP_VM_INTERP_EXPLAIN_H

#include "vm/heap/local.h"

// vm_panic, with ": `m.x` is nil" after the message, where the instruction that
// runs has an operand that is nil, and its code tells what that is.
bool explain_panic(Local *local, Goroutine *g, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// How else the loop is written whose element the instruction that runs takes
// apart, as in `for (a, b) in m`, for a message. Or "".
const char *explain_loop_apart(Local *local, const Goroutine *g);

#endif
