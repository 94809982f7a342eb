// SPDX-License-Identifier: MIT
// First pass, statements: scopes, declarations, labels, what cannot be reached.
// resolve_stmt and the functions that it calls return true if control never
// gets past the statement.
#include "lang/resolve/resolve.h"

#include <string.h>

#include "lang/arena.h"
#include "lang/diag.h"
#include "lang/resolve/declare.h"
#include "lang/resolve/fold.h"
#include "lang/resolve/resolve_expr.h"
#include "lang/resolve/resolve_func.h"
#include "lang/resolve/scope.h"
#include "lang/shape.h"

// --- Declarations and assignments -------------------------------------------
// A function gets the name of the variable that it is assigned to.
static void name_function(const Node *name, Node *value) {
  if (value->kind == NODE_FUNC && value->name == NULL &&
      name->kind == NODE_NAME)
    value->name = name->name;
}

static void name_functions(const Node *names, Node *values) {
  for (; names != NULL && values != NULL;
       names = names->next, values = values->next)
    name_function(names, values);
}

static bool gives_many(const Node *value, int count) {
  switch (value->kind) {
    case NODE_CALL:
    case NODE_RECV:
    case NODE_PROPAGATE:
    case NODE_APART:
      return true;
    case NODE_INDEX:
      return count == 2;
    default:
      return false;
  }
}

// There must be as many names as values, or one value that gives several.
static void check_counts(Compiler *compiler, const Node *stmt) {
  int names = count_nodes(stmt->a), values = count_nodes(stmt->b);
  if (names == values || values == 0) return;
  if (values == 1 && gives_many(stmt->b, names)) return;
  bool told =
      diag_error(compiler->diags, stmt->pos, 1, "%d name%s, but %d value%s",
                 names, names == 1 ? "" : "s", values, values == 1 ? "" : "s");
  if (told && values == 1)
    diag_hint(compiler->diags,
              "a list or a tuple is taken apart by `[a, b] := x`");
}

static void declare_local(Compiler *compiler, Node *name, const Node *stmt) {
  RT_ASSERT(name->note == NULL && compiler->scope != NULL);
  Symbol *symbol = scope_declare(compiler, SYM_LOCAL, name->name, name->pos);
  symbol->decl = stmt;
  name->note = symbol;
  name->flags |= NOTE_NEW;
}

// A constant with a literal value takes no register.
static void declare_constant(Compiler *compiler, Node *name, Node *value,
                             const Node *stmt) {
  declare_local(compiler, name, stmt);
  Symbol *symbol = name->note;
  symbol->constant = true;
  if (value == NULL || !fold_is_literal(value)) return;
  symbol->kind = SYM_LITERAL;
  symbol->node = value;
}

static void declare_early(Compiler *compiler, const Node *stmt) {
  bool paired = count_nodes(stmt->a) == count_nodes(stmt->b);
  Node *value = paired ? stmt->b : NULL;
  for (Node *name = stmt->a; name != NULL; name = name->next) {
    if (name->kind == NODE_NAME && !name_is_blank(name)) {
      if (stmt->kind == NODE_CONST) {
        declare_constant(compiler, name, value, stmt);
      } else {
        declare_local(compiler, name, stmt);
      }
    }
    if (value != NULL) value = value->next;
  }
}

static void declare_defined(Compiler *compiler, const Node *stmt) {
  bool new = false;
  for (Node *name = stmt->a; name != NULL; name = name->next) {
    if (name->kind != NODE_NAME || name_is_blank(name)) continue;
    Symbol *before = scope_here(compiler, name->name);
    if (before != NULL && before->decl != stmt) {
      resolve_target(compiler, name);
    } else {
      declare_local(compiler, name, stmt);
      new = true;
    }
  }
  if (new || stmt->a == NULL) return;
  declares_nothing(compiler, stmt);
}

// At the top level declare.c has declared the new names.
static void resolve_old_names(Compiler *compiler, Node *names) {
  for (Node *name = names; name != NULL; name = name->next) {
    if (!(name->flags & NOTE_NEW)) resolve_target(compiler, name);
  }
}

static void note_declared(const Node *names) {
  for (const Node *name = names; name != NULL; name = name->next) {
    RT_ASSERT(!(name->flags & NOTE_NEW) || name->note != NULL);
    if (name->flags & NOTE_NEW) ((Symbol *)name->note)->declared = true;
  }
}

