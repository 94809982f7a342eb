// SPDX-License-Identifier: MIT
// Events of single Gs: what may be noted, and where. See trace.c.
#ifndef CSP_SCHED_TRACE_H
#define CSP_SCHED_TRACE_H

#include "sched/internal.h"

// X(name), and what an event tells of. `g` is a G's id, or 0
#define TRACE_EVENTS(X)                                                    \
  X(CREATE)  /* g was started */                                           \
  X(RUN)     /* g runs; arg: its label */                                  \
  X(LEAVE)   /* g left the P; state, and reason while waiting */           \
  X(PREEMPT) /* a LEAVE by preemption */                                   \
  X(READY)   /* g was readied */                                           \
  X(STEAL)   /* arg Gs were taken from the P with the number in g */       \
  X(TIMERS)  /* arg timers were run */                                     \
  X(POLL)    /* arg Gs came out of netpoll */                              \
  X(CALL)    /* g's blocking call is over; arg: its begin; on M `track` */ \
  X(RETAKE)  /* the P `track` was taken from a call */                     \
  X(STOP)    /* somebody wants to stop the world */                        \
  X(STOPPED) /* it is */                                                   \
  X(START)   /* it goes on */

typedef enum TraceKind {
#define X(name) TRACE_##name,
  TRACE_EVENTS(X)
#undef X
} TraceKind;

bool trace_init(Sched *sched, const SchedConfig *config);  // false: no memory
void trace_free(Sched *sched);
bool trace_init_p(P *p);  // false: no memory
// Owner P.
void trace_event(P *p, TraceKind kind, uint64_t g, uint64_t arg);
#define TRACE(p, kind, g, arg)                                \
  (__builtin_expect((p)->marks & MARK_TRACE, 0)               \
       ? trace_event((p), TRACE_##kind, (g), (uint64_t)(arg)) \
       : (void)0)
// sched.lock held; by a thread that has no P with a buffer to write to.
void trace_shared(Sched *sched, TraceKind kind, uint32_t track, uint64_t g,
                  uint64_t arg);
#define TRACE_SHARED(sched, kind, track, g, arg)                            \
  ((sched)->trace.events != NULL                                            \
       ? trace_shared((sched), TRACE_##kind, (track), (g), (uint64_t)(arg)) \
       : (void)0)
// The long ways round of g_leave and proc_set_running: g or p is marked.
void trace_left(P *p, G *g, GState to);
G *trace_set_running(P *p, G *g);
void trace_run(P *p, G *g);    // one of MARKS_EACH is set: g runs on p
void trace_preempted(P *p);    // MARK_TRACE is: the LEAVE just now was one
void trace_call_begins(M *m);  // MARKS_EACH: m is about to make a call
void trace_call_ended(M *m, P *p, G *g);  // ... g runs on p again
// sched.lock held: g's call is over, and there is no P for it.
void trace_call_ended_alone(M *m, G *g);

#endif
