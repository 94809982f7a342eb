// SPDX-License-Identifier: MIT
// The driver of the front end: from the lexer's tokens to lemon's.
//
// It keeps the stack of open brackets, and decides from it what the grammar
// cannot: where a newline ends a statement, whether a `{` opens a block or a
// map, where the text of a string goes on after `${...}`.
//
// After an error it feeds the parser nothing until the statement ends. That is
// the newline at the depth of brackets that the parser fell back to
// (skip_depth). Blocks on the way are still parsed where they surely hold
// statements, so that one run finds the errors in a function whose head is
// wrong.
//
// Invariant: when not skipping, parser and driver count the same open brackets.
// A missing or a wrong closing bracket is reported here. The parser is then
// given a BAD token, which it can only recover from.
#include "lang/parse/parse.h"
#include "lang/arena.h"
#include "lang/depth.h"
#include "lang/diag.h"
#include "lang/parse/parse_internal.h"
#include "lang/parse/trail.h"
#include "lang/parse/unexpected.h"
#include "lang/source.h"
#include "vm/value/utf8.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lang/parse/grammar.h"
#include "sched/rt.h"

static Bracket *top_bracket(Parse *p) { return &p->brackets[p->depth]; }

// The innermost open block.
static Bracket *block_of(Parse *p) {
  int i = p->depth;
  RT_ASSERT(p->brackets[0].kind == OPEN_BLOCK);
  while (p->brackets[i].kind != OPEN_BLOCK) i--;
  return &p->brackets[i];
}

// --- errors that end everything ---------------------------------------------
void parse_too_deep(Parse *p, Pos pos) {
  if (p->fatal) return;
  p->fatal = true;
  diag_error(p->diags, pos, 1, "nested too deeply");
  if (p->max_depth == LANG_MAX_DEPTH) {
    diag_hint(p->diags, "at most %d open brackets, and %d operators in a row",
              LANG_MAX_NESTING, LANG_MAX_DEPTH);
  } else {
    diag_hint(p->diags,
              "the stack of the thread that compiles has room for %u levels",
              p->max_depth);
  }
}

void parse_ends_early(Parse *p) {
  if (diags_errors(p->diags) == 0) p->incomplete = true;
}

void parse_no_memory(Parse *p) {
  if (p->fatal) return;
  p->fatal = true;
  diag_error(p->diags, p->token_end, 1, "out of memory");
}

// --- what a token says about the next one -----------------------------------
// A newline after it ends the statement.
static bool ends_statement(int kind) {
  switch (kind) {
    case TOK_NAME:
    case TOK_INT:
    case TOK_FLOAT:
    case TOK_STR:
    case TOK_STR_TAIL:
    case TOK_TRUE:
    case TOK_FALSE:
    case TOK_NIL:
    case TOK_BREAK:
    case TOK_CONTINUE:
    case TOK_RETURN:
    case TOK_INC:
    case TOK_DEC:
    case TOK_QUESTION:
    case TOK_RPAREN:
    case TOK_RBRACK:
    case TOK_RBRACE:
    case TOK_MAP_END:
      return true;
    default:
      return false;
  }
}

bool parse_ends_value(int kind) {
  switch (kind) {
    case TOK_BREAK:
    case TOK_CONTINUE:
    case TOK_RETURN:
      return false;
    default:
      return ends_statement(kind);
  }
}

static bool opens_block(Parse *p) {
  switch (p->last.kind) {
    case TOK_BEGIN:
    case TOK_SEMI:
    case TOK_NEWLINE:
    case TOK_LBRACE:
    case TOK_ELSE:
    case TOK_FOR:
    case TOK_IF:
    case TOK_SWITCH:
    case TOK_SELECT:
    case TOK_GROUP:
    case TOK_GO:
    case TOK_DEFER:
      return true;
    case TOK_COLON:
      return top_bracket(p)->kind == OPEN_BLOCK;
    default:
      return parse_ends_value(p->last.kind);
  }
}

// --- feeding the parser -----------------------------------------------------
// Whether a block whose head was wrong is worth parsing. It is if the head
// begins like one of these statements, which have blocks of statements.
static bool holds_statements(const Bracket *block) {
  static const char *const WORDS[] = {"while", "def",     "fn",   "function",
                                      "elif",  "foreach", "loop", "unless"};
  switch (block->first.kind) {
    case TOK_IF:
    case TOK_ELSE:
    case TOK_FOR:
    case TOK_FORIN:
    case TOK_FUNC:
    case TOK_GO:
    case TOK_GROUP:
      return true;
    case TOK_NAME:
      break;
    default:
      return false;
  }
  for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
    if (strcmp(block->first.name->text, WORDS[i]) == 0) return true;
  }
  return false;
}