static void resolve_declaration(Compiler *compiler, Node *stmt) {
  name_functions(stmt->a, stmt->b);
  resolve_list(compiler, stmt->b);
  check_counts(compiler, stmt);
  if (scope_at_top(compiler)) {
    if (stmt->kind == NODE_DEFINE) resolve_old_names(compiler, stmt->a);
    note_declared(stmt->a);
  } else if (stmt->kind == NODE_DEFINE) {
    declare_defined(compiler, stmt);
  } else {
    declare_early(compiler, stmt);
  }
}

static void resolve_assign(Compiler *compiler, Node *stmt) {
  if (stmt->op == AST_NONE) name_functions(stmt->a, stmt->b);
  for (Node *target = stmt->a; target != NULL; target = target->next)
    resolve_target(compiler, target);
  resolve_list(compiler, stmt->b);
  if (stmt->op == AST_NONE) {
    check_counts(compiler, stmt);
  } else if (count_nodes(stmt->a) > 1 || count_nodes(stmt->b) > 1) {
    diag_error(compiler->diags, stmt->pos, 2,
               "an operator assigns one value to one name");
  }
  if (stmt->op != AST_NONE && stmt->a != NULL && stmt->a->kind == NODE_NAME &&
      name_is_blank(stmt->a))
    diag_error(compiler->diags, stmt->a->pos, 1, "`_` holds no value");
}

static void resolve_incdec(Compiler *compiler, Node *stmt) {
  if (stmt->a == NULL) return;
  resolve_target(compiler, stmt->a);
  if (stmt->a->kind == NODE_NAME && name_is_blank(stmt->a))
    diag_error(compiler->diags, stmt->a->pos, 1, "`_` holds no value");
}

static void resolve_funcdecl(Compiler *compiler, Node *decl) {
  Node *node = decl->a;
  if (node == NULL || decl->name == NULL) return;
  if (node->c != NULL) {
    resolve_method(compiler, decl);
    return;
  }
  bool top = scope_at_top(compiler);
  if (!top) {
    Symbol *symbol = scope_declare(compiler, SYM_LOCAL, decl->name, decl->pos);
    symbol->constant = true;
    symbol->assigned = true;  // it may capture itself before it is made
    symbol->decl = decl;
    decl->note = symbol;
  }
  Func *func = func_new(compiler, node, decl->name);
  if (top) {
    func->self = decl->note;
    RT_ASSERT(*compiler->funcs_end == NULL && func->self != NULL);
    *compiler->funcs_end = func;
    compiler->funcs_end = &func->next;
  }
  resolve_func(compiler, node, func);
}

static void resolve_structdecl(Compiler *compiler, Node *node) {
  if (node->name == NULL) return;
  Symbol *symbol = node->note;
  if (!scope_at_top(compiler)) {
    symbol = scope_declare(compiler, SYM_STRUCT, node->name, node->pos);
    symbol->constant = true;
    symbol->node = node;
  }
  resolve_struct(compiler, node, symbol);
}

static void resolve_import(Compiler *compiler, Node *node) {
  if (!scope_at_top(compiler)) {
    diag_error(compiler->diags, node->pos, 6,
               "`import` stands at the top level of a file");
    if (node->name == NULL || compiler->scope == NULL) return;
    Symbol *symbol =
        scope_declare(compiler, SYM_UNKNOWN, node->name, node->pos);
    symbol->used = true;
  }
}

// --- Leaving ----------------------------------------------------------------
static void hint_at_value(Compiler *compiler, const Node *stmt) {
  const Node *node = stmt->a;
  if (node->kind == NODE_BINARY && node->op == AST_EQ)
    diag_hint(compiler->diags, "`==` compares, and `=` assigns");
  else if (stmt->next == NULL && compiler->func != compiler->main)
    diag_hint(compiler->diags,
              "a function gives it by `return x`, or as `func(a) => x`");
}

static void resolve_expr_stmt(Compiler *compiler, Node *stmt) {
  Node *node = stmt->a;
  resolve_expr(compiler, node);
  if (node == NULL) return;
  switch (node->kind) {
    case NODE_CALL:
    case NODE_RECV:
    case NODE_PROPAGATE:
    case NODE_GO:
      return;
    default:
      diag_error(compiler->diags, node->pos, 1, "the value is not used");
      hint_at_value(compiler, stmt);
  }
}

static bool label_is(const Target *target, const AstStr *label) {
  return label == NULL || target->label == label;
}

