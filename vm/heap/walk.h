// SPDX-License-Identifier: MIT
// All goroutines in pieces, between which the world runs: see walk.c.
#ifndef CSP_VM_HEAP_WALK_H
#define CSP_VM_HEAP_WALK_H

#include "vm/heap/local.h"

// Zeroed: not begun. From its first piece to heap_walk_end it stays in its
// place.
typedef struct HeapWalk HeapWalk;
struct HeapWalk {
  HeapWalk *other;  // of the heap's walks; guarded by heap->lock
  // While the world is stopped:
  Goroutine *next;   // the first that was not visited yet ...
  int list;          // ... of that list
  uint64_t retired;  // Heap.retired at the beginning
  bool begun;
};

typedef enum WalkEnd {
  WALK_MORE,  // fn has ended the piece
  WALK_DONE,
  WALK_LOST  // a P has gone: some might be visited twice
} WalkEnd;

// Visits goroutines that are not dead until fn gives false, or all were
// visited. Those that begin meanwhile may be missing. World stopped.
WalkEnd heap_walk_on(Vm *vm, HeapWalk *walk,
                     bool (*fn)(void *arg, Goroutine *g), void *arg);
// Any thread. Nothing is done if it has not begun.
void heap_walk_end(Vm *vm, HeapWalk *walk);
// g leaves its list: no walk may go on with it. World stopped.
void walk_pass(Heap *heap, const Goroutine *g);

#endif
