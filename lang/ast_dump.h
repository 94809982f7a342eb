// SPDX-License-Identifier: MIT
// The tree as S-expressions, for tests and debugging.
#ifndef CSP_LANG_AST_DUMP_H
#define CSP_LANG_AST_DUMP_H

#include <stdio.h>

#include "lang/ast.h"

// One line per node of the chain: (kind name or literal children...).
void ast_dump(FILE *out, const Node *node);

#endif
