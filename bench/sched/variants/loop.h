// SPDX-License-Identifier: MIT
// The task loop that the variants share. A variant is a program that defines
// queue_init, queue_put and queue_take, and so differs in its queues alone.
//   VARIANT WORKLOAD THREADS SIZE
//   fib       fib(SIZE), where a call is a task
//   skynet    SIZE leaves below nodes of ten; each leaf gives its number
//   stress    thread 0 puts SIZE tasks, up to three at a time, and takes up to
//             four; the others take all they get. Is each taken once?
// The first two run twice, and the second run counts. They print `value`
// (bench.h) and `moved KEY COUNT`, the tasks that ran on another thread than
// made them. The trees seldom empty a queue while a thief is there. Stress does
// little else, and prints `moved` alone.
//
// A task is a leaf, or puts its children into the queue and is forgotten until
// they have ended. `pending` counts those that have not. The thread that ends
// the last one goes on with the parent at once, through no queue. So a task is
// in one queue once in its life, and no thread ever waits for a task.
//
// Task and block: written by the thread that makes it, then by the one that
// took it out of the queue. The queue has to make those writes visible.
#ifndef CSP_BENCH_VARIANTS_LOOP_H
#define CSP_BENCH_VARIANTS_LOOP_H

#include <inttypes.h>
#include <string.h>

#include "bench/sched/bench.h"

enum { THREADS_MAX = 64, FIB_FAN = 2, SKYNET_FAN = 10, SPINS = 64 };

typedef struct Task Task;
struct Task {
  Task *next, *prev;     // owned by the queue that the task is in
  Task *parent;          // immutable; NULL means the root
  uint32_t pending;      // atomic: children that have not ended
  int maker;             // immutable: the thread that made it
  int depth;             // immutable: of the root 0
  int64_t place;         // immutable: from the left, among all of that depth
  int64_t size, number;  // immutable: what to compute
  int64_t sum;           // written before `pending` of the parent falls
  struct Block *block;   // its children; of the thread that runs the task
};

// The children of one task, for as long as one of them or the parent needs it.
typedef struct Block {
  struct Block *next;  // in Worker.free
  Task kids[SKYNET_FAN];
} Block;

typedef struct Worker {
  RtThread thread;
  int id;           // immutable: from 0
  uint64_t random;  // the owner's, as is the rest
  int64_t moved;
  Block *free;
} Worker;

// --- What a variant defines -------------------------------------------------
static void queue_init(void);  // before the threads start
// By worker, of its own making.
static void queue_put(Worker *worker, Task *task);
static Task *queue_take(Worker *worker);  // by worker; NULL means found none

// --- State ------------------------------------------------------------------
static Worker workers[THREADS_MAX] RT_ALIGNED;
static int threads;  // immutable, as are the next three
static int fan;
static const char *workload;
static int64_t size;
static uint32_t loop_done RT_ALIGNED;  // atomic: the root has ended

static inline uint64_t loop_random(Worker *worker) {
  worker->random ^= worker->random << 13;
  worker->random ^= worker->random >> 7;
  worker->random ^= worker->random << 17;
  return worker->random;
}

// A thread other than worker, to begin with: for threads that steal, and for
// threads that give.
static inline int loop_victim(Worker *worker) {
  int other = (int)(loop_random(worker) % (uint64_t)(threads - 1));
  return other < worker->id ? other : other + 1;
}

static inline int loop_next_victim(const Worker *worker, int victim) {
  do victim = (victim + 1) % threads;
  while (victim == worker->id);
  return victim;
}

// --- A list with a lock -----------------------------------------------------
// First in, first out; linked by `next`. Any thread.
typedef struct LockedList {
  RtLock lock;
  Task *first, *last;  // guarded by lock
  uint32_t count;      // atomic; written under lock
} LockedList;

static inline uint32_t list_count(LockedList *list) {
  return rt_load_relaxed(&list->count);  // relaxed: a hint, exact with the lock
}

// Tasks that are linked from first to last.
static inline void list_put(LockedList *list, Task *first, Task *last,
                            uint32_t count) {
  last->next = NULL;
  rt_lock(&list->lock);
  if (list->first == NULL) {
    list->first = first;
  } else {
    list->last->next = first;
  }
  list->last = last;
  rt_store_relaxed(&list->count,
                   list->count + count);  // relaxed: the lock is held
  rt_unlock(&list->lock);
}

