// SPDX-License-Identifier: MIT
// Builders of statements and declarations, which grammar.y calls. They check
// what may be assigned, be a condition, or stand in a `case`.
//
// After a fatal error they give dummies, and check nothing, as those of tree.c.
#include "lang/parse/tree_stmt.h"

#include <string.h>

#include "lang/arena.h"
#include "lang/diag.h"
#include "lang/parse/grammar.h"
#include "lang/parse/tree.h"
#include "lang/parse/unexpected.h"

static uint32_t deepest(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t most = a > b ? a : b;
  return most > c ? most : c;
}

// A statement that begins with this word.
static Node *stmt_node(Parse *p, NodeKind kind, const Token *word,
                       uint32_t depth) {
  return tree_node(p, kind, word->pos, depth);
}

static void error_at(Parse *p, const Node *node, const char *message,
                     const char *hint) {
  diag_error(p->diags, tree_start(node), tree_length(node), "%s", message);
  if (hint) diag_hint(p->diags, "%s", hint);
}

// --- simple statements ------------------------------------------------------
Node *tree_block(Parse *p, const Token *open, List body, const Token *close) {
  Node *node = tree_node(p, NODE_BLOCK, open->pos, body.depth);
  node->a = body.first;
  RT_ASSERT(p->fatal || open->pos.offset <= close->pos.offset);
  node->end = close->pos;
  return node;
}

static bool is_loop_head(const Node *last) {
  return last->kind == NODE_BINARY && last->op == AST_IN;
}

Node *tree_expr_stmt(Parse *p, List values) {
  if (p->fatal) return p->dummy;
  Node *value = values.first;
  if (value->next) {
    bool names = is_loop_head(values.last);
    error_at(p, value->next, "unexpected second value in a statement",
             names ? "a `for` over a value has one or two names"
                   : "assign with `a, b = x, y`, return with `return a, b`");
  }
  Node *node = tree_node(p, NODE_EXPR, tree_start(value), values.depth);
  node->a = value;
  return node;
}

static void check_defined(Parse *p, const Node *names) {
  for (const Node *node = names; node; node = node->next) {
    if (node->kind == NODE_NAME && !(node->flags & FLAG_PAREN)) continue;
    error_at(p, node, "`:=` declares names, and this is none",
             "assign with `=`");
    return;
  }
  tree_check_names(p, names, "name");
}

