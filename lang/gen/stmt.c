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
static Exit *find_exit(const Compiler *c, const Node *node) {
  Exit *exit = c->func->gen.exit;
  for (; exit != NULL; exit = exit->up) {
    if (exit->group) continue;
    if (node->name != NULL ? exit->label == node->name
                           : exit->loop || node->kind == NODE_BREAK)
      return exit;
  }
  return NULL;
}

static void leave(Compiler *c, const Node *node) {
  Exit *exit = find_exit(c, node);
  RT_CHECK(exit != NULL, "nothing around it to leave (line %u)",
           node->pos.line);
  branch_leave_groups(c, node->pos, exit);
  emit_jump(c, node->pos,
            node->kind == NODE_BREAK ? &exit->breaks : &exit->continues);
}

static void return_values(Compiler *c, Node *node) {
  Node *value = node->a;
  int save = c->func->gen.top, count = 0;
  if (value == NULL) {
    calls_return(c, node->pos, 0, 0);
  } else if (value->next == NULL && value->kind == NODE_CALL) {
    calls_return_all(c, node->pos, value);
  } else if (value->kind == NODE_RECV && (node->flags & NOTE_RESULT)) {
    int from = expr_any(c, value->a);
    reg_need(c, c->func->gen.top + 2);
    emit_abc(c, value->pos, OP_RECV, c->func->gen.top, from, WANT_ALL);
    calls_return_multi(c, node->pos, c->func->gen.top);
  } else if (value->next == NULL) {
    int reg = expr_any(c, value);
    calls_return(c, node->pos, reg, 1);
  } else {
    for (; value != NULL; value = value->next, count++) expr_next(c, value);
    RT_ASSERT(c->func->gen.top == save + count);
    calls_return(c, node->pos, save, count);
  }
  reg_set(c, save);
}

// --- The others -------------------------------------------------------------
static void send(Compiler *c, Node *node) {
  int save = c->func->gen.top;
  int channel = expr_any(c, node->a);
  int value = expr_any(c, node->b);
  emit_abc(c, node->pos, OP_SEND, channel, value, 0);
  reg_set(c, save);
}

static void run_module(Compiler *c, Node *node) {
  const Symbol *symbol = node->note;
  if (symbol == NULL || !value_is_type(symbol->value, OBJ_MODULE)) return;
  if (((ObjModule *)value_obj(symbol->value))->main == NULL) return;
  int window = c->func->gen.top;
  reg_need(c, window + 3);
  emit_abx(c, node->pos, OP_RUNMOD, window, emit_constant(c, symbol->value));
}

static void func_stmt(Compiler *c, Node *node) {
  const Func *func = node->a->note;
  bool top = func->self != NULL || func->receiver != NULL;
  RT_ASSERT(top || func->parent == c->func);
  if (!top) func_local(c, node);
}

static void struct_stmt(Compiler *c, Node *node) {
  const Func *constructor = node->note;
  if (constructor->proto == NULL) struct_local(c, node);
}

static void breakable(Compiler *c, Node *node, const AstStr *label) {
  switch (node->kind) {
    case NODE_FOR:
      loop_for(c, node, label);
      break;
    case NODE_FORIN:
      loop_for_in(c, node, label);
      break;
    case NODE_SWITCH:
      branch_switch(c, node, label);
      break;
    case NODE_SELECT:
      branch_select(c, node, label);
      break;
    default:
      rt_throw("breakable: node of kind %d", (int)node->kind);
  }
}

void stmt(Compiler *c, Node *node) {
  switch (node->kind) {
    case NODE_BLOCK:
      stmt_block(c, node);
      break;
    case NODE_EXPR:
      if (!assert_stmt(c, node->a)) expr_discard(c, node->a);
      break;
    case NODE_DEFINE:
    case NODE_VAR:
    case NODE_CONST:
      assign_define(c, node);
      break;
    case NODE_ASSIGN:
      assign_stmt(c, node);
      break;
    case NODE_INCDEC:
      assign_incdec(c, node);
      break;
    case NODE_SEND:
      send(c, node);
      break;
    case NODE_DEFER:
      calls_at(c, node->a, c->func->gen.top, 0, CALL_DEFER);
      break;
    case NODE_RETURN:
      return_values(c, node);
      break;
    case NODE_BREAK:
    case NODE_CONTINUE:
      leave(c, node);
      break;
    case NODE_IF:
      branch_if(c, node);
      break;
    case NODE_GROUP:
      branch_group(c, node);
      break;
    case NODE_LABELED:
      breakable(c, node->a, node->name);
      break;
    case NODE_STRUCT:
      struct_stmt(c, node);
      break;
    case NODE_FUNCDECL:
      func_stmt(c, node);
      break;
    case NODE_IMPORT:
      run_module(c, node);
      break;
    case NODE_FOR:
    case NODE_FORIN:
    case NODE_SWITCH:
    case NODE_SELECT:
      breakable(c, node, NULL);
      break;
    default:
      rt_throw("stmt: node of kind %d", (int)node->kind);
  }
  RT_ASSERT(registers_are_balanced(c->func));
}

void stmt_list(Compiler *c, Node *stmts) {
  for (Node *node = stmts; node != NULL; node = node->next) {
    if (compile_gives_up(c) || c->func->gen.too_complex) return;
    stmt(c, node);
  }
}

void stmt_block(Compiler *c, Node *block) {
  int top = c->func->gen.top, active = c->func->gen.active;
  RT_ASSERT(block->kind == NODE_BLOCK);
  stmt_list(c, block->a);
  RT_ASSERT(c->func->gen.top >= top && c->func->gen.active >= active);
  reg_set(c, top);
  c->func->gen.active = active;
}
