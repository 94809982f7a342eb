// SPDX-License-Identifier: MIT
// Types of a host's with operations of their own: a vector with all of them, a
// bare type with none, and one whose values are equal but have no hash.
#include "embed_fixture.h"

typedef struct Vec {
  int64_t n;
  double at[4];
} Vec;

static const CspClass vec_class;

static CspValue vec_new(CspCall *call, int64_t n, const double *at) {
  void *data;
  CspValue v = csp_host_new(call, &vec_class, &data);
  if (csp_is_undef(v)) return v;
  Vec *vec = data;
  vec->n = n;
  for (int64_t i = 0; i < n; i++) vec->at[i] = at[i];
  return v;
}

static char *vec_string(const void *data, size_t *len) {
  const Vec *vec = data;
  char *text = malloc(128);
  if (text == NULL) return NULL;
  *len = (size_t)sprintf(text, "vec(");
  for (int64_t i = 0; i < vec->n; i++)
    *len += (size_t)sprintf(text + *len, "%s%g", i > 0 ? ", " : "", vec->at[i]);
  *len += (size_t)sprintf(text + *len, ")");
  return text;
}

static bool vec_equal(const void *a, const void *b) {
  const Vec *x = a, *y = b;
  if (x->n != y->n) return false;
  for (int64_t i = 0; i < x->n; i++)
    if (x->at[i] != y->at[i]) return false;
  return true;
}

static uint64_t vec_hash(const void *data) {
  const Vec *vec = data;
  uint64_t hash = (uint64_t)vec->n;
  for (int64_t i = 0; i < vec->n; i++)
    hash = hash * 31 + (uint64_t)(int64_t)vec->at[i];
  return hash;
}

static double norm(const Vec *vec) {
  double sum = 0;
  for (int64_t i = 0; i < vec->n; i++) sum += vec->at[i] * vec->at[i];
  return sum;
}

static int vec_compare(const void *a, const void *b) {
  double x = norm(a), y = norm(b);
  return x < y ? -7 : x > y ? 7 : x == y ? 0 : 2;
}

static int64_t vec_len(const void *data) { return ((const Vec *)data)->n; }

static bool vec_add(CspCall *call, CspValue a, CspValue b, CspValue *sum) {
  const Vec *x = csp_host_data(a, &vec_class);
  const Vec *y = csp_host_data(b, &vec_class);
  double at[4];
  if (x == NULL && csp_type(a) == CSP_STRING) {  // the order is the script's
    *sum = csp_string(call, "string first", 12);
    return true;
  }
  if (x == NULL || y == NULL) return false;
  if (x->n != y->n) {
    csp_panic(call, "vectors of %d and %d", (int)x->n, (int)y->n);
    return false;
  }
  for (int64_t i = 0; i < x->n; i++) at[i] = x->at[i] + y->at[i];
  *sum = vec_new(call, x->n, at);
  return true;
}

// The place of an element, by 0 and so on, or "x" to "w". -1: there is none.
static int64_t place(const Vec *vec, CspValue index) {
  int64_t at = -1;
  if (csp_type(index) == CSP_INT) at = csp_to_int(index);
  if (csp_type(index) == CSP_STRING) {
    const char *name = csp_to_string(index, NULL);
    const char *found = name[0] != '\0' ? strchr("xyzw", name[0]) : NULL;
    if (found != NULL && name[1] == '\0') at = found - "xyzw";
  }
  return at < vec->n ? at : -1;
}

static bool vec_get(CspCall *call, CspValue v, CspValue index, CspValue *out) {
  const Vec *vec = csp_host_data(v, &vec_class);
  int64_t at = place(vec, index);
  if (at >= 0) *out = csp_float(call, vec->at[at]);
  return at >= 0;
}

static bool vec_set(CspCall *call, CspValue v, CspValue index, CspValue to) {
  (void)call;
  Vec *vec = csp_host_data(v, &vec_class);
  int64_t at = place(vec, index);
  CspType type = csp_type(to);
  if (at < 0 || (type != CSP_FLOAT && type != CSP_INT)) return false;
  vec->at[at] = csp_to_float(to);
  return true;
}

static bool vec_next(CspCall *call, CspValue of, CspValue with, int64_t *at,
                     CspValue *element) {
  (void)with;
  const Vec *vec = csp_host_data(of, &vec_class);
  if (*at >= vec->n) return false;
  *element = csp_float(call, vec->at[(*at)++]);
  return true;
}

