// SPDX-License-Identifier: MIT
// Second pass, conditions: comparisons that jump, without a bool in between.
#include "lang/gen/condition.h"

#include <string.h>

#include "lang/gen/balance.h"
#include "lang/gen/emit.h"
#include "lang/gen/expr.h"
#include "lang/resolve/fold.h"

// A comparison ready to be emitted. It jumps when its outcome is `sense`.
typedef struct Compare {
  Op op;
  int a, b;
  bool negated;  // !=
  bool nil;      // NILJ: the wanted outcome stands in B
  bool turned;   // the operands stand the other way round in the source
} Compare;

static bool is_comparison(const Node *node) {
  return node->kind == NODE_BINARY && ast_compares(node->op);
}

bool condition_is(const Node *node) {
  if (node->kind == NODE_UNARY) return node->op == AST_NOT;
  if (node->kind != NODE_BINARY) return false;
  if (node->op == AST_AND || node->op == AST_OR)
    return condition_is(node->a) && condition_is(node->b);
  return is_comparison(node);
}

static bool is_leaf(const Node *node) {
  return node->kind == NODE_NAME || fold_is_literal(node);
}

bool condition_is_simple(const Node *node) {
  if (is_leaf(node)) return true;
  if (node->kind == NODE_UNARY && node->op == AST_NOT) return is_leaf(node->a);
  return is_comparison(node) && is_leaf(node->a) && is_leaf(node->b);
}

// --- Choosing the opcode ----------------------------------------------------
static bool small(const Node *node) {
  return node->kind == NODE_INT && node->i >= INT8_MIN && node->i <= INT8_MAX;
}

// A constant that may stand in B, or -1. Order is only among numbers.
static int short_constant(Compiler *compiler, const Node *node, bool order) {
  Value v;
  if (order && node->kind != NODE_INT && node->kind != NODE_FLOAT) return -1;
  if (!fold_is_literal(node) || !expr_constant(compiler, node, &v)) return -1;
  int index = emit_constant(compiler, v);
  return index <= 255 ? index : -1;
}

static const Order orders[] = {
    [AST_LT] = {OP_LT, false, OP_LTI, OP_LTK, AST_GT},
    [AST_LE] = {OP_LE, false, OP_LEI, OP_LEK, AST_GE},
    [AST_GT] = {OP_LT, true, OP_GTI, OP_GTK, AST_LT},
    [AST_GE] = {OP_LE, true, OP_GEI, OP_GEK, AST_LE},
};

const Order *condition_order(AstOp op) {
  RT_CHECK(op >= AST_LT && op <= AST_GE, "condition_order: operator %d",
           (int)op);
  return &orders[op];
}

static Compare equal_to(Compiler *compiler, int a, Node *right) {
  if (right->kind == NODE_NIL)
    return (Compare){.op = OP_NILJ, .a = a, .nil = true};
  if (small(right)) return (Compare){.op = OP_EQI, .a = a, .b = (int)right->i};
  int constant = short_constant(compiler, right, false);
  if (constant >= 0) return (Compare){.op = OP_EQK, .a = a, .b = constant};
  return (Compare){.op = OP_EQ, .a = a, .b = expr_any(compiler, right)};
}

static Compare order_to(Compiler *compiler, AstOp op, int a, Node *right) {
  const Order *order = condition_order(op);
  if (small(right))
    return (Compare){.op = order->small, .a = a, .b = (int)right->i};
  int constant = short_constant(compiler, right, true);
  if (constant >= 0)
    return (Compare){.op = order->constant, .a = a, .b = constant};
  int b = expr_any(compiler, right);
  return order->turned ? (Compare){.op = order->op, .a = b, .b = a}
                       : (Compare){.op = order->op, .a = a, .b = b};
}

// Evaluates the operands, which stay in their registers.
static Compare prepare_compare(Compiler *compiler, Node *node) {
  Node *left = node->a, *right = node->b;
  AstOp op = node->op;
  RT_ASSERT(is_comparison(node));
  bool turned = fold_is_literal(left) && !fold_is_literal(right);
  if (turned) {
    Node *swap = left;
    left = right;
    right = swap;
    if (op != AST_EQ && op != AST_NE) op = condition_order(op)->mirrored;
  }
  int a = expr_any(compiler, left);
  bool equal = op == AST_EQ || op == AST_NE;
  Compare compare =
      equal ? equal_to(compiler, a, right) : order_to(compiler, op, a, right);
  compare.negated = op == AST_NE;
  // At run time each order is computed as < or <= (compare_slow).
  compare.turned = turned != (!equal && condition_order(op)->turned);
  return compare;
}

static Instr instr_of(const Compare *compare, bool sense) {
  bool outcome = sense != compare->negated;
  RT_ASSERT(operands_fit(0, compare->b, 0) || compare->b > REGISTERS_MAX);
  if (compare->nil) return instr_abc(compare->op, compare->a, outcome, 0);
  return instr_abc(compare->op, compare->a, compare->b, outcome);
}

static void branch_on(Compiler *compiler, Pos pos, const Compare *compare,
                      bool sense, int *list) {
  emit_branch(compiler, pos, instr_of(compare, sense), list);
  if (compare->turned) emit_turned(compiler, compiler->func->gen.last);
}

// --- Jumping forward --------------------------------------------------------
static void jump_if_known(Compiler *compiler, const Node *node, bool sense,
                          int *list) {
  RT_ASSERT(fold_is_literal(node));
  bool truth = node->kind != NODE_NIL && node->kind != NODE_FALSE;
  if (truth == sense) emit_jump(compiler, node->pos, list);
}

