// SPDX-License-Identifier: MIT
// Operators, indices and slices with operands of types that they do not take,
// so that they panic each time (vm/interp/arith.c, access.c), and loops over
// what has no elements, and ranges that are empty. Of two operands one may be
// unknown.
#include "lang/check/operators.h"

#include <string.h>

#include "lang/check/kinds.h"
#include "lang/resolve/fold.h"
#include "lang/resolve/scope.h"

// --- What operators take ----------------------------------------------------
// Sets of types. The operands of an operator are both in one of its sets.
#define OF(kind) (1u << KIND_##kind)
#define NUMBERS (OF(INT) | OF(FLOAT))

static const unsigned ANY[] = {~0u, 0};
static const unsigned JOINED[] = {NUMBERS, OF(STRING), OF(LIST), OF(TUPLE), 0};
static const unsigned COUNTED_KINDS[] = {NUMBERS, 0};
static const unsigned WHOLE[] = {OF(INT), 0};
static const unsigned ORDERED[] = {NUMBERS, OF(STRING), OF(BYTES), OF(TUPLE),
                                   0};
static const unsigned SLICED[] = {OF(STRING) | OF(BYTES) | OF(LIST) | OF(TUPLE),
                                  0};
static const unsigned INDEXED[] = {
    OF(STRING) | OF(BYTES) | OF(LIST) | OF(TUPLE) | OF(MAP), 0};
static const unsigned LOOPED[] = {~(OF(NIL) | OF(BOOL) | OF(FLOAT)), 0};
// (A nil channel waits for ever.)
static const unsigned AWAITED[] = {OF(NIL) | OF(CHAN) | OF(TASK), 0};

static const unsigned *sets_of(AstOp op) {
  switch (op) {
    case AST_ADD:
      return JOINED;
    case AST_SUB:
    case AST_MUL:
    case AST_DIV:
    case AST_MOD:
    case AST_NEG:
      return COUNTED_KINDS;
    case AST_ADDW:
    case AST_SUBW:
    case AST_MULW:
    case AST_BAND:
    case AST_BOR:
    case AST_BXOR:
    case AST_SHL:
    case AST_SHR:
    case AST_BNOT:
    case AST_RANGE:
    case AST_RANGE_INCL:
      return WHOLE;
    case AST_LT:
    case AST_LE:
    case AST_GT:
    case AST_GE:
      return ORDERED;
    default:
      return ANY;
  }
}

static bool may_be_in(Kind kind, unsigned set) {
  return kind == KIND_UNKNOWN || (set >> kind & 1u) != 0;
}

static bool fit(const unsigned *sets, Kind a, Kind b) {
  for (; *sets != 0; sets++)
    if (may_be_in(a, *sets) && may_be_in(b, *sets)) return true;
  return false;
}

// --- Operands ---------------------------------------------------------------
// Whether a constant's name stands for it, or in it. Programs have constants
// for what may be changed, and ask what they are (`LIMIT != nil && n > LIMIT`).
static bool has_constant(const Node *node) {
  if (node == NULL) return false;
  if (fold_is_literal(node))
    return node->name != NULL || has_constant(node->a) || has_constant(node->b);
  const Symbol *symbol = node->kind == NODE_NAME ? node->note : NULL;
  return symbol != NULL && symbol->decl != NULL &&
         symbol->decl->kind == NODE_CONST;
}

static Kind kind_of_operand(const Node *node) {
  return has_constant(node) ? KIND_UNKNOWN : kinds_of(node);
}

// --- Two operands -----------------------------------------------------------
static void hint_joined(Compiler *compiler, AstOp op, Kind a, Kind b) {
  if (op != AST_ADD || a == KIND_NIL || b == KIND_NIL) return;
  if (a == KIND_STRING)
    diag_hint(compiler->diags, "write `s + str(x)`");
  else if (b == KIND_STRING)
    diag_hint(compiler->diags, "write `str(x) + s`");
}

static void check_two(Compiler *compiler, const Node *node, const Node *left,
                      const Node *right) {
  AstOp op = (AstOp)node->op;
  Kind a = kind_of_operand(left), b = kind_of_operand(right);
  if (fit(sets_of(op), a, b)) return;
  const char *text = ast_op_text(op);
  uint32_t len = (uint32_t)strlen(text) + (node->kind == NODE_ASSIGN);
  if (a != KIND_UNKNOWN && b != KIND_UNKNOWN)
    diag_warn(compiler->diags, node->pos, len,
              "this always panics: `%s` is applied to %s and %s", text,
              kinds_name(a), kinds_name(b));
  else
    diag_warn(compiler->diags, node->pos, len,
              "this always panics: `%s` is applied to %s", text,
              kinds_name(a != KIND_UNKNOWN ? a : b));
  hint_joined(compiler, op, a, b);
}

void operators_in_binary(Compiler *compiler, const Node *node) {
  check_two(compiler, node, node->a, node->b);
}

void operators_in_assign(Compiler *compiler, const Node *node) {
  if (node->op != AST_NONE && node->a->next == NULL && node->b->next == NULL)
    check_two(compiler, node, node->a, node->b);
}

// --- One operand ------------------------------------------------------------
static void check_one(Compiler *compiler, const Node *node, const char *text,
                      const unsigned *sets) {
  Kind kind = kind_of_operand(node->a);
  if (!fit(sets, kind, kind))
    diag_warn(compiler->diags, node->pos, (uint32_t)strlen(text),
              "this always panics: `%s` is applied to %s", text,
              kinds_name(kind));
}

void operators_in_unary(Compiler *compiler, const Node *node) {
  AstOp op = (AstOp)node->op;
  check_one(compiler, node, ast_op_text(op), sets_of(op));
}

void operators_in_receive(Compiler *compiler, const Node *node) {
  check_one(compiler, node, "<-", AWAITED);
}

void operators_in_index(Compiler *compiler, const Node *node) {
  bool index = node->kind == NODE_INDEX;
  Kind kind = kind_of_operand(node->a);
  if (fit(index ? INDEXED : SLICED, kind, kind)) return;
  diag_warn(compiler->diags, node->pos, 1, "this always panics: %s of %s",
            index ? "an element" : "a slice", kinds_name(kind));
  if (kind == KIND_RANGE)
    diag_hint(compiler->diags, "make a list of it, as in `list(r)[i]`");
}

// --- Loops ------------------------------------------------------------------
static bool is_int(const Node *node, int64_t *value) {
  bool minus = node->kind == NODE_UNARY && node->op == AST_NEG;
  const Node *number = minus ? node->a : node;
  if (number->kind != NODE_INT || has_constant(number)) return false;
  *value = minus && number->i != INT64_MIN ? -number->i : number->i;
  return true;
}

void operators_in_loop(Compiler *compiler, const Node *node) {
  const Node *range = node->b;
  int64_t first, end;
  Kind kind = kind_of_operand(range);
  if (!fit(LOOPED, kind, kind))
    diag_warn(compiler->diags, range->pos, 1,
              "this always panics: a loop over %s", kinds_name(kind));
  if (range->kind != NODE_RANGE || !is_int(range->a, &first) ||
      !is_int(range->b, &end) || first <= end)
    return;
  diag_warn(compiler->diags, range->pos,
            (uint32_t)strlen(ast_op_text(range->op)),
            "this loop never runs: a range goes up, and this one is empty");
  diag_hint(compiler->diags, "count down with `.by(-1)`");
}
