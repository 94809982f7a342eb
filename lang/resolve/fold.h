// SPDX-License-Identifier: MIT
// First pass: constants.
#ifndef CSP_LANG_RESOLVE_FOLD_H
#define CSP_LANG_RESOLVE_FOLD_H

#include "lang/compiler.h"

// Replaces an operation on literals by its result, where that cannot fail.
void fold(Compiler *compiler, Node *node);
bool fold_is_literal(const Node *node);
void fold_to_literal(Node *node, const Node *literal);  // becomes the same

#endif
