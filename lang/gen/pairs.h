// SPDX-License-Identifier: MIT
// Second pass: two operations in one instruction.
#ifndef CSP_LANG_GEN_PAIRS_H
#define CSP_LANG_GEN_PAIRS_H

#include "lang/compiler.h"

// Emits node into target, or left op right, if there is one for it and the
// operation in one of its operands.
bool pair_to(Compiler *compiler, Node *node, int target);
bool pair_with(Compiler *compiler, Pos pos, AstOp op, int target, int left,
               Node *right);

#endif
