// SPDX-License-Identifier: MIT
// Each allocation of the scripts in nth_scenarios.h fails, alone and with all
// that follow (nth_fixture.h).
#include "nth_fixture.h"

// --- Tests ------------------------------------------------------------------
static void a_runtime_is_made_or_not(void **state) {
  (void)state;
  for (long n = 1;; n += step_of_n()) {
    fail_begin(n, n % 2 == 0);
    Csp *csp = open_runtime(1);
    fail_free_all(csp);
    fail_end();
    if (fail_leaks() > 0) fail_msg("allocation %ld failed: a leak", n);
    if (failing.failed == 0) {
      assert_non_null(csp);
      if (getenv("NTH_VERBOSE") != NULL)
        printf("boot: %ld allocations\n", n - 1);
      break;
    }
  }
}

static void the_nth_fails(void **state) {
  (void)state;
  try_all(1, ONE);
}

static void all_fail_from_the_nth_on(void **state) {
  (void)state;
  try_all(1, ALL_FROM);
}

static void all_fail_on_two_ps(void **state) {
  (void)state;
  try_all(2, ALL_FROM);
}

static void all_fail_in_the_hosts_thread(void **state) {
  (void)state;
  try_all(0, ALL_FROM);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_runtime_is_made_or_not),
      cmocka_unit_test(the_nth_fails),
      cmocka_unit_test(all_fail_from_the_nth_on),
      cmocka_unit_test(all_fail_on_two_ps),
      cmocka_unit_test(all_fail_in_the_hosts_thread),
  };
  cmocka_set_test_filter(getenv("NTH_TEST"));
  return cmocka_run_group_tests(tests, NULL, NULL);
}
