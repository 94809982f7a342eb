// SPDX-License-Identifier: MIT
// Channels that grow: they begin without room, or with little, and get more as
// senders need it, up to a limit. No word ever moves.
//
// The words are in a chain of blocks (ChanBlock), which are memory of the layer
// above. Receivers read the first block from recvx on, senders fill the last
// from its `end` on. Where other channels have their words, such a channel has
// a ChanGrowth. Its cap and count are 0, so that the quick paths for plain
// rings pass it by.
//
// A block is in one of these states:
//   last    it has room from `end` on, or is full
//   middle  it is full, and nothing of it was read
//   first   what is before recvx was read, the rest is full
//   spare   it was read to its end, and its room is empty; there is one at most
//   out     not the channel's any more: garbage
// The first block may be the last, too. It is empty then where count is 0, and
// begins anew. A block that was read becomes the spare if there is none, or the
// smaller one goes out for it. The spare becomes the last when that is full.
//
// Nobody allocates with the lock held, and this folder not at all. A sender
// that finds no room below the limit sets `wants` and does nothing else
// (CHAN_WANTS_ROOM). Without the lock the layer above makes a block,
// chan_grow puts it at the end if that is still wanted, and the sender begins
// again. Of two that do so at once the second finds that there is room, and its
// block is garbage.
//
// A receiver that makes room for a sender that waits puts that one's word, and
// cannot ask for a block. It need not: all blocks but the first are full then,
// so `room` (of the chain, with what was read of the first) is at least the
// limit. In that case senders wrap: they fill the part of the first block that
// was read, from 0 up to sendx. When the rest has been read, the block goes to
// the end of the chain, where it is filled up to there. So a channel that stays
// near its limit is a ring of blocks, and gets and loses none.
//
// Under the lock these hold (chan_grow_is_valid):
//   count <= limit, and senders wait only while they are equal
//   room == count + recvx - sendx + what the last block has room for
//   sendx == 0, or senders wrap: then sendx <= recvx, the last block is full,
//     room >= limit, and there is no spare
// So senders that wrap find room as long as count < limit: room - count is
// recvx - sendx then.
//
// Each operation takes a few steps, however many words there are. Blocks are as
// large as the channel is (chan_block_size), from CHAN_BLOCK_LEAST to
// CHAN_BLOCK_MOST. So small channels are small, and there is a block for each
// doubling, and then for each CHAN_BLOCK_MOST. A channel that was emptied keeps
// one block, and the spare up to the next collection.
//
// A collector scans each block by itself, its words up to `end` and `next`.
// What was read of it is empty. The channel leads to the first block. While the
// write barrier is on, each block that the channel or a block is made to point
// to is shown to it. So a block that was scanned never leads to one that is
// missed, whatever `next` was before.
//
// All functions: owner P.
#include "sched/chan_grow.h"
#include "sched/chan.h"
#include "sched/workspan.h"

void chan_init_grows(Chan *chan, uint32_t limit) {
  RT_ASSERT(limit > 0 && limit <= INT32_MAX);  // so that room fits
  *chan = (Chan){.flags = CHAN_GROWS};
  *chan_growth(chan) = (ChanGrowth){.limit = limit};
}

void chan_block_init(ChanBlock *block, uint32_t room, uint64_t self) {
  RT_ASSERT(room > 0);
  *block = (ChanBlock){.self = self, .room = room};
}

// --- Lock held --------------------------------------------------------------
static uint32_t room_of_last(const ChanGrowth *growth) {
  return growth->last == NULL ? 0 : growth->last->room - growth->last->end;
}

bool chan_grow_is_valid(const Chan *chan) {
  const ChanGrowth *growth = chan_growth(chan);
  if (chan->cap != 0 || chan->count != 0 || growth->count > growth->limit)
    return false;
  if (growth->first == NULL || growth->last == NULL)
    return growth->first == growth->last &&
           (growth->count | chan->recvx | chan->sendx | growth->room) == 0;
  if (growth->last->end > growth->last->room ||
      chan->recvx >= growth->first->room)
    return false;
  if (growth->spare != NULL && growth->spare->end != 0) return false;
  if (chan->sendx > 0 &&
      (chan->sendx > chan->recvx || room_of_last(growth) > 0 ||
       growth->room < growth->limit || growth->spare != NULL))
    return false;
  return growth->room ==
         growth->count + chan->recvx - chan->sendx + room_of_last(growth);
}

static void set_growth_count(ChanGrowth *growth, uint32_t count) {
  // release: pairs with chan_recv_hopeless, which looks at flags next
  rt_store_release(&growth->count, count);
}

