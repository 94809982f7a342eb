// SPDX-License-Identifier: MIT
// Second pass, statements.
#ifndef CSP_LANG_GEN_STMT_H
#define CSP_LANG_GEN_STMT_H

#include "lang/compiler.h"

void stmt_list(Compiler *compiler, Node *stmts);
void stmt_block(Compiler *compiler,
                Node *block);  // with its registers given back
void stmt(Compiler *compiler, Node *node);

#endif
