// SPDX-License-Identifier: MIT
// What toml.csp needs to be quick: runs of characters of one kind, and the
// forms of numbers and times. The rest of the module is there.
#include "stdlib/json.h"
#include "stdlib/pieces_loop.h"

// What a run consists of. toml.csp has the same numbers.
typedef enum TomlRun {
  RUN_BLANKS,   // spaces and tabs
  RUN_SPACE,    // and newlines
  RUN_BARE,     // of a key without quotes
  RUN_TOKEN,    // of numbers, times and words
  RUN_HEX,      // digits
  RUN_BASIC,    // of a string, up to a quote, an escape or a control character
  RUN_LITERAL,  // the same, up to an apostrophe
  RUN_COMMENT,
  TOML_RUNS
} TomlRun;

// --- Runs -------------------------------------------------------------------
static bool is_toml_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_bare(char c) {
  char low = (char)(c | 32);
  return (low >= 'a' && low <= 'z') || is_toml_digit(c) || c == '_' || c == '-';
}

// In comments and strings: any character but controls, and tabs.
static bool is_text(char c) {
  unsigned char byte = (unsigned char)c;
  return byte == '\t' || (byte >= ' ' && byte != 0x7f);
}

static bool is_of_run(TomlRun run, char c) {
  switch (run) {
    case RUN_BLANKS:
      return c == ' ' || c == '\t';
    case RUN_SPACE:
      return c == ' ' || c == '\t' || c == '\n';
    case RUN_BARE:
      return is_bare(c);
    case RUN_TOKEN:
      return is_bare(c) || c == '+' || c == '.' || c == ':';
    case RUN_HEX:
      return hex_digit(c) >= 0;
    case RUN_BASIC:
      return is_text(c) && c != '"' && c != '\\';
    case RUN_LITERAL:
      return is_text(c) && c != '\'';
    case RUN_COMMENT:
      return is_text(c);
    case TOML_RUNS:
      break;
  }
  return false;
}

static bool toml_run_turns(CspCall *call, Loop *loop, size_t stop) {
  (void)call;
  const char *s = str_of(loop->list).data;
  while (loop->at < stop && is_of_run((TomlRun)loop->n, s[loop->at]))
    loop->at++;
  if (loop->at < stop) loop->end = loop->at;
  return true;
}

static CspStatus toml_run_done(CspCall *call, Loop *loop) {
  return csp_ok_int(call, (int64_t)loop->at);
}

// _run(text, at, run): where the run ends that begins at `at`.
static CspStatus toml_run(CspCall *call) {
  Str s;
  int64_t from, run;
  if (!need_str(call, 0, &s) ||
      !need_int_in(call, 1, 0, (int64_t)s.len, &from) ||
      !need_int_in(call, 2, 0, TOML_RUNS - 1, &run))
    return CSP_PANIC;
  return loop_bytes(call, &(Loop){.list = csp_arg(call, 0),
                                  .at = (size_t)from,
                                  .end = s.len,
                                  .n = run,
                                  .turns = toml_run_turns,
                                  .done = toml_run_done,
                                  .units = 8});
}

// --- Numbers ----------------------------------------------------------------
// What is left of a token that is being looked at.
typedef struct TomlToken {
  CspCall *call;
  Str s;
} TomlToken;

static bool token_is(const TomlToken *token, size_t at, char c) {
  return at < token->s.len && token->s.data[at] == c;
}

static void token_skip(TomlToken *token, size_t count) {
  token->s = (Str){token->s.data + count, token->s.len - count};
}

static bool is_toml_digit_of(char c, int base) {
  if (base == 16) return hex_digit(c) >= 0;
  return c >= '0' && c < '0' + base;
}

// Passes over digits with single underscores between them. Gives how many
// characters they are, or 0, where there are none or an underscore stands
// elsewhere.
static size_t toml_digits(TomlToken *token, int base) {
  Str s = token->s;
  size_t at = 0;
  while (at < s.len) {
    bool between = s.data[at] == '_' && at > 0 && at + 1 < s.len &&
                   is_toml_digit_of(s.data[at + 1], base) &&
                   s.data[at - 1] != '_';
    if (!between && !is_toml_digit_of(s.data[at], base)) break;
    at++;
  }
  token_skip(token, at);
  return at;
}

static int toml_base(const TomlToken *token) {
  if (!token_is(token, 0, '0')) return 10;
  return token_is(token, 1, 'x')   ? 16
         : token_is(token, 1, 'o') ? 8
         : token_is(token, 1, 'b') ? 2
                                   : 10;
}

// After its sign: a float, or an int. 0: neither.
static int decimal_form(TomlToken *token) {
  enum { FLOAT = 1, INT = 10, NONE = 0 };
  bool zero = token_is(token, 0, '0'), is_float = false;
  size_t digits = toml_digits(token, 10);
  if (digits == 0 || (zero && digits > 1)) return NONE;
  if (token_is(token, 0, '.')) {
    token_skip(token, 1);
    if (toml_digits(token, 10) == 0) return NONE;
    is_float = true;
  }
  if (token_is(token, 0, 'e') || token_is(token, 0, 'E')) {
    token_skip(token, 1);
    if (token_is(token, 0, '+') || token_is(token, 0, '-'))
      token_skip(token, 1);
    if (toml_digits(token, 10) == 0) return NONE;
    is_float = true;
  }
  return token->s.len > 0 ? NONE : is_float ? FLOAT : INT;
}

