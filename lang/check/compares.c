// SPDX-License-Identifier: MIT
// Comparisons whose outcome is always the same: of two types that are never
// equal, of tuples of two lengths, or with what was made just now, which is
// equal to nothing else.
#include "lang/check/compares.h"

#include "lang/check/kinds.h"
#include "lang/resolve/scope.h"

static bool is_number_kind(Kind kind) {
  return kind == KIND_INT || kind == KIND_FLOAT;
}

static bool is_text_kind(Kind kind) {
  return kind == KIND_STRING || kind == KIND_BYTES;
}

static bool never_equal(Kind a, Kind b) {
  if (a == KIND_UNKNOWN || b == KIND_UNKNOWN || a == b) return false;
  if (is_number_kind(a) && is_number_kind(b)) return false;
  return !(is_text_kind(a) && is_text_kind(b));
}

// A character where a string is meant.
static void hint_character(Compiler *compiler, const Node *a, const Node *b) {
  const Node *number = a->kind == NODE_INT ? a : b;
  const Node *other = number == a ? b : a;
  if (number->kind != NODE_INT || kinds_of(other) != KIND_STRING) return;
  if (compiler->source->text[number->pos.offset] != '\'') return;
  diag_hint(compiler->diags,
            "a character in `'` is an int: write it as a string, in `\"`");
}

// What was meant, perhaps, where the types are never equal.
static void hint_other_type(Compiler *compiler, const Node *a, const Node *b) {
  Kind first = kinds_of(a), second = kinds_of(b);
  if ((first == KIND_TUPLE && second == KIND_LIST) ||
      (first == KIND_LIST && second == KIND_TUPLE))
    diag_hint(compiler->diags,
              "a tuple is never a list: compare with `tuple(xs)`");
  else
    hint_character(compiler, a, b);
}

// The elements of a tuple, where their number is certain, or -1.
static int tuple_length(const Node *node) {
  node = kinds_origin(node);
  const Symbol *symbol = node->kind == NODE_NAME ? node->note : NULL;
  if (symbol != NULL) node = scope_only_value(symbol);
  if (node == NULL || node->kind != NODE_TUPLE) return -1;
  int length = 0;
  for (const Node *part = node->a; part != NULL; part = part->next) length++;
  return length;
}

// Tuples of two lengths that are certain: those are in `lengths`.
static bool lengths_differ(const Node *a, const Node *b, int lengths[2]) {
  lengths[0] = tuple_length(a);
  lengths[1] = tuple_length(b);
  return lengths[0] >= 0 && lengths[1] >= 0 && lengths[0] != lengths[1];
}

void compares_check(Compiler *compiler, const Node *node) {
  RT_ASSERT(node->kind == NODE_BINARY);
  if (node->op != AST_EQ && node->op != AST_NE) return;
  Kind a = kinds_of(node->a), b = kinds_of(node->b);
  const char *always = node->op == AST_EQ ? "never" : "always";
  const char *made = kinds_made(node->a);
  if (made == NULL) made = kinds_made(node->b);
  int lengths[2];
  if (never_equal(a, b)) {
    diag_warn(compiler->diags, node->pos, 2,
              "this is %s true: %s is compared with %s", always, kinds_name(a),
              kinds_name(b));
    hint_other_type(compiler, node->a, node->b);
  } else if (lengths_differ(node->a, node->b, lengths)) {
    diag_warn(compiler->diags, node->pos, 2,
              "this is %s true: a tuple of length %d is compared with one of "
              "length %d",
              always, lengths[0], lengths[1]);
  } else if (made != NULL) {
    diag_warn(compiler->diags, node->pos, 2,
              "this is %s true: a new %s is equal to no other", always, made);
    diag_hint(compiler->diags, "`equal(a, b)` compares what is in them");
  }
}

// --- switch -----------------------------------------------------------------
// `case int:` is meant as `case is int:`. The name of the type that is meant,
// or NULL.
static const char *type_meant(const Node *value) {
  bool named = value->kind == NODE_NAME || value->kind == NODE_FIELD;
  if (!named || value->note == NULL) return NULL;
  const Symbol *symbol = value->note;
  if (symbol->kind == SYM_STRUCT) return value->name->text;
  if (!symbol->predeclared) return NULL;
  return name_is(value->name, "str") ? "string" : scope_type_name(value->name);
}

static void warn_type(Compiler *compiler, const Node *value,
                      const char *meant) {
  const Symbol *symbol = value->note;
  bool member = value->kind == NODE_FIELD;  // of a module
  diag_warn(compiler->diags, value->pos, (uint32_t)value->name->len,
            "`case %s` compares with the %s `%s`", value->name->text,
            symbol->kind == SYM_STRUCT ? "struct" : "function",
            value->name->text);
  diag_hint(compiler->diags, "for the type write `case is %s%s%s`",
            member ? value->a->name->text : "", member ? "." : "", meant);
}

static void check_value(Compiler *compiler, const Node *subject,
                        const Node *value) {
  if (value->kind == NODE_IS) return;
  Kind a = kinds_of(subject), b = kinds_of(value);
  const char *meant = type_meant(value);
  int lengths[2];
  if (meant != NULL && a != KIND_FUNC) {
    warn_type(compiler, value, meant);
  } else if (never_equal(a, b)) {
    diag_warn(compiler->diags, value->pos, 1,
              "this case never comes: %s is compared with %s", kinds_name(a),
              kinds_name(b));
    hint_other_type(compiler, subject, value);
  } else if (lengths_differ(subject, value, lengths)) {
    diag_warn(compiler->diags, value->pos, 1,
              "this case never comes: a tuple of length %d is compared with "
              "one of length %d",
              lengths[0], lengths[1]);
  } else if (kinds_made(value) != NULL) {
    diag_warn(compiler->diags, value->pos, 1,
              "this case never comes: a new %s is equal to no other",
              kinds_made(value));
    diag_hint(compiler->diags,
              "`switch { case equal(a, b): }` compares what is in them");
  }
}

void compares_in_switch(Compiler *compiler, const Node *node) {
  RT_ASSERT(node->kind == NODE_SWITCH);
  if (node->b == NULL) return;
  for (const Node *one = node->c; one != NULL; one = one->next)
    for (const Node *value = one->a; value != NULL; value = value->next)
      check_value(compiler, node->b, value);
}
