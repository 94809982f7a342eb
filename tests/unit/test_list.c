// SPDX-License-Identifier: MIT
// Lists and bytes: against plain arrays, and under racing threads.
#include "tests/unit/vm_fixture.h"
#include "vm/heap/local.h"
#include "vm/object/bytes.h"
#include "vm/object/list.h"
#include "vm/object/string.h"

static void random_operations(void **state) {
  (void)state;
  Fixture *f = fixture_new(1);
  ObjList *list = list_new(f->locals, 0);
  static int64_t model[20000];
  size_t len = 0;
  uint64_t seed = 5;
  for (int i = 0; i < 20000; i++) {
    size_t at = fixture_random(&seed) % (len + 1);
    uint64_t what = fixture_random(&seed) % 10;
    if (what < 4) {
      assert_true(list_push(f->locals, list, value_from_small(i)));
      model[len++] = i;
    } else if (what < 7) {
      assert_true(list_insert(f->locals, list, at, value_from_small(i)));
      memmove(model + at + 1, model + at, (len - at) * sizeof *model);
      model[at] = i;
      len++;
    } else {
      size_t count = fixture_random(&seed) % 3;
      list_remove(f->locals, list, at, count);
      if (count > len - at) count = len - at;
      memmove(model + at, model + at + count,
              (len - at - count) * sizeof *model);
      len -= count;
    }
    assert_int_equal(values_len(list->block), len);
  }
  for (size_t i = 0; i < len; i++)
    assert_int_equal(value_small(list->block->slots[i]), model[i]);
  for (size_t i = len; i < list->block->cap; i++)
    assert_int_equal(list->block->slots[i], VALUE_NIL);
  fixture_free(f);
}

static void append_to_itself(void **state) {
  (void)state;
  Fixture *f = fixture_new(1);
  ObjList *list = list_new(f->locals, 0);
  list_push(f->locals, list, VALUE_TRUE);
  for (int i = 0; i < 12; i++) {
    ObjValues *block = list_block(list);
    assert_true(list_append(f->locals, list, block->slots, values_len(block)));
  }
  assert_int_equal(values_len(list->block), 4096);
  for (int i = 0; i < 4096; i++)
    assert_int_equal(list->block->slots[i], VALUE_TRUE);
  fixture_free(f);
}

// What the collector looks at is near what is used, and no growth copies.
static void a_large_list_covers_what_it_uses(void **state) {
  (void)state;
  enum { COUNT = 1 << 20, NEAR = 8192, AT_ONCE = 3 * NEAR };
  Fixture *f = fixture_new(1);
  ObjList *list = list_new(f->locals, COUNT);
  ObjValues *block = list_block(list);
  assert_true(block->cap <= NEAR);
  for (size_t i = 0; i < COUNT / 2; i++) {
    assert_true(list_push(f->locals, list, value_from_small(3)));
    assert_true(block->cap > i && block->cap <= i + 1 + NEAR);
  }
  for (size_t i = COUNT / 2; i + AT_ONCE <= COUNT; i += AT_ONCE)
    assert_true(list_append(f->locals, list, block->slots, AT_ONCE));
  while (values_len(block) < COUNT)
    assert_true(list_push(f->locals, list, value_from_small(3)));
  assert_ptr_equal(list_block(list), block);
  for (size_t i = 0; i < COUNT; i++)
    assert_int_equal(block->slots[i], value_from_small(3));
  for (int i = 0; i < NEAR * 9; i++)
    assert_true(list_push(f->locals, list, VALUE_TRUE));
  assert_ptr_not_equal(list_block(list), block);
  assert_int_equal(values_len(list_block(list)), COUNT + NEAR * 9);
  fixture_free(f);
}

// The collector looks no further than to cap: what came after it was freed.
static void what_is_appended_at_once_is_covered(void **state) {
  (void)state;
  enum { COUNT = 1 << 20, AT_ONCE = 1 << 17 };
  Fixture *f = fixture_new(1);
  ObjList *list = list_new(f->locals, COUNT);
  while (values_len(list_block(list)) < COUNT)
    assert_true(list_push(f->locals, list, VALUE_TRUE));
  const ObjValues *block = list_block(list);
  assert_true(list_append(f->locals, list, block->slots, AT_ONCE));
  assert_ptr_not_equal(list_block(list), block);
  assert_true(list_block(list)->cap >= COUNT + AT_ONCE);
  assert_true(list_is_valid(list));
  fixture_free(f);
}

