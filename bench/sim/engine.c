// SPDX-License-Identifier: MIT
// Virtual threads on fibers. Each has its own clock; the one that is furthest
// behind in time runs. Threads that can run are in a heap by their time, but
// for the current one. A thread that sleeps until a deadline is in it with that
// time.
//
// A thread may run ahead of the others by sim.slack while it touches only
// lines that its CPU has (cache.c): a load then may miss what another CPU
// stores within these ns, as in a store buffer. All that goes past the own
// cache, and each system call, happens in the order of virtual time; and
// nobody sees a store before its time. The order in which the accesses are
// made is one that sequential consistency allows.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim.h"

enum { FUTEX_BUCKETS = 1024 };

static const int64_t START = 1000000000;  // ps: the clock never shows 0

Sim sim;
static SimThread *threads[SIM_THREADS];
static uint32_t thread_count;
static SimThread *heap[SIM_THREADS];
static int heap_count;
static SimThread *futexes[FUTEX_BUCKETS];  // lists, first come, first served
static Fiber own;

_Noreturn void sim_fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("simulation: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  abort();
}

// --- Memory -----------------------------------------------------------------
// Never given back to the system before the end, so that addresses, and with
// them lines, are the same in each run.
void *sim_alloc(size_t align, size_t size) {
  sim.used = (sim.used + align - 1) & ~(align - 1);
  if (size > SIM_ARENA - sim.used) sim_fail("the arena is full");
  void *at = sim.arena + sim.used;
  sim.used += size;
  return at;
}

