// SPDX-License-Identifier: MIT
// Second pass, expressions: values into registers.
//
// A variable's register is used in place as an operand: nothing that is
// evaluated later can change it, because assignments are statements and a
// variable that closures assign lives in a cell.
#include "lang/gen/expr.h"
#include "lang/gen/balance.h"
#include "lang/gen/calls.h"
#include "lang/gen/condition.h"
#include "lang/gen/emit.h"
#include "lang/gen/func.h"
#include "lang/gen/pairs.h"
#include "lang/resolve/fold.h"
#include "lang/resolve/scope.h"
#include "vm/native/module.h"
#include "vm/object/box.h"
#include "vm/object/string.h"

enum { LIST_CHUNK = 50 };

// --- Symbols ----------------------------------------------------------------
Symbol *expr_symbol(const Node *node) {
  if (node->kind != NODE_NAME && node->kind != NODE_FIELD) return NULL;
  return node->note;
}

int expr_register(const Compiler *c, const Node *node) {
  if (node->kind != NODE_NAME) return -1;
  const Symbol *symbol = node->note;
  if (symbol == NULL || symbol->kind != SYM_LOCAL || symbol_in_cell(symbol) ||
      symbol->owner != c->func)
    return -1;
  return symbol->reg;
}

// The cell of a top-level name of this file is made when it is first used.
static void need_cell(Compiler *c, Symbol *symbol) {
  if (symbol->cell != NULL) return;
  symbol->cell = module_cell(c->vm, c->module, name_string(c, symbol->name));
  if (symbol->cell == NULL) c->no_memory = true;
}

void expr_read(Compiler *c, Pos pos, Symbol *symbol, int target) {
  if (symbol->kind == SYM_GLOBAL) {
    need_cell(c, symbol);
    int cell = emit_cell(c, symbol);
    emit_abx(c, pos, OP_GETG, target, cell);
    emit_word(c, (Instr)cell + 1);
  } else if (symbol->kind != SYM_LOCAL) {
    RT_ASSERT(symbol->kind != SYM_LITERAL && symbol_may_be_used(c, symbol));
    emit_load(c, pos, target, symbol->value);
  } else if (symbol->owner != c->func) {
    int up = func_upvalue(c, c->func, symbol);
    Op op = symbol_in_cell(symbol) ? OP_GETUP : OP_GETUPV;
    emit_abc(c, pos, op, target, up, 0);
  } else if (symbol_in_cell(symbol)) {
    emit_abc(c, pos, OP_GETCELL, target, symbol->reg, 0);
  } else if (symbol->reg != target) {
    emit_abc(c, pos, OP_MOVE, target, symbol->reg, 0);
  }
}

void expr_store(Compiler *c, Pos pos, Symbol *symbol, int from) {
  if (symbol->kind == SYM_GLOBAL) {
    need_cell(c, symbol);
    emit_abx(c, pos, OP_SETG, from, emit_cell(c, symbol));
    return;
  }
  RT_ASSERT(symbol->kind == SYM_LOCAL || symbol->kind == SYM_UNKNOWN);
  RT_ASSERT(symbol_may_be_used(c, symbol));
  if (symbol->owner != c->func) {
    int up = func_upvalue(c, c->func, symbol);
    RT_ASSERT(symbol_in_cell(symbol));
    emit_abc(c, pos, OP_SETUP, from, up, 0);
  } else if (symbol_in_cell(symbol)) {
    emit_abc(c, pos, OP_SETCELL, symbol->reg, from, 0);
  } else if (symbol->reg != from) {
    emit_abc(c, pos, OP_MOVE, symbol->reg, from, 0);
  }
}

// --- Literals and containers ------------------------------------------------
bool expr_constant(Compiler *c, const Node *node, Value *v) {
  switch (node->kind) {
    case NODE_NIL:
      *v = VALUE_NIL;
      return true;
    case NODE_TRUE:
      *v = VALUE_TRUE;
      return true;
    case NODE_FALSE:
      *v = VALUE_FALSE;
      return true;
    case NODE_INT:
      *v = value_from_int(c->local, node->i);
      return true;
    case NODE_FLOAT:
      *v = value_from_float(c->local, node->f);
      return true;
    case NODE_STRING: {
      ObjString *s = vm_intern(c->vm, node->str.text, node->str.len);
      if (s == NULL) c->no_memory = true;
      *v = s != NULL ? value_from_obj(s) : VALUE_NIL;
      return true;
    }
    default:
      return false;
  }
}

