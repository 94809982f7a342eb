// SPDX-License-Identifier: MIT
// The formatter's words: the tokens of the trail, with the roles that the
// syntax tree gives them.
//
// A node says by its place which word it means. Blocks of statements need no
// case of their own: any BLOCK is a body (print.c puts it under its
// statement) unless a function literal has it.
#include "lang/format/words.h"

#include <stdlib.h>
#include <string.h>

#include "lang/format/brackets.h"
#include "lang/parse/grammar.h"
#include "lang/parse/trail.h"
#include "lang/source.h"

// --- from the trail ---------------------------------------------------------
static void add_note(Words *words, const TrailItem *item) {
  words->notes[words->note_count++] = (Note){.offset = item->pos.offset,
                                             .len = item->len,
                                             .line = item->pos.line,
                                             .end_line = item->end_line,
                                             .col = item->pos.col};
}

static Word *add_word(Words *words, const TrailItem *item, bool newline) {
  Word *word = &words->list[words->count++];
  *word = (Word){.kind = (int16_t)item->kind,
                 .flags = newline ? WORD_NEWLINE : 0,
                 .offset = item->pos.offset,
                 .len = item->len,
                 .line = item->pos.line,
                 .end_line = item->end_line,
                 .col = item->pos.col,
                 .notes = word->notes,
                 .match = NO_WORD,
                 .chain = NO_WORD};
  word[1].notes = words->note_count;  // where the next word's begin
  return word;
}

// The items from a STR_HEAD to its STR_TAIL are one word; gives the last.
static const TrailItem *add_interpolation(Words *words, const TrailItem *item,
                                          bool newline) {
  Word *word = add_word(words, item, newline);
  int depth = 1;
  while (depth > 0) {
    item++;
    depth += (item->kind == TOK_STR_HEAD) - (item->kind == TOK_STR_TAIL);
  }
  word->kind = TOK_STR;
  word->len = item->pos.offset + item->len - word->offset;
  word->end_line = item->end_line;
  return item;
}

static void take_items(Words *words, const Trail *trail) {
  bool newline = false;
  for (size_t i = 0; i < trail->count; i++) {
    const TrailItem *item = &trail->items[i];
    switch (item->kind) {
      case TRAIL_COMMENT:
        add_note(words, item);
        continue;
      case TOK_BEGIN:
        continue;
      case TOK_NEWLINE:
        newline = true;
        continue;
      case TOK_STR_HEAD:
        i = (size_t)(add_interpolation(words, item, newline) - trail->items);
        break;
      default:
        add_word(words, item, newline);
    }
    newline = false;
  }
}

static void add_end(Words *words) {
  TrailItem end = {.kind = TOK_END};
  end.pos.offset = (uint32_t)words->source->len;
  add_word(words, &end, true);
}