// The statement that a break or continue leaves.
static Target *find_target(Compiler *compiler, const Node *stmt) {
  bool loops_only = stmt->kind == NODE_CONTINUE;
  for (Target *target = compiler->func->resolve.target; target != NULL;
       target = target->up) {
    if (!label_is(target, stmt->name)) continue;
    if (target->loop || !loops_only) return target;
    if (stmt->name == NULL) continue;
    diag_error(compiler->diags, stmt->pos, 8,
               "`continue %s`: `%s` is not a loop", stmt->name->text,
               stmt->name->text);
    return NULL;
  }
  const char *word = loops_only ? "continue" : "break";
  if (stmt->name != NULL) {
    diag_error(compiler->diags, stmt->pos, loops_only ? 8 : 5,
               "`%s %s`: there is no label `%s` around it", word,
               stmt->name->text, stmt->name->text);
  } else {
    diag_error(compiler->diags, stmt->pos, loops_only ? 8 : 5,
               "`%s` stands outside a loop%s", word,
               loops_only ? "" : ", switch or select");
  }
  return NULL;
}

static bool resolve_jump(Compiler *compiler, const Node *stmt) {
  Target *target = find_target(compiler, stmt);
  if (target != NULL && target->value) {
    diag_error(compiler->diags, stmt->pos, 5,
               "`break` leaves a `switch` that has to give a value");
    diag_hint(compiler->diags, "to leave a loop around it, give that a label");
  }
  if (target != NULL && stmt->kind == NODE_BREAK) target->broken = true;
  return true;
}

// --- Blocks, loops, branches ------------------------------------------------
// In a scope of its own.
static bool resolve_block(Compiler *compiler, Node *block) {
  if (block == NULL) return false;
  Scope scope;
  scope_push(compiler, &scope);
  RT_ASSERT(block->kind == NODE_BLOCK);
  bool ends = resolve_stmts(compiler, block->a);
  RT_ASSERT(compiler->scope == &scope);
  scope_pop(compiler);
  return ends;
}

static void target_push(Compiler *compiler, Target *target, const AstStr *label,
                        bool loop) {
  *target = (Target){
      .up = compiler->func->resolve.target, .label = label, .loop = loop};
  compiler->func->resolve.target = target;
}

static void target_pop(Compiler *compiler, const Target *target) {
  RT_ASSERT(compiler->func->resolve.target == target);
  compiler->func->resolve.target = target->up;
}

static bool resolve_if(Compiler *compiler, Node *stmt) {
  Scope scope;
  scope_push(compiler, &scope);
  if (stmt->a != NULL) resolve_stmt(compiler, stmt->a, NULL);
  resolve_expr(compiler, stmt->b);
  bool ends = resolve_block(compiler, stmt->c);
  if (stmt->d == NULL) {
    ends = false;
  } else if (stmt->d->kind == NODE_IF) {
    ends = resolve_if(compiler, stmt->d) && ends;
  } else {
    ends = resolve_block(compiler, stmt->d) && ends;
  }
  scope_pop(compiler);
  return ends;
}

static bool resolve_for(Compiler *compiler, Node *stmt, const AstStr *label) {
  Scope scope;
  Target target;
  scope_push(compiler, &scope);
  if (stmt->a != NULL) resolve_stmt(compiler, stmt->a, NULL);
  resolve_expr(compiler, stmt->b);
  target_push(compiler, &target, label, true);
  resolve_block(compiler, stmt->d);
  target_pop(compiler, &target);
  if (stmt->c != NULL) resolve_stmt(compiler, stmt->c, NULL);
  scope_pop(compiler);
  bool forever = stmt->b == NULL || stmt->b->kind == NODE_TRUE;
  return forever && !target.broken;
}

static void resolve_for_in(Compiler *compiler, Node *stmt,
                           const AstStr *label) {
  Scope scope;
  Target target;
  resolve_expr(compiler, stmt->b);
  scope_push(compiler, &scope);
  for (Node *name = stmt->a; name != NULL; name = name->next) {
    if (!name_is_blank(name)) declare_local(compiler, name, stmt);
  }
  // No warning of unused ones, as in Go: a loop may be there for its turns
  // alone.
  for (Symbol *symbol = scope.symbols; symbol != NULL; symbol = symbol->next)
    symbol->used = true;
  target_push(compiler, &target, label, true);
  resolve_block(compiler, stmt->d);
  target_pop(compiler, &target);
  scope_pop(compiler);
}

static void check_case(Compiler *compiler, const Node *stmt, const Node *one) {
  if (stmt->b != NULL) return;
  for (const Node *value = one->a; value != NULL; value = value->next) {
    if (value->kind == NODE_IS && value->a == NULL)
      diag_error(compiler->diags, value->pos, 2,
                 "`case is` needs a value after `switch`");
  }
}

