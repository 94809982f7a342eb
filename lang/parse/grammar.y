// SPDX-License-Identifier: MIT
// The grammar. Edit here; lemon makes grammar.c and grammar.h of it in build/.
//
// Each action is one call: the tree is built, and what a grammar cannot say is
// checked, in tree.c and tree_stmt.c. There are no conflicts, because lexer and
// parse.c give different tokens for what looks alike. LBRACE opens a block and
// MAP_BEGIN a map. FORIN is a `for` whose names and `in` follow. NEWLINE is a
// newline that ends a statement. There is one at the end of the file and before
// each `}` of a block, too.
//
// `error` stands where parsing goes on after an error: at a line's end, after
// the colon of a `case`, or in a block whose head was wrong (RECOVER).

%name grammar
%token_prefix TOK_
%token_type {Token}
%extra_argument {Parse *parse}
%extra_context {const Memory *memory}
%default_type {Node *}
%stack_size 0

%include {
#ifndef NDEBUG
#define NDEBUG  // lemon's trace wants global variables
#endif
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lang/parse/tree.h"
#include "lang/parse/tree_stmt.h"
#include "lang/parse/tree_value.h"

// The memory functions that lemon calls for its stack. In the functions that
// call them p is the parser.
#define malloc(size) mem_alloc(p->memory, (size))
#define realloc(block, size) mem_resize(p->memory, (block), (size))
#define free(block) mem_free(block)
}

// parse.c has the memory for it.
%code {
size_t grammar_size(void) { return sizeof(yyParser); }
#undef malloc
#undef realloc
#undef free
}

%syntax_error { parse->errored = true; }
%stack_overflow { parse_no_memory(parse); }

// ---- precedence, low to high -----------------------------------------------
%right ARROW.
%left COALESCE.
%left OR.
%left AND.
%left EQ NE LT LE GT GE IN IS.
%nonassoc RANGE RANGE_INCL.
%left ADD SUB ADDW SUBW BOR BXOR.
%left MUL DIV MOD MULW SHL SHR BAND.
%right NOT.

%token BEGIN BAD RECOVER.
%token_class word NAME|BREAK|CASE|CONST|CONTINUE|DEFAULT|DEFER|ELSE|FALSE|FOR
  |FORIN|FUNC|GO|GROUP|IF|IMPORT|IN|IS|NIL|RETURN|SELECT|STRUCT|SWITCH|TRUE
  |VAR.

%type stmts {List}
%type exprs {List}
%type several {List}
%type parts_rest {List}
%type names {List}
%type opt_exprs {List}
%type clauses {List}
%type comms {List}
%type fields {List}
%type params {List}
%type param_list {List}
%type args {List}
%type elements {List}
%type pairs {List}
%type parts {List}
%type head {Head}

// ---- statements ------------------------------------------------------------
file ::= BEGIN stmts(S). { parse->tree = tree_input(parse, S.first); }

stmts(A) ::= . { A = (List){0}; }
stmts(A) ::= stmts(A) SEMI|NEWLINE.
stmts(A) ::= stmts(B) stmt(S) SEMI|NEWLINE. { A = list_add(parse, B, S); }
stmts(A) ::= stmts(A) error NEWLINE.
stmts(A) ::= stmts(A) error RECOVER stmts RBRACE.

block(A) ::= LBRACE(L) stmts(S) RBRACE(R). { A = tree_block(parse, &L, S, &R); }

stmt(A) ::= simple(A).
stmt(A) ::= block(A).
stmt(A) ::= if(A).
stmt(A) ::= VAR(W) names(N). { A = tree_declare(parse, &W, N, (List){0}); }
stmt(A) ::= VAR(W) names(N) ASSIGN exprs(V).
  { A = tree_declare(parse, &W, N, V); }
stmt(A) ::= CONST(W) names(N) ASSIGN exprs(V).
  { A = tree_declare(parse, &W, N, V); }
