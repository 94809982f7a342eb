// SPDX-License-Identifier: MIT
// What hosts and natives are told of calls (CspResult), what csp_rethrow makes
// of that, and which of them has the last word on a waker's data.
#include "embed_fixture.h"

static Host host;

// --- A native that calls back -----------------------------------------------
// pass(f): what f gives, or fails with.
static CspStatus pass(CspCall *call) {
  CspResult result;
  if (csp_call(call, csp_arg(call, 0), 0, NULL, &result) != CSP_DONE)
    return csp_rethrow(call, &result);
  return csp_ok(call, result.values[0]);
}

static const CspFunction builtins[] = {{"pass", "f", pass}, {NULL, NULL, NULL}};

// --- Results ----------------------------------------------------------------
static void results_that_are_not_there_are_nil(void **state) {
  (void)state;
  open_host(&host, STEPPED);
  CspHandle module = load(&host,
                          "func none() { }\n"
                          "func two() { return 1, 2 }\n");
  CspResult result;
  CspCall *call = csp_host(host.csp);
  csp_call(call, member(&host, module, "none"), 0, NULL, &result);
  assert_int_equal(result.end, CSP_DONE);
  assert_int_equal(result.count, 0);
  for (int n = 0; n < CSP_RESULTS_MAX; n++)
    assert_int_equal(csp_type(result.values[n]), CSP_NIL);
  csp_call(call, member(&host, module, "two"), 0, NULL, &result);
  assert_int_equal(result.count, 2);
  assert_int_equal(csp_to_int(result.values[1]), 2);
  for (int n = 2; n < CSP_RESULTS_MAX; n++)
    assert_int_equal(csp_type(result.values[n]), CSP_NIL);
  close_host(&host);
}

// By lone calls, which give a caller that takes any number one nil before it.
static void an_error_of_lone_calls_comes_after_nil(void **state) {
  (void)state;
  open_host(&host, STEPPED);
  CspHandle module = load(&host,
                          "func bad() { return error(\"bad\") }\n"
                          "func lone() {\n"
                          "  (func() => nil)()?\n"
                          "  return bad()\n"
                          "}\n"
                          "func made() {\n"
                          "  bad()?\n"
                          "  return bad()\n"
                          "}\n");
  CspCall *call = csp_host(host.csp);
  for (int n = 0; n < 2; n++) {
    CspResult result;
    csp_call(call, member(&host, module, n == 0 ? "lone" : "made"), 0, NULL,
             &result);
    assert_int_equal(result.count, 2);
    assert_int_equal(csp_type(result.values[0]), CSP_NIL);
    assert_int_equal(csp_type(result.values[1]), CSP_ERROR);
  }
  close_host(&host);
}

// Its f fails like that; values[0] is an error, with that text.
static void fails_with_error(const char *script, CspEnd end, const char *text) {
  csp_limit_time(host.csp, 0);
  CspHandle module = load(&host, script);
  if (end == CSP_INTERRUPTED) csp_limit_time(host.csp, 1000 * 1000);
  CspResult result;
  csp_call(csp_host(host.csp), member(&host, module, "f"), 0, NULL, &result);
  assert_int_equal(result.end, end);
  assert_int_equal(csp_type(result.values[0]), CSP_ERROR);
  CspValue message = csp_error_message(result.values[0]);
  assert_non_null(strstr(csp_to_string(message, NULL), text));
  assert_non_null(strstr(result.message, text));
  csp_result_free(&result);
}

static void failures_have_an_error(void **state) {
  (void)state;
  open_host(&host, STEPPED);
  assert_true(csp_register_builtins(host.csp, builtins));
  fails_with_error("func f() => [][0]\n", CSP_THREW, "out of range");
  fails_with_error("func f() { <-chan() }\n", CSP_STUCK, "deadlock");
  fails_with_error("func f() { for { } }\n", CSP_INTERRUPTED, "interrupted");
  fails_with_error("func f() { sleep(1h) }\n", CSP_INTERRUPTED, "interrupted");
  fails_with_error("func f() { pass(func() { for { } }) }\n", CSP_INTERRUPTED,
                   "interrupted");
  close_host(&host);
}

