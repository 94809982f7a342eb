// SPDX-License-Identifier: MIT
// Collections inside the real scheduler: marking on 1 to 8 Ps, what is kept
// and what goes, weak goroutines and timers, mutators that run on.
#include "tests/unit/vm_fixture.h"
#include "vm/heap/collect.h"
#include "vm/heap/heap_internal.h"
#include "vm/heap/local.h"
#include "vm/heap/mark.h"
#include "vm/heap/walk.h"
#include "vm/interp/limits.h"
#include "vm/object/compare.h"
#include "vm/object/list.h"
#include "vm/object/map.h"
#include "vm/object/string.h"

// A run: the main goroutine calls step until it says that all is done.
typedef struct Run Run;
struct Run {
  Fixture *fixture;
  Goroutine *main;
  bool (*step)(Run *run, P *p);  // true: done. false: parked
  int phase;
  uint32_t running;  // atomic: mutators
  int leaked, panics_freed;
};

static Run *current;  // of the test that runs

static Run *run_of(Local *local) {
  (void)local;
  return current;
}

static bool p_init(void *host, P *p) {
  Run *run = host;
  fixture_local(run->fixture, p->id);
  Local *local = &run->fixture->locals[p->id];
  local->p = p;
  p->local = local;
  return true;
}

static void p_free(void *host, P *p) {
  (void)host;
  heap_local_free(p->local);
}

static void main_resume(P *p, G *g) {
  Run *run = run_of(local_of(p));
  if (!run->step(run, p)) return;
  sched_exit(p->sched);
  sched_end(p, g);
}

static Goroutine *goroutine_new(Local *local, void (*resume)(P *p, G *g)) {
  ObjValues *block = values_new(local, STACK_INITIAL);
  Goroutine *g =
      (Goroutine *)heap_alloc(&local->heap, sizeof *g, OBJ_GOROUTINE);
  assert_non_null(g);
  memset((char *)g + sizeof(Obj), 0, sizeof *g - sizeof(Obj));
  g->g.resume = resume;
  g->g.wait.elem = VALUE_NIL;
  g->defers = VALUE_NIL;
  g->block = block;
  g->stack = block->slots;
  g->all_next = local->all;
  local->all = g;
  return g;
}

static void on_leak(void *arg, Goroutine *g) {
  Run *run = arg;
  run->leaked++;
  assert_int_equal(g->g.status, G_WAITING);
}

static void run(int procs, bool (*step)(Run *run, P *p)) {
  Run r = {.fixture = fixture_new(0), .step = step};
  Vm *vm = &r.fixture->vm;
  current = &r;
  HeapHooks hooks = {.arg = &r, .on_leak = on_leak};
  heap_set_hooks(vm->heap, &hooks);
  heap_set_stress(vm->heap, false, true);
  SchedConfig config = {
      .procs = procs,
      .seed = 1,
      .empty_word = VALUE_NIL,
      .hooks = {.host = &r, .p_init = p_init, .p_free = p_free}};
  vm->sched = sched_new(&config);
  assert_non_null(vm->sched);
  vm->boot = &r.fixture->locals[0];
  r.main = vm->main = goroutine_new(vm->boot, main_resume);
  sched_run(vm->sched, &r.main->g, 1000000000, NULL);
  sched_free(vm->sched);
  heap_free(vm->heap);
  free(vm->names);
  free(r.fixture);
}

static void collect(Run *run, P *p) {
  HeapStats before, after;
  heap_stats(run->fixture->vm.heap, &before);
  do {
    heap_want_gc(run->fixture->vm.heap);
    gc_collect(p, run->main);
    heap_stats(run->fixture->vm.heap, &after);
  } while (after.collections == before.collections);
}

static uint64_t live_bytes(Run *run) {
  HeapStats stats;
  heap_stats(run->fixture->vm.heap, &stats);
  return stats.live;
}

