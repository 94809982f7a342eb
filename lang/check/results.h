// SPDX-License-Identifier: MIT
// Calls that give another number of values than is taken. See results.c.
#ifndef CSP_LANG_CHECK_RESULTS_H
#define CSP_LANG_CHECK_RESULTS_H

#include "lang/compiler.h"

void results_check(Compiler *compiler, const Node *stmt);  // DEFINE ... ASSIGN
void results_check_tried(Compiler *compiler, const Node *propagate);

#endif
