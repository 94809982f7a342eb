// SPDX-License-Identifier: MIT
// Blocks for channels that grow, in tests without a collector: what was made is
// freed by free_blocks, whether a channel took it or not.
#ifndef CSP_TESTS_GROW_FIXTURE_H
#define CSP_TESTS_GROW_FIXTURE_H

#include "sched_fixture.h"

#include "sched/internal.h"

typedef struct MadeBlock {
  struct MadeBlock *before;
  ChanBlock block;
} MadeBlock;

static MadeBlock *made_blocks;  // atomic: only exchanged while threads run

static inline ChanBlock *new_block(uint32_t room) {
  MadeBlock *made = malloc(sizeof *made + room * sizeof(uint64_t));
  // What no word was put into must not be looked at.
  memset(made, 0xAB, sizeof *made + room * sizeof(uint64_t));
  chan_block_init(&made->block, room, (uint64_t)(uintptr_t)&made->block);
  made->before = rt_exchange(&made_blocks, made);
  return &made->block;
}

static inline void free_blocks(void) {
  while (made_blocks != NULL) {
    MadeBlock *made = made_blocks;
    made_blocks = made->before;
    free(made);
  }
}

static inline uint32_t room_of_size(size_t size) {
  return (uint32_t)((size - CHAN_BLOCK_HEAD) / sizeof(uint64_t));
}

// As the layer above. false: no block was taken.
static inline bool grow(P *p, Chan *chan) {
  size_t size = chan_next_size(chan);
  return size > 0 && chan_grow(p, chan, new_block(room_of_size(size)));
}

#endif
