// SPDX-License-Identifier: MIT
// The heap's face: allocation by P, accounting, pins, the store barrier.
//
// A P allocates from windows of 64 objects of its current span of each size
// class: no lock and no atomic until the span is full (heap_take_span). Only
// the owner of a P touches its LocalHeap, or the collector while the world
// is stopped. Pins and roots are any thread's, with a lock of their own.
#include "vm/heap/heap.h"

#include "vm/heap/heap_internal.h"
#include "vm/heap/local.h"
#include "vm/heap/span.h"
#include "vm/heap/sweep.h"

// By (size + 15) / 16; the sizes are in span.c.
const uint8_t heap_class_of[HEAP_SMALL_MAX / 16 + 1] = {
    0,
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    12,
    13,
    14,
    15,
    [17 ... 18] = 16,
    [19 ... 20] = 17,
    [21 ... 24] = 18,
    [25 ... 28] = 19,
    [29 ... 32] = 20,
    [33 ... 40] = 21,
    [41 ... 48] = 22,
    [49 ... 56] = 23,
    [57 ... 64] = 24,
    [65 ... 80] = 25,
    [81 ... 96] = 26,
    [97 ... 112] = 27,
    [113 ... 128] = 28,
};
static const uint16_t medium_sizes[CLASSES - CLASS_MEDIUM] = {
    2560, 3072, 4096, 5456, 6544, 8192, 10912, 13104, 16384, 21840, 32768};

// --- Life -------------------------------------------------------------------
void heap_local_init(LocalHeap *local, Heap *heap) {
  memset(local, 0, sizeof *local);
  local->heap = heap;
}

Heap *heap_new(Vm *vm) {
  Heap *heap = mem_zeroed(vm->memory, sizeof *heap);
  if (heap == NULL) return NULL;
  heap->vm = vm;
  heap->goal = GOAL_MIN;
  heap->lock.rank = heap->pin_lock.rank = &rank_heap;
  heap_local_init(&heap->shared, heap);
  return heap;
}

void heap_set_hooks(Heap *heap, const HeapHooks *hooks) {
  heap->hooks = *hooks;
}

void heap_set_stress(Heap *heap, bool stress, bool poison) {
  heap->stress = stress;
  heap->poison = poison;
}

void heap_set_memory(Heap *heap, const HeapMemory *memory) {
  RT_ASSERT(heap->chunks == NULL);
  RT_ASSERT((memory->map == NULL) == (memory->unmap == NULL));
  heap->memory = *memory;
}

void heap_set_limit(Heap *heap, uint64_t bytes) {
  heap->limit = bytes;
  heap->goal = heap_next_goal(heap, heap->live);
}

static void free_segments(MarkSegment *segment) {
  while (segment != NULL) {
    RT_ASSERT(segment->count <= SEGMENT_ITEMS);
    MarkSegment *next = segment->next;
    mem_free(segment);
    segment = next;
  }
}

void heap_free(Heap *heap) {
  if (heap == NULL) return;
  heap_local_flush(&heap->shared);
  heap_sweep_all(heap);
  heap_finalize_all(heap);
  RT_ASSERT(heap->weights == 0);
  heap_unmap(heap);
  free_segments(heap->shaded);
  while (heap->roots != NULL) {
    RootHook *next = heap->roots->next;
    mem_free(heap->roots);
    heap->roots = next;
  }
  for (int n = 0; n < PINS_CHUNKS; n++) mem_free(heap->pins[n]);
  mem_free(heap->gc_markers);
  mem_free(heap);
}

// --- Accounting -------------------------------------------------------------
//
// The limit is for the sum of three (heap_used): the units of spans, what
// heap_take_other counts, and the weights of hosts' values. What goes on
// between two collections is in `allocated`. When `live` and that reach the
// goal, a collection is due.
//
// A weight is what a host's value holds outside of the heap. It stands in the
// header of the value, which owns it, in steps of WEIGHT_STEP:
//   - heap->weights is the sum of all values' weights, those of the dead that
//     are not swept included. So it is 0 when all are finalized.
//   - A weight that grows is allocated, one that shrinks is not any more. The
//     marker counts a weight with the value's own bytes. So it is in `live` as
//     long as its value is.
//   - The sweeper gives a dead value's weight back, after finalize has freed
//     what it stands for.
// Only the owner of a P changes weights, so none changes while the world is
// stopped. Two may change that of one value at the same time (the CAS).
bool heap_gc_wanted(const Heap *heap) {
  // relaxed: a wish, seen at some safepoint soon. Pairs with the RMWs below
  return rt_load_relaxed(&heap->want) != 0 || heap->stress;
}

