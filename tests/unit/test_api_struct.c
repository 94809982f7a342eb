// SPDX-License-Identifier: MIT
// csp.h's functions for structs, methods, ranges, and text of bounded length.
#include "stepped_fixture.h"

static CspHandle script;

static const char text[] =
    "made := 0\n"
    "func next() { made++; return made }\n"
    "struct Point { x, y = 0, id = next() }\n"
    "func (p Point) sum(more = 0) => p.x + p.y + more\n"
    "struct Empty { }\n"
    "func point() => Point(1, 2, 3)\n"
    "func string(v) => str(v)\n"
    "func list() => [3, 1, 2]\n"
    "func open() => 2..5\n"
    "func closed() => -1..=9\n"
    "func down() => (8..=2).by(-3)\n"
    "func ring() { a := [1]; a.push(a); return a }\n"
    "func bush() { a := [1, 2]; for i in 60 { a = [a, a] }; return a }\n"
    "func deep() { a := []; for i in 20000 { a = [a] }; return a }\n"
    "func umlauts() => \"\\u{e4}\\u{20ac}\\u{1f600}x\"\n"
    "func long() => \"ab\".repeat(10_000_000)\n";

static int open_it(void **state) {
  open_stepped(state);
  script = load(&host, text);
  return 0;
}

// What name() gives.
static CspValue given(const char *name) {
  CspResult result;
  csp_call(call, member(&host, script, name), 0, NULL, &result);
  assert_int_equal(result.end, CSP_DONE);
  return result.values[0];
}

static void expect_text(CspValue v, const char *wanted) {
  char *got = csp_format(call, v, true, NULL);
  assert_string_equal(got, wanted);
  free(got);
}

// --- Fields -----------------------------------------------------------------
static void fields_are_read_and_set(void **state) {
  (void)state;
  CspValue p = given("point"), v;
  assert_true(csp_field(p, "y", &v));
  assert_int_equal(csp_to_int(v), 2);
  assert_false(csp_field(p, "z", &v));
  assert_int_equal(csp_type(v), CSP_NIL);
  assert_false(csp_field(p, "sum", &v));
  assert_false(csp_field(csp_int(call, 5), "x", &v));
  assert_string_equal(csp_field_at(p, 1, &v), "y");
  assert_int_equal(csp_to_int(v), 2);
  assert_null(csp_field_at(p, 3, &v));
  assert_null(csp_field_at(p, -1, &v));
  assert_null(csp_field_at(csp_int(call, 5), 0, &v));
  CspValue type = member(&host, script, "Point");
  assert_string_equal(csp_field_at(type, 2, &v), "id");
  assert_int_equal(csp_type(v), CSP_NIL);
  assert_null(csp_field_at(type, 3, &v));
  assert_true(csp_set_field(call, p, "y", csp_int(call, 20)));
  assert_false(csp_set_field(call, p, "z", csp_int(call, 20)));
  expect_text(p, "Point(x: 1, y: 20, id: 3)");
}

static CspStatus set(CspCall *in) {
  const char *name;
  if (!csp_need_string(in, 1, &name, NULL)) return CSP_PANIC;
  if (!csp_set_field(in, csp_arg(in, 0), name, csp_arg(in, 2)))
    return CSP_PANIC;
  return csp_ok_nothing(in);
}

static const CspFunction builtins[] = {{"set", "v, name, to", set},
                                       {NULL, NULL, NULL}};

static void natives_panic_where_there_is_no_field(void **state) {
  (void)state;
  Host own;
  open_host(&own, STEPPED);
  assert_true(csp_register_builtins(own.csp, builtins));
  assert_int_equal(run(&own,
                       "struct P { x }\n"
                       "p := P(1)\n"
                       "set(p, \"x\", 2)\n"
                       "println(p)\n"
                       "_, err := try(set, p, \"y\", 2)\n"
                       "println(err)\n"
                       "_, err = try(set, [], \"y\", 2)\n"
                       "println(err)\n"),
                   0);
  assert_string_equal(own.out,
                      "P(x: 2)\nP has no field `y`\n"
                      "cannot set field `y` of list\n");
  close_host(&own);
}

// --- Instances --------------------------------------------------------------
static CspValue made(int count, const char *const *names) {
  CspValue values[4];
  for (int n = 0; n < 4; n++) values[n] = csp_int(call, 10 * (n + 1));
  CspResult result;
  csp_new_struct(call, member(&host, script, "Point"), count, values, names,
                 &result);
  if (result.message != NULL) print_error("%s", result.message);
  assert_int_equal(result.end, CSP_DONE);
  assert_int_equal(result.count, 1);
  return result.values[0];
}

