// SPDX-License-Identifier: MIT
// A collection stops the world, marks from the roots, and settles what is weak.
//
//   1. This P finishes the sweeping of the last collection, as far as possible
//      before the stop.
//   2. The world stops. Every P gives its spans back, the roots are noted, and
//      all Ps mark.
//   3. Some goroutines wait for something that no live goroutine, global or
//      handle can reach. They are taken off the lists, and so are the timers
//      that only they could see.
//   4. Mark bits become due to be swept. The world goes on, and this P sweeps.
//
// The owner of a P calls it at a safepoint, after it has saved its goroutine.
// No allocation collects, so C code need not protect its temporaries.
#include "vm/heap/collect.h"
#include "vm/heap/local.h"
#include "vm/heap/mark.h"
#include "vm/heap/marker.h"
#include "vm/heap/sweep.h"
#include "vm/heap/unit.h"
#include "vm/heap/walk.h"
#include "vm/heap/work.h"

typedef struct Collection {
  Heap *heap;
  Vm *vm;
  P *p;
  Marking marking;
  GcMarker *marker;  // worker 0's
  bool more;         // something was noted since the last run
} Collection;

// --- Roots ------------------------------------------------------------------
static void mark_methods(GcMarker *marker, const MethodTable *table) {
  for (uint32_t i = 0; table != NULL && i < table->count; i++) {
    gc_mark_obj(marker, table->methods[i].name);
    gc_mark(marker, table->methods[i].function);
  }
}

// The table of names does not keep the weak ones (unit.c).
static void mark_names(GcMarker *marker, const Vm *vm) {
  for (uint32_t i = 0; i < vm->names_cap; i++) {
    const ObjString *name = vm->names[i];
    if (name != NULL && !(name->obj.flags & STRING_WEAK))
      gc_mark_obj(marker, name);
  }
}

static void mark_vm(GcMarker *marker, Vm *vm) {
  for (const Proto *proto = vm->protos; proto != NULL; proto = proto->next)
    proto_mark(marker, proto);
  units_mark_roots(marker, vm);
  mark_names(marker, vm);
  for (int i = 0; i < OBJ_TYPE_COUNT; i++) {
    mark_methods(marker, vm->methods[i]);
    gc_mark_obj(marker, vm->type_names[i]);
  }
  const void *objects[] = {
      vm->main,          vm->builtins,       vm->modules,
      vm->float_zero,    vm->float_neg_zero, vm->float_inf,
      vm->float_neg_inf, vm->float_nan,      vm->empty_string};
  for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
    gc_mark_obj(marker, objects[i]);
}

static void mark_pins(GcMarker *marker, Heap *heap) {
  rt_lock(&heap->pin_lock);
  for (uint32_t pin = 1; pin <= heap->pins_cap; pin++)
    gc_mark(marker, heap_pinned(heap, pin));
  RootHook *hooks = heap->roots;  // only grows at the front
  rt_unlock(&heap->pin_lock);
  for (RootHook *hook = hooks; hook != NULL; hook = hook->next)
    hook->mark(hook->arg, marker);
}

static void mark_g(void *arg, G *g) {
  if (g != NULL) gc_mark_obj(arg, goroutine_of(g));
}

// A timer's arg is an object, or the G inside a goroutine that sleeps.
_Static_assert(offsetof(Goroutine, g) % 16 != 0, "a G is no object");
static Obj *timer_object(const Vm *vm, const Timer *timer) {
  if (poll_is_deadline(timer)) return NULL;  // not of the heap
  Group *group = group_of_timer(timer);
  if (group != NULL) return &obj_group(group)->obj;
  if (timer == &vm->late) return NULL;  // the main goroutine's
  if ((uintptr_t)timer->arg % 16 == 0) return timer->arg;
  return &goroutine_of((G *)timer->arg)->obj;
}

// A channel's timer is alive by itself only when somebody waits.
static bool mark_timer(void *arg, Timer *timer) {
  GcMarker *marker = arg;
  Obj *obj = timer_object(marker->marking->heap->vm, timer);
  if (obj != NULL && (obj->type != OBJ_TIMER ||
                      ((ObjTimer *)obj)->chan->chan.recv_first != NULL))
    gc_mark_obj(marker, obj);
  return true;
}

// Scans the objects that the barrier has marked and nobody has scanned.
static void take_shaded(GcMarker *marker, MarkSegment **list) {
  while (*list != NULL) {
    MarkSegment *segment = *list;
    RT_ASSERT(segment->count <= SEGMENT_ITEMS);
    *list = segment->next;
    for (uint64_t i = 0; i < segment->count; i++)
      gc_scan(marker, (Obj *)(uintptr_t)segment->items[i]);
    mem_free(segment);
  }
}

