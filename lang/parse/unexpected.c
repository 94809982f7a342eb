// SPDX-License-Identifier: MIT
// What to say about a token that does not fit: "unexpected `x`, expected ...".
//
// The parser's own tables tell what was expected, which is then put into few
// words. Mistakes that people bring along from other languages come first, each
// with a line to put it right. Called once per error, before the parser gets
// the token.
#include "lang/parse/unexpected.h"

#include <stdio.h>

#include <string.h>

#include "lang/diag.h"
#include "lang/parse/foreign.h"
#include "lang/parse/grammar.h"
#include "lang/parse/hint.h"
#include "lang/parse/parse_internal.h"
#include "lang/parse/unclosed.h"
#include "vm/value/utf8.h"

// --- tokens in words --------------------------------------------------------
static const struct {
  int kind;
  const char *text;
} KEYWORDS[] = {
    {TOK_BREAK, "break"},     {TOK_CASE, "case"},
    {TOK_CONST, "const"},     {TOK_CONTINUE, "continue"},
    {TOK_DEFAULT, "default"}, {TOK_DEFER, "defer"},
    {TOK_ELSE, "else"},       {TOK_FALSE, "false"},
    {TOK_FOR, "for"},         {TOK_FORIN, "for"},
    {TOK_FUNC, "func"},       {TOK_GO, "go"},
    {TOK_GROUP, "group"},     {TOK_IF, "if"},
    {TOK_IMPORT, "import"},   {TOK_IN, "in"},
    {TOK_IS, "is"},           {TOK_NIL, "nil"},
    {TOK_RETURN, "return"},   {TOK_SELECT, "select"},
    {TOK_STRUCT, "struct"},   {TOK_SWITCH, "switch"},
    {TOK_TRUE, "true"},       {TOK_VAR, "var"},
};
enum { KEYWORD_COUNT = sizeof KEYWORDS / sizeof *KEYWORDS };

const char *lang_keyword(int i) {
  return i < KEYWORD_COUNT ? KEYWORDS[i].text : NULL;
}

bool token_is_keyword(int kind) {
  for (int i = 0; i < KEYWORD_COUNT; i++) {
    if (KEYWORDS[i].kind == kind) return true;
  }
  return false;
}

bool token_is_keyword_text(const char *text, size_t len) {
  for (int i = 0; i < KEYWORD_COUNT; i++) {
    const char *word = KEYWORDS[i].text;
    if (strlen(word) == len && memcmp(word, text, len) == 0) return true;
  }
  return false;
}

enum { WORDS_SIZE = 80 };

// The token as the reader sees it, in `words`.
static void describe_token(const Parse *parse, const Token *token,
                           char *words) {
  const char *text = parse->source->text + token->pos.offset;
  switch (token->origin) {
    case FROM_NEWLINE:
      strcpy(words, "end of line");
      return;
    case FROM_END:
      strcpy(words, "end of file");
      return;
    case FROM_BRACE:
      strcpy(words, "`}`");
      return;
    default:
      break;
  }
  switch (token->kind) {
    case TOK_STR:
    case TOK_STR_HEAD:
      strcpy(words, "string");
      return;
    case TOK_STR_MID:
    case TOK_STR_TAIL:
      strcpy(words, "`}`");
      return;
    default:
      break;
  }
  RT_ASSERT((size_t)token->pos.offset + token->len <= parse->source->len);
  bool keyword = token_is_keyword(token->kind);
  uint32_t len = token->len < 40 ? token->len : 40;
  while (len > 0 && len < token->len && utf8_continues(text[len])) len--;
  snprintf(words, WORDS_SIZE, "%s`%.*s%s`", keyword ? "keyword " : "", (int)len,
           text, len < token->len ? "..." : "");
}

// --- what was expected ------------------------------------------------------
typedef struct Expected {
  const Parse *parse;
  char text[WORDS_SIZE * 2];
  int count;
} Expected;

static bool accepts(const Expected *expected, int kind) {
  return grammar_accepts(expected->parse->parser, kind);
}

enum { MAX_EXPECTED = 3 };

static void add_expected(Expected *expected, const char *words) {
  if (++expected->count > MAX_EXPECTED) return;
  size_t used = strlen(expected->text);
  snprintf(expected->text + used, sizeof expected->text - used, "%s%s",
           used ? "|" : "", words);
  RT_ASSERT(used + strlen(words) + 1 < sizeof expected->text);
}

