// SPDX-License-Identifier: MIT
// Inside the front end only: what lexer.re, grammar.y, parse.c, tree.c and
// unexpected.c share.
//
// The way of a text: lexer.re cuts it into tokens; parse.c ends statements at
// newlines, tells blocks from maps and keeps the stack of open brackets; the
// lemon parser of grammar.y calls the builders of tree.c and tree_stmt.c; for
// a token that does not fit it calls unexpected.c, and parse.c skips to where
// the next statement begins.
#ifndef CSP_LANG_PARSE_INTERNAL_H
#define CSP_LANG_PARSE_INTERNAL_H

#include "lang/lang.h"
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

// What trail.c keeps.
enum { TRAIL_COMMENT = -1 };
typedef struct TrailItem {
  int kind;  // TOK_, or TRAIL_COMMENT
  Pos pos;
  uint32_t len;
  uint32_t end_line;  // where the item ends
} TrailItem;

typedef struct Trail {
  TrailItem *items;
  size_t count;
  size_t cap;
  bool failed;  // out of memory: some are missing
} Trail;

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

typedef struct Parse {
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

  // parse.c; [0]: the file. Last, for those above `depth` are never set to 0.
  Bracket brackets[LANG_MAX_NESTING + 1];
} Parse;

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
// The next token; spaces and comments are skipped, p->newline tells of a
// newline among them. TOK_END (0) at the end of the text.
enum { TOK_END = 0 };
void lex_token(Parse *p, Token *token);
// What follows the `}` of an interpolation: TOK_STR_MID or TOK_STR_TAIL.
void lex_string_rest(Parse *p, Token *token);

// --- literal.c: what literals mean (text: `len` bytes at `pos`) -------------
int64_t literal_int(Parse *p, const char *text, size_t len, Pos pos);
double literal_float(Parse *p, const char *text, size_t len, Pos pos);
int64_t literal_duration(Parse *p, const char *text, size_t len, Pos pos);
int64_t literal_rune(Parse *p, const char *text, size_t len, Pos pos);
// The text between the quotes, escapes decoded.
AstStr literal_string(Parse *p, const char *text, size_t len, Pos pos);
// The text between the backquotes: without carriage returns.
AstStr literal_raw(Parse *p, const char *text, size_t len);

// --- parse.c ----------------------------------------------------------------
// Before an error is reported that more text might mend.
void parse_ends_early(Parse *p);
// Reports once, and ends the parse without a tree.
void parse_too_deep(Parse *p, Pos pos);
void parse_no_memory(Parse *p);
bool parse_ends_value(int kind);  // a `{` after it opens a block
// The driver and lemon's parser count the same open brackets, unless tokens are
// being skipped.
bool parse_is_in_step(const Parse *p);

// lang_parse; *trail (empty at first) gets all tokens and comments.
Node *parse_with_trail(const Source *source, Arena *arena, Diags *diags,
                       Trail *trail);

// --- trail.c ----------------------------------------------------------------
// Both only when p->trail is set.
void trail_token(Parse *p, const Token *token);
void trail_comment(Parse *p, Pos begin, uint32_t end);  // up to that offset
void trail_free(Trail *trail);

// --- unexpected.c -----------------------------------------------------------
// Reports a token that the parser will not take.
void parse_unexpected(Parse *p, const Token *token);
bool token_is_keyword(int kind);
bool token_is_keyword_text(const char *text, size_t len);

// --- grammar.y --------------------------------------------------------------
size_t grammar_size(void);
void grammarInit(void *parser, const Memory *memory);  // of that size
void grammarFinalize(void *parser);
void grammar(void *parser, int kind, Token token, Parse *p);
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

// --- tree.c: expressions ----------------------------------------------------
// A node of that depth plus one; the dummy after a fatal error.
Node *tree_node(Parse *p, NodeKind kind, Pos pos, uint32_t depth);
// The deeper of two; of nothing: 0.
uint32_t tree_depth(const Node *a, const Node *b);
// Errors about a node are marked from where it begins.
uint32_t tree_length(const Node *node);
// No name of the chain, but `_`, may stand there twice.
void tree_check_names(Parse *p, const Node *names, const char *what);
List list_one(Parse *p, Node *node);
List list_add(Parse *p, List list, Node *node);
Pos tree_start(const Node *node);  // where its text begins

