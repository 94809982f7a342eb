// SPDX-License-Identifier: MIT
// The head of a function or struct in a text. The tree tells which statement it
// is, and the tokens where its head begins and ends.
#include "lang/compile/head.h"

#include <string.h>

#include "lang/arena.h"
#include "lang/diag.h"
#include "lang/parse/grammar.h"
#include "lang/parse/parse.h"
#include "lang/parse/trail.h"
#include "sched/rt.h"

// --- Finding it in the tree -------------------------------------------------
typedef struct Wanted {
  const char *owner;  // of a method
  size_t owner_len;   // 0: it is none
  const char *name;
} Wanted;

// What is looked for among the tokens, by its place.
typedef struct Found {
  Pos begin;   // it begins with the last `word` up to there
  int word;    // TOK_FUNC or TOK_STRUCT, or 0 where it begins right there
  Pos inside;  // the first bracket from there on belongs to the head
} Found;

static bool head_of_method(const Node *decl, const Wanted *wanted) {
  const Node *receiver = decl->a->c;
  if (receiver == NULL) return wanted->owner_len == 0;
  const AstStr *type = receiver->a->name;
  return type->len == wanted->owner_len &&
         memcmp(type->text, wanted->owner, type->len) == 0;
}

static bool head_of_variable(const Node *stmt, const Wanted *wanted,
                             Found *found) {
  const Node *value = stmt->b;
  if (wanted->owner_len > 0) return false;
  for (const Node *name = stmt->a; name != NULL && value != NULL;
       name = name->next, value = value->next) {
    if (name->kind != NODE_NAME || value->kind != NODE_FUNC ||
        strcmp(name->name->text, wanted->name) != 0)
      continue;
    *found = (Found){.begin = name->pos, .inside = value->pos};
    return true;
  }
  return false;
}

static bool head_is_of(const Node *stmt, const Wanted *wanted, Found *found) {
  switch (stmt->kind) {
    case NODE_FUNCDECL:
      if (strcmp(stmt->name->text, wanted->name) != 0 ||
          !head_of_method(stmt, wanted))
        return false;
      *found = (Found){stmt->end, TOK_FUNC, stmt->end};
      return true;
    case NODE_STRUCT:
      if (strcmp(stmt->name->text, wanted->name) != 0 || wanted->owner_len > 0)
        return false;
      *found = (Found){stmt->end, TOK_STRUCT, stmt->end};
      return true;
    case NODE_DEFINE:
    case NODE_VAR:
    case NODE_CONST:
    case NODE_ASSIGN:
      return head_of_variable(stmt, wanted, found);
    default:
      return false;
  }
}

// --- Its tokens -------------------------------------------------------------
// The first item from there on, or the number of items.
static size_t trail_item_at(const Trail *trail, Pos pos) {
  size_t n = 0;
  while (n < trail->count && trail->items[n].pos.offset < pos.offset) n++;
  return n;
}

static int bracket_of(int kind) {
  if (kind == TOK_LPAREN || kind == TOK_LBRACE) return 1;
  return kind == TOK_RPAREN || kind == TOK_RBRACE ? -1 : 0;
}

// Where the first bracket from that item on is closed.
static uint32_t end_of_brackets(const Trail *trail, size_t n) {
  int depth = 0;
  for (; n < trail->count; n++) {
    const TrailItem *item = &trail->items[n];
    depth += bracket_of(item->kind);
    if (depth == 0 && bracket_of(item->kind) < 0)
      return item->pos.offset + item->len;
  }
  return 0;
}

// The item before that is part of the text, or `count` if there is none.
static size_t item_before(const Trail *trail, size_t n) {
  while (n-- > 0) {
    int kind = trail->items[n].kind;
    if (kind != TOK_NEWLINE && kind != TOK_BEGIN) return n;
  }
  return trail->count;
}

// Comments that stand on lines of their own right above.
static uint32_t comments_above(const Trail *trail, size_t n) {
  uint32_t line = trail->items[n].pos.line, at = trail->items[n].pos.offset;
  for (;;) {
    n = item_before(trail, n);
    if (n == trail->count || trail->items[n].kind != TRAIL_COMMENT ||
        trail->items[n].end_line + 1 != line)
      return at;
    size_t before = item_before(trail, n);
    line = trail->items[n].pos.line;
    if (before < trail->count && trail->items[before].end_line == line)
      return at;
    at = trail->items[n].pos.offset;
  }
}

static bool head_measure(const Trail *trail, const Found *found,
                         LangHead *head) {
  size_t n = trail_item_at(trail, found->begin);
  while (found->word != 0 && n > 0 && n < trail->count &&
         trail->items[n].kind != found->word)
    n--;
  if (n == trail->count) return false;
  head->begin = trail->items[n].pos.offset;
  head->comment = comments_above(trail, n);
  head->end = end_of_brackets(trail, trail_item_at(trail, found->inside));
  RT_ASSERT(head->comment <= head->begin);
  return head->end > head->begin;
}

// --- All of it --------------------------------------------------------------
static bool find_in_text(const Source *source, const Wanted *wanted,
                         Arena *arena, Diags *diags, LangHead *head) {
  Trail trail = {0};
  Found found = {0};
  bool any = false;
  const Node *stmt = parse_with_trail(source, arena, diags, &trail);
  bool fine = !trail.failed && !arena_failed(arena) && diags_errors(diags) == 0;
  for (; fine && stmt != NULL; stmt = stmt->next)
    any |= head_is_of(stmt, wanted, &found);
  bool measured = any && head_measure(&trail, &found, head);
  trail_free(&trail);
  return measured;
}

bool lang_head(const Source *source, const char *name, LangHead *head) {
  const char *point = strrchr(name, '.');
  Wanted wanted = {.name = point != NULL ? point + 1 : name, .owner = name};
  if (point != NULL) wanted.owner_len = (size_t)(point - name);
  Arena *arena = arena_new(&mem_libc, rt_entropy());
  Diags *diags = diags_new(&mem_libc, source);
  bool found = arena != NULL && diags != NULL &&
               find_in_text(source, &wanted, arena, diags, head);
  if (diags != NULL) diags_free(diags);
  if (arena != NULL) arena_free(arena);
  return found;
}
