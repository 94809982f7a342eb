// SPDX-License-Identifier: MIT
// Natives as a host writes them: results, errors, tail calls, blocking work,
// values with C data, state of each runtime, walking maps.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config_fixture.h"
#include "vm/csp.h"

static char output[8192];  // of the one runtime that runs at a time
static int finalized;

static void take(void *arg, const char *data, size_t len) {
  (void)arg;
  size_t have = strlen(output);
  if (have + len >= sizeof output) len = sizeof output - 1 - have;
  memcpy(output + have, data, len);
  output[have + len] = '\0';
}

// --- Natives ----------------------------------------------------------------
static CspStatus too_many(CspCall *call) {
  for (int i = 0; i < 9; i++) csp_return(call, csp_int(call, i));
  return csp_ok_nothing(call);
}

static CspStatus first_panic_counts(CspCall *call) {
  csp_panic(call, "first");
  csp_panic(call, "second");
  return csp_ok_int(call, 1);
}

static CspStatus undefined_is_memory(CspCall *call) {
  return csp_ok(call, csp_string_take(call, NULL, 0));
}

static CspStatus with_error(CspCall *call) {
  return csp_ok_errno(call, ENOENT, "thing");
}

static CspStatus with_code(CspCall *call) {
  return csp_ok_coded(call, "odd", "%d is odd", 7);
}

static CspStatus apply(CspCall *call) {
  CspValue args[2] = {csp_arg(call, 1), csp_arg(call, 2)};
  return csp_tail(call, csp_arg(call, 0), 2, args);
}

static void double_it(void *data) { *(int64_t *)data *= 2; }

static CspStatus doubled(CspCall *call, void *data, bool made) {
  int64_t n = *(int64_t *)data;
  free(data);
  if (!made) return csp_panic(call, "host.block: %s", csp_no_thread());
  if (n > 100) return csp_panic(call, "%lld is too much", (long long)n);
  csp_return(call, csp_int(call, n));
  return csp_ok(call, csp_arg(call, 0));
}

static CspStatus block(CspCall *call) {
  int64_t *number = malloc(sizeof *number);
  if (number == NULL || !csp_need_int(call, 0, number)) {
    free(number);
    return CSP_PANIC;
  }
  return csp_block(call, double_it, doubled, number);
}

static CspStatus block_slow(CspCall *call) {
  int64_t *number = malloc(sizeof *number);
  if (number == NULL || !csp_need_int(call, 0, number)) {
    free(number);
    return CSP_PANIC;
  }
  return csp_block_slow(call, double_it, doubled, number);
}

static void count_down(void *data) { --*(int64_t *)data; }

static CspStatus until_zero(CspCall *call, void *data, bool made) {
  assert_true(made);
  if (*(int64_t *)data > 0)
    return csp_block(call, count_down, until_zero, data);
  free(data);
  return csp_ok(call, csp_arg(call, 0));
}

// Blocks again and again before it is over.
static CspStatus block_often(CspCall *call) {
  int64_t *number = malloc(sizeof *number);
  if (number == NULL || !csp_need_int(call, 0, number)) {
    free(number);
    return CSP_PANIC;
  }
  return csp_block(call, count_down, until_zero, number);
}

static _Atomic int left;  // calls that were never made

static CspStatus until_later(CspCall *call, void *data, bool made) {
  left += !made;
  if (made && *(int64_t *)data > 0)
    return csp_block_after(call, 100000, count_down, until_later, data);
  free(data);
  return csp_ok(call, csp_arg(call, 0));
}

// Blocks again and again, with a pause before each time.
static CspStatus block_after(CspCall *call) {
  int64_t *number = malloc(sizeof *number), ns;
  if (number == NULL || !csp_need_int(call, 0, number) ||
      !csp_need_int(call, 1, &ns)) {
    free(number);
    return CSP_PANIC;
  }
  return csp_block_after(call, ns, count_down, until_later, number);
}

// After blocking work the rest may be a tail call.
static CspStatus then_tail(CspCall *call, void *data, bool made) {
  assert_true(made);
  free(data);
  CspValue args[2] = {csp_int(call, 20), csp_int(call, 22)};
  return csp_tail(call, csp_arg(call, 0), 2, args);
}

