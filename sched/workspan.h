// SPDX-License-Identifier: MIT
// Work and span of a program: what is measured where. See workspan.c. Called
// only while MARK_SPAN is set (sched_spans is true), at the places named.
#ifndef CSP_SCHED_WORKSPAN_H
#define CSP_SCHED_WORKSPAN_H

#include "sched/internal.h"

// The two words of a G at SchedConfig.span_at. Written by the holder of the G.
typedef struct WorkSpan {
  int64_t span;  // ns
  int64_t left;  // rt_now() when it left its P
} WorkSpan;

void workspan_init(Sched *sched, size_t span_at);

// Owner P, all.
void workspan_made(P *p, G *g);  // g is about to be runnable for the first time
void workspan_runs(P *p, G *g);  // g begins to run, or runs on
void workspan_left(P *p, G *g);  // g leaves p, with its reason set
void workspan_readied(P *p, G *g);            // g, WAITING, is to be readied
void workspan_follows(P *p, const G *inner);  // the running G goes on after it
// The span of the G that runs, up to now, or 0 where none runs.
int64_t workspan_now(P *p);
// The G that runs goes on after something that had that span.
void workspan_join(P *p, int64_t span);

// The word in that slot of a block is put, or was taken, by the G that runs.
// `sender`, if not NULL, waits, and is the one that puts it.
void workspan_put(P *p, uint64_t *slot, uint32_t room, const G *sender);
void workspan_take(P *p, const uint64_t *slot, uint32_t room);
// With the gate's lock: the G that runs is about to give its place back, or g
// was given one.
void workspan_leaves_gate(P *p, Chan *gate);
void workspan_enters_gate(P *p, Chan *gate, G *g);

// By the thread that makes the call: before it has left its P, and when it has
// one again. Without a P: with sched.lock.
void workspan_call_begins(M *m);
void workspan_call_ended(M *m, P *p, G *g);
void workspan_call_ended_alone(M *m, G *g);

#endif
