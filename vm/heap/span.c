// SPDX-License-Identifier: MIT
// Chunks and spans: where the heap's memory comes from and goes back to.
//
// Any thread; heap.lock guards the chunks' lists and free units. Address
// space of ordinary chunks is kept until the heap is freed, their free units
// go back to the system when there are many (heap_release). Large objects
// that fit no chunk get a mapping of their own, unmapped when swept.
#include "vm/heap/span.h"

#include <errno.h>
#include <sys/mman.h>

#include "vm/heap/heap_internal.h"

// clang-format off
#define SIZES(X)                                                              \
  X(16) X(32) X(48) X(64) X(80) X(96) X(112) X(128) X(144) X(160) X(176)      \
  X(192) X(208) X(224) X(240) X(256) X(288) X(320) X(384) X(448) X(512)       \
  X(640) X(768) X(896) X(1024) X(1280) X(1536) X(1792) X(2048) X(2560)        \
  X(3072) X(4096) X(5456) X(6544) X(8192) X(10912) X(13104) X(16384) X(21840) \
  X(32768)
// clang-format on

const uint32_t heap_sizes[CLASSES + 1] = {
#define X(size) size,
    SIZES(X)
#undef X
};
const uint32_t heap_magic[CLASSES + 1] = {
#define X(size) (uint32_t)((((uint64_t)1 << 32) + size - 1) / size),
    SIZES(X)
#undef X
};

#define HUGE_FROM ((uint64_t)8 << 20)
#define LARGE_MOST (SIZE_MAX / 64)  // bytes of an object that are counted with

static const uint64_t all_units = ~(uint64_t)((1 << UNITS_HEADER) - 1);

// --- Validity ---------------------------------------------------------------
// One object, of whole units, in the chunk; or all of a chunk of its own.
static bool large_is_valid(const Span *span, size_t unit) {
  // acquire: bytes were raised before it. Pairs with the release in set_size
  uint64_t size = rt_load_acquire(&span->size);
  // relaxed: the acquire above keeps it after the size
  size_t bytes = rt_load_relaxed(&chunk_of(span)->bytes);
  size_t room = span->own_chunk ? bytes - UNITS_HEADER * UNIT_SIZE
                                : (UNITS - unit) * UNIT_SIZE;
  return span->count == 1 && size > 0 && size % UNIT_SIZE == 0 &&
         size <= room && (!span->own_chunk || unit == UNITS_HEADER);
}

// One unit of equal objects.
static bool small_is_valid(const Span *span) {
  return !span->own_chunk && span->size == heap_sizes[span->klass] &&
         span->count == UNIT_SIZE / span->size;
}

bool span_is_valid(const Span *span) {
  Chunk *chunk = chunk_of(span);
  size_t unit = (size_t)(span - chunk->spans);
  if (unit < UNITS_HEADER || unit >= UNITS || span != &chunk->spans[unit] ||
      span->base != (char *)chunk + unit * UNIT_SIZE)
    return false;
  if (span->klass > CLASS_LARGE || chunk_klass(chunk)[unit] != span->klass)
    return false;
  bool fits = span->klass == CLASS_LARGE ? large_is_valid(span, unit)
                                         : small_is_valid(span);
  if (!fits || span->words != (span->count + 63) / 64) return false;
  uint32_t last = span->words - 1;
  return (span->alloc[last] & ~span_mask(span, last)) == 0;
}

// --- Lists ------------------------------------------------------------------
void span_push(SpanList *list, Span *span) {
  RT_ASSERT(span_is_valid(span));
  RT_ASSERT(span->next == NULL && span != list->first && span != list->last);
  RT_ASSERT(list->first == NULL || list->first->klass == span->klass);
  span->next = list->first;
  if (list->first == NULL) list->last = span;
  list->first = span;
}

Span *span_pop(SpanList *list) {
  Span *span = list->first;
  if (span == NULL) return NULL;
  RT_ASSERT(span_is_valid(span));
  RT_ASSERT((span->next == NULL) == (span == list->last));
  list->first = span->next;
  if (list->first == NULL) list->last = NULL;
  span->next = NULL;
  return span;
}

