// SPDX-License-Identifier: MIT
// Brackets and statements: which words belong together.
#ifndef CSP_LANG_FORMAT_BRACKETS_H
#define CSP_LANG_FORMAT_BRACKETS_H

#include "lang/format/format.h"

// Sets flags, match, and the roles that brackets decide.
void brackets_mark(Words *words);
// Words and their comments stand in the order of the text, and each bracket's
// match is the other one. After brackets_mark.
bool words_are_valid(const Words *words);

#endif
