// SPDX-License-Identifier: MIT
// Decimal numbers as floats: as strtod reads them, in whatever pieces they
// come.
#include "vm/value/float_read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/vm_fixture.h"

static uint64_t seed = 11;

static size_t pick(size_t n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (size_t)(seed >> 33) % n;
}

static int read_in(const char *text, size_t piece, double *out) {
  static DecimalText x;
  decimal_begin(&x);
  size_t len = strlen(text);
  for (size_t at = 0; at < len; at += piece) {
    size_t left = len - at;
    if (!decimal_add(&x, text + at, left < piece ? left : piece)) return EINVAL;
  }
  return decimal_end(&x, out);
}

static void same_as_strtod(const char *text) {
  double wanted = strtod(text, NULL), whole, pieces;
  int error = isinf(wanted) ? ERANGE : 0;
  assert_int_equal(read_in(text, 1000000, &whole), error);
  assert_int_equal(read_in(text, 1 + pick(5), &pieces), error);
  if (memcmp(&whole, &wanted, 8) != 0 || memcmp(&pieces, &wanted, 8) != 0)
    fail_msg("%.60s: %.17g and %.17g, not %.17g", text, whole, pieces, wanted);
}

static void any_numbers(void **state) {
  (void)state;
  char text[1200];
  for (int i = 0; i < 100000; i++) {
    size_t digits = 1 + pick(i % 50 == 0 ? 1000 : 24), at = 0;
    size_t point = pick(digits + 8);
    if (pick(3) == 0) text[at++] = pick(2) ? '-' : '+';
    for (size_t d = 0; d < digits; d++) {
      if (d == point) text[at++] = '.';
      text[at++] = (char)('0' + (pick(4) ? pick(10) : 0));
    }
    int exponent = (int)pick(700) - 350;
    if (pick(4) == 0) exponent = (int)pick(50) - 25;
    snprintf(text + at, 100, pick(2) ? "e%+d" : "E%d", exponent);
    if (pick(3) == 0) text[at] = '\0';
    same_as_strtod(text);
  }
}

// Halfway between two floats, and the least above and below that; at the ends
// of the range.
static void edges(void **state) {
  (void)state;
  static const char *const texts[] = {
      "9007199254740993",
      "9007199254740992.99999999999999999999999",
      "9007199254740993.00000000000000000000001",
      "2.2250738585072014e-308",
      "2.2250738585072011e-308",
      "4.9406564584124654e-324",
      "2.4703282292062327e-324",
      "2.4703282292062328e-324",
      "1.7976931348623157e308",
      "1.7976931348623158e308",
      "1.7976931348623159e308",
      "0e999999999999999999999",
      "1e-99999999999999999999",
      "1e99999999999999999999",
      "-0",
      "-0.0e5",
      "1.",
      ".5",
      "00000000000000000000000000001",
      "123456789012345678901234567890",
      "1e22",
      "1e23",
      "8.5e22",
      "-1.e-5"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    same_as_strtod(texts[i]);
}

// Halfway but for a digit after those that are kept.
static void a_late_digit_counts(void **state) {
  (void)state;
  enum { ZEROS = 2000 };
  char text[ZEROS + 30] = "9007199254740993.";
  memset(text + 17, '0', ZEROS);
  double d;
  assert_int_equal(read_in(text, 100, &d), 0);
  assert_true(d == 9007199254740992.0);
  text[17 + ZEROS] = '1';
  assert_int_equal(read_in(text, 100, &d), 0);
  assert_true(d == 9007199254740994.0);
}

// Zeros cancel the exponent however many they are.
static void many_zeros(void **state) {
  (void)state;
  enum { ZEROS = 5000 };
  char text[ZEROS + 30] = "1";
  double d;
  memset(text + 1, '0', ZEROS);
  snprintf(text + 1 + ZEROS, 20, "e-%d", ZEROS);
  assert_int_equal(read_in(text, 64, &d), 0);
  assert_true(d == 1);
  memcpy(text, "0.", 2);
  snprintf(text + ZEROS, 20, "25e%d", ZEROS);
  assert_int_equal(read_in(text, 64, &d), 0);
  assert_true(d == 25);
}

static void no_numbers(void **state) {
  (void)state;
  static const char *const texts[] = {
      "",    ".",     "+",    "-.",  "e5",   "1e",  "1e+", "1e5.5", "1.2.3",
      "1 ",  " 1",    "0x10", "inf", "nan",  "1,5", "--1", "1-",    "1e5e5",
      "+-1", "1e--1", ".e1",  "1_0", "1e5-", "1f",  "1.5d"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    double d;
    assert_int_equal(read_in(texts[i], 1, &d), EINVAL);
    assert_int_equal(read_in(texts[i], 100, &d), EINVAL);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_numbers),         cmocka_unit_test(edges),
      cmocka_unit_test(a_late_digit_counts), cmocka_unit_test(many_zeros),
      cmocka_unit_test(no_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
