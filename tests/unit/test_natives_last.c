// SPDX-License-Identifier: MIT
// A host's native that lasts has no looks, and keeps its P. What waits in the
// queues of that P goes on at another one. Here each native lasts until a
// goroutine has run that was made ready on the native's own P before.
#include <stdatomic.h>
#include <time.h>

#include "embed_fixture.h"

#define LIMIT ((uint64_t)1 << 30)
enum { TIMES = 4, WAIT_MS = 10000 };

static Host host;
static atomic_int told;

static CspStatus tell(CspCall *call) {
  atomic_store(&told, 1);
  return csp_ok_nothing(call);
}

// A native that lasts until tell has run, and says whether it has.
static CspStatus lasts(CspCall *call) {
  const struct timespec pause = {0, 1000 * 1000};
  for (int ms = 0; ms < WAIT_MS && !atomic_load(&told); ms++)
    nanosleep(&pause, NULL);
  return csp_ok_bool(call, atomic_exchange(&told, 0));
}

static const CspFunction natives[] = {
    {"tell", "", tell}, {"lasts", "", lasts}, {NULL, NULL, NULL}};

static void expect_all(const char *prepare, const char *before) {
  char text[1024];
  atomic_store(&told, 0);
  open_limited(&host, 2, LIMIT, 0);
  assert_true(csp_register_builtins(host.csp, natives));
  snprintf(text, sizeof text,
           "done := 0\n"
           "%s\n"
           "for i in %d {\n"
           "  %s\n"
           "  if lasts() { done++ }\n"
           "}\n"
           "print(done)\n",
           prepare, TIMES, before);
  int status = run(&host, text);
  if (status != 0) print_error("%s", host.err);
  assert_int_equal(status, 0);
  assert_int_equal(atoi(host.out), TIMES);
  close_host(&host);
}

static void one_in_the_ring(void **state) {
  (void)state;
  expect_all("", "go tell()");
}

static void a_receiver_that_runs_next(void **state) {
  (void)state;
  expect_all("c := chan()\ngo { for x in c { tell() } }", "c <- i");
}

static void after_many(void **state) {
  (void)state;
  expect_all("", "for j in 300 { go { } }; go tell()");
}

static void from_a_timer(void **state) {
  (void)state;
  expect_all("import \"time\"", "go { time.sleep(2ms); tell() }");
}

// No P is idle: the other one has a goroutine that computes.
static void beside_one_that_computes(void **state) {
  (void)state;
  expect_all("go { for { } }", "go tell()");
  expect_all("go { for { } }; c := chan()\ngo { for x in c { tell() } }",
             "c <- i");
  expect_all("import \"time\"; go { for { } }",
             "go { time.sleep(2ms); tell() }");
}

// sched.stats() shows how many calls there were of a host's natives.
static void calls_are_counted(void **state) {
  (void)state;
  open_limited(&host, 2, LIMIT, 0);
  assert_true(csp_register_builtins(host.csp, natives));
  assert_int_equal(run(&host,
                       "import \"sched\"\n"
                       "before := sched.stats().host_calls\n"
                       "for i in 1000 { tell() }\n"
                       "print(sched.stats().host_calls - before)\n"),
                   0);
  assert_int_equal(atoi(host.out), 1000);
  close_host(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_in_the_ring),
      cmocka_unit_test(a_receiver_that_runs_next),
      cmocka_unit_test(after_many),
      cmocka_unit_test(from_a_timer),
      cmocka_unit_test(beside_one_that_computes),
      cmocka_unit_test(calls_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
