// SPDX-License-Identifier: MIT
// Blanks and strings of JSON texts, and where in a text something is wrong.
//
// A string is read twice. The first pass finds its end, eight bytes at a time
// where they are plain, and checks escapes and UTF-8. It counts the bytes that
// the string means, so the second pass writes into a value of just that size.
#include <stdarg.h>
#include <stdio.h>

#include "stdlib/json.h"

enum { MEANT_SHORT = 256 };  // bytes that are written beside the value first

// --- Errors -----------------------------------------------------------------
bool json_refuse(JsonText *text, const char *where, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(text->why, sizeof text->why, format, args);
  va_end(args);
  text->wrong = json_offset(text, where);
  text->code = "syntax";
  text->fail = JSON_WRONG;
  return false;
}

bool json_refuse_other(JsonText *text, const char *wanted) {
  if (text->at == text->end)
    return json_refuse(text, text->at, "the text ends where %s should stand",
                       wanted);
  size_t left = (size_t)(text->end - text->at);
  size_t len = utf8_sequence(text->at, left);
  char shown[UTF8_SHOWN(4)];
  utf8_show(text->at, len, 4, shown);
  if (len == 0)
    return json_refuse(text, text->at, "the byte 0x%02x is not UTF-8",
                       (unsigned char)*text->at);
  if (len == 3 && memcmp(text->at, "\xef\xbb\xbf", 3) == 0)
    return json_refuse(text, text->at,
                       "%s should stand here, not a byte order mark", wanted);
  return json_refuse(text, text->at, "%s should stand here, not `%s`", wanted,
                     shown);
}

bool json_refuse_key(JsonText *text, size_t offset, Str key) {
  enum { SHOWN = 40 };
  char shown[UTF8_SHOWN(SHOWN)];
  utf8_show(key.data, key.len, SHOWN, shown);
  json_refuse(text, text->begin, "the key \"%s%s\" is there twice", shown,
              key.len > SHOWN ? "..." : "");
  text->wrong = offset;
  return false;
}

CspStatus json_refused(JsonText *text, size_t line, size_t column) {
  return csp_ok_coded(text->call, text->code, "json: line %zu, column %zu: %s",
                      line, column, text->why);
}

static bool charge_part(JsonText *text, size_t bytes) {
  if (csp_work(text->call, bytes)) return true;
  text->fail = JSON_PANICKED;
  return false;
}

// --- Blanks -----------------------------------------------------------------
static bool is_json_blank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

bool json_skip_blanks(JsonText *text) {
  for (;;) {
    const char *from = text->at, *at = from;
    const char *stop = text->end - at > JSON_PART ? at + JSON_PART : text->end;
    while (at < stop && is_json_blank(*at)) at++;
    text->at = at;
    if (at < stop || stop == text->end) return true;
    if (!charge_part(text, (size_t)(at - from))) return false;
  }
}

// --- Plain bytes ------------------------------------------------------------
static bool is_json_plain(char c) {
  return (unsigned char)(c - ' ') < 0x60 && c != '"' && c != '\\';
}

// The lowest byte that is no plain one has its high bit set in the result, and
// none below it has. Of those above it a borrow may say so wrongly.
static inline uint64_t not_plain(uint64_t eight) {
  const uint64_t ones = 0x0101010101010101u;
  uint64_t quotes = eight ^ ones * '"', slashes = eight ^ ones * '\\';
  uint64_t found = eight | ((eight - ones * ' ') & ~eight) |
                   ((quotes - ones) & ~quotes) | ((slashes - ones) & ~slashes);
  return found & ones << 7;
}

const char *json_plain(const char *at, const char *end) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint64_t eight;
  for (; (size_t)(end - at) >= sizeof eight; at += sizeof eight) {
    memcpy(&eight, at, sizeof eight);
    uint64_t found = not_plain(eight);
    if (found != 0) return at + __builtin_ctzll(found) / 8;
  }
#endif
  while (at < end && is_json_plain(*at)) at++;
  return at;
}