static const CspOperations vec_operations = {
    .string = vec_string,
    .equal = vec_equal,
    .hash = vec_hash,
    .compare = vec_compare,
    .len = vec_len,
    .add = vec_add,
    .get = vec_get,
    .set = vec_set,
    .iterate = vec_next,
};
static const CspClass vec_class = {"vec", NULL, sizeof(Vec), &vec_operations};
static const CspClass bare_class = {"bare", NULL, 8, NULL};

static bool always_equal(const void *a, const void *b) {
  (void)a, (void)b;
  return true;
}

// An element that calls the script, which it may not.
static bool calls_back(CspCall *call, CspValue v, CspValue index,
                       CspValue *out) {
  (void)v;
  CspResult result;
  csp_call(call, index, 0, NULL, &result);
  if (result.end == CSP_DONE) {
    *out = result.values[0];
  } else {
    csp_panic(call, "%.40s", result.message);
  }
  csp_result_free(&result);
  return true;
}

static const CspOperations odd_operations = {.equal = always_equal,
                                             .get = calls_back};
static const CspClass odd_class = {"odd", NULL, 8, &odd_operations};

// --- Natives ----------------------------------------------------------------
static CspStatus make_vec(CspCall *call) {
  double at[4];
  int n = csp_argc(call);
  if (n > 4) return csp_panic(call, "vec: at most 4");
  for (int i = 0; i < n; i++)
    if (!csp_need_number(call, i, &at[i])) return CSP_PANIC;
  return csp_ok(call, vec_new(call, n, at));
}

static CspStatus make_bare(CspCall *call) {
  return csp_ok(call, csp_host_new(call, &bare_class, NULL));
}

static CspStatus make_odd(CspCall *call) {
  return csp_ok(call, csp_host_new(call, &odd_class, NULL));
}

static CspStatus twice(CspCall *call) {
  const Vec *vec = csp_host_data(csp_arg(call, 0), &vec_class);
  return csp_ok_float(call, 2 * vec->at[0]);
}

static const CspFunction builtins[] = {{"vec", "numbers...", make_vec},
                                       {"bare", "", make_bare},
                                       {"odd", "", make_odd},
                                       {NULL, NULL, NULL}};
static const CspFunction methods[] = {{"twice", "v", twice},
                                      {NULL, NULL, NULL}};

static void expect(const char *text, const char *out) {
  static const int procs[] = {STEPPED, 1, 2};
  for (size_t n = 0; n < sizeof procs / sizeof *procs; n++) {
    Host host;
    open_host(&host, procs[n]);
    assert_true(csp_register_builtins(host.csp, builtins));
    assert_true(csp_register_class(host.csp, &vec_class, methods));
    int status = run(&host, text);
    if (status != 0) print_error("%s", host.err);
    assert_int_equal(status, 0);
    assert_string_equal(host.out, out);
    close_host(&host);
  }
}

// --- Each operation ---------------------------------------------------------
static void text_is_the_hosts(void **state) {
  (void)state;
  expect(
      "v := vec(1, 2.5)\n"
      "println(v, [v], {\"k\": v}, str(v), \"${v}\", type(v))\n"
      "println(bare())\n",
      "vec(1, 2.5) [vec(1, 2.5)] {\"k\": vec(1, 2.5)} vec(1, 2.5) "
      "vec(1, 2.5) vec\n<bare>\n");
}

static void equality_is_the_hosts(void **state) {
  (void)state;
  expect(
      "a := vec(1, 2)\n"
      "b := vec(1, 2)\n"
      "println(a == b, a != b, a == vec(1), a == 1, a == nil, a == bare())\n"
      "println(b in [a], vec(3) in [a], equal([a], [b]))\n"
      "x := bare()\n"
      "println(x == x, x == bare(), x == a)\n",
      "true false false false false false\ntrue false true\n"
      "true false false\n");
}

