// SPDX-License-Identifier: MIT
// Builders of statements and declarations, which grammar.y calls. They check
// what may be assigned, be a condition, or stand in a `case`.
//
// After a fatal error they give dummies, and check nothing, as those of tree.c.
#include "lang/parse/tree_stmt.h"

#include <string.h>

#include "lang/arena.h"
#include "lang/diag.h"
#include "lang/parse/foreign.h"
#include "lang/parse/grammar.h"
#include "lang/parse/hint.h"
#include "lang/parse/tree.h"
#include "lang/parse/unexpected.h"
#include "lang/shape.h"

static uint32_t deepest(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t most = a > b ? a : b;
  return most > c ? most : c;
}

// A statement that begins with this word.
static Node *stmt_node(Parse *parse, NodeKind kind, const Token *word,
                       uint32_t depth) {
  return tree_node(parse, kind, word->pos, depth);
}

static void error_at(Parse *parse, const Node *node, const char *message,
                     const char *hint) {
  diag_error(parse->diags, tree_start(node), tree_length(node), "%s", message);
  if (hint != NULL) diag_hint(parse->diags, "%s", hint);
}

// --- simple statements ------------------------------------------------------
Node *tree_block(Parse *parse, const Token *open, List body,
                 const Token *close) {
  Node *node = tree_node(parse, NODE_BLOCK, open->pos, body.depth);
  node->a = body.first;
  RT_ASSERT(parse->fatal || open->pos.offset <= close->pos.offset);
  node->end = close->pos;
  return node;
}

static bool is_loop_head(const Node *last) {
  return last->kind == NODE_BINARY && last->op == AST_IN;
}

Node *tree_expr_stmt(Parse *parse, List values) {
  if (parse->fatal) return parse->dummy;
  Node *value = values.first;
  if (value->next != NULL) {
    bool names = is_loop_head(values.last);
    error_at(parse, value->next, "unexpected second value in a statement",
             names ? "a `for` over a value has one or two names; `for (a, b) "
                     "in x` takes each value apart"
                   : "assign with `a, b = x, y`, return with `return a, b`");
  }
  Node *node = tree_node(parse, NODE_EXPR, tree_start(value), values.depth);
  node->a = value;
  return node;
}

static bool is_sequence(const Node *node) {
  return node->kind == NODE_TUPLE || node->kind == NODE_LIST;
}

static void check_defined(Parse *parse, const Node *names, bool apart) {
  for (const Node *node = names; node != NULL; node = node->next) {
    if (node->kind == NODE_NAME && !(node->flags & FLAG_PAREN)) continue;
    error_at(parse, node, "`:=` declares names, and this is none",
             is_sequence(node) ? "a list or tuple is taken apart by `[a, b] "
                                 ":= x`, an inner one after that"
             : apart ? "take it apart into names, and assign after that"
                     : "assign with `=`");
    return;
  }
  tree_check_names(parse, names, "name");
}

// `[a, b, rest...] := x`: the names are those in the list, and the value is
// what it is taken apart into.
static void take_apart(Parse *parse, List *names, List *values) {
  const Node *list = names->first;
  if (list->kind != NODE_LIST || list->flags & FLAG_PAREN ||
      list->next != NULL || list->a == NULL || values->first->next != NULL)
    return;
  Node *apart = tree_node(parse, NODE_APART, list->pos, values->depth);
  if (parse->fatal) return;
  Node **last = &((Node *)(uintptr_t)list)->a;
  while ((*last)->next != NULL) last = &(*last)->next;
  if ((*last)->kind == NODE_SPREAD) {
    *last = (*last)->a;
    apart->flags |= FLAG_REST;
  }
  apart->a = values->first;
  *names = (List){list->a, *last, names->depth};
  *values = list_one(parse, apart);
}

Node *tree_define(Parse *parse, List names, List values) {
  if (parse->fatal) return parse->dummy;
  take_apart(parse, &names, &values);
  check_defined(parse, names.first, values.first->kind == NODE_APART);
  Node *node = tree_node(parse, NODE_DEFINE, tree_start(names.first),
                         deepest(names.depth, values.depth, 0));
  node->a = names.first;
  node->b = values.first;
  return node;
}

