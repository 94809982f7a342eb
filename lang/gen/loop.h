// SPDX-License-Identifier: MIT
// Second pass: loops, and what `break` leaves.
#ifndef CSP_LANG_GEN_LOOP_H
#define CSP_LANG_GEN_LOOP_H

#include "lang/compiler.h"

void exit_push(Compiler *compiler, Exit *exit, const AstStr *label, bool loop);
void exit_pop(Compiler *compiler);  // breaks lead here
void loop_for(Compiler *compiler, Node *node, const AstStr *label);
void loop_for_in(Compiler *compiler, Node *node, const AstStr *label);

#endif
