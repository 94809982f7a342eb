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
#include "lang/parse/unclosed.h"
#include "lang/parse/unexpected.h"
#include "lang/source.h"
#include "vm/value/utf8.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lang/parse/grammar.h"
#include "sched/rt.h"

static Bracket *top_bracket(Parse *parse) {
  return &parse->brackets[parse->depth];
}

// The innermost open block.
static Bracket *block_of(Parse *parse) {
  int i = parse->depth;
  RT_ASSERT(parse->brackets[0].kind == OPEN_BLOCK);
  while (parse->brackets[i].kind != OPEN_BLOCK) i--;
  return &parse->brackets[i];
}

// --- errors that end everything ---------------------------------------------
void parse_too_deep(Parse *parse, Pos pos) {
  if (parse->fatal) return;
  parse->fatal = true;
  diag_error(parse->diags, pos, 1, "nested too deeply");
  if (parse->max_depth == LANG_MAX_DEPTH) {
    diag_hint(
        parse->diags,
        "at most %d open brackets, and %d operators or `else if` in a row",
        LANG_MAX_NESTING, LANG_MAX_DEPTH);
  } else {
    diag_hint(parse->diags,
              "the stack of the thread that compiles has room for %u levels",
              parse->max_depth);
  }
}

void parse_ends_early(Parse *parse) {
  if (diags_errors(parse->diags) == 0) parse->incomplete = true;
}