// A panic whose deferred function does not end, under a limit of time.
static void expect_interrupted(const char *script, const char *message) {
  csp_limit_time(host.csp, 0);
  CspHandle module = load(&host, script);
  csp_limit_time(host.csp, 5000000);
  CspResult result;
  csp_call(csp_host(host.csp), member(&host, module, "f"), 0, NULL, &result);
  assert_int_equal(result.end, CSP_INTERRUPTED);
  assert_memory_equal(result.message, message, strlen(message));
  csp_result_free(&result);
}

// Fault: it was a copy, which carried the error, and so was no interruption.
static void an_interruption_that_goes_on_stays_one(void **state) {
  (void)state;
  open_host(&host, STEPPED);
  expect_interrupted(
      "func closing() => error(\"close\")\n"
      "func g() { defer func() { panic(recover()) }()\n"
      "  defer closing()\n"
      "  for { } }\n"
      "func f() { _ = try(g) }\n",
      "panic: interrupted [recovered]\n  also: close\n"
      "panic: interrupted\n  also: close\n");
  close_host(&host);
}

// Fault: the first "panic: " was missing.
static void an_interruption_tells_of_panics_before_it(void **state) {
  (void)state;
  open_host(&host, STEPPED);
  expect_interrupted("func f() { for { } }\n", "interrupted\n  f at ");
  expect_interrupted("func f() { defer func() { for { } }(); panic(\"x\") }\n",
                     "panic: x\npanic: interrupted\n  func@1 at ");
  expect_interrupted(
      "func g() { defer func() { for { } }(); panic(\"y\") }\n"
      "func f() { defer g(); panic(\"x\") }\n",
      "panic: x\npanic: y\npanic: interrupted\n  func@1 at ");
  expect_interrupted(
      "func f() { defer func() { r := recover(); for { } }(); panic(\"x\") }\n",
      "panic: x [recovered]\npanic: interrupted\n  func@1 at ");
  close_host(&host);
}

// --- Mistakes of the host ---------------------------------------------------
// A ninth one is dropped, and the call goes on, as after each failure of it.
static void the_hosts_call_takes_eight_results(void **state) {
  (void)state;
  open_host(&host, STEPPED);
  for (int turn = 0; turn < 2; turn++) {
    CspCall *call = csp_host(host.csp);
    for (int n = 0; n < CSP_RESULTS_MAX; n++)
      csp_return(call, csp_int(call, n));
    assert_int_equal(csp_ok_nothing(call), CSP_OK);
    csp_return(call, csp_nil());
    assert_int_equal(csp_ok_nothing(call), CSP_OK);
    assert_string_equal(csp_to_string(csp_string(call, "on", 2), NULL), "on");
  }
  close_host(&host);
}

static void members_that_are_not_there_are_nil(void **state) {
  (void)state;
  open_host(&host, STEPPED);
  CspHandle module = load(&host, "x := 5\n");
  CspCall *call = csp_host(host.csp);
  CspValue value;
  assert_true(csp_member(call, csp_held(call, module), "x", &value));
  assert_int_equal(csp_to_int(value), 5);
  assert_false(csp_member(call, csp_held(call, module), "y", &value));
  assert_int_equal(csp_type(value), CSP_NIL);
  value = csp_int(call, 5);
  assert_false(csp_member(call, value, "x", &value));
  assert_int_equal(csp_type(value), CSP_NIL);
  close_host(&host);
}

static void a_runtime_needs_no_config(void **state) {
  (void)state;
  Csp *csp = csp_new(NULL);
  assert_non_null(csp);
  csp_install_language(csp);
  int status = -1;
  csp_run(csp, "nothing.csp", "x := 1 + 1\n", 11, &status);
  assert_int_equal(status, 0);
  assert_int_equal(csp_free(csp), 0);
}

// --- csp_rethrow ------------------------------------------------------------
static void natives_pass_failures_on(void **state) {
  static const int procs[] = {STEPPED, 1, 4};
  (void)state;
  for (size_t n = 0; n < sizeof procs / sizeof *procs; n++) {
    open_host(&host, procs[n]);
    assert_true(csp_register_builtins(host.csp, builtins));
    int status = run(&host,
                     "println(pass(func() => 5))\n"
                     "v := [1]\n"
                     "func caught(f) {\n"
                     "  defer func() { println(recover() == v) }()\n"
                     "  pass(f)\n"
                     "}\n"
                     "caught(func() { panic(v) })\n"
                     "_, err := try(pass, func() => pass(func() => 1 / 0))\n"
                     "println(err)\n"
                     "pass(func() { last() })\n"
                     "func last() { panic(\"last\") }\n");
    assert_int_equal(status, 1);
    assert_string_equal(host.out, "5\ntrue\ndivision by zero\n");
    assert_non_null(strstr(host.err, "panic: last\n"));
    close_host(&host);
  }
}

