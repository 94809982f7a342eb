// SPDX-License-Identifier: MIT
// Built-in modules. Each is made when a script first imports it, by the thread
// that compiles.
#ifndef CSP_VM_NATIVE_BUILTIN_MODULES_H
#define CSP_VM_NATIVE_BUILTIN_MODULES_H

#include "vm/heap/local.h"

// The module of that import path if it is built in (made on first use, with
// its native members; its CSP part is compiled into it by the importer), or
// NULL. *source: its CSP part, or NULL. *no_memory: set to true when it is
// built in, but could not be made.
ObjModule *vm_builtin_module(Vm *vm, const char *path, const char **source,
                             size_t *source_len, bool *no_memory);
// Feeds every built-in module's path (for "did you mean").
void vm_each_builtin_module(Vm *vm, void (*fn)(void *arg, const char *path),
                            void *arg);

ObjModule *module_new(Vm *vm, const char *name);

// The cell of a member, made if missing (value UNDEF).
ObjCell *module_cell(Vm *vm, ObjModule *module, ObjString *name);

#endif