static const char *target_fault(const Node *node) {
  switch (node->kind) {
    case NODE_NAME:
    case NODE_FIELD:
    case NODE_INDEX:
      return NULL;
    case NODE_CALL:
      return "a call cannot be assigned to";
    case NODE_SLICE:
      return "a slice cannot be assigned to: it is a copy";
    case NODE_LIST:
    case NODE_TUPLE:
      return "only `:=` takes a list or tuple apart";
    case NODE_NIL:
    case NODE_TRUE:
    case NODE_FALSE:
    case NODE_INT:
    case NODE_FLOAT:
    case NODE_STRING:
    case NODE_INTERP:
      return "a literal cannot be assigned to";
    default:
      return "this cannot be assigned to";
  }
}

static void check_target(Parse *parse, const Node *node) {
  const char *fault = target_fault(node);
  if (fault == NULL) return;
  // (That of `go _ = f()` has its message.)
  if (node->kind == NODE_GO && name_is_blank(node->a)) return;
  bool compares = node->kind == NODE_BINARY;
  error_at(parse, node, fault,
           compares ? "did you mean `==`?"
                    : "names, `x.field` and `x[index]` can be assigned to");
}

static AstOp assign_op(int kind) {
  switch (kind) {
#define X(name)          \
  case TOK_##name##_SET: \
    return AST_##name;
    AST_ASSIGNING(X)
#undef X
    case TOK_ASSIGN:
      return AST_NONE;
    default:
      rt_throw("assign_op: token %d", kind);
  }
}

static void check_assign(Parse *parse, List targets, const Token *op,
                         List values) {
  for (const Node *node = targets.first; node != NULL; node = node->next) {
    check_target(parse, node);
  }
  if (op->kind == TOK_ASSIGN) return;
  const Node *second =
      targets.first->next != NULL ? targets.first->next : values.first->next;
  if (second == NULL) return;
  error_at(parse, second, "only `=` takes several values",
           "write one assignment for each");
}

Node *tree_assign(Parse *parse, List targets, const Token *op, List values) {
  if (parse->fatal) return parse->dummy;
  check_assign(parse, targets, op, values);
  Node *node = tree_node(parse, NODE_ASSIGN, tree_start(targets.first),
                         deepest(targets.depth, values.depth, 0));
  node->a = targets.first;
  node->b = values.first;
  node->op = (uint8_t)assign_op(op->kind);
  return node;
}

Node *tree_incdec(Parse *parse, Node *target, const Token *op) {
  if (parse->fatal) return parse->dummy;
  check_target(parse, target);
  Node *node = tree_node(parse, NODE_INCDEC, tree_start(target), target->depth);
  node->a = target;
  RT_ASSERT(op->kind == TOK_INC || op->kind == TOK_DEC);
  node->op = op->kind == TOK_INC ? AST_ADD : AST_SUB;
  return node;
}

Node *tree_send(Parse *parse, Node *channel, Node *value) {
  Node *node = tree_node(parse, NODE_SEND, tree_start(channel),
                         tree_depth(channel, value));
  node->a = channel;
  node->b = value;
  return node;
}

Node *tree_declare(Parse *parse, const Token *word, List names, List values) {
  if (!parse->fatal) tree_check_names(parse, names.first, "name");
  RT_ASSERT(word->kind == TOK_VAR || word->kind == TOK_CONST);
  NodeKind kind = word->kind == TOK_VAR ? NODE_VAR : NODE_CONST;
  Node *node =
      stmt_node(parse, kind, word, deepest(names.depth, values.depth, 0));
  node->a = names.first;
  node->b = values.first;
  return node;
}

static const char *defer_hint(const Node *call) {
  if (call->kind == NODE_FUNC)
    return "call the function: `defer func() { ... }()`";
  if (call->kind == NODE_PROPAGATE)
    return "`defer f()` reports an error of f, `defer { _ = f() }` drops it";
  if (name_is_blank(call)) return "write `defer { _ = f() }`";
  return "`defer f(x)`, or `defer { ... }`";
}

Node *tree_defer(Parse *parse, const Token *word, Node *call) {
  if (!parse->fatal && call->kind != NODE_CALL)
    error_at(parse, call, "a call must follow `defer`", defer_hint(call));
  Node *node = stmt_node(parse, NODE_DEFER, word, call->depth);
  node->a = call;
  return node;
}

Node *tree_return(Parse *parse, const Token *word, List values) {
  Node *node = stmt_node(parse, NODE_RETURN, word, values.depth);
  node->a = values.first;
  return node;
}

