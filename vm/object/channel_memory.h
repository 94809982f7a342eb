// SPDX-License-Identifier: MIT
// The memory of channels. A channel is an object of the heap, and so is each
// block of one that grows. Only the owner of a P calls these.
#ifndef CSP_VM_OBJECT_CHANNEL_MEMORY_H
#define CSP_VM_OBJECT_CHANNEL_MEMORY_H

#include "vm/heap/local.h"

enum { CHAN_MOST = 1 << 27 };  // values that one may hold
// NULL: out of memory. The first block of one that grows has room for so many,
// or is as large as a block may be.
ObjChan *channel_new(Local *local, uint32_t cap);
// For a program. While spans are measured it grows, since those have a span for
// each word (sched/workspan.c).
ObjChan *channel_new_plain(Local *local, uint32_t cap);
ObjChan *channel_new_lock(Local *local, ObjType type, uint32_t places);
ObjChan *channel_new_drops(Local *local, uint32_t cap);
ObjChan *channel_new_grows(Local *local, uint32_t room, uint32_t limit);
// Its next block, if one is wanted. false: out of memory.
bool channel_grow(Local *local, Chan *chan);

#endif
