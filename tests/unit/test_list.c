// SPDX-License-Identifier: MIT
// Lists and bytes: against plain arrays, and under racing threads.
#include "tests/unit/vm_fixture.h"
#include "vm/heap/local.h"
#include "vm/heap/span.h"
#include "vm/object/bytes.h"
#include "vm/object/list.h"
#include "vm/object/string.h"

enum { OPERATIONS = 20000 };

static void assert_is(const ObjList *list, const int64_t *model, size_t len) {
  const ObjValues *block = list_block(list);
  assert_int_equal(values_len(block), len);
  for (size_t i = 0; i < len; i++)
    assert_int_equal(value_small(*values_at(block, i)), model[i]);
  assert_null(values_at(block, len));
  size_t runs = 0;
  for (size_t i = 0; i < len; runs++) {
    ValueRun run = values_run(block, i, len - i);
    for (size_t n = 0; n < run.count; n++)
      assert_int_equal(value_small(run.from[n]), model[i++]);
  }
  assert_true(runs <= 2);
}

// Beside what is in it, each slot is nil.
static void assert_rest_is_nil(const ObjList *list) {
  const ObjValues *block = list_block(list);
  size_t used = 0, len = values_len(block), all = block->cap;
  const Value *slots = block->slots;
  if (values_is_ring(block)) {
    const ObjRing *ring = (const ObjRing *)(const void *)block;
    slots = ring->slots;
    all = ring->mask + 1;
  }
  for (size_t i = 0; i < all; i++) used += slots[i] != VALUE_NIL;
  assert_int_equal(used, len);
}

// At any place, or, of ten, `near` times at the front.
static void operate(uint64_t near) {
  Fixture *fixture = fixture_new(1);
  ObjList *list = list_new(fixture->locals, 0);
  static int64_t model[OPERATIONS];
  size_t len = 0, rings = 0;
  uint64_t seed = 5;
  for (int i = 0; i < OPERATIONS; i++) {
    size_t at = fixture_random(&seed) % (len + 1);
    uint64_t what = fixture_random(&seed) % 10;
    if (fixture_random(&seed) % 10 < near) at = 0;
    if (i / 2000 % 2 == 1) what = what < 2 ? what : 9;
    if (what < 4) {
      assert_true(list_push(fixture->locals, list, value_from_small(i)));
      model[len++] = i;
    } else if (what < 7) {
      assert_true(list_insert(fixture->locals, list, at, value_from_small(i)));
      memmove(model + at + 1, model + at, (len - at) * sizeof *model);
      model[at] = i;
      len++;
    } else {
      size_t count = fixture_random(&seed) % 3;
      list_remove(fixture->locals, list, at, count);
      if (count > len - at) count = len - at;
      memmove(model + at, model + at + count,
              (len - at - count) * sizeof *model);
      len -= count;
    }
    assert_int_equal(values_len(list->block), len);
    rings += values_is_ring(list->block);
    if (i % 100 == 0) assert_is(list, model, len);
  }
  assert_is(list, model, len);
  assert_rest_is_nil(list);
  if (near > 0) assert_true(rings > OPERATIONS / 8);
  fixture_free(fixture);
}

static void random_operations(void **state) {
  (void)state;
  operate(0);
  operate(5);
  operate(9);
}

// --- Queues -----------------------------------------------------------------
static ObjList *counted_list(Local *local, int64_t len) {
  ObjList *list = list_new(local, 0);
  for (int64_t i = 0; i < len; i++)
    assert_true(list_push(local, list, value_from_small(i)));
  return list;
}

// What a use of the front charges does not grow with the list.
static void fronts_are_cheap(void **state) {
  (void)state;
  enum { LEN = 20000, USES = 5, CHEAP = 4 };
  Fixture *fixture = fixture_new(1);
  Local *local = fixture->locals;
  ObjList *list = counted_list(local, LEN);
  for (int i = 0; i < USES; i++) list_remove(local, list, 0, 1);
  for (int64_t i = USES; i < LEN / 2; i++) {
    assert_int_equal(*values_at(list_block(list), 0), value_from_small(i));
    int64_t debt = local->debt;
    list_remove(local, list, 0, 1);
    assert_true(local->debt - debt <= CHEAP);
  }
  for (int64_t i = LEN / 2; i-- > 0;) {
    int64_t debt = local->debt;
    assert_true(list_insert(local, list, 0, value_from_small(i)));
    assert_true(local->debt - debt <= CHEAP);
  }
  for (size_t i = 0; i < LEN; i++)
    assert_int_equal(*values_at(list_block(list), i),
                     value_from_small((int64_t)i));
  fixture_free(fixture);
}