Node *tree_jump(Parse *parse, const Token *word, const Token *label) {
  RT_ASSERT(word->kind == TOK_BREAK || word->kind == TOK_CONTINUE);
  NodeKind kind = word->kind == TOK_BREAK ? NODE_BREAK : NODE_CONTINUE;
  Node *node = stmt_node(parse, kind, word, 0);
  if (label != NULL) node->name = label->name;
  return node;
}

// --- if and for -------------------------------------------------------------
// The expression of the statement that stands where a condition or a value
// must. Where it is no expression, reports that, and gives a `nil`.
static Node *head_value(Parse *parse, Node *stmt, const char *what) {
  if (parse->fatal) return parse->dummy;
  if (stmt->kind == NODE_EXPR) return stmt->a;
  diag_error(parse->diags, stmt->pos,
             tree_length(stmt->a != NULL ? stmt->a : stmt), "%s is no %s",
             stmt->kind == NODE_ASSIGN   ? "an assignment"
             : stmt->kind == NODE_DEFINE ? "a declaration"
                                         : "this statement",
             what);
  bool assigns = stmt->kind == NODE_ASSIGN && stmt->op == AST_NONE;
  if (assigns) diag_hint(parse->diags, "did you mean `==`?");
  if (stmt->kind == NODE_DEFINE) {
    diag_hint(parse->diags, "after it must stand `;` and the %s", what);
  }
  return tree_node(parse, NODE_NIL, stmt->pos, 0);
}

Node *tree_if(Parse *parse, const Token *word, Head head, Node *then,
              Node *otherwise) {
  Node *condition = head_value(parse, head.value, "condition");
  uint32_t depth =
      deepest(tree_depth(head.init, condition), tree_depth(then, otherwise), 0);
  Node *node = stmt_node(parse, NODE_IF, word, depth);
  node->a = head.init;
  node->b = condition;
  node->c = then;
  node->d = otherwise;
  return node;
}

static Node *loop_node(Parse *parse, const Token *word, Node *init,
                       Node *condition, Node *post, Node *body) {
  uint32_t depth =
      deepest(tree_depth(init, condition), tree_depth(post, body), 0);
  Node *node = stmt_node(parse, NODE_FOR, word, depth);
  node->a = init;
  node->b = condition;
  node->c = post;
  node->d = body;
  return node;
}

// `for a.b in c {` is no loop over c, and must not pass for a condition.
static void check_membership(Parse *parse, const Node *condition) {
  if (condition->flags & FLAG_PAREN || !is_loop_head(condition)) return;
  diag_error(parse->diags, tree_start(condition), tree_length(condition),
             "only names may stand between `for` and `in`");
  diag_hint(parse->diags,
            is_sequence(condition->a)
                ? "values are taken apart by `for (a, b) in x { }`, what is in "
                  "them in the body"
            : condition->a->kind == NODE_NAME
                ? "leave out the parentheses: `for a in x { }`"
                : "a condition stands in parentheses: `for (a in b) { }`");
}

Node *tree_for(Parse *parse, const Token *word, Node *condition, Node *body) {
  if (condition != NULL) condition = head_value(parse, condition, "condition");
  if (condition != NULL && !parse->fatal) check_membership(parse, condition);
  return loop_node(parse, word, NULL, condition, NULL, body);
}

Node *tree_for_clauses(Parse *parse, const Token *word, Node *init,
                       Node *condition, Node *post, Node *body) {
  if (condition != NULL) condition = head_value(parse, condition, "condition");
  if (post != NULL && !parse->fatal && post->kind == NODE_DEFINE) {
    error_at(parse, post->a, "the last part of a `for` declares nothing",
             "assign with `=`");
  }
  return loop_node(parse, word, init, condition, post, body);
}

Node *tree_for_in(Parse *parse, const Token *word, List names, Node *value,
                  Node *body, int flags) {
  if (parse->fatal) return parse->dummy;
  tree_check_names(parse, names.first, "loop variable");
  const Node *second = names.first->next;
  if (second != NULL && second->next != NULL && flags == 0) {
    error_at(parse, second->next, "a `for` over a value has one or two names",
             NULL);
  }
  Node *node = stmt_node(parse, NODE_FORIN, word,
                         deepest(names.depth, value->depth, body->depth));
  node->flags |= (uint16_t)flags;
  node->a = names.first;
  node->b = value;
  node->d = body;
  return node;
}

