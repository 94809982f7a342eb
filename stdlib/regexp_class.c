// SPDX-License-Identifier: MIT
// Classes of characters in a pattern: brackets, \d, \pL and escapes.
//
// A part of a class is read into parse->spare, where case and negation change
// it. Then it is added to parse->set.
#include "stdlib/regexp.h"

typedef struct NamedRanges {
  const char *name;
  RegexpRange at[4];
  size_t count;
} NamedRanges;

static const NamedRanges posix_classes[] = {
    {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}, 3},
    {"alpha", {{'A', 'Z'}, {'a', 'z'}}, 2},
    {"ascii", {{0, 0x7f}}, 1},
    {"blank", {{'\t', '\t'}, {' ', ' '}}, 2},
    {"cntrl", {{0, 0x1f}, {0x7f, 0x7f}}, 2},
    {"digit", {{'0', '9'}}, 1},
    {"graph", {{'!', '~'}}, 1},
    {"lower", {{'a', 'z'}}, 1},
    {"print", {{' ', '~'}}, 1},
    {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}, 4},
    {"space", {{'\t', '\r'}, {' ', ' '}}, 2},
    {"upper", {{'A', 'Z'}}, 1},
    {"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}, 4},
    {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}, 3}};
static const NamedRanges digits = {"d", {{'0', '9'}}, 1};
static const NamedRanges blanks = {
    "s", {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}}, 3};
static const NamedRanges word_letters = {
    "w", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}, 4};

// --- Parts ------------------------------------------------------------------
// The part in `spare` is complete.
static bool add_part(RegexpParse *parse, bool negated) {
  CspCall *call = parse->call;
  RegexpRanges *part = &parse->spare;
  bool fine = parse->flags & FLAG_FOLD ? ranges_fold(call, part)
                                       : ranges_tidy(call, part);
  fine = fine && (!negated || ranges_negate(call, part)) &&
         ranges_add_all(call, &parse->set, part);
  return fine || regexp_no_memory(parse);
}

static bool add_named_part(RegexpParse *parse, const NamedRanges *named,
                           bool negated) {
  parse->spare.count = 0;
  for (size_t i = 0; i < named->count; i++)
    if (!ranges_add(parse->call, &parse->spare, named->at[i].low,
                    named->at[i].high))
      return regexp_no_memory(parse);
  return add_part(parse, negated);
}

static bool add_range_part(RegexpParse *parse, uint32_t low, uint32_t high) {
  parse->spare.count = 0;
  if (!ranges_add(parse->call, &parse->spare, low, high))
    return regexp_no_memory(parse);
  return add_part(parse, false);
}

static bool next_is(const RegexpParse *parse, size_t ahead, char c) {
  size_t at = parse->at + ahead;
  return at < parse->pattern.len && parse->pattern.data[at] == c;
}

// \pL, \p{Greek}, \p{^Greek}: `at` is after the p or P, which begins at `from`.
static bool read_unicode(RegexpParse *parse, size_t from, bool negated) {
  Str name = {parse->pattern.data + parse->at, 0};
  size_t left = parse->pattern.len - parse->at;
  if (left == 0) return regexp_wrong(parse, from, "a class has no name");
  if (*name.data != '{') {
    utf8_at(name.data, left, 0, &name.len);
    parse->at += name.len;
  } else {
    const char *end = memchr(name.data, '}', left);
    if (end == NULL)
      return regexp_wrong(parse, from, "the class has no `}` after its name");
    parse->at += (size_t)(end - name.data) + 1;
    name = (Str){name.data + 1, (size_t)(end - name.data) - 1};
  }
  if (name.len > 0 && *name.data == '^') {
    negated = !negated;
    name = (Str){name.data + 1, name.len - 1};
  }
  bool known;
  parse->spare.count = 0;
  if (!ranges_add_unicode(parse->call, &parse->spare, name, &known))
    return regexp_no_memory(parse);
  if (!known)
    return regexp_wrong(parse, from,
                        "there is no class of that name; write a category "
                        "such as \\pL or \\p{Lu}, or a script such as "
                        "\\p{Greek}");
  return add_part(parse, negated);
}

