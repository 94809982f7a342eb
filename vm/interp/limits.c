// SPDX-License-Identifier: MIT
// What happens when a limit is reached (CspConfig.max_memory, max_goroutines).
//
// An allocation never collects. It fails, and the operation that wanted it
// panics. Where that operation has changed nothing yet, the panic is taken
// back, a collection is made, and the operation begins again. Opcodes under TRY
// are such operations, and natives that are CSP_REPEATABLE.
//
// An operation is repeated once, as a rule. The panic stays when it fails again
// at the same place, with no safepoint between and next to nothing allocated
// since. Each goroutine has such a place of its own, because others run the
// same code, on any P. If another goroutine has taken what was freed, much was
// allocated, and there is much to collect. But a host's operation may have
// allocated that itself before it failed. So there are REPEATS_MOST such
// repeats at most. (After one that went well the next safepoint comes soon:
// charge_look.)
//
// When a script stops the panic, what its frames held is collected at once.
// What follows may fit now, and some of it could not be repeated.
//
// Such collections are forced, as the heap's own pace did not ask for them. A
// script can force one by each allocation or start that is refused. So those
// that were in vain are paid for in time (Pace). Some may follow each other,
// and in the long run they take at most half of the time. Where the pace allows
// none, the panic stays. Collections that made room cost nothing.
//
// Where memory is full, or much has been allocated since the last collection,
// the pace is not asked, because the little that the panic itself took has to
// be found again. While a panic is under way the pace is asked, because each of
// a million deferred calls may be refused.
//
// A start that is tried over and over is allowed at the latest when as much
// time has passed as the last collection took. Allocations and starts have one
// pace. It cannot know whether there is anything to find, because overwritten
// references are not counted.
#include "vm/interp/limits.h"
#include "vm/heap/collect.h"
#include "vm/heap/local.h"
#include "vm/heap/span.h"
#include "vm/interp/interp.h"
#include "vm/interp/panic.h"
#include "vm/interp/stack.h"

// --- Forced collections -----------------------------------------------------
enum { IN_VAIN_MOST = 4 };  // that follow each other at once

// relaxed: pace_in_vain stores both. Where several Ps take turns some of the
// time may not be counted
bool pace_allows(const Pace *pace, int64_t now) {
  return rt_load_relaxed(&pace->due) - now <
         IN_VAIN_MOST * rt_load_relaxed(&pace->most);
}

// relaxed: as in pace_allows
void pace_took(Pace *pace, int64_t ns) { rt_store_relaxed(&pace->took, ns); }

void pace_in_vain(Pace *pace, int64_t now) {
  // relaxed, all: as in pace_allows
  int64_t took = rt_load_relaxed(&pace->took), began = now - took;
  int64_t due = rt_load_relaxed(&pace->due);
  bool first = due <= began;
  if (first || took > rt_load_relaxed(&pace->most))
    rt_store_relaxed(&pace->most, took);
  rt_store_relaxed(&pace->due, (first ? began : due) + 2 * took);
}

// false: there was no collection, as there is no memory even for that, or the
// run ends. Another P that stops the world goes first: it waits for this one.
static bool collect_now(Local *local, Goroutine *g) {
  Heap *heap = local->vm->heap;
  uint64_t before = heap_collections(heap);
  int64_t began = rt_now();
  g->on_resume = RESUME_NOTHING;
  RT_ASSERT(goroutine_is_valid(g));
  do {
    heap_want_gc(heap);
    gc_collect(local->p, g);
  } while (heap_collections(heap) == before && sched_attend_stop(local->p));
  pace_took(&local->vm->forced, rt_now() - began);
  return heap_collections(heap) != before;
}

// --- Memory -----------------------------------------------------------------
// There is room, and next to nothing to collect: too much was asked for.
static bool was_too_much(Local *local) {
  Heap *heap = local->vm->heap;
  return heap_limited(heap) && heap_room(heap) > heap_little(heap) &&
         heap_just_collected(&local->heap);
}