stmt(A) ::= VAR(W) names(N) ASSIGN value(V).
  { A = tree_declare(parse, &W, N, list_one(parse, V)); }
stmt(A) ::= CONST(W) names(N) ASSIGN value(V).
  { A = tree_declare(parse, &W, N, list_one(parse, V)); }
stmt(A) ::= DEFER(W) expr(E). { A = tree_defer(parse, &W, E); }
stmt(A) ::= DEFER(W) block(B).
  { A = tree_defer(parse, &W, tree_call_block(parse, &W, B)); }
stmt(A) ::= RETURN(W) opt_exprs(V). { A = tree_return(parse, &W, V); }
stmt(A) ::= RETURN(W) value(V).
  { A = tree_return(parse, &W, list_one(parse, V)); }
stmt(A) ::= BREAK|CONTINUE(W). { A = tree_jump(parse, &W, NULL); }
stmt(A) ::= BREAK|CONTINUE(W) NAME(L). { A = tree_jump(parse, &W, &L); }
stmt(A) ::= NAME(N) COLON stmt(S). { A = tree_label(parse, &N, S); }

names(A) ::= NAME(N). { A = list_one(parse, tree_name(parse, &N)); }
names(A) ::= names(B) COMMA NAME(N).
  { A = list_add(parse, B, tree_name(parse, &N)); }

simple(A) ::= exprs(V). { A = tree_expr_stmt(parse, V); }
simple(A) ::= exprs(N) DEFINE exprs(V). { A = tree_define(parse, N, V); }
simple(A) ::= exprs(N) DEFINE value(V).
  { A = tree_define(parse, N, list_one(parse, V)); }
simple(A) ::= exprs(T) ASSIGN(O) exprs(V).
  { A = tree_assign(parse, T, &O, V); }
simple(A) ::= exprs(T) ASSIGN(O) value(V).
  { A = tree_assign(parse, T, &O, list_one(parse, V)); }
simple(A) ::= exprs(T) ADD_SET|SUB_SET|MUL_SET|DIV_SET|MOD_SET|BAND_SET
    |BOR_SET|BXOR_SET|SHL_SET|SHR_SET|ADDW_SET|SUBW_SET|MULW_SET
    |COALESCE_SET(O) exprs(V).
  { A = tree_assign(parse, T, &O, V); }
simple(A) ::= expr(T) INC|DEC(O). { A = tree_incdec(parse, T, &O); }
simple(A) ::= expr(C) RECV expr(V). { A = tree_send(parse, C, V); }

opt_simple(A) ::= . { A = NULL; }
opt_simple(A) ::= simple(A).

// ---- if, for, switch, select -----------------------------------------------
head(A) ::= simple(V). { A = (Head){NULL, V}; }
head(A) ::= opt_simple(I) SEMI simple(V). { A = (Head){I, V}; }

if(A) ::= IF(W) head(H) block(B). { A = tree_if(parse, &W, H, B, NULL); }
if(A) ::= IF(W) head(H) block(B) ELSE block(E).
  { A = tree_if(parse, &W, H, B, E); }
if(A) ::= IF(W) head(H) block(B) ELSE if(E).
  { A = tree_if(parse, &W, H, B, E); }

stmt(A) ::= FOR(W) block(B). { A = tree_for(parse, &W, NULL, B); }
stmt(A) ::= FOR(W) simple(C) block(B). { A = tree_for(parse, &W, C, B); }
stmt(A) ::= FOR(W) opt_simple(I) SEMI opt_simple(C) SEMI opt_simple(P)
    block(B).
  { A = tree_for_clauses(parse, &W, I, C, P, B); }
stmt(A) ::= FORIN(W) names(N) IN expr(V) block(B).
  { A = tree_for_in(parse, &W, N, V, B, 0); }
stmt(A) ::= FORIN(W) LPAREN names(N) opt_comma RPAREN IN expr(V) block(B).
  { A = tree_for_in(parse, &W, N, V, B, FLAG_APART); }

