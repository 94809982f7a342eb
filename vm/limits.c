// SPDX-License-Identifier: MIT
// What happens when a limit is reached (CspConfig.max_memory, max_goroutines).
//
// An allocation never collects: it fails, and what wanted it panics. Where that
// has changed nothing yet the panic is taken back, a collection is made, and it
// is done again: opcodes under TRY in the interpreter, and natives that are
// CSP_REPEATABLE. It is done again once: when it fails at the same place, with
// no safepoint between and next to nothing allocated since, the panic stays.
// The place is the goroutine's: others run the same code, and on whatever P.
// (But somebody else may have taken what was freed: then there was much
// allocated, and much to collect.) When somebody stops the panic, what its
// frames held is collected at once: what follows may fit now, and not all of it
// could be done again.
#include "vm/runtime.h"

// --- Memory -----------------------------------------------------------------
// false: there was no collection, as there is no memory even for that, or the
// run ends. Another P that stops the world goes first: it waits for this one.
static bool collect_now(Local *l, Goroutine *g) {
  Heap *heap = l->vm->heap;
  uint64_t before = heap_collections(heap);
  g->on_resume = RESUME_NOTHING;
  do {
    heap_want_gc(heap);
    gc_collect(l->p, g);
  } while (heap_collections(heap) == before && sched_attend_stop(l->p));
  return heap_collections(heap) != before;
}

bool memory_again(Local *l, Goroutine *g) {
  if (g->gave_up) return false;
  uint32_t at = (uint32_t)(uintptr_t)g->pc;
  if (g->retried == at && heap_just_collected(&l->heap)) {
    g->retried = 0;
    return false;
  }
  g->retried = at;
  return collect_now(l, g);
}

bool memory_panicked(Local *l, const Goroutine *g) {
  return !g->gave_up && g->panic != NULL &&
         g->panic->value == vm_code(l->vm)->memory_error;
}

bool memory_panic_again(Local *l, Goroutine *g) {
  if (!memory_again(l, g)) return false;
  panic_drop(g);
  return true;
}

void memory_settle(Local *l, Goroutine *g, Value panicked) {
  if (panicked != vm_code(l->vm)->memory_error) return;
  if (heap_gc_wanted(l->vm->heap)) collect_now(l, g);
}

// Most of what it takes is gone when the script runs, so there is always some.
size_t vm_compile_room(Vm *vm) {
  enum { ALWAYS = 4 << 20 };
  size_t room = heap_room(vm->heap);
  return room > ALWAYS ? room : ALWAYS;
}

bool vm_compile_is_over(Vm *vm) {
  Csp *csp = runtime_of(vm);
  bool stopped = csp->config.stepped ? host_is_stopped(vm->sched)
                                     // relaxed: it is seen soon
                                     : rt_load_relaxed(&csp->interrupted) != 0;
  if (!stopped && csp->until != 0) stopped = rt_now() >= csp->until;
  csp->gave_up |= stopped;
  return stopped;
}

// --- Goroutines -------------------------------------------------------------
// Those that were collected have not ended.
static bool is_room(Vm *vm) {
  HeapStats heap;
  heap_stats(vm->heap, &heap);
  uint64_t ended = heap.goroutines_collected;
  return rt_load_relaxed(&vm->goroutines) - ended < vm->goroutine_limit;
}

bool goroutine_room(Vm *vm) { return vm->goroutine_limit == 0 || is_room(vm); }

bool goroutine_allowed_limited(Local *l, Goroutine *g) {
  Vm *vm = l->vm;
  if (is_room(vm)) return true;
  collect_now(l, g);  // there may be some that can never run again
  if (is_room(vm)) return true;
  return vm_panic(l, g, "too many goroutines: the limit is %llu",
                  (unsigned long long)vm->goroutine_limit);
}
