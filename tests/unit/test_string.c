// SPDX-License-Identifier: MIT
// Strings, names in code, equality and order of values, hashes.
#include <math.h>

#include "tests/unit/vm_fixture.h"
#include "vm/heap/local.h"
#include "vm/object/box.h"
#include "vm/object/compare.h"
#include "vm/object/list.h"
#include "vm/object/map.h"
#include "vm/object/string.h"
#include "vm/value/number.h"
#include "vm/value/utf8.h"

static void making(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  ObjString *a = string_format(fixture->locals, "%s-%d", "abc", 42);
  assert_string_equal(string_data(a), "abc-42");
  ObjString *b =
      string_concat(fixture->locals, a, string_new(fixture->locals, "!", 1));
  assert_string_equal(string_data(b), "abc-42!");
  assert_int_equal(b->len, 7);
  assert_null(string_alloc(fixture->locals, STRING_LEN_MAX + 1));
  fixture_free(fixture);
}

static void names_are_unique(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  static ObjString *names[3000];
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < 3000; i++) {
      char text[16];
      int len = snprintf(text, sizeof text, "n%d", i);
      ObjString *string = vm_intern(&fixture->vm, text, (size_t)len);
      assert_string_equal(string_data(string), text);
      if (round) assert_ptr_equal(string, names[i]);
      names[i] = string;
      assert_int_equal(
          string_hash(&fixture->vm, string),
          string_hash(&fixture->vm,
                      string_new(fixture->locals, text, (size_t)len)));
    }
  fixture_free(fixture);
}

static void utf8(void **state) {
  (void)state;
  char out[4];
  uint32_t rune;
  for (uint32_t r = 0; r <= 0x110000; r += r < 0x3000 ? 1 : 13) {
    int len = utf8_encode(r, out);
    bool valid = r <= 0x10ffff && !(r >= 0xd800 && r < 0xe000);
    assert_int_equal(len != 0, valid);
    if (!valid) continue;
    assert_int_equal(utf8_decode(out, (size_t)len, 0, &rune), len);
    assert_int_equal(rune, r);
    if (len > 1) {
      assert_int_equal(utf8_decode(out, (size_t)len - 1, 0, &rune), 1);
      assert_int_equal(rune, 0xfffd);
    }
  }
  static const char *const bad[] = {
      "\x80",         "\xc0\x80",         "\xe0\x80\x80",
      "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(utf8_decode(bad[i], strlen(bad[i]), 0, &rune), 1);
    assert_int_equal(rune, 0xfffd);
  }
}

static void ints_against_floats(void **state) {
  (void)state;
  assert_int_equal(number_compare(INT64_MAX, 0x1p63), -1);
  assert_int_equal(number_compare(INT64_MIN, -0x1p63), 0);
  assert_int_equal(number_compare(((int64_t)1 << 53) + 1, 0x1p53), 1);
  assert_int_equal(number_compare((int64_t)1 << 53, 0x1p53), 0);
  assert_int_equal(number_compare(INT64_MAX, 0x1.fffffffffffffp62), 1);
  assert_int_equal(number_compare(-1, -1.5), 1);
  assert_int_equal(number_compare(-2, -1.5), -1);
  assert_int_equal(number_compare(0, -0.0), 0);
  assert_int_equal(number_compare(0, NAN), 2);
  assert_int_equal(number_compare(0, INFINITY), -1);
}

enum { FLOATS = 16, INTS = 12, ALL = FLOATS + INTS };
static const double floats[FLOATS] = {
    0,       -0.0,   1,       -1,     0.5,   0x1p53, 0x1p53 + 2, 0x1p61,
    -0x1p61, 0x1p62, -0x1p63, 0x1p63, 1e300, 1e-300, INFINITY,   NAN};
static const int64_t ints[INTS] = {0,
                                   1,
                                   -1,
                                   (int64_t)1 << 53,
                                   ((int64_t)1 << 53) + 1,
                                   INT_SMALL_MAX,
                                   INT_SMALL_MAX + 1,
                                   INT_SMALL_MIN,
                                   INT_SMALL_MIN - 1,
                                   INT64_MAX,
                                   INT64_MIN,
                                   (int64_t)1 << 62};

