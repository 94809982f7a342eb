// SPDX-License-Identifier: MIT
// Work sharing: the thread that has too much gives away, where in stealing the
// one that has nothing takes. Each put asks whether another thread, chosen at
// random, has nothing. So the busy pay for the search, even while nobody needs
// anything. Queues are private, and so need no atomics.
// Eager, Lazowska and Zahorjan, Adaptive Load Sharing in Homogeneous
// Distributed Systems, 1986 (sender-initiated, with a threshold); Acar,
// Charguéraud and Rainey, Scheduling Parallel Programs by Work Stealing with
// Private Deques, PPoPP 2013, which shares in the same way.
//
// Invariants: a thread's deque is its own, from newest to oldest, with `count`
// tasks. It is given half of another one's, the oldest, through its inbox,
// which the inbox's lock guards. `load` is the count that the owner showed last
// and only a hint: two threads may give to the same one, which does no harm.
//
// Orders: the lock's alone. A load is relaxed, as nothing hangs on it.
#include "loop.h"

enum { KEEP = 4 };  // with fewer a thread does not give

typedef struct Mine {
  Task *newest, *oldest;  // the owner's; `next` is older, `prev` is newer
  uint32_t count;         // the owner's
  uint32_t load;          // atomic; written by the owner, read by givers
  LockedList inbox;       // any thread
} RT_ALIGNED Mine;

static Mine mine[THREADS_MAX];

static void queue_init(void) { memset(mine, 0, sizeof mine); }

// Owner.
static void set_count(Mine *m, uint32_t count) {
  m->count = count;
  rt_store_relaxed(&m->load, count);  // relaxed: a hint
}

static bool has_nothing(Mine *m) {
  return rt_load_relaxed(&m->load) == 0 &&  // relaxed: a hint
         list_count(&m->inbox) == 0;
}

// Owner of m. Its oldest half, in the order of age.
static void give(Mine *m, Mine *other) {
  uint32_t count = m->count / 2;
  Task *first = m->oldest, *last = first;
  for (uint32_t i = 1; i < count; i++) {
    last->next = last->prev;
    last = last->prev;
  }
  m->oldest = last->prev;
  m->oldest->next = NULL;
  set_count(m, m->count - count);
  list_put(&other->inbox, first, last, count);
}

static void push(Mine *m, Task *task) {
  task->prev = NULL;
  task->next = m->newest;
  if (m->newest == NULL) {
    m->oldest = task;
  } else {
    m->newest->prev = task;
  }
  m->newest = task;
  set_count(m, m->count + 1);
}

static void queue_put(Worker *w, Task *task) {
  Mine *m = &mine[w->id];
  push(m, task);
  if (threads == 1 || m->count <= KEEP) return;
  Mine *other = &mine[loop_victim(w)];
  if (has_nothing(other)) give(m, other);
}

// Owner. What was given becomes its own, the oldest first.
static void empty_inbox(Mine *m) {
  if (list_count(&m->inbox) == 0) return;
  rt_lock(&m->inbox.lock);
  Task *task;
  while ((task = list_pop(&m->inbox)) != NULL) push(m, task);
  rt_unlock(&m->inbox.lock);
}

static Task *queue_take(Worker *w) {
  Mine *m = &mine[w->id];
  if (m->newest == NULL) empty_inbox(m);
  Task *task = m->newest;
  if (task == NULL) return NULL;
  m->newest = task->next;
  if (m->newest == NULL) {
    m->oldest = NULL;
  } else {
    m->newest->prev = NULL;
  }
  set_count(m, m->count - 1);
  return task;
}