static CspStatus block_and_tail(CspCall *call) {
  int64_t *number = calloc(1, sizeof *number);
  return csp_block(call, double_it, then_tail, number);
}

// Sums ints of a map while taking every key out.
static CspStatus drain(CspCall *call) {
  CspValue map, key, value;
  if (!csp_need_type(call, 0, CSP_MAP, &map)) return CSP_PANIC;
  int64_t sum = 0;
  CspIter iter = {0};
  while (csp_map_next(call, map, &iter, &key, &value)) {
    sum += csp_to_int(value);
    if (!csp_map_delete(call, map, key, NULL)) return CSP_PANIC;
  }
  return csp_ok_int(call, sum);
}

// --- A class ----------------------------------------------------------------
typedef struct Counter {
  int64_t n;
} Counter;

static void counter_finalize(void *data) {
  (void)data;
  finalized++;
}

static const CspClass counter_class = {"counter", counter_finalize,
                                       sizeof(Counter), NULL};
static const CspClass total_class = {"total", NULL, sizeof(int64_t), NULL};

static CspStatus counter_new(CspCall *call) {
  return csp_ok(call, csp_host_new(call, &counter_class, NULL));
}

static CspStatus counter_add(CspCall *call) {
  Counter *counter = csp_host_data(csp_arg(call, 0), &counter_class);
  int64_t *total = csp_state(csp_of(call), &total_class);
  int64_t n = 1;
  if (counter == NULL) return csp_bad_arg(call, 0, "a counter");
  bool given = csp_type(csp_arg(call, 1)) != CSP_NIL;
  if (given && !csp_need_int(call, 1, &n)) return CSP_PANIC;
  counter->n += n;
  *total += n;
  return csp_ok_int(call, counter->n);
}

static CspStatus counter_total(CspCall *call) {
  int64_t *total = csp_state(csp_of(call), &total_class);
  return csp_ok_int(call, total != NULL ? *total : -1);
}

// One that the module registers.
static const CspClass late_class = {"late", NULL, sizeof(int64_t), NULL};

static CspStatus late_new(CspCall *call) {
  return csp_ok(call, csp_host_new(call, &late_class, NULL));
}

static CspStatus late_count(CspCall *call) {
  int64_t *own = csp_host_data(csp_arg(call, 0), &late_class);
  int64_t *all = csp_state(csp_of(call), &late_class);
  if (own == NULL || all == NULL) return csp_bad_arg(call, 0, "a late");
  csp_return(call, csp_int(call, ++*own));
  return csp_ok_int(call, ++*all);
}

static const CspFunction late_methods[] = {
    {"count", "late", late_count},
    {NULL, NULL, NULL},
};

// --- The module -------------------------------------------------------------
static CspStatus give(CspCall *call) { return csp_ok(call, csp_arg(call, 0)); }

static const CspFunction functions[] = {
    {"too_many", "", too_many},
    {"first", "", first_panic_counts},
    {"memory", "", undefined_is_memory},
    {"with_error", "", with_error},
    {"with_code", "", with_code},
    {"apply", "f, a, b", apply},
    {"give", "v", give},
    CSP_STORED("stored", "v", give),
    CSP_STORED("stored_of", "f, a, b", apply),
    {"block", "n", block},
    {"block_slow", "n", block_slow},
    {"block_often", "n", block_often},
    {"block_after", "n, ns", block_after},
    {"block_and_tail", "f", block_and_tail},
    {"drain", "map", drain},
    {"counter", "", counter_new},
    {"total", "", counter_total},
    {"late", "", late_new},
    {NULL, NULL, NULL},
};

static const CspFunction methods[] = {
    {"add", "counter, n = 1", counter_add},
    {NULL, NULL, NULL},
};

// A class that is registered again keeps its methods.
static void init(CspCall *call, CspValue module) {
  csp_module_set(call, module, "answer", csp_int(call, 42));
  if (!csp_register_class(csp_of(call), &late_class, late_methods) ||
      !csp_register_class(csp_of(call), &late_class, NULL))
    csp_panic_memory(call);
}

static const char in_language[] = "func twice(x) => x * 2\n";
static const CspModule module = {"host", functions, init, in_language,
                                 sizeof in_language - 1};

static int max_threads;  // of the runtimes that check makes