// Parks the main goroutine for a while.
static bool sleep_then(Run *run, P *p, int phase) {
  run->phase = phase;
  Goroutine *g = run->main;
  if (g->sleep_block == NULL) {
    g->sleep_block = (ObjRaw *)heap_alloc(
        &local_of(p)->heap, sizeof(ObjRaw) + sizeof(Timer), OBJ_RAW);
    g->sleep_block->cap = g->sleep_block->len = sizeof(Timer);
    memset(g->sleep_block->data, 0, sizeof(Timer));
  }
  sched_sleep(p, &g->g, (Timer *)g->sleep_block->data, 2000000);
  return false;
}

// --- What is kept -----------------------------------------------------------
static Value node(Local *local, Value left, Value right) {
  Value parts[] = {left, right};
  ObjList *list = list_new(local, 2);
  assert_true(list_append(local, list, parts, 2));
  return value_from_obj(list);
}

static Value tree(Local *local, int depth) {
  Value left = depth ? tree(local, depth - 1) : VALUE_NIL;
  return node(local, left, depth ? tree(local, depth - 1) : VALUE_TRUE);
}

static int tree_count(Value v) {
  if (!value_is_obj(v)) return 0;
  ObjValues *block = ((ObjList *)value_obj(v))->block;
  assert_int_equal(block->obj.type, OBJ_VALUES);
  return 1 + tree_count(block->slots[0]) + tree_count(block->slots[1]);
}

static bool marks_trees(Run *run, P *p) {
  Local *local = local_of(p);
  Heap *heap = run->fixture->vm.heap;
  Value kept = tree(local, 15);
  tree(local, 14);
  uint32_t pin = heap_pin(heap, kept);
  for (int i = 0; i < 5; i++) {
    collect(run, p);
    assert_int_equal(tree_count(kept), 65535);
    assert_in_range(live_bytes(run), 65535 * 64, 65535 * 64 + 100000);
    tree(local, 12);
  }
  heap_unpin(heap, pin);
  collect(run, p);
  assert_true(live_bytes(run) < 100000);
  return true;
}

static void parallel_marking(void **state) {
  (void)state;
  for (int procs = 1; procs <= 8; procs *= 2) run(procs, marks_trees);
}

static bool marks_chain(Run *run, P *p) {
  Local *local = local_of(p);
  Value v = VALUE_NIL;
  for (int i = 0; i < 3000000; i++) {
    ObjCell *cell = (ObjCell *)heap_alloc(&local->heap, sizeof *cell, OBJ_CELL);
    cell->value = v;
    v = value_from_obj(cell);
  }
  run->main->block->slots[3] = v;
  collect(run, p);
  assert_true(live_bytes(run) >= 3000000 * sizeof(ObjCell));
  int count = 0;
  for (; v != VALUE_NIL; v = ((ObjCell *)value_obj(v))->value) count++;
  assert_int_equal(count, 3000000);
  run->main->block->slots[3] = VALUE_NIL;
  collect(run, p);
  assert_true(live_bytes(run) < 100000);
  return true;
}

static void long_chains(void **state) {
  (void)state;
  run(2, marks_chain);
}

static bool marks_large(Run *run, P *p) {
  Local *local = local_of(p);
  Heap *heap = run->fixture->vm.heap;
  for (int round = 0; round < 20; round++) {
    ObjMap *map = map_new(local, 0);
    run->main->block->slots[0] = value_from_obj(map);
    for (int i = 0; i < 20000; i++) {
      Value key = value_from_obj(string_format(local, "%d", i));
      assert_int_equal(map_set(local, map, key, key), MAP_OK);
    }
    ObjValues *block = values_new(local, (size_t)600000 + round);
    block->slots[599999] = value_from_obj(map);
    run->main->block->slots[0] = value_from_obj(block);
    collect(run, p);
    Value out, key = value_from_obj(string_new(local, "19999", 5));
    assert_true(map_get(local->vm, map, key, &out));
    assert_true(value_equal(key, out));
  }
  run->main->block->slots[0] = VALUE_NIL;
  collect(run, p);
  assert_true(heap->used_units < 20);
  HeapStats stats;
  heap_stats(heap, &stats);
  assert_true(stats.mapped < 100 << 20);
  return true;
}

static void large_objects_come_and_go(void **state) {
  (void)state;
  run(2, marks_large);
}