// The ring of a queue that has become short is given up for a small block.
static void a_short_queue_is_plain(void **state) {
  (void)state;
  enum { LEN = 20000, LEFT = 15 };
  Fixture *fixture = fixture_new(1);
  ObjList *list = counted_list(fixture->locals, LEN);
  for (int i = 0; i < LEN - LEFT; i++) {
    list_remove(fixture->locals, list, 0, 1);
    size_t len = values_len(list_block(list));
    size_t size = heap_size_of(list_block(list));
    if (i > LEN / 2)
      assert_true(size <= (len + VALUE_RING_LEAST) * 16 * sizeof(Value));
  }
  assert_true(list_push(fixture->locals, list, value_from_small(LEN)));
  assert_false(values_is_ring(list_block(list)));
  for (int64_t i = 0; i <= LEFT; i++)
    assert_int_equal(*values_at(list_block(list), (size_t)i),
                     value_from_small(LEN - LEFT + i));
  fixture_free(fixture);
}

// Where reads are many, readers make a plain block of a ring.
static void what_is_read_is_plain(void **state) {
  (void)state;
  enum { LEN = 1000, USES = 10 };
  Fixture *fixture = fixture_new(1);
  ObjList *list = counted_list(fixture->locals, LEN);
  for (int i = 0; i < USES; i++) list_remove(fixture->locals, list, 0, 1);
  assert_true(values_is_ring(list_block(list)));
  for (size_t i = 0; i < LEN - USES; i++) {
    assert_int_equal(*values_at(list_block(list), i),
                     value_from_small((int64_t)i + USES));
    list_settle(fixture->locals, list);
  }
  assert_false(values_is_ring(list_block(list)));
  assert_int_equal(values_len(list_block(list)), LEN - USES);
  fixture_free(fixture);
}

// Its memory is given up at once, and not set word by word.
static void clearing_a_long_list_is_cheap(void **state) {
  (void)state;
  enum { LEN = 20000 };
  Fixture *fixture = fixture_new(1);
  ObjList *list = counted_list(fixture->locals, LEN);
  int64_t debt = fixture->locals->debt;
  list_remove(fixture->locals, list, 0, LEN);
  assert_true(fixture->locals->debt - debt <= VALUE_RING_LEAST);
  assert_int_equal(values_len(list_block(list)), 0);
  assert_true(list_push(fixture->locals, list, VALUE_TRUE));
  assert_int_equal(*values_at(list_block(list), 0), VALUE_TRUE);
  fixture_free(fixture);
}

static void append_to_itself(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  ObjList *list = list_new(fixture->locals, 0);
  list_push(fixture->locals, list, VALUE_TRUE);
  for (int i = 0; i < 12; i++) {
    ObjValues *block = list_block(list);
    assert_true(
        list_append(fixture->locals, list, block->slots, values_len(block)));
  }
  assert_int_equal(values_len(list->block), 4096);
  for (int i = 0; i < 4096; i++)
    assert_int_equal(list->block->slots[i], VALUE_TRUE);
  fixture_free(fixture);
}

// What the collector looks at is near what is used, and no growth copies.
static void a_large_list_covers_what_it_uses(void **state) {
  (void)state;
  enum { COUNT = 1 << 20, NEAR = 8192, AT_ONCE = 3 * NEAR };
  Fixture *fixture = fixture_new(1);
  ObjList *list = list_new(fixture->locals, COUNT);
  ObjValues *block = list_block(list);
  assert_true(block->cap <= NEAR);
  for (size_t i = 0; i < COUNT / 2; i++) {
    assert_true(list_push(fixture->locals, list, value_from_small(3)));
    assert_true(block->cap > i && block->cap <= i + 1 + NEAR);
  }
  for (size_t i = COUNT / 2; i + AT_ONCE <= COUNT; i += AT_ONCE)
    assert_true(list_append(fixture->locals, list, block->slots, AT_ONCE));
  while (values_len(block) < COUNT)
    assert_true(list_push(fixture->locals, list, value_from_small(3)));
  assert_ptr_equal(list_block(list), block);
  for (size_t i = 0; i < COUNT; i++)
    assert_int_equal(block->slots[i], value_from_small(3));
  for (int i = 0; i < NEAR * 9; i++)
    assert_true(list_push(fixture->locals, list, VALUE_TRUE));
  assert_ptr_not_equal(list_block(list), block);
  assert_int_equal(values_len(list_block(list)), COUNT + NEAR * 9);
  fixture_free(fixture);
}

