// SPDX-License-Identifier: MIT
// Second pass: calls and returning.
#ifndef CSP_LANG_GEN_CALLS_H
#define CSP_LANG_GEN_CALLS_H

#include "lang/compiler.h"

enum CallHow { CALL_PLAIN, CALL_GO, CALL_GO_TASK, CALL_DEFER };

// The window to call at so that the result comes to target, if possible.
int calls_window(const Compiler *compiler, int target);
void calls_at(Compiler *compiler, Node *call, int window, int want,
              enum CallHow how);
// What the call or `<-x` gives, at that window.
void calls_results(Compiler *compiler, Node *node, int window, int want);
// a? at that window: `want` values without the error.
void calls_propagate(Compiler *compiler, Node *node, int window, int want);
void calls_return(Compiler *compiler, Pos pos, int from, int count);
// `return` without values, and the end of the body.
void calls_return_none(Compiler *compiler, Pos pos);
// The value in that register, the only one of a `return`.
void calls_return_one(Compiler *compiler, Pos pos, const Node *value, int reg);
void calls_return_multi(Compiler *compiler, Pos pos, int window);
void calls_return_all(Compiler *compiler, Pos pos, Node *call);  // return g()
void calls_return_arrow(Compiler *compiler, Node *value);        // => value

#endif
