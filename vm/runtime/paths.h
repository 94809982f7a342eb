// SPDX-License-Identifier: MIT
// What a script's path means. Natives and imports reach files only through
// these functions. No path leads out of the root, if there is one.
#ifndef CSP_VM_RUNTIME_PATHS_H
#define CSP_VM_RUNTIME_PATHS_H

#include <pthread.h>

#include "vm/csp.h"
#include "vm/heap/local.h"

// Where the paths of scripts begin.
typedef struct Paths {
  int root;  // O_PATH, of CspConfig.root; -1 means none. Immutable
  pthread_mutex_t lock;
  char *folder;  // guarded by lock: the working folder in the root
} Paths;

// csp_real_path and csp_open_path of this runtime.
char *vm_real_path(Vm *vm, const char *path);
int vm_open_path(Vm *vm, const char *path, int flags);

// false: there is no such root, or no openat2. errno tells.
bool paths_open(Csp *csp);
void paths_free(Csp *csp);

#endif
