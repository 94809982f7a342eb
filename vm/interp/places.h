// SPDX-License-Identifier: MIT
// Where errors come from.
#ifndef CSP_VM_INTERP_PLACES_H
#define CSP_VM_INTERP_PLACES_H

#include "vm/heap/local.h"
#include "vm/interp/stack_trace.h"

// The goroutine, whose g->pc is saved, has just made that error.
void places_begin(Local *local, const Goroutine *g, ObjError *error);
// The goroutine, whose g->pc is saved, is at a `?` that an error does not pass.
void places_add(Local *local, const Goroutine *g, Value error);
// `try`, recover() or a wait for a task takes a panic as that value: an error
// without places gets the calls that led to the panic, whose trace (or NULL)
// this is.
void places_from_trace(Local *local, const Trace *trace, Value error);
// Whether places_print has something to show.
bool places_are_known(Value v);
// A list of strings, one for each place, the first one first. VALUE_UNDEF: out
// of memory.
Value places_list(Local *local, const ObjError *error);
// Adds a line for each place, each after a newline. Nothing, if `trace` (or
// NULL), which is printed below, tells the same.
void places_print(Text *out, const ObjError *error, const Trace *trace);

#endif
