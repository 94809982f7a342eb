// SPDX-License-Identifier: MIT
// First pass: functions, methods, structs.
#ifndef CSP_LANG_RESOLVE_RESOLVE_FUNC_H
#define CSP_LANG_RESOLVE_RESOLVE_FUNC_H

#include "lang/compiler.h"

Func *func_new(Compiler *c, Node *node, const AstStr *name);
void resolve_func(Compiler *c, Node *node, Func *func);
void resolve_func_literal(Compiler *c, Node *node);
void resolve_method(Compiler *c, Node *decl);
void resolve_struct(Compiler *c, Node *node, Symbol *symbol);
void resolve_return(Compiler *c, Node *node);

#endif
