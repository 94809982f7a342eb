// SPDX-License-Identifier: MIT
// A static split: where a task runs is fixed by its place in the tree. The tree
// is cut at the depth that has at least PIECES pieces for each thread. Each
// thread gets as many neighbouring pieces as the others, and keeps all that
// comes of them. Nothing is moved later, so there is next to nothing to pay,
// and the run takes as long as its slowest thread. That is the loop schedule
// of OpenMP's schedule(static); Kruskal and Weiss, Allocating Independent
// Subtasks on Parallel Processors, 1985, ask how large pieces should be.
//
// skynet's pieces are equal. Of fib the left half is 1.6 times the right one,
// whatever the depth of the cut.
//
// Invariants: a thread's stack is its own, newest first. A piece goes through
// the inbox of its thread, guarded by the inbox's lock. No thread takes what
// is another's.
//
// Orders: the lock's alone, and none for the stack, which one thread uses.
#include "loop.h"

enum { PIECES = 16 };

typedef struct Mine {
  Task *newest;      // the owner's; linked by `next`
  LockedList inbox;  // any thread
} RT_ALIGNED Mine;

static Mine mine[THREADS_MAX];
static int cut;         // immutable: the depth of the pieces
static int64_t pieces;  // immutable: how many there are

static void queue_init(void) {
  memset(mine, 0, sizeof mine);
  cut = 0;
  for (pieces = 1; pieces < PIECES * threads; pieces *= fan) cut++;
}

static void queue_put(Worker *worker, Task *task) {
  int owner = worker->id;
  if (task->depth == cut) owner = (int)(task->place * threads / pieces);
  if (owner != worker->id) {
    list_put(&mine[owner].inbox, task, task, 1);
    return;
  }
  task->next = mine[owner].newest;
  mine[owner].newest = task;
}

static Task *queue_take(Worker *worker) {
  Mine *own = &mine[worker->id];
  Task *task = own->newest;
  if (task == NULL) return list_take(&own->inbox);
  own->newest = task->next;
  return task;
}
