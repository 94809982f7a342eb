// SPDX-License-Identifier: MIT
// The ring of sched/runq.c, alone: 256 places for each thread, first in, first
// out. Half of a full one goes to a queue for all. STEAL_MOST, which the
// including program defines, is how many one steal may take, up to half.
//
//   tail   written by the owner; a release store shows the slots below it
//   head   goes up by CAS by the thread that takes, owner or thief. A thief
//   copies
//          slots and then claims them. If the CAS fails it forgets the copies
//
// Orders. A taker's CAS of head decides who has a slot, so head needs no more
// than that each CAS is a read-modify-write. Tail's release store and a taker's
// acquire load hand over the slot and the task. A slot is written again only
// after the owner has seen a head beyond it, by an acquire load, which pairs
// with the CAS that came after the copy. No operation needs seq_cst here: both
// ends take by CAS, so nobody relies on having lowered an index before the
// other one looks. (sched/ has seq_cst at the tail for its idle protocol, which
// is not here. It also has runnext, and no CAS while there is one P.)
#ifndef CSP_BENCH_VARIANTS_RING_H
#define CSP_BENCH_VARIANTS_RING_H

#include "loop.h"

enum { RING_SIZE = 256, TAKE_MOST = RING_SIZE / 2 };

typedef struct Ring {
  uint32_t head RT_ALIGNED;  // atomic; see above
  uint32_t tail RT_ALIGNED;  // atomic; written by the owner
  Task *slots[RING_SIZE];    // atomic
} Ring;

static Ring rings[THREADS_MAX];
static LockedList global RT_ALIGNED;

static void queue_init(void) {
  memset(rings, 0, sizeof rings);
  global = (LockedList){0};
}

static Task *slot_read(Ring *ring, uint32_t index) {
  // relaxed: shown by tail (queue_put). A stale one fails the CAS of head
  return rt_load_relaxed(&ring->slots[index % RING_SIZE]);
}

static void slot_write(Ring *ring, uint32_t index, Task *task) {
  // relaxed: shown by tail, as in queue_put
  rt_store_relaxed(&ring->slots[index % RING_SIZE], task);
}

// Owner. Half of its ring, which is full, and the task go to all. false: a
// thief was faster, and there is room now.
static bool overflow(Ring *ring, Task *task, uint32_t head) {
  Task *batch[TAKE_MOST];
  for (uint32_t i = 0; i < TAKE_MOST; i++) batch[i] = slot_read(ring, head + i);
  uint32_t claimed = head;
  // RMW: this, or the CAS in ring_steal
  if (!rt_cas(&ring->head, &claimed, head + TAKE_MOST)) return false;
  for (uint32_t i = 1; i < TAKE_MOST; i++) batch[i - 1]->next = batch[i];
  batch[TAKE_MOST - 1]->next = task;
  list_put(&global, batch[0], task, TAKE_MOST + 1);
  return true;
}

static void queue_put(Worker *worker, Task *task) {
  Ring *ring = &rings[worker->id];
  for (;;) {
    // acquire: the copies of thieves are done. Pairs with the CAS in ring_steal
    uint32_t head = rt_load_acquire(&ring->head);
    uint32_t tail = ring->tail;
    if (tail - head < RING_SIZE) {
      slot_write(ring, tail, task);
      // release: shows slot and task. Pairs with the acquire in ring_steal
      rt_store_release(&ring->tail, tail + 1);
      return;
    }
    if (overflow(ring, task, head)) return;
  }
}

// Owner.
static Task *ring_pop(Ring *ring) {
  for (;;) {
    // acquire: as in queue_put
    uint32_t head = rt_load_acquire(&ring->head);
    if (ring->tail == head) return NULL;
    Task *task = slot_read(ring, head);
    // RMW: this, or the CAS in ring_steal
    if (rt_cas(&ring->head, &head, head + 1)) return task;
  }
}

// Owner, whose ring is empty. A fair share of what is for all.
static Task *global_take(Ring *ring) {
  if (list_count(&global) == 0) return NULL;
  rt_lock(&global.lock);
  uint32_t count = list_count(&global) / (uint32_t)threads + 1;
  if (count > TAKE_MOST) count = TAKE_MOST;
  Task *first = list_pop(&global);
  uint32_t tail = ring->tail;
  for (uint32_t i = 1; first != NULL && i < count; i++) {
    Task *task = list_pop(&global);
    if (task == NULL) break;
    slot_write(ring, tail++, task);
  }
  rt_unlock(&global.lock);
  rt_store_release(&ring->tail, tail);  // release: as in queue_put
  return first;
}

// Owner of ring, which is empty.
static Task *ring_steal(Ring *ring, Ring *victim) {
  for (;;) {
    // acquire, both: head not after tail. Pairs with the store in queue_put
    uint32_t head = rt_load_acquire(&victim->head);
    uint32_t count = rt_load_acquire(&victim->tail) - head;

    count -= count / 2;
    if (count == 0) return NULL;
    if (count > TAKE_MOST) continue;  // head has moved between the two loads
    if (count > STEAL_MOST) count = STEAL_MOST;
    Task *task = slot_read(victim, head);
    for (uint32_t i = 1; i < count; i++) {
      slot_write(ring, ring->tail + i - 1, slot_read(victim, head + i));
    }
    // RMW: this, or the CAS in ring_pop, overflow or of another thief
    if (!rt_cas(&victim->head, &head, head + count)) continue;
    // release: as in queue_put
    rt_store_release(&ring->tail, ring->tail + count - 1);
    return task;
  }
}

static Task *queue_take(Worker *worker) {
  Ring *ring = &rings[worker->id];
  Task *task = ring_pop(ring);
  if (task == NULL) task = global_take(ring);
  if (task != NULL || threads == 1) return task;
  int victim = loop_victim(worker);
  for (int i = 1; i < threads && task == NULL; i++) {
    task = ring_steal(ring, &rings[victim]);
    victim = loop_next_victim(worker, victim);
  }
  return task;
}

#endif
