// SPDX-License-Identifier: MIT
// Long work: what it is charged, and how it is given up.
#ifndef CSP_VM_HEAP_WORK_H
#define CSP_VM_HEAP_WORK_H

#include <string.h>

#include "vm/heap/local.h"

// Work is counted in units of about a nanosecond, on the P (Local.debt). It
// counts for the safepoint counter (row 21 of docs/scheduler-rules.md), whose
// turns are worth WORK_TURN each. Within an operation, every WORK_PIECE,
// work_look asks whether the goroutine is to do something else. All of these:
// owner P.
enum { WORK_SHIFT = 5, WORK_TURN = 1 << WORK_SHIFT, WORK_PIECE = 1 << 16 };

#ifdef CSP_DEBUG
// What this thread has done since it looked last, in basic blocks that were run
// (the compiler has them counted); and the most that it was.
extern _Thread_local uint64_t work_steps, work_most;
extern _Thread_local void (*work_on_look)(void);  // for tests: at each look
void work_looked(void);
void work_forget(void);  // what the scheduler and the collector did
#else
static inline void work_looked(void) {}
static inline void work_forget(void) {}
#endif

static inline void work_charge(Local *local, uint64_t units) {
  local->debt += (int64_t)units;
}
static inline void charge_bytes(Local *local, size_t bytes) {
  work_charge(local, bytes / 8);
}
static inline void charge_steps(Local *local, size_t steps) {
  work_charge(local, (uint64_t)steps * 4);
}
// Whether the goroutine that runs is to give up what it does: it is cancelled
// or interrupted, or the run ends. Then all it does until it unwinds fails, and
// no panic is made: interp_throw has it leave, and panic when it runs again.
bool work_look(Local *local);
// As memcmp, charged. Given up it is 0. What is short takes less than the
// opcode that asks, and is not charged.
enum { WORK_SHORT = 256 };  // bytes
int work_compare_long(Local *local, const void *a, const void *b, size_t len);
static inline int work_compare(Local *local, const void *a, const void *b,
                               size_t len) {
  return len <= WORK_SHORT ? memcmp(a, b, len)
                           : work_compare_long(local, a, b, len);
}
// Bytes that are copied for a unit where the memory may be new to the system.
enum { WORK_NEW_BYTES = 4 };
// As memcpy, charged. false: given up.
bool work_copy_long(Local *local, void *to, const void *from, size_t len);
static inline bool work_copy(Local *local, void *to, const void *from,
                             size_t len) {
  enum { PIECE = 1 << 12 };
  if (len > PIECE) return work_copy_long(local, to, from, len);
  memcpy(to, from, len);
  charge_bytes(local, len);
  return true;
}
// How many of the next n turns are done between two calls of work_on.
enum { WORK_TURNS = 1024 };
static inline size_t work_turns(size_t n) {
  return n < WORK_TURNS ? n : WORK_TURNS;
}
// Charges; looks when it is time. false: given up.
static inline bool work_on(Local *local, uint64_t units) {
  work_charge(local, units);
  return __builtin_expect(local->debt < WORK_PIECE, 1) || !work_look(local);
}
// Before memory of so many bytes is made, or more: the system clears a page of
// 2 MB in one step, so others are served first. false: given up.
enum { WORK_BIG = 1 << 20 };
static inline bool work_before_big(Local *local) {
  return work_on(local, WORK_PIECE);
}
// The same after a part of an operation: where there is no more to do it is
// done, whatever was charged before it.
static inline bool work_part(Local *local, uint64_t units, bool more) {
  work_charge(local, units);
  return __builtin_expect(!more || local->debt < WORK_PIECE, 1) ||
         !work_look(local);
}
// What has readied those that waited: a close, a task's end, a cancellation.
// All are readied at once, because nobody may see that some are not.
static inline void charge_woken(Local *local) {
  enum { EACH = 64 };
  uint64_t count = sched_take_woken(local->p);
  if (__builtin_expect(count > 1, 0)) work_charge(local, count * EACH);
}
// Work of unknown length (a collection, a blocking call of a stepped host): the
// next safepoint is a look that reads the clock.
static inline void charge_look(Local *local) {
  enum { PAST_ANY_LOOK = 1 << 20 };
  local->debt += PAST_ANY_LOOK;
}

#endif
