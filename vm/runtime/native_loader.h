// SPDX-License-Identifier: MIT
// Native modules, which are shared objects in a folder of the host. The thread
// that compiles loads them, and they are never unloaded.
#ifndef CSP_VM_RUNTIME_NATIVE_LOADER_H
#define CSP_VM_RUNTIME_NATIVE_LOADER_H

#include "vm/heap/local.h"

typedef enum NativeFound {
  NATIVE_NONE,        // there is no such module
  NATIVE_REGISTERED,  // vm_builtin_module finds it now
  NATIVE_REFUSED,     // *why tells
  NATIVE_NO_MEMORY
} NativeFound;

// Looks for the native module of that name, and loads and registers it. *why is
// of the runtime's memory, or NULL. By the thread that compiles. May block.
NativeFound native_loader_find(Vm *vm, const char *name, char **why);
// Why no native module at all can be found, where a host wanted that. It is of
// the runtime's memory. NULL: there is nothing to say.
char *native_loader_hint(Vm *vm);
// The path of that folder, whatever the working folder is later. NULL: out of
// memory, or errno tells why.
char *native_loader_folder(const Memory *memory, const char *folder);

#endif
