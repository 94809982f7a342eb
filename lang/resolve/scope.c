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
#include "vm/native/builtin_modules.h"
#include "vm/object/map.h"
#include "vm/object/string.h"
#include "vm/object/suggest.h"

#define TYPES(X) \
  X(int)         \
  X(float)       \
  X(bool)        \
  X(string)      \
  X(bytes)       \
  X(list)        \
  X(tuple)       \
  X(map)         \
  X(range) X(func) X(chan) X(task) X(timer) X(error) X(mutex) X(semaphore)
#define NAME_OF(name) #name,
static const char *const type_names[] = {TYPES(NAME_OF)};
#undef NAME_OF
enum { TYPE_NAMES = sizeof type_names / sizeof *type_names };
#define AFTER_SPACE(name) " " #name
static const char types_hint[] =
    "a type is a struct, or one of:" TYPES(AFTER_SPACE);
#undef AFTER_SPACE
#undef TYPES

bool name_is(const AstStr *name, const char *text) {
  return strlen(text) == name->len && memcmp(name->text, text, name->len) == 0;
}

ObjString *name_string(Compiler *compiler, const AstStr *name) {
  ObjString *string = vm_intern(compiler->vm, name->text, name->len);
  if (string != NULL) return string;
  compiler->no_memory = true;
  return compiler->vm->empty_string;
}

const char *scope_type_name(const AstStr *name) {
  for (int i = 0; i < TYPE_NAMES; i++) {
    if (name_is(name, type_names[i])) return type_names[i];
  }
  return NULL;
}

// --- Scopes -----------------------------------------------------------------
Symbol *symbol_new(Compiler *compiler, SymbolKind kind, const AstStr *name,
                   Pos pos) {
  Symbol *symbol = arena_alloc(compiler->arena, sizeof *symbol);
  symbol->kind = kind;
  symbol->name = name;
  symbol->pos = pos;
  symbol->owner = compiler->func;
  if (kind == SYM_LOCAL) symbol->values = compiler->func->resolve.values;
  symbol->value = VALUE_NIL;
  return symbol;
}

bool scope_at_top(const Compiler *compiler) {
  return compiler->scope == NULL && compiler->func == compiler->main;
}

void scope_push(Compiler *compiler, Scope *scope) {
  RT_ASSERT(compiler->scope != scope);
  *scope = (Scope){.up = compiler->scope};
  compiler->scope = scope;
}

bool scope_may_be_lost(const Compiler *compiler, const AstStr *name) {
  return compiler->partial && arena_uses(name) > 1;
}

static void warn_unused(Compiler *compiler, const Symbol *symbol) {
  if (symbol->used || symbol->parameter || symbol->name->text[0] == '_') return;
  if (symbol->kind == SYM_UNKNOWN) return;
  if (scope_may_be_lost(compiler, symbol->name)) return;
  WARN(compiler, symbol->pos, (uint32_t)symbol->name->len, "`%s` is never used",
       symbol->name->text);
}

static Symbol *find_in_table(const Table *table, const AstStr *name) {
  uint64_t found;
  if (!table_get(table, (uint64_t)(uintptr_t)name, &found)) return NULL;
  return (Symbol *)(uintptr_t)found;
}

static void set_in_table(Compiler *compiler, Table *table, const AstStr *name,
                         Symbol *symbol) {
  if (!table_set(compiler->vm->memory, table, (uint64_t)(uintptr_t)name,
                 (uint64_t)(uintptr_t)symbol))
    compiler->no_memory = true;
}

static void add_to_table(Compiler *compiler, Table *table, Symbol *symbol) {
  set_in_table(compiler, table, symbol->name, symbol);
}

bool scope_is_valid(const Compiler *compiler) {
  if (compiler->no_memory || compiler->scope == NULL) return true;
  for (const Symbol *symbol = compiler->scope->symbols; symbol != NULL;
       symbol = symbol->next) {
    const Symbol *found = find_in_table(&compiler->inner, symbol->name);
    if (symbol->scope != compiler->scope || found == NULL) return false;
    if (found->scope != compiler->scope || found->name != symbol->name)
      return false;
  }
  return true;
}

// Goes from the newest on. Of two symbols of one name in the scope, the first
// one knows what they hide.
void scope_pop(Compiler *compiler) {
  RT_ASSERT(compiler->scope != NULL && scope_is_valid(compiler));
  for (Symbol *symbol = compiler->scope->symbols; symbol != NULL;
       symbol = symbol->next) {
    warn_unused(compiler, symbol);
    set_in_table(compiler, &compiler->inner, symbol->name, symbol->hides);
  }
  compiler->scope = compiler->scope->up;
}

Symbol *scope_here(const Compiler *compiler, const AstStr *name) {
  if (compiler->scope == NULL) return find_in_table(&compiler->globals, name);
  Symbol *symbol = find_in_table(&compiler->inner, name);
  return symbol != NULL && symbol->scope == compiler->scope ? symbol : NULL;
}

