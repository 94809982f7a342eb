// SPDX-License-Identifier: MIT
// Inside the front end only. Here are the types that the files of this folder
// share, and the functions of lexer.re and grammar.y.
//
// A text goes this way. lexer.re cuts it into tokens. parse.c ends statements
// at newlines, tells blocks from maps and keeps the stack of open brackets. The
// lemon parser of grammar.y calls the builders of tree.c and tree_stmt.c. For a
// token that does not fit, parse.c calls unexpected.c, and skips to where the
// next statement begins.
#ifndef CSP_LANG_PARSE_INTERNAL_H
#define CSP_LANG_PARSE_INTERNAL_H

#include "lang/arena.h"
#include "lang/ast.h"
#include "lang/depth.h"
#include "lang/diag.h"
#include "lang/parse/parse.h"
#include "lang/parse/trail.h"
#include "lang/source.h"
#include "sched/rt.h"

// A file may begin with it; it is no letter.
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

// Why a token is there.
typedef enum TokenOrigin {
  FROM_TEXT,
  FROM_NEWLINE,  // TOK_NEWLINE: a newline that ends a statement
  FROM_BRACE,    // TOK_NEWLINE: before a `}`
  FROM_END,      // TOK_NEWLINE: at the end of the file
  FROM_ERROR,    // an error in or before it was reported
} TokenOrigin;

typedef struct Token {
  int kind;  // TOK_ of grammar.h
  TokenOrigin origin;
  Pos pos;
  uint32_t len;
  union {
    const AstStr *name;  // names and keywords
    int64_t i;
    double f;
    AstStr str;
  };
} Token;

typedef enum BracketKind {
  OPEN_BLOCK,
  OPEN_MAP,
  OPEN_PAREN,
  OPEN_INDEX,
  OPEN_INTERP,  // ${
} BracketKind;

typedef struct Bracket {
  BracketKind kind;
  Token open;
  int before;     // kind of the token before the bracket
  bool recovery;  // a block that is parsed although its head had an error
  Token first;    // OPEN_BLOCK: first two tokens of the current statement
  Token second;
  int seen;  // how many of these there are: 0, 1, 2
} Bracket;

struct Parse {
  const Source *source;
  Arena *arena;
  Diags *diags;
  Node *tree;
  bool fatal;       // give up: nested too deeply, out of memory
  bool incomplete;  // the first error: the text ends too early

  // lexer.re
  const unsigned char *cursor;
  const unsigned char *limit;
  const unsigned char *line_start;
  uint32_t line;
  Pos token_end;  // of the token before
  bool newline;   // one lies between that and the current token

  // parse.c
  void *parser;     // lemon's
  int depth;        // index of the innermost open bracket
  Token last;       // the token before the current one
  int before_last;  // the kind of the one before that
  bool errored;     // the parser met an error in the current token
  bool skipping;    // up to where a statement ends at this depth:
  int skip_depth;
  bool skip_to_colon;  // or, after `case`, to the colon

  Node *dummy;         // what builders give after a fatal error
  uint32_t max_depth;  // of the tree

  Trail *trail;  // for the formatter, or NULL

  // unclosed.c. A brace whose end has less indentation than its line, and the
  // line of that end, or 0.
  Pos odd_open;
  uint32_t odd_end;

  // parse.c. [0] is the file. It is the last field, because those above `depth`
  // are never set to 0.
  Bracket brackets[LANG_MAX_NESTING + 1];
};

// A chain under construction. Never longer than the memory: no count.
typedef struct List {
  Node *first, *last;
  uint32_t depth;
} List;

// What stands between `if` or `switch` and the brace.
typedef struct Head {
  Node *init, *value;
} Head;

// --- lexer.re ---------------------------------------------------------------
// The next token; spaces and comments are skipped, parse->newline tells of a
// newline among them. TOK_END (0) at the end of the text.
enum { TOK_END = 0 };
void lex_token(Parse *parse, Token *token);
// What follows the `}` of an interpolation: TOK_STR_MID or TOK_STR_TAIL.
void lex_string_rest(Parse *parse, Token *token);
// What follows a colon in an interpolation, up to its `}`: TOK_FORMAT. A format
// that is wrong is reported.
void lex_format(Parse *parse, Token *token);

// --- grammar.y --------------------------------------------------------------
size_t grammar_size(void);
void grammarInit(void *parser, const Memory *memory);  // of that size
void grammarFinalize(void *parser);
void grammar(void *parser, int kind, Token token, Parse *parse);
// How many brackets are open on the parser's stack.
int grammar_depth(const void *parser);
size_t grammar_height(const void *parser);  // of its stack
// It has met an error and waits for a token to go on with.
bool grammar_waits(const void *parser);
// ... in the head of a `case`.
bool grammar_waits_in_case(const void *parser);
// Report the next error, too, however near it is.
void grammar_forget_error(void *parser);
// Would it take a token of this kind now?
bool grammar_accepts(const void *parser, int kind);

#endif
