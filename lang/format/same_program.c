// SPDX-License-Identifier: MIT
// The proof that a formatted text is the program that was given: the same
// words (but for commas and semicolons), the same comments, the same tree.
//
// A mistake of the printer therefore never changes what a program means, and
// never loses a comment. formatter.c gives out no text that fails here.
#include "lang/format/same_program.h"

#include <stdlib.h>
#include <string.h>

#include "lang/ast_dump.h"
#include "lang/format/words.h"
#include "lang/parse/grammar.h"

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Equal but for the bytes that `skip` is true for.
static bool same_text(const char *a, size_t a_len, const char *b, size_t b_len,
                      bool (*skip)(char)) {
  const char *a_end = a + a_len, *b_end = b + b_len;
  for (;;) {
    while (a < a_end && skip(*a)) a++;
    while (b < b_end && skip(*b)) b++;
    if (a == a_end || b == b_end) return a == a_end && b == b_end;
    if (*a++ != *b++) return false;
  }
}

static bool is_return(char c) { return c == '\r'; }

static bool is_separator(const Word *word) {
  return word->kind == TOK_COMMA || word->kind == TOK_SEMI;
}

static bool same_word(const Words *a, const Word *left, const Words *b,
                      const Word *right) {
  return left->kind == right->kind &&
         same_text(word_text(a, left), left->len, word_text(b, right),
                   right->len, is_return);
}

static bool same_words(const Words *a, const Words *b) {
  uint32_t i = 0, k = 0;
  for (;;) {
    while (i < a->count && is_separator(&a->list[i])) i++;
    while (k < b->count && is_separator(&b->list[k])) k++;
    if (i == a->count || k == b->count) return i == a->count && k == b->count;
    if (!same_word(a, &a->list[i++], b, &b->list[k++])) return false;
  }
}

static bool same_notes(const Words *a, const Words *b) {
  if (a->note_count != b->note_count) return false;
  for (uint32_t i = 0; i < a->note_count; i++) {
    const Note *left = &a->notes[i], *right = &b->notes[i];
    if (!same_text(a->source->text + left->offset, left->len,
                   b->source->text + right->offset, right->len, is_blank)) {
      return false;
    }
  }
  return true;
}

static char *dump(const Node *tree, size_t *len) {
  char *text = NULL;
  FILE *out = open_memstream(&text, len);
  if (out == NULL) return NULL;
  ast_dump(out, tree);
  if (fclose(out) == 0) return text;
  libc_free(text);
  return NULL;
}

static bool same_tree(const Node *a, const Node *b) {
  size_t a_len = 0, b_len = 0;
  char *left = dump(a, &a_len), *right = dump(b, &b_len);
  bool same = left != NULL && right != NULL && a_len == b_len &&
              !memcmp(left, right, a_len);
  libc_free(left);
  libc_free(right);
  return same;
}

const char *format_check(const Words *before, const Node *tree_before,
                         const Words *after, const Node *tree_after) {
  if (!same_words(before, after)) return "words";
  if (!same_notes(before, after)) return "comments";
  if (!same_tree(tree_before, tree_after)) return "syntax tree";
  return NULL;
}
