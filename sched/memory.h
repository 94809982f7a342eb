// SPDX-License-Identifier: MIT
// Where a runtime's memory comes from. That is its host's allocator, or libc's.
// The lowest module: all layers take memory here. Of other files few call
// malloc and its like, and tests/lint.sh gives a reason for each.
//
// Code that takes memory names the Memory it comes from; there is no default.
// Each block notes its Memory and its size in 16 bytes in front of it, so
// mem_free and mem_resize need the block alone, and the allocator is told sizes
// that are exact. A Memory must live until its last block is freed: a runtime's
// is in its door (door.c).
//
// Any thread, several at once. NULL: there is no memory, and errno is ENOMEM.
// Blocks lie at multiples of 16.
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

// malloc, realloc and free: where a host gives no allocator, and for what works
// without a runtime (the formatter).
extern const Memory mem_libc;

void *mem_alloc(const Memory *memory, size_t size);
void *mem_zeroed(const Memory *memory, size_t size);
// block NULL: a new one of that memory. Else it stays of its own, and as it is
// where the result is NULL.
void *mem_resize(const Memory *memory, void *block, size_t size);
void mem_free(void *block);          // may be NULL; keeps errno
size_t mem_held(const void *block);  // of the allocator's bytes; 0 if NULL
// Texts with a zero byte at their end. A part has at most len bytes of `text`.
char *mem_copy_text(const Memory *memory, const char *text);
char *mem_copy_part(const Memory *memory, const char *text, size_t len);
char *mem_format(const Memory *memory, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// *len does not count the zero byte. len may be NULL.
char *mem_format_args(const Memory *memory, size_t *len, const char *format,
                      va_list args) __attribute__((format(printf, 3, 0)));
// At the start of a cache line (RT_LINE); for mem_free_lines alone.
void *mem_lines(const Memory *memory, size_t size);
void mem_free_lines(void *block);
// From now on the block is of `own`, which has the same allocator, and may lie
// in the block itself: mem_free reads it first.
void mem_adopt(void *block, const Memory *own);

// What the host frees, or has malloced for us: libc's own, without a header.
void *libc_resize(void *block, size_t size);  // NULL: a new one
void libc_free(void *block);
char *libc_copy(const char *text, size_t len);  // adds a zero byte
// The same text for the host, and frees ours. text may be NULL.
char *libc_hand_over(char *text, size_t len);

#endif
