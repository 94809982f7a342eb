// SPDX-License-Identifier: MIT
// The memory of a runtime (CspConfig.alloc) as a host might give it. Each block
// knows its size, which must be what the runtime says of it. At the end none is
// left. Some allocations fail, as the input says. Any thread.
#ifndef CSP_FUZZ_API_MEMORY_H
#define CSP_FUZZ_API_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK_MARK = 0x43535021 };

// In front of each block, which so is at a multiple of 16.
typedef struct BlockHead {
  size_t size;
  uint64_t mark;
} BlockHead;

typedef struct Memory {
  atomic_size_t blocks;   // that are not freed
  atomic_uint count;      // of allocations
  unsigned first, every;  // the first that fails, and how many after it one
                          // does again, 0: none. Immutable
} Memory;

static bool memory_fails(Memory *memory) {
  unsigned at = atomic_fetch_add(&memory->count, 1) + 1;
  if (memory->first == 0 || at < memory->first) return false;
  return at == memory->first ||
         (memory->every && (at - memory->first) % memory->every == 0);
}

// The head of a block that the runtime says is so large.
static BlockHead *head_of(void *block, size_t size) {
  BlockHead *head = (BlockHead *)block - 1;
  if (head->mark != BLOCK_MARK || head->size != size) abort();
  return head;
}

static void *memory_alloc(void *arg, void *block, size_t old, size_t size) {
  Memory *memory = arg;
  BlockHead *head = block != NULL ? head_of(block, old) : NULL;
  if (size == 0) {
    if (head == NULL) return NULL;
    head->mark = 0;
    free(head);
    atomic_fetch_sub(&memory->blocks, 1);
    return NULL;
  }
  if (memory_fails(memory)) return NULL;
  BlockHead *made = malloc(sizeof *made + size);
  if (made == NULL) return NULL;
  *made = (BlockHead){size, BLOCK_MARK};
  memset(made + 1, 0xa5, size);
  if (head != NULL) {
    memcpy(made + 1, block, old < size ? old : size);
    free(head);
  } else {
    atomic_fetch_add(&memory->blocks, 1);
  }
  return made + 1;
}

static bool memory_has_failed(Memory *memory) {
  return memory->first != 0 && atomic_load(&memory->count) >= memory->first;
}

// When nothing of the runtime is left, no waker and no door. stuck: but
// threads.
static void memory_end(Memory *memory, bool stuck) {
  while (stuck && atomic_load(&memory->blocks) != 0)
    nanosleep(&(struct timespec){0, 100000}, NULL);
  if (atomic_load(&memory->blocks) != 0) abort();
}

#endif
