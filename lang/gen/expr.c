// SPDX-License-Identifier: MIT
// Second pass, expressions: values into registers.
//
// A variable's register is used in place as an operand: nothing that is
// evaluated later can change it, because assignments are statements and a
// variable that closures assign lives in a cell.
#include "lang/gen/expr.h"
#include "lang/gen/balance.h"
#include "lang/gen/branch.h"
#include "lang/gen/calls.h"
#include "lang/gen/condition.h"
#include "lang/gen/emit.h"
#include "lang/gen/func.h"
#include "lang/gen/pairs.h"
#include "lang/resolve/fold.h"
#include "lang/resolve/scope.h"
#include "vm/interp/method_tables.h"
#include "vm/native/builtin_modules.h"
#include "vm/object/box.h"
#include "vm/object/string.h"

enum { LIST_CHUNK = 50 };

// --- Symbols ----------------------------------------------------------------
Symbol *expr_symbol(const Node *node) {
  if (node->kind != NODE_NAME && node->kind != NODE_FIELD) return NULL;
  return node->note;
}

int expr_register(const Compiler *compiler, const Node *node) {
  if (node->kind != NODE_NAME) return -1;
  const Symbol *symbol = node->note;
  if (symbol == NULL || symbol->kind != SYM_LOCAL || symbol_in_cell(symbol) ||
      symbol->owner != compiler->func)
    return -1;
  return symbol->reg;
}

int expr_steady(const Compiler *compiler, const Node *node) {
  int reg = expr_register(compiler, node);
  return reg >= 0 && expr_symbol(node)->unsteady ? -1 : reg;
}

// The cell of a top-level name of this file is made when it is first used.
static void need_cell(Compiler *compiler, Symbol *symbol) {
  if (symbol->cell != NULL) return;
  symbol->cell = module_cell(compiler->vm, compiler->module,
                             name_string(compiler, symbol->name));
  if (symbol->cell == NULL) compiler->no_memory = true;
}

void expr_read(Compiler *compiler, Pos pos, Symbol *symbol, int target) {
  if (symbol->kind == SYM_GLOBAL) {
    need_cell(compiler, symbol);
    int cell = emit_cell(compiler, symbol);
    emit_abx(compiler, pos, OP_GETG, target, cell);
    emit_word(compiler, (Instr)cell + 1);
  } else if (symbol->kind != SYM_LOCAL) {
    RT_ASSERT(symbol->kind != SYM_LITERAL &&
              symbol_may_be_used(compiler, symbol));
    emit_load(compiler, pos, target, symbol->value);
  } else if (symbol->owner != compiler->func) {
    int up = func_upvalue(compiler, compiler->func, symbol);
    Op op = symbol_in_cell(symbol) ? OP_GETUP : OP_GETUPV;
    emit_abc(compiler, pos, op, target, up, 0);
  } else if (symbol_in_cell(symbol)) {
    emit_abc(compiler, pos, OP_GETCELL, target, symbol->reg, 0);
  } else if (symbol->reg != target) {
    emit_abc(compiler, pos, OP_MOVE, target, symbol->reg, 0);
  }
}

void expr_store(Compiler *compiler, Pos pos, Symbol *symbol, int from) {
  if (symbol->kind == SYM_GLOBAL) {
    need_cell(compiler, symbol);
    emit_abx(compiler, pos, OP_SETG, from, emit_cell(compiler, symbol));
    return;
  }
  RT_ASSERT(symbol->kind == SYM_LOCAL || symbol->kind == SYM_UNKNOWN);
  RT_ASSERT(symbol_may_be_used(compiler, symbol));
  if (symbol->owner != compiler->func) {
    int up = func_upvalue(compiler, compiler->func, symbol);
    RT_ASSERT(symbol_in_cell(symbol));
    emit_abc(compiler, pos, OP_SETUP, from, up, 0);
  } else if (symbol_in_cell(symbol)) {
    emit_abc(compiler, pos, OP_SETCELL, symbol->reg, from, 0);
  } else if (symbol->reg != from) {
    emit_abc(compiler, pos, OP_MOVE, symbol->reg, from, 0);
  }
}

// --- Literals and containers ------------------------------------------------
bool expr_constant(Compiler *compiler, const Node *node, Value *v) {
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
      *v = value_from_int(compiler->local, node->i);
      return true;
    case NODE_FLOAT:
      *v = value_from_float(compiler->local, node->f);
      return true;
    case NODE_STRING: {
      ObjString *string =
          vm_intern(compiler->vm, node->str.text, node->str.len);
      if (string == NULL) compiler->no_memory = true;
      *v = string != NULL ? value_from_obj(string) : VALUE_NIL;
      return true;
    }
    default:
      return false;
  }
}

