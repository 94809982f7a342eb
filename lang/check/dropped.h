// SPDX-License-Identifier: MIT
// Errors that are dropped. See dropped.c.
#ifndef CSP_LANG_CHECK_DROPPED_H
#define CSP_LANG_CHECK_DROPPED_H

#include "lang/compiler.h"

// `error(...)`, `E(...)`
bool dropped_makes_error(Compiler *compiler, const Node *call);
void dropped_check(Compiler *compiler, const Node *statement);  // NODE_EXPR
void dropped_by_defer(Compiler *compiler, const Node *statement);
// `go f()` outside of functions and groups, in all of the file.
void dropped_by_go(Compiler *compiler, const Node *stmts);

#endif
