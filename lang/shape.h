// SPDX-License-Identifier: MIT
// What must hold of a tree, and what is known of a node by its kind.
#ifndef CSP_LANG_SHAPE_H
#define CSP_LANG_SHAPE_H

#include "lang/ast.h"

// Whether a node's children are of the kinds that NODE_KINDS says; its own
// children alone. For trees without syntax errors.
bool node_is_valid(const Node *node);
// Whether child number `child`, 0 for a, is the first of a chain.
bool node_has_chain(NodeKind kind, int child);
// The name `_`.
bool name_is_blank(const Node *node);

#endif