// In a map that is walked, and in one with an index.
static void keys_fit_equality(void **state) {
  (void)state;
  expect(
      "for n in [3, 100] {\n"
      "  m := {}\n"
      "  for i in n { m[vec(i, -i)] = i }\n"
      "  for i in n { m[vec(i, -i)] += 1000 }\n"
      "  sum := 0\n"
      "  for i in n { sum += m[vec(i, -i)] }\n"
      "  println(len(m), sum, m[vec(-1)], vec(2, -2) in m)\n"
      "  delete(m, vec(0, 0))\n"
      "  println(len(m))\n"
      "}\n"
      "m := {}\n"
      "for i in 100 { m[bare()] = i }\n"
      "println(len(m))\n"
      "_, err := try(func() { m[odd()] = 1 })\n"
      "println(err)\n"
      "println(m[odd()], len([odd(), odd(), bare()].unique()))\n",
      "3 3003 nil true\n2\n100 104950 nil true\n99\n100\n"
      "a value with an == of its own but no hash cannot be a key of a map\n"
      "nil 2\n");
}

static void order_is_the_hosts(void **state) {
  (void)state;
  expect(
      "a := vec(1)\n"
      "b := vec(3)\n"
      "println(a < b, a <= b, a > b, b >= a, a < a, a <= vec(-1))\n"
      "println([b, a, vec(2)].sort(), max(a, b), min([b, a]))\n"
      "nan := vec(0.0 / 0.0)\n"
      "println(nan < a, a < nan, nan >= a)\n"
      "_, err := try(func() => a < 1)\n"
      "println(err)\n"
      "_, err = try(func() => 1 > bare())\n"
      "println(err)\n",
      "true true false true false true\n"
      "[vec(1), vec(2), vec(3)] vec(3) vec(1)\n"
      "false false false\n"
      "cannot apply `<` to vec and int\n"
      "cannot apply `>` to int and bare\n");
}

static void sums_are_the_hosts(void **state) {
  (void)state;
  expect(
      "println(vec(1, 2) + vec(10, 20))\n"
      "v := vec(1)\n"
      "v += vec(2)\n"
      "println(v, \"s\" + v)\n"
      "w := vec(1, 2)\n"
      "for f in [func() => v + 1, func() => 1 + v, func() => v + w,\n"
      "          func() => v - v, func() => v + \"s\", func() { v++ },\n"
      "          func() => bare() + 1] {\n"
      "  _, err := try(f)\n"
      "  println(err)\n"
      "}\n",
      "vec(11, 22)\nvec(3) string first\n"
      "cannot apply `+` to vec and int\ncannot apply `+` to int and vec\n"
      "vectors of 1 and 2\ncannot apply `-` to vec and vec\n"
      "cannot apply `+` to vec and string: write `str(x) + s`\n"
      "cannot apply `+` to vec and int\n"
      "cannot apply `+` to bare and int\n");
}

static void elements_are_the_hosts(void **state) {
  (void)state;
  expect(
      "v := vec(1, 2)\n"
      "println(v[0], v[1], v[\"y\"], v.x, v.twice(), len(v))\n"
      "v[0] = 10\n"
      "v.y = 20\n"
      "v.y += 1\n"
      "println(v)\n"
      "e, ok := v[1]\n"
      "println(e, ok)\n"
      "e, ok = v[2]\n"
      "println(e, ok)\n"
      "for f in [func() => v[2], func() => v.q, func() => v[nil],\n"
      "          func() { v[2] = 1 }, func() { v.x = \"s\" },\n"
      "          func() => v.nothing(), func() => bare()[0],\n"
      "          func() => bare().x, func() { bare()[0] = 1 },\n"
      "          func() { bare().x = 1 }, func() => len(bare())] {\n"
      "  _, err := try(f)\n"
      "  println(err)\n"
      "}\n",
      "1.0 2.0 2.0 1.0 2.0 2\nvec(10, 21)\n21.0 true\nnil false\n"
      "vec has no element 2\nvec has no element or method `q`\n"
      "vec has no element for nil\n"
      "vec cannot take int as that element\n"
      "vec cannot take string as that element\n"
      "vec has no method `nothing`\n"
      "cannot index bare\nbare has no method `x`\n"
      "cannot assign to an element of bare\n"
      "cannot set field `x` of bare\n"
      "len: x must be a string, bytes, list, tuple, map, range or channel, not "
      "bare\n");
}

static void loops_are_the_hosts(void **state) {
  (void)state;
  expect(
      "for x in vec(1, 2) { print(x, \"\") }\n"
      "for i, x in vec(3, 4) { print(i, x, \"\") }\n"
      "for x in vec() { print(\"never\") }\n"
      "println()\n"
      "_, err := try(func() { for x in bare() { } })\n"
      "println(err)\n",
      "1.0 2.0 0 3.0 1 4.0 \ncannot iterate over bare\n");
}

