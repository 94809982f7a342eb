// SPDX-License-Identifier: MIT
// Imported modules.
#ifndef CSP_LANG_COMPILE_LOADER_H
#define CSP_LANG_COMPILE_LOADER_H

#include "lang/compiler.h"

// The module that an IMPORT names, compiled; NULL after an error.
ObjModule *loader_import(Compiler *compiler, Node *import);
void loader_free(Loader *loader);
// Whether that file is being compiled.
bool chain_has(const Loading *chain, const char *path);

#endif