void span_append(SpanList *list, SpanList *tail) {
  RT_ASSERT(list != tail);
  if (tail->first == NULL) return;
  RT_ASSERT(tail->last != NULL && tail->last->next == NULL);
  if (list->first != NULL)
    list->last->next = tail->first;
  else
    list->first = tail->first;
  list->last = tail->last;
  *tail = (SpanList){NULL, NULL};
}

// --- Chunks -----------------------------------------------------------------
// Memory at an address that is a multiple of CHUNK_SIZE.
static char *map_aligned(size_t bytes, int access) {
  size_t total = bytes + CHUNK_SIZE;
  char *all = mmap(NULL, total, access,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) return NULL;
  char *start = (char *)(((uintptr_t)all + CHUNK_SIZE - 1) &
                         ~(uintptr_t)(CHUNK_SIZE - 1));
  if (start > all) munmap(all, (size_t)(start - all));
  size_t tail = (size_t)(all + total - (start + bytes));
  if (tail) munmap(start + bytes, tail);
  return start;
}

// The same from the host, which need not set errno.
static char *map_by_host(const HeapMemory *memory, size_t bytes) {
  char *start = memory->map(memory->arg, bytes, CHUNK_SIZE);
  if ((uintptr_t)start % CHUNK_SIZE != 0) {
    memory->unmap(memory->arg, start, bytes);  // of no use
    start = NULL;
  }
  if (start == NULL) errno = ENOMEM;
  return start;
}

// Big heaps gain by big pages; small ones should stay small. The system clears
// a big page in one step, for which a stepped host has no time.
static void advise_pages(const Heap *heap, Chunk *chunk, size_t bytes,
                         bool big) {
  if (heap->memory.small_pages)
    madvise(chunk, bytes, MADV_NOHUGEPAGE);
  else if (big)
    madvise(chunk, bytes, MADV_HUGEPAGE);
}

static Chunk *chunk_new(Heap *heap, size_t bytes) {
  bool hosts = heap->memory.map != NULL;
  Chunk *chunk = (Chunk *)(hosts ? map_by_host(&heap->memory, bytes)
                                 : map_aligned(bytes, PROT_READ | PROT_WRITE));
  if (chunk == NULL) return NULL;
  // relaxed: about how much there is. chunk_link stores it
  bool big = bytes > CHUNK_SIZE || rt_load_relaxed(&heap->mapped) >= HUGE_FROM;
  if (!hosts) advise_pages(heap, chunk, bytes, big);
  RT_ASSERT(chunk_of(chunk) == chunk && bytes >= CHUNK_SIZE);
  chunk->heap = heap;
  chunk->bytes = chunk->room = bytes;
  return chunk;  // the rest is zero
}

// What is mapped of a chunk that has room to grow, where `bytes` are needed.
static size_t growing_bytes(size_t bytes) {
  return (bytes + CHUNK_SIZE - 1) & ~(CHUNK_SIZE - 1);
}

// How much it may become. A limit, if there is one, is enough. Otherwise an
// object that outgrows its room is moved. The room is not larger, because tools
// such as ThreadSanitizer keep memory of their own for all addresses.
static size_t growing_room(const Heap *heap, size_t bytes) {
  enum { TIMES = 4 };
  const size_t least = (size_t)64 << 20;
  size_t room = bytes * TIMES > least ? bytes * TIMES : least;
  if (heap->limit != 0 && room > heap->limit)
    room = growing_bytes(heap->limit + UNITS_HEADER * UNIT_SIZE);
  return room > bytes ? room : bytes;
}

// A host's memory has no room: all of a block counts for the host.
static Chunk *chunk_new_growing(Heap *heap, size_t bytes) {
  if (heap->memory.map != NULL) return NULL;
  bytes = growing_bytes(bytes);
  size_t room = growing_room(heap, bytes);
  Chunk *chunk = (Chunk *)map_aligned(room, PROT_NONE);
  if (chunk == NULL) return NULL;
  if (mprotect(chunk, bytes, PROT_READ | PROT_WRITE) != 0) {
    munmap(chunk, room);
    return NULL;
  }
  advise_pages(heap, chunk, room, true);
  chunk->heap = heap;
  chunk->bytes = bytes;
  chunk->room = room;
  return chunk;
}

