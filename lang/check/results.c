// SPDX-License-Identifier: MIT
// `a, b := f()` and `f()?`, where f is a function of the file whose returns
// show that it gives another number of values: always, or where it ends without
// a value, or by a return of an error or nil alone.
//
// The last two are the function's mistakes, so they are reported there, once.
// (As a statement the call takes any number.)
#include "lang/check/results.h"

#include <string.h>

#include "lang/check/dropped.h"
#include "lang/check/fields.h"
#include "lang/check/kinds.h"
#include "lang/check/returns.h"
#include "lang/resolve/scope.h"

enum {
  RETURNS_MOST = 200,          // that are looked at for one call
  CONDITION_NODES_MOST = 1000  // ... and nodes, for the `if` of a return
};

// How a function without `?` may end.
typedef struct Ways {
  bool none;         // without a value
  bool unknown;      // also by returns whose number of values is not known
  const Node *lone;  // the first return of an error or nil alone: its value
  int fewest, most;  // values of returns that have some, or 0
} Ways;

// --- The end of the body ----------------------------------------------------
static bool may_panic(const Symbol *symbol) {
  return name_is(symbol->name, "panic") || name_is(symbol->name, "assert");
}

// Whether the call surely comes back: a predeclared function, a method of a
// built-in type, or a function of the file that returns somewhere.
static bool comes_back(Compiler *compiler, const Node *call) {
  const Node *callee = call->a;
  const Symbol *symbol = callee->kind == NODE_NAME ? callee->note : NULL;
  if (symbol != NULL && symbol->predeclared) return !may_panic(symbol);
  if (callee->kind == NODE_FIELD && callee->note == NULL &&
      kinds_has_method(compiler, kinds_of(callee->a), callee->name))
    return true;
  const Node *function = fields_function(compiler, callee);
  const Func *func = function != NULL ? function->note : NULL;
  return func != NULL &&
         (func->resolve.last != NULL || func->resolve.bare != NULL);
}

// Whether the function surely gets to its end, and has no value there.
static bool reaches_end(Compiler *compiler, const Node *function) {
  return (function->flags & NOTE_ENDS) &&
         !returns_may_leave(function->b->a, compiler, comes_back);
}

// --- The returns ------------------------------------------------------------
static void add_count(Ways *ways, int count) {
  if (ways->most == 0 || count < ways->fewest) ways->fewest = count;
  if (count > ways->most) ways->most = count;
}

// Whether it is `value` returned by the body of `if value != nil { }`.
static bool is_guarded(const Node *node, const Node *value) {
  const Node *question = node->b;
  if (node->kind != NODE_IF || question->kind != NODE_BINARY ||
      question->op != AST_NE || question->a->kind != NODE_NAME ||
      question->a->note != value->note || question->b->kind != NODE_NIL)
    return false;
  const Node *last = node->c->a;
  while (last != NULL && last->next != NULL) last = last->next;
  return last != NULL && last->kind == NODE_RETURN && last->a == value;
}

static bool has_guard(const Node *list, const Node *value, int *left) {
  for (const Node *node = list; node != NULL; node = node->next) {
    if (--*left < 0) return false;
    if (is_guarded(node, value) || has_guard(node->a, value, left) ||
        has_guard(node->b, value, left) || has_guard(node->c, value, left) ||
        has_guard(node->d, value, left))
      return true;
  }
  return false;
}

// Whether it is `err` of `v, err := f()`, which `if err != nil` returns.
static bool is_taken_error(const Node *function, const Node *value) {
  const Symbol *symbol = value->kind == NODE_NAME ? value->note : NULL;
  const Node *decl = symbol != NULL ? symbol->decl : NULL;
  if (decl == NULL || decl->kind != NODE_DEFINE || decl->b == NULL ||
      decl->b->kind != NODE_CALL || decl->b->next != NULL)
    return false;
  const Node *last = decl->a;
  while (last->next != NULL) last = last->next;
  int left = CONDITION_NODES_MOST;
  return last != decl->a && last->note == symbol &&
         has_guard(function->b->a, value, &left);
}

static void add_lone(Compiler *compiler, Ways *ways, const Node *function,
                     const Node *value) {
  bool error = value->kind == NODE_CALL ? dropped_makes_error(compiler, value)
                                        : is_taken_error(function, value);
  if (error || value->kind == NODE_NIL) {
    ways->lone = value;  // (the newest comes first)
  } else if (value->kind == NODE_CALL || value->kind == NODE_VALUE) {
    ways->unknown = true;
  } else {
    add_count(ways, 1);
  }
}