// The collector looks no further than to cap: what came after it was freed.
static void what_is_appended_at_once_is_covered(void **state) {
  (void)state;
  enum { COUNT = 1 << 20, AT_ONCE = 1 << 17 };
  Fixture *fixture = fixture_new(1);
  ObjList *list = list_new(fixture->locals, COUNT);
  while (values_len(list_block(list)) < COUNT)
    assert_true(list_push(fixture->locals, list, VALUE_TRUE));
  const ObjValues *block = list_block(list);
  assert_true(list_append(fixture->locals, list, block->slots, AT_ONCE));
  assert_ptr_not_equal(list_block(list), block);
  assert_true(list_block(list)->cap >= COUNT + AT_ONCE);
  assert_true(list_is_valid(list));
  fixture_free(fixture);
}

// From some length on a list that grows is not copied, and leaves nothing.
static void a_list_that_grows_large_stays(void **state) {
  (void)state;
  enum { MOVES = 3 << 17, COUNT = 1 << 20, LITTLE = 128 << 10 };
  Fixture *fixture = fixture_new(1);
  Local *local = fixture->locals;
  ObjList *lists[] = {counted_list(local, MOVES),
                      list_new_growing(local, 0, COUNT)};
  for (int n = 0; n < 2; n++) {
    const ObjValues *block = list_block(lists[n]);
    uint64_t used = heap_used(fixture->vm.heap) - heap_size_of(block);
    for (size_t i = values_len(block); i < COUNT; i++)
      assert_true(list_push(local, lists[n], value_from_small((int64_t)i)));
    assert_ptr_equal(list_block(lists[n]), block);
    assert_true(heap_used(fixture->vm.heap) - used <=
                COUNT * sizeof(Value) + LITTLE);
    assert_true(list_is_valid(lists[n]));
    for (size_t i = 0; i < COUNT; i++)
      assert_int_equal(block->slots[i], value_from_small((int64_t)i));
  }
  fixture_free(fixture);
}

// A wrong guess takes little.
static void a_list_that_does_not_grow_is_small(void **state) {
  (void)state;
  enum { LITTLE = 128 << 10 };
  Fixture *fixture = fixture_new(1);
  Local *local = fixture->locals;
  static const size_t guesses[] = {0, 100, 1 << 20, 1 << 30, SIZE_MAX};
  for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++) {
    uint64_t used = heap_used(fixture->vm.heap);
    ObjList *list = list_new_growing(local, 3, guesses[i]);
    assert_non_null(list);
    assert_true(heap_used(fixture->vm.heap) - used <= LITTLE);
    assert_true(list_push(local, list, VALUE_TRUE));
    assert_int_equal(values_len(list_block(list)), 1);
  }
  assert_null(list_new_growing(local, SIZE_MAX, SIZE_MAX));
  fixture_free(fixture);
}

static void bytes_grow(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  ObjBytes *bytes = bytes_new(fixture->locals, 3);
  for (int i = 0; i < 1000; i++)
    assert_true(bytes_append(fixture->locals, bytes, "abcdefg", 7));
  ObjRaw *block = bytes_block(bytes);
  assert_int_equal(raw_len(block), 7003);
  assert_int_equal(block->data[0], 0);
  assert_memory_equal(block->data + 7003 - 7, "abcdefg", 7);
  for (size_t i = 7003; i < block->cap; i++)
    assert_int_equal(block->data[i], 0);
  fixture_free(fixture);
}

// --- Racing -----------------------------------------------------------------
typedef struct Racer {
  Fixture *fixture;
  ObjList *list;
  ObjBytes *bytes;
  int number;
  bool front;  // it uses the list's front most
  uint64_t seen, rings;
} Racer;

