// SPDX-License-Identifier: MIT
// Statements that are calls and surely give an error last, which is a panic
// when they run: `error(…)` itself, and functions of the file whose returns all
// end in one.
#include "lang/check/dropped.h"

#include "lang/resolve/scope.h"

static bool calls_error(const Node *node) {
  if (node == NULL || node->kind != NODE_CALL || node->a->kind != NODE_NAME)
    return false;
  const Symbol *symbol = node->a->note;
  return symbol != NULL && symbol->kind == SYM_VALUE &&
         name_is(node->a->name, "error");
}

static const Node *last_of(const Node *list) {
  while (list != NULL && list->next != NULL) list = list->next;
  return list;
}

// Whether all returns below end in an error. Inner functions have their own. A
// function is looked at for each call of it, so no more than *left nodes are.
static bool returns_are_errors(const Node *list, int *left) {
  for (const Node *node = list; node != NULL; node = node->next) {
    if (--*left < 0) return false;
    if (node->kind == NODE_FUNC || node->kind == NODE_FUNCDECL) continue;
    if (node->kind == NODE_RETURN && !calls_error(last_of(node->a)))
      return false;
    if (node->kind == NODE_PROPAGATE) return false;  // it returns, too
    if (!returns_are_errors(node->a, left) ||
        !returns_are_errors(node->b, left) ||
        !returns_are_errors(node->c, left) ||
        !returns_are_errors(node->d, left))
      return false;
  }
  return true;
}

static bool gives_error(const Node *function) {
  RT_ASSERT(function->kind == NODE_FUNC);
  if (function->flags & FLAG_ARROW) return calls_error(function->b);
  int left = 200;
  const Node *end = last_of(function->b->a);
  return end != NULL && end->kind == NODE_RETURN &&
         returns_are_errors(function->b->a, &left);
}

static bool always_fails(const Node *call) {
  if (call->a->kind != NODE_NAME) return false;
  const Symbol *symbol = call->a->note;
  return symbol != NULL && symbol->kind == SYM_FUNC && symbol->decl != NULL &&
         symbol->decl->kind == NODE_FUNCDECL && gives_error(symbol->decl->a);
}

void dropped_check(Compiler *compiler, const Node *statement) {
  const Node *call = statement->a;
  if (call->kind != NODE_CALL) return;
  bool own = calls_error(call);
  if (!own && !always_fails(call)) return;
  diag_warn(compiler->diags, call->a->pos, (uint32_t)call->a->name->len,
            own ? "this error is dropped, which is a panic"
                : "`%s` gives an error, which is dropped: a panic",
            call->a->name->text);
  diag_hint(compiler->diags,
            own ? "write `return error(...)`, or `panic(...)`"
                : "write `%s(...)?`, or `_ = %s(...)` to ignore it",
            call->a->name->text, call->a->name->text);
}
