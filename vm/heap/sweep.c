// SPDX-License-Identifier: MIT
// Sweeping: after a marking, mark bits become allocation bits.
//
// Every span is swept once per collection: by an allocator that needs a span
// of its class, or by the P that collected, after the world goes on. A span
// on an unswept list belongs to the P that pops it. Objects are touched only
// where some need finalizing (span.finalizable), or to poison them.
#include "vm/heap/sweep.h"

#include "vm/heap/heap_internal.h"

// --- One object -------------------------------------------------------------
static void free_methods(MethodRoom *room) {
  for (MethodRoom *before; room != NULL; room = before) {
    before = room->before;
    mem_free(room);
  }
}

static void finalize_host(Heap *heap, ObjHost *host) {
  uint64_t weight = heap_weight(host);
  if (host->klass != NULL && host->klass->finalize != NULL) {
    host->klass->finalize(host->data);
    // RMW: a count that any sweeping thread adds to. heap_stats reads it
    rt_add(&heap->finalized, 1);
  }
  // RMW: a sum that heap_weigh and other sweepers add to. It orders nothing
  if (weight > 0) rt_add(&heap->weights, -(int64_t)weight);
}

static void finalize(Heap *heap, Obj *obj) {
  if (obj->type == OBJ_HOST) {
    finalize_host(heap, (ObjHost *)obj);
  } else if (obj->type == OBJ_STRUCT) {
    free_methods(((ObjStruct *)obj)->room);
  } else if (obj->type == OBJ_TASK || obj->type == OBJ_GROUP) {
    void *trace = obj->type == OBJ_TASK ? ((ObjTask *)obj)->trace
                                        : ((ObjGroup *)obj)->trace;
    if (trace != NULL && heap->hooks.free_trace != NULL)
      heap->hooks.free_trace(heap->hooks.arg, trace);
  }
}

// What has a mapping of its own is unmapped soon, and may be gigabytes that
// nobody has touched.
static void poison(Heap *heap, Span *span, Obj *obj) {
  if (heap->poison && !span->own_chunk) memset(obj, 0xdb, span->size);
  heap_hide(obj, span->size);
}

// The objects of `dead` (bits of word w) end.
static void free_objects(Heap *heap, Span *span, uint32_t w, uint64_t dead) {
  RT_ASSERT(w < span->words && (dead & ~span_mask(span, w)) == 0);
  for (; dead; dead &= dead - 1) {
    uint64_t index = w * 64 + (uint64_t)__builtin_ctzll(dead);
    Obj *obj = (Obj *)(span->base + index * span->size);
    // relaxed: the sweeper has the span alone
    if (rt_load_relaxed(&span->finalizable)) finalize(heap, obj);
    poison(heap, span, obj);
  }
}

// --- Spans ------------------------------------------------------------------
#ifdef HEAP_ASAN
static bool must_touch(const Heap *heap, Span *span) {
  (void)heap, (void)span;
  return true;
}
#else
static bool must_touch(const Heap *heap, Span *span) {
  // relaxed: as in free_objects
  return heap->poison || rt_load_relaxed(&span->finalizable);
}
#endif

uint32_t span_sweep(Heap *heap, Span *span) {
  RT_ASSERT(span_is_valid(span) && span->next == NULL);
  uint32_t live = 0;
  bool touch = must_touch(heap, span);
  for (uint32_t w = 0; w < span->words; w++) {
    // relaxed, both: marking is over, and the sweeper has the span alone
    uint64_t mark = rt_load_relaxed(&span->mark[w]);
    RT_ASSERT((mark & ~span->alloc[w]) == 0);  // only what lives is marked
    if (touch) free_objects(heap, span, w, span->alloc[w] & ~mark);
    span->alloc[w] = mark;
    rt_store_relaxed(&span->mark[w], 0);
    live += (uint32_t)__builtin_popcountll(mark);
  }
  RT_ASSERT(live <= span->count);
  // relaxed: as above
  if (live == 0) rt_store_relaxed(&span->finalizable, false);
  return live;
}

static Span *pop_locked(Heap *heap, SpanList *list) {
  rt_lock(&heap->lock);
  Span *span = span_pop(list);
  rt_unlock(&heap->lock);
  return span;
}

static void push_locked(Heap *heap, SpanList *list, Span *span) {
  rt_lock(&heap->lock);
  span_push(list, span);
  rt_unlock(&heap->lock);
}

Span *heap_take_span(Heap *heap, uint8_t klass) {
  RT_ASSERT(klass < CLASSES);
  Span *span;
  while ((span = pop_locked(heap, &heap->unswept[klass])) != NULL) {
    RT_ASSERT(span->klass == klass);
    if (span_sweep(heap, span) < span->count) return span;
    push_locked(heap, &heap->full[klass], span);
  }
  span = pop_locked(heap, &heap->partial[klass]);
  return span != NULL ? span : span_new(heap, klass);
}

// --- All --------------------------------------------------------------------
static void sweep_class(Heap *heap, uint8_t klass) {
  Span *span;
  while ((span = pop_locked(heap, &heap->unswept[klass])) != NULL) {
    RT_ASSERT(span->klass == klass);
    uint32_t live = span_sweep(heap, span);
    if (live == 0)
      span_free(heap, span);
    else if (live < span->count)
      push_locked(heap, &heap->partial[klass], span);
    else
      push_locked(heap, &heap->full[klass], span);
  }
}

void heap_sweep_large(Heap *heap) { sweep_class(heap, CLASS_LARGE); }

void heap_sweep_all(Heap *heap) {
  for (int klass = CLASSES; klass >= 0; klass--)
    sweep_class(heap, (uint8_t)klass);
}

void heap_unsweep(Heap *heap) {
  for (int klass = 0; klass <= CLASSES; klass++) {
    RT_ASSERT(heap->unswept[klass].first == NULL);
    span_append(&heap->unswept[klass], &heap->partial[klass]);
    span_append(&heap->unswept[klass], &heap->full[klass]);
  }
}

// At the end: every span is on a list, nothing is marked.
void heap_finalize_all(Heap *heap) {
  heap_unsweep(heap);
  for (int klass = 0; klass <= CLASSES; klass++) {
    Span *span;
    while ((span = span_pop(&heap->unswept[klass])) != NULL)
      // relaxed: this thread alone is left
      if (rt_load_relaxed(&span->finalizable)) span_sweep(heap, span);
  }
}

// --- Looking up -------------------------------------------------------------
Obj *heap_object_at(Heap *heap, const void *address) {
  Chunk *chunk = chunk_of(address);
  if (chunk->heap != heap || unit_of(address) < UNITS_HEADER) return NULL;
  Span *span = span_of(address);
  if (span->base == NULL) return NULL;
  uint32_t index = object_index(address, span->klass);
  if (index >= span->count || !(span->alloc[index / 64] >> index % 64 & 1))
    return NULL;
  return (Obj *)(span->base + index * span->size);
}