// Maps it up to `bytes`. Any thread, several at once, as this is idempotent.
static bool chunk_open(Chunk *chunk, size_t bytes) {
  // relaxed: set_size stores it. What others map meanwhile is mapped again
  size_t from = rt_load_relaxed(&chunk->bytes);
  return bytes <= from || mprotect((char *)chunk + from, bytes - from,
                                   PROT_READ | PROT_WRITE) == 0;
}

// heap.lock held.
static void chunk_link(Heap *heap, Chunk *chunk) {
  RT_ASSERT(rt_load_relaxed(&heap->lock.word) != 0);
  RT_ASSERT(chunk->heap == heap && chunk->bytes >= CHUNK_SIZE);
  chunk->next = heap->chunks;
  chunk->prev = NULL;
  if (chunk->next != NULL)
    chunk->next->prev = chunk;
  else
    heap->last_chunk = chunk;
  heap->chunks = chunk;
  heap->cursor = chunk;
  // relaxed: heap.lock is held. heap_stats reads it without, and chunk_new
  rt_store_relaxed(&heap->mapped, heap->mapped + chunk->bytes);
}

static void chunk_unlink(Heap *heap, Chunk *chunk) {
  RT_ASSERT(rt_load_relaxed(&heap->lock.word) != 0);
  RT_ASSERT(chunk->heap == heap && heap->mapped >= chunk->bytes);
  RT_ASSERT((chunk->prev != NULL ? chunk->prev->next : heap->chunks) == chunk);
  RT_ASSERT((chunk->next != NULL ? chunk->next->prev : heap->last_chunk) ==
            chunk);
  if (heap->cursor == chunk) heap->cursor = heap->chunks;
  if (chunk->prev != NULL)
    chunk->prev->next = chunk->next;
  else
    heap->chunks = chunk->next;
  if (chunk->next != NULL)
    chunk->next->prev = chunk->prev;
  else
    heap->last_chunk = chunk->prev;
  if (heap->cursor == chunk) heap->cursor = heap->chunks;
  // relaxed: as in chunk_link
  rt_store_relaxed(&heap->mapped, heap->mapped - chunk->bytes);
}

static void chunk_unmap(Chunk *chunk) {
  const HeapMemory *memory = &chunk->heap->memory;
  heap_show(chunk, chunk->bytes);
  if (memory->map != NULL) {
    memory->unmap(memory->arg, chunk, chunk->bytes);
  } else {
    munmap(chunk, chunk->room);
  }
}

// The lowest run of n free units, or -1.
static int find_run(uint64_t units, unsigned n) {
  for (unsigned have = 1; have < n && units;) {
    unsigned shift = have < n - have ? have : n - have;
    units &= units >> shift;
    have += shift;
  }
  return units ? __builtin_ctzll(units) : -1;
}

static uint64_t run_bits(int first, unsigned n) {
  RT_ASSERT(n > 0 && n <= UNITS - UNITS_HEADER);
  RT_ASSERT(first >= UNITS_HEADER && (unsigned)first + n <= UNITS);
  return (((uint64_t)1 << n) - 1) << first;  // n <= 62
}

uint64_t heap_used(const Heap *heap) {
  // relaxed, all: sums that others change meanwhile (add_used,
  // heap_take_other, heap_weigh). The limit is looked at again with heap.lock
  // held
  int64_t other =
      rt_load_relaxed(&heap->external) + rt_load_relaxed(&heap->weights);
  return rt_load_relaxed(&heap->used_units) * UNIT_SIZE +
         (uint64_t)(other > 0 ? other : 0);
}

