// SPDX-License-Identifier: MIT
// Scopes: declaring names, finding them, and what to say when they are not
// there. Names are interned, so equal ones are the same pointer.
#include "lang/resolve/scope.h"

#include <stdlib.h>
#include <string.h>

#include "lang/arena.h"
#include "lang/diag.h"
#include "lang/parse/foreign.h"
#include "lang/resolve/member.h"
#include "lang/table.h"
#include "vm/native/module.h"
#include "vm/object/map.h"
#include "vm/object/string.h"
#include "vm/object/suggest.h"

static const char *const type_names[] = {
    "int",   "float", "bool", "string", "bytes", "list",  "map",
    "range", "func",  "chan", "task",   "timer", "error",
};
enum { TYPE_NAMES = sizeof type_names / sizeof *type_names };

bool name_is(const AstStr *name, const char *text) {
  return strlen(text) == name->len && memcmp(name->text, text, name->len) == 0;
}

bool name_is_blank(const Node *name) {
  return name->kind == NODE_NAME && name->name->len == 1 &&
         name->name->text[0] == '_';
}

ObjString *name_string(Compiler *c, const AstStr *name) {
  ObjString *s = vm_intern(c->vm, name->text, name->len);
  if (s != NULL) return s;
  c->no_memory = true;
  return c->vm->empty_string;
}

const char *scope_type_name(const AstStr *name) {
  for (int i = 0; i < TYPE_NAMES; i++) {
    if (name_is(name, type_names[i])) return type_names[i];
  }
  return NULL;
}

// --- Scopes -----------------------------------------------------------------
Symbol *symbol_new(Compiler *c, SymbolKind kind, const AstStr *name, Pos pos) {
  Symbol *symbol = arena_alloc(c->arena, sizeof *symbol);
  symbol->kind = kind;
  symbol->name = name;
  symbol->pos = pos;
  symbol->owner = c->func;
  symbol->value = VALUE_NIL;
  return symbol;
}

bool scope_at_top(const Compiler *c) {
  return c->scope == NULL && c->func == c->main;
}

void scope_push(Compiler *c, Scope *scope) {
  RT_ASSERT(c->scope != scope);
  *scope = (Scope){.up = c->scope};
  c->scope = scope;
}

static void warn_unused(Compiler *c, const Symbol *symbol) {
  if (symbol->used || symbol->parameter || symbol->name->text[0] == '_') return;
  if (symbol->kind == SYM_UNKNOWN) return;
  WARN(c, symbol->pos, (uint32_t)symbol->name->len, "`%s` is never used",
       symbol->name->text);
}

static Symbol *find_in_table(const Table *table, const AstStr *name) {
  uint64_t found;
  if (!table_get(table, (uint64_t)(uintptr_t)name, &found)) return NULL;
  return (Symbol *)(uintptr_t)found;
}

static void set_in_table(Compiler *c, Table *table, const AstStr *name,
                         Symbol *symbol) {
  if (!table_set(c->vm->memory, table, (uint64_t)(uintptr_t)name,
                 (uint64_t)(uintptr_t)symbol))
    c->no_memory = true;
}

static void add_to_table(Compiler *c, Table *table, Symbol *symbol) {
  set_in_table(c, table, symbol->name, symbol);
}

bool scope_is_valid(const Compiler *c) {
  if (c->no_memory || c->scope == NULL) return true;
  for (const Symbol *s = c->scope->symbols; s != NULL; s = s->next) {
    const Symbol *found = find_in_table(&c->inner, s->name);
    if (s->scope != c->scope || found == NULL) return false;
    if (found->scope != c->scope || found->name != s->name) return false;
  }
  return true;
}

// Goes from the newest on. Of two symbols of one name in the scope, the first
// one knows what they hide.
void scope_pop(Compiler *c) {
  RT_ASSERT(c->scope != NULL && scope_is_valid(c));
  for (Symbol *s = c->scope->symbols; s != NULL; s = s->next) {
    warn_unused(c, s);
    set_in_table(c, &c->inner, s->name, s->hides);
  }
  c->scope = c->scope->up;
}

Symbol *scope_here(const Compiler *c, const AstStr *name) {
  if (c->scope == NULL) return find_in_table(&c->globals, name);
  Symbol *symbol = find_in_table(&c->inner, name);
  return symbol != NULL && symbol->scope == c->scope ? symbol : NULL;
}