// RMW, all: bits that others set at the same time stay. They order nothing, as
// heap_gc_wanted looks at them again
void heap_want_gc(Heap *heap) { rt_or(&heap->want, WANT_ASKED); }
static void fell_short(Heap *heap) { rt_or(&heap->want, WANT_SHORT); }
void heap_forget_shortage(Heap *heap) { rt_and(&heap->want, ~WANT_SHORT); }

static void flush_allocated(LocalHeap *local) {
  Heap *heap = local->heap;
  int64_t bytes = local->allocated;
  local->allocated = 0;
  if (bytes == 0) return;
  // RMW: a sum that all Ps add to here. heap_stats and heap_just_collected read
  // it, and it orders nothing
  int64_t sum = rt_add(&heap->allocated, bytes) + bytes;
  // live and goal change only while the world is stopped
  if (sum > 0 && heap->live + (uint64_t)sum >= heap->goal) heap_want_gc(heap);
}

static void count_allocated(LocalHeap *local, int64_t bytes) {
  local->allocated += bytes;
  if (local->allocated >= FLUSH_BYTES) flush_allocated(local);
}

bool heap_limited(const Heap *heap) { return heap->limit != 0; }

size_t heap_room(Heap *heap) {
  enum { ALWAYS = 64 << 10 };
  if (heap->limit == 0) return SIZE_MAX;
  uint64_t used = heap_used(heap);
  return used + ALWAYS < heap->limit ? heap->limit - used : ALWAYS;
}

bool heap_take_other(Heap *heap, size_t bytes) {
  uint64_t limit = heap->limit + heap->limit / 16;
  if (limit != 0 && heap_used(heap) + bytes > limit) return false;
  // RMW: a sum that any thread adds to. heap_used reads it, and it orders
  // nothing
  rt_add(&heap->external, (int64_t)bytes);
  return true;
}

void heap_give_other(Heap *heap, size_t bytes) {
  // RMW: a sum that any thread adds to. heap_used reads it, and it orders
  // nothing
  rt_add(&heap->external, -(int64_t)bytes);
}

enum { WEIGHT_STEP = 16 };

uint64_t heap_weight(const ObjHost *host) {
  RT_ASSERT(host->obj.type == OBJ_HOST);
  // relaxed: a number. heap_weigh stores it, and orders nothing by it
  return (uint64_t)rt_load_relaxed(&host->obj.hash) * WEIGHT_STEP;
}

static bool weight_fits(Heap *heap, int64_t more) {
  // RMW: a sum that all Ps and sweepers add to. heap_used reads it, and it
  // orders nothing. First, so that of two Ps that weigh at once one sees both
  rt_add(&heap->weights, more);
  if (more <= 0 || heap->limit == 0 || heap_used(heap) <= heap->limit)
    return true;
  rt_add(&heap->weights, -more);  // RMW: as above
  return false;
}

// What dead values weigh counts until they are swept.
static bool take_weight(Heap *heap, int64_t more) {
  if (weight_fits(heap, more)) return true;
  heap_sweep_all(heap);
  if (weight_fits(heap, more)) return true;
  fell_short(heap);
  return false;
}

