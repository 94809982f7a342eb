// SPDX-License-Identifier: MIT
// What is open at the end of a text that grows.
//
// The parser tells for certain, but it begins anew each time, which is
// quadratic for an input of many lines. This one goes on where it was. It knows
// no grammar but which tokens end no statement. Where the lexer or the parser
// would report an error it may be wrong, or gives up.
#include "lang/parse/open_text.h"

#include <string.h>

#include "sched/rt.h"

// What may be open besides ( [ {.
enum {
  INSIDE_STRING = '$',
  INSIDE_COMMENT = '*',
  INSIDE_RAW = '`',
  INSIDE_LINES = '#'
};

bool open_text_is_valid(const OpenText *open) {
  if (open->depth < 0 || open->depth > LANG_MAX_NESTING) return false;
  for (int i = 0; i < open->depth; i++) {
    char what = open->open[i];
    bool text =
        what == INSIDE_COMMENT || what == INSIDE_RAW || what == INSIDE_LINES;
    bool code =
        what == '(' || what == '[' || what == '{' || what == INSIDE_STRING;
    if (!code && !(text && i == open->depth - 1)) return false;
  }
  return true;
}

static void open_push(OpenText *open, char what) {
  if (open->depth == LANG_MAX_NESTING) {
    open->unsure = true;
  } else {
    open->open[open->depth++] = what;
  }
}

static char open_top(const OpenText *open) {
  return open->depth > 0 ? open->open[open->depth - 1] : '\0';
}

static bool open_begins(const char *at, const char *end, const char *with) {
  size_t len = strlen(with);
  return (size_t)(end - at) >= len && memcmp(at, with, len) == 0;
}

// After the quote of a string, or the } of an interpolation in it.
static const char *pass_string(OpenText *open, const char *at,
                               const char *end) {
  for (; at < end && *at != '\n'; at++) {
    if (*at == '"') return at + 1;
    if (open_begins(at, end, "${")) {
      open_push(open, INSIDE_STRING);
      return at + 2;
    }
    if (*at == '\\' && at + 1 < end && at[1] != '\n') at++;
  }
  open->unsure = true;
  return end;
}

static const char *pass_rune(const char *at, const char *end) {
  for (; at < end && *at != '\n'; at++) {
    if (*at == '\'') return at + 1;
    if (*at == '\\' && at + 1 < end && at[1] != '\n') at++;
  }
  return at;
}

static const char *pass_backquotes(OpenText *open, const char *at,
                                   const char *end) {
  bool lines = open_begins(at, end, "```");
  open_push(open, lines ? INSIDE_LINES : INSIDE_RAW);
  if (!lines) return at + 1;
  const char *line_end = memchr(at, '\n', (size_t)(end - at));
  return line_end != NULL ? line_end + 1 : end;
}

static const char *pass_closing(OpenText *open, const char *at,
                                const char *end) {
  char want = *at == ')' ? '(' : *at == ']' ? '[' : '{', was = open_top(open);
  bool interp = *at == '}' && was == INSIDE_STRING;
  if (was != want && !interp) {
    open->unsure = true;
    return end;
  }
  RT_ASSERT(open->depth > 0);
  open->depth--;
  return interp ? pass_string(open, at + 1, end) : at + 1;
}

static const char *pass_line(const char *at, const char *end) {
  const char *line_end = memchr(at, '\n', (size_t)(end - at));
  return line_end != NULL ? line_end : end;
}

static bool is_any_of(char c, const char *all) {
  return c != '\0' && strchr(all, c) != NULL;
}

static bool is_word_part(char c) {
  bool digit = c >= '0' && c <= '9';
  char small = (char)(c | 0x20);
  return digit || (small >= 'a' && small <= 'z') || c == '_' || (c & 0x80) != 0;
}

// Of the words that are no names the statement goes on after most. These may
// come again and again.
static const char *pass_word(OpenText *open, const char *at, const char *end) {
  static const char *const words[] = {"else", "go", "in"};
  const char *from = at;
  bool named = open->last == LAST_NAMES_NEXT;
  while (at < end && is_word_part(*at)) at++;
  size_t len = (size_t)(at - from);
  open->last = LAST_ENDS;
  if (named) return at;
  if (len == 2 && memcmp(from, "is", 2) == 0) open->last = LAST_NAMES_NEXT;
  for (size_t n = 0; n < sizeof words / sizeof *words; n++)
    if (strlen(words[n]) == len && memcmp(from, words[n], len) == 0)
      open->last = LAST_GOES_ON;
  return at;
}

