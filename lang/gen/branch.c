// SPDX-License-Identifier: MIT
// Second pass: if, switch, select, group.
#include "lang/gen/branch.h"
#include "lang/gen/assign.h"
#include "lang/gen/balance.h"
#include "lang/gen/condition.h"
#include "lang/gen/emit.h"
#include "lang/gen/expr.h"
#include "lang/gen/loop.h"
#include "lang/gen/stmt.h"
#include "lang/resolve/scope.h"
#include "lang/shape.h"
#include "vm/interp/method_tables.h"

// --- if ---------------------------------------------------------------------
void branch_if(Compiler *compiler, Node *node) {
  int top = compiler->func->gen.top, active = compiler->func->gen.active,
      end = NO_JUMP;
  while (node != NULL && node->kind == NODE_IF) {
    int no = NO_JUMP;
    if (node->a != NULL) stmt(compiler, node->a);
    condition_jump(compiler, node->b, false, &no);
    stmt_block(compiler, node->c);
    if (node->d != NULL && emit_reachable(compiler))
      emit_jump(compiler, node->c->end, &end);
    emit_patch(compiler, no);
    node = node->d;
  }
  if (node != NULL) stmt_block(compiler, node);
  RT_ASSERT(compiler->func->gen.top >= top &&
            compiler->func->gen.active >= active);
  emit_patch(compiler, end);
  reg_leave(compiler, top, active);
}

// --- switch -----------------------------------------------------------------
// Jumps if the case's value matches: to the body, or if not, past it.
static void test_case(Compiler *compiler, Node *value, int subject, bool sense,
                      int *list) {
  if (subject < 0) {
    condition_jump(compiler, value, sense, list);
    return;
  }
  if (value->kind != NODE_IS || value->a != NULL) {
    condition_equal(compiler, value->pos, subject, value, sense, list);
    return;
  }
  const Symbol *type = expr_symbol(value->b);
  int constant = type != NULL ? emit_constant(compiler, type->value)
                              : emit_name(compiler, value->b->name);
  int answer = compiler->func->gen.top;
  reg_need(compiler, answer + 1);
  emit_abc(compiler, value->pos, OP_IS, answer, subject, 0);
  emit_word(compiler, (Instr)constant);
  emit_branch(compiler, value->pos, instr_abc(OP_TEST, answer, sense, 0), list);
}

static void one_case(Compiler *compiler, Node *node, int subject, bool at_end,
                     int *end) {
  int body = NO_JUMP, next = NO_JUMP;
  for (Node *value = node->a; value != NULL; value = value->next) {
    bool last = value->next == NULL;
    test_case(compiler, value, subject, !last, last ? &next : &body);
  }
  emit_patch(compiler, body);
  stmt_block(compiler, node->b);
  if (!at_end && emit_reachable(compiler)) emit_jump(compiler, node->pos, end);
  emit_patch(compiler, next);
}

static Node *find_default(Node *cases) {
  for (Node *one = cases; one != NULL; one = one->next) {
    if (one->a == NULL) return one;
  }
  return NULL;
}

// Of a switch that has to give a value: panics.
static void no_case(Compiler *compiler, Pos pos, int subject) {
  int w = compiler->func->gen.top, count = subject >= 0;
  Value fails = vm_builtin(compiler->local, "_no_case");
  if (fails == VALUE_UNDEF) compiler->no_memory = true;
  reg_need(compiler, w + 4);
  emit_load(compiler, pos, w + 2, fails);
  if (count > 0) emit_abc(compiler, pos, OP_MOVE, w + 3, subject, 0);
  emit_abc(compiler, pos, OP_CALL, w, count, 0);
}

