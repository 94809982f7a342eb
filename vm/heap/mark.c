// SPDX-License-Identifier: MIT
// Marking objects: mark stacks, sharing them, and what each type holds.
//
// An object on a stack is not marked yet. It is marked, and then scanned, when
// it has been fetched, as its memory and its mark bit are prefetched some steps
// ahead. Nothing recurses.
//
// If there is no memory for a stack, it depends on what leads to the item. In
// `drain` a marked object does: the item is dropped and `overflow` set, and
// marking_rescan finds it again. Elsewhere the item may be a root, which
// nothing leads to: what is on the stack is marked to the end, which makes
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
static bool is_builtin(const Marking *k, const MarkSegment *segment) {
  const char *at = (const char *)segment;
  const char *first = (const char *)k->markers;
  return at >= first && at < (const char *)(k->markers + k->heap->gc_workers);
}

static void segment_free(const Marking *k, MarkSegment *segment) {
  if (!is_builtin(k, segment)) mem_free(segment);
}

static MarkSegment *segment_new(GcMarker *m) {
  MarkSegment *segment = m->spare;
  m->spare = NULL;
  if (!segment)
    segment = mem_alloc(m->marking->heap->vm->memory, sizeof *segment);
  if (!segment) return NULL;
  segment->next = NULL;
  segment->count = 0;
  return segment;
}

static void segment_drop(GcMarker *m, MarkSegment *segment) {
  RT_ASSERT(segment->count == 0 && segment != m->spare);
  if (m->spare)
    segment_free(m->marking, segment);
  else
    m->spare = segment;
}

static void pool_put(Marking *k, MarkSegment *segment) {
  RT_ASSERT(segment->count > 0 && segment->count <= SEGMENT_ITEMS);
  rt_spin_lock(&k->pool_lock);
  segment->next = k->pool;
  k->pool = segment;
  // relaxed: pool_lock is held; others read it as a hint
  rt_store_relaxed(&k->pooled, k->pooled + 1);
  rt_spin_unlock(&k->pool_lock);
}

static MarkSegment *pool_get(Marking *k) {
  // relaxed: a hint; the lock decides
  if (rt_load_relaxed(&k->pooled) == 0) return NULL;
  rt_spin_lock(&k->pool_lock);
  MarkSegment *segment = k->pool;
  if (segment) {
    RT_ASSERT(k->pooled > 0);
    k->pool = segment->next;
    // relaxed: as in pool_put
    rt_store_relaxed(&k->pooled, k->pooled - 1);
    segment->next = NULL;
  }
  rt_spin_unlock(&k->pool_lock);
  return segment;
}

static void drain(GcMarker *m);

// Makes room where there is no memory for a segment. false: there is none.
static bool make_room_without(GcMarker *m) {
  if (m->draining) {
    // relaxed: read when all markers are done
    rt_store_relaxed(&m->marking->overflow, 1);
    return false;
  }
  bool alone = m->alone;
  m->alone = true;  // the others mark only in marking_run
  drain(m);
  m->alone = alone;
  RT_ASSERT(m->top->count == 0 && m->top->next == NULL);
  return true;
}

// Room for `items` more on top of the stack. false: no memory.
static bool make_room(GcMarker *m, uint64_t items) {
  if (m->top->count + items <= SEGMENT_ITEMS) return true;
  MarkSegment *fresh = segment_new(m);
  if (!fresh) return make_room_without(m);
  Marking *k = m->marking;
  // relaxed: a hint
  if (k->workers > 1 && !m->alone &&
      rt_load_relaxed(&k->pooled) < (uint32_t)k->workers) {
    fresh->next = m->top->next;
    pool_put(k, m->top);
  } else {
    fresh->next = m->top;
  }
  m->top = fresh;
  return true;
}

static inline void push(GcMarker *m, const Obj *obj) {
  RT_ASSERT((uintptr_t)obj % 16 == 0);
  if (__builtin_expect(m->top->count == SEGMENT_ITEMS, 0) && !make_room(m, 1))
    return;
  m->top->items[m->top->count++] = (uintptr_t)obj;
}

