// SPDX-License-Identifier: MIT
// Fields and methods that a struct or a built-in type does not have, and keys
// that a map has not.
#ifndef CSP_LANG_CHECK_FIELDS_H
#define CSP_LANG_CHECK_FIELDS_H

#include "lang/compiler.h"

// Finds out first which maps may get other keys than those they begin with.
void fields_look(Compiler *compiler, const Node *stmts);
void fields_check(Compiler *compiler, const Node *field);
// `m.keys()`, where m gets keys that are not known, but no functions.
void fields_check_call(Compiler *compiler, const Node *call);
// Whether instances of the struct are errors.
bool fields_makes_error(Compiler *compiler, const Symbol *type);
// Whether it surely is an instance of a struct of the file that is no error.
bool fields_is_plain(Compiler *compiler, const Node *node);
// The FUNCDECL of `p.name`, a method of p, which surely is of a struct of the
// file. NULL: it is not known.
const Node *fields_method(Compiler *compiler, const Node *field);
// The FUNC of the file that is called, or NULL.
const Node *fields_function(Compiler *compiler, const Node *callee);

#endif