// Where a value is built. It is not built in a variable, which its own parts
// may read before it is complete.
static int workplace(const Compiler *c, int target) {
  return target < c->func->gen.active ? c->func->gen.top : target;
}

static void move_to(Compiler *c, Pos pos, int target, int from) {
  if (target != from) emit_abc(c, pos, OP_MOVE, target, from, 0);
}

// Puts up to LIST_CHUNK elements into registers, and returns how many.
static int take_elements(Compiler *c, Node **element) {
  int count = 0;
  for (; *element != NULL && count < LIST_CHUNK; count++) {
    expr_next(c, *element);
    *element = (*element)->next;
  }
  return count;
}

static void list_to(Compiler *c, Node *node, int target) {
  Node *element = node->a;
  int first = c->func->gen.top;
  int count = take_elements(c, &element);
  RT_ASSERT(c->func->gen.top == first + count);
  if (element == NULL) {
    emit_abc(c, node->pos, OP_LIST, target, count > 0 ? first : target, count);
    reg_set(c, first);
    reg_need(c, target + 1);
    return;
  }
  emit_abc(c, node->pos, OP_LIST, first, first, count);
  reg_set(c, first + 1);
  while (element != NULL) {
    Pos pos = element->pos;
    count = take_elements(c, &element);
    RT_ASSERT(c->func->gen.top == first + 1 + count);
    emit_abc(c, pos, OP_LISTADD, first, first + 1, count);
    reg_set(c, first + 1);
  }
  move_to(c, node->pos, target, first);
  reg_set(c, first);
}

static void map_to(Compiler *c, Node *node, int target) {
  int save = c->func->gen.top, count = 0;
  for (const Node *pair = node->a; pair != NULL; pair = pair->next) count++;
  int map = count == 0 ? target : workplace(c, target);
  emit_abx(c, node->pos, OP_MAP, map, count > 10000 ? 10000 : count);
  if (count > 0) reg_set(c, map + 1);
  for (Node *pair = node->a; pair != NULL; pair = pair->next) {
    int key = expr_any(c, pair->a);
    int value = expr_any(c, pair->b);
    emit_abc(c, pair->a->pos, OP_MAPADD, map, key, value);
    reg_set(c, map + 1);
  }
  move_to(c, node->pos, target, map);
  reg_set(c, save);
}

static void interp_to(Compiler *c, Node *node, int target) {
  int first = c->func->gen.top, count = 0;
  for (Node *part = node->a; part != NULL; part = part->next) {
    expr_next(c, part);
    if (++count < LIST_CHUNK && part->next != NULL) continue;
    RT_ASSERT(c->func->gen.top == first + count);
    emit_abc(c, node->pos, OP_CONCAT, first, count, 0);
    reg_set(c, first + 1);
    count = 1;
  }
  move_to(c, node->pos, target, first);
  reg_set(c, first);
}

static void range_to(Compiler *c, Node *node, int target) {
  int save = c->func->gen.top;
  int from = expr_any(c, node->a);
  int to = expr_any(c, node->b);
  RT_ASSERT(node->op == AST_RANGE_INCL || node->op == AST_RANGE);
  Op op = node->op == AST_RANGE_INCL ? OP_RANGEI : OP_RANGE;
  emit_abc(c, node->pos, op, target, from, to);
  reg_set(c, save);
}

static void bound_next(Compiler *c, Pos pos, Node *bound) {
  if (bound != NULL) {
    expr_next(c, bound);
  } else {
    emit_abc(c, pos, OP_LOADUNDEF, reg_take(c, 1), 0, 0);
  }
}

