// SPDX-License-Identifier: MIT
// Memory of channels: making them, and bigger rings for those that grow.
//
// A channel's ring ends its object. The ring of a channel that grows is an
// object of its own (OBJ_RAW), which the channel keeps alive. The collector
// finds that by the address of its words, and the words by chan_scan. So a ring
// is not scanned by itself, and one that the channel no longer uses is garbage.
// Only the owner of a P calls what is here.
#include "vm/object/channel_memory.h"
#include "vm/heap/local.h"
#include "vm/heap/span.h"
#include "vm/heap/work.h"

static ObjChan *channel_alloc(Local *local, size_t size) {
  size += offsetof(ObjChan, chan);
  ObjChan *c = (ObjChan *)heap_alloc(&local->heap, size, OBJ_CHAN);
  if (c != NULL) c->timer = NULL;
  return c;
}

ObjChan *channel_new(Local *local, uint32_t cap) {
  ObjChan *c = channel_alloc(local, chan_size(cap));
  if (c != NULL) chan_init(&c->chan, cap);
  return c;
}

ObjChan *channel_new_drops(Local *local, uint32_t cap) {
  ObjChan *c = channel_alloc(local, chan_size(cap));
  if (c != NULL) chan_init_drops(&c->chan, cap);
  return c;
}

// Gives c a ring of that many words, if it still wants it. false: no memory.
static bool give_ring(Local *local, Chan *c, uint32_t room) {
  size_t size = sizeof(ChanRing) + room * sizeof(uint64_t);
  ChanRing *ring = (ChanRing *)heap_alloc(&local->heap, size, OBJ_RAW);
  if (ring == NULL) return false;
  RT_ASSERT(room > 0 && heap_size_of(ring) >= size);
  void *none = NULL;
  heap_store_ptr(&local->heap, &none, ring);  // the barrier sees it
  chan_grow(local->p, c, ring->words, room);
  charge_bytes(local, size);
  return true;
}

ObjChan *channel_new_grows(Local *local, uint32_t room, uint32_t limit) {
  ObjChan *c = channel_alloc(local, chan_size_grows());
  if (c == NULL) return NULL;
  chan_init_grows(&c->chan, limit);
  return room == 0 || give_ring(local, &c->chan, room) ? c : NULL;
}

bool channel_grow(Local *local, Chan *c) {
  uint32_t room = chan_next_room(c);
  return room == 0 || give_ring(local, c, room);
}