static void arena_reset(void) {
  if (sim.arena == NULL) {
    sim.arena = mmap(NULL, SIM_ARENA, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (sim.arena == MAP_FAILED) sim_fail("no memory");
  } else {
    memset(sim.arena, 0, sim.used);
  }
  sim.used = 0;
  cache_reset();
  sim_net_reset();
}

// --- The heap ---------------------------------------------------------------
static bool is_before(const SimThread *a, const SimThread *b) {
  return a->clock != b->clock ? a->clock < b->clock : a->id < b->id;
}

static void heap_place(int at, SimThread *thread) {
  heap[at] = thread;
  thread->heap_at = at;
}

static void heap_up(int at, SimThread *thread) {
  for (; at > 0 && is_before(thread, heap[(at - 1) / 4]); at = (at - 1) / 4) {
    heap_place(at, heap[(at - 1) / 4]);
  }
  heap_place(at, thread);
}

static void heap_down(int at, SimThread *thread) {
  for (;;) {
    int child = 4 * at + 1, least = -1;
    for (int i = child; i < child + 4 && i < heap_count; i++) {
      if (least < 0 || is_before(heap[i], heap[least])) least = i;
    }
    if (least < 0 || !is_before(heap[least], thread)) break;
    heap_place(at, heap[least]);
    at = least;
  }
  heap_place(at, thread);
}

static void heap_add(SimThread *thread) { heap_up(heap_count++, thread); }

static void heap_remove(SimThread *thread) {
  int at = thread->heap_at;
  thread->heap_at = -1;
  SimThread *last = heap[--heap_count];
  if (last == thread) return;
  heap_down(at, last);
  heap_up(last->heap_at, last);
}

static void heap_replace_first(SimThread *thread) {
  heap[0]->heap_at = -1;
  heap_down(0, thread);
}

// --- Who runs ---------------------------------------------------------------
static void set_limit(void) {
  sim.limit = heap_count == 0 ? INT64_MAX / 2 : heap[0]->clock;
}

static void futex_unlink(SimThread *thread);

static void switch_to(SimThread *next) {
  SimThread *from = sim.current;
  if (next->futex != NULL) {  // its deadline has come
    futex_unlink(next);
    next->timed_out = true;
  }
  sim.current = next;
  set_limit();
  sim.switches++;
  fiber_switch(from->fiber, next->fiber);
}

void sim_catch_up(void) {
  SimThread *thread = sim.current;
  while (thread->clock > sim.limit) {
    SimThread *next = heap[0];
    heap_replace_first(thread);
    switch_to(next);
  }
}

// The current thread sleeps or has ended.
static void leave(void) {
  if (heap_count == 0) sim_fail("all threads sleep for ever");
  SimThread *next = heap[0];
  heap_remove(next);
  switch_to(next);
}

// --- Threads ----------------------------------------------------------------
static void thread_main(void *arg) {
  SimThread *thread = arg;
  thread->run(thread->arg);
  thread->done = true;
  if (thread->joiner != NULL) {
    thread->joiner->clock = thread->clock + sim.costs.futex_run;
    heap_add(thread->joiner);
  }
  if (thread->id == 0) fiber_switch(thread->fiber, &own);
  leave();
}

static SimThread *thread_new(void *(*run)(void *arg), void *arg) {
  if (thread_count == SIM_THREADS) sim_fail("too many threads");
  SimThread *thread = calloc(1, sizeof *thread);
  if (thread == NULL) sim_fail("no memory");
  *thread =
      (SimThread){.id = thread_count, .heap_at = -1, .run = run, .arg = arg};
  thread->cpu =
      PROCS_MAX + (thread->id < 2 ? thread->id : 0);  // until it holds a P
  thread->fiber = fiber_new(thread_main, thread);
  if (thread->fiber == NULL) sim_fail("no memory");
  return threads[thread_count++] = thread;
}

SimThread *sim_thread_start(void *(*run)(void *arg), void *arg) {
  sim_catch_up();
  SimThread *thread = thread_new(run, arg);
  sim_charge(sim.costs.thread, TIME_SYSTEM);
  thread->clock = sim.current->clock;
  heap_add(thread);
  set_limit();
  return thread;
}

void sim_thread_join(SimThread *thread) {
  sim_catch_up();
  if (thread->done) return;
  thread->joiner = sim.current;
  leave();
}

void sim_each_thread(void (*fn)(void *arg, const SimThread *thread),
                     void *arg) {
  for (uint32_t i = 0; i < thread_count; i++) fn(arg, threads[i]);
}

void sim_run(void *(*body)(void *arg), void *arg) {
  arena_reset();
  SimCosts costs = sim.costs;
  sim = (Sim){.arena = sim.arena,
              .costs = costs,
              .slack = sim.slack,
              .entropy = sim.entropy};
  memset(futexes, 0, sizeof futexes);
  thread_count = 0;
  heap_count = 0;
  SimThread *first = thread_new(body, arg);
  first->clock = START;
  fiber_init_own(&own);
  sim.current = first;
  set_limit();
  fiber_switch(&own, first->fiber);
  sim.current = NULL;
  for (uint32_t i = 0; i < thread_count; i++) {
    if (!threads[i]->done) sim_fail("thread %u outlives the run", i);
    fiber_free(threads[i]->fiber);
    free(threads[i]);
  }
}

// --- Futexes ----------------------------------------------------------------
static SimThread **futex_bucket(const uint32_t *word) {
  size_t offset = (size_t)((const char *)word - sim.arena);
  return &futexes[offset / 4 * 2654435761u / 64 % FUTEX_BUCKETS];
}

static void futex_unlink(SimThread *thread) {
  SimThread **link = futex_bucket(thread->futex);
  while (*link != thread) link = &(*link)->futex_next;
  *link = thread->futex_next;
  thread->futex_next = NULL;
  thread->futex = NULL;
}

// An M goes to sleep in the pool: was it woken for nothing?
static void note_sleep(SimThread *thread, const uint32_t *word) {
  if (thread->m == NULL || word != &thread->m->note.word) return;
  if (thread->woken && !thread->ran) sim.futile_wakes++;
  thread->woken = thread->ran = false;
}

void sim_futex_wait(const uint32_t *word, uint32_t expected, int64_t deadline,
                    bool *timed_out) {
  SimThread *thread = sim.current;
  *timed_out = false;
  sim_charge(sim.costs.futex_none, TIME_SYSTEM);
  sim_catch_up();
  if (*word != expected) return;
  note_sleep(thread, word);
  sim_charge(sim.costs.futex_sleep - sim.costs.futex_none, TIME_SYSTEM);
  thread->futex = word;
  thread->timed_out = false;
  SimThread **link = futex_bucket(word);
  while (*link != NULL) link = &(*link)->futex_next;
  *link = thread;
  if (deadline < INT64_MAX / 2) {
    if (deadline > thread->clock) thread->clock = deadline;
    thread->clock += sim.costs.futex_run;
    heap_add(thread);
  }
  leave();
  *timed_out = thread->timed_out;
  thread->woken =
      thread->m != NULL && word == &thread->m->note.word && !thread->timed_out;
}

// Returns how many slept.
int sim_futex_wake(const uint32_t *word, int count) {
  sim_catch_up();
  int woken = 0;
  int64_t at = sim.current->clock + sim.costs.futex_run;
  for (SimThread *thread = *futex_bucket(word), *next;
       thread != NULL && woken < count; thread = next) {
    next = thread->futex_next;
    if (thread->futex != word) continue;
    if (thread->heap_at >= 0) heap_remove(thread);
    futex_unlink(thread);
    thread->clock = at;
    heap_add(thread);
    woken++;
  }
  sim_charge(woken > 0 ? sim.costs.futex_wake : sim.costs.futex_none,
             TIME_SYSTEM);
  set_limit();
  sim_catch_up();
  return woken;
}
