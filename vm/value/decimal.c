// SPDX-License-Identifier: MIT
// Reading a decimal number as the nearest float: digits with at most one point
// among or beside them, a sign before and an exponent after.
//
// One pass keeps the digits that matter, however long the text is. Most
// numbers are then one exact multiplication or division. The others go to
// strtod without a point, which is all that a locale could change.
#include "vm/value/decimal.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

// Far beyond any float, and any number of digits that a text can have.
#define EXPONENT_MAX ((int64_t)1 << 50)

void decimal_begin(DecimalText *x) {
  x->part = DECIMAL_SIGN;
  x->negative = x->exponent_negative = x->more = false;
  x->count = 0;
  x->point = x->exponent = 0;
  x->first = 0;
}

// --- Reading ----------------------------------------------------------------
// Digits after the first that is not zero.
static void keep_digits(DecimalText *x, const char *text, size_t len) {
  size_t at = 0;
  for (; at < len && x->count < DECIMAL_DIGITS; at++) {
    if (x->count < 19) x->first = x->first * 10 + (uint64_t)(text[at] - '0');
    x->digits[x->count++] = text[at];
  }
  for (; at < len && !x->more; at++) x->more = text[at] != '0';
}

static void add_exponent(DecimalText *x, const char *text, size_t len) {
  for (size_t at = 0; at < len; at++) {
    int64_t exponent = x->exponent * 10 + (text[at] - '0');
    x->exponent = exponent < EXPONENT_MAX ? exponent : EXPONENT_MAX;
  }
  x->part = DECIMAL_E_DIGITS;
}

static void add_digits(DecimalText *x, const char *text, size_t len) {
  bool fraction = x->part == DECIMAL_POINT || x->part == DECIMAL_FRACTION;
  size_t zeros = 0;
  while (x->count == 0 && zeros < len && text[zeros] == '0') zeros++;
  x->point += fraction ? -(int64_t)zeros : (int64_t)(len - zeros);
  keep_digits(x, text + zeros, len - zeros);
  x->part = fraction ? DECIMAL_FRACTION : DECIMAL_WHOLE;
}

static DecimalPart take_other(DecimalText *x, char c) {
  switch (c) {
    case '.':
      if (x->part == DECIMAL_WHOLE) return DECIMAL_FRACTION;
      return x->part <= DECIMAL_FIRST ? DECIMAL_POINT : DECIMAL_BAD;
    case 'e':
    case 'E':
      if (x->part != DECIMAL_WHOLE && x->part != DECIMAL_FRACTION) break;
      return DECIMAL_E;
    case '+':
    case '-':
      if (x->part == DECIMAL_SIGN) {
        x->negative = c == '-';
        return DECIMAL_FIRST;
      }
      if (x->part != DECIMAL_E) break;
      x->exponent_negative = c == '-';
      return DECIMAL_E_SIGN;
    default:
      break;
  }
  return DECIMAL_BAD;
}

bool decimal_add(DecimalText *x, const char *text, size_t len) {
  for (size_t at = 0; at < len && x->part != DECIMAL_BAD;) {
    size_t end = at;
    while (end < len && (unsigned char)(text[end] - '0') < 10) end++;
    if (end == at) {
      x->part = take_other(x, text[at++]);
    } else if (x->part >= DECIMAL_E) {
      add_exponent(x, text + at, end - at);
    } else {
      add_digits(x, text + at, end - at);
    }
    if (end > at) at = end;
  }
  return x->part != DECIMAL_BAD;
}

// --- The float --------------------------------------------------------------
// first * 10^power, where first and the power are floats exactly, so that the
// one operation rounds exactly. false: they are not.
static bool exact(const DecimalText *x, int64_t power, double *out) {
  static const double powers[] = {
      1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  bool small = x->count <= 19 && x->first <= (uint64_t)1 << 53;
  if (FLT_EVAL_METHOD != 0 || !small || power < -22 || power > 22) return false;
  double digits = (double)x->first;
  *out = power < 0 ? digits / powers[-power] : digits * powers[power];
  return true;
}

// As printf would, for less: power has at most four digits.
static void put_exponent(char *end, int power) {
  *end++ = 'e';
  *end++ = power < 0 ? '-' : '+';
  if (power < 0) power = -power;
  for (int unit = 1000; unit > 0; unit /= 10)
    *end++ = (char)('0' + power / unit % 10);
  *end = '\0';
}

static double by_strtod(DecimalText *x, int64_t point) {
  char *end = x->digits + x->count;
  int64_t power = point - x->count;
  if (x->more) {
    *end++ = '1';
    power--;
  }
  put_exponent(end, (int)power);
  return strtod(x->digits, NULL);
}

int decimal_end(DecimalText *x, double *out) {
  bool whole = x->part == DECIMAL_WHOLE || x->part == DECIMAL_FRACTION;
  if (!whole && x->part != DECIMAL_E_DIGITS) return EINVAL;
  int64_t exponent = x->exponent_negative ? -x->exponent : x->exponent;
  int64_t point = x->point + exponent;
  double size = 0;
  if (x->count > 0 && point > 400) {
    size = INFINITY;
  } else if (x->count > 0 && point > -400 &&
             !exact(x, point - x->count, &size)) {
    size = by_strtod(x, point);
  }
  *out = x->negative ? -size : size;
  return isinf(size) ? ERANGE : 0;
}
