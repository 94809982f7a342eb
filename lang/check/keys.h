// SPDX-License-Identifier: MIT
// Keys of maps that are never found again.
#ifndef CSP_LANG_CHECK_KEYS_H
#define CSP_LANG_CHECK_KEYS_H

#include "lang/compiler.h"

void keys_in_map(Compiler *compiler, const Node *map);
void keys_in_index(Compiler *compiler, const Node *node);
void keys_in_question(Compiler *compiler, const Node *node);  // a in b
void keys_in_call(Compiler *compiler, const Node *call);      // delete(m, key)

#endif