Node *tree_name(Parse *p, const Token *name);
Node *tree_literal(Parse *p, const Token *token);
Node *tree_interp(Parse *p, const Token *head, Node *value, List rest,
                  const Token *tail);
List tree_interp_add(Parse *p, List parts, const Token *middle, Node *value);
Node *tree_paren(Parse *p, Node *value);
Node *tree_list(Parse *p, const Token *open, List elements);
Node *tree_map(Parse *p, const Token *open, List pairs);
Node *tree_word_key(Parse *p, const Token *word);
Node *tree_negative_key(Parse *p, const Token *minus, const Token *number);
Node *tree_pair(Parse *p, Node *key, Node *value);
Node *tree_unary(Parse *p, const Token *op, Node *a);
Node *tree_binary(Parse *p, Node *a, const Token *op, Node *b);
Node *tree_is(Parse *p, Node *a, const Token *is, Node *type);
Node *tree_field(Parse *p, Node *a, const Token *name);
Node *tree_index(Parse *p, Node *a, const Token *open, Node *index);
Node *tree_slice(Parse *p, Node *a, const Token *open, Node *from, Node *to);
Node *tree_call(Parse *p, Node *callee, const Token *open, List args);
Node *tree_spread(Parse *p, Node *list, const Token *dots);
Node *tree_named(Parse *p, const Token *name, Node *value);
Node *tree_try(Parse *p, Node *a, const Token *mark);
Node *tree_go(Parse *p, const Token *go, Node *call);
// { ... } after `go` or `defer`: a call of a function of it.
Node *tree_call_block(Parse *p, const Token *word, Node *block);
Node *tree_param(Parse *p, const Token *name, Node *value, int flags);
Node *tree_func(Parse *p, const Token *func, List params, Node *body,
                int flags);

// --- tree_stmt.c: statements ------------------------------------------------
Node *tree_block(Parse *p, const Token *open, List body, const Token *close);
Node *tree_expr_stmt(Parse *p, List values);
Node *tree_define(Parse *p, List names, List values);
Node *tree_assign(Parse *p, List targets, const Token *op, List values);
Node *tree_incdec(Parse *p, Node *target, const Token *op);
Node *tree_send(Parse *p, Node *channel, Node *value);
// VAR and CONST
Node *tree_declare(Parse *p, const Token *word, List names, List values);
Node *tree_defer(Parse *p, const Token *word, Node *call);
Node *tree_return(Parse *p, const Token *word, List values);
Node *tree_jump(Parse *p, const Token *word, const Token *label);
Node *tree_if(Parse *p, const Token *word, Head head, Node *then,
              Node *otherwise);
Node *tree_for(Parse *p, const Token *word, Node *condition, Node *body);
Node *tree_for_clauses(Parse *p, const Token *word, Node *init, Node *condition,
                       Node *post, Node *body);
Node *tree_for_in(Parse *p, const Token *word, List names, Node *value,
                  Node *body);
Node *tree_switch(Parse *p, const Token *word, Head head, List cases);
Node *tree_case(Parse *p, const Token *word, List values, const Token *colon,
                List body);
Node *tree_select(Parse *p, const Token *word, const Token *prio, List comms);
Node *tree_group(Parse *p, const Token *word, const Token *name, Node *block);
Node *tree_comm(Parse *p, const Token *word, Node *comm, const Token *colon,
                List body);
Node *tree_label(Parse *p, const Token *name, Node *stmt);
Node *tree_struct(Parse *p, const Token *word, const Token *name, List fields);
Node *tree_func_decl(Parse *p, const Token *name, Node *func);
Node *tree_method(Parse *p, const Token *self, const Token *type,
                  const Token *name, Node *func);
Node *tree_import(Parse *p, const Token *word, const Token *name,
                  const Token *path);

#endif