bool heap_weigh(LocalHeap *local, ObjHost *host, size_t bytes) {
  Heap *heap = local->heap;
  RT_ASSERT(host->obj.type == OBJ_HOST);
  RT_ASSERT(chunk_of(host)->heap == heap);
  size_t steps = bytes / WEIGHT_STEP + (bytes % WEIGHT_STEP != 0);
  uint32_t now = steps < UINT32_MAX ? (uint32_t)steps : UINT32_MAX;
  // relaxed: the CAS below looks again
  uint32_t was = rt_load_relaxed(&host->obj.hash);
  for (;;) {
    int64_t more = ((int64_t)now - (int64_t)was) * WEIGHT_STEP;
    if (more == 0) return true;
    if (!take_weight(heap, more)) return false;
    // RMW: another P may be in heap_weigh with this value. It orders nothing
    if (rt_cas(&host->obj.hash, &was, now)) {
      local->allocated += more;
      if (more >= FLUSH_BYTES || -more >= FLUSH_BYTES ||
          local->allocated >= FLUSH_BYTES)
        flush_allocated(local);
      return true;
    }
    rt_add(&heap->weights, -more);  // RMW: as in weight_fits
  }
}

// With a limit, in time for what is born before the next safepoint.
uint64_t heap_next_goal(const Heap *heap, uint64_t live) {
  uint64_t goal = live * 2 > GOAL_MIN ? live * 2 : GOAL_MIN;
  if (heap->limit == 0) return goal;
  RT_ASSERT(goal > live);
  uint64_t room = heap->limit > live ? heap->limit - live : 0;
  return goal - live < room / 2 ? goal : live + room / 2;
}

uint64_t heap_little(const Heap *heap) {
  enum { LITTLE = 256 << 10 };
  uint64_t little = heap->limit / 32;
  return little > LITTLE ? little : LITTLE;
}

bool heap_just_collected(LocalHeap *local) {
  flush_allocated(local);
  Heap *heap = local->heap;
  // relaxed: a sum. Other Ps may add to it meanwhile, in flush_allocated
  return rt_load_relaxed(&heap->allocated) < (int64_t)heap_little(heap);
}

uint64_t heap_collections(const Heap *heap) {
  // relaxed: a count, which account stores while the world is stopped
  return rt_load_relaxed(&heap->collections);
}

void heap_stats(Heap *heap, HeapStats *out) {
  // relaxed, all: statistics, each right on its own. Ps add to allocated, the
  // collector stores most in account, span.c what is mapped
  int64_t allocated = rt_load_relaxed(&heap->allocated);
  *out = (HeapStats){
      .live = rt_load_relaxed(&heap->live),
      .total_allocated = rt_load_relaxed(&heap->total_allocated) +
                         (uint64_t)(allocated > 0 ? allocated : 0),
      .collections = rt_load_relaxed(&heap->collections),
      .pause_ns_max = rt_load_relaxed(&heap->pause_max),
      .pause_ns_last = rt_load_relaxed(&heap->pause_last),
      .objects_finalized = rt_load_relaxed(&heap->finalized),
      .goroutines_collected = rt_load_relaxed(&heap->goroutines_collected),
      .mapped = rt_load_relaxed(&heap->mapped),
  };
}

// --- Allocation -------------------------------------------------------------
#ifdef HEAP_ASAN
static void show_objects(char *window, size_t size, uint64_t bits) {
  for (; bits; bits &= bits - 1)
    heap_show(window + (size_t)__builtin_ctzll(bits) * size, size);
}
static void hide_objects(char *window, size_t size, uint64_t bits) {
  for (; bits; bits &= bits - 1)
    heap_hide(window + (size_t)__builtin_ctzll(bits) * size, size);
}
#else
#define show_objects(window, size, bits) ((void)0)
#define hide_objects(window, size, bits) ((void)0)
#endif

// The next window of the span with free objects; they count as allocated.
static bool next_window(LocalHeap *local, AllocCache *cache, Span *span) {
  RT_ASSERT(span_is_valid(span) && span->next == NULL);
  RT_ASSERT(cache->bits == 0 && cache->size == span->size);
  for (uint32_t w = cache->next; w < span->words; w++) {
    uint64_t bits = ~span->alloc[w] & span_mask(span, w);
    if (!bits) continue;
    span->alloc[w] |= bits;
    cache->bits = bits;
    cache->window = span->base + (size_t)w * 64 * span->size;
    cache->next = w + 1;
    show_objects(cache->window, span->size, bits);
    count_allocated(local, (int64_t)span->size * __builtin_popcountll(bits));
    return true;
  }
  cache->next = span->words;
  return false;
}

