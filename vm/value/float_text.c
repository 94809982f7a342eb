// SPDX-License-Identifier: MIT
// The shortest decimal that reads back as the same float.
//
// Most floats that people write have few digits: those are found with one
// multiplication and checked with one division, both exact enough to prove
// the answer. Others of a common size are found in integers of 128 bits, which
// hold them and their neighbours exactly. What is left goes through Steele and
// White's algorithm on big integers ("Dragon4"), which is always right. All
// three give the same. No locale is involved.
#include "vm/value/float_text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// --- Big integers -----------------------------------------------------------
enum { BIG_WORDS = 40 };  // 1280 bits: 2^1074 * 10 and more

typedef struct Big {
  int n;  // words in use
  uint32_t w[BIG_WORDS];
} Big;

static void big_set(Big *big, uint64_t x) {
  big->w[0] = (uint32_t)x;
  big->w[1] = (uint32_t)(x >> 32);
  big->n = big->w[1] ? 2 : big->w[0] ? 1 : 0;
}

static void big_mul(Big *big, uint32_t by) {
  uint64_t carry = 0;
  for (int i = 0; i < big->n; i++) {
    carry += (uint64_t)big->w[i] * by;
    big->w[i] = (uint32_t)carry;
    carry >>= 32;
  }
  RT_ASSERT(big->n < BIG_WORDS || carry == 0);
  if (carry) big->w[big->n++] = (uint32_t)carry;
}

static void big_mul_pow10(Big *big, int exponent) {
  for (; exponent >= 9; exponent -= 9) big_mul(big, 1000000000);
  for (; exponent > 0; exponent--) big_mul(big, 10);
}

static void big_shift(Big *big, int bits) {
  for (; bits >= 31; bits -= 31) big_mul(big, (uint32_t)1 << 31);
  big_mul(big, (uint32_t)1 << bits);
}

static int big_compare(const Big *a, const Big *b) {
  if (a->n != b->n) return a->n < b->n ? -1 : 1;
  for (int i = a->n - 1; i >= 0; i--)
    if (a->w[i] != b->w[i]) return a->w[i] < b->w[i] ? -1 : 1;
  return 0;
}

static void big_add(Big *a, const Big *b) {
  uint64_t carry = 0;
  int n = a->n > b->n ? a->n : b->n;
  for (int i = 0; i < n; i++) {
    carry += (uint64_t)(i < a->n ? a->w[i] : 0) + (i < b->n ? b->w[i] : 0);
    a->w[i] = (uint32_t)carry;
    carry >>= 32;
  }
  a->n = n;
  RT_ASSERT(n < BIG_WORDS || carry == 0);
  if (carry) a->w[a->n++] = (uint32_t)carry;
}

static void big_sub(Big *a, const Big *b) {  // a >= b
  int64_t borrow = 0;
  for (int i = 0; i < a->n; i++) {
    borrow += (int64_t)a->w[i] - (i < b->n ? b->w[i] : 0);
    a->w[i] = (uint32_t)borrow;
    borrow >>= 32;
  }
  RT_ASSERT(borrow == 0);
  while (a->n && a->w[a->n - 1] == 0) a->n--;
}

// Whether a + b is above `limit` (or equal to it, when `or_equal`).
static bool big_sum_above(const Big *a, const Big *b, const Big *limit,
                          bool or_equal) {
  Big sum = *a;
  big_add(&sum, b);
  return big_compare(&sum, limit) >= (or_equal ? 0 : 1);
}

// --- Digits -----------------------------------------------------------------
// A number is 0.d1d2d3... * 10^point.
typedef struct Decimal {
  char digits[24];
  int count;
  int point;
} Decimal;

// Everything that reads back as m * 2^e lies within (r - down, r + up) / s.
typedef struct Scaled {
  Big r, s, up, down;
  bool even;  // the ends of the interval read back, too
} Scaled;

static void scale_binary(Scaled *scaled, uint64_t m, int e, bool uneven) {
  big_set(&scaled->r, m);
  big_set(&scaled->s, 1);
  big_set(&scaled->up, 1);
  big_set(&scaled->down, 1);
  int extra = uneven ? 2 : 1;
  big_shift(&scaled->r, extra);
  big_shift(&scaled->s, extra);
  if (uneven) big_shift(&scaled->up, 1);
  if (e >= 0) {
    big_shift(&scaled->r, e);
    big_shift(&scaled->up, e);
    big_shift(&scaled->down, e);
  } else {
    big_shift(&scaled->s, -e);
  }
}

