// SPDX-License-Identifier: MIT
// Second pass, loops. The condition stands at the bottom, fused with the jump
// back, which counts a safepoint; a simple one is tested once more on entry,
// for a complex one the entry jumps to the bottom.
#include "lang/gen/loop.h"
#include "lang/gen/assign.h"
#include "lang/gen/balance.h"
#include "lang/gen/condition.h"
#include "lang/gen/emit.h"
#include "lang/gen/expr.h"
#include "lang/gen/stmt.h"
#include "lang/resolve/scope.h"
#include "lang/shape.h"

enum { ITER_REGISTERS = 6 };

void exit_push(Compiler *compiler, Exit *exit, const AstStr *label, bool loop) {
  RT_ASSERT(compiler->func->gen.exit != exit);
  *exit = (Exit){.up = compiler->func->gen.exit,
                 .label = label,
                 .loop = loop,
                 .breaks = NO_JUMP,
                 .continues = NO_JUMP};
  compiler->func->gen.exit = exit;
}

void exit_pop(Compiler *compiler) {
  RT_ASSERT(compiler->func->gen.exit != NULL);
  emit_patch(compiler, compiler->func->gen.exit->breaks);
  compiler->func->gen.exit = compiler->func->gen.exit->up;
}

static int hidden_register(Compiler *compiler) {
  int reg = reg_take(compiler, 1);
  compiler->func->gen.active = compiler->func->gen.top;
  return reg;
}

// --- for i := a; i < b; i++ -------------------------------------------------
static bool adds_one(const Node *post, const Symbol *variable) {
  if (post == NULL || post->a == NULL || post->a->kind != NODE_NAME ||
      post->a->note != variable || post->op != AST_ADD)
    return false;
  if (post->kind == NODE_INCDEC) return true;
  return post->kind == NODE_ASSIGN && post->b->kind == NODE_INT &&
         post->b->i == 1;
}

// INCLT does the end of this loop: i and the limit are registers.
static bool is_counted(const Compiler *compiler, const Node *node) {
  const Node *condition = node->b;
  if (condition == NULL || condition->kind != NODE_BINARY ||
      condition->op != AST_LT)
    return false;
  const Node *variable = condition->a, *limit = condition->b;
  if (expr_register(compiler, variable) < 0) return false;
  if (limit->kind != NODE_INT && expr_register(compiler, limit) < 0)
    return false;
  return limit->note != variable->note && adds_one(node->c, variable->note);
}

// Both ends are literals, and the first turn is sure.
static bool surely_enters(const Node *node) {
  const Node *init = node->a, *limit = node->b->b;
  if (limit->kind != NODE_INT || init == NULL || init->kind != NODE_DEFINE)
    return false;
  if (init->a->next != NULL || init->a->note != node->b->a->note) return false;
  return init->b->kind == NODE_INT && init->b->i < limit->i;
}

static void counted_loop(Compiler *compiler, Node *node, const AstStr *label) {
  Exit exit;
  Node *limit = node->b->b;
  int variable = expr_register(compiler, node->b->a);
  int end = expr_register(compiler, limit);
  exit_push(compiler, &exit, label, true);
  if (!surely_enters(node))
    condition_jump(compiler, node->b, false, &exit.breaks);
  if (end < 0) {
    end = hidden_register(compiler);
    expr_to(compiler, limit, end);
  }
  RT_ASSERT(variable >= 0 && variable < compiler->func->gen.active);
  uint32_t top = emit_here(compiler);
  stmt_block(compiler, node->d);
  RT_ASSERT(compiler->func->gen.exit == &exit &&
            registers_are_balanced(compiler->func));
  emit_patch(compiler, exit.continues);
  emit_branch_back(compiler, node->b->pos,
                   instr_abc(OP_INCLT, variable, end, 0), top);
  exit_pop(compiler);
}

