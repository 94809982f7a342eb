// SPDX-License-Identifier: MIT
// The module time. A point in time is an int, nanoseconds since 1970 in UTC; a
// span of time is an int, nanoseconds. The calendar is the C library's; local
// time is TZ's, read once per process.
#include "stdlib/moment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Calendar ---------------------------------------------------------------
Moment moment_of(int64_t t, bool utc) {
  Moment moment = {.ns = t % SECOND, .seconds = t / SECOND};
  if (moment.ns < 0) {
    moment.ns += SECOND;
    moment.seconds--;
  }
  time_t seconds = (time_t)moment.seconds;
  if (utc) {
    gmtime_r(&seconds, &moment.tm);
  } else {
    localtime_r(&seconds, &moment.tm);
  }
  return moment;
}

bool moment_time(struct tm tm, int64_t ns, bool utc, int64_t *out) {
  tm.tm_isdst = -1;
  int64_t seconds = utc ? timegm(&tm) : mktime(&tm);
  int64_t t;
  if (__builtin_mul_overflow(seconds, SECOND, &t)) return false;
  return !__builtin_add_overflow(t, ns, out);
}

void moment_add_digits(Buffer *out, int64_t n, int width, char fill) {
  char digits[64];
  size_t len =
      number_digits(n < 0 ? -(uint64_t)n : (uint64_t)n, 10, false, digits);
  if (n < 0) buffer_add_char(out, '-');
  if ((size_t)width > len) buffer_fill(out, fill, (size_t)width - len);
  buffer_add(out, digits, len);
}

// --- Clocks -----------------------------------------------------------------
static CspStatus time_now(CspCall *call) {
  return csp_ok_int(call, csp_wall_clock(call));
}

// For measuring: never goes back.
static CspStatus time_monotonic(CspCall *call) {
  return csp_ok_int(call, csp_monotonic(call));
}

// since(t): from t, which now() gave, until now.
static CspStatus time_since(CspCall *call) {
  int64_t from, span;
  if (!csp_need_int(call, 0, &from)) return CSP_PANIC;
  if (__builtin_sub_overflow(csp_wall_clock(call), from, &span)) {
    return csp_panic(call, "since: integer overflow");
  }
  return csp_ok_int(call, span);
}

static CspStatus time_sleep(CspCall *call) {
  int64_t ns;
  if (!csp_need_int(call, 0, &ns)) return CSP_PANIC;
  return csp_sleep(call, ns);
}

// --- Parts ------------------------------------------------------------------
// date(t, utc = false): a map of its parts. weekday 0 is Sunday.
static CspStatus time_date(CspCall *call) {
  int64_t t;
  if (!csp_need_int(call, 0, &t)) return CSP_PANIC;
  Moment m = moment_of(t, csp_truthy(csp_arg(call, 1)));
  const struct {
    const char *name;
    int64_t value;
  } parts[] = {
      {"year", (int64_t)m.tm.tm_year + 1900},
      {"month", m.tm.tm_mon + 1},
      {"day", m.tm.tm_mday},
      {"hour", m.tm.tm_hour},
      {"minute", m.tm.tm_min},
      {"second", m.tm.tm_sec},
      {"nanosecond", m.ns},
      {"weekday", m.tm.tm_wday},
      {"yearday", m.tm.tm_yday + 1},
      {"offset", (int64_t)m.tm.tm_gmtoff * SECOND},
  };
  CspValue map = csp_map(call, 12);
  if (csp_is_undef(map)) return csp_panic_memory(call);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (!csp_map_set_name(call, map, parts[i].name,
                          csp_int(call, parts[i].value))) {
      return CSP_PANIC;
    }
  }
  return csp_ok(call, map);
}

// from_date(year, month = 1, day = 1, hour = 0, minute = 0, second = 0,
// nanosecond = 0, utc = false): parts outside their usual range carry over
// (month 13 is January of the next year).
static CspStatus time_from_date(CspCall *call) {
  int64_t part[7], t;
  for (int i = 0; i < 7; i++) {
    bool one = i == 1 || i == 2;
    part[i] = one;
    int64_t most = i == 0 ? 9999 : i == 6 ? INT64_MAX / 2 : 1000000000;
    if (is_nil(call, i) && i > 0) continue;
    if (!need_int_in(call, i, i == 0 ? 0 : -most, most, &part[i])) {
      return CSP_PANIC;
    }
  }
  struct tm tm = {.tm_year = (int)part[0] - 1900,
                  .tm_mon = (int)part[1] - 1,
                  .tm_mday = (int)part[2],
                  .tm_hour = (int)part[3],
                  .tm_min = (int)part[4],
                  .tm_sec = (int)part[5]};
  if (!moment_time(tm, part[6], csp_truthy(csp_arg(call, 7)), &t)) {
    return csp_panic(call,
                     "from_date: an int of nanoseconds holds the years "
                     "1678 to 2261 only");
  }
  return csp_ok_int(call, t);
}

// --- Durations --------------------------------------------------------------
// value / unit with the fraction it needs, and the unit's name.
static void add_unit(Buffer *out, uint64_t value, uint64_t unit,
                     const char *name) {
  char fraction[24];
  moment_add_digits(out, (int64_t)(value / unit), 1, '0');
  uint64_t rest = value % unit;
  int len = 0;
  while (rest > 0) {
    rest *= 10;
    fraction[len++] = (char)('0' + rest / unit);
    rest %= unit;
  }
  if (len > 0) buffer_add_char(out, '.');
  buffer_add(out, fraction, (size_t)len);
  buffer_add(out, name, strlen(name));
}

