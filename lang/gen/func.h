// SPDX-License-Identifier: MIT
// Second pass: functions and structs.
#ifndef CSP_LANG_GEN_FUNC_H
#define CSP_LANG_GEN_FUNC_H

#include "lang/compiler.h"

// Makes the proto of a function that captures nothing, and what callers may
// know of it before there is code. Gives its closure. nil: out of memory.
Value func_known(Compiler *compiler, Func *func);
void func_generate(Compiler *compiler, Func *func);
void func_generate_file(Compiler *compiler, Func *func, Node *stmts);
Proto *func_proto(const Symbol *symbol);  // of a known function or struct
void func_closure(Compiler *compiler, Node *node, int target);  // of a FUNC
void func_local(Compiler *compiler, Node *decl);  // func f() in a block
int func_upvalue(Compiler *compiler, Func *func, Symbol *symbol);
// Makes the type of a STRUCT. NULL: out of memory.
ObjStruct *struct_new(Compiler *compiler, Node *node);
void struct_local(Compiler *compiler, Node *node);
// In place of one of the first `before` methods, if that has the name. false:
// out of memory.
bool struct_add_method(Vm *vm, ObjStruct *type, uint32_t before,
                       ObjString *name, Value function);

#endif
