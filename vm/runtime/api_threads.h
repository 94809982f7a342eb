// SPDX-License-Identifier: MIT
// What other threads ask.
#ifndef CSP_VM_RUNTIME_API_THREADS_H
#define CSP_VM_RUNTIME_API_THREADS_H

#include "vm/csp.h"
#include "vm/interp/native_call.h"

// Nothing will run any more: each thread that waits is told.
void posts_end(Csp *csp);
// Makes the post (sched_post), unless the run is over (false). Any thread.
bool post_to_run(Csp *csp, SchedPost *post);
// The run is over. Was it interrupted? An interrupt that comes later is late.
bool interrupts_end(Csp *csp);
// By csp_free: other threads come in no more, and those inside have left.
void threads_shut_out(Csp *csp);

extern const CspFunction post_functions[];

#endif