// _form(token): the base of an int (2, 8, 10, 16), 1 for a float, 0 for what is
// no number.
static CspStatus toml_form(CspCall *call) {
  TomlToken token = {.call = call};
  if (!need_str(call, 0, &token.s)) return CSP_PANIC;
  size_t len = token.s.len;
  int form = toml_base(&token);
  if (form != 10) {
    token_skip(&token, 2);
    if (toml_digits(&token, form) == 0 || token.s.len > 0) form = 0;
  } else {
    if (token_is(&token, 0, '+') || token_is(&token, 0, '-'))
      token_skip(&token, 1);
    form = decimal_form(&token);
  }
  if (!csp_work(call, len * 4)) return CSP_PANIC;
  return csp_ok_int(call, form);
}

// --- Times ------------------------------------------------------------------
typedef struct TomlTime {
  int year, month, day, hour, minute, second;
  int64_t ns;
  bool has_offset;
  int offset;  // in minutes, east of Greenwich
} TomlTime;

// `count` digits, which mean at most `most`.
static bool toml_digits_of(TomlToken *token, size_t count, int low, int most,
                           int *out) {
  *out = 0;
  if (token->s.len < count) return false;
  for (size_t n = 0; n < count; n++) {
    if (!is_toml_digit(token->s.data[n])) return false;
    *out = *out * 10 + token->s.data[n] - '0';
  }
  token_skip(token, count);
  return *out >= low && *out <= most;
}

static bool toml_sign(TomlToken *token, char c) {
  if (!token_is(token, 0, c)) return false;
  token_skip(token, 1);
  return true;
}

static int days_in(int year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return days[month - 1] + (month == 2 && leap);
}

static bool toml_date(TomlToken *token, TomlTime *time) {
  return toml_digits_of(token, 4, 0, 9999, &time->year) &&
         toml_sign(token, '-') &&
         toml_digits_of(token, 2, 1, 12, &time->month) &&
         toml_sign(token, '-') &&
         toml_digits_of(token, 2, 1, days_in(time->year, time->month),
                        &time->day);
}

// Digits beyond nanoseconds are cut off.
static bool toml_fraction(TomlToken *token, TomlTime *time) {
  int64_t unit = 100000000;
  size_t at = 0;
  for (; at < token->s.len && is_toml_digit(token->s.data[at]);
       at++, unit /= 10)
    time->ns += unit * (token->s.data[at] - '0');
  token_skip(token, at);
  return at > 0;
}

static bool toml_clock(TomlToken *token, TomlTime *time) {
  return toml_digits_of(token, 2, 0, 23, &time->hour) &&
         toml_sign(token, ':') &&
         toml_digits_of(token, 2, 0, 59, &time->minute) &&
         toml_sign(token, ':') &&
         toml_digits_of(token, 2, 0, 59, &time->second) &&
         (!toml_sign(token, '.') || toml_fraction(token, time));
}

static bool toml_offset(TomlToken *token, TomlTime *time) {
  int hours = 0, minutes = 0;
  if (token->s.len == 0) return true;
  time->has_offset = true;
  if (toml_sign(token, 'Z') || toml_sign(token, 'z')) return true;
  bool west = token_is(token, 0, '-');
  if (!west && !token_is(token, 0, '+')) return false;
  token_skip(token, 1);
  if (!toml_digits_of(token, 2, 0, 23, &hours) || !toml_sign(token, ':') ||
      !toml_digits_of(token, 2, 0, 59, &minutes))
    return false;
  time->offset = (hours * 60 + minutes) * (west ? -1 : 1);
  return true;
}

// Since 1970, by the Gregorian calendar.
static int64_t days_since_1970(const TomlTime *time) {
  int64_t year = time->year - (time->month <= 2);
  int64_t era = (year >= 0 ? year : year - 399) / 400,
          of_era = year - era * 400;
  int64_t of_year = (153 * ((time->month + 9) % 12) + 2) / 5 + time->day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year -
         719468;
}

// _moment(token): true for a date, a time or both without an offset, and an int
// for one with an offset (nanoseconds since 1970). false: no int of 64 bits
// holds it. nil: it is no time.
static CspStatus toml_moment(CspCall *call) {
  TomlToken token = {.call = call};
  TomlTime time = {0};
  int64_t ns;
  if (!need_str(call, 0, &token.s)) return CSP_PANIC;
  size_t len = token.s.len;
  bool fine = true;
  if (token_is(&token, 4, '-')) {
    fine = toml_date(&token, &time);
    if (fine && token.s.len > 0)
      fine = toml_sign(&token, 'T') && toml_clock(&token, &time) &&
             toml_offset(&token, &time);
  } else {
    fine = toml_clock(&token, &time);
  }
  if (!csp_work(call, len)) return CSP_PANIC;
  if (!fine || token.s.len > 0) return csp_ok(call, csp_nil());
  if (!time.has_offset) return csp_ok_bool(call, true);
  int64_t minutes = (days_since_1970(&time) * 24 + time.hour) * 60 +
                    time.minute - time.offset;
  if (__builtin_mul_overflow(minutes * 60 + time.second, 1000000000, &ns) ||
      __builtin_add_overflow(ns, time.ns, &ns))
    return csp_ok_bool(call, false);
  return csp_ok_int(call, ns);
}

// --- The module -------------------------------------------------------------
static const CspFunction toml_functions[] = {
    CSP_REPEATABLE,
    {"_run", "text, at, run", toml_run},
    {"_form", "token", toml_form},
    {"_moment", "token", toml_moment},
    {"_step", "key", json_step},
    {"_instance", "type, map", json_instance},
    {NULL, NULL, NULL},
};

const CspModule toml_module = {"toml", toml_functions, NULL, NULL, 0};
