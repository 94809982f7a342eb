// SPDX-License-Identifier: MIT
// First pass, expressions.
#ifndef CSP_LANG_RESOLVE_RESOLVE_EXPR_H
#define CSP_LANG_RESOLVE_RESOLVE_EXPR_H

#include "lang/compiler.h"

void resolve_expr(Compiler *compiler, Node *node);  // NULL is fine
void resolve_list(Compiler *compiler, Node *list);
void resolve_target(Compiler *compiler, Node *node);  // left of an assignment

#endif
