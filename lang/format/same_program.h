// SPDX-License-Identifier: MIT
// Is the result the same program?
#ifndef CSP_LANG_FORMAT_SAME_PROGRAM_H
#define CSP_LANG_FORMAT_SAME_PROGRAM_H

#include "lang/format/format.h"

// NULL if both texts have the same words, comments and tree; else what is
// different.
const char *format_check(const Words *before, const Node *tree_before,
                         const Words *after, const Node *tree_after);

#endif
