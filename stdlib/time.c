// SPDX-License-Identifier: MIT
// The module time. A point in time is an int, nanoseconds since 1970 in UTC; a
// span of time is an int, nanoseconds. The calendar is the C library's; local
// time is TZ's, read once per process.
//
// Layouts are strftime's letters, worked through here, so that parse reads
// what format writes:
//   %Y year  %m month  %d day  %e day, space-padded  %j day of the year
//   %H hour  %I hour to 12  %p AM or PM  %M minute  %S second
//   %f microseconds  %L milliseconds  %N nanoseconds (9, 6 or 3 digits)
//   %a %A weekday  %b %B month's name  %y year of the century
//   %z +0100  %:z +01:00  %Z zone's name (format only)  %s seconds since 1970
//   %F = %Y-%m-%d  %T = %H:%M:%S  %R = %H:%M  %D = %m/%d/%y  %% %n %t
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stdlib/stdlib.h"

#define SECOND ((int64_t)1000000000)

static const char default_layout[] = "%Y-%m-%d %H:%M:%S";
static const char *const day_names[] = {"Sunday",   "Monday", "Tuesday",
                                        "Wednesday", "Thursday", "Friday",
                                        "Saturday"};
static const char *const month_names[] = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};

// --- Calendar ------------------------------------------------------------------------

// A point in time taken apart: tm and the nanoseconds of its second.
typedef struct Moment {
  struct tm tm;
  int64_t ns;
  int64_t seconds;  // since 1970
} Moment;