static bool refill(LocalHeap *local, uint8_t klass) {
  AllocCache *cache = &local->caches[klass];
  Heap *heap = local->heap;
  Span *span = local->spans[klass];
  RT_ASSERT(klass < CLASSES);
  for (;;) {
    RT_ASSERT(span == NULL || span->klass == klass);
    if (span != NULL) {
      if (next_window(local, cache, span)) return true;
      rt_lock(&heap->lock);
      span_push(&heap->full[klass], span);
      rt_unlock(&heap->lock);
    }
    span = heap_take_span(heap, klass);
    local->spans[klass] = span;
    cache->next = 0;
    if (span == NULL) return false;
    cache->size = (uint32_t)span->size;
  }
}

static Obj *take_cached(AllocCache *cache) {
  uint64_t bits = cache->bits;
  RT_ASSERT(bits != 0);
  cache->bits = bits & (bits - 1);
  return (Obj *)(cache->window + (size_t)__builtin_ctzll(bits) * cache->size);
}

static Obj *give_large(LocalHeap *local, Span *span) {
  Heap *heap = local->heap;
  local->allocated += (int64_t)span->size;
  flush_allocated(local);
  rt_lock(&heap->lock);
  span_push(&heap->full[CLASS_LARGE], span);
  rt_unlock(&heap->lock);
  return (Obj *)span->base;
}

static Obj *alloc_large(LocalHeap *local, size_t size) {
  RT_ASSERT(size > MEDIUM_MAX);
  Heap *heap = local->heap;
  heap_sweep_large(heap);
  Span *span = span_new_large(heap, size);
  if (span == NULL) {
    heap_sweep_all(heap);
    span = span_new_large(heap, size);
  }
  return span != NULL ? give_large(local, span) : NULL;
}

Obj *heap_alloc_growing(LocalHeap *local, size_t size, ObjType type) {
  RT_ASSERT(type != OBJ_HOST && type != OBJ_STRUCT);
  heap_sweep_large(local->heap);
  Span *span = span_new_growing(local->heap, size);
  if (span == NULL) return NULL;
  Obj *obj = give_large(local, span);
  *obj = (Obj){.type = (uint8_t)type};
  return obj;
}

bool heap_grow(LocalHeap *local, Obj *obj, size_t size) {
  Heap *heap = local->heap;
  Span *span = span_of(obj);
  size_t more;
  if (!span_has_room(span, size)) return false;
  if (!span_grow(heap, span, size, &more)) {
    heap_sweep_all(heap);
    if (!span_grow(heap, span, size, &more)) {
      fell_short(heap);
      return false;
    }
  }
  local->allocated += (int64_t)more;
  flush_allocated(local);
  return true;
}

static uint8_t class_of_size(size_t size) {
  if (size <= HEAP_SMALL_MAX) return heap_class_of[(size + 15) / 16];
  uint8_t i = 0;
  while (size > medium_sizes[i]) i++;
  RT_ASSERT(heap_sizes[CLASS_MEDIUM + i] == medium_sizes[i]);
  return (uint8_t)(CLASS_MEDIUM + i);
}

size_t heap_size_for(size_t size) {
  if (size <= MEDIUM_MAX) return heap_sizes[class_of_size(size)];
  return (size + UNIT_SIZE - 1) / UNIT_SIZE * UNIT_SIZE;
}

// Tries again after all sweeping is done: memory of dead objects may be left.
static bool refill_hard(LocalHeap *local, uint8_t klass) {
  if (refill(local, klass)) return true;
  heap_sweep_all(local->heap);
  fell_short(local->heap);
  return refill(local, klass);
}

Obj *heap_alloc_slow(LocalHeap *local, size_t size, ObjType type) {
  RT_ASSERT(local->heap != NULL && size >= sizeof(Obj));
  RT_ASSERT(type < OBJ_TYPE_COUNT);
  Obj *obj;
  if (size > MEDIUM_MAX) {
    obj = alloc_large(local, size);
    if (obj == NULL) fell_short(local->heap);
  } else {
    uint8_t klass = class_of_size(size);
    AllocCache *cache = &local->caches[klass];
    bool have = cache->bits || refill_hard(local, klass);
    obj = have ? take_cached(cache) : NULL;
  }
  if (obj == NULL) return NULL;
  RT_ASSERT(heap_object_at(local->heap, obj) == obj);
  RT_ASSERT(heap_size_of(obj) >= size);
  *obj = (Obj){.type = (uint8_t)type};
  if (type == OBJ_HOST || type == OBJ_STRUCT) heap_finalizable(obj);
  return obj;
}

