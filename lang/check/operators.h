// SPDX-License-Identifier: MIT
// Operators that panic each time, and loops over ranges that are empty.
#ifndef CSP_LANG_CHECK_OPERATORS_H
#define CSP_LANG_CHECK_OPERATORS_H

#include "lang/compiler.h"

void operators_in_binary(Compiler *compiler, const Node *node);  // RANGE, too
void operators_in_unary(Compiler *compiler, const Node *node);
void operators_in_receive(Compiler *compiler, const Node *node);
void operators_in_index(Compiler *compiler, const Node *node);   // SLICE, too
void operators_in_assign(Compiler *compiler, const Node *node);  // a += b
void operators_in_loop(Compiler *compiler, const Node *node);    // for in

#endif
