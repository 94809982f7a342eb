// SPDX-License-Identifier: MIT
// The module math. Functions of real numbers take ints and floats and give
// floats. What has no answer is NaN or an infinity, as in C. Rounding functions
// give ints. They and int functions panic beyond the range of ints.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/stdlib.h"

// --- Real functions ---------------------------------------------------------
// X(name): double name(double) of the C library
#define POWERS(X) X(sqrt) X(exp) X(exp2) X(expm1) X(log2) X(log10) X(log1p)
#define CIRCULAR(X) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan)
#define HYPERBOLIC(X) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh)
#define UNARY(X) POWERS(X) CIRCULAR(X) HYPERBOLIC(X) X(erf)

// X(name, C function, parameters)
#define BINARY(X)         \
  X(pow, pow, "x, y")     \
  X(atan2, atan2, "y, x") \
  X(hypot, hypot, "x, y") \
  X(mod, fmod, "x, y")

#define X(name, function, params)                                       \
  static CspStatus math_##name(CspCall *call) {                         \
    double x, y;                                                        \
    if (!csp_need_number(call, 0, &x) || !csp_need_number(call, 1, &y)) \
      return CSP_PANIC;                                                 \
    return csp_ok_float(call, function(x, y));                          \
  }
BINARY(X)
#undef X

// The C library's may be off in the last digit, also for 27: one Newton step.
static double cube_root(double x) {
  double y = cbrt(x);
  if (isnormal(y)) y -= (y * y * y - x) / (3 * y * y);
  return y;
}

// log(x) is the natural logarithm; log(x, base) any other.
static CspStatus math_log(CspCall *call) {
  double x, base;
  if (!csp_need_number(call, 0, &x)) return CSP_PANIC;
  if (is_nil(call, 1)) return csp_ok_float(call, log(x));
  if (!csp_need_number(call, 1, &base)) return CSP_PANIC;
  if (base == 2) return csp_ok_float(call, log2(x));
  if (base == 10) return csp_ok_float(call, log10(x));
  return csp_ok_float(call, log(x) / log(base));
}

static double degrees(double x) { return x * (180 / M_PI); }

static double radians(double x) { return x * (M_PI / 180); }

// --- Rounding ---------------------------------------------------------------
// The whole number that `function` makes of a float, as an int.
static CspStatus rounded(CspCall *call, const char *name,
                         double (*function)(double)) {
  double x;
  if (!csp_need_number(call, 0, &x)) return CSP_PANIC;
  if (csp_type(csp_arg(call, 0)) == CSP_INT) {
    return csp_ok(call, csp_arg(call, 0));
  }
  x = function(x);
  // 2^63 is no int, -2^63 is one; NaN fails both.
  if (!(x >= -0x1p63 && x < 0x1p63)) {
    return csp_panic(call, "math.%s: %g is not within the range of an int",
                     name, x);
  }
  return csp_ok_int(call, (int64_t)x);
}

static CspStatus math_floor(CspCall *call) {
  return rounded(call, "floor", floor);
}

static CspStatus math_ceil(CspCall *call) {
  return rounded(call, "ceil", ceil);
}

static CspStatus math_trunc(CspCall *call) {
  return rounded(call, "trunc", trunc);
}

// To the nearest, halves away from zero. With digits to so many decimals, by
// way of the decimal form. So 2.675 rounds as it is stored, to 2.67.
static CspStatus math_round(CspCall *call) {
  double x;
  int64_t digits;
  if (is_nil(call, 1)) return rounded(call, "round", round);
  if (!csp_need_number(call, 0, &x) || !need_int_in(call, 1, 0, 300, &digits)) {
    return CSP_PANIC;
  }
  if (csp_type(csp_arg(call, 0)) == CSP_INT || !isfinite(x)) {
    return csp_ok(call, csp_arg(call, 0));
  }
  char *text = number_print(csp_of(call), "%.*f", (int)digits, x);
  if (text == NULL) return csp_panic_memory(call);
  int error = csp_parse_float(call, text, strlen(text), &x);
  csp_alloc_free(text);
  return error == ECANCELED ? CSP_PANIC : csp_ok_float(call, x);
}