static void race(void *arg) {
  Racer *racer = arg;
  Local *local = &racer->fixture->locals[racer->number];
  uint64_t seed = (uint64_t)racer->number + 1;
  for (int i = 0; i < 20000; i++) {
    Value v = value_from_obj(string_new(local, "text", 4));
    size_t at = fixture_random(&seed) % 100;
    if (racer->front && at % 3 != 0) at = 0;
    switch (fixture_random(&seed) % 5) {
      case 0:
        list_push(local, racer->list, v);
        break;
      case 1:
        list_insert(local, racer->list, at, v);
        break;
      case 2:
        list_remove(local, racer->list, at, 1 + at % 3);
        break;
      case 3:
        bytes_append(local, racer->bytes, "xy", 2);
        break;
      default: {
        const Value *slot;
        const ObjValues *block = list_block(racer->list);
        for (size_t n = 0; (slot = values_at(block, n)) != NULL; n++) {
          v = heap_load(slot);
          if (v != VALUE_NIL) racer->seen += ((ObjString *)value_obj(v))->len;
        }
        if (at % 16 == 0) list_settle(local, racer->list);
      }
    }
    if (values_len(list_block(racer->list)) > (racer->front ? 500 : 200))
      list_remove(local, racer->list, 0, 100);
    racer->rings += values_is_ring(list_block(racer->list));
  }
}

static void assert_all_are_strings(const ObjList *list) {
  size_t all = list->block->cap;
  const Value *slots = list->block->slots;
  if (values_is_ring(list->block)) {
    const ObjRing *ring = (const ObjRing *)(const void *)list->block;
    all = ring->mask + 1;
    slots = ring->slots;
  }
  for (size_t i = 0; i < all; i++)
    assert_true(slots[i] == VALUE_NIL || value_is_type(slots[i], OBJ_STRING));
}

static void race_all(bool front) {
  Fixture *fixture = fixture_new(4);
  ObjList *list = list_new(fixture->locals, 0);
  for (int i = 0; i < 150; i++)
    list_push(fixture->locals, list,
              value_from_obj(string_new(fixture->locals, "first", 5)));
  ObjBytes *bytes = bytes_new(fixture->locals, 0);
  RtThread threads[4];
  Racer racers[4];
  for (int i = 0; i < 4; i++) {
    racers[i] = (Racer){fixture, list, bytes, i, front, 0, 0};
    assert_int_equal(rt_thread_start(&threads[i], race, &racers[i]), 0);
  }
  uint64_t rings = 0;
  for (int i = 0; i < 4; i++) {
    rt_thread_join(&threads[i]);
    rings += racers[i].rings;
  }
  assert_true(list_is_valid(list) && rings > 0);
  assert_all_are_strings(list);
  fixture_free(fixture);
}

static void racing_keeps_memory_whole(void **state) {
  (void)state;
  race_all(false);
  race_all(true);
}

static void push_many(void *arg) {
  Racer *racer = arg;
  for (int i = 0; i < 200000; i++)
    list_push(&racer->fixture->locals[racer->number], racer->list, VALUE_TRUE);
}

// Whoever covers more of it at once with others, no length is above the cap.
static void race_in_large_list(Fixture *fixture, ObjList *list) {
  ObjValues *block = list_block(list);
  RtThread threads[4];
  Racer racers[4];
  for (int i = 0; i < 4; i++) {
    racers[i] = (Racer){fixture, list, NULL, i, false, 0, 0};
    assert_int_equal(rt_thread_start(&threads[i], push_many, &racers[i]), 0);
  }
  for (int i = 0; i < 4; i++) rt_thread_join(&threads[i]);
  assert_ptr_equal(list_block(list), block);
  assert_true(values_len(block) > 0 && values_len(block) <= block->cap);
  for (size_t i = 0; i < values_len(block); i++)
    assert_int_equal(block->slots[i], VALUE_TRUE);
}

static void racing_covers_a_large_list(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(4);
  race_in_large_list(fixture, list_new(fixture->locals, 1 << 20));
  race_in_large_list(fixture, list_new_growing(fixture->locals, 0, 1 << 20));
  fixture_free(fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_operations),
      cmocka_unit_test(fronts_are_cheap),
      cmocka_unit_test(a_short_queue_is_plain),
      cmocka_unit_test(what_is_read_is_plain),
      cmocka_unit_test(clearing_a_long_list_is_cheap),
      cmocka_unit_test(append_to_itself),
      cmocka_unit_test(a_large_list_covers_what_it_uses),
      cmocka_unit_test(what_is_appended_at_once_is_covered),
      cmocka_unit_test(a_list_that_grows_large_stays),
      cmocka_unit_test(a_list_that_does_not_grow_is_small),
      cmocka_unit_test(bytes_grow),
      cmocka_unit_test(racing_keeps_memory_whole),
      cmocka_unit_test(racing_covers_a_large_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