// --- roles ------------------------------------------------------------------
// The word that begins at this place; NULL inside an interpolation.
static Word *word_at(const Words *words, Pos pos) {
  uint32_t low = 0, high = words->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (words->list[middle].offset < pos.offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  Word *word = &words->list[low];
  bool found = low < words->count && word->offset == pos.offset;
  return found ? word : NULL;
}

// If the word there is of that kind.
static void set_role(const Words *words, Pos pos, int kind, Role role) {
  Word *word = word_at(words, pos);
  if (word != NULL && word->kind == kind) word->role = (uint8_t)role;
}

static bool is_operation(const Node *node) {
  return node->kind == NODE_BINARY && !(node->flags & FLAG_PAREN);
}

static void mark_range(const Words *words, const Node *node) {
  Word *word = word_at(words, node->pos);
  if (word == NULL) return;
  bool wide = is_operation(node->a) || is_operation(node->b);
  word->role = wide ? ROLE_RANGE_WIDE : ROLE_RANGE;
}

static void mark_slice(const Words *words, const Node *node) {
  bool wide = node->b != NULL && node->c != NULL &&
              (is_operation(node->b) || is_operation(node->c));
  set_role(words, node->pos, TOK_LBRACK, wide ? ROLE_WIDE_SLICE : ROLE_INDEX);
}

static void mark_any(const Words *words, Pos pos, Role role) {
  Word *word = word_at(words, pos);
  if (word != NULL) word->role = (uint8_t)role;
}

// func name(, func (self type) name(, or func( of a literal.
static void mark_func(const Words *words, const Node *func) {
  const Node *body = func->b;
  bool declared = func->name != NULL;
  if (!(func->flags & FLAG_ARROW)) {
    set_role(words, body->pos, TOK_LBRACE, declared ? ROLE_BODY : ROLE_INLINE);
  }
  Word *word = word_at(words, func->pos);
  if (word == NULL || word->kind != TOK_FUNC) return;  // go { }, defer { }
  word += declared ? (func->c != NULL ? 6 : 2) : 1;
  RT_ASSERT(word->kind == TOK_LPAREN);
  word->role = ROLE_PARAMS;
}

// The words between these two are its head. (The body of a switch has no node.
// mark_cases finds it.)
static void mark_head(const Words *words, const Node *node, const Node *body) {
  Word *word = word_at(words, node->pos);
  if (word == NULL) return;
  RT_ASSERT(word->kind == TOK_IF || word->kind == TOK_FOR ||
            word->kind == TOK_SWITCH);
  word->flags |= WORD_HEADS;
  if (body != NULL) word_at(words, body->pos)->flags |= WORD_ENDS_HEAD;
}

// The else of an if is laid out as its first block is.
static void link_else(const Words *words, const Node *node) {
  const Node *next = node->d;
  if (next == NULL) return;
  Word *brace = word_at(words, node->c->pos);
  Word *other =
      word_at(words, next->kind == NODE_IF ? next->c->pos : next->pos);
  if (brace == NULL || other == NULL) return;
  RT_ASSERT(brace->kind == TOK_LBRACE && other->kind == TOK_LBRACE);
  brace->chain = (uint32_t)(other - words->list);
  other->flags |= WORD_CHAINED;
}

static void mark_struct(const Words *words, const Node *node) {
  Word *word = word_at(words, node->pos);
  RT_ASSERT(word == NULL || word[2].kind == TOK_LBRACE);
  if (word != NULL) word[2].role = ROLE_STRUCT;
}

static void mark_label(const Words *words, const Node *node) {
  Word *word = word_at(words, node->pos);
  RT_ASSERT(word == NULL || word[1].kind == TOK_COLON);
  if (word != NULL) word[1].role = ROLE_LABEL_COLON;
}

// for (a, b) in
static void mark_loop(const Words *words, const Node *node) {
  Word *word = word_at(words, node->pos);
  if (word == NULL || !(node->flags & FLAG_APART)) return;
  RT_ASSERT(word[1].kind == TOK_LPAREN);
  word[1].role = node->a->next == NULL ? ROLE_ONE : ROLE_LIST;
}

static void mark_node(const Words *words, const Node *node) {
  switch (node->kind) {
    case NODE_INT:  // of the smallest int the minus is a part
      set_role(words, node->pos, TOK_SUB, ROLE_UNARY);
      break;
    case NODE_UNARY:
    case NODE_RECV:
      mark_any(words, node->pos, ROLE_UNARY);
      break;
    case NODE_BINARY:
      mark_any(words, node->pos, ROLE_BINARY);
      break;
    case NODE_RANGE:
      mark_range(words, node);
      break;
    case NODE_CALL:
      set_role(words, node->pos, TOK_LPAREN, ROLE_ARGS);
      break;
    case NODE_LIST:
      set_role(words, node->pos, TOK_LBRACK, ROLE_LIST);
      break;
    case NODE_APART:
      set_role(words, node->pos, TOK_LBRACK, ROLE_LIST);
      break;
    case NODE_TUPLE:
      set_role(words, node->pos, TOK_LPAREN,
               node->a != NULL && node->a->next == NULL ? ROLE_ONE : ROLE_LIST);
      break;
    case NODE_FORIN:
      mark_loop(words, node);
      break;
    case NODE_INDEX:
      set_role(words, node->pos, TOK_LBRACK, ROLE_INDEX);
      break;
    case NODE_SLICE:
      mark_slice(words, node);
      break;
    case NODE_FUNC:
      mark_func(words, node);
      break;
    case NODE_BLOCK:
      set_role(words, node->pos, TOK_LBRACE, ROLE_BODY);
      set_role(words, node->pos, TOK_COLON, ROLE_CASE_COLON);
      break;
    case NODE_IF:
      mark_head(words, node, node->c);
      link_else(words, node);
      break;
    case NODE_FOR:
      mark_head(words, node, node->d);
      break;
    case NODE_SWITCH:
      mark_head(words, node, NULL);
      break;
    case NODE_CASE:
    case NODE_COMM:
      mark_any(words, node->pos, ROLE_CASE);
      break;
    case NODE_STRUCT:
      mark_struct(words, node);
      break;
    case NODE_LABELED:
      mark_label(words, node);
      break;
    default:
      break;
  }
}

// Children first: a function knows better what its block is.
static void mark_all(const Words *words, const Node *node) {
  for (; node != NULL; node = node->next) {
    mark_all(words, node->a);
    mark_all(words, node->b);
    mark_all(words, node->c);
    mark_all(words, node->d);
    mark_node(words, node);
  }
}

// A block that has no node is that of a switch or select. (A select has no
// head, and is in none.)
static void mark_cases(Words *words) {
  for (uint32_t i = 0; i < words->count; i++) {
    Word *word = &words->list[i];
    if (word->kind == TOK_LBRACE && word->role == ROLE_NONE) {
      word->role = ROLE_CASES;
      word->flags |= WORD_ENDS_HEAD;
    }
  }
}

// --- entry points -----------------------------------------------------------
bool words_make(Words *words, const Source *source, const Trail *trail,
                const Node *tree) {
  *words = (Words){.source = source};
  if (trail->failed || trail->count >= NO_WORD) return false;
  words->list = mem_zeroed(&mem_libc, (trail->count + 2) * sizeof *words->list);
  words->notes =
      mem_zeroed(&mem_libc, (trail->count + 2) * sizeof *words->notes);
  if (words->list == NULL || words->notes == NULL) return false;
  take_items(words, trail);
  RT_ASSERT(words->count + words->note_count <= trail->count);
  add_end(words);
  mark_all(words, tree);
  mark_cases(words);
  brackets_mark(words);
  return true;
}

void words_free(Words *words) {
  mem_free(words->list);
  mem_free(words->notes);
  *words = (Words){0};
}