// `a|b|c` becomes "a, b or c".
static void join_expected(const Expected *expected, char *out, size_t size) {
  const char *last = strrchr(expected->text, '|');
  size_t used = 0;
  for (const char *at = expected->text; *at && used + 8 < size; at++) {
    if (*at == '|') {
      const char *between = at == last ? " or " : ", ";
      strcpy(out + used, between);
      used += strlen(between);
    } else {
      out[used++] = *at;
    }
  }
  RT_ASSERT(used < size);
  out[used] = '\0';
}

static void expect_beginnings(Expected *expected) {
  if (accepts(expected, TOK_INT)) {
    bool statement =
        accepts(expected, TOK_RETURN) && !accepts(expected, TOK_MAP_END);
    bool key = accepts(expected, TOK_RETURN) && !statement;
    add_expected(expected, statement ? "a statement"
                           : key     ? "a key"
                                     : "an expression");
  } else if (accepts(expected, TOK_NAME)) {
    add_expected(expected, "a name");
  } else if (accepts(expected, TOK_STR)) {
    add_expected(expected, "a string");
  }
}

// What may follow a whole expression or name. After an expression nearly
// everything may, and only what ends it is worth a word.
static void expect_ends(Expected *expected) {
  static const struct {
    int kind;
    const char *words;
  } ENDS[] = {
      {TOK_LBRACE, "`{`"}, {TOK_CASE, "`case`"},        {TOK_IN, "`in`"},
      {TOK_LPAREN, "`(`"}, {TOK_ASSIGN, "`=`"},         {TOK_DEFINE, "`:=`"},
      {TOK_COLON, "`:`"},  {TOK_COMMA, "`,`"},          {TOK_RPAREN, "`)`"},
      {TOK_RBRACK, "`]`"}, {TOK_MAP_END, "`}`"},        {TOK_STR_TAIL, "`}`"},
      {TOK_ARROW, "`=>`"}, {TOK_NEWLINE, "a new line"}, {TOK_RBRACE, "`}`"},
  };
  bool operators = accepts(expected, TOK_ADD) && accepts(expected, TOK_MUL);
  bool begins = expected->count > 0;
  bool brace = accepts(expected, TOK_LBRACE);
  bool line = accepts(expected, TOK_NEWLINE);
  for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
    int kind = ENDS[i].kind;
    bool noise = operators && (kind == TOK_IN || kind == TOK_LPAREN);
    bool sets = kind == TOK_ASSIGN || kind == TOK_DEFINE || kind == TOK_COMMA ||
                kind == TOK_COLON;
    if (operators && sets && (line || brace)) noise = true;
    if (begins && (kind == TOK_LBRACE || kind == TOK_LPAREN)) noise = true;
    if (begins && (kind == TOK_CASE || kind == TOK_IN)) noise = true;
    if (begins && (kind == TOK_NEWLINE || kind == TOK_COLON)) noise = true;
    if (kind == TOK_NEWLINE && brace && !begins) noise = true;
    if (!noise && accepts(expected, kind)) {
      add_expected(expected, ENDS[i].words);
    }
  }
}

static void find_expected(const Parse *parse, char *out, size_t size) {
  Expected expected = {.parse = parse};
  *out = '\0';
  expect_beginnings(&expected);
  expect_ends(&expected);
  if (expected.count == 0 || expected.count > MAX_EXPECTED) return;
  join_expected(&expected, out, size);
}

// --- habits from elsewhere --------------------------------------------------
static const char *foreign(const Token *token) {
  return token->kind == TOK_NAME && token->origin == FROM_TEXT
             ? suggest_foreign(token->name->text)
             : NULL;
}

// The word that may have led here: this one, the one before, or the one that
// the statement begins with. (A function's name does not: it was meant.)
static const Token *foreign_word(const Parse *parse, const Token *token) {
  if (foreign(token) != NULL && !foreign_is_function(token->name->text))
    return token;
  bool argument = token->kind == TOK_ASSIGN &&  // print(x, end="")
                  hint_bracket(parse, token)->kind == OPEN_PAREN;
  if (argument) return NULL;
  if (foreign(&parse->last) != NULL && parse->last.kind == TOK_NAME)
    return &parse->last;
  const Bracket *block = hint_block(parse, token);
  if (block->seen < 2 || foreign(&block->first) == NULL) return NULL;
  switch (block->second.kind) {
    case TOK_NAME:
    case TOK_INT:
    case TOK_STR:
    case TOK_STR_HEAD:
    case TOK_NOT:
    case TOK_TRUE:
    case TOK_FALSE:
    case TOK_NIL:
      return &block->first;
    case TOK_LPAREN:
      return token->kind == TOK_LBRACE ? &block->first : NULL;
    default:
      return NULL;
  }
}

