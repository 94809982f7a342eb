// SPDX-License-Identifier: MIT
// Builders of expressions.
#ifndef CSP_LANG_PARSE_TREE_H
#define CSP_LANG_PARSE_TREE_H

#include "lang/parse/parse_internal.h"

// A node of that depth plus one, or the dummy after a fatal error.
Node *tree_node(Parse *parse, NodeKind kind, Pos pos, uint32_t depth);
// The depth of the deeper of two, or 0 for none.
uint32_t tree_depth(const Node *a, const Node *b);
// Errors about a node are marked from where it begins.
uint32_t tree_length(const Node *node);
// No name of the chain, but `_`, may stand there twice.
void tree_check_names(Parse *parse, const Node *names, const char *what);
List list_one(Parse *parse, Node *node);
List list_add(Parse *parse, List list, Node *node);
Pos tree_start(const Node *node);  // where its text begins

Node *tree_name(Parse *parse, const Token *name);
Node *tree_literal(Parse *parse, const Token *token);
Node *tree_interp(Parse *parse, const Token *head, Node *value, List rest,
                  const Token *tail);
Node *tree_format(Parse *parse, Node *value, const Token *format);
List tree_interp_add(Parse *parse, List parts, const Token *middle,
                     Node *value);
Node *tree_paren(Parse *parse, Node *value);
Node *tree_list(Parse *parse, const Token *open, List elements);
Node *tree_tuple(Parse *parse, const Token *open, List elements);
Node *tree_map(Parse *parse, const Token *open, List pairs);
Node *tree_word_key(Parse *parse, const Token *word);
Node *tree_negative_key(Parse *parse, const Token *minus, const Token *number);
Node *tree_pair(Parse *parse, Node *key, Node *value);
Node *tree_unary(Parse *parse, const Token *op, Node *operand);
Node *tree_binary(Parse *parse, Node *a, const Token *op, Node *b);
Node *tree_is(Parse *parse, Node *value, const Token *is, Node *type);
Node *tree_field(Parse *parse, Node *object, const Token *name);
Node *tree_index(Parse *parse, Node *object, const Token *open, Node *index);
Node *tree_slice(Parse *parse, Node *object, const Token *open, Node *from,
                 Node *to);
Node *tree_call(Parse *parse, Node *callee, const Token *open, List args);
Node *tree_spread(Parse *parse, Node *list, const Token *dots);
Node *tree_named(Parse *parse, const Token *name, Node *value);
Node *tree_try(Parse *parse, Node *operand, const Token *mark);
Node *tree_go(Parse *parse, const Token *go, Node *call);
// { ... } after `go` or `defer`: a call of a function of it.
Node *tree_call_block(Parse *parse, const Token *word, Node *block);
Node *tree_param(Parse *parse, const Token *name, Node *value, int flags);
Node *tree_func(Parse *parse, const Token *func, List params, Node *body,
                int flags);

#endif
