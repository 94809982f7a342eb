// SPDX-License-Identifier: MIT
// Builders of nodes, chains and expressions, called by grammar.y.
//
// They check what the grammar cannot say: order and names of arguments and
// parameters, what `?` and `go` may stand with. A tree deeper than
// parse->max_depth, or memory that runs out, sets parse->fatal. From then on
// they give one dummy node and empty chains, and the parse ends without a tree.
#include "lang/parse/tree.h"

#include <stdint.h>
#include <string.h>

#include "lang/arena.h"
#include "lang/diag.h"
#include "lang/parse/grammar.h"
#include "lang/shape.h"

// How many names of parameters, fields or arguments the parser compares with
// each other. More of them are an error anyway, or are compared later.
enum { LANG_MAX_COMPARED = 255 };

static uint32_t deeper(uint32_t a, uint32_t b) { return a > b ? a : b; }

static uint32_t depth_of(const Node *node) {
  return node != NULL ? node->depth : 0;
}

// --- nodes and chains -------------------------------------------------------
Node *tree_node(Parse *parse, NodeKind kind, Pos pos, uint32_t depth) {
  if (depth >= parse->max_depth) parse_too_deep(parse, pos);
  if (arena_failed(parse->arena)) parse_no_memory(parse);
  if (parse->fatal) return parse->dummy;
  RT_ASSERT(kind < NODE_KIND_COUNT);
  RT_ASSERT(pos.offset <= parse->source->len);
  Node *node = arena_alloc(parse->arena, sizeof *node);
  node->kind = (uint8_t)kind;
  node->pos = pos;
  node->depth = depth + 1;
  return node;
}

uint32_t tree_depth(const Node *a, const Node *b) {
  return deeper(depth_of(a), depth_of(b));
}

List list_one(Parse *parse, Node *node) {
  return list_add(parse, (List){0}, node);
}

List list_add(Parse *parse, List list, Node *node) {
  if (parse->fatal) return (List){0};
  RT_ASSERT(node->next == NULL &&
            (list.last == NULL || list.last->next == NULL));
  RT_ASSERT((list.first == NULL) == (list.last == NULL));
  if (list.last != NULL) {
    list.last->next = node;
  } else {
    list.first = node;
  }
  list.last = node;
  list.depth = deeper(list.depth, node->depth);
  return list;
}

static const Node *leftmost(const Node *node) {
  for (;;) {
    switch (node->kind) {
      case NODE_CALL:
      case NODE_FIELD:
      case NODE_INDEX:
      case NODE_SLICE:
      case NODE_BINARY:
      case NODE_RANGE:
      case NODE_IS:
      case NODE_PROPAGATE:
      case NODE_SPREAD:
        if (node->a == NULL) return node;
        node = node->a;
        break;
      default:
        return node;
    }
  }
}

Pos tree_start(const Node *node) { return leftmost(node)->pos; }

uint32_t tree_length(const Node *node) {
  const Node *first = leftmost(node);
  return first->kind == NODE_NAME ? (uint32_t)first->name->len : 1;
}

void tree_check_names(Parse *parse, const Node *names, const char *what) {
  int left = LANG_MAX_COMPARED;
  for (const Node *node = names; node != NULL && left > 0;
       node = node->next, left--) {
    if (strcmp(node->name->text, "_") == 0) continue;
    const Node *other = names;
    while (other->name != node->name) other = other->next;
    if (other == node) continue;
    diag_error(parse->diags, node->pos, (uint32_t)node->name->len,
               "the %s `%s` stands here twice", what, node->name->text);
  }
}

// --- names and literals -----------------------------------------------------
Node *tree_name(Parse *parse, const Token *name) {
  Node *node = tree_node(parse, NODE_NAME, name->pos, 0);
  RT_ASSERT(name->name != NULL || parse->fatal);
  node->name = name->name;
  return node;
}

