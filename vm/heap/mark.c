// SPDX-License-Identifier: MIT
// Marking objects: mark stacks, sharing them, and what each type holds.
//
// An object on a stack is not marked yet. It is marked, and then scanned, when
// it has been fetched, as its memory and its mark bit are prefetched some steps
// ahead. Nothing recurses.
//
// There may be no memory for a stack. Items that `drain` pushes come from a
// marked object, so they may be dropped. Then `overflow` is set, and
// marking_rescan finds them again. Elsewhere an item may be a root, which no
// object leads to. Then what is on the stack is marked to the end, which makes
// room.
#include "vm/heap/mark.h"

#include "vm/heap/local.h"
#include "vm/heap/marker.h"
#include "vm/heap/sweep.h"
#include "vm/heap/unit.h"

enum {
  MARK_PIECE = 128,  // values of a block scanned at once
  SHARE_EVERY = 64,  // objects between two looks at idle workers
  SHARE_LEAST = 16,
  SPINS = 64,
};

// --- Segments ---------------------------------------------------------------
static bool is_builtin(const Marking *marking, const MarkSegment *segment) {
  const char *at = (const char *)segment;
  const char *first = (const char *)marking->markers;
  return at >= first &&
         at < (const char *)(marking->markers + marking->heap->gc_workers);
}

static void segment_free(const Marking *marking, MarkSegment *segment) {
  if (!is_builtin(marking, segment)) mem_free(segment);
}

static MarkSegment *segment_new(GcMarker *marker) {
  MarkSegment *segment = marker->spare;
  marker->spare = NULL;
  if (segment == NULL)
    segment = mem_alloc(marker->marking->heap->vm->memory, sizeof *segment);
  if (segment == NULL) return NULL;
  segment->next = NULL;
  segment->count = 0;
  return segment;
}

static void segment_drop(GcMarker *marker, MarkSegment *segment) {
  RT_ASSERT(segment->count == 0 && segment != marker->spare);
  if (marker->spare != NULL)
    segment_free(marker->marking, segment);
  else
    marker->spare = segment;
}

static void pool_put(Marking *marking, MarkSegment *segment) {
  RT_ASSERT(segment->count > 0 && segment->count <= SEGMENT_ITEMS);
  rt_spin_lock(&marking->pool_lock);
  segment->next = marking->pool;
  marking->pool = segment;
  // relaxed: pool_lock is held. pool_get and share read it as a hint
  rt_store_relaxed(&marking->pooled, marking->pooled + 1);
  rt_spin_unlock(&marking->pool_lock);
}

static MarkSegment *pool_get(Marking *marking) {
  // relaxed: a hint. The lock decides
  if (rt_load_relaxed(&marking->pooled) == 0) return NULL;
  rt_spin_lock(&marking->pool_lock);
  MarkSegment *segment = marking->pool;
  if (segment != NULL) {
    RT_ASSERT(marking->pooled > 0);
    marking->pool = segment->next;
    // relaxed: as in pool_put
    rt_store_relaxed(&marking->pooled, marking->pooled - 1);
    segment->next = NULL;
  }
  rt_spin_unlock(&marking->pool_lock);
  return segment;
}

static void drain(GcMarker *marker);

// Makes room where there is no memory for a segment. false: there is none.
static bool make_room_without(GcMarker *marker) {
  if (marker->draining) {
    // relaxed: read when all markers are done, in run_workers
    rt_store_relaxed(&marker->marking->overflow, 1);
    return false;
  }
  bool alone = marker->alone;
  marker->alone = true;  // the others mark only in marking_run
  drain(marker);
  marker->alone = alone;
  RT_ASSERT(marker->top->count == 0 && marker->top->next == NULL);
  return true;
}

// Room for `items` more on top of the stack. false: no memory.
static bool make_room(GcMarker *marker, uint64_t items) {
  if (marker->top->count + items <= SEGMENT_ITEMS) return true;
  MarkSegment *fresh = segment_new(marker);
  if (fresh == NULL) return make_room_without(marker);
  Marking *marking = marker->marking;
  // relaxed: a hint. pool_put and pool_get store it
  if (marking->workers > 1 && !marker->alone &&
      rt_load_relaxed(&marking->pooled) < (uint32_t)marking->workers) {
    fresh->next = marker->top->next;
    pool_put(marking, marker->top);
  } else {
    fresh->next = marker->top;
  }
  marker->top = fresh;
  return true;
}

