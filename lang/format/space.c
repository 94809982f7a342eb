// SPDX-License-Identifier: MIT
// Where spaces and line breaks may stand between two words. Pure functions.
//
// The rule is one space; what has none is listed here. Lines are only broken
// where the author broke them, and of these places only where a reader expects
// it: after a comma, at a binary operator, after `=`, `=>`, a map's colon.
#include "lang/format/space.h"

#include "lang/format/words.h"
#include "lang/parse/grammar.h"

bool format_opens(int kind) {
  return kind == TOK_LPAREN || kind == TOK_LBRACK || kind == TOK_MAP_BEGIN ||
         kind == TOK_LBRACE;
}

bool format_closes(int kind) {
  return kind == TOK_RPAREN || kind == TOK_RBRACK || kind == TOK_MAP_END ||
         kind == TOK_RBRACE;
}

// Nothing stands between it and the word after it.
static bool clings_right(const Word *word) {
  switch (word->kind) {
    case TOK_LPAREN:
    case TOK_LBRACK:
    case TOK_MAP_BEGIN:
    case TOK_DOT:
      return true;
    default:
      return word->role == ROLE_UNARY || word->role == ROLE_RANGE ||
             word->role == ROLE_SLICE_COLON;
  }
}

// Nothing stands between it and the word before it.
static bool clings_left(const Word *word) {
  switch (word->kind) {
    case TOK_RPAREN:
    case TOK_RBRACK:
    case TOK_MAP_END:
    case TOK_COMMA:
    case TOK_SEMI:
    case TOK_DOT:
    case TOK_QUESTION:
    case TOK_ELLIPSIS:
    case TOK_INC:
    case TOK_DEC:
      return true;
    case TOK_COLON:
      return word->role != ROLE_WIDE_SLICE_COLON;
    default:
      return word->role == ROLE_RANGE || word->role == ROLE_ARGS ||
             word->role == ROLE_PARAMS || word->role == ROLE_INDEX ||
             word->role == ROLE_WIDE_SLICE;
  }
}

// - -x must not become --x.
static bool would_merge(const Words *words, const Word *left,
                        const Word *right) {
  return left->kind == TOK_SUB && *word_text(words, right) == '-';
}

// As in `for ; ; {`.
static bool is_empty_clause(const Word *left, const Word *right) {
  if (right->kind != TOK_SEMI) return false;
  return left->kind == TOK_SEMI || left->kind == TOK_FOR ||
         left->kind == TOK_IF || left->kind == TOK_SWITCH;
}

bool format_space(const Words *words, const Word *left, const Word *right) {
  if (is_empty_clause(left, right)) return true;
  if (clings_left(right)) return false;
  if (clings_right(left)) return would_merge(words, left, right);
  return true;
}

static bool is_assignment(int kind) {
  switch (kind) {
#define X(name) case TOK_##name##_SET:
    AST_ASSIGNING(X)
#undef X
    case TOK_ASSIGN:
    case TOK_DEFINE:
      return true;
    default:
      return false;
  }
}

// After FOR a newline counts: `for` and a name on one line may be a FORIN.
bool format_may_break(const Word *left, const Word *right) {
  if (left->role == ROLE_BINARY || right->role == ROLE_BINARY) return true;
  if (is_assignment(left->kind)) return true;
  switch (left->kind) {
    case TOK_COMMA:
    case TOK_ARROW:
    case TOK_DOT:
    case TOK_FOR:
    case TOK_FORIN:
      return true;
    case TOK_RECV:
      return left->role != ROLE_UNARY;
    case TOK_COLON:
      return left->role == ROLE_NONE;
    default:
      return right->kind == TOK_DOT;
  }
}