Node *tree_literal(Parse *parse, const Token *token) {
  Node *node = tree_node(parse, NODE_NIL, token->pos, 0);
  if (parse->fatal) return node;
  switch (token->kind) {
    case TOK_INT:
      node->kind = NODE_INT;
      node->i = token->i;
      break;
    case TOK_FLOAT:
      node->kind = NODE_FLOAT;
      node->f = token->f;
      break;
    case TOK_STR:
      node->kind = NODE_STRING;
      node->str = token->str;
      break;
    case TOK_TRUE:
      node->kind = NODE_TRUE;
      break;
    case TOK_FALSE:
      node->kind = NODE_FALSE;
      break;
    case TOK_NIL:
      break;
    default:
      rt_throw("tree_literal: token %d", token->kind);
  }
  return node;
}

static List add_text_part(Parse *parse, List parts, const Token *token) {
  if (token->str.len == 0) return parts;
  Node *text = tree_node(parse, NODE_STRING, token->pos, 0);
  text->str = token->str;
  return list_add(parse, parts, text);
}

Node *tree_format(Parse *parse, Node *value, const Token *format) {
  Node *node = tree_node(parse, NODE_FORMAT, format->pos, depth_of(value));
  if (parse->fatal) return node;
  node->a = value;
  node->str = format->str;
  return node;
}

List tree_interp_add(Parse *parse, List parts, const Token *middle,
                     Node *value) {
  return list_add(parse, add_text_part(parse, parts, middle), value);
}

Node *tree_interp(Parse *parse, const Token *head, Node *value, List rest,
                  const Token *tail) {
  List parts = tree_interp_add(parse, (List){0}, head, value);
  rest = add_text_part(parse, rest, tail);
  Node *node =
      tree_node(parse, NODE_INTERP, head->pos, deeper(parts.depth, rest.depth));
  if (parse->fatal) return node;
  RT_ASSERT(parts.last != NULL && parts.last->next == NULL);
  parts.last->next = rest.first;
  node->a = parts.first;
  return node;
}

Node *tree_paren(Parse *parse, Node *value) {
  if (!parse->fatal) value->flags |= FLAG_PAREN;
  return value;
}

Node *tree_list(Parse *parse, const Token *open, List elements) {
  Node *node = tree_node(parse, NODE_LIST, open->pos, elements.depth);
  node->a = elements.first;
  return node;
}

Node *tree_tuple(Parse *parse, const Token *open, List elements) {
  Node *node = tree_node(parse, NODE_TUPLE, open->pos, elements.depth);
  node->a = elements.first;
  return node;
}

Node *tree_map(Parse *parse, const Token *open, List pairs) {
  Node *node = tree_node(parse, NODE_MAP, open->pos, pairs.depth);
  node->a = pairs.first;
  return node;
}

Node *tree_word_key(Parse *parse, const Token *word) {
  Node *node = tree_node(parse, NODE_STRING, word->pos, 0);
  if (!parse->fatal) node->str = *word->name;
  return node;
}

Node *tree_negative_key(Parse *parse, const Token *minus, const Token *number) {
  return tree_unary(parse, minus, tree_literal(parse, number));
}

Node *tree_pair(Parse *parse, Node *key, Node *value) {
  Node *node =
      tree_node(parse, NODE_PAIR, tree_start(key), tree_depth(key, value));
  node->a = key;
  node->b = value;
  return node;
}

// --- operators --------------------------------------------------------------
static AstOp unary_op(int kind) {
  switch (kind) {
    case TOK_NOT:
      return AST_NOT;
    case TOK_SUB:
      return AST_NEG;
    case TOK_BXOR:
      return AST_BNOT;
    default:
      rt_throw("unary_op: token %d", kind);
  }
}

// Whether a is the literal 9223372036854775808, which stands only after a
// minus, and has not got its minus yet.
static bool is_smallest_int(Parse *parse, const Token *op,
                            const Node *operand) {
  return op->kind == TOK_SUB && operand->kind == NODE_INT &&
         operand->i == INT64_MIN && !(operand->flags & FLAG_PAREN) &&
         parse->source->text[operand->pos.offset] != '-';
}