static bool clears_stacks(Run *run, P *p) {
  Local *local = local_of(p);
  Proto proto = {.nregs = 2};
  ObjClosure *closure =
      (ObjClosure *)heap_alloc(&local->heap, sizeof *closure, OBJ_CLOSURE);
  closure->proto = &proto;
  Goroutine *g = run->main;
  g->base = g->stack + FRAME_WORDS;
  g->base[-1] = value_from_obj(closure);
  g->base[0] = g->base[4] = value_from_obj(string_new(local, "kept", 4));
  g->base[2] = value_from_obj(string_new(local, "multi", 5));
  g->base[5] = value_from_obj(string_new(local, "gone", 4));
  g->multi = 1;
  collect(run, p);
  assert_string_equal(string_data((ObjString *)value_obj(g->base[0])), "kept");
  assert_string_equal(string_data((ObjString *)value_obj(g->base[2])), "multi");
  assert_int_equal(g->base[4], VALUE_NIL);
  assert_int_equal(g->base[5], VALUE_NIL);
  g->base = NULL;
  return true;
}

static void stacks_above_the_top(void **state) {
  (void)state;
  run(1, clears_stacks);
}

static bool keeps_shaded(Run *run, P *p) {
  Local *local = local_of(p);
  Value a = node(local, tree(local, 3), VALUE_NIL);
  Value b = node(local, tree(local, 4), VALUE_NIL);
  Value slot = a;
  heap_barrier(&local->heap, &slot, VALUE_NIL);
  slot = b;  // by nobody's P: found by looking at all that is marked
  heap_barrier(NULL, &slot, VALUE_NIL);
  collect(run, p);
  assert_int_equal(tree_count(a), 16);
  assert_int_equal(tree_count(b), 32);
  collect(run, p);
  assert_true(live_bytes(run) < 2000);
  return true;
}

static void shaded_objects_survive(void **state) {
  (void)state;
  run(2, keeps_shaded);
}

// Lists in lists, each with so many trees beside the next: to be marked they
// need several segments of a mark stack.
enum { WIDE = 100, WIDE_DEPTH = 50 };
static Value wide(Local *local) {
  Value inner = VALUE_NIL;
  for (int depth = 0; depth < WIDE_DEPTH; depth++) {
    ObjList *list = list_new(local, WIDE + 1);
    assert_non_null(list);
    for (int n = 0; n < WIDE; n++) {
      Value leaf = node(local, VALUE_NIL, VALUE_NIL);
      assert_true(list_push(local, list, leaf));
    }
    assert_true(list_push(local, list, inner));
    inner = value_from_obj(list);
  }
  return inner;
}

static bool keeps_wide_shaded(Run *run, P *p) {
  Local *local = local_of(p);
  Value all = wide(local);
  // The last that is looked at: what it leads to is not looked at after it.
  ObjValues *large = values_new(local, 5000), *slot = large;
  large->slots[0] = all;
  heap_barrier_ptr(NULL, &slot, NULL);
  collect(run, p);
  for (int depth = 0; depth < WIDE_DEPTH; depth++) {
    const ObjValues *block = ((ObjList *)value_obj(all))->block;
    for (int n = 0; n < WIDE; n++)
      assert_int_equal(tree_count(block->slots[n]), 1);
    all = block->slots[WIDE];
  }
  return true;
}

// What is found by looking at all that is marked is marked by one worker alone.
static void wide_shaded_objects_survive(void **state) {
  (void)state;
  run(2, keeps_wide_shaded);
}

// --- Finalizers and hooks ---------------------------------------------------
static int finalized;
static void finalize(void *data) { finalized += *(int *)data; }

static void mark_extra(void *arg, GcMarker *marker) {
  gc_mark(marker, *(Value *)arg);
}

static bool finalizes(Run *run, P *p) {
  static const HostClass klass = {"thing", finalize, 4, NULL};
  static Value extra;
  Local *local = local_of(p);
  finalized = 0;
  for (int i = 0; i < 100; i++) {
    ObjHost *host =
        (ObjHost *)heap_alloc(&local->heap, sizeof *host + 16, OBJ_HOST);
    host->klass = &klass;
    *(int *)host->data = 1;
    extra = value_from_obj(host);
  }
  assert_true(heap_add_roots(run->fixture->vm.heap, mark_extra, &extra));
  for (int i = 0; i < 3; i++) {
    collect(run, p);
    assert_int_equal(finalized, 99);
  }
  extra = VALUE_NIL;
  collect(run, p);
  assert_int_equal(finalized, 100);
  return true;
}