// The rest of obj, from element `from` on, is to be scanned later.
static void push_rest(GcMarker *m, const Obj *obj, uint64_t from) {
  RT_ASSERT(from > 0 && (from & 1) == 0);  // share() tells them apart so
  if (!make_room(m, 2)) return;
  m->top->items[m->top->count++] = from;
  m->top->items[m->top->count++] = (uintptr_t)obj | 1;
}

void gc_mark_obj(GcMarker *m, const void *obj) {
  if (obj) push(m, obj);
}

void gc_mark(GcMarker *m, Value v) {
  if (value_is_obj(v)) push(m, value_obj(v));
}

// --- Mark bits --------------------------------------------------------------
bool gc_is_marked(const void *obj) {
  const Span *span = span_of(obj);
  return mark_test(span, object_index(obj, span->klass));
}

Obj *gc_object_around(const void *address) {
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
static inline bool mark(GcMarker *m, const Obj *obj) {
  uint64_t bit;
  uint8_t klass;
  uint64_t *word = mark_word(obj, &bit, &klass);
  // relaxed: a bit that is set stays; what it stands for was written before
  // the world stopped. The RMW below decides between two markers
  uint64_t old = rt_load_relaxed(word);
  if (old & bit) return false;
  RT_ASSERT(heap_object_at(m->marking->heap, obj) == obj);
  if (m->alone)
    rt_store_relaxed(word, old | bit);  // relaxed: nobody else marks
  else if (rt_or(word, bit) & bit)      // RMW: one of two markers wins
    return false;
  m->bytes += klass == CLASS_LARGE ? span_of(obj)->size : heap_sizes[klass];
  return true;
}

// --- What objects hold ------------------------------------------------------
static void scan_values(GcMarker *m, const ObjValues *block, uint64_t from) {
  uint64_t to = block->cap;
  RT_ASSERT(from <= to);
  if (to - from > MARK_PIECE) {
    to = from + MARK_PIECE;
    push_rest(m, &block->obj, to);
  }
  for (uint64_t i = from; i < to; i++) gc_mark(m, block->slots[i]);
}

static void scan_table(GcMarker *m, const ObjTable *t, uint64_t from) {
  uint64_t to = t->used < t->cap ? t->used : t->cap;
  RT_ASSERT(from <= to && to <= t->cap);
  if (to - from > MARK_PIECE) {
    to = from + MARK_PIECE;
    push_rest(m, &t->obj, to);
  }
  for (uint64_t i = from; i < to; i++) {
    gc_mark(m, t->entries[i].key);
    gc_mark(m, t->entries[i].value);
  }
}

static void mark_word_at(void *arg, uint64_t *slot) { gc_mark(arg, *slot); }

static void mark_waiter(void *arg, Waiter *waiter) {
  gc_mark_obj(arg, goroutine_of(waiter->g));
}

static void scan_chan(GcMarker *m, Chan *chan) {
  if (chan_grows(chan) && chan_growth(chan)->ring)
    gc_mark_obj(m, gc_object_around(chan_growth(chan)->ring));
  if (chan_count(chan) || chan->recv_first || chan->send_first)
    chan_scan(chan, mark_word_at, mark_waiter, m);
}

static void scan_struct(GcMarker *m, const ObjStruct *type) {
  gc_mark_obj(m, type->name);
  gc_mark_obj(m, type->make);
  unit_touch(m, type->constructor);
  gc_mark(m, type->string_method);
  for (uint32_t i = 0; i < type->method_count; i++) {
    gc_mark_obj(m, type->room->methods[i].name);
    gc_mark(m, type->room->methods[i].function);
  }
  for (uint32_t i = 0; i < type->obj.aux; i++) gc_mark_obj(m, type->fields[i]);
}

// The words in use; those above the top frame become nil.
static void scan_stack(GcMarker *m, const Goroutine *g) {
  ObjValues *block = g->block;
  if (!block) return;
  Value *end = block->slots + block->cap, *top = end;
  RT_ASSERT(g->stack == block->slots && g->limit <= end - STACK_MARGIN);
  // relaxed: the world is stopped
  if (rt_load_relaxed(&g->g.status) == G_DEAD)
    top = block->slots;
  else if (g->base)
    top = g->base + frame_closure(g->base)->proto->nregs + g->multi;
  RT_ASSERT(top >= block->slots && top <= end);
  for (; top < end; top++) *top = VALUE_NIL;
  gc_mark_obj(m, block);
}

static void scan_select(GcMarker *m, const SelectBlock *block) {
  RT_ASSERT(block->obj.type == OBJ_RAW && block->count <= block->obj.aux);
  gc_mark_obj(m, block);
  for (uint32_t i = 0; i < block->count; i++) {
    gc_mark(m, block->cases[i].waiter.elem);
    if (block->cases[i].chan)
      gc_mark_obj(m, gc_object_around(block->cases[i].chan));
  }
}

static void scan_panics(GcMarker *m, const Panic *panic) {
  for (; panic != NULL; panic = panic->link) {
    gc_mark(m, panic->value);
    unit_touch_trace(m, panic->trace);
  }
}

static void scan_goroutine(GcMarker *m, Goroutine *g) {
  scan_stack(m, g);
  // relaxed: the world is stopped
  if (rt_load_relaxed(&g->g.status) == G_DEAD) return;
  gc_mark_obj(m, g->task);
  gc_mark(m, g->defers);
  gc_mark(m, g->g.wait.elem);
  if (g->g.wait.chan) gc_mark_obj(m, gc_object_around(g->g.wait.chan));
  if (g->select) scan_select(m, g->select);
  gc_mark_obj(m, g->sleep_block);
  const HeapHooks *hooks = &m->marking->heap->hooks;
  if (g->pending && hooks->mark_pending) hooks->mark_pending(hooks->arg, g, m);
  if (g->g.group) gc_mark_obj(m, obj_group(g->g.group));
  group_forget_chan(&g->g);
  scan_panics(m, g->panic);
  unit_touch(m, g->created_in);
}

static void scan_iter(GcMarker *m, const ObjIter *iter) {
  gc_mark(m, iter->source);
  gc_mark_obj(m, iter->table);
}

static void scan_task(GcMarker *m, ObjTask *task) {
  RT_ASSERT(task->state <= TASK_PANICKED);
  RT_ASSERT(task->state != TASK_RUNNING || task->trace == NULL);
  gc_mark(m, task->results);
  unit_touch_trace(m, task->trace);
  scan_chan(m, &task->done);
}

// What can end: they are woken when it is cancelled, or its owner when they
// end.
static void scan_group(GcMarker *m, const ObjGroup *o) {
  const Group *group = &o->group;
  gc_mark(m, o->failure);
  unit_touch_trace(m, o->trace);
  unit_touch(m, o->begun_in);
  if (group->ended) return;
  RT_ASSERT(group->owner != NULL);
  gc_mark_obj(m, goroutine_of(group->owner));
  if (group->parent) gc_mark_obj(m, obj_group(group->parent));
  for (const G *g = group->members; g; g = g->member_next)
    gc_mark_obj(m, goroutine_of((G *)(uintptr_t)g));
}

static void scan_module(GcMarker *m, const ObjModule *module) {
  gc_mark_obj(m, module->name);
  gc_mark_obj(m, module->members);
  gc_mark_obj(m, module->main);
}

static void scan_closure(GcMarker *m, const ObjClosure *closure) {
  unit_touch(m, closure->proto);
  for (uint32_t i = 0; i < closure->obj.aux; i++)
    gc_mark(m, closure->upvalues[i]);
}

static void scan_instance(GcMarker *m, const ObjInstance *instance) {
  if (!gc_is_marked(instance->type)) gc_mark_obj(m, instance->type);
  for (uint32_t i = 0; i < instance->obj.aux; i++)
    gc_mark(m, instance->fields[i]);
}

void gc_scan(GcMarker *m, Obj *obj) {
  switch ((ObjType)obj->type) {
    case OBJ_INT:
    case OBJ_FLOAT:
    case OBJ_STRING:
    case OBJ_RANGE:
    case OBJ_NATIVE:
    case OBJ_HOST:
    case OBJ_RAW:
      return;
    case OBJ_TYPE_COUNT:
      break;
    case OBJ_BYTES:
      gc_mark_obj(m, ((ObjBytes *)obj)->block);
      return;
    case OBJ_LIST:
      gc_mark_obj(m, ((ObjList *)obj)->block);
      return;
    case OBJ_MAP:
      gc_mark_obj(m, ((ObjMap *)obj)->table);
      return;
    case OBJ_CLOSURE:
      scan_closure(m, (ObjClosure *)obj);
      return;
    case OBJ_BOUND:
      gc_mark(m, ((ObjBound *)obj)->receiver);
      gc_mark(m, ((ObjBound *)obj)->function);
      return;
    case OBJ_CHAN:
      gc_mark_obj(m, ((ObjChan *)obj)->timer);
      scan_chan(m, &((ObjChan *)obj)->chan);
      return;
    case OBJ_TASK:
      scan_task(m, (ObjTask *)obj);
      return;
    case OBJ_STRUCT:
      scan_struct(m, (ObjStruct *)obj);
      return;
    case OBJ_INSTANCE:
      scan_instance(m, (ObjInstance *)obj);
      return;
    case OBJ_ERROR:
      gc_mark(m, ((ObjError *)obj)->message);
      gc_mark(m, ((ObjError *)obj)->cause);
      return;
    case OBJ_MODULE:
      scan_module(m, (ObjModule *)obj);
      return;
    case OBJ_CELL:
      gc_mark(m, ((ObjCell *)obj)->value);
      return;
    case OBJ_VALUES:
      scan_values(m, (ObjValues *)obj, 0);
      return;
    case OBJ_TABLE:
      scan_table(m, (ObjTable *)obj, 0);
      return;
    case OBJ_GOROUTINE:
      scan_goroutine(m, (Goroutine *)obj);
      return;
    case OBJ_TIMER:
      gc_mark_obj(m, ((ObjTimer *)obj)->chan);
      return;
    case OBJ_ITER:
      scan_iter(m, (ObjIter *)obj);
      return;
    case OBJ_EACH:
      gc_mark(m, ((ObjEach *)obj)->of);
      gc_mark(m, ((ObjEach *)obj)->with);
      return;
    case OBJ_GROUP:
      scan_group(m, (ObjGroup *)obj);
      return;
  }
  rt_throw("collector: object %p has the unknown type %d", (void *)obj,
           obj->type);
}

// --- Draining ---------------------------------------------------------------
static void scan_rest(GcMarker *m, Obj *obj, uint64_t from) {
  RT_ASSERT(obj->type == OBJ_VALUES || obj->type == OBJ_TABLE);
  if (obj->type == OBJ_VALUES)
    scan_values(m, (ObjValues *)obj, from);
  else
    scan_table(m, (ObjTable *)obj, from);
}

// Takes the top item off. 0: the stack is empty.
static inline uint64_t pop(GcMarker *m) {
  while (m->top->count == 0) {
    MarkSegment *below = m->top->next;
    if (!below) return 0;
    segment_drop(m, m->top);
    m->top = below;
  }
  return m->top->items[--m->top->count];
}

// The next object to mark; NULL: this worker has none left.
static Obj *next_object(GcMarker *m) {
  for (;;) {
    uint64_t item = pop(m);
    if (item & 1) {
      RT_ASSERT(m->top->count > 0);
      uint64_t from = m->top->items[--m->top->count];
      scan_rest(m, (Obj *)(item & ~(uint64_t)1), from);
      continue;
    }
    if (item == 0 && m->ahead_count == 0) return NULL;
    Obj **oldest = &m->ahead[m->ahead_first];
    Obj *obj = *oldest;
    if (item) {  // (as a function of its own gcc 12 would drop this)
      uint64_t bit;
      uint8_t klass;
      __builtin_prefetch(mark_word((Obj *)item, &bit, &klass), 1);
      __builtin_prefetch((Obj *)item);
    }
    if (item && m->ahead_count < AHEAD) {
      m->ahead[(m->ahead_first + m->ahead_count++) % AHEAD] = (Obj *)item;
      continue;
    }
    if (item)
      *oldest = (Obj *)item;
    else
      m->ahead_count--;
    m->ahead_first = (m->ahead_first + 1) % AHEAD;
    return obj;
  }
}

// Gives the half of a stack to the pool while others have nothing to do.
static void share(GcMarker *m) {
  Marking *k = m->marking;
  uint64_t count = m->top->count;
  // relaxed, both: hints
  if (count < SHARE_LEAST || rt_load_relaxed(&k->idle) == 0 ||
      rt_load_relaxed(&k->pooled) != 0)
    return;
  RT_ASSERT(count <= SEGMENT_ITEMS);
  uint64_t half = count / 2;
  // An item in two words stays in one piece (`from` is always even).
  if (m->top->items[half] & 1) half++;
  MarkSegment *segment = segment_new(m);
  if (!segment) return;
  memcpy(segment->items, m->top->items, half * sizeof(uint64_t));
  segment->count = half;
  m->top->count = count - half;
  memmove(m->top->items, m->top->items + half,
          m->top->count * sizeof(uint64_t));
  pool_put(k, segment);
}

static void drain(GcMarker *m) {
  Obj *obj;
  m->draining = true;
  while ((obj = next_object(m))) {
    if (mark(m, obj)) gc_scan(m, obj);
    if (!m->alone && ++m->work % SHARE_EVERY == 0) share(m);
  }
  m->draining = false;
}

// Waits for work of others. false: all are idle, marking is over.
static bool find_work(GcMarker *m, int workers) {
  Marking *k = m->marking;
  // RMW, all: the last that adds to it sees all others idle, and with that all
  // they have done; pairs with the acquire below
  rt_add(&k->idle, 1u);
  for (uint32_t spins = 1;; spins++) {
    // relaxed: a hint; pool_get takes the lock
    if (rt_load_relaxed(&k->pooled)) {
      rt_sub(&k->idle, 1u);
      MarkSegment *segment = pool_get(k);
      if (segment) {
        segment_drop(m, m->top);
        m->top = segment;
        return true;
      }
      rt_add(&k->idle, 1u);
    }
    // acquire: pairs with the RMWs on idle of the others.
    // All idle: what is pooled now belongs to one that is about to take it.
    if (rt_load_acquire(&k->idle) >= (uint32_t)workers) return false;
    if (spins % SPINS)
      rt_pause();
    else
      rt_yield_cpu();
  }
}

void marking_run(void *arg, int worker, int workers) {
  Marking *k = arg;
  RT_ASSERT(worker >= 0 && worker < workers && workers <= k->heap->gc_workers);
  GcMarker *m = &k->markers[worker];
  m->alone = workers == 1;
  do drain(m);
  while (find_work(m, workers));
}

// --- Life -------------------------------------------------------------------
bool marking_init(Marking *k, Heap *heap, int workers) {
  RT_ASSERT(workers > 0);
  *k = (Marking){.heap = heap, .workers = workers};
  if (heap->gc_workers < workers) {
    GcMarker *markers = mem_resize(heap->vm->memory, heap->gc_markers,
                                   (size_t)workers * sizeof *markers);
    if (!markers) return false;
    heap->gc_markers = markers;
    heap->gc_workers = workers;
  }
  k->markers = heap->gc_markers;
  for (int i = 0; i < heap->gc_workers; i++) {
    GcMarker *m = &k->markers[i];
    memset(m, 0, offsetof(GcMarker, first));
    m->marking = k;
    m->top = &m->first;
    m->first.next = NULL;
    m->first.count = 0;
  }
  return true;
}

void marking_free(Marking *k) {
  for (int i = 0; i < k->heap->gc_workers; i++) {
    GcMarker *m = &k->markers[i];
    if (m->spare) segment_free(k, m->spare);
    while (m->top) {
      MarkSegment *below = m->top->next;
      segment_free(k, m->top);
      m->top = below;
    }
  }
}

// --- Out of memory ----------------------------------------------------------
static void rescan_span(GcMarker *m, Span *span) {
  for (uint32_t w = 0; w < span->words; w++) {
    // relaxed: this marker is alone
    uint64_t bits = rt_load_relaxed(&span->mark[w]);
    for (; bits; bits &= bits - 1) {
      uint64_t index = w * 64 + (uint64_t)__builtin_ctzll(bits);
      gc_scan(m, (Obj *)(span->base + index * span->size));
      drain(m);
    }
  }
}

void marking_rescan(GcMarker *m) {
  Heap *heap = m->marking->heap;
  RT_ASSERT(m->alone);
  for (int klass = 0; klass <= CLASSES; klass++) {
    for (Span *s = heap->partial[klass].first; s; s = s->next)
      rescan_span(m, s);
    for (Span *s = heap->full[klass].first; s; s = s->next) rescan_span(m, s);
  }
}