static inline void push(GcMarker *marker, const Obj *obj) {
  RT_ASSERT((uintptr_t)obj % 16 == 0);
  if (__builtin_expect(marker->top->count == SEGMENT_ITEMS, 0) &&
      !make_room(marker, 1))
    return;
  marker->top->items[marker->top->count++] = (uintptr_t)obj;
}

// The rest of obj, from element `from` on, is to be scanned later.
static void push_rest(GcMarker *marker, const Obj *obj, uint64_t from) {
  RT_ASSERT(from > 0 && (from & 1) == 0);  // share() tells them apart so
  if (!make_room(marker, 2)) return;
  marker->top->items[marker->top->count++] = from;
  marker->top->items[marker->top->count++] = (uintptr_t)obj | 1;
}

void gc_mark_obj(GcMarker *marker, const void *obj) {
  if (obj != NULL) push(marker, obj);
}

void gc_mark(GcMarker *marker, Value v) {
  if (value_is_obj(v)) push(marker, value_obj(v));
}

// --- Mark bits --------------------------------------------------------------
bool gc_is_marked(const void *obj) {
  const Span *span = span_of(obj);
  return mark_test(span, object_index(obj, span->klass));
}

// The object around an address inside of it.
static Obj *gc_object_around(const void *address) {
  const Span *span = span_of(address);
  uint32_t index = object_index(address, span->klass);
  return (Obj *)(span->base + index * span->size);
}

// The word and bit of an object.
static inline uint64_t *mark_word(const Obj *obj, uint64_t *bit,
                                  uint8_t *klass) {
  Chunk *chunk = chunk_of(obj);
  unsigned unit = unit_of(obj);
  *klass = chunk_klass(chunk)[unit];
  uint32_t index = object_index(obj, *klass);
  *bit = (uint64_t)1 << index % 64;
  return &chunk->spans[unit].mark[index / 64];
}

// true: it was not marked, and now is.
static inline bool mark(GcMarker *marker, const Obj *obj) {
  uint64_t bit;
  uint8_t klass;
  uint64_t *word = mark_word(obj, &bit, &klass);
  // relaxed: a bit that is set stays. What it stands for was written before
  // the world stopped. The RMW below decides between two markers
  uint64_t old = rt_load_relaxed(word);
  if (old & bit) return false;
  RT_ASSERT(heap_object_at(marker->marking->heap, obj) == obj);
  if (marker->alone)
    rt_store_relaxed(word, old | bit);  // relaxed: nobody else marks
  else if (rt_or(word, bit) & bit)      // RMW: one of two in mark wins
    return false;
  marker->bytes +=
      klass == CLASS_LARGE ? span_of(obj)->size : heap_sizes[klass];
  return true;
}

// --- What objects hold ------------------------------------------------------
// The end of the piece of [from, end) of obj that is scanned now.
static uint64_t piece_of(GcMarker *marker, const Obj *obj, uint64_t from,
                         uint64_t end) {
  RT_ASSERT(from <= end);
  if (end - from <= MARK_PIECE) return end;
  push_rest(marker, obj, from + MARK_PIECE);
  return from + MARK_PIECE;
}

static void scan_values(GcMarker *marker, const ObjValues *block,
                        uint64_t from) {
  uint64_t to = piece_of(marker, &block->obj, from, block->cap);
  for (uint64_t i = from; i < to; i++) gc_mark(marker, block->slots[i]);
}

// All slots: those that hold no element may get one back from a writer that
// has raced with another.
static void scan_value_ring(GcMarker *marker, const ObjRing *ring,
                            uint64_t from) {
  uint64_t to = piece_of(marker, &ring->obj, from, ring->mask + 1);
  for (uint64_t i = from; i < to; i++) gc_mark(marker, ring->slots[i]);
}

static void scan_table(GcMarker *marker, const ObjTable *table, uint64_t from) {
  uint64_t used = table->used < table->cap ? table->used : table->cap;
  uint64_t to = piece_of(marker, &table->obj, from, used);
  for (uint64_t i = from; i < to; i++) {
    gc_mark(marker, table->entries[i].key);
    gc_mark(marker, table->entries[i].value);
  }
}

