// SPDX-License-Identifier: MIT
// Second pass, statements. Before and after each one `top` is the first
// register above the variables.
#include "lang/gen/stmt.h"
#include "lang/gen/assert.h"
#include "lang/gen/assign.h"
#include "lang/gen/balance.h"
#include "lang/gen/branch.h"
#include "lang/gen/calls.h"
#include "lang/gen/emit.h"
#include "lang/gen/expr.h"
#include "lang/gen/func.h"
#include "lang/gen/loop.h"

// --- Leaving ----------------------------------------------------------------
static Exit *find_exit(const Compiler *compiler, const Node *node) {
  Exit *exit = compiler->func->gen.exit;
  for (; exit != NULL; exit = exit->up) {
    if (exit->group) continue;
    if (node->name != NULL ? exit->label == node->name
                           : exit->loop || node->kind == NODE_BREAK)
      return exit;
  }
  return NULL;
}

static void leave(Compiler *compiler, const Node *node) {
  Exit *exit = find_exit(compiler, node);
  RT_CHECK(exit != NULL, "nothing around it to leave (line %u)",
           node->pos.line);
  branch_leave_groups(compiler, node->pos, exit);
  emit_jump(compiler, node->pos,
            node->kind == NODE_BREAK ? &exit->breaks : &exit->continues);
}

static void return_values(Compiler *compiler, Node *node) {
  Node *value = node->a;
  int save = compiler->func->gen.top, count = 0;
  bool result = (node->flags & NOTE_RESULT) != 0;
  if (value == NULL || (result && assert_stmt(compiler, value))) {
    calls_return_none(compiler, node->pos);
  } else if (value->next == NULL && value->kind == NODE_CALL) {
    calls_return_all(compiler, node->pos, value);
  } else if (value->kind == NODE_RECV && result) {
    int from = expr_any(compiler, value->a);
    reg_need(compiler, compiler->func->gen.top + 2);
    emit_abc(compiler, value->pos, OP_RECV, compiler->func->gen.top, from,
             WANT_ALL);
    calls_return_multi(compiler, node->pos, compiler->func->gen.top);
  } else if (value->next == NULL) {
    calls_return_one(compiler, node->pos, value, expr_any(compiler, value));
  } else {
    for (; value != NULL; value = value->next, count++)
      expr_next(compiler, value);
    RT_ASSERT(compiler->func->gen.top == save + count);
    calls_return(compiler, node->pos, save, count);
  }
  reg_set(compiler, save);
}

// --- The others -------------------------------------------------------------
static void gen_send(Compiler *compiler, Node *node) {
  int save = compiler->func->gen.top;
  int channel = expr_any(compiler, node->a);
  int value = expr_any(compiler, node->b);
  emit_abc(compiler, node->pos, OP_SEND, channel, value, 0);
  reg_set(compiler, save);
}

static void run_module(Compiler *compiler, Node *node) {
  const Symbol *symbol = node->note;
  if (symbol == NULL || !value_is_type(symbol->value, OBJ_MODULE)) return;
  if (((ObjModule *)value_obj(symbol->value))->main == NULL) return;
  int window = compiler->func->gen.top;
  reg_need(compiler, window + 3);
  emit_abx(compiler, node->pos, OP_RUNMOD, window,
           emit_constant(compiler, symbol->value));
}

static void func_stmt(Compiler *compiler, Node *node) {
  const Func *func = node->a->note;
  bool top = func->self != NULL || func->receiver != NULL;
  RT_ASSERT(top || func->parent == compiler->func);
  if (!top) func_local(compiler, node);
}

static void struct_stmt(Compiler *compiler, Node *node) {
  const Func *constructor = node->note;
  if (constructor->proto == NULL) struct_local(compiler, node);
}

static void breakable(Compiler *compiler, Node *node, const AstStr *label) {
  switch (node->kind) {
    case NODE_FOR:
      loop_for(compiler, node, label);
      break;
    case NODE_FORIN:
      loop_for_in(compiler, node, label);
      break;
    case NODE_SWITCH:
      branch_switch(compiler, node, label);
      break;
    case NODE_SELECT:
      branch_select(compiler, node, label);
      break;
    default:
      rt_throw("breakable: node of kind %d", (int)node->kind);
  }
}

void stmt(Compiler *compiler, Node *node) {
  switch (node->kind) {
    case NODE_BLOCK:
      stmt_block(compiler, node);
      break;
    case NODE_EXPR:
      if (!assert_stmt(compiler, node->a)) expr_discard(compiler, node->a);
      break;
    case NODE_GIVE:
      expr_to(compiler, node->a, compiler->func->gen.give);
      break;
    case NODE_DEFINE:
    case NODE_VAR:
    case NODE_CONST:
      assign_define(compiler, node);
      break;
    case NODE_ASSIGN:
      assign_stmt(compiler, node);
      break;
    case NODE_INCDEC:
      assign_incdec(compiler, node);
      break;
    case NODE_SEND:
      gen_send(compiler, node);
      break;
    case NODE_DEFER:
      calls_at(compiler, node->a, compiler->func->gen.top, 0, CALL_DEFER);
      break;
    case NODE_RETURN:
      return_values(compiler, node);
      break;
    case NODE_BREAK:
    case NODE_CONTINUE:
      leave(compiler, node);
      break;
    case NODE_IF:
      branch_if(compiler, node);
      break;
    case NODE_GROUP:
      if (node->flags & FLAG_VALUE)
        branch_give_group(compiler, node);
      else
        branch_group(compiler, node);
      break;
    case NODE_LABELED:
      breakable(compiler, node->a, node->name);
      break;
    case NODE_STRUCT:
      struct_stmt(compiler, node);
      break;
    case NODE_FUNCDECL:
      func_stmt(compiler, node);
      break;
    case NODE_IMPORT:
      run_module(compiler, node);
      break;
    case NODE_FOR:
    case NODE_FORIN:
    case NODE_SWITCH:
    case NODE_SELECT:
      breakable(compiler, node, NULL);
      break;
    default:
      rt_throw("stmt: node of kind %d", (int)node->kind);
  }
  RT_ASSERT(registers_are_balanced(compiler->func));
}

void stmt_list(Compiler *compiler, Node *stmts) {
  for (Node *node = stmts; node != NULL; node = node->next) {
    if (compile_gives_up(compiler) || compiler->func->gen.too_complex) return;
    stmt(compiler, node);
  }
}

void stmt_block(Compiler *compiler, Node *block) {
  int top = compiler->func->gen.top, active = compiler->func->gen.active;
  RT_ASSERT(block->kind == NODE_BLOCK);
  stmt_list(compiler, block->a);
  RT_ASSERT(compiler->func->gen.top >= top &&
            compiler->func->gen.active >= active);
  reg_leave(compiler, top, active);
}
