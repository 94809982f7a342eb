// SPDX-License-Identifier: MIT
// Work and span where a host is part of the chain: callbacks, and a runtime
// without threads. tests/cli/work_and_span.sh has what scripts do alone.
#include "embed_fixture.h"

enum { TRIES = 25 };

static CspStatus call_back(CspCall *call) {
  CspResult result;
  if (csp_call(call, csp_arg(call, 0), 0, NULL, &result) != CSP_DONE)
    return csp_rethrow(call, &result);
  return csp_ok_nothing(call);
}

static const CspFunction natives[] = {{"call_back", "f", call_back},
                                      {NULL, NULL, NULL}};

#define SPIN                       \
  "func spin() {\n"                \
  "  x := 0\n"                     \
  "  for i in 200000 { x += i }\n" \
  "}\n"

// One step after the other, in callbacks and outside.
#define CALLBACKS            \
  SPIN "for i in 5 {\n"      \
       "  call_back(spin)\n" \
       "  spin()\n"          \
       "}\n"

// A goroutine that waits in a callback for another one.
#define CALLBACKS_THAT_WAIT     \
  SPIN "c := chan(1)\n"         \
       "for i in 5 {\n"         \
       "  call_back(func() {\n" \
       "    go func() {\n"      \
       "      spin()\n"         \
       "      c <- i\n"         \
       "    }()\n"              \
       "    <-c\n"              \
       "    spin()\n"           \
       "  })\n"                 \
       "  spin()\n"             \
       "}\n"

// Eight at once.
#define LEAVES                                 \
  SPIN "group {\n"                             \
       "  for i in 8 { go call_back(spin) }\n" \
       "}\n"

// The quotient, or -1.
static double measure(const char *text, int procs, bool stepped) {
  Host host;
  CspConfig config;
  test_config(&config);
  config.procs = procs;
  config.stepped = stepped;
  config.debug = "workspan=1";
  open_configured(&host, &config);
  assert_true(csp_register_builtins(host.csp, natives));
  assert_int_equal(run(&host, text), 0);
  double work, span, quotient = -1;
  if (sscanf(host.err, "workspan: T1 %lf ms, Tinf %lf ms, parallelism %lf\n",
             &work, &span, &quotient) != 3)
    fail_msg("it says: %s", host.err);
  close_host(&host);
  return quotient;
}

// Tries again, as a thread that another program stops spoils a measurement.
static void expect_quotient(const char *text, int procs, bool stepped,
                            double least, double most) {
  double quotient = -1;
  for (int i = 0; i < TRIES; i++) {
    quotient = measure(text, procs, stepped);
    if (quotient >= least && quotient <= most) return;
  }
  fail_msg("%swith %d Ps: %.2f is not from %.2f to %.2f", text, procs, quotient,
           least, most);
}

static void callbacks_are_in_the_chain(void **state) {
  (void)state;
  for (int procs = 1; procs <= 8; procs *= 2) {
    expect_quotient(CALLBACKS, procs, false, 0.99, 1.2);
    expect_quotient(CALLBACKS_THAT_WAIT, procs, false, 0.99, 1.2);
    expect_quotient(LEAVES, procs, false, 5, 8.2);
  }
}

static void a_stepped_runtime_is_measured(void **state) {
  (void)state;
  expect_quotient(CALLBACKS, 1, true, 0.99, 1.2);
  expect_quotient(CALLBACKS_THAT_WAIT, 1, true, 0.99, 1.2);
  expect_quotient(LEAVES, 1, true, 5, 8.2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(callbacks_are_in_the_chain),
      cmocka_unit_test(a_stepped_runtime_is_measured),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
