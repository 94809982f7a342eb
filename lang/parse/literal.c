// SPDX-License-Identifier: MIT
// What literals mean: numbers, durations, runes, strings.
//
// The lexer has found the shape of each; here are values, ranges and escapes.
// Errors are reported where they stand, and some value is given.
#include "lang/parse/literal.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lang/arena.h"
#include "lang/diag.h"
#include "lang/parse/grammar.h"
#include "vm/value/utf8.h"

// --- numbers ----------------------------------------------------------------
static Pos pos_after(Pos pos, size_t bytes) {
  pos.col += (uint32_t)bytes;
  pos.offset += (uint32_t)bytes;
  return pos;
}

static int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static unsigned base_of(const char *text, size_t len) {
  if (len < 2 || text[0] != '0') return 10;
  switch (text[1]) {
    case 'x':
    case 'X':
      return 16;
    case 'o':
    case 'O':
      return 8;
    case 'b':
    case 'B':
      return 2;
    default:
      return 10;
  }
}

static void check_leading_zero(Parse *parse, const char *text, size_t len,
                               Pos pos) {
  bool follows = len > 1 && (text[1] == '_' || hex_value(text[1]) >= 0);
  if (text[0] != '0' || !follows || text[1] == 'e' || text[1] == 'E') return;
  diag_error(parse->diags, pos, (uint32_t)len, "a number has no leading 0");
  diag_hint(parse->diags, "octal numbers are written 0o17");
}

static int64_t out_of_range(Parse *parse, size_t len, Pos pos) {
  diag_error(parse->diags, pos, (uint32_t)len, "this number is out of range");
  diag_hint(parse->diags, "the largest int is 9223372036854775807");
  return 0;
}

static bool after_unary_minus(const Parse *parse) {
  return parse->last.kind == TOK_SUB && !parse_ends_value(parse->before_last);
}

int64_t literal_int(Parse *parse, const char *text, size_t len, Pos pos) {
  unsigned base = base_of(text, len);
  size_t i = base == 10 ? 0 : 2;
  uint64_t value = 0;
  if (base == 10) check_leading_zero(parse, text, len, pos);
  for (; i < len; i++) {
    if (text[i] == '_') continue;
    unsigned digit = (unsigned)hex_value(text[i]);
    bool over = __builtin_mul_overflow(value, (uint64_t)base, &value) ||
                __builtin_add_overflow(value, (uint64_t)digit, &value);
    if (over) return out_of_range(parse, len, pos);
  }
  if (value <= INT64_MAX) return (int64_t)value;
  if (value == (uint64_t)INT64_MAX + 1 && after_unary_minus(parse)) {
    return INT64_MIN;  // tree_unary takes both together
  }
  return out_of_range(parse, len, pos);
}

// The host may have another decimal point.
static double parse_float(const char *digits) {
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (c_locale == (locale_t)0) return strtod(digits, NULL);
  double value = strtod_l(digits, NULL, c_locale);
  freelocale(c_locale);
  return value;
}

double literal_float(Parse *parse, const char *text, size_t len, Pos pos) {
  check_leading_zero(parse, text, len, pos);
  char *digits = arena_try_alloc(parse->arena, len + 1);
  if (digits == NULL) return 0;
  size_t n = 0;
  for (size_t i = 0; i < len; i++) {
    if (text[i] != '_') digits[n++] = text[i];
  }
  double value = parse_float(digits);
  if (isfinite(value)) return value;
  diag_error(parse->diags, pos, (uint32_t)len, "this number is out of range");
  diag_hint(parse->diags, "the largest float is about 1.8e308");
  return 0;
}

static int64_t unit_nanoseconds(const char *unit, size_t len) {
  if (len == 2) return unit[0] == 'n' ? 1 : unit[0] == 'u' ? 1000 : 1000000;
  const int64_t second = 1000000000;
  RT_ASSERT(len == 1 && (*unit == 's' || *unit == 'm' || *unit == 'h'));
  return unit[0] == 's' ? second : unit[0] == 'm' ? 60 * second : 3600 * second;
}

static int64_t duration_out_of_range(Parse *parse, size_t len, Pos pos) {
  diag_error(parse->diags, pos, (uint32_t)len, "this duration is out of range");
  diag_hint(parse->diags,
            "the longest is about 2562047h, in nanoseconds an int");
  return 0;
}