stmt(A) ::= switch(A).
switch(A) ::= SWITCH(W) LBRACE clauses(C) RBRACE.
  { A = tree_switch(parse, &W, (Head){0}, C); }
switch(A) ::= SWITCH(W) simple(V) LBRACE clauses(C) RBRACE.
  { A = tree_switch(parse, &W, (Head){NULL, V}, C); }
switch(A) ::= SWITCH(W) opt_simple(I) SEMI opt_simple(V) LBRACE clauses(C)
    RBRACE.
  { A = tree_switch(parse, &W, (Head){I, V}, C); }
clauses(A) ::= . { A = (List){0}; }
clauses(A) ::= clauses(B) CASE(W) elements(V) COLON(C) stmts(S).
  { A = list_add(parse, B, tree_case(parse, &W, V, &C, S)); }
clauses(A) ::= clauses(B) DEFAULT(W) COLON(C) stmts(S).
  { A = list_add(parse, B, tree_case(parse, &W, (List){0}, &C, S)); }
clauses(A) ::= clauses(A) CASE error COLON stmts.
elements(A) ::= element(E). { A = list_one(parse, E); }
elements(A) ::= elements(B) COMMA element(E). { A = list_add(parse, B, E); }
element(A) ::= expr(A).
element(A) ::= IS(O) type(T). { A = tree_is(parse, NULL, &O, T); }

stmt(A) ::= SELECT(W) LBRACE comms(C) RBRACE.
  { A = tree_select(parse, &W, NULL, C); }
stmt(A) ::= SELECT(W) NAME(P) LBRACE comms(C) RBRACE.
  { A = tree_select(parse, &W, &P, C); }
comms(A) ::= . { A = (List){0}; }
comms(A) ::= comms(B) CASE(W) simple(S) COLON(C) stmts(T).
  { A = list_add(parse, B, tree_comm(parse, &W, S, &C, T)); }
comms(A) ::= comms(B) DEFAULT(W) COLON(C) stmts(T).
  { A = list_add(parse, B, tree_comm(parse, &W, NULL, &C, T)); }
comms(A) ::= comms(A) CASE error COLON stmts.

stmt(A) ::= group(A).
group(A) ::= GROUP(W) block(B). { A = tree_group(parse, &W, NULL, B); }
group(A) ::= GROUP(W) NAME(N) block(B). { A = tree_group(parse, &W, &N, B); }

// A statement as the last thing of another one, or in parentheses. Elsewhere
// its block would end what it is a part of.
value(A) ::= if(S). { A = tree_value(parse, S); }
value(A) ::= switch(S). { A = tree_value(parse, S); }
value(A) ::= group(S). { A = tree_value(parse, S); }

// ---- declarations ----------------------------------------------------------
stmt(A) ::= STRUCT(W) NAME(N) LBRACE fields(F) RBRACE.
  { A = tree_struct(parse, &W, &N, F); }
fields(A) ::= . { A = (List){0}; }
fields(A) ::= fields(A) SEMI|NEWLINE.
fields(A) ::= fields(B) field(F) SEMI|NEWLINE|COMMA.
  { A = list_add(parse, B, F); }
fields(A) ::= fields(A) error NEWLINE.
field(A) ::= NAME(N). { A = tree_param(parse, &N, NULL, 0); }
field(A) ::= NAME(N) ASSIGN expr(D). { A = tree_param(parse, &N, D, 0); }

// A keyword may name a function: other files call it as `module.select()`.
stmt(A) ::= FUNC(W) word(N) LPAREN params(P) RPAREN block(B).
  { A = tree_func_decl(parse, &N, tree_func(parse, &W, P, B, 0)); }
stmt(A) ::= FUNC(W) word(N) LPAREN params(P) RPAREN ARROW expr(B).
  { A = tree_func_decl(parse, &N, tree_func(parse, &W, P, B, FLAG_ARROW)); }
stmt(A) ::= FUNC(W) word(N) LPAREN params(P) RPAREN ARROW value(B).
  { A = tree_func_decl(parse, &N, tree_func(parse, &W, P, B, FLAG_ARROW)); }
