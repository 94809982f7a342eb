// SPDX-License-Identifier: MIT
// One queue for all threads, with a lock: what Go 1.0 had, and the first thing
// that comes to mind. Each put and each take pays for the lock, and the threads
// fight for its cache line, so that two of them are often slower than one.
// Anderson, Lazowska and Levy measured it: The Performance Implications of
// Thread Management Alternatives for Shared-Memory Multiprocessors, 1989.
//
// Invariant: all tasks that wait are in the list, the oldest first. All of it
// is guarded by the lock. Its count is also read without the lock, as a hint,
// so that idle threads do not take the lock in vain.
//
// Orders: the lock's alone. What a thread wrote before it unlocked is seen by
// the threads that lock later.
#include "loop.h"

static LockedList queue RT_ALIGNED;

static void queue_init(void) { queue = (LockedList){0}; }

static void queue_put(Worker *worker, Task *task) {
  (void)worker;
  list_put(&queue, task, task, 1);
}

static Task *queue_take(Worker *worker) {
  (void)worker;
  return list_take(&queue);
}