// What is divided by the scale is below 2^107: beyond that only 0 is a
// multiple.
static const unsigned __int128 SCALE_MAX = (unsigned __int128)1 << 120;

int64_t literal_duration(Parse *parse, const char *text, size_t len, Pos pos) {
  check_leading_zero(parse, text, len, pos);
  // All digits as one int, times the unit, over the power of ten.
  unsigned __int128 digits = 0, scale = 1;
  bool fraction = false;
  size_t i = 0;
  for (; text[i] == '.' || text[i] == '_' || hex_value(text[i]) >= 0; i++) {
    if (text[i] == '.') fraction = true;
    if (text[i] == '.' || text[i] == '_') continue;
    if (digits > UINT64_MAX) return duration_out_of_range(parse, len, pos);
    digits = digits * 10 + (unsigned)hex_value(text[i]);
    if (fraction && scale < SCALE_MAX) scale *= 10;
  }
  if (digits > UINT64_MAX) return duration_out_of_range(parse, len, pos);
  digits *= (uint64_t)unit_nanoseconds(text + i, len - i);
  if (digits % scale != 0) {
    diag_error(parse->diags, pos, (uint32_t)len,
               "this duration is not a whole number of nanoseconds");
  }
  RT_ASSERT(scale >= 1);
  digits /= scale;
  if (digits > INT64_MAX) return duration_out_of_range(parse, len, pos);
  return (int64_t)digits;
}

// --- text -------------------------------------------------------------------
typedef struct LiteralText {
  Parse *parse;
  const char *from, *end;  // what is left of the source
  const char *begin;
  Pos pos;  // of begin
  char *out;
} LiteralText;

// An error about what stands between `at` and text->from.
static void bad_escape(LiteralText *text, const char *at, const char *message) {
  Pos pos = pos_after(text->pos, (size_t)(at - text->begin));
  size_t len = (size_t)(text->from - at);
  diag_error(text->parse->diags, pos, (uint32_t)len, "%s", message);
  diag_hint(text->parse->diags,
            "escapes are \\n \\t \\r \\\\ \\\" \\' \\$ \\x41 \\u{1F600}");
}

// At most `limit` hexadecimal digits; gives how many there were.
static int hex_digits(LiteralText *text, int limit, uint32_t *value) {
  int count = 0;
  *value = 0;
  while (count < limit && text->from < text->end) {
    int digit = hex_value(*text->from);
    if (digit < 0) break;
    *value = *value << 4 | (uint32_t)digit;
    text->from++;
    count++;
  }
  return count;
}

static void escape_byte(LiteralText *text, const char *at) {
  uint32_t value;
  if (hex_digits(text, 2, &value) == 2) {
    *text->out++ = (char)value;
  } else {
    bad_escape(text, at, "`\\x` wants two hexadecimal digits");
  }
}

static bool take_char(LiteralText *text, char c) {
  if (text->from == text->end || *text->from != c) return false;
  text->from++;
  return true;
}

static void escape_code_point(LiteralText *text, const char *at) {
  uint32_t code;
  bool shaped = take_char(text, '{') && hex_digits(text, 6, &code) > 0 &&
                take_char(text, '}');
  if (!shaped) {
    bad_escape(text, at, "`\\u` wants 1 to 6 hexadecimal digits in braces");
  } else if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
    bad_escape(text, at, "this is no Unicode code point");
  } else {
    text->out += utf8_encode(code, text->out);
  }
}

// text->from is after the backslash.
static void escape(LiteralText *text) {
  static const char NAMES[] = "ntr\\\"'$", VALUES[] = "\n\t\r\\\"'$";
  const char *at = text->from - 1;
  char c = text->from < text->end ? *text->from++ : '\0';
  const char *known = c ? strchr(NAMES, c) : NULL;
  if (known != NULL) {
    *text->out++ = VALUES[known - NAMES];
  } else if (c == 'x') {
    escape_byte(text, at);
  } else if (c == 'u') {
    escape_code_point(text, at);
  } else {
    while (text->from < text->end && utf8_continues((char)*text->from)) {
      text->from++;  // the rest of a longer character
    }
    bad_escape(text, at, "unknown escape");
  }
}