Obj *heap_alloc_shared(Heap *heap, size_t size, ObjType type) {
  rt_lock(&heap->shared_lock);
  Obj *obj = heap_alloc(&heap->shared, size, type);
  rt_unlock(&heap->shared_lock);
  return obj;
}

void heap_finalizable(Obj *obj) {
  Span *span = span_of(obj);
  // relaxed: only set while it is in use. The sweeper has the span alone
  if (!rt_load_relaxed(&span->finalizable))
    rt_store_relaxed(&span->finalizable, true);
}

// No lock: the world is stopped (and the scheduler may hold its own).
void heap_local_flush(LocalHeap *local) {
  Heap *heap = local->heap;
  if (heap == NULL) return;
  for (int klass = 0; klass < CLASSES; klass++) {
    AllocCache *cache = &local->caches[klass];
    Span *span = local->spans[klass];
    RT_ASSERT(span != NULL || cache->bits == 0);
    if (span == NULL) continue;
    RT_ASSERT(span->klass == klass && chunk_of(span)->heap == heap);
    RT_ASSERT(cache->bits == 0 || cache->next <= span->words);
    // What was not handed out yet is allocated in the span.
    RT_ASSERT(cache->bits == 0 ||
              (cache->bits & ~span->alloc[cache->next - 1]) == 0);
    if (cache->bits) span->alloc[cache->next - 1] &= ~cache->bits;
    local->allocated -= (int64_t)span->size * __builtin_popcountll(cache->bits);
    hide_objects(cache->window, cache->size, cache->bits);
    span_push(&heap->partial[klass], span);
    local->spans[klass] = NULL;
    *cache = (AllocCache){0};
  }
  memset(local->recent, 0, sizeof local->recent);
  flush_allocated(local);
}

void heap_local_free(Local *local) {
  Heap *heap = local->heap.heap;
  heap_local_flush(&local->heap);
  free_segments(local->heap.shaded);
  local->heap.shaded = NULL;
  Goroutine **end = &local->all;
  while (*end != NULL) end = &(*end)->all_next;
  *end = heap->orphans;
  heap->orphans = local->all;
  heap->retired++;
  local->all = local->free = NULL;
  local->free_count = 0;
}

// --- Pins and roots ---------------------------------------------------------
static Value *pin_slot(const Heap *heap, uint32_t pin) {
  RT_ASSERT(pin != 0);
  uint32_t index = pin - 1;
  int chunk = 31 - __builtin_clz(index / PINS_FIRST + 1);
  RT_ASSERT(chunk < PINS_CHUNKS);
  // acquire: pairs with release in grow_pins
  Value *slots = rt_load_acquire(&heap->pins[chunk]);
  RT_ASSERT(slots != NULL);
  return slots + (index - PINS_FIRST * ((1u << chunk) - 1));
}

// pin_lock held.
static bool grow_pins(Heap *heap) {
  int chunk = heap->pins_cap == 0
                  ? 0
                  : 31 - __builtin_clz(heap->pins_cap / PINS_FIRST + 1);
  if (chunk == PINS_CHUNKS) return false;
  RT_ASSERT(heap->pins[chunk] == NULL && heap->pins_free == 0);
  uint32_t count = (uint32_t)PINS_FIRST << chunk;
  Value *slots = mem_alloc(heap->vm->memory, count * sizeof *slots);
  if (slots == NULL) return false;
  for (uint32_t i = count; i-- > 0;) {
    slots[i] = value_from_small(heap->pins_free);  // ints need no marking
    heap->pins_free = heap->pins_cap + i + 1;
  }
  // release: the slots are filled. Pairs with acquire in pin_slot
  rt_store_release(&heap->pins[chunk], slots);
  heap->pins_cap += count;
  return true;
}

