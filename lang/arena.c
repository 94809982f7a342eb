// SPDX-License-Identifier: MIT
// Bump memory of one compilation, and the table of its names.
//
// Chunks are chained and freed together. A reserve is taken at the start. When
// malloc fails, allocations go on from the reserve and arena_failed tells, so
// that builders need no check of their own. Parser and compiler ask it after
// each token or statement and give up with "out of memory". The end of the
// compilation's time (Allowance) looks the same to them. Single-threaded, like
// the compilation it belongs to.
#include "lang/arena.h"

#include <stdlib.h>
#include <string.h>

#include "sched/rt.h"
#include "vm/object/string.h"

enum {
  ALIGN = 16,
  FIRST_CHUNK = 16 * 1024,
  MAX_CHUNK = 1024 * 1024,
  RESERVE = 256 * 1024,
  FIRST_NAMES = 64,  // a power of two
  LOOKS = 256,       // of that many, one asks whether the time is over
};

typedef struct ArenaChunk {
  struct ArenaChunk *next;
  size_t size;
  _Alignas(ALIGN) unsigned char bytes[];
} ArenaChunk;

typedef struct Name {
  AstStr str;  // first: an AstStr of the table is a Name
  uint32_t uses;
} Name;

typedef struct NameSlot {
  Name *name;  // NULL: free
  uint32_t hash;
} NameSlot;

struct Arena {
  const Memory *memory;
  ArenaChunk *chunks;   // the first one is being filled
  size_t used;          // of the first chunk
  ArenaChunk *reserve;  // NULL once it is in use
  NameSlot *names;      // open addressing, at most half full
  size_t name_count;
  size_t name_cap;
  Allowance *allowance;  // or NULL: as much as there is
  size_t taken;          // of it
  uint64_t seed;         // of the names' hashes
  bool failed;
};

// --- The allowance ----------------------------------------------------------
bool allowance_take(Allowance *allowance, size_t bytes) {
  if (bytes > allowance->bytes) {
    allowance->spent = true;
    return false;
  }
  allowance->bytes -= bytes;
  return true;
}

void allowance_give(Allowance *allowance, size_t bytes) {
  RT_ASSERT(allowance->bytes <= SIZE_MAX - bytes);
  allowance->bytes += bytes;
}

static bool time_is_over(Allowance *allowance) {
  if (allowance->over) return true;
  if (allowance->is_over == NULL || ++allowance->looks % LOOKS != 0)
    return false;
  return allowance->over = allowance->is_over(allowance->arg);
}

// --- Chunks -----------------------------------------------------------------
static ArenaChunk *arena_chunk(const Memory *memory, size_t size) {
  ArenaChunk *chunk = mem_alloc(memory, sizeof *chunk + size);
  if (chunk == NULL) return NULL;
  chunk->next = NULL;
  chunk->size = size;
  return chunk;
}

bool arena_is_valid(const Arena *arena) {
  size_t size = arena->chunks != NULL ? arena->chunks->size : 0;
  if (arena->used > size || arena->used % ALIGN != 0) return false;
  if (arena->reserve == NULL && !arena->failed) return false;
  size_t cap = arena->name_cap;
  return (cap & (cap - 1)) == 0 && arena->name_count <= cap / 2;
}

static void chunk_push(Arena *arena, ArenaChunk *chunk) {
  chunk->next = arena->chunks;
  arena->chunks = chunk;
  arena->used = 0;
}

// Makes room for `size` bytes in the first chunk.
static bool arena_grow(Arena *arena, size_t size) {
  size_t wanted = arena->chunks != NULL ? arena->chunks->size * 2 : FIRST_CHUNK;
  if (wanted > MAX_CHUNK) wanted = MAX_CHUNK;
  if (wanted < size) wanted = size;
  Allowance *allowance = arena->allowance;
  bool may = !arena->failed &&
             (allowance == NULL || allowance_take(allowance, wanted));
  if (may && allowance != NULL) arena->taken += wanted;
  ArenaChunk *chunk = may ? arena_chunk(arena->memory, wanted) : NULL;
  if (chunk == NULL) {
    arena->failed = true;
    return false;
  }
  chunk_push(arena, chunk);
  return true;
}

static bool chunk_fits(const Arena *arena, size_t size) {
  return arena->chunks != NULL && arena->chunks->size - arena->used >= size;
}

