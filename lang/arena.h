// SPDX-License-Identifier: MIT
// What a compilation may take, and the memory of its tree and names.
#ifndef CSP_LANG_ARENA_H
#define CSP_LANG_ARENA_H

#include "lang/ast.h"
#include "sched/memory.h"

// One for all files of it.
typedef struct Allowance {
  size_t bytes;                // of memory, that are left
  bool (*is_over)(void *arg);  // whether its time is; NULL means it has time
  void *arg;
  uint32_t looks;  // how often that was to be looked at; see LOOKS
  bool over;       // is_over has said so
  bool spent;      // more bytes were asked for than were left
} Allowance;
// false: not so many are left.
bool allowance_take(Allowance *allowance, size_t bytes);
void allowance_give(Allowance *allowance, size_t bytes);

// --- Arena: bump memory of one compilation ----------------------------------
typedef struct Arena Arena;
// NULL: out of memory. seed: of the hashes of its names, which a text must not
// be able to foresee.
Arena *arena_new(const Memory *memory, uint64_t seed);
// At its start: what it takes is counted there, and is given back by
// arena_free.
void arena_limit(Arena *arena, Allowance *allowance);
const Memory *arena_memory(const Arena *arena);
void arena_free(Arena *arena);
// Zeroed and 16-byte aligned. It is never NULL, because a compilation without
// memory is ended through the Diags (arena_failed).
void *arena_alloc(Arena *arena, size_t size);
// The one AstStr for these bytes in this arena.
const AstStr *arena_intern(Arena *arena, const char *text, size_t len);
// How often that was asked for: names and keywords as often as the text has
// them outside of comments and strings.
uint32_t arena_uses(const AstStr *name);
// Memory has run out, or the time: what was allocated since is only good for
// getting out. Looked at after each token or statement; then the compilation
// ends with the error "out of memory", unless its Allowance says that it is
// over. (arena_new gives NULL if it cannot begin.)
bool arena_failed(Arena *arena);
// As arena_alloc, but NULL when memory has run out: for what may be large.
void *arena_try_alloc(Arena *arena, size_t size);
// The chunk that is being filled and the table of names are within bounds.
bool arena_is_valid(const Arena *arena);

#endif
