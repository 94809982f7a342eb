// SPDX-License-Identifier: MIT
// Deques that grow: the owner puts and takes at the bottom, the newest first,
// and thieves take one at the top, the oldest. Chase and Lev, Dynamic Circular
// Work-Stealing Deque, SPAA 2005; for the orders of C11 see Lê, Pop, Cohen and
// Zappa Nardelli, Correct and Efficient Work-Stealing for Weak Memory Models,
// PPoPP 2013. They use fences, which TSan does not model; here the operations
// themselves are seq_cst.
//
//   bottom  written by the owner: slots below it are full
//   top     goes up by CAS, never down: slots below it are taken
//   array   replaced by the owner when it is full. The old one is kept, as a
//           thief may still read it. Its slots from top on stay as they were
//
// A slot is free for the next round of the array once top is beyond it. The
// owner sees that by an acquire load, which pairs with the CAS of the thief
// that has read the slot.
//
// Two sides meet at the last task:
//   owner                           thief
//   O1 stores bottom = b            T1 loads top, t
//   O2 loads top                    T2 loads bottom
//   top < b: takes b, without CAS   t < bottom: reads t, CAS of top, t to t + 1
// O1, O2, T2 and each CAS are seq_cst, so there is a single order of them. Let
// the thief take b, so t = b. T2 has seen a bottom above b, so it is before O1.
// The CAS that made top b is before T2, as T1 has seen it and is an acquire.
// So it is before O2, which reads b or more, as top never falls. Then the owner
// does not take b without a CAS. At top == b both have one, and one of them
// wins. With acquire and release alone O2 may pass O1, each side misses the
// other, and both have the task.
#include "loop.h"

enum { ARRAY_FIRST = 64 };

typedef struct Array Array;
struct Array {
  Array *older;   // immutable: kept until the process ends
  int64_t size;   // immutable: a power of two
  Task *slots[];  // atomic
};

typedef struct Deque {
  int64_t top RT_ALIGNED;     // atomic; see above
  int64_t bottom RT_ALIGNED;  // atomic; written by the owner
  Array *array;               // atomic; written by the owner
} Deque;

static Deque deques[THREADS_MAX];

static Array *array_new(int64_t count, Array *older) {
  Array *array = malloc(sizeof *array + (size_t)count * sizeof array->slots[0]);
  if (array == NULL) abort();
  array->older = older;
  array->size = count;
  return array;
}

static Task *slot_read(Array *array, int64_t index) {
  // relaxed: shown by bottom (queue_put). A stale one fails the CAS of top
  return rt_load_relaxed(&array->slots[index & (array->size - 1)]);
}

static void slot_write(Array *array, int64_t index, Task *task) {
  // relaxed: shown by bottom (queue_put), or with the array (grow)
  rt_store_relaxed(&array->slots[index & (array->size - 1)], task);
}

static void queue_init(void) {
  for (int i = 0; i < threads; i++) {
    Array *kept = deques[i].array;
    deques[i] =
        (Deque){.array = kept != NULL ? kept : array_new(ARRAY_FIRST, NULL)};
  }
}

// Owner.
static Array *grow(Deque *deque, int64_t top, int64_t bottom) {
  Array *old = deque->array;
  Array *array = array_new(2 * old->size, old);
  for (int64_t i = top; i < bottom; i++)
    slot_write(array, i, slot_read(old, i));
  // release: shows size and slots. Pairs with the acquire in deque_steal
  rt_store_release(&deque->array, array);
  return array;
}

static void queue_put(Worker *worker, Task *task) {
  Deque *deque = &deques[worker->id];
  int64_t bottom = deque->bottom;
  // acquire: thieves have read their slots. Pairs with the CAS in deque_steal
  int64_t top = rt_load_acquire(&deque->top);
  Array *array = deque->array;
  if (bottom - top == array->size) array = grow(deque, top, bottom);
  slot_write(array, bottom, task);
  // release: shows slot and task. Pairs with deque_steal (T2)
  rt_store_release(&deque->bottom, bottom + 1);
}

// Owner.
static Task *deque_pop(Deque *deque) {
  int64_t bottom = deque->bottom - 1;
  // acquire: as in queue_put. It is empty, and nothing is decided by it
  if (rt_load_acquire(&deque->top) > bottom) return NULL;
  rt_store_seq(&deque->bottom, bottom);    // seq: O1, see above
  int64_t top = rt_load_seq(&deque->top);  // seq: O2, see above
  Task *task = top <= bottom ? slot_read(deque->array, bottom) : NULL;
  if (top < bottom) return task;
  // RMW: this, or the CAS in deque_steal
  if (top == bottom && !rt_cas(&deque->top, &top, top + 1)) task = NULL;
  // relaxed: it is empty, so deque_steal, which sees this, takes nothing
  rt_store_relaxed(&deque->bottom, bottom + 1);
  return task;
}

static Task *deque_steal(Deque *deque) {
  int64_t top = rt_load_acquire(&deque->top);    // acquire: T1, see above
  int64_t bottom = rt_load_seq(&deque->bottom);  // seq: T2, see above
  if (top >= bottom) return NULL;
  // acquire: pairs with the release in grow
  Array *array = rt_load_acquire(&deque->array);
  Task *task = slot_read(array, top);
  // RMW: this, or the CAS of the owner or another thief
  return rt_cas(&deque->top, &top, top + 1) ? task : NULL;
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