Node *tree_unary(Parse *parse, const Token *op, Node *operand) {
  if (!parse->fatal && is_smallest_int(parse, op, operand)) {
    operand->pos = op->pos;
    return operand;
  }
  bool receive = op->kind == TOK_RECV;
  Node *node = tree_node(parse, receive ? NODE_RECV : NODE_UNARY, op->pos,
                         depth_of(operand));
  node->op = receive ? AST_NONE : (uint8_t)unary_op(op->kind);
  node->a = operand;
  return node;
}

static AstOp binary_op(int kind) {
  switch (kind) {
#define X(name)    \
  case TOK_##name: \
    return AST_##name;
    AST_BINARY(X)
#undef X
    default:
      rt_throw("binary_op: token %d", kind);
  }
}

Node *tree_binary(Parse *parse, Node *a, const Token *op, Node *b) {
  bool range = op->kind == TOK_RANGE || op->kind == TOK_RANGE_INCL;
  Node *node = tree_node(parse, range ? NODE_RANGE : NODE_BINARY, op->pos,
                         tree_depth(a, b));
  node->op = (uint8_t)binary_op(op->kind);
  node->a = a;
  node->b = b;
  return node;
}

Node *tree_is(Parse *parse, Node *value, const Token *is, Node *type) {
  Node *node = tree_node(parse, NODE_IS, is->pos, tree_depth(value, type));
  node->a = value;
  node->b = type;
  return node;
}

// --- postfix forms ----------------------------------------------------------
Node *tree_field(Parse *parse, Node *object, const Token *name) {
  Node *node = tree_node(parse, NODE_FIELD, name->pos, depth_of(object));
  node->a = object;
  node->name = name->name;
  return node;
}

Node *tree_index(Parse *parse, Node *object, const Token *open, Node *index) {
  Node *node =
      tree_node(parse, NODE_INDEX, open->pos, tree_depth(object, index));
  node->a = object;
  node->b = index;
  return node;
}

Node *tree_slice(Parse *parse, Node *object, const Token *open, Node *from,
                 Node *to) {
  uint32_t depth = deeper(depth_of(object), tree_depth(from, to));
  Node *node = tree_node(parse, NODE_SLICE, open->pos, depth);
  node->a = object;
  node->b = from;
  node->c = to;
  return node;
}

static void check_named_once(Parse *parse, const Node *args,
                             const Node *named) {
  for (const Node *arg = args; arg != named; arg = arg->next) {
    if (arg->kind != NODE_NAMED || arg->name != named->name) continue;
    diag_error(parse->diags, named->pos, (uint32_t)named->name->len,
               "the argument `%s` is given twice", named->name->text);
    return;
  }
}

// The order is f(1, 2, rest..., name: 3).
static void check_args(Parse *parse, const Node *args) {
  const Node *spread = NULL, *named = NULL;
  int left = LANG_MAX_COMPARED;
  for (const Node *arg = args; arg != NULL; arg = arg->next, left--) {
    if (arg->kind == NODE_NAMED) {
      if (left > 0) check_named_once(parse, args, arg);
      named = arg;
    } else if (named != NULL) {
      diag_error(parse->diags, tree_start(arg), tree_length(arg),
                 "an argument without a name after named ones");
      diag_hint(parse->diags, "named arguments come last");
    } else if (spread != NULL) {
      diag_error(parse->diags, tree_start(arg), tree_length(arg),
                 arg->kind == NODE_SPREAD ? "a second spread list"
                                          : "an argument after a spread list");
      diag_hint(parse->diags,
                "one spread list comes after the other arguments; "
                "lists are joined with `+`");
    } else if (arg->kind == NODE_SPREAD) {
      spread = arg;
    }
  }
}