static void feed_raw(Parse *p, const Token *token) {
  grammar(p->parser, token->kind, *token, p);
  if (arena_failed(p->arena)) parse_no_memory(p);
  if (grammar_height(p->parser) > LANG_MAX_HEIGHT)
    parse_too_deep(p, token->pos);
}

// Makes the parser fall back to a statement list without a message.
static void feed_bad(Parse *p) {
  Token bad = {.kind = TOK_BAD, .origin = FROM_ERROR, .pos = p->token_end};
  feed_raw(p, &bad);
}

static void start_skipping(Parse *p) {
  grammar_forget_error(p->parser);
  p->errored = false;
  p->skipping = true;
  p->skip_depth = grammar_depth(p->parser);
  RT_ASSERT(p->skip_depth >= 0 && p->skip_depth <= p->depth);
  p->skip_to_colon = grammar_waits_in_case(p->parser);
}

// Parses the block that was just opened, though its head was wrong, where that
// is worth it.
static void recover_in_block(Parse *p, const Token *open) {
  if (p->depth != p->skip_depth + 1 || top_bracket(p)->kind != OPEN_BLOCK)
    return;
  if (!grammar_accepts(p->parser, TOK_RECOVER)) return;
  if (!holds_statements(&p->brackets[p->skip_depth])) return;
  Token recover = *open;
  recover.kind = TOK_RECOVER;
  p->skipping = false;
  top_bracket(p)->recovery = true;
  feed_raw(p, &recover);
}

// The parser met an error in this token and fell back.
static void after_error(Parse *p) {
  // Inside brackets it may have taken the token for the end of its recovery.
  bool out_of_step = grammar_depth(p->parser) != p->depth;
  if (!grammar_waits(p->parser) && out_of_step) feed_bad(p);
  grammar_forget_error(p->parser);
  p->errored = false;
  if (grammar_waits(p->parser)) start_skipping(p);
}

static void feed_grammar(Parse *p, const Token *token) {
  // This comes before the parser reduces anything. After that it does not know
  // as well what it had expected.
  if (!grammar_accepts(p->parser, token->kind)) parse_unexpected(p, token);
  p->errored = false;
  feed_raw(p, token);
  if (p->errored) after_error(p);
}

// Ends the skipping if this token does.
static void skip(Parse *p, const Token *token) {
  if (token->kind == TOK_LBRACE) recover_in_block(p, token);
  if (!p->skipping || p->depth != p->skip_depth) return;
  bool ends = token->kind == TOK_NEWLINE;
  bool colon = token->kind == TOK_COLON && p->skip_to_colon;
  if (!ends && !colon) return;
  Token end = *token;
  if (p->skip_to_colon) end.kind = TOK_COLON;
  p->skipping = false;
  feed_grammar(p, &end);
}

// Whether a semicolon may stand in the head of the block's statement.
static bool has_clauses(const Bracket *block) {
  int kind = block->first.kind;
  return block->seen > 0 &&
         (kind == TOK_FOR || kind == TOK_IF || kind == TOK_SWITCH);
}

// Remembers how the current statement of the innermost block began.
static void note_statement(Parse *p, const Token *token) {
  Bracket *block = top_bracket(p);
  if (block->kind != OPEN_BLOCK) return;
  if (token->kind == TOK_SEMI) {
    if (!has_clauses(block)) block->seen = 0;
  } else if (block->seen == 0) {
    block->first = *token;
    block->second = (Token){0};
    block->seen = 1;
  } else if (block->seen == 1) {
    block->second = *token;
    block->seen = 2;
  }
}

bool parse_is_in_step(const Parse *p) {
  if (p->depth < 0 || p->depth > LANG_MAX_NESTING) return false;
  return p->skipping || p->fatal || grammar_depth(p->parser) == p->depth;
}

static void give_token(Parse *p, const Token *token) {
  if (p->fatal) return;
  if (p->trail) trail_token(p, token);
  if (!p->skipping) feed_grammar(p, token);
  if (p->skipping) skip(p, token);
  if (token->kind == TOK_COLON)
    top_bracket(p)->seen = 0;  // after a label, a case
  RT_ASSERT(parse_is_in_step(p));
  p->before_last = p->last.kind;
  p->last = *token;
}

