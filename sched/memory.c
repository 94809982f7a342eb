// SPDX-License-Identifier: MIT
// The allocator of sched/memory.h, which says which threads may call what. With
// AddressSanitizer the header of a block is poisoned. So a write in front of a
// block is found as one after its end is.
#include "memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plain.h"
#include "rt.h"

#if defined(__SANITIZE_ADDRESS__)
#define POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISONS 1
#endif
#endif
#ifdef POISONS
#include <sanitizer/asan_interface.h>
#define HEADER_HIDE(h) __asan_poison_memory_region((h), sizeof(BlockHeader))
#define HEADER_SHOW(h) __asan_unpoison_memory_region((h), sizeof(BlockHeader))
#else
#define HEADER_HIDE(h) ((void)(h))
#define HEADER_SHOW(h) ((void)(h))
#endif

typedef struct BlockHeader {
  _Alignas(16) const Memory *memory;
  size_t size;  // with the header
} BlockHeader;

_Static_assert(sizeof(BlockHeader) == 16, "blocks lie at multiples of 16");

static void *mem_by_libc(void *arg, void *block, size_t old_size,
                         size_t new_size) {
  (void)arg;
  (void)old_size;
  if (new_size != 0) return realloc(block, new_size);
  free(block);
  return NULL;
}

const Memory mem_libc = {mem_by_libc, NULL};

static BlockHeader *mem_header(void *block) {
  BlockHeader *header = (BlockHeader *)block - 1;
  HEADER_SHOW(header);
  return header;
}

static void *mem_block(BlockHeader *header, const Memory *memory, size_t size) {
  header->memory = memory;
  header->size = size;
  HEADER_HIDE(header);
  return header + 1;
}

// The header of a new block, or NULL without memory.
static BlockHeader *mem_take(const Memory *memory, size_t size, bool zeroed) {
  BlockHeader *header = NULL;
  if (memory->alloc != mem_by_libc) {
    header = memory->alloc(memory->arg, NULL, 0, size);
    if (header != NULL && zeroed) memset(header, 0, size);
  } else if (zeroed) {  // large ones come from the system, which zeroes them
    header = calloc(1, size);
  } else {
    header = malloc(size);
  }
  if (header == NULL) errno = ENOMEM;
  return header;
}

static bool mem_too_large(size_t size) {
  if (size <= PTRDIFF_MAX - sizeof(BlockHeader)) return false;
  errno = ENOMEM;
  return true;
}

// --- Blocks -----------------------------------------------------------------
void *mem_alloc(const Memory *memory, size_t size) {
  if (mem_too_large(size)) return NULL;
  size += sizeof(BlockHeader);
  BlockHeader *header = mem_take(memory, size, false);
  return header != NULL ? mem_block(header, memory, size) : NULL;
}

void *mem_zeroed(const Memory *memory, size_t size) {
  if (mem_too_large(size)) return NULL;
  size += sizeof(BlockHeader);
  BlockHeader *header = mem_take(memory, size, true);
  return header != NULL ? mem_block(header, memory, size) : NULL;
}

void *mem_resize(const Memory *memory, void *block, size_t size) {
  if (block == NULL) return mem_alloc(memory, size);
  if (mem_too_large(size)) return NULL;
  size += sizeof(BlockHeader);
  BlockHeader *header = mem_header(block);
  size_t before = header->size;
  memory = header->memory;
  BlockHeader *moved = memory->alloc(memory->arg, header, before, size);
  if (moved != NULL) return mem_block(moved, memory, size);
  HEADER_HIDE(header);
  errno = ENOMEM;
  return NULL;
}

void mem_free(void *block) {
  if (block == NULL) return;
  int error = errno;
  BlockHeader *header = mem_header(block);
  const Memory *memory = header->memory;
  // The Memory may lie in the block, so it is not read after the call.
  memory->alloc(memory->arg, header, header->size, 0);
  errno = error;
}

size_t mem_held(const void *block) {
  if (block == NULL) return 0;
  BlockHeader *header = mem_header((void *)(uintptr_t)block);
  size_t size = header->size;
  HEADER_HIDE(header);
  return size;
}

void mem_adopt(void *block, const Memory *own) {
  BlockHeader *header = mem_header(block);
  header->memory = own;
  HEADER_HIDE(header);
}

// The block that it lies in is noted in front of it.
void *mem_lines(const Memory *memory, size_t size) {
  char *whole = mem_alloc(memory, size + RT_LINE + sizeof(void *));
  if (whole == NULL) return NULL;
  uintptr_t least = (uintptr_t)whole + sizeof(void *);
  char *lines =
      whole + ((least + RT_LINE - 1) / RT_LINE * RT_LINE - (uintptr_t)whole);
  ((void **)(void *)lines)[-1] = whole;
  return lines;
}

void mem_free_lines(void *block) {
  if (block != NULL) mem_free(((void **)block)[-1]);
}

// --- Texts ------------------------------------------------------------------
char *mem_copy_part(const Memory *memory, const char *text, size_t len) {
  len = strnlen(text, len);
  char *copy = mem_alloc(memory, len + 1);
  if (copy == NULL) return NULL;
  memcpy(copy, text, len);
  copy[len] = '\0';
  return copy;
}

char *mem_copy_text(const Memory *memory, const char *text) {
  return mem_copy_part(memory, text, strlen(text));
}

char *mem_format_args(const Memory *memory, size_t *len, const char *format,
                      va_list args) {
  va_list again;
  va_copy(again, args);
  Plain plain = plain_begin();
  int count = vsnprintf(NULL, 0, format, args);
  char *text = count < 0 ? NULL : mem_alloc(memory, (size_t)count + 1);
  if (text != NULL) {
    vsnprintf(text, (size_t)count + 1, format, again);
    if (len != NULL) *len = (size_t)count;
  }
  plain_end(plain);
  va_end(again);
  return text;
}

char *mem_format(const Memory *memory, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = mem_format_args(memory, NULL, format, args);
  va_end(args);
  return text;
}

// --- libc's -----------------------------------------------------------------
void *libc_resize(void *block, size_t size) { return realloc(block, size); }

void libc_free(void *block) { free(block); }

char *libc_copy(const char *text, size_t len) {
  char *copy = malloc(len + 1);
  if (copy == NULL) return NULL;
  memcpy(copy, text, len);
  copy[len] = '\0';
  return copy;
}

char *libc_hand_over(char *text, size_t len) {
  char *copy = text != NULL ? libc_copy(text, len) : NULL;
  mem_free(text);
  return copy;
}
