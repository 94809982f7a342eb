// SPDX-License-Identifier: MIT
// What a native has called waits for what nobody can do any more, and a
// collection comes: the call has pointers to that goroutine, which stays.
#include "embed_fixture.h"

static CspStatus call_it(CspCall *call) {
  CspResult result;
  if (csp_call(call, csp_arg(call, 0), 0, NULL, &result) != CSP_DONE)
    return csp_rethrow(call, &result);
  return csp_ok(call, result.values[0]);
}

static const CspFunction natives[] = {{"call_it", "f", call_it},
                                      {NULL, NULL, NULL}};

static void open_with(Host *host, bool stepped) {
  CspConfig config;
  test_config(&config);
  config.stepped = stepped;
  config.procs = 2;
  config.debug = "poison=1";  // what is freed is written over
  open_configured(host, &config);
  assert_true(csp_register_builtins(host->csp, natives));
}

// The host's call ends by its limit, and the calls inside with it.
static void run_stepped(const char *text) {
  Host host;
  open_with(&host, true);
  csp_limit_time(host.csp, 20 * (int64_t)1000000);
  CspResult result;
  CspEnd how =
      csp_load(csp_host(host.csp), "waits.csp", text, strlen(text), &result);
  assert_int_equal(how, CSP_INTERRUPTED);
  csp_result_free(&result);
  for (int i = 0; i < 20; i++) csp_step(host.csp, 1000000);
  csp_collect(csp_host(host.csp));
  close_host(&host);
}

static void a_call_that_waits_is_interrupted(void **state) {
  (void)state;
  run_stepped(
      "import \"sched\"\n"
      "go { for { sched.gc() } }\n"
      "call_it(func() { <-chan() })\n");
}

static void calls_below_the_one_that_runs_stay(void **state) {
  (void)state;
  run_stepped(
      "import \"sched\"\n"
      "for i in 5 { go { call_it(func() { <-chan() }) } }\n"
      "sleep(1ms)\n"
      "call_it(func() { for { sched.gc() } })\n");
}

// With threads a group cancels them.
static void a_call_that_waits_is_cancelled(void **state) {
  (void)state;
  Host host;
  open_with(&host, false);
  static const char text[] =
      "import \"sched\"\n"
      "group g {\n"
      "  for i in 5 { go { call_it(func() { <-chan() }) } }\n"
      "  sleep(1ms)\n"
      "  for i in 20 { sched.gc() }\n"
      "  g.cancel()\n"
      "}\n"
      "println(\"ended\")\n";
  int status = -1;
  csp_run(host.csp, "waits.csp", text, strlen(text), &status);
  assert_int_equal(status, 0);
  assert_string_equal(host.out, "ended\n");
  close_host(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_call_that_waits_is_interrupted),
      cmocka_unit_test(calls_below_the_one_that_runs_stay),
      cmocka_unit_test(a_call_that_waits_is_cancelled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
