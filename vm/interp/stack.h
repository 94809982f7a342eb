// SPDX-License-Identifier: MIT
// Goroutines' stacks, and whether they are as they must be. A stack belongs to
// one goroutine, and moves when it grows.
#ifndef CSP_VM_INTERP_STACK_H
#define CSP_VM_INTERP_STACK_H

#include "vm/heap/local.h"

// Room for registers up to `top` (a pointer into g's stack). Moves the stack:
// g->base is updated, other pointers are not. false: panicked with stack
// overflow.
bool stack_reserve(Local *local, Goroutine *g, const Value *top);
// At a collection the values up to `end` are alive, though they stand above the
// top frame's registers; until g->multi is set to something else.
void stack_cover(Goroutine *g, const Value *end);
bool stack_init(Local *local, Goroutine *g, size_t words);
// Whether the frame at base is as a call pushes it: inside the stack with all
// its registers, with a closure, and with a caller below, to whose code it
// returns, unless it is the bottom one. Owner P, or the world is stopped.
bool frame_is_valid(const Goroutine *g, const Value *base);
// The same of a goroutine that is complete (pc and base are saved): its stack,
// top frame, deferred calls, panics, and what it is to do when it is resumed.
bool goroutine_is_valid(const Goroutine *g);

#endif
