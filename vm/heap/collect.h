// SPDX-License-Identifier: MIT
// A collection, and all goroutines.
#ifndef CSP_VM_HEAP_COLLECT_H
#define CSP_VM_HEAP_COLLECT_H

#include "vm/heap/heap.h"

// Stops the world, marks in parallel, starts lazy sweeping, starts the world.
// May find that another P is collecting: then it has taken part. Owner P. g:
// what runs. NULL: the host's thread, between its calls (api_call.c).
void gc_collect(P *p, Goroutine *g);
// All goroutines that are not dead. World stopped.
void vm_each_goroutine(Vm *vm, void (*fn)(void *arg, Goroutine *g), void *arg);

#endif
