// SPDX-License-Identifier: MIT
// From text to tree.
#ifndef CSP_LANG_PARSE_PARSE_H
#define CSP_LANG_PARSE_PARSE_H

#include "lang/arena.h"
#include "lang/ast.h"
#include "lang/diag.h"
#include "lang/parse/trail.h"
#include "lang/source.h"

// The file's statements as a chain (NULL with errors == 0 for an empty
// file). On errors the tree may be partial: look at diags_errors.
Node *lang_parse(const Source *source, Arena *arena, Diags *diags);
// The same; *trail (empty at first) gets all tokens and comments.
Node *parse_with_trail(const Source *source, Arena *arena, Diags *diags,
                       Trail *trail);

// Whether the text, an input, has no error but that it ends too early: an open
// bracket, comment or raw string, an operator without its right side. No
// runtime is needed: any thread.
bool lang_is_incomplete(const char *text, size_t len);
// Whether a brace at the input's beginning opens a map: it is right as one, or
// its first error comes later than that of a block. (Source.map_first)
bool lang_begins_with_map(const char *text, size_t len);

// --- For the lexer, the grammar and the builders ----------------------------
typedef struct Parse Parse;  // parse_internal.h

// Before an error is reported that more text might mend.
void parse_ends_early(Parse *parse);
// Reports once, and ends the parse without a tree.
void parse_too_deep(Parse *parse, Pos pos);
void parse_no_memory(Parse *parse);
bool parse_ends_value(int kind);  // a `{` after it opens a block
// The driver and lemon's parser count the same open brackets, unless tokens are
// being skipped.
bool parse_is_in_step(const Parse *parse);

#endif
