// SPDX-License-Identifier: MIT
// Errors that a call gives and nobody takes, and calls that give another number
// of results than is wanted. The P that runs the goroutine calls these.
#ifndef CSP_VM_INTERP_DROP_H
#define CSP_VM_INTERP_DROP_H

#include "vm/heap/local.h"
#include "vm/interp/call.h"

// A call whose results nobody takes gave that error last. They would go to
// `to`, and g->pc and g->base are the caller's. false: panicked.
bool drop_error(Local *local, Goroutine *g, const Value *to, Value error);

// The newest panic carries what another goroutine's did, too: `also`, a list or
// nil. Always returns false.
bool drop_carry_all(Local *local, Goroutine *g, Value also);
// The panic is a new one. If its value is a copy of an error that is shared, it
// is the error itself from now on, by which the runtime knows its own ones, and
// the panic carries beside it what the copy does.
void drop_take_apart(Local *local, Panic *panic);
// A list of it alone, or nil without memory.
Value drop_list(Local *local, Value error);
// A list of both, which are such lists, or nil. Without memory the first one.
Value drop_join(Local *local, Value also, Value more);
// The newest panic, or its error, carries that error, too.
void drop_carry(Local *local, Goroutine *g, Value error);
// That panic of g, or its error, carries those, too.
void drop_carry_more(Local *local, Goroutine *g, Panic *panic, Value also);

// The error *carrier carries those, too. Where it is shared, a copy that does
// takes its place. If it is a struct, which cannot, the first of those panics,
// and carries it and the others. false: panicked.
bool drop_carry_in(Local *local, Goroutine *g, Value *carrier, Value also);
// The last value that a return gives after the group that the instruction
// before g->pc ends, or nil.
Value drop_returned(const Goroutine *g);
// The newest panic left the call in that window of the top frame. Was it a
// deferred one, which ran because the frame was returning (g->pc)? Then the
// panic carries what is returned last, if that is an error.
void drop_threw(Local *local, Goroutine *g, const Value *window);
// The same for a panic that was raised in the top frame, before it unwinds: in
// a native that waited, say.
void drop_raised(Local *local, Goroutine *g);

// A call gave another number of results than the `want` that fit in there.
// false: panicked.
bool drop_wrong_count(Local *local, Goroutine *g, Value *to, Results results,
                      int want, const char *name);

#endif