// heap.lock held.
static bool over_limit(Heap *heap, uint64_t units) {
  RT_ASSERT(rt_load_relaxed(&heap->lock.word) != 0);
  return heap->limit && heap_used(heap) + units * UNIT_SIZE > heap->limit;
}

// heap.lock held.
static void add_used(Heap *heap, int64_t units) {
  RT_ASSERT(rt_load_relaxed(&heap->lock.word) != 0);
  RT_ASSERT(units >= 0 || heap->used_units >= (uint64_t)-units);
  // relaxed: heap.lock is held. heap_used reads it without, and about
  rt_store_relaxed(&heap->used_units, heap->used_units + (uint64_t)units);
}

// heap.lock held. Takes n units of one chunk, and tells which.
static Chunk *take_units(Heap *heap, unsigned n, int *first) {
  Chunk *chunk = n == 1 ? heap->cursor : heap->chunks;
  for (; chunk != NULL; chunk = chunk->next) {
    if (n == 1 && chunk->free) heap->cursor = chunk;
    *first = find_run(chunk->free, n);
    if (*first < 0) continue;
    RT_ASSERT(heap->free_units >= n);
    chunk->free &= ~run_bits(*first, n);
    chunk->released &= ~run_bits(*first, n);
    heap->free_units -= n;
    add_used(heap, n);
    return chunk;
  }
  return NULL;
}

static Chunk *get_units(Heap *heap, unsigned n, int *first) {
  rt_lock(&heap->lock);
  Chunk *chunk = over_limit(heap, n) ? NULL : take_units(heap, n, first);
  bool grow = chunk == NULL && !over_limit(heap, n);
  rt_unlock(&heap->lock);
  if (!grow) return chunk;
  chunk = chunk_new(heap, CHUNK_SIZE);
  if (chunk == NULL) return NULL;
  rt_lock(&heap->lock);
  chunk->free = all_units & ~run_bits(UNITS_HEADER, n);
  *first = UNITS_HEADER;
  chunk_link(heap, chunk);
  heap->free_units += UNITS - UNITS_HEADER - n;
  add_used(heap, n);
  rt_unlock(&heap->lock);
  return chunk;
}

// --- Spans ------------------------------------------------------------------
static Span *span_init(Chunk *chunk, int unit, uint8_t klass, uint64_t size,
                       uint32_t count) {
  Span *span = &chunk->spans[unit];
  span->base = (char *)chunk + (size_t)unit * UNIT_SIZE;
  span->next = NULL;
  span->size = size;
  span->count = count;
  span->words = (count + 63) / 64;
  span->finalizable = false;
  span->own_chunk = false;
  span->klass = klass;
  chunk_klass(chunk)[unit] = klass;
  memset(span->alloc, 0, span->words * sizeof(uint64_t));
  memset(span->mark, 0, span->words * sizeof(uint64_t));
  return span;
}

Span *span_new(Heap *heap, uint8_t klass) {
  RT_ASSERT(klass < CLASSES);
  int unit;
  Chunk *chunk = get_units(heap, 1, &unit);
  if (chunk == NULL) return NULL;
  uint32_t size = heap_sizes[klass];
  Span *span =
      span_init(chunk, unit, klass, size, (uint32_t)(UNIT_SIZE / size));
  RT_ASSERT(span_is_valid(span));
  // Objects are not initialised (heap_alloc): nobody is to see zeros either.
  if (heap->poison) {
    heap_show(span->base, UNIT_SIZE);
    memset(span->base, 0xdb, UNIT_SIZE);
  }
  heap_hide(span->base, UNIT_SIZE);
  return span;
}

// A large object with a mapping of its own.
static Span *span_new_chunk(Heap *heap, uint64_t units, bool grows) {
  rt_lock(&heap->lock);
  bool over = over_limit(heap, units);
  if (!over) add_used(heap, (int64_t)units);
  rt_unlock(&heap->lock);
  if (over) return NULL;
  size_t bytes = (units + UNITS_HEADER) * UNIT_SIZE;
  Chunk *chunk =
      grows ? chunk_new_growing(heap, bytes) : chunk_new(heap, bytes);
  rt_lock(&heap->lock);
  if (chunk != NULL)
    chunk_link(heap, chunk);
  else
    add_used(heap, -(int64_t)units);
  rt_unlock(&heap->lock);
  if (chunk == NULL) return NULL;
  Span *span =
      span_init(chunk, UNITS_HEADER, CLASS_LARGE, units * UNIT_SIZE, 1);
  span->own_chunk = true;
  return span;
}

