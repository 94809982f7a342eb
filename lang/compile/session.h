// SPDX-License-Identifier: MIT
// Inputs that see the names of those before.
#ifndef CSP_LANG_COMPILE_SESSION_H
#define CSP_LANG_COMPILE_SESSION_H

#include "lang/ast.h"
#include "lang/session_input.h"

struct Compiler;
struct Local;
struct ObjClosure;
struct Vm;

typedef struct Session {
  struct Vm *vm;
  struct ObjModule *module;  // its members are their top-level names; pinned
} Session;

// The module, with `_`: the value before. false: out of memory.
bool session_begin(Session *session, struct Vm *vm);
// The input as a function; it returns the input's values. NULL: errors. By
// natives, with their P's local; one at a time.
struct ObjClosure *session_compile(Session *session, struct Local *local,
                                   SessionInput *input);
void session_input_free(SessionInput *input);

// Inside of a compilation.
void session_result(SessionInput *input, Node *stmts);
void session_names(struct Compiler *compiler);

#endif
