// SPDX-License-Identifier: MIT
// What happens when the limit of memory or goroutines is reached. A collection
// is forced, and the operation that failed begins again. If that does not help,
// it panics.
#ifndef CSP_VM_INTERP_LIMITS_H
#define CSP_VM_INTERP_LIMITS_H

#include "vm/heap/local.h"

// The first tells whether a collection may be forced at that time (rt_now). The
// second notes how long one took, the third that it ended now, in vain.
bool pace_allows(const Pace *pace, int64_t now);
void pace_took(Pace *pace, int64_t ns);
void pace_in_vain(Pace *pace, int64_t now);

// Memory was not to be had at g->pc. true: a collection was made, so try again.
// false: that has been done, cannot be, or was done in vain too often. g is
// complete. Owner P.
bool memory_again(Local *local, Goroutine *g);
// The same for a native that goes on. Its call may be any opcode's.
bool memory_call_again(Local *local, Goroutine *g);
// Whether g panics because memory was not to be had.
bool memory_panicked(Local *local, const Goroutine *g);
// memory_again, and if so that panic is taken back.
bool memory_panic_again(Local *local, Goroutine *g);
// The same in the midst of an instruction that has changed nothing yet. The
// values up to `end`, in g's stack, are alive.
bool memory_panic_again_here(Local *local, Goroutine *g, const Value *end);
// A panic with that value has ended; g's frames are saved, and it goes on. When
// memory was out, what the panicked frames held is collected.
void memory_settle(Local *local, Goroutine *g, Value panicked);
// Whether another goroutine may start, without a collection. The limit may be
// passed by what several Ps start at the same moment.
bool goroutine_room(Vm *vm);
// The same after a collection, if need be. false: panicked.
bool goroutine_allowed_limited(Local *local, Goroutine *g);
static inline bool goroutine_allowed(Local *local, Goroutine *g) {
  return __builtin_expect(local->vm->goroutine_limit == 0, 1) ||
         goroutine_allowed_limited(local, g);
}
static inline void goroutine_count(Local *local, int64_t more) {
  if (__builtin_expect(local->vm->goroutine_limit != 0, 0))
    // RMW: a count of all Ps, which limits.c compares with the limit. It orders
    // nothing
    rt_add(&local->vm->goroutines, (uint64_t)more);
}

#endif
