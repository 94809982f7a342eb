// SPDX-License-Identifier: MIT
// Keywords, and what is said of a token that does not fit.
#ifndef CSP_LANG_PARSE_UNEXPECTED_H
#define CSP_LANG_PARSE_UNEXPECTED_H

#include <stdbool.h>
#include <stddef.h>

struct Parse;
struct Token;

const char *lang_keyword(int i);  // from 0; NULL past the end
// Reports a token that the parser will not take.
void parse_unexpected(struct Parse *parse, const struct Token *token);
bool token_is_keyword(int kind);
bool token_is_keyword_text(const char *text, size_t len);

#endif
