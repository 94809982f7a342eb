// SPDX-License-Identifier: MIT
// Second pass: `assert` of a comparison, as a statement. Both values are kept,
// so that a failure can show them; when it holds nothing is called.
//
// The window of the call that is made when it fails lies there before: at w+2
// the function, from w+3 the operator as text, the left, the right value.
#include "lang/gen/assert.h"

#include <string.h>

#include "lang/arena.h"
#include "lang/gen/condition.h"
#include "lang/gen/emit.h"
#include "lang/gen/expr.h"
#include "lang/resolve/scope.h"
#include "vm/interp/method_tables.h"

enum { LEFT_AT = 4, RIGHT_AT = 5, WINDOW_AT = 6 };

static bool is_predeclared(const Node *call, const char *name) {
  const Symbol *symbol = expr_symbol(call->a);
  return symbol != NULL && symbol->predeclared && name_is(symbol->name, name);
}

static bool is_plain(const Node *argument) {
  return argument->kind != NODE_SPREAD && argument->kind != NODE_NAMED;
}

static bool is_equal_call(const Node *node) {
  if (node->kind != NODE_CALL || !is_predeclared(node, "equal")) return false;
  const Node *left = node->b, *right = left != NULL ? left->next : NULL;
  return right != NULL && right->next == NULL && is_plain(left) &&
         is_plain(right);
}

static bool is_shown(const Node *node) {
  if (node->kind != NODE_BINARY) return is_equal_call(node);
  return ast_compares(node->op) || node->op == AST_IN;
}

// Both values are in place: jumps when the condition holds.
static void jump_if_holds(Compiler *compiler, const Node *node, int w,
                          int *list) {
  int left = w + LEFT_AT, right = w + RIGHT_AT, test = w + WINDOW_AT;
  Pos pos = node->pos;
  bool is_not = node->op == AST_NE;
  if (node->kind == NODE_CALL) {
    emit_load(compiler, pos, test + 2, expr_symbol(node->a)->value);
    emit_abc(compiler, pos, OP_MOVE, test + 3, left, 0);
    emit_abc(compiler, pos, OP_MOVE, test + 4, right, 0);
    emit_abc(compiler, pos, OP_CALL, test, 2, 1);
    emit_branch(compiler, pos, instr_abc(OP_TEST, test, true, 0), list);
  } else if (node->op == AST_IN) {
    emit_abc(compiler, pos, OP_IN, test, left, right);
    emit_branch(compiler, pos, instr_abc(OP_TEST, test, true, 0), list);
  } else if (node->op == AST_EQ || is_not) {
    emit_branch(compiler, pos, instr_abc(OP_EQ, left, right, !is_not), list);
  } else {
    const Order *order = condition_order(node->op);
    int a = order->turned ? right : left, b = order->turned ? left : right;
    emit_branch(compiler, pos, instr_abc(order->op, a, b, true), list);
    if (order->turned) emit_turned(compiler, compiler->func->gen.last);
  }
}

bool assert_stmt(Compiler *compiler, Node *call) {
  Node *condition = call->kind == NODE_CALL ? call->b : NULL;
  if (condition == NULL || condition->next != NULL || !is_shown(condition) ||
      !is_predeclared(call, "assert"))
    return false;
  bool equal = condition->kind == NODE_CALL;
  int w = compiler->func->gen.top, holds = NO_JUMP;
  reg_set(compiler, w + LEFT_AT);
  expr_next(compiler, equal ? condition->b : condition->a);
  expr_next(compiler, equal ? condition->b->next : condition->b);
  RT_ASSERT(compiler->func->gen.top == w + WINDOW_AT);
  reg_need(compiler, w + WINDOW_AT + (equal ? 5 : 1));
  jump_if_holds(compiler, condition, w, &holds);
  const char *op = equal ? "equal" : ast_op_text(condition->op);
  const AstStr *text = arena_intern(compiler->arena, op, strlen(op));
  Value failed = vm_builtin(compiler->local, "_assert_failed");
  if (failed == VALUE_UNDEF) compiler->no_memory = true;
  emit_load(compiler, call->pos, w + 2, failed);
  emit_load(compiler, call->pos, w + 3,
            value_from_obj(name_string(compiler, text)));
  emit_abc(compiler, call->pos, OP_CALL, w, 3, 0);
  emit_patch(compiler, holds);
  reg_set(compiler, w);
  return true;
}
