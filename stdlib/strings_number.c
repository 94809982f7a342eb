// SPDX-License-Identifier: MIT
// Numbers from and as text, and strings as they stand in source.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/strings.h"

// --- Ints -------------------------------------------------------------------
static int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 99;
}

// Takes 0x, 0o or 0b off; the base it tells, or 10.
static int take_prefix(Str *s) {
  if (s->len < 2 || s->data[0] != '0') return 10;
  char c = (char)(s->data[1] | 32);
  int base = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 10;
  if (base != 10) *s = (Str){s->data + 2, s->len - 2};
  return base;
}

// Base 0: by its prefix. Counts downwards, as INT64_MIN has no opposite.
int number_parse_int(Str s, int base, int64_t *out) {
  bool negative = s.len > 0 && s.data[0] == '-';
  if (s.len > 0 && (negative || s.data[0] == '+')) {
    s = (Str){s.data + 1, s.len - 1};
  }
  if (base == 0) base = take_prefix(&s);
  if (s.len == 0) return EINVAL;
  int64_t n = 0;
  bool overflow = false;
  for (size_t i = 0; i < s.len; i++) {
    int digit = digit_value(s.data[i]);
    if (digit >= base) return EINVAL;
    overflow = overflow || __builtin_mul_overflow(n, base, &n) ||
               __builtin_sub_overflow(n, digit, &n);
  }
  if (overflow || (!negative && n == INT64_MIN)) return ERANGE;
  *out = negative ? n : -n;
  return 0;
}

static CspStatus ok_bad_text(CspCall *call, Str s, const char *wanted,
                             int error) {
  Buffer quoted = {.most = csp_room(call)};
  quote_string(&quoted, s);
  if (quoted.failed) {
    buffer_free(&quoted);
    return csp_panic_memory(call);
  }
  CspStatus status = csp_ok_error(
      call, "%.80s%s is %s%s", quoted.data, quoted.len > 80 ? "..." : "",
      error == ERANGE ? "out of the range of " : "not ", wanted);
  buffer_free(&quoted);
  return status;
}

// (int, nil) or (nil, error). base 2 to 36, or 0: by the prefix 0x, 0o, 0b.
CspStatus strings_parse_int(CspCall *call) {
  Str s;
  int64_t base, n;
  if (!need_str(call, 0, &s) || !opt_int(call, 1, 10, &base)) return CSP_PANIC;
  if (base != 0 && (base < 2 || base > 36)) {
    return csp_bad_arg(call, 1, "0 or from 2 to 36");
  }
  int error = number_parse_int(s, (int)base, &n);
  if (error) return ok_bad_text(call, s, "an int", error);
  return csp_ok_value(call, csp_int(call, n));
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
static bool parse_word(const char *s, double *out) {
  const char *word = s + (*s == '-' || *s == '+');
  if (strcasecmp(word, "inf") == 0 || strcasecmp(word, "infinity") == 0) {
    *out = *s == '-' ? -INFINITY : INFINITY;
    return true;
  }
  *out = NAN;
  return strcasecmp(word, "nan") == 0;
}

// strtod alone would take hexadecimal, and blanks before it.
int number_parse_float(Str s, double *out) {
  if (strlen(s.data) != s.len || s.len == 0) return EINVAL;
  if (parse_word(s.data, out)) return 0;
  if (strspn(s.data, "0123456789.eE+-") != s.len) return EINVAL;
  char *end;
  *out = strtod(s.data, &end);
  if (end != s.data + s.len) return EINVAL;
  return isinf(*out) ? ERANGE : 0;
}

CspStatus strings_parse_float(CspCall *call) {
  Str s;
  double d;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  int error = number_parse_float(s, &d);
  if (error) return ok_bad_text(call, s, "a float", error);
  return csp_ok_value(call, csp_float(call, d));
}

CspStatus strings_parse_bool(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  bool yes = strcmp(s.data, "true") == 0;
  if (!yes && strcmp(s.data, "false") != 0) {
    return ok_bad_text(call, s, "true or false", EINVAL);
  }
  return csp_ok_value(call, csp_bool(yes));
}

// --- Source form ------------------------------------------------------------
static const char escapes[] = "n\nt\tr\r\\\\\"\"$$";

// The letter after a backslash for this byte, or 0.
static char escape_letter(char c) {
  for (const char *e = escapes; *e; e += 2) {
    if (e[1] == c) return e[0];
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
  } else if ((uint8_t)c < 0x20 || c == 0x7f ||
             ((uint8_t)c > 0x7f && width == 1)) {
    buffer_add(out, "\\x", 2);
    buffer_add_char(out, hex[(uint8_t)c >> 4]);
    buffer_add_char(out, hex[(uint8_t)c & 15]);
  } else {
    buffer_add(out, s.data + at, width);
  }
}

void quote_string(Buffer *out, Str s) {
  buffer_add_char(out, '"');
  for (size_t at = 0, width; at < s.len; at += width) {
    utf8_at(s.data, s.len, at, &width);
    quote_at(out, s, at, width);
  }
  buffer_add_char(out, '"');
}

CspStatus strings_quote(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  Buffer out = {.most = csp_room(call)};
  quote_string(&out, s);
  return buffer_ok(call, &out);
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
    size_t width = count > 0 ? utf8_put(code, plain) : 0;
    if (width == 0 || at + 2 + count >= s.len) return 0;
    if (s.data[at + 2 + count] != '}') return 0;
    buffer_add(out, plain, width);
    return count + 3;
  }
  if (c == '\'') {
    buffer_add_char(out, c);
    return 1;
  }
  for (const char *e = escapes; *e; e += 2) {
    if (e[0] != c) continue;
    buffer_add_char(out, e[1]);
    return 1;
  }
  return 0;
}

// What stands between the quotes; false: it is no string literal.
static bool unquote(Buffer *out, Str s) {
  if (s.len < 2 || s.data[0] != s.data[s.len - 1]) return false;
  if (s.data[0] == '`') {
    buffer_add(out, s.data + 1, s.len - 2);
    return !memchr(s.data + 1, '`', s.len - 2);
  }
  if (s.data[0] != '"') return false;
  Str inside = {s.data + 1, s.len - 2};
  for (size_t at = 0; at < inside.len; at++) {
    char c = inside.data[at];
    bool dollar = c == '$' && at + 1 < inside.len && inside.data[at + 1] == '{';
    if (c == '"' || c == '\n' || dollar) return false;
    if (c != '\\') {
      buffer_add_char(out, c);
      continue;
    }
    size_t count = at + 1 < inside.len ? unescape(out, inside, at + 1) : 0;
    if (count == 0) return false;
    at += count;
  }
  return true;
}

// (string, nil) or (nil, error): the reverse of quote; also `raw` strings.
CspStatus strings_unquote(CspCall *call) {
  Str s;
  if (!need_str(call, 0, &s)) return CSP_PANIC;
  Buffer out = {.most = csp_room(call)};
  if (!unquote(&out, s)) {
    buffer_free(&out);
    return ok_bad_text(call, s, "a quoted string", EINVAL);
  }
  return csp_ok_value(call, buffer_string(call, &out));
}