Symbol *scope_declare(Compiler *compiler, SymbolKind kind, const AstStr *name,
                      Pos pos) {
  Symbol *before = scope_here(compiler, name);
  if (before != NULL) {
    diag_error(compiler->diags, pos, (uint32_t)name->len,
               "`%s` is declared twice in one scope", name->text);
    diag_hint(compiler->diags, "it was declared in line %u", before->pos.line);
  }
  Symbol *symbol = symbol_new(compiler, kind, name, pos);
  if (compiler->scope != NULL) {
    symbol->next = compiler->scope->symbols;
    compiler->scope->symbols = symbol;
    symbol->scope = compiler->scope;
    symbol->hides = find_in_table(&compiler->inner, name);
    RT_ASSERT(before == NULL || symbol->hides == before);
    add_to_table(compiler, &compiler->inner, symbol);
  } else if (before == NULL) {
    symbol->next = compiler->global_list;
    compiler->global_list = symbol;
    add_to_table(compiler, &compiler->globals, symbol);
  }
  return symbol;
}

// --- Finding ----------------------------------------------------------------
// Notes that a function inside its owner uses a variable, so that a closure has
// it (symbol_in_cell). The default of a field cannot have it.
static void note_capture(Compiler *compiler, Symbol *symbol, Pos pos) {
  if (symbol->kind != SYM_LOCAL || symbol->owner == compiler->func) return;
  RT_ASSERT(symbol->owner != NULL && compiler->func->parent != NULL);
  symbol->captured = true;
  for (Func *func = compiler->func; func != NULL && func != symbol->owner;
       func = func->parent) {
    if (!func->constructor) continue;
    diag_error(compiler->diags, pos, (uint32_t)symbol->name->len,
               "a field's default cannot use the variable `%s` of a function",
               symbol->name->text);
    diag_hint(compiler->diags,
              "pass it when the struct is made, or move the struct "
              "to the top level");
    return;
  }
}

static Symbol *find_predeclared(Compiler *compiler, const AstStr *name) {
  if (name->text[0] == '_' && !compiler->privileged) return NULL;
  Value value;
  Value key = value_from_obj(name_string(compiler, name));
  if (!map_get(compiler->vm, compiler->vm->builtins, key, &value)) return NULL;
  if (value == VALUE_UNDEF) return NULL;
  RT_ASSERT(scope_here(compiler, name) == NULL);
  Symbol *symbol = symbol_new(compiler, member_kind(value), name, (Pos){0});
  symbol->constant = true;
  symbol->predeclared = true;
  symbol->value = value;
  return symbol;
}

// What lies around the file: other members of its module, predeclared names.
static Symbol *find_outer(Compiler *compiler, const AstStr *name) {
  Symbol *symbol = find_in_table(&compiler->outer, name);
  if (symbol != NULL) return symbol;
  ObjCell *cell = member_cell(compiler, compiler->module, name);
  symbol = cell != NULL ? member_symbol(compiler, name, cell)
                        : find_predeclared(compiler, name);
  if (symbol != NULL) add_to_table(compiler, &compiler->outer, symbol);
  return symbol;
}

Symbol *scope_find(Compiler *compiler, const AstStr *name, Pos pos) {
  Symbol *symbol = find_in_table(&compiler->inner, name);
  if (symbol != NULL) {
    note_capture(compiler, symbol, pos);
    return symbol;
  }
  symbol = find_in_table(&compiler->globals, name);
  if (symbol == NULL) return find_outer(compiler, name);
  if (compiler->func != compiler->main || !symbol->declared)
    symbol->captured = true;
  return symbol;
}

Symbol *scope_late(Compiler *compiler, Symbol *symbol) {
  bool known = symbol->kind == SYM_FUNC || symbol->kind == SYM_STRUCT;
  if (!known || symbol->predeclared) return symbol;
  if (find_in_table(&compiler->globals, symbol->name) != symbol &&
      find_in_table(&compiler->outer, symbol->name) != symbol)
    return symbol;
  for (const Func *func = compiler->func; func != NULL; func = func->parent) {
    if (func->self == symbol) return symbol;  // calls itself
  }
  Symbol *late = arena_alloc(compiler->arena, sizeof *late);
  *late = *symbol;
  late->kind = SYM_GLOBAL;
  late->node = NULL;
  return late;
}

// --- Values -----------------------------------------------------------------
const Node *scope_only_value(const Symbol *symbol) {
  const Node *decl = symbol->decl;
  bool variable = symbol->kind == SYM_LOCAL || symbol->kind == SYM_GLOBAL;
  if (decl != NULL && decl->kind == NODE_FUNCDECL)
    return symbol->kind == SYM_LOCAL ? decl->a : NULL;
  if (!variable || symbol->assigned || symbol->parameter || decl == NULL)
    return NULL;
  if (decl->kind != NODE_DEFINE && decl->kind != NODE_VAR &&
      decl->kind != NODE_CONST)
    return NULL;
  if (count_nodes(decl->a) != count_nodes(decl->b)) return NULL;
  const Node *value = decl->b;
  for (const Node *name = decl->a; name != NULL;
       name = name->next, value = value->next) {
    RT_ASSERT(name->kind == NODE_NAME && value != NULL);
    if (name->note == symbol) return value;
  }
  return NULL;
}

