// SPDX-License-Identifier: MIT
// Statements as expressions: see tree_value.c.
#ifndef CSP_LANG_PARSE_TREE_VALUE_H
#define CSP_LANG_PARSE_TREE_VALUE_H

#include "lang/parse/parse_internal.h"

// An IF, SWITCH or GROUP as an expression.
Node *tree_value(Parse *parse, Node *stmt);

// The statements of a text. In an input of a session the last one becomes a
// value if it is an `if` or `switch` that could not be a statement, because a
// branch ends with an expression that is no call.
Node *tree_input(Parse *parse, Node *stmts);

#endif