static void not_made(const char *of, int count, const char *const *names,
                     const char *why) {
  CspValue values[4];
  for (int n = 0; n < 4; n++) values[n] = csp_int(call, n);
  CspResult result;
  csp_new_struct(call, member(&host, script, of), count, values, names,
                 &result);
  assert_int_equal(result.end, CSP_THREW);
  assert_non_null(strstr(result.message, why));
  assert_int_equal(csp_type(result.values[0]), CSP_ERROR);
  csp_result_free(&result);
}

static void instances_are_made(void **state) {
  (void)state;
  const char *second_by_name[] = {NULL, "id"};
  const char *turned[] = {"id", "y", "x"};
  expect_text(made(3, NULL), "Point(x: 10, y: 20, id: 30)");
  expect_text(made(3, turned), "Point(x: 30, y: 20, id: 10)");
  expect_text(made(2, second_by_name), "Point(x: 10, y: 0, id: 20)");
  // Only what is not given is computed.
  expect_text(made(1, NULL), "Point(x: 10, y: 0, id: 1)");
  expect_text(made(2, NULL), "Point(x: 10, y: 20, id: 2)");
}

static void mistakes_are_told(void **state) {
  (void)state;
  const char *unknown[] = {NULL, "z"}, *twice[] = {NULL, "x"};
  const char *between[] = {"y", NULL}, *only_y[] = {"y"};
  not_made("Point", 4, NULL, "Point: more values than fields");
  not_made("Empty", 1, NULL, "Empty: more values than fields");
  not_made("Point", 2, unknown, "Point has no field `z`");
  not_made("Point", 2, twice, "Point: field `x` is given twice");
  not_made("Point", 2, between, "Point: a value without a name follows `y`");
  not_made("Point", 1, only_y, "Point: argument `x` is missing");
  not_made("Point", 0, NULL, "`x` is missing");
  not_made("point", 0, NULL, "csp_new_struct needs a struct type");
}

// --- Methods ----------------------------------------------------------------
static CspValue called(CspValue function, int argc, const CspValue *argv) {
  CspResult result;
  csp_call(call, function, argc, argv, &result);
  if (result.message != NULL) print_error("%s", result.message);
  assert_int_equal(result.end, CSP_DONE);
  return result.values[0];
}

static void methods_are_bound(void **state) {
  (void)state;
  CspValue p = given("point"), ten = csp_int(call, 10), method;
  assert_true(csp_method(call, p, "sum", &method));
  assert_int_equal(csp_type(method), CSP_FUNC);
  assert_int_equal(csp_to_int(called(method, 1, &ten)), 13);
  assert_false(csp_method(call, p, "x", &method));
  assert_int_equal(csp_type(method), CSP_NIL);
}

static void a_types_method_is_plain(void **state) {
  (void)state;
  CspValue method, args[2];
  assert_true(csp_method(call, member(&host, script, "Point"), "sum", &method));
  args[0] = given("point");
  args[1] = csp_int(call, 5);
  assert_int_equal(csp_to_int(called(method, 2, args)), 8);
}

static void builtin_values_have_methods(void **state) {
  (void)state;
  CspValue method, list = given("list");
  assert_true(csp_method(call, list, "sort", &method));
  called(method, 0, NULL);
  expect_text(list, "[1, 2, 3]");
  assert_true(csp_method(call, csp_string(call, "ab", 2), "to_upper", &method));
  expect_text(called(method, 0, NULL), "\"AB\"");
  assert_false(csp_method(call, csp_nil(), "to_upper", &method));
  assert_false(csp_method(call, csp_bool(true), "x", &method));
  assert_false(csp_method(call, given("point"), "", &method));
}

// --- Ranges -----------------------------------------------------------------
static void ranges_tell_their_ends(void **state) {
  (void)state;
  int64_t from, to, step;
  bool inclusive;
  assert_true(csp_range_get(given("open"), &from, &to, &inclusive, &step));
  assert_true(from == 2 && to == 5 && !inclusive && step == 1);
  assert_true(csp_range_get(given("closed"), &from, &to, &inclusive, &step));
  assert_true(from == -1 && to == 9 && inclusive && step == 1);
  assert_true(csp_range_get(given("down"), &from, &to, &inclusive, &step));
  assert_true(from == 8 && to == 2 && inclusive && step == -3);
  CspValue made = csp_range(call, 4, 7);
  assert_true(csp_range_get(made, &from, &to, &inclusive, &step));
  assert_true(from == 4 && to == 7 && !inclusive && step == 1);
  assert_false(csp_range_get(csp_nil(), &from, &to, &inclusive, &step));
}

