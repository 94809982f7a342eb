// SPDX-License-Identifier: MIT
// First pass: functions, methods, structs.
#ifndef CSP_LANG_RESOLVE_RESOLVE_FUNC_H
#define CSP_LANG_RESOLVE_RESOLVE_FUNC_H

#include "lang/compiler.h"

Func *func_new(Compiler *compiler, Node *node, const AstStr *name);
void resolve_func(Compiler *compiler, Node *node, Func *func);
void resolve_func_literal(Compiler *compiler, Node *node);
void resolve_method(Compiler *compiler, Node *decl);
void resolve_struct(Compiler *compiler, Node *node, Symbol *symbol);
void resolve_return(Compiler *compiler, Node *node);
// Whether the value of such an expression may be an error. (That of `f()?` is
// none.)
bool resolve_may_be_error(const Node *value);

#endif