// With the lock held.
static inline Task *list_pop(LockedList *list) {
  Task *task = list->first;
  if (task == NULL) return NULL;
  list->first = task->next;
  rt_store_relaxed(&list->count, list->count - 1);  // relaxed: the lock is held
  return task;
}

static inline Task *list_take(LockedList *list) {
  if (list_count(list) == 0) return NULL;
  rt_lock(&list->lock);
  Task *task = list_pop(list);
  rt_unlock(&list->lock);
  return task;
}

// --- Tasks ------------------------------------------------------------------
static Block *block_new(Worker *worker) {
  Block *block = worker->free;
  if (block == NULL) {
    size_t unused = (size_t)(SKYNET_FAN - fan) * sizeof(Task);
    block = malloc(sizeof *block - unused);
    if (block == NULL) abort();
  } else {
    worker->free = block->next;
  }
  return block;
}

static void block_free(Worker *worker, Block *block) {
  block->next = worker->free;
  worker->free = block;
}

static void task_start_kids(Worker *worker, Task *task) {
  Block *block = block_new(worker);
  task->block = block;
  // relaxed: the children's way through the queue (queue_put) shows it
  rt_store_relaxed(&task->pending, (uint32_t)fan);
  for (int i = 0; i < fan; i++) {
    int64_t part = fan == FIB_FAN ? task->size - 1 - i : task->size / fan;
    block->kids[i] = (Task){.parent = task,
                            .maker = worker->id,
                            .depth = task->depth + 1,
                            .place = task->place * fan + i,
                            .size = part,
                            .number = task->number + i * part};
  }
  // Once the last one is in the queue, the task may end on another thread.
  for (int i = 0; i < fan; i++) queue_put(worker, &block->kids[i]);
}

// All its children have ended.
static int64_t task_join(Worker *worker, Task *task) {
  int64_t sum = 0;
  for (int i = 0; i < fan; i++) sum += task->block->kids[i].sum;
  block_free(worker, task->block);
  return sum;
}

static void task_run(Worker *worker, Task *task) {
  worker->moved += task->maker != worker->id;
  if (task->size >= fan) {
    task_start_kids(worker, task);
    return;
  }
  int64_t sum = fan == FIB_FAN ? task->size : task->number;
  for (;;) {
    Task *parent = task->parent;
    task->sum = sum;
    if (parent == NULL) break;
    // release: shows the sum. acquire: the last one sees those of the others.
    // Pairs with itself
    if (rt_sub(&parent->pending, 1u) != 1) return;
    sum = task_join(worker, parent);
    task = parent;
  }
  rt_store_release(&loop_done, 1u);  // release: pairs with worker_run
}

// --- The loop ---------------------------------------------------------------
static void worker_run(void *arg) {
  Worker *worker = arg;
  int idle = 0;
  // acquire: pairs with the release in task_run
  while (rt_load_acquire(&loop_done) == 0) {
    Task *task = queue_take(worker);
    if (task != NULL) {
      task_run(worker, task);
      idle = 0;
    } else if (++idle < SPINS) {
      rt_pause();
    } else {
      rt_yield_cpu();
    }
  }
}

static void (*worker_body)(void *arg);  // immutable while threads run
static uint32_t workers_ready;          // atomic: threads that have begun

static void worker_begin(void *arg) {
  rt_add(&workers_ready, 1u);  // RMW: a sum for workers_start
  worker_body(arg);
}

// The threads have begun when it returns.
static void workers_start(void (*body)(void *arg)) {
  loop_done = workers_ready = 0;
  worker_body = body;
  queue_init();
  for (int i = 0; i < threads; i++) {
    workers[i].id = i;
    workers[i].random = 0x9E3779B97F4A7C15u * (uint64_t)(i + 1);
    workers[i].moved = 0;
  }
  for (int i = 1; i < threads; i++) {
    Worker *worker = &workers[i];
    if (rt_thread_start(&worker->thread, worker_begin, worker) != 0) abort();
  }
  // relaxed: nothing but the count of worker_begin is read
  while (rt_load_relaxed(&workers_ready) < (uint32_t)threads - 1)
    rt_yield_cpu();
}

