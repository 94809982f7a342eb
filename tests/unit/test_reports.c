// SPDX-License-Identifier: MIT
// What a host that steps its runtime is told of panics that nobody stops: all
// of them, in time.
#include "embed_fixture.h"
#include "vm/heap/work.h"

static Host host;

// Without the settings of CSPDEBUG: more collections would be counted.
static void open_plain(uint64_t memory) {
  CspConfig config;
  test_config(&config);
  config.stepped = true;
  config.max_memory = memory;
  config.debug = NULL;
  open_configured(&host, &config);
}

static void step_until_idle(void) {
  while (csp_step(host.csp, 1000000) == CSP_MORE) continue;
}

static int occurrences(const char *text, const char *of) {
  int count = 0;
  for (; (text = strstr(text, of)) != NULL; text += strlen(of)) count++;
  return count;
}

// --- The work of a report ---------------------------------------------------
// Values whose text is long, deep or has long causes; ten goroutines panic with
// each. In basic blocks between two looks (debug builds).
#define MOST_STEPS 3000000ull

static const char *const values[] = {
    "e := error(\"x\")\nfor i in 60000 { e = error(e, cause: e) }\nv := e\n",
    "xs := list(0..500000)\nv := error(xs)\n"
    "for i in 30 { v = error(xs, cause: v) }\n",
    "v := bytes(1000000)\n",
    "v := error(bytes(1000000))\n"
    "for i in 30 { v = error(bytes(1000000), cause: v) }\n",
    "v := \"x\".repeat(10000000)\n",
    "v := []\nfor i in 20000 { v = [v, v] }\n",
    "struct E { x }\nfunc (e E) string() => \"E\"\n"
    "v := [list(0..500000), [E(1)].repeat(1000)]\n",
};

static const char *const ways[] = {
    "for i in 10 { go { panic(v) } }\n",
    "for i in 10 {\n  t := go func() { panic(v) }()\n  _ = t\n}\n",
    "for i in 10 {\n  go func() {\n"
    "    for i in 30 { defer func() { panic(v) }() }\n"
    "  }()\n}\n",
};

static void reports_are_made_in_pieces(void **state) {
  (void)state;
  char text[1000];
  for (size_t n = 0; n < sizeof values / sizeof *values; n++) {
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
      snprintf(text, sizeof text, "%s%s", values[n], ways[way]);
      open_plain(256 << 20);
      load(&host, text);
#ifdef CSP_DEBUG
      work_steps = work_most = 0;
#endif
      step_until_idle();
#ifdef CSP_DEBUG
      if (work_most > MOST_STEPS)
        fail_msg("%s\n%llu between two looks", text,
                 (unsigned long long)work_most);
#endif
      close_host(&host);
    }
  }
}

static void a_limit_holds_while_many_panic(void **state) {
  (void)state;
  open_plain(0);
  CspHandle module =
      load(&host,
           "e := error(\"x\")\n"
           "for i in 60000 { e = error(e, cause: e) }\n"
           "func run() {\n  go { for { go { panic(e) }\n sleep(10us) } }\n"
           "  for { sleep(10us) }\n}\n");
  csp_limit_time(host.csp, 50 * 1000 * 1000);
  call_fails(&host, module, "run", CSP_INTERRUPTED, "interrupted");
  assert_non_null(strstr(host.err, "panic: "));
  close_host(&host);
}

// --- Tasks that nobody awaits -----------------------------------------------
static const char fails[] =
    "func fails(n) {\n  t := go func() { panic(\"lost ${n}\") }()\n"
    "  return t == nil\n}\n"
    "kept := go func() { panic(\"kept\") }()\n"
    "func start(_) {\n  for i in 10 { fails(i) }\n  sleep(1ms)\n  return "
    "0\n}\n";

