// SPDX-License-Identifier: MIT
// Panics: raising, unwinding, recover, `try`, and the traces that reports show.
// The panics of a goroutine are a list, with the newest first.
#ifndef CSP_VM_INTERP_PANIC_H
#define CSP_VM_INTERP_PANIC_H

#include "vm/heap/local.h"
#include "vm/interp/interp.h"
#include "vm/object/value_text.h"

enum { TRACE_MAX = 100, CAUSES_SHOWN = 20 };
enum { MESSAGE_MAX = 64 << 10 };         // bytes shown of a panic's value
enum { PARTS_SHOWN = MESSAGE_MAX / 4 };  // about as many fill that
enum { NEST_SHOWN = 32 };                // of it, containers in one another
enum { PANICS_SHOWN = 10 };              // of the newest, and of the oldest

// NULL: out of memory.
Trace *trace_capture(const Memory *memory, const Goroutine *g);
void trace_drop(Trace *trace);  // any thread
// The panic with the first trace (or NULL) goes on from a task that ended with
// the second one (or NULL). Without memory that is not kept.
void trace_set_raised(const Vm *vm, Trace *trace, const Trace *task);
void trace_forget_raised(Trace *trace);  // or NULL
// The value's text is kept with its trace, instead of another; without memory
// it is not.
void trace_set_text(Trace **trace, const char *text, size_t len);
const char *trace_text(const Trace *trace);  // or NULL
Next panic_unwind(Local *local, Goroutine *g);
// Before the newest panic calls a function in the top frame. false: what the
// goroutine does is over, and interp_throw has to be called.
bool panic_calls(const Local *local, Goroutine *g);
Next panic_go(Local *local, Goroutine *g);  // PANICGO
// Before panics are reported, or a task's panic is kept, their values'
// string() methods are called. true: that is *next, and task_panicked is called
// again. The goroutine is unwound.
bool panic_describe(Local *local, Goroutine *g, Next *next);
void panic_set_text(Goroutine *g, const char *text, size_t len);
// The panic of a goroutine whose string() method has not ended (g->describing).
// The goroutine does not run.
const Panic *panic_in_description(const Goroutine *g);
size_t panic_count(const Panic *newest);
// For an error that ends the program: as a panic that nobody recovers, so what
// is deferred runs. It is told of with `at`, a text of Vm.memory.
Next panic_end_with(Local *local, Goroutine *g, Value error, char *at);
// v stands where nil or an error has to: after `?`, or in a return of one value
// of a function with `?`. Returns false.
bool panic_no_error(Local *local, Goroutine *g, Value v, bool returned);
void panic_no_error_text(Text *out, Vm *vm, Value v, bool returned);
Value panic_recover(Local *local, Goroutine *g);
void panic_end(Goroutine *g);   // the newest ends in the top frame
void panic_drop(Goroutine *g);  // the newest
void panic_forget(Goroutine *g, Panic *old);  // one that is not the newest
void panic_free_all(Goroutine *g);

// Sets the goroutine's pending panic to an error with that message. The frames
// are unwound by the interpreter. Always returns false.
bool vm_panic(Local *local, Goroutine *g, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The same. If `last` is an error, it is the cause.
bool vm_panic_because(Local *local, Goroutine *g, Value last,
                      const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool vm_panic_value(Local *local, Goroutine *g, Value value);
bool vm_panic_memory(Local *local, Goroutine *g);
ObjError *error_new(Local *local, Value message, Value cause, Value code);
// A copy of an error that is shared, with that list of errors, or nil. `error`
// itself: it is none. VALUE_UNDEF: out of memory.
Value error_with(Local *local, Value error, Value also);

#endif