// --- switch and select ------------------------------------------------------
static void check_one_default(Parse *parse, const Node *cases) {
  bool seen = false;
  for (const Node *node = cases; node != NULL; node = node->next) {
    if (node->a != NULL) continue;
    if (seen) {
      diag_error(parse->diags, node->pos, 7, "a second `default`");
    }
    seen = true;
  }
}

static Node *case_node(Parse *parse, NodeKind kind, const Token *word,
                       const Token *colon, List body, uint32_t depth) {
  Node *block = tree_block(parse, colon, body, colon);
  Node *node = stmt_node(parse, kind, word, deepest(depth, block->depth, 0));
  node->b = block;
  return node;
}

Node *tree_switch(Parse *parse, const Token *word, Head head, List cases) {
  if (!parse->fatal) check_one_default(parse, cases.first);
  Node *subject = head.value;
  if (subject != NULL)
    subject = head_value(parse, subject, "value to switch on");
  Node *node =
      stmt_node(parse, NODE_SWITCH, word,
                deepest(tree_depth(head.init, subject), cases.depth, 0));
  node->a = head.init;
  node->b = subject;
  node->c = cases.first;
  return node;
}

Node *tree_case(Parse *parse, const Token *word, List values,
                const Token *colon, List body) {
  Node *node = case_node(parse, NODE_CASE, word, colon, body, values.depth);
  node->a = values.first;
  return node;
}

Node *tree_select(Parse *parse, const Token *word, const Token *prio,
                  List comms) {
  if (parse->fatal) return parse->dummy;
  check_one_default(parse, comms.first);
  Node *node = stmt_node(parse, NODE_SELECT, word, comms.depth);
  node->c = comms.first;
  if (prio == NULL) return node;
  node->flags |= FLAG_PRIO;
  if (strcmp(prio->name->text, "prio") != 0) {
    diag_error(parse->diags, prio->pos, prio->len, "unexpected `%s`",
               prio->name->text);
    diag_hint(parse->diags, "write `select {` or `select prio {`");
  }
  return node;
}

Node *tree_group(Parse *parse, const Token *word, const Token *name,
                 Node *block) {
  if (parse->fatal) return parse->dummy;
  Node *node = stmt_node(parse, NODE_GROUP, word, block->depth);
  if (name != NULL) node->a = tree_name(parse, name);
  node->b = block;
  return node;
}

static bool receives_once(const Node *value) {
  return value != NULL && value->kind == NODE_RECV && value->next == NULL;
}

static bool is_communication(const Node *stmt) {
  switch (stmt->kind) {
    case NODE_SEND:
      return true;
    case NODE_EXPR:
      return receives_once(stmt->a);
    case NODE_DEFINE:
      return receives_once(stmt->b);
    case NODE_ASSIGN:
      return stmt->op == AST_NONE && receives_once(stmt->b);
    default:
      return false;
  }
}

Node *tree_comm(Parse *parse, const Token *word, Node *comm, const Token *colon,
                List body) {
  if (comm != NULL && !parse->fatal && !is_communication(comm)) {
    diag_error(parse->diags, comm->pos, 1,
               "a case of `select` sends or receives");
    diag_hint(parse->diags,
              "`case v := <-c:`, `case v, ok := <-c:`, "
              "`case <-c:`, `case c <- v:`");
  }
  Node *node = case_node(parse, NODE_COMM, word, colon, body,
                         comm != NULL ? comm->depth : 0);
  node->a = comm;
  return node;
}

// `{at: a} := m`: whether the block of that label is to be declared.
static bool in_target(const Parse *parse, const Token *name) {
  const char *at = parse->source->text + name->pos.offset;
  at += strcspn(at, "}\n");
  if (*at != '}') return false;
  at += 1 + strspn(at + 1, " ");
  return strncmp(at, ":=", 2) == 0;
}

// `try:` at the end of a line, or a map.
static void hint_label(Parse *parse, const Token *name, const Node *stmt) {
  const char *foreign = stmt->pos.line != name->pos.line
                            ? suggest_foreign(name->name->text)
                            : NULL;
  if (foreign != NULL)
    diag_hint(parse->diags, "%s", foreign);
  else if (in_target(parse, name))
    diag_hint(parse->diags, HINT_MAP_APART);
  else if (stmt->kind == NODE_EXPR)
    diag_hint(parse->diags, "a map stands in parentheses: `({a: 1})`");
}

