// SPDX-License-Identifier: MIT
// Second pass, statements.
#ifndef CSP_LANG_GEN_STMT_H
#define CSP_LANG_GEN_STMT_H

#include "lang/compiler.h"

void stmt_list(Compiler *c, Node *stmts);
void stmt_block(Compiler *c, Node *block);  // with its registers given back
void stmt(Compiler *c, Node *node);

#endif
