// SPDX-License-Identifier: MIT
// `p.name`, where p surely is an instance of a struct of this file: a method's
// receiver, or a variable that is set once, by a constructor. And `m.len`,
// where m surely is a map without such a key: other languages have methods of
// these names (vm/object/habit.h).
#include "lang/check/fields.h"

#include <string.h>

#include "lang/arena.h"
#include "lang/check/kinds.h"
#include "lang/resolve/scope.h"
#include "vm/object/habit.h"
#include "vm/object/suggest.h"

// --- Structs ----------------------------------------------------------------
// The STRUCT whose instance the name surely is, or NULL.
static const Node *struct_of(const Node *name) {
  if (name->kind != NODE_NAME || name->note == NULL) return NULL;
  const Symbol *symbol = name->note;
  if (symbol->parameter && !symbol->assigned) return symbol->decl;
  const Node *value = kinds_only_value(symbol);
  if (value == NULL || value->kind != NODE_CALL ||
      value->a->kind != NODE_NAME || value->a->note == NULL)
    return NULL;
  const Symbol *type = value->a->note;
  return type->kind == SYM_STRUCT ? type->node : NULL;
}

static bool has_field(const Node *type, const AstStr *name) {
  for (const Node *field = type->a; field != NULL; field = field->next)
    if (field->name == name) return true;
  return false;
}

static bool has_method(Compiler *compiler, const Node *type,
                       const AstStr *name) {
  size_t len = type->name->len + 1 + name->len;
  char *text = arena_alloc(compiler->arena, len + 1);
  memcpy(text, type->name->text, type->name->len);
  text[type->name->len] = '.';
  memcpy(text + type->name->len + 1, name->text, name->len);
  const AstStr *full = arena_intern(compiler->arena, text, len);
  uint64_t found;
  return table_get(&compiler->methods, (uint64_t)(uintptr_t)full, &found);
}

bool fields_is_method(Compiler *compiler, const Node *field) {
  const Node *type = struct_of(field->a);
  return type != NULL && !has_field(type, field->name) &&
         has_method(compiler, type, field->name);
}

static void check_instance(Compiler *compiler, const Node *type,
                           const Node *node) {
  RT_ASSERT(type->kind == NODE_STRUCT && node->kind == NODE_FIELD);
  if (has_field(type, node->name) || has_method(compiler, type, node->name))
    return;
  Suggest suggest = {.wanted = node->name->text};
  for (const Node *field = type->a; field != NULL; field = field->next)
    suggest_try(&suggest, field->name->text);
  diag_warn(compiler->diags, node->pos, (uint32_t)node->name->len,
            "`%s` has no field or method `%s`", type->name->text,
            node->name->text);
  if (suggest.best != NULL)
    diag_hint(compiler->diags, "did you mean `%s`?", suggest.best);
}

// --- Maps -------------------------------------------------------------------
static Symbol *variable_of(const Node *node) {
  if (node == NULL || node->kind != NODE_NAME) return NULL;
  Symbol *symbol = node->note;
  bool variable = symbol != NULL &&
                  (symbol->kind == SYM_LOCAL || symbol->kind == SYM_GLOBAL);
  return variable ? symbol : NULL;
}

static void look_through(const Node *node);
static void look_through_list(const Node *list);

// Where only something of the variable is read, it gets no keys.
static void look_past(const Node *node) {
  if (variable_of(node) == NULL) look_through_list(node);
}

static void look_at_targets(const Node *targets) {
  for (const Node *one = targets; one != NULL; one = one->next) {
    bool place = one->kind == NODE_FIELD || one->kind == NODE_INDEX;
    Symbol *symbol = place ? variable_of(one->a) : NULL;
    if (symbol != NULL) symbol->escapes = true;
  }
}

static bool only_reads(const Node *callee) {
  static const char *const READERS[] = {"len", "print", "println", "str",
                                        "type"};
  const Symbol *symbol = callee->kind == NODE_NAME ? callee->note : NULL;
  if (symbol == NULL || !symbol->predeclared) return false;
  for (size_t i = 0; i < sizeof READERS / sizeof *READERS; i++)
    if (name_is(callee->name, READERS[i])) return true;
  return false;
}

static void look_at_call(const Node *node) {
  look_through_list(node->a);
  for (const Node *arg = node->b; arg != NULL; arg = arg->next) {
    Symbol *symbol = variable_of(arg);
    if (symbol != NULL && !only_reads(node->a)) symbol->escapes = true;
    if (symbol == NULL) look_through(arg);
  }
}

static void look_at_func(const Node *node) {
  const Func *func = node->note;
  if (node->c != NULL && func->self != NULL)
    ((Symbol *)node->c->note)->decl = func->self->node;
  look_through_list(node->a);
  look_through_list(node->b);
}

static void look_through(const Node *node) {
  Symbol *symbol = variable_of(node);
  switch (node->kind) {
    case NODE_NAME:
      if (symbol != NULL) symbol->escapes = true;
      return;
    case NODE_FIELD:
      look_past(node->a);
      return;
    case NODE_INDEX:
      look_past(node->a);
      look_through_list(node->b);
      return;
    case NODE_CALL:
      look_at_call(node);
      return;
    case NODE_FUNC:
      look_at_func(node);
      return;
    case NODE_FORIN:
      look_past(node->b);
      look_through_list(node->d);
      return;
    case NODE_DEFINE:
    case NODE_VAR:
    case NODE_CONST:
      look_through_list(node->b);
      return;
    case NODE_ASSIGN:
    case NODE_INCDEC:
      look_at_targets(node->a);
      break;
    default:
      break;
  }
  look_through_list(node->a);
  look_through_list(node->b);
  look_through_list(node->c);
  look_through_list(node->d);
}

static void look_through_list(const Node *list) {
  for (const Node *node = list; node != NULL; node = node->next)
    look_through(node);
}

void fields_look(Compiler *compiler, const Node *stmts) {
  (void)compiler;
  look_through_list(stmts);
}

// The literal that the map surely is, and stays.
static const Node *map_of(const Node *node) {
  if (node->kind == NODE_MAP) return node;
  const Symbol *symbol = variable_of(node);
  if (symbol == NULL || symbol->escapes) return NULL;
  const Node *value = kinds_only_value(symbol);
  return value != NULL && value->kind == NODE_MAP ? value : NULL;
}

static bool may_have_key(const Node *map, const AstStr *name) {
  for (const Node *pair = map->a; pair != NULL; pair = pair->next) {
    if (pair->a->kind == NODE_INT) continue;
    if (pair->a->kind != NODE_STRING) return true;
    AstStr key = pair->a->str;
    if (key.len == name->len && memcmp(key.text, name->text, key.len) == 0)
      return true;
  }
  return false;
}

static void check_literal_map(Compiler *compiler, const Node *map,
                              const Node *node) {
  RT_ASSERT(map->kind == NODE_MAP);
  const char *here = habit_find(OBJ_MAP, node->name->text);
  if (here == NULL || may_have_key(map, node->name)) return;
  diag_warn(compiler->diags, node->pos, (uint32_t)node->name->len,
            "the map has no key `%s`, and maps have no methods",
            node->name->text);
  diag_hint(compiler->diags, "write `%s`", here);
}

void fields_check(Compiler *compiler, const Node *field) {
  if (field->note != NULL) return;
  const Node *type = struct_of(field->a);
  const Node *map = type == NULL ? map_of(field->a) : NULL;
  if (type != NULL) check_instance(compiler, type, field);
  if (map != NULL) check_literal_map(compiler, map, field);
}