static void bytes_grow(void **state) {
  (void)state;
  Fixture *f = fixture_new(1);
  ObjBytes *b = bytes_new(f->locals, 3);
  for (int i = 0; i < 1000; i++)
    assert_true(bytes_append(f->locals, b, "abcdefg", 7));
  ObjRaw *block = bytes_block(b);
  assert_int_equal(raw_len(block), 7003);
  assert_int_equal(block->data[0], 0);
  assert_memory_equal(block->data + 7003 - 7, "abcdefg", 7);
  for (size_t i = 7003; i < block->cap; i++)
    assert_int_equal(block->data[i], 0);
  fixture_free(f);
}

// --- Racing -----------------------------------------------------------------
typedef struct Racer {
  Fixture *f;
  ObjList *list;
  ObjBytes *bytes;
  int number;
  uint64_t seen;
} Racer;

static void race(void *arg) {
  Racer *r = arg;
  Local *local = &r->f->locals[r->number];
  uint64_t seed = (uint64_t)r->number + 1;
  for (int i = 0; i < 20000; i++) {
    Value v = value_from_obj(string_new(local, "text", 4));
    size_t at = fixture_random(&seed) % 100;
    switch (fixture_random(&seed) % 5) {
      case 0:
        list_push(local, r->list, v);
        break;
      case 1:
        list_insert(local, r->list, at, v);
        break;
      case 2:
        list_remove(local, r->list, at, 1 + at % 3);
        break;
      case 3:
        bytes_append(local, r->bytes, "xy", 2);
        break;
      default: {
        ObjValues *block = list_block(r->list);
        for (size_t n = 0; n < values_len(block); n++) {
          v = heap_load(&block->slots[n]);
          if (v != VALUE_NIL) r->seen += ((ObjString *)value_obj(v))->len;
        }
      }
    }
    if (values_len(list_block(r->list)) > 200)
      list_remove(local, r->list, 0, 100);
  }
}

static void racing_keeps_memory_whole(void **state) {
  (void)state;
  Fixture *f = fixture_new(4);
  ObjList *list = list_new(f->locals, 0);
  ObjBytes *bytes = bytes_new(f->locals, 0);
  RtThread threads[4];
  Racer racers[4];
  for (int i = 0; i < 4; i++) {
    racers[i] = (Racer){f, list, bytes, i, 0};
    assert_int_equal(rt_thread_start(&threads[i], race, &racers[i]), 0);
  }
  for (int i = 0; i < 4; i++) rt_thread_join(&threads[i]);
  for (size_t i = 0; i < list->block->cap; i++)
    assert_true(list->block->slots[i] == VALUE_NIL ||
                value_is_type(list->block->slots[i], OBJ_STRING));
  fixture_free(f);
}

static void push_many(void *arg) {
  Racer *r = arg;
  for (int i = 0; i < 200000; i++)
    list_push(&r->f->locals[r->number], r->list, VALUE_TRUE);
}

// Whoever covers more of it at once with others, no length is above the cap.
static void racing_covers_a_large_list(void **state) {
  (void)state;
  Fixture *f = fixture_new(4);
  ObjList *list = list_new(f->locals, 1 << 20);
  ObjValues *block = list_block(list);
  RtThread threads[4];
  Racer racers[4];
  for (int i = 0; i < 4; i++) {
    racers[i] = (Racer){f, list, NULL, i, 0};
    assert_int_equal(rt_thread_start(&threads[i], push_many, &racers[i]), 0);
  }
  for (int i = 0; i < 4; i++) rt_thread_join(&threads[i]);
  assert_ptr_equal(list_block(list), block);
  assert_true(values_len(block) > 0 && values_len(block) <= block->cap);
  for (size_t i = 0; i < values_len(block); i++)
    assert_int_equal(block->slots[i], VALUE_TRUE);
  fixture_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_operations),
      cmocka_unit_test(append_to_itself),
      cmocka_unit_test(a_large_list_covers_what_it_uses),
      cmocka_unit_test(what_is_appended_at_once_is_covered),
      cmocka_unit_test(bytes_grow),
      cmocka_unit_test(racing_keeps_memory_whole),
      cmocka_unit_test(racing_covers_a_large_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