// A type that is no function, either: `case string:` is meant as a question.
static bool is_lone_type(Compiler *compiler, const Node *value) {
  return value->kind == NODE_NAME && !compiler->partial &&
         scope_type_name(value->name) != NULL &&
         scope_find(compiler, value->name, value->pos) == NULL;
}

static void resolve_case_value(Compiler *compiler, Node *value) {
  if (!is_lone_type(compiler, value)) {
    resolve_expr(compiler, value);
    return;
  }
  RT_ASSERT(value->note == NULL);
  value->note = symbol_new(compiler, SYM_UNKNOWN, value->name, value->pos);
  diag_error(compiler->diags, value->pos, (uint32_t)value->name->len,
             "`%s` is a type, and no value", value->name->text);
  diag_hint(compiler->diags, "for the type write `case is %s`",
            value->name->text);
}

static bool resolve_switch(Compiler *compiler, Node *stmt,
                           const AstStr *label) {
  Scope scope;
  Target target;
  bool ends = true, has_default = false;
  scope_push(compiler, &scope);
  if (stmt->a != NULL) resolve_stmt(compiler, stmt->a, NULL);
  resolve_expr(compiler, stmt->b);
  target_push(compiler, &target, label, false);
  target.value = (stmt->flags & FLAG_VALUE) != 0;
  for (Node *one = stmt->c; one != NULL; one = one->next) {
    if (one->a == NULL && has_default)
      diag_error(compiler->diags, one->pos, 7, "a switch has one `default`");
    if (one->a == NULL) has_default = true;
    check_case(compiler, stmt, one);
    for (Node *value = one->a; value != NULL; value = value->next)
      resolve_case_value(compiler, value);
    ends = resolve_block(compiler, one->b) && ends;
  }
  target_pop(compiler, &target);
  scope_pop(compiler);
  return ends && has_default && !target.broken;
}

static bool resolve_select(Compiler *compiler, Node *stmt,
                           const AstStr *label) {
  Target target;
  bool ends = true, has_default = false;
  target_push(compiler, &target, label, false);
  for (Node *comm = stmt->c; comm != NULL; comm = comm->next) {
    Scope scope;
    if (comm->a == NULL && has_default)
      diag_error(compiler->diags, comm->pos, 7, "a select has one `default`");
    if (comm->a == NULL) has_default = true;
    scope_push(compiler, &scope);
    if (comm->a != NULL) resolve_stmt(compiler, comm->a, NULL);
    ends = resolve_block(compiler, comm->b) && ends;
    scope_pop(compiler);
  }
  target_pop(compiler, &target);
  return ends && !target.broken;
}

static void resolve_group(Compiler *compiler, Node *stmt) {
  Scope scope;
  scope_push(compiler, &scope);
  if (stmt->a != NULL && !name_is_blank(stmt->a)) {
    declare_local(compiler, stmt->a, stmt);
    ((Symbol *)stmt->a->note)->constant = true;
  }
  resolve_block(compiler, stmt->b);
  scope_pop(compiler);
}

static bool resolve_labeled(Compiler *compiler, Node *stmt) {
  for (const Target *target = compiler->func->resolve.target; target != NULL;
       target = target->up) {
    if (target->label != stmt->name) continue;
    diag_error(compiler->diags, stmt->pos, name_length(stmt->name),
               "the label `%s` stands inside another one of that name",
               stmt->name->text);
    break;
  }
  return stmt->a != NULL && resolve_stmt(compiler, stmt->a, stmt->name);
}

// In a field's default an `if` or `switch` gives a value. What leaves its
// function, now or later, has none there: a constructor gives the new instance.
static void check_default(Compiler *compiler, const Node *stmt) {
  const char *word = stmt->kind == NODE_RETURN  ? "return"
                     : stmt->kind == NODE_DEFER ? "defer"
                     : stmt->kind == NODE_GROUP ? "group"
                                                : NULL;
  if (word == NULL || !compiler->func->constructor) return;
  diag_error(compiler->diags, stmt->pos, (uint32_t)strlen(word),
             "`%s` cannot stand in a field's default", word);
  diag_hint(compiler->diags, "write a function, and call it");
}

static void resolve_defer(Compiler *compiler, const Node *stmt) {
  resolve_expr(compiler, stmt->a);
  compiler->func->has_defer = true;
}