static bool report_foreign(Parse *parse, const Token *token) {
  const Token *word = foreign_word(parse, token);
  if (word == NULL) return false;
  diag_error(parse->diags, word->pos, word->len, "unexpected `%s`",
             word->name->text);
  diag_hint(parse->diags, "%s", suggest_foreign(word->name->text));
  return true;
}

static bool begins_value(int kind) {
  switch (kind) {
    case TOK_NAME:
    case TOK_INT:
    case TOK_FLOAT:
    case TOK_STR:
    case TOK_STR_HEAD:
    case TOK_TRUE:
    case TOK_FALSE:
    case TOK_NIL:
    case TOK_NOT:
    case TOK_FUNC:
    case TOK_MAP_BEGIN:
      return true;
    default:
      return false;
  }
}

static void no_ternary(Parse *parse, Pos pos) {
  diag_error(parse->diags, pos, 1, "there is no operator `a ? b : c`");
  diag_hint(parse->diags,
            "write `if a { b } else { c }`, or `a ?? b` for b if a is nil");
}

// `a ? b : c`. What `?` itself has to say of it stands at the same place, and
// is not shown.
static bool report_ternary(Parse *parse, const Token *token) {
  if (parse->last.kind != TOK_QUESTION || token->origin != FROM_TEXT ||
      !begins_value(token->kind))
    return false;
  no_ternary(parse, parse->last.pos);
  return true;
}

// The same on a line of its own, where `?` begins no statement.
static bool report_ternary_below(Parse *parse, const Token *token) {
  if (token->kind != TOK_QUESTION || !hint_begins_line(parse)) return false;
  const char *after = parse->source->text + token->pos.offset + 1;
  after += strspn(after, " \t");
  if (*after == '\0' || strchr("\r\n).,;", *after) != NULL) return false;
  no_ternary(parse, token->pos);
  return true;
}

static bool report_known(Parse *parse, const Token *token) {
  if (token->kind == TOK_ELSE && hint_begins_line(parse)) {
    diag_error(parse->diags, token->pos, token->len,
               "`else` must stand on the line of the `}` before it");
    return true;
  }
  return report_ternary(parse, token) || report_ternary_below(parse, token) ||
         report_foreign(parse, token);
}

// --- all of it ---------------------------------------------------------------
// A bracket that was opened lines ago is more likely the one to blame.
static void hint_open_bracket(Parse *parse, const Token *token) {
  const Bracket *bracket = hint_bracket(parse, token);
  if (bracket->kind == OPEN_BLOCK) return;
  bool block = token->kind == TOK_LBRACE;  // `if (x == 1 {`
  if (bracket->open.pos.line == token->pos.line && !block) return;
  diag_hint(parse->diags, "the `%s` of line %u, column %u is still open",
            unclosed_text(bracket->kind), bracket->open.pos.line,
            bracket->open.pos.col);
}

void parse_unexpected(Parse *parse, const Token *token) {
  if (parse->fatal) return;
  RT_ASSERT(!grammar_accepts(parse->parser, token->kind));
  if (unclosed_report(parse, token) || report_known(parse, token)) return;
  char what[WORDS_SIZE], expected[WORDS_SIZE * 2];
  describe_token(parse, token, what);
  find_expected(parse, expected, sizeof expected);
  bool keyword = token_is_keyword(token->kind);
  diag_error(parse->diags, token->pos, token->len ? token->len : 1,
             "unexpected %s%s%s", what, *expected ? ", expected " : "",
             expected);
  const char *hint = hint_find(parse, token);
  if (hint != NULL) {
    diag_hint(parse->diags, "%s", hint);
  } else if (keyword && strcmp(expected, "a name") == 0) {
    diag_hint(parse->diags, "a keyword is no name: choose another");
  } else {
    hint_open_bracket(parse, token);
  }
}
