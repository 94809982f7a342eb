// SPDX-License-Identifier: MIT
// The heap: allocation per P, the store function, and the collector's door.
#ifndef CSP_VM_HEAP_H
#define CSP_VM_HEAP_H

#include "vm/value/object.h"

typedef struct Heap Heap;  // heap_internal.h
typedef struct LocalHeap LocalHeap;

enum { SIZE_CLASSES_MAX = 48 };

// One P's allocator. `bits` are the free objects of the current 64-object
// window of the class's span; the fast path takes the lowest.
typedef struct AllocCache {
  uint64_t bits;
  char *window;   // address of bit 0's object
  uint32_t size;  // object size of the class
  uint32_t next;  // number of the next window to look into
} AllocCache;

// A short string that was made lately (string_new), and a hash of its text.
// Forgotten at every collection.
enum { RECENT_BITS = 9, RECENT_LEN_MAX = 16 };
typedef struct RecentText {
  uint64_t hash;
  Obj *obj;
} RecentText;

struct LocalHeap {
  Heap *heap;
  bool barrier;  // the store barrier is on. Never today, as all marking is done
                 // while the world is stopped; concurrent marking would need it
  AllocCache caches[SIZE_CLASSES_MAX];
  void *spans[SIZE_CLASSES_MAX];  // current span of each class
  int64_t allocated;              // bytes since the last flush to the heap
  struct MarkSegment *shaded;     // what the barrier marked; NULL means nothing
  RecentText recent[1 << RECENT_BITS];
};

typedef struct GcMarker GcMarker;

// What the heap asks of the layers around it; any may be NULL.
typedef struct HeapHooks {
  void *arg;
  // A goroutine that waits for what nobody can do any more, before its
  // memory is reused. World stopped; reads only.
  void (*on_leak)(void *arg, Goroutine *g);
  // Frees what such a goroutine holds outside the heap: its panics, the record
  // of the native it waits in. World stopped.
  void (*release)(void *arg, Goroutine *g);
  // Marks what the record of the native that it waits in keeps (g->pending).
  // World stopped.
  void (*mark_pending)(void *arg, const Goroutine *g, GcMarker *marker);
  // Marks what is to be kept though nobody else has it. true: it has marked
  // something. World stopped; all else is marked.
  bool (*mark_lost)(void *arg, GcMarker *marker);
  // The world goes on again. By the P that collected.
  void (*collected)(void *arg);
  // Frees ObjTask.trace (set heap_finalizable for such a task). Any thread.
  void (*free_trace)(void *arg, void *trace);
} HeapHooks;

// Where memory comes from: zeroed blocks of at least 4 MB, at a multiple of
// align. NULL: none. Any thread, several at once.
typedef struct HeapMemory {
  void *(*map)(void *arg, size_t bytes, size_t align);  // NULL: the system
  void (*unmap)(void *arg, void *block, size_t bytes);
  void *arg;
  bool small_pages;  // the system's: it is to give no big ones
} HeapMemory;

// --- Making one --------------------------------------------------------------
Heap *heap_new(Vm *vm);  // NULL: out of memory
void heap_set_memory(Heap *heap, const HeapMemory *memory);  // before all else
void heap_set_hooks(Heap *heap, const HeapHooks *hooks);     // before running
// For tests: collect at every safepoint, and overwrite freed objects.
void heap_set_stress(Heap *heap, bool stress, bool poison);
// Bytes from which on heap_alloc gives NULL: objects' in units of 64 KiB, and
// what heap_take_other counts. 0: no limit. Before running.
void heap_set_limit(Heap *heap, uint64_t bytes);
bool heap_limited(const Heap *heap);
// What one result may take: what is left of the limit, and no less than 64 KB.
// SIZE_MAX without a limit. Any thread.
size_t heap_room(Heap *heap);
// Takes bytes of other memory on behalf of objects, for which the limit may be
// passed by a sixteenth. false: too many. Any thread.
bool heap_take_other(Heap *heap, size_t bytes);
void heap_give_other(Heap *heap, size_t bytes);  // gives it back. Any thread
// What a host's value holds outside of the heap, in place of what was said
// before (csp_host_weight). false: the limit has no room for that much more,
// and nothing has changed. Owner P.
bool heap_weigh(LocalHeap *local, ObjHost *host, size_t bytes);
uint64_t heap_weight(const ObjHost *host);  // in bytes. Any thread
// Runs finalizers of hosts' objects, frees all. All Ps must be flushed.
void heap_free(Heap *heap);
void heap_local_init(LocalHeap *local, Heap *heap);
// Gives spans back. World stopped, or not running.
void heap_local_flush(LocalHeap *local);
// The P of `local` goes away (p_free): flushes its heap, and moves its
// goroutines to the heap's own list. World stopped, or not running.
void heap_local_free(Local *local);

// --- Allocation --------------------------------------------------------------
// obj needs more than its memory freed: hosts' objects and struct types (set
// by heap_alloc), tasks with a trace. Any thread that owns a P.
__attribute__((noinline)) void heap_finalizable(Obj *obj);

enum { HEAP_SMALL_MAX = 2048 };  // larger: heap_alloc_slow
// By (size + 15) / 16.
extern const uint8_t heap_class_of[HEAP_SMALL_MAX / 16 + 1];