static void scale_decimal(Scaled *scaled, int point) {
  if (point >= 0) {
    big_mul_pow10(&scaled->s, point);
  } else {
    big_mul_pow10(&scaled->r, -point);
    big_mul_pow10(&scaled->up, -point);
    big_mul_pow10(&scaled->down, -point);
  }
}

// The next digit. *low and *high: nothing below, or above, need be told apart.
static int next_digit(Scaled *scaled, bool *low, bool *high) {
  big_mul(&scaled->r, 10);
  big_mul(&scaled->up, 10);
  big_mul(&scaled->down, 10);
  int digit = 0;
  while (big_compare(&scaled->r, &scaled->s) >= 0) {
    big_sub(&scaled->r, &scaled->s);
    digit++;
  }
  RT_ASSERT(digit <= 9);
  *low = big_compare(&scaled->r, &scaled->down) < (scaled->even ? 1 : 0);
  *high = big_sum_above(&scaled->r, &scaled->up, &scaled->s, scaled->even);
  return digit;
}

static void dragon4(double d, Decimal *out) {
  int e;
  uint64_t m = (uint64_t)ldexp(frexp(d, &e), 53);
  e -= 53;
  if (e < -1074) {  // subnormal: fewer bits
    m >>= -1074 - e;
    e = -1074;
  }
  Scaled x;
  x.even = m % 2 == 0;
  scale_binary(&x, m, e, m == (uint64_t)1 << 52 && e > -1074);
  out->point = (int)ceil(log10(d) - 1e-10);
  scale_decimal(&x, out->point);
  if (big_sum_above(&x.r, &x.up, &x.s, x.even)) {
    out->point++;
    big_mul(&x.s, 10);
  }
  out->count = 0;
  bool low, high;
  do {
    int digit = next_digit(&x, &low, &high);
    if (high && low) {
      big_mul(&x.r, 2);
      high = big_compare(&x.r, &x.s) >= 0;
    }
    if (high) digit++;
    RT_ASSERT(digit <= 9 && out->count < (int)sizeof out->digits);
    out->digits[out->count++] = (char)('0' + digit);
  } while (!low && !high);
}

// n below 100, as two digits.
static const char *digit_pair(uint64_t n) {
  static const char all[] =
      "0001020304050607080910111213141516171819"
      "2021222324252627282930313233343536373839"
      "4041424344454647484950515253545556575859"
      "6061626364656667686970717273747576777879"
      "8081828384858687888990919293949596979899";
  RT_ASSERT(n < 100);
  return all + 2 * n;
}

static void set_digits(Decimal *out, uint64_t n, int places) {
  char text[20];
  int at = sizeof text;
  for (; n >= 100; n /= 100) memcpy(text + (at -= 2), digit_pair(n % 100), 2);
  memcpy(text + (at -= 2), digit_pair(n), 2);
  if (text[at] == '0') at++;
  int len = (int)sizeof text - at;
  out->point = len - places;
  memcpy(out->digits, text + at, (size_t)len);
  while (len > 1 && out->digits[len - 1] == '0') len--;
  out->count = len;
}

// The nearest integer, of a double below 2^51: no bits below the point are left
// in the sum.
static double nearest_int(double d) { return d + 0x1.8p52 - 0x1.8p52; }

// d = n / 10^places with n below 10^15: decimals of up to 15 digits are all
// different floats, and n / 10^places is rounded just as reading rounds.
static bool few_digits(double d, int most, Decimal *out) {
  double power = 1;
  for (int places = 0; places <= most; places++, power *= 10) {
    if (d * power >= 1e15) return false;
    double n = nearest_int(d * power);
    if (n > 0 && n / power == d) {
      set_digits(out, (uint64_t)n, places);
      return true;
    }
  }
  return false;
}

// --- In 128 bits ------------------------------------------------------------
typedef unsigned Wide __attribute__((mode(TI)));  // of 128 bits

static Wide wide_power10(int exponent) {
  static const uint64_t powers[] = {
  // up to 10^19
#define FIVE_POWERS(p) p, p * 10, p * 100, p * 1000, p * 10000
      FIVE_POWERS(UINT64_C(1)), FIVE_POWERS(UINT64_C(100000)),
      FIVE_POWERS(UINT64_C(10000000000)),
      FIVE_POWERS(UINT64_C(1000000000000000))};
  return exponent < 20 ? powers[exponent]
                       : (Wide)powers[19] * powers[exponent - 19];
}

// Floats whose integers below fit: what is below the least has more than 21
// places, and the others have bits after the point.
#define WIDE_LEAST 1e-5
#define WIDE_ABOVE 0x1p52

