// SPDX-License-Identifier: MIT
// Group blocks: their begin, their end, and the panics by which goroutines
// learn that they are cancelled.
#ifndef CSP_VM_INTERP_GROUP_BLOCK_H
#define CSP_VM_INTERP_GROUP_BLOCK_H

#include "vm/code/opcodes.h"
#include "vm/heap/local.h"
#include "vm/interp/interp.h"

Next group_open(Local *local, Goroutine *g, Instr i,
                const Instr *end);             // GROUP
Next group_close(Local *local, Goroutine *g);  // GROUPEND, GROUPRET
// A solo group that has not begun (group_begin_outer). NULL: no memory.
ObjGroup *group_reserve(Local *local);
// g, that is going to be started, can be cancelled alone; and with caller,
// which waits for it, or NULL. NULL: no memory.
ObjGroup *group_solo(Local *local, Goroutine *g, const Goroutine *caller,
                     ObjGroup *again);
// The newest panic leaves the top frame. GO_ON: there is no group in it. THROW:
// that has ended, look again.
Next group_unwind(Local *local, Goroutine *g);
// g ends with its panic, or that error. true: its group knows. false: g has the
// panics that are to be reported.
bool group_failed(Local *local, Goroutine *g);
bool group_failed_with(Local *local, Goroutine *g, Value error);
// Whether the panic that g ends with, and those that it carries, say only that
// g is cancelled.
bool group_only_cancelled(const Local *local, const Goroutine *g);
// A deferred call begins, at that offset; one may have ended.
void group_shield(Goroutine *g, ptrdiff_t window);
void group_unshield(Goroutine *g);
// Panics because g is cancelled.
void group_raise(Local *local, Goroutine *g);
// At a safepoint. true: g was cancelled, has computed for longer than its group
// has patience, and panics. What it defers has as long again.
bool group_stops_member(Local *local, Goroutine *g);
static inline bool group_stops(Local *local, Goroutine *g) {
  return __builtin_expect(g->g.group != NULL, 0) &&
         group_stops_member(local, g);
}
// Before what blocks, or would. true: g is cancelled, and panics.
bool group_cancels_member(Local *local, Goroutine *g);
static inline __attribute__((always_inline)) bool group_cancels(Local *local,
                                                                Goroutine *g) {
  return __builtin_expect(g->g.group != NULL, 0) &&
         group_cancels_member(local, g);
}

#endif
