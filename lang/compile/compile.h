// SPDX-License-Identifier: MIT
// Text to bytecode: a file, with what it imports.
#ifndef CSP_LANG_COMPILE_COMPILE_H
#define CSP_LANG_COMPILE_COMPILE_H

#include "lang/compiler.h"

// The hook for vm->compile. Compiles a text and all that it imports, and gives
// the closure of its top level. NULL: errors. *errors: messages (warnings, too,
// when they are asked for), text of vm->memory, or NULL. One thread at a time.
ObjClosure *lang_compile(Vm *vm, const CompileInput *input, char **errors);
// Installs it.
void lang_install(Vm *vm);

typedef struct Unit {
  const char *test;  // CompileInput's
  Source source;
  ObjModule *module;
  bool privileged, interactive, warnings;
  bool script;            // nobody imports it
  SessionInput *session;  // NULL: a file
} Unit;
// Compiles one file to the closure of its top level. NULL: errors are in the
// loader.
ObjClosure *compile_unit(Loader *loader, const Unit *unit);
// For the file `first`, and what it imports.
void loader_begin(Loader *loader, Vm *vm, Loading *first);
// The messages, text of vm->memory, or NULL when there are none.
char *loader_text(Loader *loader);

#endif
