// SPDX-License-Identifier: MIT
// Returns of one value that do not fit the function's others, where the
// compiler cannot be as certain as for `return 5` (resolve_func.c).
//
// In a function with `?` a value that is returned alone has to be nil or an
// error. One that comes from a `?` is neither, unless something asks what it
// is. In a function without `?` nothing is filled in, so a value alone does not
// fit a return that gives nil or an error last. (An error alone does, where the
// callers write `?`.)
#include "lang/check/returns.h"

#include "lang/check/fields.h"
#include "lang/check/kinds.h"
#include "lang/resolve/scope.h"

// --- Variables that something asks ------------------------------------------
static void ask(const Node *node) {
  if (node != NULL && node->kind == NODE_NAME && node->note != NULL)
    ((Symbol *)node->note)->asked = true;
}

static void ask_each(const Node *list) {
  for (const Node *node = list; node != NULL; node = node->next) ask(node);
}

// All that stand in a condition. Statements in it have their own.
static void ask_within(const Node *list) {
  for (const Node *node = list; node != NULL; node = node->next) {
    ask(node);
    if (node->kind == NODE_FUNC || node->kind == NODE_VALUE) continue;
    ask_within(node->a);
    ask_within(node->b);
    ask_within(node->c);
  }
}

static void look_for_questions(const Node *node) {
  switch (node->kind) {
    case NODE_IS:
    case NODE_UNARY:
      ask(node->a);
      break;
    case NODE_BINARY:
      ask(node->a);
      ask(node->b);
      break;
    case NODE_PROPAGATE:
      if (node->a->kind == NODE_CALL) ask_each(node->a->b);
      break;
    case NODE_IF:
    case NODE_FOR:
    case NODE_SWITCH:
      ask_within(node->b);
      break;
    case NODE_CASE:
      ask_within(node->a);
      break;
    default:
      break;
  }
}

void returns_look(const Node *list) {
  for (const Node *node = list; node != NULL; node = node->next) {
    look_for_questions(node);
    returns_look(node->a);
    returns_look(node->b);
    returns_look(node->c);
    returns_look(node->d);
  }
}

// --- The returns of a function ----------------------------------------------
typedef struct Returns {
  Compiler *compiler;
  bool tries;         // it has a `?`
  const Node *pair;   // the first return of several values, an error last
  const Node *value;  // the first that surely gives a value, and not nil
  void (*look)(struct Returns *returns, const Node *node);
} Returns;

// Inner functions have their own.
static void each_return(Returns *returns, const Node *list) {
  for (const Node *node = list; node != NULL; node = node->next) {
    if (node->kind == NODE_FUNC || node->kind == NODE_FUNCDECL) continue;
    if (node->kind == NODE_PROPAGATE || node->kind == NODE_RETURN)
      returns->look(returns, node);
    each_return(returns, node->a);
    each_return(returns, node->b);
    each_return(returns, node->c);
    each_return(returns, node->d);
  }
}

static bool is_tried(const Node *value) {
  const Symbol *symbol = value->kind == NODE_NAME ? value->note : NULL;
  if (symbol == NULL || symbol->asked) return false;
  const Node *only = scope_only_value(symbol);
  return only != NULL && only->kind == NODE_PROPAGATE;
}

static bool surely_no_error(Compiler *compiler, const Node *value) {
  Kind kind = kinds_of(value);
  if (kind != KIND_UNKNOWN) return kind != KIND_NIL;
  return is_tried(value) || fields_is_plain(compiler, value);
}

static bool is_error_call(const Node *node) {
  const Symbol *symbol = node->kind == NODE_CALL && node->a->kind == NODE_NAME
                             ? node->a->note
                             : NULL;
  return symbol != NULL && symbol->predeclared &&
         name_is(symbol->name, "error");
}

