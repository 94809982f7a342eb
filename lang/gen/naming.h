// SPDX-License-Identifier: MIT
// The names of a function's variables, for messages.
#ifndef CSP_LANG_GEN_NAMING_H
#define CSP_LANG_GEN_NAMING_H

#include "lang/compiler.h"

// From here on symbol->reg holds the variable.
void naming_bind(Func *func, Symbol *symbol);
// No register from `active` on holds a variable any more.
void naming_end(Func *func, int active);
// Hands the names of variables and upvalues over to the proto.
void naming_pack(Compiler *compiler, Func *func);

#endif