// Fault that it guards against: list said that for cannot go through them.
static void lists_are_made_of_them(void **state) {
  (void)state;
  expect(
      "println(list(vec(1, 2)), list(vec()))\n"
      "v := vec(5, 6)\n"
      "for x in list(v) {\n  v.x = 9\n  print(x, \"\")\n}\n"
      "println(v)\n"
      "_, err := try(func() => list(bare()))\n"
      "println(err)\n",
      "[1.0, 2.0] []\n5.0 6.0 vec(9, 6)\n"
      "list: x must be something that for can go through, not bare\n");
}

// Fault that it guards against: the operation's goroutine came back on another
// P, which the interpreter was not told.
static void operations_cannot_call_the_script(void **state) {
  (void)state;
  expect(
      "_, err := try(func() => odd()[func() => 1])\n"
      "println(err)\n",
      "panic: csp_call: by an operation of a ho\n");
}

static void the_c_interface_uses_them(void **state) {
  (void)state;
  Host host;
  open_host(&host, STEPPED);
  CspCall *call = csp_host(host.csp);
  double at[] = {1, 2};
  CspValue a = vec_new(call, 2, at), b = vec_new(call, 2, at);
  assert_true(csp_equal(a, b));
  assert_int_equal(csp_compare(a, vec_new(call, 1, at)), 1);
  CspValue map = csp_map(call, 0), found;
  assert_true(csp_map_set(call, map, a, csp_int(call, 5)));
  assert_true(csp_map_get(call, map, b, &found));
  char *text = csp_format(call, map, true, NULL);
  assert_string_equal(text, "{vec(1, 2): 5}");
  free(text);
  close_host(&host);
}

// --- Memory that is out ------------------------------------------------------
enum { MUCH = 300 << 10 };  // more than "next to nothing" (limits.c)
static int takes;           // how often a greedy operation was called

static bool find_none(CspCall *call, bool much) {
  char *data;
  takes++;
  if (much) csp_bytes_room(call, MUCH, &data);
  csp_panic_memory(call);
  return false;
}

static bool greedy_get(CspCall *call, CspValue v, CspValue index,
                       CspValue *out) {
  (void)v, (void)index, (void)out;
  return find_none(call, true);
}

static bool greedy_next(CspCall *call, CspValue of, CspValue with, int64_t *at,
                        CspValue *element) {
  (void)of, (void)with, (void)at, (void)element;
  return find_none(call, false);
}

static const CspOperations greedy_operations = {.get = greedy_get,
                                                .iterate = greedy_next};
static const CspClass greedy_class = {"greedy", NULL, 8, &greedy_operations};

static CspStatus make_greedy(CspCall *call) {
  return csp_ok(call, csp_host_new(call, &greedy_class, NULL));
}

// Faults that it guards against: without max_memory an operation that found no
// memory was called without end, as a loop's safepoint forgot the repeat, and
// what the operation itself had taken looked like another goroutine's.
static void operations_without_memory_are_repeated_some_times(void **state) {
  (void)state;
  static const CspFunction functions[] = {{"greedy", "", make_greedy},
                                          {NULL, NULL, NULL}};
  static const char *const texts[] = {
      "x := greedy()[1]", "for x in greedy() { }", "x := list(greedy())"};
  for (int i = 0; i < 3; i++) {
    Host host;
    CspResult result;
    open_host(&host, STEPPED);
    assert_true(csp_register_builtins(host.csp, functions));
    csp_limit_time(host.csp, (int64_t)5e9);  // ends what would never end
    takes = 0;
    csp_load(csp_host(host.csp), "host.csp", texts[i], strlen(texts[i]),
             &result);
    assert_int_equal(result.end, CSP_THREW);
    assert_non_null(strstr(result.message, "panic: out of memory"));
    assert_in_range(takes, 2, 10);
    csp_result_free(&result);
    close_host(&host);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_is_the_hosts),
      cmocka_unit_test(equality_is_the_hosts),
      cmocka_unit_test(keys_fit_equality),
      cmocka_unit_test(order_is_the_hosts),
      cmocka_unit_test(sums_are_the_hosts),
      cmocka_unit_test(elements_are_the_hosts),
      cmocka_unit_test(loops_are_the_hosts),
      cmocka_unit_test(lists_are_made_of_them),
      cmocka_unit_test(operations_cannot_call_the_script),
      cmocka_unit_test(the_c_interface_uses_them),
      cmocka_unit_test(operations_without_memory_are_repeated_some_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
