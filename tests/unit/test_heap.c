// SPDX-License-Identifier: MIT
// The allocator: sizes, alignment, large objects, limits, pins, the barrier.
#include "tests/unit/vm_fixture.h"
#include "vm/heap/heap_internal.h"
#include "vm/heap/sweep.h"
#include "vm/object/list.h"

static ObjRaw *raw(Fixture *fixture, size_t size) {
  ObjRaw *made = (ObjRaw *)heap_alloc(&fixture->locals[0].heap, size, OBJ_RAW);
  if (made != NULL)
    memset((char *)made + sizeof(Obj), 0x55, size - sizeof(Obj));
  return made;
}

static void objects_do_not_overlap(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  enum { COUNT = 20000 };
  static struct {
    uint8_t *at;
    size_t size;
  } all[COUNT];
  uint64_t seed = 7;
  for (int i = 0; i < COUNT; i++) {
    size_t most = i % 100 == 0 ? 40000 : i % 10 == 0 ? 3000 : 200;
    all[i].size = 16 + fixture_random(&seed) % most;
    all[i].at = (uint8_t *)raw(fixture, all[i].size);
    assert_non_null(all[i].at);
    assert_int_equal((uintptr_t)all[i].at % 16, 0);
    memset(all[i].at + 8, i & 0xff, all[i].size - 8);
  }
  for (int i = 0; i < COUNT; i++) {
    assert_int_equal(((Obj *)all[i].at)->type, OBJ_RAW);
    for (size_t b = 8; b < all[i].size; b++)
      if (all[i].at[b] != (i & 0xff)) fail_msg("object %d, byte %zu", i, b);
  }
  fixture_free(fixture);
}

static void every_class_finds_its_objects(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  for (size_t size = 16; size <= MEDIUM_MAX; size += 16) {
    Obj *obj = &raw(fixture, size)->obj;
    Span *span = span_of(obj);
    assert_true(span->size >= size);
    assert_true(span->size <= size + size / 3 + 16 || size > HEAP_SMALL_MAX);
    for (size_t at = 0; at < size; at += 7)
      assert_ptr_equal(heap_object_at(fixture->vm.heap, (char *)obj + at), obj);
  }
  fixture_free(fixture);
}

static void large_objects(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  static const size_t sizes[] = {40000,   65536,   65537,   1 << 20,
                                 4063232, 4063233, 5 << 20, 20 << 20};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    ObjRaw *large = raw(fixture, sizes[i]);
    assert_non_null(large);
    assert_true(span_of(large)->size >= sizes[i]);
    assert_ptr_equal(heap_object_at(fixture->vm.heap, large), large);
  }
  assert_true(heap_gc_wanted(fixture->vm.heap));
  assert_null(heap_alloc(&fixture->locals[0].heap, SIZE_MAX / 2, OBJ_RAW));
  fixture_free(fixture);
}

static void limit_gives_null(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  heap_set_limit(fixture->vm.heap, 8 << 20);
  assert_null(raw(fixture, 9 << 20));
  uint64_t bytes = 0;
  while (raw(fixture, 1000) != NULL) bytes += 1000;
  assert_in_range(bytes, 7 << 20, 8 << 20);
  assert_true(heap_gc_wanted(fixture->vm.heap));
  assert_null(raw(fixture, 40000));
  fixture_free(fixture);
}

// --- Objects that grow ------------------------------------------------------
static bool all_zeros(const ObjRaw *of, size_t from, size_t to) {
  const char *bytes = (const char *)of;
  while (from < to && bytes[from] == 0) from++;
  return from == to;
}

