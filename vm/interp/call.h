// SPDX-License-Identifier: MIT
// Calls and returns, but for the common case, which is in handlers.h. A call
// may move the goroutine's stack. Then pointers into it are found again by
// offset.
#ifndef CSP_VM_INTERP_CALL_H
#define CSP_VM_INTERP_CALL_H

#include "vm/code/opcodes.h"
#include "vm/heap/local.h"
#include "vm/interp/interp.h"

// Calls the value in window[2] with argc arguments from window[3]; results to
// window[0]. The caller's frame is g->base, which returns to `ret`.
Next call_value(Local *local, Goroutine *g, Value *window, int argc, int want,
                const Instr *ret);
// Room up to `top`, as stack_reserve, where the values up to `end` are alive.
// All above the top frame may be moved. false: panicked.
bool call_reserve_slow(Local *local, Goroutine *g, const Value *top,
                       const Value *end);
static inline bool call_reserve(Local *local, Goroutine *g, const Value *top,
                                const Value *end) {
  return __builtin_expect(top <= g->limit, 1) ||
         call_reserve_slow(local, g, top, end);
}
typedef struct Results {
  const Value *first;
  int count;
} Results;
// Puts the results of the function of that name where the call wanted them. A
// call that wants none, and gets an error last, has dropped it (drop.c). false:
// panicked.
bool call_deliver(Local *local, Goroutine *g, Value *to, Results results,
                  int want, const char *name);
// A return that is not the common case: n values from `from`.
Next call_return(Local *local, Goroutine *g, const Value *from, int n);
Next call_return_deferred(Local *local, Goroutine *g, const Instr *self,
                          Value *from, int n);
bool call_spread(Local *local, Goroutine *g, int a, int b, int c);
ObjValues *call_pop_deferred(Local *local, Goroutine *g);
Next call_deferred(Local *local, Goroutine *g, const ObjValues *record,
                   const Instr *ret);
bool call_named(Local *local, Goroutine *g, int a, int positional, Value names);
// A block of the n values from `from`, the last of which are on top of the
// stack. NULL: panicked.
ObjValues *call_pack(Local *local, Goroutine *g, const Value *from, uint32_t n);
// How many nils the top frame returns after recover(). count is its proto's
// nresults. A frame that returns what lone calls give gives as many as the
// caller wants. Where that returns them as its own, what the caller's call
// wants.
int call_wants_nils(Goroutine *g, int count);
// The opcodes FIT and FILL. false: panicked.
bool call_fit(Local *local, Goroutine *g, int a, int want, bool any);
bool call_fill(Local *local, Goroutine *g, int a);
// A deferred call of R[a+2], with argc arguments. false: panicked, and
// call_instead_of_deferring has to be called.
bool call_defer(Local *local, Goroutine *g, int a, int argc);
Next call_instead_of_deferring(Local *local, Goroutine *g, int a, int argc);
Next call_try(Local *local, Goroutine *g);
Next call_try_return(Local *local, Goroutine *g);
// The method at g->pc - 1 (METHOD, INVOKE, INVOKEV): its receiver is R[a+3],
// one of argc arguments. It comes to R[a+2], and its arguments' count to
// g->multi: a function in a field has no receiver. false: panicked.
bool call_find_method(Local *local, Goroutine *g, Instr a, int argc);
// The method call at g->pc - 1 (INVOKE, INVOKEV): receiver at R[a+3], argc
// arguments with it.
Next call_method(Local *local, Goroutine *g, Instr a, int argc, int want);
// x.message at g->pc - 1 (GETM), where x is R[a] and has to be asked.
Next call_message(Local *local, Goroutine *g, Instr a);
Next call_module(Local *local, Goroutine *g, int a, Value module);
// "f", "Point.len", "strings.split" for messages.
const char *function_name(Value f);

#endif
