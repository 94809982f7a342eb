// SPDX-License-Identifier: MIT
// Each object of the scripts in nth_scenarios.h fails, once and again when its
// operation begins again (nth_fixture.h).
#include "nth_fixture.h"

static void the_nth_object_fails(void **state) {
  (void)state;
  try_all(1, ONE_OBJECT);
}

static void the_nth_object_fails_twice(void **state) {
  (void)state;
  try_all(1, TWO_OBJECTS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_nth_object_fails),
      cmocka_unit_test(the_nth_object_fails_twice),
  };
  cmocka_set_test_filter(getenv("NTH_TEST"));
  return cmocka_run_group_tests(tests, NULL, NULL);
}