// --- Questions --------------------------------------------------------------
static CspStatus math_is_nan(CspCall *call) {
  double x;
  if (!csp_need_number(call, 0, &x)) return CSP_PANIC;
  return csp_ok_bool(call, isnan(x));
}

// Is it +inf (sign > 0), -inf (sign < 0), or one of the two (0 or nil)?
static CspStatus math_is_inf(CspCall *call) {
  double x;
  int64_t sign;
  if (!csp_need_number(call, 0, &x) || !opt_int(call, 1, 0, &sign)) {
    return CSP_PANIC;
  }
  bool wanted = sign == 0 || (sign > 0) == (x > 0);
  return csp_ok_bool(call, isinf(x) && wanted);
}

static CspStatus math_is_finite(CspCall *call) {
  double x;
  if (!csp_need_number(call, 0, &x)) return CSP_PANIC;
  return csp_ok_bool(call, isfinite(x));
}

// -1, 0 or 1; NaN stays.
static CspStatus math_sign(CspCall *call) {
  double x;
  if (!csp_need_number(call, 0, &x)) return CSP_PANIC;
  if (isnan(x)) return csp_ok(call, csp_arg(call, 0));
  return csp_ok_int(call, (x > 0) - (x < 0));
}

// --- Both kinds of numbers --------------------------------------------------
// abs, min and max are the predeclared functions.
static CspStatus math_predeclared(CspCall *call, const char *name) {
  CspValue argv[64];
  int argc = csp_argc(call);
  if (argc > 64) {
    return csp_panic(call, "math.%s: more than 64 arguments; give a list",
                     name);
  }
  for (int i = 0; i < argc; i++) argv[i] = csp_arg(call, i);
  return csp_tail_named(call, name, argc, argv);
}

static CspStatus math_abs(CspCall *call) {
  return math_predeclared(call, "abs");
}

static CspStatus math_min(CspCall *call) {
  return math_predeclared(call, "min");
}

static CspStatus math_max(CspCall *call) {
  return math_predeclared(call, "max");
}

static CspStatus math_clamp(CspCall *call) {
  CspValue x = csp_arg(call, 0), low = csp_arg(call, 1),
           high = csp_arg(call, 2);
  double unused;
  for (int i = 0; i < 3; i++) {
    if (!csp_need_number(call, i, &unused)) return CSP_PANIC;
  }
  if (csp_compare(low, high) == 1) {
    return csp_panic(call, "math.clamp: low is greater than high");
  }
  if (csp_compare(x, low) == -1) return csp_ok(call, low);
  return csp_ok(call, csp_compare(x, high) == 1 ? high : x);
}

// --- Ints -------------------------------------------------------------------
static uint64_t magnitude(int64_t n) {
  return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

static uint64_t gcd_u64(uint64_t a, uint64_t b) {
  while (b != 0) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static CspStatus ok_unsigned(CspCall *call, uint64_t n, bool overflow) {
  if (overflow || n > INT64_MAX) {
    return csp_panic(call, "%s: integer overflow", csp_name(call));
  }
  return csp_ok_int(call, (int64_t)n);
}

static CspStatus math_gcd(CspCall *call) {
  int64_t a, b;
  if (!csp_need_int(call, 0, &a) || !csp_need_int(call, 1, &b)) {
    return CSP_PANIC;
  }
  return ok_unsigned(call, gcd_u64(magnitude(a), magnitude(b)), false);
}

static CspStatus math_lcm(CspCall *call) {
  int64_t a, b;
  if (!csp_need_int(call, 0, &a) || !csp_need_int(call, 1, &b)) {
    return CSP_PANIC;
  }
  if (a == 0 || b == 0) return csp_ok_int(call, 0);
  uint64_t result, x = magnitude(a), y = magnitude(b);
  bool overflow = __builtin_mul_overflow(x / gcd_u64(x, y), y, &result);
  return ok_unsigned(call, result, overflow);
}

// base to the power of a non-negative int, exactly.
static CspStatus math_ipow(CspCall *call) {
  int64_t base, exponent, result = 1;
  if (!csp_need_int(call, 0, &base) || !csp_need_int(call, 1, &exponent)) {
    return CSP_PANIC;
  }
  if (exponent < 0) return csp_bad_arg(call, 1, "0 or more");
  bool overflow = false;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) {
      overflow = overflow || __builtin_mul_overflow(result, base, &result);
    }
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base)) {
      overflow = true;
      break;
    }
  }
  if (overflow) return csp_panic(call, "%s: integer overflow", csp_name(call));
  return csp_ok_int(call, result);
}

