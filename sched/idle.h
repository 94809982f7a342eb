// SPDX-License-Identifier: MIT
// Which Ms and Ps are idle, and which M is woken when there is work. An idle P
// has no M. sched.lock guards the lists of both.
#ifndef CSP_SCHED_IDLE_H
#define CSP_SCHED_IDLE_H

#include "sched/internal.h"

void idle_put_p(Sched *sched, P *p);   // sched.lock held; p has no work
P *idle_get_p(Sched *sched, P *wish);  // sched.lock held. NULL if there is none
void idle_take_p(M *m, P *p);          // sched.lock held; p from idle_get_p
bool idle_wait(M *m);  // m without P sleeps. True if it has one again
// To the pool. false: none is to be had. No lock held.
bool idle_add_m(Sched *sched);
bool idle_start_m(Sched *sched, P *p, bool spinning);  // p taken; no lock held
void idle_wakep(Sched *sched);                         // any thread
// The same, unless it is quiet (crowd.c).
void idle_wake_for_queue(Sched *sched);
// m has given its P back, and does not spin: T3 of the protocol. true: there
// is work, m has a P again and spins.
bool idle_look_again(M *m);
bool idle_timers_alone(Sched *sched);  // sched.lock held
void idle_sleep_in_netpoll(M *m, int64_t until);
// Owner P, in a look: gives what an idle P could do to one.
void idle_share(P *p);
void idle_stop_spinning(M *m);
void idle_check_deadlock(Sched *sched);   // sched.lock held
void idle_give_back(Sched *sched, P *p);  // p taken, but no M to be had for it
void idle_stop_all(Sched *sched);         // sched.lock held: Ps become STOPPED
void idle_wake_m(M *m);
// sched.lock held: idle.ps has idle_count Ps, which the mask has, too.
bool idle_is_valid(const Sched *sched);
bool idle_ms_are_valid(const Sched *sched);  // likewise: the pool of Ms

#endif
