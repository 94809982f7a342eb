// SPDX-License-Identifier: MIT
// The syntax tree as S-expressions, for tests and debugging.
//
// A node is written as (kind name or literal or operator, then the children). A
// missing child before one that is there is `_`. A chain of several, or one
// that may hold several, stands in brackets. The dump only reads the tree, and
// recurses as deep as the tree is.
#include "lang/ast_dump.h"

#include <ctype.h>
#include <inttypes.h>

#include "lang/shape.h"
#include "sched/plain.h"
#include "sched/rt.h"
#include "vm/value/utf8.h"

static const char *const KINDS[] = {
#define X(kind, meaning) #kind,
    NODE_KINDS(X)
#undef X
};

static void dump_string(FILE *out, AstStr str) {
  fputc('"', out);
  for (size_t i = 0; i < str.len; i++) {
    unsigned char c = (unsigned char)str.text[i];
    if (c == '"' || c == '\\') {
      fprintf(out, "\\%c", c);
    } else if (c == '\n') {
      fputs("\\n", out);
    } else if (utf8_is_control((char)c)) {
      fprintf(out, "\\x%02x", c);
    } else {
      fputc(c, out);
    }
  }
  fputc('"', out);
}

static void dump_float(FILE *out, double value) {
  char text[40];
  int precision = 1;
  double back = 0;
  do {
    snprintf(text, sizeof text, "%.*g", precision, value);
    sscanf(text, "%lf", &back);
  } while (back != value && ++precision <= 17);
  fputs(text, out);
}

static void dump_flags(FILE *out, unsigned flags) {
  if (flags & FLAG_REST) fputs(" ...", out);
  if (flags & FLAG_ARROW) fputs(" =>", out);
  if (flags & FLAG_PAREN) fputs(" ()", out);
  if (flags & FLAG_PRIO) fputs(" prio", out);
  if (flags & FLAG_ALIAS) fputs(" alias", out);
}

static void dump_kind(FILE *out, NodeKind kind) {
  for (const char *at = KINDS[kind]; *at; at++) {
    fputc(tolower((unsigned char)*at), out);
  }
}

// Without children: `(name x)` would only be noise for a bare x.
static bool dump_leaf(FILE *out, const Node *node) {
  if (node->flags) return false;
  switch (node->kind) {
    case NODE_NIL:
      fputs("nil", out);
      return true;
    case NODE_TRUE:
      fputs("true", out);
      return true;
    case NODE_FALSE:
      fputs("false", out);
      return true;
    case NODE_INT:
      fprintf(out, "%" PRId64, node->i);
      return true;
    case NODE_FLOAT:
      dump_float(out, node->f);
      return true;
    case NODE_STRING:
      dump_string(out, node->str);
      return true;
    case NODE_NAME:
      fputs(node->name->text, out);
      return true;
    default:
      return false;
  }
}

static void dump_node(FILE *out, const Node *node);

static void dump_chain(FILE *out, const Node *node) {
  fputc('[', out);
  for (; node != NULL; node = node->next) {
    dump_node(out, node);
    if (node->next != NULL) fputc(' ', out);
  }
  fputc(']', out);
}

static void dump_children(FILE *out, const Node *node) {
  const Node *children[] = {node->a, node->b, node->c, node->d};
  NodeKind kind = (NodeKind)node->kind;
  int count = 4;
  while (count > 0 && children[count - 1] == NULL &&
         !node_has_chain(kind, count - 1)) {
    count--;
  }
  for (int i = 0; i < count; i++) {
    fputc(' ', out);
    if (node_has_chain(kind, i)) {
      dump_chain(out, children[i]);
    } else if (children[i] != NULL) {
      dump_node(out, children[i]);
    } else {
      fputc('_', out);
    }
  }
}

static void dump_literal(FILE *out, const Node *node) {
  switch (node->kind) {
    case NODE_INT:
      fprintf(out, " %" PRId64, node->i);
      break;
    case NODE_FLOAT:
      fputc(' ', out);
      dump_float(out, node->f);
      break;
    case NODE_STRING:
    case NODE_FORMAT:
    case NODE_IMPORT:
      fputc(' ', out);
      dump_string(out, node->str);
      break;
    default:  // fields that a kind does not have are zero
      RT_ASSERT(node->str.text == NULL && node->str.len == 0);
      break;
  }
}

static void dump_node(FILE *out, const Node *node) {
  if (dump_leaf(out, node)) return;
  fputc('(', out);
  dump_kind(out, (NodeKind)node->kind);
  if (node->op != AST_NONE || node->kind == NODE_ASSIGN)
    fprintf(out, " %s", ast_op_text(node->op));
  if (node->name != NULL) fprintf(out, " %s", node->name->text);
  dump_literal(out, node);
  dump_flags(out, node->flags);
  dump_children(out, node);
  fputc(')', out);
}

void ast_dump(FILE *out, const Node *node) {
  Plain plain = plain_begin();
  for (; node != NULL; node = node->next) {
    dump_node(out, node);
    fputc('\n', out);
  }
  plain_end(plain);
}
