// SPDX-License-Identifier: MIT
// The functions that a file declares; one of them as a test.
#ifndef CSP_LANG_COMPILE_OUTLINE_H
#define CSP_LANG_COMPILE_OUTLINE_H

#include "lang/source.h"

struct Compiler;

// A function declared at the top level: its name, the name's place, whether it
// takes parameters.
typedef void LangFunctionFn(void *arg, const AstStr *name, Pos pos, bool takes);
// All of them in order; methods are none. false: the text has syntax errors
// (then there were no calls), or no memory.
bool lang_functions(const Source *source, LangFunctionFn *each, void *arg);

// A resolved script's statements, with calls around them, resolved too:
//   _test_began()
//   ...
//   _test_ended(name())?
// An error where there is no such function.
Node *outline_add_test(struct Compiler *compiler, Node *stmts,
                       const char *name);

#endif
