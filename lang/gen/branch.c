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

// --- if ---------------------------------------------------------------------
void branch_if(Compiler *c, Node *node) {
  int top = c->func->gen.top, active = c->func->gen.active, end = NO_JUMP;
  while (node != NULL && node->kind == NODE_IF) {
    int no = NO_JUMP;
    if (node->a != NULL) stmt(c, node->a);
    condition_jump(c, node->b, false, &no);
    stmt_block(c, node->c);
    if (node->d != NULL && emit_reachable(c)) emit_jump(c, node->c->end, &end);
    emit_patch(c, no);
    node = node->d;
  }
  if (node != NULL) stmt_block(c, node);
  RT_ASSERT(c->func->gen.top >= top && c->func->gen.active >= active);
  emit_patch(c, end);
  reg_set(c, top);
  c->func->gen.active = active;
}

// --- switch -----------------------------------------------------------------
// Jumps if the case's value matches: to the body, or if not, past it.
static void test_case(Compiler *c, Node *value, int subject, bool sense,
                      int *list) {
  if (subject < 0) {
    condition_jump(c, value, sense, list);
    return;
  }
  if (value->kind != NODE_IS || value->a != NULL) {
    condition_equal(c, value->pos, subject, value, sense, list);
    return;
  }
  const Symbol *type = expr_symbol(value->b);
  int constant = type != NULL ? emit_constant(c, type->value)
                              : emit_name(c, value->b->name);
  int answer = c->func->gen.top;
  reg_need(c, answer + 1);
  emit_abc(c, value->pos, OP_IS, answer, subject, 0);
  emit_word(c, (Instr)constant);
  emit_branch(c, value->pos, instr_abc(OP_TEST, answer, sense, 0), list);
}

static void one_case(Compiler *c, Node *node, int subject, bool at_end,
                     int *end) {
  int body = NO_JUMP, next = NO_JUMP;
  for (Node *value = node->a; value != NULL; value = value->next) {
    bool last = value->next == NULL;
    test_case(c, value, subject, !last, last ? &next : &body);
  }
  emit_patch(c, body);
  stmt_block(c, node->b);
  if (!at_end && emit_reachable(c)) emit_jump(c, node->pos, end);
  emit_patch(c, next);
}

static Node *find_default(Node *cases) {
  for (Node *one = cases; one != NULL; one = one->next) {
    if (one->a == NULL) return one;
  }
  return NULL;
}

void branch_switch(Compiler *c, Node *node, const AstStr *label) {
  int top = c->func->gen.top, active = c->func->gen.active, subject = -1;
  Exit exit;
  Node *otherwise = find_default(node->c);
  if (node->a != NULL) stmt(c, node->a);
  if (node->b != NULL) subject = expr_any(c, node->b);
  c->func->gen.active = c->func->gen.top;
  exit_push(c, &exit, label, false);
  for (Node *one = node->c; one != NULL; one = one->next) {
    bool at_end = one->next == NULL && otherwise == NULL;
    if (one->a != NULL) one_case(c, one, subject, at_end, &exit.breaks);
  }
  if (otherwise != NULL) stmt_block(c, otherwise->b);
  RT_ASSERT(c->func->gen.exit == &exit && registers_are_balanced(c->func));
  exit_pop(c);
  reg_set(c, top);
  c->func->gen.active = active;
}

// --- select -----------------------------------------------------------------
enum { OUTCOME = 3, HAS_DEFAULT = 1, IN_ORDER = 2 };

static Node *received_from(const Node *comm) {
  return comm->a->kind == NODE_EXPR ? comm->a->a : comm->a->b;
}

// Channel and value (undef: receive) of a case into two registers.
static void take_case(Compiler *c, const Node *comm) {
  Node *what = comm->a;
  if (what->kind == NODE_SEND) {
    expr_next(c, what->a);
    expr_next(c, what->b);
  } else {
    RT_ASSERT(received_from(comm)->kind == NODE_RECV);
    expr_next(c, received_from(comm)->a);
    emit_abc(c, what->pos, OP_LOADUNDEF, reg_take(c, 1), 0, 0);
  }
}

