// SPDX-License-Identifier: MIT
// First pass, statements. true: control never gets past it.
#ifndef CSP_LANG_RESOLVE_RESOLVE_H
#define CSP_LANG_RESOLVE_RESOLVE_H

#include "lang/compiler.h"

// label: that stands before it, or NULL.
bool resolve_stmt(Compiler *compiler, Node *stmt, const AstStr *label);
bool resolve_stmts(Compiler *compiler, Node *stmts);
void resolve_file(Compiler *compiler, Node *stmts);

#endif
