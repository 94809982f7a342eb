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
static void set_count(Mine *own, uint32_t count) {
  own->count = count;
  rt_store_relaxed(&own->load, count);  // relaxed: a hint for has_nothing
}

static bool has_nothing(Mine *own) {
  return rt_load_relaxed(&own->load) == 0 &&  // relaxed: a hint of set_count
         list_count(&own->inbox) == 0;
}

// Owner of m. Its oldest half, in the order of age.
static void give(Mine *own, Mine *other) {
  uint32_t count = own->count / 2;
  Task *first = own->oldest, *last = first;
  for (uint32_t i = 1; i < count; i++) {
    last->next = last->prev;
    last = last->prev;
  }
  own->oldest = last->prev;
  own->oldest->next = NULL;
  set_count(own, own->count - count);
  list_put(&other->inbox, first, last, count);
}

static void push(Mine *own, Task *task) {
  task->prev = NULL;
  task->next = own->newest;
  if (own->newest == NULL) {
    own->oldest = task;
  } else {
    own->newest->prev = task;
  }
  own->newest = task;
  set_count(own, own->count + 1);
}

static void queue_put(Worker *worker, Task *task) {
  Mine *own = &mine[worker->id];
  push(own, task);
  if (threads == 1 || own->count <= KEEP) return;
  Mine *other = &mine[loop_victim(worker)];
  if (has_nothing(other)) give(own, other);
}

// Owner. What was given becomes its own, the oldest first.
static void empty_inbox(Mine *own) {
  if (list_count(&own->inbox) == 0) return;
  rt_lock(&own->inbox.lock);
  Task *task;
  while ((task = list_pop(&own->inbox)) != NULL) push(own, task);
  rt_unlock(&own->inbox.lock);
}

static Task *queue_take(Worker *worker) {
  Mine *own = &mine[worker->id];
  if (own->newest == NULL) empty_inbox(own);
  Task *task = own->newest;
  if (task == NULL) return NULL;
  own->newest = task->next;
  if (own->newest == NULL) {
    own->oldest = NULL;
  } else {
    own->newest->prev = NULL;
  }
  set_count(own, own->count - 1);
  return task;
}
