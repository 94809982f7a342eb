// SPDX-License-Identifier: MIT
// Keys of maps that are never found again: lists, maps and structs are keys by
// identity, and one that is made where it is used is no other.
#include "lang/check/keys.h"

#include <string.h>

#include "lang/check/kinds.h"
#include "lang/resolve/scope.h"

// What is made new in it: the node, an element of a tuple, or NULL.
static const Node *fresh_part(const Node *key) {
  if (kinds_made(key) != NULL) return key;
  if (key->kind != NODE_TUPLE) return NULL;
  const Node *found = NULL;
  for (const Node *part = key->a; part != NULL && found == NULL;
       part = part->next)
    found = fresh_part(part);
  return found;
}

static void check_key(Compiler *compiler, const Node *key) {
  const Node *fresh = fresh_part(key);
  if (fresh == NULL) return;
  diag_warn(compiler->diags, fresh->pos, 1,
            "a new %s is a key that nothing else is equal to",
            kinds_made(fresh));
  diag_hint(compiler->diags,
            "several values are one key as a tuple: `m[(a, b)]`");
}

void keys_in_map(Compiler *compiler, const Node *map) {
  for (const Node *pair = map->a; pair != NULL; pair = pair->next)
    check_key(compiler, pair->a);
}

void keys_in_index(Compiler *compiler, const Node *node) {
  check_key(compiler, node->b);
}

void keys_in_question(Compiler *compiler, const Node *node) {
  RT_ASSERT(node->kind == NODE_BINARY);
  if (node->op != AST_IN) return;
  if (kinds_of(node->b) == KIND_MAP) {
    check_key(compiler, node->a);
    return;
  }
  const Node *fresh = fresh_part(node->a);
  if (fresh == NULL) return;
  diag_warn(compiler->diags, fresh->pos, 1,
            "this is never true: a new %s is equal to no other",
            kinds_made(fresh));
  diag_hint(compiler->diags,
            "`xs.any(func(x) => equal(x, v))` compares what is in them");
}

// `maps.get(m, key)` and the like, of the library's module.
static bool looks_up(const Node *callee) {
  static const char *const LOOKUPS[] = {"get", "has", "pop", "set_default"};
  if (callee->kind != NODE_FIELD || callee->a->kind != NODE_NAME) return false;
  const Symbol *module = callee->a->note;
  if (module == NULL || module->kind != SYM_MODULE || module->decl == NULL ||
      strcmp(module->decl->str.text, "maps") != 0)
    return false;
  for (size_t i = 0; i < sizeof LOOKUPS / sizeof *LOOKUPS; i++)
    if (name_is(callee->name, LOOKUPS[i])) return true;
  return false;
}

static bool is_delete(const Node *callee) {
  const Symbol *symbol = callee->kind == NODE_NAME ? callee->note : NULL;
  return symbol != NULL && symbol->predeclared &&
         name_is(symbol->name, "delete");
}

void keys_in_call(Compiler *compiler, const Node *call) {
  RT_ASSERT(call->kind == NODE_CALL);
  if (!is_delete(call->a) && !looks_up(call->a)) return;
  if (call->b != NULL && call->b->next != NULL)
    check_key(compiler, call->b->next);
}