void branch_switch(Compiler *compiler, Node *node, const AstStr *label) {
  int top = compiler->func->gen.top, active = compiler->func->gen.active,
      subject = -1;
  bool may_fail = (node->flags & FLAG_VALUE) && find_default(node->c) == NULL;
  Exit exit;
  Node *otherwise = find_default(node->c);
  if (node->a != NULL) stmt(compiler, node->a);
  if (node->b != NULL) subject = expr_any(compiler, node->b);
  compiler->func->gen.active = compiler->func->gen.top;
  exit_push(compiler, &exit, label, false);
  for (Node *one = node->c; one != NULL; one = one->next) {
    bool at_end = one->next == NULL && otherwise == NULL && !may_fail;
    if (one->a != NULL) one_case(compiler, one, subject, at_end, &exit.breaks);
  }
  if (otherwise != NULL) stmt_block(compiler, otherwise->b);
  if (may_fail) no_case(compiler, node->pos, subject);
  RT_ASSERT(compiler->func->gen.exit == &exit &&
            registers_are_balanced(compiler->func));
  exit_pop(compiler);
  reg_leave(compiler, top, active);
}

// --- select -----------------------------------------------------------------
enum { OUTCOME = 3, HAS_DEFAULT = 1, IN_ORDER = 2 };

static Node *received_from(const Node *comm) {
  return comm->a->kind == NODE_EXPR ? comm->a->a : comm->a->b;
}

// Channel and value (undef: receive) of a case into two registers.
static void take_case(Compiler *compiler, const Node *comm) {
  Node *what = comm->a;
  if (what->kind == NODE_SEND) {
    expr_next(compiler, what->a);
    expr_next(compiler, what->b);
  } else {
    RT_ASSERT(received_from(comm)->kind == NODE_RECV);
    expr_next(compiler, received_from(comm)->a);
    emit_abc(compiler, what->pos, OP_LOADUNDEF, reg_take(compiler, 1), 0, 0);
  }
}

// What was received, from the outcome at `from`, to where the case wants it.
static void take_outcome(Compiler *compiler, const Node *comm, int from) {
  Node *what = comm->a;
  if (what->kind == NODE_SEND) return;
  if (what->kind == NODE_EXPR) {
    emit_abc(compiler, what->a->pos, OP_SELVAL, from, from, 0);
    return;
  }
  RT_ASSERT(what->kind == NODE_DEFINE || what->kind == NODE_ASSIGN);
  int count = 0;
  for (const Node *name = what->a; name != NULL; name = name->next) count++;
  if (count == 1 && name_is_blank(what->a)) {
    emit_abc(compiler, what->b->pos, OP_SELVAL, from, from, WANT_DROP);
    return;
  }
  int first = reg_take(compiler, count);
  emit_abc(compiler, what->b->pos, OP_SELVAL, first, from, count);
  if (what->kind == NODE_DEFINE) {
    assign_names(compiler, what->a, first);
  } else {
    assign_targets(compiler, what->a, first);
    reg_set(compiler, first);
  }
}

static void case_body(Compiler *compiler, const Node *comm, int from) {
  int top = compiler->func->gen.top, active = compiler->func->gen.active;
  if (comm->a != NULL) take_outcome(compiler, comm, from);
  stmt_block(compiler, comm->b);
  reg_leave(compiler, top, active);
}

// The bodies, one after the other; the last one needs no test.
static void select_bodies(Compiler *compiler, const Node *node, int from,
                          int count, const Node *otherwise, int *end) {
  int index = 0;
  for (const Node *comm = node->c; comm != NULL; comm = comm->next) {
    int next = NO_JUMP;
    if (comm->a == NULL) continue;
    if (index < count - 1 || otherwise != NULL)
      emit_branch(compiler, comm->pos, instr_abc(OP_EQI, from, index, 0),
                  &next);
    case_body(compiler, comm, from);
    if (next != NO_JUMP && emit_reachable(compiler))
      emit_jump(compiler, comm->pos, end);
    emit_patch(compiler, next);
    index++;
  }
  RT_ASSERT(index == count);
  if (otherwise != NULL) case_body(compiler, otherwise, from);
}