static void mark_word_at(void *arg, uint64_t *slot) { gc_mark(arg, *slot); }

static void mark_block(void *arg, ChanBlock *block) {
  gc_mark_obj(arg, obj_chan_block(block));
}

static void mark_waiter(void *arg, Waiter *waiter) {
  gc_mark_obj(arg, goroutine_of(waiter->g));
}

static const ChanScan chan_marks = {mark_word_at, mark_block, mark_waiter};

static void scan_chan_block(GcMarker *marker, const ObjChanBlock *holder,
                            uint64_t from) {
  const ChanBlock *block = &holder->block;
  RT_ASSERT(block->end <= block->room);
  if (from == 0 && block->next != NULL) mark_block(marker, block->next);
  uint64_t to = piece_of(marker, &holder->obj, from, block->end);
  for (uint64_t i = from; i < to; i++) gc_mark(marker, block->words[i]);
}

// What is scanned in pieces, from element `from` on.
static void scan_large(GcMarker *marker, Obj *obj, uint64_t from) {
  if (obj->type == OBJ_VALUES || obj->type == OBJ_TUPLE)
    scan_values(marker, (ObjValues *)obj, from);
  else if (obj->type == OBJ_TABLE)
    scan_table(marker, (ObjTable *)obj, from);
  else if (obj->type == OBJ_RING)
    scan_value_ring(marker, (ObjRing *)obj, from);
  else
    scan_chan_block(marker, (ObjChanBlock *)obj, from);
}

static void scan_struct(GcMarker *marker, const ObjStruct *type) {
  gc_mark_obj(marker, type->name);
  gc_mark_obj(marker, type->make);
  unit_touch(marker, type->constructor);
  gc_mark(marker, type->string_method);
  gc_mark(marker, type->error_method);
  for (uint32_t i = 0; i < type->method_count; i++) {
    gc_mark_obj(marker, type->room->methods[i].name);
    gc_mark(marker, type->room->methods[i].function);
  }
  for (uint32_t i = 0; i < type->obj.aux; i++)
    gc_mark_obj(marker, type->fields[i]);
}

// The words in use; those above the top frame become nil.
static void scan_stack(GcMarker *marker, const Goroutine *g) {
  ObjValues *block = g->block;
  if (block == NULL) return;
  Value *end = block->slots + block->cap, *top = end;
  RT_ASSERT(g->stack == block->slots && g->limit <= end - STACK_MARGIN);
  // relaxed: the world is stopped
  if (rt_load_relaxed(&g->g.status) == G_DEAD)
    top = block->slots;
  else if (g->base != NULL)
    top = g->base + frame_closure(g->base)->proto->nregs + g->multi;
  RT_ASSERT(top >= block->slots && top <= end);
  for (; top < end; top++) *top = VALUE_NIL;
  gc_mark_obj(marker, block);
}

static void scan_select(GcMarker *marker, const SelectBlock *block) {
  RT_ASSERT(block->obj.type == OBJ_RAW && block->count <= block->obj.aux);
  gc_mark_obj(marker, block);
  for (uint32_t i = 0; i < block->count; i++) {
    gc_mark(marker, block->cases[i].waiter.elem);
    if (block->cases[i].chan != NULL)
      gc_mark_obj(marker, gc_object_around(block->cases[i].chan));
  }
}

static void scan_panics(GcMarker *marker, const Panic *panic) {
  for (; panic != NULL; panic = panic->link) {
    gc_mark(marker, panic->value);
    gc_mark(marker, panic->also);
    unit_touch_trace(marker, panic->trace);
  }
}

static void scan_goroutine(GcMarker *marker, Goroutine *g) {
  scan_stack(marker, g);
  // relaxed: the world is stopped
  if (rt_load_relaxed(&g->g.status) == G_DEAD) return;
  gc_mark_obj(marker, g->task);
  gc_mark(marker, g->defers);
  gc_mark(marker, g->g.wait.elem);
  if (g->g.wait.chan != NULL)
    gc_mark_obj(marker, gc_object_around(g->g.wait.chan));
  if (g->select != NULL) scan_select(marker, g->select);
  gc_mark_obj(marker, g->sleep_block);
  const HeapHooks *hooks = &marker->marking->heap->hooks;
  if (g->pending != NULL && hooks->mark_pending != NULL)
    hooks->mark_pending(hooks->arg, g, marker);
  if (g->g.group != NULL) gc_mark_obj(marker, obj_group(g->g.group));
  group_forget_chan(&g->g);
  scan_panics(marker, g->panic);
  unit_touch(marker, g->created_in);
}