// No escape is shorter than what it stands for, so len bytes suffice.
AstStr literal_string(Parse *parse, const char *source, size_t len, Pos pos) {
  char *bytes = arena_try_alloc(parse->arena, len + 1);
  if (bytes == NULL) return (AstStr){"", 0};
  LiteralText text = {.parse = parse,
                      .from = source,
                      .end = source + len,
                      .begin = source,
                      .pos = pos,
                      .out = bytes};
  while (text.from < text.end) {
    char c = *text.from++;
    if (c == '\\') {
      escape(&text);
    } else {
      *text.out++ = c;
    }
  }
  RT_ASSERT(text.out <= bytes + len);
  return (AstStr){bytes, (size_t)(text.out - bytes)};
}

AstStr literal_raw(Parse *parse, const char *source, size_t len) {
  char *bytes = arena_try_alloc(parse->arena, len + 1);
  if (bytes == NULL) return (AstStr){"", 0};
  size_t n = 0;
  for (size_t i = 0; i < len; i++) {
    if (source[i] != '\r') bytes[n++] = source[i];
  }
  return (AstStr){bytes, n};
}

static bool is_indent(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Where what is left of a line begins. A line of blanks may be shorter than the
// indentation.
static const char *after_indent(Parse *parse, const char *line, size_t len,
                                AstStr indent, Pos pos) {
  size_t blank = 0;
  while (blank < len && is_indent(line[blank])) blank++;
  if (len >= indent.len && memcmp(line, indent.text, indent.len) == 0)
    return line + indent.len;
  if (blank == len) return line + len;
  bool other = blank >= indent.len;
  diag_error(parse->diags, pos, blank > 0 ? (uint32_t)blank : 1,
             "line %u has %s indentation than the closing backquotes", pos.line,
             other ? "another" : "less");
  if (other)
    diag_hint(parse->diags, "tabs are no spaces: indent both lines alike");
  return line + blank;
}

AstStr literal_lines(Parse *parse, size_t len, Pos first, size_t indent) {
  const char *at = parse->source->text + first.offset, *end = at + len;
  AstStr closing = {end, indent};
  RT_ASSERT(first.offset + len + indent <= parse->source->len);
  char *bytes = arena_try_alloc(parse->arena, len + 1);
  if (bytes == NULL) return (AstStr){"", 0};
  size_t n = 0;
  for (; at < end; first.line++) {
    const char *next = memchr(at, '\n', (size_t)(end - at));
    size_t width = (size_t)((next != NULL ? next : end) - at);
    first.offset = (uint32_t)(at - parse->source->text);
    const char *from = after_indent(parse, at, width, closing, first);
    for (at += width; from < at; from++) {
      if (*from != '\r') bytes[n++] = *from;
    }
    if (next == NULL) break;
    bytes[n++] = '\n';
    at = next + 1;
  }
  return (AstStr){bytes, n};
}

AstStr literal_format(Parse *parse, const char *text, size_t len) {
  char *bytes = arena_try_alloc(parse->arena, len + 1);
  if (bytes == NULL) return (AstStr){"", 0};
  bytes[0] = '%';
  memcpy(bytes + 1, text, len);
  return (AstStr){bytes, len + 1};
}

int64_t literal_rune(Parse *parse, const char *text, size_t len, Pos pos) {
  if (len < 2 || text[len - 1] != '\'') {
    diag_error(parse->diags, pos, 1, "this character is not closed");
    diag_hint(parse->diags, "it ends with `'`; strings stand between `\"`");
    return 0;
  }
  int errors = diags_errors(parse->diags);
  AstStr str = literal_string(parse, text + 1, len - 2, pos_after(pos, 1));
  if (diags_errors(parse->diags) > errors) return 0;
  if (str.len == 1) return (unsigned char)str.text[0];  // also '\xff'
  uint32_t rune;
  size_t first = utf8_sequence(str.text, str.len);
  if (first > 0 && first == str.len) {
    utf8_decode(str.text, str.len, 0, &rune);
    return rune;
  }
  diag_error(parse->diags, pos, (uint32_t)len,
             str.len ? "`'` holds one character" : "an empty character");
  diag_hint(parse->diags, "strings stand between `\"`");
  return 0;
}
