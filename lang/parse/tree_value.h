// SPDX-License-Identifier: MIT
// Statements as expressions: see tree_value.c.
#ifndef CSP_LANG_PARSE_TREE_VALUE_H
#define CSP_LANG_PARSE_TREE_VALUE_H

#include "lang/parse/parse_internal.h"

// An IF, SWITCH or GROUP as an expression.
Node *tree_value(Parse *parse, Node *stmt);

#endif
