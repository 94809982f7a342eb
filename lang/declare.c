// SPDX-License-Identifier: MIT
// The top-level names of a file, declared before anything is resolved: they
// are visible everywhere in the file. Imports are loaded here.
#include "compiler.h"

static uint32_t name_length(const Str *name) { return (uint32_t)name->len; }

static Symbol *declare_global(Compiler *c, Node *name, const Node *stmt,
                              bool constant) {
  Symbol *symbol = scope_declare(c, SYM_GLOBAL, name->name, name->pos);
  symbol->constant = constant;
  symbol->decl = stmt;
  symbol->used = true;
  name->note = symbol;
  name->flags |= NOTE_NEW;
  return symbol;
}

static void declare_names(Compiler *c, const Node *stmt) {
  for (Node *name = stmt->a; name != NULL; name = name->next) {
    if (name->kind == NODE_NAME && !name_is_blank(name))
      declare_global(c, name, stmt, stmt->kind == NODE_CONST);
  }
}

// a, b := ...: the new ones of them; the others are assigned.
static void declare_define(Compiler *c, const Node *stmt) {
  bool new = false;
  for (Node *name = stmt->a; name != NULL; name = name->next) {
    if (name->kind != NODE_NAME || name_is_blank(name)) continue;
    Symbol *before = scope_here(c, name->name);
    if (before != NULL && before->decl != stmt) continue;
    declare_global(c, name, stmt, false);
    new = true;
  }
  if (new || stmt->a == NULL || stmt->a->kind != NODE_NAME) return;
  const Str *name = stmt->a->name;
  diag_error(c->diags, stmt->a->pos, name_length(name),
             "`:=` declares no new name here: `%s` is there already",
             name->text);
  diag_hint(c->diags, "write `=` to assign");
}

static void declare_func(Compiler *c, Node *decl) {
  if (decl->a == NULL || decl->a->c != NULL || decl->name == NULL) return;
  Symbol *symbol = scope_declare(c, SYM_FUNC, decl->name, decl->pos);
  symbol->constant = true;
  symbol->used = true;
  symbol->decl = decl;
  decl->note = symbol;
}

static void declare_struct(Compiler *c, Node *decl) {
  if (decl->name == NULL) return;
  Symbol *symbol = scope_declare(c, SYM_STRUCT, decl->name, decl->pos);
  symbol->constant = true;
  symbol->used = true;
  symbol->decl = decl;
  symbol->node = decl;
  decl->note = symbol;
}

static void declare_import(Compiler *c, Node *import) {
  ObjModule *module = loader_import(c, import);
  if (import->name == NULL) return;
  Symbol *symbol = scope_declare(c, SYM_MODULE, import->name, import->pos);
  symbol->constant = true;
  symbol->decl = import;
  symbol->used = c->interactive;
  if (module != NULL) symbol->value = value_from_obj(module);
  import->note = symbol;
}

void declare_file(Compiler *c, Node *stmts) {
  for (Node *stmt = stmts; stmt != NULL; stmt = stmt->next) {
    switch (stmt->kind) {
      case NODE_DEFINE:
        declare_define(c, stmt);
        break;
      case NODE_VAR:
      case NODE_CONST:
        declare_names(c, stmt);
        break;
      case NODE_FUNCDECL:
        declare_func(c, stmt);
        break;
      case NODE_STRUCT:
        declare_struct(c, stmt);
        break;
      case NODE_IMPORT:
        declare_import(c, stmt);
        break;
      default:
        break;
    }
  }
}