// false: nothing is known. With a `?` the function fills in what is missing.
static bool ways_to_end(Compiler *compiler, const Node *function, Ways *ways) {
  const Func *func = function->note;
  if (func == NULL || func->resolve.propagate != NULL ||
      (function->flags & FLAG_ARROW) || function->b == NULL)
    return false;
  int left = RETURNS_MOST;
  const FuncResolve *resolve = &func->resolve;
  for (const ReturnLast *last = resolve->last; last != NULL;
       last = last->before) {
    if (--left < 0) return false;
    if (last->alone) add_lone(compiler, ways, function, last->value);
  }
  if (resolve->several != 0) add_count(ways, resolve->several);
  if (resolve->other != 0) ways->unknown = true;
  ways->none = resolve->bare != NULL || reaches_end(compiler, function);
  if (!ways->none && (function->flags & NOTE_ENDS)) ways->unknown = true;
  return true;
}

// --- Warnings ---------------------------------------------------------------
static const char *called_name(const Node *call) {
  bool named = call->a->kind == NODE_NAME || call->a->kind == NODE_FIELD;
  return named ? call->a->name->text : "this function";
}

// In the function, which has returns of errors or values, too.
static void warn_of_no_value(Compiler *compiler, const Node *function,
                             const Node *call) {
  Func *func = function->note;
  if (func->resolve.told) return;
  func->resolve.told = true;
  const Node *bare = func->resolve.bare;
  diag_warn(compiler->diags, bare != NULL ? bare->pos : function->b->end,
            bare != NULL ? 6 : 1,
            "the function %s without a value, but line %u wants what `%s` "
            "returns",
            bare != NULL ? "returns here" : "ends here", call->pos.line,
            called_name(call));
  diag_hint(compiler->diags, "write `return nil` if there is none");
}

static void warn_of_lone(Compiler *compiler, const Node *function,
                         const Node *lone, const Node *call, int wanted) {
  Func *func = function->note;
  if (func->resolve.told) return;
  func->resolve.told = true;
  const Node *place = lone->kind == NODE_CALL ? lone->a : lone;
  const char *text = lone->kind == NODE_NIL ? "nil" : place->name->text;
  diag_warn(compiler->diags, place->pos, (uint32_t)strlen(text),
            "`%s` is returned alone, but line %u takes %d values of `%s`", text,
            call->pos.line, wanted, called_name(call));
  if (wanted == 2)
    diag_hint(compiler->diags, "write `return nil, %s%s`", text,
              lone->kind == NODE_CALL ? "(...)" : "");
  else
    diag_hint(compiler->diags, "write a nil for each value before it");
}

static void warn_of_count(Compiler *compiler, const Node *call, int count,
                          int wanted) {
  diag_warn(compiler->diags, call->pos, 1,
            "`%s` returns %d value%s, and %d %s wanted", called_name(call),
            count, count == 1 ? "" : "s", wanted, wanted == 1 ? "is" : "are");
}

static void check_taken(Compiler *compiler, const Node *call, int wanted) {
  Ways ways = {.none = false};
  const Node *function = fields_function(compiler, call->a);
  if (function == NULL || !ways_to_end(compiler, function, &ways)) return;
  bool values = ways.most != 0 || ways.lone != NULL || ways.unknown;
  if (ways.none && values) {
    warn_of_no_value(compiler, function, call);
  } else if (ways.none) {
    warn_of_count(compiler, call, 0, wanted);
  } else if (ways.lone != NULL && ways.most == wanted && wanted > 1) {
    warn_of_lone(compiler, function, ways.lone, call, wanted);
  } else if (!ways.unknown && ways.lone == NULL && ways.most != 0 &&
             (wanted < ways.fewest || wanted > ways.most)) {
    warn_of_count(compiler, call, ways.most, wanted);
  }
}

static bool is_dropped(const Node *names) {
  return names->next == NULL && names->kind == NODE_NAME &&
         name_is(names->name, "_");
}

// (A frame of its own: the walk over the tree is recursive.)
__attribute__((noinline)) void results_check(Compiler *compiler,
                                             const Node *stmt) {
  RT_ASSERT(stmt->a != NULL);
  if (stmt->b == NULL || stmt->b->next != NULL || stmt->b->kind != NODE_CALL ||
      stmt->op != AST_NONE || is_dropped(stmt->a))
    return;
  check_taken(compiler, stmt->b, count_nodes(stmt->a));
}

__attribute__((noinline)) void results_check_tried(Compiler *compiler,
                                                   const Node *propagate) {
  RT_ASSERT(propagate->kind == NODE_PROPAGATE);
  Ways ways = {.none = false};
  const Node *call = propagate->a;
  if (call->kind != NODE_CALL) return;
  const Node *function = fields_function(compiler, call->a);
  if (function != NULL && ways_to_end(compiler, function, &ways) && ways.none)
    warn_of_no_value(compiler, function, call);
}
