// SPDX-License-Identifier: MIT
// Memory of channels: making them, and blocks for those that grow.
//
// A channel's ring ends its object. The blocks of a channel that grows are
// objects (OBJ_CHAN_BLOCK). The channel leads to the first, and each block to
// the next. The collector scans each by itself, so several markers may share
// the words of a channel, and a block that was read is garbage. Only the owner
// of a P calls what is here.
#include "vm/object/channel_memory.h"
#include "vm/heap/heap_internal.h"
#include "vm/heap/local.h"
#include "vm/heap/span.h"
#include "vm/heap/work.h"

static ObjChan *channel_alloc(Local *local, size_t size) {
  size += offsetof(ObjChan, chan);
  ObjChan *channel = (ObjChan *)heap_alloc(&local->heap, size, OBJ_CHAN);
  if (channel != NULL) channel->timer = NULL;
  return channel;
}

ObjChan *channel_new(Local *local, uint32_t cap) {
  ObjChan *channel = channel_alloc(local, chan_size(cap));
  if (channel != NULL) chan_init(&channel->chan, cap);
  return channel;
}

ObjChan *channel_new_plain(Local *local, uint32_t cap) {
  return local->vm->spans && cap > 0 ? channel_new_grows(local, 0, cap)
                                     : channel_new(local, cap);
}

ObjChan *channel_new_lock(Local *local, ObjType type, uint32_t places) {
  uint32_t spans = places < GATE_SPANS_MOST ? places : GATE_SPANS_MOST;
  if (!local->vm->spans) spans = 0;
  ObjChan *lock = channel_alloc(local, chan_size(1 + spans));
  if (lock == NULL) return NULL;
  lock->obj.type = (uint8_t)type;
  gate_init(&lock->chan, places, type == OBJ_MUTEX);
  memset(&lock->chan.buf[1], 0, spans * sizeof(uint64_t));
  return lock;
}

ObjChan *channel_new_drops(Local *local, uint32_t cap) {
  ObjChan *channel = channel_alloc(local, chan_size(cap));
  if (channel != NULL) chan_init_drops(&channel->chan, cap);
  return channel;
}

// No block is larger than what is found without a look at the whole heap.
_Static_assert((int)CHAN_BLOCK_MOST <= (int)MEDIUM_MAX, "blocks have a class");

// Gives chan a block of that size, if it still wants it. false: no memory.
static bool give_block(Local *local, Chan *chan, size_t size) {
  ObjChanBlock *block =
      (ObjChanBlock *)heap_alloc(&local->heap, size, OBJ_CHAN_BLOCK);
  if (block == NULL) return false;
  size_t room = (size - sizeof *block) / sizeof(uint64_t);
  if (local->vm->spans) room /= 2;  // each word has its span
  chan_block_init(&block->block, (uint32_t)room, value_from_obj(block));
  chan_grow(local->p, chan, &block->block);
  charge_bytes(local, size);
  return true;
}

ObjChan *channel_new_grows(Local *local, uint32_t room, uint32_t limit) {
  ObjChan *channel = channel_alloc(local, chan_size_grows());
  if (channel == NULL) return NULL;
  chan_init_grows(&channel->chan, limit);
  if (room == 0) return channel;
  return give_block(local, &channel->chan, chan_block_size(room)) ? channel
                                                                  : NULL;
}

bool channel_grow(Local *local, Chan *chan) {
  size_t size = chan_next_size(chan);
  return size == 0 || give_block(local, chan, size);
}