static void give_newline(Parse *p, TokenOrigin origin, Pos pos) {
  Token end = {.kind = TOK_NEWLINE, .origin = origin, .pos = pos, .len = 1};
  give_token(p, &end);
  top_bracket(p)->seen = 0;
}

// --- brackets ---------------------------------------------------------------
static void open_bracket(Parse *p, const Token *token, BracketKind kind) {
  if (p->depth == LANG_MAX_NESTING) {
    parse_too_deep(p, token->pos);
    return;
  }
  p->brackets[++p->depth] =
      (Bracket){.kind = kind, .open = *token, .before = p->last.kind};
  give_token(p, token);
}

static void open_brace(Parse *p, Token *token) {
  bool block = opens_block(p);
  if (!block) token->kind = TOK_MAP_BEGIN;
  open_bracket(p, token, block ? OPEN_BLOCK : OPEN_MAP);
}

static const char *bracket_text(const Bracket *bracket) {
  switch (bracket->kind) {
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
  rt_throw("bracket_text: bracket of kind %d", (int)bracket->kind);
}

static void never_closed(Parse *p, const Bracket *bracket) {
  diag_error(p->diags, bracket->open.pos, 1, "this `%s` is never closed",
             bracket_text(bracket));
}

// The error was reported, and the parser must not go on with this statement.
static void make_skip(Parse *p) {
  if (p->skipping || p->fatal) return;
  feed_bad(p);
  start_skipping(p);
}

// Closes what is open above brackets[index].
static void close_down_to(Parse *p, int index) {
  RT_ASSERT(index >= 0 && index <= p->depth);
  if (p->depth == index) return;
  if (!p->skipping) {
    never_closed(p, &p->brackets[index + 1]);
    make_skip(p);
  }
  p->depth = index;
}

// The bracket that this token closes, if only ( and [ are above it, or -1.
static int find_open(const Parse *p, BracketKind a, BracketKind b,
                     BracketKind c) {
  for (int i = p->depth; i > 0; i--) {
    BracketKind kind = p->brackets[i].kind;
    if (kind == a || kind == b || kind == c) return i;
    if (kind != OPEN_PAREN && kind != OPEN_INDEX) return -1;
  }
  return -1;
}

static void nothing_open(Parse *p, const Token *token, const char *open) {
  const char *text = p->source->text + token->pos.offset;
  if (!p->skipping) {
    diag_error(p->diags, token->pos, 1, "unexpected `%c`, no `%s` is open",
               *text, open);
  }
  make_skip(p);
  p->before_last = p->last.kind;
  p->last = *token;
}

static void close_bracket(Parse *p, const Token *token, BracketKind kind,
                          const char *open) {
  int index = find_open(p, kind, kind, kind);
  if (index < 0) {
    nothing_open(p, token, open);
    return;
  }
  close_down_to(p, index);
  RT_ASSERT(top_bracket(p)->kind == kind);
  p->depth--;
  give_token(p, token);
}

// A brace ends the statement before it. The grammar tells whether there is one,
// because a semicolon ends a statement, or only a clause of its head.
static void close_block(Parse *p, const Token *token) {
  if (p->skipping || !grammar_accepts(p->parser, TOK_RBRACE))
    give_newline(p, FROM_BRACE, token->pos);
  RT_ASSERT(p->depth > 0 && top_bracket(p)->kind == OPEN_BLOCK);
  bool recovery = top_bracket(p)->recovery;
  p->depth--;
  give_token(p, token);
  if (recovery) make_skip(p);
}

// Goes on as if all brackets above brackets[index] were closed here.
static void abandon(Parse *p, int index) {
  Token brace = {.kind = TOK_RBRACE, .pos = p->token_end};
  while (p->depth > index && !p->fatal) {
    make_skip(p);
    if (top_bracket(p)->kind == OPEN_BLOCK) {
      close_block(p, &brace);
    } else {
      p->depth--;
    }
  }
}

// A string that ends with its line has eaten what closes the brackets there.
static void abandon_line(Parse *p, uint32_t line) {
  int index = p->depth;
  for (int i = p->depth; i > 0; i--) {
    if (p->brackets[i].open.pos.line != line) break;
    if (p->brackets[i].kind != OPEN_BLOCK) index = i - 1;
  }
  abandon(p, index);
}

static void give_string(Parse *p, Token *token) {
  bool broken = token->origin == FROM_ERROR;
  token->origin = FROM_TEXT;
  give_token(p, token);
  if (broken) abandon_line(p, token->pos.line);
}

static void close_interpolation(Parse *p, Token *token) {
  lex_string_rest(p, token);
  RT_ASSERT(token->kind == TOK_STR_MID || token->kind == TOK_STR_TAIL);
  if (token->kind == TOK_STR_TAIL) p->depth--;
  give_string(p, token);
}

static void close_brace(Parse *p, Token *token) {
  int index = find_open(p, OPEN_BLOCK, OPEN_MAP, OPEN_INTERP);
  if (index < 0) {
    nothing_open(p, token, "{");
    return;
  }
  close_down_to(p, index);
  switch (top_bracket(p)->kind) {
    case OPEN_INTERP:
      close_interpolation(p, token);
      break;
    case OPEN_MAP:
      token->kind = TOK_MAP_END;
      p->depth--;
      give_token(p, token);
      break;
    case OPEN_BLOCK:
      close_block(p, token);
      break;
    default:
      rt_throw("close_brace: bracket of kind %d", (int)top_bracket(p)->kind);
  }
}

// --- tokens -----------------------------------------------------------------
static void dispatch(Parse *p, Token *token) {
  switch (token->kind) {
    case TOK_LPAREN:
      open_bracket(p, token, OPEN_PAREN);
      break;
    case TOK_LBRACK:
      open_bracket(p, token, OPEN_INDEX);
      break;
    case TOK_LBRACE:
      open_brace(p, token);
      break;
    case TOK_STR_HEAD:
      open_bracket(p, token, OPEN_INTERP);
      break;
    case TOK_RPAREN:
      close_bracket(p, token, OPEN_PAREN, "(");
      break;
    case TOK_RBRACK:
      close_bracket(p, token, OPEN_INDEX, "[");
      break;
    case TOK_RBRACE:
      close_brace(p, token);
      break;
    case TOK_STR:
      give_string(p, token);
      break;
    default:
      give_token(p, token);
  }
}

static void end_of_file(Parse *p, const Token *token) {
  int last = p->last.kind, errors = diags_errors(p->diags);
  RT_ASSERT(p->cursor == p->limit);
  if (p->depth > 0) {
    parse_ends_early(p);
    if (!p->skipping) never_closed(p, top_bracket(p));
    return;
  }
  if (last != TOK_BEGIN) give_newline(p, FROM_END, p->token_end);
  if (!p->fatal) feed_grammar(p, token);
  // After what could have ended the statement more text would not help.
  if (errors == 0 && diags_errors(p->diags) > 0 && !ends_statement(last))
    p->incomplete = true;
}

static bool closes(int kind) {
  return kind == TOK_RPAREN || kind == TOK_RBRACK || kind == TOK_RBRACE;
}

// Looks at a line that begins no further right than the statement that it
// should continue. If it does not fit, a bracket of that statement was not
// closed.
static void give_up_brackets(Parse *p, const Token *token, Pos end) {
  Bracket *block = block_of(p);
  if (block == top_bracket(p) || closes(token->kind) || block->seen == 0)
    return;
  if (token->pos.col > block->first.pos.col) return;
  if (!p->skipping) {
    if (grammar_accepts(p->parser, token->kind)) return;
    parse_unexpected(p, token);
  }
  abandon(p, (int)(block - p->brackets));
  give_newline(p, FROM_NEWLINE, end);
}

// Between the token that ended at `end` and this one lies a newline.
static void begin_line(Parse *p, const Token *token, Pos end) {
  if (top_bracket(p)->kind != OPEN_BLOCK) {
    give_up_brackets(p, token, end);
  } else if (ends_statement(p->last.kind)) {
    give_newline(p, FROM_NEWLINE, end);
  }
}

static bool step(Parse *p) {
  Token token;
  Pos end = p->token_end;
  lex_token(p, &token);
  if (arena_failed(p->arena)) parse_no_memory(p);
  RT_ASSERT(token.pos.offset >= end.offset);
  RT_ASSERT(p->token_end.offset >= token.pos.offset || token.kind == TOK_END);
  RT_ASSERT(p->cursor <= p->limit && p->line_start <= p->cursor);
  if (token.kind == TOK_END) {
    end_of_file(p, &token);
    return false;
  }
  if (p->newline) begin_line(p, &token, end);
  bool after_point = p->last.kind == TOK_DOT || p->last.kind == TOK_IS;
  if (after_point && token_is_keyword(token.kind)) token.kind = TOK_NAME;
  note_statement(p, &token);
  dispatch(p, &token);
  return true;
}

// --- the text as a whole ----------------------------------------------------
enum { LOOK_BYTES = 256 };  // between two questions whether to go on

// Each run of bytes that are no UTF-8 is one error.
static void check_utf8(Parse *p) {
  const char *text = p->source->text;
  size_t len = p->source->len;
  Pos pos = {.line = 1, .col = 1};
  bool in_run = false;
  size_t look_at = LOOK_BYTES;
  for (size_t i = 0; i < len;) {
    if (i >= look_at) {
      if (arena_failed(p->arena)) return;
      look_at += LOOK_BYTES;
    }
    size_t n = utf8_sequence(text + i, len - i);
    if (n == 0 && !in_run) {
      pos.offset = (uint32_t)i;
      diag_error(p->diags, pos, 1, "invalid UTF-8: byte \\x%02x",
                 (unsigned char)text[i]);
    }
    in_run = n == 0;
    bool newline = text[i] == '\n';
    i += n ? n : 1;
    pos.line += newline;
    pos.col = newline ? 1 : pos.col + (uint32_t)(n ? n : 1);
  }
}

static void skip_first_bytes(Parse *p) {
  const char *text = p->source->text;
  if (strncmp(text, BYTE_ORDER_MARK, 3) == 0) p->cursor += 3;
  if (strncmp((const char *)p->cursor, "#!", 2) != 0) return;
  size_t left = (size_t)(p->limit - p->cursor);
  const unsigned char *end = memchr(p->cursor, '\n', left);
  if (end == NULL) end = p->limit;
  Pos begin = {1, 1, (uint32_t)(p->cursor - p->line_start)};
  if (p->trail) trail_comment(p, begin, (uint32_t)(end - p->line_start));
  p->cursor = end;
}

static bool begin_source(Parse *p) {
  const Source *source = p->source;
  if (source->len >= INT32_MAX) {
    diag_error(p->diags, p->token_end, 1, "this file is too large");
    return false;
  }
  p->cursor = p->line_start = (const unsigned char *)source->text;
  p->limit = p->cursor + source->len;
  RT_ASSERT(*p->limit == 0);
  p->dummy = arena_alloc(p->arena, sizeof *p->dummy);
  p->parser = arena_try_alloc(p->arena, grammar_size());
  if (p->parser == NULL) {
    parse_no_memory(p);
    return false;
  }
  grammarInit(p->parser, arena_memory(p->arena));
  check_utf8(p);
  skip_first_bytes(p);
  Token first = {.kind = TOK_BEGIN};
  give_token(p, &first);
  return true;
}

static Node *parse(const Source *source, Arena *arena, Diags *diags,
                   Trail *trail, bool *incomplete) {
  Parse *p = mem_alloc(arena_memory(arena), sizeof *p);
  if (p == NULL) {
    diag_error(diags, (Pos){1, 1, 0}, 1, "out of memory");
    *incomplete = false;
    return NULL;
  }
  memset(p, 0, offsetof(Parse, brackets) + sizeof p->brackets[0]);
  p->source = source;
  p->arena = arena;
  p->diags = diags;
  p->trail = trail;
  p->max_depth = lang_max_depth();
  p->line = 1;
  p->token_end = (Pos){1, 1, 0};
  if (begin_source(p)) {
    while (!p->fatal && step(p)) continue;
    grammarFinalize(p->parser);
  }
  Node *tree = p->fatal ? NULL : p->tree;
  *incomplete = p->incomplete && !p->fatal;
  mem_free(p);
  return tree;
}

Node *lang_parse(const Source *source, Arena *arena, Diags *diags) {
  return parse_with_trail(source, arena, diags, NULL);
}

Node *parse_with_trail(const Source *source, Arena *arena, Diags *diags,
                       Trail *trail) {
  bool incomplete;
  return parse(source, arena, diags, trail, &incomplete);
}

bool lang_is_incomplete(const char *text, size_t len) {
  Source source = {"", text, len};
  Arena *arena = arena_new(&mem_libc, rt_entropy());
  Diags *diags = diags_new(&mem_libc, &source);
  bool incomplete = false;
  if (arena != NULL && diags != NULL)
    parse(&source, arena, diags, NULL, &incomplete);
  if (diags != NULL) diags_free(diags);
  if (arena != NULL) arena_free(arena);
  return incomplete;
}