stmt(A) ::= FUNC(W) LPAREN NAME(S) NAME(T) RPAREN word(N) LPAREN params(P)
    RPAREN block(B).
  { A = tree_method(parse, &S, &T, &N, tree_func(parse, &W, P, B, 0)); }
stmt(A) ::= FUNC(W) LPAREN NAME(S) NAME(T) RPAREN word(N) LPAREN params(P)
    RPAREN ARROW expr(B).
  { A = tree_method(parse, &S, &T, &N,
                    tree_func(parse, &W, P, B, FLAG_ARROW)); }
stmt(A) ::= FUNC(W) LPAREN NAME(S) NAME(T) RPAREN word(N) LPAREN params(P)
    RPAREN ARROW value(B).
  { A = tree_method(parse, &S, &T, &N,
                    tree_func(parse, &W, P, B, FLAG_ARROW)); }

params(A) ::= . { A = (List){0}; }
params(A) ::= param_list(A) opt_comma.
param_list(A) ::= param(P). { A = list_one(parse, P); }
param_list(A) ::= param_list(B) COMMA param(P). { A = list_add(parse, B, P); }
param(A) ::= NAME(N). { A = tree_param(parse, &N, NULL, 0); }
param(A) ::= NAME(N) ASSIGN expr(D). { A = tree_param(parse, &N, D, 0); }
param(A) ::= NAME(N) ELLIPSIS. { A = tree_param(parse, &N, NULL, FLAG_REST); }

stmt(A) ::= IMPORT(W) STR(S). { A = tree_import(parse, &W, NULL, &S); }
stmt(A) ::= IMPORT(W) NAME(N) STR(S). { A = tree_import(parse, &W, &N, &S); }

// ---- expressions -----------------------------------------------------------
opt_comma ::= .
opt_comma ::= COMMA.
opt_exprs(A) ::= . { A = (List){0}; }
opt_exprs(A) ::= exprs(A).
exprs(A) ::= expr(E). { A = list_one(parse, E); }
exprs(A) ::= exprs(B) COMMA expr(E). { A = list_add(parse, B, E); }

expr(A) ::= postfix(A).
expr(A) ::= expr(B) COALESCE(O) expr(C). { A = tree_binary(parse, B, &O, C); }
expr(A) ::= expr(B) OR(O) expr(C). { A = tree_binary(parse, B, &O, C); }
expr(A) ::= expr(B) AND(O) expr(C). { A = tree_binary(parse, B, &O, C); }
expr(A) ::= expr(B) EQ|NE|LT|LE|GT|GE|IN(O) expr(C).
  { A = tree_binary(parse, B, &O, C); }
expr(A) ::= expr(B) IS(O) type(T). { A = tree_is(parse, B, &O, T); }
expr(A) ::= expr(B) RANGE|RANGE_INCL(O) expr(C).
  { A = tree_binary(parse, B, &O, C); }
expr(A) ::= expr(B) ADD|SUB|ADDW|SUBW|BOR|BXOR(O) expr(C).
  { A = tree_binary(parse, B, &O, C); }
expr(A) ::= expr(B) MUL|DIV|MOD|MULW|SHL|SHR|BAND(O) expr(C).
  { A = tree_binary(parse, B, &O, C); }
expr(A) ::= NOT|SUB|BXOR|RECV(O) expr(B). [NOT]
  { A = tree_unary(parse, &O, B); }
expr(A) ::= GO(W) postfix(C). { A = tree_go(parse, &W, C); }
expr(A) ::= GO(W) block(B).
  { A = tree_go(parse, &W, tree_call_block(parse, &W, B)); }
expr(A) ::= FUNC(W) LPAREN params(P) RPAREN ARROW expr(B). [ARROW]
  { A = tree_func(parse, &W, P, B, FLAG_ARROW); }
expr(A) ::= FUNC(W) LPAREN params(P) RPAREN ARROW value(B). [ARROW]
  { A = tree_func(parse, &W, P, B, FLAG_ARROW); }

