// SPDX-License-Identifier: MIT
// From text to tree.
#ifndef CSP_LANG_PARSE_PARSE_H
#define CSP_LANG_PARSE_PARSE_H

#include "lang/arena.h"
#include "lang/ast.h"
#include "lang/diag.h"
#include "lang/source.h"

// The file's statements as a chain (NULL with errors == 0 for an empty
// file). On errors the tree may be partial: look at diags_errors.
Node *lang_parse(const Source *source, Arena *arena, Diags *diags);

// Whether the text has no error but that it ends too early: an open bracket,
// comment or raw string, an operator without its right side. No runtime is
// needed: any thread.
bool lang_is_incomplete(const char *text, size_t len);

#endif