// --- Escapes ----------------------------------------------------------------
static const char escape_letters[] = "\"\\/bfnrt";
static const char escape_meant[] = "\"\\/\b\f\n\r\t";

static int json_hex(char c) {
  if ((unsigned char)(c - '0') < 10) return c - '0';
  char small = (char)(c | 0x20);
  return (unsigned char)(small - 'a') < 6 ? small - 'a' + 10 : -1;
}

// The four digits at `at`, or -1. A NUL at the end of the text is no digit.
static int32_t hex_four(const char *at) {
  int32_t unit = 0;
  for (int n = 0; n < 4; n++) {
    int digit = json_hex(at[n]);
    if (digit < 0) return -1;
    unit = unit << 4 | digit;
  }
  return unit;
}

// The code point of an escape that begins with \u at `at`; *len is what it
// takes, 6 or 12. -1: it is none, or half of a pair.
static int32_t escape_rune(const char *at, size_t *len) {
  int32_t unit = hex_four(at + 2);
  *len = 6;
  if (unit < 0xd800 || unit > 0xdfff) return unit;
  if (unit > 0xdbff || at[6] != '\\' || at[7] != 'u') return -1;
  int32_t low = hex_four(at + 8);
  if (low < 0xdc00 || low > 0xdfff) return -1;
  *len = 12;
  return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

// Passes over the escape at *at. *less: by how much it is longer than what it
// means.
static bool check_escape(JsonText *text, const char **at, size_t *less) {
  const char *from = *at;
  char letter = from[1];
  if (letter == 'u') {
    size_t len;
    char bytes[4];
    int32_t rune = escape_rune(from, &len);
    if (rune < 0)
      return json_refuse(text, from,
                         hex_four(from + 2) < 0
                             ? "\\u must be followed by four hex digits"
                             : "half of a surrogate pair");
    *at = from + len;
    *less += len - (size_t)utf8_encode((uint32_t)rune, bytes);
    return true;
  }
  if (letter != '\0' && strchr(escape_letters, letter) != NULL) {
    *at = from + 2;
    *less += 1;
    return true;
  }
  text->at = from + 1;
  return json_refuse_other(text, "one of \"\\/bfnrtu");
}

// Writes what the bytes from *from on mean, some of them. Gives the units.
static inline size_t write_some(const char **from, const char *end, char **to) {
  size_t took = 0;
  while (*from < end && took < MEANT_SHORT * 8) {
    const char *stop = end - *from > JSON_PART ? *from + JSON_PART : end;
    const char *slash = memchr(*from, '\\', (size_t)(stop - *from));
    size_t len = (size_t)((slash != NULL ? slash : stop) - *from);
    memcpy(*to, *from, len);
    *to += len;
    *from += len;
    took += len / 8 + 4;
    if (slash != NULL && slash[1] == 'u') {
      uint32_t rune = (uint32_t)escape_rune(slash, &len);
      *to += utf8_encode(rune, *to);
      *from += len;
    } else if (slash != NULL) {
      *(*to)++ =
          escape_meant[strchr(escape_letters, slash[1]) - escape_letters];
      *from += 2;
    }
  }
  return took;
}

// false: given up.
static bool write_meant(JsonText *text, const char *from, const char *end,
                        char *to) {
  while (from < end) {
    size_t took = write_some(&from, end, &to);
    if (from < end && !charge_part(text, took)) return false;
  }
  return true;
}

// --- Strings ----------------------------------------------------------------
// Passes over what is not plain at *at: an escape, or a character that is not
// ASCII.
static inline bool pass_special(JsonText *text, const char **at, size_t *less) {
  if (**at == '\\') return check_escape(text, at, less);
  if (*at == text->end)
    return json_refuse(text, *at, "the text ends inside of a string");
  size_t len = utf8_sequence(*at, (size_t)(text->end - *at));
  *at += len;
  if (len > 1) return true;
  return json_refuse(text, *at - len,
                     len == 0 ? "the byte 0x%02x is not UTF-8"
                              : "the control 0x%02x must be escaped",
                     (unsigned char)*(*at - len));
}

// Whether what stands at `at` may go on after what was read of the text.
static inline bool is_cut(const JsonText *text, const char *at) {
  return (size_t)(text->end - at) < text->ahead;
}

// After a part of a string. false: it is paused, or given up.
static bool end_json_part(JsonText *text, const JsonRaw *raw, const char *at,
                          size_t less, size_t took) {
  JsonLong *paused = text->paused;
  if (paused == NULL) return charge_part(text, took);
  paused->raw.from = raw->from;
  paused->at = at;
  paused->less = less;
  paused->took = took;
  text->fail = JSON_PAUSED;
  return false;
}

// The string's raw bytes, up to its last quote, which is looked for from `at`
// on. Up to there it is by `less` longer than what it means.
static inline bool find_end_from(JsonText *text, JsonRaw *raw, const char *at,
                                 size_t less) {
  const char *from = at;
  for (;;) {
    const char *stop = text->end - at > JSON_PART ? at + JSON_PART : text->end;
    at = json_plain(at, stop);
    if (*at == '"' && at < stop) break;
    bool cut = is_cut(text, at);
    if ((at < stop || stop == text->end) && !cut &&
        !pass_special(text, &at, &less))
      return false;
    if (at - from < JSON_PART && !cut) continue;
    if (!end_json_part(text, raw, at, less, (size_t)(at - from))) return false;
    from = at;
  }
  raw->len = (size_t)(at - raw->from);
  raw->meant = raw->len - less;
  text->at = at + 1;
  return true;
}

static bool find_end(JsonText *text, JsonRaw *raw) {
  raw->from = text->at;
  return find_end_from(text, raw, text->at, 0);
}

// The value of a string that has escapes.
static bool make_meant(JsonText *text, const JsonRaw *raw, CspValue *v) {
  char bytes[MEANT_SHORT + 4], *to = bytes;
  bool is_short = raw->meant <= MEANT_SHORT;
  if (!is_short) *v = csp_string_room(text->call, raw->meant, &to);
  if (is_short || !csp_is_undef(*v)) {
    if (!write_meant(text, raw->from, raw->from + raw->len, to)) return false;
    if (is_short) *v = csp_string(text->call, bytes, raw->meant);
  }
  return true;
}

bool json_pass_string(JsonText *text) {
  JsonRaw raw;
  return find_end(text, &raw);
}

bool json_string(JsonText *text, CspValue *v) {
  JsonRaw raw;
  if (!find_end(text, &raw)) return false;
  if (raw.meant == raw.len)
    *v = csp_string(text->call, raw.from, raw.len);
  else if (!make_meant(text, &raw, v))
    return false;
  if (csp_is_undef(*v)) text->fail = JSON_NO_MEMORY;
  return text->fail == JSON_FINE;
}

// Its end is found, and the value is to be written.
static __attribute__((noinline)) bool make_long(JsonText *text,
                                                JsonLong *paused) {
  JsonRaw *raw = &paused->raw;
  if (!find_end_from(text, raw, paused->at, paused->less)) return false;
  paused->made = csp_string_room(text->call, raw->meant, &paused->to);
  paused->at = raw->from;
  if (csp_is_undef(paused->made)) text->fail = JSON_NO_MEMORY;
  return text->fail == JSON_FINE;
}

bool json_string_on(JsonText *text, CspValue *v) {
  JsonLong *paused = text->paused;
  text->fail = JSON_FINE;
  if (paused->to == NULL && !make_long(text, paused)) return false;
  const char *end = paused->raw.from + paused->raw.len;
  paused->took = 0;
  while (paused->at < end && paused->took < JSON_PART)
    paused->took += write_some(&paused->at, end, &paused->to);
  *v = paused->made;
  if (paused->at == end) return true;
  text->fail = JSON_PAUSED;
  return false;
}