static void scan_iter(GcMarker *marker, const ObjIter *iter) {
  gc_mark(marker, iter->source);
  gc_mark_obj(marker, iter->table);
}

static void scan_task(GcMarker *marker, ObjTask *task) {
  RT_ASSERT(task->state <= TASK_PANICKED);
  RT_ASSERT(task->state != TASK_RUNNING || task->trace == NULL);
  gc_mark(marker, task->results);
  gc_mark(marker, task->also);
  unit_touch_trace(marker, task->trace);
  chan_scan(&task->done, &chan_marks, marker);
}

// What can end: they are woken when it is cancelled, or its owner when they
// end. It ends whether its aides do or not, so they have to be found elsewhere.
// But an aide inside a group of its own stays, because that group hangs on this
// one.
static void scan_group(GcMarker *marker, const ObjGroup *obj) {
  const Group *group = &obj->group;
  gc_mark(marker, obj->failure);
  gc_mark(marker, obj->also);
  unit_touch_trace(marker, obj->trace);
  unit_touch(marker, obj->begun_in);
  if (group->ended) return;
  RT_ASSERT(group->owner != NULL);
  gc_mark_obj(marker, goroutine_of(group->owner));
  if (group->parent != NULL) gc_mark_obj(marker, obj_group(group->parent));
  for (const G *g = group->members; g != NULL; g = g->member_next)
    // relaxed: the world is stopped
    if (!g->is_aide || rt_load_relaxed(&g->group) != group)
      gc_mark_obj(marker, goroutine_of((G *)(uintptr_t)g));
}

static void scan_module(GcMarker *marker, const ObjModule *module) {
  gc_mark_obj(marker, module->name);
  gc_mark_obj(marker, module->members);
  gc_mark_obj(marker, module->main);
}

static void scan_closure(GcMarker *marker, const ObjClosure *closure) {
  unit_touch(marker, closure->proto);
  for (uint32_t i = 0; i < closure->obj.aux; i++)
    gc_mark(marker, closure->upvalues[i]);
}

static void scan_instance(GcMarker *marker, const ObjInstance *instance) {
  if (!gc_is_marked(instance->type)) gc_mark_obj(marker, instance->type);
  for (uint32_t i = 0; i < instance->obj.aux; i++)
    gc_mark(marker, instance->fields[i]);
}

static void scan_error(GcMarker *marker, const ObjError *error) {
  gc_mark(marker, error->message);
  gc_mark(marker, error->cause);
  gc_mark(marker, error->code);
  gc_mark(marker, error->also);
  if (error->obj.flags & ERROR_COPY) {
    gc_mark_obj(marker, error->origin);
    return;
  }
  gc_mark_obj(marker, error->places);
  unit_touch_places(marker, error->places);
}

