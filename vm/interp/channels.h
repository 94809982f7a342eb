// SPDX-License-Identifier: MIT
// What others may call of channels.c.
#ifndef CSP_VM_INTERP_CHANNELS_H
#define CSP_VM_INTERP_CHANNELS_H

#include "vm/code/code.h"
#include "vm/heap/local.h"
#include "vm/interp/interp.h"

Next channel_send(Local *local, Goroutine *g, Value to, Value v);
Next channel_recv(Local *local, Goroutine *g, Instr i);
Next channel_recv_resume(Local *local, Goroutine *g, Instr i);
// The channel that v is; NULL: nil, or, and then *fine is false, a panic that
// tells what cannot be done with v.
Chan *channel_of(Local *local, Goroutine *g, Value v, const char *what,
                 bool *fine);
// Puts what <-c gives where it is wanted: a value, and whether the channel was
// open.
Next channel_received(Local *local, Goroutine *g, Value *to, Value v, bool ok,
                      int want);

#endif