// The greatest int whose square is at most n.
static CspStatus math_isqrt(CspCall *call) {
  int64_t n;
  if (!need_int_in(call, 0, 0, INT64_MAX, &n)) return CSP_PANIC;
  uint64_t root = (uint64_t)sqrt((double)n);
  while (root * root > (uint64_t)n) root--;
  while ((root + 1) * (root + 1) <= (uint64_t)n) root++;
  return csp_ok_int(call, (int64_t)root);
}

// How many bits of n (as 64 bits) are set.
static CspStatus math_popcount(CspCall *call) {
  int64_t n;
  if (!csp_need_int(call, 0, &n)) return CSP_PANIC;
  return csp_ok_int(call, __builtin_popcountll((uint64_t)n));
}

// --- Tables -----------------------------------------------------------------
static void add_math_constants(CspCall *call, CspValue module) {
  csp_module_set(call, module, "pi", csp_float(call, M_PI));
  csp_module_set(call, module, "e", csp_float(call, M_E));
  csp_module_set(call, module, "tau", csp_float(call, 2 * M_PI));
  csp_module_set(call, module, "inf", csp_float(call, (double)INFINITY));
  csp_module_set(call, module, "nan", csp_float(call, (double)NAN));
  csp_module_set(call, module, "max_int", csp_int(call, INT64_MAX));
  csp_module_set(call, module, "min_int", csp_int(call, INT64_MIN));
  csp_module_set(call, module, "max_float",
                 csp_float(call, 1.7976931348623157e308));
  csp_module_set(call, module, "epsilon",
                 csp_float(call, 2.220446049250313e-16));
}

static const CspFunction math_functions[] = {
    CSP_REPEATABLE,
#define X(name) CSP_REAL(#name, name),
    UNARY(X)
#undef X
#define X(name, function, params) {#name, params, math_##name},
        BINARY(X)
#undef X
            CSP_REAL("cbrt", cube_root),
    {"log", "x, base = nil", math_log},
    CSP_REAL("degrees", degrees),
    CSP_REAL("radians", radians),
    {"floor", "x", math_floor},
    {"ceil", "x", math_ceil},
    {"trunc", "x", math_trunc},
    {"round", "x, digits = nil", math_round},
    {"is_nan", "x", math_is_nan},
    {"is_inf", "x, sign = 0", math_is_inf},
    {"is_finite", "x", math_is_finite},
    {"sign", "x", math_sign},
    {"abs", "x", math_abs},
    {"min", "values...", math_min},
    {"max", "values...", math_max},
    {"clamp", "x, low, high", math_clamp},
    {"gcd", "a, b", math_gcd},
    {"lcm", "a, b", math_lcm},
    {"ipow", "base, exponent", math_ipow},
    {"isqrt", "n", math_isqrt},
    {"popcount", "n", math_popcount},
    {NULL, NULL, NULL},
};

const CspModule math_module = {"math", math_functions, add_math_constants, NULL,
                               0};
