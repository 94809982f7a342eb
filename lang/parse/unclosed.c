// SPDX-License-Identifier: MIT
// Brackets that nothing closes.
//
// The parser meets the lack of a `)` at a token that it cannot take, perhaps
// lines below. Whether the bracket is to blame, or a comma before the token,
// the rest of the text tells: it is looked through for the bracket's end. The
// look takes strings and comments as they usually are. It may be wrong about
// quotes inside of `${ }`, which changes a message and nothing else.
#include "lang/parse/unclosed.h"

#include <string.h>

#include "lang/diag.h"
#include "lang/parse/grammar.h"
#include "lang/parse/hint.h"

enum { LOOKS_MAX = 20 };  // so many errors are shown

// --- the rest of the text ---------------------------------------------------
// After the quoted text that begins at `at`.
static const char *after_quoted(const char *at, const char *end) {
  char quote = *at++;
  while (at < end && *at != quote) {
    if (quote != '`' && *at == '\n') return at;
    if (quote != '`' && *at == '\\' && at + 1 < end) at++;
    at++;
  }
  return at < end ? at + 1 : end;
}

// After the comment that begins at `at`, if one does.
static const char *after_comment(const char *at, const char *end) {
  if (end - at < 2 || at[0] != '/' || (at[1] != '/' && at[1] != '*'))
    return at + 1;
  if (at[1] == '/') {
    const char *line_end = memchr(at, '\n', (size_t)(end - at));
    return line_end != NULL ? line_end : end;
  }
  for (at += 2; end - at >= 2; at++) {
    if (at[0] == '*' && at[1] == '/') return at + 2;
  }
  return end;
}

// The closing brackets whose opening ones are not here.
typedef struct Closers {
  char first;  // or 0
  int braces;
} Closers;

static Closers find_closers(const char *at, const char *end) {
  Closers found = {0};
  int depth = 0;
  while (at < end) {
    char c = *at;
    if (c == '"' || c == '\'' || c == '`') {
      at = after_quoted(at, end);
      continue;
    }
    if (c == '(' || c == '[' || c == '{') depth++;
    if ((c == ')' || c == ']' || c == '}') && --depth < 0) {
      depth = 0;
      if (found.first == '\0') found.first = c;
      found.braces += c == '}';
    }
    at = c == '/' ? after_comment(at, end) : at + 1;
  }
  RT_ASSERT(at == end);
  return found;
}

static char closer_of(BracketKind kind) {
  switch (kind) {
    case OPEN_PAREN:
      return ')';
    case OPEN_INDEX:
      return ']';
    case OPEN_INTERP:
    case OPEN_BLOCK:
    case OPEN_MAP:
      return '}';
  }
  rt_throw("closer_of: bracket of kind %d", (int)kind);
}

// Whether the text from the token on closes the bracket. A map's brace looks
// like those of the blocks around it: all of them need theirs.
static bool is_closed(const Parse *parse, const Token *token,
                      const Bracket *bracket) {
  const Source *source = parse->source;
  Closers found = find_closers(source->text + token->pos.offset,
                               source->text + source->len);
  int braces = 0;
  for (int i = 1; i <= parse->depth; i++) {
    BracketKind kind = parse->brackets[i].kind;
    braces += kind == OPEN_MAP || kind == OPEN_BLOCK;
  }
  RT_ASSERT(bracket->kind != OPEN_MAP || braces > 0);
  return found.first == closer_of(bracket->kind) &&
         (bracket->kind != OPEN_MAP || found.braces >= braces);
}

// --- indentation ------------------------------------------------------------
// Of the line that the place is in, in bytes.
static uint32_t indentation(const Source *source, Pos pos) {
  RT_ASSERT(pos.col > 0 && pos.col - 1 <= pos.offset);
  const char *line = source->text + pos.offset - (pos.col - 1);
  uint32_t count = 0;
  while (count < pos.col - 1 && (line[count] == ' ' || line[count] == '\t'))
    count++;
  return count;
}

void unclosed_note(Parse *parse, const Bracket *bracket, const Token *closer) {
  uint32_t own = closer->pos.col - 1;
  if (!parse->newline || own >= indentation(parse->source, bracket->open.pos))
    return;
  // An older one stays, unless all that was open then is closed.
  bool stays = parse->odd_end != 0 &&
               parse->odd_open.offset > parse->brackets[1].open.pos.offset;
  if (stays) return;
  parse->odd_open = bracket->open.pos;
  parse->odd_end = closer->pos.line;
}

bool unclosed_inside(const Parse *parse, const Bracket *bracket) {
  return parse->odd_end != 0 &&
         parse->odd_open.offset > bracket->open.pos.offset;
}

// --- messages ---------------------------------------------------------------
const char *unclosed_text(BracketKind kind) {
  switch (kind) {
    case OPEN_PAREN:
      return "(";
    case OPEN_INDEX:
      return "[";
    case OPEN_INTERP:
      return "${";
    case OPEN_BLOCK:
    case OPEN_MAP:
      return "{";
  }
  rt_throw("unclosed_text: bracket of kind %d", (int)kind);
}

static void report_at(Parse *parse, Pos pos, BracketKind kind, uint32_t line) {
  diag_error(parse->diags, pos, 1, "this `%s` is never closed",
             unclosed_text(kind));
  if (line == 0) return;
  diag_hint(parse->diags, "its `%c` should stand before line %u",
            closer_of(kind), line);
}

void unclosed_error(Parse *parse, const Bracket *bracket) {
  if (unclosed_inside(parse, bracket))
    report_at(parse, parse->odd_open, OPEN_BLOCK, parse->odd_end);
  else
    report_at(parse, bracket->open.pos, bracket->kind, 0);
}

bool unclosed_report(Parse *parse, const Token *token) {
  const Bracket *bracket = hint_bracket(parse, token);
  bool begins = parse->newline || token->kind == TOK_DEFINE;
  if (!begins || bracket->kind == OPEN_BLOCK || bracket->kind == OPEN_INTERP)
    return false;
  if (bracket->open.pos.line == token->pos.line) return false;
  if (diags_errors(parse->diags) >= LOOKS_MAX) return false;
  if (is_closed(parse, token, bracket)) return false;
  if (unclosed_inside(parse, bracket))
    unclosed_error(parse, bracket);
  else
    report_at(parse, bracket->open.pos, bracket->kind, token->pos.line);
  return true;
}
