// SPDX-License-Identifier: MIT
// Warnings about what is written twice where once is meant: the keys of a map,
// and the constants of a switch's cases. Only literals and tuples of literals
// are compared. Numbers of one
// value are one key, whether they are written as an int or as a float.
#include "lang/check/duplicates.h"

#include <math.h>

#include "lang/arena.h"
#include "vm/value/float_text.h"

enum { KEY_SHOWN_MOST = 40 };  // bytes of a string that a message shows

// The literals that were met: the text of each, with its node.
typedef struct MetLiterals {
  Compiler *compiler;
  Table table;
} MetLiterals;

// --- Text -------------------------------------------------------------------
static void add_key_float(Text *text, double f, bool shown) {
  char digits[32];
  bool whole = f >= -0x1p63 && f < 0x1p63 && f == floor(f);
  if (whole && !shown)
    text_addf(text, "%lld", (long long)f);
  else
    text_add(text, digits, (size_t)format_float(f, digits));
}

// Their length makes sure that two strings never give the same text.
static void add_key_string(Text *text, AstStr string, bool shown) {
  size_t most =
      shown && string.len > KEY_SHOWN_MOST ? KEY_SHOWN_MOST : string.len;
  if (!shown) text_addf(text, "%zu", string.len);
  text_add(text, "\"", 1);
  text_add(text, string.text, most);
  text_add(text, "\"", 1);
}

static bool add_key(Text *text, const Node *node, bool shown);

static bool add_key_tuple(Text *text, const Node *tuple, bool shown) {
  text_add(text, "(", 1);
  for (const Node *part = tuple->a; part != NULL; part = part->next) {
    if (!add_key(text, part, shown)) return false;
    bool last = part->next == NULL && part != tuple->a;
    if (!last) text_add(text, ", ", part->next == NULL ? 1 : 2);
  }
  text_add(text, ")", 1);
  return true;
}

// shown: as it is written. Else equal ones have one text. false: it is none.
static bool add_key(Text *text, const Node *node, bool shown) {
  switch (node->kind) {
    case NODE_NIL:
      text_add(text, "nil", 3);
      return true;
    case NODE_TRUE:
      text_add(text, "true", 4);
      return true;
    case NODE_FALSE:
      text_add(text, "false", 5);
      return true;
    case NODE_INT:
      text_addf(text, "%lld", (long long)node->i);
      return true;
    case NODE_FLOAT:
      add_key_float(text, node->f, shown);
      return true;
    case NODE_STRING:
      add_key_string(text, node->str, shown);
      return true;
    case NODE_TUPLE:
      return add_key_tuple(text, node, shown);
    default:
      return false;
  }
}

// Equal literals give the same word. NULL: it is none, or there is no memory.
static const AstStr *key_word(Compiler *compiler, const Node *node,
                              bool shown) {
  Text text = {.memory = compiler->vm->memory};
  const AstStr *word = NULL;
  if (add_key(&text, node, shown) && !text.failed)
    word = arena_intern(compiler->arena, text.data, text.len);
  if (text.failed) compiler->no_memory = true;
  text_free(&text);
  return word;
}

// --- Finding ----------------------------------------------------------------
static void warn_double(Compiler *compiler, const Node *node,
                        const Node *before, const char *what) {
  const AstStr *here = key_word(compiler, node, true);
  const AstStr *there = key_word(compiler, before, true);
  if (here == NULL || there == NULL) return;
  diag_warn(compiler->diags, node->pos, 1, "the %s %s stands twice", what,
            here->text);
  if (here == there)
    diag_hint(compiler->diags, "it is in line %u, too", before->pos.line);
  else
    diag_hint(compiler->diags, "it is in line %u, too, as %s", before->pos.line,
              there->text);
}

static void meet(MetLiterals *met, const Node *node, const char *what) {
  Compiler *compiler = met->compiler;
  const AstStr *word = key_word(compiler, node, false);
  if (word == NULL) return;
  uint64_t key = (uint64_t)(uintptr_t)word, found;
  if (table_get(&met->table, key, &found))
    warn_double(compiler, node, (const Node *)(uintptr_t)found, what);
  else if (!table_set(compiler->vm->memory, &met->table, key,
                      (uint64_t)(uintptr_t)node))
    compiler->no_memory = true;
}

void doubles_in_map(Compiler *compiler, const Node *map) {
  MetLiterals met = {.compiler = compiler};
  RT_ASSERT(map->kind == NODE_MAP);
  for (const Node *pair = map->a; pair != NULL; pair = pair->next)
    meet(&met, pair->a, "key");
  table_free(&met.table);
}

void doubles_in_switch(Compiler *compiler, const Node *node) {
  MetLiterals met = {.compiler = compiler};
  if (node->b == NULL) return;
  for (const Node *one = node->c; one != NULL; one = one->next)
    for (const Node *value = one->a; value != NULL; value = value->next)
      meet(&met, value, "case");
  table_free(&met.table);
}
