// SPDX-License-Identifier: MIT
// Second pass: declarations and assignments. All values are there before the
// first is stored; the operands of fields and elements come before the values,
// and are evaluated once.
#include "lang/gen/assign.h"
#include "lang/arena.h"
#include "lang/gen/calls.h"
#include "lang/gen/emit.h"
#include "lang/gen/expr.h"
#include "lang/gen/naming.h"
#include "lang/resolve/fold.h"
#include "lang/resolve/scope.h"
#include "lang/shape.h"

// --- Declaring --------------------------------------------------------------
void assign_bind(Compiler *compiler, Pos pos, Symbol *symbol, int reg) {
  RT_ASSERT(symbol->kind == SYM_LOCAL && symbol->owner == compiler->func);
  RT_ASSERT(reg >= 0 && reg < compiler->func->gen.top);
  symbol->reg = reg;
  if (!symbol->parameter) naming_bind(compiler->func, symbol);
  if (symbol_in_cell(symbol)) emit_abc(compiler, pos, OP_NEWCELL, reg, reg, 0);
}

static bool is_new_local(const Node *name) {
  const Symbol *symbol = name->note;
  return (name->flags & NOTE_NEW) && symbol->kind == SYM_LOCAL;
}

static bool is_literal_constant(const Node *name) {
  const Symbol *symbol = name->note;
  return symbol != NULL && symbol->kind == SYM_LITERAL;
}

void assign_names(Compiler *compiler, Node *names, int from) {
  int value = from, next = from;
  for (Node *name = names; name != NULL; name = name->next) {
    if (is_literal_constant(name)) continue;
    if (!is_new_local(name) && !name_is_blank(name))
      expr_store(compiler, name->pos, name->note, value);
    value++;
  }
  value = from;
  for (Node *name = names; name != NULL; name = name->next) {
    if (is_literal_constant(name)) continue;
    if (is_new_local(name)) {
      if (next != value) emit_abc(compiler, name->pos, OP_MOVE, next, value, 0);
      assign_bind(compiler, name->pos, name->note, next);
      next++;
    }
    value++;
  }
  RT_ASSERT(value == compiler->func->gen.top && next <= value);
  reg_set(compiler, next);
  compiler->func->gen.active = next;
}

static void values_next(Compiler *compiler, Node *names, Node *values) {
  for (; values != NULL; names = names->next, values = values->next) {
    if (!is_literal_constant(names)) expr_next(compiler, values);
  }
}

static void define_one(Compiler *compiler, Node *name, Node *value) {
  int save = compiler->func->gen.top;
  if (is_literal_constant(name)) return;
  if (is_new_local(name)) {
    expr_next(compiler, value);
    assign_names(compiler, name, save);
    return;
  }
  int reg = expr_any(compiler, value);
  if (!name_is_blank(name)) expr_store(compiler, name->pos, name->note, reg);
  reg_set(compiler, save);
}

void assign_define(Compiler *compiler, Node *node) {
  int first = compiler->func->gen.top, names = count_nodes(node->a);
  int values = count_nodes(node->b);
  if (names == 1 && values == 1) {
    define_one(compiler, node->a, node->b);
    return;
  }
  if (values == 0) {
    reg_take(compiler, names);
    emit_abc(compiler, node->pos, OP_LOADNIL, first, names - 1, 0);
  } else if (values == names) {
    values_next(compiler, node->a, node->b);
  } else {
    expr_many(compiler, node->b, names);
  }
  assign_names(compiler, node->a, first);
}

// --- Places: what stands left of = ------------------------------------------
// a is the object of a field or element, b is the index. -1: none.
typedef struct Place {
  const Node *node;
  int a, b;
} Place;

// Whether the variable is assigned by this statement, too.
static bool is_assigned(const Node *targets, const Symbol *symbol) {
  for (const Node *target = targets; target != NULL; target = target->next) {
    if (target->kind == NODE_NAME && target->note == symbol) return true;
  }
  return false;
}

// An operand that must outlive the stores of the statement.
static int operand(Compiler *compiler, Node *node, const Node *targets) {
  bool changes = expr_register(compiler, node) >= 0 &&
                 is_assigned(targets, expr_symbol(node));
  return changes ? expr_next(compiler, node) : expr_any(compiler, node);
}

static Place place_of(Compiler *compiler, Node *node, const Node *targets) {
  Place place = {.node = node, .a = -1, .b = -1};
  if (node->note != NULL || node->kind == NODE_NAME) return place;
  RT_ASSERT(node->kind == NODE_FIELD || node->kind == NODE_INDEX);
  place.a = operand(compiler, node->a, targets);
  if (node->kind == NODE_INDEX) place.b = operand(compiler, node->b, targets);
  return place;
}

static void store_field(Compiler *compiler, const Node *node, int object,
                        int from) {
  int name = emit_name(compiler, node->name);
  emit_abc(compiler, node->pos, OP_SETF, object, from, 0);
  emit_word(compiler, (Instr)name);
  emit_word(compiler, 0);
}

