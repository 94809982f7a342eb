// SPDX-License-Identifier: MIT
// Calls of functions that are known: their arguments.
#ifndef CSP_LANG_CHECK_ARGUMENTS_H
#define CSP_LANG_CHECK_ARGUMENTS_H

#include "lang/compiler.h"

void arguments_check(Compiler *compiler, const Node *call);

#endif