// --- Bounded text -----------------------------------------------------------
static void expect_most(CspValue v, size_t most, const char *wanted, bool cut) {
  size_t len;
  bool was_cut;
  char *got = csp_format_most(call, v, true, most, &len, &was_cut);
  assert_non_null(got);
  assert_string_equal(got, wanted);
  assert_int_equal(len, strlen(wanted));
  assert_int_equal(was_cut, cut);
  free(got);
}

// Fault: csp_format_most crashed without `len` or `cut`.
static void the_length_and_the_cut_need_not_be_asked_for(void **state) {
  (void)state;
  CspValue list = given("list");
  size_t len = 99;
  bool cut = true;
  char *part = csp_format_most(call, list, true, 100, NULL, &cut);
  assert_string_equal(part, "[3, 1, 2]");
  assert_false(cut);
  free(part);
  part = csp_format_most(call, list, true, 8, &len, NULL);
  assert_string_equal(part, "[3, 1, 2");
  assert_int_equal(len, 8);
  free(part);
  part = csp_alloc_format_most(call, list, true, 8, NULL, NULL);
  assert_string_equal(part, "[3, 1, 2");
  csp_alloc_free(part);
  part = csp_format(call, list, true, NULL);
  assert_string_equal(part, "[3, 1, 2]");
  free(part);
}

static void text_is_cut(void **state) {
  (void)state;
  CspValue list = given("list");
  expect_most(list, 100, "[3, 1, 2]", false);
  expect_most(list, 9, "[3, 1, 2]", false);
  expect_most(list, 8, "[3, 1, 2", true);
  expect_most(list, 1, "[", true);
  expect_most(list, 0, "", true);
  expect_most(csp_string(call, "", 0), 0, "", true);
  expect_most(csp_nil(), 3, "nil", false);
}

static void every_cut_is_a_prefix_of_the_text(void **state) {
  (void)state;
  static const char *const of[] = {"umlauts", "point", "ring", "closed"};
  for (size_t n = 0; n < sizeof of / sizeof *of; n++) {
    CspValue v = given(of[n]);
    size_t len, got;
    bool cut;
    char *all = csp_format(call, v, true, &len);
    for (size_t most = 0; most <= len + 1; most++) {
      char *part = csp_format_most(call, v, true, most, &got, &cut);
      assert_non_null(part);
      assert_true(got <= most && got + 3 >= (most < len ? most : len));
      assert_memory_equal(part, all, got);
      assert_int_equal(cut, most < len);
      // It ends with a whole character.
      assert_true((all[got] & 0xc0) != 0x80);
      free(part);
    }
    free(all);
  }
}

// Fault: csp_format of a list that is shared 2^60 times took all memory.
static void huge_values_are_bounded(void **state) {
  (void)state;
  static const char *const of[] = {"ring", "bush", "deep", "long"};
  static const bool is_cut[] = {false, true, true, true};
  for (size_t n = 0; n < sizeof of / sizeof *of; n++) {
    CspValue v = given(of[n]);
    size_t len;
    bool cut;
    char *part = csp_format_most(call, v, false, 1000, &len, &cut);
    assert_non_null(part);
    assert_int_equal(cut, is_cut[n]);
    if (cut) assert_int_equal(len, 1000);
    free(part);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fields_are_read_and_set),
      cmocka_unit_test(natives_panic_where_there_is_no_field),
      cmocka_unit_test(instances_are_made),
      cmocka_unit_test(mistakes_are_told),
      cmocka_unit_test(methods_are_bound),
      cmocka_unit_test(a_types_method_is_plain),
      cmocka_unit_test(builtin_values_have_methods),
      cmocka_unit_test(ranges_tell_their_ends),
      cmocka_unit_test(text_is_cut),
      cmocka_unit_test(the_length_and_the_cut_need_not_be_asked_for),
      cmocka_unit_test(every_cut_is_a_prefix_of_the_text),
      cmocka_unit_test(huge_values_are_bounded),
  };
  return cmocka_run_group_tests(tests, open_it, close_stepped);
}