// --- Every P's part ---------------------------------------------------------
static void each_local(Vm *vm, void (*fn)(void *arg, Local *local), void *arg) {
  int procs = vm->sched != NULL ? sched_procs(vm->sched) : 0;
  bool booted = false;
  for (int i = 0; i < procs; i++) {
    Local *local = local_of(sched_p(vm->sched, i));
    if (local == NULL) continue;
    booted |= local == vm->boot;
    fn(arg, local);
  }
  if (!booted && vm->boot != NULL) fn(arg, vm->boot);
}

static void flush_local(void *arg, Local *local) {
  Collection *collection = arg;
  heap_local_flush(&local->heap);
  local->free = NULL;
  local->free_count = 0;
  take_shaded(collection->marker, &local->heap.shaded);
}

static void each_in_list(Goroutine *g, void (*fn)(void *arg, Goroutine *g),
                         void *arg) {
  for (; g != NULL; g = g->all_next) {
    // relaxed: the world is stopped
    uint32_t status = rt_load_relaxed(&g->g.status);
    if (status != G_DEAD && status != G_IDLE) fn(arg, g);
  }
}

typedef struct EachGoroutine {
  void (*fn)(void *arg, Goroutine *g);
  void *arg;
} EachGoroutine;

static void each_of_local(void *arg, Local *local) {
  EachGoroutine *each = arg;
  each_in_list(local->all, each->fn, each->arg);
}

void vm_each_goroutine(Vm *vm, void (*fn)(void *arg, Goroutine *g), void *arg) {
  EachGoroutine each = {fn, arg};
  each_local(vm, each_of_local, &each);
  each_in_list(vm->heap->orphans, fn, arg);
}

// --- Marking ----------------------------------------------------------------
static void run_workers(Collection *collection) {
  Marking *marking = &collection->marking;
  marking->idle = 0;
  if (marking->workers > 1)
    sched_run_stopped(collection->p, marking_run, marking);
  else
    marking_run(marking, 0, 1);
  // Rare: stacks ran out of memory on the way.
  // RMW: for brevity. Pairs with the store in make_room_without, after
  // which the markers have met (find_work, the end of sched_run_stopped)
  while (rt_exchange(&marking->overflow, 0u)) {
    collection->marker->alone =
        true;  // nobody would take what it puts into the pool
    units_rescan(collection->marker, collection->vm);
    marking_rescan(collection->marker);
  }
  RT_ASSERT(marking->pooled == 0 &&
            marking->pool == NULL);  // nothing is left to mark
  collection->more = false;
}

static void mark_roots(Collection *collection) {
  Heap *heap = collection->heap;
  each_local(collection->vm, flush_local, collection);
  heap_local_flush(&heap->shared);
  take_shaded(collection->marker, &heap->shaded);
  // RMW: for brevity. The world is stopped, which came after the stores in
  // shade
  if (rt_exchange(&heap->mark_overflow, 0u)) collection->marking.overflow = 1;
  mark_vm(collection->marker, collection->vm);
  mark_pins(collection->marker, heap);
  if (collection->vm->sched == NULL) return;
  sched_each_root(collection->vm->sched, mark_g, collection->marker);
  timers_filter(collection->vm->sched, mark_timer, collection->marker);
}

// --- What is weak -----------------------------------------------------------
// Whether an unmarked goroutine is kept: what may wake it is something that the
// collector cannot see (a native's own way of waiting, a thread that gets
// free), it has a panic to report, or a native has called it.
static bool is_kept(const Goroutine *g) {
  // relaxed: the world is stopped
  uint32_t status = rt_load_relaxed(&g->g.status);
  if (status == G_DEAD || status == G_IDLE) return false;
  if (g->describing) return true;  // its panic is reported at the end
  if (g->task != NULL && g->task->obj.flags & TASK_HAS_CALLER) return true;
  if (status != G_WAITING) return true;
  uint8_t reason = g->g.reason;
  return reason == WAIT_OTHER || reason == WAIT_SYSCALL_SLOT ||
         reason == WAIT_SLEEP || reason == WAIT_IO || reason == WAIT_CALLBACK;
}

static void rescue(void *arg, Goroutine *g) {
  Collection *collection = arg;
  if (gc_is_marked(g) || !is_kept(g)) return;
  gc_mark_obj(collection->marker, g);
  collection->more = true;
}

static void lose(Heap *heap, Goroutine *g) {
  HeapHooks *hooks = &heap->hooks;
  // relaxed: the world is stopped. heap_stats reads it on any thread, as a
  // count
  rt_store_relaxed(&heap->goroutines_collected, heap->goroutines_collected + 1);
  if (hooks->on_leak != NULL) hooks->on_leak(hooks->arg, g);
  bool stays = g->g.is_aide && gc_is_marked(obj_group(g->g.group));
  if (stays) group_lose_aide(&g->g);
  if (hooks->release != NULL) hooks->release(hooks->arg, g);
}

