// SPDX-License-Identifier: MIT
// Goroutines that wait for a mutex or a semaphore: how they park and go on, and
// what dumps say of them.
#ifndef CSP_VM_INTERP_LOCK_WAIT_H
#define CSP_VM_INTERP_LOCK_WAIT_H

#include "vm/heap/local.h"
#include "vm/interp/interp.h"
#include "vm/interp/native_call.h"

// LATER_ENTER: the lock in call->later.value. The call has no result. `number`
// is 0, or LOCK_TO_READ where it is to read under a read-write mutex.
enum { LOCK_TO_READ = 1 };
Next lock_enter(CspCall *call, Value *window, int want);
Next lock_resume(Local *local, Goroutine *g);  // RESUME_ENTER
// What a goroutine waits for at this channel, for dumps. NULL: no lock.
const char *lock_wait_name(const Goroutine *g, const ObjChan *channel);
// Of a goroutine that waits for a mutex, while no goroutine runs: the id of the
// goroutine that holds it. 0: it waits for something else, or nobody holds it.
uint64_t lock_holder(const Goroutine *g);
// A text for dumps: the kind of lock that g waits for, and the goroutine that
// holds it. It is static, or written into `room`. No goroutine runs.
enum { LOCK_WAIT_TEXT = 64 };
const char *lock_wait_text(const Goroutine *g, char *room);

#endif
