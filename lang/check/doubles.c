// SPDX-License-Identifier: MIT
// What stands twice where once is meant: keys of a map, constants of a
// switch's cases. Strings and ints only.
#include "lang/check/doubles.h"

#include "lang/arena.h"

// The literals that were met, with their nodes.
typedef struct MetLiterals {
  Table ints, strings;
} MetLiterals;

static void met_free(MetLiterals *met) {
  table_free(&met->ints);
  table_free(&met->strings);
}

// The node with the same literal before this one, or NULL.
static const Node *met_before(Compiler *compiler, MetLiterals *met,
                              const Node *node) {
  if (node->kind != NODE_INT && node->kind != NODE_STRING) return NULL;
  bool is_int = node->kind == NODE_INT;
  Table *table = is_int ? &met->ints : &met->strings;
  uint64_t key, found;
  if (is_int)
    key = (uint64_t)node->i;
  else
    key = (uint64_t)(uintptr_t)arena_intern(compiler->arena, node->str.text,
                                            node->str.len);
  if (table_get(table, key, &found)) return (const Node *)(uintptr_t)found;
  if (!table_set(compiler->vm->memory, table, key, (uint64_t)(uintptr_t)node))
    compiler->no_memory = true;
  return NULL;
}

static void warn_double(Compiler *compiler, const Node *node,
                        const Node *before, const char *what) {
  if (node->kind == NODE_STRING)
    diag_warn(compiler->diags, node->pos, 1, "the %s \"%.*s\" stands twice",
              what, node->str.len < 40 ? (int)node->str.len : 40,
              node->str.text);
  else
    diag_warn(compiler->diags, node->pos, 1, "the %s %lld stands twice", what,
              (long long)node->i);
  diag_hint(compiler->diags, "it is in line %u, too", before->pos.line);
}

void doubles_in_map(Compiler *compiler, const Node *map) {
  MetLiterals met = {0};
  RT_ASSERT(map->kind == NODE_MAP);
  for (const Node *pair = map->a; pair != NULL; pair = pair->next) {
    const Node *before = met_before(compiler, &met, pair->a);
    if (before != NULL) warn_double(compiler, pair->a, before, "key");
  }
  met_free(&met);
}

void doubles_in_switch(Compiler *compiler, const Node *node) {
  MetLiterals met = {0};
  if (node->b == NULL) return;
  for (const Node *one = node->c; one != NULL; one = one->next)
    for (const Node *value = one->a; value != NULL; value = value->next) {
      const Node *before = met_before(compiler, &met, value);
      if (before != NULL) warn_double(compiler, value, before, "case");
    }
  met_free(&met);
}
