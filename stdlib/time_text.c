// SPDX-License-Identifier: MIT
// Points in time as text: time.format and time.parse.
//
// Layouts are strftime's letters, worked through here, so that parse reads
// what format writes:
//   %Y year  %m month  %d day  %e day, space-padded  %j day of the year
//   %H hour  %I hour to 12  %p AM or PM  %M minute  %S second
//   %f microseconds  %L milliseconds  %N nanoseconds (9, 6 or 3 digits)
//   %a %A weekday  %b %B month's name  %y year of the century
//   %z +0100  %:z +01:00  %Z zone's name (format only)  %s seconds since 1970
//   %F = %Y-%m-%d  %T = %H:%M:%S  %R = %H:%M  %D = %m/%d/%y  %% %n %t
#include "stdlib/moment.h"

#include <string.h>

enum { TURNS = 512 };  // letters of a layout between two questions (csp_work)

static const char default_layout[] = "%Y-%m-%d %H:%M:%S";
static const char *const day_names[] = {"Sunday",    "Monday",   "Tuesday",
                                        "Wednesday", "Thursday", "Friday",
                                        "Saturday"};
static const char *const month_names[] = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};

// --- Formatting -------------------------------------------------------------
static void add_name(Buffer *out, const char *name, size_t len) {
  buffer_add(out, name, len < strlen(name) ? len : strlen(name));
}

