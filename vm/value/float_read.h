// SPDX-License-Identifier: MIT
// Reading a decimal number as the nearest float: float_read.c.
#ifndef CSP_VM_VALUE_FLOAT_READ_H
#define CSP_VM_VALUE_FLOAT_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// More digits than any float has between itself and the next; one that is not
// zero after them is as good as a 1.
enum { DECIMAL_DIGITS = 800 };

typedef enum DecimalPart {
  DECIMAL_SIGN,      // nothing yet
  DECIMAL_FIRST,     // after the sign
  DECIMAL_WHOLE,     // a digit before the point
  DECIMAL_POINT,     // a point, and no digit yet
  DECIMAL_FRACTION,  // a point and a digit
  DECIMAL_E,
  DECIMAL_E_SIGN,
  DECIMAL_E_DIGITS,
  DECIMAL_BAD,
} DecimalPart;

// A number being read: 0.d1d2d3... * 10^(point + exponent). The text may come
// in pieces.
typedef struct DecimalText {
  DecimalPart part;
  bool negative, exponent_negative;
  bool more;         // a digit that is not zero was left out of `digits`
  int count;         // of digits, from the first that is not zero
  int64_t point;     // digits before the point, less zeros after it
  int64_t exponent;  // at most EXPONENT_MAX
  uint64_t first;    // the first 19 digits
  char digits[DECIMAL_DIGITS + 32];
} DecimalText;

void decimal_begin(DecimalText *number);
// The next piece of the text. false: it is no number.
bool decimal_add(DecimalText *number, const char *text, size_t len);
// 0. EINVAL: it is no number. ERANGE: it is too large, and *out is infinite.
int decimal_end(DecimalText *number, double *out);

#endif
