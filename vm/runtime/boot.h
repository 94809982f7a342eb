// SPDX-License-Identifier: MIT
// What a Vm has before any script.
#ifndef CSP_VM_RUNTIME_BOOT_H
#define CSP_VM_RUNTIME_BOOT_H

#include <stdbool.h>

#include "vm/csp.h"

// false: out of memory.
bool boot_vm(Csp *csp);
void boot_free(Csp *csp);

#endif
