// SPDX-License-Identifier: MIT
// Values as text; floats as the shortest decimal that reads back.
#include <math.h>

#include "tests/unit/vm_fixture.h"
#include "vm/object/box.h"
#include "vm/object/list.h"
#include "vm/object/map.h"
#include "vm/object/range.h"
#include "vm/object/string.h"
#include "vm/object/value_text.h"
#include "vm/value/float_text.h"

static void check_float(double d, const char *expected) {
  char text[32];
  int len = format_float(d, text);
  assert_string_equal(text, expected);
  assert_int_equal(len, strlen(expected));
}

static void floats_as_go_prints_them(void **state) {
  (void)state;
  static const struct {
    double d;
    const char *text;
  } cases[] = {
      {0, "0.0"},
      {-0.0, "-0.0"},
      {1, "1.0"},
      {-1.5, "-1.5"},
      {1000, "1000.0"},
      {0.1, "0.1"},
      {0.1 + 0.2, "0.30000000000000004"},
      {1e20, "100000000000000000000.0"},
      {1e21, "1e+21"},
      {1e22, "1e+22"},
      {1e23, "1e+23"},
      {1.5e300, "1.5e+300"},
      {0.0001, "0.0001"},
      {0.00001, "1e-05"},
      {1.25e-7, "1.25e-07"},
      {123456789.125, "123456789.125"},
      {5e-324, "5e-324"},
      {2.2250738585072014e-308, "2.2250738585072014e-308"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {9007199254740993.0, "9007199254740992.0"},
      {4.35, "4.35"},
      {1.0 / 3, "0.3333333333333333"},
      {9.5367431640625e-07, "9.5367431640625e-07"},
      {INFINITY, "inf"},
      {-INFINITY, "-inf"},
      {NAN, "nan"},
      {999999999999999.9, "999999999999999.9"},
      {123456789012345680.0, "123456789012345680.0"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_float(cases[i].d, cases[i].text);
}

static void floats_that_128_bits_hold_are_the_shortest(void **state) {
  (void)state;
  static const struct {
    double d;
    const char *text;
  } cases[] = {
      // between two numbers of the fewest digits, as far from both
      {974000000000000.25, "974000000000000.3"},
      {2230400434009401.25, "2230400434009401.3"},
      // the ends of those that 128 bits hold
      {1.0000000000000003e-05, "1.0000000000000003e-05"},
      {9.999999999999999e-06, "9.999999999999999e-06"},
      {0x1p52, "4503599627370496.0"},
      {0x1p52 - 0.5, "4503599627370495.5"},
      {0x1p-16, "1.52587890625e-05"},
      {0x1p-16 * (1 - 0x1p-53), "1.5258789062499998e-05"},
      {0x1p-16 * (1 + 0x1p-52), "1.5258789062500003e-05"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_float(cases[i].d, cases[i].text);
}

// The digits of text, without leading and trailing zeros.
static int digit_count(const char *text) {
  int count = 0, zeros = 0;
  for (; *text && *text != 'e'; text++) {
    if (*text < '0' || *text > '9') continue;
    if (*text == '0') {
      zeros += count > 0;
      continue;
    }
    count += zeros + 1;
    zeros = 0;
  }
  return count;
}

static void check_shortest(double d) {
  char text[32], shorter[40];
  format_float(d, text);
  double back = strtod(text, NULL);
  if (memcmp(&back, &d, sizeof d)) fail_msg("%a gives %s", d, text);
  int digits = digit_count(text);
  assert_true(digits <= 17);
  for (int p = 1; p < digits; p++) {
    snprintf(shorter, sizeof shorter, "%.*e", p - 1, d);
    if (strtod(shorter, NULL) == d) fail_msg("%s: %s does", text, shorter);
  }
  // And no other of that length is nearer.
  snprintf(shorter, sizeof shorter, "%.*e", digits - 1, d);
  double nearest = strtod(shorter, NULL);
  if (nearest == d && digit_count(shorter) == digits) {
    char mine[40];
    snprintf(mine, sizeof mine, "%.*e", digits - 1, strtod(text, NULL));
    assert_string_equal(mine, shorter);
  }
}

static void random_floats_read_back(void **state) {
  (void)state;
  uint64_t seed = 2024;
  for (int i = 0; i < 30000; i++) {
    uint64_t bits = fixture_random(&seed);
    if (i % 4 == 0) bits &= ~(uint64_t)0x7ff0000000000000;  // subnormal
    if (i % 4 == 1)                                         // of human size
      bits = (bits & ~(uint64_t)0x7ff0000000000000) |
             (uint64_t)(1023 - 20 + i % 60) << 52;
    if (i % 4 == 2) bits &= ~(uint64_t)0xfffffffffffff;  // powers of two
    double d;
    memcpy(&d, &bits, sizeof d);
    if (isfinite(d)) check_shortest(d);
  }
  for (int i = 0; i < 30000; i++)
    check_shortest((double)(fixture_random(&seed) % 1000000) / 1000);
}

// --- Values -----------------------------------------------------------------
static void check_value(Fixture *fixture, Value v, bool quoted,
                        const char *text) {
  Text out = {0};
  format_value(&out, &fixture->vm, v, quoted);
  assert_false(out.failed);
  assert_string_equal(out.data, text);
  text_free(&out);
}

static void plain_values(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  check_value(fixture, VALUE_NIL, false, "nil");
  check_value(fixture, VALUE_TRUE, false, "true");
  check_value(fixture, value_from_int(fixture->locals, INT64_MIN), false,
              "-9223372036854775808");
  Value s = fixture_string(fixture, "a\n\"${x}\" $ \xff\xc3\xa9\x01");
  check_value(fixture, s, true, "\"a\\n\\\"\\${x}\\\" $ \\xff\xc3\xa9\\x01\"");
  ObjRange *range = range_new(fixture->locals, 0, 3, true);
  check_value(fixture, value_from_obj(range), false, "0..=3");
  assert_string_equal(value_type_name(s), "string");
  assert_string_equal(value_type_name(VALUE_FALSE), "bool");
  assert_string_equal(value_type_name(VALUE_NIL), "nil");
  fixture_free(fixture);
}

static ObjStruct *point_type(Fixture *fixture, Value string_method) {
  ObjStruct *type = (ObjStruct *)heap_alloc(
      &fixture->locals[0].heap, sizeof *type + 2 * sizeof(ObjString *),
      OBJ_STRUCT);
  memset((char *)type + sizeof(Obj), 0, sizeof *type - sizeof(Obj));
  type->obj.aux = 2;
  type->name = vm_intern(&fixture->vm, "Point", 5);
  type->fields[0] = vm_intern(&fixture->vm, "x", 1);
  type->fields[1] = vm_intern(&fixture->vm, "y", 1);
  type->string_method = string_method;
  return type;
}

static Value point(Fixture *fixture, ObjStruct *type, Value x, Value y) {
  ObjInstance *instance = (ObjInstance *)heap_alloc(
      &fixture->locals[0].heap, sizeof *instance + 2 * sizeof(Value),
      OBJ_INSTANCE);
  instance->obj.aux = 2;
  instance->type = type;
  instance->fields[0] = x;
  instance->fields[1] = y;
  return value_from_obj(instance);
}

static void containers(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  ObjList *list = list_new(fixture->locals, 0);
  Value v = value_from_obj(list);
  check_value(fixture, v, false, "[]");
  list_push(fixture->locals, list, value_from_small(1));
  list_push(fixture->locals, list, fixture_string(fixture, "two"));
  ObjMap *map = map_new(fixture->locals, 0);
  map_set(fixture->locals, map, fixture_string(fixture, "k"), v);
  map_set(fixture->locals, map, value_from_small(7), value_from_obj(map));
  Value p =
      point(fixture, point_type(fixture, VALUE_NIL), value_from_obj(map), v);
  check_value(fixture, p, false,
              "Point(x: {\"k\": [1, \"two\"], 7: {...}}, y: [1, \"two\"])");
  list_push(fixture->locals, list, v);
  check_value(fixture, v, false, "[1, \"two\", [...]]");
  ObjError *error = (ObjError *)heap_alloc(&fixture->locals[0].heap,
                                           sizeof *error, OBJ_ERROR);
  error->message = fixture_string(fixture, "bad");
  error->cause = error->also = VALUE_NIL;
  check_value(fixture, value_from_obj(error), false, "bad");
  check_value(fixture, value_from_obj(error), true, "error(\"bad\")");
  fixture_free(fixture);
}

static void needs_call(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  ObjList *list = list_new(fixture->locals, 0);
  ObjMap *map = map_new(fixture->locals, 0);
  list_push(fixture->locals, list, value_from_obj(map));
  list_push(fixture->locals, list, value_from_obj(list));
  assert_false(value_has_text_method(&mem_libc, value_from_obj(list)));
  ObjStruct *type = point_type(fixture, VALUE_TRUE);
  map_set(fixture->locals, map, point(fixture, type, VALUE_NIL, VALUE_NIL),
          VALUE_NIL);
  assert_true(value_has_text_method(&mem_libc, value_from_obj(list)));
  fixture_free(fixture);
}

static void deep_nesting_is_no_overflow(void **state) {
  (void)state;
  Fixture *fixture = fixture_new(1);
  Value v = VALUE_NIL;
  for (int i = 0; i < 20000; i++) {
    ObjList *list = list_new(fixture->locals, 1);
    list_push(fixture->locals, list, v);
    v = value_from_obj(list);
  }
  Text out = {0};
  format_value(&out, &fixture->vm, v, false);
  assert_false(out.failed);
  assert_int_equal(out.len, 20000 + 5);
  text_free(&out);
  fixture_free(fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(floats_as_go_prints_them),
      cmocka_unit_test(floats_that_128_bits_hold_are_the_shortest),
      cmocka_unit_test(random_floats_read_back),
      cmocka_unit_test(plain_values),
      cmocka_unit_test(containers),
      cmocka_unit_test(needs_call),
      cmocka_unit_test(deep_nesting_is_no_overflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
