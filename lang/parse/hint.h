// SPDX-License-Identifier: MIT
// What was probably meant by a token that does not fit.
#ifndef CSP_LANG_PARSE_HINT_H
#define CSP_LANG_PARSE_HINT_H

#include <stdbool.h>

struct Bracket;
struct Parse;
struct Token;

#define HINT_MAP_APART "a map is not taken apart: write `a := m.at`"

// A line that puts it right, or NULL.
const char *hint_find(struct Parse *parse, const struct Token *token);
// The bracket that the token stands in. The token itself may be the one on top
// of the stack.
const struct Bracket *hint_bracket(const struct Parse *parse,
                                   const struct Token *token);
// ... and the block of its statement.
const struct Bracket *hint_block(const struct Parse *parse,
                                 const struct Token *token);
// Whether the next token is the first of a statement and of a line.
bool hint_begins_line(const struct Parse *parse);

#endif