// --- Wakers -----------------------------------------------------------------
static CspWaker *waker;
static int made;

static CspStatus wait_for_host(CspCall *call) {
  waker = csp_waker(call);
  return waker == NULL ? csp_panic_memory(call) : csp_park(call);
}

static CspValue make(CspCall *call, void *data) {
  made++;
  free(data);
  return csp_string(call, "woken", 5);
}

static const CspFunction waits[] = {{"wait", "", wait_for_host},
                                    {NULL, NULL, NULL}};

static void what_a_waker_was_given_is_freed(void **state) {
  (void)state;
  for (int steps = 0; steps < 2; steps++) {
    made = 0;
    open_host(&host, STEPPED);
    assert_true(csp_register_builtins(host.csp, waits));
    load(&host, "go { println(wait()) }\n");
    csp_step(host.csp, -1);
    csp_wake(waker, make, malloc(10));
    assert_int_equal(made, 0);
    if (steps) csp_step(host.csp, -1);
    assert_int_equal(made, steps);
    assert_string_equal(host.out, steps ? "woken\n" : "");
    close_host(&host);
    assert_int_equal(made, 1);
  }
}

static void a_waker_is_freed_when_it_is_woken(void **state) {
  (void)state;
  open_host(&host, STEPPED);
  assert_true(csp_register_builtins(host.csp, waits));
  load(&host, "go wait()\n");
  csp_step(host.csp, -1);
  close_host(&host);
  csp_wake(waker, make, malloc(10));  // nobody waits any more
  assert_int_equal(made, 2);
}

// --- Methods of the host ----------------------------------------------------
static CspStatus own_push(CspCall *call) { return csp_ok_int(call, 7); }
static const CspFunction own_methods[] = {{"push", "list, value", own_push},
                                          {NULL, NULL, NULL}};

// Also where the script has called push before.
static void a_host_replaces_methods(void **state) {
  (void)state;
  open_host(&host, STEPPED);
  CspHandle module = load(&host,
                          "xs := []\n"
                          "func add(x) { println(xs.push(x), len(xs)) }\n"
                          "for i in 2 { add(i) }\n");
  CspCall *call = csp_host(host.csp);
  assert_true(csp_register_methods(host.csp, CSP_LIST, own_methods));
  CspValue two = csp_int(call, 2);
  CspResult result;
  for (int n = 0; n < 2; n++) {
    csp_call(call, member(&host, module, "add"), 1, &two, &result);
    assert_int_equal(result.end, CSP_DONE);
  }
  assert_string_equal(host.out, "[0] 1\n[0, 1] 2\n7 2\n7 2\n");
  close_host(&host);
}

// --- csp_ok_each ------------------------------------------------------------
static int elements, guesses;

// 1, 2, … up to `of`; with `with` it panics after three.
static bool next_number(CspCall *call, CspValue of, CspValue with, int64_t *at,
                        CspValue *element) {
  if (*at == csp_to_int(of)) return false;
  elements++;
  if (*at == 3 && csp_truthy(with)) {
    csp_panic(call, "three is enough");
    return csp_type(with) == CSP_INT;  // it does not matter
  }
  *element = csp_int(call, ++*at);
  return true;
}

static size_t guess(CspValue of, CspValue with) {
  (void)with;
  guesses++;
  return (size_t)csp_to_int(of);
}

// numbers(n, strict = false)
static CspStatus numbers(CspCall *call) {
  int64_t n;
  if (!csp_need_int(call, 0, &n)) return CSP_PANIC;
  return csp_ok_each(call, next_number, csp_arg(call, 0), csp_arg(call, 1),
                     guess);
}

