// SPDX-License-Identifier: MIT
// Numbers from and as text, and strings as they stand in source.
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/strings.h"
#include "stdlib/text_job.h"

// --- Ints -------------------------------------------------------------------
static int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 99;
}

// Takes 0x, 0o or 0b off; the base it tells, or 10.
static int take_prefix(Str *text) {
  if (text->len < 2 || text->data[0] != '0') return 10;
  char c = (char)(text->data[1] | 32);
  int base = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 10;
  if (base != 10) *text = (Str){text->data + 2, text->len - 2};
  return base;
}

// Takes a sign off. true: a minus.
static bool take_sign(Str *text) {
  bool negative = text->len > 0 && text->data[0] == '-';
  if (text->len > 0 && (negative || text->data[0] == '+')) {
    *text = (Str){text->data + 1, text->len - 1};
  }
  return negative;
}

// What a message shows of a text: its beginning, quoted.
static CspStatus ok_bad_text(CspCall *call, Str s, const char *wanted,
                             int error) {
  if (error == ECANCELED) return CSP_PANIC;
  Buffer quoted = buffer_of(call);
  quote_string(&quoted, (Str){s.data, s.len < 100 ? s.len : 100});
  if (quoted.failed) {
    buffer_free(&quoted);
    return csp_panic_memory(call);
  }
  CspStatus status =
      csp_ok_coded(call, error == ERANGE ? "range" : "syntax",
                   "%.80s%s is %s%s", quoted.data, quoted.len > 80 ? "..." : "",
                   error == ERANGE ? "out of the range of " : "not ", wanted);
  buffer_free(&quoted);
  return status;
}

typedef struct ParseInt {
  Str left;   // the argument's end: the digits that are not read
  int64_t n;  // downwards, as INT64_MIN has no opposite
  int base;
  bool negative, overflow;
} ParseInt;

// false: one is no digit.
static bool take_digits(ParseInt *parse, Str digits) {
  int64_t *number = &parse->n;
  for (size_t i = 0; i < digits.len; i++) {
    int digit = digit_value(digits.data[i]);
    if (digit >= parse->base) return false;
    parse->overflow = parse->overflow ||
                      __builtin_mul_overflow(*number, parse->base, number) ||
                      __builtin_sub_overflow(*number, digit, number);
  }
  return true;
}

static CspStatus parse_int_end(CspCall *call, const ParseInt *parse,
                               int error) {
  bool positive = !parse->negative;
  if (parse->overflow || (positive && parse->n == INT64_MIN))
    error = error ? error : ERANGE;
  if (error)
    return ok_bad_text(call, view_of(csp_arg(call, 0)), "an int", error);
  return csp_ok_value(call, csp_int(call, positive ? -parse->n : parse->n));
}

static CspStatus parse_int_later(CspCall *call, void *data, bool on);

static CspStatus parse_int_on(CspCall *call, ParseInt *parse) {
  while (parse->left.len > 0) {
    Str *left = &parse->left, piece = pieces_front(*left);
    if (!take_digits(parse, piece)) return parse_int_end(call, parse, EINVAL);
    *left = (Str){left->data + piece.len, left->len - piece.len};
    if (csp_spent(call, piece.len * 2) && left->len > 0)
      return csp_again(call, parse_int_later, parse, sizeof *parse, 0);
  }
  return parse_int_end(call, parse, 0);
}

// The bytes may have moved since the last piece.
static CspStatus parse_int_later(CspCall *call, void *data, bool on) {
  ParseInt *parse = data;
  if (!on) return CSP_PANIC;
  Str s = view_of(csp_arg(call, 0));
  parse->left.data = s.data + (s.len - parse->left.len);
  return parse_int_on(call, parse);
}

// (int, nil) or (nil, error). base 2 to 36, or 0: by the prefix 0x, 0o, 0b.
CspStatus strings_parse_int(CspCall *call) {
  Str s;
  int64_t base;
  if (!need_view(call, 0, &s) || !opt_int(call, 1, 10, &base)) return CSP_PANIC;
  if (base != 0 && (base < 2 || base > 36)) {
    return csp_bad_arg(call, 1, "0 or from 2 to 36");
  }
  ParseInt parse = {.negative = take_sign(&s)};
  parse.base = base != 0 ? (int)base : take_prefix(&s);
  parse.left = s;
  if (s.len == 0) return parse_int_end(call, &parse, EINVAL);
  return parse_int_on(call, &parse);
}

