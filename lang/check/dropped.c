// SPDX-License-Identifier: MIT
// Calls that surely give an error last, where nothing takes it: statements and
// `defer`, where that is a panic, and `go` outside of groups, where it ends the
// program.
//
// Such calls are `error(...)` itself, the constructors of structs that are
// errors, and functions of the file whose returns all end in one of these. A
// function with a `defer` is not certain, because it may recover, and gives nil
// then.
#include "lang/check/dropped.h"

#include "lang/check/fields.h"
#include "lang/check/kinds.h"
#include "lang/resolve/scope.h"

enum { NODES_MOST = 200 };  // that are looked at for one call

typedef struct Look {
  Compiler *compiler;
  int left;  // of NODES_MOST
} Look;

static bool is_error(Look *look, const Node *value);

static const Node *last_of(const Node *list) {
  while (list != NULL && list->next != NULL) list = list->next;
  return list;
}

// --- The ways through a function --------------------------------------------
// Whether all returns below end in an error. Inner functions have their own.
static bool returns_are_errors(Look *look, const Node *list) {
  for (const Node *node = list; node != NULL; node = node->next) {
    if (--look->left < 0) return false;
    if (node->kind == NODE_FUNC || node->kind == NODE_FUNCDECL) continue;
    if (node->kind == NODE_RETURN && !is_error(look, last_of(node->a)))
      return false;
    if (node->kind == NODE_PROPAGATE) return false;  // it returns, too
    if (node->kind == NODE_DEFER) return false;
    if (!returns_are_errors(look, node->a) ||
        !returns_are_errors(look, node->b) ||
        !returns_are_errors(look, node->c) ||
        !returns_are_errors(look, node->d))
      return false;
  }
  return true;
}

static bool has_break(Look *look, const Node *list) {
  for (const Node *node = list; node != NULL; node = node->next) {
    if (--look->left < 0 || node->kind == NODE_BREAK) return true;
    if (node->kind == NODE_FUNC || node->kind == NODE_FUNCDECL) continue;
    if (has_break(look, node->a) || has_break(look, node->b) ||
        has_break(look, node->c) || has_break(look, node->d))
      return true;
  }
  return false;
}

static bool ends(Look *look, const Node *statement);

static bool switch_ends(Look *look, const Node *node) {
  bool always = (node->flags & FLAG_VALUE) != 0;
  for (const Node *one = node->c; one != NULL; one = one->next) {
    if (one->a == NULL) always = true;
    if (!ends(look, one->b)) return false;
  }
  return always && !has_break(look, node->c);
}

// Whether each way through the statement ends at a return, or gives an error as
// the value of the statement.
static bool ends(Look *look, const Node *statement) {
  if (statement == NULL || --look->left < 0) return false;
  switch (statement->kind) {
    case NODE_RETURN:
      return true;
    case NODE_GIVE:
      return is_error(look, statement->a);
    case NODE_BLOCK:
      return ends(look, last_of(statement->a));
    case NODE_IF:
      return ends(look, statement->c) && ends(look, statement->d);
    case NODE_SWITCH:
      return switch_ends(look, statement);
    default:
      return false;
  }
}

static bool gives_error(Look *look, const Node *function) {
  RT_ASSERT(function->kind == NODE_FUNC);
  bool arrow = (function->flags & FLAG_ARROW) != 0;
  return returns_are_errors(look, function->b) &&
         (arrow ? is_error(look, function->b) : ends(look, function->b));
}

// --- Values -----------------------------------------------------------------
static bool callee_is_named(const Node *node) {
  return node->kind == NODE_NAME || node->kind == NODE_FIELD;
}

bool dropped_makes_error(Compiler *compiler, const Node *call) {
  const Node *callee = kinds_origin(call->a);
  const Symbol *symbol = callee_is_named(callee) ? callee->note : NULL;
  if (symbol == NULL) return false;
  if (symbol->kind == SYM_STRUCT) return fields_makes_error(compiler, symbol);
  return symbol->predeclared && name_is(symbol->name, "error");
}

