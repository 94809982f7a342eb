// SPDX-License-Identifier: MIT
// `p.name`, where p surely is an instance of a struct of this file: a method's
// receiver, what a constructor gives, or a variable that is set once to that.
// And `m.len`, where m surely is a map without such a key: other languages have
// methods of these names (vm/object/habit.h). And methods that a built-in type
// does not have.
#include "lang/check/fields.h"

#include <string.h>

#include "lang/arena.h"
#include "lang/check/kinds.h"
#include "lang/resolve/scope.h"
#include "vm/interp/method_tables.h"
#include "vm/object/habit.h"
#include "vm/object/suggest.h"

// --- Structs ----------------------------------------------------------------
// The STRUCT of this file whose constructor is called, or NULL.
static const Node *struct_made(const Node *call) {
  if (call->a->kind != NODE_NAME || call->a->note == NULL) return NULL;
  const Symbol *type = call->a->note;
  return type->kind == SYM_STRUCT ? type->node : NULL;
}

// The STRUCT whose instance it surely is, or NULL.
static const Node *struct_of(const Node *node) {
  if (node->kind == NODE_CALL) return struct_made(node);
  if (node->kind != NODE_NAME || node->note == NULL) return NULL;
  const Symbol *symbol = node->note;
  if (symbol->parameter && !symbol->assigned) return symbol->decl;
  const Node *value = scope_only_value(symbol);
  return value != NULL && value->kind == NODE_CALL ? struct_made(value) : NULL;
}

static bool has_field(const Node *type, const AstStr *name) {
  for (const Node *field = type->a; field != NULL; field = field->next)
    if (field->name == name) return true;
  return false;
}

// Its declaration, or NULL.
static const Node *declared_method(Compiler *compiler, const Node *type,
                                   const AstStr *name) {
  size_t len = type->name->len + 1 + name->len;
  char *text = arena_alloc(compiler->arena, len + 1);
  memcpy(text, type->name->text, type->name->len);
  text[type->name->len] = '.';
  memcpy(text + type->name->len + 1, name->text, name->len);
  const AstStr *full = arena_intern(compiler->arena, text, len);
  uint64_t found;
  return table_get(&compiler->methods, (uint64_t)(uintptr_t)full, &found)
             ? (const Node *)(uintptr_t)found
             : NULL;
}

const Node *fields_method(Compiler *compiler, const Node *field) {
  const Node *type = struct_of(field->a);
  return type != NULL && !has_field(type, field->name)
             ? declared_method(compiler, type, field->name)
             : NULL;
}

// (A callee that is a variable stands for what it is set to once.)
const Node *fields_function(Compiler *compiler, const Node *callee) {
  callee = kinds_origin(callee);
  if (callee->kind == NODE_FUNC) return callee;
  if (callee->kind != NODE_NAME && callee->kind != NODE_FIELD) return NULL;
  const Symbol *symbol = callee->note;
  const Node *decl = NULL;
  if (symbol == NULL && callee->kind == NODE_FIELD)
    decl = fields_method(compiler, callee);
  if (symbol != NULL && symbol->kind == SYM_FUNC) decl = symbol->decl;
  if (decl != NULL) return decl->kind == NODE_FUNCDECL ? decl->a : NULL;
  const Node *value = symbol != NULL ? scope_only_value(symbol) : NULL;
  return value != NULL && value->kind == NODE_FUNC ? value : NULL;
}

static bool is_error_struct(Compiler *compiler, const Node *type) {
  static const AstStr ERROR = {"error", 5};
  return declared_method(compiler, type, &ERROR) != NULL;
}

bool fields_makes_error(Compiler *compiler, const Symbol *type) {
  static const AstStr ERROR = {"error", 5};
  RT_ASSERT(type->kind == SYM_STRUCT);
  if (type->node == NULL)
    return value_is_type(type->value, OBJ_STRUCT) &&
           ((ObjStruct *)value_obj(type->value))->error_method != VALUE_NIL;
  const Node *method = declared_method(compiler, type->node, &ERROR);
  if (method == NULL) return false;
  for (const Node *one = method->a->a; one != NULL; one = one->next)
    if (one->a == NULL && !(one->flags & FLAG_REST)) return false;
  return true;
}

