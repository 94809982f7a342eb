// SPDX-License-Identifier: MIT
// The syntax tree of a source text. All its nodes have one type, Node. parse/
// builds the tree. resolve/ goes through it first and leaves notes in it
// (`note`). check/, gen/ and format/ read it.
//
// A node has a kind and a place. It may have an operator, flags, a name, a
// literal, and up to four children. The table NODE_KINDS says for each kind
// what these fields mean, and fields that it does not name are zero. The nodes
// of a list are chained by `next`.
//
// All nodes and names lie in the Arena of one compilation, and are freed with
// it. A compilation belongs to the thread that runs it, so nothing here is
// locked.
#ifndef CSP_LANG_AST_H
#define CSP_LANG_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A byte string in the arena (or static), NUL-terminated for convenience.
// Names are interned per compilation: equal names are the same pointer.
typedef struct AstStr {
  const char *text;
  size_t len;
} AstStr;

typedef struct Pos {
  uint32_t line;    // from 1
  uint32_t col;     // from 1, in bytes
  uint32_t offset;  // byte offset in the source text
} Pos;

// clang-format off
// X(kind, meaning of the fields)
#define NODE_KINDS(X)                                                         \
  /* expressions */                                                           \
  X(NIL, "")                                                                  \
  X(TRUE, "")                                                                 \
  X(FALSE, "")                                                                \
  X(INT, "i: value")                                                          \
  X(FLOAT, "f: value")                                                        \
  X(STRING, "str: bytes")                                                     \
  X(INTERP, "a: parts, STRING or expression")                                 \
  X(FORMAT, "a: a part of an INTERP, str: its format")                        \
  X(NAME, "name")                                                             \
  X(LIST, "a: elements")                                                      \
  X(TUPLE, "a: elements")                                                     \
  X(MAP, "a: PAIRs")                                                          \
  X(PAIR, "a: key (a bare name is a STRING), b: value")                       \
  X(RANGE, "a..b; op AST_RANGE or AST_RANGE_INCL")                            \
  X(FUNC, "name or NULL, a: PARAMs, b: BLOCK, or expr with FLAG_ARROW, "      \
          "c: receiver: PARAM with name, a: NAME of the type (methods only)") \
  X(PARAM, "name, a: default or NULL; FLAG_REST")                             \
  X(CALL, "a: callee, b: arguments: expr, SPREAD, NAMED; pos: of the (")      \
  X(SPREAD, "a: list")                                                        \
  X(NAMED, "name, a: value")                                                  \
  X(PROPAGATE, "a?; a: CALL, or RECV with FLAG_PAREN")                        \
  X(FIELD, "a.name; pos: of the name")                                        \
  X(INDEX, "a[b]; pos: of the [")                                             \
  X(SLICE, "a[b:c], b and c may be NULL; pos: of the [")                      \
  X(UNARY, "op, a")                                                           \
  X(BINARY, "a op b, with && || ?? in; pos: of the operator")                 \
  X(IS, "a is b; b: NAME, or FIELD of a NAME; a NULL in a switch's case")     \
  X(RECV, "<-a")                                                              \
  X(APART, "the elements of a; FLAG_REST: the last name takes what is left")  \
  X(VALUE, "of a statement; a: IF, SWITCH or GROUP with FLAG_VALUE")          \
  X(GO, "a: CALL (go { } is a CALL of a FUNC)")                               \
  /* statements */                                                            \
  X(BLOCK, "a: statements; end: the closing brace")                           \
  X(EXPR, "a: the expression")                                                \
  X(GIVE, "a: what a branch gives, at the end of its BLOCK")                  \
  X(DEFINE, "a := b: NAMEs, values")                                          \
  X(VAR, "var a = b: NAMEs, values or NULL")                                  \
  X(CONST, "const a = b: NAMEs, values")                                      \
  X(ASSIGN, "a op= b: targets (NAME FIELD INDEX), values; op: AST_NONE: =")   \
  X(INCDEC, "a++: op AST_ADD or AST_SUB")                                     \
  X(SEND, "a <- b")                                                           \
  X(DEFER, "a: CALL")                                                         \
  X(RETURN, "a: values")                                                      \
  X(BREAK, "name: label or NULL")                                             \
  X(CONTINUE, "name: label or NULL")                                          \
  X(IF, "a: init statement or NULL, b: condition, c: BLOCK, "                 \
        "d: BLOCK, IF or NULL")                                               \
  X(FOR, "a: init, b: condition, c: post, each may be NULL, d: BLOCK")        \
  X(FORIN, "for a in b d: one or two NAMEs, or (FLAG_APART) those of an "     \
           "element's parts, expression, BLOCK")                              \
  X(SWITCH, "a: init or NULL, b: subject or NULL, c: CASEs")                  \
  X(CASE, "a: expressions (NULL: default), b: BLOCK")                         \
  X(SELECT, "c: COMMs; FLAG_PRIO")                                            \
  X(COMM, "a: SEND, EXPR(RECV), DEFINE or ASSIGN of a RECV; NULL: default; "  \
          "b: BLOCK")                                                         \
  X(GROUP, "a: NAME or NULL, b: BLOCK")                                       \
  X(LABELED, "name, a: the loop, switch or select")                           \
  X(STRUCT, "name, a: PARAMs (fields, with their defaults)")                  \
  X(FUNCDECL, "name, a: FUNC (c of it set: a method)")                        \
  X(IMPORT, "name: as bound, str: path; FLAG_ALIAS if the name was written")