static Moment moment_of(int64_t t, bool utc) {
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

// The reverse; false: outside what an int of nanoseconds holds (1677 to 2262).
static bool moment_time(struct tm tm, int64_t ns, bool utc, int64_t *out) {
  tm.tm_isdst = -1;
  int64_t seconds = utc ? timegm(&tm) : mktime(&tm);
  int64_t t;
  if (__builtin_mul_overflow(seconds, SECOND, &t)) return false;
  return !__builtin_add_overflow(t, ns, out);
}

// --- Clocks -----------------------------------------------------------------------

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

// --- Formatting --------------------------------------------------------------------

// n with at least `width` digits.
static void add_digits(Buffer *out, int64_t n, int width, char fill) {
  char digits[64];
  size_t len = number_digits(n < 0 ? -(uint64_t)n : (uint64_t)n, 10, false,
                             digits);
  if (n < 0) buffer_add_char(out, '-');
  if ((size_t)width > len) buffer_fill(out, fill, (size_t)width - len);
  buffer_add(out, digits, len);
}

static void add_name(Buffer *out, const char *name, size_t len) {
  buffer_add(out, name, len < strlen(name) ? len : strlen(name));
}

static void add_offset(Buffer *out, long offset, bool colon) {
  buffer_add_char(out, offset < 0 ? '-' : '+');
  if (offset < 0) offset = -offset;
  add_digits(out, offset / 3600, 2, '0');
  if (colon) buffer_add_char(out, ':');
  add_digits(out, offset / 60 % 60, 2, '0');
}

// The layout that a letter stands for, or NULL.
static const char *expand(char letter) {
  switch (letter) {
    case 'F':
      return "%Y-%m-%d";
    case 'T':
      return "%H:%M:%S";
    case 'R':
      return "%H:%M";
    case 'D':
      return "%m/%d/%y";
    default:
      return NULL;
  }
}

static bool add_date_letter(Buffer *out, const Moment *m, char letter) {
  const struct tm *tm = &m->tm;
  switch (letter) {
    case 'Y':
      add_digits(out, (int64_t)tm->tm_year + 1900, 4, '0');
      return true;
    case 'y':
      add_digits(out, ((int64_t)tm->tm_year + 1900) % 100, 2, '0');
      return true;
    case 'm':
      add_digits(out, tm->tm_mon + 1, 2, '0');
      return true;
    case 'd':
      add_digits(out, tm->tm_mday, 2, '0');
      return true;
    case 'e':
      add_digits(out, tm->tm_mday, 2, ' ');
      return true;
    case 'j':
      add_digits(out, tm->tm_yday + 1, 3, '0');
      return true;
    case 'a':
    case 'A':
      add_name(out, day_names[tm->tm_wday], letter == 'a' ? 3 : 20);
      return true;
    case 'b':
    case 'B':
      add_name(out, month_names[tm->tm_mon], letter == 'b' ? 3 : 20);
      return true;
    default:
      return false;
  }
}

static bool add_clock_letter(Buffer *out, const Moment *m, char letter) {
  const struct tm *tm = &m->tm;
  switch (letter) {
    case 'H':
      add_digits(out, tm->tm_hour, 2, '0');
      return true;
    case 'I':
      add_digits(out, (tm->tm_hour + 11) % 12 + 1, 2, '0');
      return true;
    case 'p':
      buffer_add(out, tm->tm_hour < 12 ? "AM" : "PM", 2);
      return true;
    case 'M':
      add_digits(out, tm->tm_min, 2, '0');
      return true;
    case 'S':
      add_digits(out, tm->tm_sec, 2, '0');
      return true;
    case 'L':
      add_digits(out, m->ns / 1000000, 3, '0');
      return true;
    case 'f':
      add_digits(out, m->ns / 1000, 6, '0');
      return true;
    case 'N':
      add_digits(out, m->ns, 9, '0');
      return true;
    case 'z':
      add_offset(out, tm->tm_gmtoff, false);
      return true;
    case 'Z':
      buffer_add(out, tm->tm_zone, strlen(tm->tm_zone));
      return true;
    case 's':
      add_digits(out, m->seconds, 1, '0');
      return true;
    default:
      return false;
  }
}

static bool add_layout(CspCall *call, Buffer *out, Str layout,
                       const Moment *m) {
  for (size_t at = 0; at < layout.len; at++) {
    char c = layout.data[at];
    char letter = at + 1 < layout.len ? layout.data[at + 1] : '\0';
    if (c != '%') {
      buffer_add_char(out, c);
      continue;
    }
    at++;
    const char *longer = expand(letter);
    if (longer) {
      if (!add_layout(call, out, (Str){longer, strlen(longer)}, m)) {
        return false;
      }
    } else if (letter == '%' || letter == 'n' || letter == 't') {
      buffer_add_char(out, letter == '%' ? '%' : letter == 'n' ? '\n' : '\t');
    } else if (letter == ':' && at + 1 < layout.len &&
               layout.data[at + 1] == 'z') {
      at++;
      add_offset(out, m->tm.tm_gmtoff, true);
    } else if (!add_date_letter(out, m, letter) &&
               !add_clock_letter(out, m, letter)) {
      csp_panic(call, "time.format: unknown %%%c in the layout", letter);
      return false;
    }
  }
  return true;
}

// format(t, layout = "%Y-%m-%d %H:%M:%S", utc = false)
static CspStatus time_format(CspCall *call) {
  int64_t t;
  Str layout;
  if (!csp_need_int(call, 0, &t) ||
      !opt_str(call, 1, default_layout, &layout)) {
    return CSP_PANIC;
  }
  Buffer out = {0};
  Moment moment = moment_of(t, csp_truthy(csp_arg(call, 2)));
  if (!add_layout(call, &out, layout, &moment)) {
    buffer_free(&out);
    return CSP_PANIC;
  }
  return buffer_ok(call, &out);
}

// --- Parsing -----------------------------------------------------------------------

typedef struct Parser {
  Str text;
  size_t at;
  struct tm tm;
  int64_t ns, seconds;
  long offset;
  bool has_offset, has_seconds, has_pm, pm;
  char bad_letter;  // of the layout; 0: none
} Parser;

// Up to `most` digits (at least one).
static bool take_number(Parser *p, int most, int64_t low, int64_t high,
                        int64_t *out) {
  int count = 0;
  int64_t n = 0;
  while (count < most && p->at < p->text.len &&
         p->text.data[p->at] >= '0' && p->text.data[p->at] <= '9') {
    n = n * 10 + (p->text.data[p->at++] - '0');
    count++;
  }
  *out = n;
  return count > 0 && n >= low && n <= high;
}

static bool take_int(Parser *p, int most, int low, int high, int *out) {
  int64_t n;
  if (!take_number(p, most, low, high, &n)) return false;
  *out = (int)n;
  return true;
}

// A fraction of `digits` digits; fewer count from the left.
static bool take_fraction(Parser *p, int digits) {
  size_t from = p->at;
  int64_t n;
  if (!take_number(p, digits, 0, SECOND, &n)) return false;
  for (size_t count = p->at - from; count < 9; count++) n *= 10;
  p->ns = n;
  return true;
}

// One of the names, whole or its first three letters, in any case.
static bool take_name(Parser *p, const char *const *names, int count,
                      int *out) {
  const char *from = p->text.data + p->at;
  for (int i = 0; i < count; i++) {
    size_t len = strlen(names[i]), left = p->text.len - p->at;
    if (left >= len && strncasecmp(from, names[i], len) == 0) {
      p->at += len;
    } else if (left >= 3 && strncasecmp(from, names[i], 3) == 0) {
      p->at += 3;
    } else {
      continue;
    }
    *out = i;
    return true;
  }
  return false;
}

static bool take_half(Parser *p) {
  const char *from = p->text.data + p->at;
  if (p->text.len - p->at < 2 || (from[1] | 32) != 'm') return false;
  p->pm = (from[0] | 32) == 'p';
  p->has_pm = true;
  p->at += 2;
  return p->pm || (from[0] | 32) == 'a';
}

// Z, +hhmm or +hh:mm.
static bool take_offset(Parser *p) {
  int hours, minutes;
  char sign = p->at < p->text.len ? p->text.data[p->at] : '\0';
  p->has_offset = true;
  p->offset = 0;
  p->at++;
  if (sign == 'Z' || sign == 'z') return true;
  if (sign != '+' && sign != '-') return false;
  if (!take_int(p, 2, 0, 23, &hours)) return false;
  if (p->at < p->text.len && p->text.data[p->at] == ':') p->at++;
  if (!take_int(p, 2, 0, 59, &minutes)) return false;
  p->offset = (hours * 60L + minutes) * 60;
  if (sign == '-') p->offset = -p->offset;
  return true;
}

static bool take_seconds(Parser *p) {
  bool negative = p->at < p->text.len && p->text.data[p->at] == '-';
  if (negative) p->at++;
  if (!take_number(p, 11, 0, INT64_MAX, &p->seconds)) return false;
  if (negative) p->seconds = -p->seconds;
  p->has_seconds = true;
  return true;
}

static bool take_year(Parser *p, bool whole) {
  int year;
  if (!take_int(p, whole ? 4 : 2, 0, 9999, &year)) return false;
  if (!whole) year += year < 69 ? 2000 : 1900;
  p->tm.tm_year = year - 1900;
  return true;
}

static bool take_month(Parser *p) {
  if (!take_int(p, 2, 1, 12, &p->tm.tm_mon)) return false;
  p->tm.tm_mon--;
  return true;
}

static bool take_day(Parser *p) {
  while (p->at < p->text.len && p->text.data[p->at] == ' ') p->at++;
  return take_int(p, 2, 1, 31, &p->tm.tm_mday);
}

static bool take_letter(Parser *p, char letter) {
  int unused;
  switch (letter) {
    case 'Y':
    case 'y':
      return take_year(p, letter == 'Y');
    case 'm':
      return take_month(p);
    case 'd':
    case 'e':
      return take_day(p);
    case 'H':
      return take_int(p, 2, 0, 23, &p->tm.tm_hour);
    case 'I':
      return take_int(p, 2, 1, 12, &p->tm.tm_hour);
    case 'p':
      return take_half(p);
    case 'M':
      return take_int(p, 2, 0, 59, &p->tm.tm_min);
    case 'S':
      return take_int(p, 2, 0, 60, &p->tm.tm_sec);
    case 'L':
      return take_fraction(p, 3);
    case 'f':
      return take_fraction(p, 6);
    case 'N':
      return take_fraction(p, 9);
    case 'a':
    case 'A':
      return take_name(p, day_names, 7, &unused);
    case 'b':
    case 'B':
      return take_name(p, month_names, 12, &p->tm.tm_mon);
    case 'z':
      return take_offset(p);
    case 's':
      return take_seconds(p);
    default:
      p->bad_letter = letter ? letter : '%';
      return false;
  }
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

// White space in the layout fits any, also none.
static bool take_plain(Parser *p, char c) {
  if (is_blank(c)) {
    while (p->at < p->text.len && is_blank(p->text.data[p->at])) p->at++;
    return true;
  }
  if (p->at >= p->text.len || p->text.data[p->at] != c) return false;
  p->at++;
  return true;
}

static bool take_layout(Parser *p, Str layout) {
  for (size_t at = 0; at < layout.len; at++) {
    char c = layout.data[at];
    if (c != '%') {
      if (!take_plain(p, c)) return false;
      continue;
    }
    char letter = ++at < layout.len ? layout.data[at] : '\0';
    if (letter == ':') letter = ++at < layout.len ? layout.data[at] : '\0';
    const char *longer = expand(letter);
    bool ok = longer          ? take_layout(p, (Str){longer, strlen(longer)})
              : letter == '%' ? take_plain(p, '%')
              : letter == 'n' || letter == 't' ? take_plain(p, ' ')
                                               : take_letter(p, letter);
    if (!ok) return false;
  }
  return true;
}

// The 31st of February and the like: mktime would go on into March.
static bool date_exists(const struct tm *tm) {
  static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int year = tm->tm_year + 1900;
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  if (tm->tm_mon == 1 && !leap) return tm->tm_mday <= 28;
  return tm->tm_mday <= days[tm->tm_mon];
}

static bool parsed_time(Parser *p, bool utc, int64_t *out) {
  if (p->has_pm) p->tm.tm_hour = p->tm.tm_hour % 12 + (p->pm ? 12 : 0);
  if (p->has_seconds) {
    int64_t t;
    return !__builtin_mul_overflow(p->seconds, SECOND, &t) &&
           !__builtin_add_overflow(t, p->ns, out);
  }
  if (!date_exists(&p->tm)) return false;
  if (!moment_time(p->tm, p->ns, utc || p->has_offset, out)) return false;
  int64_t offset = (int64_t)p->offset * SECOND;
  return !p->has_offset || !__builtin_sub_overflow(*out, offset, out);
}

// (time, nil) or (nil, error)
static CspStatus time_parse(CspCall *call) {
  Str text, layout;
  if (!need_str(call, 0, &text) ||
      !opt_str(call, 1, default_layout, &layout)) {
    return CSP_PANIC;
  }
  Parser p = {.text = text, .tm = {.tm_year = 70, .tm_mday = 1}};
  int64_t t;
  bool fits = take_layout(&p, layout);
  if (p.bad_letter) {
    return csp_panic(call, "time.parse: unknown %%%c in the layout",
                     p.bad_letter);
  }
  if (!fits || p.at != text.len) {
    return csp_ok_error(call, "the time \"%.60s\" does not fit the layout "
                        "\"%.60s\" (at byte %zu)", text.data, layout.data,
                        p.at < text.len ? p.at : text.len);
  }
  if (!parsed_time(&p, csp_truthy(csp_arg(call, 2)), &t)) {
    return csp_ok_error(call, "there is no time \"%.60s\"", text.data);
  }
  return csp_ok_value(call, csp_int(call, t));
}

// --- Parts --------------------------------------------------------------------------

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
  struct tm tm = {.tm_year = (int)part[0] - 1900, .tm_mon = (int)part[1] - 1,
                  .tm_mday = (int)part[2], .tm_hour = (int)part[3],
                  .tm_min = (int)part[4], .tm_sec = (int)part[5]};
  if (!moment_time(tm, part[6], csp_truthy(csp_arg(call, 7)), &t)) {
    return csp_panic(call, "from_date: an int of nanoseconds holds the years "
                     "1678 to 2261 only");
  }
  return csp_ok_int(call, t);
}

// --- Durations -----------------------------------------------------------------------

// value / unit with the fraction it needs, and the unit's name.
static void add_unit(Buffer *out, uint64_t value, uint64_t unit,
                     const char *name) {
  char fraction[24];
  add_digits(out, (int64_t)(value / unit), 1, '0');
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
  Buffer out = {0};
  uint64_t left = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
  uint64_t second = (uint64_t)SECOND;
  if (ns < 0) buffer_add_char(&out, '-');
  if (left > 0 && left < second) {
    uint64_t unit = left < 1000 ? 1 : left < 1000000 ? 1000 : 1000000;
    add_unit(&out, left, unit,
             unit == 1 ? "ns" : unit == 1000 ? "us" : "ms");
    return buffer_ok(call, &out);
  }
  uint64_t minutes = left / (60 * second);
  if (minutes >= 60) add_unit(&out, minutes / 60, 1, "h");
  if (minutes > 0) add_unit(&out, minutes % 60, 1, "m");
  add_unit(&out, left % (60 * second), second, "s");
  return buffer_ok(call, &out);
}

static int64_t unit_of(const char *name, size_t len) {
  static const struct {
    const char *name;
    int64_t ns;
  } units[] = {{"ns", 1},        {"us", 1000},
               {"\xc2\xb5s", 1000}, {"ms", 1000000},
               {"s", SECOND},    {"m", 60 * SECOND},
               {"h", 3600 * SECOND}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (strlen(units[i].name) == len &&
        strncmp(units[i].name, name, len) == 0) {
      return units[i].ns;
    }
  }
  return 0;
}

// One number with its unit at *s, added to *sum; false: it is none.
static bool add_piece(Str *s, double *sum) {
  const char *end = s->data + s->len;
  size_t digits = strspn(s->data, "0123456789.");
  size_t unit = strcspn(s->data + digits, "0123456789.");
  double n;
  char text[64];
  if (digits == 0 || digits >= sizeof text || s->len < digits + unit) {
    return false;
  }
  memcpy(text, s->data, digits);
  text[digits] = '\0';
  int64_t ns = unit_of(s->data + digits, unit);
  if (ns == 0 || number_parse_float((Str){text, digits}, &n) != 0) return false;
  *sum += n * (double)ns;
  *s = (Str){s->data + digits + unit,
             (size_t)(end - (s->data + digits + unit))};
  return true;
}

// parse_duration("1h30m", "1.5s", "-20ms"): (ns, nil) or (nil, error)
static CspStatus time_parse_duration(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  Str left = s;
  bool negative = left.len > 0 && left.data[0] == '-';
  if (negative) left = (Str){left.data + 1, left.len - 1};
  double sum = 0;
  bool ok = left.len > 0;
  if (left.len == 1 && left.data[0] == '0') {
    left.len = 0;
  }
  while (ok && left.len > 0) ok = add_piece(&left, &sum);
  if (!ok || sum > 9.2e18) {
    return csp_ok_error(call, "\"%.60s\" is no duration; write for example "
                        "1h30m, 1.5s or 20ms", s.data);
  }
  int64_t ns = (int64_t)(sum + 0.5);
  return csp_ok_value(call, csp_int(call, negative ? -ns : ns));
}

// --- Tables -----------------------------------------------------------------------------

static void add_constants(CspCall *call, CspValue module) {
  csp_module_set(call, module, "nanosecond", csp_int(call, 1));
  csp_module_set(call, module, "microsecond", csp_int(call, 1000));
  csp_module_set(call, module, "millisecond", csp_int(call, 1000000));
  csp_module_set(call, module, "second", csp_int(call, SECOND));
  csp_module_set(call, module, "minute", csp_int(call, 60 * SECOND));
  csp_module_set(call, module, "hour", csp_int(call, 3600 * SECOND));
  csp_module_set(call, module, "day", csp_int(call, 86400 * SECOND));
}

static const CspFunction functions[] = {
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

const CspModule time_module = {"time", functions, add_constants, NULL, 0};