static void slice_to(Compiler *c, Node *node, int target) {
  int save = c->func->gen.top;
  int whole = expr_any(c, node->a);
  int bounds = c->func->gen.top;
  bound_next(c, node->pos, node->b);
  bound_next(c, node->pos, node->c);
  RT_ASSERT(c->func->gen.top == bounds + 2);
  emit_abc(c, node->pos, OP_SLICE, target, whole, bounds);
  reg_set(c, save);
}

static void index_to(Compiler *c, Node *node, int target) {
  int save = c->func->gen.top;
  int whole = expr_any(c, node->a);
  if (node->b->kind == NODE_INT && node->b->i >= 0 && node->b->i <= 255) {
    emit_abc(c, node->pos, OP_GETIDXI, target, whole, (int)node->b->i);
  } else {
    int index = expr_any(c, node->b);
    emit_abc(c, node->pos, OP_GETIDX, target, whole, index);
  }
  reg_set(c, save);
}

static void field_to(Compiler *c, Node *node, int target) {
  if (node->note != NULL) {
    expr_read(c, node->pos, node->note, target);
    return;
  }
  int save = c->func->gen.top;
  int whole = expr_any(c, node->a);
  int name = emit_name(c, node->name);
  emit_abc(c, node->pos, OP_GETF, target, whole, 0);
  emit_word(c, (Instr)name);
  emit_word(c, 0);
  reg_set(c, save);
}

// --- Operators --------------------------------------------------------------
typedef struct ArithOps {
  uint8_t registers, small, constant;  // Op; 0: there is none
} ArithOps;

static ArithOps arith_ops(AstOp op) {
  switch (op) {
    case AST_ADD:
      return (ArithOps){OP_ADD, OP_ADDI, OP_ADDK};
    case AST_SUB:
      return (ArithOps){OP_SUB, OP_SUBI, OP_SUBK};
    case AST_MUL:
      return (ArithOps){OP_MUL, OP_MULI, OP_MULK};
    case AST_DIV:
      return (ArithOps){OP_DIV, OP_DIVI, OP_DIVK};
    case AST_MOD:
      return (ArithOps){OP_MOD, OP_MODI, 0};
    case AST_ADDW:
      return (ArithOps){OP_ADDW, 0, 0};
    case AST_SUBW:
      return (ArithOps){OP_SUBW, 0, 0};
    case AST_MULW:
      return (ArithOps){OP_MULW, 0, OP_MULWK};
    case AST_BAND:
      return (ArithOps){OP_BAND, 0, OP_BANDK};
    case AST_BOR:
      return (ArithOps){OP_BOR, 0, 0};
    case AST_BXOR:
      return (ArithOps){OP_BXOR, 0, 0};
    case AST_SHL:
      return (ArithOps){OP_SHL, OP_SHLI, 0};
    case AST_SHR:
      return (ArithOps){OP_SHR, OP_SHRI, 0};
    case AST_IN:
      return (ArithOps){OP_IN, 0, 0};
    default:
      rt_throw("arith_ops: operator %d", (int)op);
  }
}

bool expr_fits_small(AstOp op, const Node *right) {
  if (right->kind != NODE_INT || right->i > INT8_MAX) return false;
  if (op == AST_SHL || op == AST_SHR) return right->i >= 0 && right->i <= 63;
  return right->i >= (op == AST_DIV || op == AST_MOD ? 1 : INT8_MIN);
}

// A number among the first 256 constants, or -1.
int expr_number(Compiler *c, const Node *right) {
  Value v;
  if (right->kind != NODE_INT && right->kind != NODE_FLOAT) return -1;
  if (!expr_constant(c, right, &v)) return -1;
  int index = emit_constant(c, v);
  return index <= 255 ? index : -1;
}

void expr_arith(Compiler *c, Pos pos, AstOp op, int target, int left,
                Node *right) {
  ArithOps ops = arith_ops(op);
  int save = c->func->gen.top;
  int constant = -1;
  if (pair_with(c, pos, op, target, left, right)) return;
  RT_ASSERT(c->func->gen.top == save);
  if (ops.small != 0 && expr_fits_small(op, right)) {
    emit_abc(c, pos, ops.small, target, left, (int)right->i);
  } else if (ops.constant != 0 && (constant = expr_number(c, right)) >= 0) {
    emit_abc(c, pos, ops.constant, target, left, constant);
  } else {
    int r = expr_any(c, right);
    emit_abc(c, pos, ops.registers, target, left, r);
  }
  reg_set(c, save);
}

