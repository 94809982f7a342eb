// SPDX-License-Identifier: MIT
// How goroutines that are interrupted or cancelled while they work give up.
// Such a goroutine leaves what it is doing, and panics when it runs again.
#ifndef CSP_VM_INTERP_GIVE_UP_H
#define CSP_VM_INTERP_GIVE_UP_H

#include "vm/heap/local.h"
#include "vm/interp/interp.h"

// vm_interrupt asked for this goroutine, or it is cancelled: it panics, once.
bool work_interrupted(Local *local, Goroutine *g);
bool work_stopped(Local *local, Goroutine *g);
// g, which unwinds, has given up: it leaves, and panics when it runs again.
Next work_leave(Local *local, Goroutine *g);
Next work_resume(Local *local, Goroutine *g);  // RESUME_GAVE_UP

#endif