static void check(const char *text, int status, const char *wanted) {
  CspConfig config;
  test_config(&config);
  config.procs = 2;
  config.max_threads = max_threads;
  config.write_out = config.write_err = take;
  output[0] = '\0';
  finalized = 0;
  Csp *csp = csp_new(&config);
  assert_non_null(csp);
  csp_install_language(csp);
  assert_true(csp_install_library(csp));
  assert_true(csp_register(csp, &module));
  assert_true(csp_register_class(csp, &counter_class, methods));
  assert_true(csp_register_class(csp, &total_class, NULL));
  int got = -1;
  char script[1024];
  snprintf(script, sizeof script, "import \"host\"\nimport \"sched\"\n%s",
           text);
  csp_run(csp, "script.csp", script, strlen(script), &got);
  csp_free(csp);
  assert_string_equal(output, wanted);
  assert_int_equal(got, status);
}

// --- Tests ------------------------------------------------------------------
static void results_and_errors(void **state) {
  (void)state;
  check("println(host.answer, host.twice(4))", 0, "42 8\n");
  check("_, e := try(host.too_many)\nprintln(e)", 0,
        "host.too_many: more than 8 results\n");
  check("_, e := try(host.first)\nprintln(e)", 0, "first\n");
  check("_, e := try(host.memory)\nprintln(e)", 0, "out of memory\n");
  check("v, e := host.with_error()\nprintln(v, e, e is error, e.code)", 0,
        "nil thing: No such file or directory true not_found\n");
  check("v, e := host.with_code()\nprintln(v, e, e.code)", 0,
        "nil 7 is odd odd\n");
}

// As a statement. CSP_STORED: what it gives may be an error, also where a
// function gives it that it leaves the rest to.
static void dropped_errors(void **state) {
  (void)state;
  check("host.give(3)\nhost.give(nil)\n_ = host.give(error(\"x\"))", 0, "");
  check("_, e := try(func() { host.give(error(\"x\")) })\nprintln(e)", 0,
        "x\n");
  check("_, e := try(func() { host.with_error() })\nprintln(e)", 0,
        "thing: No such file or directory\n");
  check("host.stored(error(\"x\"))\nprintln(host.stored(error(\"y\")))", 0,
        "y\n");
  check(
      "fail := func(a, b) => error(\"z\")\nhost.stored_of(fail, 1, 2)\n"
      "_, e := try(func() { host.apply(fail, 1, 2) })\nprintln(e)",
      0, "z\n");
  check(
      "func f() {\n  defer host.stored(error(\"x\"))\n"
      "  defer host.give(error(\"y\"))\n}\n"
      "_, e := try(f)\nprintln(e)",
      0, "y\n");
}

static void tail_calls(void **state) {
  (void)state;
  check("println(host.apply(func(a, b) => a - b, 5, 3))", 0, "2\n");
  check(
      "a, b := host.apply(func(a, b) { return b, a }, 1, 2)\n"
      "println(a, b)",
      0, "2 1\n");
  check(
      "_, e := try(func() => host.apply(func(a) => a, 1, 2))\n"
      "println(e != nil)",
      0, "true\n");
  check("println(host.apply(max, 1, 2))", 0, "2\n");
}

static void blocking_work(void **state) {
  (void)state;
  check("a, b := host.block(21)\nprintln(a, b)", 0, "42 21\n");
  check("_, e := try(func() { host.block(51) })\nprintln(e)", 0,
        "102 is too much\n");
  check("println(host.block_and_tail(func(a, b) => a + b))", 0, "42\n");
  check(
      "sum := 0\nts := []\nfor i in 0..50 {\n  t := go host.block(i)\n"
      "  ts.push(t)\n}\nfor t in ts {\n  a, b := <-t\n  sum += a\n}\n"
      "println(sum)",
      0, "2450\n");
}

// A bug once: each time took a piece of the C stack.
static void blocking_work_may_be_repeated(void **state) {
  (void)state;
  check("println(host.block_often(100000))", 0, "100000\n");
}

