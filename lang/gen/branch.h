// SPDX-License-Identifier: MIT
// Second pass: if, switch, select, group.
#ifndef CSP_LANG_GEN_BRANCH_H
#define CSP_LANG_GEN_BRANCH_H

#include "lang/compiler.h"

void branch_if(Compiler *compiler, Node *node);
void branch_switch(Compiler *compiler, Node *node, const AstStr *label);
void branch_select(Compiler *compiler, Node *node, const AstStr *label);
void branch_group(Compiler *compiler, Node *node);
// Of a statement whose value is wanted: the register, at the top, that the
// value comes to. Registers that are taken already keep what they hold.
int branch_value(Compiler *compiler, Node *node);
// A group at the end of a branch of such a statement.
void branch_give_group(Compiler *compiler, Node *node);
// Ends the groups that lie around here within `outer` (NULL: the function).
void branch_leave_groups(Compiler *compiler, Pos pos, const Exit *outer);
// Ends all of the function, which returns with an error in `reg`, perhaps. It
// is the last value there, or (packed) of the list there.
void branch_return(Compiler *compiler, Pos pos, int reg, bool packed);
bool branch_in_group(const Compiler *compiler);

#endif
