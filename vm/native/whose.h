// SPDX-License-Identifier: MIT
// Whose natives are registered, and whose functions they call: for the
// runtime's start, and for the library.
#ifndef CSP_VM_NATIVE_WHOSE_H
#define CSP_VM_NATIVE_WHOSE_H

#include <stdbool.h>

#include "vm/csp.h"

// Whether what is registered from now on is a host's. A host's natives need not
// look while they work. Those of the runtime and of its library do, in each 50
// us of work. A host's image of a prelude is verified
// (vm/runtime/image_read.c). Before the runtime runs; does not block.
void natives_are_hosts(Csp *csp, bool host);

// Before a native of the library calls a function of a host's, such as one of a
// connection's layer: it has no looks, as a host's natives. The call's thread;
// does not block.
void native_calls_host(CspCall *call);

#endif
