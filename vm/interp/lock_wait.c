// SPDX-License-Identifier: MIT
// Goroutines that wait for a mutex or a semaphore (sched/gate.c). The natives
// that need no wait are in vm/native/lock_methods.c.
//
// A mutex knows the id of the goroutine that holds it, so dumps and reports
// name it. A semaphore only counts, as any goroutine may give a place back.
//
// A goroutine that waits has a select block of one case (Goroutine.select). The
// case keeps the lock alive between a wake-up and the next look. Its word is
// the time when the wait began, whose lowest bit tells whether it is to read.
#include "vm/interp/lock_wait.h"

#include <stdio.h>

#include "vm/interp/call.h"
#include "vm/interp/channels.h"
#include "vm/interp/group_block.h"
#include "vm/interp/panic.h"
#include "vm/interp/select_cases.h"
#include "vm/interp/stack.h"

#define NOTHING ((Results){NULL, 0})

static const Obj *lock_of(const Chan *gate) {
  return (const Obj *)(const void *)((const char *)gate -
                                     offsetof(ObjChan, chan));
}

// again: it was woken, and has no place yet.
static Next enter(Local *local, Goroutine *g, bool again) {
  SelCase *wait = &g->select->cases[0];
  g->on_resume = RESUME_ENTER;
  RT_ASSERT(goroutine_is_valid(g) && g->select->count == 1);
  if (!gate_enter(local->p, &g->g, wait->chan, value_small(wait->waiter.elem),
                  again))
    return LEFT;
  g->on_resume = RESUME_NOTHING;
  g->select->count = 0;
  return RELOAD;
}

Next lock_enter(CspCall *call, Value *window, int want) {
  Local *local = call->local;
  Goroutine *g = call->g;
  ObjChan *lock = (ObjChan *)value_obj(call->later.value);
  if (!call_deliver(local, g, window, NOTHING, want, call->def->name))
    return THROW;
  if (group_cancels(local, g)) return THROW;
  SelectBlock *block = select_block(local, g, 1);
  if (block == NULL) {
    vm_panic_memory(local, g);
    return THROW;
  }
  int64_t since = (rt_now() & ~(int64_t)LOCK_TO_READ) | call->later.number;
  block->cases[0] = (SelCase){.waiter = {.elem = value_from_small(since)},
                              .chan = &lock->chan,
                              .send = true};
  block->count = 1;
  return enter(local, g, false);
}

Next lock_resume(Local *local, Goroutine *g) {
  RT_ASSERT(g->select != NULL && g->select->count == 1);
  if (!g->g.wait.success && !g->g.cancelled) return enter(local, g, true);
  g->select->count = 0;
  if (g->g.wait.success) return GO_ON;
  group_raise(local, g);
  return THROW;
}

// What it is a part of is what the program knows. (Readers are only counted.)
static const char *lock_name(const Goroutine *g, const ObjChan *lock) {
  bool is_mutex = lock->obj.type == OBJ_MUTEX;
  switch (lock->obj.flags) {
    case PART_OF_RWMUTEX:
      if (!is_mutex) return "rwmutex write, held by readers";
      RT_ASSERT(g->select != NULL && g->select->count == 1);
      return value_small(g->select->cases[0].waiter.elem) & LOCK_TO_READ
                 ? "rwmutex read"
                 : "rwmutex write";
    case PART_OF_ONCE:
      return "once";
    case PART_OF_LATCH:
      return "latch";
    case 0:
      return is_mutex ? "mutex" : "semaphore";
    default:
      rt_throw("lock_name: a part of the unknown %d", lock->obj.flags);
  }
}

const char *lock_wait_name(const Goroutine *g, const ObjChan *channel) {
  bool is_lock =
      channel->obj.type == OBJ_MUTEX || channel->obj.type == OBJ_SEMAPHORE;
  return is_lock || channel->obj.flags == PART_OF_LATCH ? lock_name(g, channel)
                                                        : NULL;
}

uint64_t lock_holder(const Goroutine *g) {
  // relaxed: no goroutine runs
  const Chan *gate = rt_load_relaxed(&g->g.wait.chan);
  if (g->g.reason != WAIT_CHAN_SEND || gate == NULL) return 0;
  return lock_of(gate)->type == OBJ_MUTEX ? gate_holder(gate) : 0;
}

const char *lock_wait_text(const Goroutine *g, char *room) {
  const char *name = channel_wait_name(g);
  uint64_t holder = lock_holder(g);
  if (holder == 0) return name;
  snprintf(room, LOCK_WAIT_TEXT, "%s, held by goroutine %llu", name,
           (unsigned long long)holder);
  return room;
}
