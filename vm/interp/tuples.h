// SPDX-License-Identifier: MIT
// The opcodes that make tuples, and take tuples and lists apart.
#ifndef CSP_VM_INTERP_TUPLES_H
#define CSP_VM_INTERP_TUPLES_H

#include "vm/heap/local.h"

// All give false with a panic.
bool tuples_make(Local *local, Goroutine *g, const Value *from, size_t count,
                 Value *out);
bool tuples_from(Local *local, Goroutine *g, Value x, Value *out);
bool tuples_join(Local *local, Goroutine *g, Value a, Value b, Value *out);
// The elements of a list or tuple to registers: `count` of them, or (rest)
// more, and the last register gets a list of those that are left.
bool tuples_take_apart(Local *local, Goroutine *g, Value x, Value *to,
                       size_t count, bool rest);

#endif
