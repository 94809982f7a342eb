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
#include "lang/parse/parse_internal.h"

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
  bool keyword = token_is_keyword(token->kind);
  uint32_t len = token->len < 40 ? token->len : 40;
  while (len > 0 && len < token->len && (text[len] & 0xc0) == 0x80) len--;
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

static bool would_take(const Parse *parse, int kind) {
  return grammar_accepts(parse->parser, kind);
}

// --- habits from elsewhere --------------------------------------------------
// The bracket that the token stands in. The token itself may be the one on top
// of the stack.
static const Bracket *around(const Parse *parse, const Token *token) {
  const Bracket *bracket = &parse->brackets[parse->depth];
  bool itself =
      parse->depth > 0 && bracket->open.pos.offset == token->pos.offset;
  return itself ? bracket - 1 : bracket;
}

// ... and the statement that it stands in.
static const Bracket *block_around(const Parse *parse, const Token *token) {
  const Bracket *bracket = around(parse, token);
  while (bracket->kind != OPEN_BLOCK) bracket--;
  return bracket;
}

static const char *foreign(const Token *token) {
  return token->kind == TOK_NAME && token->origin == FROM_TEXT
             ? suggest_foreign(token->name->text)
             : NULL;
}

// The word that may have led here: this one, the one before, or the one that
// the statement begins with.
static const Token *foreign_word(const Parse *parse, const Token *token) {
  if (foreign(token) != NULL) return token;
  if (foreign(&parse->last) != NULL && parse->last.kind == TOK_NAME)
    return &parse->last;
  const Bracket *block = block_around(parse, token);
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

static bool is_go_type(const Token *token) {
  static const char *const TYPES[] = {
      "any",   "bool",    "byte",    "bytes", "chan",   "error",
      "float", "float32", "float64", "int",   "int32",  "int64",
      "list",  "map",     "rune",    "str",   "string", "uint64"};
  if (token->kind != TOK_NAME) return false;
  for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
    if (strcmp(TYPES[i], token->name->text) == 0) return true;
  }
  return false;
}

static bool begins_line(const Parse *parse) {
  return parse->last.kind == TOK_NEWLINE && parse->last.origin == FROM_NEWLINE;
}

static bool report_known(Parse *parse, const Token *token) {
  if (token->kind == TOK_ELSE && begins_line(parse)) {
    diag_error(parse->diags, token->pos, token->len,
               "`else` must stand on the line of the `}` before it");
    return true;
  }
  return report_foreign(parse, token);
}

// --- hints ------------------------------------------------------------------
static bool is_binary_token(int kind) {
  switch (kind) {
    case TOK_DOT:
    case TOK_ADD:
    case TOK_MUL:
    case TOK_DIV:
    case TOK_MOD:
    case TOK_AND:
    case TOK_OR:
    case TOK_COALESCE:
    case TOK_EQ:
    case TOK_NE:
    case TOK_LT:
    case TOK_LE:
    case TOK_GT:
    case TOK_GE:
    case TOK_BAND:
    case TOK_BOR:
    case TOK_IN:
    case TOK_IS:
    case TOK_QUESTION:
    case TOK_RANGE:
    case TOK_ARROW:
      return true;
    default:
      return false;
  }
}

static bool is_head_word(int kind) {
  return kind == TOK_IF || kind == TOK_FOR || kind == TOK_SWITCH;
}

// `=` where an expression goes on.
static const char *assign_hint(Parse *parse) {
  const Bracket *bracket = &parse->brackets[parse->depth];
  if (bracket->kind == OPEN_MAP) return "write `key: value`";
  if (bracket->kind != OPEN_PAREN) return NULL;
  if (is_head_word(bracket->before)) {
    return "leave out the parentheses; `==` compares";
  }
  return parse_ends_value(bracket->before)
             ? "named arguments are written `name: value`; `==` compares"
             : "did you mean `==`?";
}

static const char *newline_hint(Parse *parse) {
  if (would_take(parse, TOK_LBRACE) && !would_take(parse, TOK_INT)) {
    return "the `{` must stand on this line";
  }
  return NULL;
}

