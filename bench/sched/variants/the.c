// SPDX-License-Identifier: MIT
// The THE protocol of Cilk-5: a deque whose owner takes a lock only where it
// meets a thief, and thieves always take it. So the owner's common path has no
// CAS, and the thieves pay. Frigo, Leiserson and Randall, The Implementation of
// the Cilk-5 Multithreaded Language, PLDI 1998, section 5. (Their E is for
// exceptions: it is a head that forbids more. There are none here, so E is H.)
//
//   T     tail, written by the owner: slots below it are full
//   H     head, written by a thief, which holds the lock: slots below it are
//         taken. It is one too high while a thief that finds nothing backs out
//   lock  of thieves, and of the owner at the last task
//
//   owner                            thief, with the lock
//   O1 stores T = t                  T1 stores H = h + 1
//   O2 loads H                       T2 loads T
//   H <= t: takes t                  h + 1 <= T: takes h; else stores H = h
//   else: stores T = t + 1, locks, and does the same again
//
// All four are seq_cst. Let both take slot t = h, the owner without the lock.
// The owner has seen H <= t, so O2 comes before T1 in the single order. The
// thief has seen T > t, so T2 comes before O1. But O1 is before O2, and T1
// before T2: a circle. With acquire and release alone each load may pass its
// own side's store, and both have the task. With the lock H stands still, and
// the same comparison decides.
//
// The thief reads its slot after T2, when the slot is its own. (Before that the
// owner could take the task and put another one there.) So the owner must not
// write that slot in the next round: a put leaves one place of the array free.
// There is at most one such thief, as the next one has to wait for the lock.
//
// The array does not grow. Newest first, a queue has at most the children of
// the nodes on one path, so PLACES are plenty, and a full one is an error.
#include "loop.h"

enum { PLACES = 1024 };

typedef struct Deque {
  int64_t head RT_ALIGNED;  // atomic: H
  RtLock lock;
  int64_t tail RT_ALIGNED;  // atomic: T
  Task *slots[PLACES];      // atomic
} Deque;

static Deque deques[THREADS_MAX];

static void queue_init(void) { memset(deques, 0, sizeof deques); }

static Task *slot_read(Deque *deque, int64_t index) {
  // relaxed: shown by T, and nobody else's by then
  return rt_load_relaxed(&deque->slots[index % PLACES]);
}

static void queue_put(Worker *worker, Task *task) {
  Deque *deque = &deques[worker->id];
  int64_t tail = deque->tail;
  // acquire: H - 2 and below are read. Pairs with the store in deque_steal, of
  // the next thief
  int64_t head = rt_load_acquire(&deque->head);
  RT_CHECK(tail - head < PLACES - 1, "the: the deque is full");
  // relaxed: the store of T below shows it to deque_steal
  rt_store_relaxed(&deque->slots[tail % PLACES], task);
  // release: shows slot and task. Pairs with deque_steal (T2)
  rt_store_release(&deque->tail, tail + 1);
}

// Owner, which met a thief.
static Task *pop_slowly(Deque *deque, int64_t tail) {
  rt_lock(&deque->lock);
  // relaxed: H stands still while the lock is held
  bool mine = rt_load_relaxed(&deque->head) <= tail;
  // release: pairs with deque_steal (T2)
  if (mine) rt_store_release(&deque->tail, tail);
  rt_unlock(&deque->lock);
  return mine ? slot_read(deque, tail) : NULL;
}

// Owner.
static Task *deque_pop(Deque *deque) {
  int64_t tail = deque->tail - 1;
  // acquire: empty, or a thief is about to make it so. Nothing is decided.
  // Pairs with deque_steal
  if (rt_load_acquire(&deque->head) > tail) return NULL;
  rt_store_seq(&deque->tail, tail);          // seq: O1, see above
  int64_t head = rt_load_seq(&deque->head);  // seq: O2, see above
  if (head <= tail) return slot_read(deque, tail);
  rt_store_release(&deque->tail, tail + 1);  // release: pairs with deque_steal
  return pop_slowly(deque, tail);
}

static Task *deque_steal(Deque *deque) {
  // relaxed, both: hints, so that an empty deque costs no lock
  if (rt_load_relaxed(&deque->head) >= rt_load_relaxed(&deque->tail))
    return NULL;
  rt_lock(&deque->lock);
  int64_t head = deque->head;
  rt_store_seq(&deque->head, head + 1);               // seq: T1, see above
  bool mine = head + 1 <= rt_load_seq(&deque->tail);  // seq: T2, see above
  Task *task = mine ? slot_read(deque, head) : NULL;
  // release: as it was. Pairs with deque_pop. The owner that saw it higher
  // takes the lock
  if (!mine) rt_store_release(&deque->head, head);
  rt_unlock(&deque->lock);
  return task;
}

static Task *queue_take(Worker *worker) {
  Task *task = deque_pop(&deques[worker->id]);
  if (task != NULL || threads == 1) return task;
  int victim = loop_victim(worker);
  for (int i = 1; i < threads && task == NULL; i++) {
    task = deque_steal(&deques[victim]);
    victim = loop_next_victim(worker, victim);
  }
  return task;
}
