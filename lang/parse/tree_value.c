// SPDX-License-Identifier: MIT
// Statements as expressions: `if`, `switch` and `group`.
//
// A branch gives what its last statement does. If that is an expression, it
// becomes a GIVE. If it is another `if`, `switch` or `group`, that one's
// branches give it. If it leaves the branch (`return`, `break`, `continue`),
// nothing is to be given. All else is an error. So each way through the
// statement gives one value, or leaves it, but for a `switch` without a case
// that fits, which panics.
#include "lang/parse/tree_value.h"

#include "lang/diag.h"
#include "lang/parse/tree.h"

static void give(Parse *parse, Node *stmt);

static void gives_nothing(Parse *parse, Pos pos, const char *hint) {
  diag_error(parse->diags, pos, 1, "this branch gives no value");
  diag_hint(parse->diags, "%s", hint);
}

static void give_last(Parse *parse, const Node *block, bool inner) {
  RT_ASSERT(block->kind == NODE_BLOCK);
  Node *last = block->a;
  if (last == NULL) {
    // (what stood there may have been an error)
    if (diags_errors(parse->diags) == 0)
      gives_nothing(parse, inner ? block->pos : block->end,
                    inner ? "an empty map stands in parentheses: `({})`"
                          : "write `nil` if it is to give that");
    return;
  }
  while (last->next != NULL) last = last->next;
  switch (last->kind) {
    case NODE_EXPR:
      last->kind = NODE_GIVE;
      break;
    case NODE_IF:
    case NODE_SWITCH:
    case NODE_GROUP:
      give(parse, last);
      break;
    case NODE_BLOCK:
      give_last(parse, last, true);
      break;
    case NODE_RETURN:
    case NODE_BREAK:
    case NODE_CONTINUE:
      break;
    default:
      gives_nothing(parse, last->pos, "its last statement is no expression");
  }
}

static void give_if(Parse *parse, Node *stmt) {
  for (; stmt->kind == NODE_IF; stmt = stmt->d) {
    stmt->flags |= FLAG_VALUE;
    give_last(parse, stmt->c, false);
    if (stmt->d == NULL) {
      diag_error(parse->diags, stmt->pos, 2,
                 "an `if` that gives a value needs an `else`");
      return;
    }
  }
  give_last(parse, stmt, false);
}

static void give(Parse *parse, Node *stmt) {
  stmt->flags |= FLAG_VALUE;
  if (stmt->kind == NODE_IF) {
    give_if(parse, stmt);
  } else if (stmt->kind == NODE_SWITCH) {
    for (Node *one = stmt->c; one != NULL; one = one->next)
      give_last(parse, one->b, false);
  }
}

Node *tree_value(Parse *parse, Node *stmt) {
  if (parse->fatal) return parse->dummy;
  RT_ASSERT(stmt->kind == NODE_IF || stmt->kind == NODE_SWITCH ||
            stmt->kind == NODE_GROUP);
  Node *node = tree_node(parse, NODE_VALUE, stmt->pos, stmt->depth);
  node->a = stmt;
  give(parse, stmt);
  return node;
}

// --- Inputs of a session ----------------------------------------------------
// What the branches of a statement end with.
typedef struct Ends {
  bool all_give;  // an expression each, or they leave
  bool bare;      // one is no call, so as a statement it is an error
} Ends;

static void see_statement(Ends *ends, const Node *stmt);

static void see_last(Ends *ends, const Node *block) {
  const Node *last = block->a;
  while (last != NULL && last->next != NULL) last = last->next;
  see_statement(ends, last);
}

static void see_if(Ends *ends, const Node *stmt) {
  for (; stmt != NULL && stmt->kind == NODE_IF; stmt = stmt->d)
    see_last(ends, stmt->c);
  if (stmt == NULL)
    ends->all_give = false;  // no else
  else
    see_last(ends, stmt);
}

static void see_statement(Ends *ends, const Node *stmt) {
  switch (stmt == NULL ? NODE_IMPORT : stmt->kind) {
    case NODE_EXPR:
      if (stmt->a != NULL && stmt->a->kind != NODE_CALL &&
          stmt->a->kind != NODE_RECV && stmt->a->kind != NODE_PROPAGATE &&
          stmt->a->kind != NODE_GO)
        ends->bare = true;
      break;
    case NODE_IF:
      see_if(ends, stmt);
      break;
    case NODE_SWITCH:
      for (const Node *one = stmt->c; one != NULL; one = one->next)
        see_last(ends, one->b);
      break;
    case NODE_BLOCK:
      see_last(ends, stmt);
      break;
    case NODE_GROUP:
    case NODE_RETURN:
      break;
    default:
      ends->all_give = false;
  }
}

Node *tree_input(Parse *parse, Node *stmts) {
  Node **at = &stmts;
  if (parse->fatal || !parse->source->value_last || stmts == NULL) return stmts;
  while ((*at)->next != NULL) at = &(*at)->next;
  Node *last = *at;
  if (last->kind != NODE_IF && last->kind != NODE_SWITCH) return stmts;
  Ends ends = {.all_give = true};
  see_statement(&ends, last);
  if (!ends.all_give || !ends.bare) return stmts;
  Node *node = tree_node(parse, NODE_EXPR, last->pos, last->depth);
  node->a = tree_value(parse, last);
  if (!parse->fatal) *at = node;
  return stmts;
}
