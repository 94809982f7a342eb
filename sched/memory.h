// SPDX-License-Identifier: MIT
// A Memory is where a runtime's memory comes from. That is its host's
// allocator, or libc's. All layers take their memory here. The few other files
// that call malloc and its like are in a list in tests/lint.sh, each with its
// reason.
//
// There is no default. Code that takes memory names the Memory. Each block has
// 16 bytes in front of it, with its Memory and its size. So mem_free and
// mem_resize need only the block, and tell the allocator its exact size. A
// Memory lives until its last block is freed. A runtime's Memory is in its door
// (door.c).
//
// Any thread may call these functions, several at once. They give NULL, with
// errno ENOMEM, when there is no memory. Blocks lie at multiples of 16.
#ifndef CSP_SCHED_MEMORY_H
#define CSP_SCHED_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

typedef struct Memory {
  // The block with another size, or a new one for NULL. new_size 0 frees it,
  // and gives NULL. Otherwise NULL: no memory, and the old block stays.
  void *(*alloc)(void *arg, void *block, size_t old_size, size_t new_size);
  void *arg;
} Memory;

// malloc, realloc and free. They serve hosts that give no allocator, and code
// that works without a runtime (the formatter).
extern const Memory mem_libc;

void *mem_alloc(const Memory *memory, size_t size);
void *mem_zeroed(const Memory *memory, size_t size);
// block NULL: a new block of that Memory. Otherwise the block keeps its own
// Memory, and stays as it is when the result is NULL.
void *mem_resize(const Memory *memory, void *block, size_t size);
void mem_free(void *block);          // may be NULL; keeps errno
size_t mem_held(const void *block);  // of the allocator's bytes; 0 if NULL
// These make texts that end with a zero byte. A part has at most len bytes of
// `text`.
char *mem_copy_text(const Memory *memory, const char *text);
char *mem_copy_part(const Memory *memory, const char *text, size_t len);
char *mem_format(const Memory *memory, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// *len does not count the zero byte. len may be NULL.
char *mem_format_args(const Memory *memory, size_t *len, const char *format,
                      va_list args) __attribute__((format(printf, 3, 0)));
// The block begins a cache line (RT_LINE). Only mem_free_lines may free it.
void *mem_lines(const Memory *memory, size_t size);
void mem_free_lines(void *block);
// From now on the block belongs to `own`, which has the same allocator. `own`
// may lie in the block itself, as mem_free reads it before it frees the block.
void mem_adopt(void *block, const Memory *own);

// Blocks of libc without a header. The host frees them, or has made them for
// us.
void *libc_resize(void *block, size_t size);  // NULL: a new one
void libc_free(void *block);
char *libc_copy(const char *text, size_t len);  // adds a zero byte
// Gives the host a copy of the text, and frees ours. text may be NULL.
char *libc_hand_over(char *text, size_t len);

#endif