// Where a value is built. It is not built in a variable, which its own parts
// may read before it is complete.
static int workplace(const Compiler *compiler, int target) {
  return target < compiler->func->gen.active ? compiler->func->gen.top : target;
}

static void move_to(Compiler *compiler, Pos pos, int target, int from) {
  if (target != from) emit_abc(compiler, pos, OP_MOVE, target, from, 0);
}

// Puts up to LIST_CHUNK elements into registers, and returns how many.
static int take_elements(Compiler *compiler, Node **element) {
  int count = 0;
  for (; *element != NULL && count < LIST_CHUNK; count++) {
    expr_next(compiler, *element);
    *element = (*element)->next;
  }
  return count;
}

static void list_to(Compiler *compiler, Node *node, int target) {
  Node *element = node->a;
  int first = compiler->func->gen.top;
  int count = take_elements(compiler, &element);
  RT_ASSERT(compiler->func->gen.top == first + count);
  if (element == NULL) {
    emit_abc(compiler, node->pos, OP_LIST, target, count > 0 ? first : target,
             count);
    reg_set(compiler, first);
    reg_need(compiler, target + 1);
    return;
  }
  emit_abc(compiler, node->pos, OP_LIST, first, first, count);
  reg_set(compiler, first + 1);
  while (element != NULL) {
    Pos pos = element->pos;
    count = take_elements(compiler, &element);
    RT_ASSERT(compiler->func->gen.top == first + 1 + count);
    emit_abc(compiler, pos, OP_LISTADD, first, first + 1, count);
    reg_set(compiler, first + 1);
  }
  move_to(compiler, node->pos, target, first);
  reg_set(compiler, first);
}

static void tuple_to(Compiler *compiler, Node *node, int target) {
  Node *element = node->a;
  int first = compiler->func->gen.top;
  if (count_nodes(element) <= LIST_CHUNK) {
    int count = take_elements(compiler, &element);
    emit_abc(compiler, node->pos, OP_TUPLE, target, count > 0 ? first : target,
             count);
  } else {
    list_to(compiler, node, first);
    emit_abc(compiler, node->pos, OP_TUPLEL, target, first, 0);
  }
  reg_set(compiler, first);
  reg_need(compiler, target + 1);
}

// The elements of a list or tuple, to so many registers.
static void apart_to(Compiler *compiler, Node *node, int target, int count) {
  int from = expr_any(compiler, node->a);
  reg_need(compiler, target + count);
  emit_abc(compiler, node->pos, node->flags & FLAG_REST ? OP_APARTR : OP_APART,
           target, from, count);
}

static void map_to(Compiler *compiler, Node *node, int target) {
  int save = compiler->func->gen.top, count = 0;
  for (const Node *pair = node->a; pair != NULL; pair = pair->next) count++;
  int map = count == 0 ? target : workplace(compiler, target);
  emit_abx(compiler, node->pos, OP_MAP, map, count > 10000 ? 10000 : count);
  if (count > 0) reg_set(compiler, map + 1);
  for (Node *pair = node->a; pair != NULL; pair = pair->next) {
    int key = expr_any(compiler, pair->a);
    int value = expr_any(compiler, pair->b);
    emit_abc(compiler, pair->a->pos, OP_MAPADD, map, key, value);
    reg_set(compiler, map + 1);
  }
  move_to(compiler, node->pos, target, map);
  reg_set(compiler, save);
}

// A call of the library's function, in the window from `w` on.
static void format_to(Compiler *compiler, Node *node, int target) {
  int w = compiler->func->gen.top;
  Node text = {.kind = NODE_STRING, .pos = node->pos, .str = node->str};
  Value function = vm_builtin(compiler->local, "_fmt_interpolated");
  if (function == VALUE_UNDEF) compiler->no_memory = true;
  reg_set(compiler, w + 2);
  emit_load(compiler, node->pos, w + 2, function);
  reg_set(compiler, w + 3);
  expr_next(compiler, &text);
  expr_next(compiler, node->a);
  RT_ASSERT(compiler->func->gen.top == w + 5);
  emit_abc(compiler, node->pos, OP_CALL, w, 2, 1);
  reg_set(compiler, w + 1);
  move_to(compiler, node->pos, target, w);
  reg_set(compiler, w);
}