Symbol *scope_declare(Compiler *c, SymbolKind kind, const AstStr *name,
                      Pos pos) {
  Symbol *before = scope_here(c, name);
  if (before != NULL) {
    diag_error(c->diags, pos, (uint32_t)name->len,
               "`%s` is declared twice in one scope", name->text);
    diag_hint(c->diags, "it was declared in line %u", before->pos.line);
  }
  Symbol *symbol = symbol_new(c, kind, name, pos);
  if (c->scope != NULL) {
    symbol->next = c->scope->symbols;
    c->scope->symbols = symbol;
    symbol->scope = c->scope;
    symbol->hides = find_in_table(&c->inner, name);
    RT_ASSERT(before == NULL || symbol->hides == before);
    add_to_table(c, &c->inner, symbol);
  } else if (before == NULL) {
    symbol->next = c->global_list;
    c->global_list = symbol;
    add_to_table(c, &c->globals, symbol);
  }
  return symbol;
}

// --- Finding ----------------------------------------------------------------
// A variable of a function around this one is kept in a cell.
static void note_capture(Compiler *c, Symbol *symbol, Pos pos) {
  if (symbol->kind != SYM_LOCAL || symbol->owner == c->func) return;
  RT_ASSERT(symbol->owner != NULL && c->func->parent != NULL);
  symbol->captured = true;
  for (Func *f = c->func; f != NULL && f != symbol->owner; f = f->parent) {
    if (!f->constructor) continue;
    diag_error(c->diags, pos, (uint32_t)symbol->name->len,
               "a field's default cannot use the variable `%s` of a function",
               symbol->name->text);
    diag_hint(c->diags,
              "pass it when the struct is made, or move the struct "
              "to the top level");
    return;
  }
}

static Symbol *find_predeclared(Compiler *c, const AstStr *name) {
  if (name->text[0] == '_' && !c->privileged) return NULL;
  Value value;
  Value key = value_from_obj(name_string(c, name));
  if (!map_get(c->vm, c->vm->builtins, key, &value)) return NULL;
  if (value == VALUE_UNDEF) return NULL;
  RT_ASSERT(scope_here(c, name) == NULL);
  Symbol *symbol = symbol_new(c, member_kind(value), name, (Pos){0});
  symbol->constant = true;
  symbol->predeclared = true;
  symbol->value = value;
  return symbol;
}

// What lies around the file: other members of its module, predeclared names.
static Symbol *find_outer(Compiler *c, const AstStr *name) {
  Symbol *symbol = find_in_table(&c->outer, name);
  if (symbol != NULL) return symbol;
  ObjCell *cell = member_cell(c, c->module, name);
  symbol =
      cell != NULL ? member_symbol(c, name, cell) : find_predeclared(c, name);
  if (symbol != NULL) add_to_table(c, &c->outer, symbol);
  return symbol;
}

Symbol *scope_find(Compiler *c, const AstStr *name, Pos pos) {
  Symbol *symbol = find_in_table(&c->inner, name);
  if (symbol != NULL) {
    note_capture(c, symbol, pos);
    return symbol;
  }
  symbol = find_in_table(&c->globals, name);
  if (symbol == NULL) return find_outer(c, name);
  if (c->func != c->main || !symbol->declared) symbol->captured = true;
  return symbol;
}

Symbol *scope_late(Compiler *c, Symbol *symbol) {
  bool known = symbol->kind == SYM_FUNC || symbol->kind == SYM_STRUCT;
  if (!known || symbol->predeclared) return symbol;
  if (find_in_table(&c->globals, symbol->name) != symbol &&
      find_in_table(&c->outer, symbol->name) != symbol)
    return symbol;
  for (const Func *f = c->func; f != NULL; f = f->parent) {
    if (f->self == symbol) return symbol;  // calls itself
  }
  Symbol *late = arena_alloc(c->arena, sizeof *late);
  *late = *symbol;
  late->kind = SYM_GLOBAL;
  late->node = NULL;
  return late;
}

