// SPDX-License-Identifier: MIT
// Words of other languages.
#ifndef CSP_LANG_PARSE_FOREIGN_H
#define CSP_LANG_PARSE_FOREIGN_H

// What a word of another language is here ("write `nil`"), or NULL.
const char *suggest_foreign(const char *word);

#endif