static void finalizers_run_once(void **state) {
  (void)state;
  run(1, finalizes);
  assert_int_equal(finalized, 100);
}

// --- Weak goroutines --------------------------------------------------------
static ObjChan *chan_new(Local *local, uint32_t cap) {
  ObjChan *channel = (ObjChan *)heap_alloc(
      &local->heap, offsetof(ObjChan, chan) + chan_size(cap), OBJ_CHAN);
  channel->timer = NULL;
  chan_init(&channel->chan, cap);
  return channel;
}

// In slots are the channel to receive from, and what then came.
static void receiver(P *p, G *g) {
  Goroutine *self = goroutine_of(g);
  if (self->block->slots[2] == VALUE_NIL) {
    self->block->slots[2] = VALUE_TRUE;
    ObjChan *channel = (ObjChan *)value_obj(self->block->slots[0]);
    uint64_t word;
    ChanResult got = chan_recv(p, g, &channel->chan, &word, WAIT_CHAN_RECV);
    if (got == CHAN_PARKED) return;
    g->wait.elem = word;
  }
  self->block->slots[1] = g->wait.elem;
  Run *run = run_of(local_of(p));
  rt_sub(&run->running, 1u);
  sched_end(p, g);
}

static Goroutine *start_receiver(Run *run, P *p, ObjChan *channel) {
  Goroutine *g = goroutine_new(local_of(p), receiver);
  g->block->slots[0] = value_from_obj(channel);
  rt_add(&run->running, 1u);
  sched_spawn(p, &g->g);
  return g;
}

static uint64_t collected(Run *run) {
  HeapStats stats;
  heap_stats(run->fixture->vm.heap, &stats);
  return stats.goroutines_collected;
}

// Two receivers that only each other's channels know, one that the main
// goroutine can reach, by way of a channel inside a channel.
static bool loses_goroutines(Run *run, P *p) {
  Local *local = local_of(p);
  Value *slots = run->main->block->slots;
  if (run->phase == 0) {
    ObjChan *one = chan_new(local, 0), *other = chan_new(local, 0);
    start_receiver(run, p, one)->block->slots[5] = value_from_obj(other);
    start_receiver(run, p, other)->block->slots[5] = value_from_obj(one);
    ObjChan *kept = chan_new(local, 0), *outer = chan_new(local, 1);
    start_receiver(run, p, kept);
    assert_int_equal(chan_try_send(p, &outer->chan, value_from_obj(kept)),
                     CHAN_DONE);
    slots[0] = value_from_obj(outer);
    return sleep_then(run, p, 1);
  }
  if (run->phase == 1) {
    collect(run, p);
    assert_int_equal(collected(run), 2);
    assert_int_equal(run->leaked, 2);
    collect(run, p);
    assert_int_equal(collected(run), 2);
    uint64_t word;
    ObjChan *outer = (ObjChan *)value_obj(slots[0]);
    assert_int_equal(chan_try_recv(p, &outer->chan, &word), CHAN_DONE);
    ObjChan *kept = (ObjChan *)value_obj(word);
    Value v = value_from_obj(string_new(local, "sent", 4));
    assert_int_equal(chan_try_send(p, &kept->chan, v), CHAN_DONE);
    return sleep_then(run, p, 2);
  }
  assert_int_equal(run->running, 2);  // the lost ones never ended
  collect(run, p);
  return true;
}

static void lost_goroutines(void **state) {
  (void)state;
  run(1, loses_goroutines);
  run(4, loses_goroutines);
}

static void count_goroutine(void *arg, Goroutine *g) {
  (void)g;
  ++*(int *)arg;
}