static void a_collected_task_is_reported(void **state) {
  (void)state;
  open_plain(0);
  CspHandle module = load(&host, fails);
  call_int(&host, module, "start", 0);
  step_until_idle();
  assert_string_equal(host.err, "");
  // One may still be seen from a stack that has been left.
  for (int n = 0; n < 3; n++) {
    csp_collect(csp_host(host.csp));
    step_until_idle();
  }
  assert_in_range(occurrences(host.err, "that nobody awaited: lost"), 9, 10);
  assert_null(strstr(host.err, "kept"));
  close_host(&host);
  assert_int_equal(occurrences(host.err, "that nobody awaited: lost"), 10);
  assert_int_equal(occurrences(host.err, "that nobody awaited: kept"), 1);
}

// The same for the errors that tasks return.
static void a_collected_task_with_an_error_is_reported(void **state) {
  (void)state;
  open_plain(0);
  CspHandle module = load(&host,
                          "import \"sched\"\n"
                          "func start(_) {\n  for i in 10 {\n"
                          "    t := go func() { return i, error(\"lost\") }()\n"
                          "    asked := go func() { return error(\"no\") }()\n"
                          "    sched.yield()\n    _ = <-asked\n    _ = t\n  }\n"
                          "  sleep(1ms)\n  return 0\n}\n");
  call_int(&host, module, "start", 0);
  step_until_idle();
  for (int n = 0; n < 3; n++) {
    csp_collect(csp_host(host.csp));
    step_until_idle();
  }
  // One may still be seen from a stack that has been left.
  assert_in_range(
      occurrences(host.err, "error in a task that nobody awaited: lost\n"), 9,
      10);
  close_host(&host);
  assert_int_equal(occurrences(host.err, "that nobody awaited: lost\n"), 10);
  assert_null(strstr(host.err, "no\n"));
}

static void a_task_that_was_awaited_is_not(void **state) {
  (void)state;
  open_plain(0);
  CspHandle module = load(&host,
                          "import \"sched\"\n"
                          "kept := go func() { panic(\"kept\") }()\n"
                          "func take(_) {\n  sched.yield()\n"
                          "  _, err := try(func() => <-kept)\n"
                          "  kept = nil\n  return len(str(err))\n}\n");
  assert_int_equal(call_int(&host, module, "take", 0), 4);
  csp_collect(csp_host(host.csp));
  step_until_idle();
  close_host(&host);
  assert_string_equal(host.err, "");
}

// They do not keep each other, nor the memory.
static void many_lost_tasks_are_all_told_of(void **state) {
  (void)state;
  enum { ROUNDS = 200, EACH = 100 };
  open_plain(16 << 20);
  CspHandle module =
      load(&host,
           "func start(n) {\n  for i in n {\n"
           "    t := go func() {\n      xs := \"x\".repeat(10000)\n"
           "      panic(len(xs))\n    }()\n    _ = t\n  }\n"
           "  sleep(1ms)\n  return 0\n}\n");
  int seen = 0;
  for (int n = 0; n < ROUNDS; n++) {
    CspValue arg = csp_int(csp_host(host.csp), EACH);
    CspResult result;
    csp_call(csp_host(host.csp), member(&host, module, "start"), 1, &arg,
             &result);
    assert_int_equal(result.end, CSP_DONE);
    step_until_idle();
    csp_collect(csp_host(host.csp));
    step_until_idle();
    seen += strstr(host.err, "that nobody awaited: 10000") != NULL;
    host.err[0] = '\0';
  }
  assert_int_equal(seen, ROUNDS);
  close_host(&host);
}