bool regexp_read_class(RegexpParse *parse, bool *is) {
  size_t from = parse->at - 1;
  char c = parse->pattern.data[parse->at];
  *is = c != '\0' && strchr("dDsSwWpP", c) != NULL;
  if (!*is) return true;
  parse->at++;
  bool negated = c < 'a';
  switch (c | 32) {
    case 'd':
      return add_named_part(parse, &digits, negated);
    case 's':
      return add_named_part(parse, &blanks, negated);
    case 'w':
      return add_named_part(parse, &word_letters, negated);
    default:
      return read_unicode(parse, from, negated);
  }
}

// --- Characters -------------------------------------------------------------
bool regexp_read_rune(RegexpParse *parse, uint32_t *rune) {
  size_t width;
  Str pattern = parse->pattern;
  *rune = utf8_at(pattern.data, pattern.len, parse->at, &width);
  if (*rune == RUNE_BAD && width == 1)
    return regexp_wrong(parse, parse->at, "this byte is no UTF-8");
  parse->at += width;
  return true;
}

static int digit_of(const RegexpParse *parse, int base) {
  if (parse->at >= parse->pattern.len) return -1;
  char c = parse->pattern.data[parse->at];
  int digit = c >= '0' && c <= '9' ? c - '0' : -1;
  if ((c | 32) >= 'a' && (c | 32) <= 'f') digit = (c | 32) - 'a' + 10;
  return digit < base ? digit : -1;
}

// \x7f, \x{10ffff}: `at` is after the x. Beyond the last character it stays
// the one after it.
static bool read_hex(RegexpParse *parse, size_t from, uint32_t *rune) {
  bool braces = next_is(parse, 0, '{');
  size_t count = 0, most = braces ? SIZE_MAX : 2;
  *rune = 0;
  parse->at += braces;
  for (int digit; count < most && (digit = digit_of(parse, 16)) >= 0; count++) {
    *rune = *rune * 16 + (uint32_t)digit;
    if (*rune > REGEXP_RUNE_END) *rune = REGEXP_RUNE_END;
    parse->at++;
  }
  bool closed = braces ? next_is(parse, 0, '}') : count == 2;
  if (count == 0 || !closed || *rune == REGEXP_RUNE_END)
    return regexp_wrong(parse, from,
                        "\\x wants two hexadecimal digits, or some in braces "
                        "(at most 10ffff)");
  parse->at += braces;
  return csp_work(parse->call, count) || regexp_no_memory(parse);
}

// \0, \12, \123: `at` is at the first digit.
static bool read_octal(RegexpParse *parse, size_t from, uint32_t *rune) {
  bool zero = next_is(parse, 0, '0');
  int count = 0;
  *rune = 0;
  for (int digit; count < 3 && (digit = digit_of(parse, 8)) >= 0; count++) {
    *rune = *rune * 8 + (uint32_t)digit;
    parse->at++;
  }
  if (zero || count > 1) return true;
  return regexp_wrong(parse, from,
                      "back references are not supported, as no search would "
                      "be linear with them");
}

static bool wrong_escape(RegexpParse *parse, size_t from, char c) {
  const char *what =
      "there is no such escape; a letter or digit stands for "
      "itself without a backslash";
  if (c == 'Z') what = "\\Z is not supported; the end of the text is \\z";
  if (c == 'G' || c == 'K' || c == 'R' || c == 'X' || c == 'C')
    what = "this escape of Perl is not supported";
  if (c == 'k')
    what =
        "back references are not supported, as no search would be linear "
        "with them";
  return regexp_wrong(parse, from, "%s", what);
}

