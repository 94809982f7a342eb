// SPDX-License-Identifier: MIT
// Which children a node has, by its kind: the table NODE_KINDS of ast.h, as far
// as a program can check it. Pure functions; asserted where a tree is used.
//
// It holds for the trees of texts without syntax errors, also after constants
// were folded: a node that has become a literal keeps its children.
#include "lang/shape.h"

#include <string.h>

#include "sched/rt.h"

// One letter for each of a, b, c, d:
//   -  nothing           .  anything: it may have been folded
//   x  an expression     X  chain of those, one at least    y  or nothing
//   n  a NAME            N  chain of those, one at least
//   r  chain of arguments: x, SPREAD, NAMED                 s  a statement
//   B  a BLOCK           S  chain of statements             e  BLOCK or IF
//   p  a PARAM           P  chain of those                  m  chain of PAIRs
//   c  chain of CASEs    q  chain of COMMs                  f  a FUNC
//   k  a CALL            t  CALL or RECV        T  a type: NAME or FIELD
//   g  one that a label may stand before        v  x, or the BLOCK of a FUNC
//   w  a statement whose value is wanted
// With `?` after it: or nothing.
static const char *const shapes[NODE_KIND_COUNT] = {
    [NODE_NIL] = "....",       [NODE_TRUE] = "....",
    [NODE_FALSE] = "....",     [NODE_INT] = "....",
    [NODE_FLOAT] = "....",     [NODE_STRING] = "....",
    [NODE_INTERP] = "X---",    [NODE_FORMAT] = "x---",
    [NODE_NAME] = "----",      [NODE_LIST] = "r?---",
    [NODE_TUPLE] = "X?---",    [NODE_APART] = "x---",
    [NODE_MAP] = "m?---",      [NODE_PAIR] = "xx--",
    [NODE_RANGE] = "xx--",     [NODE_FUNC] = "P?vp?-",
    [NODE_PARAM] = "x?---",    [NODE_CALL] = "xr?--",
    [NODE_SPREAD] = "x---",    [NODE_NAMED] = "x---",
    [NODE_PROPAGATE] = "t---", [NODE_FIELD] = "x---",
    [NODE_INDEX] = "xx--",     [NODE_SLICE] = "xx?x?-",
    [NODE_UNARY] = "x---",     [NODE_BINARY] = "xx--",
    [NODE_IS] = "x?T--",       [NODE_RECV] = "x---",
    [NODE_VALUE] = "w---",     [NODE_GO] = "k---",
    [NODE_BLOCK] = "S?---",    [NODE_EXPR] = "x---",
    [NODE_GIVE] = "x---",      [NODE_DEFINE] = "NX--",
    [NODE_VAR] = "NX?--",      [NODE_CONST] = "NX--",
    [NODE_ASSIGN] = "XX--",    [NODE_INCDEC] = "x---",
    [NODE_SEND] = "xx--",      [NODE_DEFER] = "k---",
    [NODE_RETURN] = "X?---",   [NODE_BREAK] = "----",
    [NODE_CONTINUE] = "----",  [NODE_IF] = "s?xBe?",
    [NODE_FOR] = "s?x?s?B",    [NODE_FORIN] = "Nx-B",
    [NODE_SWITCH] = "s?x?c?-", [NODE_CASE] = "X?B--",
    [NODE_SELECT] = "--q?-",   [NODE_COMM] = "s?B--",
    [NODE_GROUP] = "n?B--",    [NODE_LABELED] = "g---",
    [NODE_STRUCT] = "P?---",   [NODE_FUNCDECL] = "f---",
    [NODE_IMPORT] = "----",
};

static bool is_expression(const Node *node) {
  return node->kind <= NODE_GO && node->kind != NODE_PAIR &&
         node->kind != NODE_PARAM && node->kind != NODE_SPREAD &&
         node->kind != NODE_NAMED;
}

static bool is_statement(const Node *node) {
  return node->kind >= NODE_BLOCK && node->kind < NODE_KIND_COUNT &&
         node->kind != NODE_CASE && node->kind != NODE_COMM;
}

static bool takes_label(const Node *node) {
  return node->kind == NODE_FOR || node->kind == NODE_FORIN ||
         node->kind == NODE_SWITCH || node->kind == NODE_SELECT;
}

static bool fits(const Node *node, char letter) {
  switch (letter) {
    case 'x':
    case 'X':
      return is_expression(node);
    case 'r':
      return is_expression(node) || node->kind == NODE_SPREAD ||
             node->kind == NODE_NAMED;
    case 'v':
      return is_expression(node) || node->kind == NODE_BLOCK;
    case 'n':
    case 'N':
      return node->kind == NODE_NAME;
    case 's':
    case 'S':
      return is_statement(node);
    case 'B':
      return node->kind == NODE_BLOCK;
    case 'e':
      return node->kind == NODE_BLOCK || node->kind == NODE_IF;
    case 'p':
    case 'P':
      return node->kind == NODE_PARAM;
    case 'm':
      return node->kind == NODE_PAIR;
    case 'c':
      return node->kind == NODE_CASE;
    case 'q':
      return node->kind == NODE_COMM;
    case 'f':
      return node->kind == NODE_FUNC;
    case 'k':
      return node->kind == NODE_CALL;
    case 't':
      return node->kind == NODE_CALL || node->kind == NODE_RECV;
    case 'T':
      return node->kind == NODE_NAME || node->kind == NODE_FIELD;
    case 'w':
      return (node->flags & FLAG_VALUE) != 0;
    case 'g':
      return takes_label(node);
    default:
      return letter == '.';
  }
}

static bool is_chain(char letter) { return strchr("XNrSPmcq", letter) != NULL; }

static bool chain_fits(const Node *node, char letter, bool may_lack) {
  if (letter == '.') return true;
  if (node == NULL) return may_lack || letter == '-';
  if (!is_chain(letter)) return node->next == NULL && fits(node, letter);
  while (node != NULL && fits(node, letter)) node = node->next;
  return node == NULL;
}

static const char *shape_of(NodeKind kind) {
  if (shapes[kind] == NULL) rt_throw("shape.c has no shape of node %d", kind);
  return shapes[kind];
}

bool node_has_chain(NodeKind kind, int child) {
  const char *letter = shape_of(kind);
  for (; child > 0; child--) letter += letter[1] == '?' ? 2 : 1;
  return is_chain(*letter);
}

bool node_is_valid(const Node *node) {
  if (node->kind >= NODE_KIND_COUNT) return false;
  const Node *const children[] = {node->a, node->b, node->c, node->d};
  const char *letter = shape_of((NodeKind)node->kind);
  for (int i = 0; i < 4; i++, letter++) {
    bool may_lack = letter[1] == '?';
    if (!chain_fits(children[i], *letter, may_lack)) return false;
    letter += may_lack;
  }
  return true;
}

bool name_is_blank(const Node *node) {
  return node->kind == NODE_NAME && node->name->len == 1 &&
         node->name->text[0] == '_';
}