type(A) ::= NAME(N). { A = tree_name(parse, &N); }
type(A) ::= NAME(M) DOT NAME(N).
  { A = tree_field(parse, tree_name(parse, &M), &N); }

postfix(A) ::= primary(A).
postfix(A) ::= postfix(B) DOT NAME(N). { A = tree_field(parse, B, &N); }
postfix(A) ::= postfix(B) LPAREN(L) args(V) opt_comma RPAREN.
  { A = tree_call(parse, B, &L, V); }
postfix(A) ::= postfix(B) LPAREN(L) RPAREN.
  { A = tree_call(parse, B, &L, (List){0}); }
postfix(A) ::= postfix(B) LBRACK(L) expr(I) RBRACK.
  { A = tree_index(parse, B, &L, I); }
postfix(A) ::= postfix(B) LBRACK(L) opt_expr(F) COLON opt_expr(T) RBRACK.
  { A = tree_slice(parse, B, &L, F, T); }
postfix(A) ::= postfix(B) QUESTION(Q). { A = tree_try(parse, B, &Q); }
opt_expr(A) ::= . { A = NULL; }
opt_expr(A) ::= expr(A).

args(A) ::= arg(E). { A = list_one(parse, E); }
args(A) ::= args(B) COMMA arg(E). { A = list_add(parse, B, E); }
arg(A) ::= expr(A).
arg(A) ::= expr(E) ELLIPSIS(O). { A = tree_spread(parse, E, &O); }
arg(A) ::= NAME(N) COLON expr(E). { A = tree_named(parse, &N, E); }
arg(A) ::= value(E). { A = tree_paren(parse, E); }
arg(A) ::= NAME(N) COLON value(E).
  { A = tree_named(parse, &N, tree_paren(parse, E)); }

primary(A) ::= NAME(N). { A = tree_name(parse, &N); }
primary(A) ::= INT|FLOAT|STR|TRUE|FALSE|NIL(L). { A = tree_literal(parse, &L); }
primary(A) ::= interp(A).
primary(A) ::= LPAREN expr(E) RPAREN. { A = tree_paren(parse, E); }
primary(A) ::= LPAREN value(E) RPAREN. { A = tree_paren(parse, E); }
primary(A) ::= LPAREN(L) RPAREN. { A = tree_tuple(parse, &L, (List){0}); }
primary(A) ::= LPAREN(L) expr(E) COMMA RPAREN.
  { A = tree_tuple(parse, &L, list_one(parse, E)); }
primary(A) ::= LPAREN(L) several(V) opt_comma RPAREN.
  { A = tree_tuple(parse, &L, V); }
several(A) ::= expr(E) COMMA expr(F).
  { A = list_add(parse, list_one(parse, E), F); }
several(A) ::= several(B) COMMA expr(E). { A = list_add(parse, B, E); }
primary(A) ::= LBRACK(L) RBRACK. { A = tree_list(parse, &L, (List){0}); }
primary(A) ::= LBRACK(L) parts_rest(V) opt_comma RBRACK.
  { A = tree_list(parse, &L, V); }
parts_rest(A) ::= expr(E) ELLIPSIS(O).
  { A = list_one(parse, tree_spread(parse, E, &O)); }
parts_rest(A) ::= exprs(B) COMMA expr(E) ELLIPSIS(O).
  { A = list_add(parse, B, tree_spread(parse, E, &O)); }
primary(A) ::= LBRACK(L) exprs(V) opt_comma RBRACK.
  { A = tree_list(parse, &L, V); }
primary(A) ::= MAP_BEGIN(L) MAP_END. { A = tree_map(parse, &L, (List){0}); }
primary(A) ::= MAP_BEGIN(L) pairs(V) opt_comma MAP_END.
  { A = tree_map(parse, &L, V); }
primary(A) ::= FUNC(W) LPAREN params(P) RPAREN block(B).
  { A = tree_func(parse, &W, P, B, 0); }

