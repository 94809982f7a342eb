// SPDX-License-Identifier: MIT
// Send and receive of channels, tasks and timers, as the opcodes need them.
// After a goroutine has parked, the M that ran it does not touch it.
#ifndef CSP_VM_INTERP_CHANNELS_H
#define CSP_VM_INTERP_CHANNELS_H

#include "vm/code/opcodes.h"
#include "vm/heap/local.h"
#include "vm/interp/interp.h"
#include "vm/interp/panic.h"
#include "vm/object/value_text.h"

Next channel_send(Local *local, Goroutine *g, Value to, Value v);
Next channel_recv(Local *local, Goroutine *g, Instr i);
Next channel_recv_resume(Local *local, Goroutine *g, Instr i);
// The channel that v is. NULL: nil, or, and then *fine is false, a panic that
// tells what cannot be done with v.
static inline Chan *channel_of(Local *local, Goroutine *g, Value v,
                               const char *what, bool *fine) {
  *fine = true;
  if (value_is_type(v, OBJ_CHAN)) return &((ObjChan *)value_obj(v))->chan;
  if (v != VALUE_NIL)
    *fine = vm_panic(local, g, "cannot %s %s", what, value_type_name(v));
  return NULL;
}
// As channel_of, of the channel to receive from. v may be a timer, too.
Chan *channel_from(Local *local, Goroutine *g, Value v, bool *fine);
// What g, which waits, waits for: for dumps. Nothing runs that could wake it.
const char *channel_wait_name(const Goroutine *g);
// Puts what <-c gives where it is wanted: a value, and whether the channel was
// open.
static inline Next channel_received(Local *local, Goroutine *g, Value *to,
                                    Value v, bool ok, int want) {
  if (want == WANT_ALL) g->multi = (uint32_t)(want = 1);
  if (want == WANT_DROP) return GO_ON;
  if (want > 2) {
    vm_panic(local, g, "<- of a channel gives 1 or 2 values, %d wanted", want);
    return THROW;
  }
  if (want > 0) to[0] = ok ? v : VALUE_NIL;
  if (want > 1) to[1] = value_from_bool(ok);
  return GO_ON;
}

#endif