// The block is about to be pointed to.
static void show_block(P *p, const ChanBlock *block) {
  uint64_t place;
  chan_fill(p, &place, block->self);
}

static void append_block(P *p, ChanGrowth *growth, ChanBlock *block) {
  show_block(p, block);
  block->next = NULL;
  if (growth->last == NULL)
    growth->first = block;
  else
    growth->last->next = block;
  growth->last = block;
}

static void retire_block(ChanGrowth *growth, ChanBlock *block) {
  growth->room -= block->room;
  if (growth->spare == NULL || growth->spare->room < block->room)
    growth->spare = block;
}

// The first block was read to its end. What senders that wrap have put into it
// is its beginning now.
static void leave_first(P *p, Chan *chan) {
  ChanGrowth *growth = chan_growth(chan);
  ChanBlock *block = growth->first;
  uint32_t wrapped = chan->sendx;
  chan->sendx = chan->recvx = 0;
  block->end = wrapped;
  if (block == growth->last) return;
  show_block(p, block->next);
  growth->first = block->next;
  if (wrapped > 0)
    append_block(p, growth, block);
  else
    retire_block(growth, block);
}

// Where the next word goes, count < limit. NULL: a block is wanted.
static uint64_t *next_slot(P *p, Chan *chan) {
  ChanGrowth *growth = chan_growth(chan);
  if (room_of_last(growth) > 0)
    return &growth->last->words[growth->last->end++];
  ChanBlock *block = growth->spare;
  if (block != NULL) {
    growth->spare = NULL;
    growth->room += block->room;
    append_block(p, growth, block);
    return &block->words[block->end++];
  }
  if (growth->room < growth->limit) return NULL;
  RT_ASSERT(chan->sendx < chan->recvx);
  return &growth->first->words[chan->sendx++];
}

// Of the block of that slot: the first or the last.
static uint32_t room_at(const ChanGrowth *growth, const uint64_t *slot) {
  const ChanBlock *first = growth->first;
  bool here = slot >= first->words && slot < first->words + first->room;
  return here ? first->room : growth->last->room;
}

ChanResult chan_grow_put(P *p, Chan *chan, uint64_t word) {
  ChanGrowth *growth = chan_growth(chan);
  if (growth->count == growth->limit) return CHAN_BLOCKED;
  uint64_t *slot = next_slot(p, chan);
  if (slot == NULL) {
    rt_store_relaxed(&growth->wants, 1);  // relaxed: a hint for chan_next_size
    return CHAN_WANTS_ROOM;
  }
  chan_fill(p, slot, word);
  if (p->marks & MARK_SPAN)
    workspan_put(p, slot, room_at(growth, slot), p->work.sender);
  set_growth_count(growth, growth->count + 1);
  return CHAN_DONE;
}

bool chan_grow_take(P *p, Chan *chan, uint64_t *word) {
  ChanGrowth *growth = chan_growth(chan);
  if (growth->count == 0) return false;
  uint64_t *slot = &growth->first->words[chan->recvx];
  *word = *slot;
  if (p->marks & MARK_SPAN) workspan_take(p, slot, growth->first->room);
  chan_store(p, slot, p->sched->config.empty_word);
  if (++chan->recvx == growth->first->end) leave_first(p, chan);
  set_growth_count(growth, growth->count - 1);
  return true;
}

// --- Entry points -----------------------------------------------------------
size_t chan_block_size(uint32_t count) {
  size_t size = CHAN_BLOCK_LEAST;
  size_t enough = CHAN_BLOCK_HEAD + (size_t)count * sizeof(uint64_t);
  while (size < enough && size < CHAN_BLOCK_MOST) size *= 2;
  return size;
}

size_t chan_next_size(const Chan *chan) {
  if (!chan_grows(chan)) return 0;
  const ChanGrowth *growth = chan_growth(chan);
  // relaxed, both: hints. chan_grow looks again
  if (!rt_load_relaxed(&growth->wants)) return 0;
  return chan_block_size(rt_load_relaxed(&growth->count));
}

bool chan_grow(P *p, Chan *chan, ChanBlock *block) {
  ChanGrowth *growth = chan_growth(chan);
  chan_lock(p, chan);
  rt_store_relaxed(&growth->wants, 0);  // relaxed: as in chan_grow_put
  bool wanted = room_of_last(growth) == 0 && growth->spare == NULL &&
                growth->room < growth->limit;
  if (wanted) {
    append_block(p, growth, block);
    growth->room += block->room;
  }
  chan_unlock(p, chan);
  return wanted;
}