Node *tree_call(Parse *parse, Node *callee, const Token *open, List args) {
  if (!parse->fatal) check_args(parse, args.first);
  Node *node = tree_node(parse, NODE_CALL, open->pos,
                         deeper(depth_of(callee), args.depth));
  node->a = callee;
  node->b = args.first;
  return node;
}

Node *tree_spread(Parse *parse, Node *list, const Token *dots) {
  Node *node = tree_node(parse, NODE_SPREAD, dots->pos, depth_of(list));
  node->a = list;
  return node;
}

Node *tree_named(Parse *parse, const Token *name, Node *value) {
  Node *node = tree_node(parse, NODE_NAMED, name->pos, depth_of(value));
  node->name = name->name;
  node->a = value;
  return node;
}

Node *tree_try(Parse *parse, Node *operand, const Token *mark) {
  bool receives = operand->kind == NODE_RECV && (operand->flags & FLAG_PAREN);
  if (!parse->fatal && operand->kind != NODE_CALL && !receives) {
    diag_error(parse->diags, mark->pos, 1, "`?` stands after a call");
    diag_hint(parse->diags,
              operand->kind == NODE_RECV || operand->kind == NODE_NAME
                  ? "`f()?` and `(<-task)?` hand an error on"
                  : "`f()?` hands an error on; there is no `a ? b : c`");
  }
  Node *node = tree_node(parse, NODE_PROPAGATE, mark->pos, depth_of(operand));
  node->a = operand;
  return node;
}

Node *tree_go(Parse *parse, const Token *go, Node *call) {
  if (!parse->fatal && call->kind != NODE_CALL) {
    diag_error(parse->diags, tree_start(call), tree_length(call),
               "a call must follow `go`");
    diag_hint(parse->diags, call->kind == NODE_PROPAGATE
                                ? "errors of a task come with `(<-t)?`, and "
                                  "`go { _ = f() }` drops them"
                            : name_is_blank(call)
                                ? "write `go { _ = f() }`"
                                : "`go f(x)`, or `go { ... }`");
  }
  Node *node = tree_node(parse, NODE_GO, go->pos, depth_of(call));
  node->a = call;
  return node;
}

Node *tree_call_block(Parse *parse, const Token *word, Node *block) {
  Node *func = tree_func(parse, word, (List){0}, block, 0);
  Token open = {.pos = block->pos};
  return tree_call(parse, func, &open, (List){0});
}

// --- functions --------------------------------------------------------------
Node *tree_param(Parse *parse, const Token *name, Node *value, int flags) {
  Node *node = tree_node(parse, NODE_PARAM, name->pos, depth_of(value));
  if (parse->fatal) return node;
  node->name = name->name;
  node->a = value;
  node->flags = (uint16_t)flags;
  return node;
}

// Checks their order.
static void check_params(Parse *parse, const Node *params) {
  bool defaults = false;
  for (const Node *param = params; param != NULL; param = param->next) {
    uint32_t len = (uint32_t)param->name->len;
    bool rest = param->flags & FLAG_REST;
    if (rest && param->next != NULL) {
      diag_error(parse->diags, param->pos, len,
                 "`%s...` must be the last parameter", param->name->text);
    }
    if (defaults && param->a == NULL && !rest) {
      diag_error(parse->diags, param->pos, len,
                 "`%s` has no default, but the one before it has",
                 param->name->text);
      diag_hint(parse->diags, "parameters with defaults come last");
    }
    if (param->a != NULL) defaults = true;
  }
}

Node *tree_func(Parse *parse, const Token *func, List params, Node *body,
                int flags) {
  if (!parse->fatal) {
    tree_check_names(parse, params.first, "parameter");
    check_params(parse, params.first);
  }
  Node *node = tree_node(parse, NODE_FUNC, func->pos,
                         deeper(params.depth, depth_of(body)));
  if (parse->fatal) return node;
  node->a = params.first;
  node->b = body;
  node->flags = (uint16_t)flags;
  return node;
}
