// SPDX-License-Identifier: MIT
// Numbers of JSON texts. Without fraction and exponent one is an int, which
// must fit into 64 bits. All others are the nearest float.
#include <errno.h>

#include "stdlib/json.h"

static inline bool is_decimal(char c) { return (unsigned char)(c - '0') < 10; }

// Passes over digits. false: there are none, or given up.
static bool pass_digits(JsonText *text) {
  if (!is_decimal(*text->at))
    return json_refuse_other(text, "a digit of the number");
  for (;;) {
    const char *at = text->at, *from = at;
    while (at - from < JSON_PART && is_decimal(*at)) at++;
    text->at = at;
    if (at - from < JSON_PART) return true;
    if (!csp_work(text->call, JSON_PART)) {
      text->fail = JSON_PANICKED;
      return false;
    }
  }
}

static bool refuse_range(JsonText *text, const char *number, const char *why) {
  json_refuse(text, number, "%s", why);
  text->code = "range";
  return false;
}

// The digits from `from` up to `at`, as an int.
static bool json_int(JsonText *text, const char *number, CspValue *v) {
  enum { DIGITS = 19 };  // of the greatest
  bool negative = *number == '-';
  const char *from = number + negative;
  uint64_t n = 0, most = (uint64_t)INT64_MAX + negative;
  bool fits = text->at - from <= DIGITS;
  for (const char *at = from; fits && at < text->at; at++)
    n = n * 10 + (uint64_t)(*at - '0');
  if (!fits || n > most)
    return refuse_range(text, number, "an int of more than 64 bits");
  *v = csp_int(text->call, (int64_t)(negative ? 0 - n : n));
  if (csp_is_undef(*v)) text->fail = JSON_NO_MEMORY;
  return text->fail == JSON_FINE;
}

static bool json_float(JsonText *text, const char *number, CspValue *v) {
  double d = 0;
  int error =
      csp_parse_float(text->call, number, (size_t)(text->at - number), &d);
  if (error == ERANGE)
    return refuse_range(text, number, "the number is too large for a float");
  if (error != 0) {
    text->fail = JSON_PANICKED;
    return false;
  }
  *v = csp_float(text->call, d);
  if (csp_is_undef(*v)) text->fail = JSON_NO_MEMORY;
  return text->fail == JSON_FINE;
}

bool json_number(JsonText *text, CspValue *v) {
  const char *number = text->at;
  if (*text->at == '-') text->at++;
  bool zero = *text->at == '0';
  if (!pass_digits(text)) return false;
  if (zero && text->at > number + 1 + (*number == '-'))
    return json_refuse(text, number, "a number does not begin with a zero");
  bool whole = *text->at != '.' && (*text->at | 0x20) != 'e';
  if (whole) return json_int(text, number, v);
  if (*text->at == '.') {
    text->at++;
    if (!pass_digits(text)) return false;
  }
  if ((*text->at | 0x20) == 'e') {
    text->at++;
    if (*text->at == '+' || *text->at == '-') text->at++;
    if (!pass_digits(text)) return false;
  }
  return json_float(text, number, v);
}
