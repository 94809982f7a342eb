// SPDX-License-Identifier: MIT
// What threads without a P leave for the Ps: posts, Gs that the network has
// readied, and Gs whose call has returned. Any thread may leave something here,
// and a thread that holds a P takes it out.
#ifndef CSP_SCHED_INBOX_H
#define CSP_SCHED_INBOX_H

#include "sched/internal.h"

bool inbox_pending(Sched *sched);  // any thread
// From netpoll, still waiting. tell: some P, else the caller looks there.
void inbox_put_gs(Sched *sched, GList *list, bool tell);
// From a call, RUNNABLE. By its M, with sched.lock held; inbox_flag follows.
void inbox_put_returned(Sched *sched, G *g);
void inbox_flag(Sched *sched);                   // a running P is to drain
void inbox_push(Sched *sched, SchedPost *post);  // any thread; tells nobody
void inbox_drain(P *p);                          // owner P

#endif
