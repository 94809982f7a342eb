// SPDX-License-Identifier: MIT
// What a text declares at its top level, without compiling it; and how one of
// its functions is run as a test.
#include "lang/compile/outline.h"

#include <string.h>

#include "lang/arena.h"
#include "lang/diag.h"
#include "lang/parse/parse.h"
#include "lang/resolve/resolve.h"
#include "lang/resolve/scope.h"
#include "lang/source.h"
#include "sched/rt.h"

// --- For tools --------------------------------------------------------------
bool lang_functions(const Source *source, LangFunctionFn *each, void *arg) {
  Arena *arena = arena_new(&mem_libc, rt_entropy());
  Diags *diags = diags_new(&mem_libc, source);
  bool fine = arena != NULL && diags != NULL;
  if (fine) {
    const Node *stmt = lang_parse(source, arena, diags);
    fine = !arena_failed(arena) && diags_errors(diags) == 0;
    for (; fine && stmt != NULL; stmt = stmt->next) {
      if (stmt->kind == NODE_FUNCDECL && stmt->a->c == NULL)
        each(arg, stmt->name, stmt->end, stmt->a->a != NULL);
    }
  }
  if (diags != NULL) diags_free(diags);
  if (arena != NULL) arena_free(arena);
  return fine;
}

// --- A script whose last statement calls one of its functions ---------------
static Node *node_at(Compiler *compiler, NodeKind kind, Pos pos, Node *child) {
  Node *node = arena_alloc(compiler->arena, sizeof *node);
  node->kind = (uint8_t)kind;
  node->pos = pos;
  node->a = child;
  return node;
}

static Node *call_at(Compiler *compiler, Pos pos, const char *name,
                     Node *argument) {
  Node *callee = node_at(compiler, NODE_NAME, pos, NULL);
  callee->name = arena_intern(compiler->arena, name, strlen(name));
  Node *call = node_at(compiler, NODE_CALL, pos, callee);
  call->b = argument;
  return call;
}

// The function's place is where the trace says that it was called.
static bool find_function(const Node *stmts, const char *name, Pos *pos) {
  for (const Node *stmt = stmts; stmt != NULL; stmt = stmt->next) {
    if (stmt->kind != NODE_FUNCDECL || stmt->a->c != NULL) continue;
    if (stmt->a->a != NULL || strcmp(stmt->name->text, name) != 0) continue;
    *pos = stmt->end;
    return true;
  }
  return false;
}

// Only what is added may use names that begin with _.
static void resolve_added(Compiler *compiler, Node *stmt) {
  bool privileged = compiler->privileged;
  compiler->privileged = true;
  RT_ASSERT(scope_at_top(compiler));
  resolve_stmts(compiler, stmt);
  compiler->privileged = privileged;
}

Node *outline_add_test(Compiler *compiler, Node *stmts, const char *name) {
  Pos pos = {1, 1, 0};
  if (!find_function(stmts, name, &pos)) {
    diag_error(compiler->diags, pos, 1,
               "there is no function `%s` at the top level that takes no "
               "parameters",
               name);
    return stmts;
  }
  Node *began = node_at(compiler, NODE_EXPR, pos,
                        call_at(compiler, pos, "_test_began", NULL));
  Node *ended =
      call_at(compiler, pos, "_test_ended", call_at(compiler, pos, name, NULL));
  Node *last = node_at(compiler, NODE_EXPR, pos,
                       node_at(compiler, NODE_PROPAGATE, pos, ended));
  resolve_added(compiler, began);
  resolve_added(compiler, last);
  Node **end = &stmts;
  while (*end != NULL) end = &(*end)->next;
  *end = last;
  began->next = stmts;
  return began;
}