// Whether a collection may be forced because memory was not to be had. If not,
// none comes at the next safepoint, either.
static bool may_collect(Local *local, bool paced) {
  Vm *vm = local->vm;
  if (!paced && !was_too_much(local)) return true;
  if (pace_allows(&vm->forced, rt_now())) return true;
  heap_forget_shortage(vm->heap);
  return false;
}

static bool collect_memory(Local *local, Goroutine *g) {
  Vm *vm = local->vm;
  uint64_t used = heap_used(vm->heap);
  if (!collect_now(local, g)) return false;
  if (heap_used(vm->heap) + heap_little(vm->heap) > used)
    pace_in_vain(&vm->forced, rt_now());
  return true;
}

// Whether a collection was made here before, and another one is of no use.
static bool is_in_vain(Local *local, const Goroutine *g, uint32_t at) {
  enum { REPEATS_MOST = 8 };
  return g->retried == at &&
         (g->repeats == REPEATS_MOST || heap_just_collected(&local->heap));
}

// panic: the one under way, if any.
static bool again(Local *local, Goroutine *g, const Panic *panic) {
  if (g->gave_up) return false;
  uint32_t at = (uint32_t)(uintptr_t)g->pc;
  if (is_in_vain(local, g, at)) {
    g->retried = 0;
    return false;
  }
  if (!may_collect(local, panic != NULL)) return false;
  g->repeats = g->retried == at ? g->repeats + 1 : 0;
  g->retried = at;
  return collect_memory(local, g);
}

#ifdef CSP_DEBUG
// Is it known of the opcode that runs that a collection may come in it?
static bool may_collect_here(const Goroutine *g) {
  const Instr *code = frame_closure(g->base)->proto->code;
  return g->pc == code || (op_traits(INSTR_OP(g->pc[-1])) & MAY_COLLECT) != 0;
}
#endif

bool memory_again(Local *local, Goroutine *g) {
  RT_ASSERT(g->panic != NULL || may_collect_here(g));
  return again(local, g, g->panic);
}

bool memory_call_again(Local *local, Goroutine *g) {
  g->repeats = 0;  // the native goes on where it was
  return again(local, g, g->panic);
}

bool memory_panicked(Local *local, const Goroutine *g) {
  return !g->gave_up && g->panic != NULL &&
         g->panic->value == vm_code(local->vm)->memory_error;
}

bool memory_panic_again(Local *local, Goroutine *g) {
  if (!again(local, g, g->panic->link)) return false;
  panic_drop(g);
  return true;
}

bool memory_panic_again_here(Local *local, Goroutine *g, const Value *end) {
  if (!memory_panicked(local, g)) return false;
  uint32_t multi = g->multi;
  stack_cover(g, end);
  bool again = memory_panic_again(local, g);
  g->multi = multi;
  return again;
}

void memory_settle(Local *local, Goroutine *g, Value panicked) {
  Heap *heap = local->vm->heap;
  if (panicked != vm_code(local->vm)->memory_error) return;
  // A safepoint on the way may have collected when the frames still held it.
  bool wanted = heap_gc_wanted(heap) || heap_room(heap) < heap_little(heap);
  if (wanted && may_collect(local, false)) collect_memory(local, g);
}

// --- Goroutines -------------------------------------------------------------
// Those that were collected have not ended.
static bool is_room(Vm *vm) {
  HeapStats heap;
  heap_stats(vm->heap, &heap);
  uint64_t ended = heap.goroutines_collected;
  // relaxed: a count, which goroutine_count changes. Starts at the same moment
  // may pass the limit by their number
  return rt_load_relaxed(&vm->goroutines) - ended < vm->goroutine_limit;
}

bool goroutine_room(Vm *vm) { return vm->goroutine_limit == 0 || is_room(vm); }

bool goroutine_allowed_limited(Local *local, Goroutine *g) {
  Vm *vm = local->vm;
  if (is_room(vm)) return true;
  if (pace_allows(&vm->forced, rt_now())) {
    collect_now(local, g);  // there may be some that can never run again
    if (is_room(vm)) return true;
    pace_in_vain(&vm->forced, rt_now());
  }
  return vm_panic(local, g, "too many goroutines: the limit is %llu",
                  (unsigned long long)vm->goroutine_limit);
}
