// SPDX-License-Identifier: MIT
// The heap's structures, for the sources of vm/heap/. Of the others only
// channel_memory.c includes it, for the sizes of the classes.
//
// Memory comes in chunks of 4 MiB, aligned to that, so masking an object's
// address finds its chunk. A chunk has a header of two units of 64 KiB, then 62
// units for spans. A span is one unit of equal objects, or several units (or a
// chunk of its own) for one large object. Mark and allocation bits live in the
// header, apart from the objects, so sweeping touches no object.
//
// A chunk of its own may be followed by addresses that nobody can use yet
// (Chunk.room). Its object grows into them in place (span_grow).
//
// A span is in exactly one place. A P uses it (LocalHeap.spans), or it is on
// one list of its class: unswept (since the last marking), partial or full.
#ifndef CSP_VM_HEAP_INTERNAL_H
#define CSP_VM_HEAP_INTERNAL_H

#include <stdlib.h>

#include "vm/heap/heap.h"
#include "vm/heap/span.h"

#if defined(__SANITIZE_ADDRESS__)
#define HEAP_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEAP_ASAN 1
#endif
#endif
#ifdef HEAP_ASAN
#include <sanitizer/asan_interface.h>
#define heap_hide(address, size) ASAN_POISON_MEMORY_REGION(address, size)
#define heap_show(address, size) ASAN_UNPOISON_MEMORY_REGION(address, size)
#else
#define heap_hide(address, size) ((void)(address), (void)(size))
#define heap_show(address, size) ((void)(address), (void)(size))
#endif

#define CHUNK_SIZE ((size_t)4 << 20)
#define UNIT_SIZE ((size_t)64 << 10)
enum {
  UNITS = 64,        // of a chunk
  UNITS_HEADER = 2,  // of them, not for objects
  CLASSES = 40,      // of small and medium objects
  CLASS_LARGE = CLASSES,
  CLASS_MEDIUM = 29,        // first class above HEAP_SMALL_MAX
  MEDIUM_MAX = 32768,       // larger objects have spans of their own
  SPAN_WORDS = 64,          // of bits: 4096 objects of 16 bytes
  KLASS_ROWS = 64,          // see Chunk
  FLUSH_BYTES = 128 << 10,  // of LocalHeap.allocated
  SEGMENT_ITEMS = 1021,     // a mark segment has 8 KiB
};
#define GOAL_MIN ((uint64_t)8 << 20)

struct Span {
  char *base;         // first object; immutable while in use
  struct Span *next;  // of its list; guarded by heap.lock
  uint64_t size;      // of an object; of a large one the whole span's bytes,
                      // atomic as it may grow
  uint32_t count;     // objects
  uint32_t words;     // of bits
  uint8_t klass;
  bool finalizable;  // some object needs more than its memory freed; atomic
  bool own_chunk;
  uint64_t mark[SPAN_WORDS];   // atomic while marking; zero otherwise
  uint64_t alloc[SPAN_WORDS];  // objects in use; owner P
};

// A unit's class is looked up by every mark: the row that holds them moves
// with the chunk's address, or all chunks would fight for one cache line.
typedef struct Chunk {
  Heap *heap;
  struct Chunk *next, *prev;  // guarded by heap.lock
  size_t bytes;       // mapped; a large object may need more than 4 MiB.
                      // Atomic; written under heap.lock
  size_t room;        // bytes, and addresses kept after them; immutable
  uint64_t free;      // units; guarded by heap.lock
  uint64_t released;  // units given back to the system (subset of free)
  uint8_t klass[KLASS_ROWS][UNITS];
  Span spans[UNITS];  // by unit; a large one's is that of its first unit
} Chunk;

_Static_assert(sizeof(Chunk) <= UNITS_HEADER * 65536, "header fits");

struct SpanList {
  Span *first, *last;
};

// A piece of a mark stack. An item is an object's address; or, with bit 0
// set, an object of which the part from the item below on is to be scanned.
typedef struct MarkSegment {
  struct MarkSegment *next;
  uint64_t count;
  uint64_t items[SEGMENT_ITEMS];
} MarkSegment;

struct HeapWalk;

