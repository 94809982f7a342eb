// SPDX-License-Identifier: MIT
// First pass, expressions: binds names, checks calls, folds constants. Bad
// names are reported and bound to an unknown symbol, so that one mistake is
// reported once. Children may be missing after syntax errors.
#include "lang/resolve/resolve_expr.h"
#include "lang/arena.h"
#include "lang/diag.h"
#include "lang/resolve/fold.h"
#include "lang/resolve/member.h"
#include "lang/resolve/resolve.h"
#include "lang/resolve/resolve_func.h"
#include "lang/resolve/scope.h"
#include "lang/shape.h"

enum { MAX_ARGUMENTS = 240 };

// --- Names ------------------------------------------------------------------
static void resolve_name(Compiler *compiler, Node *node) {
  RT_ASSERT(node->note == NULL);  // each name is bound once
  if (name_is_blank(node) && compiler->session == NULL) {
    diag_error(compiler->diags, node->pos, 1, "`_` holds no value");
    node->note = symbol_new(compiler, SYM_UNKNOWN, node->name, node->pos);
    return;
  }
  Symbol *symbol = scope_find(compiler, node->name, node->pos);
  if (symbol == NULL) {
    scope_unknown(compiler, node->name, node->pos, false);
    symbol = symbol_new(compiler, SYM_UNKNOWN, node->name, node->pos);
  }
  symbol->used = true;
  if (compiler->session != NULL) symbol = scope_late(compiler, symbol);
  if (name_is_blank(node)) compiler->session->bare = true;
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

static void resolve_field(Compiler *compiler, Node *node) {
  resolve_expr(compiler, node->a);
  Symbol *module = module_of(node->a);
  if (module != NULL && node->name != NULL)
    node->note = member_find(compiler, module, node->name, node->pos);
}

// --- Types ------------------------------------------------------------------
static void hint_struct(Compiler *compiler, const Symbol *module,
                        const AstStr *name) {
  RT_ASSERT(module->kind == SYM_MODULE);
  Suggest suggest = {.wanted = name->text};
  member_suggest_struct(compiler, (ObjModule *)value_obj(module->value),
                        &suggest);
  if (scope_type_name(name) != NULL)
    diag_hint(compiler->diags, "did you mean `%s`?", name->text);
  else if (suggest.best != NULL)
    diag_hint(compiler->diags, "did you mean `%s.%s`?", module->name->text,
              suggest.best);
}

static Symbol *type_of_module(Compiler *compiler, Node *type) {
  resolve_field(compiler, type);
  Symbol *symbol = type->note;
  if (symbol == NULL) {
    diag_error(compiler->diags, type->pos, 1,
               "a type is a name, or `module.Name` of an imported module");
    return NULL;
  }
  if (symbol->kind == SYM_STRUCT || symbol->kind == SYM_UNKNOWN) return symbol;
  if (diag_error(compiler->diags, type->pos, (uint32_t)type->name->len,
                 "`%s` is not a struct", type->name->text))
    hint_struct(compiler, type->a->note, type->name);
  return NULL;
}

// Resolves what stands after `is`. Its note becomes a struct's symbol, or NULL
// where the name is one of a built-in type.
static void resolve_type(Compiler *compiler, Node *type) {
  if (type == NULL) return;
  if (type->kind == NODE_FIELD) {
    type->note = type_of_module(compiler, type);
    return;
  }
  if (type->kind != NODE_NAME || name_is_blank(type)) {
    diag_error(compiler->diags, type->pos, 1, "`is` needs the name of a type");
    return;
  }
  Symbol *symbol = scope_find(compiler, type->name, type->pos);
  if (symbol != NULL &&
      (symbol->kind == SYM_STRUCT || symbol->kind == SYM_UNKNOWN)) {
    symbol->used = true;
    type->note = symbol;
  } else if (scope_type_name(type->name) == NULL) {
    scope_unknown_type(compiler, type->name, type->pos);
  }
}

// --- Calls ------------------------------------------------------------------
// (Their order and names are the parser's to check.)
static void check_count(Compiler *compiler, const Node *args) {
  if (count_nodes(args) <= MAX_ARGUMENTS) return;
  diag_error(compiler->diags, args->pos, 1, "a call has at most %d arguments",
             MAX_ARGUMENTS);
  diag_hint(compiler->diags, "pass a list, or spread one: `f(list...)`");
}

static void resolve_call(Compiler *compiler, Node *node) {
  resolve_expr(compiler, node->a);
  resolve_list(compiler, node->b);
  check_count(compiler, node->b);
}

static void resolve_try(Compiler *compiler, Node *node) {
  resolve_expr(compiler, node->a);
  if (compiler->func->constructor) {
    diag_error(compiler->diags, node->pos, 1,
               "`?` cannot stand in a field's default: there is no function "
               "to return from");
  }
  RT_ASSERT(node->kind == NODE_PROPAGATE);
  if (compiler->func->resolve.propagate == NULL)
    compiler->func->resolve.propagate = node;
}

static void resolve_value(Compiler *compiler, Node *node) {
  Func *func = compiler->func;
  func->resolve.values++;
  resolve_stmt(compiler, node->a, NULL);
  func->resolve.values--;
  RT_ASSERT(func == compiler->func);
}

// --- All of them ------------------------------------------------------------
void resolve_list(Compiler *compiler, Node *list) {
  for (Node *node = list; node != NULL; node = node->next)
    resolve_expr(compiler, node);
}

static void resolve_pairs(Compiler *compiler, Node *pairs) {
  for (Node *pair = pairs; pair != NULL; pair = pair->next) {
    resolve_expr(compiler, pair->a);
    resolve_expr(compiler, pair->b);
  }
}

static void resolve_operands(Compiler *compiler, Node *node) {
  resolve_expr(compiler, node->a);
  resolve_expr(compiler, node->b);
  if (node->kind == NODE_SLICE) resolve_expr(compiler, node->c);
  fold(compiler, node);
}

// The parser has taken away the `...` of `[a, rest...] := x`.
static void check_elements(Compiler *compiler, const Node *elements) {
  for (const Node *node = elements; node != NULL; node = node->next) {
    if (node->kind != NODE_SPREAD) continue;
    diag_error(compiler->diags, node->pos, 3,
               "`...` stands in a list only left of `:=`");
    diag_hint(compiler->diags, "lists are joined by `+`");
  }
}

void resolve_expr(Compiler *compiler, Node *node) {
  if (node == NULL || arena_failed(compiler->arena)) return;
  RT_ASSERT(compiler->partial || node_is_valid(node));
  switch (node->kind) {
    case NODE_NAME:
      resolve_name(compiler, node);
      break;
    case NODE_FIELD:
      resolve_field(compiler, node);
      break;
    case NODE_LIST:
      check_elements(compiler, node->a);
      resolve_list(compiler, node->a);
      break;
    case NODE_INTERP:
    case NODE_TUPLE:
      resolve_list(compiler, node->a);
      break;
    case NODE_MAP:
      resolve_pairs(compiler, node->a);
      break;
    case NODE_FUNC:
      resolve_func_literal(compiler, node);
      break;
    case NODE_CALL:
      resolve_call(compiler, node);
      break;
    case NODE_PROPAGATE:
      resolve_try(compiler, node);
      break;
    case NODE_IS:
      resolve_expr(compiler, node->a);
      resolve_type(compiler, node->b);
      break;
    case NODE_INDEX:
    case NODE_SLICE:
    case NODE_RANGE:
    case NODE_BINARY:
    case NODE_UNARY:
      resolve_operands(compiler, node);
      break;
    case NODE_VALUE:
      resolve_value(compiler, node);
      break;
    case NODE_FORMAT:
    case NODE_RECV:
    case NODE_GO:
    case NODE_SPREAD:
    case NODE_APART:
    case NODE_NAMED:
      resolve_expr(compiler, node->a);
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
    case SYM_LOCAL:
    case SYM_LITERAL:
    case SYM_GLOBAL:
    case SYM_VALUE:
      return symbol->predeclared ? "predeclared" : "a constant";
    default:
      rt_throw("constant_kind: symbol of kind %d", (int)symbol->kind);
  }
}

static void check_assigned(Compiler *compiler, const Symbol *symbol, Pos pos) {
  if (!symbol->constant || symbol->kind == SYM_UNKNOWN) return;
  diag_error(compiler->diags, pos, (uint32_t)symbol->name->len,
             "cannot assign to `%s`: it is %s", symbol->name->text,
             constant_kind(symbol));
  if (symbol->predeclared) {
    diag_hint(compiler->diags, "declare a name of your own with `:=`");
  } else if (symbol->pos.line > 0) {
    diag_hint(compiler->diags, "it was declared in line %u", symbol->pos.line);
  }
}

static void resolve_target_name(Compiler *compiler, Node *node) {
  if (name_is_blank(node)) return;
  RT_ASSERT(node->note == NULL);
  Symbol *symbol = scope_find(compiler, node->name, node->pos);
  if (symbol == NULL) {
    scope_unknown(compiler, node->name, node->pos, true);
    symbol = symbol_new(compiler, SYM_UNKNOWN, node->name, node->pos);
  }
  node->note = symbol;
  symbol->assigned = true;
  if (symbol->owner == compiler->func &&
      symbol->values < compiler->func->resolve.values)
    symbol->unsteady = true;
  check_assigned(compiler, symbol, node->pos);
}

void resolve_target(Compiler *compiler, Node *node) {
  switch (node->kind) {
    case NODE_NAME:
      resolve_target_name(compiler, node);
      break;
    case NODE_FIELD:
      resolve_field(compiler, node);
      if (node->note != NULL) check_assigned(compiler, node->note, node->pos);
      break;
    case NODE_INDEX:
      resolve_expr(compiler, node->a);
      resolve_expr(compiler, node->b);
      break;
    default:
      resolve_expr(compiler,
                   node);  // the parser has said what is wrong with it
      break;
  }
}
