// SPDX-License-Identifier: MIT
// Second pass: declarations and assignments (`:=`, `var`, `const`, `=`, `++`).
#ifndef CSP_LANG_GEN_ASSIGN_H
#define CSP_LANG_GEN_ASSIGN_H

#include "lang/compiler.h"

void assign_define(Compiler *compiler, Node *node);
void assign_stmt(Compiler *compiler, Node *node);
void assign_incdec(Compiler *compiler, Node *node);
// Values lie from register `from` up, which is top - count: new names take
// registers from there, old ones are stored.
void assign_names(Compiler *compiler, Node *names, int from);
// The variable in register reg becomes visible, in a cell if it needs one.
void assign_bind(Compiler *compiler, Pos pos, Symbol *symbol, int reg);
void assign_targets(Compiler *compiler, Node *targets, int from);

#endif