// --- What was probably meant ------------------------------------------------
static void suggest_map(const Compiler *c, const ObjMap *map, bool private,
                        Suggest *suggest) {
  uint64_t at = 0;
  Value key, value;
  ObjTable *table = heap_load(&map->table);
  while (map_next(c->vm, map, table, &at, &key, &value)) {
    const char *name = ((ObjString *)value_obj(key))->data;
    if (private || name[0] != '_') suggest_try(suggest, name);
  }
}

static void suggest_visible(const Compiler *c, Suggest *suggest) {
  for (Scope *scope = c->scope; scope != NULL; scope = scope->up) {
    for (Symbol *s = scope->symbols; s != NULL; s = s->next)
      suggest_try(suggest, s->name->text);
  }
  for (Symbol *s = c->global_list; s != NULL; s = s->next)
    suggest_try(suggest, s->name->text);
  member_each(c, c->module, true, suggest_name, suggest);
  suggest_map(c, c->vm->builtins, c->privileged, suggest);
}

typedef struct Import {
  const char *wanted;
  const char *found;
} Import;

static void match_import(void *arg, const char *path) {
  Import *import = arg;
  const char *slash = strrchr(path, '/');
  const char *last = slash == NULL ? path : slash + 1;
  if (strcmp(last, import->wanted) == 0) import->found = path;
}

// An imported module that has a member of that name.
static const Symbol *module_with(Compiler *c, const AstStr *name) {
  if (name->text[0] == '_') return NULL;
  for (Symbol *s = c->global_list; s != NULL; s = s->next) {
    if (s->kind != SYM_MODULE || !value_is_type(s->value, OBJ_MODULE)) continue;
    if (member_cell(c, (ObjModule *)value_obj(s->value), name) != NULL)
      return s;
  }
  return NULL;
}

// Whether the parser may have failed to understand the declaration of an
// unknown name. That is so after syntax errors, if the text has the word
// elsewhere, too.
static bool may_be_lost(const Compiler *c, const AstStr *name) {
  return c->partial && arena_uses(name) > 1;
}

void scope_unknown(Compiler *c, const AstStr *name, Pos pos, bool assigned) {
  if (may_be_lost(c, name)) return;
  if (!diag_error(c->diags, pos, (uint32_t)name->len, "`%s` is not declared",
                  name->text))
    return;
  Import import = {.wanted = name->text};
  vm_each_builtin_module(c->vm, match_import, &import);
  const Symbol *module = module_with(c, name);
  const char *foreign = suggest_foreign(name->text);
  Suggest suggest = {.wanted = name->text};
  suggest_visible(c, &suggest);
  if (import.found != NULL) {
    diag_hint(c->diags, "it is a module: write `import \"%s\"` first",
              import.found);
  } else if (module != NULL) {
    diag_hint(c->diags, "did you mean `%s.%s`?", module->name->text,
              name->text);
  } else if (suggest.best != NULL) {
    diag_hint(c->diags, "did you mean `%s`?", suggest.best);
  } else if (foreign != NULL) {
    diag_hint(c->diags, "%s", foreign);
  } else if (assigned) {
    diag_hint(c->diags, "declare it with `:=`");
  }
}

static void suggest_structs(const Symbol *list, Suggest *suggest) {
  for (const Symbol *s = list; s != NULL; s = s->next) {
    if (s->kind == SYM_STRUCT) suggest_try(suggest, s->name->text);
  }
}

void scope_unknown_type(Compiler *c, const AstStr *name, Pos pos) {
  if (may_be_lost(c, name)) return;
  if (!diag_error(c->diags, pos, (uint32_t)name->len,
                  "`%s` is not the name of a type", name->text))
    return;
  Suggest suggest = {.wanted = name->text};
  for (int i = 0; i < TYPE_NAMES; i++) suggest_try(&suggest, type_names[i]);
  for (Scope *scope = c->scope; scope != NULL; scope = scope->up)
    suggest_structs(scope->symbols, &suggest);
  suggest_structs(c->global_list, &suggest);
  if (name_is(name, "nil")) {
    diag_hint(c->diags, "write `== nil`");
  } else if (suggest.best != NULL) {
    diag_hint(c->diags, "did you mean `%s`?", suggest.best);
  } else {
    diag_hint(c->diags,
              "a type is a struct, or one of: int float bool string "
              "bytes list map range func chan task error");
  }
}