static void interp_to(Compiler *compiler, Node *node, int target) {
  int first = compiler->func->gen.top, count = 0;
  for (Node *part = node->a; part != NULL; part = part->next) {
    expr_next(compiler, part);
    if (++count < LIST_CHUNK && part->next != NULL) continue;
    RT_ASSERT(compiler->func->gen.top == first + count);
    emit_abc(compiler, node->pos, OP_CONCAT, first, count, 0);
    reg_set(compiler, first + 1);
    count = 1;
  }
  move_to(compiler, node->pos, target, first);
  reg_set(compiler, first);
}

static void range_to(Compiler *compiler, Node *node, int target) {
  int save = compiler->func->gen.top;
  int from = expr_any(compiler, node->a);
  int to = expr_any(compiler, node->b);
  RT_ASSERT(node->op == AST_RANGE_INCL || node->op == AST_RANGE);
  Op op = node->op == AST_RANGE_INCL ? OP_RANGEI : OP_RANGE;
  emit_abc(compiler, node->pos, op, target, from, to);
  reg_set(compiler, save);
}

static void bound_next(Compiler *compiler, Pos pos, Node *bound) {
  if (bound != NULL) {
    expr_next(compiler, bound);
  } else {
    emit_abc(compiler, pos, OP_LOADUNDEF, reg_take(compiler, 1), 0, 0);
  }
}

static void slice_to(Compiler *compiler, Node *node, int target) {
  int save = compiler->func->gen.top;
  int whole = expr_any(compiler, node->a);
  int bounds = compiler->func->gen.top;
  bound_next(compiler, node->pos, node->b);
  bound_next(compiler, node->pos, node->c);
  RT_ASSERT(compiler->func->gen.top == bounds + 2);
  emit_abc(compiler, node->pos, OP_SLICE, target, whole, bounds);
  reg_set(compiler, save);
}

static void index_to(Compiler *compiler, Node *node, int target) {
  int save = compiler->func->gen.top;
  int whole = expr_any(compiler, node->a);
  if (node->b->kind == NODE_INT && node->b->i >= 0 && node->b->i <= 255) {
    emit_abc(compiler, node->pos, OP_GETIDXI, target, whole, (int)node->b->i);
  } else {
    int index = expr_any(compiler, node->b);
    emit_abc(compiler, node->pos, OP_GETIDX, target, whole, index);
  }
  reg_set(compiler, save);
}

// x.message: what it is on may have to be asked for it.
static void message_to(Compiler *compiler, Node *node, int target) {
  int save = compiler->func->gen.top;
  int window = calls_window(compiler, target);
  expr_to(compiler, node->a, window);
  reg_need(compiler, window + 4);
  int name = emit_name(compiler, node->name);
  emit_abc(compiler, node->pos, OP_GETM, window, 0, 0);
  emit_word(compiler, (Instr)name);
  emit_word(compiler, 0);
  move_to(compiler, node->pos, target, window);
  reg_set(compiler, save);
}

static void field_to(Compiler *compiler, Node *node, int target) {
  if (node->note != NULL) {
    expr_read(compiler, node->pos, node->note, target);
    return;
  }
  if (name_is(node->name, "message")) {
    message_to(compiler, node, target);
    return;
  }
  int save = compiler->func->gen.top;
  int whole = expr_any(compiler, node->a);
  int name = emit_name(compiler, node->name);
  emit_abc(compiler, node->pos, OP_GETF, target, whole, 0);
  emit_word(compiler, (Instr)name);
  emit_word(compiler, 0);
  reg_set(compiler, save);
}

