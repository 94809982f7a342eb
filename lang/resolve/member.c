// SPDX-License-Identifier: MIT
// Names in modules. A member is a cell; its flags tell whoever compiles later
// whether the value is known for ever, and whether it may be assigned.
#include "lang/resolve/member.h"

#include <stdio.h>

#include "lang/diag.h"
#include "lang/parse/foreign.h"
#include "lang/resolve/scope.h"
#include "vm/heap/local.h"
#include "vm/object/map.h"
#include "vm/object/suggest.h"

SymbolKind member_kind(Value v) {
  if (value_is_type(v, OBJ_STRUCT)) return SYM_STRUCT;
  if (value_is_type(v, OBJ_MODULE)) return SYM_MODULE;
  if (!value_is_type(v, OBJ_CLOSURE)) return SYM_VALUE;
  const Proto *proto = ((ObjClosure *)value_obj(v))->proto;
  return proto->flags & PROTO_TOP ? SYM_FUNC : SYM_VALUE;
}

Symbol *member_symbol(Compiler *compiler, const AstStr *name, ObjCell *cell) {
  Symbol *symbol = symbol_new(compiler, SYM_GLOBAL, name, (Pos){0});
  symbol->cell = cell;
  symbol->constant = (cell->obj.flags & (CELL_CONST | CELL_KNOWN)) != 0;
  symbol->used = true;
  if (cell->obj.flags & CELL_KNOWN) {
    RT_ASSERT(heap_load(&cell->value) != VALUE_UNDEF);
    symbol->value = heap_load(&cell->value);
    symbol->kind = member_kind(symbol->value);
  }
  return symbol;
}

ObjCell *member_cell(Compiler *compiler, const ObjModule *module,
                     const AstStr *name) {
  Value cell;
  Value key = value_from_obj(name_string(compiler, name));
  if (!map_get(compiler->vm, module->members, key, &cell)) return NULL;
  RT_ASSERT(value_is_type(cell, OBJ_CELL));
  return (ObjCell *)value_obj(cell);
}

// The next public name, or with `private` the next one, or NULL.
static const char *next_member(const Compiler *compiler,
                               const ObjModule *module, bool private,
                               uint64_t *at, ObjCell **cell) {
  Value key, value;
  ObjTable *table = heap_load(&module->members->table);
  while (map_next(compiler->vm, module->members, table, at, &key, &value)) {
    const char *name = ((ObjString *)value_obj(key))->own;
    *cell = (ObjCell *)value_obj(value);
    if (private || name[0] != '_') return name;
  }
  return NULL;
}

void member_each(const Compiler *compiler, const ObjModule *module,
                 bool private, void (*fn)(void *arg, const char *name),
                 void *arg) {
  uint64_t at = 0;
  ObjCell *cell;
  const char *name;
  while ((name = next_member(compiler, module, private, &at, &cell)) != NULL)
    fn(arg, name);
}

void member_suggest_struct(const Compiler *compiler, const ObjModule *module,
                           Suggest *suggest) {
  uint64_t at = 0;
  ObjCell *cell;
  const char *name;
  while ((name = next_member(compiler, module, false, &at, &cell)) != NULL)
    if (value_is_type(heap_load(&cell->value), OBJ_STRUCT))
      suggest_try(suggest, name);
}

void member_mark_known(Vm *vm, ObjModule *module) {
  uint64_t at = 0;
  Value key, value;
  ObjTable *table = heap_load(&module->members->table);
  while (map_next(vm, module->members, table, &at, &key, &value)) {
    RT_ASSERT(value_is_type(value, OBJ_CELL));
    ObjCell *cell = (ObjCell *)value_obj(value);
    if (heap_load(&cell->value) != VALUE_UNDEF)
      cell->obj.flags |= CELL_KNOWN | CELL_CONST;
  }
}

typedef struct Members {
  char text[120];
  size_t len;
  bool all;  // so far they have room
} Members;

static void list_member(void *arg, const char *name) {
  Members *list = arg;
  size_t room = sizeof list->text - list->len;
  int len = snprintf(list->text + list->len, room, "%s%s",
                     list->len == 0 ? "" : ", ", name);
  list->all = list->all && len > 0 && (size_t)len < room;
  if (list->all) list->len += (size_t)len;
}

// A small module shows all that it has. A large one would be a wall of names.
static void hint_members(Compiler *compiler, const ObjModule *module) {
  Members list = {.all = true};
  member_each(compiler, module, false, list_member, &list);
  if (list.all && list.len > 0)
    diag_hint(compiler->diags, "it has %s", list.text);
}

static Symbol *missing_member(Compiler *compiler, const Symbol *symbol,
                              const ObjModule *module, const AstStr *name,
                              Pos pos) {
  Symbol *unknown = symbol_new(compiler, SYM_UNKNOWN, name, pos);
  if (!diag_error(compiler->diags, pos, (uint32_t)name->len,
                  "module `%s` has no `%s`", symbol->name->text, name->text))
    return unknown;
  const char *here = suggest_foreign_member(module->name->own, name->text);
  Suggest suggest = {.wanted = name->text};
  member_each(compiler, module, false, suggest_name, &suggest);
  if (here != NULL) {
    diag_hint(compiler->diags, "write `%s`", here);
  } else if (suggest.best != NULL) {
    diag_hint(compiler->diags, "did you mean `%s.%s`?", symbol->name->text,
              suggest.best);
  } else {
    hint_members(compiler, module);
  }
  return unknown;
}

Symbol *member_find(Compiler *compiler, Symbol *symbol, const AstStr *name,
                    Pos pos) {
  if (!value_is_type(symbol->value, OBJ_MODULE))
    return symbol_new(compiler, SYM_UNKNOWN, name, pos);
  const ObjModule *module = (ObjModule *)value_obj(symbol->value);
  if (name->text[0] == '_' && !compiler->privileged) {
    diag_error(compiler->diags, pos, (uint32_t)name->len,
               "`%s` is private to module `%s`", name->text,
               symbol->name->text);
    return symbol_new(compiler, SYM_UNKNOWN, name, pos);
  }
  ObjCell *cell = member_cell(compiler, module, name);
  if (cell == NULL) return missing_member(compiler, symbol, module, name, pos);
  return member_symbol(compiler, name, cell);
}