// Takes dead and lost goroutines off a list.
static void prune(Heap *heap, Goroutine **list) {
  while (*list != NULL) {
    Goroutine *g = *list;
    RT_ASSERT(g->obj.type == OBJ_GOROUTINE);
    // relaxed: the world is stopped
    uint32_t status = rt_load_relaxed(&g->g.status);
    if (status != G_DEAD && gc_is_marked(g)) {
      list = &g->all_next;
      continue;
    }
    *list = g->all_next;
    walk_pass(heap, g);
    if (status == G_WAITING) lose(heap, g);
  }
}

static void prune_local(void *arg, Local *local) { prune(arg, &local->all); }

static bool keep_timer(void *arg, Timer *timer) {
  Obj *obj = timer_object(arg, timer);
  return obj == NULL || obj->type != OBJ_TIMER || gc_is_marked(obj);
}

static void settle_weak(Collection *collection) {
  HeapHooks *hooks = &collection->heap->hooks;
  do {
    collection->more = false;
    vm_each_goroutine(collection->vm, rescue, collection);
    if (collection->more) {
      run_workers(collection);
      collection->more = true;
    }
  } while (collection->more);
  if (hooks->mark_lost != NULL &&
      hooks->mark_lost(hooks->arg, collection->marker))
    run_workers(collection);
  each_local(collection->vm, prune_local, collection->heap);
  prune(collection->heap, &collection->heap->orphans);
  if (collection->vm->sched != NULL)
    timers_filter(collection->vm->sched, keep_timer, collection->vm);
}

// --- A collection -----------------------------------------------------------
static void account(Collection *collection, int64_t began) {
  Heap *heap = collection->heap;
  RT_ASSERT(collection->marking.pooled == 0);
  // relaxed, all: the world is stopped but for hosts' threads, which only add
  // to the sums (heap_take_other). What is stored heap_stats reads, as
  // statistics, and flush_allocated, once its P runs again
  int64_t external = rt_load_relaxed(&heap->external);
  uint64_t live = external > 0 ? (uint64_t)external : 0;
  for (int i = 0; i < heap->gc_workers; i++)
    live += collection->marking.markers[i].bytes;
  // RMW: none of what flush_allocated adds is lost. Orders nothing
  int64_t allocated = rt_exchange(&heap->allocated, (int64_t)0);
  if (allocated > 0)
    rt_store_relaxed(&heap->total_allocated,
                     heap->total_allocated + (uint64_t)allocated);
  rt_store_relaxed(&heap->live, live);
  rt_store_relaxed(&heap->goal, heap_next_goal(heap, live));
  rt_store_relaxed(&heap->collections, heap->collections + 1);
  uint64_t pause = (uint64_t)(rt_now() - began);
  rt_store_relaxed(&heap->pause_last, pause);
  if (pause > heap->pause_max) rt_store_relaxed(&heap->pause_max, pause);
}

static void collect_stopped(Collection *collection, int64_t began) {
  int procs =
      collection->vm->sched != NULL ? sched_procs(collection->vm->sched) : 1;
  heap_sweep_all(collection->heap);
  // relaxed, twice: the world is stopped. A wish of a host's thread that is
  // lost is granted by this collection
  rt_store_relaxed(&collection->heap->want, 0);
  // If there is no memory for all markers, one marks alone. If there is none
  // for that one either, there is no collection.
  if (!marking_init(&collection->marking, collection->heap, procs) &&
      (collection->heap->gc_workers == 0 ||
       !marking_init(&collection->marking, collection->heap, 1)))
    return;
  collection->marker = &collection->marking.markers[0];
  mark_roots(collection);
  run_workers(collection);
  settle_weak(collection);
  units_sweep(collection->vm);
  heap_unsweep(collection->heap);
  account(collection, began);
  rt_store_relaxed(&collection->heap->want,
                   0);  // the flushes may have asked again
  marking_free(&collection->marking);
}

void gc_collect(P *p, Goroutine *g) {
  G *current = g == NULL ? NULL : &g->g;
  RT_ASSERT(local_of(p)->p == p && p->current == current);
  Vm *vm = local_of(p)->vm;
  Collection c = {.heap = vm->heap, .vm = vm, .p = p};
  work_looked();
  heap_sweep_all(c.heap);
  int64_t began = rt_now();
  if (!sched_stop_world(p, current)) return;
  bool wanted = heap_gc_wanted(c.heap);  // else another P was first
  if (wanted) collect_stopped(&c, began);
  sched_start_world(p);
  if (!wanted) return;
  heap_sweep_all(c.heap);
  heap_release(c.heap);
  if (vm->heap->hooks.collected != NULL)
    vm->heap->hooks.collected(vm->heap->hooks.arg);
  // (with gcstress=N the next look is N safepoints away)
  if (!c.heap->stress) charge_look(local_of(p));
  work_forget();
}