static const char *type_hint(Parse *parse, const Token *token) {
  const Bracket *block = block_around(parse, token);
  int first = block->first.kind;
  bool receiver = first == TOK_FUNC && block->second.kind == TOK_LPAREN;
  if (receiver && parse->last.kind == TOK_RPAREN) {
    return "a method names the type: `func (p Point) name()`";
  }
  bool declares = first == TOK_VAR || first == TOK_CONST || first == TOK_FUNC;
  bool after_name = parse->last.kind == TOK_NAME ||
                    parse->last.kind == TOK_RPAREN ||
                    parse->last.kind == TOK_RBRACK;
  if (!after_name || token->kind != TOK_NAME) return NULL;
  if (declares || is_go_type(token)) {
    return "variables, parameters and results have no types: leave it out";
  }
  return NULL;
}

static const char *colon_hint(Parse *parse) {
  const Bracket *bracket = &parse->brackets[parse->depth];
  if (bracket->kind == OPEN_MAP) {
    return "keys are names, literals, or expressions in brackets: `[k]: v`";
  }
  return would_take(parse, TOK_LBRACE) ? "blocks stand in braces" : NULL;
}

static bool in_struct(const Parse *parse) {
  const Bracket *bracket = &parse->brackets[parse->depth];
  return parse->depth > 0 && bracket->kind == OPEN_BLOCK &&
         bracket[-1].first.kind == TOK_STRUCT;
}

static const char *hint_for(Parse *parse, const Token *token) {
  const Bracket *bracket = &parse->brackets[parse->depth];
  if (begins_line(parse) && is_binary_token(token->kind)) {
    return "a statement goes on if the line before ends with the operator";
  }
  if (bracket->kind == OPEN_MAP && bracket->before == TOK_ARROW) {
    return "after `=>` stands an expression; for a block leave out the `=>`";
  }
  if (parse->last.kind == TOK_MUL && token->kind == TOK_MUL) {
    return "there is no operator for powers";
  }
  if (parse->last.kind == TOK_DOT && parse->before_last == TOK_INT) {
    return "a float has a digit on both sides of the point";
  }
  if (token->kind == TOK_FUNC && in_struct(parse)) {
    return "methods stand beside the struct: `func (p Point) name()`";
  }
  switch (token->kind) {
    case TOK_ASSIGN:
      return assign_hint(parse);
    case TOK_COLON:
      return colon_hint(parse);
    case TOK_ELLIPSIS:
      return "`...` follows a rest parameter or a spread list: `rest...`";
    case TOK_NAME:
      return type_hint(parse, token);
    case TOK_NEWLINE:
      return token->origin == FROM_NEWLINE ? newline_hint(parse) : NULL;
    default:
      return NULL;
  }
}

// A bracket that was opened lines ago is more likely the one to blame.
static void hint_open_bracket(Parse *parse, const Token *token) {
  const Bracket *bracket = around(parse, token);
  if (bracket->kind == OPEN_BLOCK) return;
  if (bracket->open.pos.line == token->pos.line) return;
  diag_hint(parse->diags, "the `%s` of line %u, column %u is still open",
            bracket->kind == OPEN_PAREN    ? "("
            : bracket->kind == OPEN_INDEX  ? "["
            : bracket->kind == OPEN_INTERP ? "${"
                                           : "{",
            bracket->open.pos.line, bracket->open.pos.col);
}

void parse_unexpected(Parse *parse, const Token *token) {
  if (parse->fatal) return;
  if (report_known(parse, token)) return;
  char what[WORDS_SIZE], expected[WORDS_SIZE * 2];
  describe_token(parse, token, what);
  find_expected(parse, expected, sizeof expected);
  bool keyword = token_is_keyword(token->kind);
  diag_error(parse->diags, token->pos, token->len ? token->len : 1,
             "unexpected %s%s%s", what, *expected ? ", expected " : "",
             expected);
  const char *hint = hint_for(parse, token);
  if (hint != NULL) {
    diag_hint(parse->diags, "%s", hint);
  } else if (keyword && strcmp(expected, "a name") == 0) {
    diag_hint(parse->diags, "a keyword is no name: choose another");
  } else {
    hint_open_bracket(parse, token);
  }
}
