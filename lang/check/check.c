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
#include "lang/check/returns.h"

// --- Conditions -------------------------------------------------------------
static void always_true(Compiler *compiler, const Node *node,
                        const char *what) {
  diag_warn(compiler->diags, node->pos, (uint32_t)node->name->len,
            "`%s` is %s, and always true", node->name->text, what);
  diag_hint(compiler->diags, "call it: `%s()`", node->name->text);
}

static bool is_function(const Symbol *symbol) {
  if (symbol->kind == SYM_FUNC) return true;
  return symbol->kind == SYM_VALUE &&
         (value_is_type(symbol->value, OBJ_NATIVE) ||
          value_is_type(symbol->value, OBJ_CLOSURE));
}

// What only its truth is asked of.
static void check_truth(Compiler *compiler, const Node *node) {
  if (node == NULL) return;
  bool named = node->kind == NODE_NAME || node->kind == NODE_FIELD;
  if (node->kind == NODE_BINARY &&
      (node->op == AST_AND || node->op == AST_OR)) {
    check_truth(compiler, node->a);
    check_truth(compiler, node->b);
  } else if (named && node->note != NULL) {
    if (is_function(node->note)) always_true(compiler, node, "a function");
  } else if (node->kind == NODE_FIELD &&
             fields_method(compiler, node) != NULL) {
    always_true(compiler, node, "a method");
  }
}

// --- The walk ---------------------------------------------------------------
static void check_node(Compiler *compiler, const Node *node) {
  switch (node->kind) {
    case NODE_CALL:
      arguments_check(compiler, node);
      fields_check_call(compiler, node);
      keys_in_call(compiler, node);
      break;
    case NODE_FUNC:
      returns_check(compiler, node);
      break;
    case NODE_EXPR:
      dropped_check(compiler, node);
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
      break;
    case NODE_BINARY:
      compares_check(compiler, node);
      keys_in_question(compiler, node);
      break;
    case NODE_UNARY:
      if (node->op == AST_NOT) check_truth(compiler, node->a);
      break;
    case NODE_IF:
    case NODE_FOR:
      check_truth(compiler, node->b);
      break;
    case NODE_SWITCH:
      doubles_in_switch(compiler, node);
      compares_in_switch(compiler, node);
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
  check_list(compiler, stmts);
}
