// SPDX-License-Identifier: MIT
// What the rooms above may ask of an object's memory, and of all of it.
#ifndef CSP_VM_HEAP_SPAN_H
#define CSP_VM_HEAP_SPAN_H

#include "vm/heap/heap.h"

// The bytes of an object's memory: what was asked for, or more.
size_t heap_size_of(const void *obj);

Vm *heap_vm_of(const void *obj);  // whose heap it is in

// The size of an object whose memory was all zeros when it was made: large ones
// have a new mapping. 0: another.
size_t heap_zeroed_size(const Obj *obj);

uint64_t heap_used(const Heap *heap);  // what counts against the limit

#endif
