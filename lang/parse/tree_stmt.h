// SPDX-License-Identifier: MIT
// Builders of statements.
#ifndef CSP_LANG_PARSE_TREE_STMT_H
#define CSP_LANG_PARSE_TREE_STMT_H

#include "lang/parse/parse_internal.h"

Node *tree_block(Parse *parse, const Token *open, List body,
                 const Token *close);
Node *tree_expr_stmt(Parse *parse, List values);
Node *tree_define(Parse *parse, List names, List values);
Node *tree_assign(Parse *parse, List targets, const Token *op, List values);
Node *tree_incdec(Parse *parse, Node *target, const Token *op);
Node *tree_send(Parse *parse, Node *channel, Node *value);
// VAR and CONST
Node *tree_declare(Parse *parse, const Token *word, List names, List values);
Node *tree_defer(Parse *parse, const Token *word, Node *call);
Node *tree_return(Parse *parse, const Token *word, List values);
Node *tree_jump(Parse *parse, const Token *word, const Token *label);
Node *tree_if(Parse *parse, const Token *word, Head head, Node *then,
              Node *otherwise);
Node *tree_for(Parse *parse, const Token *word, Node *condition, Node *body);
Node *tree_for_clauses(Parse *parse, const Token *word, Node *init,
                       Node *condition, Node *post, Node *body);
Node *tree_for_in(Parse *parse, const Token *word, List names, Node *value,
                  Node *body, int flags);
Node *tree_switch(Parse *parse, const Token *word, Head head, List cases);
Node *tree_case(Parse *parse, const Token *word, List values,
                const Token *colon, List body);
Node *tree_select(Parse *parse, const Token *word, const Token *prio,
                  List comms);
Node *tree_group(Parse *parse, const Token *word, const Token *name,
                 Node *block);
Node *tree_comm(Parse *parse, const Token *word, Node *comm, const Token *colon,
                List body);
Node *tree_label(Parse *parse, const Token *name, Node *stmt);
Node *tree_struct(Parse *parse, const Token *word, const Token *name,
                  List fields);
Node *tree_func_decl(Parse *parse, const Token *name, Node *func);
Node *tree_method(Parse *parse, const Token *self, const Token *type,
                  const Token *name, Node *func);
Node *tree_import(Parse *parse, const Token *word, const Token *name,
                  const Token *path);

#endif
