// SPDX-License-Identifier: MIT
// Reading a decimal number as the nearest float: digits with at most one point
// among or beside them, a sign before and an exponent after.
//
// One pass keeps the digits that matter, however long the text is. Most
// numbers are then one exact multiplication or division. The others go to
// strtod without a point, which is all that a locale could change.
#include "vm/value/float_read.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "sched/rt.h"

// Far beyond any float, and any number of digits that a text can have.
#define EXPONENT_MAX ((int64_t)1 << 50)

void decimal_begin(DecimalText *number) {
  number->part = DECIMAL_SIGN;
  number->negative = number->exponent_negative = number->more = false;
  number->count = 0;
  number->point = number->exponent = 0;
  number->first = 0;
}

// --- Reading ----------------------------------------------------------------
// Digits after the first that is not zero.
static void keep_digits(DecimalText *number, const char *text, size_t len) {
  size_t at = 0;
  for (; at < len && number->count < DECIMAL_DIGITS; at++) {
    if (number->count < 19)
      number->first = number->first * 10 + (uint64_t)(text[at] - '0');
    number->digits[number->count++] = text[at];
  }
  RT_ASSERT(number->count <= DECIMAL_DIGITS);
  for (; at < len && !number->more; at++) number->more = text[at] != '0';
}

static void add_exponent(DecimalText *number, const char *text, size_t len) {
  for (size_t at = 0; at < len; at++) {
    int64_t exponent = number->exponent * 10 + (text[at] - '0');
    number->exponent = exponent < EXPONENT_MAX ? exponent : EXPONENT_MAX;
  }
  number->part = DECIMAL_E_DIGITS;
}

static void add_digits(DecimalText *number, const char *text, size_t len) {
  bool fraction =
      number->part == DECIMAL_POINT || number->part == DECIMAL_FRACTION;
  size_t zeros = 0;
  while (number->count == 0 && zeros < len && text[zeros] == '0') zeros++;
  number->point += fraction ? -(int64_t)zeros : (int64_t)(len - zeros);
  keep_digits(number, text + zeros, len - zeros);
  number->part = fraction ? DECIMAL_FRACTION : DECIMAL_WHOLE;
}

static DecimalPart take_other(DecimalText *number, char c) {
  switch (c) {
    case '.':
      if (number->part == DECIMAL_WHOLE) return DECIMAL_FRACTION;
      return number->part <= DECIMAL_FIRST ? DECIMAL_POINT : DECIMAL_BAD;
    case 'e':
    case 'E':
      if (number->part != DECIMAL_WHOLE && number->part != DECIMAL_FRACTION)
        break;
      return DECIMAL_E;
    case '+':
    case '-':
      if (number->part == DECIMAL_SIGN) {
        number->negative = c == '-';
        return DECIMAL_FIRST;
      }
      if (number->part != DECIMAL_E) break;
      number->exponent_negative = c == '-';
      return DECIMAL_E_SIGN;
    default:
      break;
  }
  return DECIMAL_BAD;
}

bool decimal_add(DecimalText *number, const char *text, size_t len) {
  for (size_t at = 0; at < len && number->part != DECIMAL_BAD;) {
    size_t end = at;
    while (end < len && (unsigned char)(text[end] - '0') < 10) end++;
    if (end == at) {
      number->part = take_other(number, text[at++]);
    } else if (number->part >= DECIMAL_E) {
      add_exponent(number, text + at, end - at);
    } else {
      add_digits(number, text + at, end - at);
    }
    if (end > at) at = end;
  }
  return number->part != DECIMAL_BAD;
}

// --- The float --------------------------------------------------------------
// first * 10^power, where first and the power are floats exactly, so that the
// one operation rounds exactly. false: they are not.
static bool exact(const DecimalText *number, int64_t power, double *out) {
  static const double powers[] = {
      1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  bool small = number->count <= 19 && number->first <= (uint64_t)1 << 53;
  if (FLT_EVAL_METHOD != 0 || !small || power < -22 || power > 22) return false;
  double digits = (double)number->first;
  *out = power < 0 ? digits / powers[-power] : digits * powers[power];
  return true;
}

// As printf would, for less: power has at most four digits.
static void put_exponent(char *end, int power) {
  RT_ASSERT(power > -10000 && power < 10000);
  *end++ = 'e';
  *end++ = power < 0 ? '-' : '+';
  if (power < 0) power = -power;
  for (int unit = 1000; unit > 0; unit /= 10)
    *end++ = (char)('0' + power / unit % 10);
  *end = '\0';
}

static double by_strtod(DecimalText *number, int64_t point) {
  char *end = number->digits + number->count;
  int64_t power = point - number->count;
  if (number->more) {
    *end++ = '1';
    power--;
  }
  put_exponent(end, (int)power);
  return strtod(number->digits, NULL);
}

int decimal_end(DecimalText *number, double *out) {
  bool whole =
      number->part == DECIMAL_WHOLE || number->part == DECIMAL_FRACTION;
  if (!whole && number->part != DECIMAL_E_DIGITS) return EINVAL;
  int64_t exponent =
      number->exponent_negative ? -number->exponent : number->exponent;
  int64_t point = number->point + exponent;
  double size = 0;
  if (number->count > 0 && point > 400) {
    size = INFINITY;
  } else if (number->count > 0 && point > -400 &&
             !exact(number, point - number->count, &size)) {
    size = by_strtod(number, point);
  }
  *out = number->negative ? -size : size;
  return isinf(size) ? ERANGE : 0;
}