static void jump_if_value(Compiler *compiler, Node *node, bool sense,
                          int *list) {
  int save = compiler->func->gen.top;
  int reg = expr_any(compiler, node);
  emit_branch(compiler, node->pos, instr_abc(OP_TEST, reg, sense, 0), list);
  reg_set(compiler, save);
}

// a && b is false as soon as one operand is, and a || b is true as soon as one
// is.
static void jump_if_both(Compiler *compiler, Node *node, bool sense,
                         int *list) {
  bool decides = node->op == AST_OR;
  RT_ASSERT(node->op == AST_OR || node->op == AST_AND);
  if (sense == decides) {
    condition_jump(compiler, node->a, sense, list);
    condition_jump(compiler, node->b, sense, list);
  } else {
    int past = NO_JUMP;
    condition_jump(compiler, node->a, decides, &past);
    condition_jump(compiler, node->b, sense, list);
    emit_patch(compiler, past);
  }
}

static void jump_if_compared(Compiler *compiler, Node *node, bool sense,
                             int *list) {
  int save = compiler->func->gen.top;
  Compare compare = prepare_compare(compiler, node);
  branch_on(compiler, node->pos, &compare, sense, list);
  reg_set(compiler, save);
}

void condition_jump(Compiler *compiler, Node *node, bool sense, int *list) {
  if (node->kind == NODE_UNARY && node->op == AST_NOT) {
    condition_jump(compiler, node->a, !sense, list);
  } else if (node->kind == NODE_BINARY &&
             (node->op == AST_AND || node->op == AST_OR)) {
    jump_if_both(compiler, node, sense, list);
  } else if (is_comparison(node)) {
    jump_if_compared(compiler, node, sense, list);
  } else if (fold_is_literal(node)) {
    jump_if_known(compiler, node, sense, list);
  } else {
    jump_if_value(compiler, node, sense, list);
  }
}

void condition_equal(Compiler *compiler, Pos pos, int subject, Node *node,
                     bool sense, int *list) {
  int save = compiler->func->gen.top;
  Compare compare = equal_to(compiler, subject, node);
  branch_on(compiler, pos, &compare, sense, list);
  reg_set(compiler, save);
}

// --- Jumping backward -------------------------------------------------------
static void back_if_compared(Compiler *compiler, Node *node, bool sense,
                             uint32_t to) {
  int save = compiler->func->gen.top, past = NO_JUMP;
  Compare compare = prepare_compare(compiler, node);
  Op op = op_backward(compare.op);
  if (op != OP_COUNT) {
    compare.op = op;
    emit_branch_back(compiler, node->pos, instr_of(&compare, sense), to);
    if (compare.turned) emit_turned(compiler, compiler->func->gen.last);
  } else {
    branch_on(compiler, node->pos, &compare, !sense, &past);
    emit_loop(compiler, node->pos, to);
    emit_patch(compiler, past);
  }
  reg_set(compiler, save);
}

void condition_back(Compiler *compiler, Node *node, bool sense, uint32_t to) {
  int past = NO_JUMP;
  if (node->kind == NODE_UNARY && node->op == AST_NOT) {
    condition_back(compiler, node->a, !sense, to);
  } else if (is_comparison(node)) {
    back_if_compared(compiler, node, sense, to);
  } else if (node->kind == NODE_BINARY && node->op == AST_AND && sense) {
    condition_jump(compiler, node->a, false, &past);
    condition_back(compiler, node->b, true, to);
    emit_patch(compiler, past);
  } else {
    condition_jump(compiler, node, !sense, &past);
    emit_loop(compiler, node->pos, to);
    emit_patch(compiler, past);
  }
}

// --- As a value -------------------------------------------------------------
static bool reads(const Compare *compare, int reg) {
  bool registers = strchr(op_kinds(compare->op), 'b') != NULL;
  return compare->a == reg || (registers && compare->b == reg);
}

// The answer is there before the jump, and made false after it.
static void compared_value(Compiler *compiler, Pos pos, const Compare *compare,
                           int target) {
  int end = NO_JUMP;
  emit_abc(compiler, pos, OP_LOADTRUE, target, 0, 0);
  branch_on(compiler, pos, compare, true, &end);
  emit_abc(compiler, pos, OP_LOADFALSE, target, 0, 0);
  emit_patch(compiler, end);
}

static void jumped_value(Compiler *compiler, Pos pos, int no, int target) {
  int end = NO_JUMP;
  emit_abc(compiler, pos, OP_LOADTRUE, target, 0, 0);
  emit_jump(compiler, pos, &end);
  emit_patch(compiler, no);
  emit_abc(compiler, pos, OP_LOADFALSE, target, 0, 0);
  emit_patch(compiler, end);
}

void condition_value(Compiler *compiler, Node *node, int target) {
  int save = compiler->func->gen.top, no = NO_JUMP;
  if (!is_comparison(node)) {
    condition_jump(compiler, node, false, &no);
    jumped_value(compiler, node->pos, no, target);
    return;
  }
  Compare compare = prepare_compare(compiler, node);
  if (reads(&compare, target)) {
    branch_on(compiler, node->pos, &compare, false, &no);
    jumped_value(compiler, node->pos, no, target);
  } else {
    compared_value(compiler, node->pos, &compare, target);
  }
  reg_set(compiler, save);
}
