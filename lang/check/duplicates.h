// SPDX-License-Identifier: MIT
// What stands twice where once is meant.
#ifndef CSP_LANG_CHECK_DUPLICATES_H
#define CSP_LANG_CHECK_DUPLICATES_H

#include "lang/compiler.h"

void doubles_in_map(Compiler *compiler, const Node *map);
void doubles_in_switch(Compiler *compiler, const Node *node);

#endif