uint32_t heap_pin(Heap *heap, Value v) {
  uint32_t pin = 0;
  rt_lock(&heap->pin_lock);
  if (heap->pins_free || grow_pins(heap)) {
    pin = heap->pins_free;
    Value *slot = pin_slot(heap, pin);
    RT_ASSERT(value_is_small(*slot));
    heap->pins_free = (uint32_t)value_small(*slot);
    RT_ASSERT(heap->pins_free <= heap->pins_cap);
    // relaxed: heap_pinned reads it, on a thread that got the pin from this one
    rt_store_relaxed(slot, v);
  }
  rt_unlock(&heap->pin_lock);
  return pin;
}

// relaxed: nobody stores to a pin that is held
Value heap_pinned(Heap *heap, uint32_t pin) {
  return rt_load_relaxed(pin_slot(heap, pin));
}

void heap_unpin(Heap *heap, uint32_t pin) {
  rt_lock(&heap->pin_lock);
  RT_ASSERT(pin != 0 && pin <= heap->pins_cap && pin != heap->pins_free);
  // relaxed: pin_lock is held. A thread that reads a pin holds it, so it is
  // not this one
  rt_store_relaxed(pin_slot(heap, pin), value_from_small(heap->pins_free));
  heap->pins_free = pin;
  rt_unlock(&heap->pin_lock);
}

bool heap_add_roots(Heap *heap, void (*mark)(void *arg, GcMarker *marker),
                    void *arg) {
  RootHook *hook = mem_alloc(heap->vm->memory, sizeof *hook);
  if (hook == NULL) return false;
  rt_lock(&heap->pin_lock);
  *hook = (RootHook){heap->roots, mark, arg};
  heap->roots = hook;
  rt_unlock(&heap->pin_lock);
  return true;
}

// --- The store barrier ------------------------------------------------------
// Room for one more shaded object in the local buffer. NULL: no memory.
static MarkSegment *shade_buffer(LocalHeap *local) {
  MarkSegment *segment = local->shaded;
  if (segment != NULL && segment->count < SEGMENT_ITEMS) return segment;
  MarkSegment *fresh = mem_alloc(local->heap->vm->memory, sizeof *fresh);
  if (fresh == NULL) return NULL;
  *fresh = (MarkSegment){.next = NULL, .count = 0};
  if (segment != NULL) {
    rt_lock(&local->heap->lock);
    segment->next = local->heap->shaded;
    local->heap->shaded = segment;
    rt_unlock(&local->heap->lock);
  }
  local->shaded = fresh;
  return fresh;
}

// local may be NULL (a store by no P): then, as without memory, the collector
// finds the object by looking at all marked ones.
static void shade(LocalHeap *local, Obj *obj) {
  if (obj == NULL) return;
  Span *span = span_of(obj);
  uint32_t index = object_index(obj, span->klass);
  RT_ASSERT(index < span->count);
  RT_ASSERT(span->base + index * span->size == (char *)obj);
  uint64_t bit = (uint64_t)1 << index % 64;
  if (mark_test(span, index)) return;
  // RMW: other Ps shade, and other markers mark, in the same word. What is
  // marked was published before
  if (rt_or(&span->mark[index / 64], bit) & bit) return;
  MarkSegment *buffer = local != NULL ? shade_buffer(local) : NULL;
  if (buffer != NULL)
    buffer->items[buffer->count++] = (uintptr_t)obj;
  else
    // relaxed: mark_roots takes it, when the world is stopped
    rt_store_relaxed(&chunk_of(obj)->heap->mark_overflow, 1);
}

// As Go's hybrid barrier: what is overwritten and what is stored are both kept.
void heap_barrier(LocalHeap *local, Value *slot, Value v) {
  // relaxed: the old object is only marked, and the place of its bit depends on
  // the address (as heap_load. Pairs with heap_store)
  Value old = rt_load_relaxed(slot);
  if (value_is_obj(old)) shade(local, value_obj(old));
  if (value_is_obj(v)) shade(local, value_obj(v));
}

void heap_barrier_ptr(LocalHeap *local, void *slot, void *ptr) {
  // relaxed: as in heap_barrier
  shade(local, rt_load_relaxed((Obj **)slot));
  shade(local, ptr);
}
