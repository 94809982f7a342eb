// SPDX-License-Identifier: MIT
// Returns of one value that do not fit the others. See returns.c.
#ifndef CSP_LANG_CHECK_RETURNS_H
#define CSP_LANG_CHECK_RETURNS_H

#include "lang/compiler.h"

// Finds out first of which variables something asks what they are.
void returns_look(const Node *stmts);
void returns_check(Compiler *compiler, const Node *function);  // NODE_FUNC

#endif