// It stays where it is, over the end of its chunk's 4 MB, and what it gains is
// zeros. It counts for what it is, not for what it may become.
static void an_object_grows_in_place(void **state) {
  (void)state;
  enum { FIRST = 100000, LAST = 11 << 20, STEP = 300000 };
  Fixture *fixture = fixture_new(1);
  Heap *heap = fixture->vm.heap;
  LocalHeap *local = &fixture->locals[0].heap;
  uint64_t used = heap_used(heap);
  ObjRaw *large = (ObjRaw *)heap_alloc_growing(local, FIRST, OBJ_RAW);
  assert_non_null(large);
  assert_true(all_zeros(large, sizeof(Obj), FIRST));
  for (size_t size = FIRST, had = FIRST; size < LAST; size += STEP) {
    assert_true(heap_grow(local, &large->obj, size));
    assert_true(all_zeros(large, had, size));
    memset((char *)large + had, 0x55, size - had);
    had = size;
    size_t kept = heap_size_of(large);
    assert_in_range(kept, size, size + UNIT_SIZE);
    assert_int_equal(kept, heap_zeroed_size(&large->obj));
    assert_int_equal(heap_used(heap) - used, kept);
    assert_true(span_is_valid(span_of(large)));
  }
  size_t size = heap_size_of(large);
  assert_true(heap_grow(local, &large->obj, FIRST));  // it never shrinks
  assert_int_equal(heap_size_of(large), size);
  HeapStats stats;
  heap_stats(heap, &stats);
  assert_int_equal(stats.total_allocated, size);
  assert_in_range(stats.mapped, size, size + 2 * CHUNK_SIZE);
  fixture_free(fixture);
}

static void only_what_has_room_grows(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  LocalHeap *local = &fixture->locals[0].heap;
  assert_false(heap_grow(local, &raw(fixture, 100)->obj, 200));
  assert_false(heap_grow(local, &raw(fixture, 100000)->obj, 200000));
  assert_false(heap_grow(local, &raw(fixture, 5 << 20)->obj, 6 << 20));
  assert_null(heap_alloc_growing(local, SIZE_MAX / 2, OBJ_RAW));
  Obj *large = heap_alloc_growing(local, 100000, OBJ_RAW);
  assert_false(heap_grow(local, large, SIZE_MAX - 1));
  assert_false(heap_grow(local, large, (size_t)1 << 50));
  fixture_free(fixture);
}

static void growing_keeps_to_the_limit(void **state) {
  (void)state;
  enum { LIMIT = 8 << 20, STEP = 100000 };
  Fixture *fixture = fixture_new(1);
  Heap *heap = fixture->vm.heap;
  LocalHeap *local = &fixture->locals[0].heap;
  heap_set_limit(heap, LIMIT);
  Obj *large = heap_alloc_growing(local, STEP, OBJ_RAW);
  assert_non_null(large);
  size_t size = STEP;
  while (heap_grow(local, large, size + STEP)) size += STEP;
  assert_in_range(size, LIMIT - 2 * STEP, LIMIT);
  assert_in_range(heap_used(heap), size, LIMIT);
  assert_true(heap_gc_wanted(heap));
  assert_null(heap_alloc_growing(local, STEP, OBJ_RAW));
  fixture_free(fixture);
}

typedef struct Grower {
  LocalHeap *local;
  Obj *obj;
} Grower;

enum { GROWN = 40 << 20 };

static void grow_all(void *arg) {
  const Grower *grower = arg;
  for (size_t size = 70000; size <= GROWN; size += 70000) {
    if (!heap_grow(grower->local, grower->obj, size)) fail_msg("%zu", size);
    // What it was told is there, whoever has made it.
    rt_store_relaxed((char *)grower->obj + size - 1, (char)1);
  }
}

static void racing_grows_one_object(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(4);
  Obj *obj = heap_alloc_growing(&fixture->locals[0].heap, 100, OBJ_RAW);
  assert_non_null(obj);
  uint64_t used = heap_used(fixture->vm.heap) - heap_size_of(obj);
  RtThread threads[4];
  Grower growers[4];
  for (int i = 0; i < 4; i++) {
    growers[i] = (Grower){&fixture->locals[i].heap, obj};
    assert_int_equal(rt_thread_start(&threads[i], grow_all, &growers[i]), 0);
  }
  for (int i = 0; i < 4; i++) rt_thread_join(&threads[i]);
  assert_int_equal(heap_used(fixture->vm.heap) - used, heap_size_of(obj));
  HeapStats stats;
  heap_stats(fixture->vm.heap, &stats);
  assert_int_equal(stats.total_allocated, heap_size_of(obj));
  fixture_free(fixture);
}