// How many digits 2^exponent has before the point, less those that are zeros
// after it. (78913 / 2^18 is log10(2), near enough for all floats.)
static int digits_of_power2(int exponent) {
  return (exponent * 78913 >> 18) + 1;
}

// d times 10^places is value / 2^shift, with 17 or 18 digits before the point.
// All that is within up and down of it reads back as d, and so do the ends if
// the float is even. The result has the fewest digits there, and of those
// numbers it is the nearest to d.
static void wide_digits(double d, Decimal *out) {
  uint64_t bits;
  memcpy(&bits, &d, sizeof bits);
  const uint64_t one = (uint64_t)1 << 52;
  uint64_t m = (bits & (one - 1)) | one;
  int e = (int)(bits >> 52) - 1075;  // d = m * 2^e
  int places = 17 - digits_of_power2(e + 52);
  if (places > 21) places = 21;  // 2^(e+52) < WIDE_LEAST <= d
  int shift = 2 - e;
  RT_ASSERT(places >= 0 && shift > 2 && shift < 72);
  Wide power = wide_power10(places), value = power * m * 4;
  Wide up = power * 2, down = m == one ? power : up;
  bool odd = m % 2 != 0;
  uint64_t least = (uint64_t)((value - down + odd - 1) >> shift) + 1;
  uint64_t most = (uint64_t)((value + up - odd) >> shift);
  uint64_t unit = 1;
  while ((least + 9) / 10 <= most / 10) {
    least = (least + 9) / 10;
    most /= 10;
    unit *= 10;
    places--;
  }
  uint64_t n = (uint64_t)(value >> shift) / unit;
  Wide rest = value - (((Wide)n * unit) << shift);
  if (n < least || (n < most && rest * 2 >= (Wide)unit << shift)) n++;
  RT_ASSERT(n >= least && n <= most);
  set_digits(out, n, places);
}

static void find_digits(double d, Decimal *out) {
  bool wide = d >= WIDE_LEAST && d < WIDE_ABOVE;
  if (few_digits(d, wide ? 3 : 22, out)) return;
  if (wide)
    wide_digits(d, out);
  else
    dragon4(d, out);
}

// --- Text -------------------------------------------------------------------
static char *put_chars(char *out, const char *data, int count) {
  memcpy(out, data, (size_t)count);
  return out + count;
}

static char *put_zeros(char *out, int count) {
  memset(out, '0', (size_t)count);
  return out + count;
}

static char *put_power(char *out, const Decimal *decimal) {
  RT_ASSERT(decimal->count > 0 && decimal->digits[0] != '0');
  int exponent = decimal->point - 1;
  *out++ = decimal->digits[0];
  if (decimal->count > 1) {
    *out++ = '.';
    out = put_chars(out, decimal->digits + 1, decimal->count - 1);
  }
  *out++ = 'e';
  *out++ = exponent < 0 ? '-' : '+';
  if (exponent < 0) exponent = -exponent;
  if (exponent >= 100) *out++ = (char)('0' + exponent / 100);
  *out++ = (char)('0' + exponent / 10 % 10);
  *out++ = (char)('0' + exponent % 10);
  return out;
}

static char *put_positional(char *out, const Decimal *decimal) {
  if (decimal->point <= 0) {
    out = put_chars(out, "0.", 2);
    out = put_zeros(out, -decimal->point);
    return put_chars(out, decimal->digits, decimal->count);
  }
  if (decimal->count <= decimal->point) {
    out = put_chars(out, decimal->digits, decimal->count);
    out = put_zeros(out, decimal->point - decimal->count);
    return put_chars(out, ".0", 2);
  }
  out = put_chars(out, decimal->digits, decimal->point);
  *out++ = '.';
  return put_chars(out, decimal->digits + decimal->point,
                   decimal->count - decimal->point);
}

int format_float(double d, char *out) {
  char *end = out;
  if (isnan(d)) {
    end = put_chars(end, "nan", 3);
  } else {
    if (signbit(d)) *end++ = '-';
    d = fabs(d);
    Decimal x = {"0", 1, 1};
    if (isinf(d)) {
      end = put_chars(end, "inf", 3);
    } else {
      if (d != 0) find_digits(d, &x);
      bool exponent = d != 0 && (x.point - 1 < -4 || x.point - 1 >= 21);
      end = exponent ? put_power(end, &x) : put_positional(end, &x);
    }
  }
  *end = '\0';
  return (int)(end - out);
}
