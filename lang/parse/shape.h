// SPDX-License-Identifier: MIT
// What must hold of a tree.
#ifndef CSP_LANG_PARSE_SHAPE_H
#define CSP_LANG_PARSE_SHAPE_H

#include "lang/ast.h"

// Whether a node's children are of the kinds that NODE_KINDS says; its own
// children alone. For trees without syntax errors.
bool node_is_valid(const Node *node);

#endif