static uint64_t span_units(size_t size) {
  return (size + UNIT_SIZE - 1) / UNIT_SIZE;
}

static Span *show_large(Span *span) {
  if (span == NULL) return NULL;
  heap_show(span->base, span->size);
  span->alloc[0] = 1;
  RT_ASSERT(span_is_valid(span));
  return span;
}

Span *span_new_large(Heap *heap, size_t size) {
  uint64_t units = span_units(size);
  if (size > LARGE_MOST) return NULL;
  Span *span;
  if (units > UNITS - UNITS_HEADER) {
    span = span_new_chunk(heap, units, false);
  } else {
    int unit;
    Chunk *chunk = get_units(heap, (unsigned)units, &unit);
    span = chunk != NULL
               ? span_init(chunk, unit, CLASS_LARGE, units * UNIT_SIZE, 1)
               : NULL;
  }
  return show_large(span);
}

Span *span_new_growing(Heap *heap, size_t size) {
  if (size > LARGE_MOST) return NULL;
  return show_large(span_new_chunk(heap, span_units(size), true));
}

// --- Growing ----------------------------------------------------------------
bool span_has_room(const Span *span, size_t size) {
  return span->own_chunk && size <= LARGE_MOST &&
         (span_units(size) + UNITS_HEADER) * UNIT_SIZE <= chunk_of(span)->room;
}

// heap.lock held. Unlike chunk_open, by one thread after the other.
static void set_size(Heap *heap, Span *span, uint64_t size, size_t bytes) {
  RT_ASSERT(rt_load_relaxed(&heap->lock.word) != 0);
  Chunk *chunk = chunk_of(span);
  if (bytes > chunk->bytes) {
    // relaxed, both: heap.lock is held. Others read them without, and about
    rt_store_relaxed(&heap->mapped, heap->mapped + (bytes - chunk->bytes));
    rt_store_relaxed(&chunk->bytes, bytes);
  }
  heap_show(span->base + span->size, size - span->size);
  // release: it is mapped. Pairs with the acquire in heap_size_of
  rt_store_release(&span->size, size);
}

bool span_grow(Heap *heap, Span *span, size_t size, size_t *more) {
  RT_ASSERT(span_has_room(span, size));
  uint64_t units = span_units(size);
  size_t bytes = growing_bytes((units + UNITS_HEADER) * UNIT_SIZE);
  Chunk *chunk = chunk_of(span);
  if (bytes > chunk->room) bytes = chunk->room;
  if (!chunk_open(chunk, bytes)) return false;
  *more = 0;
  rt_lock(&heap->lock);
  uint64_t had = span->size / UNIT_SIZE;
  bool over = units > had && over_limit(heap, units - had);
  if (units > had && !over) {
    add_used(heap, (int64_t)(units - had));
    *more = (units - had) * UNIT_SIZE;
    set_size(heap, span, units * UNIT_SIZE, bytes);
  }
  RT_ASSERT(span_is_valid(span));
  rt_unlock(&heap->lock);
  return !over;
}

// --- Sizes ------------------------------------------------------------------
size_t heap_size_of(const void *obj) {
  // acquire: pairs with the release in set_size
  return rt_load_acquire(&span_of(obj)->size);
}

size_t heap_zeroed_size(const Obj *obj) {
  const Span *span = span_of(obj);
  // acquire: pairs with the release in set_size
  return span->own_chunk ? rt_load_acquire(&span->size) : 0;
}

Vm *heap_vm_of(const void *obj) { return chunk_of(obj)->heap->vm; }

