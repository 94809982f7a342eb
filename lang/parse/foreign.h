// SPDX-License-Identifier: MIT
// Words of other languages.
#ifndef CSP_LANG_PARSE_FOREIGN_H
#define CSP_LANG_PARSE_FOREIGN_H

#include <stdbool.h>

// What a word of another language is here ("write `nil`"), or NULL.
const char *suggest_foreign(const char *word);
// The same for a name that is not declared.
const char *suggest_foreign_name(const char *word);
// The module of the library that does what another language's does, as a hint,
// or NULL.
const char *suggest_foreign_module(const char *path);
// What does here what `module.name` does there, or NULL. A module "" is any.
const char *suggest_foreign_member(const char *module, const char *name);
// Whether the word is a statement there, and a function here.
bool foreign_is_function(const char *word);

#endif
