// SPDX-License-Identifier: MIT
// Returns of one value that do not fit the others. See returns.c.
#ifndef CSP_LANG_CHECK_RETURNS_H
#define CSP_LANG_CHECK_RETURNS_H

#include "lang/compiler.h"

// Finds out first of which variables something asks what they are.
void returns_look(const Node *stmts);
void returns_check(Compiler *compiler, const Node *function);  // NODE_FUNC

// Whether the call surely comes back.
typedef bool ComesBack(Compiler *compiler, const Node *call);
// Whether the last of the statements may not go on, on each way through it: it
// returns, panics, or ends the program. comes_back: NULL, no call does surely.
bool returns_may_leave(const Node *list, Compiler *compiler,
                       ComesBack *comes_back);

#endif