static size_t round_up(size_t size) {
  return (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

static void *arena_take(Arena *arena, size_t size) {
  RT_ASSERT(chunk_fits(arena, size));
  void *memory = arena->chunks->bytes + arena->used;
  arena->used += size;
  RT_ASSERT(arena_is_valid(arena));
  return memset(memory, 0, size);
}

static NameSlot *name_slot(NameSlot *slots, size_t cap, uint32_t hash,
                           AstStr wanted) {
  RT_ASSERT(cap > 0 && (cap & (cap - 1)) == 0);
  for (size_t i = hash;; i++) {
    NameSlot *slot = &slots[i & (cap - 1)];
    if (slot->name == NULL) return slot;
    const AstStr *str = &slot->name->str;
    if (slot->hash == hash && str->len == wanted.len &&
        memcmp(str->text, wanted.text, wanted.len) == 0) {
      return slot;
    }
  }
}

// The old table stays in its chunk: doubling wastes as much as it holds.
static void names_grow(Arena *arena) {
  size_t cap = arena->name_cap ? arena->name_cap * 2 : FIRST_NAMES;
  NameSlot *slots = arena_try_alloc(arena, cap * sizeof *slots);
  if (slots == NULL) return;
  for (size_t i = 0; i < arena->name_cap; i++) {
    NameSlot *old = &arena->names[i];
    if (old->name == NULL) continue;
    *name_slot(slots, cap, old->hash, old->name->str) = *old;
  }
  RT_ASSERT(arena->name_count <= cap / 2);
  arena->names = slots;
  arena->name_cap = cap;
}

Arena *arena_new(const Memory *memory, uint64_t seed) {
  Arena *arena = mem_zeroed(memory, sizeof *arena);
  if (arena == NULL) return NULL;
  arena->memory = memory;
  arena->seed = seed;
  arena->reserve = arena_chunk(memory, RESERVE);
  if (arena->reserve == NULL) {
    mem_free(arena);
    return NULL;
  }
  return arena;
}

void arena_limit(Arena *arena, Allowance *allowance) {
  arena->allowance = allowance;
}

const Memory *arena_memory(const Arena *arena) { return arena->memory; }

void arena_free(Arena *arena) {
  if (arena == NULL) return;
  if (arena->allowance != NULL) allowance_give(arena->allowance, arena->taken);
  while (arena->chunks != NULL) {
    ArenaChunk *next = arena->chunks->next;
    mem_free(arena->chunks);
    arena->chunks = next;
  }
  mem_free(arena->reserve);
  mem_free(arena);
}

bool arena_failed(Arena *arena) {
  Allowance *allowance = arena->allowance;
  if (!arena->failed && allowance != NULL && time_is_over(allowance))
    arena->failed = true;
  return arena->failed;
}

void *arena_try_alloc(Arena *arena, size_t size) {
  size_t rounded = round_up(size);
  if (!chunk_fits(arena, rounded) && !arena_grow(arena, rounded)) return NULL;
  return arena_take(arena, rounded);
}

void *arena_alloc(Arena *arena, size_t size) {
  void *memory = arena_try_alloc(arena, size);
  if (memory != NULL) return memory;
  // Whoever asks for more than the reserve after arena_failed has a bug.
  size_t rounded = round_up(size);
  RT_CHECK(arena->reserve != NULL && arena->reserve->size >= rounded,
           "arena: %zu bytes are asked for after memory ran out", rounded);
  RT_ASSERT(arena->failed);
  chunk_push(arena, arena->reserve);
  arena->reserve = NULL;
  return arena_take(arena, rounded);
}

// The names' table: one slot for these bytes. NULL: out of memory.
static NameSlot *slot_for(Arena *arena, const char *text, size_t len) {
  if (arena->name_count * 2 >= arena->name_cap) names_grow(arena);
  if (arena->name_count * 2 >= arena->name_cap) return NULL;
  uint32_t hash = (uint32_t)vm_hash_bytes(arena->seed, text, len);
  NameSlot *slot =
      name_slot(arena->names, arena->name_cap, hash, (AstStr){text, len});
  slot->hash = hash;
  return slot;
}

static Name *name_new(Arena *arena, const char *text, size_t len) {
  Name *name = arena_try_alloc(arena, sizeof *name + len + 1);
  if (name == NULL) return NULL;
  char *bytes = (char *)(name + 1);
  memcpy(bytes, text, len);
  name->str = (AstStr){bytes, len};
  arena->name_count++;
  return name;
}

const AstStr *arena_intern(Arena *arena, const char *text, size_t len) {
  static const Name NO_MEMORY = {{"", 0}, 0};
  NameSlot *slot = slot_for(arena, text, len);
  if (slot == NULL) return &NO_MEMORY.str;
  if (slot->name == NULL) slot->name = name_new(arena, text, len);
  if (slot->name == NULL) return &NO_MEMORY.str;
  slot->name->uses++;
  return &slot->name->str;
}

uint32_t arena_uses(const AstStr *name) {
  return ((const Name *)(const void *)name)->uses;
}