static void gather(Returns *returns, const Node *node) {
  if (node->kind == NODE_PROPAGATE) returns->tries = true;
  if (node->kind == NODE_PROPAGATE || node->a == NULL) return;
  if (returns->value == NULL &&
      (node->a->next != NULL || surely_no_error(returns->compiler, node->a)))
    returns->value = node;
  if (returns->pair != NULL) return;
  const Node *last = node->a;
  while (last->next != NULL) last = last->next;
  bool ends = last->kind == NODE_NIL || is_error_call(last);
  if (ends && last != node->a) returns->pair = node;
}

// --- With `?` ---------------------------------------------------------------
static void warn_beside_try(Returns *returns, const Node *node) {
  if (node->kind != NODE_RETURN || node->a == NULL || node->a->next != NULL ||
      !surely_no_error(returns->compiler, node->a))
    return;
  Diags *diags = returns->compiler->diags;
  diag_warn(diags, node->a->pos, 1,
            "a function with `?` returns nil or an error last, and this is "
            "neither");
  diag_hint(diags, "write `return x, nil`");
}

// --- Without ----------------------------------------------------------------
static void warn_beside_pair(Returns *returns, const Node *node) {
  if (node->kind != NODE_RETURN || node->a == NULL || node->a->next != NULL ||
      !surely_no_error(returns->compiler, node->a))
    return;
  Diags *diags = returns->compiler->diags;
  int count = count_nodes(returns->pair->a);
  diag_warn(diags, node->a->pos, 1,
            "this returns 1 value and no error, but line %u returns %d values",
            returns->pair->pos.line, count);
  diag_hint(diags,
            count == 2
                ? "write `return x, nil`"
                : "let all returns of this function give as many values");
}

// --- The end of the body ----------------------------------------------------
static bool may_leave(const Node *statement, Compiler *compiler,
                      ComesBack *comes_back) {
  switch (statement->kind) {
    case NODE_RETURN:
    case NODE_GROUP:
    case NODE_SWITCH:
      return true;
    case NODE_EXPR:  // panic(...), os.exit(1), fail(...)
      return comes_back == NULL || statement->a->kind != NODE_CALL ||
             !comes_back(compiler, statement->a);
    case NODE_BLOCK:
      return returns_may_leave(statement->a, compiler, comes_back);
    case NODE_IF:
      return statement->d != NULL &&
             may_leave(statement->c, compiler, comes_back) &&
             may_leave(statement->d, compiler, comes_back);
    case NODE_SELECT:
      for (const Node *one = statement->c; one != NULL; one = one->next)
        if (!may_leave(one->b, compiler, comes_back)) return false;
      return true;
    default:
      return false;
  }
}

bool returns_may_leave(const Node *list, Compiler *compiler,
                       ComesBack *comes_back) {
  while (list != NULL && list->next != NULL) list = list->next;
  return list != NULL && may_leave(list, compiler, comes_back);
}

// What the function gives by its returns it does not give at its end.
static void warn_at_end(const Returns *returns, const Node *function) {
  if (!(function->flags & NOTE_ENDS) || returns->value == NULL ||
      returns_may_leave(function->b->a, returns->compiler, NULL))
    return;
  Diags *diags = returns->compiler->diags;
  diag_warn(diags, function->b->end, 1,
            "the function ends here without a value, but line %u returns one",
            returns->value->pos.line);
  diag_hint(diags, "write `return nil` if there is none");
}

// (A frame of its own: the walk over the tree is recursive.)
__attribute__((noinline)) void returns_check(Compiler *compiler,
                                             const Node *function) {
  RT_ASSERT(function->kind == NODE_FUNC);
  if ((function->flags & FLAG_ARROW) || function->b == NULL) return;
  Returns returns = {.compiler = compiler, .look = gather};
  each_return(&returns, function->b->a);
  if (!returns.tries) warn_at_end(&returns, function);
  if (!returns.tries && returns.pair == NULL) return;
  returns.look = returns.tries ? warn_beside_try : warn_beside_pair;
  each_return(&returns, function->b->a);
}