// --- for init; condition; post ----------------------------------------------
// Each turn has its own variables: closures keep the old cell.
static void renew_cells(Compiler *compiler, const Node *init) {
  if (init == NULL || init->kind != NODE_DEFINE) return;
  for (const Node *name = init->a; name != NULL; name = name->next) {
    const Symbol *symbol = name->note;
    if (!(name->flags & NOTE_NEW) || !symbol_in_cell(symbol)) continue;
    int work = compiler->func->gen.top;
    reg_need(compiler, work + 1);
    emit_abc(compiler, name->pos, OP_GETCELL, work, symbol->reg, 0);
    emit_abc(compiler, name->pos, OP_NEWCELL, symbol->reg, work, 0);
  }
}

static bool is_forever(const Node *condition) {
  return condition == NULL || condition->kind == NODE_TRUE;
}

static void general_loop(Compiler *compiler, Node *node, const AstStr *label) {
  Exit exit;
  int test = NO_JUMP;
  bool forever = is_forever(node->b);
  exit_push(compiler, &exit, label, true);
  if (!forever && condition_is_simple(node->b)) {
    condition_jump(compiler, node->b, false, &exit.breaks);
  } else if (!forever) {
    emit_jump(compiler, node->pos, &test);
  }
  uint32_t top = emit_here(compiler);
  stmt_block(compiler, node->d);
  RT_ASSERT(compiler->func->gen.exit == &exit);
  emit_patch(compiler, exit.continues);
  renew_cells(compiler, node->a);
  if (node->c != NULL) stmt(compiler, node->c);
  emit_patch(compiler, test);
  if (forever) {
    emit_loop(compiler, node->pos, top);
  } else {
    condition_back(compiler, node->b, true, top);
  }
  exit_pop(compiler);
}

void loop_for(Compiler *compiler, Node *node, const AstStr *label) {
  int top = compiler->func->gen.top, active = compiler->func->gen.active;
  if (node->a != NULL) stmt(compiler, node->a);
  if (is_counted(compiler, node)) {
    counted_loop(compiler, node, label);
  } else {
    general_loop(compiler, node, label);
  }
  RT_ASSERT(compiler->func->gen.top >= top &&
            compiler->func->gen.active >= active);
  reg_leave(compiler, top, active);
}

// --- for k, v in x ----------------------------------------------------------
static void bind_names(Compiler *compiler, Node *names, int reg) {
  for (Node *name = names; name != NULL; name = name->next, reg++) {
    if (!name_is_blank(name)) assign_bind(compiler, name->pos, name->note, reg);
  }
}

void loop_for_in(Compiler *compiler, Node *node, const AstStr *label) {
  Exit exit;
  int top = compiler->func->gen.top, active = compiler->func->gen.active,
      bottom = NO_JUMP;
  bool apart = node->flags & FLAG_APART;
  bool two = node->a->next != NULL && !apart;
  int names = count_nodes(node->a);
  int source = expr_any(compiler, node->b);
  int variables = top + ITER_REGISTERS;
  reg_set(compiler, variables + names);
  compiler->func->gen.active = compiler->func->gen.top;
  bool unnamed = expr_register(compiler, node->b) < 0;
  emit_abc(compiler, node->b->pos, OP_ITER, top, source, unnamed);
  exit_push(compiler, &exit, label, true);
  emit_jump(compiler, node->pos, &bottom);
  uint32_t start = emit_here(compiler);
  if (apart)
    emit_abc(compiler, node->pos, OP_APART, variables, variables, names);
  bind_names(compiler, node->a, variables);
  stmt_block(compiler, node->d);
  RT_ASSERT(compiler->func->gen.exit == &exit);
  RT_ASSERT(compiler->func->gen.top == variables + names);
  emit_patch(compiler, exit.continues);
  emit_patch(compiler, bottom);
  emit_branch_back(compiler, node->b->pos,
                   instr_abc(two ? OP_NEXT2 : OP_NEXT1, top, variables, 0),
                   start);
  exit_pop(compiler);
  reg_leave(compiler, top, active);
}