// What was received, from the outcome at `from`, to where the case wants it.
static void take_outcome(Compiler *c, const Node *comm, int from) {
  Node *what = comm->a;
  if (what->kind == NODE_SEND) return;
  if (what->kind == NODE_EXPR) {
    emit_abc(c, what->a->pos, OP_SELVAL, from, from, 0);
    return;
  }
  RT_ASSERT(what->kind == NODE_DEFINE || what->kind == NODE_ASSIGN);
  int count = 0;
  for (const Node *name = what->a; name != NULL; name = name->next) count++;
  int first = reg_take(c, count);
  emit_abc(c, what->b->pos, OP_SELVAL, first, from, count);
  if (what->kind == NODE_DEFINE) {
    assign_names(c, what->a, first);
  } else {
    assign_targets(c, what->a, first);
    reg_set(c, first);
  }
}

static void case_body(Compiler *c, const Node *comm, int from) {
  int top = c->func->gen.top, active = c->func->gen.active;
  if (comm->a != NULL) take_outcome(c, comm, from);
  stmt_block(c, comm->b);
  reg_set(c, top);
  c->func->gen.active = active;
}

// The bodies, one after the other; the last one needs no test.
static void select_bodies(Compiler *c, const Node *node, int from, int count,
                          const Node *otherwise, int *end) {
  int index = 0;
  for (const Node *comm = node->c; comm != NULL; comm = comm->next) {
    int next = NO_JUMP;
    if (comm->a == NULL) continue;
    if (index < count - 1 || otherwise != NULL)
      emit_branch(c, comm->pos, instr_abc(OP_EQI, from, index, 0), &next);
    case_body(c, comm, from);
    if (next != NO_JUMP && emit_reachable(c)) emit_jump(c, comm->pos, end);
    emit_patch(c, next);
    index++;
  }
  RT_ASSERT(index == count);
  if (otherwise != NULL) case_body(c, otherwise, from);
}

void branch_select(Compiler *c, Node *node, const AstStr *label) {
  int top = c->func->gen.top, active = c->func->gen.active, count = 0;
  const Node *otherwise = NULL;
  Exit exit;
  for (const Node *comm = node->c; comm != NULL; comm = comm->next) {
    if (comm->a == NULL) {
      otherwise = comm;
    } else {
      take_case(c, comm);
      count++;
    }
  }
  int flags = (otherwise != NULL ? HAS_DEFAULT : 0) |
              (node->flags & FLAG_PRIO ? IN_ORDER : 0);
  RT_ASSERT(c->func->gen.top == top + 2 * count);
  reg_need(c, top + OUTCOME);
  emit_abc(c, node->pos, OP_SELECT, top, count, flags);
  reg_set(c, top + OUTCOME);
  c->func->gen.active = c->func->gen.top;
  exit_push(c, &exit, label, false);
  select_bodies(c, node, top, count, otherwise, &exit.breaks);
  RT_ASSERT(c->func->gen.exit == &exit && registers_are_balanced(c->func));
  exit_pop(c);
  reg_set(c, top);
  c->func->gen.active = active;
}

// --- group ------------------------------------------------------------------
void branch_leave_groups(Compiler *c, Pos pos, const Exit *outer) {
  for (const Exit *e = c->func->gen.exit; e != outer; e = e->up) {
    if (e->group) emit_abc(c, pos, OP_GROUPEND, 0, 0, 0);
  }
}

bool branch_in_group(const Compiler *c) {
  const Exit *e = c->func->gen.exit;
  while (e != NULL && !e->group) e = e->up;
  return e != NULL;
}

void branch_group(Compiler *c, Node *node) {
  int top = c->func->gen.top, active = c->func->gen.active, end = NO_JUMP;
  Exit exit;
  int reg = reg_take(c, 1);
  emit_branch(c, node->pos, instr_abc(OP_GROUP, reg, 0, 0), &end);
  c->func->gen.active = c->func->gen.top;
  if (node->a != NULL && !name_is_blank(node->a))
    assign_bind(c, node->a->pos, node->a->note, reg);
  exit_push(c, &exit, NULL, false);
  exit.group = true;
  stmt_block(c, node->b);
  RT_ASSERT(c->func->gen.exit == &exit && exit.breaks == NO_JUMP &&
            exit.continues == NO_JUMP);
  exit_pop(c);
  if (emit_reachable(c)) emit_abc(c, node->b->end, OP_GROUPEND, 0, 0, 0);
  emit_patch(c, end);
  reg_set(c, top);
  c->func->gen.active = active;
}
