// SPDX-License-Identifier: MIT
// The top-level names of a file.
#ifndef CSP_LANG_RESOLVE_DECLARE_H
#define CSP_LANG_RESOLVE_DECLARE_H

#include "lang/compiler.h"

void declare_file(Compiler *compiler, Node *stmts);
// The error of a `:=` (DEFINE) whose names are all there, or are all `_`.
void declares_nothing(Compiler *compiler, const Node *stmt);

#endif
