// SPDX-License-Identifier: MIT
// Descriptors as poll.c and poll_turn.c see them, and what other files call.
#ifndef CSP_SCHED_POLL_H
#define CSP_SCHED_POLL_H

#include "sched/internal.h"

// A side's turn: the Gs that wait for it. The descriptor's lock guards it.
typedef struct PollTurn {
  PollDesc *desc;  // immutable
  Waiter *first, *last;
} PollTurn;

struct PollDesc {
  Poller *poller;
  uint32_t index;
  uint32_t generation;  // atomic
  int fd;               // immutable while it is open
  uint32_t closed;      // atomic
  uintptr_t waiter[2];  // atomic, by PollMode
  int64_t deadline[2];  // atomic: 0 for none, EXPIRED when it has passed
  Timer timers[2];
  PollDesc *next_free;  // guarded by the poller's lock
  uint32_t turns;       // atomic: see poll_turn.c
  RtLock lock;
  PollTurn turn[2];  // by PollMode
};

bool poll_wanted(Sched *sched);  // any thread: Gs wait for descriptors
void poll_now(P *p);             // owner P, if poll_wanted; does not block
// Any M or sysmon; poll_wanted. tell: as inbox_put_gs.
void poll_block(Sched *sched, int64_t deadline, bool tell);
void poll_break(Sched *sched);  // some M is, or was, polling; any thread
void poll_ready(P *p, GList *list);
void poll_free_all(Sched *sched);
// For stepped.c. Gives the descriptor, which it makes if there is none, or
// -1 and errno.
int poll_host_fd(Sched *sched);
// The descriptor becomes readable at that time, or at none with RT_FOREVER.
void poll_alarm(Sched *sched, int64_t when);
// It is no longer readable for breaks from before.
void poll_end_break(Sched *sched);
// Owner P in a look, or sysmon: is it time to poll, and nobody else does?
static inline bool poll_is_due(Sched *sched, int64_t now) {
  // relaxed, all: hints of show_g, idle_sleep_in_netpoll and collect (poll.c).
  // It is asked again soon
  return rt_load_relaxed(&sched->netpoll.waiters) != 0 &&
         rt_load_relaxed(&sched->netpoll.blocked) == 0 &&
         now - rt_load_relaxed(&sched->netpoll.polled_at) >= POLL_NS;
}
// The rest of cancel_take. false: g is not there, or not cancelled.
bool poll_cancel(P *p, G *g, PollDesc *desc, PollMode mode);

// --- poll_turn.c ------------------------------------------------------------
// The same for a turn.
bool poll_turn_cancel(G *g, PollTurn *turn);

#endif
