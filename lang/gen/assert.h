// SPDX-License-Identifier: MIT
// Second pass: `assert` as a statement.
#ifndef CSP_LANG_GEN_ASSERT_H
#define CSP_LANG_GEN_ASSERT_H

#include "lang/compiler.h"

// The call as a statement, if it is an assert whose failure shows two values.
bool assert_stmt(Compiler *compiler, Node *call);

#endif