static void add_offset(Buffer *out, long offset, bool colon) {
  buffer_add_char(out, offset < 0 ? '-' : '+');
  if (offset < 0) offset = -offset;
  moment_add_digits(out, offset / 3600, 2, '0');
  if (colon) buffer_add_char(out, ':');
  moment_add_digits(out, offset / 60 % 60, 2, '0');
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

static bool add_date_letter(Buffer *out, const Moment *moment, char letter) {
  const struct tm *tm = &moment->tm;
  switch (letter) {
    case 'Y':
      moment_add_digits(out, (int64_t)tm->tm_year + 1900, 4, '0');
      return true;
    case 'y':
      moment_add_digits(out, ((int64_t)tm->tm_year + 1900) % 100, 2, '0');
      return true;
    case 'm':
      moment_add_digits(out, tm->tm_mon + 1, 2, '0');
      return true;
    case 'd':
      moment_add_digits(out, tm->tm_mday, 2, '0');
      return true;
    case 'e':
      moment_add_digits(out, tm->tm_mday, 2, ' ');
      return true;
    case 'j':
      moment_add_digits(out, tm->tm_yday + 1, 3, '0');
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

static bool add_clock_letter(Buffer *out, const Moment *moment, char letter) {
  const struct tm *tm = &moment->tm;
  switch (letter) {
    case 'H':
      moment_add_digits(out, tm->tm_hour, 2, '0');
      return true;
    case 'I':
      moment_add_digits(out, (tm->tm_hour + 11) % 12 + 1, 2, '0');
      return true;
    case 'p':
      buffer_add(out, tm->tm_hour < 12 ? "AM" : "PM", 2);
      return true;
    case 'M':
      moment_add_digits(out, tm->tm_min, 2, '0');
      return true;
    case 'S':
      moment_add_digits(out, tm->tm_sec, 2, '0');
      return true;
    case 'L':
      moment_add_digits(out, moment->ns / 1000000, 3, '0');
      return true;
    case 'f':
      moment_add_digits(out, moment->ns / 1000, 6, '0');
      return true;
    case 'N':
      moment_add_digits(out, moment->ns, 9, '0');
      return true;
    case 'z':
      add_offset(out, tm->tm_gmtoff, false);
      return true;
    case 'Z':
      buffer_add(out, tm->tm_zone, strlen(tm->tm_zone));
      return true;
    case 's':
      moment_add_digits(out, moment->seconds, 1, '0');
      return true;
    default:
      return false;
  }
}

static bool add_layout(CspCall *call, Buffer *out, Str layout,
                       const Moment *moment) {
  for (size_t at = 0, turn = 1; at < layout.len; at++, turn++) {
    char c = layout.data[at];
    char letter = at + 1 < layout.len ? layout.data[at + 1] : '\0';
    if (turn % TURNS == 0 && !csp_work(call, TURNS * 64)) return false;
    if (c != '%') {
      buffer_add_char(out, c);
      continue;
    }
    at++;
    const char *longer = expand(letter);
    if (longer != NULL) {
      if (!add_layout(call, out, (Str){longer, strlen(longer)}, moment)) {
        return false;
      }
    } else if (letter == '%' || letter == 'n' || letter == 't') {
      buffer_add_char(out, letter == '%' ? '%' : letter == 'n' ? '\n' : '\t');
    } else if (letter == ':' && at + 1 < layout.len &&
               layout.data[at + 1] == 'z') {
      at++;
      add_offset(out, moment->tm.tm_gmtoff, true);
    } else if (!add_date_letter(out, moment, letter) &&
               !add_clock_letter(out, moment, letter)) {
      csp_panic(call, "time.format: unknown %%%c in the layout", letter);
      return false;
    }
  }
  return true;
}

// format(t, layout = "%Y-%m-%d %H:%M:%S", utc = false)
CspStatus time_format(CspCall *call) {
  int64_t t;
  Str layout;
  if (!csp_need_int(call, 0, &t) ||
      !opt_str(call, 1, default_layout, &layout)) {
    return CSP_PANIC;
  }
  if (layout.len > TIME_TEXT_MAX)
    return csp_panic(call, "time.format: the layout has more than %d bytes",
                     TIME_TEXT_MAX);
  Buffer out = buffer_of(call);
  Moment moment = moment_of(t, csp_truthy(csp_arg(call, 2)));
  if (!add_layout(call, &out, layout, &moment)) {
    buffer_free(&out);
    return CSP_PANIC;
  }
  return buffer_ok(call, &out);
}

// --- Parsing ----------------------------------------------------------------
typedef struct Parser {
  CspCall *call;
  Str text;
  size_t at;
  struct tm tm;
  int64_t ns, seconds;
  long offset;
  bool has_offset, has_seconds, has_pm, pm;
  bool over;        // given up
  char bad_letter;  // of the layout; 0 means none
} Parser;

// Up to `most` digits (at least one).
static bool take_number(Parser *parser, int most, int64_t low, int64_t high,
                        int64_t *out) {
  int count = 0;
  int64_t n = 0;
  while (count < most && parser->at < parser->text.len &&
         parser->text.data[parser->at] >= '0' &&
         parser->text.data[parser->at] <= '9') {
    n = n * 10 + (parser->text.data[parser->at++] - '0');
    count++;
  }
  *out = n;
  return count > 0 && n >= low && n <= high;
}

static bool take_int(Parser *parser, int most, int low, int high, int *out) {
  int64_t n;
  if (!take_number(parser, most, low, high, &n)) return false;
  *out = (int)n;
  return true;
}

// A fraction of `digits` digits; fewer count from the left.
static bool take_fraction(Parser *parser, int digits) {
  size_t from = parser->at;
  int64_t n;
  if (!take_number(parser, digits, 0, SECOND, &n)) return false;
  for (size_t count = parser->at - from; count < 9; count++) n *= 10;
  parser->ns = n;
  return true;
}

// Whether the text has these letters next, in any case.
static bool has_letters(const Parser *parser, const char *name, size_t len) {
  if (parser->text.len - parser->at < len) return false;
  for (size_t i = 0; i < len; i++) {
    if ((parser->text.data[parser->at + i] | 32) != (name[i] | 32))
      return false;
  }
  return true;
}

// One of the names, whole or its first three letters, in any case.
static bool take_name(Parser *parser, const char *const *names, int count,
                      int *out) {
  for (int i = 0; i < count; i++) {
    size_t len = strlen(names[i]);
    if (has_letters(parser, names[i], len)) {
      parser->at += len;
    } else if (has_letters(parser, names[i], 3)) {
      parser->at += 3;
    } else {
      continue;
    }
    *out = i;
    return true;
  }
  return false;
}

static bool take_half(Parser *parser) {
  const char *from = parser->text.data + parser->at;
  if (parser->text.len - parser->at < 2 || (from[1] | 32) != 'm') return false;
  parser->pm = (from[0] | 32) == 'p';
  parser->has_pm = true;
  parser->at += 2;
  return parser->pm || (from[0] | 32) == 'a';
}

// Z, +hhmm or +hh:mm.
static bool take_offset(Parser *parser) {
  int hours, minutes;
  char sign =
      parser->at < parser->text.len ? parser->text.data[parser->at] : '\0';
  parser->has_offset = true;
  parser->offset = 0;
  parser->at++;
  if (sign == 'Z' || sign == 'z') return true;
  if (sign != '+' && sign != '-') return false;
  if (!take_int(parser, 2, 0, 23, &hours)) return false;
  if (parser->at < parser->text.len && parser->text.data[parser->at] == ':')
    parser->at++;
  if (!take_int(parser, 2, 0, 59, &minutes)) return false;
  parser->offset = (hours * 60L + minutes) * 60;
  if (sign == '-') parser->offset = -parser->offset;
  return true;
}

static bool take_seconds(Parser *parser) {
  bool negative =
      parser->at < parser->text.len && parser->text.data[parser->at] == '-';
  if (negative) parser->at++;
  if (!take_number(parser, 11, 0, INT64_MAX, &parser->seconds)) return false;
  if (negative) parser->seconds = -parser->seconds;
  parser->has_seconds = true;
  return true;
}

static bool take_year(Parser *parser, bool whole) {
  int year;
  if (!take_int(parser, whole ? 4 : 2, 0, 9999, &year)) return false;
  if (!whole) year += year < 69 ? 2000 : 1900;
  parser->tm.tm_year = year - 1900;
  return true;
}

static bool take_month(Parser *parser) {
  if (!take_int(parser, 2, 1, 12, &parser->tm.tm_mon)) return false;
  parser->tm.tm_mon--;
  return true;
}

static bool is_time_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

// Any of these, also none. false: given up.
static bool take_blanks(Parser *parser, const char *blanks) {
  enum { LOOK = 1 << 14 };
  for (; parser->at < parser->text.len; parser->at++) {
    char c = parser->text.data[parser->at];
    if (c == '\0' || strchr(blanks, c) == NULL) break;
    if (parser->at % LOOK == LOOK - 1)
      parser->over = !csp_work(parser->call, LOOK);
    if (parser->over) return false;
  }
  return true;
}

static bool take_day(Parser *parser) {
  if (!take_blanks(parser, " ")) return false;
  return take_int(parser, 2, 1, 31, &parser->tm.tm_mday);
}

static bool take_letter(Parser *parser, char letter) {
  int unused;
  switch (letter) {
    case 'Y':
    case 'y':
      return take_year(parser, letter == 'Y');
    case 'm':
      return take_month(parser);
    case 'd':
    case 'e':
      return take_day(parser);
    case 'H':
      return take_int(parser, 2, 0, 23, &parser->tm.tm_hour);
    case 'I':
      return take_int(parser, 2, 1, 12, &parser->tm.tm_hour);
    case 'p':
      return take_half(parser);
    case 'M':
      return take_int(parser, 2, 0, 59, &parser->tm.tm_min);
    case 'S':
      return take_int(parser, 2, 0, 60, &parser->tm.tm_sec);
    case 'L':
      return take_fraction(parser, 3);
    case 'f':
      return take_fraction(parser, 6);
    case 'N':
      return take_fraction(parser, 9);
    case 'a':
    case 'A':
      return take_name(parser, day_names, 7, &unused);
    case 'b':
    case 'B':
      return take_name(parser, month_names, 12, &parser->tm.tm_mon);
    case 'z':
      return take_offset(parser);
    case 's':
      return take_seconds(parser);
    default:
      parser->bad_letter = letter ? letter : '%';
      return false;
  }
}

// White space in the layout fits any, also none.
static bool take_plain(Parser *parser, char c) {
  if (is_time_blank(c)) return take_blanks(parser, " \t\n");
  if (parser->at >= parser->text.len || parser->text.data[parser->at] != c)
    return false;
  parser->at++;
  return true;
}

static bool take_layout(Parser *parser, Str layout) {
  for (size_t at = 0, turn = 1; at < layout.len; at++, turn++) {
    char c = layout.data[at];
    if (turn % TURNS == 0) parser->over = !csp_work(parser->call, TURNS * 64);
    if (parser->over) return false;
    if (c != '%') {
      if (!take_plain(parser, c)) return false;
      continue;
    }
    char letter = ++at < layout.len ? layout.data[at] : '\0';
    if (letter == ':') letter = ++at < layout.len ? layout.data[at] : '\0';
    const char *longer = expand(letter);
    bool ok = longer != NULL
                  ? take_layout(parser, (Str){longer, strlen(longer)})
              : letter == '%'                  ? take_plain(parser, '%')
              : letter == 'n' || letter == 't' ? take_plain(parser, ' ')
                                               : take_letter(parser, letter);
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

static bool parsed_time(Parser *parser, bool utc, int64_t *out) {
  if (parser->has_pm)
    parser->tm.tm_hour = parser->tm.tm_hour % 12 + (parser->pm ? 12 : 0);
  if (parser->has_seconds) {
    int64_t t;
    return !__builtin_mul_overflow(parser->seconds, SECOND, &t) &&
           !__builtin_add_overflow(t, parser->ns, out);
  }
  if (!date_exists(&parser->tm)) return false;
  if (!moment_time(parser->tm, parser->ns, utc || parser->has_offset, out))
    return false;
  int64_t offset = (int64_t)parser->offset * SECOND;
  return !parser->has_offset || !__builtin_sub_overflow(*out, offset, out);
}

// (time, nil) or (nil, error)
CspStatus time_parse(CspCall *call) {
  Str text, layout;
  if (!need_view(call, 0, &text) ||
      !opt_str(call, 1, default_layout, &layout)) {
    return CSP_PANIC;
  }
  if (layout.len > TIME_TEXT_MAX)
    return csp_panic(call, "time.parse: the layout has more than %d bytes",
                     TIME_TEXT_MAX);
  if (text.len > TIME_TEXT_MAX) return moment_too_long(call, "time");
  Parser p = {.call = call, .text = text, .tm = {.tm_year = 70, .tm_mday = 1}};
  int64_t t;
  bool fits = take_layout(&p, layout);
  if (p.over) return CSP_PANIC;
  if (p.bad_letter) {
    return csp_panic(call, "time.parse: unknown %%%c in the layout",
                     p.bad_letter);
  }
  if (!fits || p.at != text.len) {
    return csp_ok_coded(call, "syntax",
                        "the time \"%.*s\" does not fit the layout "
                        "\"%.60s\" (at byte %zu)",
                        moment_shown(text), text.data, layout.data,
                        p.at < text.len ? p.at : text.len);
  }
  if (!parsed_time(&p, csp_truthy(csp_arg(call, 2)), &t)) {
    return csp_ok_coded(call, "range", "there is no time \"%.*s\"",
                        moment_shown(text), text.data);
  }
  return csp_ok_value(call, csp_int(call, t));
}