static void workers_join(void) {
  for (int i = 1; i < threads; i++) rt_thread_join(&workers[i].thread);
}

// Gives the nanoseconds, and in the root what it came to.
static int64_t run_once(Task *root) {
  workers_start(worker_run);
  int64_t began = rt_now();
  queue_put(&workers[0], root);
  worker_run(&workers[0]);
  int64_t took = rt_now() - began;
  workers_join();
  return took;
}

static int64_t fib_of(int64_t n) {
  int64_t a = 0, b = 1;
  for (; n > 0; n--) {
    int64_t next = a + b;
    a = b, b = next;
  }
  return a;
}

static bool is_right(int64_t sum) {
  int64_t right = fan == FIB_FAN ? fib_of(size) : size * (size - 1) / 2;
  if (sum == right) return true;
  fprintf(stderr, "%s gave %" PRId64 ", not %" PRId64 "\n", workload, sum,
          right);
  return false;
}

static void report_moved(void) {
  int64_t moved = 0;
  for (int i = 0; i < threads; i++) moved += workers[i].moved;
  printf("moved %s.%d %" PRId64 "\n", workload, threads, moved);
}

static void report(int64_t ns) {
  int64_t tasks =
      fan == FIB_FAN ? 2 * fib_of(size + 1) - 1 : size + (size - 1) / 9;
  char key[64];
  snprintf(key, sizeof key, "%s.%d", workload, threads);
  bench_value(key, (double)ns / (double)tasks);
  report_moved();
}

// --- Stress -----------------------------------------------------------------
enum { STRESS_PAUSES = 32 };

static int64_t stress_taken RT_ALIGNED;  // atomic: tasks, once or more

// `pending` counts here how often the task was taken, and `size` shows whether
// what its maker wrote is seen.
static void stress_take(Worker *worker) {
  Task *task = queue_take(worker);
  if (task == NULL) return;
  RT_CHECK(task->size == task->number + 1, "a task was not handed over whole");
  // RMW, both: sums of all calls of stress_take
  uint32_t before = rt_add(&task->pending, 1u);
  rt_add(&stress_taken, (int64_t)1);

  RT_CHECK(before == 0, "a task was taken twice");
  worker->moved += task->maker != worker->id;
}

static void stress_run(void *arg) {
  // acquire: pairs with the release in stress
  while (rt_load_acquire(&loop_done) == 0) stress_take(arg);
}

static void stress(void) {
  Task *tasks = calloc((size_t)size, sizeof *tasks);
  if (tasks == NULL) abort();
  Worker *worker = &workers[0];
  workers_start(stress_run);
  for (int64_t made = 0; made < size;) {
    uint64_t random = loop_random(worker);
    for (uint64_t left = 1 + random % 3; left > 0 && made < size; left--) {
      tasks[made].number = made;
      tasks[made].size = made + 1;
      queue_put(worker, &tasks[made++]);
    }
    random >>= 8;
    for (uint64_t i = 0; i < random % STRESS_PAUSES; i++) rt_pause();
    random >>= 8;
    for (uint64_t i = 0; i < 1 + random % 4; i++) stress_take(worker);
  }
  // acquire: as in stress_run. (If a task is lost, this never ends.)
  while (rt_load_acquire(&stress_taken) < size) stress_take(worker);
  rt_store_release(&loop_done, 1u);  // release: pairs with stress_run
  workers_join();
  free(tasks);
  report_moved();
}

// --- Main -------------------------------------------------------------------
int main(int argc, char **argv) {
  if (argc < 4) return 2;
  workload = argv[1];
  threads = atoi(argv[2]);
  size = atoll(argv[3]);
  if (threads < 1 || threads > THREADS_MAX || size < 1) return 2;
  fan = strcmp(workload, "skynet") == 0 ? SKYNET_FAN : FIB_FAN;
  if (strcmp(workload, "stress") == 0) {
    stress();
    return 0;
  }
  if (fan == FIB_FAN && strcmp(workload, "fib") != 0) return 2;
  int64_t took = 0;
  for (int run = 0; run < 2; run++) {
    Task root = {.size = size};
    took = run_once(&root);
    if (!is_right(root.sum)) return 1;
  }
  report(took);
  return 0;
}

#endif