// --- Texts that are not made ------------------------------------------------
static void a_string_method_that_waits_is_left_out(void **state) {
  (void)state;
  static const char *const bodies[] = {"<-chan()", "for { }", "sleep(1h)"};
  for (size_t n = 0; n < sizeof bodies / sizeof *bodies; n++) {
    char text[300];
    open_plain(0);
    snprintf(text, sizeof text,
             "struct E { x }\nfunc (e E) string() { %s }\n"
             "go func() { panic(E(1)) }()\n"
             "t := go func() { panic(E(2)) }()\n",
             bodies[n]);
    load(&host, text);
    for (int step = 0; step < 10; step++) csp_step(host.csp, 1000000);
    csp_collect(csp_host(host.csp));
    csp_step(host.csp, 1000000);
    assert_string_equal(host.err, "");
    close_host(&host);
    assert_int_equal(occurrences(host.err, "panic: E(x: 1)"), 1);
    assert_int_equal(occurrences(host.err, "panic: E(x: 2)"), 1);
  }
}

// --- Several panics ---------------------------------------------------------
static void all_panics_of_a_call_are_told(void **state) {
  (void)state;
  open_plain(0);
  CspHandle module = load(&host,
                          "struct E { x }\n"
                          "func (e E) string() => \"E of ${e.x}\"\n"
                          "func twice() {\n"
                          "  defer func() { panic(E(2)) }()\n"
                          "  panic(E(1))\n}\n"
                          "func again() {\n"
                          "  defer func() {\n    _ = recover()\n"
                          "    panic(\"new\")\n  }()\n"
                          "  panic(\"old\")\n}\n");
  call_fails(&host, module, "twice", CSP_THREW,
             "panic: E of 1\npanic: E of 2\n  ");
  call_fails(&host, module, "again", CSP_THREW,
             "panic: old [recovered]\npanic: new\n  ");
  assert_string_equal(host.err, "");
  close_host(&host);
}

// --- Places -----------------------------------------------------------------
static const char places[] =
    "func f() => 1 / 0\n"
    "func g() {\n  v := f()\n  return v\n}\n"
    "func seen(t) {\n"
    "  _, err := try(func() {\n    v := <-t\n    return v\n  })\n"
    "  return len(err.trace)\n}\n";
static const char places_message[] =
    "panic: division by zero\n  f at host.csp:1:15\n  g at host.csp:3:9\n";

static void a_message_has_each_place_once(void **state) {
  (void)state;
  open_plain(0);
  CspHandle module = load(&host, places);
  CspCall *call = csp_host(host.csp);
  CspResult result;
  csp_call(call, member(&host, module, "g"), 0, NULL, &result);
  assert_int_equal(result.end, CSP_THREW);
  assert_string_equal(result.message, places_message);
  csp_result_free(&result);
  close_host(&host);
}

// The script's wait gives the error its places.
static void a_task_that_a_script_awaited_has_each_place_once(void **state) {
  (void)state;
  open_plain(0);
  CspHandle module = load(&host, places);
  CspCall *call = csp_host(host.csp);
  CspValue task = csp_go(call, member(&host, module, "g"), 0, NULL, NULL, NULL);
  CspHandle held = csp_hold(call, task);
  CspResult result;
  csp_call(call, member(&host, module, "seen"), 1, &task, &result);
  assert_int_equal(result.end, CSP_DONE);
  assert_int_equal(csp_to_int(result.values[0]), 2);
  call = csp_host(host.csp);
  assert_true(csp_task_done(call, csp_held(call, held), &result));
  assert_int_equal(result.end, CSP_THREW);
  assert_string_equal(result.message, places_message);
  csp_result_free(&result);
  csp_release(host.csp, held);
  close_host(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reports_are_made_in_pieces),
      cmocka_unit_test(a_limit_holds_while_many_panic),
      cmocka_unit_test(a_collected_task_is_reported),
      cmocka_unit_test(a_collected_task_with_an_error_is_reported),
      cmocka_unit_test(a_task_that_was_awaited_is_not),
      cmocka_unit_test(many_lost_tasks_are_all_told_of),
      cmocka_unit_test(a_string_method_that_waits_is_left_out),
      cmocka_unit_test(all_panics_of_a_call_are_told),
      cmocka_unit_test(a_message_has_each_place_once),
      cmocka_unit_test(a_task_that_a_script_awaited_has_each_place_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