typedef struct RootHook {
  struct RootHook *next;
  void (*mark)(void *arg, GcMarker *marker);
  void *arg;
} RootHook;

enum { PINS_FIRST = 64, PINS_CHUNKS = 25 };

// Why a collection is wanted. It is due, or somebody asked for it. Or memory
// was not to be had.
#define WANT_ASKED 1u
#define WANT_SHORT 2u

struct Heap {
  Vm *vm;
  // The trigger. Atomic, any thread: WANT_ bits.
  uint32_t want;
  bool stress;        // immutable once running: collect at every safepoint
  bool poison;        // fill freed objects with 0xdb
  uint64_t limit;     // bytes of units in use, external and weights; 0 means
                      // none
  HeapMemory memory;  // immutable once running
  uint64_t goal;      // collect when live + allocated reach it; STW
  int64_t allocated;  // atomic: since the last collection
  int64_t external;   // atomic: not of units, by heap_take_other
  int64_t weights;    // atomic: of hosts' values, by heap_weigh
  uint64_t live;      // marked by the last collection; STW

  RtLock lock;  // short sections; may map memory outside only
  Chunk *chunks;
  Chunk *last_chunk;
  Chunk *cursor;  // no chunk before it has a free unit
  uint64_t free_units;
  uint64_t used_units;  // atomic; written under lock
  SpanList unswept[CLASSES + 1], partial[CLASSES + 1], full[CLASSES + 1];
  uint64_t mapped;

  // Barrier's overflow and what marking could not note (out of memory).
  MarkSegment *shaded;     // full segments; guarded by lock
  uint32_t mark_overflow;  // atomic

  RtLock pin_lock;
  // Chunk n holds PINS_FIRST << n pins. It is set once, under pin_lock, and
  // stays where it is: heap_pinned reads without the lock.
  Value *pins[PINS_CHUNKS];
  uint32_t pins_cap;   // guarded by pin_lock
  uint32_t pins_free;  // index + 1 of the first free slot, chained; likewise
  LocalHeap shared;    // of heap_alloc_shared; guarded by shared_lock
  RtLock shared_lock;  // taken before lock
  RootHook *roots;     // guarded by pin_lock; only grows
  HeapHooks hooks;
  GcMarker *gc_markers;  // kept for the next collection; the collector's
  int gc_workers;
  Goroutine *orphans;  // of Ps that went away; STW
  uint64_t retired;    // how many Ps did; STW
  struct HeapWalk
      *walks;  // atomic; written under lock, begun at a stop (walk.c)

  // Statistics; the first group is the collector's, at a stop.
  uint64_t total_allocated, collections, pause_max, pause_last;
  uint64_t goroutines_collected;
  uint64_t finalized;  // atomic
};

static inline Chunk *chunk_of(const void *address) {
  return (Chunk *)((uintptr_t)address & ~(uintptr_t)(CHUNK_SIZE - 1));
}
static inline unsigned unit_of(const void *address) {
  return (unsigned)((uintptr_t)address / UNIT_SIZE) % UNITS;
}
static inline uint8_t *chunk_klass(Chunk *chunk) {
  return chunk->klass[(uintptr_t)chunk / CHUNK_SIZE % KLASS_ROWS];
}
static inline Span *span_of(const void *obj) {
  return &chunk_of(obj)->spans[unit_of(obj)];
}

extern const uint32_t heap_sizes[CLASSES + 1];
extern const uint32_t heap_magic[CLASSES + 1];  // 2^32 / size, rounded up

// Number of the object at (or around) an address of a span of that class.
static inline uint32_t object_index(const void *address, uint8_t klass) {
  uint64_t offset = (uintptr_t)address % UNIT_SIZE;
  return (uint32_t)(offset * heap_magic[klass] >> 32);
}
static inline bool mark_test(const Span *span, uint32_t index) {
  // relaxed: while marking, bits only get set (shade, mark). The rest is
  // done by one thread
  return rt_load_relaxed(&span->mark[index / 64]) >> index % 64 & 1;
}
static inline uint64_t span_mask(const Span *span, uint32_t word) {
  uint32_t left = span->count - word * 64;
  return left >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << left) - 1;
}

#endif