void branch_select(Compiler *compiler, Node *node, const AstStr *label) {
  int top = compiler->func->gen.top, active = compiler->func->gen.active,
      count = 0;
  const Node *otherwise = NULL;
  Exit exit;
  for (const Node *comm = node->c; comm != NULL; comm = comm->next) {
    if (comm->a == NULL) {
      otherwise = comm;
    } else {
      take_case(compiler, comm);
      count++;
    }
  }
  int flags = (otherwise != NULL ? HAS_DEFAULT : 0) |
              (node->flags & FLAG_PRIO ? IN_ORDER : 0);
  RT_ASSERT(compiler->func->gen.top == top + 2 * count);
  reg_need(compiler, top + OUTCOME);
  emit_abc(compiler, node->pos, OP_SELECT, top, count, flags);
  reg_set(compiler, top + OUTCOME);
  compiler->func->gen.active = compiler->func->gen.top;
  exit_push(compiler, &exit, label, false);
  select_bodies(compiler, node, top, count, otherwise, &exit.breaks);
  RT_ASSERT(compiler->func->gen.exit == &exit &&
            registers_are_balanced(compiler->func));
  exit_pop(compiler);
  reg_leave(compiler, top, active);
}

// --- group ------------------------------------------------------------------
void branch_leave_groups(Compiler *compiler, Pos pos, const Exit *outer) {
  for (const Exit *exit = compiler->func->gen.exit; exit != outer;
       exit = exit->up) {
    if (exit->group) emit_abc(compiler, pos, OP_GROUPEND, 0, 0, 0);
  }
}

void branch_return(Compiler *compiler, Pos pos, int reg, bool packed) {
  for (const Exit *exit = compiler->func->gen.exit; exit != NULL;
       exit = exit->up) {
    if (exit->group) emit_abc(compiler, pos, OP_GROUPRET, reg, packed, 0);
  }
}

bool branch_in_group(const Compiler *compiler) {
  const Exit *exit = compiler->func->gen.exit;
  while (exit != NULL && !exit->group) exit = exit->up;
  return exit != NULL;
}

// The group's object is in `reg`. With `valued` its value comes to `reg` - 1.
static void group_at(Compiler *compiler, Node *node, int reg, bool valued) {
  int end = NO_JUMP;
  Exit exit;
  emit_branch(compiler, node->pos, instr_abc(OP_GROUP, reg, valued, 0), &end);
  compiler->func->gen.active = compiler->func->gen.top;
  if (node->a != NULL && !name_is_blank(node->a))
    assign_bind(compiler, node->a->pos, node->a->note, reg);
  exit_push(compiler, &exit, NULL, false);
  exit.group = true;
  stmt_block(compiler, node->b);
  RT_ASSERT(compiler->func->gen.exit == &exit && exit.breaks == NO_JUMP &&
            exit.continues == NO_JUMP);
  exit_pop(compiler);
  if (emit_reachable(compiler))
    emit_abc(compiler, node->b->end, OP_GROUPEND, 0, valued, 0);
  emit_patch(compiler, end);
}

void branch_group(Compiler *compiler, Node *node) {
  int top = compiler->func->gen.top, active = compiler->func->gen.active;
  group_at(compiler, node, reg_take(compiler, 1), false);
  reg_leave(compiler, top, active);
}

static int group_value(Compiler *compiler, Node *node) {
  int active = compiler->func->gen.active;
  int value = reg_take(compiler, 2);
  group_at(compiler, node, value + 1, true);
  reg_leave(compiler, value + 1, active);
  return value;
}

// --- Values -----------------------------------------------------------------
int branch_value(Compiler *compiler, Node *node) {
  if (node->kind == NODE_GROUP) return group_value(compiler, node);
  FuncGenerate *gen = &compiler->func->gen;
  int active = gen->active, outer = gen->give;
  int value = gen->give = reg_take(compiler, 1);
  gen->active = gen->top;
  if (node->kind == NODE_IF)
    branch_if(compiler, node);
  else
    branch_switch(compiler, node, NULL);
  gen->give = outer;
  reg_leave(compiler, value + 1, active);
  return value;
}

void branch_give_group(Compiler *compiler, Node *node) {
  int save = compiler->func->gen.top;
  int value = group_value(compiler, node);
  emit_abc(compiler, node->pos, OP_MOVE, compiler->func->gen.give, value, 0);
  reg_set(compiler, save);
}
