// SPDX-License-Identifier: MIT
// First pass, expressions: binds names, checks calls, folds constants. Bad
// names are reported and bound to an unknown symbol, so that one mistake is
// reported once. Children may be missing after syntax errors.
#include "lang/resolve/resolve_expr.h"
#include "lang/arena.h"
#include "lang/diag.h"
#include "lang/parse/shape.h"
#include "lang/resolve/fold.h"
#include "lang/resolve/member.h"
#include "lang/resolve/resolve_func.h"
#include "lang/resolve/scope.h"

enum { MAX_ARGUMENTS = 240 };

// --- Names ------------------------------------------------------------------
static void resolve_name(Compiler *c, Node *node) {
  RT_ASSERT(node->note == NULL);  // each name is bound once
  if (name_is_blank(node) && c->session == NULL) {
    diag_error(c->diags, node->pos, 1, "`_` holds no value");
    node->note = symbol_new(c, SYM_UNKNOWN, node->name, node->pos);
    return;
  }
  Symbol *symbol = scope_find(c, node->name, node->pos);
  if (symbol == NULL) {
    scope_unknown(c, node->name, node->pos, false);
    symbol = symbol_new(c, SYM_UNKNOWN, node->name, node->pos);
  }
  symbol->used = true;
  if (c->session != NULL) symbol = scope_late(c, symbol);
  if (name_is_blank(node)) c->session->bare = true;
  node->note = symbol;
  bool literal = symbol->kind == SYM_LITERAL || symbol->kind == SYM_GLOBAL;
  if (literal && symbol->node != NULL) fold_to_literal(node, symbol->node);
}

static Symbol *module_of(const Node *node) {
  if (node == NULL) return NULL;
  if (node->kind != NODE_NAME && node->kind != NODE_FIELD) return NULL;
  Symbol *symbol = node->note;
  return symbol != NULL && symbol->kind == SYM_MODULE ? symbol : NULL;
}

static void resolve_field(Compiler *c, Node *node) {
  resolve_expr(c, node->a);
  Symbol *module = module_of(node->a);
  if (module != NULL && node->name != NULL)
    node->note = member_find(c, module, node->name, node->pos);
}

// --- Types ------------------------------------------------------------------
static Symbol *type_of_module(Compiler *c, Node *type) {
  resolve_field(c, type);
  Symbol *symbol = type->note;
  if (symbol == NULL) {
    diag_error(c->diags, type->pos, 1,
               "a type is a name, or `module.Name` of an imported module");
    return NULL;
  }
  if (symbol->kind == SYM_STRUCT || symbol->kind == SYM_UNKNOWN) return symbol;
  diag_error(c->diags, type->pos, (uint32_t)type->name->len,
             "`%s` is not a struct", type->name->text);
  return NULL;
}

// Resolves what stands after `is`. Its note becomes a struct's symbol, or NULL
// where the name is one of a built-in type.
static void resolve_type(Compiler *c, Node *type) {
  if (type == NULL) return;
  if (type->kind == NODE_FIELD) {
    type->note = type_of_module(c, type);
    return;
  }
  if (type->kind != NODE_NAME || name_is_blank(type)) {
    diag_error(c->diags, type->pos, 1, "`is` needs the name of a type");
    return;
  }
  Symbol *symbol = scope_find(c, type->name, type->pos);
  if (symbol != NULL &&
      (symbol->kind == SYM_STRUCT || symbol->kind == SYM_UNKNOWN)) {
    symbol->used = true;
    type->note = symbol;
  } else if (scope_type_name(type->name) == NULL) {
    scope_unknown_type(c, type->name, type->pos);
  }
}

// --- Calls ------------------------------------------------------------------
static void check_repeated(Compiler *c, const Node *args, const Node *named) {
  for (const Node *arg = args; arg != named; arg = arg->next) {
    if (arg->kind != NODE_NAMED || arg->name != named->name) continue;
    diag_error(c->diags, named->pos, (uint32_t)named->name->len,
               "the argument `%s` is given twice", named->name->text);
    return;
  }
}

// Positional arguments, then at most one spread list, then named ones.
static void check_order(Compiler *c, const Node *args) {
  const Node *spread = NULL, *named = NULL;
  int count = 0;
  for (const Node *arg = args; arg != NULL; arg = arg->next, count++) {
    if (arg->kind == NODE_NAMED) {
      named = arg;
      if (count < MAX_ARGUMENTS) check_repeated(c, args, arg);
    } else if (named != NULL) {
      diag_error(c->diags, arg->pos, 1,
                 "an argument without a name follows `%s:`", named->name->text);
      diag_hint(c->diags, "put the named arguments last");
    } else if (spread != NULL) {
      diag_error(c->diags, arg->pos, 1,
                 "only named arguments may follow a spread list");
    } else if (arg->kind == NODE_SPREAD) {
      spread = arg;
    }
  }
  if (count > MAX_ARGUMENTS) {
    diag_error(c->diags, args->pos, 1, "a call has at most %d arguments",
               MAX_ARGUMENTS);
    diag_hint(c->diags, "pass a list, or spread one: `f(list...)`");
  }
}

