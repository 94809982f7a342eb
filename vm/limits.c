// SPDX-License-Identifier: MIT
// What happens when a limit is reached (CspConfig.max_memory, max_goroutines).
//
// An allocation never collects: it fails, and what wanted it panics. Where that
// has changed nothing yet the panic is taken back, a collection is made, and it
// is done again: opcodes under TRY in the interpreter, and natives that are
// CSP_REPEATABLE. It is done again once: when it fails at the same place, with
// no safepoint between and next to nothing allocated since, the panic stays.
// (But somebody else may have taken what was freed: then there was much
// allocated, and much to collect.)
#include "vm/runtime.h"

// --- Memory -----------------------------------------------------------------
// false: there was no collection, as there is no memory even for that, or the
// run ends. Another P that stops the world goes first: it waits for this one.
static bool collect(Local *l, Goroutine *g) {
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
  if (l->retried == g->pc && heap_just_collected(&l->heap)) {
    l->retried = NULL;
    return false;
  }
  l->retried = g->pc;
  return collect(l, g);
}

bool memory_panicked(Local *l, const Goroutine *g) {
  return g->panic != NULL && g->panic->value == vm_code(l->vm)->memory_error;
}

bool memory_panic_again(Local *l, Goroutine *g) {
  if (!memory_again(l, g)) return false;
  panic_drop(g);
  return true;
}

// What it takes is gone when the script runs.
size_t vm_compile_room(Vm *vm) {
  enum { ALWAYS = 4 << 20 };
  uint64_t limit = runtime_of(vm)->config.max_memory;
  if (limit == 0) return SIZE_MAX;
  return limit > ALWAYS ? (size_t)limit : ALWAYS;
}

// --- Goroutines -------------------------------------------------------------
// Those that were collected have not ended.
static bool is_room(Vm *vm) {
  HeapStats heap;
  heap_stats(vm->heap, &heap);
  uint64_t ended = heap.goroutines_collected;
  return rt_load_relaxed(&vm->goroutines) - ended < vm->goroutine_limit;
}

bool goroutine_allowed_limited(Local *l, Goroutine *g) {
  Vm *vm = l->vm;
  if (is_room(vm)) return true;
  collect(l, g);  // there may be some that can never run again
  if (is_room(vm)) return true;
  return vm_panic(l, g, "too many goroutines: the limit is %llu",
                  (unsigned long long)vm->goroutine_limit);
}