void gc_scan(GcMarker *marker, Obj *obj) {
  switch ((ObjType)obj->type) {
    case OBJ_INT:
    case OBJ_FLOAT:
    case OBJ_RANGE:
    case OBJ_NATIVE:
    case OBJ_RAW:
      return;
    case OBJ_HOST:
      marker->bytes += heap_weight((ObjHost *)obj);
      return;
    case OBJ_TYPE_COUNT:
      break;
    case OBJ_STRING:
      if (obj->flags & STRING_TAIL)
        gc_mark_obj(marker, string_block((ObjString *)obj));
      return;
    case OBJ_BYTES:
      gc_mark_obj(marker, ((ObjBytes *)obj)->block);
      return;
    case OBJ_LIST:
      gc_mark_obj(marker, ((ObjList *)obj)->block);
      return;
    case OBJ_MAP:
      gc_mark_obj(marker, ((ObjMap *)obj)->table);
      gc_mark_obj(marker, ((ObjMap *)obj)->growing);
      if (obj->flags & MAP_DEFAULT)
        gc_mark(marker, ((ObjDefaultMap *)obj)->missing);
      return;
    case OBJ_CLOSURE:
      scan_closure(marker, (ObjClosure *)obj);
      return;
    case OBJ_BOUND:
      gc_mark(marker, ((ObjBound *)obj)->receiver);
      gc_mark(marker, ((ObjBound *)obj)->function);
      return;
    case OBJ_CHAN:
    case OBJ_MUTEX:
    case OBJ_SEMAPHORE:
      gc_mark_obj(marker, ((ObjChan *)obj)->timer);
      chan_scan(&((ObjChan *)obj)->chan, &chan_marks, marker);
      return;
    case OBJ_TASK:
      scan_task(marker, (ObjTask *)obj);
      return;
    case OBJ_STRUCT:
      scan_struct(marker, (ObjStruct *)obj);
      return;
    case OBJ_INSTANCE:
      scan_instance(marker, (ObjInstance *)obj);
      return;
    case OBJ_ERROR:
      scan_error(marker, (ObjError *)obj);
      return;
    case OBJ_MODULE:
      scan_module(marker, (ObjModule *)obj);
      return;
    case OBJ_CELL:
      gc_mark(marker, ((ObjCell *)obj)->value);
      return;
    case OBJ_VALUES:
    case OBJ_TUPLE:
    case OBJ_TABLE:
    case OBJ_RING:
    case OBJ_CHAN_BLOCK:
      scan_large(marker, obj, 0);
      return;
    case OBJ_GOROUTINE:
      scan_goroutine(marker, (Goroutine *)obj);
      return;
    case OBJ_TIMER:
      gc_mark_obj(marker, ((ObjTimer *)obj)->chan);
      return;
    case OBJ_ITER:
      scan_iter(marker, (ObjIter *)obj);
      return;
    case OBJ_EACH:
      gc_mark(marker, ((ObjEach *)obj)->of);
      gc_mark(marker, ((ObjEach *)obj)->with);
      return;
    case OBJ_GROUP:
      scan_group(marker, (ObjGroup *)obj);
      return;
  }
  rt_throw("collector: object %p has the unknown type %d", (void *)obj,
           obj->type);
}

// --- Draining ---------------------------------------------------------------
// Takes the top item off. 0: the stack is empty.
static inline uint64_t pop(GcMarker *marker) {
  while (marker->top->count == 0) {
    MarkSegment *below = marker->top->next;
    if (below == NULL) return 0;
    segment_drop(marker, marker->top);
    marker->top = below;
  }
  return marker->top->items[--marker->top->count];
}

// The next object to mark. NULL: this worker has none left.
static Obj *next_object(GcMarker *marker) {
  for (;;) {
    uint64_t item = pop(marker);
    if (item & 1) {
      RT_ASSERT(marker->top->count > 0);
      uint64_t from = marker->top->items[--marker->top->count];
      scan_large(marker, (Obj *)(item & ~(uint64_t)1), from);
      continue;
    }
    if (item == 0 && marker->ahead_count == 0) return NULL;
    Obj **oldest = &marker->ahead[marker->ahead_first];
    Obj *obj = *oldest;
    if (item) {  // (as a function of its own gcc 12 would drop this)
      uint64_t bit;
      uint8_t klass;
      __builtin_prefetch(mark_word((Obj *)item, &bit, &klass), 1);
      __builtin_prefetch((Obj *)item);
    }
    if (item && marker->ahead_count < AHEAD) {
      marker->ahead[(marker->ahead_first + marker->ahead_count++) % AHEAD] =
          (Obj *)item;
      continue;
    }
    if (item)
      *oldest = (Obj *)item;
    else
      marker->ahead_count--;
    marker->ahead_first = (marker->ahead_first + 1) % AHEAD;
    return obj;
  }
}

// Gives the half of a stack to the pool while others have nothing to do.
static void share(GcMarker *marker) {
  Marking *marking = marker->marking;
  uint64_t count = marker->top->count;
  // relaxed, both: hints. Workers change idle in find_work, pooled with
  // pool_lock held
  if (count < SHARE_LEAST || rt_load_relaxed(&marking->idle) == 0 ||
      rt_load_relaxed(&marking->pooled) != 0)
    return;
  RT_ASSERT(count <= SEGMENT_ITEMS);
  uint64_t half = count / 2;
  // An item in two words stays in one piece (`from` is always even).
  if (marker->top->items[half] & 1) half++;
  MarkSegment *segment = segment_new(marker);
  if (segment == NULL) return;
  memcpy(segment->items, marker->top->items, half * sizeof(uint64_t));
  segment->count = half;
  marker->top->count = count - half;
  memmove(marker->top->items, marker->top->items + half,
          marker->top->count * sizeof(uint64_t));
  pool_put(marking, segment);
}

