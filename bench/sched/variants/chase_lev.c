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
  Array *a = malloc(sizeof *a + (size_t)count * sizeof a->slots[0]);
  if (a == NULL) abort();
  a->older = older;
  a->size = count;
  return a;
}

static Task *slot_read(Array *a, int64_t index) {
  // relaxed: shown by bottom. A stale one fails the CAS of top
  return rt_load_relaxed(&a->slots[index & (a->size - 1)]);
}

static void slot_write(Array *a, int64_t index, Task *task) {
  // relaxed: shown by bottom, or with the array
  rt_store_relaxed(&a->slots[index & (a->size - 1)], task);
}

static void queue_init(void) {
  for (int i = 0; i < threads; i++) {
    Array *kept = deques[i].array;
    deques[i] = (Deque){.array = kept ? kept : array_new(ARRAY_FIRST, NULL)};
  }
}

// Owner.
static Array *grow(Deque *d, int64_t top, int64_t bottom) {
  Array *old = d->array;
  Array *a = array_new(2 * old->size, old);
  for (int64_t i = top; i < bottom; i++) slot_write(a, i, slot_read(old, i));
  // release: shows size and slots. Pairs with the acquire in deque_steal
  rt_store_release(&d->array, a);
  return a;
}

static void queue_put(Worker *w, Task *task) {
  Deque *d = &deques[w->id];
  int64_t bottom = d->bottom;
  // acquire: pairs with the CAS of a thief, which has read its slot
  int64_t top = rt_load_acquire(&d->top);
  Array *a = d->array;
  if (bottom - top == a->size) a = grow(d, top, bottom);
  slot_write(a, bottom, task);
  // release: shows slot and task. Pairs with T2
  rt_store_release(&d->bottom, bottom + 1);
}

// Owner.
static Task *deque_pop(Deque *d) {
  int64_t bottom = d->bottom - 1;
  // acquire: empty. As in queue_put, and nothing is decided by it
  if (rt_load_acquire(&d->top) > bottom) return NULL;
  rt_store_seq(&d->bottom, bottom);    // seq: O1, see above
  int64_t top = rt_load_seq(&d->top);  // seq: O2, see above
  Task *task = top <= bottom ? slot_read(d->array, bottom) : NULL;
  if (top < bottom) return task;
  // RMW: this, or the CAS of a thief
  if (top == bottom && !rt_cas(&d->top, &top, top + 1)) task = NULL;
  // relaxed: it is empty, so a thief that sees this takes nothing
  rt_store_relaxed(&d->bottom, bottom + 1);
  return task;
}

static Task *deque_steal(Deque *d) {
  int64_t top = rt_load_acquire(&d->top);    // acquire: T1, see above
  int64_t bottom = rt_load_seq(&d->bottom);  // seq: T2, see above
  if (top >= bottom) return NULL;
  // acquire: pairs with the release in grow
  Array *a = rt_load_acquire(&d->array);
  Task *task = slot_read(a, top);
  // RMW: this, or the CAS of the owner or another thief
  return rt_cas(&d->top, &top, top + 1) ? task : NULL;
}

static Task *queue_take(Worker *w) {
  Task *task = deque_pop(&deques[w->id]);
  if (task != NULL || threads == 1) return task;
  int victim = loop_victim(w);
  for (int i = 1; i < threads && task == NULL; i++) {
    task = deque_steal(&deques[victim]);
    victim = loop_next_victim(w, victim);
  }
  return task;
}
