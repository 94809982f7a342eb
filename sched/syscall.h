// SPDX-License-Identifier: MIT
// How a P is taken out of a blocking call, and how Gs wait for one of the
// places that such calls have. Callers hold sched.lock, unless said otherwise.
#ifndef CSP_SCHED_SYSCALL_H
#define CSP_SCHED_SYSCALL_H

#include "sched/internal.h"

// p out of a quick call, if it is in one: then p is the caller's, RUNNING
// without M, and the M in the call comes back by the slow way. Any thread.
bool syscall_retake(Sched *sched, P *p);
// The number of Ps has changed: so do the places. World stopped, sched.lock
// held.
void syscall_set_places(Sched *sched, int procs);
// After that. true: p has work, and the caller finds it an M
// (stop_world_give_m, without the lock). false: p was left to others.
bool syscall_settle(Sched *sched, P *p);
// The rest of cancel_take. false: g is not there, or not cancelled.
// Takes sched.lock.
bool syscall_cancel(P *p, G *g);
// The queue of those that wait for a place.
bool syscall_queue_is_valid(const Sched *sched);

#endif
