// SPDX-License-Identifier: MIT
// Warnings of `cspvm check` about what is surely wrong in a file.
#ifndef CSP_LANG_CHECK_CHECK_H
#define CSP_LANG_CHECK_CHECK_H

#include "lang/compiler.h"

// After the names are bound, and without errors.
void check_file(Compiler *compiler, const Node *stmts);

#endif
