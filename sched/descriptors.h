// SPDX-License-Identifier: MIT
// Descriptors that Gs wait for (row 24): sockets, pipes, terminals, pidfds. The
// caller reads and writes them, without blocking, and waits when it cannot.
// Included by sched.h. See poll.c, and poll_turn.c for turns.
#ifndef CSP_SCHED_DESCRIPTORS_H
#define CSP_SCHED_DESCRIPTORS_H

#include "sched/sched.h"

typedef struct PollDesc PollDesc;
typedef enum PollMode { POLL_READ, POLL_WRITE } PollMode;

typedef enum PollResult {
  POLL_READY,     // try again; may come for no reason
  POLL_PARKED,    // after resume: poll_result
  POLL_CLOSED,    // by poll_close
  POLL_DEADLINE,  // it has passed
  POLL_BUSY,      // another G waits for that side already (without turns)
} PollResult;

// NULL: errno tells. EPERM: the descriptor is always ready (a regular file).
// Any thread.
PollDesc *poll_open(Sched *sched, int fd);
// Parks g until that side may be ready. Owner P; g's state saved.
PollResult poll_wait(P *p, G *g, PollDesc *desc, PollMode mode);
// After POLL_PARKED: why the G was woken. Never POLL_PARKED or POLL_BUSY.
PollResult poll_result(PollDesc *desc, PollMode mode);
// Waits end, with POLL_DEADLINE, when rt_now() >= when, or never if that is 0.
// Owner P; one call at a time for a side.
void poll_deadline(P *p, PollDesc *desc, PollMode mode, int64_t when);
// All waits end with POLL_CLOSED; the file descriptor may be closed
// afterwards. Owner P, or NULL when no G uses it and no deadline is set. Once.
void poll_close(P *p, PollDesc *desc);
// Closed, and no G is inside poll_wait or before poll_result. Any thread.
void poll_free(PollDesc *desc);
// A timer of a deadline, for timers_filter: to be kept.
bool poll_is_deadline(const Timer *timer);

// --- Turns ------------------------------------------------------------------
// A G that may meet others takes the turn of a side before it reads (or
// writes), and keeps it while it waits. A descriptor that is used with turns
// is ended by poll_turn_end, and its deadlines are set by the G that has the
// turn.
//
// Takes the turn if it is free, and the descriptor has not ended. Any M.
bool poll_turn_try(PollDesc *desc, PollMode mode);
// The same, but g waits for it, in the order in which Gs came. POLL_READY: g
// has it. POLL_CLOSED: g has not, as the descriptor has ended. POLL_PARKED:
// after resume poll_turn_result. Owner P; g's state saved.
PollResult poll_turn(P *p, G *g, PollDesc *desc, PollMode mode);
// POLL_READY or POLL_CLOSED. A G that was cancelled (G.cancelled) has no turn,
// and does not ask.
PollResult poll_turn_result(const G *g);
// Gives the turn to the first that waits. true: the descriptor has ended, this
// was the last turn, and the caller closes it. Owner P, or NULL when no G runs
// any more.
bool poll_turn_leave(P *p, PollDesc *desc, PollMode mode);
// poll_close for descriptors with turns. All waits end with POLL_CLOSED. true:
// nobody has a turn, and the caller closes the descriptor. Otherwise the G that
// leaves last does.
bool poll_turn_end(P *p, PollDesc *desc);

#endif
