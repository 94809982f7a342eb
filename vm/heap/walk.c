// SPDX-License-Identifier: MIT
// Walks through all goroutines in pieces. The world is stopped for each piece,
// and runs in between.
//
// Each P has a list of goroutines, and the heap has one of those whose P went
// away. New ones come to the head of a list, and only the collector takes some
// off. So a walk that goes from head to end needs no more between two pieces
// than the next goroutine. The collector moves the walks that would go on with
// one that it takes off (walk_pass).
//
// When a P goes away its list comes to the heap's. A walk that began before
// that does not go on.
#include "vm/heap/walk.h"

#include "vm/heap/heap_internal.h"

// The lists are the heap's, that of the first P, which is there before the
// scheduler, and those of the other Ps.
enum { LIST_HEAP, LIST_BOOT, LIST_PS };

static int count_lists(const Vm *vm) {
  return LIST_PS + (vm->sched != NULL ? sched_procs(vm->sched) : 0);
}

static Goroutine *list_at(Vm *vm, int n) {
  if (n == LIST_HEAP) return vm->heap->orphans;
  Local *local =
      n == LIST_BOOT ? vm->boot : local_of(sched_p(vm->sched, n - LIST_PS));
  bool again = n >= LIST_PS && local == vm->boot;
  return local != NULL && !again ? local->all : NULL;
}

static void begin(Vm *vm, HeapWalk *walk) {
  Heap *heap = vm->heap;
  *walk = (HeapWalk){
      .begun = true, .retired = heap->retired, .next = list_at(vm, 0)};
  rt_lock(&heap->lock);
  walk->other = heap->walks;
  // relaxed: walk_pass reads it at a later stop
  rt_store_relaxed(&heap->walks, walk);
  rt_unlock(&heap->lock);
}

WalkEnd heap_walk_on(Vm *vm, HeapWalk *walk,
                     bool (*fn)(void *arg, Goroutine *g), void *arg) {
  if (!walk->begun) begin(vm, walk);
  if (walk->retired != vm->heap->retired) return WALK_LOST;
  for (;;) {
    while (walk->next == NULL) {
      if (++walk->list >= count_lists(vm)) return WALK_DONE;
      walk->next = list_at(vm, walk->list);
    }
    Goroutine *g = walk->next;
    RT_ASSERT(g->obj.type == OBJ_GOROUTINE);
    walk->next = g->all_next;
    // relaxed: the world is stopped
    uint32_t status = rt_load_relaxed(&g->g.status);
    if (status != G_DEAD && status != G_IDLE && !fn(arg, g)) return WALK_MORE;
  }
}

void heap_walk_end(Vm *vm, HeapWalk *walk) {
  Heap *heap = vm->heap;
  if (!walk->begun) return;
  rt_lock(&heap->lock);
  if (heap->walks == walk) {
    // relaxed: walk_pass, if it still sees the walk, takes the lock
    rt_store_relaxed(&heap->walks, walk->other);
  } else {
    HeapWalk *before = heap->walks;
    while (before->other != walk) before = before->other;
    before->other = walk->other;
  }
  rt_unlock(&heap->lock);
  *walk = (HeapWalk){0};
}

void walk_pass(Heap *heap, const Goroutine *g) {
  // relaxed: begin stored it while the world was stopped, and it is
  // stopped again
  if (rt_load_relaxed(&heap->walks) == NULL) return;
  rt_lock(&heap->lock);
  for (HeapWalk *walk = heap->walks; walk != NULL; walk = walk->other)
    if (walk->next == g) walk->next = g->all_next;
  rt_unlock(&heap->lock);
}