// --- All of them ------------------------------------------------------------
bool resolve_stmt(Compiler *compiler, Node *stmt, const AstStr *label) {
  check_default(compiler, stmt);
  switch (stmt->kind) {
    case NODE_BLOCK:
      return resolve_block(compiler, stmt);
    case NODE_EXPR:
      resolve_expr_stmt(compiler, stmt);
      return false;
    case NODE_DEFINE:
    case NODE_VAR:
    case NODE_CONST:
      resolve_declaration(compiler, stmt);
      return false;
    case NODE_ASSIGN:
      resolve_assign(compiler, stmt);
      return false;
    case NODE_INCDEC:
      resolve_incdec(compiler, stmt);
      return false;
    case NODE_GIVE:
      resolve_expr(compiler, stmt->a);
      return false;
    case NODE_SEND:
      resolve_expr(compiler, stmt->a);
      resolve_expr(compiler, stmt->b);
      return false;
    case NODE_DEFER:
      resolve_defer(compiler, stmt);
      return false;
    case NODE_RETURN:
      resolve_return(compiler, stmt);
      return true;
    case NODE_BREAK:
    case NODE_CONTINUE:
      return resolve_jump(compiler, stmt);
    case NODE_IF:
      return resolve_if(compiler, stmt);
    case NODE_FOR:
      return resolve_for(compiler, stmt, label);
    case NODE_FORIN:
      resolve_for_in(compiler, stmt, label);
      return false;
    case NODE_SWITCH:
      return resolve_switch(compiler, stmt, label);
    case NODE_SELECT:
      return resolve_select(compiler, stmt, label);
    case NODE_GROUP:
      resolve_group(compiler, stmt);
      return false;  // a group that is cancelled goes on after the block
    case NODE_LABELED:
      return resolve_labeled(compiler, stmt);
    case NODE_STRUCT:
      resolve_structdecl(compiler, stmt);
      return false;
    case NODE_FUNCDECL:
      resolve_funcdecl(compiler, stmt);
      return false;
    case NODE_IMPORT:
      resolve_import(compiler, stmt);
      return false;
    default:
      rt_throw("resolve_stmt: node of kind %d", (int)stmt->kind);
  }
}

bool resolve_stmts(Compiler *compiler, Node *stmts) {
  bool ended = false, warned = false;
  for (Node *stmt = stmts; stmt != NULL; stmt = stmt->next) {
    if (arena_failed(compiler->arena)) return true;
    if (ended && !warned) {
      warned = true;
      WARN(compiler, stmt->pos, 1, "this is never reached");
    }
    RT_ASSERT(compiler->partial || node_is_valid(stmt));
    if (resolve_stmt(compiler, stmt, NULL)) ended = true;
  }
  return ended;
}

// Modules whose import alone does something: `net`, `http` and `websocket` use
// what they give.
static bool gives_to_others(const Symbol *symbol) {
  static const char *const givers[] = {"dns", "tls", "zlib"};
  if (!value_is_type(symbol->value, OBJ_MODULE)) return false;
  const ObjString *name = ((ObjModule *)value_obj(symbol->value))->name;
  for (size_t i = 0; i < sizeof givers / sizeof givers[0]; i++) {
    if (name->len == strlen(givers[i]) &&
        memcmp(string_data(name), givers[i], name->len) == 0)
      return true;
  }
  return false;
}

// Go calls it, and Python programs do so at their end.
static void warn_of_idle_main(Compiler *compiler, const Symbol *symbol) {
  if (!compiler->warnings || symbol->kind != SYM_FUNC || symbol->used ||
      !name_is(symbol->name, "main") ||
      scope_may_be_lost(compiler, symbol->name))
    return;
  diag_warn(compiler->diags, symbol->pos, 4,
            "nothing calls `main`: a script runs from its first line");
  diag_hint(compiler->diags, "write `main()` at the end");
}

void resolve_file(Compiler *compiler, Node *stmts) {
  declare_file(compiler, stmts);
  resolve_stmts(compiler, stmts);
  RT_ASSERT(compiler->scope == NULL && compiler->func == compiler->main);
  RT_ASSERT(compiler->main->resolve.target == NULL);
  for (const Symbol *symbol = compiler->global_list; symbol != NULL;
       symbol = symbol->next) {
    if (symbol->kind == SYM_MODULE && !symbol->used &&
        !gives_to_others(symbol) && !scope_may_be_lost(compiler, symbol->name))
      WARN(compiler, symbol->pos, name_length(symbol->name),
           "the module `%s` is imported, but never used", symbol->name->text);
    warn_of_idle_main(compiler, symbol);
  }
}
