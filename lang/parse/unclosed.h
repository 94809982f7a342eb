// SPDX-License-Identifier: MIT
// Brackets that nothing closes.
#ifndef CSP_LANG_PARSE_UNCLOSED_H
#define CSP_LANG_PARSE_UNCLOSED_H

#include "lang/parse/parse_internal.h"

const char *unclosed_text(BracketKind kind);  // how such a bracket is written
// Notes a `}` that closes the bracket, but whose indentation is another's.
void unclosed_note(Parse *parse, const Bracket *bracket, const Token *closer);
// Whether the noted brace is in the bracket.
bool unclosed_inside(const Parse *parse, const Bracket *bracket);
// Reports the bracket, or the noted brace in it.
void unclosed_error(Parse *parse, const Bracket *bracket);
// Reports the bracket that the token stands in instead of the token, if that
// begins a line and nothing below closes the bracket.
bool unclosed_report(Parse *parse, const Token *token);

#endif