static void nothing_to_do(void *data) { (void)data; }
static CspStatus after_call(CspCall *call, void *data, bool called) {
  (void)data;
  (void)called;
  return numbers(call);
}
static CspStatus late_numbers(CspCall *call) {
  return csp_block_slow(call, nothing_to_do, after_call, NULL);
}

static const CspFunction sequences[] = {
    {"numbers", "n, strict = false", numbers},
    {"late_numbers", "n, strict = false", late_numbers},
    {NULL, NULL, NULL}};

static void sequence_gives(const char *script, const char *out,
                           int elements_then, int guesses_then) {
  elements = guesses = 0;
  host.out[0] = host.err[0] = '\0';
  load(&host, script);
  csp_step(host.csp, -1);
  assert_string_equal(host.out, out);
  assert_int_equal(elements, elements_then);
  assert_int_equal(guesses, guesses_then);
}

static void loops_make_what_they_need(void **state) {
  (void)state;
  open_host(&host, STEPPED);
  assert_true(csp_register_builtins(host.csp, sequences));
  sequence_gives("println(numbers(3))\n", "[1, 2, 3]\n", 3, 1);
  sequence_gives("xs := numbers(3)\nfor x in xs { print(x) }\n", "123", 3, 1);
  sequence_gives("for x in numbers(3) { print(x) }\n", "123", 3, 0);
  sequence_gives("for i, x in numbers(2) { print(i, x, \"\") }\n", "0 1 1 2 ",
                 2, 0);
  sequence_gives("for x in numbers(1000) { if x == 2 { break } }\n", "", 2, 0);
  sequence_gives("for _ in numbers(0) { print(1) }\n", "", 0, 0);
  sequence_gives("for x in late_numbers(1000) { print(x)\nbreak }\n", "1", 1,
                 0);
  sequence_gives("xs := late_numbers(2)\nprint(len(xs))\n", "2", 2, 1);
  close_host(&host);
}

static void elements_may_panic(void **state) {
  (void)state;
  static const char *const uses[] = {
      "for x in numbers(5, true) { sum += x }", "numbers(5, true)",
      "for x in numbers(5, 1) { sum += x }", "numbers(5, 1)"};
  for (int n = 0; n < 4; n++) {
    open_host(&host, 1);
    assert_true(csp_register_builtins(host.csp, sequences));
    char script[200];
    snprintf(script, sizeof script,
             "sum := 0\n_, err := try(func() {\n%s\n})\n"
             "println(sum, err)\nfunc f() {\n%s\n}\nf()\n",
             uses[n], uses[n]);
    assert_int_equal(run(&host, script), 1);
    assert_string_equal(
        host.out, n % 2 == 0 ? "6 three is enough\n" : "0 three is enough\n");
    assert_non_null(strstr(host.err, "panic: three is enough\n"));
    assert_non_null(strstr(host.err, "  f at host.csp:7:"));
    close_host(&host);
  }
}

// --- Channels ---------------------------------------------------------------
static void channels_have_a_limit(void **state) {
  (void)state;
  open_host(&host, STEPPED);
  CspCall *call = csp_host(host.csp);
  assert_true(csp_is_undef(csp_chan(call, (1u << 27) + 1)));
  assert_true(csp_is_undef(csp_chan(call, UINT32_MAX)));
  assert_int_equal(csp_type(csp_chan(call, 3)), CSP_CHAN);
  close_host(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_that_are_not_there_are_nil),
      cmocka_unit_test(an_error_of_lone_calls_comes_after_nil),
      cmocka_unit_test(failures_have_an_error),
      cmocka_unit_test(an_interruption_that_goes_on_stays_one),
      cmocka_unit_test(an_interruption_tells_of_panics_before_it),
      cmocka_unit_test(the_hosts_call_takes_eight_results),
      cmocka_unit_test(members_that_are_not_there_are_nil),
      cmocka_unit_test(a_runtime_needs_no_config),
      cmocka_unit_test(natives_pass_failures_on),
      cmocka_unit_test(what_a_waker_was_given_is_freed),
      cmocka_unit_test(a_waker_is_freed_when_it_is_woken),
      cmocka_unit_test(a_host_replaces_methods),
      cmocka_unit_test(loops_make_what_they_need),
      cmocka_unit_test(elements_may_panic),
      cmocka_unit_test(channels_have_a_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