void parse_no_memory(Parse *parse) {
  if (parse->fatal) return;
  parse->fatal = true;
  diag_error(parse->diags, parse->token_end, 1, "out of memory");
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

static bool opens_block(Parse *parse) {
  switch (parse->last.kind) {
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
      return top_bracket(parse)->kind == OPEN_BLOCK;
    default:
      return parse_ends_value(parse->last.kind);
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

static void feed_raw(Parse *parse, const Token *token) {
  grammar(parse->parser, token->kind, *token, parse);
  if (arena_failed(parse->arena)) parse_no_memory(parse);
  if (grammar_height(parse->parser) > LANG_MAX_HEIGHT)
    parse_too_deep(parse, token->pos);
}

// Makes the parser fall back to a statement list without a message.
static void feed_bad(Parse *parse) {
  Token bad = {.kind = TOK_BAD, .origin = FROM_ERROR, .pos = parse->token_end};
  feed_raw(parse, &bad);
}

static void start_skipping(Parse *parse) {
  grammar_forget_error(parse->parser);
  parse->errored = false;
  parse->skipping = true;
  parse->skip_depth = grammar_depth(parse->parser);
  RT_ASSERT(parse->skip_depth >= 0 && parse->skip_depth <= parse->depth);
  parse->skip_to_colon = grammar_waits_in_case(parse->parser);
}

// Parses the block that was just opened, though its head was wrong, where that
// is worth it.
static void recover_in_block(Parse *parse, const Token *open) {
  if (parse->depth != parse->skip_depth + 1 ||
      top_bracket(parse)->kind != OPEN_BLOCK)
    return;
  if (!grammar_accepts(parse->parser, TOK_RECOVER)) return;
  if (!holds_statements(&parse->brackets[parse->skip_depth])) return;
  Token recover = *open;
  recover.kind = TOK_RECOVER;
  parse->skipping = false;
  top_bracket(parse)->recovery = true;
  feed_raw(parse, &recover);
}

// The parser met an error in this token and fell back.
static void after_error(Parse *parse) {
  // Inside brackets it may have taken the token for the end of its recovery.
  bool out_of_step = grammar_depth(parse->parser) != parse->depth;
  if (!grammar_waits(parse->parser) && out_of_step) feed_bad(parse);
  grammar_forget_error(parse->parser);
  parse->errored = false;
  if (grammar_waits(parse->parser)) start_skipping(parse);
}

static void feed_grammar(Parse *parse, const Token *token) {
  // This comes before the parser reduces anything. After that it does not know
  // as well what it had expected.
  if (!grammar_accepts(parse->parser, token->kind))
    parse_unexpected(parse, token);
  parse->errored = false;
  feed_raw(parse, token);
  if (parse->errored) after_error(parse);
}

// Ends the skipping if this token does.
static void skip(Parse *parse, const Token *token) {
  if (token->kind == TOK_LBRACE) recover_in_block(parse, token);
  if (!parse->skipping || parse->depth != parse->skip_depth) return;
  bool ends = token->kind == TOK_NEWLINE;
  bool colon = token->kind == TOK_COLON && parse->skip_to_colon;
  if (!ends && !colon) return;
  Token end = *token;
  if (parse->skip_to_colon) end.kind = TOK_COLON;
  parse->skipping = false;
  feed_grammar(parse, &end);
}

// Whether a semicolon may stand in the head of the block's statement.
static bool has_clauses(const Bracket *block) {
  int kind = block->first.kind;
  return block->seen > 0 &&
         (kind == TOK_FOR || kind == TOK_IF || kind == TOK_SWITCH);
}

// Remembers how the current statement of the innermost block began.
static void note_statement(Parse *parse, const Token *token) {
  Bracket *block = top_bracket(parse);
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

bool parse_is_in_step(const Parse *parse) {
  if (parse->depth < 0 || parse->depth > LANG_MAX_NESTING) return false;
  return parse->skipping || parse->fatal ||
         grammar_depth(parse->parser) == parse->depth;
}

static void give_token(Parse *parse, const Token *token) {
  if (parse->fatal) return;
  if (parse->trail != NULL) trail_token(parse, token);
  if (!parse->skipping) feed_grammar(parse, token);
  if (parse->skipping) skip(parse, token);
  if (token->kind == TOK_COLON)
    top_bracket(parse)->seen = 0;  // after a label, a case
  RT_ASSERT(parse_is_in_step(parse));
  parse->before_last = parse->last.kind;
  parse->last = *token;
}

static void give_newline(Parse *parse, TokenOrigin origin, Pos pos) {
  Token end = {.kind = TOK_NEWLINE, .origin = origin, .pos = pos, .len = 1};
  give_token(parse, &end);
  top_bracket(parse)->seen = 0;
}

// --- brackets ---------------------------------------------------------------
static void open_bracket(Parse *parse, const Token *token, BracketKind kind) {
  if (parse->depth == LANG_MAX_NESTING) {
    parse_too_deep(parse, token->pos);
    return;
  }
  parse->brackets[++parse->depth] =
      (Bracket){.kind = kind, .open = *token, .before = parse->last.kind};
  give_token(parse, token);
}

static void open_brace(Parse *parse, Token *token) {
  bool block = opens_block(parse);
  if (parse->last.kind == TOK_BEGIN && parse->source->map_first) block = false;
  if (!block) token->kind = TOK_MAP_BEGIN;
  open_bracket(parse, token, block ? OPEN_BLOCK : OPEN_MAP);
}

// The error was reported, and the parser must not go on with this statement.
static void make_skip(Parse *parse) {
  if (parse->skipping || parse->fatal) return;
  feed_bad(parse);
  start_skipping(parse);
}

// Closes what is open above brackets[index].
static void close_down_to(Parse *parse, int index) {
  RT_ASSERT(index >= 0 && index <= parse->depth);
  if (parse->depth == index) return;
  if (!parse->skipping) {
    unclosed_error(parse, &parse->brackets[index + 1]);
    make_skip(parse);
  }
  parse->depth = index;
}

// The bracket that this token closes, if only ( and [ are above it, or -1.
static int find_open(const Parse *parse, BracketKind a, BracketKind b,
                     BracketKind c) {
  for (int i = parse->depth; i > 0; i--) {
    BracketKind kind = parse->brackets[i].kind;
    if (kind == a || kind == b || kind == c) return i;
    if (kind != OPEN_PAREN && kind != OPEN_INDEX) return -1;
  }
  return -1;
}

static bool is_open(const Parse *parse, const char *open) {
  for (int i = parse->depth; i > 0; i--)
    if (strcmp(unclosed_text(parse->brackets[i].kind), open) == 0) return true;
  return false;
}

static void nothing_open(Parse *parse, const Token *token, const char *open) {
  const char *text = parse->source->text + token->pos.offset;
  const Bracket *inner = top_bracket(parse);
  if (!parse->skipping && parse->depth > 0 && unclosed_inside(parse, inner)) {
    unclosed_error(parse, inner);
  } else if (!parse->skipping) {
    bool further_out = is_open(parse, open);
    diag_error(
        parse->diags, token->pos, 1,
        further_out ? "unexpected `%c`" : "unexpected `%c`, no `%s` is open",
        *text, open);
    if (inner->kind == OPEN_PAREN || inner->kind == OPEN_INDEX || further_out)
      diag_hint(parse->diags, "the `%s` of line %u, column %u is still open",
                unclosed_text(inner->kind), inner->open.pos.line,
                inner->open.pos.col);
  }
  make_skip(parse);
  parse->before_last = parse->last.kind;
  parse->last = *token;
}

static void close_bracket(Parse *parse, const Token *token, BracketKind kind,
                          const char *open) {
  int index = find_open(parse, kind, kind, kind);
  if (index < 0) {
    nothing_open(parse, token, open);
    return;
  }
  close_down_to(parse, index);
  RT_ASSERT(top_bracket(parse)->kind == kind);
  parse->depth--;
  give_token(parse, token);
}

// A brace ends the statement before it. The grammar tells whether there is one,
// because a semicolon ends a statement, or only a clause of its head.
static void close_block(Parse *parse, const Token *token) {
  if (parse->skipping || !grammar_accepts(parse->parser, TOK_RBRACE))
    give_newline(parse, FROM_BRACE, token->pos);
  RT_ASSERT(parse->depth > 0 && top_bracket(parse)->kind == OPEN_BLOCK);
  bool recovery = top_bracket(parse)->recovery;
  parse->depth--;
  give_token(parse, token);
  if (recovery) make_skip(parse);
}

// Goes on as if all brackets above brackets[index] were closed here.
static void abandon(Parse *parse, int index) {
  Token brace = {.kind = TOK_RBRACE, .pos = parse->token_end};
  while (parse->depth > index && !parse->fatal) {
    make_skip(parse);
    if (top_bracket(parse)->kind == OPEN_BLOCK) {
      close_block(parse, &brace);
    } else {
      parse->depth--;
    }
  }
}

// A string that ends with its line has eaten what closes the brackets there.
static void abandon_line(Parse *parse, uint32_t line) {
  int index = parse->depth;
  for (int i = parse->depth; i > 0; i--) {
    if (parse->brackets[i].open.pos.line != line) break;
    if (parse->brackets[i].kind != OPEN_BLOCK) index = i - 1;
  }
  abandon(parse, index);
}

static void give_string(Parse *parse, Token *token) {
  bool broken = token->origin == FROM_ERROR;
  token->origin = FROM_TEXT;
  give_token(parse, token);
  if (broken) abandon_line(parse, token->pos.line);
}

static void close_interpolation(Parse *parse, Token *token) {
  lex_string_rest(parse, token);
  RT_ASSERT(token->kind == TOK_STR_MID || token->kind == TOK_STR_TAIL);
  if (token->kind == TOK_STR_TAIL) parse->depth--;
  give_string(parse, token);
}

static void close_brace(Parse *parse, Token *token) {
  int index = find_open(parse, OPEN_BLOCK, OPEN_MAP, OPEN_INTERP);
  if (index < 0) {
    nothing_open(parse, token, "{");
    return;
  }
  close_down_to(parse, index);
  unclosed_note(parse, top_bracket(parse), token);
  switch (top_bracket(parse)->kind) {
    case OPEN_INTERP:
      close_interpolation(parse, token);
      break;
    case OPEN_MAP:
      token->kind = TOK_MAP_END;
      parse->depth--;
      give_token(parse, token);
      break;
    case OPEN_BLOCK:
      close_block(parse, token);
      break;
    default:
      rt_throw("close_brace: bracket of kind %d",
               (int)top_bracket(parse)->kind);
  }
}

// --- tokens -----------------------------------------------------------------
static bool begins_format(const Parse *parse, const Token *token) {
  return token->kind == TOK_COLON &&
         parse->brackets[parse->depth].kind == OPEN_INTERP &&
         parse_ends_value(parse->last.kind);
}

static void dispatch(Parse *parse, Token *token) {
  switch (token->kind) {
    case TOK_LPAREN:
      open_bracket(parse, token, OPEN_PAREN);
      break;
    case TOK_LBRACK:
      open_bracket(parse, token, OPEN_INDEX);
      break;
    case TOK_LBRACE:
      open_brace(parse, token);
      break;
    case TOK_STR_HEAD:
      open_bracket(parse, token, OPEN_INTERP);
      break;
    case TOK_RPAREN:
      close_bracket(parse, token, OPEN_PAREN, "(");
      break;
    case TOK_RBRACK:
      close_bracket(parse, token, OPEN_INDEX, "[");
      break;
    case TOK_RBRACE:
      close_brace(parse, token);
      break;
    case TOK_STR:
      give_string(parse, token);
      break;
    case TOK_COLON:
      if (begins_format(parse, token)) lex_format(parse, token);
      give_token(parse, token);
      break;
    default:
      give_token(parse, token);
  }
}

static void end_of_file(Parse *parse, const Token *token) {
  int last = parse->last.kind, errors = diags_errors(parse->diags);
  RT_ASSERT(parse->cursor == parse->limit);
  if (parse->depth > 0) {
    parse_ends_early(parse);
    if (!parse->skipping) unclosed_error(parse, top_bracket(parse));
    return;
  }
  if (last != TOK_BEGIN) give_newline(parse, FROM_END, parse->token_end);
  if (!parse->fatal) feed_grammar(parse, token);
  // After what could have ended the statement more text would not help.
  if (errors == 0 && diags_errors(parse->diags) > 0 && !ends_statement(last))
    parse->incomplete = true;
}

static bool closes(int kind) {
  return kind == TOK_RPAREN || kind == TOK_RBRACK || kind == TOK_RBRACE;
}

// Whether the token names an argument of a call, `f(default: 1)`: it begins an
// argument, and a colon comes after it.
static bool names_argument(const Parse *parse) {
  if (parse->brackets[parse->depth].kind != OPEN_PAREN ||
      (parse->last.kind != TOK_LPAREN && parse->last.kind != TOK_COMMA))
    return false;
  const unsigned char *at = parse->cursor;
  while (at < parse->limit && strchr(" \t\r\n", *at) != NULL && *at != 0) at++;
  return at + 1 < parse->limit && at[0] == ':' && at[1] != '=';
}

// A keyword may be the name of a field, method, type or argument.
static bool is_name_here(const Parse *parse, const Token *token) {
  int before = parse->last.kind;
  if (!token_is_keyword(token->kind)) return false;
  if (before == TOK_DOT || before == TOK_IS) return true;
  bool value = token->kind == TOK_NIL || token->kind == TOK_TRUE ||
               token->kind == TOK_FALSE;
  return !value && names_argument(parse);
}

// What the token becomes where it stands (dispatch, open_brace, step).
static int kind_here(Parse *parse, const Token *token) {
  if (begins_format(parse, token)) return TOK_FORMAT;
  if (is_name_here(parse, token)) return TOK_NAME;
  bool map = token->kind == TOK_LBRACE && !opens_block(parse);
  return map ? TOK_MAP_BEGIN : token->kind;
}

// Looks at a line that begins no further right than the statement that it
// should continue. If it does not fit, a bracket of that statement was not
// closed.
static void give_up_brackets(Parse *parse, const Token *token, Pos end) {
  Bracket *block = block_of(parse);
  if (block == top_bracket(parse) || closes(token->kind) || block->seen == 0)
    return;
  if (token->pos.col > block->first.pos.col) return;
  if (!parse->skipping) {
    if (grammar_accepts(parse->parser, kind_here(parse, token))) return;
    parse_unexpected(parse, token);
  }
  abandon(parse, (int)(block - parse->brackets));
  give_newline(parse, FROM_NEWLINE, end);
}

// Between the token that ended at `end` and this one lies a newline.
static void begin_line(Parse *parse, const Token *token, Pos end) {
  if (top_bracket(parse)->kind != OPEN_BLOCK) {
    give_up_brackets(parse, token, end);
  } else if (ends_statement(parse->last.kind)) {
    give_newline(parse, FROM_NEWLINE, end);
  }
}

static bool step(Parse *parse) {
  Token token;
  Pos end = parse->token_end;
  lex_token(parse, &token);
  if (arena_failed(parse->arena)) parse_no_memory(parse);
  RT_ASSERT(token.pos.offset >= end.offset);
  RT_ASSERT(parse->token_end.offset >= token.pos.offset ||
            token.kind == TOK_END);
  RT_ASSERT(parse->cursor <= parse->limit &&
            parse->line_start <= parse->cursor);
  if (token.kind == TOK_END) {
    end_of_file(parse, &token);
    return false;
  }
  if (parse->newline) begin_line(parse, &token, end);
  if (is_name_here(parse, &token)) token.kind = TOK_NAME;
  note_statement(parse, &token);
  dispatch(parse, &token);
  return true;
}

// --- the text as a whole ----------------------------------------------------
enum { LOOK_BYTES = 256 };  // between two questions whether to go on

// Each run of bytes that are no UTF-8 is one error.
static void check_utf8(Parse *parse) {
  const char *text = parse->source->text;
  size_t len = parse->source->len;
  Pos pos = {.line = 1, .col = 1};
  bool in_run = false;
  size_t look_at = LOOK_BYTES;
  for (size_t i = 0; i < len;) {
    if (i >= look_at) {
      if (arena_failed(parse->arena)) return;
      look_at += LOOK_BYTES;
    }
    size_t n = utf8_sequence(text + i, len - i);
    if (n == 0 && !in_run) {
      pos.offset = (uint32_t)i;
      diag_error(parse->diags, pos, 1, "invalid UTF-8: byte \\x%02x",
                 (unsigned char)text[i]);
    }
    in_run = n == 0;
    bool newline = text[i] == '\n';
    i += n ? n : 1;
    pos.line += newline;
    pos.col = newline ? 1 : pos.col + (uint32_t)(n ? n : 1);
  }
}

static void skip_first_bytes(Parse *parse) {
  const char *text = parse->source->text;
  if (strncmp(text, BYTE_ORDER_MARK, 3) == 0) parse->cursor += 3;
  if (strncmp((const char *)parse->cursor, "#!", 2) != 0) return;
  size_t left = (size_t)(parse->limit - parse->cursor);
  const unsigned char *end = memchr(parse->cursor, '\n', left);
  if (end == NULL) end = parse->limit;
  Pos begin = {1, 1, (uint32_t)(parse->cursor - parse->line_start)};
  if (parse->trail != NULL)
    trail_comment(parse, begin, (uint32_t)(end - parse->line_start));
  parse->cursor = end;
}

static bool begin_source(Parse *parse) {
  const Source *source = parse->source;
  if (source->len > SOURCE_MAX) {
    diag_error(parse->diags, parse->token_end, 1, "this script is too long");
    diag_hint(parse->diags, "%s", source_too_long);
    return false;
  }
  parse->cursor = parse->line_start = (const unsigned char *)source->text;
  parse->limit = parse->cursor + source->len;
  RT_ASSERT(*parse->limit == 0);
  parse->dummy = arena_alloc(parse->arena, sizeof *parse->dummy);
  parse->parser = arena_try_alloc(parse->arena, grammar_size());
  if (parse->parser == NULL) {
    parse_no_memory(parse);
    return false;
  }
  grammarInit(parse->parser, arena_memory(parse->arena));
  check_utf8(parse);
  skip_first_bytes(parse);
  Token first = {.kind = TOK_BEGIN};
  give_token(parse, &first);
  return true;
}

static Node *parse_source(const Source *source, Arena *arena, Diags *diags,
                          Trail *trail, bool *incomplete) {
  Parse *parse = mem_alloc(arena_memory(arena), sizeof *parse);
  if (parse == NULL) {
    diag_error(diags, (Pos){1, 1, 0}, 1, "out of memory");
    *incomplete = false;
    return NULL;
  }
  memset(parse, 0, offsetof(Parse, brackets) + sizeof parse->brackets[0]);
  parse->source = source;
  parse->arena = arena;
  parse->diags = diags;
  parse->trail = trail;
  parse->max_depth = lang_max_depth();
  parse->line = 1;
  parse->token_end = (Pos){1, 1, 0};
  if (begin_source(parse)) {
    while (!parse->fatal && step(parse)) continue;
    grammarFinalize(parse->parser);
  }
  Node *tree = parse->fatal ? NULL : parse->tree;
  *incomplete = parse->incomplete && !parse->fatal;
  mem_free(parse);
  return tree;
}

Node *lang_parse(const Source *source, Arena *arena, Diags *diags) {
  return parse_with_trail(source, arena, diags, NULL);
}

Node *parse_with_trail(const Source *source, Arena *arena, Diags *diags,
                       Trail *trail) {
  bool incomplete;
  return parse_source(source, arena, diags, trail, &incomplete);
}

// What comes of a text, whose tree nobody wants.
typedef struct Trial {
  bool incomplete;
  uint32_t
      good;  // bytes before the first error; UINT32_MAX means there is none
} Trial;

static Trial try_text(const char *text, size_t len, bool map_first) {
  Source source = {
      .path = "", .text = text, .len = len, .map_first = map_first};
  Arena *arena = arena_new(&mem_libc, rt_entropy());
  Diags *diags = diags_new(&mem_libc, &source);
  Trial trial = {false, 0};
  if (arena != NULL && diags != NULL) {
    parse_source(&source, arena, diags, NULL, &trial.incomplete);
    trial.good = diags_first_error(diags);
  }
  if (diags != NULL) diags_free(diags);
  if (arena != NULL) arena_free(arena);
  return trial;
}

static bool begins_with_brace(const char *text) {
  return text[strspn(text, " \t\r\n")] == '{';
}

bool lang_is_incomplete(const char *text, size_t len) {
  return try_text(text, len, false).incomplete ||
         (begins_with_brace(text) && try_text(text, len, true).incomplete);
}

bool lang_begins_with_map(const char *text, size_t len) {
  if (!begins_with_brace(text)) return false;
  Trial map = try_text(text, len, true);
  if (map.good == UINT32_MAX) return true;
  return map.good > try_text(text, len, false).good;
}