static bool call_gives_error(Look *look, const Node *call) {
  if (dropped_makes_error(look->compiler, call)) return true;
  const Node *function = fields_function(look->compiler, call->a);
  return function != NULL && gives_error(look, function);
}

static bool is_error(Look *look, const Node *value) {
  if (value == NULL || --look->left < 0) return false;
  switch (value->kind) {
    case NODE_CALL:
      return call_gives_error(look, value);
    case NODE_VALUE:
      return ends(look, value->a);
    case NODE_NAME:
      return value->note != NULL &&
             is_error(look, scope_only_value(value->note));
    default:
      return false;
  }
}

static bool surely_fails(Compiler *compiler, const Node *call) {
  Look look = {compiler, NODES_MOST};
  return call->kind == NODE_CALL && call_gives_error(&look, call);
}

// --- Warnings ---------------------------------------------------------------
// The callee as it is called, for a hint: `f`, `x.f`.
typedef struct Called {
  const char *of, *dot, *name;
} Called;

static Called called_by(const Node *callee) {
  if (callee->kind == NODE_NAME) return (Called){"", "", callee->name->text};
  RT_ASSERT(callee->kind == NODE_FIELD);
  bool plain = callee->a->kind == NODE_NAME;
  return (Called){plain ? callee->a->name->text : "x", ".", callee->name->text};
}

// false: it has no name that a hint could tell.
static bool warn_of_call(Compiler *compiler, const Node *callee,
                         const char *outcome) {
  if (callee_is_named(callee)) {
    diag_warn(compiler->diags, callee->pos, (uint32_t)callee->name->len,
              "`%s` gives an error, which %s", callee->name->text, outcome);
    return true;
  }
  diag_warn(compiler->diags, callee->pos, 1,
            "this function gives an error, which %s", outcome);
  diag_hint(compiler->diags, "let it return nothing, or take what it returns");
  return false;
}

void dropped_check(Compiler *compiler, const Node *statement) {
  const Node *call = statement->a;
  if (!surely_fails(compiler, call)) return;
  bool own = dropped_makes_error(compiler, call);
  if (own)
    diag_warn(compiler->diags, call->a->pos, (uint32_t)call->a->name->len,
              "this error is dropped, which is a panic");
  else if (!warn_of_call(compiler, call->a, "is dropped: a panic"))
    return;
  Called called = called_by(call->a);
  if (own)
    diag_hint(compiler->diags, "write `return %s%s%s(...)`, or `panic(...)`",
              called.of, called.dot, called.name);
  else
    diag_hint(compiler->diags,
              "write `%s%s%s(...)?`, or `_ = %s%s%s(...)` to ignore it",
              called.of, called.dot, called.name, called.of, called.dot,
              called.name);
}

void dropped_by_defer(Compiler *compiler, const Node *statement) {
  RT_ASSERT(statement->kind == NODE_DEFER);
  if (!surely_fails(compiler, statement->a)) return;
  const Node *callee = statement->a->a;
  if (!warn_of_call(compiler, callee, "is dropped: a panic")) return;
  Called called = called_by(callee);
  diag_hint(compiler->diags, "write `defer { _ = %s%s%s(...) }` to ignore it",
            called.of, called.dot, called.name);
}

static void check_go(Compiler *compiler, const Node *call) {
  if (!surely_fails(compiler, call) ||
      !warn_of_call(compiler, call->a, "ends the program"))
    return;
  Called called = called_by(call->a);
  diag_hint(compiler->diags, "write `go { _ = %s%s%s(...) }` to ignore it",
            called.of, called.dot, called.name);
}

// Those in functions may belong to a group that their callers are in.
void dropped_by_go(Compiler *compiler, const Node *stmts) {
  for (const Node *node = stmts; node != NULL; node = node->next) {
    if (node->kind == NODE_FUNC || node->kind == NODE_FUNCDECL ||
        node->kind == NODE_GROUP)
      continue;
    if (node->kind == NODE_EXPR && node->a->kind == NODE_GO)
      check_go(compiler, node->a->a);
    dropped_by_go(compiler, node->a);
    dropped_by_go(compiler, node->b);
    dropped_by_go(compiler, node->c);
    dropped_by_go(compiler, node->d);
  }
}