// Memory for an object of `size` bytes, with its header set and the rest NOT
// initialised: the caller fills it before the next safepoint and before it is
// published. NULL: the system has no memory, or the limit is reached. Owner
// P. Never collects. (What is rare stays out of line where all sources are one
// file, or heap_alloc gets too long to be in line itself.)
__attribute__((noinline)) Obj *heap_alloc_slow(LocalHeap *local, size_t size,
                                               ObjType type);
static inline Obj *heap_alloc(LocalHeap *local, size_t size, ObjType type) {
  if (__builtin_expect(size <= HEAP_SMALL_MAX, 1)) {
    AllocCache *cache = &local->caches[heap_class_of[(size + 15) / 16]];
    uint64_t bits = cache->bits;
    if (__builtin_expect(bits != 0, 1)) {
      cache->bits = bits & (bits - 1);
      Obj *obj =
          (Obj *)(cache->window + (size_t)__builtin_ctzll(bits) * cache->size);
      *obj = (Obj){.type = (uint8_t)type};
      if (type == OBJ_HOST || type == OBJ_STRUCT) heap_finalizable(obj);
      return obj;
    }
  }
  return heap_alloc_slow(local, size, type);
}

// As heap_alloc, for an object that is to grow in place. It has memory of its
// own in pages of 2 MB, which is a waste for a small one. NULL, too, where the
// system keeps no addresses for that, or the host gives the memory: heap_alloc
// may do then. What follows its header is zeros.
Obj *heap_alloc_growing(LocalHeap *local, size_t size, ObjType type);
// Makes such an object larger in place, with zeros. Others may do it at once.
// false: out of memory, or it is no such object, or has no room left. Owner P.
bool heap_grow(LocalHeap *local, Obj *obj, size_t size);

// As heap_alloc, but NULL when the cache is empty, too: for handlers, which
// have another way then. size is a small constant.
static inline Obj *heap_try_alloc(LocalHeap *local, size_t size, ObjType type) {
  AllocCache *cache = &local->caches[heap_class_of[(size + 15) / 16]];
  uint64_t bits = cache->bits;
  if (__builtin_expect(bits == 0, 0)) return NULL;
  cache->bits = bits & (bits - 1);
  Obj *obj =
      (Obj *)(cache->window + (size_t)__builtin_ctzll(bits) * cache->size);
  *obj = (Obj){.type = (uint8_t)type};
  return obj;
}

// As heap_alloc, under a lock of its own: for what boot and compiler make, and
// what the functions of csp.h make that are told of no P.
Obj *heap_alloc_shared(Heap *heap, size_t size, ObjType type);

size_t heap_size_for(size_t size);  // the memory of an object of `size` bytes

// --- Stores ------------------------------------------------------------------
void heap_barrier(LocalHeap *local, Value *slot, Value v);
void heap_barrier_ptr(LocalHeap *local, void *slot, void *ptr);
// The one way to store a value into an object that others may see.
static inline void heap_store(LocalHeap *local, Value *slot, Value v) {
  if (__builtin_expect(local->barrier, 0)) heap_barrier(local, slot, v);
  // release: publishes the object v points to. Pairs with heap_load
  rt_store_release(slot, v);
}
// The same, unless another thread has stored another value since `old` was
// loaded: then false. No value may come twice in that slot, so that `old` is
// what the barrier sees.
static inline bool heap_store_if(LocalHeap *local, Value *slot, Value old,
                                 Value v) {
  if (__builtin_expect(local->barrier, 0)) heap_barrier(local, slot, v);
  // RMW, release: as in heap_store
  return rt_cas(slot, &old, v);
}
// heap_store for a typed object pointer field (`ObjValues *block` etc.).
#define heap_store_ptr(local, slot, ptr)        \
  do {                                          \
    if (__builtin_expect((local)->barrier, 0))  \
      heap_barrier_ptr((local), (slot), (ptr)); \
    /* release: as in heap_store */             \
    rt_store_release((slot), (ptr));            \
  } while (0)

// --- When to collect ---------------------------------------------------------
// Is a collection due? The interpreter asks at its safepoints, and calls
// gc_collect with the goroutine's frames saved. Any thread.
bool heap_gc_wanted(const Heap *heap);
void heap_want_gc(Heap *heap);  // from now on one is due. Any thread
// Forgets that memory was not to be had, which is then no reason to collect.
// Any thread.
void heap_forget_shortage(Heap *heap);
// Bytes that make no difference to whether something fits.
uint64_t heap_little(const Heap *heap);

// Whether next to nothing was allocated since the last collection, so that
// another one would not help. Owner P.
bool heap_just_collected(LocalHeap *local);
uint64_t heap_collections(const Heap *heap);  // so far
// When to collect next, with so much alive after a collection.
uint64_t heap_next_goal(const Heap *heap, uint64_t live);

// --- What is kept ------------------------------------------------------------
// Values that a host holds: kept until unpinned. Any thread. 0: no memory.
uint32_t heap_pin(Heap *heap, Value v);
Value heap_pinned(Heap *heap, uint32_t pin);
void heap_unpin(Heap *heap, uint32_t pin);

// What else is alive: mark is called at every collection, with the world
// stopped, and calls gc_mark. Any thread. false: out of memory.
bool heap_add_roots(Heap *heap, void (*mark)(void *arg, GcMarker *marker),
                    void *arg);

// --- Watching ----------------------------------------------------------------
typedef struct HeapStats {
  uint64_t live, total_allocated, collections, pause_ns_max, pause_ns_last;
  uint64_t objects_finalized, goroutines_collected, mapped;
} HeapStats;

void heap_stats(Heap *heap, HeapStats *out);

#endif
