// SPDX-License-Identifier: MIT
// What allocation and marking cost.
//
//   heap_alloc [megabytes]      live data of the marking test, default 256
//
// Prints ns per allocation for several sizes (garbage, collected on the way)
// and ms to mark a tree of small objects, in order and shuffled, and a list.
// Runs inside the real scheduler, in one goroutine, on all Ps.
#include <stdio.h>
#include <stdlib.h>

#include "vm/heap/collect.h"
#include "vm/heap/local.h"
#include "vm/object/map.h"

typedef struct Bench {
  Vm vm;
  Local locals[PROCS_MAX];
  Goroutine main;
  uint64_t megabytes;
} Bench;

static bool p_init(void *host, P *p) {
  Bench *b = host;
  Local *local = &b->locals[p->id];
  heap_local_init(&local->heap, b->vm.heap);
  local->vm = &b->vm;
  local->p = p;
  p->local = local;
  return true;
}

static void p_free(void *host, P *p) {
  (void)host;
  heap_local_free(p->local);
}

static void collect(Bench *b, P *p) {
  heap_want_gc(b->vm.heap);
  gc_collect(p, &b->main);
}

static void allocate(Bench *b, P *p, size_t size, int count) {
  LocalHeap *heap = &local_of(p)->heap;
  int64_t spent = 0;
  for (int done = 0; done < count;) {
    int64_t from = rt_now();
    for (; done < count && !heap_gc_wanted(b->vm.heap); done++) {
      ObjRaw *raw = (ObjRaw *)heap_alloc(heap, size, OBJ_RAW);
      if (!raw) abort();
      if (size >= sizeof *raw) raw->cap = raw->len = 0;
    }
    spent += rt_now() - from;
    gc_collect(p, &b->main);
  }
  printf("allocate %5zu bytes: %6.2f ns\n", size, (double)spent / count);
}

// `count` lists of two values that form a tree; in the order of `at`.
static Value tree(Bench *b, P *p, uint64_t count, bool shuffled) {
  Local *local = local_of(p);
  ObjInstance **nodes = malloc(count * sizeof *nodes);
  ObjStruct *type = (ObjStruct *)b->vm.builtins;  // any object serves
  for (uint64_t i = 0; i < count; i++) {
    nodes[i] = (ObjInstance *)heap_alloc(
        &local->heap, sizeof(ObjInstance) + 2 * sizeof(Value), OBJ_INSTANCE);
    nodes[i]->obj.aux = 2;
    nodes[i]->type = type;
    nodes[i]->fields[0] = nodes[i]->fields[1] = VALUE_NIL;
  }
  for (uint64_t i = count; shuffled && i > 1; i--) {
    uint64_t other = sched_random(p) % i;
    ObjInstance *node = nodes[i - 1];
    nodes[i - 1] = nodes[other];
    nodes[other] = node;
  }
  for (uint64_t i = 1; i < count; i++)
    nodes[(i - 1) / 2]->fields[(i - 1) % 2] = value_from_obj(nodes[i]);
  Value root = value_from_obj(nodes[0]);
  free(nodes);
  return root;
}

static Value chain(Bench *b, P *p, uint64_t count) {
  Local *local = local_of(p);
  (void)b;
  Value v = VALUE_NIL;
  for (uint64_t i = 0; i < count; i++) {
    ObjCell *cell = (ObjCell *)heap_alloc(&local->heap, sizeof *cell, OBJ_CELL);
    cell->value = v;
    v = value_from_obj(cell);
  }
  return v;
}

static void mark(Bench *b, P *p, Value root, const char *what) {
  uint32_t pin = heap_pin(b->vm.heap, root);
  for (int i = 0; i < 3; i++) {
    collect(b, p);
    HeapStats stats;
    heap_stats(b->vm.heap, &stats);
    double ms = (double)stats.pause_ns_last / 1e6;
    printf("mark %s, %llu MB: %7.1f ms, %.0f MB/s\n", what,
           (unsigned long long)stats.live >> 20, ms,
           (double)(stats.live >> 20) / ms * 1000);
  }
  heap_unpin(b->vm.heap, pin);
  collect(b, p);
}

static void resume(P *p, G *g) {
  Bench *b = (Bench *)((char *)goroutine_of(g) - offsetof(Bench, main));
  static const size_t sizes[] = {16, 32, 64, 256, 2048, 8192, 100000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    allocate(b, p, sizes[i], sizes[i] > 2048 ? 200000 : 20000000);
  uint64_t nodes = (b->megabytes << 20) / 32;
  mark(b, p, tree(b, p, nodes, false), "tree in order");
  mark(b, p, tree(b, p, nodes, true), "tree shuffled");
  mark(b, p, chain(b, p, 10000000), "chain");
  sched_exit(p->sched);
  sched_end(p, g);
}

int main(int argc, char **argv) {
  Bench *b = calloc(1, sizeof *b);
  if (!b) return 1;
  b->megabytes = argc > 1 ? strtoull(argv[1], NULL, 10) : 256;
  b->vm.memory = &mem_libc;
  b->vm.heap = heap_new(&b->vm);
  SchedConfig config = {
      .empty_word = VALUE_NIL,
      .hooks = {.host = b, .p_init = p_init, .p_free = p_free}};
  b->vm.sched = sched_new(&config);
  if (!b->vm.sched) return 1;
  Local *local = local_of(sched_p(b->vm.sched, 0));
  b->vm.builtins = map_new(local, 0);
  b->main.g.resume = resume;
  sched_run(b->vm.sched, &b->main.g, 0, NULL);
  sched_free(b->vm.sched);
  heap_free(b->vm.heap);
  free(b);
  return 0;
}