Node *tree_label(Parse *parse, const Token *name, Node *stmt) {
  if (parse->fatal) return parse->dummy;
  switch (stmt->kind) {
    case NODE_FOR:
    case NODE_FORIN:
    case NODE_SWITCH:
    case NODE_SELECT:
      break;
    default:
      diag_error(parse->diags, name->pos, name->len,
                 "only a loop, `switch` or `select` may have a label");
      hint_label(parse, name, stmt);
      return stmt;
  }
  Node *node = stmt_node(parse, NODE_LABELED, name, stmt->depth);
  node->name = name->name;
  node->a = stmt;
  node->end = name->pos;
  return node;
}

// --- declarations -----------------------------------------------------------
Node *tree_struct(Parse *parse, const Token *word, const Token *name,
                  List fields) {
  if (parse->fatal) return parse->dummy;
  tree_check_names(parse, fields.first, "field");
  Node *node = stmt_node(parse, NODE_STRUCT, word, fields.depth);
  node->name = name->name;
  node->a = fields.first;
  node->end = name->pos;
  return node;
}

Node *tree_func_decl(Parse *parse, const Token *name, Node *func) {
  if (parse->fatal) return parse->dummy;
  func->name = name->name;
  Node *node = tree_node(parse, NODE_FUNCDECL, func->pos, func->depth);
  node->name = name->name;
  node->a = func;
  node->end = name->pos;
  return node;
}

static void check_receiver(Parse *parse, const Token *self,
                           const Node *params) {
  if (strcmp(self->name->text, "_") == 0) return;
  for (const Node *param = params; param != NULL; param = param->next) {
    if (param->name != self->name) continue;
    diag_error(parse->diags, param->pos, (uint32_t)param->name->len,
               "the parameter `%s` is called like the receiver",
               param->name->text);
  }
}

static void check_top_level(Parse *parse, Pos pos, uint32_t len,
                            const char *what) {
  if (parse->depth == 0) return;
  diag_error(parse->diags, pos, len, "%s stands at the top level of a file",
             what);
}

Node *tree_method(Parse *parse, const Token *self, const Token *type,
                  const Token *name, Node *func) {
  if (parse->fatal) return parse->dummy;
  check_top_level(parse, func->pos, 4, "a method");
  check_receiver(parse, self, func->a);
  func->c = tree_param(parse, self, tree_name(parse, type), 0);
  return tree_func_decl(parse, name, func);
}

static bool spells_name(const char *text, size_t len) {
  if (len == 0 || (*text >= '0' && *text <= '9')) return false;
  for (size_t i = 0; i < len; i++) {
    unsigned char c = (unsigned char)text[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    bool digit = c >= '0' && c <= '9';
    if (!letter && !digit && c != '_' && c < 0x80) return false;
  }
  return !token_is_keyword_text(text, len);
}

// The name that `import "a/b/name"` binds.
static const AstStr *bound_name(Parse *parse, const Token *path) {
  const char *slash = memrchr(path->str.text, '/', path->str.len);
  const char *text = slash != NULL ? slash + 1 : path->str.text;
  size_t len = (size_t)(path->str.text + path->str.len - text);
  if (spells_name(text, len)) return arena_intern(parse->arena, text, len);
  diag_error(parse->diags, path->pos, path->len,
             "this path does not end in a name");
  bool suffix = len > 4 && memcmp(text + len - 4, ".csp", 4) == 0;
  diag_hint(parse->diags, "%s",
            suffix ? "leave out `.csp`"
                   : "give the module one: `import name \"path\"`");
  return arena_intern(parse->arena, "_", 1);
}

Node *tree_import(Parse *parse, const Token *word, const Token *name,
                  const Token *path) {
  if (parse->fatal) return parse->dummy;
  check_top_level(parse, word->pos, word->len, "`import`");
  Node *node = stmt_node(parse, NODE_IMPORT, word, 0);
  node->str = path->str;
  node->name = name != NULL ? name->name : bound_name(parse, path);
  node->flags = name != NULL ? FLAG_ALIAS : 0;
  node->end = name != NULL ? name->pos : path->pos;
  return node;
}
