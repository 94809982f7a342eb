// SPDX-License-Identifier: MIT
// Bump memory of one compilation, and the table of its names.
//
// Chunks are chained and freed together. A reserve is taken at the start: when
// malloc fails, allocations go on from the reserve and arena_failed tells, so
// that builders need no check of their own; parser and compiler look at it
// after each token or statement and give up with "out of memory".
// Single-threaded, like the compilation it belongs to.
#include <stdlib.h>
#include <string.h>

#include "lang.h"

enum {
  ALIGN = 16,
  FIRST_CHUNK = 16 * 1024,
  MAX_CHUNK = 1024 * 1024,
  RESERVE = 256 * 1024,
  FIRST_NAMES = 64,  // a power of two
};

typedef struct Chunk {
  struct Chunk *next;
  size_t size;
  _Alignas(ALIGN) unsigned char bytes[];
} Chunk;

typedef struct NameSlot {
  const Str *name;  // NULL: free
  uint32_t hash;
} NameSlot;

struct Arena {
  Chunk *chunks;    // the first one is being filled
  size_t used;      // of the first chunk
  Chunk *reserve;   // NULL once it is in use
  NameSlot *names;  // open addressing, at most half full
  size_t name_count;
  size_t name_cap;
  size_t room;  // bytes that chunks may still take
  bool failed;
};

static Chunk *chunk_new(size_t size) {
  Chunk *chunk = malloc(sizeof *chunk + size);
  if (chunk == NULL) return NULL;
  chunk->next = NULL;
  chunk->size = size;
  return chunk;
}

static void chunk_push(Arena *arena, Chunk *chunk) {
  chunk->next = arena->chunks;
  arena->chunks = chunk;
  arena->used = 0;
}

// Makes room for `size` bytes in the first chunk.
static bool arena_grow(Arena *arena, size_t size) {
  size_t wanted = arena->chunks ? arena->chunks->size * 2 : FIRST_CHUNK;
  if (wanted > MAX_CHUNK) wanted = MAX_CHUNK;
  if (wanted < size) wanted = size;
  bool may = !arena->failed && wanted <= arena->room;
  Chunk *chunk = may ? chunk_new(wanted) : NULL;
  if (chunk == NULL) {
    arena->failed = true;
    return false;
  }
  arena->room -= wanted;
  chunk_push(arena, chunk);
  return true;
}

static bool fits(const Arena *arena, size_t size) {
  return arena->chunks && arena->chunks->size - arena->used >= size;
}

static size_t round_up(size_t size) {
  return (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

static void *take(Arena *arena, size_t size) {
  void *memory = arena->chunks->bytes + arena->used;
  arena->used += size;
  return memset(memory, 0, size);
}

static uint32_t name_hash(const char *text, size_t len) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < len; i++) {
    hash = (hash ^ (unsigned char)text[i]) * 16777619u;
  }
  return hash;
}

static NameSlot *name_slot(NameSlot *slots, size_t cap, uint32_t hash,
                           const char *text, size_t len) {
  for (size_t i = hash;; i++) {
    NameSlot *slot = &slots[i & (cap - 1)];
    if (slot->name == NULL) return slot;
    if (slot->hash == hash && slot->name->len == len &&
        memcmp(slot->name->text, text, len) == 0) {
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
    const Str *name = old->name;
    *name_slot(slots, cap, old->hash, name->text, name->len) = *old;
  }
  arena->names = slots;
  arena->name_cap = cap;
}

Arena *arena_new(void) {
  Arena *arena = calloc(1, sizeof *arena);
  if (arena == NULL) return NULL;
  arena->room = SIZE_MAX;
  arena->reserve = chunk_new(RESERVE);
  if (arena->reserve == NULL) {
    free(arena);
    return NULL;
  }
  return arena;
}

void arena_limit(Arena *arena, size_t bytes) { arena->room = bytes; }

void arena_free(Arena *arena) {
  if (arena == NULL) return;
  while (arena->chunks) {
    Chunk *next = arena->chunks->next;
    free(arena->chunks);
    arena->chunks = next;
  }
  free(arena->reserve);
  free(arena);
}

bool arena_failed(const Arena *arena) { return arena->failed; }

void *arena_try_alloc(Arena *arena, size_t size) {
  size_t rounded = round_up(size);
  if (!fits(arena, rounded) && !arena_grow(arena, rounded)) return NULL;
  return take(arena, rounded);
}

void *arena_alloc(Arena *arena, size_t size) {
  void *memory = arena_try_alloc(arena, size);
  if (memory) return memory;
  // Whoever asks for more than the reserve after arena_failed has a bug.
  size_t rounded = round_up(size);
  if (arena->reserve == NULL || arena->reserve->size < rounded) abort();
  chunk_push(arena, arena->reserve);
  arena->reserve = NULL;
  return take(arena, rounded);
}

const Str *arena_intern(Arena *arena, const char *text, size_t len) {
  static const Str NO_MEMORY = {"", 0};
  if (arena->name_count * 2 >= arena->name_cap) names_grow(arena);
  if (arena->name_count * 2 >= arena->name_cap) return &NO_MEMORY;
  uint32_t hash = name_hash(text, len);
  NameSlot *slot = name_slot(arena->names, arena->name_cap, hash, text, len);
  if (slot->name) return slot->name;
  Str *name = arena_try_alloc(arena, sizeof *name + len + 1);
  if (name == NULL) return &NO_MEMORY;
  char *bytes = (char *)(name + 1);
  memcpy(bytes, text, len);
  *name = (Str){bytes, len};
  *slot = (NameSlot){name, hash};
  arena->name_count++;
  return name;
}
