// SPDX-License-Identifier: MIT
// The operations + [] and []= of a host's own types. They run on the goroutine
// that wants them.
#ifndef CSP_VM_INTERP_HOST_CALL_H
#define CSP_VM_INTERP_HOST_CALL_H

#include "vm/heap/local.h"

// HOST_NO: it has none for such values, and nothing has happened.
typedef enum HostDone { HOST_DID, HOST_NO, HOST_PANICKED } HostDone;
HostDone host_add(Local *local, Goroutine *g, Value b, Value c, Value *out);
HostDone host_get(Local *local, Goroutine *g, Value v, Value index, Value *out);
HostDone host_set(Local *local, Goroutine *g, Value v, Value index, Value to);

#endif
