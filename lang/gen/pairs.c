// SPDX-License-Identifier: MIT
// Second pass, two operations in one instruction: a product and a sum, two
// sums, an exclusive or with a shift, a wrapping product and sum. The number
// between the two operations is then neither packed nor boxed.
//
// The operation that comes first has the opcode's place, the other the second
// word's. The third operand is read with the first two. That changes nothing
// where it is a local on the right that no operand assigns (expr_steady), or a
// number, which is a constant of the function.
#include "lang/gen/pairs.h"
#include "lang/gen/emit.h"
#include "lang/gen/expr.h"
#include "lang/resolve/fold.h"

static bool is_binary_op(const Node *node, AstOp op) {
  return node->kind == NODE_BINARY && node->op == op && !fold_is_literal(node);
}

static bool is_sum(AstOp op) { return op == AST_ADD || op == AST_SUB; }

// Emits both: the operation `first`, and at pos the second, whose other operand
// is the word z.
static void emit_pair(Compiler *compiler, Pos pos, Op op, int target,
                      const Node *first, int z) {
  int save = compiler->func->gen.top;
  int a = expr_any(compiler, first->a), b = expr_any(compiler, first->b);
  emit_abc(compiler, first->pos, op, target, a, b);
  RT_ASSERT(z >= 0);
  emit_extra(compiler, pos, (Instr)z);
  reg_set(compiler, save);
}

// --- Products ---------------------------------------------------------------
static bool is_product(const Node *node) {
  return is_binary_op(node, AST_MUL) && !fold_is_literal(node->a) &&
         !fold_is_literal(node->b);
}

// b *% c +% third
static bool muladdw_to(Compiler *compiler, Pos pos, int target, Node *product,
                       int third) {
  if (!is_binary_op(product, AST_MULW) || fold_is_literal(product->a))
    return false;
  int k = expr_number(compiler, product->b);
  if (k < 0) {
    emit_pair(compiler, pos, OP_MULADDW, target, product, third);
    return true;
  }
  int save = compiler->func->gen.top;
  int a = expr_any(compiler, product->a);
  emit_abc(compiler, product->pos, OP_MULKADDW, target, a, k);
  emit_extra(compiler, pos, (Instr)third);
  reg_set(compiler, save);
  return true;
}

// --- Sums -------------------------------------------------------------------
static bool is_plain_sum(const Node *node) {
  return (is_binary_op(node, AST_ADD) || is_binary_op(node, AST_SUB)) &&
         !fold_is_literal(node->a) && !fold_is_literal(node->b) &&
         !is_product(node->a) && !is_product(node->b);
}

// --- Shifts -----------------------------------------------------------------
// Whether node is y << n, y >> n or y >> n & mask, where the mask leaves what
// came from y; the opcode for x ^ node.
static bool is_shift(const Node *node, Op *op, const Node **shift) {
  bool masked = is_binary_op(node, AST_BAND) && node->b->kind == NODE_INT;
  *shift = masked ? node->a : node;
  if (!is_binary_op(*shift, AST_SHR) && !is_binary_op(*shift, AST_SHL))
    return false;
  const Node *count = (*shift)->b;
  if (fold_is_literal((*shift)->a) || !expr_fits_small((*shift)->op, count))
    return false;
  *op = (*shift)->op == AST_SHL ? OP_XORSHL : OP_XORSHR;
  if (!masked) return true;
  bool zeros =
      *op == OP_XORSHR && (uint64_t)node->b->i == UINT64_MAX >> count->i;
  *op = OP_XORSHRL;
  return zeros;
}

static bool xor_shift_to(Compiler *compiler, Pos pos, int target, int left,
                         Node *right) {
  Op op;
  const Node *shift;
  if (!is_shift(right, &op, &shift)) return false;
  int save = compiler->func->gen.top;
  RT_ASSERT(shift->b->i >= 0 && shift->b->i <= 63);
  int y = expr_any(compiler, shift->a);
  emit_abc(compiler, shift->pos, op, target, left, y);
  emit_extra(compiler, pos, (Instr)shift->b->i);
  reg_set(compiler, save);
  return true;
}

// --- What to look for -------------------------------------------------------
bool pair_with(Compiler *compiler, Pos pos, AstOp op, int target, int left,
               Node *right) {
  if (is_sum(op) && is_product(right)) {
    bool turned = op == AST_SUB;  // (the sum's operands may be exchanged)
    Op both = op_fuse(OP_MUL, expr_op(op), turned, false);
    emit_pair(compiler, pos, both, target, right, left);
    if (op == AST_ADD) emit_turned(compiler, compiler->func->gen.ncode - 1);
    return true;
  }
  if (op == AST_BXOR) return xor_shift_to(compiler, pos, target, left, right);
  if (op != AST_ADDW || !muladdw_to(compiler, pos, target, right, left))
    return false;
  emit_turned(compiler, compiler->func->gen.ncode - 1);
  return true;
}

bool pair_to(Compiler *compiler, Node *node, int target) {
  Node *left = node->a;
  int third = expr_steady(compiler, node->b);
  if (node->op == AST_ADDW && third >= 0)
    return muladdw_to(compiler, node->pos, target, left, third);
  if (!is_sum(node->op) || !(is_product(left) || is_plain_sum(left)))
    return false;
  bool number = third < 0;
  if (number) third = expr_number(compiler, node->b);
  if (third < 0) return false;
  Op op = op_fuse(expr_op(left->op), expr_op(node->op), false, number);
  emit_pair(compiler, node->pos, op, target, left, third);
  return true;
}