// 2 * x is compiled as x * 2, because that has a short form.
static bool turns_round(const Node *node) {
  return (node->op == AST_MUL || node->op == AST_ADD) &&
         (node->a->kind == NODE_INT || node->a->kind == NODE_FLOAT) &&
         !fold_is_literal(node->b);
}

// The index of the number on the left of 1 - x or 1 / x, or -1.
static int number_first(Compiler *c, const Node *node) {
  bool is_short = node->op == AST_SUB || node->op == AST_DIV;
  return is_short && !fold_is_literal(node->b) ? expr_number(c, node->a) : -1;
}

static void arith_to(Compiler *c, Node *node, int target) {
  int save = c->func->gen.top;
  bool turn = turns_round(node);
  if (pair_to(c, node, target)) return;
  int number = number_first(c, node);
  if (number >= 0) {
    Op op = node->op == AST_SUB ? OP_KSUB : OP_KDIV;
    emit_abc(c, node->pos, op, target, number, expr_any(c, node->b));
  } else {
    int left = expr_any(c, turn ? node->b : node->a);
    expr_arith(c, node->pos, node->op, target, left, turn ? node->a : node->b);
    if (turn) emit_turned(c, c->func->gen.last);
  }
  reg_set(c, save);
}

// The value of && || ?? is the left operand, or else the right one.
static void either_to(Compiler *c, Node *node, int target) {
  int save = c->func->gen.top, end = NO_JUMP;
  int place = workplace(c, target);
  expr_to(c, node->a, place);
  reg_need(c, place + 1);
  Instr test = node->op == AST_COALESCE
                   ? instr_abc(OP_NILJ, place, 0, 0)
                   : instr_abc(OP_TEST, place, node->op == AST_OR, 0);
  emit_branch(c, node->pos, test, &end);
  expr_to(c, node->b, place);
  RT_ASSERT(c->func->gen.top == save);
  emit_patch(c, end);
  move_to(c, node->pos, target, place);
  reg_set(c, save);
}

static void binary_to(Compiler *c, Node *node, int target) {
  if (condition_is(node)) {
    condition_value(c, node, target);
    return;
  }
  switch (node->op) {
    case AST_AND:
    case AST_OR:
    case AST_COALESCE:
      either_to(c, node, target);
      break;
    default:
      arith_to(c, node, target);
      break;
  }
}

static Op prefix_op(AstOp op) {
  switch (op) {
    case AST_NEG:
      return OP_NEG;
    case AST_NOT:
      return OP_NOT;
    case AST_BNOT:
      return OP_BNOT;
    default:
      rt_throw("prefix_op: operator %d", (int)op);
  }
}

static void unary_to(Compiler *c, Node *node, int target) {
  if (condition_is(node) && condition_is(node->a)) {
    condition_value(c, node, target);
    return;
  }
  int save = c->func->gen.top;
  int from = expr_any(c, node->a);
  emit_abc(c, node->pos, prefix_op(node->op), target, from, 0);
  reg_set(c, save);
}

static void is_to(Compiler *c, Node *node, int target) {
  int save = c->func->gen.top;
  int from = expr_any(c, node->a);
  const Symbol *type = expr_symbol(node->b);
  int constant = type != NULL ? emit_constant(c, type->value)
                              : emit_name(c, node->b->name);
  emit_abc(c, node->pos, OP_IS, target, from, 0);
  emit_word(c, (Instr)constant);
  reg_set(c, save);
}

static void recv_to(Compiler *c, Node *node, int target) {
  int save = c->func->gen.top;
  int from = expr_any(c, node->a);
  emit_abc(c, node->pos, OP_RECV, target, from, 1);
  reg_set(c, save);
}