// --- Freeing ----------------------------------------------------------------
void span_free(Heap *heap, Span *span) {
  RT_ASSERT(span_is_valid(span) && span->next == NULL);
  Chunk *chunk = chunk_of(span);
  RT_ASSERT(chunk->heap == heap);
  unsigned n = (unsigned)((span->size + UNIT_SIZE - 1) / UNIT_SIZE);
  if (span->klass != CLASS_LARGE) n = 1;
  heap_hide(span->base, n * UNIT_SIZE);
  rt_lock(&heap->lock);
  add_used(heap, -(int64_t)(span->own_chunk ? span->size / UNIT_SIZE : n));
  if (span->own_chunk) {
    chunk_unlink(heap, chunk);
  } else {
    RT_ASSERT((chunk->free & run_bits((int)unit_of(span->base), n)) == 0);
    chunk->free |= run_bits((int)unit_of(span->base), n);
    heap->free_units += n;
    heap->cursor = heap->chunks;
  }
  bool own = span->own_chunk;
  rt_unlock(&heap->lock);
  if (own) chunk_unmap(chunk);
}

// --- Giving back ------------------------------------------------------------
// Gives the free units of a chunk back; they were taken by the caller.
static void release_units(Chunk *chunk, uint64_t units) {
  RT_ASSERT((units & ~all_units) == 0);
  while (units) {
    int first = __builtin_ctzll(units);
    uint64_t run = units >> first;
    int n = ~run ? __builtin_ctzll(~run) : 64;
    char *at = (char *)chunk + (size_t)first * UNIT_SIZE;
    madvise(at, (size_t)n * UNIT_SIZE, MADV_DONTNEED);
    units &= ~run_bits(first, (unsigned)n);
  }
}

// Takes the free units, not released yet, of the last chunk that has any:
// take_units begins with the first.
static Chunk *take_unreleased(Heap *heap, uint64_t *units) {
  rt_lock(&heap->lock);
  Chunk *chunk = heap->last_chunk;
  while (chunk != NULL && !(chunk->free & ~chunk->released))
    chunk = chunk->prev;
  if (chunk != NULL) {
    *units = chunk->free & ~chunk->released;
    chunk->free &= ~*units;
    heap->free_units -= (uint64_t)__builtin_popcountll(*units);
  }
  rt_unlock(&heap->lock);
  return chunk;
}

static uint64_t unreleased_units(Heap *heap) {
  uint64_t count = 0;
  rt_lock(&heap->lock);
  for (Chunk *chunk = heap->chunks; chunk != NULL; chunk = chunk->next)
    count += (uint64_t)__builtin_popcountll(chunk->free & ~chunk->released);
  rt_unlock(&heap->lock);
  return count;
}

// Keeps as much as will be allocated before the next collection, and acts
// only when there is half as much again.
void heap_release(Heap *heap) {
  if (heap->memory.map != NULL) return;  // not ours to give back page by page
  // relaxed, both: account wrote them at a stop, which came before
  uint64_t live = rt_load_relaxed(&heap->live);
  uint64_t goal = rt_load_relaxed(&heap->goal);
  uint64_t keep = (goal > live ? goal - live : 0) / UNIT_SIZE + 64;
  uint64_t have = unreleased_units(heap);
  if (have < keep + keep / 2) return;
  while (have > keep) {
    uint64_t units;
    Chunk *chunk = take_unreleased(heap, &units);
    if (chunk == NULL) return;
    release_units(chunk, units);
    uint64_t count = (uint64_t)__builtin_popcountll(units);
    rt_lock(&heap->lock);
    RT_ASSERT((chunk->free & units) == 0 && (chunk->released & units) == 0);
    chunk->free |= units;
    chunk->released |= units;
    heap->cursor = heap->chunks;
    heap->free_units += count;
    rt_unlock(&heap->lock);
    have -= count < have ? count : have;
  }
}

void heap_unmap(Heap *heap) {
  while (heap->chunks != NULL) {
    Chunk *chunk = heap->chunks;
    heap->chunks = chunk->next;
    chunk_unmap(chunk);
  }
}
