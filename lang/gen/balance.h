// SPDX-License-Identifier: MIT
// What holds while code is generated.
#ifndef CSP_LANG_GEN_BALANCE_H
#define CSP_LANG_GEN_BALANCE_H

#include "lang/compiler.h"

// Nobody will run the function: memory is out, or it is too complex.
bool code_is_lost(const Compiler *compiler);
// Code is made for a name that is unknown only if a module did not compile.
bool symbol_may_be_used(const Compiler *compiler, const Symbol *symbol);
// Between two statements: only variables take registers.
bool registers_are_balanced(const Func *func);
// The list has words of the function, the newest first, that wait for targets.
bool jumps_are_waiting(const Func *func, int list);
// Each place begins at a later instruction than the one before.
bool lines_are_sorted(const Proto *proto);
bool operands_fit(int a, int b, int d);  // one byte each, b and d signed
bool constant_is_there(const Compiler *compiler, int index, Value v);
// A function that is done: all its loops and groups have ended, and its proto
// passes the verifier.
bool func_is_complete(const Compiler *compiler, const Func *func);

#endif
