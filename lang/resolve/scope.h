// SPDX-License-Identifier: MIT
// Declaring and finding names.
#ifndef CSP_LANG_RESOLVE_SCOPE_H
#define CSP_LANG_RESOLVE_SCOPE_H

#include "lang/compiler.h"

static inline uint32_t name_length(const AstStr *name) {
  return (uint32_t)name->len;
}
bool name_is(const AstStr *name, const char *text);
ObjString *name_string(Compiler *compiler,
                       const AstStr *name);  // interned in the Vm
Symbol *symbol_new(Compiler *compiler, SymbolKind kind, const AstStr *name,
                   Pos pos);
void scope_push(Compiler *compiler, Scope *scope);
void scope_pop(Compiler *compiler);  // warns of names that were not used
bool scope_at_top(const Compiler *compiler);  // at the top level of the file
// The symbols of the innermost scope belong to it, and `inner` finds them.
bool scope_is_valid(const Compiler *compiler);
// Looks in the innermost scope alone. NULL: it is not there.
Symbol *scope_here(const Compiler *compiler, const AstStr *name);
// Declares; an error if the scope has that name already.
Symbol *scope_declare(Compiler *compiler, SymbolKind kind, const AstStr *name,
                      Pos pos);
// Innermost first, then the file's, the module's, the predeclared names. Notes
// captures. NULL: nowhere.
Symbol *scope_find(Compiler *compiler, const AstStr *name, Pos pos);
// The symbol to read a top-level function or struct of a session by: what is
// in its cell then.
Symbol *scope_late(Compiler *compiler, Symbol *symbol);
// The only value that the variable ever gets, or NULL. All that may assign it
// was resolved.
const Node *scope_only_value(const Symbol *symbol);
// Whether the parser may have failed to understand where the name is declared,
// or used. That is so after syntax errors, if the text has the word elsewhere.
bool scope_may_be_lost(const Compiler *compiler, const AstStr *name);
// Reports that a name (to be assigned, or read) is unknown, and what was
// probably meant.
void scope_unknown(Compiler *compiler, const AstStr *name, Pos pos,
                   bool assigned);
// A type's name after `is` or a method's receiver is unknown.
void scope_unknown_type(Compiler *compiler, const AstStr *name, Pos pos);
// The types that `is` knows: NULL for others.
const char *scope_type_name(const AstStr *name);

#endif
