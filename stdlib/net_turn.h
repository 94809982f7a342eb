// SPDX-License-Identifier: MIT
// A native that tries an operation of a descriptor (recv, send, accept, ...)
// until it succeeds. It has the turn of that side (CspFd) from its first try to
// its end. Between two tries it waits, and no thread does.
//
//   begin -> [waits for the turn] -> try -> [waits, or lets others run] -> try
//
// The state of such a native begins with a NetTurn. A copy of it goes from
// piece to piece, so nothing points into it. What it points to lives as long as
// the native's arguments.
#ifndef CSP_STDLIB_NET_TURN_H
#define CSP_STDLIB_NET_TURN_H

#include "stdlib/stdlib.h"

// In place of an errno. The time is over, it was closed here, the other side
// has ended it, /proc is missing (os_by_proc), another write was cut, and
// another one has not begun.
enum {
  NET_LATE = -1,
  NET_CLOSED = -2,
  NET_ENDED = -3,
  NET_NO_PROC = -4,
  NET_CUT = -5,
  NET_QUEUED = -6
};

typedef struct NetTurn NetTurn;
typedef struct NetWay {
  CspSide side;
  size_t size;  // of the state
  // The call has the turn. It leaves that (net_leave, net_failed) when it ends.
  CspStatus (*try)(CspCall *call, NetTurn *turn);
  // Makes the results. The call has no turn. An errno, or as above.
  CspStatus (*fail)(CspCall *call, NetTurn *turn, int error);
  // NULL, or it is called when the call is given up while it has the turn.
  void (*give_up)(CspCall *call, NetTurn *turn);
  // NULL, or whether it tries again though the time of net_wait is over.
  bool (*goes_on)(CspCall *call, NetTurn *turn);
} NetWay;

struct NetTurn {
  CspValue kept;  // of which the collector has to know, or nil
  const NetWay *way;
  CspFd *fd;
  bool is_held;
};

// --- net_turn.c -------------------------------------------------------------
CspStatus net_begin(CspCall *call, NetTurn *turn);
// After EAGAIN. Tries again when the descriptor is ready. fail is called with
// NET_LATE at `until` (as csp_monotonic counts, 0: never).
CspStatus net_wait(CspCall *call, NetTurn *turn, int64_t until);
// Tries again at `until`, or when that side is ready.
CspStatus net_pause(CspCall *call, NetTurn *turn, CspSide side, int64_t until);
// Lets others run first. After csp_spent.
CspStatus net_later(CspCall *call, NetTurn *turn);
void net_leave(CspCall *call, NetTurn *turn);
CspStatus net_failed(CspCall *call, NetTurn *turn, int error);

#endif
