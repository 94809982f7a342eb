// SPDX-License-Identifier: MIT
// What the rooms above may ask of an object's memory, and of all of it; and
// spans, for vm/heap/ alone.
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

// --- Spans -------------------------------------------------------------------
typedef struct Span Span;  // heap_internal.h
typedef struct SpanList SpanList;

// Whether a span that is in use is as span_new makes them: its place in its
// chunk, what its class says of its objects, no objects above its count. By
// its owner: a P, or the holder of heap.lock for those on a list.
bool span_is_valid(const Span *span);
Span *span_new(Heap *heap, uint8_t klass);      // NULL: out of memory
Span *span_new_large(Heap *heap, size_t size);  // one object of size bytes
// The same, with room to grow. NULL: out of memory, or there is no such room.
Span *span_new_growing(Heap *heap, size_t size);
// Whether the object of a large span can become so large.
bool span_has_room(const Span *span, size_t size);
// Makes it so large where it is; what is new of it is zeros. *more: by how many
// bytes it has grown. Any thread, several at once. false: out of memory.
bool span_grow(Heap *heap, Span *span, size_t size, size_t *more);
void span_free(Heap *heap, Span *span);      // in no list
void span_push(SpanList *list, Span *span);  // heap.lock held
Span *span_pop(SpanList *list);              // heap.lock held; may be NULL
void span_append(SpanList *list, SpanList *tail);  // empties tail
void heap_release(Heap *heap);  // gives much free memory back to the system
void heap_unmap(Heap *heap);

#endif