bool regexp_read_escape(RegexpParse *parse, uint32_t *rune) {
  static const char names[] = "aftnrv", means[] = "\a\f\t\n\r\v";
  size_t from = parse->at - 1;
  if (parse->at >= parse->pattern.len)
    return regexp_wrong(parse, from,
                        "nothing follows the backslash; write \\\\ for one");
  char c = parse->pattern.data[parse->at];
  const char *known = c != '\0' ? strchr(names, c) : NULL;
  if (c >= '0' && c <= '9') return read_octal(parse, from, rune);
  bool letter = (c | 32) >= 'a' && (c | 32) <= 'z';
  if (letter && known == NULL && c != 'x') return wrong_escape(parse, from, c);
  if ((uint8_t)c >= 0x80 || c == '\0')
    return regexp_wrong(parse, from, "only ASCII can be escaped");
  parse->at++;
  if (c == 'x') return read_hex(parse, from, rune);
  *rune = (uint8_t)(known != NULL ? means[known - names] : c);
  return true;
}

// --- Brackets ---------------------------------------------------------------
// A class with a name inside of brackets. *is tells whether it was one.
static bool read_posix(RegexpParse *parse, bool *is) {
  *is = false;
  size_t from = parse->at + 2, end = from;
  Str pattern = parse->pattern;
  if (!next_is(parse, 0, '[') || !next_is(parse, 1, ':')) return true;
  bool negated = next_is(parse, 2, '^');
  from += negated;
  end = from;
  while (end < pattern.len && pattern.data[end] != ':' && end - from < 16)
    end++;
  if (end + 1 >= pattern.len || pattern.data[end] != ':' ||
      pattern.data[end + 1] != ']')
    return true;
  *is = true;
  for (size_t i = 0; i < sizeof posix_classes / sizeof *posix_classes; i++) {
    const NamedRanges *named = &posix_classes[i];
    if (strlen(named->name) != end - from ||
        memcmp(named->name, pattern.data + from, end - from) != 0)
      continue;
    parse->at = end + 2;
    return add_named_part(parse, named, negated);
  }
  return regexp_wrong(parse, parse->at,
                      "there is no class of that name; there are alnum, alpha, "
                      "ascii, blank, cntrl, digit, graph, lower, print, punct, "
                      "space, upper, word and xdigit");
}

static bool read_member(RegexpParse *parse, uint32_t *rune) {
  if (!next_is(parse, 0, '\\')) return regexp_read_rune(parse, rune);
  parse->at++;
  return regexp_read_escape(parse, rune);
}

static bool read_member_range(RegexpParse *parse) {
  size_t from = parse->at;
  uint32_t low, high;
  if (!read_member(parse, &low)) return false;
  high = low;
  if (next_is(parse, 0, '-') && parse->at + 1 < parse->pattern.len &&
      !next_is(parse, 1, ']')) {
    parse->at++;
    if (!read_member(parse, &high)) return false;
  }
  if (high < low)
    return regexp_wrong(parse, from,
                        "the range ends before it begins; write it the other "
                        "way round, or \\- for the character");
  return add_range_part(parse, low, high);
}

static bool read_set_item(RegexpParse *parse) {
  bool is;
  if (!read_posix(parse, &is)) return false;
  if (is) return true;
  if (next_is(parse, 0, '\\') && parse->at + 1 < parse->pattern.len) {
    parse->at++;
    if (!regexp_read_class(parse, &is)) return false;
    if (is) return true;
    parse->at--;
  }
  return read_member_range(parse);
}

bool regexp_read_set(RegexpParse *parse) {
  size_t from = parse->at++;
  bool negated = next_is(parse, 0, '^'), first = true;
  parse->at += negated;
  parse->set.count = 0;
  for (; first || !next_is(parse, 0, ']'); first = false) {
    if (parse->at >= parse->pattern.len)
      return regexp_wrong(parse, from,
                          "the `[` has no `]`; write \\[ for the character");
    if (!read_set_item(parse)) return false;
    if (!csp_work(parse->call, 16)) return regexp_no_memory(parse);
  }
  parse->at++;
  bool fine = ranges_tidy(parse->call, &parse->set) &&
              (!negated || ranges_negate(parse->call, &parse->set));
  return fine || regexp_no_memory(parse);
}