// Goroutines of a P that goes away are still known.
static bool takes_ps_away(Run *run, P *p) {
  Value *slots = run->main->block->slots;
  if (run->phase == 0) {
    ObjChan *channel = chan_new(local_of(p), 0);
    slots[0] = value_from_obj(channel);
    for (int i = 0; i < 10; i++) start_receiver(run, p, channel);
    for (int i = 0; i < 10; i++)
      start_receiver(run, p, chan_new(local_of(p), 0));
    return sleep_then(run, p, 1);
  }
  if (run->phase < 5) {
    static const int procs[] = {0, 1, 3, 1, 2};
    int want = procs[run->phase++];
    p = sched_set_procs(p, &run->main->g, want);
    if (p == NULL) return false;
    collect(run, p);
    return sleep_then(run, p, run->phase);
  }
  assert_int_equal(collected(run), 10);
  int count = 0;
  vm_each_goroutine(&run->fixture->vm, count_goroutine, &count);
  assert_int_equal(count, 11);
  return true;
}

static void processors_go_away(void **state) {
  (void)state;
  run(4, takes_ps_away);
}

// --- Walks in pieces --------------------------------------------------------
typedef struct Visits {
  const Goroutine *all[64];
  int count, most;
} Visits;

static bool visit(void *arg, Goroutine *g) {
  Visits *visits = arg;
  for (int n = 0; n < visits->count; n++)
    assert_ptr_not_equal(visits->all[n], g);
  visits->all[visits->count++] = g;
  return visits->count < visits->most;
}

static WalkEnd walk_to(Run *run, P *p, HeapWalk *walk, Visits *visits,
                       int most) {
  visits->most = most;
  assert_true(sched_stop_world(p, &run->main->g));
  WalkEnd end = heap_walk_on(&run->fixture->vm, walk, visit, visits);
  sched_start_world(p);
  return end;
}

// Every other goroutine is collected while walks stand before each kind.
static bool walks_on(Run *run, P *p) {
  enum { KEPT = 10 };
  static const int first[] = {1, 2, 3, 4, 7};
  enum { WALKS = sizeof first / sizeof *first };
  if (run->phase == 0) {
    ObjChan *channel = chan_new(local_of(p), 0);
    run->main->block->slots[0] = value_from_obj(channel);
    for (int i = 0; i < KEPT; i++) {
      start_receiver(run, p, channel);
      start_receiver(run, p, chan_new(local_of(p), 0));
    }
    return sleep_then(run, p, 1);
  }
  HeapWalk walks[WALKS + 1] = {{0}};
  Visits visits[WALKS] = {{.count = 0}};
  for (int n = 0; n < WALKS; n++)
    assert_int_equal(walk_to(run, p, &walks[n], &visits[n], first[n]),
                     WALK_MORE);
  heap_walk_end(&run->fixture->vm, &walks[WALKS]);  // has not begun
  heap_walk_end(&run->fixture->vm, &walks[1]);
  collect(run, p);
  assert_int_equal(run->leaked, KEPT);
  for (int n = 0; n < WALKS; n++) {
    if (n == 1) continue;
    assert_int_equal(walk_to(run, p, &walks[n], &visits[n], 64), WALK_DONE);
    // the newest, a lost one, comes first; the main one comes last
    int lost_before = (first[n] + 1) / 2;
    assert_int_equal(visits[n].count, lost_before + KEPT + 1);
    assert_ptr_equal(visits[n].all[visits[n].count - 1], run->main);
    heap_walk_end(&run->fixture->vm, &walks[n]);
  }
  return true;
}

static void walks_go_on_after_a_collection(void **state) {
  (void)state;
  run(1, walks_on);
}

// Its list has come to another place.
static bool walks_while_ps_go(Run *run, P *p) {
  static HeapWalk walk;
  static Visits visits;
  if (run->phase == 0) {
    for (int i = 0; i < 3; i++)
      start_receiver(run, p, chan_new(local_of(p), 0));
    return sleep_then(run, p, 1);
  }
  if (run->phase < 3) {
    if (run->phase == 1)
      assert_int_equal(walk_to(run, p, &walk, &visits, 2), WALK_MORE);
    p = sched_set_procs(p, &run->main->g, run->phase++);
    return p != NULL && sleep_then(run, p, run->phase);
  }
  assert_int_equal(walk_to(run, p, &walk, &visits, 64), WALK_LOST);
  heap_walk_end(&run->fixture->vm, &walk);
  visits.count = 0;
  assert_int_equal(walk_to(run, p, &walk, &visits, 64), WALK_DONE);
  assert_int_equal(visits.count, 4);
  heap_walk_end(&run->fixture->vm, &walk);
  return true;
}