// clang-format on

typedef enum NodeKind {
#define X(kind, meaning) NODE_##kind,
  NODE_KINDS(X)
#undef X
      NODE_KIND_COUNT
} NodeKind;

// clang-format off
// Operators: X(name, source text)
#define AST_COMPARISONS(X)                                                    \
  X(EQ, "==") X(NE, "!=") X(LT, "<") X(LE, "<=") X(GT, ">") X(GE, ">=")
#define AST_OPS(X)                                                            \
  X(NONE, "=") X(ADD, "+") X(SUB, "-") X(MUL, "*") X(DIV, "/") X(MOD, "%")    \
  X(ADDW, "+%") X(SUBW, "-%") X(MULW, "*%") X(BAND, "&") X(BOR, "|")          \
  X(BXOR, "^") X(SHL, "<<") X(SHR, ">>") X(AND, "&&") X(OR, "||")             \
  X(COALESCE, "??") AST_COMPARISONS(X) X(IN, "in") X(NOT, "!") X(NEG, "-")    \
  X(BNOT, "^") X(RANGE, "..") X(RANGE_INCL, "..=")
// clang-format on

// The binary operators, X(name), named as their tokens are after TOK_. No
// operand begins with one of AST_BINARY_ALWAYS. For each of AST_ASSIGNING there
// is a token that ends in _SET, too.
// clang-format off
#define AST_BINARY_ALWAYS(X)                                                  \
  X(MUL) X(DIV) X(MOD) X(ADD) X(ADDW) X(SUBW) X(MULW) X(BAND) X(BOR) X(SHL)   \
  X(SHR) X(AND) X(OR) X(COALESCE) X(EQ) X(NE) X(LT) X(LE) X(GT) X(GE) X(IN)   \
  X(RANGE) X(RANGE_INCL)
#define AST_BINARY(X) AST_BINARY_ALWAYS(X) X(SUB) X(BXOR)
#define AST_ASSIGNING(X)                                                      \
  X(ADD) X(SUB) X(MUL) X(DIV) X(MOD) X(ADDW) X(SUBW) X(MULW) X(BAND) X(BOR)   \
  X(BXOR) X(SHL) X(SHR) X(COALESCE)
// clang-format on

typedef enum AstOp {
#define X(name, text) AST_##name,
  AST_OPS(X)
#undef X
} AstOp;

// As it is written.
static inline const char *ast_op_text(AstOp op) {
  static const char *const TEXTS[] = {
#define X(name, text) text,
      AST_OPS(X)
#undef X
  };
  return TEXTS[op];
}

// One of AST_COMPARISONS.
static inline bool ast_compares(AstOp op) {
  switch (op) {
#define X(name, text) case AST_##name:
    AST_COMPARISONS(X)
#undef X
    return true;
    default:
      return false;
  }
}

enum {
  FLAG_REST = 1,    // PARAM: rest...  APART: as its last name
  FLAG_ARROW = 2,   // FUNC: => expression
  FLAG_PAREN = 4,   // any expression: stood in parentheses
  FLAG_PRIO = 8,    // SELECT: select prio
  FLAG_ALIAS = 16,  // IMPORT: a name was written
  FLAG_VALUE = 32,  // IF SWITCH GROUP: its value is wanted
  FLAG_APART = 64,  // FORIN: for (a, b) in
};

typedef struct Node Node;
struct Node {
  uint8_t kind;  // NodeKind
  uint8_t op;    // AstOp
  uint16_t flags;
  Pos pos;
  Pos end;     // of a BLOCK's closing brace; of the name of FUNCDECL, STRUCT,
               // IMPORT, LABELED
  Node *next;  // the list this node is in
  Node *a, *b, *c, *d;
  const AstStr *name;
  union {
    int64_t i;
    double f;
    AstStr str;
  };
  void *note;      // the compiler's: what a NAME is bound to, a scope, ...
  uint32_t depth;  // the parser's: levels of the tree below, itself included
};

#endif