// --- Operators --------------------------------------------------------------
typedef struct ArithOps {
  uint8_t registers, small, constant;  // Op; 0 means there is none
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

Op expr_op(AstOp op) { return (Op)arith_ops(op).registers; }

bool expr_fits_small(AstOp op, const Node *right) {
  if (right->kind != NODE_INT || right->i > INT8_MAX) return false;
  if (op == AST_SHL || op == AST_SHR) return right->i >= 0 && right->i <= 63;
  return right->i >= (op == AST_DIV || op == AST_MOD ? 1 : INT8_MIN);
}

// A number among the first 256 constants, or -1.
int expr_number(Compiler *compiler, const Node *right) {
  Value v;
  if (right->kind != NODE_INT && right->kind != NODE_FLOAT) return -1;
  if (!expr_constant(compiler, right, &v)) return -1;
  int index = emit_constant(compiler, v);
  return index <= 255 ? index : -1;
}

void expr_arith(Compiler *compiler, Pos pos, AstOp op, int target, int left,
                Node *right) {
  ArithOps ops = arith_ops(op);
  int save = compiler->func->gen.top;
  int constant = -1;
  if (pair_with(compiler, pos, op, target, left, right)) return;
  RT_ASSERT(compiler->func->gen.top == save);
  if (ops.small != 0 && expr_fits_small(op, right)) {
    emit_abc(compiler, pos, ops.small, target, left, (int)right->i);
  } else if (ops.constant != 0 &&
             (constant = expr_number(compiler, right)) >= 0) {
    emit_abc(compiler, pos, ops.constant, target, left, constant);
  } else {
    int r = expr_any(compiler, right);
    emit_abc(compiler, pos, ops.registers, target, left, r);
  }
  reg_set(compiler, save);
}

// 2 * x is compiled as x * 2, because that has a short form.
static bool turns_round(const Node *node) {
  return (node->op == AST_MUL || node->op == AST_ADD) &&
         (node->a->kind == NODE_INT || node->a->kind == NODE_FLOAT) &&
         !fold_is_literal(node->b);
}

// The index of the number on the left of 1 - x or 1 / x, or -1.
static int number_first(Compiler *compiler, const Node *node) {
  bool is_short = node->op == AST_SUB || node->op == AST_DIV;
  return is_short && !fold_is_literal(node->b) ? expr_number(compiler, node->a)
                                               : -1;
}

static void arith_to(Compiler *compiler, Node *node, int target) {
  int save = compiler->func->gen.top;
  bool turn = turns_round(node);
  if (pair_to(compiler, node, target)) return;
  int number = number_first(compiler, node);
  if (number >= 0) {
    Op op = node->op == AST_SUB ? OP_KSUB : OP_KDIV;
    emit_abc(compiler, node->pos, op, target, number,
             expr_any(compiler, node->b));
  } else {
    int left = expr_any(compiler, turn ? node->b : node->a);
    expr_arith(compiler, node->pos, node->op, target, left,
               turn ? node->a : node->b);
    if (turn) emit_turned(compiler, compiler->func->gen.last);
  }
  reg_set(compiler, save);
}

// The value of && || ?? is the left operand, or else the right one.
static void either_to(Compiler *compiler, Node *node, int target) {
  int save = compiler->func->gen.top, end = NO_JUMP;
  int place = workplace(compiler, target);
  expr_to(compiler, node->a, place);
  reg_need(compiler, place + 1);
  Instr test = node->op == AST_COALESCE
                   ? instr_abc(OP_NILJ, place, 0, 0)
                   : instr_abc(OP_TEST, place, node->op == AST_OR, 0);
  emit_branch(compiler, node->pos, test, &end);
  expr_to(compiler, node->b, place);
  RT_ASSERT(compiler->func->gen.top == save);
  emit_patch(compiler, end);
  move_to(compiler, node->pos, target, place);
  reg_set(compiler, save);
}

static void binary_to(Compiler *compiler, Node *node, int target) {
  if (condition_is(node)) {
    condition_value(compiler, node, target);
    return;
  }
  switch (node->op) {
    case AST_AND:
    case AST_OR:
    case AST_COALESCE:
      either_to(compiler, node, target);
      break;
    default:
      arith_to(compiler, node, target);
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

static void unary_to(Compiler *compiler, Node *node, int target) {
  if (condition_is(node) && condition_is(node->a)) {
    condition_value(compiler, node, target);
    return;
  }
  int save = compiler->func->gen.top;
  int from = expr_any(compiler, node->a);
  emit_abc(compiler, node->pos, prefix_op(node->op), target, from, 0);
  reg_set(compiler, save);
}

static void is_to(Compiler *compiler, Node *node, int target) {
  int save = compiler->func->gen.top;
  int from = expr_any(compiler, node->a);
  const Symbol *type = expr_symbol(node->b);
  int constant = type != NULL ? emit_constant(compiler, type->value)
                              : emit_name(compiler, node->b->name);
  emit_abc(compiler, node->pos, OP_IS, target, from, 0);
  emit_word(compiler, (Instr)constant);
  reg_set(compiler, save);
}

static void recv_to(Compiler *compiler, Node *node, int target) {
  int save = compiler->func->gen.top;
  int from = expr_any(compiler, node->a);
  emit_abc(compiler, node->pos, OP_RECV, target, from, 1);
  reg_set(compiler, save);
}

static void call_to(Compiler *compiler, Node *node, int target) {
  int save = compiler->func->gen.top;
  int window = calls_window(compiler, target);
  if (node->kind == NODE_CALL) {
    calls_at(compiler, node, window, 1, CALL_PLAIN);
  } else if (node->kind == NODE_GO) {
    calls_at(compiler, node->a, window, 1, CALL_GO_TASK);
  } else {
    RT_ASSERT(node->kind == NODE_PROPAGATE);
    calls_propagate(compiler, node, window, 1);
  }
  RT_ASSERT(compiler->func->gen.top == save);
  move_to(compiler, node->pos, target, window);
  reg_set(compiler, save);
}

static void value_to(Compiler *compiler, const Node *node, int target) {
  int save = compiler->func->gen.top;
  int value = branch_value(compiler, node->a);
  move_to(compiler, node->pos, target, value);
  reg_set(compiler, save);
}

// --- All of them ------------------------------------------------------------
void expr_to(Compiler *compiler, Node *node, int target) {
  Value v;
  RT_ASSERT(target >= 0 && target <= compiler->func->gen.top);
  if (compile_gives_up(compiler)) return;
  reg_need(compiler, target + 1);
  switch (node->kind) {
    case NODE_NAME:
      expr_read(compiler, node->pos, node->note, target);
      break;
    case NODE_INTERP:
      interp_to(compiler, node, target);
      break;
    case NODE_FORMAT:
      format_to(compiler, node, target);
      break;
    case NODE_LIST:
      list_to(compiler, node, target);
      break;
    case NODE_TUPLE:
      tuple_to(compiler, node, target);
      break;
    case NODE_APART: {
      int save = compiler->func->gen.top;
      apart_to(compiler, node, target, 1);
      reg_set(compiler, save);
      break;
    }
    case NODE_MAP:
      map_to(compiler, node, target);
      break;
    case NODE_RANGE:
      range_to(compiler, node, target);
      break;
    case NODE_FUNC:
      func_closure(compiler, node, target);
      break;
    case NODE_CALL:
    case NODE_PROPAGATE:
    case NODE_GO:
      call_to(compiler, node, target);
      break;
    case NODE_FIELD:
      field_to(compiler, node, target);
      break;
    case NODE_INDEX:
      index_to(compiler, node, target);
      break;
    case NODE_SLICE:
      slice_to(compiler, node, target);
      break;
    case NODE_UNARY:
      unary_to(compiler, node, target);
      break;
    case NODE_BINARY:
      binary_to(compiler, node, target);
      break;
    case NODE_IS:
      is_to(compiler, node, target);
      break;
    case NODE_RECV:
      recv_to(compiler, node, target);
      break;
    case NODE_VALUE:
      value_to(compiler, node, target);
      break;
    default:
      if (!expr_constant(compiler, node, &v))
        rt_throw("expr_to: node of kind %d", (int)node->kind);
      emit_load(compiler, node->pos, target, v);
      break;
  }
}

int expr_next(Compiler *compiler, Node *node) {
  int target = compiler->func->gen.top;
  expr_to(compiler, node, target);
  RT_ASSERT(compiler->func->gen.top == target);
  return reg_take(compiler, 1);
}

int expr_any(Compiler *compiler, Node *node) {
  int reg = expr_steady(compiler, node);
  return reg >= 0 ? reg : expr_next(compiler, node);
}

void expr_discard(Compiler *compiler, Node *node) {
  int save = compiler->func->gen.top;
  switch (node->kind) {
    case NODE_CALL:
      calls_at(compiler, node, save, 0, CALL_PLAIN);
      break;
    case NODE_GO:
      calls_at(compiler, node->a, save, 0, CALL_GO);
      break;
    case NODE_PROPAGATE:
      calls_propagate(compiler, node, save, 0);
      break;
    case NODE_RECV: {
      int from = expr_any(compiler, node->a);
      emit_abc(compiler, node->pos, OP_RECV, from, from, 0);
      break;
    }
    default:
      rt_throw("expr_discard: node of kind %d", (int)node->kind);
  }
  reg_set(compiler, save);
}

int expr_many(Compiler *compiler, Node *node, int count) {
  int first = compiler->func->gen.top;
  if (count == 1) return expr_next(compiler, node);
  switch (node->kind) {
    case NODE_CALL:
      calls_at(compiler, node, first, count, CALL_PLAIN);
      break;
    case NODE_PROPAGATE:
      calls_propagate(compiler, node, first, count);
      break;
    case NODE_RECV: {
      int from = expr_any(compiler, node->a);
      reg_need(compiler, first + count);
      emit_abc(compiler, node->pos, OP_RECV, first, from, count);
      break;
    }
    case NODE_APART:
      apart_to(compiler, node, first, count);
      break;
    case NODE_INDEX: {
      RT_ASSERT(count == 2);
      int whole = expr_any(compiler, node->a);
      int index = expr_any(compiler, node->b);
      reg_need(compiler, first + 2);
      emit_abc(compiler, node->pos, OP_GETIDX2, first, whole, index);
      break;
    }
    default:
      rt_throw("expr_many: node of kind %d", (int)node->kind);
  }
  reg_set(compiler, first);
  return reg_take(compiler, count);
}