static void walks_end_when_ps_go(void **state) {
  (void)state;
  run(2, walks_while_ps_go);
}

// --- Timers -----------------------------------------------------------------
static void fire(P *p, Timer *timer, int64_t now) {
  (void)now;
  ObjTimer *owner = timer->arg;
  chan_try_send(p, &owner->chan->chan, VALUE_TRUE);
}

static ObjChan *after(P *p, int64_t ns) {
  Local *local = local_of(p);
  ObjChan *channel = chan_new(local, 1);
  ObjTimer *timer =
      (ObjTimer *)heap_alloc(&local->heap, sizeof *timer, OBJ_TIMER);
  memset(&timer->timer, 0, sizeof timer->timer);
  timer->chan = channel;
  channel->timer = timer;
  timer->timer.fire = fire;
  timer->timer.arg = timer;
  timer_start(p, &timer->timer, rt_now() + ns, 0);
  return channel;
}

static bool count_timer(void *arg, Timer *timer) {
  (void)timer;
  ++*(int *)arg;
  return true;
}

static int timers(P *p, Run *run) {
  int count = 0;
  assert_true(sched_stop_world(p, &run->main->g));
  timers_filter(p->sched, count_timer, &count);
  sched_start_world(p);
  return count;
}

static bool drops_timers(Run *run, P *p) {
  Value *slots = run->main->block->slots;
  if (run->phase == 0) {
    for (int i = 0; i < 50; i++) after(p, (int64_t)3600 << 30);
    slots[0] = value_from_obj(after(p, 1000000));
    start_receiver(run, p, after(p, 1500000));
    assert_in_range(timers(p, run), 50, 52);  // the two short ones may be over
    return sleep_then(run, p, 1);
  }
  if (run->phase == 1) {
    if (rt_load_relaxed(&run->running)) return sleep_then(run, p, 1);
    uint64_t word;
    ObjChan *channel = (ObjChan *)value_obj(slots[0]);
    assert_int_equal(chan_try_recv(p, &channel->chan, &word), CHAN_DONE);
    slots[0] = value_from_obj(after(p, (int64_t)3600 << 30));
    start_receiver(run, p, after(p, 3000000));
    return sleep_then(run, p, 2);
  }
  collect(run, p);
  assert_in_range(timers(p, run), 1, 2);
  if (rt_load_relaxed(&run->running)) return sleep_then(run, p, 2);
  assert_int_equal(collected(run), 0);
  slots[0] = VALUE_NIL;
  collect(run, p);
  assert_int_equal(timers(p, run), 0);
  return true;
}

static void timers_are_weak(void **state) {
  (void)state;
  run(1, drops_timers);
  run(2, drops_timers);
}

// --- Mutators ---------------------------------------------------------------
enum { MUTATORS = 6, ROUNDS = 1500 };

// Works on a shared list of lists, and on its own. slots: 0 the shared list,
// 1 its own, 2 rounds done.
static void mutator(P *p, G *g) {
  Goroutine *self = goroutine_of(g);
  Value *slots = self->block->slots;
  for (;;) {
    Local *local = local_of(p);
    int64_t round = value_small(slots[2]);
    if (round == ROUNDS) break;
    slots[2] = value_from_small(round + 1);
    ObjList *shared = (ObjList *)value_obj(slots[0]);
    ObjList *own = (ObjList *)value_obj(slots[1]);
    for (int i = 0; i < 20; i++) {
      Value text = value_from_obj(string_format(local, "%d", i));
      list_push(local, own, node(local, text, VALUE_NIL));
    }
    list_push(local, shared, value_from_obj(own));
    ObjValues *block = list_block(shared);
    size_t len = values_len(block);
    if (len > 64) list_remove(local, shared, 0, 60);
    Value v = heap_load(&block->slots[len ? len - 1 : 0]);
    if (value_is_obj(v)) assert_int_equal(value_obj(v)->type, OBJ_LIST);
    if (values_len(list_block(own)) > 100)
      slots[1] = value_from_obj(list_new(local, 0));
    if (heap_gc_wanted(local->vm->heap)) gc_collect(p, self);
    if (rt_load_relaxed(&p->look) && sched_look(p, g)) {
      sched_preempt(p, g);
      return;
    }
  }
  rt_sub(&run_of(local_of(p))->running, 1u);
  sched_end(p, g);
}