bool fields_is_plain(Compiler *compiler, const Node *node) {
  const Node *type = struct_of(node);
  return type != NULL && !is_error_struct(compiler, type);
}

// What structs have that are errors, beside their fields.
static bool is_error_part(Compiler *compiler, const Node *type,
                          const AstStr *name) {
  bool part = name_is(name, "message") || name_is(name, "cause") ||
              name_is(name, "trace") || name_is(name, "code");
  return part && is_error_struct(compiler, type);
}

static void check_instance(Compiler *compiler, const Node *type,
                           const Node *node) {
  RT_ASSERT(type->kind == NODE_STRUCT && node->kind == NODE_FIELD);
  if (has_field(type, node->name) ||
      declared_method(compiler, type, node->name) != NULL ||
      is_error_part(compiler, type, node->name))
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

static void look_past_all(const Node *list) {
  for (const Node *node = list; node != NULL; node = node->next)
    if (variable_of(node) == NULL) look_through(node);
}

static bool is_no_function(const Node *value) {
  Kind kind = value != NULL ? kinds_of(value) : KIND_UNKNOWN;
  return kind != KIND_UNKNOWN && kind != KIND_FUNC;
}

// What `x op= y` leaves is no function.
static bool calculates(AstOp op) {
  return op != AST_NONE && op != AST_COALESCE && op != AST_AND && op != AST_OR;
}

// The map gets a key: `m.name = value`, `m[key] = value`.
static void look_at_key(Symbol *map, const Node *place, AstOp op,
                        const Node *value) {
  const Node *key = place->kind == NODE_INDEX ? place->b : NULL;
  Kind kind = key != NULL ? kinds_of(key) : KIND_STRING;
  if (kind != KIND_STRING && kind != KIND_UNKNOWN) return;
  if (key == NULL || key->kind == NODE_STRING) {
    const char *name = key == NULL ? place->name->text : key->str.text;
    if (habit_find(OBJ_MAP, name) != NULL) map->escapes = true;
  } else if (calculates(op) || is_no_function(value)) {
    map->gets_keys = true;
  } else {
    map->escapes = true;
  }
}

static void look_at_targets(const Node *stmt) {
  bool fits = count_nodes(stmt->a) == count_nodes(stmt->b);
  const Node *value = fits ? stmt->b : NULL;
  for (const Node *one = stmt->a; one != NULL; one = one->next) {
    bool place = one->kind == NODE_FIELD || one->kind == NODE_INDEX;
    Symbol *symbol = place ? variable_of(one->a) : NULL;
    if (symbol != NULL) look_at_key(symbol, one, stmt->op, value);
    if (value != NULL) value = value->next;
  }
}

static bool only_reads(const Node *callee) {
  static const char *const READERS[] = {"copy",  "delete",  "equal", "len",
                                        "print", "println", "str",   "type"};
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
      look_at_targets(node);
      break;
    case NODE_BINARY:
      if (!ast_compares(node->op) && node->op != AST_IN) break;
      look_past(node->a);
      look_past(node->b);
      return;
    case NODE_INTERP:
    case NODE_FORMAT:
      look_past_all(node->a);
      return;
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

// --- Keys that a map has not ------------------------------------------------
// `map()`, `map(default: 0)`
static bool is_counter(const Node *value) {
  if (value->kind != NODE_CALL || kinds_of(value) != KIND_MAP) return false;
  const Node *arg = value->b;
  return arg == NULL ||
         (arg->next == NULL && arg->kind == NODE_NAMED &&
          name_is(arg->name, "default") && is_no_function(arg->a));
}

static bool is_new_map(const Node *node) {
  return node->kind == NODE_MAP || is_counter(node);
}

// What surely makes the map, which stays as it is: a literal, or a call.
static const Node *map_of(const Node *node) {
  if (is_new_map(node)) return node;
  const Symbol *symbol = variable_of(node);
  if (symbol == NULL || symbol->escapes || symbol->gets_keys) return NULL;
  const Node *value = scope_only_value(symbol);
  return value != NULL && is_new_map(value) ? value : NULL;
}

static bool may_be_key(const Node *key, const AstStr *name) {
  if (key->kind == NODE_INT) return false;
  return key->kind != NODE_STRING ||
         (key->str.len == name->len &&
          memcmp(key->str.text, name->text, name->len) == 0);
}

static bool may_have_key(const Node *map, const AstStr *name) {
  if (map->kind != NODE_MAP) return false;
  for (const Node *pair = map->a; pair != NULL; pair = pair->next)
    if (may_be_key(pair->a, name)) return true;
  return false;
}

static void warn_of_habit(Compiler *compiler, const Node *field,
                          const char *what) {
  const char *here = habit_find(OBJ_MAP, field->name->text);
  diag_warn(compiler->diags, field->pos, (uint32_t)field->name->len,
            "the map has no %s `%s`, and maps have no methods", what,
            field->name->text);
  diag_hint(compiler->diags, "write `%s`", here);
}

// --- Methods that built-in types have not -----------------------------------
static void check_builtin(Compiler *compiler, const Node *field) {
  Kind kind = kinds_of(field->a);
  ObjType type = kinds_type(kind);
  if (type == OBJ_TYPE_COUNT || kinds_has_method(compiler, kind, field->name) ||
      compiler->no_memory)
    return;
  diag_warn(compiler->diags, field->pos, (uint32_t)field->name->len,
            "%s has no method `%s`", kinds_name(kind), field->name->text);
  const char *here = habit_find(type, field->name->text);
  Suggest suggest = {.wanted = field->name->text};
  const MethodTable *table = compiler->vm->methods[type];
  for (uint32_t n = 0; table != NULL && n < table->count; n++)
    suggest_try(&suggest, table->methods[n].name->own);
  if (here != NULL)
    diag_hint(compiler->diags, "write `%s`", here);
  else if (suggest.best != NULL)
    diag_hint(compiler->diags, "did you mean `%s`?", suggest.best);
}

void fields_check(Compiler *compiler, const Node *field) {
  if (field->note != NULL) return;
  check_builtin(compiler, field);
  const Node *type = struct_of(field->a);
  const Node *map = type == NULL ? map_of(field->a) : NULL;
  if (type != NULL) check_instance(compiler, type, field);
  if (map != NULL && habit_find(OBJ_MAP, field->name->text) != NULL &&
      !may_have_key(map, field->name))
    warn_of_habit(compiler, field, "key");
}

// Whether the map that the variable gets may hold a function of that name.
static bool may_hold_function(const Node *value, const AstStr *name) {
  if (is_counter(value)) return false;
  if (value->kind != NODE_MAP) return true;
  for (const Node *pair = value->a; pair != NULL; pair = pair->next)
    if (may_be_key(pair->a, name) &&
        (pair->a->kind == NODE_STRING || !is_no_function(pair->b)))
      return true;
  return false;
}

void fields_check_call(Compiler *compiler, const Node *call) {
  const Node *field = call->a;
  if (field->kind != NODE_FIELD || field->note != NULL) return;
  const Symbol *symbol = variable_of(field->a);
  if (symbol == NULL || symbol->escapes) return;
  const Node *value = scope_only_value(symbol);
  if (value == NULL || habit_find(OBJ_MAP, field->name->text) == NULL) return;
  bool warned = map_of(field->a) != NULL && !may_have_key(value, field->name);
  if (!warned && !may_hold_function(value, field->name))
    warn_of_habit(compiler, field, "function");
}