Node *tree_define(Parse *p, List names, List values) {
  if (p->fatal) return p->dummy;
  check_defined(p, names.first);
  Node *node = tree_node(p, NODE_DEFINE, tree_start(names.first),
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

static void check_target(Parse *p, const Node *node) {
  const char *fault = target_fault(node);
  if (fault == NULL) return;
  bool compares = node->kind == NODE_BINARY;
  error_at(p, node, fault,
           compares ? "did you mean `==`?"
                    : "names, `x.field` and `x[index]` can be assigned to");
}

static AstOp assign_op(int kind) {
  switch (kind) {
// clang-format off
#define X(name) \
  case TOK_##name##_SET: return AST_##name;
    X(ADD) X(SUB) X(MUL) X(DIV) X(MOD) X(ADDW) X(SUBW) X(MULW) X(BAND) X(BOR)
    X(BXOR) X(SHL) X(SHR) X(COALESCE)
#undef X
    case TOK_ASSIGN: return AST_NONE;
    default: rt_throw("assign_op: token %d", kind);
      // clang-format on
  }
}

static void check_assign(Parse *p, List targets, const Token *op, List values) {
  for (const Node *node = targets.first; node; node = node->next) {
    check_target(p, node);
  }
  if (op->kind == TOK_ASSIGN) return;
  const Node *second =
      targets.first->next ? targets.first->next : values.first->next;
  if (second == NULL) return;
  error_at(p, second, "only `=` takes several values",
           "write one assignment for each");
}

Node *tree_assign(Parse *p, List targets, const Token *op, List values) {
  if (p->fatal) return p->dummy;
  check_assign(p, targets, op, values);
  Node *node = tree_node(p, NODE_ASSIGN, tree_start(targets.first),
                         deepest(targets.depth, values.depth, 0));
  node->a = targets.first;
  node->b = values.first;
  node->op = (uint8_t)assign_op(op->kind);
  return node;
}

Node *tree_incdec(Parse *p, Node *target, const Token *op) {
  if (p->fatal) return p->dummy;
  check_target(p, target);
  Node *node = tree_node(p, NODE_INCDEC, tree_start(target), target->depth);
  node->a = target;
  RT_ASSERT(op->kind == TOK_INC || op->kind == TOK_DEC);
  node->op = op->kind == TOK_INC ? AST_ADD : AST_SUB;
  return node;
}

Node *tree_send(Parse *p, Node *channel, Node *value) {
  Node *node =
      tree_node(p, NODE_SEND, tree_start(channel), tree_depth(channel, value));
  node->a = channel;
  node->b = value;
  return node;
}

Node *tree_declare(Parse *p, const Token *word, List names, List values) {
  if (!p->fatal) tree_check_names(p, names.first, "name");
  RT_ASSERT(word->kind == TOK_VAR || word->kind == TOK_CONST);
  NodeKind kind = word->kind == TOK_VAR ? NODE_VAR : NODE_CONST;
  Node *node = stmt_node(p, kind, word, deepest(names.depth, values.depth, 0));
  node->a = names.first;
  node->b = values.first;
  return node;
}

Node *tree_defer(Parse *p, const Token *word, Node *call) {
  if (!p->fatal && call->kind != NODE_CALL) {
    error_at(p, call, "a call must follow `defer`",
             call->kind == NODE_FUNC
                 ? "call the function: `defer func() { ... }()`"
                 : "`defer f(x)`, or `defer { ... }`");
  }
  Node *node = stmt_node(p, NODE_DEFER, word, call->depth);
  node->a = call;
  return node;
}

Node *tree_return(Parse *p, const Token *word, List values) {
  Node *node = stmt_node(p, NODE_RETURN, word, values.depth);
  node->a = values.first;
  return node;
}

Node *tree_jump(Parse *p, const Token *word, const Token *label) {
  RT_ASSERT(word->kind == TOK_BREAK || word->kind == TOK_CONTINUE);
  NodeKind kind = word->kind == TOK_BREAK ? NODE_BREAK : NODE_CONTINUE;
  Node *node = stmt_node(p, kind, word, 0);
  if (label) node->name = label->name;
  return node;
}

// --- if and for -------------------------------------------------------------
// The expression of the statement that stands where a condition or a value
// must. Where it is no expression, reports that, and gives a `nil`.
static Node *head_value(Parse *p, Node *stmt, const char *what) {
  if (p->fatal) return p->dummy;
  if (stmt->kind == NODE_EXPR) return stmt->a;
  diag_error(p->diags, stmt->pos, tree_length(stmt->a ? stmt->a : stmt),
             "%s is no %s",
             stmt->kind == NODE_ASSIGN   ? "an assignment"
             : stmt->kind == NODE_DEFINE ? "a declaration"
                                         : "this statement",
             what);
  bool assigns = stmt->kind == NODE_ASSIGN && stmt->op == AST_NONE;
  if (assigns) diag_hint(p->diags, "did you mean `==`?");
  if (stmt->kind == NODE_DEFINE) {
    diag_hint(p->diags, "after it must stand `;` and the %s", what);
  }
  return tree_node(p, NODE_NIL, stmt->pos, 0);
}

Node *tree_if(Parse *p, const Token *word, Head head, Node *then,
              Node *otherwise) {
  Node *condition = head_value(p, head.value, "condition");
  uint32_t depth =
      deepest(tree_depth(head.init, condition), tree_depth(then, otherwise), 0);
  Node *node = stmt_node(p, NODE_IF, word, depth);
  node->a = head.init;
  node->b = condition;
  node->c = then;
  node->d = otherwise;
  return node;
}

static Node *loop_node(Parse *p, const Token *word, Node *init, Node *condition,
                       Node *post, Node *body) {
  uint32_t depth =
      deepest(tree_depth(init, condition), tree_depth(post, body), 0);
  Node *node = stmt_node(p, NODE_FOR, word, depth);
  node->a = init;
  node->b = condition;
  node->c = post;
  node->d = body;
  return node;
}

// `for a.b in c {` is no loop over c, and must not pass for a condition.
static void check_membership(Parse *p, const Node *condition) {
  if (condition->flags & FLAG_PAREN || !is_loop_head(condition)) return;
  diag_error(p->diags, tree_start(condition), tree_length(condition),
             "only names may stand between `for` and `in`");
  diag_hint(p->diags, "a condition stands in parentheses: `for (a in b) { }`");
}

Node *tree_for(Parse *p, const Token *word, Node *condition, Node *body) {
  if (condition) condition = head_value(p, condition, "condition");
  if (condition && !p->fatal) check_membership(p, condition);
  return loop_node(p, word, NULL, condition, NULL, body);
}

Node *tree_for_clauses(Parse *p, const Token *word, Node *init, Node *condition,
                       Node *post, Node *body) {
  if (condition) condition = head_value(p, condition, "condition");
  if (post && !p->fatal && post->kind == NODE_DEFINE) {
    error_at(p, post->a, "the last part of a `for` declares nothing",
             "assign with `=`");
  }
  return loop_node(p, word, init, condition, post, body);
}

Node *tree_for_in(Parse *p, const Token *word, List names, Node *value,
                  Node *body) {
  if (p->fatal) return p->dummy;
  tree_check_names(p, names.first, "loop variable");
  const Node *second = names.first->next;
  if (second && second->next) {
    error_at(p, second->next, "a `for` over a value has one or two names",
             NULL);
  }
  Node *node = stmt_node(p, NODE_FORIN, word,
                         deepest(names.depth, value->depth, body->depth));
  node->a = names.first;
  node->b = value;
  node->d = body;
  return node;
}

// --- switch and select ------------------------------------------------------
static void check_one_default(Parse *p, const Node *cases) {
  bool seen = false;
  for (const Node *node = cases; node; node = node->next) {
    if (node->a) continue;
    if (seen) {
      diag_error(p->diags, node->pos, 7, "a second `default`");
    }
    seen = true;
  }
}

static Node *case_node(Parse *p, NodeKind kind, const Token *word,
                       const Token *colon, List body, uint32_t depth) {
  Node *block = tree_block(p, colon, body, colon);
  Node *node = stmt_node(p, kind, word, deepest(depth, block->depth, 0));
  node->b = block;
  return node;
}

Node *tree_switch(Parse *p, const Token *word, Head head, List cases) {
  if (!p->fatal) check_one_default(p, cases.first);
  Node *subject = head.value;
  if (subject) subject = head_value(p, subject, "value to switch on");
  Node *node =
      stmt_node(p, NODE_SWITCH, word,
                deepest(tree_depth(head.init, subject), cases.depth, 0));
  node->a = head.init;
  node->b = subject;
  node->c = cases.first;
  return node;
}

Node *tree_case(Parse *p, const Token *word, List values, const Token *colon,
                List body) {
  Node *node = case_node(p, NODE_CASE, word, colon, body, values.depth);
  node->a = values.first;
  return node;
}

Node *tree_select(Parse *p, const Token *word, const Token *prio, List comms) {
  if (p->fatal) return p->dummy;
  check_one_default(p, comms.first);
  Node *node = stmt_node(p, NODE_SELECT, word, comms.depth);
  node->c = comms.first;
  if (prio == NULL) return node;
  node->flags |= FLAG_PRIO;
  if (strcmp(prio->name->text, "prio") != 0) {
    diag_error(p->diags, prio->pos, prio->len, "unexpected `%s`",
               prio->name->text);
    diag_hint(p->diags, "write `select {` or `select prio {`");
  }
  return node;
}

Node *tree_group(Parse *p, const Token *word, const Token *name, Node *block) {
  if (p->fatal) return p->dummy;
  Node *node = stmt_node(p, NODE_GROUP, word, block->depth);
  if (name != NULL) node->a = tree_name(p, name);
  node->b = block;
  return node;
}

static bool receives_once(const Node *value) {
  return value && value->kind == NODE_RECV && value->next == NULL;
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

Node *tree_comm(Parse *p, const Token *word, Node *comm, const Token *colon,
                List body) {
  if (comm && !p->fatal && !is_communication(comm)) {
    diag_error(p->diags, comm->pos, 1, "a case of `select` sends or receives");
    diag_hint(p->diags,
              "`case v := <-c:`, `case v, ok := <-c:`, "
              "`case <-c:`, `case c <- v:`");
  }
  Node *node =
      case_node(p, NODE_COMM, word, colon, body, comm ? comm->depth : 0);
  node->a = comm;
  return node;
}

Node *tree_label(Parse *p, const Token *name, Node *stmt) {
  if (p->fatal) return p->dummy;
  switch (stmt->kind) {
    case NODE_FOR:
    case NODE_FORIN:
    case NODE_SWITCH:
    case NODE_SELECT:
      break;
    default:
      diag_error(p->diags, name->pos, name->len,
                 "only a loop, `switch` or `select` may have a label");
      return stmt;
  }
  Node *node = stmt_node(p, NODE_LABELED, name, stmt->depth);
  node->name = name->name;
  node->a = stmt;
  node->end = name->pos;
  return node;
}

// --- declarations -----------------------------------------------------------
Node *tree_struct(Parse *p, const Token *word, const Token *name, List fields) {
  if (p->fatal) return p->dummy;
  tree_check_names(p, fields.first, "field");
  Node *node = stmt_node(p, NODE_STRUCT, word, fields.depth);
  node->name = name->name;
  node->a = fields.first;
  node->end = name->pos;
  return node;
}

Node *tree_func_decl(Parse *p, const Token *name, Node *func) {
  if (p->fatal) return p->dummy;
  func->name = name->name;
  Node *node = tree_node(p, NODE_FUNCDECL, func->pos, func->depth);
  node->name = name->name;
  node->a = func;
  node->end = name->pos;
  return node;
}

static void check_receiver(Parse *p, const Token *self, const Node *params) {
  if (strcmp(self->name->text, "_") == 0) return;
  for (const Node *param = params; param; param = param->next) {
    if (param->name != self->name) continue;
    diag_error(p->diags, param->pos, (uint32_t)param->name->len,
               "the parameter `%s` is called like the receiver",
               param->name->text);
  }
}

static void check_top_level(Parse *p, Pos pos, uint32_t len, const char *what) {
  if (p->depth == 0) return;
  diag_error(p->diags, pos, len, "%s stands at the top level of a file", what);
}

Node *tree_method(Parse *p, const Token *self, const Token *type,
                  const Token *name, Node *func) {
  if (p->fatal) return p->dummy;
  check_top_level(p, func->pos, 4, "a method");
  check_receiver(p, self, func->a);
  func->c = tree_param(p, self, tree_name(p, type), 0);
  return tree_func_decl(p, name, func);
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
static const AstStr *bound_name(Parse *p, const Token *path) {
  const char *slash = memrchr(path->str.text, '/', path->str.len);
  const char *text = slash ? slash + 1 : path->str.text;
  size_t len = (size_t)(path->str.text + path->str.len - text);
  if (spells_name(text, len)) return arena_intern(p->arena, text, len);
  diag_error(p->diags, path->pos, path->len,
             "this path does not end in a name");
  bool suffix = len > 4 && memcmp(text + len - 4, ".csp", 4) == 0;
  diag_hint(p->diags, "%s",
            suffix ? "leave out `.csp`"
                   : "give the module one: `import name \"path\"`");
  return arena_intern(p->arena, "_", 1);
}

Node *tree_import(Parse *p, const Token *word, const Token *name,
                  const Token *path) {
  if (p->fatal) return p->dummy;
  check_top_level(p, word->pos, word->len, "`import`");
  Node *node = stmt_node(p, NODE_IMPORT, word, 0);
  node->str = path->str;
  node->name = name ? name->name : bound_name(p, path);
  node->flags = name ? FLAG_ALIAS : 0;
  node->end = name ? name->pos : path->pos;
  return node;
}