static void drain(GcMarker *marker) {
  Obj *obj;
  marker->draining = true;
  while ((obj = next_object(marker)) != NULL) {
    if (mark(marker, obj)) gc_scan(marker, obj);
    if (!marker->alone && ++marker->work % SHARE_EVERY == 0) share(marker);
  }
  marker->draining = false;
}

// Waits for work of others. false: all are idle, marking is over.
static bool find_work(GcMarker *marker, int workers) {
  Marking *marking = marker->marking;
  // RMW, all: the last that adds to it sees all others idle, and with that all
  // they have done. Pairs with the acquire below
  rt_add(&marking->idle, 1u);
  for (uint32_t spins = 1;; spins++) {
    // relaxed: a hint. pool_get takes the lock
    if (rt_load_relaxed(&marking->pooled)) {
      rt_sub(&marking->idle, 1u);
      MarkSegment *segment = pool_get(marking);
      if (segment != NULL) {
        segment_drop(marker, marker->top);
        marker->top = segment;
        return true;
      }
      rt_add(&marking->idle, 1u);
    }
    // acquire: pairs with the RMWs above, of the others.
    // All idle: what is pooled now belongs to one that is about to take it.
    if (rt_load_acquire(&marking->idle) >= (uint32_t)workers) return false;
    if (spins % SPINS)
      rt_pause();
    else
      rt_yield_cpu();
  }
}

void marking_run(void *arg, int worker, int workers) {
  Marking *marking = arg;
  RT_ASSERT(worker >= 0 && worker < workers &&
            workers <= marking->heap->gc_workers);
  GcMarker *marker = &marking->markers[worker];
  marker->alone = workers == 1;
  do drain(marker);
  while (find_work(marker, workers));
}

// --- Life -------------------------------------------------------------------
bool marking_init(Marking *marking, Heap *heap, int workers) {
  RT_ASSERT(workers > 0);
  *marking = (Marking){.heap = heap, .workers = workers};
  if (heap->gc_workers < workers) {
    GcMarker *markers = mem_resize(heap->vm->memory, heap->gc_markers,
                                   (size_t)workers * sizeof *markers);
    if (markers == NULL) return false;
    heap->gc_markers = markers;
    heap->gc_workers = workers;
  }
  marking->markers = heap->gc_markers;
  for (int i = 0; i < heap->gc_workers; i++) {
    GcMarker *marker = &marking->markers[i];
    memset(marker, 0, offsetof(GcMarker, first));
    marker->marking = marking;
    marker->top = &marker->first;
    marker->first.next = NULL;
    marker->first.count = 0;
  }
  return true;
}

void marking_free(Marking *marking) {
  for (int i = 0; i < marking->heap->gc_workers; i++) {
    GcMarker *marker = &marking->markers[i];
    if (marker->spare != NULL) segment_free(marking, marker->spare);
    while (marker->top != NULL) {
      MarkSegment *below = marker->top->next;
      segment_free(marking, marker->top);
      marker->top = below;
    }
  }
}

// --- Out of memory ----------------------------------------------------------
static void rescan_span(GcMarker *marker, Span *span) {
  for (uint32_t w = 0; w < span->words; w++) {
    // relaxed: this marker is alone
    uint64_t bits = rt_load_relaxed(&span->mark[w]);
    for (; bits; bits &= bits - 1) {
      uint64_t index = w * 64 + (uint64_t)__builtin_ctzll(bits);
      Obj *obj = (Obj *)(span->base + index * span->size);
      if (obj->type != OBJ_HOST)
        gc_scan(marker, obj);  // its weight was counted
      drain(marker);
    }
  }
}

void marking_rescan(GcMarker *marker) {
  Heap *heap = marker->marking->heap;
  RT_ASSERT(marker->alone);
  for (int klass = 0; klass <= CLASSES; klass++) {
    for (Span *span = heap->partial[klass].first; span != NULL;
         span = span->next)
      rescan_span(marker, span);
    for (Span *span = heap->full[klass].first; span != NULL; span = span->next)
      rescan_span(marker, span);
  }
}