static void store_place(Compiler *compiler, const Place *place, int from) {
  const Node *node = place->node;
  if (place->a < 0) {
    if (!name_is_blank(node)) expr_store(compiler, node->pos, node->note, from);
  } else if (node->kind == NODE_FIELD) {
    store_field(compiler, node, place->a, from);
  } else {
    RT_ASSERT(place->b >= 0);
    emit_abc(compiler, node->pos, OP_SETIDX, place->a, place->b, from);
  }
}

static void load(Compiler *compiler, const Place *place, int target) {
  const Node *node = place->node;
  if (place->a < 0) {
    expr_read(compiler, node->pos, node->note, target);
  } else if (node->kind == NODE_FIELD) {
    int name = emit_name(compiler, node->name);
    emit_abc(compiler, node->pos, OP_GETF, target, place->a, 0);
    emit_word(compiler, (Instr)name);
    emit_word(compiler, 0);
  } else {
    RT_ASSERT(place->b >= 0);
    emit_abc(compiler, node->pos, OP_GETIDX, target, place->a, place->b);
  }
}

void assign_targets(Compiler *compiler, Node *targets, int from) {
  for (Node *target = targets; target != NULL; target = target->next) {
    int save = compiler->func->gen.top;
    Place place = place_of(compiler, target, NULL);
    store_place(compiler, &place, from++);
    reg_set(compiler, save);
  }
}

// --- = ----------------------------------------------------------------------
static void assign_one(Compiler *compiler, Node *target, Node *value) {
  int save = compiler->func->gen.top, reg = expr_register(compiler, target);
  if (name_is_blank(target) &&
      (value->kind == NODE_CALL || value->kind == NODE_RECV)) {
    reg_need(compiler, save + 1);
    calls_results(compiler, value, save, WANT_DROP);
    return;
  }
  if (reg >= 0 && !name_is_blank(target)) {
    expr_to(compiler, value, reg);
    return;
  }
  Place place = place_of(compiler, target, NULL);
  int from = expr_any(compiler, value);
  store_place(compiler, &place, from);
  reg_set(compiler, save);
}

// The last value may go to its variable at once: nothing that still has to be
// stored depends on it.
static bool goes_directly(const Compiler *compiler, const Node *targets,
                          const Node *last) {
  if (expr_register(compiler, last) < 0) return false;
  for (const Node *target = targets; target != last; target = target->next) {
    if (target->kind == NODE_NAME && target->note == last->note) return false;
  }
  return true;
}

// a, b = x, y
static void assign_pairs(Compiler *compiler, Node *node, const Place *places,
                         int *values, int count) {
  Node *target = node->a, *value = node->b;
  bool direct = false;
  for (int i = 0; i < count; i++, value = value->next, target = target->next) {
    direct = i == count - 1 && goes_directly(compiler, node->a, target);
    if (direct) {
      expr_to(compiler, value, expr_register(compiler, target));
    } else {
      values[i] = operand(compiler, value, node->a);
    }
  }
  for (int i = 0; i < count - direct; i++)
    store_place(compiler, &places[i], values[i]);
}

static void assign_many(Compiler *compiler, Node *node, int count) {
  int save = compiler->func->gen.top, i = 0;
  Place *places = arena_alloc(compiler->arena, (size_t)count * sizeof *places);
  int *values = arena_alloc(compiler->arena, (size_t)count * sizeof *values);
  for (Node *target = node->a; target != NULL; target = target->next)
    places[i++] = place_of(compiler, target, node->a);
  RT_ASSERT(i == count);
  if (count_nodes(node->b) == count) {
    assign_pairs(compiler, node, places, values, count);
  } else {
    int from = expr_many(compiler, node->b, count);
    for (i = 0; i < count; i++) store_place(compiler, &places[i], from + i);
  }
  reg_set(compiler, save);
}

// --- op=, ++ ----------------------------------------------------------------
// place = place op value
static void update(Compiler *compiler, const Node *node, Node *value) {
  int save = compiler->func->gen.top, end = NO_JUMP;
  int reg = fold_is_literal(value) ? expr_register(compiler, node->a)
                                   : expr_steady(compiler, node->a);
  Place place = place_of(compiler, node->a, NULL);
  int work = reg >= 0 ? reg : reg_take(compiler, 1);
  if (reg < 0) load(compiler, &place, work);
  if (node->op == AST_COALESCE) {
    emit_branch(compiler, node->pos, instr_abc(OP_NILJ, work, 0, 0), &end);
    expr_to(compiler, value, work);
  } else {
    expr_arith(compiler, node->pos, node->op, work, work, value);
  }
  if (reg < 0) store_place(compiler, &place, work);
  emit_patch(compiler, end);
  reg_set(compiler, save);
}

void assign_incdec(Compiler *compiler, Node *node) {
  Node one = {.kind = NODE_INT, .pos = node->pos, .i = 1};
  update(compiler, node, &one);
}

void assign_stmt(Compiler *compiler, Node *node) {
  int count = count_nodes(node->a);
  if (node->op != AST_NONE) {
    update(compiler, node, node->b);
  } else if (count == 1) {
    assign_one(compiler, node->a, node->b);
  } else {
    assign_many(compiler, node, count);
  }
}
