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
  Bench *bench = host;
  Local *local = &bench->locals[p->id];
  heap_local_init(&local->heap, bench->vm.heap);
  local->vm = &bench->vm;
  local->p = p;
  p->local = local;
  return true;
}

static void p_free(void *host, P *p) {
  (void)host;
  heap_local_free(p->local);
}

static void collect(Bench *bench, P *p) {
  heap_want_gc(bench->vm.heap);
  gc_collect(p, &bench->main);
}

static void allocate(Bench *bench, P *p, size_t size, int count) {
  LocalHeap *heap = &local_of(p)->heap;
  int64_t spent = 0;
  for (int done = 0; done < count;) {
    int64_t from = rt_now();
    for (; done < count && !heap_gc_wanted(bench->vm.heap); done++) {
      ObjRaw *raw = (ObjRaw *)heap_alloc(heap, size, OBJ_RAW);
      if (raw == NULL) abort();
      if (size >= sizeof *raw) raw->cap = raw->len = 0;
    }
    spent += rt_now() - from;
    gc_collect(p, &bench->main);
  }
  printf("allocate %5zu bytes: %6.2f ns\n", size, (double)spent / count);
}

// `count` lists of two values that form a tree; in the order of `at`.
static Value tree(Bench *bench, P *p, uint64_t count, bool shuffled) {
  Local *local = local_of(p);
  ObjInstance **nodes = malloc(count * sizeof *nodes);
  ObjStruct *type = (ObjStruct *)bench->vm.builtins;  // any object serves
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

static Value chain(Bench *bench, P *p, uint64_t count) {
  Local *local = local_of(p);
  (void)bench;
  Value v = VALUE_NIL;
  for (uint64_t i = 0; i < count; i++) {
    ObjCell *cell = (ObjCell *)heap_alloc(&local->heap, sizeof *cell, OBJ_CELL);
    cell->value = v;
    v = value_from_obj(cell);
  }
  return v;
}

static void mark(Bench *bench, P *p, Value root, const char *what) {
  uint32_t pin = heap_pin(bench->vm.heap, root);
  for (int i = 0; i < 3; i++) {
    collect(bench, p);
    HeapStats stats;
    heap_stats(bench->vm.heap, &stats);
    double ms = (double)stats.pause_ns_last / 1e6;
    printf("mark %s, %llu MB: %7.1f ms, %.0f MB/s\n", what,
           (unsigned long long)stats.live >> 20, ms,
           (double)(stats.live >> 20) / ms * 1000);
  }
  heap_unpin(bench->vm.heap, pin);
  collect(bench, p);
}

static void resume(P *p, G *g) {
  Bench *bench = (Bench *)((char *)goroutine_of(g) - offsetof(Bench, main));
  static const size_t sizes[] = {16, 32, 64, 256, 2048, 8192, 100000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    allocate(bench, p, sizes[i], sizes[i] > 2048 ? 200000 : 20000000);
  uint64_t nodes = (bench->megabytes << 20) / 32;
  mark(bench, p, tree(bench, p, nodes, false), "tree in order");
  mark(bench, p, tree(bench, p, nodes, true), "tree shuffled");
  mark(bench, p, chain(bench, p, 10000000), "chain");
  sched_exit(p->sched);
  sched_end(p, g);
}

int main(int argc, char **argv) {
  Bench *bench = calloc(1, sizeof *bench);
  if (bench == NULL) return 1;
  bench->megabytes = argc > 1 ? strtoull(argv[1], NULL, 10) : 256;
  bench->vm.memory = &mem_libc;
  bench->vm.heap = heap_new(&bench->vm);
  SchedConfig config = {
      .empty_word = VALUE_NIL,
      .hooks = {.host = bench, .p_init = p_init, .p_free = p_free}};
  bench->vm.sched = sched_new(&config);
  if (bench->vm.sched == NULL) return 1;
  Local *local = local_of(sched_p(bench->vm.sched, 0));
  bench->vm.builtins = map_new(local, 0);
  bench->main.g.resume = resume;
  sched_run(bench->vm.sched, &bench->main.g, 0, NULL);
  sched_free(bench->vm.sched);
  heap_free(bench->vm.heap);
  free(bench);
  return 0;
}
