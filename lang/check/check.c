// SPDX-License-Identifier: MIT
// What `cspvm check` warns of, beside names that are not used: one walk over
// the tree, which asks the other files of this folder at each node.
//
// A warning is only given where it is certain: of literals, of functions and
// structs that are known, and of variables that are set once. The tree is not
// changed.
#include "lang/check/check.h"

#include "lang/check/arguments.h"
#include "lang/check/compares.h"
#include "lang/check/dropped.h"
#include "lang/check/duplicates.h"
#include "lang/check/fields.h"
#include "lang/check/keys.h"
#include "lang/check/kinds.h"
#include "lang/check/operators.h"
#include "lang/check/results.h"
#include "lang/check/returns.h"
#include "lang/resolve/scope.h"

// --- Conditions -------------------------------------------------------------
static void always_true(Compiler *compiler, const Node *node,
                        const char *what) {
  diag_warn(compiler->diags, node->pos, (uint32_t)node->name->len,
            "`%s` is %s, and always true", node->name->text, what);
  const Symbol *symbol = node->note;
  if (symbol != NULL && symbol->kind == SYM_STRUCT)
    diag_hint(compiler->diags, "a type is asked for by `x is %s`",
              node->name->text);
  else
    diag_hint(compiler->diags, "call it: `%s()`", node->name->text);
}

static bool is_function(const Symbol *symbol) {
  if (symbol->kind == SYM_FUNC) return true;
  return symbol->kind == SYM_VALUE &&
         (value_is_type(symbol->value, OBJ_NATIVE) ||
          value_is_type(symbol->value, OBJ_CLOSURE));
}

static bool field_is_method(Compiler *compiler, const Node *field) {
  return field->note == NULL &&
         (fields_method(compiler, field) != NULL ||
          kinds_has_method(compiler, kinds_of(field->a), field->name));
}

// What the NAME or FIELD surely stands for, if that is true, or NULL.
static const char *true_thing(Compiler *compiler, const Node *node) {
  const Symbol *symbol = node->note;
  if (symbol != NULL && symbol->kind == SYM_STRUCT) return "a struct";
  if ((symbol != NULL && is_function(symbol)) || kinds_of(node) == KIND_FUNC)
    return "a function";
  bool method = node->kind == NODE_FIELD && field_is_method(compiler, node);
  return method ? "a method" : NULL;
}

// What only its truth is asked of.
static void check_truth(Compiler *compiler, const Node *node) {
  if (node == NULL) return;
  if (node->kind == NODE_BINARY &&
      (node->op == AST_AND || node->op == AST_OR)) {
    check_truth(compiler, node->a);
    check_truth(compiler, node->b);
  } else if (node->kind == NODE_FUNC) {
    diag_warn(compiler->diags, node->pos, 4,
              "a function that is not called is always true");
  } else if (node->kind == NODE_NAME || node->kind == NODE_FIELD) {
    const char *what = true_thing(compiler, node);
    if (what != NULL) always_true(compiler, node, what);
  }
}

static void check_cases(Compiler *compiler, const Node *node) {
  if (node->b != NULL) return;  // it is compared
  for (const Node *one = node->c; one != NULL; one = one->next)
    for (const Node *value = one->a; value != NULL; value = value->next)
      check_truth(compiler, value);
}

static void check_assert(Compiler *compiler, const Node *call) {
  const Symbol *symbol = call->a->kind == NODE_NAME ? call->a->note : NULL;
  if (symbol != NULL && symbol->predeclared && name_is(symbol->name, "assert"))
    check_truth(compiler, call->b);
}

// --- The walk ---------------------------------------------------------------
static void check_node(Compiler *compiler, const Node *node) {
  switch (node->kind) {
    case NODE_CALL:
      arguments_check(compiler, node);
      fields_check_call(compiler, node);
      keys_in_call(compiler, node);
      check_assert(compiler, node);
      break;
    case NODE_FUNC:
      returns_check(compiler, node);
      break;
    case NODE_DEFINE:
    case NODE_VAR:
    case NODE_CONST:
      results_check(compiler, node);
      break;
    case NODE_ASSIGN:
      results_check(compiler, node);
      operators_in_assign(compiler, node);
      break;
    case NODE_PROPAGATE:
      results_check_tried(compiler, node);
      break;
    case NODE_EXPR:
      dropped_check(compiler, node);
      break;
    case NODE_DEFER:
      dropped_by_defer(compiler, node);
      break;
    case NODE_FIELD:
      fields_check(compiler, node);
      break;
    case NODE_MAP:
      doubles_in_map(compiler, node);
      keys_in_map(compiler, node);
      break;
    case NODE_INDEX:
      keys_in_index(compiler, node);
      operators_in_index(compiler, node);
      break;
    case NODE_SLICE:
      operators_in_index(compiler, node);
      break;
    case NODE_BINARY:
      compares_check(compiler, node);
      keys_in_question(compiler, node);
      operators_in_binary(compiler, node);
      break;
    case NODE_RANGE:
      operators_in_binary(compiler, node);
      break;
    case NODE_UNARY:
      if (node->op == AST_NOT) check_truth(compiler, node->a);
      operators_in_unary(compiler, node);
      break;
    case NODE_RECV:
      operators_in_receive(compiler, node);
      break;
    case NODE_FORIN:
      operators_in_loop(compiler, node);
      break;
    case NODE_IF:
    case NODE_FOR:
      check_truth(compiler, node->b);
      break;
    case NODE_SWITCH:
      doubles_in_switch(compiler, node);
      compares_in_switch(compiler, node);
      check_cases(compiler, node);
      break;
    default:
      break;
  }
}

static void check_list(Compiler *compiler, const Node *list) {
  for (const Node *node = list; node != NULL; node = node->next) {
    check_node(compiler, node);
    check_list(compiler, node->a);
    check_list(compiler, node->b);
    check_list(compiler, node->c);
    check_list(compiler, node->d);
  }
}

void check_file(Compiler *compiler, const Node *stmts) {
  RT_ASSERT(diags_errors(compiler->diags) == 0 && !compiler->partial);
  fields_look(compiler, stmts);
  returns_look(stmts);
  dropped_by_go(compiler, stmts);
  check_list(compiler, stmts);
}
