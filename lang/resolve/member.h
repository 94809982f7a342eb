// SPDX-License-Identifier: MIT
// Names in modules.
#ifndef CSP_LANG_RESOLVE_MEMBER_H
#define CSP_LANG_RESOLVE_MEMBER_H

#include "lang/compiler.h"
#include "vm/object/suggest.h"

// What a value that never changes makes of its name.
SymbolKind member_kind(Value v);
// The symbol for a cell of a module.
Symbol *member_symbol(Compiler *compiler, const AstStr *name, ObjCell *cell);
// name of that module; unknown and private ones are reported.
Symbol *member_find(Compiler *compiler, Symbol *module, const AstStr *name,
                    Pos pos);
ObjCell *member_cell(Compiler *compiler, const ObjModule *module,
                     const AstStr *name);
// Marks all members that are set as known for ever (native modules).
void member_mark_known(Vm *vm, ObjModule *module);
// Calls fn with the names of all members, private ones too if wanted.
void member_each(const Compiler *compiler, const ObjModule *module,
                 bool private, void (*fn)(void *arg, const char *name),
                 void *arg);
// Feeds the names of the structs that others may use.
void member_suggest_struct(const Compiler *compiler, const ObjModule *module,
                           Suggest *suggest);

#endif