interp(A) ::= STR_HEAD(H) piece(E) parts(P) STR_TAIL(T).
  { A = tree_interp(parse, &H, E, P, &T); }
parts(A) ::= . { A = (List){0}; }
parts(A) ::= parts(B) STR_MID(M) piece(E).
  { A = tree_interp_add(parse, B, &M, E); }
piece(A) ::= expr(A).
piece(A) ::= expr(E) FORMAT(F). { A = tree_format(parse, E, &F); }

pairs(A) ::= pair(E). { A = list_one(parse, E); }
pairs(A) ::= pairs(B) COMMA pair(E). { A = list_add(parse, B, E); }
pair(A) ::= key(K) COLON expr(E). { A = tree_pair(parse, K, E); }
key(A) ::= word(N). { A = tree_word_key(parse, &N); }
key(A) ::= INT|FLOAT|STR(L). { A = tree_literal(parse, &L); }
key(A) ::= SUB(M) INT|FLOAT(L). { A = tree_negative_key(parse, &M, &L); }
key(A) ::= interp(A).
key(A) ::= LBRACK expr(E) RBRACK. { A = E; }

%code {
// What parse.c and unexpected.c ask of the parser's stack.

// A closing bracket may be on the stack with its opening one.
static int bracket_step(int kind) {
  switch (kind) {
    case TOK_LBRACE:
    case TOK_RECOVER:
    case TOK_MAP_BEGIN:
    case TOK_LPAREN:
    case TOK_LBRACK:
    case TOK_STR_HEAD:
      return 1;
    case TOK_RBRACE:
    case TOK_MAP_END:
    case TOK_RPAREN:
    case TOK_RBRACK:
    case TOK_STR_TAIL:
      return -1;
    default:
      return 0;
  }
}

size_t grammar_height(const void *opaque) {
  const yyParser *parser = opaque;
  return (size_t)(parser->yytos - parser->yystack);
}

int grammar_depth(const void *opaque) {
  const yyParser *parser = opaque;
  int depth = 0;
  for (const yyStackEntry *at = parser->yystack + 1; at <= parser->yytos;
       at++) {
    depth += bracket_step(at->major);
    RT_ASSERT(depth >= 0);
  }
  return depth;
}

bool grammar_waits(const void *opaque) {
  const yyParser *parser = opaque;
  return parser->yytos->major == YYERRORSYMBOL;
}

bool grammar_waits_in_case(const void *opaque) {
  const yyParser *parser = opaque;
  return grammar_waits(parser) && parser->yytos[-1].major == TOK_CASE;
}

void grammar_forget_error(void *opaque) {
  yyParser *parser = opaque;
  parser->yyerrcnt = -1;
}

// Reduces without touching the stack until the token is shifted or does not
// fit. The states are those of the stack up to `base`, then those in `pushed`,
// which only empty rules make longer.
bool grammar_accepts(const void *opaque, int kind) {
  const yyParser *parser = opaque;
  const yyStackEntry *base = parser->yytos;
  YYACTIONTYPE pushed[YYNRULE];
  int count = 0;
  for (;;) {
    YYACTIONTYPE state = count ? pushed[count - 1] : base->stateno;
    YYACTIONTYPE action = yy_find_shift_action((YYCODETYPE)kind, state);
    if (action <= YY_MAX_SHIFTREDUCE || action == YY_ACCEPT_ACTION) {
      return true;
    }
    if (action < YY_MIN_REDUCE) return false;
    int rule = action - YY_MIN_REDUCE;
    int popped = -yyRuleInfoNRhs[rule];
    int from_pushed = popped < count ? popped : count;
    count -= from_pushed;
    base -= popped - from_pushed;
    RT_ASSERT(count >= 0 && count < YYNRULE && base >= parser->yystack);
    state = count ? pushed[count - 1] : base->stateno;
    pushed[count++] = yy_find_reduce_action(state, yyRuleInfoLhs[rule]);
  }
}
}