static bool mutates(Run *run, P *p) {
  Local *local = local_of(p);
  Value *slots = run->main->block->slots;
  if (run->phase == 0) {
    slots[0] = value_from_obj(list_new(local, 0));
    for (int i = 0; i < MUTATORS; i++) {
      Goroutine *g = goroutine_new(local, mutator);
      g->block->slots[0] = slots[0];
      g->block->slots[1] = value_from_obj(list_new(local, 0));
      g->block->slots[2] = value_from_small(0);
      rt_add(&run->running, 1u);
      sched_spawn(p, &g->g);
    }
    return sleep_then(run, p, 1);
  }
  if (rt_load_acquire(&run->running)) {
    heap_want_gc(run->fixture->vm.heap);
    gc_collect(p, run->main);
    return sleep_then(run, p, 1);
  }
  collect(run, p);
  assert_int_equal(collected(run), 0);
  return true;
}

static void mutators_run_on(void **state) {
  (void)state;
  for (int procs = 1; procs <= 8; procs *= 2) run(procs, mutates);
}

static bool mutates_under_stress(Run *run, P *p) {
  if (run->phase == 0) heap_set_stress(run->fixture->vm.heap, true, true);
  return mutates(run, p);
}

static void collections_all_the_time(void **state) {
  (void)state;
  run(1, mutates_under_stress);
  run(3, mutates_under_stress);
}

// --- Forced collections -----------------------------------------------------
// By an own clock, with collections of several lengths, all of them in vain.
static void collections_in_vain_take_half_of_the_time(void **state) {
  (void)state;
  enum { ASKED = 100000, BETWEEN = 10, MOST = 3000, AT_ONCE = 4 };
  Pace pace = {0, 0, 0};
  int64_t began = 1000000000, now = began, taken = 0;
  for (int n = 0; n < ASKED; n++, now += BETWEEN) {
    bool allowed = pace_allows(&pace, now);
    if (n < AT_ONCE) assert_true(allowed);
    if (!allowed) continue;
    int64_t took = 1000 * (1 + n % 3);
    taken += took;
    now += took;
    pace_took(&pace, took);
    pace_in_vain(&pace, now);
    assert_true(taken <= (now - began) / 2 + (AT_ONCE + 1) * MOST / 2);
  }
  assert_true(taken >= (now - began) / 2 - MOST);
  // Later as much as at the beginning, but no more.
  now += 1000 * MOST;
  for (int n = 0; n <= AT_ONCE; n++) {
    assert_int_equal(pace_allows(&pace, now), n < AT_ONCE);
    now += MOST;
    pace_took(&pace, MOST);
    pace_in_vain(&pace, now);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parallel_marking),
      cmocka_unit_test(long_chains),
      cmocka_unit_test(large_objects_come_and_go),
      cmocka_unit_test(stacks_above_the_top),
      cmocka_unit_test(shaded_objects_survive),
      cmocka_unit_test(wide_shaded_objects_survive),
      cmocka_unit_test(finalizers_run_once),
      cmocka_unit_test(lost_goroutines),
      cmocka_unit_test(processors_go_away),
      cmocka_unit_test(walks_go_on_after_a_collection),
      cmocka_unit_test(walks_end_when_ps_go),
      cmocka_unit_test(timers_are_weak),
      cmocka_unit_test(mutators_run_on),
      cmocka_unit_test(collections_all_the_time),
      cmocka_unit_test(collections_in_vain_take_half_of_the_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
