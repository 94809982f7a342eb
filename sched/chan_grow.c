// SPDX-License-Identifier: MIT
// Channels that grow: they begin with room for a few words, and get more as
// senders need it, up to a limit.
//
// Such a channel's ring is a block of its own, with `room` words; where other
// channels have their words, it has a ChanGrowth. Its cap and count are 0, so
// that the quick paths for plain rings pass it by; sendx and recvx are those of
// the ring.
//
// Nobody allocates with the lock held, and this folder not at all. A sender
// that finds the ring full below the limit does nothing (CHAN_WANTS_ROOM);
// without the lock the layer above gets a bigger block, chan_grow moves the
// words into it if that is still wanted, and the sender begins again. Of two
// that do so at once the second finds that there is room, and its block is
// garbage; so is the ring before. The words move with the lock held: doubling
// makes that rare.
//
// Under the lock count <= room <= limit holds. room never shrinks, and senders
// wait only while count == limit. All functions: owner P.
#include "sched/chan_grow.h"
#include "sched/chan.h"

enum { ROOM_LEAST = 4 };  // of a ring that comes instead of none

void chan_init_grows(Chan *c, uint32_t limit) {
  *c = (Chan){.flags = CHAN_GROWS};
  *chan_growth(c) = (ChanGrowth){.limit = limit};
}

static void set_growth_count(ChanGrowth *r, uint32_t count) {
  // release: the try paths read it without the lock
  rt_store_release(&r->count, count);
}

// --- Lock held --------------------------------------------------------------
ChanResult chan_grow_put(P *p, Chan *c, uint64_t word) {
  ChanGrowth *r = chan_growth(c);
  if (r->count == r->room)
    return r->room < r->limit ? CHAN_WANTS_ROOM : CHAN_BLOCKED;
  chan_fill(p, &r->ring[c->sendx], word);
  if (++c->sendx == r->room) c->sendx = 0;
  set_growth_count(r, r->count + 1);
  return CHAN_DONE;
}

bool chan_grow_take(P *p, Chan *c, uint64_t *word) {
  ChanGrowth *r = chan_growth(c);
  if (r->count == 0) return false;
  *word = r->ring[c->recvx];
  chan_store(p, &r->ring[c->recvx], p->sched->empty_word);
  if (++c->recvx == r->room) c->recvx = 0;
  set_growth_count(r, r->count - 1);
  return true;
}

static void move_words(P *p, Chan *c, uint64_t *ring, uint32_t room) {
  ChanGrowth *r = chan_growth(c);
  for (uint32_t i = 0; i < r->count; i++) {
    chan_fill(p, &ring[i], r->ring[c->recvx]);
    if (++c->recvx == r->room) c->recvx = 0;
  }
  c->recvx = 0;
  c->sendx = r->count;
  RT_ASSERT(c->sendx < room && r->room < room);
  r->ring = ring;
  rt_store_relaxed(&r->room, room);  // relaxed: a hint for chan_next_room
}

// --- Entry points -----------------------------------------------------------
uint32_t chan_next_room(const Chan *c) {
  if (!chan_grows(c)) return 0;
  const ChanGrowth *r = chan_growth(c);
  // relaxed, both: a hint; chan_grow looks again
  uint32_t room = rt_load_relaxed(&r->room);
  if (room == r->limit || rt_load_relaxed(&r->count) < room) return 0;
  uint32_t next = room < ROOM_LEAST / 2 ? ROOM_LEAST : 2 * room;
  return next < r->limit ? next : r->limit;
}

bool chan_grow(P *p, Chan *c, uint64_t *ring, uint32_t room) {
  const ChanGrowth *r = chan_growth(c);
  RT_CHECK(room <= r->limit, "a channel of %u words at most grows to %u",
           r->limit, room);
  chan_lock(p, c);
  bool wanted = r->count == r->room && r->room < room;
  if (wanted) move_words(p, c, ring, room);
  chan_unlock(p, c);
  return wanted;
}
