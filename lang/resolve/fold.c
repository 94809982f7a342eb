// SPDX-License-Identifier: MIT
// Constant folding on the tree: an operation on literals becomes a literal.
//
// Nothing changes but the time it takes: what would panic (overflow, division
// by zero, a shift by too much, wrong types) is left for the program to do.
#include "lang/resolve/fold.h"

#include <string.h>

#include "lang/arena.h"

enum { FOLDED_MAX = 4096 };  // longer joins are left to the program

bool fold_is_literal(const Node *node) {
  switch (node->kind) {
    case NODE_NIL:
    case NODE_TRUE:
    case NODE_FALSE:
    case NODE_INT:
    case NODE_FLOAT:
    case NODE_STRING:
      return true;
    default:
      return false;
  }
}

void fold_to_literal(Node *node, const Node *literal) {
  RT_ASSERT(fold_is_literal(literal));
  node->kind = literal->kind;
  node->op = literal->op;
  if (literal->kind == NODE_INT) node->i = literal->i;
  if (literal->kind == NODE_FLOAT) node->f = literal->f;
  if (literal->kind == NODE_STRING) node->str = literal->str;
}

static void become_int(Node *node, int64_t i) {
  node->kind = NODE_INT;
  node->i = i;
}

static void become_float(Node *node, double f) {
  node->kind = NODE_FLOAT;
  node->f = f;
}

static bool fold_shift(AstOp op, int64_t a, int64_t b, int64_t *out) {
  RT_ASSERT(op == AST_SHL || op == AST_SHR);
  if (b < 0 || b > 62) return false;
  *out = op == AST_SHL ? (int64_t)((uint64_t)a << b) : a >> b;
  return true;
}

static bool fold_int(AstOp op, int64_t a, int64_t b, int64_t *out) {
  switch (op) {
    case AST_ADD:
      return !__builtin_add_overflow(a, b, out);
    case AST_SUB:
      return !__builtin_sub_overflow(a, b, out);
    case AST_MUL:
      return !__builtin_mul_overflow(a, b, out);
    case AST_DIV:
      if (b == 0 || b == -1) return false;
      *out = a / b;
      return true;
    case AST_MOD:
      if (b == 0 || b == -1) return false;
      *out = a % b;
      return true;
    case AST_BAND:
      *out = a & b;
      return true;
    case AST_BOR:
      *out = a | b;
      return true;
    case AST_BXOR:
      *out = a ^ b;
      return true;
    case AST_SHL:
    case AST_SHR:
      return fold_shift(op, a, b, out);
    default:
      return false;
  }
}

static bool fold_float(AstOp op, double a, double b, double *out) {
  switch (op) {
    case AST_ADD:
      *out = a + b;
      return true;
    case AST_SUB:
      *out = a - b;
      return true;
    case AST_MUL:
      *out = a * b;
      return true;
    case AST_DIV:
      *out = a / b;
      return b != 0;
    default:
      return false;
  }
}

static bool is_number(const Node *node) {
  return node->kind == NODE_INT || node->kind == NODE_FLOAT;
}

static double number_of(const Node *node) {
  return node->kind == NODE_INT ? (double)node->i : node->f;
}

static void fold_strings(Compiler *compiler, Node *node) {
  AstStr a = node->a->str, b = node->b->str;
  if (node->op != AST_ADD || a.len + b.len > FOLDED_MAX) return;
  char *text = arena_alloc(compiler->arena, a.len + b.len + 1);
  memcpy(text, a.text, a.len);
  memcpy(text + a.len, b.text, b.len);
  node->kind = NODE_STRING;
  node->str = (AstStr){text, a.len + b.len};
}

static void fold_binary(Compiler *compiler, Node *node) {
  const Node *a = node->a, *b = node->b;
  int64_t i;
  double f;
  if (a->kind == NODE_INT && b->kind == NODE_INT) {
    if (fold_int(node->op, a->i, b->i, &i)) become_int(node, i);
  } else if (is_number(a) && is_number(b)) {
    if (fold_float(node->op, number_of(a), number_of(b), &f))
      become_float(node, f);
  } else if (a->kind == NODE_STRING && b->kind == NODE_STRING) {
    fold_strings(compiler, node);
  }
}

static void fold_unary(Node *node) {
  const Node *operand = node->a;
  if (node->op == AST_NEG && operand->kind == NODE_INT &&
      operand->i != INT64_MIN) {
    become_int(node, -operand->i);
  } else if (node->op == AST_NEG && operand->kind == NODE_FLOAT) {
    become_float(node, -operand->f);
  } else if (node->op == AST_BNOT && operand->kind == NODE_INT) {
    become_int(node, ~operand->i);
  } else if (node->op == AST_NOT && fold_is_literal(operand)) {
    bool truth = operand->kind != NODE_NIL && operand->kind != NODE_FALSE;
    node->kind = truth ? NODE_FALSE : NODE_TRUE;
  }
}

void fold(Compiler *compiler, Node *node) {
  if (node->a == NULL) return;
  if (node->kind == NODE_UNARY) fold_unary(node);
  if (node->kind == NODE_BINARY && node->b != NULL) fold_binary(compiler, node);
}
