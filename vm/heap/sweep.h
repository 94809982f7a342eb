// SPDX-License-Identifier: MIT
// Sweeping, for vm/heap/ alone.
#ifndef CSP_VM_HEAP_SWEEP_H
#define CSP_VM_HEAP_SWEEP_H

#include "vm/heap/span.h"

uint32_t span_sweep(Heap *heap, Span *span);  // objects that stay
// A span of the class with free objects, for a P. NULL: out of memory.
Span *heap_take_span(Heap *heap, uint8_t klass);
void heap_sweep_large(Heap *heap);
void heap_sweep_all(Heap *heap);
void heap_unsweep(Heap *heap);  // STW, after marking; all Ps flushed
void heap_finalize_all(Heap *heap);
// The object that holds this address, or NULL for no object in use.
Obj *heap_object_at(Heap *heap, const void *address);

#endif