// --- Ends -------------------------------------------------------------------
static int finalized;
static void finalize(void *data) { finalized += *(int *)data; }

static void finalizers_run_at_the_end(void **state) {
  (void)state;
  static const HostClass klass = {"thing", finalize, 4, NULL};
  Fixture *fixture = fixture_new(1);
  finalized = 0;
  for (int i = 0; i < 1000; i++) {
    raw(fixture, sizeof(ObjHost) + 16);
    ObjHost *host = (ObjHost *)heap_alloc(&fixture->locals[0].heap,
                                          sizeof(ObjHost) + 16, OBJ_HOST);
    host->klass = &klass;
    *(int *)host->data = 1;
  }
  fixture_free(fixture);
  assert_int_equal(finalized, 1000);
}

static void pins_are_reused(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  Heap *heap = fixture->vm.heap;
  uint32_t pins[500];
  for (int i = 0; i < 500; i++) {
    pins[i] = heap_pin(heap, value_from_small(i));
    assert_int_not_equal(pins[i], 0);
  }
  for (int i = 0; i < 500; i++)
    assert_int_equal(value_small(heap_pinned(heap, pins[i])), i);
  heap_unpin(heap, pins[77]);
  assert_int_equal(heap_pin(heap, VALUE_NIL), pins[77]);
  fixture_free(fixture);
}

static void barrier_shades_old_and_new(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  LocalHeap *local = &fixture->locals[0].heap;
  ObjList *list = list_new(&fixture->locals[0], 1);
  Value a = fixture_string(fixture, "a"), b = fixture_string(fixture, "b");
  heap_store(local, &list->block->slots[0], a);
  assert_null(local->shaded);
  local->barrier = true;
  heap_store(local, &list->block->slots[0], b);
  assert_int_equal(local->shaded->count, 2);
  heap_store(local, &list->block->slots[0], a);  // both are marked by now
  assert_int_equal(local->shaded->count, 2);
  ObjValues *old = list->block;
  ObjValues *block = values_new(&fixture->locals[0], 3);
  heap_store_ptr(local, &list->block, block);
  assert_int_equal(local->shaded->count, 4);
  assert_int_equal(local->shaded->items[2], (uintptr_t)old);
  for (int i = 0; i < 3000; i++)
    heap_store(local, &block->slots[0],
               fixture_string(fixture, "new each time: long"));
  assert_non_null(fixture->vm.heap->shaded);
  heap_local_free(&fixture->locals[0]);
  fixture_free(fixture);
}

static void shared_allocation(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  Obj *a = heap_alloc_shared(fixture->vm.heap, 32, OBJ_RAW);
  Obj *b = heap_alloc(&fixture->locals[0].heap, 32, OBJ_RAW);
  assert_non_null(a);
  assert_ptr_not_equal(span_of(a), span_of(b));
  fixture_free(fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(objects_do_not_overlap),
      cmocka_unit_test(every_class_finds_its_objects),
      cmocka_unit_test(large_objects),
      cmocka_unit_test(limit_gives_null),
      cmocka_unit_test(an_object_grows_in_place),
      cmocka_unit_test(only_what_has_room_grows),
      cmocka_unit_test(growing_keeps_to_the_limit),
      cmocka_unit_test(racing_grows_one_object),
      cmocka_unit_test(finalizers_run_at_the_end),
      cmocka_unit_test(pins_are_reused),
      cmocka_unit_test(barrier_shades_old_and_new),
      cmocka_unit_test(shared_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