static void resolve_call(Compiler *c, Node *node) {
  resolve_expr(c, node->a);
  resolve_list(c, node->b);
  check_order(c, node->b);
}

static void resolve_try(Compiler *c, Node *node) {
  resolve_expr(c, node->a);
  if (c->func->constructor) {
    diag_error(c->diags, node->pos, 1,
               "`?` cannot stand in a field's default: there is no function "
               "to return from");
  }
  RT_ASSERT(node->kind == NODE_TRY);
  if (c->func->resolve.try_node == NULL) c->func->resolve.try_node = node;
}

// --- All of them ------------------------------------------------------------
void resolve_list(Compiler *c, Node *list) {
  for (Node *node = list; node != NULL; node = node->next)
    resolve_expr(c, node);
}

static void resolve_pairs(Compiler *c, Node *pairs) {
  for (Node *pair = pairs; pair != NULL; pair = pair->next) {
    resolve_expr(c, pair->a);
    resolve_expr(c, pair->b);
  }
}

static void resolve_operands(Compiler *c, Node *node) {
  resolve_expr(c, node->a);
  resolve_expr(c, node->b);
  if (node->kind == NODE_SLICE) resolve_expr(c, node->c);
  fold(c, node);
}

void resolve_expr(Compiler *c, Node *node) {
  if (node == NULL || arena_failed(c->arena)) return;
  RT_ASSERT(c->partial || node_is_valid(node));
  switch (node->kind) {
    case NODE_NAME:
      resolve_name(c, node);
      break;
    case NODE_FIELD:
      resolve_field(c, node);
      break;
    case NODE_INTERP:
    case NODE_LIST:
      resolve_list(c, node->a);
      break;
    case NODE_MAP:
      resolve_pairs(c, node->a);
      break;
    case NODE_FUNC:
      resolve_func_literal(c, node);
      break;
    case NODE_CALL:
      resolve_call(c, node);
      break;
    case NODE_TRY:
      resolve_try(c, node);
      break;
    case NODE_IS:
      resolve_expr(c, node->a);
      resolve_type(c, node->b);
      break;
    case NODE_INDEX:
    case NODE_SLICE:
    case NODE_RANGE:
    case NODE_BINARY:
    case NODE_UNARY:
      resolve_operands(c, node);
      break;
    case NODE_RECV:
    case NODE_GO:
    case NODE_SPREAD:
    case NODE_NAMED:
      resolve_expr(c, node->a);
      break;
    default:
      if (!fold_is_literal(node))
        rt_throw("resolve_expr: node of kind %d", (int)node->kind);
  }
}

// --- Targets ----------------------------------------------------------------
static const char *constant_kind(const Symbol *symbol) {
  switch (symbol->kind) {
    case SYM_FUNC:
      return "a function";
    case SYM_STRUCT:
      return "a struct";
    case SYM_MODULE:
      return "a module";
    default:
      return symbol->predeclared ? "predeclared" : "a constant";
  }
}

static void check_assigned(Compiler *c, const Symbol *symbol, Pos pos) {
  if (!symbol->constant || symbol->kind == SYM_UNKNOWN) return;
  diag_error(c->diags, pos, (uint32_t)symbol->name->len,
             "cannot assign to `%s`: it is %s", symbol->name->text,
             constant_kind(symbol));
  if (symbol->predeclared) {
    diag_hint(c->diags, "declare a name of your own with `:=`");
  } else if (symbol->pos.line > 0) {
    diag_hint(c->diags, "it was declared in line %u", symbol->pos.line);
  }
}

static void resolve_target_name(Compiler *c, Node *node) {
  if (name_is_blank(node)) return;
  RT_ASSERT(node->note == NULL);
  Symbol *symbol = scope_find(c, node->name, node->pos);
  if (symbol == NULL) {
    scope_unknown(c, node->name, node->pos, true);
    symbol = symbol_new(c, SYM_UNKNOWN, node->name, node->pos);
  }
  node->note = symbol;
  symbol->assigned = true;
  check_assigned(c, symbol, node->pos);
}

void resolve_target(Compiler *c, Node *node) {
  switch (node->kind) {
    case NODE_NAME:
      resolve_target_name(c, node);
      break;
    case NODE_FIELD:
      resolve_field(c, node);
      if (node->note != NULL) check_assigned(c, node->note, node->pos);
      break;
    case NODE_INDEX:
      resolve_expr(c, node->a);
      resolve_expr(c, node->b);
      break;
    default:
      resolve_expr(c, node);  // the parser has said what is wrong with it
      break;
  }
}