// Equal values have equal hashes, and words do not matter.
static void equality_and_hashes(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  Local *local = fixture->locals;
  Value a[ALL], b[ALL];
  for (int i = 0; i < ALL; i++) {
    a[i] = i < FLOATS ? value_from_float(local, floats[i])
                      : value_from_int(local, ints[i - FLOATS]);
    b[i] = i < FLOATS ? value_from_float(local, floats[i])
                      : value_from_int(local, ints[i - FLOATS]);
  }
  int equal = 0;
  for (int i = 0; i < ALL; i++)
    for (int j = 0; j < ALL; j++) {
      bool same = value_equal(a[i], b[j]);
      assert_int_equal(same, value_equal(b[j], a[i]));
      assert_int_equal(same, value_compare(a[i], b[j]) == 0);
      equal += same;
      if (same)
        assert_int_equal(value_hash(&fixture->vm, a[i]),
                         value_hash(&fixture->vm, b[j]));
    }
  // 27 are each with itself but NaN. 6 are of 0, which is -0 both ways, and
  // both are int 0. 14 are 1, -1, 2^53, 2^61, -2^61, 2^62 and -2^63 as ints and
  // floats.
  assert_int_equal(equal, 27 + 6 + 14);
  assert_true(value_equal(value_from_small(1), value_from_float(local, 1)));
  assert_false(value_equal(a[FLOATS - 1], a[FLOATS - 1]));
  fixture_free(fixture);
}

static Value list_of(Fixture *fixture, int count, const Value *values) {
  ObjList *list = list_new(fixture->locals, 0);
  assert_true(list_append(fixture->locals, list, values, (size_t)count));
  return value_from_obj(list);
}

// Left after each value, and gone on with as a copy.
static bool deep_equal(Local *local, Value a, Value b, const char **failed) {
  Deep deep, copy;
  deep_begin(&deep, local, a, b);
  for (copy = deep; deep_some(&copy, local, 1); copy = deep) deep = copy;
  deep_free(&copy);
  *failed = copy.failed;
  return copy.same && copy.failed == NULL;
}

static void deep_equality(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  const char *deep = NULL;
  Value one[] = {value_from_small(1), fixture_string(fixture, "x")};
  Value two[] = {value_from_float(fixture->locals, 1),
                 fixture_string(fixture, "x")};
  Value a = list_of(fixture, 2, one), b = list_of(fixture, 2, two);
  assert_false(value_equal(a, b));
  assert_true(deep_equal(fixture->locals, a, b, &deep));
  ObjMap *left = map_new(fixture->locals, 0),
         *right = map_new(fixture->locals, 0);
  map_set(fixture->locals, left, one[0], a);
  map_set(fixture->locals, left, one[1], VALUE_NIL);
  map_set(fixture->locals, right, two[1], VALUE_NIL);
  map_set(fixture->locals, right, two[0], b);
  Value x = value_from_obj(left), y = value_from_obj(right);
  assert_true(deep_equal(fixture->locals, x, y, &deep));
  list_push(fixture->locals, (ObjList *)value_obj(a), x);  // cycles
  list_push(fixture->locals, (ObjList *)value_obj(b), y);
  assert_true(deep_equal(fixture->locals, x, y, &deep));
  assert_false(deep);
  list_push(fixture->locals, (ObjList *)value_obj(a), VALUE_NIL);
  assert_false(deep_equal(fixture->locals, x, y, &deep));
  fixture_free(fixture);
}

static void deep_nesting_is_no_overflow(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  Value a = VALUE_NIL, b = VALUE_NIL;
  for (int i = 0; i < 9000; i++)
    a = list_of(fixture, 1, &a), b = list_of(fixture, 1, &b);
  const char *deep = NULL;
  assert_true(deep_equal(fixture->locals, a, b, &deep));
  for (int i = 0; i < 9000; i++)
    a = list_of(fixture, 1, &a), b = list_of(fixture, 1, &b);
  assert_false(deep_equal(fixture->locals, a, b, &deep));
  assert_true(deep);
  fixture_free(fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(making),
      cmocka_unit_test(names_are_unique),
      cmocka_unit_test(utf8),
      cmocka_unit_test(ints_against_floats),
      cmocka_unit_test(equality_and_hashes),
      cmocka_unit_test(deep_equality),
      cmocka_unit_test(deep_nesting_is_no_overflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
