// SPDX-License-Identifier: MIT
// The top-level names of a file, declared before anything is resolved: they
// are visible everywhere in the file. Imports are loaded here.
//
// A constant with a literal value, before which nothing can run that could read
// it too early, is known from the start, as functions are: its uses become the
// literal.
#include "lang/resolve/declare.h"
#include "lang/diag.h"
#include "lang/resolve/fold.h"
#include "lang/resolve/scope.h"
#include "lang/shape.h"

static Symbol *declare_global(Compiler *compiler, Node *name, const Node *stmt,
                              bool constant) {
  RT_ASSERT(scope_at_top(compiler) && name->note == NULL);
  Symbol *symbol = scope_declare(compiler, SYM_GLOBAL, name->name, name->pos);
  symbol->constant = constant;
  symbol->decl = stmt;
  symbol->used = true;
  name->note = symbol;
  name->flags |= NOTE_NEW;
  return symbol;
}

// --- Constants that are known -----------------------------------------------
// Folds a constant expression; whether it is a literal then.
static bool const_is_known(Compiler *compiler, Node *node) {
  if (node == NULL) return false;
  if (node->kind == NODE_NAME) {
    const Symbol *symbol = scope_here(compiler, node->name);
    if (symbol != NULL && symbol->kind == SYM_GLOBAL && symbol->node != NULL)
      fold_to_literal(node, symbol->node);
  } else if (node->kind == NODE_UNARY || node->kind == NODE_BINARY) {
    bool a = const_is_known(compiler, node->a);
    bool b = node->kind == NODE_UNARY || const_is_known(compiler, node->b);
    if (a && b) fold(compiler, node);
  }
  return fold_is_literal(node);
}

static bool is_inert_list(const Node *list);

// Nothing of the program runs while it is evaluated.
static bool is_inert(const Node *node) {
  if (node == NULL) return true;
  switch (node->kind) {
    case NODE_NAME:
    case NODE_FUNC:
      return true;
    case NODE_LIST:
    case NODE_TUPLE:
    case NODE_MAP:
      return is_inert_list(node->a);
    case NODE_PAIR:
    case NODE_UNARY:
    case NODE_BINARY:
    case NODE_RANGE:
      return is_inert(node->a) && is_inert(node->b);
    default:
      return fold_is_literal(node);
  }
}

static bool is_inert_list(const Node *list) {
  for (const Node *node = list; node != NULL; node = node->next) {
    if (!is_inert(node)) return false;
  }
  return true;
}

static bool is_inert_stmt(const Node *stmt) {
  switch (stmt->kind) {
    case NODE_IMPORT:
    case NODE_FUNCDECL:
    case NODE_STRUCT:
      return true;
    case NODE_DEFINE:
    case NODE_VAR:
    case NODE_CONST:
      return is_inert_list(stmt->b);
    default:
      return false;
  }
}

// --- Declaring --------------------------------------------------------------
static bool is_paired(const Node *a, const Node *b) {
  while (a != NULL && b != NULL) a = a->next, b = b->next;
  return a == NULL && b == NULL;
}

// early: nothing has run before this statement.
static void declare_names(Compiler *compiler, const Node *stmt, bool early) {
  bool constant = stmt->kind == NODE_CONST;
  bool paired = early && constant && is_paired(stmt->a, stmt->b);
  Node *value = paired ? stmt->b : NULL;
  for (Node *name = stmt->a; name != NULL; name = name->next) {
    if (name->kind == NODE_NAME && !name_is_blank(name)) {
      Symbol *symbol = declare_global(compiler, name, stmt, constant);
      if (const_is_known(compiler, value)) symbol->node = value;
    }
    if (value != NULL) value = value->next;
  }
}

void declares_nothing(Compiler *compiler, const Node *stmt) {
  for (const Node *target = stmt->a; target != NULL; target = target->next) {
    if (target->kind != NODE_NAME) return;  // the parser has reported it
  }
  const Node *name = stmt->a;
  while (name != NULL && name_is_blank(name)) name = name->next;
  const Node *shown = name != NULL ? name : stmt->a;
  diag_error(compiler->diags, shown->pos, name_length(shown->name),
             name != NULL
                 ? "`:=` declares no new name here: `%s` is there already"
                 : "`:=` declares no new name here: `%s` is never declared",
             shown->name->text);
  diag_hint(compiler->diags, name != NULL ? "write `=` to assign"
                             : stmt->b->kind == NODE_APART
                                 ? "name at least one of the elements"
                                 : "write `=`: `_ = f()`");
}

// Declares the new names of a, b := ..., while the others are assigned.
static void declare_define(Compiler *compiler, const Node *stmt) {
  bool new = false;
  for (Node *name = stmt->a; name != NULL; name = name->next) {
    if (name->kind != NODE_NAME || name_is_blank(name)) continue;
    Symbol *before = scope_here(compiler, name->name);
    if (before != NULL && before->decl != stmt) continue;
    declare_global(compiler, name, stmt, false);
    new = true;
  }
  if (new || stmt->a == NULL) return;
  declares_nothing(compiler, stmt);
}

static void declare_func(Compiler *compiler, Node *decl) {
  if (decl->a == NULL || decl->a->c != NULL || decl->name == NULL) return;
  Symbol *symbol = scope_declare(compiler, SYM_FUNC, decl->name, decl->pos);
  symbol->constant = true;
  symbol->decl = decl;
  decl->note = symbol;
}

static void declare_struct(Compiler *compiler, Node *decl) {
  if (decl->name == NULL) return;
  Symbol *symbol = scope_declare(compiler, SYM_STRUCT, decl->name, decl->pos);
  symbol->constant = true;
  symbol->used = true;
  symbol->decl = decl;
  symbol->node = decl;
  decl->note = symbol;
}

static void declare_import(Compiler *compiler, Node *import) {
  ObjModule *module = compiler->import(compiler, import);
  if (import->name == NULL) return;
  Symbol *symbol =
      scope_declare(compiler, SYM_MODULE, import->name, import->pos);
  symbol->constant = true;
  symbol->decl = import;
  symbol->used = compiler->interactive;
  if (module != NULL) symbol->value = value_from_obj(module);
  import->note = symbol;
}

void declare_file(Compiler *compiler, Node *stmts) {
  bool early = compiler->session == NULL;
  for (Node *stmt = stmts; stmt != NULL; stmt = stmt->next) {
    early = early && is_inert_stmt(stmt);
    switch (stmt->kind) {
      case NODE_DEFINE:
        declare_define(compiler, stmt);
        break;
      case NODE_VAR:
      case NODE_CONST:
        declare_names(compiler, stmt, early);
        break;
      case NODE_FUNCDECL:
        declare_func(compiler, stmt);
        break;
      case NODE_STRUCT:
        declare_struct(compiler, stmt);
        break;
      case NODE_IMPORT:
        declare_import(compiler, stmt);
        break;
      default:
        break;
    }
  }
}