size_t number_digits(uint64_t n, unsigned base, bool upper, char *out) {
  static const char small[] = "0123456789abcdefghijklmnopqrstuvwxyz";
  static const char large[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  char backwards[64];
  size_t len = 0;
  do {
    backwards[len++] = (upper ? large : small)[n % base];
    n /= base;
  } while (n > 0);
  for (size_t i = 0; i < len; i++) out[i] = backwards[len - 1 - i];
  return len;
}

CspStatus strings_format_int(CspCall *call) {
  int64_t n, base;
  if (!csp_need_int(call, 0, &n) || !opt_int(call, 1, 10, &base)) {
    return CSP_PANIC;
  }
  if (base < 2 || base > 36) return csp_bad_arg(call, 1, "from 2 to 36");
  char text[65];
  text[0] = '-';
  uint64_t size = n < 0 ? -(uint64_t)n : (uint64_t)n;
  size_t len = number_digits(size, (unsigned)base, false, text + 1);
  return csp_ok_string(call, n < 0 ? text : text + 1, n < 0 ? len + 1 : len);
}

// --- Floats -----------------------------------------------------------------
// Letters of ASCII in any case.
static bool is_word(Str s, const char *word) {
  if (s.len != strlen(word)) return false;
  for (size_t i = 0; i < s.len; i++) {
    if ((s.data[i] | 32) != word[i]) return false;
  }
  return true;
}

static bool parse_word(Str s, double *out) {
  bool negative = take_sign(&s);
  if (is_word(s, "inf") || is_word(s, "infinity")) {
    *out = negative ? -INFINITY : INFINITY;
    return true;
  }
  *out = NAN;
  return is_word(s, "nan");
}

int number_parse_float(CspCall *call, Str s, double *out) {
  int error = csp_parse_float(call, s.data, s.len, out);
  return error == EINVAL && parse_word(s, out) ? 0 : error;
}

// The process's locale would choose the point. "C" is always there; setting
// it is this thread's alone.
char *number_print(Csp *csp, const char *format, int precision, double d) {
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t before = uselocale(plain);
  int len = plain != NULL ? snprintf(NULL, 0, format, precision, d) : -1;
  char *text = len < 0 ? NULL : csp_alloc(csp, NULL, (size_t)len + 1);
  if (text != NULL) snprintf(text, (size_t)len + 1, format, precision, d);
  uselocale(before);
  if (plain != NULL) freelocale(plain);
  return text;
}

CspStatus strings_parse_float(CspCall *call) {
  Str s;
  double d;
  if (!need_view(call, 0, &s)) return CSP_PANIC;
  int error = number_parse_float(call, s, &d);
  if (error) return ok_bad_text(call, s, "a float", error);
  return csp_ok_value(call, csp_float(call, d));
}

CspStatus strings_parse_bool(CspCall *call) {
  Str s;
  if (!need_view(call, 0, &s)) return CSP_PANIC;
  bool yes = s.len == 4 && memcmp(s.data, "true", 4) == 0;
  if (!yes && (s.len != 5 || memcmp(s.data, "false", 5) != 0)) {
    return ok_bad_text(call, s, "true or false", EINVAL);
  }
  return csp_ok_value(call, csp_bool(yes));
}

// --- Source form ------------------------------------------------------------
static const char escapes[] = "n\nt\tr\r\\\\\"\"$$";

// The letter after a backslash for this byte, or 0.
static char escape_letter(char c) {
  for (const char *escape = escapes; *escape; escape += 2) {
    if (escape[1] == c) return escape[0];
  }
  return 0;
}

static void quote_at(Buffer *out, Str s, size_t at, size_t width) {
  static const char hex[] = "0123456789abcdef";
  char c = s.data[at];
  char letter = escape_letter(c);
  bool dollar = c == '$';
  if (dollar && !(at + 1 < s.len && s.data[at + 1] == '{')) letter = 0;
  if (letter) {
    buffer_add_char(out, '\\');
    buffer_add_char(out, letter);
  } else if (utf8_is_control(c) || ((uint8_t)c > 0x7f && width == 1)) {
    buffer_add(out, "\\x", 2);
    buffer_add_char(out, hex[(uint8_t)c >> 4]);
    buffer_add_char(out, hex[(uint8_t)c & 15]);
  } else {
    buffer_add(out, s.data + at, width);
  }
}

void quote_piece(Buffer *out, Str s, size_t from, size_t to) {
  for (size_t at = from, width; at < to; at += width) {
    utf8_at(s.data, s.len, at, &width);
    quote_at(out, s, at, width);
  }
}

void quote_string(Buffer *out, Str s) {
  Pieces p = pieces_of(out->call, s, 8);
  buffer_add_char(out, '"');
  while (!out->failed && pieces_next(&p)) {
    size_t from = (size_t)(p.piece.data - s.data);
    quote_piece(out, s, from, from + p.piece.len);
  }
  out->failed |= p.over;
  buffer_add_char(out, '"');
}

// seen: how much of it is there.
static bool quote_turns(TextJob *job) {
  Str left = {job->s.data + job->seen, job->s.len - job->seen};
  size_t len = pieces_front(left).len;
  if (job->seen == 0) buffer_add_char(&job->text, '"');
  quote_piece(&job->text, job->s, job->seen, job->seen + len);
  job->took += len * 8;
  job->seen += len;
  if (job->seen < job->s.len) return true;
  buffer_add_char(&job->text, '"');
  return false;
}

CspStatus strings_quote(CspCall *call) {
  TextJob job = text_job_of(call, quote_turns);
  if (!need_str(call, 0, &job.s)) return CSP_PANIC;
  return text_job_run(&job);
}

// Hexadecimal digits at s[at]: at most `most`. How many; *out the number.
static size_t take_hex(Str s, size_t at, size_t most, uint32_t *out) {
  size_t count = 0;
  *out = 0;
  while (count < most && at + count < s.len) {
    int digit = digit_value(s.data[at + count]);
    if (digit > 15) break;
    *out = *out * 16 + (uint32_t)digit;
    count++;
  }
  return count;
}

// The escape after the backslash at s[at - 1]; how many bytes it has, or 0.
static size_t unescape(Buffer *out, Str s, size_t at) {
  char c = s.data[at], plain[4];
  uint32_t code;
  if (c == 'x') {
    if (take_hex(s, at + 1, 2, &code) != 2) return 0;
    buffer_add_char(out, (char)code);
    return 3;
  }
  if (c == 'u') {
    if (at + 1 >= s.len || s.data[at + 1] != '{') return 0;
    size_t count = take_hex(s, at + 2, 6, &code);
    size_t width = count > 0 ? (size_t)utf8_encode(code, plain) : 0;
    if (width == 0 || at + 2 + count >= s.len) return 0;
    if (s.data[at + 2 + count] != '}') return 0;
    buffer_add(out, plain, width);
    return count + 3;
  }
  if (c == '\'') {
    buffer_add_char(out, c);
    return 1;
  }
  for (const char *escape = escapes; *escape; escape += 2) {
    if (escape[0] != c) continue;
    buffer_add_char(out, escape[1]);
    return 1;
  }
  return 0;
}

// What stands between double quotes. flag: it is none.
static bool unquote_turns(TextJob *job) {
  Str inside = job->s;
  for (; job->at < inside.len && !text_job_full(job); job->at++) {
    char c = inside.data[job->at];
    bool more = job->at + 1 < inside.len;
    bool dollar = c == '$' && more && inside.data[job->at + 1] == '{';
    size_t count = 0;
    if (c == '\\') count = more ? unescape(&job->text, inside, job->at + 1) : 0;
    job->flag = c == '"' || c == '\n' || dollar || (c == '\\' && count == 0);
    if (job->flag) return false;
    if (c != '\\') buffer_add_char(&job->text, c);
    job->at += count;
    job->took += 8;
  }
  return job->at < inside.len;
}

// What stands between back quotes.
static bool unquote_raw_turns(TextJob *job) {
  bool more;
  int64_t at = text_job_find(job, &more);
  if (more) return true;
  job->flag = at >= 0;
  if (at == CSP_NOWHERE) text_job_add(job, job->s);
  return false;
}

static CspStatus unquote_done(CspCall *call, TextJob *job, CspValue text) {
  Str s = view_of(csp_arg(call, 0));
  if (!job->flag) return csp_ok_value(call, text);
  return ok_bad_text(call, s, "a quoted string", EINVAL);
}

// (string, nil) or (nil, error): the reverse of quote, also of `raw` strings.
CspStatus strings_unquote(CspCall *call) {
  Str s;
  if (!need_view(call, 0, &s)) return CSP_PANIC;
  char quote = s.len >= 2 && s.data[0] == s.data[s.len - 1] ? s.data[0] : 0;
  if (quote != '"' && quote != '`')
    return ok_bad_text(call, s, "a quoted string", EINVAL);
  if (!need_str(call, 0, &s)) return CSP_PANIC;  // all of it is read
  TextJob job =
      text_job_of(call, quote == '"' ? unquote_turns : unquote_raw_turns);
  job.s = (Str){s.data + 1, s.len - 2};
  job.old = (Str){"`", 1};
  job.done = unquote_done;
  return text_job_run(&job);
}