// A sign of which two are another token than one: + - . ?
static const char *pass_sign(OpenText *open, const char *at, const char *end) {
  bool twice = at + 1 < end && at[1] == *at;
  switch (*at) {
    case '.':
      open->last = twice ? LAST_GOES_ON : LAST_NAMES_NEXT;
      break;
    case '?':
      open->last = twice ? LAST_GOES_ON : LAST_ENDS;
      break;
    default:
      open->last = twice ? LAST_ENDS : LAST_GOES_ON;
      break;
  }
  return at + 1 + twice;
}

static const char *pass_other(OpenText *open, const char *at, const char *end) {
  if (is_any_of(*at, " \t\r\n")) return at + 1;
  if (is_word_part(*at)) return pass_word(open, at, end);
  if (is_any_of(*at, "+-.?")) return pass_sign(open, at, end);
  open->last = is_any_of(*at, "*/%&|^<>=!,") ? LAST_GOES_ON : LAST_ENDS;
  return at + 1;
}

static const char *pass_slash(OpenText *open, const char *at, const char *end) {
  if (open_begins(at, end, "//")) return pass_line(at, end);
  if (!open_begins(at, end, "/*")) return pass_other(open, at, end);
  open_push(open, INSIDE_COMMENT);
  return at + 2;
}

// A token of code, or a piece of what may stand between two.
static const char *pass_token(OpenText *open, const char *at, const char *end) {
  if (is_any_of(*at, "()[]{}\"'`")) open->last = LAST_ENDS;
  switch (*at) {
    case '(':
    case '[':
    case '{':
      open_push(open, *at);
      return at + 1;
    case ')':
    case ']':
    case '}':
      return pass_closing(open, at, end);
    case '"':
      return pass_string(open, at + 1, end);
    case '\'':
      return pass_rune(at + 1, end);
    case '`':
      return pass_backquotes(open, at, end);
    case '/':
      return pass_slash(open, at, end);
    case '#':  // an error, or what the parser skips
      open->unsure = true;
      return end;
    default:
      return pass_other(open, at, end);
  }
}

// Up to the end of what no code is, or of the text.
static const char *pass_until(OpenText *open, const char *at, const char *end,
                              const char *closing) {
  const char *found = memmem(at, (size_t)(end - at), closing, strlen(closing));
  if (found == NULL) return end;
  open->depth--;
  return found + strlen(closing);
}

// One line of raw text, or the blanks and backquotes that end it.
static const char *pass_raw_line(OpenText *open, const char *at,
                                 const char *end) {
  const char *word = at;
  while (word < end && (*word == ' ' || *word == '\t')) word++;
  if (open_begins(word, end, "```")) {
    open->depth--;
    return word + 3;
  }
  const char *line_end = pass_line(word, end);
  return line_end < end ? line_end + 1 : end;
}

static const char *pass_piece(OpenText *open, const char *at, const char *end) {
  switch (open_top(open)) {
    case INSIDE_COMMENT:
      return pass_until(open, at, end, "*/");
    case INSIDE_RAW:
      return pass_until(open, at, end, "`");
    case INSIDE_LINES:
      return pass_raw_line(open, at, end);
    default:
      return pass_token(open, at, end);
  }
}

bool open_text_is(OpenText *open, const char *text, size_t len) {
  RT_ASSERT(open->at <= len);
  const char *at = text + open->at, *end = text + len;
  // A newline that only comes now belongs to the line before.
  bool after_line =
      open->at > 0 && open_top(open) == INSIDE_LINES && at[-1] != '\n';
  if (after_line && at < end && *at == '\n') at++;
  while (at < end && !open->unsure) {
    const char *next = pass_piece(open, at, end);
    RT_ASSERT(next > at && next <= end);
    at = next;
  }
  open->at = len;
  RT_ASSERT(open_text_is_valid(open));
  return !open->unsure && (open->depth > 0 || open->last != LAST_ENDS);
}