// --- What was probably meant ------------------------------------------------
static void suggest_map(const Compiler *compiler, const ObjMap *map,
                        bool private, Suggest *suggest) {
  uint64_t at = 0;
  Value key, value;
  ObjTable *table = heap_load(&map->table);
  while (map_next(compiler->vm, map, table, &at, &key, &value)) {
    const char *name = ((ObjString *)value_obj(key))->own;
    if (private || name[0] != '_') suggest_try(suggest, name);
  }
}

static void suggest_visible(const Compiler *compiler, Suggest *suggest) {
  for (Scope *scope = compiler->scope; scope != NULL; scope = scope->up) {
    for (Symbol *symbol = scope->symbols; symbol != NULL; symbol = symbol->next)
      suggest_try(suggest, symbol->name->text);
  }
  for (Symbol *symbol = compiler->global_list; symbol != NULL;
       symbol = symbol->next)
    suggest_try(suggest, symbol->name->text);
  member_each(compiler, compiler->module, true, suggest_name, suggest);
  suggest_map(compiler, compiler->vm->builtins, compiler->privileged, suggest);
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
static const Symbol *module_with(Compiler *compiler, const AstStr *name) {
  if (name->text[0] == '_') return NULL;
  for (Symbol *symbol = compiler->global_list; symbol != NULL;
       symbol = symbol->next) {
    if (symbol->kind != SYM_MODULE || !value_is_type(symbol->value, OBJ_MODULE))
      continue;
    if (member_cell(compiler, (ObjModule *)value_obj(symbol->value), name) !=
        NULL)
      return symbol;
  }
  return NULL;
}

void scope_unknown(Compiler *compiler, const AstStr *name, Pos pos,
                   bool assigned) {
  if (scope_may_be_lost(compiler, name)) return;
  if (!diag_error(compiler->diags, pos, (uint32_t)name->len,
                  "`%s` is not declared", name->text))
    return;
  Import import = {.wanted = name->text};
  vm_each_builtin_module(compiler->vm, match_import, &import);
  const Symbol *module = module_with(compiler, name);
  const char *foreign = suggest_foreign_name(name->text);
  Suggest suggest = {.wanted = name->text};
  suggest_visible(compiler, &suggest);
  if (import.found != NULL) {
    diag_hint(compiler->diags, "it is a module: write `import \"%s\"` first",
              import.found);
  } else if (module != NULL) {
    diag_hint(compiler->diags, "did you mean `%s.%s`?", module->name->text,
              name->text);
  } else if (suggest.best != NULL) {
    diag_hint(compiler->diags, "did you mean `%s`?", suggest.best);
  } else if (foreign != NULL) {
    diag_hint(compiler->diags, "%s", foreign);
  } else if (assigned) {
    diag_hint(compiler->diags, "declare it with `:=`");
  }
}

static void suggest_structs(const Symbol *list, Suggest *suggest) {
  for (const Symbol *symbol = list; symbol != NULL; symbol = symbol->next) {
    if (symbol->kind == SYM_STRUCT) suggest_try(suggest, symbol->name->text);
  }
}

// The module that has a nearer struct than those so far, or one of that name.
static const Symbol *suggest_of_modules(Compiler *compiler, const AstStr *name,
                                        Suggest *suggest) {
  const Symbol *found = NULL;
  for (const Symbol *symbol = compiler->global_list; symbol != NULL;
       symbol = symbol->next) {
    if (symbol->kind != SYM_MODULE || !value_is_type(symbol->value, OBJ_MODULE))
      continue;
    const ObjModule *module = (ObjModule *)value_obj(symbol->value);
    const ObjCell *cell = member_cell(compiler, module, name);
    const char *before = suggest->best;
    member_suggest_struct(compiler, module, suggest);
    if (suggest->best != before) found = symbol;
    if (cell == NULL || !value_is_type(heap_load(&cell->value), OBJ_STRUCT))
      continue;
    suggest->best = name->text;
    return symbol;
  }
  return found;
}

void scope_unknown_type(Compiler *compiler, const AstStr *name, Pos pos) {
  if (scope_may_be_lost(compiler, name)) return;
  if (!diag_error(compiler->diags, pos, (uint32_t)name->len,
                  "`%s` is not the name of a type", name->text))
    return;
  Suggest suggest = {.wanted = name->text};
  for (int i = 0; i < TYPE_NAMES; i++) suggest_try(&suggest, type_names[i]);
  for (Scope *scope = compiler->scope; scope != NULL; scope = scope->up)
    suggest_structs(scope->symbols, &suggest);
  suggest_structs(compiler->global_list, &suggest);
  const Symbol *module = suggest_of_modules(compiler, name, &suggest);
  if (name_is(name, "nil")) {
    diag_hint(compiler->diags, "write `== nil`");
  } else if (module != NULL) {
    diag_hint(compiler->diags, "did you mean `%s.%s`?", module->name->text,
              suggest.best);
  } else if (suggest.best != NULL) {
    diag_hint(compiler->diags, "did you mean `%s`?", suggest.best);
  } else {
    diag_hint(compiler->diags, types_hint);
  }
}
