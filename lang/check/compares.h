// SPDX-License-Identifier: MIT
// Comparisons whose outcome is always the same.
#ifndef CSP_LANG_CHECK_COMPARES_H
#define CSP_LANG_CHECK_COMPARES_H

#include "lang/compiler.h"

void compares_check(Compiler *compiler, const Node *node);
void compares_in_switch(Compiler *compiler, const Node *node);

#endif