// No thread waits: there is one for calls.
static void blocking_work_may_come_later(void **state) {
  (void)state;
  check(
      "import \"time\"\nt := time.now()\nn := host.block_after(1, 3000000)\n"
      "println(n, time.now() - t >= 3ms)",
      0, "1 true\n");
  check("println(host.block_after(20, 1), host.block_after(1, 0))", 0,
        "20 1\n");
  max_threads = 2;
  check(
      "ts := []\nfor i in 100 { ts.push(go host.block_after(i, 1000)) }\n"
      "sum := 0\nfor t in ts { sum += <-t }\nprintln(sum)",
      0, "4950\n");
  max_threads = 0;
}

static void blocking_work_that_comes_later_is_cancelled(void **state) {
  (void)state;
  left = 0;
  check(
      "_, e := try(func() {\n"
      "  group g {\n    g.timeout(2ms)\n"
      "    for i in 5 { go host.block_after(1, 3600000000000) }\n"
      "    go host.block_after(1 << 62, 1)\n  }\n})\n"
      "println(e)",
      0, "deadline exceeded\n");
  assert_int_equal(left, 6);
}

// It is not made at the end, either.
static void blocking_work_that_comes_later_is_left(void **state) {
  (void)state;
  left = 0;
  check("go host.block_after(1, 3600000000000)\nsched.yield()\nprintln(1)", 0,
        "1\n");
  assert_int_equal(left, 1);
}

// A bug once: what came after the call, on another P, used the first one's
// heap.
static void blocking_work_ends_on_another_p(void **state) {
  (void)state;
  check(
      "ts := []\nfor i in 0..300 {\n  ts.push(go func() {\n"
      "    _, e := try(func() { host.block(51 + i) })\n"
      "    sleep(1us)\n    return str(e)\n  }())\n}\n"
      "wrong := 0\nfor i, t in ts {\n"
      "  if <-t != \"${2 * (51 + i)} is too much\" { wrong++ }\n}\n"
      "for i in 0..100 { ts.push(go host.block_and_tail("
      "func(a, b) { sleep(1us); return a + b })) }\n"
      "for t in ts[300:] { if <-t != 42 { wrong++ } }\n"
      "println(wrong)",
      0, "0\n");
}

// One for it, and one for the others meanwhile.
static void blocking_work_needs_two_threads(void **state) {
  (void)state;
  CspConfig config;
  test_config(&config);
  config.max_threads = 1;
  assert_null(csp_new(&config));
  assert_int_equal(errno, EINVAL);
  max_threads = 2;
  check(
      "others := 0\nt := go func() { for { others++; sched.yield() } }()\n"
      "for others == 0 { sched.yield() }\n"
      "a, b := host.block_slow(21)\nprintln(a, b, sched.procs())",
      0, "42 21 1\n");
  max_threads = 0;
}

static void maps_change_while_walked(void **state) {
  (void)state;
  check(
      "m := {}\nfor i in 0..100 { m[i] = i }\n"
      "println(host.drain(m), len(m))",
      0, "4950 0\n");
}

static void classes_have_methods_and_state(void **state) {
  (void)state;
  check(
      "a := host.counter()\nb := host.counter()\na.add()\na.add(4)\n"
      "println(b.add(2), a.add(0), host.total(), type(a))\n"
      "f := a.add\nprintln(f(1))",
      0, "2 5 7 counter\n6\n");
  assert_int_equal(finalized, 2);
  check("println(host.total())", 0, "0\n");
  check(
      "_, e := try(func() => host.counter().nothing())\n"
      "println(\"nothing\" in str(e))",
      0, "true\n");
}

static void modules_register_classes(void **state) {
  (void)state;
  check(
      "a, b := host.late(), host.late()\nprintln(a.count())\n"
      "println(b.count())\nprintln(a.count())",
      0, "1 1\n1 2\n2 3\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_and_errors),
      cmocka_unit_test(dropped_errors),
      cmocka_unit_test(tail_calls),
      cmocka_unit_test(blocking_work),
      cmocka_unit_test(blocking_work_ends_on_another_p),
      cmocka_unit_test(blocking_work_needs_two_threads),
      cmocka_unit_test(blocking_work_may_be_repeated),
      cmocka_unit_test(blocking_work_may_come_later),
      cmocka_unit_test(blocking_work_that_comes_later_is_cancelled),
      cmocka_unit_test(blocking_work_that_comes_later_is_left),
      cmocka_unit_test(maps_change_while_walked),
      cmocka_unit_test(classes_have_methods_and_state),
      cmocka_unit_test(modules_register_classes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
