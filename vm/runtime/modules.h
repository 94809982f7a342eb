// SPDX-License-Identifier: MIT
// The functions of modules.c that other files call.
#ifndef CSP_VM_RUNTIME_MODULES_H
#define CSP_VM_RUNTIME_MODULES_H

#include "vm/heap/local.h"

typedef enum NativeFound {
  NATIVE_NONE,        // there is no such module
  NATIVE_REGISTERED,  // vm_builtin_module finds it now
  NATIVE_REFUSED,     // *why tells
  NATIVE_NO_MEMORY
} NativeFound;

// Looks for the native module of that name, and loads and registers it. *why is
// of the runtime's memory, or NULL. By the thread that compiles. May block.
NativeFound modules_find(Vm *vm, const char *name, char **why);
// Why no native module at all can be found, where a host wanted that. It is of
// the runtime's memory. NULL: there is nothing to say.
char *modules_hint(Vm *vm);
// The path of that folder, whatever the working folder is later. NULL: out of
// memory, or errno tells why.
char *modules_folder(const Memory *memory, const char *folder);

#endif
