// SPDX-License-Identifier: MIT
// Memory that stays until the runtime ends.
//
// A start makes hundreds of small records that live as long as the runtime. An
// allocation for each of them, and later a free, took an eighth of a start's
// instructions, and a header for each of them took pages. So they are cut from
// blocks, one after the other, and only blocks are freed.
#include "vm/heap/lasting.h"

#include "vm/heap/heap_internal.h"

enum {
#ifdef HEAP_ASAN
  BLOCK_ROOM = 0,  // one block for each record, so that it sees their ends
#else
  BLOCK_ROOM = (16 << 10) - 64,
#endif
  LASTING_ALIGN = 8
};

struct LastingBlock {
  LastingBlock *next;
  size_t used, size;  // bytes of data
  _Alignas(LASTING_ALIGN) char data[];
};

// A block in front of the others, with room for that much at least.
static LastingBlock *add_block(Vm *vm, size_t least) {
  size_t size = least > BLOCK_ROOM ? least : BLOCK_ROOM;
  LastingBlock *block = mem_alloc(vm->memory, sizeof *block + size);
  if (block == NULL) return NULL;
  *block = (LastingBlock){.next = vm->lasting, .size = size};
  vm->lasting = block;
  return block;
}

void *lasting_alloc(Vm *vm, size_t size) {
  RT_ASSERT(size < SIZE_MAX / 2);
  size = (size + LASTING_ALIGN - 1) & ~(size_t)(LASTING_ALIGN - 1);
  LastingBlock *block = vm->lasting;
  if (block == NULL || block->size - block->used < size)
    block = add_block(vm, size);
  if (block == NULL) return NULL;
  char *memory = block->data + block->used;
  block->used += size;
  RT_ASSERT(block->used <= block->size);
  return memset(memory, 0, size);
}

void lasting_free_all(Vm *vm) {
  while (vm->lasting != NULL) {
    LastingBlock *next = vm->lasting->next;
    mem_free(vm->lasting);
    vm->lasting = next;
  }
}