static void call_to(Compiler *c, Node *node, int target) {
  int save = c->func->gen.top;
  int window = calls_window(c, target);
  if (node->kind == NODE_CALL) {
    calls_at(c, node, window, 1, CALL_PLAIN);
  } else if (node->kind == NODE_GO) {
    calls_at(c, node->a, window, 1, CALL_GO_TASK);
  } else {
    RT_ASSERT(node->kind == NODE_TRY);
    calls_try(c, node, window, 1);
  }
  RT_ASSERT(c->func->gen.top == save);
  move_to(c, node->pos, target, window);
  reg_set(c, save);
}

// --- All of them ------------------------------------------------------------
void expr_to(Compiler *c, Node *node, int target) {
  Value v;
  RT_ASSERT(target >= 0 && target <= c->func->gen.top);
  if (compile_gives_up(c)) return;
  reg_need(c, target + 1);
  switch (node->kind) {
    case NODE_NAME:
      expr_read(c, node->pos, node->note, target);
      break;
    case NODE_INTERP:
      interp_to(c, node, target);
      break;
    case NODE_LIST:
      list_to(c, node, target);
      break;
    case NODE_MAP:
      map_to(c, node, target);
      break;
    case NODE_RANGE:
      range_to(c, node, target);
      break;
    case NODE_FUNC:
      func_closure(c, node, target);
      break;
    case NODE_CALL:
    case NODE_TRY:
    case NODE_GO:
      call_to(c, node, target);
      break;
    case NODE_FIELD:
      field_to(c, node, target);
      break;
    case NODE_INDEX:
      index_to(c, node, target);
      break;
    case NODE_SLICE:
      slice_to(c, node, target);
      break;
    case NODE_UNARY:
      unary_to(c, node, target);
      break;
    case NODE_BINARY:
      binary_to(c, node, target);
      break;
    case NODE_IS:
      is_to(c, node, target);
      break;
    case NODE_RECV:
      recv_to(c, node, target);
      break;
    default:
      if (!expr_constant(c, node, &v))
        rt_throw("expr_to: node of kind %d", (int)node->kind);
      emit_load(c, node->pos, target, v);
      break;
  }
}

int expr_next(Compiler *c, Node *node) {
  int target = c->func->gen.top;
  expr_to(c, node, target);
  RT_ASSERT(c->func->gen.top == target);
  return reg_take(c, 1);
}

int expr_any(Compiler *c, Node *node) {
  int reg = expr_register(c, node);
  return reg >= 0 ? reg : expr_next(c, node);
}

void expr_discard(Compiler *c, Node *node) {
  int save = c->func->gen.top;
  switch (node->kind) {
    case NODE_CALL:
      calls_at(c, node, save, 0, CALL_PLAIN);
      break;
    case NODE_GO:
      calls_at(c, node->a, save, 0, CALL_GO);
      break;
    case NODE_TRY:
      calls_try(c, node, save, 0);
      break;
    case NODE_RECV: {
      int from = expr_any(c, node->a);
      emit_abc(c, node->pos, OP_RECV, from, from, 0);
      break;
    }
    default:
      rt_throw("expr_discard: node of kind %d", (int)node->kind);
  }
  reg_set(c, save);
}

int expr_many(Compiler *c, Node *node, int count) {
  int first = c->func->gen.top;
  if (count == 1) return expr_next(c, node);
  switch (node->kind) {
    case NODE_CALL:
      calls_at(c, node, first, count, CALL_PLAIN);
      break;
    case NODE_TRY:
      calls_try(c, node, first, count);
      break;
    case NODE_RECV: {
      int from = expr_any(c, node->a);
      reg_need(c, first + count);
      emit_abc(c, node->pos, OP_RECV, first, from, count);
      break;
    }
    case NODE_INDEX: {
      RT_ASSERT(count == 2);
      int whole = expr_any(c, node->a);
      int index = expr_any(c, node->b);
      reg_need(c, first + 2);
      emit_abc(c, node->pos, OP_GETIDX2, first, whole, index);
      break;
    }
    default:
      rt_throw("expr_many: node of kind %d", (int)node->kind);
  }
  reg_set(c, first);
  return reg_take(c, count);
}