// As Go prints it: "1h30m0s", "1.5s", "20ms", "300us", "5ns", "0s".
static CspStatus time_duration_string(CspCall *call) {
  int64_t ns;
  if (!csp_need_int(call, 0, &ns)) return CSP_PANIC;
  Buffer out = buffer_of(call);
  uint64_t left = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
  uint64_t second = (uint64_t)SECOND;
  if (ns < 0) buffer_add_char(&out, '-');
  if (left > 0 && left < second) {
    uint64_t unit = left < 1000 ? 1 : left < 1000000 ? 1000 : 1000000;
    add_unit(&out, left, unit, unit == 1 ? "ns" : unit == 1000 ? "us" : "ms");
    return buffer_ok(call, &out);
  }
  uint64_t minutes = left / (60 * second);
  if (minutes >= 60) add_unit(&out, minutes / 60, 1, "h");
  if (minutes > 0) add_unit(&out, minutes % 60, 1, "m");
  add_unit(&out, left % (60 * second), second, "s");
  return buffer_ok(call, &out);
}

static int64_t unit_named(const char *name, size_t len) {
  static const struct {
    const char *name;
    int64_t ns;
  } units[] = {{"ns", 1},           {"us", 1000},  {"\xc2\xb5s", 1000},
               {"ms", 1000000},     {"s", SECOND}, {"m", 60 * SECOND},
               {"h", 3600 * SECOND}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (strlen(units[i].name) == len &&
        strncmp(units[i].name, name, len) == 0) {
      return units[i].ns;
    }
  }
  return 0;
}

// How many bytes at the beginning of s are digits and points (or are not), at
// most `most`.
static size_t number_run(Str s, bool number, size_t most) {
  size_t n = 0;
  while (n < s.len && n < most &&
         (s.data[n] == '.' || (uint8_t)(s.data[n] - '0') < 10) == number) {
    n++;
  }
  return n;
}

// One number with its unit at *text, added to *sum. false: it is none.
static bool add_piece(CspCall *call, Str *text, double *sum) {
  enum { DIGITS_MAX = 63, UNIT_MAX = 4 };
  size_t digits = number_run(*text, true, DIGITS_MAX + 1);
  Str rest = {text->data + digits, text->len - digits};
  size_t unit = number_run(rest, false, UNIT_MAX);
  int64_t ns = unit_named(rest.data, unit);
  double n;
  if (digits == 0 || digits > DIGITS_MAX || ns == 0 ||
      number_parse_float(call, (Str){text->data, digits}, &n) != 0) {
    return false;
  }
  *sum += n * (double)ns;
  *text = (Str){rest.data + unit, rest.len - unit};
  return csp_work(call, 64);
}

CspStatus moment_too_long(CspCall *call, const char *what) {
  return csp_ok_error(call, "the %s is too long: it has more than %d bytes",
                      what, TIME_TEXT_MAX);
}

// parse_duration("1h30m", "1.5s", "-20ms"): (ns, nil) or (nil, error)
static CspStatus time_parse_duration(CspCall *call) {
  Str s;
  if (!need_view(call, 0, &s)) return CSP_PANIC;
  if (s.len > TIME_TEXT_MAX) return moment_too_long(call, "duration");
  Str left = s;
  bool negative = left.len > 0 && left.data[0] == '-';
  if (negative) left = (Str){left.data + 1, left.len - 1};
  double sum = 0;
  bool ok = left.len > 0;
  if (left.len == 1 && left.data[0] == '0') {
    left.len = 0;
  }
  while (ok && left.len > 0) ok = add_piece(call, &left, &sum);
  if (!ok || sum > 9.2e18) {
    return csp_ok_coded(call, ok ? "range" : "syntax",
                        "\"%.*s\" is no duration; write for example "
                        "1h30m, 1.5s or 20ms",
                        moment_shown(s), s.data);
  }
  int64_t ns = (int64_t)(sum + 0.5);
  return csp_ok_value(call, csp_int(call, negative ? -ns : ns));
}

// --- Tables -----------------------------------------------------------------
static void add_time_constants(CspCall *call, CspValue module) {
  csp_module_set(call, module, "nanosecond", csp_int(call, 1));
  csp_module_set(call, module, "microsecond", csp_int(call, 1000));
  csp_module_set(call, module, "millisecond", csp_int(call, 1000000));
  csp_module_set(call, module, "second", csp_int(call, SECOND));
  csp_module_set(call, module, "minute", csp_int(call, 60 * SECOND));
  csp_module_set(call, module, "hour", csp_int(call, 3600 * SECOND));
  csp_module_set(call, module, "day", csp_int(call, 86400 * SECOND));
}

static const CspFunction time_functions[] = {
    CSP_REPEATABLE,
    {"now", "", time_now},
    {"monotonic", "", time_monotonic},
    {"since", "t", time_since},
    {"sleep", "ns", time_sleep},
    {"format", "t, layout = nil, utc = false", time_format},
    {"parse", "text, layout = nil, utc = false", time_parse},
    {"date", "t, utc = false", time_date},
    {"from_date",
     "year, month = 1, day = 1, hour = 0, minute = 0, second = 0, "
     "nanosecond = 0, utc = false",
     time_from_date},
    {"duration_string", "ns", time_duration_string},
    {"parse_duration", "text", time_parse_duration},
    {NULL, NULL, NULL},
};

const CspModule time_module = {"time", time_functions, add_time_constants, NULL,
                               0};
